/* api/state.c: the settings of the process, the lock, and the start and end of the simulator. */
#include "lib/die.h"
#include "runtime.h"

#include "caller.h"
#include "capture.h"
#include "check.h"
#include "clock.h"
#include "condition.h"
#include "hints.h"
#include "simt/api/launch/refused.h"
#include "simt/api/memory/pages.h"
#include "simt/check/host.h"
#include "simt/device/l2.h"
#include "simt/explore/explore.h"
#include "simt/machine/machine.h"
#include "simt/run/profile.h"
#include "simt/see/see.h"
#include "simt/see/source.h"
#include "simt/time/without.h"
#include "simt/time/work.h"
#include "trust.h"

#include <fenv.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct rt_settings rt;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t was_taken = PTHREAD_COND_INITIALIZER; /* the lock, after a thread gave way */
static unsigned wanting; /* threads that wait for the lock. Atomic */
static uint64_t taken;   /* times that it was taken */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local int own_device; /* the calling thread's */
static bool uses_others;             /* a thread has chosen another device than the first */
static cudaError_t start_error;      /* why the simulator could not start */

static bool is_set(const char *variable) {
    const char *value = getenv(variable);
    return value && *value && strcmp(value, "0");
}

/* Opens the file that the variable names, if it names one. */
static void open_file(const char *variable, bool (*open)(const char *path)) {
    const char *path = getenv(variable);
    if (!path || !*path || open(path)) return;
    report_note("%s", failure);
    _exit(EXIT_FAILURE);
}

/* Opens profile, timeline, counts by line, reports and recordings before main: one that cannot be
 * written ends the program before it does any work. */
__attribute__((constructor)) static void open_files(void) {
    die_name = "simt";
    open_file("SIMT_PROFILE", profile_open);
    open_file("SIMT_TIMELINE", timeline_open);
    open_file("SIMT_SOURCE", source_open);
    open_file("SIMT_REPORTS", report_copy_to);
    if (see_open() && explore_open()) return;
    report_note("%s", failure);
    _exit(EXIT_FAILURE);
}

/* A recording that could not be written is a failure, whatever the program's status. */
static void close_recording(void) {
    if (see_close() && explore_close()) return;
    report_note("%s", failure);
    fflush(NULL);
    _exit(EXIT_FAILURE);
}

/* Runs after the program's exit functions. Flushes kernels' printf output, closes profile and
 * timeline, prints the hints and the result of --check, which may change the exit status. */
__attribute__((destructor)) static void finish(void) {
    if (rt_async_kernel_runs())
        report_note("the program ended, and a kernel that it launched had not");
    if (rt_async_kernel_runs()) return;
    rt_pages_begin_call();
    work_finish_all();
    for (int device = 0; device < MAX_DEVICES; device++) device_printf_flush(device);
    rt_hints_report();
    rt_sample_report();
    if (rt_trust())
        timeline_write(&(struct timeline_row){.record = TIMELINE_TRUST, .name = rt_trust()});
    timeline_close();
    profile_close();
    source_close();
    rt_refused_report();
    rt_check_report();
    close_recording();
}

static void fail_start(const char *why) {
    report_note("%s", why);
    start_error = cudaErrorInitializationError;
}

/* bin/simt checks --devices; a program may be started without it. */
static int read_devices(void) {
    const char *text = getenv("SIMT_DEVICES");
    char *end, error[256];
    if (!text || !*text) return 1;
    long n = strtol(text, &end, 10);
    if (!*end && n >= 1 && n <= MAX_DEVICES) return (int)n;
    snprintf(error, sizeof error, "SIMT_DEVICES must be a number from 1 to %d, not '%s'",
             MAX_DEVICES, text);
    fail_start(error);
    return 1;
}

/* What --sample cannot stand beside: a check of all blocks, and what follows single blocks or
 * lines. */
static uint64_t read_sample(void) {
    static const char *const others[][2] = {{"SIMT_CHECK", "--check"},
                                            {"SIMT_SOURCE", "--source"},
                                            {"SIMT_SEE", "--see"},
                                            {"SIMT_SEE_TRACE", "--see-trace"}};
    const char *text = getenv("SIMT_SAMPLE");
    char *end;
    if (!text || !*text) return 0;
    long n = strtol(text, &end, 10);
    if (*end || n < 1) die(EXIT_FAILURE, "SIMT_SAMPLE must be a number from 1 on, not '%s'", text);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (is_set(others[i][0])) die(EXIT_FAILURE, "--sample and %s: one at a time", others[i][1]);
    return (uint64_t)n;
}

/* The host reached for memory that it cannot reach: say so, and let the program crash as it does on
 * a GPU. What else handles the signal comes next, when the access is repeated. */
static struct sigaction before;

static void on_crash(int number, siginfo_t *info, void *context) {
    uintptr_t at = (uintptr_t)info->si_addr;
    bool freed;
    const struct allocation *near = memory_is_of_devices(at) ? memory_nearest(at, &freed) : NULL;
    sigaction(number, &before, NULL);
    if (info->si_code <= 0) raise(number); /* somebody sent it: no access is repeated */
    if (!near || at < near->address || at >= near->address + near->size) return;
    const char *function = rt_function_at(rt_code_of(context));
    report_note("the host%s%s accesses device memory: address 0x%lx is byte %lu of the %zu bytes "
                "of allocation %lu%s. Copy "
                "between host and device with cudaMemcpy(), or allocate with cudaMallocManaged()",
                *function ? " in " : "", function, (unsigned long)at,
                (unsigned long)(at - near->address), near->size, (unsigned long)near->serial,
                freed ? ", which was freed" : "");
}

static void state_start(void) {
    char error[1024];
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO};
    const char *name = getenv("SIMT_GPU");
    const char *threads = getenv("SIMT_THREADS");
    rt.gpu = gpu_find(name && *name ? name : GPU_DEFAULT, error, sizeof error);
    if (!rt.gpu) fail_start(error);
    if (is_set("SIMT_BASE_CLOCK")) rt.gpu = gpu_at_base(rt.gpu);
    devices_set_count(read_devices());
    rt.threads = threads ? (unsigned)strtoul(threads, NULL, 10) : 0;
    rt.sample = read_sample();
    rt.check = is_set("SIMT_CHECK");
    if (rt.check) check_enable();
    bool overruns = is_set("SIMT_OVERRUNS") && !rt.check;
    if (overruns) memory_allow_overruns();
    rt.rerun = is_set("SIMT_RERUN") || overruns; /* what lies beyond arrays is not followed */
    rt.timing = !is_set("SIMT_NO_TIMING");
    /* A part of the blocks leaves a part of the data. */
    if (rt.timing && !is_set("SIMT_COLD") && !rt.sample) l2_follow(rt.gpu);
    rt.ptx_counts = is_set("SIMT_PTX_COUNTS");
    const char *removed = getenv("SIMT_WITHOUT");
    if (removed && *removed && !without_parse(removed, &rt.removed, error, sizeof error))
        fail_start(error);
    rt.quiet = is_set("SIMT_QUIET");
    memory_on_managed_touch(rt_pages_touch);
    sigaction(SIGSEGV, &action, &before);
    rt.count = rt.timing || profile_is_open() || see_is_open() || source_is_open();
}

static void lock_wanted(unsigned threads) {
    __atomic_add_fetch(&wanting, threads, __ATOMIC_RELAXED);
}

static void lock_taken(void) {
    __atomic_sub_fetch(&wanting, 1, __ATOMIC_RELAXED);
    taken++;
    pthread_cond_broadcast(&was_taken);
}

/* The program may have chosen another rounding, or floating-point exceptions that trap: kernels and
 * the time model do not see them. Threads that start meanwhile inherit the simulator's. */
static _Thread_local fenv_t of_program;

void rt_lock(void) {
    lock_wanted(1);
    pthread_mutex_lock(&lock);
    lock_taken();
    fegetenv(&of_program);
    fesetenv(FE_DFL_ENV);
}

void rt_unlock(void) {
    fesetenv(&of_program);
    pthread_mutex_unlock(&lock);
}

void rt_wait(struct rt_condition *condition) {
    int device = device_current();
    uint64_t before = condition->times;
    condition->waiting++;
    while (condition->times == before) pthread_cond_wait(&condition->told, &lock);
    lock_taken();
    device_use(device);
}

void rt_tell(struct rt_condition *condition) {
    lock_wanted(condition->waiting);
    condition->waiting = 0;
    condition->times++;
    pthread_cond_broadcast(&condition->told);
}

void rt_give_way(void) {
    int device = device_current();
    uint64_t before = taken;
    while (taken == before && __atomic_load_n(&wanting, __ATOMIC_RELAXED))
        pthread_cond_wait(&was_taken, &lock);
    device_use(device);
}

/* Why the process can use the device no more, as on an H200: it is a fork of one that had called
 * the API, or ends, and runs what was to run at its exit before its first call. */
static cudaError_t gone;
static pthread_once_t used = PTHREAD_ONCE_INIT;

static void on_fork(void) {
    gone = cudaErrorInitializationError;
}

static void on_exit_of_runtime(void) {
    gone = cudaErrorCudartUnloading;
}

static void watch_process(void) {
    pthread_atfork(NULL, NULL, on_fork);
    atexit(on_exit_of_runtime);
}

_Thread_local const char *rt_called_as;
static _Thread_local bool used_here; /* the runtime, by the calling thread itself */
static bool used_anywhere;

bool rt_is_used(void) {
    return used_anywhere;
}

bool rt_is_used_here(void) {
    return used_here;
}

/* Takes the lock for a call of that function. Returns why it must fail, if it must. */
static cudaError_t state_enter(const char *function) {
    rt_lock();
    pthread_once(&once, state_start);
    if (function) pthread_once(&used, watch_process);
    if (function && !rt_called_as) used_here = used_anywhere = true;
    rt_pages_begin_call();
    device_use(own_device);
    return gone ? gone : rt_in_callback() ? cudaErrorNotPermitted : cudaSuccess;
}

static _Thread_local bool acts_now; /* the calling thread's call leaves no effect for later */

bool rt_work_defers(void) {
    return !acts_now && !rt_async_kernel_runs() && !rt_async_kernel_is_job();
}

/* The call has waited for all that it must wait for. */
static cudaError_t enter_call(const char *function, bool now) {
    acts_now = now;
    if (now) work_act_all();
    if (function) rt_call_begin(function);
    if (start_error || rt_sticky()) return start_error ? start_error : rt_sticky();
    return rt_capture_guard_function(function);
}

cudaError_t rt_enter(const char *function) {
    cudaError_t error = state_enter(function);
    if (error) return error;
    rt_async_kernel_wait();
    return enter_call(function, true);
}

cudaError_t rt_enter_acting(const char *function) {
    cudaError_t error = state_enter(function);
    return error ? error : enter_call(function, true);
}

cudaError_t rt_enter_later(const char *function) {
    cudaError_t error = state_enter(function);
    if (error) return error;
    rt_async_kernel_wait();
    return enter_call(function, false);
}

cudaError_t rt_enter_stream(const char *function, cudaStream_t stream) {
    cudaError_t error = state_enter(function);
    if (error) return error;
    rt_async_kernel_wait_stream(rt_stream(stream));
    return enter_call(function, false);
}

cudaError_t rt_enter_event(const char *function, cudaEvent_t event) {
    cudaError_t error = state_enter(function);
    if (error) return error;
    rt_async_kernel_wait_event(event);
    return enter_call(function, false);
}

cudaError_t rt_enter_beside(const char *function) {
    cudaError_t error = state_enter(function);
    return error ? error : enter_call(function, false);
}

cudaError_t rt_enter_known(const char *function, bool acting) {
    cudaError_t error = state_enter(function);
    if (error) return error == gone ? cudaSuccess : error;
    return enter_call(function, acting);
}

int rt_own_device(void) {
    return own_device;
}

void rt_choose_device(int device) {
    own_device = device;
    uses_others |= device > 0;
    device_use(device);
}

bool rt_devices_several(void) {
    return uses_others;
}

cudaError_t rt_leave(cudaError_t error) {
    /* "Not ready" is an answer, not an error: cudaGetLastError does not return it, as on an
     * H200. */
    if (error && error != cudaErrorNotReady && !rt_called_as) rt_set_last_error(error);
    rt_call_end(error);
    rt_pages_end_call();
    rt_unlock();
    return error;
}
