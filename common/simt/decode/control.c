/* decode/control.c: branches, calls, barriers, warp-wide operations, the stack; and hints, which
 * emit nothing. */
#include "decode.h"

#include <string.h>

/* Instructions of a function are one array; branches name their target by its index there. */
static int32_t index_of_insn(const struct decoder *d, const struct ptx_insn *insn) {
    return (int32_t)(insn - d->function->insns);
}

/* A branch to an earlier instruction (or to itself) uses up fuel, so that a warp in a loop gives
 * way to others. An unconditional branch forward sends all active lanes, which needs no look at a
 * mask. patch_targets() in decode/decode.c sets where branches go and join. */
bool decode_bra(struct decoder *d, const struct ptx_insn *insn) {
    int32_t here = index_of_insn(d, insn);
    bool back = insn->operand[0].target <= here;
    struct op *op = emit(d,
                         back             ? d->handlers.bra_back
                         : insn->pred < 0 ? d->handlers.bra_always
                                          : d->handlers.bra,
                         insn);
    if (is_hardware_branch(d->costs, here)) op->flags |= OP_BRANCH;
    return true;
}

/* brx.idx index, table: as many targets as the .branchtargets has labels. The table is empty here;
 * patch_targets() fills it. */
bool decode_brx(struct decoder *d, const struct ptx_insn *insn) {
    const struct ptx_table *table = &d->function->tables[insn->operand[1].target];
    struct jump_table *jumps = kernel_alloc(d, sizeof *jumps);
    jumps->targets = kernel_alloc(d, (size_t)table->ntargets * sizeof *jumps->targets);
    jumps->n = table->ntargets;
    struct op *op = emit(d, d->handlers.brx, insn);
    op->a = source(d, insn, 0);
    op->branch.table = jumps;
    op->flags |= OP_BRANCH;
    return true;
}

/* What the handlers in warp/call.c need to pass arguments: the callee (NULL: by pointer), the
 * instruction with its lists, and the caller, whose frame has the arguments. */
static struct call *new_call(struct decoder *d, const struct ptx_insn *insn,
                             const struct code *callee) {
    struct call *call = kernel_alloc(d, sizeof *call);
    *call = (struct call){callee, insn, d->function};
    return call;
}

/* A function without a body anywhere: one that the interpreter supplies. builtin_find() gives a
 * function for unknown names, too: it raises a fault that names them. */
static bool emit_builtin(struct decoder *d, const struct ptx_insn *insn, const char *name) {
    struct op *op = emit(d, d->handlers.call_builtin, insn);
    op->call.builtin = d->isa->builtin_find(name);
    if (strcmp(name, "vprintf") == 0) d->kernel->prints = true;
    op->call.args = new_call(d, insn, NULL);
    return true;
}

bool is_device_runtime(const struct isa *isa, const char *name) {
    static const char prefix[] = "__cudaCDP2", old[] = "cuda";
    return strncmp(name, prefix, sizeof prefix - 1) == 0 ||
           (strncmp(name, old, sizeof old - 1) == 0 && isa->builtin_find(name) != isa->missing);
}

/* call {(return)}, callee, {(arguments)}: operand 1 is a function or a register with a function's
 * address. False: no code for it. */
bool decode_call(struct decoder *d, const struct ptx_insn *insn) {
    const struct ptx_operand *callee = &insn->operand[1];
    if (callee->kind != PTX_OPERAND_FUNCTION) {
        struct op *op = emit(d, d->handlers.call_pointer, insn);
        op->a = source_typed(d, callee, PTX_U64);
        op->call.args = new_call(d, insn, NULL);
        return true;
    }
    const struct ptx_function *function = &d->function->module->functions[callee->func];
    if (!function->definition || is_device_runtime(d->isa, function->name))
        return emit_builtin(d, insn, function->name);
    const struct code *code = kernel_code(d->kernel, function->definition);
    if (!code) return false;
    struct op *op = emit(d, d->handlers.call, insn);
    op->call.args = new_call(d, insn, code);
    return true;
}

static bool emit_simple(struct decoder *d, const struct ptx_insn *insn, handler *run) {
    emit(d, run, insn);
    return true;
}

bool decode_ret(struct decoder *d, const struct ptx_insn *insn) {
    return emit_simple(d, insn, d->handlers.ret);
}

bool decode_exit(struct decoder *d, const struct ptx_insn *insn) {
    return emit_simple(d, insn, d->handlers.exit_lanes);
}

bool decode_trap(struct decoder *d, const struct ptx_insn *insn) {
    return emit_simple(d, insn, d->handlers.trap);
}

bool decode_cluster_copy(struct decoder *d, const struct ptx_insn *insn) {
    return emit_simple(d, insn, d->handlers.cluster_copy);
}

bool decode_nanosleep(struct decoder *d, const struct ptx_insn *insn) {
    return emit_simple(d, insn, d->handlers.nanosleep);
}

bool decode_copy_commit(struct decoder *d, const struct ptx_insn *insn) {
    return emit_simple(d, insn, d->handlers.copy_commit);
}

/* The interpreter executes in order and memory is coherent: fences and hints have nothing to do. */
bool decode_nothing(struct decoder *d, const struct ptx_insn *insn) {
    (void)d, (void)insn;
    return true;
}

bool decode_unsupported(struct decoder *d, const struct ptx_insn *insn) {
    (void)d, (void)insn;
    return false;
}

/* bar.red.and and bar.red.or give a predicate, bar.red.popc a number. */
static bool is_vote_result(const struct ptx_insn *insn) {
    return insn->sub == PTX_BAR_RED_AND || insn->sub == PTX_BAR_RED_OR;
}

/*
 * The operands, by form:
 *
 *   bar.sync, bar.arrive    a {, b}             a: which barrier, 0 to 15
 *   bar.red                 d, a {, b}, p       b: threads that it waits for; 0 or none: all
 *   bar.warp.sync           members             p: each thread's vote
 *
 * bar.warp.sync is a collective operation that computes nothing.
 */
bool decode_bar(struct decoder *d, const struct ptx_insn *insn) {
    if (insn->sub == PTX_BAR_WARP_SYNC) {
        struct op *op = emit(d, d->handlers.collective, insn);
        op->collective.step = collective_none;
        op->collective.members = source_typed(d, &insn->operand[0], PTX_U32);
        return true;
    }
    bool reduces = insn->sub == PTX_BAR_RED_POPC || is_vote_result(insn);
    int first = reduces ? 1 : 0, last = insn->noperands - 1;
    struct op *op = emit(d, d->handlers.barrier, insn);
    op->sub = insn->sub;
    op->a = op->b = constant_row(d->kernel, 0, 4);
    if (insn->noperands > first) op->a = source_typed(d, &insn->operand[first], PTX_U32);
    int counts = insn->noperands - first - (reduces ? 1 : 0);
    if (counts > 1) op->b = source_typed(d, &insn->operand[first + 1], PTX_U32);
    if (!reduces) return true;
    const struct ptx_operand *vote = &insn->operand[last];
    op->d = destination(d, &insn->operand[0]);
    op->c = source_typed(d, vote, PTX_PRED);
    op->c_flip = vote->kind == PTX_OPERAND_REG && vote->neg ? FULL_MASK : 0;
    return true;
}

/* Warp-wide operations. members: number of the operand with the lanes that take part, as a mask.
 * op->collective.members is its reference; 0 for the old forms without .sync, in which the active
 * lanes take part. op->type: of the result. */
static struct op *emit_collective(struct decoder *d, const struct ptx_insn *insn,
                                  collective_step *collective, int members) {
    struct op *op = emit(d, d->handlers.collective, insn);
    const struct ptx_operand *to = &insn->operand[0];
    op->collective.step = collective;
    op->sub = insn->sub;
    op->type = PTX_U32;
    op->d = destination(d, to);
    if (to->kind == PTX_OPERAND_REG && to->reg2 >= 0)
        op->d2 = REF_OFFSET(register_row(d, to->reg2));
    op->collective.members = insn->sync && members < insn->noperands
                                 ? source_typed(d, &insn->operand[members], PTX_U32)
                                 : 0;
    return op;
}

/* Is the member mask a constant of one lane? ptxas makes no shuffle of that: the lane keeps its
 * value. */
static bool names_one_lane(const struct decoder *d, uint32_t members) {
    const struct fills *fills = &d->kernel->fills[ROWS_LAUNCH];
    if (REF_KIND(members) != ROWS_LAUNCH) return false;
    for (uint32_t i = 0; i < fills->n; i++)
        if (fills->items[i].offset == REF_OFFSET(members))
            return fills->items[i].kind == FILL_BITS &&
                   __builtin_popcountll(fills->items[i].bits) == 1;
    return false;
}

/* shfl.sync.mode d{|p}, a, b, c, members: b is a lane or a distance, c has the clamp and the
 * segment mask (PTX ISA, shfl.sync). --check needs the general handler, which reports lanes. */
bool decode_shfl(struct decoder *d, const struct ptx_insn *insn) {
    struct op *op = emit_collective(d, insn, collective_shfl, 4);
    op->a = source_typed(d, &insn->operand[1], PTX_U32);
    op->b = source_typed(d, &insn->operand[2], PTX_U32);
    op->c = source_typed(d, &insn->operand[3], PTX_U32);
    op->collective.is_alone = names_one_lane(d, op->collective.members);
    if (op->collective.members && !decode_watch) op->run = d->handlers.shfl_fast;
    return true;
}

/* vote.sync.mode d, {!}p, members: ballot gives a mask of lanes, the other modes a predicate. */
bool decode_vote(struct decoder *d, const struct ptx_insn *insn) {
    struct op *op = emit_collective(d, insn, collective_vote, 2);
    const struct ptx_operand *holds = &insn->operand[1];
    op->a = source_typed(d, holds, PTX_PRED);
    op->c_flip = holds->kind == PTX_OPERAND_REG && holds->neg ? FULL_MASK : 0;
    op->type = insn->sub == PTX_VOTE_BALLOT ? PTX_U32 : PTX_PRED;
    if (op->type == PTX_PRED && op->d == d->sink) op->d = PRED_SINK_OFFSET;
    if (op->collective.members && !decode_watch) op->run = d->handlers.vote_fast;
    return true;
}

/* match.any and match.all d{|p}, a, members: compares words of 32 or 64 bits. */
bool decode_match(struct decoder *d, const struct ptx_insn *insn) {
    struct op *op = emit_collective(d, insn, collective_match, 2);
    op->a = source(d, insn, 1);
    if (ptx_type_size(insn->type) == 8) op->flags |= OP_WIDE;
    return true;
}

/* redux.sync.op d, a, members: the sign matters to min and max. */
bool decode_redux(struct decoder *d, const struct ptx_insn *insn) {
    struct op *op = emit_collective(d, insn, collective_redux, 2);
    op->a = source(d, insn, 1);
    if (ptx_is_signed(insn->type)) op->flags |= OP_SIGNED;
    return true;
}

/* elect.sync d|p, members: one lane of the warp is chosen; p holds for it alone. */
bool decode_elect(struct decoder *d, const struct ptx_insn *insn) {
    struct op *op = emit_collective(d, insn, collective_elect, 1);
    op->collective.members = source_typed(d, &insn->operand[1], PTX_U32);
    return true;
}

bool decode_activemask(struct decoder *d, const struct ptx_insn *insn) {
    struct op *op = emit(d, d->handlers.activemask, insn);
    op->d = destination(d, &insn->operand[0]);
    return true;
}

/* alloca d, bytes{, alignment}: 16 bytes where none is given. */
bool decode_alloca(struct decoder *d, const struct ptx_insn *insn) {
    const struct ptx_operand *size = &insn->operand[1];
    struct op *op = emit(d, d->handlers.alloca_bytes, insn);
    op->d = destination(d, &insn->operand[0]);
    op->a = source_typed(d, size, PTX_U32);
    if (size->kind != PTX_OPERAND_REG || !register_is_wide(d, size->reg)) op->flags |= OP_ADDRESS32;
    op->address.align = insn->noperands > 2 ? insn->operand[2].bits : 16;
    return true;
}

/* stacksave d; stackrestore a: the end of the frame's local memory. */
bool decode_stack(struct decoder *d, const struct ptx_insn *insn) {
    bool saves = insn->op == PTX_STACKSAVE;
    struct op *op = emit(d, saves ? d->handlers.stack_save : d->handlers.stack_restore, insn);
    if (saves)
        op->d = destination(d, &insn->operand[0]);
    else
        op->a = source_typed(d, &insn->operand[0], PTX_U64);
    return true;
}

/* createpolicy makes a value that only cache hints use. The simulator ignores hints, so any value
 * will do. */
bool decode_zero(struct decoder *d, const struct ptx_insn *insn) {
    bool wide = register_is_wide(d, insn->operand[0].reg);
    struct op *op = emit(d, wide ? d->handlers.mov_64 : d->handlers.mov_32, insn);
    op->d = destination(d, &insn->operand[0]);
    op->a = constant_row(d->kernel, 0, wide ? 8 : 4);
    return true;
}

/* cp.async.wait_group n waits until at most n groups have not arrived. cp.async.wait_all waits for
 * all copies, also for those that are not in a group yet. */
bool decode_copy_wait(struct decoder *d, const struct ptx_insn *insn) {
    struct op *op = emit(d, d->handlers.copy_wait, insn);
    op->wait.waits_all = insn->noperands == 0;
    op->wait.pending = insn->noperands ? insn->operand[0].bits : 0;
    return true;
}

/* cp.async.mbarrier.arrive [a]: the barrier counts an arrival more, and the thread's copies arrive
 * in its place when they are over. Here they are over at once, so the two cancel out. With .noinc
 * it does not count one more. */
bool decode_copy_arrival(struct decoder *d, const struct ptx_insn *insn) {
    if (insn->wide) {
        emit_unsupported(d, insn);
        return true;
    }
    emit(d, d->handlers.copy_wait, insn)->wait.waits_all = 1;
    return true;
}
