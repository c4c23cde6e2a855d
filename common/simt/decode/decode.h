/*
 * decode/decode.h: from ptx/ptx.h's instructions to machine/machine.h's operations. The rooms check
 * and run include it too: they read what a kernel decodes to.
 *
 * decode/decode.c walks functions and basic blocks. decode/operand.c turns operands into
 * references. decode/compute.c, decode/memory.c and decode/control.c know the instructions.
 * decode/cost.c knows what they count for.
 *
 * One instruction becomes no operation (a hint, a move of a constant), one, or several (a vector
 * parameter, .sat):
 *
 *   PTX                        operations
 *   BB: ld.param.u64 %rd1, [p]   enter           counts the basic block
 *                                (nothing)       %rd1 is read from the parameter's row
 *       @%p1 add.f32 ...         tally           counts the lanes whose %p1 holds
 *                                add             guard: %p1
 *       @%p2 bra BB              bra_back        target: the enter above
 */
#pragma once

#include "simt/machine/isa.h"
#include "simt/machine/machine.h"

#define NO_ALIAS UINT32_MAX

/* The state of decoding one function. decode_function() makes and frees it. */
struct decoder {
    struct kernel *kernel;
    struct code *code;
    const struct ptx_function *function;
    const struct isa *isa;
    struct costs *costs;
    int capability; /* of the GPU, times 10 */
    struct handlers handlers;
    int32_t capacity;
    int32_t *op_of;  /* first operation of each instruction; one more for the function's end */
    uint8_t *leads;  /* instruction begins a basic block: 1; paths may meet there: 2 */
    uint8_t *loaded; /* by instruction: what was loaded before (decode/turns.c) */
    uint32_t *alias; /* by register: the constant row that stands for it, or NO_ALIAS */
    uint32_t rows32, rows64, rows128, sink; /* offsets in the frame */
    uint32_t tally;                         /* of the current block */
    int32_t *tally_of;                      /* by instruction: its block's */
    const struct ptx_insn **writers;        /* check/decode.c's own */
    const struct ptx_var **pointees;        /* check/bounds.c's own */
};

/* decode/decode.c */
/* Append an operation of insn, with its guard, that run executes. Operands that are not set are
 * rows of zeros, the result goes to nowhere. The pointer is good until the next emit. insn: NULL
 * for an operation of no instruction. */
struct op *emit(struct decoder *d, handler *run, const struct ptx_insn *insn);
/* Memory of zeros that lives as long as the kernel: for tables that operations point at.
 * kernel_free() frees it. */
void *kernel_alloc(struct decoder *d, size_t bytes);

/* decode/turns.c */
/* Find what threads may have loaded before each instruction. */
void find_turns(struct decoder *d);
/* End the warp's turn before insn, if it is a store that a load may precede. */
void emit_turn_end(struct decoder *d, const struct ptx_insn *insn);

/* decode/operand.c: references of operands. width: bytes of a row's element, 4 or 8; 0: a
 * predicate's mask. */
/* The row in which each lane has these bits. */
uint32_t constant_row(struct kernel *kernel, uint64_t bits, unsigned width);
/* Operand number `operand` of insn, with the type that the instruction gives it; zeros where there
 * is none. */
uint32_t source(struct decoder *d, const struct ptx_insn *insn, int operand);
/* The same with another type: register, immediate, special register or the address of a
 * variable. */
uint32_t source_typed(struct decoder *d, const struct ptx_operand *o, enum ptx_type type);
/* Offset in the frame of the register that takes a result; of the sink where there is none. */
uint32_t destination(struct decoder *d, const struct ptx_operand *o);
uint32_t register_row(const struct decoder *d, int32_t reg);
bool register_is_wide(const struct decoder *d, int32_t reg);
/* Where a .shared variable begins, in bytes from the beginning of the block's shared memory. */
uint32_t shared_offset(struct kernel *kernel, const struct ptx_var *var);
/* The variable that an operand names, where it is defined. */
const struct ptx_var *operand_variable(const struct decoder *d, const struct ptx_operand *o);
/* Find the registers that only copy a constant or a parameter: d->alias. */
void find_aliases(struct decoder *d);
/* Does the interpreter supply the function? It does the device runtime, even where the toolkit
 * linked its own into the program, as CUDA 11 and 12 do: that one calls the hardware. */
bool is_device_runtime(const struct isa *isa, const char *name);
/* References of a vector operand's elements. Kept as long as the kernel. */
const uint32_t *vector_refs(struct decoder *d, const struct ptx_operand *o, unsigned width);
/* The row of a kernel parameter: size bytes at offset in the parameter block, with the sign
 * extended or not. */
uint32_t parameter_row(struct decoder *d, uint64_t offset, unsigned width, unsigned size,
                       bool is_signed);

/* The decoders of ptx/opcodes.def, in decode/compute.c, decode/memory.c, decode/control.c and
 * decode/matrix.c: each emits an instruction; false: it is unsupported. */
#define PTX_OP(id, spelling, operands, suffixes, kind, pipe, undefined, weight, decode)            \
    bool decode_##decode(struct decoder *d, const struct ptx_insn *insn);
#include "simt/ptx/opcodes.def"
#undef PTX_OP
/* A mov of the address of a variable of the function; false: another mov. */
bool decode_frame_move(struct decoder *d, const struct ptx_insn *insn);
/* Set the operation's address: operand a and offset. Returns the space that it is in. */
uint8_t set_address(struct decoder *d, struct op *op, const struct ptx_operand *o, uint8_t space);
void emit_unsupported(struct decoder *d, const struct ptx_insn *insn);

/* decode/cost.c */
/* What the instructions of a function count for on a GPU of this compute capability, times 10 (75
 * for 7.5). Free with costs_free(). */
struct costs *costs_new(const struct ptx_function *function, int capability);
void costs_free(struct costs *costs);
/* What instructions [from, to) count for each time the block runs. */
void block_cost(const struct costs *costs, int32_t from, int32_t to, struct block_cost *cost);
static inline bool is_integer_type(uint8_t type) {
    return type < PTX_F16;
}

/* Does the instruction access local memory that ptxas keeps in registers? */
bool is_in_registers(const struct costs *costs, int32_t index);
/* Machine instructions that one instruction compiles to. */
uint32_t machine_instructions(const struct costs *costs, int32_t index);
/* Cycles of what becomes several machine instructions: a warp's until the result is there, and its
 * scheduler's. 0: nobody measured it. */
struct machine_time {
    uint16_t latency, turn;
};
struct machine_time machine_time(const struct ptx_insn *insn);
/* Does the compiler know that all threads of a warp have the same address there? */
bool shares_address(const struct costs *costs, int32_t index);
/* Would the hardware execute this bra as a branch? */
bool is_hardware_branch(const struct costs *costs, int32_t index);
/* What a guarded instruction counts for each thread whose guard holds, beyond its block; false:
 * nothing. */
bool guarded_cost(const struct ptx_insn *insn, struct block_cost *cost);
/* Does it access memory, through a texture or a surface too? */
bool touches_memory(const struct ptx_insn *insn);
/* Stores in insns, for each machine instruction of a function, the PTX instruction that it was made
 * from; NULL: none of this function's. Returns how many have one. */
uint32_t machine_find_insns(const struct decoder *d, const struct machine_code *code,
                            const struct ptx_insn **insns);
/* Is an instruction between the target of a backward branch and that branch? */
bool inside_loop(const struct ptx_function *function, int32_t index);

/* decode/polls.c */
/* Mark the functions that a loop may call. */
void calls_find_repeated(struct kernel *kernel);
/* Does a loop of the function, or of one that calls it, repeat the instruction? */
bool is_repeated(const struct code *code, const struct ptx_insn *insn);
/* Does the thread repeat the compare-and-swap until it has success, as a sum needs? Who looks for
 * the largest value leaves once another thread has a larger one. */
bool is_retried(const struct code *code, const struct ptx_insn *insn);
/* The load before a loop in which a thread swaps its value in as long as it finds a worse one, as
 * for the largest value of all; NULL: the compare-and-swap is of no such loop. */
const struct ptx_insn *selecting_load(const struct code *code, const struct ptx_insn *insn);
/* May a thread repeat the load until another thread writes? */
bool load_may_poll(const struct code *code, const struct ptx_insn *insn);

/* Called when insn was decoded to operations from first on. --check inserts its own operations
 * there. */
typedef void decode_watcher(struct decoder *d, const struct ptx_insn *insn, int32_t first);
extern decode_watcher *decode_watch; /* NULL: nobody watches */
