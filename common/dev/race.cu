/* race.cu: lab 6's last steps and CUB's DeviceReduce, timed against one another over a range of
 * sizes:
 *
 *     race [--size N] [--repeat R] --csv FILE
 *
 * For 2^20, 2^22 ... 2^30 integers, or up to N. Every run gets another part of a large pool of
 * numbers, so none finds its input in a cache; the contestants take turns, so none has a quieter
 * machine than another; and the GPU is kept busy while the CPU prepares a launch, so only what
 * happens on the GPU is timed, the pauses between a contestant's own launches included. */
#define main labMain
#include "../../solutions/lab6-shared-reduction/shared_reduction.cu"
#undef main

/* ---- The pool ---- */

enum {
    MOST_POOL = 1 << 30,
    POOLS = 2,
    BUSY_CYCLES = 20000,
    FILL_BLOCKS = 1024,
    FILL_THREADS = 256
};

/* The number at place i of the pool, from -128 to 127: a bijective mix (Prospecting for Hash
 * Functions, lowbias32), so CPU and GPU can each make it for themselves. */
static __host__ __device__ inline int poolNumber(unsigned int i) {
    i = (i ^ (i >> 16)) * 0x7FEB352Du;
    i = (i ^ (i >> 15)) * 0x846CA68Bu;
    return (int)((i ^ (i >> 16)) & 255) - 128;
}

static __global__ void fillPool(int *pool, size_t n) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        pool[i] = poolNumber((unsigned int)i);
    }
}

/* Does nothing for some time. */
static __global__ void keepBusy(long long cycles) {
    long long start = clock64();
    while (clock64() - start < cycles) {
    }
}

/* ---- The contestants ---- */

enum { VECTOR, ONE_PASS, ONE_ATOMIC, CUB, CONTESTANTS };

/* The last is the one that the others are compared with. */
static const LabStep NAMES[CONTESTANTS] = {
    {"reduceVector", "16-byte loads, four under way"},
    {"reduceOnePass", "the last block adds the blocks' sums"},
    {"reduceOneAtomic", "one atomic addition counts and adds"},
    {"cubDeviceReduce", "the library's sum"},
};

struct Race {
    Lab *lab;
    int *pool;
    size_t poolN, turn; /* numbers in the pool; inputs given out */
    Passes<int> vector;
    unsigned int resident, queued; /* blocks of ONE_PASS and ONE_ATOMIC */
    int *sums, *result;
    void *temporary; /* CUB's */
    size_t temporaryBytes;
    std::string csv;
};

/* Start the sum of n integers at in. Returns where on the GPU the sum will be. */
static const int *launch(Race *race, int contestant, int *in, unsigned int n) {
    DeviceData<int> d = {in, {race->sums, race->sums + race->vector.mostBlocks}, race->result};
    switch (contestant) {
    case VECTOR: return sumInPasses(&race->vector, &d, n, 1, (int *)NULL);
    case ONE_PASS:
        reduceOnePass<<<tileGrid<int>(n, race->resident), WIDE_BLOCK>>>(in, race->sums,
                                                                        race->result, n);
        break;
    case ONE_ATOMIC:
        reduceOneAtomic<<<tileGrid<int>(n, race->queued), WIDE_BLOCK>>>(in, race->result, n);
        break;
    default: cubSum(CUB_INT, race->temporary, &race->temporaryBytes, in, race->result, (int)n);
    }
    return race->result;
}

/* In milliseconds, on the part of the pool that was used longest ago. */
static double timeOne(Race *race, int contestant, size_t n) {
    int *in = race->pool + race->turn++ % (race->poolN / n) * n;
    if (!race->lab->modelled) keepBusy<<<1, 1>>>(BUSY_CYCLES);
    CHECK(cudaEventRecord(race->lab->harness->start));
    launch(race, contestant, in, (unsigned int)n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(race->lab->harness->stop));
    CHECK(cudaEventSynchronize(race->lab->harness->stop));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, race->lab->harness->start, race->lab->harness->stop));
    return milliseconds;
}

/* The contestant must find this sum of the pool's first n numbers, or the program ends. */
static void checkOne(Race *race, int contestant, size_t n, int want) {
    int got = ~want;
    const int *sum = launch(race, contestant, race->pool, (unsigned int)n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
    if (got == want) return;
    fprintf(stderr, "%s: %s gives %d for the sum of %zu numbers, not %d\n", race->lab->info.name,
            NAMES[contestant].name, got, n, want);
    exit(EXIT_WRONG);
}

/* ---- The results ---- */

/* Is the best of the others as fast as the last? And how much of the memory's peak is that? */
static void judge(const Race *race, const Row *rows, int power) {
    const int NEAR_PEAK_FROM =
        28; /* 2^28 numbers, 1 GB: from there on starting and ending a kernel hardly count */
    const double NEAR_PEAK = 0.9;
    int best = 0;
    for (int i = 0; i < CUB; i++) {
        if (medianTime(rows[i]) < medianTime(rows[best])) best = i;
    }
    double ratio = rows[best].speedupFirst, share = rows[best].bytes / medianTime(rows[best]) /
                                                    1e6 / race->lab->harness->device.peakBandwidth;
    printf("    2^%d: %s is %.3f times as fast as %s: %s", power, NAMES[best].name, ratio,
           NAMES[CUB].name, ratio >= 1 ? "met" : "NOT met");
    if (power >= NEAR_PEAK_FROM) {
        printf("; %.1f %% of the peak bandwidth: %s", 100 * share,
               share >= NEAR_PEAK ? "met" : "NOT met");
    }
    printf("\n");
}

/* Print the rows, and add them to the CSV file, in the columns of run.csv: the speedup is over
 * CUB's time. */
static void report(Race *race, Row *rows, int power) {
    const Lab *lab = race->lab;
    for (int i = 0; i < CONTESTANTS; i++) {
        Row *row = &rows[i];
        row->speedupFirst = medianTime(rows[CUB]) / medianTime(*row);
        printf("  %-22s %10.2f us  (%.2f-%.2f)  %8.1f GB/s   x %.3f\n", row->kernel.c_str(),
               1000 * medianTime(*row), 1000 * row->times.front(), 1000 * row->times.back(),
               row->bytes / medianTime(*row) / 1e6, row->speedupFirst);
        race->csv += csvLine(lab, *row);
    }
    judge(race, rows, power);
    fflush(stdout);
}

/* Sums of n = 2^power numbers, which come to `want`. */
static void raceOver(Race *race, size_t n, int power, int want) {
    Row rows[CONTESTANTS] = {};
    for (int i = 0; i < CONTESTANTS; i++) {
        checkOne(race, i, n, want);
        rows[i].step = i + 1;
        rows[i].kernel = format("%s(p%d)", NAMES[i].name, power);
        rows[i].grid = rows[i].block = dim3(0, 0, 0);
        rows[i].bytes = sizeof(int) * (double)n;
        rows[i].outcome = STEP_OK;
        rows[i].status = "ok";
    }
    const int repeat = race->lab->modelled ? 1 : race->lab->harness->options.repeat;
    for (int round = 0; round < repeat; round++) {
        for (int i = 0; i < CONTESTANTS; i++) rows[i].times.push_back(timeOne(race, i, n));
    }
    for (int i = 0; i < CONTESTANTS; i++) {
        checkOne(race, i, n, want);
        std::sort(rows[i].times.begin(), rows[i].times.end());
    }
    report(race, rows, power);
}

/* ---- The program ---- */

enum { LEAST_POWER = 20, MOST_POWER = 30 };

static LabInfo labInfo() {
    LabInfo info = {};
    info.number = 6;
    info.name = "race";
    info.source = __FILE__;
    info.sizeMeaning = "the most integers to add up";
    info.defaultSize = (size_t)1 << MOST_POWER;
    info.maxSize = (size_t)1 << MOST_POWER;
    info.minSize = (size_t)1 << LEAST_POWER;
    info.defaultBlock = WIDE_BLOCK;
    return info;
}

static Race makeRace(Lab *lab) {
    Race race = {};
    race.lab = lab;
    race.vector = vectorPasses<int>();
    race.resident = residentBlocks(WIDE_BLOCK);
    race.queued = mostQueuedBlocks();
    race.poolN = lab->modelled ? lab->size : (size_t)POOLS * MOST_POOL;
    const unsigned int vectorSums = 2 * race.vector.mostBlocks;
    const size_t sumBytes = sizeof(int) * (race.resident > vectorSums ? race.resident : vectorSums);
    CHECK(cubSum(CUB_INT, NULL, &race.temporaryBytes, NULL, NULL, (int)lab->size));
    labNeeds(lab, race.poolN * sizeof(int) + race.temporaryBytes + sumBytes + sizeof(int));
    CHECK(cudaMalloc(&race.temporary, race.temporaryBytes));
    CHECK(cudaMalloc(&race.sums, sumBytes));
    CHECK(cudaMalloc(&race.result, sizeof(int)));
    CHECK(cudaMalloc(&race.pool, race.poolN * sizeof(int)));
    fillPool<<<FILL_BLOCKS, FILL_THREADS>>>(race.pool, race.poolN);
    CHECK(cudaGetLastError());
    return race;
}

static void freeRace(Race *race) {
    CHECK(cudaFree(race->temporary));
    CHECK(cudaFree(race->sums));
    CHECK(cudaFree(race->result));
    CHECK(cudaFree(race->pool));
}

int main(int argc, char **argv) {
    Lab lab = labOpen(argc, argv, labInfo(), NAMES);
    if (lab.harness->options.csv == NULL)
        refuse(lab.info.name, "name the file for the results: --csv FILE");
    if (cubSum == NULL) refuse(lab.info.name, "%s", NO_CUB);
    Race race = makeRace(&lab);
    printf("Device: %s, peak bandwidth %.0f GB/s, times %s\n", lab.harness->device.name.c_str(),
           lab.harness->device.peakBandwidth,
           lab.modelled ? "modelled"
                        : format("measured, median of %d", lab.harness->options.repeat).c_str());
    race.csv = csvHead(extraColumns(&lab));
    int sum = 0, power = LEAST_POWER;
    size_t summed = 0;
    for (size_t n = (size_t)1 << LEAST_POWER; n <= lab.size; n *= 4, power += 2) {
        for (; summed < n; summed++) sum += poolNumber((unsigned int)summed);
        raceOver(&race, n, power, sum);
    }
    freeRace(&race);
    if (writeFile(lab.harness->options.csv, race.csv)) return printed_all() ? EXIT_OK : EXIT_WRONG;
    fprintf(stderr, "%s: cannot write %s: %s\n", lab.info.name, lab.harness->options.csv,
            strerror(errno));
    return EXIT_WRONG;
}
