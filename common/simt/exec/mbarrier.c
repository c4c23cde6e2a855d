/*
 * exec/mbarrier.c: barriers in shared memory, which threads arrive at and look at (mbarrier;
 * cuda::barrier), and the copies that tell them how many bytes came (cp.async.bulk). PTX leaves
 * open what a barrier's 64 bits mean. Here:
 *
 *      63      60           40 39          20 19         0
 *      phase | bytes awaited  | arrivals      | arrivals  |
 *            | (signed)       | of each phase | pending   |
 *
 * A phase is complete when no arrival is pending and no byte is awaited. The next one begins at
 * once. The state that an arrival returns is the word before it, so its phase tells whether the
 * barrier has gone on since.
 */
#include "simt/access/request.h"
#include "simt/check/check.h"

#define ARRIVALS    0xFFFFFu
#define EACH_SHIFT  20
#define BYTES_SHIFT 40
#define BYTES_BITS  21
#define PHASE_SHIFT 63

struct mbarrier {
    uint32_t pending, each;
    int32_t bytes;
    bool phase;
};

static inline struct mbarrier mbarrier_of(uint64_t word) {
    return (struct mbarrier){
        .pending = word & ARRIVALS,
        .each = word >> EACH_SHIFT & ARRIVALS,
        .bytes = (int32_t)((int64_t)(word << (64 - BYTES_SHIFT - BYTES_BITS)) >> (64 - BYTES_BITS)),
        .phase = word >> PHASE_SHIFT,
    };
}

static inline uint64_t word_of(struct mbarrier b) {
    uint64_t bytes = (uint64_t)(uint32_t)b.bytes & ((1u << BYTES_BITS) - 1);
    return (uint64_t)b.phase << PHASE_SHIFT | bytes << BYTES_SHIFT |
           (uint64_t)(b.each & ARRIVALS) << EACH_SHIFT | (b.pending & ARRIVALS);
}

/* The barrier after one lane's operation. n: the operand, a count of arrivals or of bytes; 0: left
 * out. */
static uint64_t after(uint8_t sub, uint64_t word, uint32_t n) {
    if (sub == PTX_MBARRIER_INIT) return word_of((struct mbarrier){.pending = n, .each = n});
    if (sub == PTX_MBARRIER_INVAL) return 0;
    struct mbarrier b = mbarrier_of(word);
    bool has_bytes = sub == PTX_MBARRIER_EXPECT || sub == PTX_MBARRIER_ARRIVE_EXPECT ||
                     sub == PTX_MBARRIER_DROP_EXPECT;
    bool drops = sub == PTX_MBARRIER_DROP || sub == PTX_MBARRIER_DROP_EXPECT;
    bool arrives = drops || sub == PTX_MBARRIER_ARRIVE || sub == PTX_MBARRIER_ARRIVE_EXPECT;
    uint32_t arrivals = !arrives ? 0 : has_bytes || !n ? 1 : n;
    if (has_bytes) b.bytes += (int32_t)n;
    if (sub == PTX_MBARRIER_COMPLETE) b.bytes -= (int32_t)n;
    if (drops) b.each -= arrivals;
    b.pending -= arrivals;
    if (!b.pending && !b.bytes) b.phase = !b.phase, b.pending = b.each;
    return word_of(b);
}

/* mbarrier.test_wait, try_wait: is the phase over that the state, or the parity, names? A warp that
 * has to look again gives way to others. */
static void mbarrier_look(struct warp *w, const struct op *op, const struct request *r) {
    uint32_t over = 0;
    EACH_ACTIVE(r->mask) {
        uint64_t word = *(const uint64_t *)host_of(r, (uint32_t)l);
        bool seen = op->sub == PTX_MBARRIER_TEST ? SRC(u64, op->b)[l] >> PHASE_SHIFT
                                                 : SRC(u32, op->b)[l] & 1;
        if (seen != word >> PHASE_SHIFT) over |= 1u << l;
    }
    set_pred((uint32_t *)(w->rows[ROWS_REGS] + op->d), r->mask, over);
    poll_shared(w);
    if (over != r->mask) w->fuel = 0;
}

/* The lanes in turn. Each operation is an atomic on a word of shared memory. */
HANDLER(mbarrier) {
    uint32_t mask = guard(w, op);
    if (!mask) return NEXT;
    struct request r = request_of(w, op, mask, sizeof(uint64_t));
    if (!request_shared(w, op, &r)) return NULL;
    uint32_t passes = pattern_passes_atomic(r.lanes, (uint32_t)r.at);
    w->worker->counters.shared_atom_requests++;
    w->worker->counters.shared_atom_wavefronts += passes;
    if (w->trace)
        trace_passes(w->trace, op->insn, ACCESS_SHARED, op->mem.wants_old ? ACCESS_RESULT : 0,
                     passes, 1);
    if (op->sub == PTX_MBARRIER_TEST || op->sub == PTX_MBARRIER_TEST_PARITY) {
        mbarrier_look(w, op, &r);
        return NEXT;
    }
    EACH_ACTIVE(mask) {
        uint64_t *word = (uint64_t *)host_of(&r, (uint32_t)l), old = *word;
        uint32_t n = SRC(u32, op->b)[l];
        *word = after(op->sub, old, op->insn->op == PTX_CP_ASYNC_BULK ? bulk_bytes(n) : n);
        if (op->mem.wants_old) DST(u64)[l] = old;
    }
    w->block->progressed = true;
    return NEXT;
}

/* ---- cp.async.bulk ---- */

/* A part of the copy as a warp's load or store of as many pieces. */
static bool move_pieces(struct warp *w, const struct op *op, const struct bulk *bulk,
                        uint32_t done) {
    bool stores = op->insn->op == PTX_CP_ASYNC_BULK_STORE;
    uint64_t address[WARP_SIZE];
    struct request r;
    if (!request_pieces(w, op, bulk, done, address, stores ? REQUEST_STORE : REQUEST_LOAD, &r))
        return false;
    EACH_ACTIVE(r.mask) {
        char *shared = w->block->shared + bulk->shared + done + PIECE_BYTES * l;
        if (stores)
            memcpy(host_of(&r, (uint32_t)l), shared, PIECE_BYTES);
        else
            memcpy(shared, host_of(&r, (uint32_t)l), PIECE_BYTES);
    }
    return true;
}

/* One lane's copy. It arrives at once. False: a fault was raised. */
static bool mbarrier_copy_lane(struct warp *w, const struct op *op, uint32_t lane) {
    struct bulk bulk;
    if (!request_bulk(w, op, lane, &bulk)) return false;
    for (uint32_t done = 0; done < bulk.bytes; done += PIECE_BYTES * WARP_SIZE)
        if (!move_pieces(w, op, &bulk, done)) return false;
    if (w->block->check && op->insn->op == PTX_CP_ASYNC_BULK)
        shadow_mark(&w->block->check->shared, bulk.shared, bulk.bytes);
    return true;
}

HANDLER(copy_bulk) {
    uint32_t mask = guard(w, op);
    EACH_ACTIVE(mask)
        if (!mbarrier_copy_lane(w, op, (uint32_t)l)) return NULL;
    return NEXT;
}

/* An H200 executes none either in a launch without clusters. */
HANDLER(cluster_copy) {
    uint32_t mask = guard(w, op);
    return mask ? fault_raise(w, op, SIM_ERROR_ILLEGAL_INSTRUCTION, first_lane(mask),
                              "A copy to a cluster's shared memory, in a launch without clusters")
                : NEXT;
}

void EXEC(mbarrier_names)(struct handlers *handlers) {
    handlers->mbarrier = mbarrier;
    handlers->copy_bulk = copy_bulk;
    handlers->cluster_copy = cluster_copy;
}
