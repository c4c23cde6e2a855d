/* api/cpu_time.h: programs that time kernels by the CPU's clock. Call all of it with the lock held, or at exit. */
#ifndef SIMT_API_CPU_TIME_H
#define SIMT_API_CPU_TIME_H

/* A kernel that the host launched took so long, with all that it launched; modelled. */
void rt_cpu_time_kernel(double ns);
/* The program measures with events. */
void rt_cpu_time_event(void);
/* One line on stderr for a program that reads the CPU's clock and uses no events. To be called at exit. */
void rt_cpu_time_report(void);

#endif
