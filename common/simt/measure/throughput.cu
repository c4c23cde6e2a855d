/*
 * throughput.cu: how much one multiprocessor, or all of them, can do in a clock cycle when many
 * warps ask for it.
 *
 * With the argument `parts` it only stores a part of each sector of as many lines as the L2 has,
 * for a profiler to watch what reaches the DRAM: run.sh reads the bytes that it prints.
 */
#include "calibrate.h"

/* ---- Results of arithmetic a cycle and multiprocessor ---- */

enum { CHAINS = 4, ROUNDS = 64 };

struct Single {
    typedef float Type;
    static __device__ void step(float &x, float a) {
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(a));
    }
};
struct Double {
    typedef double Type;
    static __device__ void step(double &x, double a) {
        asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(x) : "d"(a));
    }
};
struct Integer {
    typedef unsigned int Type;
    static __device__ void step(unsigned int &x, unsigned int a) {
        asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(a));
    }
};
struct Logic {
    typedef unsigned int Type;
    static __device__ void step(unsigned int &x, unsigned int a) {
        asm volatile("shf.l.wrap.b32 %0, %0, %0, %1;" : "+r"(x) : "r"(a));
    }
};
struct Special {
    typedef float Type;
    static __device__ void step(float &x, float) {
        asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x));
    }
};
struct Shuffle {
    typedef int Type;
    static __device__ void step(int &x, int) { x = __shfl_xor_sync(0xffffffffu, x, 1); }
};

/* Every thread has several chains of operations, so that there is always one ready. */
template <class Op> __global__ void crunch(typename Op::Type *data, int rounds) {
    typename Op::Type x[CHAINS], a = data[MOST_THREADS];
    for (int c = 0; c < CHAINS; c++) x[c] = data[threadIdx.x] + (typename Op::Type)c;
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < UNROLL_COUNT; i++) Op::step(x[i % CHAINS], a);
    }
    typename Op::Type sum = x[0];
    for (int c = 1; c < CHAINS; c++) sum += x[c];
    if (sum == (typename Op::Type)12345) data[threadIdx.x] = sum;
}

template <class Op> static Figure lanes(const Bench &bench) {
    typename Op::Type *data = deviceArray<typename Op::Type>(MOST_THREADS + 1);
    Figure cycles = unitCycles(bench, roundsFor(bench, ROUNDS), [&](int n) {
        crunch<Op><<<oneEach(bench), MOST_THREADS>>>(data, n);
    });
    CHECK(cudaFree(data));
    return rateOf(cycles, (double)UNROLL_COUNT * MOST_THREADS);
}

static void printLanes(const Bench &bench) {
    const char *how = "independent chains in 1024 threads";
    print("fp32_per_sm", lanes<Single>(bench), "results/cycle", how);
    print("fp64_per_sm", lanes<Double>(bench), "results/cycle", how);
    print("int32_per_sm", lanes<Integer>(bench), "results/cycle", how);
    print("shift_per_sm", lanes<Logic>(bench), "results/cycle", how);
    print("sfu_per_sm", lanes<Special>(bench), "results/cycle", how);
    print("shuffle_per_sm", lanes<Shuffle>(bench), "results/cycle", how);
}

/* ---- Shared memory ---- */

enum { SHARED_BYTES = 16384, VECTOR = 16 /* bytes a thread loads at once */ };

static __device__ uint4 loadShared(unsigned int address) {
    uint4 v;
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(address)
                 : "memory");
    return v;
}

/* What keeps four loaded words alive for one instruction. */
static __device__ unsigned int fold(unsigned int sum, uint4 v) {
    return sum ^ v.x ^ v.y ^ v.z ^ v.w;
}

__global__ void readShared(unsigned int *out, int rounds) {
    __shared__ uint4 words[SHARED_BYTES / VECTOR];
    words[threadIdx.x % (SHARED_BYTES / VECTOR)] = make_uint4(threadIdx.x, 0, 0, 0);
    __syncthreads();
    unsigned int at = (unsigned int)__cvta_generic_to_shared(
                     &words[threadIdx.x % (SHARED_BYTES / VECTOR)]),
                 sum = 0;
    for (int round = 0; round < rounds; round++) {
#pragma unroll
        for (int i = 0; i < UNROLL_COUNT; i++) sum = fold(sum, loadShared(at));
    }
    if (sum == 12345) *out = sum;
}

static void printShared(const Bench &bench) {
    unsigned int *out = deviceArray<unsigned int>(1);
    Figure cycles = unitCycles(bench, roundsFor(bench, ROUNDS), [&](int n) {
        readShared<<<oneEach(bench), MOST_THREADS>>>(out, n);
    });
    print("shared_bytes_per_cycle", rateOf(cycles, (double)UNROLL_COUNT * MOST_THREADS * VECTOR),
          "bytes/cycle", "16-byte loads without conflicts, one multiprocessor");
    CHECK(cudaFree(out));
}

/* ---- Global memory: bytes through the L2, and from the memory itself ---- */

/* Loads past the L1. */
static __device__ uint4 loadGlobal(const uint4 *at) {
    uint4 v;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(at)
                 : "memory");
    return v;
}

enum { AT_ONCE = 4 /* loads a thread has under way */ };

/* What the rounds of a kernel go over: pieces of so many vectors one after another, from `first`
 * on and again from the start; a round is one piece. A block takes the part of the one `turn`
 * after it in the next round: with a turn other than 0 no multiprocessor finds in its L1 what it
 * has read before. */
struct Walk {
    size_t vectors; /* of a piece: a multiple of AT_ONCE times the grid's threads */
    int pieces, first, turn;
};

/* Where a thread begins in a round. Without divisions where there is nothing to divide: they would
 * cost more than the loads of a short round. */
static __device__ size_t beginOf(const Walk &walk, int round) {
    unsigned int block =
        walk.turn == 0 ? blockIdx.x : (blockIdx.x + (unsigned int)(round * walk.turn)) % gridDim.x;
    size_t piece = walk.pieces == 1 ? 0 : (size_t)((walk.first + round) % walk.pieces);
    return piece * walk.vectors + (size_t)block * blockDim.x + threadIdx.x;
}

__global__ void readAll(const uint4 *data, Walk walk, unsigned int *out, int rounds) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    unsigned int sum = 0;
    for (int round = 0; round < rounds; round++) {
        const uint4 *at = data + beginOf(walk, round);
        for (size_t done = 0; done < walk.vectors; done += AT_ONCE * step) {
            uint4 v[AT_ONCE];
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++) v[k] = loadGlobal(at + done + k * step);
#pragma unroll
            for (int k = 0; k < AT_ONCE; k++) sum = fold(sum, v[k]);
        }
    }
    if (sum == 12345) *out = sum;
}

/* Cycles of a round by that many blocks. */
static Figure readCycles(const Bench &bench, int blocks, Walk walk, int rounds) {
    uint4 *data = deviceArray<uint4>(walk.vectors * walk.pieces);
    unsigned int *out = deviceArray<unsigned int>(1);
    Figure cycles = unitCycles(bench, rounds, [&](int n) {
        readAll<<<blocks, MOST_THREADS>>>(data, walk, out, n);
        walk.first += n;
    });
    CHECK(cudaFree(data));
    CHECK(cudaFree(out));
    return cycles;
}

/* How many vectors a grid of that many full blocks takes at once, `times` over. */
static size_t vectorsFor(int blocks, size_t times) {
    return times * AT_ONCE * (size_t)blocks * MOST_THREADS;
}

/* Blocks of 1024 threads that run at the same time. */
static int fullGrid(const Bench &bench) {
    return bench.sms * (deviceAttribute(cudaDevAttrMaxThreadsPerMultiProcessor) / MOST_THREADS);
}

/* ---- Stores ---- */

/* Neighbouring threads fill whole sectors, 16 bytes each. */
struct Whole {
    enum { APART = VECTOR };
    static __device__ void store(char *at, unsigned int v) {
        asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(at), "r"(v) : "memory");
    }
};

/* Each thread writes 4 bytes of a sector of its own. */
struct Part {
    enum { APART = 32 };
    static __device__ void store(char *at, unsigned int v) {
        asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(v) : "memory");
    }
};

/* Each thread writes 4 bytes of a line of its own. */
struct Lone {
    enum { APART = 128 };
    static __device__ void store(char *at, unsigned int v) { Part::store(at, v); }
};

/* Stores over the whole of a walk's vectors, which are places for a store here, Shape::APART bytes
 * from one to the next. */
template <class Shape> __global__ void writeAll(char *data, Walk walk, int rounds) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    for (int round = 0; round < rounds; round++) {
        char *at = data + beginOf(walk, round) * Shape::APART;
        for (size_t done = 0; done < walk.vectors; done += step)
            Shape::store(at + done * Shape::APART, (unsigned int)round);
    }
}

template <class Shape>
static Figure writeCycles(const Bench &bench, int blocks, Walk walk, int rounds) {
    char *data = deviceArray<char>(walk.vectors * walk.pieces * Shape::APART);
    Figure cycles = unitCycles(bench, rounds, [&](int n) {
        writeAll<Shape><<<blocks, MOST_THREADS>>>(data, walk, n);
        walk.first += n;
    });
    CHECK(cudaFree(data));
    return cycles;
}

/* ---- Loads of single words ---- */

/* Loads past the L1, AT_ONCE of them under way at once, each thread from lines of its own. */
template <class Shape>
__global__ void readLone(const char *data, Walk walk, unsigned int *out, int rounds) {
    size_t step = (size_t)gridDim.x * blockDim.x;
    unsigned int sum = 0;
    for (int round = 0; round < rounds; round++) {
        const char *at = data + beginOf(walk, round) * Shape::APART;
        unsigned int v[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++)
            asm volatile("ld.global.cg.u32 %0, [%1];"
                         : "=r"(v[k])
                         : "l"(at + k * step * Shape::APART)
                         : "memory");
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) sum ^= v[k];
    }
    if (sum == 12345) *out = sum;
}

template <class Shape>
static Figure readLoneCycles(const Bench &bench, int blocks, Walk walk, int rounds) {
    char *data = deviceArray<char>((size_t)AT_ONCE * blocks * MOST_THREADS * Shape::APART);
    unsigned int *out = deviceArray<unsigned int>(1);
    Figure cycles = unitCycles(bench, rounds, [&](int n) {
        readLone<Shape><<<blocks, MOST_THREADS / AT_ONCE>>>(data, walk, out, n);
    });
    CHECK(cudaFree(data));
    CHECK(cudaFree(out));
    return cycles;
}

/* ---- Their figures ---- */

enum { CACHE_ROUNDS = 16, TURN = 41 };

static void printReads(const Bench &bench) {
    Walk one = {vectorsFor(1, 16), 1, 0, 0};
    print("l2_port_bytes",
          rateOf(readCycles(bench, 1, one, roundsFor(bench, CACHE_ROUNDS)),
                 (double)one.vectors * VECTOR),
          "bytes/cycle", "one multiprocessor reads 1 MiB, over and over");
    Walk all = {vectorsFor(fullGrid(bench), 1), 1, 0, TURN};
    print(
        "l2_read_bytes_per_cycle",
        rateOf(readCycles(bench, fullGrid(bench), all, CACHE_ROUNDS), (double)all.vectors * VECTOR),
        "bytes/cycle", "all read what fits in the L2, each round another part of it");
    const double SECTOR = 32, places = (double)fullGrid(bench) * MOST_THREADS / 2;
    Walk lone = {(size_t)places, 1, 0, TURN};
    print("l2_lone_read_bytes_per_cycle",
          rateOf(readLoneCycles<Lone>(bench, fullGrid(bench) / 2, lone, CACHE_ROUNDS),
                 places * SECTOR),
          "bytes/cycle", "4 bytes of each line; 32 counted");
}

static void printWrites(const Bench &bench) {
    const double SECTOR = 32;
    Walk whole = {vectorsFor(fullGrid(bench), 1), 1, 0, TURN},
         part = {whole.vectors / 2, 1, 0, TURN};
    print("l2_write_bytes_per_cycle",
          rateOf(writeCycles<Whole>(bench, fullGrid(bench), whole, CACHE_ROUNDS),
                 (double)whole.vectors * VECTOR),
          "bytes/cycle", "all write whole sectors that fit in the L2, over and over");
    print("l2_partial_bytes_per_cycle",
          rateOf(writeCycles<Part>(bench, fullGrid(bench), part, CACHE_ROUNDS),
                 (double)part.vectors * SECTOR),
          "bytes/cycle", "the same with 4 bytes of each sector; 32 counted");
    Walk lone = {(size_t)bench.sms * MOST_THREADS, 1, 0, TURN};
    print("l2_lone_write_bytes_per_cycle",
          rateOf(writeCycles<Lone>(bench, bench.sms, lone, CACHE_ROUNDS),
                 (double)lone.vectors * SECTOR),
          "bytes/cycle", "the same with 4 bytes of each line; 32 counted");
}

/* Bytes a nanosecond are GB/s. */
static Figure gbs(const Bench &bench, Figure cycles, double bytes) {
    return rateOf(times(cycles, 1 / bench.ghz), bytes);
}

/* Pieces so much larger than the L2, and so many, that nothing is left of one when it comes again.
 * A simulated L2 keeps what was used last: three of twice its size are enough. */
enum { MEMORY_PIECES = 5, MODELLED_PIECES = 3, PIECE_CACHES = 8, MODELLED_PIECE_CACHES = 2 };

/* Vectors of a piece of that many bytes at least. */
static Walk piecesOf(const Bench &bench, size_t bytes, size_t vector) {
    size_t grid = vectorsFor(fullGrid(bench), 1) * vector;
    Walk walk = {vectorsFor(fullGrid(bench), bytes / grid + 1),
                 bench.device.modelled ? MODELLED_PIECES : MEMORY_PIECES, 0, 0};
    return walk;
}

/* GB/s of what earlier kernels stored, from how much longer reads take that displace it from the
 * L2. */
static Figure displacedGbs(const Bench &bench, Walk read) {
    Walk stored = {vectorsFor(fullGrid(bench), 1), 1, 0, 0};
    uint4 *data = deviceArray<uint4>(read.vectors * read.pieces);
    char *dirty = deviceArray<char>(stored.vectors * VECTOR);
    unsigned int *out = deviceArray<unsigned int>(1);
    auto readNs = [&] {
        read.first++;
        return timeOf(bench,
                      [&] { readAll<<<fullGrid(bench), MOST_THREADS>>>(data, read, out, 1); });
    };
    std::vector<double> samples;
    readNs();
    for (int pair = 0; pair < pairsOf(bench); pair++) {
        double clean = readNs();
        writeAll<Whole><<<fullGrid(bench), MOST_THREADS>>>(dirty, stored, 1);
        samples.push_back(readNs() - clean);
    }
    CHECK(cudaFree(data));
    CHECK(cudaFree(dirty));
    CHECK(cudaFree(out));
    return rateOf(figureOf(samples), (double)stored.vectors * VECTOR);
}

static void printMemory(const Bench &bench) {
    size_t beyond =
        (bench.device.modelled ? MODELLED_PIECE_CACHES : PIECE_CACHES) * bench.device.cacheBytes;
    Walk walk = piecesOf(bench, beyond, VECTOR), lines = piecesOf(bench, beyond, Lone::APART);
    double bytes = (double)walk.vectors * VECTOR;
    Figure written = gbs(bench, writeCycles<Whole>(bench, fullGrid(bench), walk, 1), bytes);
    print("dram_read_gbs", gbs(bench, readCycles(bench, fullGrid(bench), walk, 1), bytes), "GB/s",
          "all read what is not in the L2");
    print("dram_write_gbs", written, "GB/s", "all write more than the L2 holds");
    print("l2_displace_gbs", displacedGbs(bench, walk), "GB/s",
          "what the L2 has from stores, while all read");
    /* A sector is fetched, and written back. */
    Figure line = times(writeCycles<Lone>(bench, fullGrid(bench), lines, 1),
                        1 / (bench.ghz * (double)lines.vectors));
    print("dram_line_sectors", times(line, written.value / (2 * Part::APART)), "sectors",
          "4 bytes of each line: time of fetching and writing one, at dram_write_gbs");
}

enum { STORES = 5 };

/* Prints the bytes of the sectors, and those of the L2. */
static void storeParts(const Bench &bench) {
    size_t threads = (size_t)fullGrid(bench) * MOST_THREADS,
           sectors = bench.device.cacheBytes / Part::APART;
    Walk walk = {(sectors + threads - 1) / threads * threads, 1, 0, 0};
    char *data = deviceArray<char>(walk.vectors * Part::APART);
    for (int i = 0; i < STORES; i++)
        writeAll<Part><<<fullGrid(bench), MOST_THREADS>>>(data, walk, 1);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFree(data));
    printf("%zu %zu\n", walk.vectors * Part::APART, bench.device.cacheBytes);
}

int main(int argc, char **argv) {
    Bench bench = openBench("throughput");
    if (argc > 1 && std::string(argv[1]) == "parts") {
        storeParts(bench);
        return EXIT_OK;
    }
    printLanes(bench);
    printShared(bench);
    printReads(bench);
    printWrites(bench);
    printMemory(bench);
    return EXIT_OK;
}
