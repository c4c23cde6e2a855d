/*
 * Lab 0: device. What GPU is this, and which thread am I?
 *
 * The program first prints what the GPU says of itself, and what follows from that, each with its
 * formula: the peak bandwidth, the peak arithmetic, and by Little's law how many warps it takes to
 * keep either busy. Then five kernels do the arithmetic that every later kernel begins with.
 *
 * A matrix of `rows` rows and `cols` columns lies row after row: element (y, x) is at y * cols + x.
 * The default is the picture of 62 rows and 76 columns that textbooks draw.
 *
 * To run it: make lab0, and make lab0 DEVICE=sim SIM_GPU=gtx1060 for another GPU. By hand:
 *     nvcc -Icommon labs/lab0-device/device.cu -o device && ./device --help
 */
#include <cstdarg>

#include "common.h"
#include "harness/lab.h"

/* ---- What the GPU says of itself ---- */

constexpr double KIBIBYTE = 1024.0, MEBIBYTE = 1024.0 * 1024.0;

/* One line of the query: what, and its value in printf's format. */
#define FIELD(what, format, ...) printf("  %-46s " format "\n", what ":", __VA_ARGS__)

static void printDevice(const cudaDeviceProp *device) {
    printf("Device 0: %s\n", device->name);
    FIELD("Compute capability", "%d.%d", device->major, device->minor);
    FIELD("Number of multiprocessors", "%d", device->multiProcessorCount);
    FIELD("Clock of the multiprocessors", "%d MHz", deviceAttribute(cudaDevAttrClockRate) / 1000);
    FIELD("Total amount of global memory", "%.0f MB", (double)device->totalGlobalMem / MEBIBYTE);
    FIELD("Clock of the memory", "%d MHz", deviceAttribute(cudaDevAttrMemoryClockRate) / 1000);
    FIELD("Width of the memory bus", "%d bit", deviceAttribute(cudaDevAttrGlobalMemoryBusWidth));
    FIELD("Size of the L2 cache", "%.0f KB", device->l2CacheSize / KIBIBYTE);
    FIELD("Total amount of constant memory", "%4.2f KB", (double)device->totalConstMem / KIBIBYTE);
    FIELD("Total amount of shared memory per block", "%4.2f KB",
          (double)device->sharedMemPerBlock / KIBIBYTE);
    FIELD("Total amount of shared memory per SM", "%4.2f KB",
          (double)device->sharedMemPerMultiprocessor / KIBIBYTE);
    FIELD("Total number of registers available per block", "%d", device->regsPerBlock);
    FIELD("Warp size", "%d", device->warpSize);
    FIELD("Maximum number of threads per block", "%d", device->maxThreadsPerBlock);
    FIELD("Maximum size of a block, x y z", "%d %d %d", device->maxThreadsDim[0],
          device->maxThreadsDim[1], device->maxThreadsDim[2]);
    FIELD("Maximum size of a grid, x y z", "%d %d %d", device->maxGridSize[0],
          device->maxGridSize[1], device->maxGridSize[2]);
    FIELD("Maximum number of threads per multiprocessor", "%d",
          device->maxThreadsPerMultiProcessor);
    FIELD("Maximum number of warps per multiprocessor", "%d",
          device->maxThreadsPerMultiProcessor / device->warpSize);
}

/* ---- What follows from it ---- */

/* What no query tells: how many single-precision operations a multiprocessor begins in a clock, and
 * how many clocks pass until an addition's result, or a word from memory, can be used. Lanes: CUDA
 * C++ Programming Guide, "Throughput of Native Arithmetic Instructions". Latencies: microbenchmarks
 * by Jia et al. (arXiv 1804.06826, 1903.07486; 6.1 to 7.5) and Luo et al. (arXiv 2402.13499; 8.0
 * and 8.9); that of 8.0 is used for 8.6 and that of 8.9 for 12.0. That of 9.0 is our own, of an
 * H200 (common/simt/measure). */
struct Generation {
    int major, minor, lanes, arithmeticClocks, memoryClocks;
};

static const Generation GENERATIONS[] = {
    {6, 1, 128, 6, 419}, {7, 0, 64, 4, 375},  {7, 5, 64, 4, 296},  {8, 0, 64, 4, 466},
    {8, 6, 128, 4, 507}, {8, 9, 128, 4, 542}, {9, 0, 128, 4, 750}, {12, 0, 128, 4, 530},
};

/* NULL for a compute capability that is not in the table. */
static const Generation *generationOf(const cudaDeviceProp *device) {
    for (size_t i = 0; i < COUNT(GENERATIONS); i++) {
        if (GENERATIONS[i].major == device->major && GENERATIONS[i].minor == device->minor)
            return &GENERATIONS[i];
    }
    return NULL;
}

/* A derived figure: its name, its formula in words, and the same in numbers with the result, in
 * printf's format. */
static void printDerived(const char *name, const char *formula, const char *numbers, ...)
    __attribute__((format(printf, 3, 4)));
static void printDerived(const char *name, const char *formula, const char *numbers, ...) {
    va_list arguments;
    va_start(arguments, numbers);
    printf("  %s\n      = %s\n      = ", name, formula);
    vprintf(numbers, arguments);
    printf("\n");
    va_end(arguments);
}

/* Two transfers a clock: double data rate. */
static double printBandwidth() {
    const double megahertz = deviceAttribute(cudaDevAttrMemoryClockRate) / 1000.0;
    const int bits = deviceAttribute(cudaDevAttrGlobalMemoryBusWidth);
    const double gigabytes = 2 * megahertz * 1e6 * bits / 8 / 1e9;
    printDerived("Peak bandwidth of the memory", "2 x memory clock x bus width / 8 bits",
                 "2 x %.0f MHz x %d bit / 8 = %.1f GB/s", megahertz, bits, gigabytes);
    return gigabytes;
}

/* A fused multiply-add counts as two operations. */
static double printArithmetic(const cudaDeviceProp *device, const Generation *generation,
                              double gigahertz) {
    const double gigaflops = 2.0 * device->multiProcessorCount * generation->lanes * gigahertz;
    printDerived("Peak of single-precision arithmetic", "2 x multiprocessors x lanes x clock",
                 "2 x %d x %d x %.3f GHz = %.0f GFLOP/s", device->multiProcessorCount,
                 generation->lanes, gigahertz, gigaflops);
    return gigaflops;
}

/* Little's law: what is under way = latency x throughput. */
static void printLittle(const cudaDeviceProp *device, const Generation *generation,
                        double gigahertz, double gigabytes) {
    const int warp = device->warpSize;
    printDerived("Warps per multiprocessor that hide the latency of arithmetic",
                 "latency x lanes / warp size", "%d clocks x %d / %d = %d",
                 generation->arithmeticClocks, generation->lanes, warp,
                 generation->arithmeticClocks * generation->lanes / warp);
    const double nanoseconds = generation->memoryClocks / gigahertz,
                 bytes = nanoseconds * gigabytes;
    printDerived("Bytes under way that hide the latency of memory", "latency / clock x bandwidth",
                 "%d clocks / %.3f GHz x %.1f GB/s = %.0f KB", generation->memoryClocks, gigahertz,
                 gigabytes, bytes / 1000);
    const double warps = std::ceil(bytes / (warp * sizeof(float)));
    printDerived("Warps for that, if each thread waits for one float", "bytes / (warp size x 4)",
                 "%.0f / (%d x 4) = %.0f, on each of %d multiprocessors %.1f; %d fit there", bytes,
                 warp, warps, device->multiProcessorCount, warps / device->multiProcessorCount,
                 device->maxThreadsPerMultiProcessor / warp);
}

static void printWhatFollows(const cudaDeviceProp *device) {
    printf("\nWhat follows from it:\n");
    const double gigabytes = printBandwidth();
    const Generation *generation = generationOf(device);
    if (generation == NULL) {
        printf("  Arithmetic and latencies: %s does not know compute capability %d.%d; GENERATIONS "
               "lists those it does\n",
               __FILE__, device->major, device->minor);
        return;
    }
    const double gigahertz = deviceAttribute(cudaDevAttrClockRate) / 1e6; /* the query says kHz */
    const double gigaflops = printArithmetic(device, generation, gigahertz);
    printDerived("Operations for each byte, so that both peaks are reached",
                 "peak arithmetic / peak bandwidth", "%.0f / %.1f = %.1f", gigaflops, gigabytes,
                 gigaflops / gigabytes);
    printLittle(device, generation, gigahertz, gigabytes);
    printf("\n");
}

/* ---- On the CPU: what the steps have to write ---- */

/* What threads 0, 1, 2, ... of blocks 0, 1, 2, ... write in step 2 or 3: found by counting, not by
 * the formula that the kernels use, so that a mistake in the one is no mistake in the other. */
static void countThreads(int *want, dim3 grid, dim3 block, size_t layers, size_t rows,
                         size_t cols) {
    int number = 0;
    const size_t blocks = (size_t)grid.x * grid.y * grid.z,
                 threads = (size_t)block.x * block.y * block.z;
    for (size_t b = 0; b < blocks; b++) {
        for (size_t t = 0; t < threads; t++, number++) {
            const size_t x = b % grid.x * block.x + t % block.x;
            const size_t y = b / grid.x % grid.y * block.y + t / block.x % block.y;
            const size_t z = b / grid.x / grid.y * block.z + t / block.x / block.y;
            if (x < cols && y < rows && z < layers) want[(z * rows + y) * cols + x] = number;
        }
    }
}

/* The same for step 4: the threads are dealt to warps one after another. */
static void countLanes(int *want, size_t n, unsigned int block) {
    const unsigned int warp = 32;
    for (size_t i = 0; i < n; i++) {
        const unsigned int thread = (unsigned int)(i % block), first = thread / warp * warp;
        unsigned int present = 0;
        for (unsigned int lane = 0; lane < warp; lane++) present += first + lane < block;
        want[i] = (int)(100 * (thread / warp) + present);
    }
}

static void paint(int *want, size_t rows, size_t cols) {
    for (size_t y = 0; y < rows; y++) {
        for (size_t x = 0; x < cols; x++) want[y * cols + x] = (int)(x + 1000 * y);
    }
}

/* How many pieces of this width cover n: counted, too, so that a grid
 * which is too small is found. */
static unsigned int countPieces(size_t n, unsigned int width) {
    unsigned int pieces = 0;
    for (size_t covered = 0; covered < n; covered += width) pieces++;
    return pieces;
}

/* Your own functions and constants, if you need any: the grader takes them from here. */
// BEGIN HELPERS
// END HELPERS

/* ---- Step 1 ----
 *
 *     block     0            1            2
 *     thread    0 1 2 3      0 1 2 3      0 1 2 3
 *     number    0 1 2 3      4 5 6 7      8 9 (no element 10, 11)
 *
 * Question: 62 x 76 elements, blocks of 80 threads. How many blocks? How many threads of the
 * last one have no element?
 * Metric: warp_execution_efficiency
 */
__global__ void threads1D(int *number, unsigned int rows, unsigned int cols) {
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < rows * cols) number[i] = (int)i;
}

/* ---- Step 2 ----
 *
 *     threads of a block of 4 x 2          blocks of a grid of 3 x 2
 *          0 1 2 3                              0 1 2
 *          4 5 6 7                              3 4 5
 *
 * Question: x comes first. Which of the neighbours of a thread, the one to the right or the
 * one below, is in its warp?
 * Metric: gst_efficiency
 */
__global__ void threads2D(int *number, unsigned int rows, unsigned int cols) {
    // BEGIN SOLUTION threads2D
    TODO("Element (y, x) gets the number of its thread: number of the block x threads of a block "
         "+ number within it.",
         "handouts/lab0.md#threads2d");
    // END SOLUTION
}

/* Layers of the box in step 3. */
constexpr unsigned int LAYERS = 3;

/* ---- Step 3 ----
 *
 *     layer 0          layer 1
 *     0 1 2 3          8  9 10 11
 *     4 5 6 7         12 13 14 15
 *
 * Question: a block of 8 x 4 x 4 threads is 128 threads. Which z do the threads
 * of its second warp have?
 * Metric: gst_efficiency
 */
__global__ void threads3D(int *number, unsigned int rows, unsigned int cols) {
    // BEGIN SOLUTION threads3D
    TODO("As step 2, with z: element (z, y, x) of LAYERS layers lies at (z * rows + y) * cols + "
         "x.",
         "handouts/lab0.md#threads3d");
    // END SOLUTION
}

/* ---- Step 4 ----
 *
 *     thread   0 ... 31   32 ... 63   64 ... 79
 *     warp     0          1           2            of which the upper half has no threads
 *
 * Question: a block of 80 threads. How many warps is that, and how many of their lanes
 * idle from beginning to end?
 * Metric: warp_execution_efficiency
 */
__global__ void lanes(int *number, unsigned int rows, unsigned int cols) {
    // BEGIN SOLUTION lanes
    TODO("Element i gets 100 x the number of thread i's warp within the block + the lanes of "
         "that warp with a thread.",
         "handouts/lab0.md#lanes");
    // END SOLUTION
}

/* ---- Step 5 ----
 *
 *     76 columns = 4 blocks of 16 and 12 more        62 rows = 3 blocks of 16 and 14 more
 *
 * Question: 5 x 4 blocks of 16 x 16 threads. How many threads have no pixel? In how
 * many warps do all have one?
 * Metric: warp_execution_efficiency
 */
__global__ void picture(int *number, unsigned int rows, unsigned int cols) {
    // BEGIN SOLUTION picture
    TODO("Pixel (y, x) gets x + 1000 * y, and no thread beyond the picture's edges writes "
         "anything.",
         "handouts/lab0.md#picture");
    // END SOLUTION
}

/* ---- Running them ---- */

typedef void (*Kernel)(int *number, unsigned int rows, unsigned int cols);

struct DeviceStep {
    const char *name, *idea;
    Kernel kernel;
    dim3 block; /* x = 0: --block threads in a row */
    unsigned int layers;
};

static const DeviceStep STEPS[] = {
    {"threads1D", "a thread's number in a row of blocks", threads1D, dim3(0, 1), 1},
    {"threads2D", "a thread's number in a plane", threads2D, dim3(16, 16), 1},
    {"threads3D", "a thread's number in space", threads3D, dim3(8, 4, 4), LAYERS},
    {"lanes", "warps of a block, and lanes with a thread", lanes, dim3(0, 1), 1},
    {"picture", "a thread for each pixel", picture, dim3(16, 16), 1},
};

/* The block of a step. */
static dim3 blockFor(const DeviceStep *step, unsigned int threads) {
    return step->block.x == 0 ? dim3(threads) : step->block;
}

/* The grid that covers the matrix, or its elements in a row. */
static dim3 gridFor(const DeviceStep *step, dim3 block, size_t rows, size_t cols) {
    if (step->block.x == 0) return dim3(blocksFor(rows * cols, block.x));
    return dim3(blocksFor(cols, block.x), blocksFor(rows, block.y),
                blocksFor(step->layers, block.z));
}

/* What an element holds that no thread has written: the harness' poison as an int. */
constexpr int UNTOUCHED = -1;

/* What the step's kernel has to write; it must leave alone what lies after its last element. */
static void expect(int *want, const DeviceStep *step, dim3 block, size_t rows, size_t cols) {
    for (size_t i = 0; i < rows * cols * LAYERS; i++) want[i] = UNTOUCHED;
    if (step->kernel == lanes) {
        countLanes(want, rows * cols, block.x);
    } else if (step->kernel == picture) {
        paint(want, rows, cols);
    } else if (step->block.x == 0) {
        countThreads(want, dim3(countPieces(rows * cols, block.x)), block, 1, 1, rows * cols);
    } else {
        const dim3 grid(countPieces(cols, block.x), countPieces(rows, block.y),
                        countPieces(step->layers, block.z));
        countThreads(want, grid, block, step->layers, rows, cols);
    }
}

/* Warps, and threads and lanes to spare, of the launch of each step. */
static void printLaunches(size_t rows, size_t cols, unsigned int threads, unsigned int warpSize) {
    printf("The launches:\n");
    for (size_t i = 0; i < COUNT(STEPS); i++) {
        const DeviceStep *step = &STEPS[i];
        const dim3 block = blockFor(step, threads), grid = gridFor(step, block, rows, cols);
        const size_t blocks = (size_t)grid.x * grid.y * grid.z,
                     size = (size_t)block.x * block.y * block.z;
        const size_t warps = (size + warpSize - 1) / warpSize,
                     elements = rows * cols * step->layers;
        printf("  %-10s warps a block = %zu / %u, rounded up = %zu; idle lanes = %zu x %u - %zu = "
               "%zu; threads without an element = %zu x %zu - %zu = %zu\n",
               step->name, size, warpSize, warps, warps, warpSize, size, warps * warpSize - size,
               blocks, size, elements, blocks * size - elements);
    }
    printf("\n");
}

int main(int argc, char **argv) {
    LabInfo info = labInfo(0, "device", __FILE__, "rows and columns of a square picture");
    info.defaultRows = 62; /* of 76 columns: the picture that textbooks draw */
    info.defaultSize = 76;
    info.maxSize = 1 << 12;
    info.defaultBlock = 80; /* leaves lanes without a thread */
    info.isMatrix = true;
    Lab lab = labOpen(argc, argv, info, STEPS);
    const size_t rows = lab.rows, cols = lab.cols, most = rows * cols * LAYERS,
                 bytes = most * sizeof(int);
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    printDevice(&device);
    printWhatFollows(&device);
    printLaunches(rows, cols, lab.block, (unsigned int)device.warpSize);

    int *want = hostArray<int>(most), *got = hostArray<int>(most);
    int *d_number;
    labNeeds(&lab, bytes);
    CHECK(cudaMalloc(&d_number, bytes));
    labOutput(&lab, d_number, bytes);
    labHeader(&lab, "which thread am I? %zu x %zu elements", rows, cols);
    for (size_t i = 0; i < COUNT(STEPS); i++) {
        const dim3 block = blockFor(&STEPS[i], lab.block),
                   grid = gridFor(&STEPS[i], block, rows, cols);
        const Kernel kernel = STEPS[i].kernel;
        expect(want, &STEPS[i], block, rows, cols);
        labStep(&lab, STEPS[i].name, grid, block);
        labBytes(&lab, 4.0 * rows * cols * STEPS[i].layers); /* each element is written once */
        while (labRuns(&lab)) {
            kernel<<<grid, block>>>(d_number, (unsigned int)rows, (unsigned int)cols);
            if (!labChecks(&lab)) continue;
            CHECK(cudaMemcpy(got, d_number, bytes, cudaMemcpyDeviceToHost));
            labVerdict(&lab, judgeResults(want, got, most));
        }
    }
    cudaFree(d_number);
    free(want);
    free(got);
    return labClose(&lab);
}
