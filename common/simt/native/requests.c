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
                             compare64 = {3, 1 | WIDE, 0x1F}, insert = {3, 1, 0x1A};
enum { DIFFERENT = 4, LOW = 6, HIGH = 7, FIRST = FIRST_MOMENT, DISTANCE = FIRST_MOMENT + 1, STEP = FIRST_MOMENT + 2 };

static int32_t offset_in_run(const struct run *run, const struct op *op) {
    return (int32_t)((op - run->first) * (int32_t)sizeof *op);
}

/* The warp and the operation. */
static void pass_arguments(struct run *run, const struct op *op) {
    EMIT(run->code, 0x48, 0x89, (uint8_t)(0xC0 | run->warp << 3 | RDI)); /* mov rdi, warp */
    emit_address(run->code, RSI, run->op, offset_in_run(run, op));
}

/* If another operation comes next than the one behind op, the run ends. */
static void call_handler(struct run *run, const struct op *op) {
    const void *function;
    memcpy(&function, &op->run, sizeof function);
    pass_arguments(run, op);
    emit_call(run->code, function);
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

/* ---- The subroutines: warp in rdi, operation in rsi ---- */

/* rcx = the operation's lane pattern, which begins with the steps. */
static void find_pattern(struct code_buffer *code) {
    uint32_t size = sizeof(struct lane_pattern);
    emit_load(code, RCX, RDI, (int32_t)offsetof(struct warp, worker));
    emit_load(code, RCX, RCX, (int32_t)offsetof(struct worker, lane_patterns));
    EMIT(code, 0x8B, 0x56, (uint8_t)offsetof(struct op, alloc_cache)); /* mov edx, [rsi + alloc_cache] */
    EMIT(code, 0x48, 0x69, 0xD2);                                      /* imul rdx, rdx, size */
    emit_word(code, size);
    EMIT(code, 0x48, 0x01, 0xD1); /* add rcx, rdx */
}

/* Are the lanes at the pattern's distances from the first? The masks LOW and HIGH: those that are not. The first one's
 * address goes to rdx. 32-bit addresses are in FIRST and the next register, 64-bit ones in memory at r8. */
static void compare_short(struct code_buffer *code) {
    emit_vector(code, spread32, STEP, 0, VECTOR(FIRST), 0, NO_IMMEDIATE);
    for (int half = 0; half < 2; half++) {
        struct place step = {PLACE_MEMORY, RCX, half * (int32_t)HALF_BYTES};
        emit_vector(code, subtract32, FIRST + half, FIRST + half, VECTOR(STEP), 0, NO_IMMEDIATE);
        emit_vector(code, compare32, LOW + half, FIRST + half, step, 0, DIFFERENT);
    }
    EMIT(code, 0x62, 0x61, 0x7D, 0x08, 0x7E, 0xF2); /* vmovd edx, xmm30 */
}

static void compare_long(struct code_buffer *code) {
    emit_vector(code, spread64, FIRST, 0, (struct place){PLACE_MEMORY, R8, 0}, 0, NO_IMMEDIATE);
    for (int quarter = 0; quarter < 4; quarter++) {
        struct place address = {PLACE_MEMORY, R8, quarter * (int32_t)(ROW64 / 4)};
        struct place step = {PLACE_MEMORY, RCX, quarter * (int32_t)(ROW32 / 4)};
        emit_vector(code, load, DISTANCE, 0, address, 0, NO_IMMEDIATE);
        emit_vector(code, subtract64, DISTANCE, DISTANCE, VECTOR(FIRST), 0, NO_IMMEDIATE);
        emit_vector(code, extend, STEP, 0, step, 0, NO_IMMEDIATE);
        emit_vector(code, compare64, quarter ? HIGH : LOW, DISTANCE, VECTOR(STEP), 0, DIFFERENT);
        if (quarter) emit_mask(code, MASK_OR, LOW, LOW, HIGH);
    }
    emit_mask(code, MASK_OR, HIGH, LOW, LOW);
    emit_load(code, RDX, R8, 0);
}

/* A word of each lane into FIRST and the next register, from rax; of vectors nothing. Steps are at rcx; dl: enum
 * lane_shape. */
static void move_lanes(struct code_buffer *code) {
    enum { IS_SAME, IS_SIDE_BY_SIDE, IS_ROWS, SHAPES };
    static const uint8_t shapes[SHAPES] = {LANES_SAME, LANES_SIDE_BY_SIDE, LANES_ROWS_OF_8};
    size_t jumps[SHAPES];
    EMIT(code, 0x80, 0x7E, (uint8_t)offsetof(struct op, vector), 1); /* cmp byte [rsi + vector], 1 */
    size_t is_word = emit_jump(code, IF_EQUAL);
    EMIT(code, 0xC3);
    emit_target(code, is_word);
    for (int i = 0; i < SHAPES; i++) {
        EMIT(code, 0x80, 0xFA, shapes[i]); /* cmp dl, shape */
        jumps[i] = emit_jump(code, IF_EQUAL);
    }
    for (int half = 0; half < 2; half++) {
        struct place steps = {PLACE_MEMORY, RCX, half * (int32_t)HALF_BYTES};
        emit_vector(code, load, STEP + half, 0, steps, 0, NO_IMMEDIATE);
        emit_mask(code, MASK_ALL, LOW + half, LOW, LOW);
    }
    EMIT(code, 0x62, 0x22, 0x7D, 0x46, 0x90, 0x24, 0x30); /* vpgatherdd zmm28 {k6}, [rax + zmm30] */
    EMIT(code, 0x62, 0x22, 0x7D, 0x47, 0x90, 0x2C, 0x38); /* vpgatherdd zmm29 {k7}, [rax + zmm31] */
    EMIT(code, 0xC3);
    emit_target(code, jumps[IS_SAME]);
    for (int half = 0; half < 2; half++)
        emit_vector(code, broadcast, FIRST + half, 0, (struct place){PLACE_MEMORY, RAX, 0}, 0, NO_IMMEDIATE);
    EMIT(code, 0xC3);
    emit_target(code, jumps[IS_SIDE_BY_SIDE]);
    for (int half = 0; half < 2; half++) {
        struct place words = {PLACE_MEMORY, RAX, half * (int32_t)HALF_BYTES};
        emit_vector(code, load, FIRST + half, 0, words, 0, NO_IMMEDIATE);
    }
    EMIT(code, 0xC3);
    emit_target(code, jumps[IS_ROWS]);
    for (int i = 0; i < WARP_SIZE / LANE_GROUP; i++) {
        EMIT(code, 0x48, 0x63, 0x51, (uint8_t)(4 * LANE_GROUP * i)); /* movsxd rdx, [rcx + the group's first step] */
        EMIT(code, 0x48, 0x01, 0xC2);                                /* add rdx, rax */
        emit_vector(code, insert, FIRST + i / 2, FIRST + i / 2, (struct place){PLACE_MEMORY, RDX, 0}, 0, i % 2);
    }
    EMIT(code, 0xC3);
}

static size_t write_load(struct code_buffer *code, struct known (*known)(struct warp *, const struct op *, uint64_t),
                         void (*compare)(struct code_buffer *)) {
    size_t begin = code->length;
    const void *function;
    memcpy(&function, &known, sizeof function);
    find_pattern(code);
    compare(code);
    EMIT(code, 0x31, 0xC0);             /* xor eax, eax */
    EMIT(code, 0xC5, 0xF8, 0x98, 0xF7); /* kortestw k6, k7 */
    size_t same = emit_jump(code, IF_EQUAL);
    EMIT(code, 0xC3);
    emit_target(code, same);
    EMIT(code, 0x51, 0x56, 0x50); /* push rcx, rsi; the stack's alignment */
    emit_call(code, function);
    EMIT(code, 0x5E, 0x5E, 0x59, 0x48, 0x85, 0xC0); /* pop rsi twice, rcx; test rax, rax */
    size_t is_known = emit_jump(code, IF_NOT_EQUAL);
    EMIT(code, 0xC3);
    emit_target(code, is_known);
    move_lanes(code);
    return begin;
}

void write_loads(struct code_buffer *code, struct subroutines *subroutines) {
    subroutines->load_shared = write_load(code, known_shared, compare_short);
    subroutines->load_global = write_load(code, known_global, compare_long);
}

/* ---- In a run ---- */

/* The result of the subroutine to the registers of the rows. Vectors are of lanes that share them, at rax. */
static void take_elements(struct run *run, const struct op *op, const int *pairs) {
    for (int e = 0; e < op->vector; e++)
        for (int half = 0; half < 2; half++) {
            int d = 2 * pairs[e] + half;
            if (op->vector == 1)
                emit_vector(run->code, move, d, 0, VECTOR(FIRST + half), 0, NO_IMMEDIATE);
            else
                emit_vector(run->code, broadcast, d, 0, (struct place){PLACE_MEMORY, RAX, 4 * e}, 0, NO_IMMEDIATE);
        }
}

void translate_load(struct run *run, const struct op *op) {
    bool is_shared = op->flags & OP_ADDRESS32;
    int pairs[4], a = is_shared ? row_of(run, op->a) : 0;
    run->detours = need(realloc(run->detours, ((size_t)run->ndetours + 1) * sizeof *run->detours));
    struct detour *detour = &run->detours[run->ndetours++];
    *detour = (struct detour){.op = op};
    for (int e = 0; e < op->vector; e++) pairs[e] = row_new(run);
    memcpy(detour->before, run->rows, sizeof run->rows);
    for (int half = 0; half < 2 && is_shared; half++)
        emit_vector(run->code, move, FIRST + half, 0, VECTOR(2 * a + half), 0, NO_IMMEDIATE);
    struct place addresses = row_place(run, op->a, 0);
    if (!is_shared) emit_address(run->code, R8, addresses.number, addresses.offset);
    pass_arguments(run, op);
    emit_call_to(run->code, is_shared ? run->subroutines->load_shared : run->subroutines->load_global);
    EMIT(run->code, 0x48, 0x85, 0xC0); /* test rax, rax */
    detour->jump = emit_jump(run->code, IF_EQUAL);
    take_elements(run, op, pairs);
    forget_unread(run, op);
    for (int e = 0; e < op->vector; e++)
        row_set(run, op->vector > 1 ? op->refs[e] : REF(ROWS_REGS, op->d), pairs[e], false);
    memcpy(detour->after, run->rows, sizeof run->rows);
    detour->back = run->code->length;
}

void write_detours(struct run *run) {
    for (int i = 0; i < run->ndetours; i++) {
        const struct detour *detour = &run->detours[i];
        emit_target(run->code, detour->jump);
        memcpy(run->rows, detour->before, sizeof run->rows);
        rows_store(run);
        call_handler(run, detour->op);
        memcpy(run->rows, detour->after, sizeof run->rows);
        rows_load(run);
        emit_jump_to(run->code, detour->back);
    }
    free(run->detours);
}
