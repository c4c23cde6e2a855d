/*
 * ptx/ptx.h: a parsed PTX program.
 *
 * All names are resolved: registers are numbers, labels are instruction indices, symbols are
 * variables or functions, suffixes are fields. The parser (ptx/parse.c) fills in the structures.
 * The control-flow pass (ptx/cfg.c) adds reconvergence points and register slots. The decoder
 * (decode/decode.c) makes the interpreter's operations from them. Reference: NVIDIA, "Parallel
 * Thread Execution ISA".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PTX_MAX_OPERANDS 8 /* mma.sp has more */
#define PTX_MAX_VECTOR   8 /* .v8 exists from sm_100 on */

/* Base opcodes. ptx/opcodes.def has all that is known of them. */
enum ptx_opcode {
#define PTX_OP(id, ...) PTX_##id,
#include "opcodes.def"
#undef PTX_OP
    PTX_OPCODE_COUNT
};

/* What an opcode does. */
enum ptx_kind {
    PTX_KIND_ARITHMETIC, /* and operations on bits */
    PTX_KIND_FUNCTION,   /* of the special-function units: a root, a sine, an exponential ... */
    PTX_KIND_LOAD,
    PTX_KIND_STORE,
    PTX_KIND_ATOMIC, /* with and without result */
    PTX_KIND_COPY,   /* from global to shared memory */
    PTX_KIND_FENCE,
    PTX_KIND_TEXTURE, /* fetches */
    PTX_KIND_SURFACE, /* accesses */
    PTX_KIND_QUERY,   /* of a texture or surface */
    PTX_KIND_COLLECTIVE,
    PTX_KIND_MATRIX,
    PTX_KIND_WMMA, /* becomes others when it is parsed */
    PTX_KIND_BRANCH,
    PTX_KIND_CALL,
    PTX_KIND_END, /* of the function or of the thread */
    PTX_KIND_OTHER
};

enum ptx_type {
    PTX_TYPE_NONE,
    PTX_PRED,
    PTX_B8,
    PTX_B16,
    PTX_B32,
    PTX_B64,
    PTX_B128,
    PTX_U8,
    PTX_U16,
    PTX_U32,
    PTX_U64,
    PTX_S8,
    PTX_S16,
    PTX_S32,
    PTX_S64,
    PTX_F16,
    PTX_F16X2,
    PTX_BF16,
    PTX_BF16X2,
    PTX_F32,
    PTX_F64,
    PTX_U16X2, /* sm_90: the two halves of 32 bits, added and compared separately */
    PTX_S16X2,
    PTX_TF32, /* elements of matrices; cvt makes tf32 and pairs of 8-bit floats */
    PTX_E4M3,
    PTX_E5M2,
    PTX_E4M3X2,
    PTX_E5M2X2,
    PTX_S4,
    PTX_U4,
    PTX_B1
};

/* GENERIC is the default of ld, st and atom. KPARAM: a kernel's parameters (uniform, read only).
 * FRAME: parameters of device functions and of calls; they live in the thread's local frame. */
enum ptx_space { PTX_GENERIC, PTX_GLOBAL, PTX_SHARED, PTX_LOCAL, PTX_CONST, PTX_KPARAM, PTX_FRAME };

enum ptx_round {
    PTX_ROUND_NONE,
    PTX_RN,
    PTX_RZ,
    PTX_RM,
    PTX_RP,
    PTX_RNA,
    PTX_RNI, /* .rni .rzi .rmi .rpi: to an integer */
    PTX_RZI,
    PTX_RMI,
    PTX_RPI
};

enum ptx_cmp {
    PTX_CMP_NONE,
    PTX_EQ,
    PTX_NE,
    PTX_LT,
    PTX_LE,
    PTX_GT,
    PTX_GE,
    PTX_LO, /* unsigned lt, le, gt, ge under their second names */
    PTX_LS,
    PTX_HI_CMP,
    PTX_HS,
    PTX_EQU, /* unordered forms: true when an operand is NaN */
    PTX_NEU,
    PTX_LTU,
    PTX_LEU,
    PTX_GTU,
    PTX_GEU,
    PTX_NUM,
    PTX_NAN
};

/* Which part of a contracted sum is subtracted (ptx/contract.c). */
enum ptx_minus { PTX_MINUS_NONE, PTX_MINUS_PRODUCT, PTX_MINUS_ADDEND };

enum ptx_bool { PTX_BOOL_NONE, PTX_BOOL_AND, PTX_BOOL_OR, PTX_BOOL_XOR };

#define PTX_CLUSTER_BARRIER 16 /* of barrier.cluster.wait; bar has 0 to 15 */

/* insn.sub: the operation of atom, red, shfl, vote, match, redux, bar and testp, and the mode of
 * prmt and shf. */
enum ptx_sub {
    PTX_SUB_NONE,
    /* atom, red */
    PTX_ATOM_ADD,
    PTX_ATOM_INC,
    PTX_ATOM_DEC,
    PTX_ATOM_MIN,
    PTX_ATOM_MAX,
    PTX_ATOM_AND,
    PTX_ATOM_OR,
    PTX_ATOM_XOR,
    PTX_ATOM_EXCH,
    PTX_ATOM_CAS,
    /* atom and red in form: operations on a barrier in shared memory (exec/mbarrier.c) */
    PTX_MBARRIER_INIT,
    PTX_MBARRIER_INVAL,
    PTX_MBARRIER_ARRIVE,
    PTX_MBARRIER_ARRIVE_EXPECT,
    PTX_MBARRIER_DROP,
    PTX_MBARRIER_DROP_EXPECT,
    PTX_MBARRIER_EXPECT,
    PTX_MBARRIER_COMPLETE,
    PTX_MBARRIER_TEST,
    PTX_MBARRIER_TEST_PARITY,
    /* shfl */
    PTX_SHFL_UP,
    PTX_SHFL_DOWN,
    PTX_SHFL_BFLY,
    PTX_SHFL_IDX,
    /* vote, match; redux uses the names of atom */
    PTX_VOTE_ALL,
    PTX_VOTE_ANY,
    PTX_VOTE_UNI,
    PTX_VOTE_BALLOT,
    PTX_MATCH_ANY,
    PTX_MATCH_ALL,
    /* bar, barrier */
    PTX_BAR_SYNC,
    PTX_BAR_ARRIVE,
    PTX_BAR_RED_POPC,
    PTX_BAR_RED_AND,
    PTX_BAR_RED_OR,
    PTX_BAR_WARP_SYNC,
    PTX_BAR_CLUSTER_WAIT,
    /* shf */
    PTX_SHF_L,
    PTX_SHF_R,
    /* prmt */
    PTX_PRMT_F4E,
    PTX_PRMT_B4E,
    PTX_PRMT_RC8,
    PTX_PRMT_ECL,
    PTX_PRMT_ECR,
    PTX_PRMT_RC16,
    /* testp */
    PTX_TESTP_FINITE,
    PTX_TESTP_INFINITE,
    PTX_TESTP_NUMBER,
    PTX_TESTP_NOTANUMBER,
    PTX_TESTP_NORMAL,
    PTX_TESTP_SUBNORMAL,
    /* txq, suq */
    PTX_QUERY_WIDTH,
    PTX_QUERY_HEIGHT,
    PTX_QUERY_DEPTH,
    PTX_QUERY_ARRAY_SIZE,
    PTX_QUERY_LEVELS,
    PTX_QUERY_SAMPLES,
    PTX_QUERY_CHANNEL_TYPE,
    PTX_QUERY_CHANNEL_ORDER,
    PTX_QUERY_NORMALIZED
};

/* insn.shape: rows and columns of a product's matrices, and the length of its sums:
 * ptx/matrix.h. */
enum ptx_shape {
    PTX_SHAPE_NONE,
    PTX_M8N8, /* one matrix: ldmatrix */
    PTX_M8N8K4,
    PTX_M8N8K16,
    PTX_M8N8K32,
    PTX_M8N8K128,
    PTX_M16N8K4,
    PTX_M16N8K8,
    PTX_M16N8K16,
    PTX_M16N8K32,
    PTX_M16N8K64,
    PTX_M16N8K128,
    PTX_M16N8K256,
    PTX_M16N16K8,
    PTX_M16N16K16,
    PTX_M32N8K16,
    PTX_M8N32K16,
    PTX_SHAPE_COUNT
};

/* insn.layout, insn.layout2: how matrices lie in memory, or which of their elements a lane
 * holds. */
enum ptx_layout { PTX_LAYOUT_NONE, PTX_ROW, PTX_COL };

/* The coordinates of a texture or surface: an A form has the layer first. */
enum ptx_geometry {
    PTX_GEOMETRY_NONE,
    PTX_1D,
    PTX_2D,
    PTX_3D,
    PTX_A1D,
    PTX_A2D,
    PTX_CUBE,
    PTX_ACUBE
};

/* How tex chooses the level: 0, as an operand says, or by gradients. */
enum ptx_lod { PTX_LOD_BASE, PTX_LOD_LEVEL, PTX_LOD_GRAD };

/* What a surface access outside of the surface does. */
enum ptx_boundary { PTX_BOUNDARY_TRAP, PTX_BOUNDARY_CLAMP, PTX_BOUNDARY_ZERO };

enum ptx_sreg {
    PTX_SREG_TID_X,
    PTX_SREG_TID_Y,
    PTX_SREG_TID_Z,
    PTX_SREG_NTID_X,
    PTX_SREG_NTID_Y,
    PTX_SREG_NTID_Z,
    PTX_SREG_CTAID_X,
    PTX_SREG_CTAID_Y,
    PTX_SREG_CTAID_Z,
    PTX_SREG_NCTAID_X,
    PTX_SREG_NCTAID_Y,
    PTX_SREG_NCTAID_Z,
    PTX_SREG_LANEID,
    PTX_SREG_WARPID,
    PTX_SREG_NWARPID,
    PTX_SREG_SMID,
    PTX_SREG_NSMID,
    PTX_SREG_GRIDID,
    PTX_SREG_LANEMASK_EQ,
    PTX_SREG_LANEMASK_LE,
    PTX_SREG_LANEMASK_LT,
    PTX_SREG_LANEMASK_GE,
    PTX_SREG_LANEMASK_GT,
    PTX_SREG_CLOCK,
    PTX_SREG_CLOCK_HI,
    PTX_SREG_CLOCK64,
    PTX_SREG_GLOBALTIMER,
    PTX_SREG_GLOBALTIMER_LO,
    PTX_SREG_GLOBALTIMER_HI,
    PTX_SREG_DYNAMIC_SMEM_SIZE,
    PTX_SREG_TOTAL_SMEM_SIZE,
    PTX_SREG_AGGR_SMEM_SIZE,
    PTX_SREG_RESERVED_SMEM, /* where cooperative groups have memory of their own */
    PTX_SREG_ENVREG         /* reads as 0 or as the runtime's cooperative-grid handle: see exec */
};

enum ptx_operand_kind {
    PTX_OPERAND_NONE,
    PTX_OPERAND_SINK, /* "_" */
    PTX_OPERAND_REG,  /* reg; neg: "!%p" or "-%r" */
    PTX_OPERAND_IMM,  /* bits: the value in the operand's type, upper bits 0 (-1 as u32: 0xffffffff;
                       * predicate: 0 or 1)
                       */
    PTX_OPERAND_VECTOR,   /* {a,b,..}: vec[0..nvec-1] registers, -1 for "_" */
    PTX_OPERAND_SREG,     /* sreg */
    PTX_OPERAND_VARIABLE, /* address of var plus offset, as a value (mov) */
    PTX_OPERAND_FUNCTION, /* address of func, as a value (mov) or a direct callee */
    PTX_OPERAND_LABEL,    /* target: an instruction index in this function */
    PTX_OPERAND_TABLE,    /* table: brx.idx targets, or call targets (.calltargets) */
    PTX_OPERAND_PROTO,    /* .callprototype: unused beyond its name */
    PTX_OPERAND_MEMORY,   /* [base + offset]: base is reg (>= 0) or var, or an absolute address
                             (neither) */
    PTX_OPERAND_PARAMS /* call argument list: vec of frame-variable indices in function->frame[] */
};

/* An operand. Only the members of its kind are set; indices that do not apply are -1. */
struct ptx_operand {
    uint8_t kind; /* enum ptx_operand_kind */
    bool neg;
    uint8_t nvec;
    int32_t reg;       /* register number, or -1 */
    int32_t reg2;      /* second destination of "%r|%p" (shfl, setp, match, mad.cc none), or -1 */
    int64_t offset;    /* bytes, for MEMORY and VARIABLE */
    uint64_t bits;     /* IMM */
    int32_t var;       /* index into function->frame[] (FRAME/LOCAL/KPARAM) or module->vars[], by
                          var_space; -1: none */
    uint8_t var_space; /* enum ptx_space of var */
    int32_t func;      /* index into module->functions[]; -1: none */
    int32_t target;    /* LABEL: instruction index; TABLE: index into function->tables[] */
    uint8_t sreg;      /* enum ptx_sreg */
    uint8_t sreg_index;
    int32_t *list; /* PARAMS: nlist indices into function->frame[] */
    int32_t nlist;
    int32_t *vec; /* VECTOR: nvec registers (NULL for other kinds) */
    /* VECTOR: immediate elements, where vec_is_imm has the bit set (NULL if none) */
    uint64_t *vec_bits;
    uint8_t vec_is_imm;
};

struct machine_code;

/* An instruction. A type is an enum ptx_type, a field named like an enum holds its values. */
struct ptx_insn {
    uint16_t op;             /* enum ptx_opcode */
    uint8_t type;            /* first type suffix: the operand or destination type */
    uint8_t type2;           /* second: cvt's source, mul.wide none, set/slct's second, shfl none */
    uint8_t type3, type4;    /* third and fourth: of mma */
    uint8_t shape;           /* of mma, wmma and ldmatrix */
    uint8_t layout, layout2; /* of mma and wmma: of one matrix, or of a and b */
    uint8_t space;           /* of ld, st, atom, red, cvta, prefetch */
    uint8_t round;
    uint8_t cmp;
    uint8_t boolop;
    uint8_t minus; /* fma: enum ptx_minus */
    uint8_t sub;
    uint8_t vector;    /* 1, 2, 4 or 8 */
    uint8_t geometry;  /* enum ptx_geometry: of tex, tld4, suld, sust, sured */
    uint8_t lod;       /* enum ptx_lod */
    uint8_t component; /* tld4: 0 to 3 */
    uint8_t boundary;  /* enum ptx_boundary */
    bool formatted;    /* sust.p, sured.p: coordinates and values are those of texels, not bytes */
    bool ftz, sat, approx, full, hi, lo, wide, cc, uni, to, is_volatile, nc, sync, satfinite, relu,
        wrap, clamp, abs, xorsign, nan, cache_hint, trans;
    uint8_t cache; /* 0, or the letters' code: 'a' .ca, 'g' .cg, 's' .cs, 'l' .lu, 'v' .cv, 'w' .wb,
                      't' .wt */
    uint8_t order; /* 0 weak, 'r' relaxed, 'a' acquire, 'l' release, 'q' acq_rel, 's' seq_cst */
    uint8_t scope; /* 0, 'c' cta, 'l' cluster, 'g' gpu, 's' sys */
    int32_t pred;  /* guarding predicate register, or -1 */
    uint32_t last_uses; /* of ptx_dying() */
    uint16_t alive;     /* 32-bit registers that hold a value before it */
    bool pred_neg;
    bool steady;       /* an access whose lanes always keep their distances, and */
    bool uniform;      /* one result for all lanes that run together: ptx/lanes.c */
    uint8_t noperands; /* destinations first, in source order. call: return list, callee, argument
                          list (lists may be empty), then the prototype or targets if given */
    /* noperands operands, then one of kind NONE; in the module's arena */
    struct ptx_operand *operand;
    /* opcode and suffixes as written: spelling_length bytes in the module's text */
    const char *spelling;
    uint16_t spelling_length;
    int32_t file;       /* .loc: index into module->files[], or -1 */
    int32_t line;       /* .loc line, or 0 */
    int32_t inlined;    /* .loc inlined_at: index into module->inlined[], or -1 */
    int32_t ptx_line;   /* line in the PTX text, from 1 */
    int32_t reconverge; /* bra, brx: index of the immediate post-dominator (function->ninsns:
                           function exit). ptx/cfg.c */
};

struct ptx_reg {
    const char *name;
    uint8_t type;  /* enum ptx_type */
    uint8_t words; /* 32-bit registers that its value takes; 0: a constant */
    int32_t slot;  /* register-file slot of its class (predicate, 32-bit and narrower, 64-bit,
                      128-bit). ptx/cfg.c: shared by registers that do not live at once */
};

/* A relocation: an initial value that contains a symbol's address. */
struct ptx_reloc {
    uint64_t offset; /* byte offset in init */
    bool generic;    /* generic(sym) */
    int32_t var;     /* module->vars[] or -1 */
    int32_t func;    /* module->functions[] or -1 */
    int64_t addend;
    uint8_t size;  /* bytes written, 8 unless a mask form said less */
    uint8_t shift; /* bits by which the address is first shifted right: 0xFF00(sym) has size 1,
                      shift 8 */
};

/* A variable: a module's global, const or shared one, or one in a function's frame. */
struct ptx_var {
    const char *name;
    uint8_t space; /* GLOBAL, CONST, SHARED; in frames LOCAL, FRAME, KPARAM */
    uint8_t type;
    uint64_t size; /* bytes; 0: extern array of unknown size (dynamic shared memory) */
    uint32_t align;
    uint64_t offset; /* frames: byte offset in the frame or in the parameter block; shared: in the
                        module's layout, set per kernel by the decoder */
    bool is_extern, is_weak, is_visible, is_managed;
    void *host;          /* managed: where the host has it; NULL: it asks for the address */
    const uint8_t *init; /* size bytes, or NULL: zero */
    struct ptx_reloc *relocs;
    int32_t nrelocs;
    struct ptx_module *module; /* its module; NULL for frame variables */
    /* module variables: the one to use instead of this: itself, or after ptx_link the definition of
     * an extern (or the first of several weak ones) in another module; NULL: extern without one
     * (dynamic shared memory: itself) */
    struct ptx_var *definition;
};

/* A list of branch or call targets. */
struct ptx_table {
    const char *name;
    int32_t *targets; /* instruction indices (branchtargets) or function indices (calltargets) */
    int32_t ntargets;
};

/* A register that may be read before it is written, and the first instruction that reads it. */
struct ptx_unset {
    int32_t reg;
    const struct ptx_insn *reader;
};

/* A function: a kernel (entry) or a device function. */
struct ptx_function {
    const char *name;
    struct ptx_module *module;
    bool is_entry, is_extern, is_weak, is_visible, noreturn;
    struct ptx_insn *insns;
    int32_t ninsns;
    struct ptx_reg *regs;
    int32_t nregs;
    int32_t nslots_pred, nslots_32, nslots_64, nslots_128; /* ptx/cfg.c */
    /* registers that may be read before they are written. ptx/liveness.c */
    struct ptx_unset *unset;
    int32_t nunset;
    int32_t live_registers; /* 32-bit registers per thread, estimated for PTX without machine code.
                                ptx/registers.c */
    struct ptx_var *frame;  /* parameters, then return values, then locals and call parameters */
    int32_t nframe;
    int32_t nparams,
        nreturns;         /* frame[0 .. nparams-1] are parameters, then nreturns return values */
    uint64_t param_bytes; /* entry: size of the parameter block */
    uint64_t frame_bytes; /* LOCAL and FRAME variables together, 16-byte aligned */
    struct ptx_table *tables;
    int32_t ntables;
    uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg; /* 0: not given */
    struct ptx_function *definition; /* the one to call instead of this: itself where it has a body,
                                      * an alias's target, after ptx_link the body in another
                                      * module; NULL: the interpreter supplies it */
    int32_t ptx_line;
    const struct machine_code *machine; /* ptxas's code for it (image/machine_code.h); NULL: none */
};

/* A .loc of inlined code, and the place of the inlined call. */
struct ptx_inlined {
    int32_t file, line, column;
    int32_t at_file, at_line;
    /* index into module->inlined[] if the call's place is inlined code too, or -1 */
    int32_t parent;
};

/* A parsed module. */
struct ptx_module {
    char *text;                               /* owned copy of the source */
    int version_major, version_minor, target; /* .version 9.0, .target sm_75 -> 9, 0, 75 */
    bool debug; /* .target's debug: nvcc -G, which ptxas does not optimise */
    struct ptx_function *functions;
    int32_t nfunctions;
    struct ptx_var *vars;
    int32_t nvars;
    const char **files; /* .file names by index; NULL where none */
    int32_t nfiles;
    struct ptx_inlined *inlined;
    int32_t ninlined;
    struct arena *arena; /* owns everything above */
};

/* Parses and copies text (length bytes, need not end in NUL). Returns a module, to be freed with
 * ptx_free; or NULL with a one-line message "line N: ..." in error (at most error_size bytes). An
 * unsupported instruction becomes PTX_UNSUPPORTED, so that only a kernel that reaches it fails;
 * operand[0].bits points at its spelling and the reason, a const char *. */
struct ptx_module *ptx_parse(const char *text, size_t length, char *error, size_t error_size);
void ptx_free(struct ptx_module *module);

/* Links n modules: points extern and weak functions and variables at their definitions, by name.
 * Unresolved functions stay extern (vprintf, malloc ...: the interpreter supplies them). The
 * modules must live together. Returns false with a message in error on conflicting definitions. */
bool ptx_link(struct ptx_module **modules, int n, char *error, size_t error_size);

/* Analyses every function with a body, after linking: finds reconvergence points, live ranges and
 * register slots. */
void ptx_analyse(struct ptx_module *module);

/* The opcode's spelling; "?": no opcode. */
const char *ptx_opcode_name(enum ptx_opcode op);
enum ptx_kind ptx_kind(const struct ptx_insn *insn);
/* Is it ld, ldu, st, atom or red? */
bool ptx_accesses(const struct ptx_insn *insn);
/* Is it st, atom or red? */
bool ptx_stores(const struct ptx_insn *insn);
/* Bytes of a value of a type; 0 for PRED and NONE. */
unsigned ptx_type_size(enum ptx_type type);
/* A generic address may be a global one. */
static inline bool ptx_may_be_global(uint8_t space) {
    return space == PTX_GLOBAL || space == PTX_GENERIC;
}
/* The registers that change while a thread runs. */
static inline bool ptx_is_clock(uint8_t sreg) {
    return sreg >= PTX_SREG_CLOCK && sreg <= PTX_SREG_GLOBALTIMER_HI;
}
static inline bool ptx_is_signed(enum ptx_type type) {
    return type >= PTX_S8 && type <= PTX_S64;
}
/* Count of leading operands that the instruction writes: 0 or 1 (a VECTOR counts once). It also
 * writes reg2 of the first. */
int ptx_destinations(const struct ptx_insn *insn);
#define PTX_MAX_DYING 32
/* The registers whose values insn is the last to read; returns how many. There may be more. After
 * ptx_analyse(). */
int ptx_dying(const struct ptx_insn *insn, int32_t registers[PTX_MAX_DYING]);
/* Is it an operation on a barrier in shared memory? */
static inline bool ptx_is_mbarrier(const struct ptx_insn *insn) {
    return insn->sub >= PTX_MBARRIER_INIT && insn->sub <= PTX_MBARRIER_TEST_PARITY;
}
/* Is it an atomic whose old value the program reads? */
static inline bool ptx_answers(const struct ptx_insn *insn) {
    return insn->op == PTX_ATOM && insn->operand[0].kind != PTX_OPERAND_SINK;
}
/* Coordinates of an enum ptx_geometry, its layer among them. */
int ptx_coordinates(uint8_t geometry);
/* Type in which the instruction reads or writes operand i: S64 for mul.wide.s32's destination, U32
 * for a shift's amount or vote's mask. Immediates are truncated to it. For a VECTOR the type of one
 * element; NONE for memory, labels and symbols. */
enum ptx_type ptx_operand_type(const struct ptx_insn *insn, int i);
/* Writes the instruction's opcode and suffixes to buffer ("ld.global.u32"), at most size bytes.
 * Returns buffer. */
char *ptx_spell(const struct ptx_insn *insn, char *buffer, size_t size);
