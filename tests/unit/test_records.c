/* Tests of what the recorder makes of CUPTI's records. They need CUPTI's header, not CUPTI or a
 * GPU. */
#include <unistd.h>

#include "unit.h"

#ifdef WITH_CUPTI

#include "labprof/cupti/records.h"
#include "lib/die.h"
#include "lib/timeline.h"

static char path[] = "/tmp/test_records.XXXXXX";

/* In CUPTI's place. */
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t function,
                                 const char **name) {
    static const char *const runtime[] = {"INVALID", "cudaLaunchKernel_v7000",
                                          "cudaMemcpyAsync_ptsz_v7000"};
    static const char *const driver[] = {"INVALID", "cuDeviceTotalMem_v2", "cuKernelGetName"};
    if (function >= sizeof runtime / sizeof *runtime) return CUPTI_ERROR_INVALID_PARAMETER;
    *name = domain == CUPTI_CB_DOMAIN_DRIVER_API ? driver[function] : runtime[function];
    return CUPTI_SUCCESS;
}

/* Writes the records with 0 at 1000 ns, and reads the timeline. */
static struct timeline rows_of(const void *const records[], int count) {
    struct timeline timeline;
    if (!timeline_open(path)) fail_msg("%s", failure);
    for (int i = 0; i < count; i++) record_write(records[i], 1000);
    timeline_close();
    if (!timeline_read(&timeline, path)) fail_msg("%s", failure);
    unlink(path);
    return timeline;
}

#define ROWS(...)                                                                                  \
    rows_of((const void *const[]){__VA_ARGS__},                                                    \
            (int)(sizeof((const void *[]){__VA_ARGS__}) / sizeof(void *)))

TEST(a_kernel_has_its_shape_and_resources) {
    CUpti_ActivityKernel8 kernel = {.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                    .name = "_Z3addPi",
                                    .start = 3000,
                                    .end = 4500,
                                    .deviceId = 1,
                                    .contextId = 2,
                                    .streamId = 13,
                                    .correlationId = 94,
                                    .gridX = 16384,
                                    .gridY = 2,
                                    .gridZ = 1,
                                    .blockX = 1024,
                                    .blockY = 1,
                                    .blockZ = 1,
                                    .registersPerThread = 32,
                                    .staticSharedMemory = 4096,
                                    .dynamicSharedMemory = 1024};
    CUpti_ActivityKernel8 unfinished = kernel;
    unfinished.start = unfinished.end = 0;
    struct timeline t = ROWS(&unfinished, &kernel);
    const struct timeline_row *row = t.rows;
    assert_int_equal(t.count, 1);
    assert_int_equal(row->record, TIMELINE_KERNEL);
    assert_string_equal(row->name, "_Z3addPi");
    assert_true(row->start_ns == 2000 && row->end_ns == 3500);
    assert_true(row->device == 1 && row->context == 2 && row->stream == 13 &&
                row->correlation == 94);
    assert_true(row->grid[0] == 16384 && row->grid[1] == 2 && row->block[0] == 1024);
    assert_true(row->registers == 32 && row->static_shared == 4096 && row->dynamic_shared == 1024);
    timeline_free(&t);
}

TEST(copies_and_fills_have_bytes_and_kinds_of_memory) {
    CUpti_ActivityMemcpy5 copy = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
                                  .copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_DTOH,
                                  .srcKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC,
                                  .dstKind = CUPTI_ACTIVITY_MEMORY_KIND_PINNED,
                                  .bytes = 5000000000,
                                  .start = 1000,
                                  .end = 2000,
                                  .streamId = 7,
                                  .correlationId = 5};
    CUpti_ActivityMemcpyPtoP4 peers = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY2,
                                       .bytes = 64,
                                       .start = 2000,
                                       .end = 3000,
                                       .srcDeviceId = 1,
                                       .dstDeviceId = 0};
    CUpti_ActivityMemset4 fill = {.kind = CUPTI_ACTIVITY_KIND_MEMSET,
                                  .memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_MANAGED,
                                  .bytes = 32,
                                  .start = 3000,
                                  .end = 3001};
    struct timeline t = ROWS(&copy, &peers, &fill);
    assert_int_equal(t.count, 3);
    assert_string_equal(t.rows[0].name, "DtoH");
    assert_string_equal(t.rows[0].source, "device");
    assert_string_equal(t.rows[0].target, "pinned");
    assert_true(t.rows[0].bytes == 5000000000 && t.rows[0].start_ns == 0);
    assert_string_equal(t.rows[1].name, "PtoP");
    assert_string_equal(t.rows[1].source, "device:1");
    assert_string_equal(t.rows[1].target, "device:0");
    assert_int_equal(t.rows[2].record, TIMELINE_MEMSET);
    assert_string_equal(t.rows[2].target, "managed");
    timeline_free(&t);
}

TEST(calls_have_plain_names_and_small_thread_numbers) {
    CUpti_ActivityAPI launch = {.kind = CUPTI_ACTIVITY_KIND_RUNTIME,
                                .cbid = 1,
                                .start = 900, /* before the library was loaded */
                                .end = 1500,
                                .threadId = (uint32_t)getpid(),
                                .correlationId = 94,
                                .returnValue = 9};
    CUpti_ActivityAPI copy = launch, driver = launch, unknown = launch, of_tools = launch;
    copy.cbid = of_tools.cbid = 2;
    copy.threadId = launch.threadId + 1;
    driver.kind = of_tools.kind = CUPTI_ACTIVITY_KIND_DRIVER;
    unknown.cbid = 99;
    struct timeline t = ROWS(&copy, &launch, &of_tools, &driver, &unknown);
    assert_int_equal(t.count, 4);
    assert_string_equal(t.rows[0].name, "cudaMemcpyAsync_ptsz");
    assert_string_equal(t.rows[1].name, "cudaLaunchKernel");
    assert_true(t.rows[1].start_ns == 0 && t.rows[1].end_ns == 500 && t.rows[1].status == 9);
    assert_string_equal(t.rows[2].name, "cuDeviceTotalMem");
    assert_string_equal(t.rows[3].name, "unknown");
    assert_true(t.rows[0].thread == 2 && t.rows[1].thread == 1 && t.rows[2].thread == 1);
    timeline_free(&t);
}

TEST(records_of_other_kinds_are_skipped) {
    CUpti_ActivityAPI other = {
        .kind = CUPTI_ACTIVITY_KIND_INTERNAL_LAUNCH_API, .start = 2000, .end = 3000};
    struct timeline t = ROWS(&other);
    assert_int_equal(t.count, 0);
    timeline_free(&t);
}

#else
TEST(needs_cupti) {
    skip();
}
#endif
