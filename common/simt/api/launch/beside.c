/*
 * api/launch/beside.c: kernels that go on beside the host.
 *
 * Usually a launch returns when the kernel has ended, so all work is done in one order. But a kernel that waits for a
 * flag which the host sets after the launch would then never end. So a kernel that may wait (kernel_may_wait) runs on a
 * separate thread, if the program has memory that host and device share. The launch returns when the kernel ends, or
 * when all its blocks only poll memory; then the kernel goes on. The next call of the API waits for the kernel. So the
 * order stays the same, except for the program's own stores in between.
 *
 * A program may set the flag only after it has put more work behind the kernel, so that all of it is in the stream when
 * the flag is set. Calls that enqueue work are therefore deferred while a kernel polls: they return at once, and the
 * kernel's thread makes them, in their order, when the kernel has ended.
 */
#include "launch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define STACK_BYTES (64u << 20) /* bytes; nested launches need much stack */

struct job {
    struct rt_request request;
    struct profile_row row;
    cudaError_t error;
    bool ended;
    bool spins; /* the kernel only polls memory: the launch may return */
    bool left;  /* the launch has returned: the thread frees the job */
    int device;
};

/* A call of the API that waits for the kernel to end. */
struct deferred {
    const char *function;
    cudaError_t (*call)(const void *arguments);
    struct deferred *next;
    char arguments[];
};

static struct job *running; /* the one kernel beside the host; NULL: none */
static struct deferred *first, **last = &first;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static _Thread_local bool is_beside;

/* Makes the oldest deferred call. The caller holds the lock; it is released during the call. */
static void call_first(const struct job *job) {
    struct deferred *deferred = first;
    first = deferred->next;
    if (!first) last = &first;
    rt_choose_device(job->device);
    rt_unlock();
    cudaError_t error = deferred->call(deferred->arguments);
    if (error && error != rt_sticky())
        report_note("%s, called while a kernel waited for the host, failed: %s", deferred->function,
                    cudaGetErrorName(error));
    free(deferred);
    rt_lock();
}

static void *run_job(void *argument) {
    struct job *job = argument;
    is_beside = true;
    cudaError_t error = rt_launch_now(&job->request, &job->row);
    rt_lock();
    job->error = error;
    job->ended = true;
    while (first) call_first(job);
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

/* Runs a kernel whose launch was deferred. It may wait for the host, too, which then takes the lock. */
static cudaError_t launch_deferred(const struct rt_request *request, struct profile_row *row) {
    int device = device_current();
    rt_unlock();
    cudaError_t error = rt_launch_now(request, row);
    rt_lock();
    device_use(device);
    return error;
}

cudaError_t rt_beside_launch(const struct rt_request *request, struct profile_row *row) {
    if (is_beside) return launch_deferred(request, row);
    struct job *job = calloc(1, sizeof *job);
    if (job) {
        job->request = *request;
        job->row = *row;
        job->device = device_current();
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
    while (running && !is_beside) rt_wait(&changed);
}

bool rt_beside_defer(const char *function, cudaError_t (*call)(const void *), const void *arguments, size_t size) {
    if (!running) return false;
    rt_lock();
    bool defers = running && running->spins && !is_beside && rt_own_device() == running->device;
    struct deferred *deferred = defers ? malloc(sizeof *deferred + size) : NULL;
    if (deferred) {
        *deferred = (struct deferred){.function = function, .call = call};
        memcpy(deferred->arguments, arguments, size);
        *last = deferred;
        last = &deferred->next;
    }
    rt_unlock();
    return deferred;
}
