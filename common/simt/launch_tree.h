/*
 * launch_tree.h: when what a grid launched is done, as the time model has it. Times in ns, from the end of the grid's
 * own blocks.
 *
 *   own blocks end
 *   |-- chain -->[ A ]-- in turn -->[ B ]           one after another in a stream of one block
 *   |- at once -|-- chain -->[ C ]                  another block or stream, or fire and forget
 *                                         |-- tail -->[ D ]   when all else is done
 *
 * A launch takes nested_chain_ns to become a running grid, or nested_in_turn_ns from the end of the grid that its
 * stream has it wait for. A grid's length is what it and all that it launched take beyond an empty kernel, which the
 * measured constants have in them. The GPU takes launches in one after another, nested_at_once_ns apart, whoever makes
 * them. So a tree of n launches is not done before n - 1 times that and one chain's link.
 *
 * Not modelled: that a child may begin before its parent's blocks have ended, that children share the multiprocessors
 * with each other, that a stream waits for an event of another one, what a refused launch takes, and the memory traffic
 * of the device runtime.
 */
#ifndef SIMT_LAUNCH_TREE_H
#define SIMT_LAUNCH_TREE_H

#include "gpu.h"
#include "nested.h"

struct launch_tree {
    double end_ns;     /* until everything so far is done */
    uint64_t made;     /* launches by the grid itself, tail launches left out */
    uint64_t launches; /* by the grid and by all that it launched */
};

/* When the grid's next launch begins. Its launches are asked about in their order, each put in before the next one;
 * tail launches last, when the others are settled. */
double launch_tree_start(const struct launch_tree *tree, const struct gpu *gpu, const struct child *child);
/* Put it in: it begins at start_ns, takes length_ns and makes so many launches in its own tree. */
void launch_tree_add(struct launch_tree *tree, struct child *child, double start_ns, double length_ns,
                     uint64_t launches);
/* All launches but the tail launches are in: hold the end against the rate at which the GPU takes launches in. */
void launch_tree_settle(struct launch_tree *tree, const struct gpu *gpu);

#endif
