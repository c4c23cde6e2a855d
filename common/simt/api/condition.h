/* api/condition.h: what threads of the runtime wait for, with its lock (api/state.c). */
#pragma once

#include <pthread.h>
#include <stdint.h>

/* It starts as RT_CONDITION. */
struct rt_condition {
    pthread_cond_t told;
    uint64_t times;   /* that it was told */
    unsigned waiting; /* threads */
};
#define RT_CONDITION                                                                               \
    { .told = PTHREAD_COND_INITIALIZER }

/* Waits until another thread tells the condition. Keeps the current device. */
void rt_wait(struct rt_condition *condition);
/* Lets all that wait go on, each when it has the lock. */
void rt_tell(struct rt_condition *condition);
