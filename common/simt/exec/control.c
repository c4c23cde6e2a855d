/* exec/control.c: basic blocks, branches, calls, moves and what a thread can ask about itself.
 * Divergence, calls and barriers are in the room run; a handler returns what they return. */
#include "simt/access/lane.h"

/* ---- Basic blocks ---- */

/* One pass of the current path over a basic block: by warps, by threads, for %clock, for the time
 * model. */
static inline void count_block(struct warp *w, const struct op *op) {
    struct tally *tally = &w->worker->tallies[op->enter.tally];
    tally->warps++;
    tally->threads += (uint32_t)__builtin_popcount(w->active);
    w->inst += op->enter.instructions;
    if (w->trace) trace_enter(w->trace, op->enter.tally, w->active);
}

HANDLER(enter) {
    count_block(w, op);
    return RUN(NEXT);
}

/* A block where paths meet. If the current path's reconvergence is here, it either waits for the
 * others, and another path of the warp goes on; or it was the last, and goes on with all their
 * lanes. */
HANDLER(enter_join) {
    if (w->reconvergence && w->reconvergence->pc == op && !path_join(w, op)) return path_next(w);
    count_block(w, op);
    return RUN(NEXT);
}

/* Threads of a guarded instruction. Warps stay 0: its block counts those. */
HANDLER(tally) {
    w->worker->tallies[op->enter.tally].threads += (uint32_t)__builtin_popcount(guard(w, op));
    return RUN(NEXT);
}

/* ---- Branches ---- */

/* All active lanes take the branch, none does, or the path splits. */
static inline const struct op *branch(struct warp *w, const struct op *op) {
    uint32_t taken = guard(w, op);
    if (taken == w->active) return op->branch.target;
    return taken ? path_diverge(w, op, taken) : NEXT;
}

HANDLER(bra) {
    return RUN(branch(w, op));
}

/* Unconditional and forward: no mask to look at. */
HANDLER(bra_always) {
    return RUN(op->branch.target);
}

/* A warp has fuel for a number of backward branches. Then others get their turn, so that a loop
 * that waits for another warp ends. */
HANDLER(bra_back) {
    const struct op *next = branch(w, op);
    return --w->fuel > 0 ? next : path_turn_over(w, next);
}

/* brx.idx: lanes may want more than two ways, so it goes one way at a time. Lanes with the first
 * lane's index take its branch; the others are a path that executes the brx again. Lanes whose
 * guard does not hold go on after it. */
HANDLER(brx) {
    uint32_t lanes = guard(w, op), same = 0;
    if (!lanes) return NEXT;
    const uint32_t *index = SRC(u32, op->a);
    uint32_t target = index[first_lane(lanes)];
    EACH_ACTIVE(lanes) same |= (uint32_t)(index[l] == target) << l;
    if (target >= (uint32_t)op->branch.table->n)
        return fault_raise(w, op, SIM_ERROR_LAUNCH, first_lane(lanes),
                           "brx.idx: index %u is beyond the table's %d targets", target,
                           op->branch.table->n);
    if (lanes != w->active) path_step_aside(w, op, w->active & ~lanes);
    if (same != lanes) {
        w->worker->counters.divergent_branch += (op->flags & OP_BRANCH) != 0;
        if (op->branch.join) path_reconvergence_at(w, op->branch.join);
        path_push(w, op, w->frame, w->reconvergence, lanes & ~same);
        w->active = same;
    }
    return --w->fuel > 0 ? op->branch.table->targets[target]
                         : path_turn_over(w, op->branch.table->targets[target]);
}

/* ---- Calls and ends ---- */

/* The handlers in run/ move arguments, make frames and let lanes wait where they meet again. */
HANDLER(call) {
    uint32_t lanes = guard(w, op);
    return lanes ? call_enter(w, op, op->call.args->callee, lanes) : NEXT;
}

HANDLER(call_pointer) {
    uint32_t lanes = guard(w, op);
    return lanes ? call_indirect(w, op, lanes) : NEXT;
}

/* vprintf, malloc and the like: a C function does the work for all lanes. False: it raised a
 * fault. */
HANDLER(call_builtin) {
    uint32_t lanes = guard(w, op);
    return !lanes || op->call.builtin(w, op, lanes) ? NEXT : NULL;
}

HANDLER(ret) {
    uint32_t lanes = guard(w, op);
    return lanes ? call_return(w, op, lanes) : NEXT;
}

HANDLER(exit_lanes) {
    uint32_t lanes = guard(w, op);
    return lanes ? path_exit(w, op, lanes) : NEXT;
}

HANDLER(trap) {
    uint32_t lanes = guard(w, op);
    return lanes
               ? fault_raise(w, op, SIM_ERROR_LAUNCH, first_lane(lanes), "The kernel executed trap")
               : NEXT;
}

/* The fault names the instruction, when a thread reaches it. */
HANDLER(unsupported) {
    uint32_t lanes = guard(w, op);
    char text[128];
    if (!lanes) return NEXT;
    const char *who =
        op->insn->op == PTX_MMA ? "The GPU has no tensor cores for" : "simt does not support";
    return fault_raise(w, op, SIM_ERROR_NOT_SUPPORTED, first_lane(lanes),
                       "%s the instruction \"%s\"", who, ptx_spell(op->insn, text, sizeof text));
}

/* A thread that sleeps waits for another one. The warp's turn ends at its next backward branch. */
HANDLER(nanosleep) {
    w->fuel = 0;
    w->polled = true;
    w->worker->polls++;
    return NEXT;
}

/* The warp's turn ends, and it goes on after this operation in the next one. */
HANDLER(give_way) {
    if (w->block->live_warps == 1) return NEXT;
    path_push(w, NEXT, w->frame, w->reconvergence, w->active);
    w->active = 0;
    w->gave_way = true;
    w->times_gave_way++;
    return NULL;
}

HANDLER(nop) {
    (void)w;
    return NEXT;
}

/* ---- Moves ---- */

LANE_OP1(mov_32, u32, u32, a)
LANE_OP1(mov_64, u64, u64, a)

/* The address of a variable in the frame: its offset in local memory, the same for all lanes. */
HANDLER(frame_address) {
    uint32_t mask = guard(w, op);
    uint64_t address = op->address.base + w->frame->local_base;
    if (op->flags & OP_WIDE) {
        uint64_t *d = DST(u64);
        EACH_ACTIVE(mask) d[l] = address;
    } else {
        uint32_t *d = DST(u32);
        EACH_ACTIVE(mask) d[l] = (uint32_t)address;
    }
    return NEXT;
}

/* cvta adds the space's window to an offset; cvta.to takes it off, with the negative window. Global
 * memory has no window and is a move. */
LANE_OP1(cvta_window, u64, u64, a + op->address.base)

/* An address is in global memory where it is in no other space's window, and no constant
 * variable's. */
HANDLER(isspacep) {
    uint32_t mask = guard(w, op), result = 0;
    const uint64_t *a = SRC(u64, op->a);
    EACH_ACTIVE(mask) {
        uint64_t window = a[l] & WINDOW_MASK;
        bool elsewhere =
            window == SHARED_WINDOW || window == LOCAL_WINDOW || window == PARAM_WINDOW;
        bool holds =
            op->address.base ? window == op->address.base : !elsewhere && !space_is_constant(a[l]);
        result |= (uint32_t)holds << l;
    }
    set_pred((uint32_t *)DST(u32), mask, result);
    return NEXT;
}

/* Constant variables have no window: they lie between those of global memory. */
HANDLER(isspacep_const) {
    uint32_t mask = guard(w, op), result = 0;
    const uint64_t *a = SRC(u64, op->a);
    EACH_ACTIVE(mask) result |= (uint32_t)space_is_constant(a[l]) << l;
    set_pred((uint32_t *)DST(u32), mask, result);
    return NEXT;
}

/*
 * The elements of mov d, {e0, e1 ...}: op->size bytes each, side by side, the first lowest.
 *
 *   mov.b64 %rd, {%r1, %r2}        %rd:  | %r2 | %r1 |        low bits on the right
 */
static inline uint64_t element_get(const struct warp *w, uint32_t ref, uint32_t size, uint32_t l) {
    return size == 8 ? ((const uint64_t *)row(w, ref))[l] : ((const uint32_t *)row(w, ref))[l];
}

/* Bytes of d in a lane. */
static inline uint32_t bytes_of_all(const struct op *op) {
    uint32_t bytes = (uint32_t)op->size * op->vector;
    return bytes < 4 ? 4 : bytes;
}

HANDLER(pack_vector) {
    uint32_t mask = guard(w, op), size = op->size, all = bytes_of_all(op);
    char *d = (char *)DST(u32);
    EACH_ACTIVE(mask) {
        char bytes[16] = {0};
        for (uint32_t e = 0; e < op->vector; e++) {
            uint64_t value = element_get(w, op->refs[e], size, l);
            memcpy(bytes + e * size, &value, size);
        }
        memcpy(d + l * all, bytes, all);
    }
    return NEXT;
}

/* The destinations are in op->refs. "_" names the sink. */
HANDLER(unpack_vector) {
    uint32_t mask = guard(w, op), size = op->size, all = bytes_of_all(op);
    const char *a = row(w, op->a);
    EACH_ACTIVE(mask) {
        char bytes[16];
        memcpy(bytes, a + l * all, all);
        for (uint32_t e = 0; e < op->vector; e++) {
            uint64_t value = 0;
            memcpy(&value, bytes + e * size, size);
            if (size == 8)
                ((uint64_t *)row(w, op->refs[e]))[l] = value;
            else
                ((uint32_t *)row(w, op->refs[e]))[l] = (uint32_t)value;
        }
    }
    return NEXT;
}

/* The common forms of both: two words of 32 or of 16 bits. A destination of halves may be the
 * source's row. */
LANE_OP2(pack_words, u64, u32, u32, (uint64_t)b << 32 | a)
LANE_OP2(pack_halves, u32, u16, u16, (uint32_t)b << 16 | a)

#define UNPACK_OP(name, t, low, high)                                                              \
    HANDLER(name) {                                                                                \
        const uint32_t *m = spread(w, guard(w, op));                                               \
        const ROW_##t *pa = SRC(t, op->a);                                                         \
        uint32_t *first = row(w, op->refs[0]), *second = row(w, op->refs[1]);                      \
        VECTOR_LANES {                                                                             \
            const ROW_##t a = pa[l];                                                               \
            const uint32_t f = m[l] ? (uint32_t)(low) : first[l],                                  \
                           s = m[l] ? (uint32_t)(high) : second[l];                                \
            first[l] = f, second[l] = s;                                                           \
        }                                                                                          \
        return NEXT;                                                                               \
    }
UNPACK_OP(unpack_words, u64, a, a >> 32)
UNPACK_OP(unpack_halves, u32, a & 0xFFFF, a >> 16)

/* ---- Asking ---- */

/* Time in a warp is its own instructions, and at a barrier those of the warp that has most: it
 * rises, also from warp to warp, and is the same on every run. One
 * instruction counts as four cycles, as on a multiprocessor part whose schedulers issue to each
 * warp in turn. */
#define CLOCK_PER_INSTRUCTION 4

/* Reading the clock is an instruction too, so two successive reads differ. %globaltimer counts a
 * cycle as a ns from the launch's modelled start. */
HANDLER(clock_read) {
    uint32_t mask = guard(w, op);
    uint64_t cycles = ++w->inst * CLOCK_PER_INSTRUCTION,
             ns = w->worker->grid->launch->clock_base + cycles;
    uint64_t value = op->sub == PTX_SREG_CLOCK || op->sub == PTX_SREG_CLOCK64 ? cycles
                     : op->sub == PTX_SREG_CLOCK_HI                           ? cycles >> 32
                     : op->sub == PTX_SREG_GLOBALTIMER_HI                     ? ns >> 32
                                                                              : ns;
    if (op->flags & OP_WIDE) {
        uint64_t *d = DST(u64);
        EACH_ACTIVE(mask) d[l] = value;
    } else {
        uint32_t *d = DST(u32);
        EACH_ACTIVE(mask) d[l] = (uint32_t)value;
    }
    return NEXT;
}

/* The lanes of the current path that execute it. */
HANDLER(activemask) {
    uint32_t mask = guard(w, op), *d = DST(u32);
    EACH_ACTIVE(mask) d[l] = mask;
    return NEXT;
}

/* ---- Waiting for each other ---- */

/* Lanes whose guard does not hold do not come to the barrier. */
HANDLER(barrier) {
    uint32_t lanes = guard(w, op);
    return lanes ? barrier_arrive(w, op, lanes) : NEXT;
}

/* shfl, vote, match, redux, elect, bar.warp.sync: warp/collective.c reads the guard. */
HANDLER(collective) {
    return collective_run(w, op);
}

/* Where the lanes of a shuffle read, and in *outside all ones where that is out of range: then a
 * lane reads itself. The formulas are those of PTX ISA, shfl.sync: c has the segment mask in bits
 * 8-12 and the clamp in bits 0-4. Each kind has a loop, so that it is vectorised. */
#define SHFL_SOURCES(from, is_outside)                                                             \
    VECTOR_LANES {                                                                                 \
        uint32_t segment = c[l] >> 8 & 31, lane = (uint32_t)l, by = b[l] & 31;                     \
        int32_t max_lane = (int32_t)((lane & segment) | (c[l] & ~segment & 31)),                   \
                at = (int32_t)(from);                                                              \
        outside[l] = (is_outside) ? ~0u : 0;                                                       \
        source[l] = outside[l] ? lane : (uint32_t)at;                                              \
    }
static inline void shfl_sources(uint8_t kind, const uint32_t *b, const uint32_t *c,
                                uint32_t *source, uint32_t *outside) {
    switch (kind) {
    case PTX_SHFL_UP: SHFL_SOURCES(lane - by, at < max_lane) break;
    case PTX_SHFL_DOWN: SHFL_SOURCES(lane + by, at > max_lane) break;
    case PTX_SHFL_BFLY: SHFL_SOURCES(lane ^ by, at > max_lane) break;
    default: SHFL_SOURCES((lane & segment) | (by & ~segment & 31), at > max_lane)
    }
}

/* Does the whole warp take part? Then there is no collecting and no waiting. All other cases go to
 * collective_run(). */
static inline bool is_whole_warp(const struct warp *w, const struct op *op) {
    const uint32_t *members = SRC(u32, op->collective.members);
    uint32_t named = FULL_MASK;
    EACH_LANE
        named &= members[l];
    return guard(w, op) == FULL_MASK && named == FULL_MASK;
}

/* A 32-bit shuffle. The value is copied first, as d may be the row of a. */
HANDLER(shfl_fast) {
    uint32_t value[WARP_SIZE], source[WARP_SIZE], *d = DST(u32);
    uint32_t outside[WARP_SIZE] __attribute__((aligned(64)));
    if (!is_whole_warp(w, op)) return collective_run(w, op);
    memcpy(value, SRC(u32, op->a), sizeof value);
    shfl_sources(op->sub, SRC(u32, op->b), SRC(u32, op->c), source, outside);
    VECTOR_LANES d[l] = value[source[l]];
    if (op->d2) *(uint32_t *)(w->rows[ROWS_REGS] + op->d2) = ~pack(outside);
    return NEXT;
}

HANDLER(vote_fast) {
    if (!is_whole_warp(w, op)) return collective_run(w, op);
    uint32_t holds = *pred(w, op->a) ^ op->c_flip, *d = DST(u32);
    bool truth = op->sub == PTX_VOTE_ALL   ? holds == FULL_MASK
                 : op->sub == PTX_VOTE_ANY ? holds != 0
                                           : holds == 0 || holds == FULL_MASK;
    if (op->type == PTX_PRED)
        *d = truth ? FULL_MASK : 0;
    else
        VECTOR_LANES d[l] = holds;
    return NEXT;
}

/* ---- The stack ---- */

/* Lanes of a frame share one end of local memory, so all get room for the largest request, rounded
 * up to 16 bytes. */
HANDLER(alloca_bytes) {
    uint32_t mask = guard(w, op), most = 0, align = (uint32_t)op->address.align,
             top = w->frame->local_top;
    const uint32_t *size = (const uint32_t *)row(w, op->a);
    uint32_t step = op->flags & OP_ADDRESS32 ? 1 : 2; /* low words of 64-bit rows */
    EACH_ACTIVE(mask) most = size[l * step] > most ? size[l * step] : most;
    if (!mask) return NEXT;
    top = (top + align - 1) / align * align;
    if (most > w->worker->local_stride || top + most > w->worker->local_stride)
        return fault_raise(w, op, SIM_ERROR_LAUNCH, first_lane(mask),
                           "Stack overflow: alloca of %u bytes", most);
    uint64_t *d = DST(u64);
    EACH_ACTIVE(mask) d[l] = top;
    w->frame->local_top = top + (most + 15) / 16 * 16;
    return NEXT;
}

HANDLER(stack_save) {
    uint32_t mask = guard(w, op);
    uint64_t *d = DST(u64);
    EACH_ACTIVE(mask) d[l] = w->frame->local_top;
    return NEXT;
}

/* All lanes saved the same end, as they share the frame. */
HANDLER(stack_restore) {
    uint32_t mask = guard(w, op);
    if (mask) w->frame->local_top = (uint32_t)SRC(u64, op->a)[first_lane(mask)];
    return NEXT;
}

/* run/isa_choice.c calls this first, as it clears the handlers of the other files. */
void EXEC(control_names)(struct handlers *handlers) {
    *handlers = (struct handlers){
        .enter = enter,
        .enter_join = enter_join,
        .tally = tally,
        .bra = bra,
        .bra_back = bra_back,
        .bra_always = bra_always,
        .brx = brx,
        .call = call,
        .call_pointer = call_pointer,
        .call_builtin = call_builtin,
        .ret = ret,
        .exit_lanes = exit_lanes,
        .trap = trap,
        .unsupported = unsupported,
        .nanosleep = nanosleep,
        .give_way = give_way,
        .nop = nop,
        .mov_32 = mov_32,
        .mov_64 = mov_64,
        .frame_address = frame_address,
        .cvta_window = cvta_window,
        .isspacep = isspacep,
        .isspacep_const = isspacep_const,
        .pack_vector = pack_vector,
        .unpack_vector = unpack_vector,
        .pack_words = pack_words,
        .pack_halves = pack_halves,
        .unpack_words = unpack_words,
        .unpack_halves = unpack_halves,
        .clock_read = clock_read,
        .activemask = activemask,
        .barrier = barrier,
        .collective = collective,
        .shfl_fast = shfl_fast,
        .vote_fast = vote_fast,
        .alloca_bytes = alloca_bytes,
        .stack_save = stack_save,
        .stack_restore = stack_restore,
    };
}
