/*
 * Lab 14: scan. Of each number the sum of all numbers up to it.
 *
 *     in    | 3 | 1 | 7 | 0 | 4 | 1 | ...
 *     out   | 3 | 4 | 11| 11| 15| 16| ...
 *
 *   within a tile, the numbers of one block:
 *     1 scanRounds     rounds of sums in shared memory (Hillis and Steele)
 *     2 scanTree       up a tree and down again: fewer sums (Blelloch)
 *     3 scanPadded     the same tree without bank conflicts
 *     4 scanShuffle    from register to register within a warp
 *     5 scanManyEach   sixteen numbers a thread, loaded four at a time
 *   the whole array:
 *     6 scanInThree    three kernels: the tiles' sums, the scan of these, the tiles
 *     7 scanOnePass    one kernel: each block looks back at those before it
 *     8 keepLarge      only the large numbers, in their order: what a scan is good for
 *
 * To run it: make lab14.
 */
#include "common.h"
#include "harness/cub.h"
#include "harness/lab.h"

enum : unsigned int { WARP = 32, MOST_THREADS = 1024, ALL_LANES = 0xffffffff };

/* A number that step 8 keeps is at least this large; they go from 0 to 255. */
enum : unsigned int { LIMIT = 192 };

/* Your own functions and constants, if you need any: the grader takes them from here. */
// BEGIN HELPERS
// END HELPERS

/* ---- Step 1: given ----
 *
 *     sums         3   1   7   0   4
 *     distance 1   3   4   8   7   4     each adds its left neighbour
 *     distance 2   3   4   11  11  12    the one two places to its left
 *     distance 4   3   4   11  11  15
 *
 * Question: how many sums does a tile of 256 numbers take this way? How many does a loop on the CPU take?
 * Metric: shared_load
 */
__global__ void scanRounds(const unsigned int *in, unsigned int *out, unsigned int n) {
    __shared__ unsigned int sums[MOST_THREADS];
    const unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
    sums[tid] = i < n ? in[i] : 0;
    __syncthreads();
    for (unsigned int distance = 1; distance < blockDim.x; distance *= 2) {
        const unsigned int left = tid >= distance ? sums[tid - distance] : 0;
        __syncthreads(); /* all have read */
        sums[tid] += left;
        __syncthreads(); /* all have written */
    }
    if (i < n) out[i] = sums[tid];
}

/* ---- Step 2 ----
 *
 *     tile       3   1   7   0   4   1   6   3
 *     up             4       7       5       9     the sum of a pair goes to its right one
 *                            11              14
 *                                            25
 *     down                                   0     the right one of a pair hands its sum to the
 *                            0               11    left one, and gets both together:
 *                    0       4       11      16    what lies before each
 *                0   3   4   11  11  15  16  22
 *
 * Question: how many sums are these for a tile of 512? In the first round up, the threads of a warp read every second word: from how many banks?
 * Metric: shared_load
 */
__global__ void scanTree(const unsigned int *in, unsigned int *out, unsigned int n) {
    // BEGIN SOLUTION scanTree
    // TODO("A block scans 2 * blockDim.x numbers: up the tree, 0 to its top, and down again.",
    //      "handouts/lab14.md#scantree");
    __shared__ unsigned int tree[2 * MOST_THREADS];
    const unsigned int tid = threadIdx.x, tile = 2 * blockDim.x;
    const unsigned int i = blockIdx.x * tile + tid, j = i + blockDim.x;
    const unsigned int first = i < n ? in[i] : 0, second = j < n ? in[j] : 0;
    tree[tid] = first;
    tree[tid + blockDim.x] = second;
    unsigned int distance = 1;
    for (unsigned int pairs = blockDim.x; pairs > 0; pairs /= 2) {
        __syncthreads();
        const unsigned int right = 2 * distance * (tid + 1) - 1, left = right - distance;
        if (tid < pairs) tree[right] += tree[left];
        distance *= 2;
    }
    if (tid == 0) tree[tile - 1] = 0; /* the thread that wrote it last */
    for (unsigned int pairs = 1; pairs <= blockDim.x; pairs *= 2) {
        distance /= 2;
        __syncthreads();
        const unsigned int right = 2 * distance * (tid + 1) - 1, left = right - distance;
        if (tid < pairs) {
            const unsigned int before = tree[right];
            tree[right] += tree[left];
            tree[left] = before;
        }
    }
    __syncthreads();
    if (i < n) out[i] = tree[tid] + first;
    if (j < n) out[j] = tree[tid + blockDim.x] + second;
    // END SOLUTION
}

/* ---- Step 3 ----
 *
 *     word      0 ... 31   32 ... 63   64 ...
 *     place     0 ... 31   33 ... 64   66 ...     one word is left free after each 32
 *
 * Question: which rounds of the tree have conflicts between banks, and which of them are left?
 * Metric: shared_ld_bank_conflict
 */
__global__ void scanPadded(const unsigned int *in, unsigned int *out, unsigned int n) {
    // BEGIN SOLUTION scanPadded
    // TODO("Step 2, but word i of the tree lies in place i + i / WARP.",
    //      "handouts/lab14.md#scanpadded");
    __shared__ unsigned int tree[2 * MOST_THREADS + 2 * MOST_THREADS / WARP];
    const unsigned int tid = threadIdx.x, tile = 2 * blockDim.x;
    const unsigned int i = blockIdx.x * tile + tid, j = i + blockDim.x;
    const unsigned int first = i < n ? in[i] : 0, second = j < n ? in[j] : 0;
    const unsigned int mine = tid + tid / WARP;
    const unsigned int other = tid + blockDim.x + (tid + blockDim.x) / WARP;
    tree[mine] = first;
    tree[other] = second;
    unsigned int distance = 1;
    for (unsigned int pairs = blockDim.x; pairs > 0; pairs /= 2) {
        __syncthreads();
        const unsigned int right = 2 * distance * (tid + 1) - 1, left = right - distance;
        if (tid < pairs) tree[right + right / WARP] += tree[left + left / WARP];
        distance *= 2;
    }
    if (tid == 0) tree[tile - 1 + (tile - 1) / WARP] = 0;
    for (unsigned int pairs = 1; pairs <= blockDim.x; pairs *= 2) {
        distance /= 2;
        __syncthreads();
        const unsigned int right = 2 * distance * (tid + 1) - 1, left = right - distance;
        if (tid < pairs) {
            const unsigned int before = tree[right + right / WARP];
            tree[right + right / WARP] += tree[left + left / WARP];
            tree[left + left / WARP] = before;
        }
    }
    __syncthreads();
    if (i < n) out[i] = tree[mine] + first;
    if (j < n) out[j] = tree[other] + second;
    // END SOLUTION
}

/* ---- Step 4 ----
 *
 *     warp 0     lanes 0 ... 31   rounds of __shfl_up_sync   -> sums[0]
 *     warp 1     lanes 0 ... 31   rounds of __shfl_up_sync   -> sums[1]   adds sums[0]
 *     warp 2     lanes 0 ... 31   rounds of __shfl_up_sync   -> sums[2]   adds sums[0] and sums[1]
 *
 * Question: rounds as in step 1, so more sums than in the tree. What makes up for them?
 * Metric: shared_load
 */
__global__ void scanShuffle(const unsigned int *in, unsigned int *out, unsigned int n) {
    // BEGIN SOLUTION scanShuffle
    // TODO("Scan each warp's numbers by __shfl_up_sync, leave its sum in shared memory, and add "
    //      "the sums of the warps before.",
    //      "handouts/lab14.md#scanshuffle");
    __shared__ unsigned int sums[WARP];
    const unsigned int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid, lane = tid % WARP,
                       warp = tid / WARP;
    unsigned int sum = i < n ? in[i] : 0;
    for (unsigned int distance = 1; distance < WARP; distance *= 2) {
        const unsigned int left = __shfl_up_sync(ALL_LANES, sum, distance);
        if (lane >= distance) sum += left;
    }
    if (lane == WARP - 1) sums[warp] = sum;
    __syncthreads();
    for (unsigned int w = 0; w < warp; w++) sum += sums[w];
    if (i < n) out[i] = sum;
    // END SOLUTION
}

/* ---- Given to you for the steps that follow: four numbers at a time ---- */

/* Quads, of four numbers each, that a thread takes; and its numbers. */
enum : unsigned int { QUADS = 4, EACH = 4 * QUADS };

/* A thread's first quad. A warp takes QUADS * WARP quads that lie side by side, in QUADS loads; the
 * next load of the thread is WARP quads further on. */
__device__ unsigned int firstQuad(unsigned int tile) {
    const unsigned int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
    return tile * blockDim.x * QUADS + warp * QUADS * WARP + lane;
}

/* The numbers 4 * quad ... 4 * quad + 3, 0 in place of those that do not exist. */
__device__ uint4 loadQuad(const unsigned int *in, unsigned int quad, unsigned int n) {
    const unsigned int i = 4 * quad;
    if (i + 4 <= n) return ((const uint4 *)in)[quad];
    return make_uint4(i < n ? in[i] : 0, i + 1 < n ? in[i + 1] : 0, i + 2 < n ? in[i + 2] : 0, 0);
}

__device__ uint4 addToQuad(uint4 q, unsigned int sum) {
    return make_uint4(q.x + sum, q.y + sum, q.z + sum, q.w + sum);
}

__device__ void storeQuad(unsigned int *out, unsigned int quad, unsigned int n, uint4 q) {
    const unsigned int i = 4 * quad;
    if (i + 4 <= n) {
        ((uint4 *)out)[quad] = q;
        return;
    }
    if (i < n) out[i] = q.x;
    if (i + 1 < n) out[i + 1] = q.y;
    if (i + 2 < n) out[i + 2] = q.z;
}

/* ---- Step 5 ----
 *
 *     quads of a warp   | lane 0 | lane 1 | ... | lane 31 |    load 1; its scan begins with 0
 *                       | lane 0 | lane 1 | ... | lane 31 |    load 2; with the sum of load 1
 *                       ...                                    loads 3 and 4
 *
 * Question: how many shuffles and how many barriers does a number take now, and how many in step 4?
 * Metric: inst_per_warp
 */
__global__ void scanManyEach(const unsigned int *in, unsigned int *out, unsigned int n) {
    // BEGIN SOLUTION scanManyEach
    // TODO("Load QUADS quads before you add; scan them one after the other within the warp, then "
    //      "add the sums of the warps before.",
    //      "handouts/lab14.md#scanmanyeach");
    __shared__ unsigned int sums[WARP];
    const unsigned int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    const unsigned int first = firstQuad(blockIdx.x);
    uint4 quads[QUADS];
#pragma unroll
    for (unsigned int k = 0; k < QUADS; k++) quads[k] = loadQuad(in, first + k * WARP, n);

    unsigned int before = 0; /* what the warp has added up so far */
#pragma unroll
    for (unsigned int k = 0; k < QUADS; k++) {
        uint4 *q = &quads[k];
        q->y += q->x;
        q->z += q->y;
        q->w += q->z;
        unsigned int sum = q->w;
        for (unsigned int distance = 1; distance < WARP; distance *= 2) {
            const unsigned int left = __shfl_up_sync(ALL_LANES, sum, distance);
            if (lane >= distance) sum += left;
        }
        const unsigned int add = before + sum - q->w;
        *q = addToQuad(*q, add);
        before += __shfl_sync(ALL_LANES, sum, WARP - 1);
    }
    if (lane == 0) sums[warp] = before;
    __syncthreads();
    unsigned int add = 0;
    for (unsigned int w = 0; w < warp; w++) add += sums[w];
#pragma unroll
    for (unsigned int k = 0; k < QUADS; k++)
        storeQuad(out, first + k * WARP, n, addToQuad(quads[k], add));
    // END SOLUTION
}

/* ---- Given to you for the steps that follow: what step 5 does ---- */

/* Scans a tile: quads[0 ... QUADS - 1] of all threads. Returns the sum of the tile to all of them.
 * A block that calls it twice needs a barrier in between. */
__device__ unsigned int scanTile(uint4 *quads) {
    __shared__ unsigned int sums[WARP];
    const unsigned int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    unsigned int before = 0;
#pragma unroll
    for (unsigned int k = 0; k < QUADS; k++) {
        uint4 *q = &quads[k];
        q->y += q->x;
        q->z += q->y;
        q->w += q->z;
        unsigned int sum = q->w;
        for (unsigned int distance = 1; distance < WARP; distance *= 2) {
            const unsigned int left = __shfl_up_sync(ALL_LANES, sum, distance);
            if (lane >= distance) sum += left;
        }
        const unsigned int add = before + sum - q->w;
        *q = addToQuad(*q, add);
        before += __shfl_sync(ALL_LANES, sum, WARP - 1);
    }
    if (lane == 0) sums[warp] = before;
    __syncthreads();
    unsigned int add = 0, all = 0;
    for (unsigned int w = 0; w < blockDim.x / WARP; w++) {
        if (w == warp) add = all;
        all += sums[w];
    }
#pragma unroll
    for (unsigned int k = 0; k < QUADS; k++) quads[k] = addToQuad(quads[k], add);
    return all;
}

/* The first kernel of step 6: sums[b] becomes the sum of tile b. */
__global__ void sumTiles(const unsigned int *in, unsigned int *sums, unsigned int n) {
    const unsigned int first = firstQuad(blockIdx.x);
    uint4 quads[QUADS];
#pragma unroll
    for (unsigned int k = 0; k < QUADS; k++) quads[k] = loadQuad(in, first + k * WARP, n);
    const unsigned int all = scanTile(quads);
    if (threadIdx.x == 0) sums[blockIdx.x] = all;
}

/* The second, of one block: sums[b] becomes the sum of all tiles before b. */
__global__ void scanSums(unsigned int *sums, unsigned int tiles) {
    unsigned int before = 0;
    for (unsigned int tile = 0; tile * blockDim.x * EACH < tiles; tile++) {
        const unsigned int first = firstQuad(tile);
        uint4 own[QUADS], quads[QUADS];
#pragma unroll
        for (unsigned int k = 0; k < QUADS; k++)
            own[k] = quads[k] = loadQuad(sums, first + k * WARP, tiles);
        const unsigned int all = scanTile(quads);
#pragma unroll
        for (unsigned int k = 0; k < QUADS; k++) {
            const uint4 q = quads[k], o = own[k];
            storeQuad(sums, first + k * WARP, tiles,
                      make_uint4(before + q.x - o.x, before + q.y - o.y, before + q.z - o.z,
                                 before + q.w - o.w));
        }
        before += all;
        __syncthreads(); /* scanTile comes again */
    }
}

/* ---- Step 6 ----
 *
 *     sumTiles      | tile 0 | tile 1 | tile 2 |    reads all: sums    5   2   9
 *     scanSums                                                 sums    0   5   7
 *     scanInThree   | from 0 | from 5 | from 7 |    reads all again, writes all
 *
 * Question: a copy reads each number and writes it. What is the best part of its speed that this scan can have?
 * Metric: dram_read_throughput
 */
__global__ void scanInThree(const unsigned int *in, unsigned int *out, const unsigned int *sums,
                            unsigned int n) {
    // BEGIN SOLUTION scanInThree
    // TODO("Load as step 5, scanTile(quads), and add what lies before the tile.",
    //      "handouts/lab14.md#scaninthree");
    const unsigned int first = firstQuad(blockIdx.x), before = sums[blockIdx.x];
    uint4 quads[QUADS];
#pragma unroll
    for (unsigned int k = 0; k < QUADS; k++) quads[k] = loadQuad(in, first + k * WARP, n);
    scanTile(quads);
#pragma unroll
    for (unsigned int k = 0; k < QUADS; k++)
        storeQuad(out, first + k * WARP, n, addToQuad(quads[k], before));
    // END SOLUTION
}

/* ---- Given to you for steps 7 and 8: what blocks tell each other ---- */

/* A word for each tile: the state in its upper half, a sum in its lower. As one word, they cannot
 * be read apart. */
enum : unsigned long long { NOTHING = 0ull << 32, OWN_SUM = 1ull << 32, SUM_UP_TO = 2ull << 32 };
enum : unsigned int { STATE_SHIFT = 32 };

/* A launch begins with zeros: no word says anything, and tile 0 is the next one. */
struct Tiles {
    unsigned long long *words; /* one for each tile */
    unsigned int *next;        /* after them */
};

/* The tile for this block to do: tiles in the order in which blocks begin, so that all tiles
 * before it are under way. All threads get it. */
__device__ unsigned int takeTile(Tiles tiles) {
    __shared__ unsigned int tile;
    if (threadIdx.x == 0) tile = atomicAdd(tiles.next, 1);
    __syncthreads();
    return tile;
}

/* One thread says it. */
__device__ void say(Tiles tiles, unsigned int tile, unsigned long long state, unsigned int sum) {
    atomicExch(&tiles.words[tile], state | sum);
}

/* What a tile's block has said so far. */
__device__ unsigned long long ask(Tiles tiles, unsigned int tile) {
    return atomicAdd(&tiles.words[tile], 0ull);
}

/* ---- Step 7 ----
 *
 *     tile         0         1        2        3        4 (this block)
 *     its word   up to: 5   own: 2   own: 9   own: 4
 *     looks back   5    +    2    +   9    +   4    = 20    then says "up to: 20 + its own sum"
 *
 * Question: why does no block wait for one that has not begun? Why must a tile say its own sum before it looks back?
 * Metric: dram_read_throughput
 */
__global__ void scanOnePass(const unsigned int *in, unsigned int *out, Tiles tiles,
                            unsigned int n) {
    // BEGIN SOLUTION scanOnePass
    // TODO("Take a tile, scan it, say its sum; the first warp looks back, 32 tiles at a time, and "
    //      "says the sum up to here.",
    //      "handouts/lab14.md#scanonepass");
    __shared__ unsigned int beforeTile;
    const unsigned int tile = takeTile(tiles), first = firstQuad(tile);
    uint4 quads[QUADS];
#pragma unroll
    for (unsigned int k = 0; k < QUADS; k++) quads[k] = loadQuad(in, first + k * WARP, n);
    const unsigned int own = scanTile(quads);
    if (threadIdx.x == 0) say(tiles, tile, tile == 0 ? SUM_UP_TO : OWN_SUM, own);
    if (threadIdx.x < WARP) {
        const unsigned int lane = threadIdx.x;
        unsigned int before = 0;
        for (unsigned int end = tile; end > 0;) { /* tiles end - 1, end - 2, ... */
            unsigned long long word = SUM_UP_TO;  /* before tile 0 lies nothing */
            unsigned int silent, whole;
            do {
                if (lane < end) word = ask(tiles, end - 1 - lane);
                silent = __ballot_sync(ALL_LANES, word < OWN_SUM);
                whole = __ballot_sync(ALL_LANES, word >= SUM_UP_TO);
            } while (silent != 0 && (whole == 0 || __ffs(silent) < __ffs(whole)));
            const bool counts = whole == 0 || lane < (unsigned int)__ffs(whole);
            unsigned int sum = counts ? (unsigned int)word : 0;
            for (unsigned int distance = WARP / 2; distance > 0; distance /= 2)
                sum += __shfl_xor_sync(ALL_LANES, sum, distance);
            before += sum;
            end = whole != 0 ? 0 : end - WARP;
        }
        if (lane == 0) {
            if (tile > 0) say(tiles, tile, SUM_UP_TO, before + own);
            beforeTile = before;
        }
    }
    __syncthreads();
    const unsigned int before = beforeTile;
#pragma unroll
    for (unsigned int k = 0; k < QUADS; k++)
        storeQuad(out, first + k * WARP, n, addToQuad(quads[k], before));
    // END SOLUTION
}

/* What step 7 does after its scan, given to you for step 8: all threads get the sum of the tiles
 * before this one, and the others learn of this tile's. */
__device__ unsigned int sumBefore(Tiles tiles, unsigned int tile, unsigned int own) {
    __shared__ unsigned int beforeTile;
    if (threadIdx.x == 0) say(tiles, tile, tile == 0 ? SUM_UP_TO : OWN_SUM, own);
    if (threadIdx.x < WARP) {
        const unsigned int lane = threadIdx.x;
        unsigned int before = 0;
        for (unsigned int end = tile; end > 0;) {
            unsigned long long word = SUM_UP_TO;
            unsigned int silent, whole;
            do {
                if (lane < end) word = ask(tiles, end - 1 - lane);
                silent = __ballot_sync(ALL_LANES, word < OWN_SUM);
                whole = __ballot_sync(ALL_LANES, word >= SUM_UP_TO);
            } while (silent != 0 && (whole == 0 || __ffs(silent) < __ffs(whole)));
            const bool counts = whole == 0 || lane < (unsigned int)__ffs(whole);
            unsigned int sum = counts ? (unsigned int)word : 0;
            for (unsigned int distance = WARP / 2; distance > 0; distance /= 2)
                sum += __shfl_xor_sync(ALL_LANES, sum, distance);
            before += sum;
            end = whole != 0 ? 0 : end - WARP;
        }
        if (lane == 0) {
            if (tile > 0) say(tiles, tile, SUM_UP_TO, before + own);
            beforeTile = before;
        }
    }
    __syncthreads();
    return beforeTile;
}

/* ---- Step 8 ----
 *
 *     in      200   7   250   192   3          large: at least LIMIT = 192
 *     flags    1    0    1     1    0
 *     scan     1    1    2     3    3          the place of each large number, from 1
 *     out     200  250  192                    *count = 3
 *
 * Question: which numbers are stored by neighbouring threads to neighbouring words? What does that make of the stores?
 * Metric: gst_transactions_per_request
 */
__global__ void keepLarge(const unsigned int *in, unsigned int *out, unsigned int *count,
                          Tiles tiles, unsigned int n) {
    // BEGIN SOLUTION keepLarge
    // TODO("Scan a 1 for each large number and a 0 for each other one: that is where it goes.",
    //      "handouts/lab14.md#keeplarge");
    const unsigned int tile = takeTile(tiles), first = firstQuad(tile);
    uint4 numbers[QUADS], flags[QUADS];
#pragma unroll
    for (unsigned int k = 0; k < QUADS; k++) {
        const uint4 q = numbers[k] = loadQuad(in, first + k * WARP, n);
        flags[k] = make_uint4(q.x >= LIMIT, q.y >= LIMIT, q.z >= LIMIT, q.w >= LIMIT);
    }
    const unsigned int kept = scanTile(flags), before = sumBefore(tiles, tile, kept);
#pragma unroll
    for (unsigned int k = 0; k < QUADS; k++) {
        const uint4 q = numbers[k], place = flags[k];
        if (q.x >= LIMIT) out[before + place.x - 1] = q.x;
        if (q.y >= LIMIT) out[before + place.y - 1] = q.y;
        if (q.z >= LIMIT) out[before + place.z - 1] = q.z;
        if (q.w >= LIMIT) out[before + place.w - 1] = q.w;
    }
    if (tile == gridDim.x - 1 && threadIdx.x == 0) *count = before + kept;
    // END SOLUTION
}

/* ---- The steps ---- */

struct ScanStep {
    const char *name, *idea;
    unsigned int each; /* numbers a thread */
    void (*kernel)(const unsigned int *in, unsigned int *out, unsigned int n); /* of one tile */
};

static const ScanStep STEPS[] = {
    {"scanRounds", "rounds of sums", 1, scanRounds},
    {"scanTree", "up a tree and down again", 2, scanTree},
    {"scanPadded", "the tree without bank conflicts", 2, scanPadded},
    {"scanShuffle", "from register to register", 1, scanShuffle},
    {"scanManyEach", "sixteen numbers a thread", EACH, scanManyEach},
    {"scanInThree", "three kernels, for any size", EACH, NULL},
    {"scanOnePass", "one kernel that looks back", EACH, NULL},
    {"keepLarge", "only the large numbers", EACH, NULL},
};

/* Places in the table. */
enum { SCAN_IN_THREE = 5, SCAN_ONE_PASS = 6, KEEP_LARGE = 7 };

/* ---- Running them ---- */

struct Arrays {
    size_t n;
    unsigned int *in, *got;              /* on the CPU */
    unsigned int *d_in, *d_out, *d_sums; /* on the GPU */
    unsigned int *d_count;
    Tiles tiles;
};

/* Is out[] the scan of in[], begun anew with each tile? */
static Verdict judgeScan(const Arrays *a, size_t tile) {
    Verdict verdict = ALL_RIGHT;
    unsigned int sum = 0;
    for (size_t i = 0; i < a->n; i++) {
        sum = i % tile == 0 ? a->in[i] : sum + a->in[i];
        judgeElement(&verdict, a->got[i] == sum, a->got[i], sum);
    }
    return verdict;
}

/* Does out[] hold the large numbers in their order, nothing after them, and is their count right?
 */
static Verdict judgeLarge(const Arrays *a, unsigned int count) {
    Verdict verdict = ALL_RIGHT;
    size_t kept = 0;
    for (size_t i = 0; i < a->n; i++) {
        if (a->in[i] < LIMIT) continue;
        judgeElement(&verdict, a->got[kept] == a->in[i], a->got[kept], a->in[i]);
        kept++;
    }
    if (!verdict.ok) return verdict;
    if (count != kept) return judgeNumber(false, count, (double)kept);
    for (size_t i = kept; i < a->n; i++)
        if (!isPoison(a->got[i]))
            return judgeCondition(false, "something is stored after the last large number");
    return verdict;
}

static Verdict judge(const Arrays *a, size_t step, size_t tile) {
    CHECK(cudaMemcpy(a->got, a->d_out, a->n * sizeof *a->got, cudaMemcpyDeviceToHost));
    if (step != KEEP_LARGE) return judgeScan(a, step < SCAN_IN_THREE ? tile : a->n);
    unsigned int count;
    CHECK(cudaMemcpy(&count, a->d_count, sizeof count, cudaMemcpyDeviceToHost));
    return judgeLarge(a, count);
}

/* No CHECK here: what fails in a launch, labChecks finds. */
static void launch(const Arrays *a, size_t step, unsigned int grid, unsigned int block) {
    const unsigned int n = (unsigned int)a->n;
    if (step >= SCAN_ONE_PASS)
        cudaMemsetAsync(a->tiles.words, 0, (grid + 1) * sizeof *a->tiles.words);
    switch (step) {
    case SCAN_IN_THREE:
        sumTiles<<<grid, block>>>(a->d_in, a->d_sums, n);
        scanSums<<<1, MOST_THREADS>>>(a->d_sums, grid);
        scanInThree<<<grid, block>>>(a->d_in, a->d_out, a->d_sums, n);
        break;
    case SCAN_ONE_PASS: scanOnePass<<<grid, block>>>(a->d_in, a->d_out, a->tiles, n); break;
    case KEEP_LARGE: keepLarge<<<grid, block>>>(a->d_in, a->d_out, a->d_count, a->tiles, n); break;
    default: STEPS[step].kernel<<<grid, block>>>(a->d_in, a->d_out, n);
    }
}

int main(int argc, char **argv) {
    LabInfo info = labInfo(14, "scan", __FILE__, "numbers");
    info.defaultSize = 1 << 22;
    info.maxSize = 1 << 30; /* an index beyond the end still fits in 32 bits */
    info.defaultBlock = 256;
    info.blockRefusal = refuseUnevenHalves; /* of the tree, and whole warps */
    Lab lab = labOpen(argc, argv, info, STEPS);
    const size_t n = lab.size, bytes = n * sizeof(unsigned int);
    const size_t tiles = blocksFor(n, (size_t)lab.block * EACH);
    Arrays a = {};
    a.n = n;
    a.in = hostArray<unsigned int>(n);
    a.got = hostArray<unsigned int>(n);
    initialData((int *)a.in, n, lab.seed); /* none is negative */
    labNeeds(&lab, 2 * bytes + tiles * (sizeof *a.d_sums + sizeof *a.tiles.words));
    CHECK(cudaMalloc(&a.d_in, bytes));
    CHECK(cudaMemcpy(a.d_in, a.in, bytes, cudaMemcpyHostToDevice));
    labInput(&lab, a.d_in, bytes);
    CHECK(cudaMalloc(&a.d_out, bytes));
    labOutput(&lab, a.d_out, bytes);
    CHECK(cudaMalloc(&a.d_sums, tiles * sizeof *a.d_sums));
    labOutput(&lab, a.d_sums, tiles * sizeof *a.d_sums);
    CHECK(cudaMalloc(&a.d_count, sizeof *a.d_count));
    labOutput(&lab, a.d_count, sizeof *a.d_count);
    CHECK(cudaMalloc(&a.tiles.words, (tiles + 1) * sizeof *a.tiles.words));
    a.tiles.next = (unsigned int *)(a.tiles.words + tiles);
    labHeader(&lab, "scan of %zu numbers", n);

    for (size_t i = 0; i < COUNT(STEPS); i++) {
        const size_t tile = (size_t)lab.block * STEPS[i].each;
        const unsigned int grid = blocksFor(n, tile);
        if (i == 0) labGroup(&lab, "within tiles, the numbers of one block");
        if (i == SCAN_IN_THREE) labGroup(&lab, "the whole array");
        if (i == KEEP_LARGE) labGroup(&lab, "what a scan is good for");
        labStep(&lab, STEPS[i].name, grid, lab.block);
        labBytes(&lab, 2.0 * bytes); /* each number is read, and its sum is written */
        while (labRuns(&lab)) {
            launch(&a, i, grid, lab.block);
            if (labChecks(&lab)) labVerdict(&lab, judge(&a, i, tile));
        }
    }
    labGroup(&lab, "the whole array, by NVIDIA's CUB");
    runCub(
        &lab, "cubDeviceScan", NULL, cubScan != NULL, 2.0 * bytes,
        [&](void *temporary, size_t *size) {
            return cubScan(temporary, size, a.d_in, a.d_out, (int)n);
        },
        [&] { return judge(&a, SCAN_ONE_PASS, n); });
    cudaFree(a.d_in);
    cudaFree(a.d_out);
    cudaFree(a.d_sums);
    cudaFree(a.d_count);
    cudaFree(a.tiles.words);
    free(a.in);
    free(a.got);
    return labClose(&lab);
}
