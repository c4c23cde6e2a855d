/*
 * native/requests.c: loads in a run. Vector registers stay as they are where the lanes lie as the operation's lane
 * pattern says; a detour calls the handler where they do not.
 */
#include "requests.h"

#include "lib/memory.h"
#include "shapes.h"

#include <stdlib.h>
#include <string.h>

static const struct encoding move = {1, 0, 0x28}, load = {1, 0, 0x10}, broadcast = {2, 1, 0x18},
                             spread32 = {2, 1, 0x58}, subtract32 = {1, 1, 0xFA}, compare32 = {3, 1, 0x1F},
                             spread64 = {2, 1 | WIDE, 0x59}, subtract64 = {1, 1 | WIDE, 0xFB}, extend = {2, 1, 0x25},
                             compare64 = {3, 1 | WIDE, 0x1F};
enum { DIFFERENT = 4, LOW = 6, HIGH = 7, FIRST = FIRST_MOMENT, DISTANCE = FIRST_MOMENT + 1, STEP = FIRST_MOMENT + 2 };

static int32_t offset_in_run(const struct run *run, const struct op *op) {
    return (int32_t)((op - run->first) * (int32_t)sizeof *op);
}

/* Call a function of the warp and the operation. */
static void call(struct run *run, const struct op *op, const void *function) {
    EMIT(run->code, 0x48, 0x89, (uint8_t)(0xC0 | run->warp << 3 | RDI)); /* mov rdi, warp */
    emit_address(run->code, RSI, run->op, offset_in_run(run, op));
    emit_call(run->code, function);
}

/* If another operation comes next than the one behind op, the run ends. */
static void call_handler(struct run *run, const struct op *op) {
    const void *function;
    memcpy(&function, &op->run, sizeof function);
    call(run, op, function);
    emit_address(run->code, RCX, run->op, offset_in_run(run, op + 1));
    EMIT(run->code, 0x48, 0x39, 0xC8); /* cmp rax, rcx */
    size_t goes_on = emit_jump(run->code, IF_EQUAL);
    write_return(run);
    emit_target(run->code, goes_on);
    for (int half = 0; half < 2 && run->is_masked; half++) emit_load_mask(run->code, 1 + half, run->warp, 2 * half);
}

void translate_call(struct run *run, const struct op *op) {
    rows_store(run);
    call_handler(run, op);
    for (int i = 0; i < PAIRS; i++) run->rows[i].is_taken = false;
}

bool is_quick_load(const struct op *op) {
    const struct ptx_insn *insn = op->insn;
    if (!insn || insn->op != PTX_LD || op->guard != PRED_TRUE_OFFSET || op->guard_flip) return false;
    if (op->size != 4 || op->flags & (OP_WIDE | OP_VOLATILE | OP_UNCOUNTED)) return false;
    bool is_short = op->flags & OP_ADDRESS32;
    bool fits = (insn->space == PTX_SHARED && is_short) || (insn->space == PTX_GLOBAL && !is_short);
    return fits && (op->vector == 1 || op->vector == 2 || op->vector == 4);
}

/* Jump to the detour if the flag of zero is as the condition says. */
static void leave(struct run *run, struct detour *detour, enum condition condition) {
    detour->jumps[detour->njumps++] = emit_jump(run->code, condition);
}

/* Are the lanes at the distances from the first one that the pattern has? The first one's address goes to rdx. */
static void compare_steps(struct run *run, const struct op *op, struct detour *detour) {
    struct code_buffer *code = run->code;
    int32_t steps = (int32_t)(op->alloc_cache * sizeof(struct lane_pattern) + offsetof(struct lane_pattern, step));
    emit_load(code, RCX, run->warp, (int32_t)offsetof(struct warp, worker));
    emit_load(code, RCX, RCX, (int32_t)offsetof(struct worker, lane_patterns));
    if (op->flags & OP_ADDRESS32) {
        int a = row_of(run, op->a);
        emit_vector(code, spread32, FIRST, 0, VECTOR(2 * a), 0, NO_IMMEDIATE);
        for (int half = 0; half < 2; half++) {
            struct place step = {PLACE_MEMORY, RCX, steps + half * (int32_t)HALF_BYTES};
            emit_vector(code, subtract32, DISTANCE, 2 * a + half, VECTOR(FIRST), 0, NO_IMMEDIATE);
            emit_vector(code, compare32, LOW + half, DISTANCE, step, 0, DIFFERENT);
        }
        EMIT(code, 0x62, 0x61, 0x7D, 0x08, 0x7E, 0xE2); /* vmovd edx, xmm28 */
    } else {
        struct place first = row_place(run, op->a, 0);
        emit_vector(code, spread64, FIRST, 0, first, 0, NO_IMMEDIATE);
        for (int quarter = 0; quarter < 4; quarter++) {
            struct place address = row_place(run, op->a, quarter * (int32_t)(ROW64 / 4));
            struct place step = {PLACE_MEMORY, RCX, steps + quarter * (int32_t)(ROW32 / 4)};
            emit_vector(code, load, DISTANCE, 0, address, 0, NO_IMMEDIATE);
            emit_vector(code, subtract64, DISTANCE, DISTANCE, VECTOR(FIRST), 0, NO_IMMEDIATE);
            emit_vector(code, extend, STEP, 0, step, 0, NO_IMMEDIATE);
            emit_vector(code, compare64, quarter ? HIGH : LOW, DISTANCE, VECTOR(STEP), 0, DIFFERENT);
            if (quarter) emit_mask(code, MASK_OR, LOW, LOW, HIGH);
        }
        emit_mask(code, MASK_OR, HIGH, LOW, LOW);
        emit_load(code, RDX, first.number, first.offset);
    }
    EMIT(code, 0xC5, 0xF8, 0x98, 0xF7); /* kortestw k6, k7 */
    leave(run, detour, IF_NOT_EQUAL);
}

/* Elements that all lanes share, or lanes side by side: rdx says which. */
static void load_elements(struct run *run, const struct op *op, const int *pairs) {
    struct code_buffer *code = run->code;
    size_t side_by_side = 0, done = 0;
    EMIT(code, 0x85, 0xD2); /* test edx, edx */
    if (op->vector == 1) side_by_side = emit_jump(code, IF_EQUAL);
    for (int e = 0; e < op->vector; e++) {
        struct place element = {PLACE_MEMORY, RAX, 4 * e};
        emit_vector(code, broadcast, 2 * pairs[e], 0, element, 0, NO_IMMEDIATE);
        emit_vector(code, move, 2 * pairs[e] + 1, 0, VECTOR(2 * pairs[e]), 0, NO_IMMEDIATE);
    }
    if (op->vector > 1) return;
    done = emit_jump(code, ALWAYS);
    emit_target(code, side_by_side);
    for (int half = 0; half < 2; half++)
        emit_vector(code, load, 2 * pairs[0] + half, 0, (struct place){PLACE_MEMORY, RAX, half * (int32_t)HALF_BYTES},
                    0, NO_IMMEDIATE);
    emit_target(code, done);
}

void translate_load(struct run *run, const struct op *op) {
    struct known (*known)(struct warp *, const struct op *, uint64_t) =
        op->flags & OP_ADDRESS32 ? known_shared : known_global;
    const void *function;
    int pairs[4];
    memcpy(&function, &known, sizeof function);
    run->detours = need(realloc(run->detours, ((size_t)run->ndetours + 1) * sizeof *run->detours));
    struct detour *detour = &run->detours[run->ndetours++];
    *detour = (struct detour){.op = op};
    if (op->flags & OP_ADDRESS32) row_of(run, op->a);
    for (int e = 0; e < op->vector; e++) pairs[e] = row_new(run);
    memcpy(detour->before, run->rows, sizeof run->rows);
    compare_steps(run, op, detour);
    call(run, op, function);
    EMIT(run->code, 0x48, 0x85, 0xC0); /* test rax, rax */
    leave(run, detour, IF_EQUAL);
    load_elements(run, op, pairs);
    forget_unread(run, op);
    for (int e = 0; e < op->vector; e++)
        row_set(run, op->vector > 1 ? op->refs[e] : REF(ROWS_REGS, op->d), pairs[e], false);
    memcpy(detour->after, run->rows, sizeof run->rows);
    detour->back = run->code->length;
}

void write_detours(struct run *run) {
    for (int i = 0; i < run->ndetours; i++) {
        const struct detour *detour = &run->detours[i];
        for (int k = 0; k < detour->njumps; k++) emit_target(run->code, detour->jumps[k]);
        memcpy(run->rows, detour->before, sizeof run->rows);
        rows_store(run);
        call_handler(run, detour->op);
        memcpy(run->rows, detour->after, sizeof run->rows);
        rows_load(run);
        emit_jump_to(run->code, detour->back);
    }
    free(run->detours);
}
