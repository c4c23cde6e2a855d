/*
 * nested.cu: what it costs when a kernel launches a kernel. Needs nvcc -rdc=true.
 *
 * With the argument `bytes` it only launches kernels, a row of them three times over, for a
 * profiler to watch what is read from DRAM: run.sh knows their order.
 */
#include "calibrate.h"

__global__ void nothing() {}

/* One grid after another, each launched by the one before: as many as are left. */
__global__ void oneLink(int left) {
    if (left > 0) oneLink<<<1, 1>>>(left - 1);
}

__global__ void tailLink(int left) {
    if (left > 0) tailLink<<<1, 1, 0, cudaStreamTailLaunch>>>(left - 1);
}

/* One thread launches one grid after another into its stream. */
__global__ void inTurn(int count) {
    for (int i = 0; i < count; i++) nothing<<<1, 1>>>();
}

/* Every thread launches a grid that nothing waits for. */
__global__ void atOnce() {
    nothing<<<1, 1, 0, cudaStreamFireAndForget>>>();
}

/* What one launch more takes than another. */
template <class Less, class More>
static Figure differenceNs(const Bench &bench, Less less, More more) {
    std::vector<double> samples;
    for (int pair = 0; pair < pairsOf(bench); pair++) {
        double few = timeOf(bench, less);
        samples.push_back(timeOf(bench, more) - few);
    }
    return figureOf(samples);
}

enum {
    LINKS = 6,
    LONG_CHAIN = 63,
    CHILDREN = 128,
    LAUNCHING_BLOCKS = 512,
    FEWEST_CHAINS = 32,
    MOST_CHAINS = 256
};

/* Chains begun by a block each: what a link waits for each other chain, for several numbers of
 * chains. */
static Figure byBlocks(const Bench &bench, double chainNs) {
    std::vector<double> samples;
    for (int chains = FEWEST_CHAINS; chains <= MOST_CHAINS; chains *= 2) {
        double link = unitNs(bench, LINKS, [&](int n) { oneLink<<<chains, 1>>>(n); }).value;
        samples.push_back((link - chainNs) / (chains - 1));
    }
    return figureOf(samples);
}

/* The launches of many blocks that take longer than at their final rate. */
static Figure beforeForgotten(const Bench &bench, double atOnceNs, double forgetNs) {
    std::vector<double> samples;
    for (int pair = 0; pair < pairsOf(bench); pair++) {
        double one = timeOf(bench, [] { atOnce<<<1, 1>>>(); });
        double many = timeOf(bench, [] { atOnce<<<LAUNCHING_BLOCKS, 1>>>(); });
        samples.push_back((many - one - (LAUNCHING_BLOCKS - 1) * forgetNs) / (atOnceNs - forgetNs));
    }
    return figureOf(samples);
}

/* For a profiler. Each kernel alone, as the next must find nothing of it. */
static void launchForBytes() {
    nothing<<<1, 1>>>();
    oneLink<<<1, 1>>>(1);
    oneLink<<<1, 1>>>(LONG_CHAIN);
    inTurn<<<1, 1>>>(1);
    inTurn<<<1, 1>>>(CHILDREN);
    atOnce<<<1, 1>>>();
    atOnce<<<1, CHILDREN>>>();
}

int main(int argc, char **argv) {
    Bench bench = openBench("nested");
    if (argc > 1 && std::string(argv[1]) == "bytes") {
        for (int i = 0; i < 3; i++) launchForBytes();
        CHECK(cudaDeviceSynchronize());
        return EXIT_OK;
    }
    Figure chain = unitNs(bench, LINKS, [](int n) { oneLink<<<1, 1>>>(n); });
    print("nested_chain_ns", chain, "ns", "one more grid in a chain of launches");
    print("nested_tail_ns", unitNs(bench, LINKS, [](int n) { tailLink<<<1, 1>>>(n); }), "ns",
          "the same with tail launches");
    print("nested_in_turn_ns", unitNs(bench, CHILDREN, [](int n) { inTurn<<<1, 1>>>(n); }), "ns",
          "one more launch by one thread into one stream");
    Figure atOnceFigure = unitNs(bench, CHILDREN, [](int n) { atOnce<<<1, n>>>(); });
    print("nested_at_once_ns", atOnceFigure, "ns",
          "one more launch, each by a thread of its own, fire and forget");
    Figure forget = unitNs(bench, LAUNCHING_BLOCKS, [](int n) { atOnce<<<n, 1>>>(); });
    print("nested_forget_ns", forget, "ns",
          "one more launch, each by a block of its own, fire and forget");
    print("nested_forget_after", beforeForgotten(bench, atOnceFigure.value, forget.value), "count",
          "of these, the first ones, which take nested_at_once_ns each");
    print("nested_by_blocks_ns", byBlocks(bench, chain.value), "ns",
          "what a link of 32 to 256 chains, begun by a block each, waits for each other chain");
    std::vector<double> samples;
    for (int i = 0; i < PAIRS; i++) samples.push_back(timeOf(bench, [] { oneLink<<<1, 1>>>(0); }));
    print("nested_parent_ns", figureOf(samples), "ns",
          "two events around a kernel that could launch and does not, behind other work");
    print("nested_first_ns",
          differenceNs(
              bench, [] { oneLink<<<1, 1>>>(0); }, [] { oneLink<<<1, 1>>>(1); }),
          "ns", "a kernel that launches one grid, over one that launches none");
    return EXIT_OK;
}
