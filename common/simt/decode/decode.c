/*
 * decode/decode.c: prepare a kernel: find the functions it can call, lay out its shared memory,
 * decode each function block by block.
 *
 * Every basic block begins with an enter operation, which counts the block as a whole. Where paths
 * may meet it is enter_join. So most other operations count nothing.
 */
#include "decode.h"
#include "flow.h"
#include "kernel.h"

#include "lib/memory.h"
#include "simt/device/gpu.h"
#include "simt/machine/races.h"
#include "simt/machine/uops.h"

#include <stdlib.h>
#include <string.h>

#define CALL_STACK_BYTES          16 /* as in warp/call.c */
#define MACHINE_INSTRUCTION_BYTES 16 /* since Volta */

decode_watcher *decode_watch;

/* ---- Building blocks ---- */

/* Memory of zeros that lives as long as the kernel. */
void *kernel_alloc(struct decoder *d, size_t bytes) {
    struct kernel *kernel = d->kernel;
    if (kernel->nkept == kernel->kept_capacity) {
        kernel->kept_capacity = kernel->kept_capacity ? 2 * kernel->kept_capacity : 16;
        kernel->kept = need(realloc(kernel->kept, kernel->kept_capacity * sizeof *kernel->kept));
    }
    return kernel->kept[kernel->nkept++] = need(calloc(1, bytes ? bytes : 1));
}

/* Append an operation under insn's guard. The array may move as it grows, so the pointer is good
 * until the next emit, and operations refer to each other only after patch_targets(). The guard is
 * a plain offset: a predicate is never an alias (find_aliases), so its mask lies in the frame. */
struct op *emit(struct decoder *d, handler *run, const struct ptx_insn *insn) {
    struct code *code = d->code;
    if (code->nops == d->capacity) {
        d->capacity = d->capacity ? 2 * d->capacity : 64;
        code->ops = need(realloc(code->ops, (size_t)d->capacity * sizeof *code->ops));
    }
    struct op *op = &code->ops[code->nops++];
    uint32_t zeros = constant_row(d->kernel, 0, 8);
    *op = (struct op){.run = run,
                      .insn = insn,
                      .a = zeros,
                      .b = zeros,
                      .c = zeros,
                      .d = d->sink,
                      .guard = PRED_TRUE_OFFSET};
    if (insn && insn->pred >= 0) {
        op->guard = REF_OFFSET(register_row(d, insn->pred));
        op->guard_flip = insn->pred_neg ? FULL_MASK : 0;
    }
    if (insn && insn->uniform) op->flags = OP_UNIFORM;
    return op;
}

/* The handler raises a fault that names the instruction, if a thread reaches it. */
void emit_unsupported(struct decoder *d, const struct ptx_insn *insn) {
    emit(d, d->handlers.unsupported, insn);
}

/* A number for what is counted together: index in costs and uop_lists here, in worker->tallies when
 * the kernel runs. */
static uint32_t new_tally(struct kernel *kernel) {
    if (kernel->ntallies == kernel->tally_capacity) {
        kernel->tally_capacity = kernel->tally_capacity ? 2 * kernel->tally_capacity : 64;
        kernel->costs =
            need(realloc(kernel->costs, kernel->tally_capacity * sizeof *kernel->costs));
        kernel->uop_lists =
            need(realloc(kernel->uop_lists, kernel->tally_capacity * sizeof *kernel->uop_lists));
    }
    memset(&kernel->costs[kernel->ntallies], 0, sizeof *kernel->costs);
    memset(&kernel->uop_lists[kernel->ntallies], 0, sizeof *kernel->uop_lists);
    return kernel->ntallies++;
}

/* ---- Basic blocks ---- */

/* Bits of d->leads. Any of them begins a basic block; JOINS also asks for enter_join. */
enum { LEADS = 1, JOINS = 2 };

/* After these some lanes may go on elsewhere. A guarded one (@p exit) ends the block, too: fewer
 * lanes are active after it. Calls are not here: mark_leaders() marks where their lanes meet
 * again, and that begins a block. */
static bool ends_block(const struct ptx_insn *insn) {
    return ptx_kind(insn) == PTX_KIND_BRANCH || ptx_kind(insn) == PTX_KIND_END;
}

/* Paths that part at a branch meet at its immediate post-dominator, which ptx/cfg.c put in
 * insn->reconverge. */
static void mark_branch_targets(struct decoder *d, const struct ptx_insn *insn) {
    if (insn->op == PTX_BRA) d->leads[insn->operand[0].target] |= LEADS;
    if (insn->op == PTX_BRX) {
        const struct ptx_table *table = &d->function->tables[insn->operand[1].target];
        for (int32_t i = 0; i < table->ntargets; i++) d->leads[table->targets[i]] |= LEADS;
    }
    if (ptx_kind(insn) == PTX_KIND_BRANCH && insn->reconverge >= 0)
        d->leads[insn->reconverge] |= JOINS;
}

/* leads has an entry after the last instruction: the function's end, where a branch may go. */
static void mark_leaders(struct decoder *d) {
    d->leads[0] |= LEADS;
    for (int32_t i = 0; i < d->function->ninsns; i++) {
        const struct ptx_insn *insn = &d->function->insns[i];
        mark_branch_targets(d, insn);
        if (ends_block(insn)) d->leads[i + 1] |= LEADS;
        /* lanes of a divergent indirect call meet here */
        if (insn->op == PTX_CALL) d->leads[i + 1] |= JOINS;
    }
    d->leads[d->function->ninsns] |= LEADS;
}

/* Begin a basic block at index: its costs, its uops and its enter operation. The enter operation is
 * without a guard, as insn's guard holds for insn alone. index may be the function's end: an empty
 * block. */
static void begin_block(struct decoder *d, int32_t index, const struct ptx_insn *insn) {
    int32_t end = index + 1;
    while (end < d->function->ninsns && !d->leads[end]) end++;
    uint32_t tally = new_tally(d->kernel);
    for (int32_t i = index; i < end && i < d->function->ninsns; i++)
        d->tally_of[i] = (int32_t)tally;
    if (index < d->function->ninsns) {
        block_cost(d->costs, index, end, &d->kernel->costs[tally]);
        uops_build(d, tally, index, end);
    }
    struct op *op =
        emit(d, d->leads[index] & JOINS ? d->handlers.enter_join : d->handlers.enter, insn);
    op->guard = PRED_TRUE_OFFSET;
    op->guard_flip = 0;
    op->enter.tally = tally;
    op->enter.instructions = d->kernel->costs[tally].inst_executed;
}

/* ---- One function ---- */

/* What a guarded instruction counts for each thread depends on its guard. It has a tally that the
 * handler `tally` raises by the lanes whose guard holds. Its weight as a warp instruction is in the
 * block's costs. */
static void emit_guarded_tally(struct decoder *d, const struct ptx_insn *insn) {
    struct block_cost cost = {0};
    if (insn->pred < 0 || !guarded_cost(insn, &cost)) return;
    uint32_t tally = new_tally(d->kernel);
    d->kernel->costs[tally] = cost;
    emit(d, d->handlers.tally, insn)->enter.tally = tally;
}

static void decode_instruction(struct decoder *d, const struct ptx_insn *insn) {
    static bool (*const decoders[])(struct decoder *, const struct ptx_insn *) = {
#define PTX_OP(id, spelling, operands, suffixes, kind, pipe, undefined, weight, decode)            \
    decode_##decode,
#include "simt/ptx/opcodes.def"
#undef PTX_OP
    };
    emit_guarded_tally(d, insn);
    emit_turn_end(d, insn);
    int32_t first = d->code->nops;
    if (!decoders[insn->op](d, insn)) emit_unsupported(d, insn);
    if (decode_watch) decode_watch(d, insn, first);
}

static const struct op *op_at(const struct decoder *d, int32_t insn) {
    return &d->code->ops[d->op_of[insn]];
}

/* All instructions have their operations, and the array does not move any more: a branch can name
 * the operations that it goes to. join stays NULL where the paths meet at the function's end: there
 * the call's reconvergence collects them. */
static void patch_targets(struct decoder *d) {
    const struct handlers *h = &d->handlers;
    for (int32_t i = 0; i < d->code->nops; i++) {
        struct op *op = &d->code->ops[i];
        const struct ptx_insn *insn = op->insn;
        bool branches = op->run == h->bra || op->run == h->bra_back || op->run == h->bra_always;
        if (branches) op->branch.target = op_at(d, insn->operand[0].target);
        if (op->run == h->brx) {
            const int32_t *targets = d->function->tables[insn->operand[1].target].targets;
            for (int32_t k = 0; k < op->branch.table->n; k++)
                op->branch.table->targets[k] = op_at(d, targets[k]);
        }
        bool joins = insn && insn->reconverge >= 0 && insn->reconverge < d->function->ninsns;
        if ((branches || op->run == h->brx) && joins) op->branch.join = op_at(d, insn->reconverge);
    }
}

/*
 * The frame of one call of this function: a row of 32 lanes for each register slot. Registers that
 * do not live at once share a slot (ptx/cfg.c). The frame begins at a multiple of ROW_ALIGN, and so
 * does each row.
 *
 *   0      4       8      12            rows32      rows64      rows128     sink
 *   | true | carry | sink | predicates  | b32 and   | b64, u64, | b128      | results that
 *   | mask | flags | mask | 1 word each | narrower  | f64       | 512 bytes | nobody reads
 *   |      |       |      | and padding | 128 bytes | 256 bytes | each      | 512 bytes
 *   |      |       |      |             | each      | each      |           |
 */
static void lay_out_frame(struct decoder *d) {
    const struct ptx_function *f = d->function;
    d->rows32 = (uint32_t)round_up(PRED_FIRST_OFFSET + 4 * (uint32_t)f->nslots_pred, ROW_ALIGN);
    d->rows64 = d->rows32 + ROW32 * (uint32_t)f->nslots_32;
    d->rows128 = d->rows64 + ROW64 * (uint32_t)f->nslots_64;
    d->sink = d->rows128 + 2 * ROW64 * (uint32_t)f->nslots_128;
    d->code->frame_size = d->sink + 2 * ROW64;
    d->code->rows32 = d->rows32;
    d->code->rows64 = d->rows64;
}

/* op_of[i] is the first operation at instruction i: a branch to i begins with the block's enter. A
 * function that ends without ret gets one, where branches to the end go as well. */
static void decode_body(struct decoder *d) {
    const struct ptx_function *f = d->function;
    for (int32_t i = 0; i < f->ninsns; i++) {
        d->op_of[i] = d->code->nops;
        if (d->leads[i]) begin_block(d, i, &f->insns[i]);
        decode_instruction(d, &f->insns[i]);
    }
    const struct ptx_insn *last = f->ninsns ? &f->insns[f->ninsns - 1] : NULL;
    d->op_of[f->ninsns] = d->code->nops;
    begin_block(d, f->ninsns, last);
    struct op *end = emit(d, d->handlers.ret, last);
    end->guard = PRED_TRUE_OFFSET;
    end->guard_flip = 0;
}

/* List the registers that may be read before they are written, but those that stand for a
 * constant. */
static void list_unset_rows(struct decoder *d) {
    const struct ptx_function *f = d->function;
    d->code->unset = kernel_alloc(d, ((size_t)f->nunset + 1) * sizeof *d->code->unset);
    for (int32_t i = 0; i < f->nunset; i++) {
        uint32_t ref = register_row(d, f->unset[i].reg);
        enum ptx_type type = f->regs[f->unset[i].reg].type;
        if (REF_KIND(ref) != ROWS_REGS) continue;
        uint32_t bytes = type == PTX_PRED           ? 4
                         : type == PTX_B128         ? 2 * ROW64
                         : ptx_type_size(type) == 8 ? ROW64
                                                    : ROW32;
        d->code->unset[d->code->nunset++] =
            (struct unset){REF_OFFSET(ref), bytes, f->unset[i].reader, 0};
    }
}

/* The order matters: aliases need the frame's layout, blocks need leaders and costs, targets need
 * all operations. */
static void decode_function(struct kernel *kernel, struct code *code, int capability) {
    const struct ptx_function *f = code->function;
    size_t n = (size_t)f->ninsns + 1, regs = (size_t)f->nregs + 1;
    struct decoder d = {.kernel = kernel,
                        .code = code,
                        .function = f,
                        .isa = kernel->isa,
                        .capability = capability};
    d.isa->name_handlers(&d.handlers);
    d.op_of = need(calloc(n, sizeof *d.op_of));
    d.leads = need(calloc(n, 1));
    d.tally_of = need(calloc(n, sizeof *d.tally_of));
    d.alias = need(malloc(regs * sizeof *d.alias));
    d.costs = costs_new(f, capability);
    lay_out_frame(&d);
    code->local_bytes = (uint32_t)f->frame_bytes;
    code->first_reg = kernel->nregs;
    kernel->nregs += (uint32_t)f->nregs;
    code->first_insn = kernel->ninsns;
    kernel->ninsns += (uint32_t)f->ninsns;
    find_aliases(&d);
    list_unset_rows(&d);
    mark_leaders(&d);
    find_turns(&d);
    decode_body(&d);
    patch_targets(&d);
    uops_from_machine(&d);
    free(d.tally_of);
    free(d.op_of);
    free(d.leads);
    free(d.loaded);
    free(d.alias);
    costs_free(d.costs);
}

/* ---- What a kernel can reach ---- */

/* Put a function in the kernel's list, once. One without instructions, or of the device runtime, is
 * left out: calls of it go to a builtin or are unsupported. */
static void decode_add_function(struct kernel *kernel, const struct ptx_function *function) {
    if (!function || !function->ninsns || is_device_runtime(kernel->isa, function->name)) return;
    if (kernel_code(kernel, function)) return;
    kernel->codes =
        need(realloc(kernel->codes, ((size_t)kernel->ncodes + 1) * sizeof *kernel->codes));
    struct code *code = need(calloc(1, sizeof *code));
    *code = (struct code){.function = function, .id = (uint32_t)kernel->ncodes};
    kernel->codes[kernel->ncodes++] = code;
}

static void add_shared(struct kernel *kernel, const struct ptx_var *var) {
    for (int32_t i = 0; i < kernel->nshared; i++)
        if (kernel->shared[i].var == var) return;
    kernel->shared =
        need(realloc(kernel->shared, ((size_t)kernel->nshared + 1) * sizeof *kernel->shared));
    kernel->shared[kernel->nshared++] = (struct shared_place){var, 0};
}

/* A call through a pointer may reach any device function that the module defines or declares. */
static void add_pointer_targets(struct kernel *kernel, const struct ptx_module *module) {
    for (int32_t i = 0; i < module->nfunctions; i++) {
        const struct ptx_function *function = &module->functions[i];
        if (!function->is_entry) decode_add_function(kernel, function->definition);
    }
}

/* The functions that a function calls, and the .shared variables that it names. */
static void add_reached(struct kernel *kernel, const struct ptx_function *function) {
    for (int32_t i = 0; i < function->ninsns; i++) {
        const struct ptx_insn *insn = &function->insns[i];
        if (insn->op == PTX_CALL && insn->operand[1].kind == PTX_OPERAND_FUNCTION)
            decode_add_function(kernel,
                                function->module->functions[insn->operand[1].func].definition);
        else if (insn->op == PTX_CALL)
            add_pointer_targets(kernel, function->module);
        for (int k = 0; k < insn->noperands; k++) {
            const struct ptx_operand *o = &insn->operand[k];
            if (o->kind == PTX_OPERAND_SREG && o->sreg == PTX_SREG_RESERVED_SMEM)
                kernel->asks_reserved = true;
            bool names =
                (o->kind == PTX_OPERAND_VARIABLE || o->kind == PTX_OPERAND_MEMORY) && o->var >= 0;
            if (!names || o->var_space != PTX_SHARED) continue;
            const struct ptx_var *var = &function->module->vars[o->var];
            add_shared(kernel, var->definition ? var->definition : var);
        }
    }
}

/*
 * Static variables come first, in the order of their use, after what the GPU reserves: since
 * compute capability 8.0 the first one is at 0x400. Arrays of unknown size (extern __shared__) all
 * begin at one offset after them: CUDA gives them the same memory.
 *
 *   0          reserved_shared              static_shared    aligned to dynamic_align
 *   | reserved | a | padding | b | ... |    padding    | all extern arrays ...
 */
static void lay_out_shared(struct kernel *kernel, uint32_t reserved) {
    kernel->reserved_shared = kernel->nshared || kernel->asks_reserved ? reserved : 0;
    uint32_t end = kernel->reserved_shared;
    kernel->dynamic_align = 16;
    for (int32_t i = 0; i < kernel->nshared; i++) {
        const struct ptx_var *var = kernel->shared[i].var;
        uint32_t align = var->align ? var->align : 1;
        if (var->size == 0) {
            if (align > kernel->dynamic_align) kernel->dynamic_align = align;
            continue;
        }
        kernel->shared[i].offset = (uint32_t)round_up(end, align);
        end = kernel->shared[i].offset + (uint32_t)var->size;
    }
    kernel->static_shared = end - kernel->reserved_shared;
    for (int32_t i = 0; i < kernel->nshared; i++)
        if (kernel->shared[i].var->size == 0)
            kernel->shared[i].offset = (uint32_t)round_up(end, kernel->dynamic_align);
}

/* ---- Local memory ---- */

/* Stack in bytes that code and its callees need at most. active marks the functions on the way from
 * the kernel to here: meeting one again is recursion. Recursion, a call through a pointer and
 * alloca have no static bound: kernel->recursive then adds the limit that the program set
 * (cudaLimitStackSize). */
static uint32_t stack_need(struct kernel *kernel, const struct code *code, uint8_t *active) {
    const struct ptx_function *f = code->function;
    uint32_t deepest = 0;
    if (active[code->id]) {
        kernel->recursive = true;
        return 0;
    }
    active[code->id] = 1;
    for (int32_t i = 0; i < f->ninsns; i++) {
        const struct ptx_insn *insn = &f->insns[i];
        if (insn->op == PTX_ALLOCA) kernel->recursive = true;
        if (insn->op != PTX_CALL) continue;
        if (insn->operand[1].kind != PTX_OPERAND_FUNCTION) {
            kernel->recursive = true;
            continue;
        }
        const struct code *callee =
            kernel_code(kernel, f->module->functions[insn->operand[1].func].definition);
        uint32_t need = callee ? stack_need(kernel, callee, active) : 0;
        if (need > deepest) deepest = need;
    }
    active[code->id] = 0;
    return (uint32_t)f->frame_bytes + CALL_STACK_BYTES + deepest;
}

/* ---- Kernels ---- */

/* The list of functions grows while the loop over it adds what each one reaches. All functions and
 * the layout of shared memory must be known before decoding: calls point at codes, addresses are
 * constants. */
struct kernel *kernel_prepare(const struct ptx_function *entry, const struct gpu *gpu,
                              const struct isa *isa) {
    static uint64_t prepared;
    int capability = 10 * gpu->cc_major + gpu->cc_minor;
    struct kernel *kernel = need(calloc(1, sizeof *kernel));
    kernel->number = __atomic_add_fetch(&prepared, 1, __ATOMIC_RELAXED);
    kernel->entry = entry;
    kernel->isa = isa;
    constant_row(kernel, 0, 8); /* the row of zeros comes first */
    decode_add_function(kernel, entry);
    if (!kernel->ncodes) { /* an empty body */
        kernel->codes = need(malloc(sizeof *kernel->codes));
        kernel->codes[0] = need(calloc(1, sizeof **kernel->codes));
        kernel->codes[kernel->ncodes++]->function = entry;
    }
    for (int32_t i = 0; i < kernel->ncodes; i++) add_reached(kernel, kernel->codes[i]->function);
    lay_out_shared(kernel, (uint32_t)gpu->shared_reserved_per_block);
    calls_find_repeated(kernel);
    for (int32_t i = 0; i < kernel->ncodes; i++)
        decode_function(kernel, kernel->codes[i], capability);
    flow_make(kernel, capability);
    uint8_t *active = need(calloc((size_t)kernel->ncodes, 1));
    kernel->local_bytes = stack_need(kernel, kernel->codes[0], active);
    free(active);
    kernel->serial = block_order_matters(kernel);
    kernel->waits = block_waits(kernel);
    kernel->repeats = kernel_repeats(kernel);
    kernel->stored = kernel->serial ? NULL : stored_find(kernel);
    return kernel;
}

/* What the operations point at (kept) goes with the kernel. The PTX functions belong to their
 * module. */
void kernel_free(struct kernel *kernel) {
    if (!kernel) return;
    for (int32_t i = 0; i < kernel->ncodes; i++) {
        free(kernel->codes[i]->ops);
        free(kernel->codes[i]);
    }
    for (size_t i = 0; i < kernel->nkept; i++) free(kernel->kept[i]);
    for (int i = 0; i < ROWS_COUNT; i++) free(kernel->fills[i].items);
    flow_free(kernel->flow);
    free(kernel->codes);
    free(kernel->kept);
    free(kernel->costs);
    free(kernel->uop_lists);
    free(kernel->uop_regs);
    free(kernel->shared);
    free(kernel->steps);
    free(kernel->stored);
    free(kernel);
}

bool kernel_may_wait(const struct kernel *kernel) {
    return kernel->waits;
}

uint32_t kernel_static_shared(const struct kernel *kernel) {
    return kernel->static_shared;
}

/* A guarded instruction's own tally has no machine instructions, so the sum counts each block
 * once. */
uint64_t kernel_code_bytes(const struct kernel *kernel) {
    uint64_t instructions = 0;
    for (uint32_t i = 0; i < kernel->ntallies; i++) instructions += kernel->costs[i].inst_executed;
    return instructions * MACHINE_INSTRUCTION_BYTES;
}

uint32_t kernel_local_bytes(const struct kernel *kernel) {
    return (uint32_t)kernel->entry->frame_bytes;
}
