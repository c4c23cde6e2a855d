/*
 * race.h: ways to add up integers, timed against one another over a range of sizes.
 *
 * Every run gets another part of a large pool of numbers, so none finds its input in a cache; the contestants take
 * turns, so none has a quieter machine than another; and the GPU is kept busy while the CPU prepares a launch, so only
 * what happens on the GPU is timed, the pauses between a contestant's own launches included.
 */
#ifndef HARNESS_RACE_H
#define HARNESS_RACE_H

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "device.h"
#include "options.h"
#include "report.h"

/* The number at place i of the pool, from -128 to 127: a bijective mix (Prospecting for Hash Functions, lowbias32), so
 * CPU and GPU can each make it for themselves. */
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

class Race {
  public:
    /* Launches the sum of n integers at in. Returns where on the GPU the sum will be. */
    typedef std::function<const int *(const int *in, unsigned int n)> Launch;

    /* For sizes `least`, 4 * least, 16 * least ... up to `most`, at most 2^30. */
    Race(const LabInfo &info, int repeat, size_t least, size_t most);
    ~Race();
    /* The last to enter is the one that the others are held against. */
    void enter(const char *name, const Launch &launch);
    /* Run, print, and write the CSV file, in the columns of run.csv: a contestant's kernel is NAME(pX) for 2^X numbers,
     * its speedup is over the last one's time. Returns the program's exit code. */
    int run(const char *csv);

  private:
    enum { MOST_POOL = 1 << 30, POOLS = 2, BUSY_CYCLES = 20000, FILL_BLOCKS = 1024, FILL_THREADS = 256 };
    struct Contestant {
        const char *name;
        Launch launch;
    };

    LabInfo info;
    int repeat;
    size_t least, most, pool;
    Device device;
    int *numbers;
    size_t turn = 0;
    cudaEvent_t start, stop;
    std::vector<Contestant> contestants;
    std::string csvText;

    const int *nextInput(size_t n);
    double timeOne(const Contestant &contestant, size_t n);
    void check(const Contestant &contestant, size_t n, int want);
    void raceOver(size_t n, int want);
    void report(const std::vector<Row> &rows, int power);
    void judge(const std::vector<Row> &rows, int power) const;
};

inline Race::Race(const LabInfo &info, int repeat, size_t least, size_t most)
    : info(info), repeat(repeat), least(least), most(most), device(openDevice(info.name)) {
    if (device.modelled) this->repeat = 1;
    pool = device.modelled ? most : (size_t)POOLS * MOST_POOL;
    if (cudaMalloc(&numbers, pool * sizeof(int)) != cudaSuccess) {
        refuse(info.name, "--race: the GPU has no room for %zu bytes of numbers", pool * sizeof(int));
    }
    fillPool<<<FILL_BLOCKS, FILL_THREADS>>>(numbers, pool);
    CHECK(cudaGetLastError());
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
}

inline Race::~Race() {
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaFree(numbers);
}

inline void Race::enter(const char *name, const Launch &launch) {
    Contestant contestant = {name, launch};
    contestants.push_back(contestant);
}

/* The part of the pool that was used longest ago. */
inline const int *Race::nextInput(size_t n) {
    return numbers + turn++ % (pool / n) * n;
}

/* In milliseconds. */
inline double Race::timeOne(const Contestant &contestant, size_t n) {
    const int *in = nextInput(n);
    if (!device.modelled) keepBusy<<<1, 1>>>(BUSY_CYCLES);
    CHECK(cudaEventRecord(start));
    contestant.launch(in, (unsigned int)n);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float milliseconds = 0;
    CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    return milliseconds;
}

/* The sum of the pool's first n numbers, or the end of the program. */
inline void Race::check(const Contestant &contestant, size_t n, int want) {
    int got = ~want;
    const int *sum = contestant.launch(numbers, (unsigned int)n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
    if (got == want) return;
    fprintf(stderr, "%s: --race: %s gives %d for the sum of %zu numbers, not %d\n", info.name, contestant.name, got, n,
            want);
    exit(EXIT_WRONG);
}

/* Is the best of the others as fast as the last? And how much of the memory's peak is that? */
inline void Race::judge(const std::vector<Row> &rows, int power) const {
    const int NEAR_PEAK_FROM = 28; /* 2^28 numbers, 1 GB: from there on starting and ending a kernel hardly count */
    const double NEAR_PEAK = 0.9;
    size_t best = 0;
    for (size_t i = 0; i + 1 < rows.size(); i++) {
        if (rows[i].medianTime() < rows[best].medianTime()) best = i;
    }
    double ratio = rows[best].speedupFirst, share = rows[best].bandwidth() / device.peakBandwidth;
    printf("    2^%d: %s is %.3f times as fast as %s: %s", power, contestants[best].name, ratio,
           contestants.back().name, ratio >= 1 ? "met" : "NOT met");
    if (power >= NEAR_PEAK_FROM) {
        printf("; %.1f %% of the peak bandwidth: %s", 100 * share, share >= NEAR_PEAK ? "met" : "NOT met");
    }
    printf("\n");
}

inline void Race::report(const std::vector<Row> &rows, int power) {
    for (const Row &row : rows) {
        printf("  %-22s %10.2f us  (%.2f-%.2f)  %8.1f GB/s   x %.3f\n", row.kernel.c_str(), 1000 * row.medianTime(),
               1000 * row.times.front(), 1000 * row.times.back(), row.bandwidth(), row.speedupFirst);
        csvText += csvRow(row, info.number, device.modelled ? "modelled" : "measured", device.name, {false, false});
    }
    judge(rows, power);
    fflush(stdout);
}

inline void Race::raceOver(size_t n, int want) {
    int power = 0;
    while (((size_t)1 << power) < n) power++;
    std::vector<Row> rows;
    for (const Contestant &contestant : contestants) {
        check(contestant, n, want);
        std::string kernel = format("%s(p%d)", contestant.name, power);
        int step = (int)rows.size() + 1;
        Row row = Row();
        row.step = step;
        row.kernel = kernel;
        row.grid = row.block = dim3(0, 0, 0);
        row.bytes = sizeof(int) * (double)n;
        row.outcome = STEP_OK;
        row.status = "ok";
        rows.push_back(row);
    }
    for (int round = 0; round < repeat; round++) {
        for (size_t i = 0; i < contestants.size(); i++) rows[i].times.push_back(timeOne(contestants[i], n));
    }
    for (size_t i = 0; i < contestants.size(); i++) check(contestants[i], n, want);
    for (Row &row : rows) std::sort(row.times.begin(), row.times.end());
    for (Row &row : rows) row.speedupFirst = rows.back().medianTime() / row.medianTime();
    report(rows, power);
}

inline int Race::run(const char *csv) {
    requireWritable(info, csv);
    printf("Device: %s, peak bandwidth %.0f GB/s, times %s\n", device.name.c_str(), device.peakBandwidth,
           device.modelled ? "modelled" : format("measured, median of %d", repeat).c_str());
    csvText = csvHead({false, false});
    int sum = 0;
    size_t summed = 0;
    for (size_t n = least; n <= most; n *= 4) {
        for (; summed < n; summed++) sum += poolNumber((unsigned int)summed);
        raceOver(n, sum);
    }
    if (writeFile(csv, csvText)) return EXIT_OK;
    fprintf(stderr, "%s: cannot write %s: %s\n", info.name, csv, strerror(errno));
    return EXIT_WRONG;
}

#endif
