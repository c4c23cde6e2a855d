/* host.h: runs functions of the CPU, and judges what they compute, in which order they go through
 * memory (lab 11), and whether they wait for the device (lab 12). */
#pragma once

#include "lab.h"
#include "pages.h"
#include "processor.h"

/* ---- The order of accesses ---- */

/* What is checked: results, or in which order steps go through memory, or add. */
static const char *const WATCHES[] = {"time", "pages", NULL};
static LabFlag WATCH_FLAG[] = {
    wordFlag("--watch", "WHAT",
             "what is checked: results (time, default), or the order (pages): whether steps 1 to 4 "
             "jump, and how steps 8 and 9 round",
             WATCHES),
};

static inline bool watchesPages() {
    return WATCH_FLAG[0].number == 1;
}

/* An array of inputPages, and how often a step may change to another page of it: less often than
 * the bound, or, if it jumps, at least so often. */
struct Watch {
    void *array;
    size_t bytes, bound;
    bool jumps;
};

/* ---- Running a step ---- */

/* Runs a step: prepare() makes its results wrong, work() is timed, and judge() is the verdict on
 * the results. watch: judges the order with --watch pages; NULL: the results always. */
template <class Prepare, class Work, class Judge>
void runOnHost(Lab *lab, const char *step, double bytes, const Watch *watch, Prepare prepare,
               Work work, Judge judge) {
    const bool watches = watch != NULL && watchesPages();
    size_t changes = 0;
    labHostStep(lab, step);
    labBytes(lab, bytes);
    while (labRuns(lab)) {
        prepare();
        if (watches) watchPages(watch->array, watch->bytes, watch->bound);
        labStart(lab);
        work();
        labStop(lab);
        if (watches) changes = countedPageChanges();
        if (labChecks(lab))
            labVerdict(lab, watches ? (judgeNumber((changes >= watch->bound) == watch->jumps,
                                                   (double)changes, (double)watch->bound))
                                    : judge());
    }
}

/* ---- The machine ---- */

/* Bytes of main memory that are free for programs (MemAvailable of /proc/meminfo); 0: not known. */
static inline double availableMemory() {
    double kilobytes = 0;
    char line[256];
    FILE *info = fopen("/proc/meminfo", "r");
    while (info != NULL && kilobytes == 0 && fgets(line, sizeof line, info) != NULL)
        sscanf(line, "MemAvailable: %lf", &kilobytes);
    if (info != NULL) fclose(info);
    return kilobytes * 1024;
}

/* Ends the program if these bytes are more than half of the free memory: the system might swap,
 * which would spoil the times. */
static inline void refuseTooLarge(const Lab *lab, double bytes) {
    const double available = availableMemory();
    if (available == 0 || bytes <= available / 2) return;
    refuse(
        lab->info.name,
        "--size %zu: takes %.0f MB, and this machine has %.0f MB free, half of which may be used",
        lab->size, bytes / 1e6, available / 1e6);
}

/* ---- Inputs and results ---- */

/* Writes the numbers 0 to n - 1 there in random order (Fisher and Yates). */
static inline void shuffle(unsigned int *order, size_t n, uint64_t seed) {
    for (size_t i = 0; i < n; i++) order[i] = (unsigned int)i;
    for (size_t i = n; i > 1; i--) {
        const size_t other = nextRandom(&seed) % i;
        const unsigned int last = order[i - 1];
        order[i - 1] = order[other];
        order[other] = last;
    }
}

/* Is C the product of A and B? Freivalds' test: C x = A (B x) for a random x. All numbers are
 * integers, so the sides are equal or not. A wrong C passes with a chance of at most one in a
 * thousand for each of its wrong rows. */
static inline bool isExactProduct(const double *C, const double *A, const double *B, size_t n,
                                  uint64_t seed) {
    double *x = hostArray<double>(n), *Bx = hostArray<double>(n);
    bool right = true;
    for (size_t i = 0; i < n; i++) x[i] = (double)(nextRandom(&seed) >> 54);
    for (size_t i = 0; i < n; i++) {
        Bx[i] = 0;
        for (size_t j = 0; j < n; j++) Bx[i] += B[i * n + j] * x[j];
    }
    for (size_t i = 0; i < n; i++) {
        double Cx = 0, ABx = 0;
        for (size_t j = 0; j < n; j++) {
            Cx += C[i * n + j] * x[j];
            ABx += A[i * n + j] * Bx[j];
        }
        right = right && Cx == ABx;
    }
    free(x);
    free(Bx);
    return right;
}

/* Are the n words on the device the numbers from 0 on? */
static inline Verdict judgeCounted(const unsigned int *d_words, unsigned int n) {
    unsigned int *words = hostArray<unsigned int>(n);
    CHECK(cudaMemcpy(words, d_words, n * sizeof(unsigned int), cudaMemcpyDeviceToHost));
    Verdict verdict = ALL_RIGHT;
    for (unsigned int i = 0; i < n; i++) judgeElement(&verdict, words[i] == i, words[i], i);
    free(words);
    return verdict;
}

/* ---- Work of the device that a step has to wait for ---- */

static inline void poisonFloats(float *c, size_t n) {
    memset(c, POISON_BYTE, n * sizeof(float));
}

/* Are these n floats on the device the wanted ones? */
static inline Verdict judgeOnDevice(const float *want, const float *d_got, size_t n) {
    float *got = hostArray<float>(n);
    CHECK(cudaMemcpy(got, d_got, n * sizeof(float), cudaMemcpyDeviceToHost));
    const Verdict verdict = judgeResults(want, got, n);
    free(got);
    return verdict;
}

/* Ends the timed part of a run. Returns whether the step has waited for the device: otherwise the
 * host would read a result that is not there yet. last: the last element that the device writes to
 * the host; NULL: none. */
static inline bool stopsIdle(Lab *lab, const float *last) {
    const bool idle = cudaStreamQuery(0) == cudaSuccess && (last == NULL || !isPoison(*last));
    cudaGetLastError(); /* an answer, no error */
    labStop(lab);
    return idle;
}

/* The verdict on results: they must be right, and must have been there when the step ended. */
static inline Verdict judgeWait(bool idle, Verdict results) {
    if (!results.ok || idle) return results;
    return judgeCondition(false, "the step ended before the device's work: wait for it");
}

/* Is an array of n floats of this type of memory, from its first to its last? */
static inline bool isMemoryOf(cudaMemoryType type, const float *array, size_t n) {
    cudaPointerAttributes first, last;
    if (array == NULL) return false;
    CHECK(cudaPointerGetAttributes(&first, array));
    CHECK(cudaPointerGetAttributes(&last, array + n - 1));
    return first.type == type && last.type == type;
}
