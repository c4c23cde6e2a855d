/* native/rows.c: which registers of the host hold which row of the frame. Where there are too few, the row that was not
 * used for longest goes: back to memory, if the run wrote it. */
#include "run.h"

static const struct encoding load = {1, 0, 0x10}, compare = {1, 0, 0xC2}, blend = {2, 1, 0x65};
enum { UNORDERED = 3, MASKS = 6 };

void emit_both(struct run *run, struct encoding e, int d, int a, struct place last, int masks, int immediate) {
    for (int half = 0; half < 2; half++) {
        struct place place = last;
        if (place.kind == PLACE_VECTOR) place.number = 2 * last.number + half;
        if (place.kind == PLACE_MEMORY) place.offset += half * (int32_t)HALF_BYTES;
        emit_vector(run->code, e, 2 * d + half, a == NO_PAIR ? 0 : 2 * a + half, place, masks ? masks + half : 0,
                    immediate);
    }
}

struct place row_place(const struct run *run, uint32_t ref, int32_t more) {
    return (struct place){PLACE_MEMORY, run->bases[ref >> ROWS_SHIFT], (int32_t)REF_OFFSET(ref) + more};
}

static int find(const struct run *run, uint32_t ref) {
    for (int i = 0; i < PAIRS; i++)
        if (run->rows[i].is_taken && run->rows[i].ref == ref) return i;
    return -1;
}

void make_exact(struct run *run, int pair) {
    for (int z = 2 * pair; z < 2 * pair + 2; z++) {
        emit_vector(run->code, compare, MASKS, z, VECTOR(z), 0, UNORDERED);
        emit_vector(run->code, blend, z, z, emit_constant(run->code, NAN_BITS), MASKS, NO_IMMEDIATE);
    }
    run->rows[pair].is_loose = false;
}

static void store_row(struct run *run, int pair) {
    struct held *row = &run->rows[pair];
    if (row->is_loose) make_exact(run, pair);
    for (int half = 0; half < 2; half++) {
        struct place place = row_place(run, row->ref, half * (int32_t)HALF_BYTES);
        emit_store(run->code, 2 * pair + half, place.number, place.offset, run->is_masked ? 1 + half : 0);
    }
    row->is_dirty = false;
}

static void load_row(struct run *run, int pair, uint32_t ref) {
    for (int half = 0; half < 2; half++)
        emit_vector(run->code, load, 2 * pair + half, 0, row_place(run, ref, half * (int32_t)HALF_BYTES), 0,
                    NO_IMMEDIATE);
}

int row_new(struct run *run) {
    int best = -1;
    for (int i = 0; i < PAIRS; i++) {
        const struct held *row = &run->rows[i];
        if (row->used == run->clock) continue;
        if (!row->is_taken) {
            best = i;
            break;
        }
        if (best < 0 || row->used < run->rows[best].used) best = i;
    }
    if (run->rows[best].is_taken && run->rows[best].is_dirty) store_row(run, best);
    run->rows[best] = (struct held){.used = run->clock};
    return best;
}

void rows_leave(struct run *run, int z) {
    for (int i = z / 2; i < PAIRS; i++) {
        if (run->rows[i].is_taken && run->rows[i].is_dirty) store_row(run, i);
        run->rows[i] = (struct held){.used = run->clock};
    }
}

int row_loose(struct run *run, uint32_t ref) {
    int pair = find(run, ref);
    if (pair < 0) {
        pair = row_new(run);
        load_row(run, pair, ref);
        run->rows[pair] = (struct held){.ref = ref, .is_taken = true};
    }
    run->rows[pair].used = run->clock;
    return pair;
}

struct place row_last(struct run *run, uint32_t ref) {
    bool is_register = ref >> ROWS_SHIFT == ROWS_REGS;
    return is_register || find(run, ref) >= 0 ? VECTOR(row_loose(run, ref)) : row_place(run, ref, 0);
}

int row_copy(struct run *run, uint32_t ref, bool is_own) {
    int pair = find(run, ref);
    if (pair >= 0 && is_own && run->rows[pair].used != run->clock) {
        run->rows[pair].used = run->clock;
        return pair;
    }
    struct place place = pair < 0 && is_own ? row_place(run, ref, 0) : row_last(run, ref);
    pair = row_new(run);
    emit_both(run, load, pair, NO_PAIR, place, 0, NO_IMMEDIATE);
    return pair;
}

int row_of(struct run *run, uint32_t ref) {
    int pair = row_loose(run, ref);
    if (run->rows[pair].is_loose) make_exact(run, pair);
    return pair;
}

bool row_is_loose(const struct run *run, uint32_t ref) {
    int pair = find(run, ref);
    return pair >= 0 && run->rows[pair].is_loose;
}

void row_set(struct run *run, uint32_t ref, int pair, bool is_loose) {
    row_forget(run, ref);
    run->rows[pair] =
        (struct held){.ref = ref, .used = run->clock, .is_taken = true, .is_dirty = true, .is_loose = is_loose};
}

void row_forget(struct run *run, uint32_t ref) {
    int pair = find(run, ref);
    if (pair >= 0) run->rows[pair].is_taken = false;
}

void rows_store(struct run *run) {
    for (int i = 0; i < PAIRS; i++)
        if (run->rows[i].is_taken && run->rows[i].is_dirty) store_row(run, i);
}

void rows_load(struct run *run) {
    for (int i = 0; i < PAIRS; i++)
        if (run->rows[i].is_taken) load_row(run, i, run->rows[i].ref);
}
