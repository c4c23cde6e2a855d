/*
 * api/launch/async_kernel.c: kernels that go on beside the host, and beside each other.
 *
 * Usually a launch returns when the kernel has ended, so all work is done in one order. But a
 * kernel that waits for a flag which the host, or a later launch, sets would then never end. So a
 * kernel that may wait (kernel_may_wait) is a job: it runs on a separate thread. The launch returns
 * when the kernel ends, or when all its blocks only poll memory; then the kernel goes on.
 *
 * One thread works at a time: the one with the runtime's lock. A job that only polls lets others
 * have it, in turn: the other jobs, and calls of the API. A call that a GPU would do after the
 * kernel is deferred (api/launch/deferred.c), or waits for it. Launches into other streams and
 * devices do not. So the order stays the same, except for kernels that wait for each other.
 *
 *   host      launch A ............ | launch B ....................... | synchronise ...
 *   job A              works, polls |          polls |       | works, ends
 *   job B                           |   works, polls   polls |            works, ends
 */
#include "launch.h"

#include "lib/memory.h"
#include "simt/api/condition.h"
#include "simt/check/host.h"
#include "simt/device/touched.h"

#include <stdlib.h>

#define STACK_BYTES (64u << 20) /* bytes; nested launches need much stack */

struct job {
    struct launch *launch; /* NULL: it makes deferred calls only */
    cudaError_t error;
    bool ended;
    bool spins; /* the kernel only polls memory: the launch may return */
    int users;  /* its thread, and the launch that has not returned */
    int device;
    const struct rt_stream *stream; /* whose work it does; NULL: none */
    uint64_t seen;                  /* works when it polled last */
    struct job *next;
};

static struct job *jobs; /* in the order of their launches */
static struct job *turn; /* that goes on, of those that poll */
static uint64_t works;   /* times that kernels did more than poll */
/* the job that this thread does; NULL: it is the program's thread */
static _Thread_local struct job *own;
static struct rt_condition changed = RT_CONDITION, turns = RT_CONDITION;

/* ---- Order ---- */

bool rt_async_kernel_before(const struct rt_stream *stream) {
    for (const struct job *job = jobs; job && stream && !stream->capture; job = job->next)
        if (job->stream && rt_streams_join(job->stream, stream)) return true;
    return false;
}

bool rt_async_kernel_runs(void) {
    return jobs;
}

bool rt_async_kernel_is_job(void) {
    return own;
}

void rt_async_kernel_wait(void) {
    while (jobs && !own) rt_wait(&changed);
}

void rt_async_kernel_wait_stream(const struct rt_stream *stream) {
    while (!own && (rt_async_kernel_before(stream) || rt_deferred_before(stream)))
        rt_wait(&changed);
}

void rt_async_kernel_wait_event(cudaEvent_t event) {
    while (!own && rt_deferred_event(event)) rt_wait(&changed);
}

/* ---- A job's life ---- */

static void job_release(struct job *job) {
    if (!--job->users) free(job);
}

static void job_add(struct job *job) {
    struct job **last = &jobs;
    while (*last) last = &(*last)->next;
    *last = turn = job;
}

static void pass_turn(struct job *job) {
    if (turn == job) turn = job->next ? job->next : jobs;
    rt_tell(&turns);
}

static void job_drop(struct job *job) {
    struct job **link = &jobs;
    pass_turn(job);
    while (*link != job) link = &(*link)->next;
    *link = job->next;
    if (turn == job) turn = NULL;
    rt_tell(&changed);
}

/* Something has ended: the program may wait for it, and kernels that poll may see it. */
static void job_end(struct job *job) {
    job->stream = NULL;
    works++;
    rt_tell(&changed);
}

/* Makes the deferred calls whose turn has come. */
static void make_calls(struct job *job) {
    struct deferred *deferred;
    while ((deferred = rt_deferred_take())) {
        job->stream = rt_deferred_stream(deferred);
        rt_deferred_make(deferred);
        job_end(job);
    }
}

static void *run_job(void *argument) {
    struct job *job = own = argument;
    rt_lock();
    rt_choose_device(job->device);
    if (job->launch) job->error = rt_launch_now(job->launch);
    job->ended = true;
    job_end(job);
    make_calls(job);
    job_drop(job);
    job_release(job);
    rt_unlock();
    return NULL;
}

static bool job_start(struct job *job) {
    pthread_t thread;
    pthread_attr_t attributes;
    job->users = 1;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    job_add(job); /* this thread holds the lock */
    bool started = pthread_create(&thread, &attributes, run_job, job) == 0;
    if (!started) job_drop(job);
    pthread_attr_destroy(&attributes);
    return started;
}

cudaError_t rt_async_kernel_launch(struct launch *launch) {
    struct job *job = own ? NULL : calloc(1, sizeof *job);
    if (job) {
        *job = (struct job){.launch = launch, .device = device_current(), .stream = launch->stream};
        if (!job_start(job)) {
            free(job);
            job = NULL;
        }
    }
    if (!job) return rt_launch_now(launch);
    job->users++;
    while (!job->ended && !job->spins) rt_wait(&changed);
    cudaError_t error = job->ended ? job->error : cudaSuccess;
    job_release(job);
    return error;
}

/* ---- A job that polls ---- */

/* Lets other threads work. The job's grid is not the one that runs then. */
static void step_aside(struct job *job) {
    struct touch_maps *maps = memory_touch_put_aside();
    struct check_grid *check = check_grid_put_aside();
    if (job->spins) rt_give_way();
    if (jobs->next) pass_turn(job);
    while (turn != job) rt_wait(&turns);
    check_grid_take_back(check);
    memory_touch_take_back(maps);
}

enum idle rt_async_kernel_idle(bool worked, bool is_long) {
    struct job *job = own;
    if (!job) return IDLE_ALONE;
    works += worked;
    job->seen += worked;
    if (is_long && !job->spins) {
        job->spins = true;
        rt_tell(&changed);
    }
    /* Deferred calls have nothing to wait for any more, but those that could make them poll. */
    struct job *calls = rt_deferred_waits() ? NULL : calloc(1, sizeof *calls);
    if (calls && !job_start(calls)) free(calls);
    if (jobs->next || job->spins) step_aside(job);
    bool moved = works != job->seen;
    job->seen = works;
    return rt_faulted() ? IDLE_STOP : moved ? IDLE_MOVED : IDLE_ALONE;
}
