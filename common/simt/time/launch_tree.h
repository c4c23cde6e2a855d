/*
 * time/launch_tree.h: when what a grid launched is done, as the time model has it, and what the
 * device's runtime reads from DRAM for it. Times in ns, from the end of the grid's own blocks.
 *
 *   own blocks end
 *   |-- chain -->[ A ]-- in turn -->[ B ]           one after another in a stream of one block
 *   |- at once -|-- chain -->[ C ]                  another thread's launch, or another stream's
 *                                         |-- tail -->[ D ]   when all else is done
 *
 * A launch takes nested_chain_ns to become a running grid, or nested_in_turn_ns from the end of the
 * grid that its stream has it wait for. A grid's length is what it and all that it launched take
 * beyond an empty kernel, which the measured constants have in them. Launches of one block are
 * taken in one after another, nested_at_once_ns apart; those of several blocks side by side, but by
 * the GPU as a whole every nested_by_blocks_ns. If they are to be forgotten, the first
 * nested_forget_after of them come every nested_at_once_ns, the others every nested_forget_ns.
 * Where launches that run side by side launch, too, each waits until those of the others are taken
 * in.
 *
 * The first launch of all takes nested_first_ns in place of nested_chain_ns, whatever the tree.
 *
 * Each launch that is pending has a place in memory, nested_chain_bytes or nested_at_once_bytes of
 * which are read: places are used again, so it is the most launches pending at one time that count.
 * A launch that waits for its turn adds nested_in_turn_bytes.
 *
 * The device's runtime has a warp on a multiprocessor for each launch, for nested_chain_cycles or
 * nested_at_once_cycles, and for the first one nested_first_cycles.
 *
 * A profiler shows a host's kernel until its own threads have launched, whatever the launches do.
 *
 * Not modelled: that a child may begin before its parent's blocks have ended, that children share
 * the multiprocessors with each other, that a stream waits for an event of another one, and what a
 * refused launch takes.
 */
#pragma once

#include "simt/device/gpu.h"
#include "simt/machine/nested.h"

/* What all launches below a grid come to. */
struct launch_sums {
    uint64_t launches;
    double taken_ns;      /* until the GPU has taken all of them in */
    double pending_bytes; /* of those that are pending at one time, at most */
    double passed_bytes;  /* of those that waited for their turn */
    double cycles; /* in which a warp of the runtime is on a multiprocessor, the first launch like
                      any other */
};

struct launch_tree {
    double end_ns;           /* until everything so far is done */
    double taken_ns;         /* until the GPU has taken in the grid's own launches */
    double most_ns;          /* that it takes for what one of those launched that wait for none */
    double side_ns;          /* the same of all of them together */
    double launching_ns;     /* that a block's threads take for their launches, at most */
    uint64_t blocks;         /* that launch */
    struct launch_sums sums; /* the grid's own launches among them */
};

/* When the grid's next launch begins. The caller asks in the order of the launches, and adds each
 * before it asks for the next. Tail launches are last, after launch_tree_settle(). */
double launch_tree_start(const struct launch_tree *tree, const struct gpu *gpu,
                         const struct child *child);
/* Add the launch: it begins at start_ns, takes length_ns, and launches what comes to the sums
 * below. */
void launch_tree_add(struct launch_tree *tree, const struct gpu *gpu, struct child *child,
                     double start_ns, double length_ns, const struct launch_sums *below);
/* All launches but the tail launches are in. Those that run side by side waited for each other's
 * launches. */
void launch_tree_settle(struct launch_tree *tree);
/* The end of all that a host's kernel launched, which is later for having launched at all. */
double launch_tree_end(const struct launch_tree *tree, const struct gpu *gpu);
/* How much longer the threads of a host's kernel run for having launched. is_first: of all kernels
 * of the program that launch. */
double launch_tree_launching(const struct launch_tree *tree, bool is_first);
/* Bytes from DRAM for all launches below a host's kernel. most_pending: launches that may be
 * pending at a time. */
double launch_sums_bytes(const struct launch_sums *sums, const struct gpu *gpu,
                         double most_pending);
/* Cycles in which a warp of the runtime is on a multiprocessor, for all launches below a host's
 * kernel. */
double launch_sums_cycles(const struct launch_sums *sums, const struct gpu *gpu);
