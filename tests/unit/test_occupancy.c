/*
 * Tests of theoretical occupancy, against values computed by hand from the tables of the CUDA C++
 * Programming Guide: registers are given to a warp in units of 256 and lie in four partitions of
 * 16384; shared memory has 1 KiB a block reserved from 8.0 on.
 */

#include "simt/device/gpu.h"
#include "simt/device/occupancy.h"
#include "unit.h"

static const struct example {
    const char *gpu;
    int registers;
    size_t statics;
    int block;
    size_t dynamic;
    int blocks, warps; /* expected, per multiprocessor */
    double fraction;
    const char *limit;
} examples[] = {
    /* threads: 2048, 1024, 1536 a multiprocessor */
    {"gtx1060", 16, 0, 1024, 0, 2, 64, 1.0, NULL},
    {"t4", 16, 0, 1024, 0, 1, 32, 1.0, NULL},
    {"rtx3090", 16, 0, 1024, 0, 1, 32, 2.0 / 3, "warps"},
    {"rtx3090", 40, 0, 256, 0, 6, 48, 1.0, NULL},
    {"h200", 28, 0, 1024, 0, 2, 64, 1.0, NULL},
    /* blocks: 32, 16, 24 */
    {"gtx1060", 16, 0, 32, 0, 32, 32, 0.5, "blocks"},
    {"t4", 16, 0, 32, 0, 16, 16, 0.5, "blocks"},
    {"rtx4090", 16, 0, 32, 0, 24, 24, 0.5, "blocks"},
    {"h200", 16, 0, 32, 0, 32, 32, 0.5, "blocks"},
    /* registers: 65 * 32 = 2080 -> 2304 a warp, 7 warps a partition, 28, 3 blocks of 8 */
    {"t4", 64, 0, 256, 0, 4, 32, 1.0, NULL},
    {"t4", 65, 0, 256, 0, 3, 24, 0.75, "registers"},
    /* 33 * 32 = 1056 -> 1280, 12 a partition, 48: one block of 32 */
    {"h200", 33, 0, 1024, 0, 1, 32, 0.5, "registers"},
    /* 40 * 32 = 1280, 12, 48: 8 blocks of 6 warps */
    {"gtx1060", 40, 0, 192, 0, 8, 48, 0.75, "registers"},
    /* 48 * 32 = 1536, 10, 40: 5 blocks of 8 */
    {"rtx3090", 48, 0, 256, 0, 5, 40, 40.0 / 48, "registers"},
    /* shared memory: 48 KiB and the reserve, 4 times in 228 KiB */
    {"h200", 16, 49152, 128, 0, 4, 16, 0.25, "shared memory"},
    {"a100", 16, 0, 256, 65536, 2, 16, 0.25, "shared memory"},
    {"v100", 16, 0, 64, 98304, 1, 2, 2.0 / 64, "shared memory"},
    {"t4", 16, 16384, 128, 16384, 2, 8, 0.25, "shared memory"},
    /* what does not run at all */
    {"h200", 16, 0, 256, 232449, 0, 0, 0.0, "shared memory"},
    {"t4", 128, 0, 1024, 0, 0, 0, 0.0, "registers"},
};

static void check(const struct example *example) {
    char error[256];
    struct occupancy found;
    const struct gpu *gpu = gpu_find(example->gpu, error, sizeof error);
    struct occupancy_kernel kernel = {example->registers, example->statics, 1024,
                                      gpu->shared_per_block_optin, -1};
    assert_true(occupancy_find(gpu, &kernel, example->block, example->dynamic, &found));
    if (found.blocks_per_sm != example->blocks)
        print_error("%s, %d registers, block %d\n", example->gpu, example->registers,
                    example->block);
    assert_int_equal(found.blocks_per_sm, example->blocks);
    assert_int_equal(found.warps_per_sm, example->warps);
    assert_true(found.fraction > example->fraction - 1e-9 &&
                found.fraction < example->fraction + 1e-9);
    if (example->limit) assert_string_equal(found.limit, example->limit);
}

TEST(agrees_with_hand_computed_values) {
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) check(&examples[i]);
}

TEST(refuses_an_empty_block) {
    char error[256];
    struct occupancy found;
    struct occupancy_kernel kernel = {16, 0, 1024, 49152, -1};
    assert_false(occupancy_find(gpu_find("t4", error, sizeof error), &kernel, 0, 0, &found));
}

/* What is said to be available for two blocks is enough for two and too much for three. */
TEST(available_shared_memory_is_what_fits) {
    char error[256];
    struct occupancy found;
    struct occupancy_kernel kernel = {16, 1024, 1024, 232448 - 1024, -1};
    size_t bytes;
    const struct gpu *gpu = gpu_find("h200", error, sizeof error);
    assert_true(occupancy_available_shared(gpu, &kernel, 2, 256, &bytes));
    assert_true(occupancy_find(gpu, &kernel, 256, bytes, &found));
    assert_int_equal(found.blocks_per_sm, 2);
}

/* What ncu called "Shared Memory Configuration Size" of launches on an H200. */
TEST(sets_aside_the_shared_memory_that_a_driver_does) {
    static const struct {
        int block, bytes, carveout, kib;
    } seen[] = {
        {256, 0, -1, 32},      {512, 0, -1, 16},      {1024, 0, -1, 8},      {64, 128, -1, 64},
        {128, 512, -1, 64},    {96, 2432, -1, 100},   {256, 4096, -1, 100},  {256, 8192, -1, 132},
        {256, 16384, -1, 164}, {512, 32768, -1, 132}, {512, 49152, -1, 196}, {1024, 4096, -1, 16},
        {32, 232448, -1, 228}, {256, 0, 0, 32},       {64, 128, 0, 8},       {64, 128, 5, 132},
        {64, 9000, 40, 100},   {64, 40000, 50, 132},  {1024, 1024, 40, 196}};
    char error[256];
    const struct gpu *gpu = gpu_find("h200", error, sizeof error);
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        struct occupancy_kernel kernel = {16, 0, 1024, 232448, seen[i].carveout};
        struct occupancy found;
        assert_true(occupancy_find(gpu, &kernel, seen[i].block, (size_t)seen[i].bytes, &found));
        assert_int_equal(found.shared_config, seen[i].kib * 1024);
        assert_int_equal(found.by_shared, found.shared_config / found.shared_per_block);
    }
}

/* What ptxas 13.0 gave a kernel that wanted all registers it could get, with these launch bounds.
 */
TEST(bounds_registers_as_ptxas) {
    static const struct {
        const char *gpu;
        int block, blocks, registers;
    } bounds[] = {
        {"t4", 256, 4, 64},    {"t4", 1024, 1, 64},  {"t4", 600, 1, 96},
        {"t4", 128, 3, 168},   {"t4", 33, 5, 168}, /* 10 warps: three on two of the four partitions
                                                    */
        {"t4", 96, 5, 128},                        /* 15 warps: four */
        {"t4", 160, 3, 128},                       /* the same */
        {"t4", 96, 7, 80},                         /* 21: six */
        {"t4", 1024, 2, 64},                       /* no T4 holds two: passed over */
        {"t4", 32, 32, 255},                       /* nor 32 blocks of any size */
        {"h200", 32, 32, 64},                      /* an H200 does */
        {"h200", 1024, 2, 32}, {"h200", 256, 5, 48}, {"h200", 64, 17, 56}, /* 34: nine */
        {"h200", 64, 33, 255},
    };
    char error[256];
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        const struct gpu *gpu = gpu_find(bounds[i].gpu, error, sizeof error);
        int found = occupancy_registers_for(gpu, bounds[i].block, bounds[i].blocks);
        if (found != bounds[i].registers)
            print_error("%s, %d x %d\n", gpu->name, bounds[i].blocks, bounds[i].block);
        assert_int_equal(found, bounds[i].registers);
    }
}

/* ---- The toolkit's own calculator, where there is a toolkit ---- */

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h>

/* Blocks on a multiprocessor by the toolkit's header. */
static int blocks_by_header(const struct gpu *gpu, const struct occupancy_kernel *kernel, int block,
                            size_t dynamic) {
    cudaOccDeviceProp device = {.computeMajor = gpu->cc_major,
                                .computeMinor = gpu->cc_minor,
                                .maxThreadsPerBlock = 1024,
                                .maxThreadsPerMultiprocessor = gpu->threads_per_sm,
                                .regsPerBlock = gpu->registers_per_block,
                                .regsPerMultiprocessor = gpu->registers_per_sm,
                                .warpSize = 32,
                                .sharedMemPerBlock = gpu->shared_per_block,
                                .sharedMemPerMultiprocessor = gpu->shared_per_sm,
                                .numSms = gpu->sms,
                                .sharedMemPerBlockOptin = gpu->shared_per_block_optin,
                                .reservedSharedMemPerBlock = gpu->shared_reserved_per_block};
    cudaOccFuncAttributes attributes = {.maxThreadsPerBlock = kernel->max_threads,
                                        .numRegs = kernel->registers,
                                        .sharedSizeBytes = kernel->static_shared,
                                        .partitionedGCConfig = PARTITIONED_GC_OFF,
                                        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
                                        .maxDynamicSharedSizeBytes = kernel->max_dynamic,
                                        .numBlockBarriers = 1};
    cudaOccDeviceState state = {.cacheConfig = CACHE_PREFER_NONE,
                                .carveoutConfig = kernel->carveout};
    cudaOccResult result;
    assert_int_equal(cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &attributes, &state,
                                                             block, dynamic),
                     CUDA_OCC_SUCCESS);
    return result.activeBlocksPerMultiprocessor;
}

/* One kernel on one GPU, in blocks and with dynamic shared memory of many sizes. */
static int compare_shapes(const struct gpu *gpu, const struct occupancy_kernel *kernel) {
    static const int blocks[] = {1, 32, 33, 96, 128, 192, 256, 512, 1000, 1024};
    static const size_t dynamics[] = {0, 1, 5000, 16384, 60000, 100000};
    int compared = 0;
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        for (size_t d = 0; d < sizeof dynamics / sizeof *dynamics; d++) {
            struct occupancy found;
            assert_true(occupancy_find(gpu, kernel, blocks[b], dynamics[d], &found));
            int want = blocks_by_header(gpu, kernel, blocks[b], dynamics[d]);
            if (found.blocks_per_sm != want)
                print_error("%s, %d registers, %zu bytes, carve-out %d, block %d, %zu dynamic\n",
                            gpu->name, kernel->registers, kernel->static_shared, kernel->carveout,
                            blocks[b], dynamics[d]);
            assert_int_equal(found.blocks_per_sm, want);
            compared++;
        }
    }
    return compared;
}

TEST(agrees_with_the_toolkit) {
    static const int registers[] = {16, 32, 40, 64, 65, 128, 255};
    static const size_t statics[] = {0, 1024, 40000};
    static const int carveouts[] = {-1, 0, 25, 50, 100};
    int n, compared = 0;
    assert_non_null(gpu_find("t4", (char[256]){0}, 256));
    const struct gpu *gpus = gpu_all(&n);
    for (int g = 0; g < n; g++)
        for (size_t r = 0; r < sizeof registers / sizeof *registers; r++)
            for (size_t s = 0; s < sizeof statics / sizeof *statics; s++)
                for (size_t c = 0; c < sizeof carveouts / sizeof *carveouts; c++) {
                    size_t most = gpus[g].shared_per_block_optin - statics[s];
                    struct occupancy_kernel kernel = {registers[r], statics[s], 1024, most,
                                                      carveouts[c]};
                    compared += compare_shapes(&gpus[g], &kernel);
                }
    assert_true(compared > 10000);
}
#endif
