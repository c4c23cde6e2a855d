/*
 * decode/memory.c: loads, stores, atomics, addresses of spaces.
 *
 * An address is a row of lanes (op->a) and an offset that all lanes share (op->mem.offset). How the
 * two are used depends on the space:
 *
 *   space          op->a                      op->mem.offset
 *   ----------------------------------------------------------------------------------------------
 *   [reg + n]      the register               n
 *   [.shared var]  zeros                      the variable's place in shared memory, + n
 *   [.local var]   zeros                      its place in the frame's local memory, + n; in_frame
 *   [.param var]   zeros                      its place in the parameter block, + n
 *   [.global var]  its address: a launch row  n
 */
#include "decode.h"

/* Set the address part of an operation: a, offset, in_frame, OP_ADDRESS32. Returns the space of the
 * access: a generic access that names a variable is one in the variable's space. */
uint8_t set_address(struct decoder *d, struct op *op, const struct ptx_operand *o, uint8_t space) {
    op->mem.offset = o->offset;
    op->a = constant_row(d->kernel, 0, 8);
    if (o->reg >= 0) {
        op->a = register_row(d, o->reg);
        if (!register_is_wide(d, o->reg)) op->flags |= OP_ADDRESS32;
        return space;
    }
    if (o->var < 0) return space;
    const struct ptx_var *var = operand_variable(d, o);
    if (space == PTX_GENERIC) space = o->var_space;
    if (o->var_space == PTX_SHARED) {
        op->mem.offset += shared_offset(d->kernel, var);
    } else if (o->var_space == PTX_LOCAL || o->var_space == PTX_FRAME) {
        op->mem.offset += (int64_t)var->offset;
        op->mem.in_frame = 1;
    } else if (o->var_space == PTX_KPARAM) {
        op->mem.offset += (int64_t)var->offset;
    } else {
        struct ptx_operand address = *o;
        address.kind = PTX_OPERAND_VARIABLE;
        address.offset = 0;
        op->a = source_typed(d, &address, PTX_U64);
    }
    return space;
}

/* The handler for exactly this element size, or the one for any size. size 0 asks for the latter.
 * NULL: the space has no access of this kind (a store to constant memory). */
static handler *access_handler(const struct decoder *d, uint16_t op, uint8_t space, uint8_t size) {
    handler *any = NULL;
    for (const struct access_rule *rule = d->isa->accesses; rule->run; rule++) {
        if (rule->op != op || rule->space != space) continue;
        if (rule->size == size && size) return rule->run;
        if (rule->size == 0) any = rule->run;
    }
    return any;
}

/* Are the value's rows of 64-bit lanes? Registers decide. Where all elements are immediates or "_",
 * the type does. */
static bool value_is_wide(const struct decoder *d, const struct ptx_operand *o,
                          enum ptx_type type) {
    if (o->kind == PTX_OPERAND_REG && o->reg >= 0) return register_is_wide(d, o->reg);
    for (int i = 0; o->kind == PTX_OPERAND_VECTOR && i < o->nvec; i++)
        if (!(o->vec_is_imm >> i & 1) && o->vec[i] >= 0) return register_is_wide(d, o->vec[i]);
    return ptx_type_size(type) == 8;
}

/* A kernel parameter at a fixed place: moves from constant rows, one for each element. An element
 * whose register is an alias needs none. False: a computed address, which load_param reads lane by
 * lane. */
static bool load_fixed_parameter(struct decoder *d, const struct ptx_insn *insn) {
    const struct ptx_operand *to = &insn->operand[0], *from = &insn->operand[1];
    if (insn->space != PTX_KPARAM || from->reg >= 0 || from->var < 0) return false;
    uint64_t offset = operand_variable(d, from)->offset + (uint64_t)from->offset;
    unsigned size = ptx_type_size(insn->type), n = to->kind == PTX_OPERAND_VECTOR ? to->nvec : 1;
    for (unsigned i = 0; i < n; i++) {
        int32_t reg = to->kind == PTX_OPERAND_VECTOR ? to->vec[i] : to->reg;
        if (reg < 0 || d->alias[reg] != NO_ALIAS) continue;
        bool wide = register_is_wide(d, reg);
        uint32_t row =
            parameter_row(d, offset + i * size, wide ? 8 : 4, size, ptx_is_signed(insn->type));
        struct op *op = emit(d, wide ? d->handlers.mov_64 : d->handlers.mov_32, insn);
        op->a = row;
        op->d = REF_OFFSET(register_row(d, reg));
    }
    return true;
}

/* Accesses that may reach global or shared memory remember the last allocation that they found, and
 * how the lanes lay, each its own. Most instructions stay within one array and keep the lanes'
 * distances. */
static void set_alloc_cache(struct decoder *d, struct op *op, uint8_t space) {
    bool remembers =
        space == PTX_GLOBAL || space == PTX_SHARED || space == PTX_GENERIC || space == PTX_CONST;
    if (remembers) op->mem.alloc_cache = d->kernel->nalloc_caches++;
    if (op->insn->steady) op->flags |= OP_STEADY;
}

/* Where the value lies: one row (op->d of a load, op->b of a store), or op->refs for the elements
 * of a vector. */
static void set_elements(struct decoder *d, struct op *op, const struct ptx_insn *insn,
                         const struct ptx_operand *value, bool store) {
    op->size = (uint8_t)ptx_type_size(insn->type);
    op->vector = 1;
    if (ptx_is_signed(insn->type)) op->flags |= OP_SIGNED;
    if (value_is_wide(d, value, insn->type)) op->flags |= OP_WIDE;
    if (value->kind == PTX_OPERAND_VECTOR) {
        op->vector = value->nvec;
        op->refs = vector_refs(d, value, op->flags & OP_WIDE ? 8 : 4);
        if (op->vector == 1) op->b = op->refs[0], op->d = REF_OFFSET(op->refs[0]);
    } else if (store) {
        op->b = source_typed(d, value, op->flags & OP_WIDE ? PTX_U64 : PTX_U32);
    } else {
        op->d = destination(d, value);
    }
}

static bool keeps(const struct decoder *d, const struct ptx_insn *insn) {
    return is_in_registers(d->costs, (int32_t)(insn - d->function->insns));
}

/* ld d, [a]. A single element as wide as its row has a handler for its size; all else takes the
 * general one. Parameters of calls lie in registers on a GPU, and constant loads have their own
 * counters, so both count as no access here. Loads that may poll use up fuel, so that a spinning
 * warp soon gives way. */
bool decode_load(struct decoder *d, const struct ptx_insn *insn) {
    if (load_fixed_parameter(d, insn)) return true;
    struct op *op = emit(d, NULL, insn);
    set_elements(d, op, insn, &insn->operand[0], false);
    uint8_t space = set_address(d, op, &insn->operand[1], insn->space);
    if (load_may_poll(d->code, insn)) op->flags |= OP_VOLATILE;
    if (space == PTX_FRAME || space == PTX_CONST || keeps(d, insn)) op->flags |= OP_UNCOUNTED;
    set_alloc_cache(d, op, space);
    bool whole = op->vector == 1 && ((op->size == 8) == ((op->flags & OP_WIDE) != 0));
    op->run = access_handler(d, PTX_LD, space, whole ? op->size : 0);
    return true;
}

/* st [a], b. As decode_load(). Nothing can be stored to kernel parameters and constant memory. */
bool decode_store(struct decoder *d, const struct ptx_insn *insn) {
    struct op *op = emit(d, NULL, insn);
    set_elements(d, op, insn, &insn->operand[1], true);
    uint8_t space = set_address(d, op, &insn->operand[0], insn->space);
    if (space == PTX_FRAME || keeps(d, insn)) op->flags |= OP_UNCOUNTED;
    set_alloc_cache(d, op, space);
    bool whole = op->vector == 1 && ((op->size == 8) == ((op->flags & OP_WIDE) != 0));
    op->run = access_handler(d, PTX_ST, space, whole ? op->size : 0);
    if (!op->run) op->run = d->handlers.unsupported;
    return true;
}

/* Global memory's units flush subnormal operands and results of float additions to zero, with and
 * without -ftz=true. The old value that an atomic returns is not flushed. In shared memory the
 * multiprocessor adds, and does not flush. */
static bool flushes(const struct ptx_insn *insn) {
    return insn->type == PTX_F32 && insn->sub == PTX_ATOM_ADD;
}

/* The rows of a vector, or the row of a register, after those at refs. */
static void append_refs(struct decoder *d, uint32_t *refs, uint32_t *n, const struct ptx_operand *o,
                        unsigned width) {
    if (o->kind != PTX_OPERAND_VECTOR) {
        refs[(*n)++] = source_typed(d, o, width == 8 ? PTX_U64 : PTX_U32);
        return;
    }
    const uint32_t *elements = vector_refs(d, o, width);
    for (int i = 0; i < o->nvec; i++) refs[(*n)++] = elements[i];
}

/* The rows of a vector atomic: those of the old values, if they are wanted, and of the operands.
 * Vectors are of global memory. */
static void set_vectors(struct decoder *d, struct op *op, const struct ptx_insn *insn,
                        int address) {
    const struct ptx_operand *operand = &insn->operand[address + 1];
    unsigned width = op->size == 8 ? 8 : 4;
    uint32_t *refs = kernel_alloc(d, 2 * PTX_MAX_VECTOR * sizeof *refs), n = 0;
    op->mem.wants_old = insn->op == PTX_ATOM && insn->operand[0].kind == PTX_OPERAND_VECTOR;
    if (op->mem.wants_old) append_refs(d, refs, &n, &insn->operand[0], width);
    append_refs(d, refs, &n, operand, width);
    op->refs = refs;
    op->vector = operand->nvec;
    op->run = d->handlers.atomic_global;
}

/* Mark the tries of a loop that looks for a largest value or the like, and the load before it. */
static void mark_selecting(struct decoder *d, struct op *swap, const struct ptx_insn *insn) {
    const struct ptx_insn *load = selecting_load(d->code, insn);
    if (!load) return;
    swap->flags |= OP_SELECTS;
    for (struct op *op = &d->code->ops[d->op_of[load - d->function->insns]]; op < swap; op++)
        if (op->insn == load) op->flags |= OP_SELECTS;
}

/* atom d, [a], b{, c}; red [a], b; mbarrier's operations are of these forms. c is the new value of
 * cas. 128-bit words are not supported. atom with "_" as destination is a reduction: it wants no
 * old value. */
bool decode_atomic(struct decoder *d, const struct ptx_insn *insn) {
    int address = insn->op == PTX_ATOM ? 1 : 0;
    if (ptx_type_size(insn->type) > 8) {
        emit_unsupported(d, insn);
        return true;
    }
    struct op *op = emit(d, NULL, insn);
    uint8_t space = set_address(d, op, &insn->operand[address], insn->space);
    op->sub = insn->sub;
    op->type = insn->type;
    op->size = (uint8_t)ptx_type_size(insn->type);
    op->vector = 1;
    if (ptx_is_signed(insn->type)) op->flags |= OP_SIGNED;
    if (flushes(insn) && space != PTX_SHARED) op->flags |= OP_FTZ;
    set_alloc_cache(d, op, space);
    if (insn->operand[address + 1].kind == PTX_OPERAND_VECTOR) {
        set_vectors(d, op, insn, address);
        return true;
    }
    if (is_retried(d->code, insn)) op->flags |= OP_RETRIED;
    mark_selecting(d, op, insn);
    op->mem.wants_old = insn->op == PTX_ATOM && insn->operand[0].kind == PTX_OPERAND_REG;
    if (op->mem.wants_old) op->d = destination(d, &insn->operand[0]);
    op->b = source(d, insn, address + 1);
    op->c = source(d, insn, address + 2);
    op->run = ptx_is_mbarrier(insn) ? d->handlers.mbarrier
              : space == PTX_SHARED ? d->handlers.atomic_shared
              : space == PTX_GLOBAL ? d->handlers.atomic_global
                                    : d->handlers.atomic_generic;
    return true;
}

/* The part of the generic address space where a space is seen, told by its highest byte
 * (device/memory.h, machine/machine.h). Global and constant memory have none: their addresses are
 * generic ones. */
static uint64_t window_of(uint8_t space) {
    return space == PTX_SHARED                        ? SHARED_WINDOW
           : space == PTX_LOCAL || space == PTX_FRAME ? LOCAL_WINDOW
           : space == PTX_KPARAM                      ? PARAM_WINDOW
                                                      : 0;
}

/* The address of a variable of the function: known when a call has its frame. window: of local
 * memory, for a generic address, or 0. */
static void set_frame_address(struct decoder *d, struct op *op, const struct ptx_operand *o,
                              uint64_t window) {
    op->run = d->handlers.frame_address;
    op->address.base = operand_variable(d, o)->offset + (uint64_t)o->offset + window;
}

/* cvta.space d, a: from an address in the space to a generic one; cvta.to.space: back. Adding or
 * taking off the window does it, for 64-bit addresses. In global memory both are the same
 * address. */
bool decode_cvta(struct decoder *d, const struct ptx_insn *insn) {
    const struct ptx_operand *to = &insn->operand[0], *from = &insn->operand[1];
    if (d->alias[to->reg] != NO_ALIAS) return true;
    bool wide = register_is_wide(d, to->reg);
    uint64_t window = window_of(insn->space);
    struct op *op = emit(d, wide ? d->handlers.mov_64 : d->handlers.mov_32, insn);
    op->d = destination(d, to);
    if (from->kind == PTX_OPERAND_VARIABLE &&
        (from->var_space == PTX_LOCAL || from->var_space == PTX_FRAME)) {
        set_frame_address(d, op, from, insn->to ? 0 : LOCAL_WINDOW);
        if (wide) op->flags |= OP_WIDE;
        return true;
    }
    op->a = source(d, insn, 1);
    if (window && wide) {
        op->run = d->handlers.cvta_window;
        op->address.base = insn->to ? 0 - window : window;
    }
    return true;
}

/* isspacep.space p, a: window 0 asks for global memory. */
bool decode_isspacep(struct decoder *d, const struct ptx_insn *insn) {
    struct op *op =
        emit(d, insn->space == PTX_CONST ? d->handlers.isspacep_const : d->handlers.isspacep, insn);
    op->d = destination(d, &insn->operand[0]);
    op->a = source(d, insn, 1);
    op->address.base = window_of(insn->space);
    return true;
}

/* mov d, variable of the function: its address in local memory, not a generic one. False: another
 * mov. */
bool decode_frame_move(struct decoder *d, const struct ptx_insn *insn) {
    const struct ptx_operand *from = &insn->operand[1];
    if (from->kind != PTX_OPERAND_VARIABLE ||
        (from->var_space != PTX_LOCAL && from->var_space != PTX_FRAME))
        return false;
    struct op *op = emit(d, NULL, insn);
    op->d = destination(d, &insn->operand[0]);
    if (register_is_wide(d, insn->operand[0].reg)) op->flags |= OP_WIDE;
    set_frame_address(d, op, from, 0);
    return true;
}

/* A copy between global and shared memory has two addresses: a and offset are those in shared
 * memory, b and from_offset those in global memory. to: the operand that is the former. */
static struct op *emit_copy(struct decoder *d, handler *run, const struct ptx_insn *insn, int to) {
    struct op *op = emit(d, run, insn);
    struct op global = {0};
    set_address(d, &global, &insn->operand[!to], PTX_GLOBAL);
    set_address(d, op, &insn->operand[to], PTX_SHARED);
    op->b = global.a;
    op->mem.from_offset = (int32_t)global.mem.offset;
    set_alloc_cache(d, op, PTX_GLOBAL);
    return op;
}

/* cp.async [shared], [global], bytes{, source bytes}. Without source bytes all are copied. */
bool decode_copy_async(struct decoder *d, const struct ptx_insn *insn) {
    struct op *op = emit_copy(d, d->handlers.copy_async, insn, 0);
    op->size = (uint8_t)insn->operand[2].bits;
    op->c = insn->noperands > 3 ? source_typed(d, &insn->operand[3], PTX_U32)
                                : constant_row(d->kernel, op->size, 4);
    d->kernel->nalloc_caches++; /* the next one is for its lanes in shared memory */
    return true;
}

/* cp.async.bulk [global], [shared], bytes; cp.async.bulk [shared], [global], bytes, [mbarrier]: a
 * copy, then the barrier has the bytes; cp.reduce.async.bulk [global], [shared], bytes. */
bool decode_copy_bulk(struct decoder *d, const struct ptx_insn *insn) {
    bool reduces = insn->op == PTX_CP_REDUCE_BULK,
         stores = reduces || insn->op == PTX_CP_ASYNC_BULK_STORE;
    struct op *op =
        emit_copy(d, reduces ? d->handlers.reduce_bulk : d->handlers.copy_bulk, insn, stores);
    op->c = source_typed(d, &insn->operand[2], PTX_U32);
    op->size = reduces ? (uint8_t)ptx_type_size(insn->type) : 16;
    op->sub = insn->sub;
    op->type = insn->type;
    if (ptx_is_signed(insn->type)) op->flags |= OP_SIGNED;
    if (stores) return true;
    uint32_t bytes = op->c;
    op = emit(d, d->handlers.mbarrier, insn);
    set_address(d, op, &insn->operand[3], PTX_SHARED);
    op->sub = PTX_MBARRIER_COMPLETE;
    op->b = bytes;
    set_alloc_cache(d, op, PTX_SHARED);
    return true;
}

/* ---- Textures and surfaces ---- */

/* Appends as many coordinates as the geometry has. */
static void append_coordinates(struct decoder *d, uint32_t *refs, uint32_t *n,
                               const struct ptx_operand *o, int count) {
    uint32_t end = *n + (uint32_t)count;
    append_refs(d, refs, n, o, 4);
    *n = end;
}

/* tex, tld4, suld, sust, sured: the handlers in extra/images/exec describe the refs. op->vector:
 * values. */
static bool emit_image(struct decoder *d, const struct ptx_insn *insn, handler *run) {
    bool stores = insn->op == PTX_SUST || insn->op == PTX_SURED;
    const struct ptx_operand *values = &insn->operand[stores ? 2 : 0],
                             *object = &insn->operand[stores ? 0 : 1];
    int layers = insn->geometry >= PTX_A1D && insn->geometry != PTX_CUBE;
    uint32_t *refs = kernel_alloc(d, (PTX_MAX_OPERANDS * PTX_MAX_VECTOR) * sizeof *refs), n = 0;
    bool wide = value_is_wide(d, values, insn->type);
    append_refs(d, refs, &n, values, wide ? 8 : 4);
    uint32_t vector = n;
    append_coordinates(d, refs, &n, object + 1, ptx_coordinates(insn->geometry));
    for (int i = 3; !stores && i < insn->noperands; i++)
        append_coordinates(d, refs, &n, &insn->operand[i],
                           insn->lod == PTX_LOD_GRAD ? ptx_coordinates(insn->geometry) - layers
                                                     : 1);
    struct op *op = emit(d, run, insn);
    op->a = register_row(d, object->reg);
    op->size = (uint8_t)ptx_type_size(insn->type);
    op->vector = (uint8_t)vector;
    op->refs = refs;
    if (wide) op->flags |= OP_WIDE;
    op->mem.alloc_cache = d->kernel->nalloc_caches++;
    return true;
}

bool decode_texture(struct decoder *d, const struct ptx_insn *insn) {
    return emit_image(d, insn, d->handlers.texture_fetch);
}

bool decode_surface(struct decoder *d, const struct ptx_insn *insn) {
    return emit_image(d, insn,
                      insn->op == PTX_SULD   ? d->handlers.surface_load
                      : insn->op == PTX_SUST ? d->handlers.surface_store
                                             : d->handlers.surface_reduce);
}

/* txq d, [a] {, level}; suq d, [a] */
bool decode_query(struct decoder *d, const struct ptx_insn *insn) {
    struct op *op = emit(d, d->handlers.texture_query, insn);
    op->d = destination(d, &insn->operand[0]);
    op->a = register_row(d, insn->operand[1].reg);
    op->b = source(d, insn, 2);
    return true;
}
