/*
 * Lab 12: host and device. What a program does around its kernels: it allocates memory on the
 * device, copies data there and back, and waits. The kernel is the same in all steps, and trivial:
 * c = a + b. The rest is yours. After each group of steps stands how it is run.
 *
 *     steps 1 to 3     c = a + b, on the CPU and on the GPU
 *     steps 4, 5       the kernel's time
 *     steps 6 to 9     the same copies and the kernel, from four kinds of memory on the host
 *     steps 10, 11     ten additions
 *     steps 12, 13     copies and kernels at the same time, in 1 to 16 streams
 *     steps 14, 15     small kernels
 *     steps 16, 17     small copies
 *     step 18          more GPUs
 *
 * GB/s are the bytes of a, b and c over the time. Steps 1 and 4 are timed by cpuSecond, the others
 * by events.
 *
 * To run it: make lab12. By hand:
 *     nvcc -O3 -Icommon labs/lab12-host-device/host_device.cu -o host_device &&
 *     ./host_device --help
 */
#include "common.h"
#include "harness/host.h"
#include "harness/lab.h"

/* A function that is still to do uses none of its parameters. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

constexpr unsigned int BLOCK = 256;

/* Blocks for n elements, one a thread. */
static unsigned int gridFor(size_t n) {
    return blocksFor(n, BLOCK);
}

/* The first element of share i, if n elements are divided into `shares`. Share i
 * ends where share i + 1 begins. */
static size_t beginOf(size_t i, size_t shares, size_t n) {
    return n * i / shares;
}

/* Your own functions and constants, if you need any: the grader takes them from here. */
// BEGIN HELPERS
// END HELPERS

/* ---- Step 1: given ----
 *
 * Question: each addition needs 12 bytes of memory. Is this loop limited by additions or by memory?
 */
static void addOnHost(const float *a, const float *b, float *c, size_t n) {
    for (size_t i = 0; i < n; i++) c[i] = a[i] + b[i];
}

/* ---- Step 2: given; all further steps but 14 and 15 launch it ----
 *
 * Question: how many times as fast as the CPU's loop is it? What is not in this time?
 * Metric: gld_efficiency
 */
__global__ void vectorAdd(const float *a, const float *b, float *c, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

/* ---- The vectors ---- */

struct Vectors {
    float *a, *b, *c;
};

struct Data {
    size_t n, bytes;  /* elements and bytes of a vector */
    float *sum;       /* a + b, by the CPU */
    Vectors pageable; /* ordinary memory of the host */
    Vectors pinned;   /* pinned and mapped */
    Vectors device;
};

/* Ordinary memory, but pinned from now on. */
static float *pin(void *pages, size_t bytes) {
    CHECK(cudaHostRegister(pages, bytes > 0 ? bytes : 1, cudaHostRegisterMapped));
    return (float *)pages;
}

static void unpin(float *pages) {
    CHECK(cudaHostUnregister(pages));
    freePages(pages);
}

static void fill(const Vectors *vectors, size_t n, uint64_t seed) {
    initialData(vectors->a, n, seed);
    initialData(vectors->b, n, seed + 1);
}

static Data makeData(const Lab *lab) {
    Data data = {};
    const size_t n = lab->size, bytes = n * sizeof(float);
    data.n = n;
    data.bytes = bytes;
    data.sum = hostArray<float>(n);
    data.pageable = {(float *)copiedPages(bytes), (float *)copiedPages(bytes),
                     (float *)outputPages(bytes)};
    fill(&data.pageable, n, lab->seed);
    addOnHost(data.pageable.a, data.pageable.b, data.sum, n);
    data.pinned = {pin(copiedPages(bytes), bytes), pin(copiedPages(bytes), bytes),
                   pin(outputPages(bytes), bytes)};
    fill(&data.pinned, n, lab->seed);
    labNeeds(lab, 3 * bytes);
    CHECK(cudaMalloc(&data.device.a, bytes));
    CHECK(cudaMalloc(&data.device.b, bytes));
    CHECK(cudaMalloc(&data.device.c, bytes));
    return data;
}

static void freeData(Data *data) {
    cudaFree(data->device.a);
    cudaFree(data->device.b);
    cudaFree(data->device.c);
    unpin(data->pinned.a);
    unpin(data->pinned.b);
    unpin(data->pinned.c);
    freePages(data->pageable.a);
    freePages(data->pageable.b);
    freePages(data->pageable.c);
    free(data->sum);
}

/* Before each run of the following steps, d_a and d_b hold the numbers, or are poisoned for steps
 * that copy them there; d_c is poisoned. */
static void dataOnDevice(Lab *lab, const Data *data) {
    labDropArrays(lab);
    CHECK(cudaMemcpy(data->device.a, data->pageable.a, data->bytes, cudaMemcpyHostToDevice));
    labInput(lab, data->device.a, data->bytes);
    CHECK(cudaMemcpy(data->device.b, data->pageable.b, data->bytes, cudaMemcpyHostToDevice));
    labInput(lab, data->device.b, data->bytes);
    labOutput(lab, data->device.c, data->bytes);
}

static void nothingOnDevice(Lab *lab, const Data *data) {
    labDropArrays(lab);
    labOutput(lab, data->device.a, data->bytes);
    labOutput(lab, data->device.b, data->bytes);
    labOutput(lab, data->device.c, data->bytes);
}

/* Begins a step that adds all elements once, in blocks that cover n of them. */
static void beginAddition(Lab *lab, const Data *data, const char *step, size_t n) {
    labStep(lab, step, gridFor(n), BLOCK);
    labBytes(lab, 3.0 * data->bytes);
}

/* ---- Step 3 ----
 *
 *     host     a  b                         c
 *              |  |                         ^
 *              v  v                         |
 *     device   d_a  d_b  -- vectorAdd -->  d_c
 *
 * Question: is the GPU still faster than the CPU? Where does the time go?
 */
static void addOnDevice(const float *a, const float *b, float *c, size_t n) {
    // BEGIN SOLUTION addOnDevice
    // TODO("cudaMalloc three arrays, cudaMemcpy a and b there, launch vectorAdd, copy c back, "
    //      "cudaFree all three.",
    //      "handouts/lab12.md#addondevice");
    const size_t bytes = n * sizeof(float);
    float *d_a, *d_b, *d_c;
    CHECK(cudaMalloc(&d_a, bytes));
    CHECK(cudaMalloc(&d_b, bytes));
    CHECK(cudaMalloc(&d_c, bytes));
    CHECK(cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice));
    vectorAdd<<<gridFor(n), BLOCK>>>(d_a, d_b, d_c, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(c, d_c, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaFree(d_a));
    CHECK(cudaFree(d_b));
    CHECK(cudaFree(d_c));
    // END SOLUTION
}

static void runAdditions(Lab *lab, const LabStep *steps, const Data *data) {
    const Vectors *host = &data->pageable, *device = &data->device;
    const size_t n = data->n;
    labGroup(lab, "c = a + b on the CPU, by its clock");
    labHostStep(lab, steps[0].name);
    labBytes(lab, 3.0 * data->bytes);
    while (labRuns(lab)) {
        poisonFloats(host->c, n);
        labStart(lab);
        addOnHost(host->a, host->b, host->c, n);
        labStop(lab);
        if (labChecks(lab)) labVerdict(lab, judgeResults(data->sum, host->c, n));
    }

    labGroup(lab, "c = a + b on the GPU, by events");
    dataOnDevice(lab, data);
    beginAddition(lab, data, steps[1].name, n);
    while (labRuns(lab)) {
        vectorAdd<<<gridFor(n), BLOCK>>>(device->a, device->b, device->c, n);
        if (labChecks(lab)) labVerdict(lab, judgeOnDevice(data->sum, device->c, n));
    }

    beginAddition(lab, data, steps[2].name, n);
    while (labRuns(lab)) {
        poisonFloats(host->c, n);
        labStart(lab);
        addOnDevice(host->a, host->b, host->c, n);
        labStop(lab);
        if (labChecks(lab)) {
            if (!lab->modelled) labRemark(lab, "%.4f ms by cpuSecond", labClock(lab));
            labVerdict(lab, judgeResults(data->sum, host->c, n));
        }
    }
}

/* ---- Step 4 ----
 *
 *     host     clock | launch | . . . wait . . . | clock
 *     device                  | . vectorAdd . |
 *
 * Question: what else than the kernel is between the two readings of the clock?
 */
static double timeByClock(const float *d_a, const float *d_b, float *d_c, size_t n) {
    double ms = 0;
    // BEGIN SOLUTION timeByClock
    // TODO("Launch vectorAdd and wait for it, between two calls of cpuSecond; ms is the "
    //      "difference, times 1000.",
    //      "handouts/lab12.md#timebyclock");
    const double start = cpuSecond();
    vectorAdd<<<gridFor(n), BLOCK>>>(d_a, d_b, d_c, n);
    CHECK(cudaDeviceSynchronize());
    ms = (cpuSecond() - start) * 1000;
    // END SOLUTION
    return ms;
}

/* ---- Step 5 ----
 *
 *     stream   start | vectorAdd | stop                 the device notes both times
 *
 * Question: why need the host not wait between the launch and the second cudaEventRecord?
 */
static double timeByEvents(const float *d_a, const float *d_b, float *d_c, size_t n) {
    float ms = 0;
    // BEGIN SOLUTION timeByEvents
    // TODO("cudaEventCreate two events, cudaEventRecord them around the launch; when the second "
    //      "has happened, read ms.",
    //      "handouts/lab12.md#timebyevents");
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start));
    vectorAdd<<<gridFor(n), BLOCK>>>(d_a, d_b, d_c, n);
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    // END SOLUTION
    return ms;
}

/* The verdict on a time in ms that a step took: between these two;
 * first of all d_c must be right. */
static Verdict judgeTime(Lab *lab, const Data *data, double ms, double least, double most) {
    const Verdict verdict = judgeOnDevice(data->sum, data->device.c, data->n);
    const bool fits = ms > 0 && ms >= least && ms <= most;
    labRemark(lab, "returned %.4f ms%s", ms, !fits ? ": not the kernel's time in ms" : "");
    return verdict.ok ? judgeNumber(fits, ms, ms < least ? least : most) : verdict;
}

/* The shortest of twenty times of the kernel in ms, by events: a GPU's first
 * launches may take twice as long. */
static double kernelTime(const Vectors *device, size_t n) {
    cudaEvent_t start, stop;
    float ms = 0, shortest = 0;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    for (int i = 0; i < 20; i++) {
        CHECK(cudaEventRecord(start));
        vectorAdd<<<gridFor(n), BLOCK>>>(device->a, device->b, device->c, n);
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        CHECK(cudaEventElapsedTime(&ms, start, stop));
        if (i == 0 || ms < shortest) shortest = ms;
    }
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    return shortest;
}

static void runClocks(Lab *lab, const LabStep *steps, const Data *data) {
    const Vectors *device = &data->device;
    const size_t n = data->n;
    double ms = 0, least = 0;
    bool idle = true; /* had the device finished when the clock was read? */
    labGroup(lab, "the kernel by the CPU's clock");
    CHECK(cudaMemcpy(device->a, data->pageable.a, data->bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(device->b, data->pageable.b, data->bytes, cudaMemcpyHostToDevice));
    labHostStep(lab, steps[0].name);
    labBytes(lab, 3.0 * data->bytes);
    if (n == 0) labSkip(lab, "nothing to time");
    while (labRuns(lab)) {
        CHECK(cudaMemset(device->c, POISON_BYTE, data->bytes));
        CHECK(cudaDeviceSynchronize());
        labStart(lab);
        ms = timeByClock(device->a, device->b, device->c, n);
        idle = stopsIdle(lab, NULL);
        if (labChecks(lab)) {
            const Verdict verdict = judgeTime(lab, data, ms, labClock(lab) / 10, labClock(lab));
            if (verdict.ok && lab->modelled)
                labRemark(lab, "returned %.4f ms: the simulator at work", ms);
            labVerdict(lab, judgeWait(idle, verdict));
        }
    }

    labGroup(lab, "the kernel by events");
    beginAddition(lab, data, steps[1].name, n);
    if (labSelected(lab, steps[1].name) && !lab->profiling && n > 0)
        least = kernelTime(device, n) / 2;
    while (labRuns(lab)) {
        labStart(lab);
        ms = timeByEvents(device->a, device->b, device->c, n);
        labStop(lab);
        if (labChecks(lab)) labVerdict(lab, judgeTime(lab, data, ms, least, labEvents(lab)));
    }
}

/* ---- Step 6: given; step 7 runs it too ----
 *
 *     a (pageable) --> pinned buffer of the driver --> d_a
 *
 * Question: without cudaMalloc and cudaFree: how much of step 3's time is left?
 */
static void copyAddCopy(const float *a, const float *b, float *c, float *d_a, float *d_b,
                        float *d_c, size_t n) {
    const size_t bytes = n * sizeof(float);
    CHECK(cudaMemcpy(d_a, a, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice));
    vectorAdd<<<gridFor(n), BLOCK>>>(d_a, d_b, d_c, n);
    CHECK(cudaMemcpy(c, d_c, bytes, cudaMemcpyDeviceToHost));
}

/* ---- Step 7 ----
 *
 *     a (pinned) --> d_a
 *
 * Question: the system may move or swap out a page at any time, but not a pinned one. Why
 * does the copy engine care?
 */
static float *pinnedArray(size_t n) {
    float *array = NULL;
    // BEGIN SOLUTION pinnedArray
    // TODO("Allocate n floats of pinned memory on the host with cudaMallocHost.",
    //      "handouts/lab12.md#pinnedarray");
    CHECK(cudaMallocHost(&array, n * sizeof(float)));
    // END SOLUTION
    return array;
}

/* ---- Step 8 ----
 *
 *     a (mapped) --> register of a thread               no copy of a on the device
 *
 * Question: what is the time now, against that of the copies alone? When would this be a bad idea?
 */
static void addMapped(const float *a, const float *b, float *c, size_t n) {
    // BEGIN SOLUTION addMapped
    // TODO("The arrays are pinned and mapped: cudaHostGetDevicePointer for each, launch vectorAdd "
    //      "on these, wait.",
    //      "handouts/lab12.md#addmapped");
    float *d_a, *d_b, *d_c;
    CHECK(cudaHostGetDevicePointer(&d_a, (void *)a, 0));
    CHECK(cudaHostGetDevicePointer(&d_b, (void *)b, 0));
    CHECK(cudaHostGetDevicePointer(&d_c, c, 0));
    vectorAdd<<<gridFor(n), BLOCK>>>(d_a, d_b, d_c, n);
    CHECK(cudaDeviceSynchronize());
    // END SOLUTION
}

/* ---- Step 9 ----
 *
 *     page of a:   on the host . . . | a thread reads it: a fault, the page | . . . on the device
 *                                    | moves                                |
 *
 * Question: one pointer for host and device, no copy to write. What is the price?
 */
static float *managedArray(size_t n) {
    float *array = NULL;
    // BEGIN SOLUTION managedArray
    // TODO("Allocate n floats of managed memory with cudaMallocManaged.",
    //      "handouts/lab12.md#managedarray");
    CHECK(cudaMallocManaged(&array, n * sizeof(float)));
    // END SOLUTION
    return array;
}

static bool areOf(cudaMemoryType type, const Vectors *vectors, size_t n) {
    return isMemoryOf(type, vectors->a, n) && isMemoryOf(type, vectors->b, n) &&
           isMemoryOf(type, vectors->c, n);
}

/* A run of copyAddCopy from these vectors of the host. */
static void timeCopies(Lab *lab, const Data *data, const Vectors *host) {
    const Vectors *device = &data->device;
    poisonFloats(host->c, data->n);
    labStart(lab);
    copyAddCopy(host->a, host->b, host->c, device->a, device->b, device->c, data->n);
    labStop(lab);
}

/* A run of the kernel on managed vectors, which the host has written last. */
static void timeManaged(Lab *lab, const Data *data, const Vectors *managed) {
    poisonFloats(managed->c, data->n);
    labStart(lab);
    vectorAdd<<<gridFor(data->n), BLOCK>>>(managed->a, managed->b, managed->c, data->n);
    CHECK(cudaDeviceSynchronize());
    labStop(lab);
}

static void runMemories(Lab *lab, const LabStep *steps, const Data *data) {
    const Vectors *pinned = &data->pinned;
    const size_t n = data->n;
    labGroup(lab, "copies and kernel, from four kinds of memory on the host");
    nothingOnDevice(lab, data);
    beginAddition(lab, data, steps[0].name, n);
    while (labRuns(lab)) {
        timeCopies(lab, data, &data->pageable);
        if (labChecks(lab)) labVerdict(lab, judgeResults(data->sum, data->pageable.c, n));
    }

    beginAddition(lab, data, steps[1].name, n);
    while (labRuns(lab)) {
        const Vectors own = {pinnedArray(n), pinnedArray(n), pinnedArray(n)};
        const bool right = areOf(cudaMemoryTypeHost, &own, n);
        if (right) fill(&own, n, lab->seed);
        if (right) timeCopies(lab, data, &own);
        if (labChecks(lab))
            labVerdict(lab, right ? judgeResults(data->sum, own.c, n)
                                  : judgeCondition(false, "the array is no pinned memory"));
        for (float *array : {own.a, own.b, own.c}) cudaFreeHost(right ? array : NULL);
    }

    beginAddition(lab, data, steps[2].name, n);
    while (labRuns(lab)) {
        poisonFloats(pinned->c, n);
        labStart(lab);
        addMapped(pinned->a, pinned->b, pinned->c, n);
        const bool idle = stopsIdle(lab, pinned->c + n - 1);
        if (labChecks(lab)) labVerdict(lab, judgeWait(idle, judgeResults(data->sum, pinned->c, n)));
    }

    beginAddition(lab, data, steps[3].name, n);
    while (labRuns(lab)) {
        const Vectors own = {managedArray(n), managedArray(n), managedArray(n)};
        const bool right = areOf(cudaMemoryTypeManaged, &own, n);
        if (right) fill(&own, n, lab->seed);
        if (right) timeManaged(lab, data, &own);
        if (labChecks(lab))
            labVerdict(lab, right ? judgeResults(data->sum, own.c, n)
                                  : judgeCondition(false, "the array is no managed memory"));
        for (float *array : {own.a, own.b, own.c}) cudaFree(right ? array : NULL);
    }
}

/* Additions of steps 10 and 11. */
constexpr int ROUNDS = 10;

/* ---- Step 10: given ----
 *
 *     a, b there | + | c back | c, b there | + | c back | ...
 *
 * Question: c comes back to the host and goes to the device again. Who needs it there?
 */
static void copyEachTime(const float *a, const float *b, float *c, float *d_b, float *d_c,
                         size_t n) {
    const size_t bytes = n * sizeof(float);
    for (int round = 0; round < ROUNDS; round++) {
        CHECK(cudaMemcpy(d_c, round == 0 ? a : c, bytes, cudaMemcpyHostToDevice));
        CHECK(cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice));
        vectorAdd<<<gridFor(n), BLOCK>>>(d_c, d_b, d_c, n);
        CHECK(cudaMemcpy(c, d_c, bytes, cudaMemcpyDeviceToHost));
    }
}

/* ---- Step 11 ----
 *
 *     a, b there | + | + | + | + | ... | c back
 *
 * Question: with how many rounds do the kernels take longer than the copies?
 */
static void stayOnDevice(const float *a, const float *b, float *c, float *d_b, float *d_c,
                         size_t n) {
    // BEGIN SOLUTION stayOnDevice
    // TODO("The same result: copy a to d_c and b to d_b once, launch d_c = d_c + d_b ROUNDS times, "
    //      "copy d_c back once.",
    //      "handouts/lab12.md#stayondevice");
    const size_t bytes = n * sizeof(float);
    CHECK(cudaMemcpy(d_c, a, bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_b, b, bytes, cudaMemcpyHostToDevice));
    for (int round = 0; round < ROUNDS; round++) vectorAdd<<<gridFor(n), BLOCK>>>(d_c, d_b, d_c, n);
    CHECK(cudaMemcpy(c, d_c, bytes, cudaMemcpyDeviceToHost));
    // END SOLUTION
}

typedef void (*RoundsFunction)(const float *a, const float *b, float *c, float *d_b, float *d_c,
                               size_t n);

static void runRounds(Lab *lab, const LabStep *steps, const Data *data) {
    const RoundsFunction ways[] = {copyEachTime, stayOnDevice};
    const Vectors *pinned = &data->pinned, *device = &data->device;
    float *want = hostArray<float>(data->n);
    for (size_t i = 0; i < data->n; i++) want[i] = pinned->a[i];
    for (int round = 0; round < ROUNDS; round++) addOnHost(want, pinned->b, want, data->n);
    labGroup(lab, "%d additions, c = a + b + b + ...", ROUNDS);
    for (size_t i = 0; i < COUNT(ways); i++) {
        labStep(lab, steps[i].name, gridFor(data->n), BLOCK);
        labBytes(lab, 3.0 * data->bytes * ROUNDS);
        while (labRuns(lab)) {
            poisonFloats(pinned->c, data->n);
            labStart(lab);
            ways[i](pinned->a, pinned->b, pinned->c, device->b, device->c, data->n);
            labStop(lab);
            if (labChecks(lab)) labVerdict(lab, judgeResults(want, pinned->c, data->n));
        }
    }
    free(want);
}

/* The most streams of steps 12 and 13. */
constexpr size_t MOST_STREAMS = 16;

/* ---- Step 12 ----
 *
 *     to device   a0 b0 a1 b1 a2 b2 ...                each stream has a share of the elements
 *     kernels           k0    k1    k2
 *     to host              c0    c1    c2
 *
 * Question: three things happen at once: two copies, in both directions, and a kernel. How
 * much time can that save?
 */
static void depthFirst(const float *a, const float *b, float *c, float *d_a, float *d_b, float *d_c,
                       size_t n, size_t count) {
    // BEGIN SOLUTION depthFirst
    // TODO("For each stream i: copy a and b from beginOf(i, count, n) to beginOf(i + 1, count, n), "
    //      "launch, copy c back.",
    //      "handouts/lab12.md#depthfirst");
    cudaStream_t streams[MOST_STREAMS];
    for (size_t i = 0; i < count; i++) CHECK(cudaStreamCreate(&streams[i]));
    for (size_t i = 0; i < count; i++) {
        const size_t begin = beginOf(i, count, n), share = beginOf(i + 1, count, n) - begin;
        const size_t bytes = share * sizeof(float);
        CHECK(cudaMemcpyAsync(d_a + begin, a + begin, bytes, cudaMemcpyHostToDevice, streams[i]));
        CHECK(cudaMemcpyAsync(d_b + begin, b + begin, bytes, cudaMemcpyHostToDevice, streams[i]));
        vectorAdd<<<gridFor(share), BLOCK, 0, streams[i]>>>(d_a + begin, d_b + begin, d_c + begin,
                                                            share);
        CHECK(cudaMemcpyAsync(c + begin, d_c + begin, bytes, cudaMemcpyDeviceToHost, streams[i]));
    }
    for (size_t i = 0; i < count; i++) {
        CHECK(cudaStreamSynchronize(streams[i]));
        CHECK(cudaStreamDestroy(streams[i]));
    }
    // END SOLUTION
}

/* ---- Step 13 ----
 *
 *     for each stream: copies there;  for each stream: the kernel;  for each stream: the copy back
 *
 * Question: on GPUs with a single queue for all streams this order was better or worse than
 * step 12's. Which? And today?
 */
static void breadthFirst(const float *a, const float *b, float *c, float *d_a, float *d_b,
                         float *d_c, size_t n, size_t count) {
    // BEGIN SOLUTION breadthFirst
    // TODO("Step 12 with three loops: the copies to the device, the kernels, the copies back.",
    //      "handouts/lab12.md#breadthfirst");
    cudaStream_t streams[MOST_STREAMS];
    for (size_t i = 0; i < count; i++) CHECK(cudaStreamCreate(&streams[i]));
    for (size_t i = 0; i < count; i++) {
        const size_t begin = beginOf(i, count, n),
                     bytes = (beginOf(i + 1, count, n) - begin) * sizeof(float);
        CHECK(cudaMemcpyAsync(d_a + begin, a + begin, bytes, cudaMemcpyHostToDevice, streams[i]));
        CHECK(cudaMemcpyAsync(d_b + begin, b + begin, bytes, cudaMemcpyHostToDevice, streams[i]));
    }
    for (size_t i = 0; i < count; i++) {
        const size_t begin = beginOf(i, count, n), share = beginOf(i + 1, count, n) - begin;
        vectorAdd<<<gridFor(share), BLOCK, 0, streams[i]>>>(d_a + begin, d_b + begin, d_c + begin,
                                                            share);
    }
    for (size_t i = 0; i < count; i++) {
        const size_t begin = beginOf(i, count, n),
                     bytes = (beginOf(i + 1, count, n) - begin) * sizeof(float);
        CHECK(cudaMemcpyAsync(c + begin, d_c + begin, bytes, cudaMemcpyDeviceToHost, streams[i]));
    }
    for (size_t i = 0; i < count; i++) {
        CHECK(cudaStreamSynchronize(streams[i]));
        CHECK(cudaStreamDestroy(streams[i]));
    }
    // END SOLUTION
}

static LabFlag FLAGS[] = {
    numberFlag("--streams", "N",
               "steps 12 and 13 with N streams alone (default: 1, 2, 4, 8 and 16)", 1, MOST_STREAMS,
               0),
};

typedef void (*OverlapFunction)(const float *a, const float *b, float *c, float *d_a, float *d_b,
                                float *d_c, size_t n, size_t count);

static void runOverlap(Lab *lab, const LabStep *steps, const Data *data) {
    const OverlapFunction orders[] = {depthFirst, breadthFirst};
    const Vectors *pinned = &data->pinned, *device = &data->device;
    const size_t only = FLAGS[0].number;
    /* CUDA loads a kernel at its first launch, which waits for work under way: here, with no
     * elements, for none. */
    vectorAdd<<<1, BLOCK>>>(device->a, device->b, device->c, 0);
    labGroup(lab, "copies and kernels at the same time, in several streams");
    for (size_t i = 0; i < COUNT(orders); i++) {
        for (size_t count = only > 0 ? only : 1; count <= (only > 0 ? only : MOST_STREAMS);
             count *= 2) {
            beginAddition(lab, data, steps[i].name, data->n / count);
            labArgument(lab, "%zu", count);
            if (data->n < count) labSkip(lab, "fewer elements than streams");
            while (labRuns(lab)) {
                poisonFloats(pinned->c, data->n);
                labStart(lab);
                orders[i](pinned->a, pinned->b, pinned->c, device->a, device->b, device->c, data->n,
                          count);
                const bool idle = stopsIdle(lab, pinned->c + data->n - 1);
                if (labChecks(lab))
                    labVerdict(lab, judgeWait(idle, judgeResults(data->sum, pinned->c, data->n)));
            }
        }
    }
}

/* Kernels of steps 14 and 15, of one block each. */
constexpr size_t KERNELS = 16;

/* Adds n elements with a single block. Given to you. */
__global__ void addByOneBlock(const float *a, const float *b, float *c, size_t n) {
    for (size_t i = threadIdx.x; i < n; i += blockDim.x) c[i] = a[i] + b[i];
}

/* ---- Step 14: given ----
 *
 *     stream   | k0 | k1 | k2 | k3 | ...
 *
 * Question: a block runs on one multiprocessor. What do the others do?
 */
static void kernelsInTurn(const float *d_a, const float *d_b, float *d_c, size_t n) {
    for (size_t i = 0; i < KERNELS; i++) {
        const size_t begin = beginOf(i, KERNELS, n), share = beginOf(i + 1, KERNELS, n) - begin;
        addByOneBlock<<<1, BLOCK>>>(d_a + begin, d_b + begin, d_c + begin, share);
    }
    CHECK(cudaDeviceSynchronize());
}

/* ---- Step 15 ----
 *
 *     stream 0   | k0 |
 *     stream 1   | k1 |
 *     stream 2   | k2 |
 *
 * Question: would 16 times as many streams be 16 times as fast again? What limits it?
 */
static void kernelsAtOnce(const float *d_a, const float *d_b, float *d_c, size_t n) {
    // BEGIN SOLUTION kernelsAtOnce
    // TODO("The kernels of step 14, each in a stream of its own.", "handouts/lab12.md#kernelsatonce");
    cudaStream_t streams[KERNELS];
    for (size_t i = 0; i < KERNELS; i++) CHECK(cudaStreamCreate(&streams[i]));
    for (size_t i = 0; i < KERNELS; i++) {
        const size_t begin = beginOf(i, KERNELS, n), share = beginOf(i + 1, KERNELS, n) - begin;
        addByOneBlock<<<1, BLOCK, 0, streams[i]>>>(d_a + begin, d_b + begin, d_c + begin, share);
    }
    for (size_t i = 0; i < KERNELS; i++) {
        CHECK(cudaStreamSynchronize(streams[i]));
        CHECK(cudaStreamDestroy(streams[i]));
    }
    // END SOLUTION
}

typedef void (*KernelsFunction)(const float *d_a, const float *d_b, float *d_c, size_t n);

static void runKernels(Lab *lab, const LabStep *steps, const Data *data) {
    const KernelsFunction ways[] = {kernelsInTurn, kernelsAtOnce};
    const Vectors *device = &data->device;
    labGroup(lab, "%zu kernels of one block, data on the device", KERNELS);
    dataOnDevice(lab, data);
    for (size_t i = 0; i < COUNT(ways); i++) {
        labStep(lab, steps[i].name, 1, BLOCK);
        labBytes(lab, 3.0 * data->bytes);
        if (data->n < KERNELS) labSkip(lab, "fewer elements than kernels");
        while (labRuns(lab)) {
            labStart(lab);
            ways[i](device->a, device->b, device->c, data->n);
            const bool idle = stopsIdle(lab, NULL);
            if (labChecks(lab))
                labVerdict(lab, judgeWait(idle, judgeOnDevice(data->sum, device->c, data->n)));
        }
    }
}

/* Floats of a piece, and from the begin of a piece to that of the next. */
constexpr size_t PIECE = 256, SPACING = 4096;

/* ---- Step 16: given ----
 *
 *     host     |piece 0|  . . .  |piece 1|  . . .  |piece 2|
 *                  |                  |                |        a copy for each
 *     device   |piece 0|piece 1|piece 2|
 *
 * Question: a copy of 1 KiB and one of 16 bytes: how much longer does the first take?
 */
static void copyPieces(const float *const *pieces, size_t count, float *d_pieces) {
    for (size_t i = 0; i < count; i++) {
        CHECK(cudaMemcpyAsync(d_pieces + i * PIECE, pieces[i], PIECE * sizeof(float),
                              cudaMemcpyHostToDevice));
    }
    CHECK(cudaDeviceSynchronize());
}

/* ---- Step 17 ----
 *
 *     host     |piece 0|piece 1|piece 2|      collected by the CPU
 *                      |                      one copy
 *     device   |piece 0|piece 1|piece 2|
 *
 * Question: all bytes move twice on the host now. Why is it faster?
 */
static void copyPacked(const float *const *pieces, size_t count, float *packed, float *d_pieces) {
    // BEGIN SOLUTION copyPacked
    // TODO("Collect the pieces, each of PIECE floats, in the pinned array packed; copy them to "
    //      "d_pieces at once.",
    //      "handouts/lab12.md#copypacked");
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < PIECE; k++) packed[i * PIECE + k] = pieces[i][k];
    }
    CHECK(cudaMemcpy(d_pieces, packed, count * PIECE * sizeof(float), cudaMemcpyHostToDevice));
    // END SOLUTION
}

static void runPieces(Lab *lab, const LabStep *steps, const Data *data) {
    const size_t count = data->n / SPACING, n = count * PIECE, bytes = n * sizeof(float);
    const float **pieces = (const float **)inputPages(count * sizeof(float *));
    float *source = pin(inputPages(data->bytes), data->bytes);
    float *packed = pin(outputPages(bytes), bytes), *want = hostArray<float>(n), *d_pieces;
    if (count > 0) memcpy(source, data->pinned.a, data->bytes);
    for (size_t i = 0; i < count; i++) {
        pieces[i] = source + i * SPACING;
        memcpy(want + i * PIECE, pieces[i], PIECE * sizeof(float));
    }
    labDropArrays(lab);
    labNeeds(lab, bytes);
    CHECK(cudaMalloc(&d_pieces, bytes));
    labOutput(lab, d_pieces, bytes);
    labGroup(lab, "%zu pieces of %zu floats to the device", count, PIECE);

    labStep(lab, steps[0].name, 1, 0);
    labBytes(lab, bytes);
    if (count == 0) labSkip(lab, "too few elements for a piece");
    while (labRuns(lab)) {
        labStart(lab);
        copyPieces(pieces, count, d_pieces);
        labStop(lab);
        if (labChecks(lab)) labVerdict(lab, judgeOnDevice(want, d_pieces, n));
    }

    labStep(lab, steps[1].name, 1, 0);
    labBytes(lab, bytes);
    labUnmodelled(lab, "no time: the CPU's collecting is not modelled");
    if (count == 0) labSkip(lab, "too few elements for a piece");
    while (labRuns(lab)) {
        labStart(lab);
        copyPacked(pieces, count, packed, d_pieces);
        labStop(lab);
        if (labChecks(lab)) labVerdict(lab, judgeOnDevice(want, d_pieces, n));
    }
    labDropArrays(lab);
    cudaFree(d_pieces);
    unpin(packed);
    unpin(source);
    freePages(pieces);
    free(want);
}

/* The most GPUs of step 18. */
constexpr int MOST_DEVICES = 16;

/* ---- Step 18 ----
 *
 *     device 0   a, b there | + |   | its share of d_c, from itself
 *     device 1   a, b there | + |   | its share of d_c, from device 1: a copy between peers
 *
 * Question: each GPU has its own way to the host. Which steps of the work
 * become faster, which do not?
 */
static void addOnAllDevices(const float *a, const float *b, float *d_c, size_t n) {
    // BEGIN SOLUTION addOnAllDevices
    // TODO("cudaGetDeviceCount; each device (cudaSetDevice) adds its share; cudaMemcpyPeer brings "
    //      "it to d_c on device 0.",
    //      "handouts/lab12.md#addonalldevices");
    float *parts[MOST_DEVICES][3]; /* of a, b and c, on each device */
    int devices;
    CHECK(cudaGetDeviceCount(&devices));
    for (int device = 0; device < devices; device++) {
        const size_t begin = beginOf(device, devices, n),
                     share = beginOf(device + 1, devices, n) - begin;
        float **part = parts[device];
        CHECK(cudaSetDevice(device));
        for (int i = 0; i < 3; i++) CHECK(cudaMalloc(&part[i], share * sizeof(float)));
        CHECK(cudaMemcpyAsync(part[0], a + begin, share * sizeof(float), cudaMemcpyHostToDevice));
        CHECK(cudaMemcpyAsync(part[1], b + begin, share * sizeof(float), cudaMemcpyHostToDevice));
        vectorAdd<<<gridFor(share), BLOCK>>>(part[0], part[1], part[2], share);
    }
    for (int device = 0; device < devices; device++) {
        const size_t begin = beginOf(device, devices, n),
                     share = beginOf(device + 1, devices, n) - begin;
        float **part = parts[device];
        CHECK(cudaSetDevice(device));
        CHECK(cudaMemcpyPeer(d_c + begin, 0, part[2], device, share * sizeof(float)));
        CHECK(cudaDeviceSynchronize());
        for (int i = 0; i < 3; i++) CHECK(cudaFree(part[i]));
    }
    CHECK(cudaSetDevice(0));
    // END SOLUTION
}

/* ---- Running them ---- */

static const LabStep STEPS[] = {
    {"addOnHost", "the CPU's loop"},
    {"vectorAdd", "the kernel alone"},
    {"addOnDevice", "with all that belongs to it"},
    {"timeByClock", "the kernel by the CPU's clock"},
    {"timeByEvents", "the kernel by events"},
    {"copyAddCopy", "copies and kernel, from ordinary memory"},
    {"pinnedArray", "from pinned memory"},
    {"addMapped", "the kernel reads the host's memory: no copies"},
    {"managedArray", "pages that move by themselves"},
    {"copyEachTime", "ten additions, copies around each"},
    {"stayOnDevice", "ten additions, copies around all"},
    {"depthFirst", "several streams, one after the other"},
    {"breadthFirst", "several streams, side by side"},
    {"kernelsInTurn", "small kernels, one after the other"},
    {"kernelsAtOnce", "small kernels, side by side"},
    {"copyPieces", "a copy for each piece"},
    {"copyPacked", "one copy for all pieces"},
    {"addOnAllDevices", "a share for each GPU"},
};

static const char *blockRefusal(unsigned int block) {
    return block == BLOCK ? NULL : "no step here is about blocks: leave it at 256";
}

/* Lets the devices reach device 0's memory without a way through the host, where they can. */
static void connectDevices(int devices) {
    for (int device = 1; device < devices; device++) {
        int can = 0;
        CHECK(cudaDeviceCanAccessPeer(&can, device, 0));
        CHECK(cudaSetDevice(device));
        if (can) CHECK(cudaDeviceEnablePeerAccess(0, 0));
    }
    CHECK(cudaSetDevice(0));
}

static void runDevices(Lab *lab, const LabStep *steps, const Data *data) {
    const Vectors *pinned = &data->pinned;
    int devices;
    CHECK(cudaGetDeviceCount(&devices));
    if (devices > MOST_DEVICES) devices = MOST_DEVICES;
    connectDevices(devices);
    nothingOnDevice(lab, data);
    labGroup(lab, "c = a + b on %d GPU%s", devices, devices > 1 ? "s" : "");
    beginAddition(lab, data, steps[0].name, data->n / devices);
    if (data->n > 0 && data->n < (size_t)devices) labSkip(lab, "fewer elements than GPUs");
    while (labRuns(lab)) {
        labStart(lab);
        addOnAllDevices(pinned->a, pinned->b, data->device.c, data->n);
        CHECK(cudaSetDevice(0));
        labStop(lab);
        if (labChecks(lab)) labVerdict(lab, judgeOnDevice(data->sum, data->device.c, data->n));
    }
    labDropArrays(lab);
}

int main(int argc, char **argv) {
    LabInfo info = labInfo(12, "host_device", __FILE__, "floats of each vector");
    /* 16 MiB a vector, more than caches of most CPUs hold for three of them. */
    info.defaultSize = 1 << 22;
    info.maxSize = 1 << 28;
    info.defaultBlock = BLOCK;
    info.blockRefusal = blockRefusal;
    info.flags = FLAGS;
    info.flagsN = COUNT(FLAGS);
    Lab lab = labOpen(argc, argv, info, STEPS);
    Data data = makeData(&lab);
    labHeader(&lab, "c = a + b, vectors of %zu floats; the CPU is %s", data.n, processorName());
    runAdditions(&lab, STEPS + 0, &data);
    runClocks(&lab, STEPS + 3, &data);
    runMemories(&lab, STEPS + 5, &data);
    runRounds(&lab, STEPS + 9, &data);
    runOverlap(&lab, STEPS + 11, &data);
    runKernels(&lab, STEPS + 13, &data);
    runPieces(&lab, STEPS + 15, &data);
    runDevices(&lab, STEPS + 17, &data);
    freeData(&data);
    return labClose(&lab);
}
