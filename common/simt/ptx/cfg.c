/*
 * ptx/cfg.c: basic blocks and reconvergence points.
 *
 * The lanes that a branch separates reconverge at its immediate post-dominator: the first block on
 * every path from the branch to the function's end. Paths that end early (a trap, an exit or a
 * return in the middle) do not count: their lanes are gone, and the other lanes need not wait for
 * the function's end to reconverge. So the function's end is one block, that of the last
 * unconditional return in the text, and post-dominance counts the paths to it. Code that cannot
 * reach it (an endless loop, a region that ends in a trap) gets separate ends.
 *
 * Post-dominators are dominators of the reversed graph: K. Cooper, T. Harvey, K. Kennedy, "A
 * Simple, Fast Dominance Algorithm", 2001. The algorithm also handles irreducible graphs.
 */
#include "cfg.h"

#include "contract.h"

#include <string.h>

/* ---- Blocks ---- */

static bool is_terminator(const struct ptx_insn *insn) {
    return ptx_kind(insn) == PTX_KIND_END;
}

static bool is_branch(const struct ptx_insn *insn) {
    return ptx_kind(insn) == PTX_KIND_BRANCH;
}

/* Stores the targets of a branch, as indices of instructions. Returns their count. */
static int32_t branch_targets(const struct ptx_function *function, const struct ptx_insn *insn,
                              const int32_t **targets) {
    if (insn->op == PTX_BRA) {
        *targets = &insn->operand[0].target;
        return 1;
    }
    const struct ptx_table *table = &function->tables[insn->operand[1].target];
    *targets = table->targets;
    return table->ntargets;
}

/* Numbers the block of each instruction. Blocks begin at targets and after branches and
 * terminators. */
static int32_t *number_blocks(struct cfg *cfg) {
    const struct ptx_function *function = cfg->function;
    int32_t *number = arena_array(cfg->arena, (size_t)function->ninsns + 1, sizeof *number);
    for (int32_t i = 0; i < function->ninsns; i++) {
        const struct ptx_insn *insn = &function->insns[i];
        const int32_t *targets;
        if (is_branch(insn)) {
            for (int32_t n = branch_targets(function, insn, &targets); n-- > 0;)
                number[targets[n]] = 1;
        }
        if (is_branch(insn) || is_terminator(insn)) number[i + 1] = 1;
    }
    number[0] = 0;
    for (int32_t i = 1; i < function->ninsns; i++) number[i] += number[i - 1];
    return number;
}

static void link_block(struct cfg *cfg, struct block *block, const int32_t *number) {
    const struct ptx_function *function = cfg->function;
    const struct ptx_insn *last = &function->insns[block->end - 1];
    const int32_t *targets = NULL;
    int32_t n = is_branch(last) ? branch_targets(function, last, &targets) : 0;
    bool falls = last->pred >= 0 || !(is_branch(last) || is_terminator(last));
    block->leaves = is_terminator(last) || (falls && block->end == function->ninsns);
    block->successors = arena_array(cfg->arena, (size_t)n + 1, sizeof *block->successors);
    for (int32_t i = 0; i < n; i++) block->successors[block->nsuccessors++] = number[targets[i]];
    if (falls && block->end < function->ninsns)
        block->successors[block->nsuccessors++] = number[block->end];
}

static void build_blocks(struct cfg *cfg) {
    const int32_t *number = number_blocks(cfg);
    int32_t ninsns = cfg->function->ninsns;
    cfg->nblocks = number[ninsns - 1] + 1;
    cfg->blocks = arena_array(cfg->arena, (size_t)cfg->nblocks, sizeof *cfg->blocks);
    for (int32_t i = ninsns - 1; i >= 0; i--) cfg->blocks[number[i]].start = i;
    for (int32_t b = 0; b < cfg->nblocks; b++) {
        cfg->blocks[b].end = b + 1 < cfg->nblocks ? cfg->blocks[b + 1].start : ninsns;
        link_block(cfg, &cfg->blocks[b], number);
    }
}

/* ---- Post-dominators ---- */

/* The reversed graph. Its root is an extra node, with number nblocks. */
struct reversed {
    int32_t root;
    int32_t *first, *predecessors; /* of block b: predecessors[first[b] .. first[b + 1] - 1] */
    bool *ends;                    /* blocks with an edge to the root */
    int32_t *order, norder;        /* reverse post-order of the reversed graph, root first */
    int32_t *place;                /* index in order; -1: cannot reach the root */
    int32_t *idom;                 /* immediate post-dominator, or -1 */
    int32_t *stack, *next; /* of the search: the current path, and each block's next predecessor */
};

static void reverse_edges(const struct cfg *cfg, struct reversed *reversed) {
    int32_t n = cfg->nblocks;
    reversed->first = arena_array(cfg->arena, (size_t)n + 2, sizeof(int32_t));
    for (int32_t b = 0; b < n; b++) {
        for (int32_t i = 0; i < cfg->blocks[b].nsuccessors; i++)
            reversed->first[cfg->blocks[b].successors[i] + 1]++;
    }
    for (int32_t b = 0; b < n; b++) reversed->first[b + 1] += reversed->first[b];
    int32_t *at = arena_array(cfg->arena, (size_t)n + 1, sizeof *at);
    memcpy(at, reversed->first, (size_t)n * sizeof *at);
    reversed->predecessors =
        arena_array(cfg->arena, (size_t)reversed->first[n] + 1, sizeof(int32_t));
    for (int32_t b = 0; b < n; b++) {
        for (int32_t i = 0; i < cfg->blocks[b].nsuccessors; i++)
            reversed->predecessors[at[cfg->blocks[b].successors[i]]++] = b;
    }
}

/* Searches depth first from block b against the edges. Appends newly reached blocks to order, in
 * post-order. */
static void visit(struct reversed *reversed, int32_t b) {
    int32_t depth = 0;
    if (reversed->place[b] >= 0) return;
    reversed->place[b] = 0;
    reversed->next[b] = reversed->first[b];
    reversed->stack[depth++] = b;
    while (depth) {
        int32_t top = reversed->stack[depth - 1];
        if (reversed->next[top] == reversed->first[top + 1]) {
            reversed->order[reversed->norder++] = top;
            depth--;
            continue;
        }
        int32_t predecessor = reversed->predecessors[reversed->next[top]++];
        if (reversed->place[predecessor] < 0) {
            reversed->place[predecessor] = 0;
            reversed->next[predecessor] = reversed->first[predecessor];
            reversed->stack[depth++] = predecessor;
        }
    }
}

static void start_order(struct reversed *reversed) {
    reversed->norder = 0;
    for (int32_t b = 0; b <= reversed->root; b++) reversed->place[b] = -1;
    for (int32_t b = 0; b < reversed->root; b++) {
        if (reversed->ends[b]) visit(reversed, b);
    }
}

/* Appends the root and reverses the post-order. Blocks that do not reach the root keep place -1. */
static void finish_order(struct reversed *reversed) {
    reversed->order[reversed->norder++] = reversed->root;
    for (int32_t i = 0; i < reversed->norder / 2; i++) {
        int32_t swap = reversed->order[i];
        reversed->order[i] = reversed->order[reversed->norder - 1 - i];
        reversed->order[reversed->norder - 1 - i] = swap;
    }
    for (int32_t i = 0; i < reversed->norder; i++) reversed->place[reversed->order[i]] = i;
}

/* The nearest common post-dominator of two nodes. */
static int32_t intersect(const struct reversed *reversed, int32_t a, int32_t b) {
    while (a != b) {
        while (reversed->place[a] > reversed->place[b]) a = reversed->idom[a];
        while (reversed->place[b] > reversed->place[a]) b = reversed->idom[b];
    }
    return a;
}

/* The block's post-dominator by its successors' current ones; -1: no successor has one yet. */
static int32_t meet(const struct cfg *cfg, const struct reversed *reversed, int32_t b) {
    int32_t result = reversed->ends[b] ? reversed->root : -1;
    for (int32_t i = 0; i < cfg->blocks[b].nsuccessors; i++) {
        int32_t successor = cfg->blocks[b].successors[i];
        if (reversed->idom[successor] < 0) continue;
        result = result < 0 ? successor : intersect(reversed, result, successor);
    }
    return result;
}

static void find_post_dominators(const struct cfg *cfg, struct reversed *reversed) {
    for (int32_t b = 0; b < cfg->nblocks; b++) reversed->idom[b] = -1;
    reversed->idom[reversed->root] = reversed->root;
    for (bool changed = true; changed;) {
        changed = false;
        for (int32_t i = 1; i < reversed->norder; i++) {
            int32_t b = reversed->order[i], found = meet(cfg, reversed, b);
            changed |= found != reversed->idom[b];
            reversed->idom[b] = found;
        }
    }
}

/* The block at the end of an endless loop's body: of the blocks that reach no end (place -1), one
 * from which an edge leads back. Of nested loops it is the outermost's. -1: none. It searches depth
 * first from the function's start; entered: by block, when the search came to it; left: the search
 * is through with it. */
static int32_t find_latch(const struct cfg *cfg, const struct reversed *reversed) {
    size_t n = (size_t)cfg->nblocks + 1;
    int32_t *entered = arena_array(cfg->arena, n, sizeof *entered),
            *stack = arena_array(cfg->arena, n, sizeof *stack);
    int32_t *next = arena_array(cfg->arena, n, sizeof *next), depth = 0, clock = 0, latch = -1,
            outermost = INT32_MAX;
    bool *left = arena_array(cfg->arena, n, sizeof *left);
    for (int32_t b = cfg->nblocks ? 0 : -1; b >= 0; b = depth ? stack[depth - 1] : -1) {
        if (!entered[b]) entered[b] = ++clock, stack[depth++] = b;
        if (next[b] == cfg->blocks[b].nsuccessors) {
            left[b] = true;
            depth--;
            continue;
        }
        int32_t successor = cfg->blocks[b].successors[next[b]++];
        if (!entered[successor]) stack[depth++] = successor, entered[successor] = ++clock;
        bool leads_back =
            !left[successor] && entered[successor] <= entered[b] && reversed->place[b] < 0;
        if (leads_back && entered[successor] < outermost) latch = b, outermost = entered[successor];
    }
    return latch;
}

/* The block that ends the function: the last with an unconditional return, else the last that
 * leaves, else the end of an endless loop, else the last. */
static int32_t find_end(const struct cfg *cfg, const struct reversed *reversed) {
    int32_t end = -1;
    for (int32_t b = cfg->nblocks - 1; b >= 0; b--) {
        const struct ptx_insn *last = &cfg->function->insns[cfg->blocks[b].end - 1];
        if (last->op == PTX_RET && last->pred < 0) return b;
        if (cfg->blocks[b].leaves && end < 0) end = b;
    }
    if (end < 0) end = find_latch(cfg, reversed);
    return end < 0 ? cfg->nblocks - 1 : end;
}

/* Adds ends until every block reaches one: first all blocks that leave; then the ends of endless
 * loops; then the last of the remaining blocks. */
static void add_ends(const struct cfg *cfg, struct reversed *reversed) {
    for (int32_t b = 0; b < cfg->nblocks; b++) reversed->ends[b] |= cfg->blocks[b].leaves;
    start_order(reversed);
    for (int32_t latch; (latch = find_latch(cfg, reversed)) >= 0; visit(reversed, latch))
        reversed->ends[latch] = true;
    for (int32_t b = cfg->nblocks - 1; b >= 0; b--) {
        reversed->ends[b] |= reversed->place[b] < 0;
        visit(reversed, b);
    }
    finish_order(reversed);
}

static struct reversed new_reversed(const struct cfg *cfg) {
    struct reversed reversed = {.root = cfg->nblocks};
    size_t n = (size_t)cfg->nblocks + 1;
    reversed.ends = arena_array(cfg->arena, n, sizeof(bool));
    reversed.order = arena_array(cfg->arena, n, sizeof(int32_t));
    reversed.place = arena_array(cfg->arena, n, sizeof(int32_t));
    reversed.idom = arena_array(cfg->arena, n, sizeof(int32_t));
    reversed.stack = arena_array(cfg->arena, n, sizeof(int32_t));
    reversed.next = arena_array(cfg->arena, n, sizeof(int32_t));
    reverse_edges(cfg, &reversed);
    return reversed;
}

/* Finds the immediate post-dominator of every block; nblocks means the function's end. */
static int32_t *post_dominators(const struct cfg *cfg) {
    struct reversed reversed = new_reversed(cfg);
    int32_t *result = arena_array(cfg->arena, (size_t)cfg->nblocks, sizeof *result);
    start_order(&reversed);
    reversed.ends[find_end(cfg, &reversed)] = true;
    start_order(&reversed);
    finish_order(&reversed);
    find_post_dominators(cfg, &reversed);
    memcpy(result, reversed.idom, (size_t)cfg->nblocks * sizeof *result);
    if (reversed.norder == cfg->nblocks + 1) return result;
    add_ends(cfg, &reversed);
    find_post_dominators(cfg, &reversed);
    for (int32_t b = 0; b < cfg->nblocks; b++) {
        if (result[b] < 0) result[b] = reversed.idom[b];
    }
    return result;
}

static void set_reconvergence(const struct cfg *cfg, struct ptx_function *function) {
    const int32_t *idom = post_dominators(cfg);
    for (int32_t b = 0; b < cfg->nblocks; b++) {
        struct ptx_insn *last = &function->insns[cfg->blocks[b].end - 1];
        if (is_branch(last))
            last->reconverge =
                idom[b] == cfg->nblocks ? function->ninsns : cfg->blocks[idom[b]].start;
    }
}

static void analyse_function(struct ptx_function *function) {
    struct cfg cfg = {.function = function, .arena = arena_new()};
    if (!cfg.arena) return;
    build_blocks(&cfg);
    set_reconvergence(&cfg, function);
    contract_products(&cfg, function);
    cfg_assign_slots(&cfg, function);
    arena_free(cfg.arena);
}

void ptx_analyse(struct ptx_module *module) {
    for (int32_t i = 0; i < module->nfunctions; i++) {
        if (module->functions[i].ninsns > 0) analyse_function(&module->functions[i]);
    }
}
