/* Tests of launches by kernels: what is queued, in which order, with which parameters, and what is
 * refused. The kernels are not run here: a stand-in for the runtime accepts or refuses them. */
#include "kernel.h"

#include "simt/machine/nested.h"

#define GET_BUFFER                                                                                 \
    ".extern .func (.param .b64 r) __cudaCDP2GetParameterBufferV2(.param .b64 f, .param .align 4 " \
    ".b8 g[12],"                                                                                   \
    " .param .align 4 .b8 b[12], .param .b32 s);\n"
#define LAUNCH                                                                                     \
    ".extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 p, .param .b64 s);\n"
#define LAST_ERROR ".extern .func (.param .b32 r) __cudaCDP2GetLastError();\n"
#define CREATE                                                                                     \
    ".extern .func (.param .b32 r) __cudaCDP2StreamCreateWithFlags(.param .b64 p, .param .b32 "    \
    "f);\n"
#define DESTROY ".extern .func (.param .b32 r) __cudaCDP2StreamDestroy(.param .b64 s);\n"
#define CHILD   ".visible .entry a(.param .u32 x, .param .u64 y)\n{\nret;\n}\n"

/* %rd5: a buffer for a<<<%r5, %r6>>>. */
#define TAKE                                                                                       \
    "{\n.param .b64 f;\n.param .align 4 .b8 g[12];\n.param .align 4 .b8 b[12];\n.param .b32 "      \
    "s;\n.param .b64 r;\n"                                                                         \
    "mov.u64 %rd4, a;\nst.param.b64 [f+0], %rd4;\nst.param.b32 [g+0], %r5;\nst.param.b32 [g+4], "  \
    "1;\n"                                                                                         \
    "st.param.b32 [g+8], 1;\nst.param.b32 [b+0], %r6;\nst.param.b32 [b+4], 1;\nst.param.b32 "      \
    "[b+8], 1;\n"                                                                                  \
    "st.param.b32 [s+0], 48;\ncall.uni (r), __cudaCDP2GetParameterBufferV2, (f, g, b, s);\n"       \
    "ld.param.b64 %rd5, [r+0];\n}\n"
/* Launch it in stream %rd6, its parameters the thread and the pointer; %r7: the error. */
#define GO                                                                                         \
    "st.u32 [%rd5], %r0;\nst.u64 [%rd5+8], %rd0;\n{\n.param .b64 p;\n.param .b64 s;\n.param .b32 " \
    "r;\n"                                                                                         \
    "st.param.b64 [p+0], %rd5;\nst.param.b64 [s+0], %rd6;\ncall.uni (r), "                         \
    "__cudaCDP2LaunchDeviceV2, (p, s);\n"                                                          \
    "ld.param.b32 %r7, [r+0];\n}\n"
#define ERROR                                                                                      \
    "{\n.param .b32 r;\ncall.uni (r), __cudaCDP2GetLastError, ();\nld.param.b32 %r8, [r+0];\n}\n"

static struct run run;
static struct children children;
static struct allocation *out;
static int verdict;  /* of check */
static size_t limit; /* of launches that wait */

static int check(const struct child *child, unsigned depth) {
    return child->shape.grid[0] > 100 ? 9 : depth >= 3 ? 65 : verdict;
}

static int get_limit(size_t *value, int which) {
    *value = limit;
    return which == 4 ? 0 : 1;
}

static const struct device_runtime runtime = {.check = check, .limit = get_limit};

/* Make a kernel of body; what its launch is to have is in run.launch. */
static void prepare(const char *body) {
    run_open(&run, body);
    out = zeros(4096);
    children_open(&children);
    run.launch.children = &children;
    run.launch.device_runtime = &runtime;
    run.launch.params = &out->address;
}

static void launch(uint32_t grid, uint32_t block) {
    if (!run_with(&run, grid, block, out->address)) fail_msg("%s", run.fault.report);
}

static void start(const char *body, uint32_t grid, uint32_t block) {
    prepare(body);
    launch(grid, block);
}

static const uint32_t *words(void) {
    return host(out);
}

static void done(void) {
    children_close(&children);
    memory_free(out->address);
    run_close(&run);
}

int before_each(void **state) {
    (void)state;
    verdict = 0;
    limit = 2048;
    return 0;
}

static int length(const struct child_list *list) {
    int n = 0;
    for (const struct child *child = list->first; child; child = child->next) n++;
    return n;
}

#define LAUNCHES                                                                                   \
    GET_BUFFER LAUNCH CHILD KERNEL                                                                 \
        "mov.u32 %r5, 7;\nadd.u32 %r6, %r0, 1;\nmov.u64 %rd6, 0;\n" TAKE GO STORE("%r7") END

TEST(every_thread_launches_in_order) {
    start(LAUNCHES, 3, 40);
    const struct child *child = children.ready.first;
    for (uint32_t i = 0; i < 120; i++, child = child->next) {
        const char *params = memory_host(child->params, 16);
        assert_string_equal(child->entry->name, "a");
        assert_int_equal(child->shape.grid[0], 7);
        assert_int_equal(child->shape.block[0], i % 40 + 1);
        assert_int_equal(child->shape.dynamic_shared, 48);
        assert_int_equal(*(const uint32_t *)params, i % 40);
        assert_int_equal(*(const uint64_t *)(params + 8), out->address);
        assert_int_equal(words()[i], 0);
    }
    assert_null(child);
    assert_int_equal(run.counters.device_launches, 120);
    done();
}

TEST(a_refused_launch_is_its_threads_error) {
    /* Thread 1 asks for a grid of 101: no buffer. Its error is there once, and is no other
     * thread's. */
    start(GET_BUFFER LAUNCH LAST_ERROR CHILD KERNEL
          "setp.eq.u32 %p1, %r0, 1;\nselp.u32 %r5, 101, 1, %p1;\nmov.u32 %r6, 1;\nmov.u64 %rd6, "
          "0;\n" TAKE "setp.eq.u64 %p2, %rd5, 0;\n@%p2 bra SKIP;\n" GO "SKIP:\n" ERROR
          "mov.u32 %r9, %r8;\n" ERROR "shl.b32 %r8, %r8, 8;\nadd.u32 %r9, %r9, %r8;\n" STORE("%r9")
              END,
          1, 4);
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(words()[i], i == 1 ? 9 : 0);
    assert_int_equal(length(&children.ready), 3);
    assert_int_equal(run.counters.device_launches, 3);
    done();
}

#define REFUSAL                                                                                    \
    GET_BUFFER LAST_ERROR CHILD KERNEL                                                             \
        "mov.u32 %r5, 1;\nmov.u32 %r6, 1;\n" TAKE ERROR STORE("%r8") END

/* Each thread launches once into that stream; %r7: the error. */
#define INTO(stream)                                                                               \
    GET_BUFFER LAUNCH CHILD KERNEL "mov.u32 %r5, 1;\nmov.u32 %r6, 1;\nmov.u64 %rd6, " stream       \
                                   ";\n" TAKE GO STORE("%r7") END

TEST(tail_launches_wait_and_others_do_not) {
    limit = 3;
    start(INTO("3"), 2, 5);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(words()[i], i < 3 ? 0 : SIM_ERROR_PENDING_LAUNCHES);
    done();
    start(INTO("0"), 2, 5);
    for (uint32_t i = 0; i < 10; i++) assert_int_equal(words()[i], 0);
    done();
}

TEST(the_depth_goes_to_the_runtime) {
    prepare(REFUSAL);
    run.launch.depth = 3;
    launch(1, 1);
    assert_int_equal(words()[0], 65);
    done();
}

/* Of 5 that may be pending, 3 or all are this grid's own and those above it. */
TEST(launches_above_are_counted) {
    limit = 5;
    prepare(INTO("3"));
    run.launch.waiting = 3;
    launch(1, 4);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(words()[i], i < 2 ? 0 : SIM_ERROR_PENDING_LAUNCHES);
    done();
    prepare(INTO("0"));
    run.launch.waiting = 5;
    launch(1, 1);
    assert_int_equal(words()[0], SIM_ERROR_PENDING_LAUNCHES);
    done();
}

/* Two blocks of four threads; thread 1's launch is refused. */
TEST(a_launch_comes_after_the_one_before_it_in_its_block) {
    start(GET_BUFFER LAUNCH CHILD KERNEL
          "setp.eq.u32 %p1, %r0, 1;\nselp.u32 %r5, 101, 1, %p1;\nmov.u32 %r6, 1;\nmov.u64 %rd6, "
          "0;\n" TAKE "setp.eq.u64 %p2, %rd5, 0;\n@%p2 bra SKIP;\n" GO "SKIP:\n" END,
          2, 4);
    assert_int_equal(length(&children.ready), 6);
    const struct child *child = children.ready.first, *last = NULL;
    for (int i = 0; i < 6; i++, last = child, child = child->next)
        assert_ptr_equal(child->before, i % 3 ? last : NULL);
    done();
}

/* Thread i launches into stream i of 0, 1, 2, 3 and 4, twice. The null stream and the legacy stream
 * are one. */
TEST(each_stream_has_its_own_order) {
    start(GET_BUFFER LAUNCH CHILD KERNEL
          "mov.u32 %r5, 1;\nmov.u32 %r6, 1;\ncvt.u64.u32 %rd6, %r0;\n" TAKE GO TAKE GO END,
          1, 5);
    const struct child *first[5], *child = children.ready.first;
    for (int stream = 0; stream < 5; stream++) {
        if (stream == STREAM_TAIL) continue;
        first[stream] = child;
        child = child->next;
    }
    assert_ptr_equal(first[STREAM_LEGACY]->before, first[STREAM_NULL]);
    assert_null(first[STREAM_PER_THREAD]->before);
    assert_null(first[STREAM_FORGET]->before);
    assert_ptr_equal(child->before, first[STREAM_LEGACY]);
    assert_ptr_equal(child->next->before, child);
    assert_ptr_equal(child->next->next->before, first[STREAM_PER_THREAD]);
    assert_null(child->next->next->next->before);
    assert_true(child_is_tail(children.tail.first) && child_is_tail(children.tail.last));
    done();
}

TEST(tail_launches_are_kept_apart) {
    start(GET_BUFFER LAUNCH CHILD KERNEL "mov.u32 %r5, 1;\nmov.u32 %r6, 1;\nadd.u32 %r9, %r0, 3;\n"
                                         "cvt.u64.u32 %rd6, %r9;\n" TAKE GO STORE("%r7") END,
          1, 2);
    assert_int_equal(length(&children.tail), 1);  /* thread 0: stream 3 */
    assert_int_equal(length(&children.ready), 1); /* thread 1: stream 4, fire and forget */
    done();
}

TEST(a_stream_must_have_been_made_and_be_there) {
    start(GET_BUFFER LAUNCH CREATE DESTROY CHILD KERNEL
          "{\n.param .b64 p;\n.param .b32 f;\n.param .b32 r;\nst.param.b64 [p+0], "
          "%rd0;\nst.param.b32 [f+0], 1;\n"
          "call.uni (r), __cudaCDP2StreamCreateWithFlags, (p, f);\n}\nld.global.u64 %rd6, [%rd0];\n"
          "mov.u32 %r5, 1;\nmov.u32 %r6, 1;\n" TAKE GO "st.global.u32 [%rd0+16], %r7;\n"
          "{\n.param .b64 s;\n.param .b32 r;\nst.param.b64 [s+0], %rd6;\ncall.uni (r), "
          "__cudaCDP2StreamDestroy, "
          "(s);\n}\n" TAKE GO "st.global.u32 [%rd0+20], %r7;\n" END,
          1, 1);
    assert_int_equal(words()[4], 0);
    assert_int_equal(words()[5], SIM_ERROR_HANDLE);
    assert_int_equal(length(&children.ready), 1);
    done();
}

TEST(without_a_runtime_it_is_said) {
    run_open(&run, REFUSAL);
    out = zeros(4096);
    assert_false(run_with(&run, 1, 1, out->address));
    assert_int_equal(run.fault.error, SIM_ERROR_NOT_SUPPORTED);
    done();
}
