/*
 * Lab 1: divergence. What it costs when threads of one warp go different ways, when it costs
 * nothing, and when there is no branch although the program has an `if`.
 *
 *     steps 1 to 3   the textbook's kernels: what does the compiler make of them?
 *     steps 4 to 6   the same three conditions, with bodies too long to be selected away
 *     steps 7, 8     rays that meet one of the two triangles of a quad
 *     steps 9, 10    loops of different length
 *
 * Each thread makes one number, c[i]. `make lab1 VARIANTS=1` also builds this program with -G,
 * which turns the compiler's optimisation of device code off, and runs both.
 *
 * To run it: make lab1. By hand:
 *     nvcc -O3 -Icommon labs/lab1-divergence/divergence.cu -o divergence && ./divergence --help
 */
#include "common.h"
#include "harness/lab.h"

/* What the kernels get, on the device; the same on the CPU. */
struct Arrays {
    unsigned int n, block; /* numbers to make, and threads of a block */
    float *s;
    struct Ray *rays;
    struct Quad *quads;
    int *rounds, *order;
    float *c;
};

/* ---- On the CPU: which threads go which way, and what they make ---- */

static bool evenThread(size_t i) {
    return i % 2 == 0;
}

static bool evenWarp(size_t i) {
    return i / 32 % 2 == 0;
}

static float constantFor(bool first) {
    return first ? 100.0f : 200.0f;
}

static float wantParity(const Arrays *, size_t i) {
    return constantFor(evenThread(i));
}

static float wantWarp(const Arrays *, size_t i) {
    return constantFor(evenWarp(i));
}

/* Your own functions and constants, if you need any: the grader takes them from here. */
// BEGIN HELPERS
// END HELPERS

/* ---- Step 1 ----
 *
 *     thread   0    1    2    3    4    5   ...  31
 *     a        100       100       100
 *     b             200       200       200      200        every warp has both kinds
 *
 * Question: what is the branch_efficiency of a warp in which every second thread goes the other
 * way? Say it, then measure.
 * Metric: branch_efficiency
 */
__global__ void mathKernel1(float *c, unsigned int n) {
    unsigned int tid = blockIdx.x * blockDim.x + threadIdx.x;
    float a = 0.0f;
    float b = 0.0f;

    if (tid % 2 == 0) {
        a = 100.0f;
    } else {
        b = 200.0f;
    }

    if (tid < n) c[tid] = a + b;
}

/* ---- Step 2 ----
 *
 *     thread   0    1   ...  31 | 32   33  ...  63
 *     a        100  100     100 |
 *     b                         | 200  200     200          a warp has one kind only
 *
 * Question: course notes call this the efficient form of step 1. What would have to be true
 * of step 1's code for that?
 * Metric: branch_efficiency
 */
__global__ void mathKernel2(float *c, unsigned int n) {
    // BEGIN SOLUTION mathKernel2
    TODO("Write step 1 with a condition that is the same for all 32 threads of a warp: tid / "
         "warpSize is even.",
         "handouts/lab1.md#mathkernel2");
    // END SOLUTION
}

/* ---- Step 3 ----
 *
 * Question: the textbook keeps the condition in a variable so that "the compiler does not optimise
 * the branch away". Does it?
 * Metric: inst_per_warp
 */
__global__ void mathKernel3(float *c, unsigned int n) {
    // BEGIN SOLUTION mathKernel3
    TODO("Write step 1 with the condition in a variable: bool ipred = (tid % 2 == 0).",
         "handouts/lab1.md#mathkernel3");
    // END SOLUTION
}

/* ---- Two long bodies, given to you ----
 *
 * Both come nearer to the solution of an equation with each round, so rounding errors die out
 * instead of growing. Their instructions differ: the compiler can neither share them nor compute
 * both and select. Written out, without a loop, so that the only branch in the kernels is the one
 * you write. */

enum { ROUNDS = 128 };

/* Towards x = s - x*x/4. */
__device__ float settleDown(float s) {
    float x = s;
    UNROLL
    for (int i = 0; i < ROUNDS; i++) x = s - 0.25f * (x * x);
    return x;
}

/* One round towards x*x = s, for s from 1/4 to 1. */
template <class Real> __host__ __device__ Real rootRound(Real x, Real s) {
    return x - Real(0.4) * (x * x - s);
}

__device__ float settleRoot(float s) {
    float x = 1.0f;
    UNROLL
    for (int i = 0; i < ROUNDS; i++) x = rootRound(x, s);
    return x;
}

/* The same on the CPU. A round that changes nothing is the last that matters: the rounds after
 * it give the same number. */
static double downOnCpu(double s) {
    double x = s;
    for (int i = 0; i < ROUNDS; i++) {
        const double before = x;
        x = s - 0.25 * (x * x);
        if (x == before) break;
    }
    return x;
}

static double rootOnCpu(double s, int rounds) {
    double x = 1;
    for (int i = 0; i < rounds; i++) {
        const double before = x;
        x = rootRound(x, s);
        if (x == before) break;
    }
    return x;
}

static float wantLongParity(const Arrays *a, size_t i) {
    return (float)(evenThread(i) ? downOnCpu(a->s[i]) : rootOnCpu(a->s[i], ROUNDS));
}

static float wantLongWarp(const Arrays *a, size_t i) {
    return (float)(evenWarp(i) ? downOnCpu(a->s[i]) : rootOnCpu(a->s[i], ROUNDS));
}

/* ---- Step 4 ----
 *
 *     lanes 0 2 4 ... 30   |== settleDown ==|     idle      |
 *     lanes 1 3 5 ... 31   |     idle       |= settleRoot ==|   the warp needs both times
 *
 * Question: of the 32 threads that an instruction is issued for, how many
 * take part in it, on average?
 * Metric: warp_execution_efficiency
 */
__global__ void mathKernel4Parity(const float *s, float *c, unsigned int n) {
    // BEGIN SOLUTION mathKernel4Parity
    TODO("c[tid] = settleDown(s[tid]) for even tid, settleRoot(s[tid]) for odd; nothing for tid "
         ">= n.",
         "handouts/lab1.md#mathkernel4parity");
    // END SOLUTION
}

/* ---- Step 5 ----
 *
 *     warp 0, all lanes    |== settleDown ==|
 *     warp 1, all lanes    |= settleRoot ==|                    each warp needs one time
 *
 * Question: as many threads as in step 4 run either body. What has become of the
 * instructions that warps execute?
 * Metric: warp_execution_efficiency
 */
__global__ void mathKernel4Warp(const float *s, float *c, unsigned int n) {
    // BEGIN SOLUTION mathKernel4Warp
    TODO("Step 4 with step 2's condition: a whole warp goes one way or the other.",
         "handouts/lab1.md#mathkernel4warp");
    // END SOLUTION
}

/* ---- Step 6 ----
 *
 * Question: does a variable make this different from step 4? Say it before you measure.
 * Metric: warp_execution_efficiency
 */
__global__ void mathKernel4Predicate(const float *s, float *c, unsigned int n) {
    // BEGIN SOLUTION mathKernel4Predicate
    TODO("Step 4 with the condition in a variable, as in step 3.",
         "handouts/lab1.md#mathkernel4predicate");
    // END SOLUTION
}

/* ---- Rays and quads, given to you ----
 *
 *     p3 +--------+ p4
 *        |\       |        A ray aims at the point (u, v) of a quad: below the diagonal it meets
 *      v | \  2   |        triangle p1 p2 p3, above it triangle p2 p3 p4.
 *        |  \     |
 *        | 1 \    |
 *     p1 +----\---+ p2
 *           u
 */

struct Quad {
    float3 p1, p2, p3, p4;
};

struct Ray {
    float u, v; /* 0 to 1 */
};

enum { QUADS = 64, LAMPS = 8 }; /* the scene; the rays of block b aim at quad b % QUADS */

static __host__ __device__ bool hitsTriangle1(Ray ray) {
    return ray.u + ray.v < 1.0f;
}

__device__ float dot(float3 a, float3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/* How bright a triangle is in the light of a row of lamps above it: brighter where it faces a lamp
 * squarely, fainter with the distance of its middle. The corners' order does not matter as long as
 * they go round the same way. */
__device__ float brightness(float3 a, float3 b, float3 c) {
    float3 e = {b.x - a.x, b.y - a.y, b.z - a.z}, f = {c.x - a.x, c.y - a.y, c.z - a.z};
    float3 normal = {e.y * f.z - e.z * f.y, e.z * f.x - e.x * f.z, e.x * f.y - e.y * f.x};
    float3 middle = {(a.x + b.x + c.x) / 3, (a.y + b.y + c.y) / 3, (a.z + b.z + c.z) / 3};
    float light = 0;
    for (int lamp = 0; lamp < LAMPS; lamp++) {
        float3 way = {(float)lamp - middle.x, 1 - middle.y, 2 - middle.z};
        float distance2 = dot(way, way);
        light += dot(normal, way) * rsqrtf(dot(normal, normal) * distance2) * rsqrtf(1 + distance2);
    }
    return light;
}

/* The same on the CPU, in double precision. */
static double brightnessOnCpu(float3 a, float3 b, float3 c) {
    double e[3] = {(double)b.x - a.x, (double)b.y - a.y, (double)b.z - a.z};
    double f[3] = {(double)c.x - a.x, (double)c.y - a.y, (double)c.z - a.z};
    double middle[3] = {((double)a.x + b.x + c.x) / 3, ((double)a.y + b.y + c.y) / 3,
                        ((double)a.z + b.z + c.z) / 3};
    double light = 0;
    for (int lamp = 0; lamp < LAMPS; lamp++) {
        double way[3] = {lamp - middle[0], 1 - middle[1], 2 - middle[2]}, facing = 0, normal2 = 0,
               distance2 = 0;
        for (int k = 0; k < 3; k++) {
            double normal = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
            facing += normal * way[k];
            normal2 += normal * normal;
            distance2 += way[k] * way[k];
        }
        light += facing / std::sqrt(normal2 * distance2 * (1 + distance2));
    }
    return light;
}

static float wantQuad(const Arrays *a, size_t i) {
    const Quad *q = &a->quads[i / a->block % QUADS];
    return (float)(hitsTriangle1(a->rays[i]) ? brightnessOnCpu(q->p1, q->p2, q->p3)
                                             : brightnessOnCpu(q->p2, q->p3, q->p4));
}

/* ---- Step 7 ----
 *
 *     rays that meet triangle 1   |== brightness ==|      idle      |
 *     rays that meet triangle 2   |      idle      |== brightness ==|
 *
 * Question: both sides do the same work on different corners. How often does a warp execute it?
 * Metric: inst_per_warp
 */
__global__ void quadBranch(const Ray *rays, const Quad *quads, float *c, unsigned int n) {
    // BEGIN SOLUTION quadBranch
    TODO("Of quads[blockIdx.x % QUADS]: c[tid] = brightness(p1, p2, p3) if ray tid hits 1, else "
         "(p2, p3, p4).",
         "handouts/lab1.md#quadbranch");
    // END SOLUTION
}

/* ---- Step 8 ----
 *
 *     all rays                    |p|== brightness ==|   p: p1 or p4, selected without a branch
 *
 * Question: which corners do both triangles have? What is left of the branch?
 * Metric: inst_per_warp
 */
__global__ void quadHoisted(const Ray *rays, const Quad *quads, float *c, unsigned int n) {
    // BEGIN SOLUTION quadHoisted
    TODO("Let the branch pick the corner that the triangles do not share; call brightness once, "
         "after it.",
         "handouts/lab1.md#quadhoisted");
    // END SOLUTION
}

/* ---- Loops of different length ---- */

enum { MOST_ROUNDS = 256 };

/* The threads by the length of their loops, from 1 to MOST_ROUNDS; those of
 * like length in their own order. */
static void sortByRounds(int *order, const int *rounds, size_t n) {
    size_t place[MOST_ROUNDS + 2] = {0}; /* by length: where the next such thread stands */
    for (size_t i = 0; i < n; i++) place[rounds[i] + 1]++;
    for (int length = 1; length <= MOST_ROUNDS; length++) place[length] += place[length - 1];
    for (size_t i = 0; i < n; i++) order[place[rounds[i]]++] = (int)i;
}

static float wantTrips(const Arrays *a, size_t i) {
    return (float)rootOnCpu(a->s[i], a->rounds[i]);
}

/* ---- Step 9 ----
 *
 *     lane 0   |====|                    a warp's loop goes on until its last thread is done
 *     lane 1   |============|
 *     lane 2   |==|
 *
 * Question: jobs take 1 to 256 rounds, all equally often. How many rounds does a warp of 32
 * of them take, on average?
 * Metric: warp_execution_efficiency
 */
__global__ void tripsAsGiven(const float *s, const int *rounds, float *c, unsigned int n) {
    // BEGIN SOLUTION tripsAsGiven
    TODO("Begin with x = 1, apply rootRound(x, s[tid]) to it rounds[tid] times, and leave the "
         "result in c[tid].",
         "handouts/lab1.md#tripsasgiven");
    // END SOLUTION
}

/* ---- Step 10 ----
 *
 *     lane 0   |==|                      order[] names the jobs from short to long
 *     lane 1   |==|
 *     lane 2   |===|
 *
 * Question: what do order[] and the scattered loads and stores cost, and do they cost more
 * than the idle lanes did?
 * Metric: warp_execution_efficiency
 */
__global__ void tripsSorted(const float *s, const int *rounds, const int *order, float *c,
                            unsigned int n) {
    // BEGIN SOLUTION tripsSorted
    TODO("Let thread tid do job order[tid] of step 9, and leave the result where the job's "
         "number says.",
         "handouts/lab1.md#tripssorted");
    // END SOLUTION
}

/* ---- Running them ---- */

/* A step's launch, as a function. */
#define LAUNCH(kernel, ...)                                                                        \
    [](const Arrays &d) { kernel<<<blocksFor(d.n, d.block), d.block>>>(__VA_ARGS__); }

struct DivergenceStep {
    const char *name, *idea;
    void (*launch)(const Arrays &d);
    float (*want)(const Arrays *a, size_t i); /* what c[i] has to be */
    size_t bytes;                             /* to read and write for each element */
    const char *group;                        /* the title above the row; NULL: as before */
};

static const size_t WORD = sizeof(float);

static const DivergenceStep STEPS[] = {
    {"mathKernel1", "every second thread goes the other way", LAUNCH(mathKernel1, d.c, d.n),
     wantParity, WORD, "the textbook's kernels"},
    {"mathKernel2", "every second warp", LAUNCH(mathKernel2, d.c, d.n), wantWarp, WORD, NULL},
    {"mathKernel3", "every second thread, through a variable", LAUNCH(mathKernel3, d.c, d.n),
     wantParity, WORD, NULL},
    {"mathKernel4Parity", "long bodies, every second thread",
     LAUNCH(mathKernel4Parity, d.s, d.c, d.n), wantLongParity, 2 * WORD, "long bodies"},
    {"mathKernel4Warp", "long bodies, every second warp", LAUNCH(mathKernel4Warp, d.s, d.c, d.n),
     wantLongWarp, 2 * WORD, NULL},
    {"mathKernel4Predicate", "long bodies, every second thread, through a variable",
     LAUNCH(mathKernel4Predicate, d.s, d.c, d.n), wantLongParity, 2 * WORD, NULL},
    {"quadBranch", "the whole work on both sides of a branch",
     LAUNCH(quadBranch, d.rays, d.quads, d.c, d.n), wantQuad, sizeof(Ray) + WORD, "rays and quads"},
    {"quadHoisted", "the common work after the branch",
     LAUNCH(quadHoisted, d.rays, d.quads, d.c, d.n), wantQuad, sizeof(Ray) + WORD, NULL},
    {"tripsAsGiven", "a loop of another length in each thread",
     LAUNCH(tripsAsGiven, d.s, d.rounds, d.c, d.n), wantTrips, 3 * WORD,
     "loops of different length"},
    {"tripsSorted", "loops of like length lie together",
     LAUNCH(tripsSorted, d.s, d.rounds, d.order, d.c, d.n), wantTrips, 4 * WORD, NULL},
};

/* A condition that is the same for a whole warp needs blocks of whole warps. */
static const char *blockRefusal(unsigned int block) {
    return block % 32 == 0 ? NULL : "the steps by warp need whole warps: give a multiple of 32";
}

/* The CPU works in double precision, so that a difference is the kernel's rounding. That is some
 * units in the last place of numbers around 1. */
static const double TOLERANCE = 1e-5;

/* A random number from low to high, in steps of 2^-16 of the way. */
static float between(float low, float high, uint64_t *state) {
    return low + (high - low) * (float)(nextRandom(state) >> 48) / 65536.0f;
}

static float3 near(float x, float y, uint64_t *state) {
    return make_float3(between(x - 0.2f, x + 0.2f, state), between(y - 0.2f, y + 0.2f, state),
                       between(-0.2f, 0.2f, state));
}

static Quad makeQuad(uint64_t *state) {
    Quad quad = {near(0, 0, state), near(1, 0, state), near(0, 1, state), near(1, 1, state)};
    return quad;
}

static Ray makeRay(uint64_t *state) {
    Ray ray = {between(0, 1, state), between(0, 1, state)};
    return ray;
}

/* Random arrays on the CPU, but c. */
static Arrays makeArrays(unsigned int n, unsigned int block, uint64_t seed) {
    Arrays a = {n,
                block,
                hostArray<float>(n),
                hostArray<Ray>(n),
                hostArray<Quad>(QUADS),
                hostArray<int>(n),
                hostArray<int>(n),
                hostArray<float>(n)};
    for (int i = 0; i < QUADS; i++) a.quads[i] = makeQuad(&seed);
    for (size_t i = 0; i < n; i++) {
        a.s[i] = between(0.25f, 1, &seed);
        a.rays[i] = makeRay(&seed);
        a.rounds[i] = 1 + (int)(nextRandom(&seed) % MOST_ROUNDS);
    }
    sortByRounds(a.order, a.rounds, n);
    return a;
}

int main(int argc, char **argv) {
    LabInfo info = labInfo(1, "divergence", __FILE__, "numbers to make");
    info.defaultSize = 1 << 20;
    info.maxSize = 1 << 24;
    info.defaultBlock = 256;
    info.blockRefusal = blockRefusal;
    Lab lab = labOpen(argc, argv, info, STEPS);
    const size_t n = lab.size, bytes = n * sizeof(float);

    Arrays a = makeArrays((unsigned int)n, lab.block, lab.seed), d = a;
    float *want = hostArray<float>(n), (*wanted)(const Arrays *, size_t) = NULL;
    labNeeds(&lab, 4 * bytes + n * sizeof(Ray) + QUADS * sizeof(Quad));
    d.s = inputArray(&lab, a.s, n);
    d.rays = inputArray(&lab, a.rays, n);
    d.quads = inputArray(&lab, a.quads, QUADS);
    d.rounds = inputArray(&lab, a.rounds, n);
    d.order = inputArray(&lab, a.order, n);
    d.c = outputArray<float>(&lab, n); /* poisoned before every run */
    labHeader(&lab, "divergence, %zu threads", n);

    for (const DivergenceStep &step : STEPS) {
        if (step.group != NULL) labGroup(&lab, "%s", step.group);
        labStep(&lab, step.name, blocksFor(n, lab.block), lab.block);
        labBytes(&lab, (double)(n * step.bytes));
        while (labRuns(&lab)) {
            step.launch(d);
            if (!labChecks(&lab)) continue;
            CHECK(cudaMemcpy(a.c, d.c, bytes, cudaMemcpyDeviceToHost));
            for (size_t i = 0; wanted != step.want && i < n; i++) want[i] = step.want(&a, i);
            wanted = step.want;
            labVerdict(&lab, judgeResults(want, a.c, n, TOLERANCE));
        }
    }
    cudaFree(d.s);
    cudaFree(d.rays);
    cudaFree(d.quads);
    cudaFree(d.rounds);
    cudaFree(d.order);
    cudaFree(d.c);
    free(a.s);
    free(a.rays);
    free(a.quads);
    free(a.rounds);
    free(a.order);
    free(a.c);
    free(want);
    return labClose(&lab);
}
