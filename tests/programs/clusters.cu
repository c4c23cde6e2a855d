// What compute capability 9.0 adds. Clusters of one block, which every launch without a cluster's
// shape has: their barrier, their shared memory by rank, and fences between ways to memory. Atomics
// of vectors, bulk copies, and tiles of several warps, which have memory of their own before the
// block's; the numbers are those of an H200.
// build sm90 arch=90 gpu=h200
// case | 0 | ^ok$
// case load | 1 | IllegalInstruction
// case copy | 1 | IllegalInstruction
#include "check.h"

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum { BLOCKS = 5, BLOCK = 200, ROUNDS = 3 };

__device__ void meet() {
    asm volatile("barrier.cluster.arrive.release;\n\tbarrier.cluster.wait.acquire;" ::: "memory");
}

__global__ void turn(int *out) {
    __shared__ int values[BLOCK];
    int i = threadIdx.x, value = blockIdx.x * 1000 + i;
    for (int round = 0; round < ROUNDS; round++) {
        values[i] = value;
        meet();
        unsigned long long mine = (unsigned long long)&values[(i + 1) % BLOCK], there;
        asm("{.reg .b32 rank; mov.b32 rank, %%cluster_ctarank; mapa.u64 %0, %1, rank;}"
            : "=l"(there)
            : "l"(mine));
        value = *(volatile int *)there;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        if (round % 2)
            __syncthreads();
        else
            meet();
    }
    out[blockIdx.x * BLOCK + i] = value;
}

// The vectors' elements are added each for itself: subnormal numbers are zeros, and every NaN is
// the same. The old values are as they were.
__global__ void add_vectors(float4 *memory, float4 addend) {
    memory[1] = atomicAdd(memory, addend);
    float2 *pair = (float2 *)(memory + 2);
    pair[1] = atomicAdd(pair, make_float2(1, -2));
}

// {pairs, operands, results}: two pairs of halves, of which one operation makes others.
#define ON_HALVES(name, operation)                                                                 \
    __global__ void name(unsigned *memory, unsigned x, unsigned y) {                               \
        asm volatile("atom.global.v2." operation ".noftz {%0, %1}, [%2], {%3, %4};"                \
                     : "=r"(memory[2]), "=r"(memory[3])                                            \
                     : "l"(memory), "r"(x), "r"(y)                                                 \
                     : "memory");                                                                  \
    }
ON_HALVES(add_halves, "f16x2.add")
ON_HALVES(least_halves, "f16x2.min")
ON_HALVES(greatest_bfloats, "bf16x2.max")
ON_HALVES(add_bfloats, "bf16x2.add")

static float of_bits(unsigned bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void expect(const char *what, unsigned *memory, const std::vector<unsigned> &want) {
    FINISH_KERNEL();
    std::vector<unsigned> got = to_host(memory, want.size());
    for (size_t i = 0; i < want.size(); i++) same(what, (int)i, got[i], want[i]);
}

static void test_vectors() {
    unsigned *memory = poisoned<unsigned>(12);
    const unsigned floats[12] = {0x3F800000, 0x807FFFFF, 0x80000001, 0x7F800001, 0,
                                 0,          0,          0,          0x3FC00000, 0x40200000};
    CHECK(cudaMemcpy(memory, floats, sizeof floats, cudaMemcpyHostToDevice));
    add_vectors<<<1, 1>>>((float4 *)memory, make_float4(1, of_bits(0x800000), -0.0f, 1));
    expect("floats", memory,
           {0x40000000, 0x800000, 0x80000000, 0x7FFFFFFF, 0x3F800000, 0x807FFFFF, 0x80000001,
            0x7F800001, 0x40200000, 0x3F000000, 0x3FC00000, 0x40200000});
    const struct {
        void (*kernel)(unsigned *, unsigned, unsigned);
        unsigned memory[2], operand[2], want[2];
    } cases[] = {
        {add_halves, {0x3C008001, 0x7BFF0001}, {0x3C000001, 0x7BFF8001}, {0x40000000, 0x7C000000}},
        {least_halves,
         {0x3C008000, 0x7E00FE12},
         {0xBC000000, 0x3C007E00},
         {0xBC008000, 0x3C007FFF}},
        {greatest_bfloats,
         {0x3F808000, 0x7FC0FFC1},
         {0xBF800000, 0x3F807FC0},
         {0x3F800000, 0x3F807FFF}},
        {add_bfloats, {0x3F808001, 0x7F7F0001}, {0x3F800001, 0x7F7F8001}, {0x40000000, 0x7F800000}},
    };
    for (const auto &c : cases) {
        CHECK(cudaMemcpy(memory, c.memory, sizeof c.memory, cudaMemcpyHostToDevice));
        c.kernel<<<1, 1>>>(memory, c.operand[0], c.operand[1]);
        expect("halves", memory, {c.want[0], c.want[1], c.memory[0], c.memory[1]});
    }
    release(memory);
}

// A bulk copy from shared memory moves whole pieces of 16 bytes.
__global__ void store_bulk(int *to, int bytes) {
    __shared__ __align__(16) int values[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) values[i] = 5 * i;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x) return;
    unsigned from = (unsigned)__cvta_generic_to_shared(values);
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n\t"
                 "cp.async.bulk.commit_group;\n\t"
                 "cp.async.bulk.wait_group.read 0;\n\tcp.async.bulk.wait_group 0;" ::"l"(to),
                 "r"(from), "r"(bytes)
                 : "memory");
}

static void test_bulk() {
    enum { N = 1000 };
    int *to = poisoned<int>(N);
    CHECK(cudaMemset(to, -1, N * sizeof *to));
    store_bulk<<<1, 64>>>(to, 3 * 600 + 24);
    FINISH_KERNEL();
    std::vector<int> got = to_host(to, N);
    for (int i = 0; i < N; i++) same("bulk", i, got[i], i < 456 ? 5 * i : -1);
    release(to);
}

template <int OP> __device__ void reduce(unsigned long long *to, unsigned from, int bytes) {
#define REDUCTION(op, name)                                                                        \
    if (OP == op)                                                                                  \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." name                        \
                 " [%0], [%1], %2;" ::"l"(to),                                                     \
                 "r"(from), "r"(bytes)                                                             \
                 : "memory")
    REDUCTION(0, "add.f32");
    REDUCTION(1, "min.u32");
    REDUCTION(2, "max.s32");
    REDUCTION(3, "dec.u32");
    REDUCTION(4, "or.b32");
    REDUCTION(5, "min.s64");
    REDUCTION(6, "max.u64");
    REDUCTION(7, "add.f64");
    REDUCTION(8, "add.noftz.f16");
    REDUCTION(9, "min.bf16");
    REDUCTION(10, "add.noftz.bf16");
    if (OP < 10) reduce<(OP + 1) % 11>(to + 4, from + 32, bytes);
}

// As many bytes of shared memory as each operation has elements for, and 8 that are no whole piece.
__global__ void reduce_all(unsigned long long *to, const unsigned long long *operands, int bytes) {
    __shared__ __align__(16) unsigned long long values[64];
    for (int i = threadIdx.x; i < 44; i += blockDim.x) values[i] = operands[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x) return;
    reduce<0>(to, (unsigned)__cvta_generic_to_shared(values), bytes);
    asm volatile("cp.async.bulk.commit_group;\n\tcp.async.bulk.wait_group 0;" ::: "memory");
}

// Memory, operands and results of 16 bytes: no float is flushed, unlike those of atomicAdd.
static void test_reductions() {
    static const struct {
        unsigned long long memory[2], operand[2], want[2];
    } cases[] = {
        {{0x180000001, 0x3F800000FF800000},
         {0x8000000100800000, 0x7F8000017F800000},
         {0x7FFFFF, 0x7FFFFFFF7FFFFFFF}},
        {{0x7000000000000006, 1}, {0x8000000100000005, 0}, {0x7000000000000005, 0}},
        {{0x7000000000000006, 1}, {0x8000000100000005, 2}, {0x7000000000000006, 2}},
        {{6, 1}, {0x700000005, 0x700000005}, {0x700000005, 0x700000000}},
        {{0x7000000000000006, 1}, {0xF0F000000005, 0}, {0x7000F0F000000007, 1}},
        {{0x7000000000000006, 6}, {7, 0x8000000000000001}, {7, 0x8000000000000001}},
        {{0x7000000000000006, 6},
         {7, 0x8000000000000001},
         {0x7000000000000006, 0x8000000000000001}},
        {{0x400000003FF00000, 0x400000003FF00000},
         {0x3CB0000000000001, 0x3FF8000000000000},
         {0x400000003FF00001, 0x400C00003FF00000}},
        {{0x1000204010001, 0x7BFF3C0010001000},
         {0x3C0000013C000001, 0x7BFF7E127BFF7E12},
         {0x3C0000033C000002, 0x7C007FFF7BFF7FFF}},
        {{0x3F800000BF800000, 0x7FD280007FC08000},
         {0x7FD280007FD28000, 0x3F8000003F800000},
         {0x3F808000BF808000, 0x3F8080003F808000}},
        {{0x1000203804380, 0x7F7F3F8000800080},
         {0x3F8000013F800001, 0x7F7F7FD27F7F7FD2},
         {0x3F8000033F804380, 0x7F807FFF7F7F7FFF}},
    };
    std::vector<unsigned long long> memory, operands;
    for (const auto &c : cases)
        for (int i = 0; i < 4; i++) {
            memory.push_back(i < 2 ? c.memory[i] : i);
            operands.push_back(i < 2 ? c.operand[i] : ~0ull);
        }
    unsigned long long *to = to_device(memory), *from = to_device(operands);
    reduce_all<<<1, 32>>>(to, from, 24);
    FINISH_KERNEL();
    std::vector<unsigned long long> got = to_host(to, memory.size());
    for (int i = 0; i < (int)memory.size(); i++)
        same("reduced", i, got[i],
             i % 4 < 2 ? cases[i / 4].want[i % 4] : (unsigned long long)(i % 4));
    release(to);
    release(from);
}

// In a cluster of one block, other blocks' addresses can be made, but not used, and no copy goes to
// a cluster's shared memory, not even to the block's own.
__global__ void beyond(unsigned *out, unsigned rank, bool loads, bool copies) {
    __shared__ __align__(16) unsigned words[8];
    words[0] = 0;
    unsigned mine = (unsigned)__cvta_generic_to_shared(words), there, its_rank, word = 0;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(mine), "r"(rank));
    asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(its_rank) : "r"(there));
    if (loads) asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(word) : "r"(there));
    if (copies)
        asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
                     "[%0], [%0], 16, [%0];" ::"r"(mine)
                     : "memory");
    out[0] = there - mine;
    out[1] = its_rank;
    out[2] = word;
}

static void test_beyond(const char *what) {
    unsigned *out = poisoned<unsigned>(3);
    for (unsigned rank : {0u, 1u, 15u, 256u}) {
        beyond<<<1, 1>>>(out, rank, !strcmp(what, "load"), !strcmp(what, "copy"));
        expect("beyond", out, {rank << 24, rank & 255, 0});
    }
    release(out);
}

// What each thread learns of its tile, and of shared memory.
struct Told {
    int sum, votes, tile;
    unsigned rank, total, all;
};

template <int SIZE> __global__ void ask_tiles(Told *told) {
    __shared__ cg::block_tile_memory<1024> scratch;
    __shared__ int own[100];
    auto block = cg::this_thread_block(scratch);
    auto tile = cg::tiled_partition<SIZE>(block);
    int me = threadIdx.x;
    Told t = {};
    own[me % 100] = 7;
    for (int i = 0; i < 3; i++) {
        tile.sync();
        t.sum += tile.shfl(me + i, SIZE - 1 - i);
    }
    t.votes = tile.any(me == 40) * 2 + tile.all(me >= 64) + own[me % 100] * 10;
    t.tile = tile.meta_group_rank();
    asm("getctarank.shared::cluster.u32 %0, %1;"
        : "=r"(t.rank)
        : "r"((unsigned)__cvta_generic_to_shared(own)));
    asm("mov.u32 %0, %%total_smem_size;" : "=r"(t.total));
    asm("mov.u32 %0, %%aggr_smem_size;" : "=r"(t.all));
    told[me] = t;
}

template <int SIZE> static void test_tiles() {
    enum { N = 4 * SIZE };
    Told *told = poisoned<Told>(N);
    ask_tiles<SIZE><<<1, N>>>(told);
    FINISH_KERNEL();
    std::vector<Told> got = to_host(told, N);
    for (int i = 0; i < N; i++) {
        int last = i / SIZE * SIZE + SIZE - 1;
        same("sum", i, got[i].sum, 3 * last);
        same("votes", i, got[i].votes, 70 + (i < SIZE ? 2 : i / SIZE * SIZE >= 64));
        same("tile", i, got[i].tile, i / SIZE);
        same("rank", i, got[i].rank, 0u);
        same("shared", i, got[i].total, 512u);
        same("shared and reserved", i, got[i].all, 400u + 1024);
    }
}

int main(int argc, char **argv) {
    test_beyond(argc > 1 ? argv[1] : "");
    int *out = poisoned<int>(BLOCKS * BLOCK);
    turn<<<BLOCKS, BLOCK>>>(out);
    FINISH_KERNEL();
    std::vector<int> got = to_host(out, BLOCKS * BLOCK);
    for (int i = 0; i < BLOCKS * BLOCK; i++)
        same("turned", i, got[i], i / BLOCK * 1000 + (i % BLOCK + ROUNDS) % BLOCK);
    test_vectors();
    test_bulk();
    test_reductions();
    test_tiles<64>();
    test_tiles<128>();
    return finish();
}
