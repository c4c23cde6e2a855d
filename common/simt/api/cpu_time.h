/* api/cpu_time.h: a hint for programs that time kernels by the CPU's clock. Call the functions with the lock held, or
 * at exit. */
#ifndef SIMT_API_CPU_TIME_H
#define SIMT_API_CPU_TIME_H

/* Counts a kernel of the host that took ns of modelled time, with all its nested launches. */
void rt_cpu_time_kernel(double ns);
/* Notes that the program measures with events. */
void rt_cpu_time_event(void);
/* Prints one line on stderr if the program reads the CPU's clock and uses no events. Call it at exit. */
void rt_cpu_time_report(void);

#endif
