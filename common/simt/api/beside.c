/*
 * api/beside.c: kernels that go on beside the host.
 *
 * Usually a launch returns when the kernel has ended, so all work is done in one order. But a kernel that waits for a
 * flag which the host sets after the launch would then never end. So a kernel that may wait (kernel_may_wait) runs on a
 * separate thread, if the program has memory that host and device share. The launch returns when the kernel ends, or
 * when all its blocks only poll memory; then the kernel goes on. The next call of the API waits for the kernel. So the
 * order stays the same, except for the program's own stores in between.
 */
#include "launch.h"

#include <pthread.h>
#include <stdlib.h>

#define STACK_BYTES (64u << 20) /* bytes; nested launches need much stack */

struct job {
    struct rt_request request;
    struct profile_row row;
    cudaError_t error;
    bool ended;
    bool spins; /* the kernel only polls memory: the launch may return */
    bool left;  /* the launch has returned: the thread frees the job */
};

static struct job *running; /* the one kernel beside the host; NULL: none */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static void *run_job(void *argument) {
    struct job *job = argument;
    cudaError_t error = rt_launch_now(&job->request, &job->row);
    rt_lock();
    job->error = error;
    job->ended = true;
    running = NULL;
    pthread_cond_broadcast(&changed);
    if (job->left) free(job);
    rt_unlock();
    return NULL;
}

static bool start(struct job *job) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    running = job; /* this thread holds the lock; the new thread reads it only after the launch waits */
    bool started = pthread_create(&thread, &attributes, run_job, job) == 0;
    if (!started) running = NULL;
    pthread_attr_destroy(&attributes);
    return started;
}

cudaError_t rt_beside_launch(const struct rt_request *request, struct profile_row *row) {
    struct job *job = calloc(1, sizeof *job);
    if (job) {
        job->request = *request;
        job->row = *row;
    }
    if (!job || !start(job)) {
        free(job);
        return rt_launch_now(request, row);
    }
    while (!job->ended && !job->spins) rt_wait(&changed);
    job->left = !job->ended;
    if (job->left) return cudaSuccess;
    cudaError_t error = job->error;
    free(job);
    return error;
}

void rt_beside_spins(void) {
    if (!running || running->spins) return;
    rt_lock();
    running->spins = true;
    pthread_cond_broadcast(&changed);
    rt_unlock();
}

bool rt_beside_runs(void) {
    return running;
}

void rt_beside_wait(void) {
    while (running) rt_wait(&changed);
}
