/* Tests of the recorder: however a process ends, its timeline is whole. A stand-in takes CUPTI's
 * place; it delivers a fill for each flush. The tests need CUPTI's header, not CUPTI or a GPU. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

#ifdef WITH_CUPTI

#include <cupti.h>

#include "lib/nvtx.h"
#include "lib/timeline.h"

int InitializeInjection(void);

/* ---- In CUPTI's place ---- */

static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;
static CUpti_CallbackFunc on_call;
static CUptiResult enable_result = CUPTI_SUCCESS;

CUptiResult cuptiGetTimestamp(uint64_t *ns) {
    *ns = 1000;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t per_thread,
                               uint32_t *id) {
    (void)context, (void)per_thread;
    *id = (uint32_t)(uintptr_t)stream + 10;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetResultString(CUptiResult result, const char **text) {
    *text = result == CUPTI_ERROR_NOT_COMPATIBLE ? "CUPTI_ERROR_NOT_COMPATIBLE" : "another error";
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback,
                           void *data) {
    (void)data;
    *subscriber = NULL;
    on_call = callback;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                CUpti_CallbackDomain domain, CUpti_CallbackId function) {
    (void)enable, (void)subscriber, (void)domain, (void)function;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
    (void)type;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc r,
                                           CUpti_BuffersCallbackCompleteFunc c) {
    request = r;
    complete = c;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
    (void)kind;
    return enable_result;
}

CUptiResult cuptiActivityFlushAll(uint32_t flag) {
    static const CUpti_ActivityMemset4 fill = {
        .kind = CUPTI_ACTIVITY_KIND_MEMSET, .start = 2000, .end = 2500};
    uint8_t *buffer;
    size_t size, most;
    (void)flag;
    if (!request) return CUPTI_SUCCESS;
    request(&buffer, &size, &most);
    memcpy(buffer, &fill, sizeof fill);
    complete(NULL, 0, buffer, size, sizeof fill);
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNextRecord(uint8_t *buffer, size_t size, CUpti_Activity **record) {
    (void)size;
    if (*record) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (CUpti_Activity *)buffer;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *dropped) {
    (void)context, (void)stream;
    *dropped = 3;
    return CUPTI_SUCCESS;
}

CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t function,
                                 const char **name) {
    (void)domain, (void)function, (void)name;
    return CUPTI_ERROR_INVALID_PARAMETER;
}

/* ---- Processes that record ---- */

static char folder[] = "/tmp/test_recorder.XXXXXX";
static char path[64], said[64];

/* Runs body in a process into which the driver loads the recorder. Returns wait's status. */
static int run(void (*body)(void)) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (!freopen(said, "w", stderr)) _exit(98);
        signal(SIGSEGV, SIG_DFL); /* cmocka catches it */
        setenv("LABPROF_TIMELINE", path, 1);
        if (InitializeInjection() != 1) _exit(99);
        body();
        exit(7);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

/* The number of rows in the timeline, which is removed; -1: there is none. */
static int rows(void) {
    struct timeline timeline;
    if (!timeline_read(&timeline, path)) return -1;
    int count = (int)timeline.count;
    timeline_free(&timeline);
    unlink(path);
    return count;
}

static bool process_said(const char *text) {
    char all[1024];
    FILE *in = fopen(said, "r");
    all[fread(all, 1, sizeof all - 1, in)] = '\0';
    fclose(in);
    return strstr(all, text) != NULL;
}

static void nothing(void) {}

TEST(writes_its_records_at_exit) {
    assert_int_equal(WEXITSTATUS(run(nothing)), 7);
    assert_int_equal(rows(), 1);
    assert_true(process_said("labprof: CUPTI lost 3 records, which the tables lack\n"));
}

static void crash(void) {
    raise(SIGSEGV);
}

static void stop(void) {
    raise(SIGTERM);
}

TEST(writes_them_when_a_signal_ends_the_process) {
    assert_int_equal(WTERMSIG(run(crash)), SIGSEGV);
    assert_int_equal(rows(), 1);
    assert_int_equal(WTERMSIG(run(stop)), SIGTERM);
    assert_int_equal(rows(), 1);
}

static void reset(void) {
    CUpti_CallbackData enter = {.callbackSite = CUPTI_API_ENTER},
                       leave = {.callbackSite = CUPTI_API_EXIT};
    on_call(NULL, CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020,
            &enter);
    on_call(NULL, CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020,
            &leave);
}

TEST(fetches_them_before_a_reset) {
    run(reset);
    assert_int_equal(rows(), 2);
}

/* In NVTX's place: its tables of functions, which the recorder fills. */
enum { CORE = 1, CUDART = 4, MODULES, PUSH = 9, POP = 11, NAME_THREAD = 14, TABLE_SIZE = 16 };
enum { NAME_STREAM = 3 };
typedef void (*function)(void);
static function functions[MODULES][TABLE_SIZE], *places[MODULES][TABLE_SIZE];

static int table_of(uint32_t module, function ***table, unsigned *size) {
    if (module != CORE && module != CUDART) return 0;
    for (int i = 0; i < TABLE_SIZE; i++) places[module][i] = &functions[module][i];
    *table = places[module];
    *size = TABLE_SIZE;
    return 1;
}

static const void *tables(uint32_t table) {
    static const struct {
        size_t size;
        int (*table_of)(uint32_t module, function ***table, unsigned *size);
    } callbacks = {sizeof callbacks, table_of};
    return table == 1 ? &callbacks : NULL;
}

/* Two ranges that end, and one end too many; names. */
static void mark(void) {
    if (InitializeInjectionNvtx2(tables) != 1) _exit(97);
    int (*push)(const char *) = (int (*)(const char *))functions[CORE][PUSH];
    int (*pop)(void) = (int (*)(void))functions[CORE][POP];
    ((void (*)(uint32_t, const char *))functions[CORE][NAME_THREAD])((uint32_t)gettid(), "main");
    ((void (*)(void *, const char *))functions[CUDART][NAME_STREAM])((void *)3, "copies");
    if (push("a") != 0 || push("b") != 1 || pop() != 1 || pop() != 0 || pop() != -1) _exit(96);
}

TEST(writes_ranges_and_names_of_nvtx) {
    assert_int_equal(WEXITSTATUS(run(mark)), 7);
    struct timeline timeline;
    assert_true(timeline_read(&timeline, path));
    assert_int_equal(timeline.count, 5);
    assert_true(timeline.rows[0].record == TIMELINE_NAME && timeline.rows[0].thread == 1);
    assert_true(timeline.rows[1].record == TIMELINE_NAME && timeline.rows[1].stream == 13);
    assert_string_equal(timeline.rows[1].name, "copies");
    assert_true(timeline.rows[2].record == TIMELINE_RANGE && timeline.rows[2].thread == 1);
    assert_string_equal(timeline.rows[2].name, "b");
    assert_string_equal(timeline.rows[3].name, "a");
    timeline_free(&timeline);
    unlink(path);
}

static void fork_a_child(void) {
    pid_t child = fork();
    if (child == 0) exit(0);
    waitpid(child, NULL, 0);
}

TEST(a_forked_child_writes_nothing) {
    run(fork_a_child);
    assert_int_equal(rows(), 1);
}

TEST(the_program_runs_where_recording_fails) {
    enable_result = CUPTI_ERROR_NOT_COMPATIBLE;
    assert_int_equal(WEXITSTATUS(run(nothing)), 7);
    enable_result = CUPTI_SUCCESS;
    assert_true(process_said("cannot record what the GPU does: CUPTI's cuptiActivityEnable: "
                             "CUPTI_ERROR_NOT_COMPATIBLE"));
    rows();
    char place[64];
    strcpy(place, path);
    strcpy(path, "/no/such/folder/t.csv");
    assert_int_equal(WEXITSTATUS(run(nothing)), 7);
    assert_true(process_said(
        "labprof: cannot write the timeline /no/such/folder/t.csv: No such file or directory\n"));
    strcpy(path, place);
}

int before_all(void **state) {
    (void)state;
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/t.csv", folder);
    snprintf(said, sizeof said, "%s/said", folder);
    return 0;
}

/* Also checks that no temporary file stayed. */
int after_all(void **state) {
    (void)state;
    unlink(said);
    return rmdir(folder);
}

#else
TEST(needs_cupti) {
    skip();
}
#endif
