/*
 * check/undefined.c: values that come from memory that nobody wrote, from variables that were never
 * set, or from lanes that gave none.
 *
 * A load of bytes that nobody wrote is no mistake by itself: structures are copied with their
 * padding, bit-fields are made by changing a few bits of a word. So a register remembers which of
 * its bits are undefined, and from which load they are. Undefined is what is computed from an
 * undefined value; moves, shifts and logic keep track of each bit. A mistake, told at the line of
 * the load, is an undefined value that
 *
 *   - guards a branch or another instruction, or is an address;
 *   - goes to other threads by an atomic, a vote or the like;
 *   - is stored to shared or global memory, unless it may be padding: nothing was computed from it,
 *     the load took its neighbours too or is of a single byte, and some byte nearby was written.
 *     Such bytes stay unwritten where they are copied to. Nor is it one to set a bit-field in the
 *     word that was loaded.
 *
 * The value that a shuffle takes from a lane that does not take part is undefined too: reductions
 * of less than a warp take these values, and do not use them.
 *
 * To learn which bits of a result depend on undefined bits, moves and logic are executed again with
 * those bits flipped: result bits that change are undefined. Of arithmetic the whole result is.
 *
 * A variable that was never set is a register that the PTX reads and has not written; often the
 * compiler has put something in its place, and warned. In shared memory such a value counts as not
 * written.
 *
 * As long as a warp has loaded nothing undefined, all this costs one test for each instruction.
 */
#include "check.h"
#include "lib/memory.h"
#include "simt/decode/decode.h"

#include <stdlib.h>
#include <string.h>

/* The registers that an operation names, as bits of struct flow. */
enum {
    OPERAND_A,
    OPERAND_B,
    OPERAND_C,
    OPERAND_D2,
    OPERAND_E,
    OPERAND_MEMBERS,
    OPERAND_D,
    OPERAND_REFS
};
#define OPERANDS (OPERAND_REFS + PTX_MAX_VECTOR)

enum flow_kind {
    FLOW_WHOLE, /* an undefined source makes the whole result undefined */
    FLOW_BITS,  /* each bit of the result depends on few bits */
    FLOW_USES   /* sources must be defined, results are */
};

/* What check_flow needs to know of the operation after it. The decoder makes one for each. */
struct flow {
    struct op op; /* the operation itself */
    enum flow_kind kind;
    uint32_t sources, destinations; /* bit by operand */
};

#define EACH_OPERAND(k, operands)                                                                  \
    for (uint32_t rest_ = (operands), k; rest_ && (k = (uint32_t)__builtin_ctz(rest_), 1);         \
         rest_ &= rest_ - 1)
#define EACH_LANE(l, lanes)                                                                        \
    for (uint32_t left_ = (lanes), l; left_ && (l = (uint32_t)__builtin_ctz(left_), 1);            \
         left_ &= left_ - 1)

/* ---- Frames ---- */

/*
 * With --check a frame has three parts after each other. The middle one has the layout of the
 * registers: a bit of it is set where the register's bit is undefined. It counts only for lanes in
 * undefined_row.lanes.
 *
 *   regs                 regs + frame_size      regs + 2 * frame_size
 *   | registers          | undefined bits       | SCRATCH_ROWS rows: changed sources, then results
 */

#define SCRATCH_ROWS (2 * OPERANDS)

size_t check_frame_bytes(const struct code *code) {
    return (size_t)code->frame_size + SCRATCH_ROWS * ROW64;
}

/* Number of the row at an offset in the frame: predicates have 4 bytes, 32-bit rows 128, 64-bit
 * rows 256 and two numbers. */
static uint32_t row_index(const struct code *code, uint32_t offset) {
    return offset < code->rows32 ? offset / 4
                                 : (code->rows32 + (offset - code->rows32) / (ROW32 / 4)) / 4;
}

static const char VARIABLE[] = "variable"; /* a space: the origin of what nothing has written */

bool check_is_of_library(const struct ptx_function *kernel) {
    return strncmp(kernel->name, "_ZN3cub", 7) == 0 || strncmp(kernel->name, "_ZN6thrust", 10) == 0;
}

/* An unset register that is only stored may be padding, as memory may be. */
static void start_unset(struct frame *frame, struct unset *unset,
                        const struct ptx_function *kernel) {
    struct undefined_row *row = &frame->undefined[row_index(frame->code, unset->offset)];
    if (!unset->site)
        unset->site =
            1 + site_new(&(struct site){unset->reader, frame->code->function, kernel, NULL, 0});
    *row = (struct undefined_row){.lanes = FULL_MASK, .site = unset->site - 1, .space = VARIABLE};
    if (unset->offset >= frame->code->rows32)
        memset(frame->regs + frame->code->frame_size + unset->offset, 0xFF, unset->bytes);
}

void check_frame_start(struct frame *frame, const struct ptx_function *kernel) {
    uint32_t n = row_index(frame->code, frame->code->frame_size) + 1;
    if (!frame->undefined) frame->undefined = need(calloc(n, sizeof *frame->undefined));
    for (uint32_t i = 0; i < n; i++) frame->undefined[i].lanes = 0;
    for (int32_t i = 0; i < frame->code->nunset && !check_is_of_library(kernel); i++)
        start_unset(frame, &frame->code->unset[i], kernel);
}

/* What is known about the register at this offset. */
static struct undefined_row *undefined_row_of(const struct frame *frame, uint32_t offset) {
    return &frame->undefined[row_index(frame->code, offset)];
}

static bool is_register(uint32_t ref) {
    return REF_KIND(ref) == ROWS_REGS;
}

static bool is_wide_row(const struct code *code, uint32_t offset) {
    return offset >= code->rows64;
}

/* The value of a lane in the row at offset from the registers, laid out as row `as` is. Predicates:
 * bit 0. */
static uint64_t get(const struct frame *frame, uint32_t as, uint32_t offset, uint32_t l) {
    const char *row = frame->regs + offset;
    if (as < frame->code->rows32) return *(const uint32_t *)row >> l & 1;
    return is_wide_row(frame->code, as) ? ((const uint64_t *)row)[l] : ((const uint32_t *)row)[l];
}

/* The same, to write. */
static void put_lane(struct frame *frame, uint32_t as, uint32_t offset, uint32_t l,
                     uint64_t value) {
    char *row = frame->regs + offset;
    if (as < frame->code->rows32)
        *(uint32_t *)row = (*(uint32_t *)row & ~(1u << l)) | (uint32_t)(value & 1) << l;
    else if (is_wide_row(frame->code, as))
        ((uint64_t *)row)[l] = value;
    else
        ((uint32_t *)row)[l] = (uint32_t)value;
}

/* Which bits of a lane's register are undefined. */
static uint64_t bits_of(const struct frame *frame, uint32_t offset, uint32_t l) {
    if (!(undefined_row_of(frame, offset)->lanes >> l & 1)) return 0;
    return offset < frame->code->rows32 ? 1
                                        : get(frame, offset, frame->code->frame_size + offset, l);
}

/* Set which bits of a lane's register are undefined. A predicate has one bit, which lanes holds. */
static void set_bits(struct frame *frame, uint32_t offset, uint32_t l, uint64_t bits) {
    struct undefined_row *row = undefined_row_of(frame, offset);
    row->lanes = (row->lanes & ~(1u << l)) | (uint32_t)(bits != 0) << l;
    if (bits && offset >= frame->code->rows32)
        put_lane(frame, offset, frame->code->frame_size + offset, l, bits);
}

/* One test that most warps fail: the rest of this file costs them nothing. */
static bool may_have_undefined(const struct warp *w) {
    return w->block->check->warps[w->index].has_undefined;
}

/* The lanes in which the operand is undefined. Only registers can be. */
static uint32_t lanes_undefined(const struct warp *w, uint32_t ref, uint32_t lanes) {
    return is_register(ref) ? undefined_row_of(w->frame, REF_OFFSET(ref))->lanes & lanes : 0;
}

/* ---- Uses ---- */

static void report_absent(struct warp *w, const struct undefined_row *row, uint32_t l);

/* Report the load that the value came from, and count its bytes as written. */
static void report_load(struct warp *w, const struct undefined_row *row, uint32_t l) {
    if (row->space == VARIABLE) {
        report_unset(w, row->site, l);
        return;
    }
    report_uninitialised(w, row->site, l, row->space, row->address[l], row->bytes);
    check_init_mark(w, l, row->space, row->address[l], row->bytes);
}

/* What was reported counts as written from then on, so that one mistake is not told at every later
 * read. */
static void report_lanes(struct warp *w, struct undefined_row *row, uint32_t lanes) {
    EACH_LANE(l, lanes) (row->space ? report_load : report_absent)(w, row, l);
    row->lanes &= ~lanes;
}

void check_use(struct warp *w, uint32_t ref, uint32_t lanes) {
    if (!may_have_undefined(w)) return;
    uint32_t undefined = lanes_undefined(w, ref, lanes);
    if (undefined) report_lanes(w, undefined_row_of(w->frame, REF_OFFSET(ref)), undefined);
}

/* ---- Loads and stores ---- */

/* Bits of a value as wide as its register, of which these bytes of memory were not written. */
static uint64_t sign_bits(uint64_t bits, const struct op *op) {
    bool sign = op->flags & OP_SIGNED && op->size < 8 && bits >> (8 * op->size - 1) & 1;
    return sign ? bits | ~0ull << 8 * op->size : bits;
}

/* One element of a load goes to the register ref: bits are those of unwritten bytes. from: NULL
 * only if bits is 0. */
static void load_element(struct warp *w, const struct op *op, uint32_t ref, uint32_t l,
                         uint64_t bits, const struct undefined_load *from) {
    struct undefined_row *row = undefined_row_of(w->frame, REF_OFFSET(ref));
    set_bits(w->frame, REF_OFFSET(ref), l, sign_bits(bits, op));
    if (!bits) return;
    w->block->check->warps[w->index].has_undefined = true;
    row->site = op->check.site;
    row->space = from->space;
    row->bytes = from->bytes;
    row->address[l] = from->address;
    row->computed = (row->computed & ~(1u << l)) | (uint32_t)!from->may_be_padding << l;
}

/* A load that gives only written bytes also makes its registers defined, if the warp has undefined
 * ones. */
void check_loaded(struct warp *w, const struct op *op, uint32_t l, const uint8_t *written,
                  size_t at, const struct undefined_load *from) {
    if (!from && !may_have_undefined(w)) return;
    for (uint32_t e = 0; e < op->vector; e++) {
        uint64_t bits = 0;
        for (uint32_t i = 0; from && i < op->size; i++)
            if (!bits_any(written, at + e * op->size + i, 1)) bits |= 0xFFull << 8 * i;
        load_element(w, op, op->vector > 1 ? op->refs[e] : op->d, l, bits, from);
    }
}

/* Is a bit-field set in the word at address: of the word that was loaded there, some bits are
 * defined now? */
static bool sets_bit_field(const struct op *op, const struct undefined_row *row, uint32_t l,
                           uint64_t undefined, uint64_t address) {
    bool any = __builtin_popcountll(undefined) < 8 * op->size;
    return row->bytes == op->size && row->address[l] == address && op->vector == 1 && any &&
           !op->check.sets_bits;
}

/* Undefined bytes stay unwritten in the target; all others become written. */
void check_stored(struct warp *w, const struct op *op, uint32_t l, uint8_t *written, size_t at,
                  uint64_t address, bool is_own) {
    if (written) bits_set(written, at, (size_t)op->size * op->vector);
    if (!may_have_undefined(w)) return;
    for (uint32_t e = 0; e < op->vector; e++) {
        uint32_t ref = op->vector > 1 ? op->refs[e] : op->b, lane = 1u << l;
        if (!lanes_undefined(w, ref, lane)) continue;
        struct undefined_row *row = undefined_row_of(w->frame, REF_OFFSET(ref));
        bool unset = row->space == VARIABLE, alone = unset && op->vector == 1; /* no padding */
        uint64_t bits = bits_of(w->frame, REF_OFFSET(ref), l);
        bool is_mistake =
            alone || (row->computed & lane && !sets_bit_field(op, row, l, bits, address));
        if (!is_own && !(unset && op->check.space == PTX_SHARED) && is_mistake)
            report_lanes(w, row, lane);
        for (uint32_t i = 0; written && i < op->size; i++)
            if ((bits >> 8 * i & 0xFF) == 0xFF) bits_clear(written, at + e * op->size + i);
    }
}

/* ---- Results ---- */

/* The reference of operand k. */
static uint32_t ref_of_operand(const struct op *op, uint32_t k) {
    switch (k) {
    case OPERAND_A: return op->a;
    case OPERAND_B: return op->b;
    case OPERAND_C: return op->c;
    case OPERAND_D: return op->d;
    case OPERAND_D2: return op->d2;
    case OPERAND_E: return op->math.e;
    case OPERAND_MEMBERS: return op->collective.members;
    default: return op->refs[k - OPERAND_REFS];
    }
}

/* refs: where op->refs points. */
static void set_operand(struct op *op, uint32_t *refs, uint32_t k, uint32_t offset) {
    uint32_t *fields[] = {&op->a, &op->b, &op->c, &op->d2, &op->math.e, &op->collective.members,
                          &op->d};
    *(k < OPERAND_REFS ? fields[k] : &refs[k - OPERAND_REFS]) = REF(ROWS_REGS, offset);
}

/* Offset of a scratch row in the frame. */
static uint32_t scratch(const struct frame *frame, uint32_t row) {
    return 2 * frame->code->frame_size + row * ROW64;
}

static const struct op *stop(struct warp *w, const struct op *op) {
    (void)w, (void)op;
    return NULL;
}

/* Execute the operation with results going to scratch rows, and with the undefined bits of the
 * sources in `flipped` changed. */
static void run_flipped(struct warp *w, const struct flow *flow, uint32_t lanes, uint32_t flipped) {
    struct op ops[] = {flow->op, {.run = stop}}, *op = ops; /* which may run the next */
    struct frame *frame = w->frame;
    uint32_t refs[PTX_MAX_VECTOR];
    if ((flow->sources | flow->destinations) >> OPERAND_REFS) {
        memcpy(refs, op->refs, op->vector * sizeof *refs);
        op->refs = refs;
    }
    EACH_OPERAND(k, flow->sources & flipped) {
        uint32_t from = ref_of_operand(&flow->op, k), to = scratch(frame, k);
        EACH_LANE(l, lanes)
            put_lane(frame, from, to, l, get(frame, from, from, l) ^ bits_of(frame, from, l));
        set_operand(op, refs, k, to);
    }
    EACH_OPERAND(k, flow->destinations) set_operand(op, refs, k, scratch(frame, OPERANDS + k));
    op->run(w, op);
}

/* The results of one execution, by destination and lane. */
struct results {
    uint64_t of[OPERANDS][WARP_SIZE];
};

/* Read the results from the scratch rows. */
static void read_results(struct warp *w, const struct flow *flow, uint32_t lanes,
                         struct results *results) {
    EACH_OPERAND(k, flow->destinations)
        EACH_LANE(l, lanes)
            results->of[k][l] =
                get(w->frame, ref_of_operand(&flow->op, k), scratch(w->frame, OPERANDS + k), l);
}

/* Add the bits in which two executions differ. */
static void add_changes(const struct flow *flow, uint32_t lanes, const struct results *before,
                        const struct results *after, struct results *changes) {
    EACH_OPERAND(k, flow->destinations)
        EACH_LANE(l, lanes) changes->of[k][l] |= before->of[k][l] ^ after->of[k][l];
}

/* The bits of the results that change when undefined bits do: those of each source, and those of
 * each set of sources together. The loop goes through all subsets of `undefined` but the empty one;
 * three sources give seven. */
static void find_changes(struct warp *w, const struct flow *flow, uint32_t lanes,
                         uint32_t undefined, struct results *changes) {
    struct results before, after;
    memset(changes, 0, sizeof *changes);
    run_flipped(w, flow, lanes, 0);
    read_results(w, flow, lanes, &before);
    uint32_t sets = undefined >> OPERAND_REFS
                        /* a vector's elements do not meet: all at once */
                        ? undefined
                        : 0;
    for (uint32_t set = undefined; set; set = sets ? 0 : (set - 1) & undefined) {
        run_flipped(w, flow, lanes, set);
        read_results(w, flow, lanes, &after);
        add_changes(flow, lanes, &before, &after, changes);
    }
}

/* Make result k of the lanes undefined, with the origin of a source. changes: NULL for arithmetic,
 * where the whole result is undefined. */
static void set_result(struct warp *w, const struct flow *flow, uint32_t k, uint32_t lanes,
                       const struct undefined_row *from, const struct results *changes) {
    uint32_t offset = REF_OFFSET(ref_of_operand(&flow->op, k)), computed = from->computed;
    struct undefined_row *row = undefined_row_of(w->frame, offset);
    if (flow->kind == FLOW_WHOLE) computed = FULL_MASK;
    row->site = from->site;
    row->space = from->space;
    row->bytes = from->bytes;
    row->computed = (row->computed & ~lanes) | (computed & lanes);
    EACH_LANE(l, lanes) {
        row->address[l] = from->address[l];
        set_bits(w->frame, offset, l, changes ? changes->of[k][l] : ~0ull);
    }
}

/* The lanes' results are defined, until set_result() says otherwise. */
static void clear_results(struct warp *w, const struct flow *flow, uint32_t lanes) {
    EACH_OPERAND(k, flow->destinations)
        undefined_row_of(w->frame, REF_OFFSET(ref_of_operand(&flow->op, k)))->lanes &= ~lanes;
}

/* Find the undefined sources, then set the results. The sources are copied first: a result may be
 * the same register. */
static void set_results(struct warp *w, const struct flow *flow, uint32_t lanes) {
    struct undefined_row from[OPERANDS];
    struct results changes;
    uint32_t undefined = 0, n = 0;
    EACH_OPERAND(k, flow->sources) {
        if (!lanes_undefined(w, ref_of_operand(&flow->op, k), lanes)) continue;
        from[n++] = *undefined_row_of(w->frame, REF_OFFSET(ref_of_operand(&flow->op, k)));
        undefined |= 1u << k;
    }
    if (undefined && flow->kind == FLOW_BITS) find_changes(w, flow, lanes, undefined, &changes);
    clear_results(w, flow, lanes);
    while (n-- > 0) /* the first source's origin is kept */
        EACH_OPERAND(k, flow->destinations)
            set_result(w, flow, k, from[n].lanes & lanes, &from[n],
                       flow->kind == FLOW_BITS ? &changes : NULL);
}

/* The check of one operation, for a warp that has undefined values. It runs before the
 * operation. */
static void follow_undefined(struct warp *w, const struct op *op, const struct flow *flow) {
    uint32_t lanes = guard(w, op);
    if (op->guard != PRED_TRUE_OFFSET) check_use(w, REF(ROWS_REGS, op->guard), w->active);
    if (flow->kind != FLOW_USES) {
        set_results(w, flow, lanes);
        return;
    }
    EACH_OPERAND(k, flow->sources) check_use(w, ref_of_operand(&flow->op, k), lanes);
    clear_results(w, flow, lanes);
}

const struct op *check_flow(struct warp *w, const struct op *op) {
    if (may_have_undefined(w)) follow_undefined(w, op, op->flow);
    return op + 1;
}

void check_result_defined(struct warp *w, uint32_t offset, uint32_t lanes) {
    if (may_have_undefined(w)) undefined_row_of(w->frame, offset)->lanes &= ~lanes;
}

/* ---- Shuffles ---- */

enum absence { ABSENT_ELSEWHERE, ABSENT_NEVER };
static const char *const ABSENCES[] = {"has exited or is elsewhere in the program",
                                       "is no thread of the block"};

/* What is remembered of a source lane that gave no value. */
static uint64_t absent(const struct warp *w, uint32_t source) {
    enum absence why = w->launched >> source & 1 ? ABSENT_ELSEWHERE : ABSENT_NEVER;
    return (uint64_t)why * WARP_SIZE + source;
}

/* As report_load, for a value that no lane gave. */
static void report_absent(struct warp *w, const struct undefined_row *row, uint32_t l) {
    report_shuffle(w, row->site, l, (uint32_t)row->address[l] % WARP_SIZE,
                   ABSENCES[row->address[l] / WARP_SIZE]);
}

/* Does lane l take its value from a lane that takes no part? A mask that names exited lanes was
 * reported by check_members(). */
static bool takes_from_none(const struct warp *w, const struct collective *x, uint32_t l,
                            uint32_t source) {
    bool told = x->members[l] & w->launched & ~w->live;
    return !(x->mask >> source & 1) && !told;
}

/* A shuffle hands on undefined bits as it does values. A value from a lane that takes no part is
 * undefined. */
void check_shuffled(struct warp *w, struct frame *frame, const struct op *op, uint32_t lanes,
                    const struct collective *x) {
    static const struct undefined_row none;
    const struct undefined_row from =
        is_register(op->a) ? *undefined_row_of(frame, REF_OFFSET(op->a)) : none;
    struct undefined_row *row = undefined_row_of(frame, op->d);
    EACH_LANE(l, lanes) {
        bool in_range;
        uint32_t source = collective_source(op->sub, l, x->b[l], x->c[l], &in_range);
        bool absent_source = takes_from_none(w, x, l, source);
        uint64_t bits = absent_source        ? ~0ull
                        : is_register(op->a) ? bits_of(frame, REF_OFFSET(op->a), source)
                                             : 0;
        set_bits(frame, op->d, l, bits);
        if (!bits) continue;
        w->block->check->warps[w->index].has_undefined = true;
        row->computed =
            (row->computed & ~(1u << l)) | (absent_source ? 1u : from.computed >> source & 1) << l;
        row->site = absent_source ? op->collective.site : from.site;
        row->space = absent_source ? NULL : from.space;
        row->bytes = from.bytes;
        row->address[l] = absent_source ? absent(w, source) : from.address[source];
    }
}

/* ---- Decoding ---- */

/* The integer and bit types stand before the floating-point ones. */
static bool is_integer(enum ptx_type type) {
    return type < PTX_F16;
}

/* Moves, logic and shifts are followed bit by bit. Branches, calls and what other lanes see use
 * their sources. */
static enum flow_kind flow_kind_of(const struct ptx_insn *insn) {
    static const uint8_t kinds[] = {
#define PTX_OP(id, spelling, operands, suffixes, kind, pipe, undefined, weight, decode)            \
    FLOW_##undefined,
#include "simt/ptx/opcodes.def"
#undef PTX_OP
    };
    bool converts_bits = is_integer(insn->type) && is_integer(insn->type2) && !insn->sat;
    return insn->op == PTX_CVT && !converts_bits ? FLOW_WHOLE : kinds[insn->op];
}

/* bar.warp.sync, and all operations that exchange values in a warp. */
static bool is_collective(const struct ptx_insn *insn) {
    bool waits = insn->op == PTX_BAR && insn->sub == PTX_BAR_WARP_SYNC;
    return waits || ptx_kind(insn) == PTX_KIND_COLLECTIVE;
}

/* Which of the operation's operands are sources. A shuffle's value is handed on: check_shuffled. */
static uint32_t sources_of(const struct op *op, bool packs) {
    const struct ptx_insn *insn = op->insn;
    uint32_t candidates = 1u << OPERAND_A | 1u << OPERAND_B | 1u << OPERAND_C, sources = 0;
    if (insn->op == PTX_BFI) candidates |= 1u << OPERAND_E;
    if (insn->op == PTX_SHFL) candidates &= ~(1u << OPERAND_A);
    if (is_collective(insn) && op->collective.members) candidates |= 1u << OPERAND_MEMBERS;
    if (packs) candidates = ((1u << op->vector) - 1) << OPERAND_REFS;
    EACH_OPERAND(k, candidates) sources |= (uint32_t)is_register(ref_of_operand(op, k)) << k;
    return sources;
}

/* Operands of a vector, from one to before another. */
static uint32_t elements(uint32_t from, uint32_t to) {
    return (((1u << to) - 1) & ~((1u << from) - 1)) << OPERAND_REFS;
}

/* Textures and surfaces have their values before their coordinates. */
static void set_texture_flow(struct flow *flow, const struct op *op) {
    bool stores = op->insn->op == PTX_SUST || op->insn->op == PTX_SURED;
    uint32_t coordinates = (uint32_t)ptx_coordinates(op->insn->geometry);
    uint32_t candidates = elements(stores ? 0 : op->vector, op->vector + coordinates);
    EACH_OPERAND(k, candidates) flow->sources |= (uint32_t)is_register(ref_of_operand(op, k)) << k;
    if (!stores) flow->destinations = elements(0, op->vector);
}

/* Kept with the kernel. The operation in it is the one to execute with changed sources. */
static struct flow *flow_of(struct decoder *d, const struct op *op) {
    struct flow *flow = kernel_alloc(d, sizeof *flow);
    bool packs = op->run == d->handlers.pack_vector, unpacks = op->run == d->handlers.unpack_vector;
    *flow =
        (struct flow){.op = *op, .kind = flow_kind_of(op->insn), .sources = sources_of(op, packs)};
    flow->destinations = unpacks ? ((1u << op->vector) - 1) << OPERAND_REFS : 1u << OPERAND_D;
    if (op->d2) flow->destinations |= 1u << OPERAND_D2;
    if (op->insn->geometry) set_texture_flow(flow, op);
    return flow;
}

/* Operations of no instruction (enter ...) have no registers to follow. */
static bool has_registers(const struct decoder *d, const struct op *op) {
    return op->insn && op->run != d->handlers.unsupported && op->run != check_fence;
}

/* Put an operation before each of the instruction's, which were decoded from first on. */
void check_decode_flow(struct decoder *d, int32_t first) {
    int32_t n = d->code->nops - first;
    struct op *ops = kernel_alloc(d, (size_t)n * sizeof *ops);
    memcpy(ops, d->code->ops + first, (size_t)n * sizeof *ops);
    d->code->nops = first;
    for (int32_t i = 0; i < n; i++) {
        if (ops[i].insn && ops[i].insn->op == PTX_SHFL)
            ops[i].collective.site = site_new(&(struct site){
                .insn = ops[i].insn, .function = d->function, .kernel = d->kernel->entry});
        if (has_registers(d, &ops[i])) {
            struct flow *flow = flow_of(d, &ops[i]);
            struct op *check = emit(d, check_flow, ops[i].insn);
            check->flow = flow;
            check->guard = ops[i].guard;
            check->guard_flip = ops[i].guard_flip;
        }
        *emit(d, NULL, ops[i].insn) = ops[i];
    }
}
