/*
 * decode/turns.c: where a warp gives way to the other warps of its block.
 *
 * The warps of a GPU run side by side. They have all sent their loads before the first of them
 * stores what it made of a loaded value. So a warp's turn also ends before a store that a load
 * may precede, with no barrier and no other end of a turn between them. Results of threads that
 * race within a block are then mostly a GPU's, others are the same.
 *
 *      ld a   ld b   st c   st d   bar   st e   ld f   st g
 *                  ^                                 ^           the turn ends here
 */
#include "decode.h"

#include "lib/memory.h"

#include <stdlib.h>

/* Which memory a thread may have loaded from. */
enum { FROM_SHARED = 1, FROM_GLOBAL = 2 };

static uint8_t memory_of(const struct ptx_insn *insn) {
    switch (insn->space) {
    case PTX_SHARED: return FROM_SHARED;
    case PTX_GLOBAL: return FROM_GLOBAL;
    case PTX_GENERIC: return FROM_SHARED | FROM_GLOBAL;
    default: return 0;
    }
}

static bool ends_turn(const struct ptx_insn *insn, uint8_t loaded) {
    return insn->op == PTX_ST && loaded & memory_of(insn);
}

/* What was loaded since the turn began, after insn. before: before it. */
static uint8_t loaded_behind(const struct ptx_insn *insn, uint8_t before) {
    if (insn->op == PTX_LD || insn->op == PTX_LDU) return before | memory_of(insn);
    if (insn->op == PTX_CALL) return FROM_SHARED | FROM_GLOBAL;
    bool ends = (insn->op == PTX_BAR && insn->pred < 0) || ends_turn(insn, before);
    return ends ? 0 : before;
}

/* Add to what was loaded before instruction `index`. True: that is news to an instruction
 * already seen. */
static bool add_loaded(struct decoder *d, int32_t index, uint8_t loaded, int32_t seen) {
    bool news = loaded & ~d->loaded[index];
    d->loaded[index] |= loaded;
    return news && index <= seen;
}

/* Pass what was loaded on to where an instruction leads. */
static bool pass_on(struct decoder *d, int32_t index) {
    const struct ptx_insn *insn = &d->function->insns[index];
    uint8_t loaded = loaded_behind(insn, d->loaded[index]);
    bool again = add_loaded(d, index + 1, loaded, index);
    if (insn->op == PTX_BRA) again |= add_loaded(d, insn->operand[0].target, loaded, index);
    if (insn->op == PTX_BRX) {
        const struct ptx_table *table = &d->function->tables[insn->operand[1].target];
        for (int32_t i = 0; i < table->ntargets; i++)
            again |= add_loaded(d, table->targets[i], loaded, index);
    }
    return again;
}

void find_turns(struct decoder *d) {
    d->loaded = need(calloc((size_t)d->function->ninsns + 1, sizeof *d->loaded));
    for (bool again = true; again;) {
        again = false;
        for (int32_t i = 0; i < d->function->ninsns; i++) again |= pass_on(d, i);
    }
}

void emit_turn_end(struct decoder *d, const struct ptx_insn *insn) {
    if (ends_turn(insn, d->loaded[insn - d->function->insns])) emit(d, d->handlers.give_way, NULL);
}
