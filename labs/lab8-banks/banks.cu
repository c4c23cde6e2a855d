/*
 * Lab 8: banks. What a load from shared memory costs, by which words the lanes of a warp want.
 *
 * Shared memory has 32 banks. Word i, of 4 bytes, lies in bank i % 32. In one pass, each bank
 * serves one word, to any number of lanes. A load of a warp takes as many passes as the busiest
 * bank has different words to serve.
 *
 * Every launch is one block, on one multiprocessor, because each multiprocessor has its own shared
 * memory. After each row stands how many passes the rule above predicts for a load.
 *
 * To run it: make lab8. By hand:
 *     nvcc -Icommon labs/lab8-banks/banks.cu -o banks && ./banks --help
 */
#include "common.h"
#include "harness/lab.h"

enum : unsigned int { WARP = 32, BANKS = 32, BANK_BYTES = 4 };

/* Words that a kernel keeps in shared memory. Lane 31 with the largest stride begins at word
 * 31 * 33. From where it begins, a lane reads AT_ONCE words of the same bank, then as many others,
 * then the first ones again, and so on: always other words than those just before, because the
 * compiler keeps what it has already loaded. (And it must not unroll the rounds: it would see that
 * every second one is the same.)
 *
 *     word     0  1  2 ... 31 | 32 33 34 ... 63 | 64 ...
 *     bank     0  1  2 ... 31 |  0  1  2 ... 31 |  0 ...
 *     lane 0   1st              2nd               3rd           load of a round
 */
enum : unsigned int { WORDS = 2048, AT_ONCE = 8, OTHERS = AT_ONCE * BANKS, LONGEST_STRIDE = 33 };
static_assert((WARP - 1) * LONGEST_STRIDE + 2 * OTHERS <= WORDS,
              "the last lane's words are all there");

/* Numbers in the input: words of 16 bytes are four each. */
enum : unsigned int { NUMBERS = 4 * WORDS, MOST_THREADS = 1024 };
/* Loads of a chase for each round of the other steps, so that
 * starting the kernel does not count. */
enum : unsigned int { CHASES_PER_ROUND = 64 };

/* ---- On the CPU: how many passes the rule predicts ---- */

/* Different words of this bank among those that lanes want: lane l wants
 * `width` words from word[l] on. */
static unsigned int wordsOfBank(unsigned int bank, const unsigned int *word, unsigned int lanes,
                                unsigned int width) {
    unsigned int wanted[WARP], n = 0;
    for (unsigned int lane = 0; lane < lanes; lane++) {
        for (unsigned int w = word[lane]; w < word[lane] + width; w++) {
            unsigned int known = 0;
            while (known < n && wanted[known] != w) known++;
            if (w % BANKS == bank && known == n) wanted[n++] = w;
        }
    }
    return n;
}

/* Passes over the banks that 32 lanes take, lane l wanting the `width` banks' words from word[l]
 * on, in units of banks. Lanes are served together as far as their bytes fit into one pass: all 32
 * with 4 bytes, 16 with 8, 8 with 16. */
static unsigned int passesFor(const unsigned int word[WARP], unsigned int width) {
    unsigned int passes = 0, together = WARP / width;
    for (unsigned int begin = 0; begin < WARP; begin += together) {
        unsigned int most = 0;
        for (unsigned int bank = 0; bank < BANKS; bank++) {
            const unsigned int words = wordsOfBank(bank, word + begin, together, width);
            if (words > most) most = words;
        }
        passes += most;
    }
    return passes;
}

/* The same for words of `width` banks that lie `stride` of them apart;
 * `sharers` lanes want the same one. */
static unsigned int passesAt(unsigned int width, unsigned int stride, unsigned int sharers) {
    unsigned int word[WARP];
    for (unsigned int lane = 0; lane < WARP; lane++) word[lane] = lane / sharers * stride * width;
    return passesFor(word, width);
}

/* ---- On the CPU: what the threads have to leave ---- */

/* What a thread that begins at word `first` adds up, words of `width` numbers. */
static unsigned int sumOfLoads(const unsigned int *in, unsigned int rounds, unsigned int first,
                               unsigned int width) {
    unsigned int sum = 0;
    for (unsigned int load = 0; load < rounds * AT_ONCE; load++) {
        const unsigned int word = first + load % (2 * AT_ONCE) * BANKS;
        for (unsigned int part = 0; part < width; part++) sum += in[word * width + part];
    }
    return sum;
}

/* What a thread adds up of its column of a tile. */
static unsigned int sumOfColumn(const unsigned int *in, unsigned int rounds, unsigned int thread) {
    unsigned int sum = 0;
    for (unsigned int load = 0; load < rounds * AT_ONCE; load++)
        sum += in[thread % WARP * WARP + (thread / WARP * AT_ONCE + load) % WARP];
    return sum;
}

/* Where a lane's chase ends, in bytes, words of `width` numbers. */
static unsigned int endOfChase(unsigned int lane, unsigned int stride, unsigned int loads,
                               unsigned int width) {
    return (lane * stride + loads * BANKS) % WORDS * width * BANK_BYTES;
}

/* Your own functions and constants, if you need any: the grader takes them from here. */
// BEGIN HELPERS
// END HELPERS

/* ---- Step 1 ----
 *
 *     stride 1    lane 0 1 2 3 ...        in bank 0 1 2 3 ...       one word each
 *     stride 2    lane 0 1 2 ... 16 ...   in bank 0 2 4 ...  0 ...  two words in every other bank
 *
 * Question: which strides have no conflict at all? Is 31 better or worse than 32?
 * Metric: shared_load_transactions_per_request
 */
__global__ void read32(const unsigned int *in, unsigned int *out, unsigned int stride,
                       unsigned int rounds) {
    __shared__ unsigned int words[WORDS];
    for (unsigned int i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = in[i];
    __syncthreads();

    unsigned int first = threadIdx.x % WARP * stride, sum = 0;
#pragma unroll 1
    for (unsigned int round = 0; round < rounds; round++) {
        const unsigned int *word = words + first + round % 2 * OTHERS;
#pragma unroll
        for (unsigned int i = 0; i < AT_ONCE; i++) sum += word[i * BANKS];
    }
    out[threadIdx.x] = sum;
}

/* Warps of the block that writes: each has words of its own. */
enum : unsigned int { WRITERS = 4 };

/* ---- Step 2 ----
 *
 * Question: a thread does not wait for what it has written. Do conflicts matter, then?
 * Metric: shared_store_transactions_per_request
 */
__global__ void write32(const unsigned int *in, unsigned int *out, unsigned int stride,
                        unsigned int rounds) {
    // BEGIN SOLUTION write32
    TODO("In words of the warp's own, write in[lane] + round to word lane * stride; leave what "
         "is there in the end.",
         "handouts/lab8.md#write32");
    // END SOLUTION
}

/* ---- Step 3 ----
 *
 *     sharers 1    lane  0 1 2 3 4 5 6 7     word 0 1 2 3 4 5 6 7
 *     sharers 4    lane  0 1 2 3 4 5 6 7     word 0 0 0 0 1 1 1 1
 *     sharers 32   all lanes                 word 0
 *
 * Question: 32 lanes want one word of one bank. Are those 32 passes?
 * Metric: shared_load_transactions_per_request
 */
__global__ void broadcast(const unsigned int *in, unsigned int *out, unsigned int sharers,
                          unsigned int rounds) {
    // BEGIN SOLUTION broadcast
    TODO("Do as read32 does, but `sharers` neighbouring lanes read the same word.",
         "handouts/lab8.md#broadcast");
    // END SOLUTION
}

/* ---- Step 4 ----
 *
 *     column      0     1     2   ...  31
 *     row 0       0     1     2   ...  31        in these banks
 *     row 1       0     1     2   ...  31
 *     row 2       0     1     2   ...  31
 *
 * Question: lane l reads row l of one column. Which stride of step 1 is that?
 * Metric: shared_ld_bank_conflict
 */
__global__ void column32(const unsigned int *in, unsigned int *out, unsigned int,
                         unsigned int rounds) {
    // BEGIN SOLUTION column32
    TODO("Keep 32 x 32 words as a tile. In each round a warp reads the next AT_ONCE columns, a "
         "row for each lane.",
         "handouts/lab8.md#column32");
    // END SOLUTION
}

/* ---- Step 5 ----
 *
 *     column      0     1     2   ...  31
 *     row 0       0     1     2   ...  31        in these banks
 *     row 1       1     2     3   ...   0
 *     row 2       2     3     4   ...   1
 *
 * Question: what does the padding cost, and what would rows of 34 words bring?
 * Metric: shared_ld_bank_conflict
 */
__global__ void column33(const unsigned int *in, unsigned int *out, unsigned int,
                         unsigned int rounds) {
    // BEGIN SOLUTION column33
    TODO("Do as column32 does, with rows that are one word longer than needed.",
         "handouts/lab8.md#column33");
    // END SOLUTION
}

/* ---- Step 6 ----
 *
 *     next    | 32 | 33 | 34 | ...     each word says where the next one is: one row further on,
 *     lane 0    0 -> 32 -> 64 -> ...   in the same bank
 *
 * Question: one warp, and every load waits for the one before it. What does a second pass
 * add to the time of a load?
 * Metric: shared_load_transactions_per_request
 */
__global__ void chase32(unsigned int *out, unsigned int stride, unsigned int loads) {
    // BEGIN SOLUTION chase32
    TODO("Fill next[] as drawn, in bytes; from word threadIdx.x * stride on, follow it for "
         "`loads` steps.",
         "handouts/lab8.md#chase32");
    // END SOLUTION
}

/* ---- Step 7 ----
 *
 *     word     0     1     2        of 8 bytes
 *     bank     0 1   2 3   4 5
 *
 * Question: 32 lanes want 256 bytes, and all banks together give 128 in a pass. Is
 * the second pass a conflict?
 * Metric: shared_load_transactions_per_request
 */
__global__ void read64(const unsigned int *in, unsigned int *out, unsigned int stride,
                       unsigned int rounds) {
    // BEGIN SOLUTION read64
    TODO("Do as read32 does with words of type uint2, and add up both parts of each.",
         "handouts/lab8.md#read64");
    // END SOLUTION
}

/* ---- Step 8 ----
 *
 * Question: four passes at least. Does a thread get its bytes sooner with one load
 * of 16 or with four of 4?
 * Metric: shared_load_transactions_per_request
 */
__global__ void read128(const unsigned int *in, unsigned int *out, unsigned int stride,
                        unsigned int rounds) {
    // BEGIN SOLUTION read128
    TODO("Do as read64 does with words of type uint4.", "handouts/lab8.md#read128");
    // END SOLUTION
}

/* ---- Step 9 ----
 *
 * Question: the second pass of a load of 8 bytes, and the second pass of a
 * conflict: do they cost the same?
 * Metric: shared_load_transactions_per_request
 */
__global__ void chase64(unsigned int *out, unsigned int stride, unsigned int loads) {
    // BEGIN SOLUTION chase64
    TODO("Do as chase32 does with words of type uint2: the way goes on at the sum of both parts.",
         "handouts/lab8.md#chase64");
    // END SOLUTION
}

/* ---- Step 10 ----
 *
 * Question: and of 16 bytes?
 * Metric: shared_load_transactions_per_request
 */
__global__ void chase128(unsigned int *out, unsigned int stride, unsigned int loads) {
    // BEGIN SOLUTION chase128
    TODO("Do as chase64 does with words of type uint4.", "handouts/lab8.md#chase128");
    // END SOLUTION
}

/* ---- Running them ---- */

typedef void (*ReadKernel)(const unsigned int *in, unsigned int *out, unsigned int parameter,
                           unsigned int rounds);
typedef void (*ChaseKernel)(unsigned int *out, unsigned int stride, unsigned int loads);

/* What the launches of a step differ in: the stride, or how many lanes share a word. */
static const unsigned int ALL_STRIDES[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                           12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
                                           23, 24, 25, 26, 27, 28, 29, 30, 31, 32, LONGEST_STRIDE};
static const unsigned int SOME_STRIDES[] = {1, 2, 3, 4, 8, 16, 32, LONGEST_STRIDE};
static const unsigned int SHARERS[] = {1, 2, 4, 8, 16, 32};
static const unsigned int NOTHING[] = {0};
#define EACH(parameters) parameters, COUNT(parameters)

struct BankStep {
    const char *name, *idea;
    ReadKernel kernel;
    ChaseKernel chase;  /* or this */
    unsigned int width; /* of a word, in numbers */
    const unsigned int *parameters;
    size_t launches;
    const char *group; /* the title above the row; NULL: as before */
};

static const BankStep STEPS[] = {
    {"read32", "read words of 4 bytes, stride by stride", read32, NULL, 1, EACH(ALL_STRIDES),
     "words of 4 bytes: read32(STRIDE), write32(STRIDE)"},
    {"write32", "write them", write32, NULL, 1, EACH(SOME_STRIDES), NULL},
    {"broadcast", "several lanes read the same word", broadcast, NULL, 1, EACH(SHARERS),
     "lanes that share a word: broadcast(SHARERS)"},
    {"column32", "a column of a 32 x 32 tile", column32, NULL, 1, EACH(NOTHING),
     "columns of a tile"},
    {"column33", "a column of a padded tile", column33, NULL, 1, EACH(NOTHING), NULL},
    {"chase32", "how long one load takes", NULL, chase32, 1, EACH(ALL_STRIDES),
     "one load after the other: chase32(STRIDE)"},
    {"read64", "words of 8 bytes", read64, NULL, 2, EACH(SOME_STRIDES),
     "wider words: read64(STRIDE), read128(STRIDE)"},
    {"read128", "words of 16 bytes", read128, NULL, 4, EACH(SOME_STRIDES), NULL},
    {"chase64", "how long a load of 8 bytes takes", NULL, chase64, 2, EACH(SOME_STRIDES),
     "wider words, one load after the other"},
    {"chase128", "how long a load of 16 bytes takes", NULL, chase128, 4, EACH(SOME_STRIDES), NULL},
};

/* What each thread has to leave. */
static void expect(unsigned int *want, const BankStep *step, const unsigned int *in,
                   unsigned int threads, unsigned int parameter, unsigned int rounds) {
    const bool shares = step->parameters == SHARERS;
    for (unsigned int t = 0; t < threads; t++) {
        const unsigned int lane = t % WARP, first = shares ? lane / parameter : lane * parameter;
        if (step->chase != NULL)
            want[t] = endOfChase(lane, parameter, rounds * CHASES_PER_ROUND, step->width);
        else if (step->kernel == write32)
            want[t] = in[lane] + rounds;
        else if (step->parameters == NOTHING)
            want[t] = sumOfColumn(in, rounds, t);
        else
            want[t] = t < WARP ? sumOfLoads(in, rounds, first, step->width) : want[lane];
    }
}

/* The row's remark, such as "2 passes predicted". A column's words lie a row of the tile apart. */
static void predict(Lab *lab, const BankStep *step, unsigned int parameter) {
    const bool shares = step->parameters == SHARERS;
    const unsigned int row = step->kernel == column33 ? WARP + 1 : WARP;
    const unsigned int stride = step->parameters == NOTHING ? row : shares ? 1 : parameter;
    const unsigned int passes = passesAt(step->width, stride, shares ? parameter : 1);
    labRemark(lab, "%u %s predicted", passes, passes == 1 ? "pass" : "passes");
}

int main(int argc, char **argv) {
    LabInfo info = labInfo(8, "banks", __FILE__, "rounds of 8 loads that each thread makes");
    info.defaultSize = 256;
    info.maxSize = 1 << 16;
    info.defaultBlock = 1024;
    info.blockRefusal = refuseSplitWarps;
    Lab lab = labOpen(argc, argv, info, STEPS);
    const unsigned int rounds = (unsigned int)lab.size;
    const size_t inBytes = NUMBERS * sizeof(unsigned int),
                 outBytes = MOST_THREADS * sizeof(unsigned int);
    unsigned int h_in[NUMBERS], h_out[MOST_THREADS], want[MOST_THREADS], *d_in, *d_out;
    for (unsigned int &number : h_in) number = (unsigned int)(nextRandom(&lab.seed) >> 32);

    labNeeds(&lab, inBytes + outBytes);
    CHECK(cudaMalloc(&d_in, inBytes));
    CHECK(cudaMemcpy(d_in, h_in, inBytes, cudaMemcpyHostToDevice));
    labInput(&lab, d_in, inBytes); /* restored before every run */
    CHECK(cudaMalloc(&d_out, outBytes));
    labOutput(&lab, d_out, outBytes); /* poisoned before every run */
    labHeader(&lab, "banks of shared memory, one block, %u rounds of %u loads a thread", rounds,
              (unsigned int)AT_ONCE);

    for (size_t i = 0; i < COUNT(STEPS); i++) {
        const BankStep *step = &STEPS[i];
        const unsigned int threads = step->chase != NULL       ? WARP
                                     : step->kernel == write32 ? WRITERS * WARP
                                                               : lab.block;
        const unsigned int chases = rounds * CHASES_PER_ROUND;
        const double loads = step->chase != NULL ? chases : (double)rounds * AT_ONCE;
        if (step->group != NULL) labGroup(&lab, "%s", step->group);
        for (size_t launch = 0; launch < step->launches; launch++) {
            const unsigned int parameter = step->parameters[launch];
            expect(want, step, h_in, threads, parameter, rounds);
            labStep(&lab, step->name, 1, threads);
            if (step->parameters != NOTHING) labArgument(&lab, "%u", parameter);
            labBytes(&lab, (double)BANK_BYTES * step->width * threads * loads);
            predict(&lab, step, parameter);
            while (labRuns(&lab)) {
                if (step->chase != NULL)
                    step->chase<<<1, threads>>>(d_out, parameter, chases);
                else
                    step->kernel<<<1, threads>>>(d_in, d_out, parameter, rounds);
                if (!labChecks(&lab)) continue;
                CHECK(cudaMemcpy(h_out, d_out, outBytes, cudaMemcpyDeviceToHost));
                labVerdict(&lab, judgeResults(want, h_out, threads));
            }
        }
    }
    cudaFree(d_in);
    cudaFree(d_out);
    return labClose(&lab);
}
