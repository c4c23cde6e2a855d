/* exec/atomic.c: atom and red in global and shared memory. Lanes take their turns in lane order.
 * Where blocks of the grid run on several host threads (worker->atomic) host atomics are used.
 * Those kernels use no old values (decode/block_order.c), so the order of their blocks does not
 * show. */
#include "floats.h"
#include "half.h"
#include "simt/access/request.h"

/* The new value of a word of type t. old: what is there; b: the operand; c: the new value of cas.
 * inc and dec wrap at b (PTX ISA, atom). The sign matters to min and max. */
#define COMBINE_WORD(name, t, signed_t)                                                            \
    static inline t name(const struct op *op, t old, t b, t c) {                                   \
        bool less = op->flags & OP_SIGNED ? (signed_t)b < (signed_t)old : b < old;                 \
        switch (op->sub) {                                                                         \
        case PTX_ATOM_ADD: return old + b;                                                         \
        case PTX_ATOM_INC: return old >= b ? 0 : old + 1;                                          \
        case PTX_ATOM_DEC: return old == 0 || old > b ? b : old - 1;                               \
        case PTX_ATOM_MIN: return less ? b : old;                                                  \
        case PTX_ATOM_MAX: return less ? old : b;                                                  \
        case PTX_ATOM_AND: return old & b;                                                         \
        case PTX_ATOM_OR: return old | b;                                                          \
        case PTX_ATOM_XOR: return old ^ b;                                                         \
        case PTX_ATOM_CAS: return old == b ? c : old;                                              \
        default: return b; /* exch */                                                              \
        }                                                                                          \
    }
COMBINE_WORD(combine_u32, uint32_t, int32_t)
COMBINE_WORD(combine_u64, uint64_t, int64_t)

/* What comes of two floats. */
static inline float choose_float(uint8_t sub, float x, float y) {
    return sub == PTX_ATOM_ADD ? x + y : sub == PTX_ATOM_MIN ? min32(x, y) : max32(x, y);
}

/* Halves are computed as floats and rounded again: a float's 24 bits are at least 2 * 11 + 2, so a
 * sum is as if rounded once (S. Figueroa, "When is double rounding innocuous?"). */
static inline uint32_t combine_half(const struct op *op, uint32_t old, uint32_t b) {
    uint16_t x = (uint16_t)old, y = (uint16_t)b;
    if (op->type == PTX_F16 || op->type == PTX_F16X2)
        return half_from_float(choose_float(op->sub, half_to_float(x), half_to_float(y)));
    return bfloat_from_float(choose_float(op->sub, bfloat_to_float(x), bfloat_to_float(y)));
}

/* Floating-point additions, minima and maxima on the bits of a word. */
static uint64_t combine_float(const struct op *op, uint64_t old, uint64_t b) {
    uint32_t x = (uint32_t)old, y = (uint32_t)b;
    if (op->type == PTX_F64) return bits64(float64(old) + float64(b));
    if (op->type == PTX_F32 && op->flags & OP_FTZ)
        return bits32(flush32(canonical32(flush32(float32(x)) + flush32(float32(y)))));
    if (op->type == PTX_F32)
        return bits32(canonical32(choose_float(op->sub, float32(x), float32(y))));
    if (op->size == 2) return combine_half(op, x, y);
    return combine_half(op, x, y) | combine_half(op, x >> 16, y >> 16) << 16;
}

/* exch and cas compare and move bits in every type. */
static inline bool on_floats(const struct op *op) {
    return op->type >= PTX_F16 && op->sub != PTX_ATOM_EXCH && op->sub != PTX_ATOM_CAS;
}

/* Words of 16, 32 or 64 bits; 16-bit words are computed in 32 bits and cut off. */
static inline uint64_t atomic_combine(const struct op *op, uint64_t old, uint64_t b, uint64_t c) {
    if (on_floats(op)) return combine_float(op, old, b);
    if (op->size == 8) return combine_u64(op, old, b, c);
    if (op->size == 2) return (uint16_t)combine_u32(op, (uint16_t)old, (uint16_t)b, (uint16_t)c);
    return combine_u32(op, (uint32_t)old, (uint32_t)b, (uint32_t)c);
}

/* Replace the word at address; returns what was there. No other host thread may reach the word. */
static uint64_t update_alone(const struct op *op, void *address, uint64_t b, uint64_t c) {
    uint64_t *word64 = address, old;
    uint32_t *word32 = address;
    uint16_t *word16 = address;
    switch (op->size) {
    case 8: old = *word64, *word64 = atomic_combine(op, old, b, c); break;
    case 4: old = *word32, *word32 = (uint32_t)atomic_combine(op, old, b, c); break;
    default: old = *word16, *word16 = (uint16_t)atomic_combine(op, old, b, c);
    }
    return old;
}

/* The same while other host threads update the word: try until no one came between the read and the
 * write. */
#define UPDATE_SHARED(name, t)                                                                     \
    static uint64_t name(const struct op *op, void *address, uint64_t b, uint64_t c) {             \
        t *word = address, old = __atomic_load_n(word, __ATOMIC_RELAXED);                          \
        while (!__atomic_compare_exchange_n(word, &old, (t)atomic_combine(op, old, b, c), true,    \
                                            __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))                   \
            ;                                                                                      \
        return old;                                                                                \
    }
UPDATE_SHARED(update_u16, uint16_t)
UPDATE_SHARED(update_u32, uint32_t)
UPDATE_SHARED(update_u64, uint64_t)

/* Integer additions are one host instruction. All else goes through compare-and-exchange. */
static uint64_t update_among_threads(const struct op *op, void *address, uint64_t b, uint64_t c) {
    if (op->sub == PTX_ATOM_ADD && !on_floats(op) && op->size == 4)
        return __atomic_fetch_add((uint32_t *)address, (uint32_t)b, __ATOMIC_SEQ_CST);
    if (op->sub == PTX_ATOM_ADD && !on_floats(op) && op->size == 8)
        return __atomic_fetch_add((uint64_t *)address, b, __ATOMIC_SEQ_CST);
    return op->size == 8   ? update_u64(op, address, b, c)
           : op->size == 4 ? update_u32(op, address, b, c)
                           : update_u16(op, address, b, c);
}

/* Lane l of an operand. Words narrower than 64 bits lie in rows of 32-bit lanes. */
static inline uint64_t atomic_operand(const struct warp *w, const struct op *op, uint32_t ref,
                                      uint32_t l) {
    return op->size == 8 ? ((const uint64_t *)row(w, ref))[l] : ((const uint32_t *)row(w, ref))[l];
}

/* One lane's turn: update the word, and keep the old value if the program reads it. alone: no other
 * host thread runs blocks of the grid. */
static inline void atomic_lane(struct warp *w, const struct op *op, uint32_t l, void *address,
                               bool alone) {
    uint64_t b = atomic_operand(w, op, op->b, l), c = atomic_operand(w, op, op->c, l);
    uint64_t old =
        alone ? update_alone(op, address, b, c) : update_among_threads(op, address, b, c);
    if (!op->mem.wants_old) return;
    if (op->size == 8)
        ((uint64_t *)DST(u64))[l] = old;
    else
        ((uint32_t *)DST(u32))[l] = (uint32_t)old;
}

/* The elements of a lane's vector, each with a turn of its own. refs: rows of results, if they are
 * wanted, and of operands. */
static void atomic_vector_lane(struct warp *w, const struct op *op, uint32_t l, char *address,
                               bool alone) {
    for (uint32_t i = 0; i < op->vector; i++) {
        struct op element = *op;
        element.b = op->refs[op->mem.wants_old * op->vector + i];
        element.d = REF_OFFSET(op->refs[i]);
        atomic_lane(w, &element, l, address + i * op->size, alone);
    }
}

/* The lanes of mask in turn. False: a fault was raised, and no lane was served. An atomic whose old
 * value is used may be an attempt to take a lock: it counts as a look at memory. */
static bool atomic_global_lanes(struct warp *w, const struct op *op, uint32_t mask) {
    struct request r = request_of(w, op, mask, (uint32_t)op->size * op->vector);
    /* No machine instruction exchanges without a result. */
    bool has_result = op->mem.wants_old || op->sub >= PTX_ATOM_EXCH;
    if (!request_global(w, op, &r, has_result ? REQUEST_ATOM : REQUEST_RED)) return false;
    w->worker->counters.atom_cas_requests += op->sub == PTX_ATOM_CAS;
    bool alone = !w->worker->atomic;
    if (op->vector > 1)
        EACH_ACTIVE(mask) atomic_vector_lane(w, op, l, host_of(&r, l), alone);
    else
        EACH_ACTIVE(mask) atomic_lane(w, op, l, host_of(&r, l), alone);
    if (op->mem.wants_old) poll_global(w, &r);
    return true;
}

/* Does the instruction add words, and nobody reads the old values? */
static inline bool adds_words(const struct op *op) {
    return !op->mem.wants_old && op->sub == PTX_ATOM_ADD && op->size == 4 && !on_floats(op);
}

/* Does it add the constant 1? Then the lanes of one word need no turns: on an H200 a histogram of
 * one value is faster than one of many (lab 15). */
static bool counts_lanes(const struct op *op) {
    const struct ptx_operand *addend = &op->insn->operand[op->insn->noperands - 1];
    return adds_words(op) && addend->kind == PTX_OPERAND_IMM && addend->bits == 1;
}

static bool is_on_one_word(const struct request *r, uint32_t mask) {
    EACH_ACTIVE(mask)
        if (r->lanes->step[l] != r->lanes->step[__builtin_ctz(mask)]) return false;
    return true;
}

/* The same in shared memory. One host thread runs all warps of a block, so no host atomics are
 * needed. */
static bool atomic_shared_lanes(struct warp *w, const struct op *op, uint32_t mask) {
    struct request r = request_of(w, op, mask, op->size);
    if (!request_shared(w, op, &r)) return false;
    uint32_t first = (uint32_t)r.at,
             passes = counts_lanes(op) ? pattern_passes(r.lanes, first, op->size).wavefronts
                                       : pattern_passes_atomic(r.lanes, first);
    w->worker->counters.shared_atom_requests++;
    w->worker->counters.shared_cas_requests += op->sub == PTX_ATOM_CAS;
    w->worker->counters.shared_atom_wavefronts += passes;
    if (w->trace)
        trace_atomic(w->trace, op->insn,
                     (op->mem.wants_old ? ACCESS_RESULT : 0u) |
                         (is_on_one_word(&r, mask) ? ACCESS_ONE_WORD : 0u),
                     passes, first);
    if (op->mem.wants_old) poll_shared(w);
    const uint32_t *b = SRC(u32, op->b);
    if (adds_words(op))
        EACH_ACTIVE(mask) *(uint32_t *)(r.first + r.lanes->step[l]) += b[l];
    else
        EACH_ACTIVE(mask) atomic_lane(w, op, l, host_of(&r, l), true);
    return true;
}

HANDLER(atomic_global) {
    uint32_t mask = guard(w, op);
    return !mask || atomic_global_lanes(w, op, mask) ? NEXT : NULL;
}

HANDLER(atomic_shared) {
    uint32_t mask = guard(w, op);
    return !mask || atomic_shared_lanes(w, op, mask) ? NEXT : NULL;
}

/* The lanes of each space in turn. Local memory and parameters have no atomics: a fault. */
HANDLER(atomic_generic) {
    for (uint32_t rest = guard(w, op); rest;) {
        enum space_class class;
        uint32_t mask = same_class(w, SRC(u64, op->a), rest, &class);
        if (class == CLASS_LOCAL || class == CLASS_PARAM) {
            int lane = first_lane(mask);
            return fault_access(w, op, lane, SRC(u64, op->a)[lane], op->size, "atomic");
        }
        struct op exact = *op; /* only global memory's atomics flush subnormals */
        exact.flags &= (uint8_t)~OP_FTZ;
        if (!(class == CLASS_SHARED ? atomic_shared_lanes(w, &exact, mask)
                                    : atomic_global_lanes(w, op, mask)))
            return NULL;
        rest &= ~mask;
    }
    return NEXT;
}

/* cp.reduce.async.bulk: the atomic with each element of the lane's bytes in shared memory. Floats
 * are not flushed. */
static bool reduce_lane(struct warp *w, const struct op *op, uint32_t lane) {
    uint64_t address[WARP_SIZE];
    struct bulk bulk;
    struct request r;
    if (!request_bulk(w, op, lane, &bulk)) return false;
    for (uint32_t done = 0; done < bulk.bytes; done += PIECE_BYTES * WARP_SIZE) {
        if (!request_pieces(w, op, &bulk, done, address, REQUEST_RED, &r)) return false;
        EACH_ACTIVE(r.mask)
            for (uint32_t i = 0; i < PIECE_BYTES; i += op->size) {
                uint64_t b = 0;
                memcpy(&b, w->block->shared + bulk.shared + done + PIECE_BYTES * l + i, op->size);
                update_alone(op, host_of(&r, (uint32_t)l) + i, b, 0);
            }
    }
    return true;
}

/* A kernel with such copies runs its blocks in order (decode/block_order.c). */
HANDLER(reduce_bulk) {
    uint32_t mask = guard(w, op);
    EACH_ACTIVE(mask)
        if (!reduce_lane(w, op, (uint32_t)l)) return NULL;
    return NEXT;
}

void EXEC(atomic_names)(struct handlers *handlers) {
    handlers->atomic_global = atomic_global;
    handlers->atomic_shared = atomic_shared;
    handlers->atomic_generic = atomic_generic;
    handlers->reduce_bulk = reduce_bulk;
}
