/* api/check.h: what --check adds at the end of the program. */
#ifndef SIMT_API_CHECK_H
#define SIMT_API_CHECK_H

/* With SIMT_CHECK=1: list the device memory that was never freed, and the number of errors; where there are any, end
 * the process with exit status SIMT_CHECK_STATUS (default 1). To be called at exit. */
void rt_check_report(void);
/* The device is about to be reset: what is still allocated now leaks. */
void rt_check_leaks(void);
/* Count an error that has been reported otherwise. */
void rt_check_count(void);

#endif
