/*
 * machine/isa.h: the handlers, compiled once per instruction set of the host, and the choice
 * between them.
 */
#pragma once

#include "machine.h"

/* EXEC(name) is name_base, name_avx2 or name_avx512: the same source gives each set functions with
 * different names. */
#define EXEC_PASTE2(name, isa) name##_##isa
#define EXEC_PASTE(name, isa)  EXEC_PASTE2(name, isa)
#ifdef EXEC_ISA
#define EXEC(name) EXEC_PASTE(name, EXEC_ISA)
#endif

/* Properties of an instruction that choose a handler, beside its opcode and types. */
enum form {
    FORM_PLAIN = 0,
    FORM_HI = 1,
    FORM_WIDE = 2,
    FORM_SAT = 4,
    FORM_FTZ = 8,
    FORM_CARRY_OUT = 16, /* .cc */
    FORM_RIGHT = 32,     /* shf.r */
    FORM_WRAP = 64,
    FORM_SHIFTAMT = 128,
    FORM_ACCUMULATE = 256,
    FORM_NAN = 512,            /* min, max: NaN if an operand is */
    FORM_MINUS_PRODUCT = 1024, /* fma: enum ptx_minus */
    FORM_MINUS_ADDEND = 2048,
    FORM_RELU = 4096,   /* min, max of signed integers: at least 0 */
    FORM_APPROX = 8192, /* rcp, sqrt, div: also exist without */
    FORM_FULL = 16384,
    FORM_XORSIGN = 32768 /* min, max of absolute values, with the sign of the product */
};

/* handler runs opcode op on type (and type2, where it matters) in this form. A list ends with a
 * NULL handler. */
struct rule {
    uint16_t op;
    uint8_t type, type2;
    uint16_t form;
    handler *run;
};

/* A comparison's handler: setp's result combined with nothing. */
struct compare_rule {
    uint8_t cmp, type;
    bool ftz; /* operands that are subnormal count as 0 */
    handler *run;
};

/* Loads and stores by space and size of an element; vector forms take any. */
struct access_rule {
    uint8_t op, space, size;
    handler *run;
};

/* Handlers that the decoder asks for by name. */
#define NAMED_HANDLERS(X)                                                                          \
    X(enter)      /* begins a basic block: counts it */                                            \
    X(enter_join) /* the same where paths may meet */                                              \
    X(tally)      /* counts the lanes of a guarded instruction */                                  \
    X(bra)        /* forward or conditional */                                                     \
    X(bra_back)   /* to an earlier instruction: uses fuel */                                       \
    X(bra_always) /* unconditional, forward */                                                     \
    X(brx)                                                                                         \
    X(call)                                                                                        \
    X(call_pointer)                                                                                \
    X(call_builtin)                                                                                \
    X(ret)                                                                                         \
    X(exit_lanes)                                                                                  \
    X(give_way)                                                                                    \
    X(trap)                                                                                        \
    X(unsupported)                                                                                 \
    X(nanosleep)                                                                                   \
    X(nop)                                                                                         \
    X(mov_32)                                                                                      \
    X(mov_64)                                                                                      \
    X(mov_pred)                                                                                    \
    X(frame_address)                                                                               \
    X(pack_vector)                                                                                 \
    X(unpack_vector)                                                                               \
    X(pack_words) /* two of 32 bits */                                                             \
    X(pack_halves)                                                                                 \
    X(unpack_words)                                                                                \
    X(unpack_halves)                                                                               \
    X(set_from_pred)                                                                               \
    X(selp_32)                                                                                     \
    X(selp_64)                                                                                     \
    X(pred_logic)                                                                                  \
    X(saturate_f32)                                                                                \
    X(saturate_f64)                                                                                \
    X(round_f32) /* add, sub, mul, fma with .rz .rm .rp */                                         \
    X(round_f64)                                                                                   \
    X(cvt_any)                                                                                     \
    X(cvt_pair)  /* two floats to f16x2 or bf16x2 */                                               \
    X(cvt_bytes) /* two floats to e4m3x2 or e5m2x2 */                                              \
    X(cvt_halves_to_bytes)                                                                         \
    X(cvt_bytes_to_halves)                                                                         \
    X(cvt_tf32)                                                                                    \
    X(half_any) /* f16, bf16 and their pairs */                                                    \
    X(half_setp)                                                                                   \
    X(prmt)                                                                                        \
    X(lop3)                                                                                        \
    X(testp)                                                                                       \
    X(clock_read)                                                                                  \
    X(activemask)                                                                                  \
    X(isspacep)                                                                                    \
    X(isspacep_const)                                                                              \
    X(cvta_window)                                                                                 \
    X(barrier)                                                                                     \
    X(collective)                                                                                  \
    X(shfl_fast)                                                                                   \
    X(vote_fast)                                                                                   \
    X(atomic_global)                                                                               \
    X(atomic_shared)                                                                               \
    X(atomic_generic)                                                                              \
    X(mbarrier)                                                                                    \
    X(copy_bulk)                                                                                   \
    X(reduce_bulk)                                                                                 \
    X(cluster_copy)                                                                                \
    X(copy_async)                                                                                  \
    X(copy_commit)                                                                                 \
    X(copy_wait)                                                                                   \
    X(mma)                                                                                         \
    X(ldmatrix)                                                                                    \
    X(stmatrix)                                                                                    \
    X(movmatrix)                                                                                   \
    X(texture_fetch) /* tex, tld4 */                                                               \
    X(texture_query)                                                                               \
    X(surface_load)                                                                                \
    X(surface_store)                                                                               \
    X(surface_reduce)                                                                              \
    X(alloca_bytes)                                                                                \
    X(stack_save)                                                                                  \
    X(stack_restore)

struct handlers {
#define X(name) handler *name;
    NAMED_HANDLERS(X)
#undef X
};

/* What operations do, for one instruction set. */
struct isa {
    const char *name;
    const struct rule *const *rules; /* lists, NULL after the last */
    const struct compare_rule *compares;
    const struct access_rule *accesses;
    void (*name_handlers)(struct handlers *handlers);
    /* run/builtins.c: the handler of a function that the program leaves undefined; of an unknown
     * one `missing`, which raises a fault that names it. */
    builtin *(*builtin_find)(const char *name);
    builtin *missing;
};

/* Handlers of a room of extra/, for the instruction set that the file is compiled for. */
struct isa_extension {
    const char *isa;
    void (*name_handlers)(struct handlers *handlers);
    struct isa_extension *next;
};
/* Called when the library is loaded. */
void isa_extend(struct isa_extension *extension);
#define EXEC_STRING2(set) #set
#define EXEC_STRING(set)  EXEC_STRING2(set)
#define EXTEND_ISA(function)                                                                       \
    __attribute__((constructor)) static void extend_isa(void) {                                    \
        static struct isa_extension extension = {EXEC_STRING(EXEC_ISA), function, NULL};           \
        isa_extend(&extension);                                                                    \
    }

/* The best the processor has, or the one that SIMT_ISA names (base, avx2, avx512). */
const struct isa *isa_best(void);
