/* product_wgmma.cu: a product of half matrices as fast as GPUs of compute capability 9.0 go, for
 * the lab that compares its kernels with it (wgmma.h).
 *
 *     warp group 0     one thread copies tiles by TMA:  stage 0, 1, 2, 3, 0, 1, ...
 *     warp groups 1, 2 multiply them by wgmma, 64 rows each
 *
 *     full[stage]   a barrier in shared memory: the stage's bytes have arrived
 *     empty[stage]  a barrier: both groups have read the stage
 *
 * TMA copies a box of a matrix, which the host has described, by one instruction of one thread.
 * wgmma multiplies 64 x 16 by 16 x 256 halves straight from shared memory: 128 sums a thread. Both
 * swizzle: in a row of 128 bytes, 16-byte piece p of row r lies in place p ^ (r % 8), so that 8
 * rows of one column lie in different banks. Instructions are those of PTX ISA 8.0.
 *
 * Empty where the compiler is older than that: there wgmmaProduct is NULL. */
#include "wgmma.h"

#if CUDART_VERSION >= 12080

#include <cuda.h>
#include <dlfcn.h>

enum {
    ROWS = 128, /* of a block's tile of C */
    COLS = 256, /* and its columns */
    DEPTH = 64, /* of a stage: rows of 128 bytes */
    STAGES = 4, /* copied, or being copied */
    GROUP = 8,  /* blocks that follow each other share 8 tiles' rows of A, for the L2 cache */
    THREADS = 3 * 128,
    A_BYTES = ROWS * DEPTH * 2,
    BOX_BYTES = DEPTH * DEPTH * 2, /* of B: 64 columns; four boxes make a stage */
    STAGE_BYTES = A_BYTES + COLS / DEPTH * BOX_BYTES,
    ALIGNMENT = 1024, /* of a swizzled tile */
    SHARED_BYTES = STAGES * STAGE_BYTES + ALIGNMENT
};

/* ---- The instructions; addresses in shared memory have 32 bits ---- */

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/* Describes a swizzled tile: rows of 128 bytes in groups of 8, `along` bytes from 64 columns to the
 * next 64 where the tile is read by columns. */
__device__ unsigned long long describe(unsigned int tile, unsigned int along) {
    return (tile & 0x3ffff) >> 4 | (unsigned long long)(along >> 4) << 16 |
           (unsigned long long)(1024 >> 4) << 32 | 1ull << 62;
}

/* sums += a b, of 64 x 16 and 16 x 256 halves. Asynchronous: see commitProducts. */
__device__ void multiply(float (&d)[128], unsigned long long a, unsigned long long b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, "
        "%111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, "
        "%127}, "
        "%128, %129, 1, 1, 1, 0, 1;"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
          "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]),
          "+f"(d[14]), "+f"(d[15]), "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]),
          "+f"(d[21]), "+f"(d[22]), "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]),
          "+f"(d[28]), "+f"(d[29]), "+f"(d[30]), "+f"(d[31]), "+f"(d[32]), "+f"(d[33]), "+f"(d[34]),
          "+f"(d[35]), "+f"(d[36]), "+f"(d[37]), "+f"(d[38]), "+f"(d[39]), "+f"(d[40]), "+f"(d[41]),
          "+f"(d[42]), "+f"(d[43]), "+f"(d[44]), "+f"(d[45]), "+f"(d[46]), "+f"(d[47]), "+f"(d[48]),
          "+f"(d[49]), "+f"(d[50]), "+f"(d[51]), "+f"(d[52]), "+f"(d[53]), "+f"(d[54]), "+f"(d[55]),
          "+f"(d[56]), "+f"(d[57]), "+f"(d[58]), "+f"(d[59]), "+f"(d[60]), "+f"(d[61]), "+f"(d[62]),
          "+f"(d[63]), "+f"(d[64]), "+f"(d[65]), "+f"(d[66]), "+f"(d[67]), "+f"(d[68]), "+f"(d[69]),
          "+f"(d[70]), "+f"(d[71]), "+f"(d[72]), "+f"(d[73]), "+f"(d[74]), "+f"(d[75]), "+f"(d[76]),
          "+f"(d[77]), "+f"(d[78]), "+f"(d[79]), "+f"(d[80]), "+f"(d[81]), "+f"(d[82]), "+f"(d[83]),
          "+f"(d[84]), "+f"(d[85]), "+f"(d[86]), "+f"(d[87]), "+f"(d[88]), "+f"(d[89]), "+f"(d[90]),
          "+f"(d[91]), "+f"(d[92]), "+f"(d[93]), "+f"(d[94]), "+f"(d[95]), "+f"(d[96]), "+f"(d[97]),
          "+f"(d[98]), "+f"(d[99]), "+f"(d[100]), "+f"(d[101]), "+f"(d[102]), "+f"(d[103]),
          "+f"(d[104]), "+f"(d[105]), "+f"(d[106]), "+f"(d[107]), "+f"(d[108]), "+f"(d[109]),
          "+f"(d[110]), "+f"(d[111]), "+f"(d[112]), "+f"(d[113]), "+f"(d[114]), "+f"(d[115]),
          "+f"(d[116]), "+f"(d[117]), "+f"(d[118]), "+f"(d[119]), "+f"(d[120]), "+f"(d[121]),
          "+f"(d[122]), "+f"(d[123]), "+f"(d[124]), "+f"(d[125]), "+f"(d[126]), "+f"(d[127])
        : "l"(a), "l"(b));
}
__device__ void beginProducts() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ void commitProducts() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int LATER> __device__ void waitForProducts() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LATER) : "memory");
}

__device__ void initBarrier(unsigned int barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals));
}
__device__ void arrive(unsigned int barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ void arriveAndExpect(unsigned int barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
                 : "memory");
}
/* Waits for the end of the barrier's phase of this parity. */
__device__ void waitForBarrier(unsigned int barrier, int parity) {
    asm volatile("{\n"
                 ".reg .pred done;\n"
                 "again_%=:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
                 "@!done bra again_%=;\n"
                 "}" ::"r"(barrier),
                 "r"(parity)
                 : "memory");
}

/* Begins to copy the matrix's box at (x, y); the barrier counts its bytes. */
__device__ void copyBox(unsigned int to, const CUtensorMap *matrix, int x, int y,
                        unsigned int barrier) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
                 "l"(matrix), "r"(x), "r"(y), "r"(barrier)
                 : "memory");
}

/* ---- The kernel's two parts ---- */

/* One thread's part: all copies. Tiles of A have their own box; of B, four boxes of 64 columns. */
__device__ void copyTiles(const CUtensorMap *A, const CUtensorMap *B, unsigned int tiles,
                          unsigned int full, unsigned int empty, int row, int col, int depth) {
    for (int k = 0, stage = 0, round = 0; k < depth; k += DEPTH) {
        const unsigned int to = tiles + stage * STAGE_BYTES, arrived = full + 8 * stage;
        if (round > 0) waitForBarrier(empty + 8 * stage, (round - 1) & 1);
        arriveAndExpect(arrived, STAGE_BYTES);
        copyBox(to, A, k, row, arrived);
        for (int box = 0; box < COLS / DEPTH; box++)
            copyBox(to + A_BYTES + box * BOX_BYTES, B, col + box * DEPTH, k, arrived);
        if (++stage == STAGES) stage = 0, round++;
    }
}

/* A warp group's part: 64 rows, which begin `first` rows into the tile. */
__device__ void multiplyTiles(float (&sums)[128], unsigned int tiles, unsigned int full,
                              unsigned int empty, int first, int depth) {
    for (int k = 0, stage = 0, round = 0, before = 0; k < depth; k += DEPTH) {
        const unsigned int a = tiles + stage * STAGE_BYTES + first * DEPTH * 2,
                           b = tiles + stage * STAGE_BYTES + A_BYTES;
        waitForBarrier(full + 8 * stage, round & 1);
        beginProducts();
#pragma unroll
        for (int d = 0; d < DEPTH; d += 16)
            multiply(sums, describe(a + d * 2, 16), describe(b + d * DEPTH * 2, BOX_BYTES));
        commitProducts();
        waitForProducts<1>(); /* those of the stage before are done */
        if (k > 0 && threadIdx.x % 128 == 0) arrive(empty + 8 * before);
        before = stage;
        if (++stage == STAGES) stage = 0, round++;
    }
    waitForProducts<0>();
}

#endif

/* C = A B for square matrices of `width` rows; width is a multiple of ROWS and of COLS. */
__global__ void __launch_bounds__(THREADS, 1)
    productWgmma(const __grid_constant__ CUtensorMap A, const __grid_constant__ CUtensorMap B,
                 float *C, int width) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
    extern __shared__ char room[];
    __shared__ __align__(8) unsigned long long barriers[2 * STAGES];
    const unsigned int tiles =
        ((unsigned int)__cvta_generic_to_shared(room) + ALIGNMENT - 1) & ~(ALIGNMENT - 1u);
    const unsigned int full = (unsigned int)__cvta_generic_to_shared(barriers),
                       empty = full + 8 * STAGES;
    const int tid = threadIdx.x, lane = tid % 32;
    const int inGroup = GROUP * (width / COLS), first = blockIdx.x / inGroup * GROUP;
    const int rows = min(width / ROWS - first, (int)GROUP);
    const int row = (first + blockIdx.x % inGroup % rows) * ROWS,
              col = blockIdx.x % inGroup / rows * COLS;
    if (tid == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            initBarrier(full + 8 * stage, 1);
            initBarrier(empty + 8 * stage, 2);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads(); /* nobody uses a barrier before it is ready */
    if (tid < 128) {
        /* Registers that this group does not need go to the others. */
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (tid == 0) copyTiles(&A, &B, tiles, full, empty, row, col, width);
        return;
    }
    asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    float sums[128] = {};
    const int part = (tid / 128 - 1) * 64;
    multiplyTiles(sums, tiles, full, empty, part, width);
    float *c =
        C + (size_t)(row + part + tid % 128 / 32 * 16 + lane / 4) * width + col + lane % 4 * 2;
#pragma unroll
    for (int j = 0; j < 32; j++) { /* 8 columns each: two sums here, two 8 rows further down */
        *(float2 *)(c + 8 * j) = make_float2(sums[4 * j], sums[4 * j + 1]);
        *(float2 *)(c + (size_t)8 * width + 8 * j) = make_float2(sums[4 * j + 2], sums[4 * j + 3]);
    }
#endif
}

/* ---- The host's part ---- */

/* Describes a square matrix of halves, to be copied in boxes of 64 columns and `rows` rows. */
static bool describeMatrix(CUtensorMap *map, const half *matrix, int width, unsigned int rows) {
    static decltype(&cuTensorMapEncodeTiled) encode;
    const cuuint64_t size[] = {(cuuint64_t)width, (cuuint64_t)width},
                     pitch[] = {(cuuint64_t)width * sizeof(half)};
    const cuuint32_t box[] = {DEPTH, rows}, step[] = {1, 1};
    void *driver = encode == NULL ? dlopen("libcuda.so.1", RTLD_NOW) : NULL;
    if (driver != NULL) encode = (decltype(encode))dlsym(driver, "cuTensorMapEncodeTiled");
    return encode != NULL && encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (void *)matrix, size,
                                    pitch, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                    CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                    CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

cudaError_t wgmmaProduct(const half *A, const half *B, float *C, int width) {
    CUtensorMap a, b;
    if (width % COLS != 0) return cudaErrorInvalidValue;
    if (!describeMatrix(&a, A, width, ROWS) || !describeMatrix(&b, B, width, DEPTH))
        return cudaErrorNotSupported;
    const cudaError_t error = cudaFuncSetAttribute(
        productWgmma, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES);
    if (error != cudaSuccess) return error;
    productWgmma<<<width / ROWS *(width / COLS), THREADS, SHARED_BYTES>>>(a, b, C, width);
    return cudaGetLastError();
}

#endif
