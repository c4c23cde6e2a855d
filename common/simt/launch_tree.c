/* launch_tree.c: see launch_tree.h. */
#include "launch_tree.h"

#include <math.h>

double launch_tree_start(const struct launch_tree *tree, const struct gpu *gpu, const struct child *child) {
    if (child_is_tail(child)) return tree->end_ns + gpu->nested_tail_ns;
    double ready = (double)tree->made * gpu->nested_at_once_ns + gpu->nested_chain_ns;
    return child->before ? fmax(ready, child->before->end_ns + gpu->nested_in_turn_ns) : ready;
}

void launch_tree_add(struct launch_tree *tree, struct child *child, double start_ns, double length_ns,
                     uint64_t launches) {
    child->end_ns = start_ns + length_ns;
    tree->end_ns = fmax(tree->end_ns, child->end_ns);
    tree->made += !child_is_tail(child);
    tree->launches += 1 + launches;
}

void launch_tree_settle(struct launch_tree *tree, const struct gpu *gpu) {
    if (!tree->launches) return;
    double least = (double)(tree->launches - 1) * gpu->nested_at_once_ns + gpu->nested_chain_ns;
    tree->end_ns = fmax(tree->end_ns, least);
}
