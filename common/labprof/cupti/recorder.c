/* recorder.c: the library that records what a program does on a GPU. labprof names it in
 * CUDA_INJECTION64_PATH; the driver loads it at the program's first CUDA call and calls
 * InitializeInjection. It takes records from CUPTI's activity API and writes them to the timeline
 * that LABPROF_TIMELINE names. A program without a CUDA call never loads it, so that there is no
 * file. */
#include <cupti.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "labprof/cupti/records.h"
#include "lib/die.h"
#include "lib/nvtx.h"
#include "lib/rowfile.h"
#include "lib/timeline.h"

enum { BUFFER_BYTES = 4 << 20, FINISH_SECONDS = 5 };

int InitializeInjection(void);

static uint64_t first_ns; /* CUPTI's time when the library was loaded */
static pid_t owner;       /* the process that records: a forked child does not */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Returns whether the call succeeded. If not, prints why. */
static bool succeeded(CUptiResult result, const char *what) {
    const char *why = "unknown error";
    if (result == CUPTI_SUCCESS) return true;
    cuptiGetResultString(result, &why);
    fprintf(stderr, "labprof: cannot record what the GPU does: CUPTI's %s: %s\n", what, why);
    return false;
}

static void CUPTIAPI give_buffer(uint8_t **buffer, size_t *size, size_t *most_records) {
    *buffer = malloc(BUFFER_BYTES);
    *size = *buffer ? BUFFER_BYTES : 0;
    *most_records = 0; /* as many as fit */
}

/* Writes the records of a buffer. CUPTI calls it from several threads. */
static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
                                 size_t used) {
    CUpti_Activity *record = NULL;
    (void)context, (void)stream, (void)size;
    pthread_mutex_lock(&lock);
    while (used > 0 && cuptiActivityGetNextRecord(buffer, used, &record) == CUPTI_SUCCESS)
        record_write(record, first_ns);
    pthread_mutex_unlock(&lock);
    free(buffer);
}

/* Fetches what CUPTI still holds, and gives the file its name. Does nothing at the second call. */
static void finish(void) {
    size_t lost = 0;
    if (owner != getpid()) return;
    owner = 0;
    cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
    if (cuptiActivityGetNumDroppedRecords(NULL, 0, &lost) == CUPTI_SUCCESS && lost > 0)
        fprintf(stderr, "labprof: CUPTI lost %zu records, which the tables lack\n", lost);
    timeline_close();
}

/* A signal that ends the program: fetches the records first. If that hangs, because the signal came
 * in the middle of CUPTI, SIGALRM ends the program. */
static void on_signal(int number) {
    signal(number, SIG_DFL);
    signal(SIGALRM, SIG_DFL);
    alarm(FINISH_SECONDS);
    finish();
    raise(number);
}

/* A reset destroys the device's context and its records: fetches them before. */
static void CUPTIAPI before_reset(void *unused, CUpti_CallbackDomain domain,
                                  CUpti_CallbackId function, const void *data) {
    const CUpti_CallbackData *call = data;
    (void)unused, (void)domain, (void)function;
    if (call->callbackSite == CUPTI_API_ENTER)
        cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

static bool watch_resets(void) {
    CUpti_SubscriberHandle subscriber;
    return succeeded(cuptiSubscribe(&subscriber, before_reset, NULL), "cuptiSubscribe") &&
           succeeded(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
                                         CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020),
                     "cuptiEnableCallback");
}

/* Driver calls that the runtime makes within its own calls have no record. */
static bool start_records(void) {
    static const CUpti_ActivityKind kinds[] = {
        CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
        CUPTI_ACTIVITY_KIND_MEMCPY2,           CUPTI_ACTIVITY_KIND_MEMSET,
        CUPTI_ACTIVITY_KIND_RUNTIME,           CUPTI_ACTIVITY_KIND_DRIVER};
    if (!succeeded(cuptiActivityRegisterCallbacks(give_buffer, take_buffer),
                   "cuptiActivityRegisterCallbacks") ||
        !succeeded(cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM),
                   "cuptiSetThreadIdType"))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!succeeded(cuptiActivityEnable(kinds[i]), "cuptiActivityEnable")) return false;
    return true;
}

/* 0 before the driver has loaded the library. */
static uint64_t range_now(void) {
    uint64_t now = 0;
    if (first_ns == 0 || cuptiGetTimestamp(&now) != CUPTI_SUCCESS) return 0;
    return now > first_ns ? now - first_ns : 0;
}

static uint64_t range_thread(uint32_t id) {
    pthread_mutex_lock(&lock);
    uint64_t number = record_thread(id);
    pthread_mutex_unlock(&lock);
    return number;
}

static int named_stream(void *handle) {
    uint32_t id;
    return cuptiGetStreamIdEx(NULL, handle, 0, &id) == CUPTI_SUCCESS ? (int)id : 0;
}

/* NVTX may load the library before the driver does. What comes before is not recorded: ranges that
 * end, and names. */
__attribute__((constructor)) static void watch_ranges(void) {
    nvtx_record((struct nvtx_source){range_now, range_thread, named_stream}, NULL);
}

/* The driver's entry point. Always returns 1, which means success: where recording fails, the
 * program runs without it. */
int InitializeInjection(void) {
    const char *path = getenv("LABPROF_TIMELINE");
    if (!path || owner != 0 || !succeeded(cuptiGetTimestamp(&first_ns), "cuptiGetTimestamp"))
        return 1;
    die_name = "labprof";
    rowfile_catch(on_signal);
    if (!timeline_open(path)) {
        fprintf(stderr, "labprof: %s\n", failure);
        return 1;
    }
    owner = getpid();
    atexit(finish);
    if (watch_resets()) start_records();
    return 1;
}
