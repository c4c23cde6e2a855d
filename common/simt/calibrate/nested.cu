/*
 * nested.cu: what it costs when a kernel launches a kernel. Needs nvcc -rdc=true.
 */
#include "calibrate.h"

__global__ void nothing() {}

/* One grid after another, each launched by the one before: as many as are left. */
__global__ void link(int left) {
    if (left > 0) link<<<1, 1>>>(left - 1);
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

enum { LINKS = 6 /* three times that is below the depth of 24 that CUDA allows */, CHILDREN = 128 };

int main() {
    Bench bench = openBench("nested");
    print("nested_chain_ns", unitNs(bench, LINKS, [](int n) { link<<<1, 1>>>(n); }), "ns",
          "one more grid in a chain of launches");
    print("nested_tail_ns", unitNs(bench, LINKS, [](int n) { tailLink<<<1, 1>>>(n); }), "ns",
          "the same with tail launches");
    print("nested_in_turn_ns", unitNs(bench, CHILDREN, [](int n) { inTurn<<<1, 1>>>(n); }), "ns",
          "one more launch by one thread into one stream");
    print("nested_at_once_ns", unitNs(bench, CHILDREN, [](int n) { atOnce<<<1, n>>>(); }), "ns",
          "one more launch, each by a thread of its own, fire and forget");
    std::vector<double> samples;
    for (int i = 0; i < PAIRS; i++) samples.push_back(timeOf(bench, [] { link<<<1, 1>>>(0); }));
    print("nested_parent_ns", figureOf(samples), "ns",
          "two events around a kernel that could launch and does not, behind other work");
    return EXIT_OK;
}
