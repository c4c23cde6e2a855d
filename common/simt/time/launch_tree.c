/* time/launch_tree.c: see time/launch_tree.h. */
#include "launch_tree.h"

#include <math.h>

/* What CUPTI shows of kernels on an H200: */
#define LAUNCHING_NS    6000  /* 7 us if a thread launches, 1 if not */
#define NEXT_NS         6200  /* 48 and 390 us for 8 and 64 launches of a thread, */
#define NEXT_THREAD_NS  250   /* 14 and 98 for those of 32 and 256 threads, */
#define NEXT_BLOCK_NS   200   /* 20 for those of 64 blocks, */
#define ALL_BLOCKS_NS   20000 /* and 26 of 512 */
#define FIRST_LAUNCH_NS 15000 /* 22 for the first launch of a program by a kernel */

/* Is it a launch into the fire-and-forget stream? */
static bool is_forgotten(const struct child *child) {
    return child->stream == STREAM_FORGET;
}

/* Time for which the GPU takes in one launch, when many blocks launch and it has taken in so
 * many. */
static double taking_ns(const struct gpu *gpu, const struct child *child, uint64_t taken) {
    if (!is_forgotten(child)) return gpu->nested_by_blocks_ns;
    return taken < (uint64_t)gpu->nested_forget_after ? gpu->nested_at_once_ns
                                                      : gpu->nested_forget_ns;
}

/* The launch is ready when its block has issued it and the GPU has taken in those before; then it
 * waits for the launch before it in its stream. */
double launch_tree_start(const struct launch_tree *tree, const struct gpu *gpu,
                         const struct child *child) {
    if (child_is_tail(child)) return tree->end_ns + gpu->nested_tail_ns;
    double by_block = (double)child->nth * gpu->nested_at_once_ns;
    double ready = fmax(by_block, tree->taken_ns) + gpu->nested_chain_ns;
    return child->before ? fmax(ready, child->before->end_ns + gpu->nested_in_turn_ns) : ready;
}

/* Add what the launch reads for its place. A launch in turn uses the place of the one before; it
 * adds only what it and all below it need more. */
static void add_bytes(struct launch_sums *sums, const struct gpu *gpu, struct child *child,
                      const struct launch_sums *below) {
    double place = is_forgotten(child) ? gpu->nested_at_once_bytes : gpu->nested_chain_bytes;
    double before = child->before ? child->before->pending_bytes : 0;
    child->pending_bytes = fmax(before, place + below->pending_bytes);
    sums->passed_bytes += below->passed_bytes + (child->before ? gpu->nested_in_turn_bytes : 0);
    if (child_is_tail(child))
        sums->pending_bytes = fmax(sums->pending_bytes, child->pending_bytes);
    else
        sums->pending_bytes += child->pending_bytes - before;
}

static void add_launching(struct launch_tree *tree, const struct child *child) {
    double by_thread = (double)child->nth_of_thread * NEXT_NS;
    tree->launching_ns = fmax(tree->launching_ns, by_thread + (double)child->nth * NEXT_THREAD_NS);
    tree->blocks += child->nth == 0;
}

void launch_tree_add(struct launch_tree *tree, const struct gpu *gpu, struct child *child,
                     double start_ns, double length_ns, const struct launch_sums *below) {
    child->end_ns = start_ns + length_ns;
    tree->end_ns = fmax(tree->end_ns, child->end_ns);
    double taking = taking_ns(gpu, child, tree->sums.launches);
    if (!child_is_tail(child)) tree->taken_ns += taking;
    add_launching(tree, child);
    if (!child->before && !child_is_tail(child)) {
        tree->most_ns = fmax(tree->most_ns, below->taken_ns);
        tree->side_ns += below->taken_ns;
    }
    tree->sums.launches += 1 + below->launches;
    tree->sums.taken_ns += taking + below->taken_ns;
    tree->sums.cycles +=
        (is_forgotten(child) ? gpu->nested_at_once_cycles : gpu->nested_chain_cycles) +
        below->cycles;
    add_bytes(&tree->sums, gpu, child, below);
}

void launch_tree_settle(struct launch_tree *tree) {
    tree->end_ns += tree->side_ns - tree->most_ns;
}

/* The first launch of all takes nested_first_ns in place of nested_chain_ns. */
double launch_tree_end(const struct launch_tree *tree, const struct gpu *gpu) {
    return tree->sums.launches ? tree->end_ns + gpu->nested_first_ns - gpu->nested_chain_ns : 0;
}

double launch_tree_launching(const struct launch_tree *tree, bool is_first) {
    if (!tree->sums.launches) return 0;
    double blocks_ns = fmin(ALL_BLOCKS_NS, (double)tree->blocks * NEXT_BLOCK_NS);
    return LAUNCHING_NS + (is_first ? FIRST_LAUNCH_NS : 0) + tree->launching_ns + blocks_ns;
}

double launch_sums_bytes(const struct launch_sums *sums, const struct gpu *gpu,
                         double most_pending) {
    if (!sums->launches) return 0;
    double pending = fmin(sums->pending_bytes, most_pending * gpu->nested_chain_bytes);
    return gpu->nested_first_bytes + pending + sums->passed_bytes;
}

double launch_sums_cycles(const struct launch_sums *sums, const struct gpu *gpu) {
    return sums->launches ? sums->cycles + gpu->nested_first_cycles - gpu->nested_chain_cycles : 0;
}
