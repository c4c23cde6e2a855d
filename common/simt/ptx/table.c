/*
 * ptx/table.c: the tables of the instruction parser. A suffix is a row: its spelling, the groups of
 * opcodes that take it, the field of struct ptx_insn that it sets, and the value. A spelling may
 * have several rows (".lo" is half a product in mul, "lower" in setp); the first row whose groups
 * fit the opcode counts.
 */
#include "table.h"
#include "matrix.h"

#include <pthread.h>
#include <string.h>

/* Groups of suffixes. */
enum {
    NO_SUFFIX = 0,
    FTZ = 1 << 0,     /* ftz */
    ROUND = 1 << 1,   /* rn rz rm rp, sat, relu */
    APPROX = 1 << 2,  /* approx, full */
    CONVERT = 1 << 3, /* all roundings, sat, satfinite, relu */
    HALVES = 1 << 4,  /* lo hi wide */
    CARRY = 1 << 5,   /* cc */
    COMPARE = 1 << 6, /* eq ... nan, and or xor */
    MINMAX = 1 << 7,  /* NaN xorsign abs relu */
    SPACES = 1 << 8,
    ACCESS = 1 << 9, /* vectors, caches, order, scope */
    ATOMIC = 1 << 10,
    SHUFFLE = 1 << 11,
    VOTING = 1 << 12,
    MATCHING = 1 << 13,
    BARRIER = 1 << 14,
    FENCING = 1 << 15,
    SYNC = 1 << 16,
    CLAMP = 1 << 17, /* clamp wrap */
    SHIFT = 1 << 18, /* l r */
    PERMUTE = 1 << 19,
    TESTING = 1 << 20,
    UNIFORM = 1 << 21,
    TO = 1 << 22,
    AMOUNT = 1 << 23,
    LOGIC = 1 << 24, /* lop3's and or xor */
    INDEX = 1 << 25, /* brx.idx */
    HINT = 1 << 26,  /* words without effect on results */
    TYPE = 1 << 27,  /* types */
    ADDING = 1 << 28,
    NOINC = 1 << 29,
    MATRIX = 1 << 30, /* shapes, layouts, types of elements */
    TEXTURE = 1u << 31
};

static const struct {
    const char *name, *operands;
    uint32_t takes; /* groups of suffixes */
    enum ptx_kind kind;
} opcodes[PTX_OPCODE_COUNT] = {
#define PTX_OP(id, name, operands, suffixes, kind, ...) {name, operands, suffixes, PTX_KIND_##kind},
#include "opcodes.def"
#undef PTX_OP
};

struct suffix {
    const char *name;
    uint32_t groups;
    uint16_t field; /* offset of a byte in struct ptx_insn */
    uint8_t value;
};

#define FIELD(name) offsetof(struct ptx_insn, name)
#define NO_FIELD    UINT16_MAX /* accepted, without effect on results */
#define ALL_FLOAT   (ROUND | CONVERT)

static const struct suffix suffixes[] = {
    {"pred", TYPE, FIELD(type), PTX_PRED},
    {"b8", TYPE, FIELD(type), PTX_B8},
    {"b16", TYPE, FIELD(type), PTX_B16},
    {"b32", TYPE, FIELD(type), PTX_B32},
    {"b64", TYPE, FIELD(type), PTX_B64},
    {"b128", TYPE, FIELD(type), PTX_B128},
    {"u8", TYPE, FIELD(type), PTX_U8},
    {"u16", TYPE, FIELD(type), PTX_U16},
    {"u32", TYPE, FIELD(type), PTX_U32},
    {"u64", TYPE, FIELD(type), PTX_U64},
    {"s8", TYPE, FIELD(type), PTX_S8},
    {"s16", TYPE, FIELD(type), PTX_S16},
    {"s32", TYPE, FIELD(type), PTX_S32},
    {"s64", TYPE, FIELD(type), PTX_S64},
    {"f16", TYPE, FIELD(type), PTX_F16},
    {"f16x2", TYPE, FIELD(type), PTX_F16X2},
    {"bf16", TYPE, FIELD(type), PTX_BF16},
    {"bf16x2", TYPE, FIELD(type), PTX_BF16X2},
    {"u16x2", TYPE, FIELD(type), PTX_U16X2},
    {"s16x2", TYPE, FIELD(type), PTX_S16X2},
    {"f32", TYPE, FIELD(type), PTX_F32},
    {"f64", TYPE, FIELD(type), PTX_F64},

    {"tf32", MATRIX | CONVERT, FIELD(type), PTX_TF32},
    {"e4m3", MATRIX, FIELD(type), PTX_E4M3},
    {"e5m2", MATRIX, FIELD(type), PTX_E5M2},
    {"e4m3x2", CONVERT, FIELD(type), PTX_E4M3X2},
    {"e5m2x2", CONVERT, FIELD(type), PTX_E5M2X2},
    {"s4", MATRIX, FIELD(type), PTX_S4},
    {"u4", MATRIX, FIELD(type), PTX_U4},
    {"b1", MATRIX, FIELD(type), PTX_B1},
    {"row", MATRIX, FIELD(layout), PTX_ROW},
    {"col", MATRIX, FIELD(layout), PTX_COL},
    {"m8n8", MATRIX, FIELD(shape), PTX_M8N8},
    {"m8n8k4", MATRIX, FIELD(shape), PTX_M8N8K4},
    {"m8n8k16", MATRIX, FIELD(shape), PTX_M8N8K16},
    {"m8n8k32", MATRIX, FIELD(shape), PTX_M8N8K32},
    {"m8n8k128", MATRIX, FIELD(shape), PTX_M8N8K128},
    {"m16n8k4", MATRIX, FIELD(shape), PTX_M16N8K4},
    {"m16n8k8", MATRIX, FIELD(shape), PTX_M16N8K8},
    {"m16n8k16", MATRIX, FIELD(shape), PTX_M16N8K16},
    {"m16n8k32", MATRIX, FIELD(shape), PTX_M16N8K32},
    {"m16n8k64", MATRIX, FIELD(shape), PTX_M16N8K64},
    {"m16n8k128", MATRIX, FIELD(shape), PTX_M16N8K128},
    {"m16n8k256", MATRIX, FIELD(shape), PTX_M16N8K256},
    {"m16n16k8", MATRIX, FIELD(shape), PTX_M16N16K8},
    {"m16n16k16", MATRIX, FIELD(shape), PTX_M16N16K16},
    {"m32n8k16", MATRIX, FIELD(shape), PTX_M32N8K16},
    {"m8n32k16", MATRIX, FIELD(shape), PTX_M8N32K16},
    {"trans", MATRIX, FIELD(trans), true},
    {"x1", MATRIX, FIELD(vector), 1},
    {"x2", MATRIX, FIELD(vector), 2},
    {"x4", MATRIX, FIELD(vector), 4},

    {"global", SPACES, FIELD(space), PTX_GLOBAL},
    {"shared", SPACES, FIELD(space), PTX_SHARED},
    {"shared::cta", SPACES, FIELD(space), PTX_SHARED},
    {"shared::cluster", SPACES, FIELD(space), PTX_SHARED}, /* every cluster is one block */
    {"local", SPACES, FIELD(space), PTX_LOCAL},
    {"const", SPACES, FIELD(space), PTX_CONST},
    {"param", SPACES, FIELD(space), PTX_KPARAM}, /* the operand may make it FRAME */
    {"param::entry", SPACES, FIELD(space), PTX_KPARAM},
    {"param::func", SPACES, FIELD(space), PTX_FRAME},

    {"rn", ALL_FLOAT | MATRIX, FIELD(round), PTX_RN},
    {"rz", ALL_FLOAT | MATRIX, FIELD(round), PTX_RZ},
    {"rm", ALL_FLOAT | MATRIX, FIELD(round), PTX_RM},
    {"rp", ALL_FLOAT | MATRIX, FIELD(round), PTX_RP},
    {"rna", CONVERT, FIELD(round), PTX_RNA},
    {"rni", CONVERT, FIELD(round), PTX_RNI},
    {"rzi", CONVERT, FIELD(round), PTX_RZI},
    {"rmi", CONVERT, FIELD(round), PTX_RMI},
    {"rpi", CONVERT, FIELD(round), PTX_RPI},
    {"ftz", FTZ, FIELD(ftz), true},
    {"sat", ALL_FLOAT, FIELD(sat), true},
    {"relu", ALL_FLOAT | MINMAX, FIELD(relu), true},
    {"satfinite", CONVERT | MATRIX, FIELD(satfinite), true},
    {"approx", APPROX, FIELD(approx), true},
    {"full", APPROX, FIELD(full), true},
    {"cc", CARRY, FIELD(cc), true},
    {"lo", HALVES, FIELD(lo), true},
    {"hi", HALVES, FIELD(hi), true},
    {"wide", HALVES, FIELD(wide), true},
    {"shiftamt", AMOUNT, FIELD(wide), true},
    {"noinc", NOINC, FIELD(wide), true},
    {"NaN", MINMAX, FIELD(nan), true},
    {"abs", MINMAX, FIELD(abs), true},
    {"xorsign", MINMAX, FIELD(xorsign), true},
    {"to", TO, FIELD(to), true},
    {"uni", UNIFORM, FIELD(uni), true},
    {"idx", INDEX, NO_FIELD, 0},
    {"sync", SYNC, FIELD(sync), true},
    {"aligned", SYNC | BARRIER | UNIFORM, NO_FIELD, 0},
    {"clamp", CLAMP, FIELD(clamp), true},
    {"wrap", CLAMP, FIELD(wrap), true},

    {"eq", COMPARE, FIELD(cmp), PTX_EQ},
    {"ne", COMPARE, FIELD(cmp), PTX_NE},
    {"lt", COMPARE, FIELD(cmp), PTX_LT},
    {"le", COMPARE, FIELD(cmp), PTX_LE},
    {"gt", COMPARE, FIELD(cmp), PTX_GT},
    {"ge", COMPARE, FIELD(cmp), PTX_GE},
    {"lo", COMPARE, FIELD(cmp), PTX_LO},
    {"ls", COMPARE, FIELD(cmp), PTX_LS},
    {"hi", COMPARE, FIELD(cmp), PTX_HI_CMP},
    {"hs", COMPARE, FIELD(cmp), PTX_HS},
    {"equ", COMPARE, FIELD(cmp), PTX_EQU},
    {"neu", COMPARE, FIELD(cmp), PTX_NEU},
    {"ltu", COMPARE, FIELD(cmp), PTX_LTU},
    {"leu", COMPARE, FIELD(cmp), PTX_LEU},
    {"gtu", COMPARE, FIELD(cmp), PTX_GTU},
    {"geu", COMPARE, FIELD(cmp), PTX_GEU},
    {"num", COMPARE, FIELD(cmp), PTX_NUM},
    {"nan", COMPARE, FIELD(cmp), PTX_NAN},
    {"and", COMPARE | LOGIC | MATRIX, FIELD(boolop), PTX_BOOL_AND},
    {"or", COMPARE | LOGIC, FIELD(boolop), PTX_BOOL_OR},
    {"xor", COMPARE | LOGIC | MATRIX, FIELD(boolop), PTX_BOOL_XOR},

    {"v2", ACCESS | TEXTURE, FIELD(vector), 2},
    {"v4", ACCESS | TEXTURE, FIELD(vector), 4},
    {"v8", ACCESS, FIELD(vector), 8},
    {"volatile", ACCESS, FIELD(is_volatile), true},
    {"nc", ACCESS, FIELD(nc), true},
    {"ca", ACCESS | TEXTURE, FIELD(cache), 'a'},
    {"cg", ACCESS | TEXTURE, FIELD(cache), 'g'},
    {"cs", ACCESS | TEXTURE, FIELD(cache), 's'},
    {"lu", ACCESS, FIELD(cache), 'l'},
    {"cv", ACCESS | TEXTURE, FIELD(cache), 'v'},
    {"wb", ACCESS | TEXTURE, FIELD(cache), 'w'},
    {"wt", ACCESS | TEXTURE, FIELD(cache), 't'},
    {"weak", ACCESS, FIELD(order), 0},
    {"relaxed", ACCESS | FENCING | BARRIER, FIELD(order), 'r'},
    {"acquire", ACCESS | FENCING | BARRIER, FIELD(order), 'a'},
    {"release", ACCESS | FENCING | BARRIER, FIELD(order), 'l'},
    {"acq_rel", ACCESS | FENCING, FIELD(order), 'q'},
    {"sc", FENCING, FIELD(order), 's'},
    {"mmio", ACCESS, NO_FIELD, 0},
    {"cta", ACCESS | FENCING, FIELD(scope), 'c'},
    {"cluster", ACCESS | FENCING, FIELD(scope), 'l'},
    {"gpu", ACCESS | FENCING, FIELD(scope), 'g'},
    {"gl", FENCING, FIELD(scope), 'g'},
    {"sys", ACCESS | FENCING, FIELD(scope), 's'},
    {"L1", HINT, NO_FIELD, 0},
    {"L2", HINT, NO_FIELD, 0},
    {"fractional", HINT, NO_FIELD, 0},
    {"range", HINT, NO_FIELD, 0},
    {"cvt", HINT, NO_FIELD, 0},
    {"wait", HINT, NO_FIELD, 0},
    {"launch_dependents", HINT, NO_FIELD, 0},
    {"mask", HINT, NO_FIELD, 0},
    {"L1::evict_normal", ACCESS | HINT, NO_FIELD, 0},
    {"L1::evict_unchanged", ACCESS | HINT, NO_FIELD, 0},
    {"L1::evict_first", ACCESS | HINT, NO_FIELD, 0},
    {"L1::evict_last", ACCESS | HINT, NO_FIELD, 0},
    {"L1::no_allocate", ACCESS | HINT, NO_FIELD, 0},
    {"L2::evict_normal", ACCESS | HINT, NO_FIELD, 0},
    {"L2::evict_first", ACCESS | HINT, NO_FIELD, 0},
    {"L2::evict_last", ACCESS | HINT, NO_FIELD, 0},
    {"L2::evict_unchanged", ACCESS | HINT, NO_FIELD, 0},
    {"L2::cache_hint", ACCESS, FIELD(cache_hint), true},
    {"L2::64B", ACCESS, NO_FIELD, 0},
    {"L2::128B", ACCESS, NO_FIELD, 0},
    {"L2::256B", ACCESS, NO_FIELD, 0},

    {"add", ATOMIC | ADDING, FIELD(sub), PTX_ATOM_ADD},
    {"inc", ATOMIC, FIELD(sub), PTX_ATOM_INC},
    {"dec", ATOMIC, FIELD(sub), PTX_ATOM_DEC},
    {"min", ATOMIC, FIELD(sub), PTX_ATOM_MIN},
    {"max", ATOMIC, FIELD(sub), PTX_ATOM_MAX},
    {"and", ATOMIC, FIELD(sub), PTX_ATOM_AND},
    {"or", ATOMIC, FIELD(sub), PTX_ATOM_OR},
    {"xor", ATOMIC, FIELD(sub), PTX_ATOM_XOR},
    {"exch", ATOMIC, FIELD(sub), PTX_ATOM_EXCH},
    {"cas", ATOMIC, FIELD(sub), PTX_ATOM_CAS},
    {"noftz", ATOMIC, NO_FIELD, 0},
    {"up", SHUFFLE, FIELD(sub), PTX_SHFL_UP},
    {"down", SHUFFLE, FIELD(sub), PTX_SHFL_DOWN},
    {"bfly", SHUFFLE, FIELD(sub), PTX_SHFL_BFLY},
    {"idx", SHUFFLE, FIELD(sub), PTX_SHFL_IDX},
    {"all", VOTING, FIELD(sub), PTX_VOTE_ALL},
    {"any", VOTING, FIELD(sub), PTX_VOTE_ANY},
    {"uni", VOTING, FIELD(sub), PTX_VOTE_UNI},
    {"ballot", VOTING, FIELD(sub), PTX_VOTE_BALLOT},
    {"any", MATCHING, FIELD(sub), PTX_MATCH_ANY},
    {"all", MATCHING, FIELD(sub), PTX_MATCH_ALL},
    {"warp", BARRIER, FIELD(sub),
     PTX_BAR_WARP_SYNC}, /* before sync: the first suffix that sets sub keeps it */
    {"sync", BARRIER, FIELD(sub), PTX_BAR_SYNC},
    {"arrive", BARRIER, FIELD(sub), PTX_BAR_ARRIVE},
    {"wait", BARRIER, FIELD(sub), PTX_BAR_CLUSTER_WAIT},
    {"red", BARRIER, NO_FIELD, 0},
    {"cta", BARRIER, NO_FIELD, 0},
    {"popc", MATRIX, NO_FIELD, 0},
    {"popc", BARRIER, FIELD(sub), PTX_BAR_RED_POPC},
    {"and", BARRIER, FIELD(sub), PTX_BAR_RED_AND},
    {"or", BARRIER, FIELD(sub), PTX_BAR_RED_OR},
    {"l", SHIFT, FIELD(sub), PTX_SHF_L},
    {"r", SHIFT, FIELD(sub), PTX_SHF_R},
    {"f4e", PERMUTE, FIELD(sub), PTX_PRMT_F4E},
    {"b4e", PERMUTE, FIELD(sub), PTX_PRMT_B4E},
    {"rc8", PERMUTE, FIELD(sub), PTX_PRMT_RC8},
    {"ecl", PERMUTE, FIELD(sub), PTX_PRMT_ECL},
    {"ecr", PERMUTE, FIELD(sub), PTX_PRMT_ECR},
    {"rc16", PERMUTE, FIELD(sub), PTX_PRMT_RC16},
    {"finite", TESTING, FIELD(sub), PTX_TESTP_FINITE},
    {"infinite", TESTING, FIELD(sub), PTX_TESTP_INFINITE},
    {"number", TESTING, FIELD(sub), PTX_TESTP_NUMBER},
    {"notanumber", TESTING, FIELD(sub), PTX_TESTP_NOTANUMBER},
    {"normal", TESTING, FIELD(sub), PTX_TESTP_NORMAL},
    {"subnormal", TESTING, FIELD(sub), PTX_TESTP_SUBNORMAL},

    {"1d", TEXTURE, FIELD(geometry), PTX_1D},
    {"2d", TEXTURE, FIELD(geometry), PTX_2D},
    {"3d", TEXTURE, FIELD(geometry), PTX_3D},
    {"a1d", TEXTURE, FIELD(geometry), PTX_A1D},
    {"a2d", TEXTURE, FIELD(geometry), PTX_A2D},
    {"cube", TEXTURE, FIELD(geometry), PTX_CUBE},
    {"acube", TEXTURE, FIELD(geometry), PTX_ACUBE},
    {"base", TEXTURE, NO_FIELD, 0}, /* level 0 */
    {"level", TEXTURE, FIELD(lod), PTX_LOD_LEVEL},
    {"grad", TEXTURE, FIELD(lod), PTX_LOD_GRAD},
    {"r", TEXTURE, FIELD(component), 0},
    {"g", TEXTURE, FIELD(component), 1},
    {"b", TEXTURE, FIELD(component), 2},
    {"a", TEXTURE, FIELD(component), 3},
    {"width", TEXTURE, FIELD(sub), PTX_QUERY_WIDTH},
    {"height", TEXTURE, FIELD(sub), PTX_QUERY_HEIGHT},
    {"depth", TEXTURE, FIELD(sub), PTX_QUERY_DEPTH},
    {"array_size", TEXTURE, FIELD(sub), PTX_QUERY_ARRAY_SIZE},
    {"num_mipmap_levels", TEXTURE, FIELD(sub), PTX_QUERY_LEVELS},
    {"num_samples", TEXTURE, FIELD(sub), PTX_QUERY_SAMPLES},
    {"channel_data_type", TEXTURE, FIELD(sub), PTX_QUERY_CHANNEL_TYPE},
    {"channel_order", TEXTURE, FIELD(sub), PTX_QUERY_CHANNEL_ORDER},
    {"normalized_coords", TEXTURE, FIELD(sub), PTX_QUERY_NORMALIZED},
    {"p", TEXTURE, FIELD(formatted), true},
    {"trap", TEXTURE, FIELD(boundary), PTX_BOUNDARY_TRAP},
    {"clamp", TEXTURE, FIELD(boundary), PTX_BOUNDARY_CLAMP},
    {"zero", TEXTURE, FIELD(boundary), PTX_BOUNDARY_ZERO},
};
#define NSUFFIXES (sizeof suffixes / sizeof suffixes[0])

/* Special registers. The cluster registers are constants, because every cluster is one block. */
static const struct special_register specials[] = {
    {"%tid.x", PTX_SREG_TID_X, 0},
    {"%tid.y", PTX_SREG_TID_Y, 0},
    {"%tid.z", PTX_SREG_TID_Z, 0},
    {"%ntid.x", PTX_SREG_NTID_X, 0},
    {"%ntid.y", PTX_SREG_NTID_Y, 0},
    {"%ntid.z", PTX_SREG_NTID_Z, 0},
    {"%ctaid.x", PTX_SREG_CTAID_X, 0},
    {"%ctaid.y", PTX_SREG_CTAID_Y, 0},
    {"%ctaid.z", PTX_SREG_CTAID_Z, 0},
    {"%nctaid.x", PTX_SREG_NCTAID_X, 0},
    {"%nctaid.y", PTX_SREG_NCTAID_Y, 0},
    {"%nctaid.z", PTX_SREG_NCTAID_Z, 0},
    {"%laneid", PTX_SREG_LANEID, 0},
    {"%warpid", PTX_SREG_WARPID, 0},
    {"%nwarpid", PTX_SREG_NWARPID, 0},
    {"%smid", PTX_SREG_SMID, 0},
    {"%nsmid", PTX_SREG_NSMID, 0},
    {"%gridid", PTX_SREG_GRIDID, 0},
    {"%lanemask_eq", PTX_SREG_LANEMASK_EQ, 0},
    {"%lanemask_le", PTX_SREG_LANEMASK_LE, 0},
    {"%lanemask_lt", PTX_SREG_LANEMASK_LT, 0},
    {"%lanemask_ge", PTX_SREG_LANEMASK_GE, 0},
    {"%lanemask_gt", PTX_SREG_LANEMASK_GT, 0},
    {"%clock", PTX_SREG_CLOCK, 0},
    {"%clock_hi", PTX_SREG_CLOCK_HI, 0},
    {"%clock64", PTX_SREG_CLOCK64, 0},
    {"%globaltimer", PTX_SREG_GLOBALTIMER, 0},
    {"%globaltimer_lo", PTX_SREG_GLOBALTIMER_LO, 0},
    {"%globaltimer_hi", PTX_SREG_GLOBALTIMER_HI, 0},
    {"%dynamic_smem_size", PTX_SREG_DYNAMIC_SMEM_SIZE, 0},
    {"%total_smem_size", PTX_SREG_TOTAL_SMEM_SIZE, 0},
    {"%aggr_smem_size", PTX_SREG_AGGR_SMEM_SIZE, 0},
    {"%reserved_smem_offset_begin", PTX_SREG_RESERVED_SMEM, 0}, /* to cap: as on an H200 */
    {"%reserved_smem_offset_0", PTX_SREG_RESERVED_SMEM, 0},
    {"%reserved_smem_offset_1", PTX_SREG_RESERVED_SMEM, 0},
    {"%reserved_smem_offset_end", -1, 288},
    {"%reserved_smem_offset_cap", -1, 1024},
    {"%clusterid.x", PTX_SREG_CTAID_X, 0},
    {"%clusterid.y", PTX_SREG_CTAID_Y, 0},
    {"%clusterid.z", PTX_SREG_CTAID_Z, 0},
    {"%nclusterid.x", PTX_SREG_NCTAID_X, 0},
    {"%nclusterid.y", PTX_SREG_NCTAID_Y, 0},
    {"%nclusterid.z", PTX_SREG_NCTAID_Z, 0},
    {"%tid.w", -1, 0},
    {"%ntid.w", -1, 1},
    {"%ctaid.w", -1, 0},
    {"%nctaid.w", -1, 1},
    {"%cluster_ctaid.x", -1, 0},
    {"%cluster_ctaid.y", -1, 0},
    {"%cluster_ctaid.z", -1, 0},
    {"%cluster_nctaid.x", -1, 1},
    {"%cluster_nctaid.y", -1, 1},
    {"%cluster_nctaid.z", -1, 1},
    {"%cluster_ctarank", -1, 0},
    {"%cluster_nctarank", -1, 1},
    {"%is_explicit_cluster", -1, 0},
    {"WARP_SZ", -1, 32},
};
#define NSPECIALS (sizeof specials / sizeof specials[0])

/* Operations on a barrier in shared memory: atom or red in form, with a .sub and an order of their
 * own. */
static const struct {
    const char *name, *operands;
    uint8_t op, sub, order;
} mbarriers[] = {
    {"mbarrier.init", "mu", PTX_RED, PTX_MBARRIER_INIT, 'r'},
    {"mbarrier.inval", "m", PTX_RED, PTX_MBARRIER_INVAL, 'r'},
    {"mbarrier.expect_tx", "mu", PTX_RED, PTX_MBARRIER_EXPECT, 'r'},
    {"mbarrier.complete_tx", "mu", PTX_RED, PTX_MBARRIER_COMPLETE, 'r'},
    {"mbarrier.arrive", "Dm?u", PTX_ATOM, PTX_MBARRIER_ARRIVE, 'l'},
    {"mbarrier.arrive.noComplete", "Dmu", PTX_ATOM, PTX_MBARRIER_ARRIVE, 'l'},
    {"mbarrier.arrive.expect_tx", "Dmu", PTX_ATOM, PTX_MBARRIER_ARRIVE_EXPECT, 'l'},
    {"mbarrier.arrive_drop", "Dm?u", PTX_ATOM, PTX_MBARRIER_DROP, 'l'},
    {"mbarrier.arrive_drop.noComplete", "Dmu", PTX_ATOM, PTX_MBARRIER_DROP, 'l'},
    {"mbarrier.arrive_drop.expect_tx", "Dmu", PTX_ATOM, PTX_MBARRIER_DROP_EXPECT, 'l'},
    {"mbarrier.test_wait", "Pms", PTX_ATOM, PTX_MBARRIER_TEST, 'a'},
    {"mbarrier.test_wait.parity", "Pmu", PTX_ATOM, PTX_MBARRIER_TEST_PARITY, 'a'},
    {"mbarrier.try_wait", "Pms?u", PTX_ATOM, PTX_MBARRIER_TEST, 'a'},
    {"mbarrier.try_wait.parity", "Pmu?u", PTX_ATOM, PTX_MBARRIER_TEST_PARITY, 'a'},
};
#define NMBARRIERS (sizeof mbarriers / sizeof mbarriers[0])

/*
 * One hash table over all three tables, filled once: (table, spelling) -> rows. Rows of one slot
 * form a chain, in their order.
 */
#define HASH_SLOTS 1024 /* about twice the rows */

enum table { TABLE_OPCODE, TABLE_SUFFIX, TABLE_SPECIAL };

struct entry {
    const char *name;
    enum table table;
    int16_t row, next; /* next: index in entries plus 1; 0: none */
};

/* More spellings of opcodes. */
static const struct {
    const char *name;
    enum ptx_opcode op;
} spellings[] = {
    {"barrier", PTX_BAR},
    {"barrier.cluster", PTX_BAR},
    {"fence.mbarrier_init", PTX_FENCE},
    {"fence.proxy.alias", PTX_FENCE},
    {"fence.proxy.async", PTX_FENCE},
    {"fence.proxy.async.global", PTX_FENCE},
    {"fence.proxy.async.shared::cta", PTX_FENCE},
    {"fence.proxy.async.shared::cluster", PTX_FENCE},
    {"cp.async.wait_all", PTX_CP_ASYNC_WAIT},
    {"cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes", PTX_CP_ASYNC_BULK},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster",
     PTX_CP_ASYNC_BULK},
    {"cp.async.bulk.wait_group", PTX_CP_ASYNC_BULK_GROUP},
    {"cp.async.bulk.wait_group.read", PTX_CP_ASYNC_BULK_GROUP},
};
#define NSPELLINGS (sizeof spellings / sizeof *spellings)

static struct entry entries[PTX_UNSUPPORTED + NSPELLINGS + NMBARRIERS + NSUFFIXES + NSPECIALS];
static int nentries;
static int16_t slots[HASH_SLOTS]; /* first index in entries plus 1; 0: none */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static unsigned hash_of_spelling(enum table table, const char *name, size_t length) {
    unsigned hash = 2166136261u + (unsigned)table; /* FNV-1a */
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)name[i]) * 16777619u;
    return (hash ^ hash >> 15) % HASH_SLOTS;
}

/* Appends a row to its slot's chain, so that earlier rows are found first. */
static void add_entry(enum table table, const char *name, int row) {
    int16_t *link = &slots[hash_of_spelling(table, name, strlen(name))];
    while (*link) link = &entries[*link - 1].next;
    entries[nentries] = (struct entry){name, table, (int16_t)row, 0};
    *link = (int16_t)++nentries;
}

static void fill_tables(void) {
    for (int i = 0; i < PTX_UNSUPPORTED; i++) add_entry(TABLE_OPCODE, opcodes[i].name, i);
    for (size_t i = 0; i < NSPELLINGS; i++)
        add_entry(TABLE_OPCODE, spellings[i].name, spellings[i].op);
    for (size_t i = 0; i < NMBARRIERS; i++)
        add_entry(TABLE_OPCODE, mbarriers[i].name, PTX_OPCODE_COUNT + (int)i);
    for (size_t i = 0; i < NSUFFIXES; i++) add_entry(TABLE_SUFFIX, suffixes[i].name, (int)i);
    for (size_t i = 0; i < NSPECIALS; i++) add_entry(TABLE_SPECIAL, specials[i].name, (int)i);
}

static bool entry_is(const struct entry *entry, enum table table, const char *name, size_t length) {
    return entry->table == table && strncmp(entry->name, name, length) == 0 &&
           entry->name[length] == '\0';
}

/* The first row of that spelling with a group in takes (0: any); -1: none. */
static int find_row(enum table table, const char *name, size_t length, uint32_t takes) {
    pthread_once(&once, fill_tables);
    for (int at = slots[hash_of_spelling(table, name, length)]; at; at = entries[at - 1].next) {
        const struct entry *entry = &entries[at - 1];
        if (entry_is(entry, table, name, length) && (!takes || suffixes[entry->row].groups & takes))
            return entry->row;
    }
    return -1;
}

void ptx_opcode_apply(struct ptx_insn *insn, const char *name, size_t length) {
    int row = find_row(TABLE_OPCODE, name, length, 0), mbarrier = row - PTX_OPCODE_COUNT;
    insn->op = row < 0 ? PTX_UNSUPPORTED : mbarrier < 0 ? (uint16_t)row : mbarriers[mbarrier].op;
    if (row < 0 || mbarrier < 0) return;
    insn->sub = mbarriers[mbarrier].sub;
    insn->order = mbarriers[mbarrier].order;
    insn->scope = 'c';
}

const char *ptx_opcode_name(enum ptx_opcode op) {
    return (unsigned)op < PTX_OPCODE_COUNT ? opcodes[op].name : "?";
}

enum ptx_kind ptx_kind(const struct ptx_insn *insn) {
    return opcodes[insn->op].kind;
}

bool ptx_stores(const struct ptx_insn *insn) {
    return ptx_kind(insn) == PTX_KIND_STORE || ptx_kind(insn) == PTX_KIND_ATOMIC;
}

bool ptx_accesses(const struct ptx_insn *insn) {
    return ptx_stores(insn) || ptx_kind(insn) == PTX_KIND_LOAD;
}

const struct special_register *ptx_special_find(const char *name, size_t length) {
    int row = find_row(TABLE_SPECIAL, name, length, 0);
    return row < 0 ? NULL : &specials[row];
}

enum ptx_type ptx_type_find(const char *name, size_t length) {
    int row = find_row(TABLE_SUFFIX, name, length, TYPE);
    return row < 0 ? PTX_TYPE_NONE : (enum ptx_type)suffixes[row].value;
}

/* The field for the next type suffix. */
static uint8_t *table_next_type(struct ptx_insn *insn) {
    if (insn->type == PTX_TYPE_NONE) return &insn->type;
    if (insn->type2 == PTX_TYPE_NONE) return &insn->type2;
    return insn->type3 == PTX_TYPE_NONE ? &insn->type3 : &insn->type4;
}

bool ptx_suffix_apply(struct ptx_insn *insn, const char *name, size_t length) {
    uint32_t takes = opcodes[insn->op].takes;
    int row = takes ? find_row(TABLE_SUFFIX, name, length, takes) : -1;
    if (row < 0) return false;
    const struct suffix *suffix = &suffixes[row];
    if (suffix->field == NO_FIELD) return true;
    uint8_t *field = (uint8_t *)insn + suffix->field;
    if (suffix->field == FIELD(type))
        *table_next_type(insn) = suffix->value;
    else if (suffix->field == FIELD(layout) && *field != PTX_LAYOUT_NONE)
        insn->layout2 = suffix->value;
    else if (suffix->field != FIELD(sub) || *field == PTX_SUB_NONE)
        *field = suffix->value;
    return true;
}

bool ptx_suffixes_complete(const struct ptx_insn *insn) {
    uint32_t takes = opcodes[insn->op].takes;
    bool needs_sub = takes & (ATOMIC | SHUFFLE | VOTING | MATCHING | BARRIER | SHIFT | TESTING);
    if (takes & TYPE && insn->op != PTX_BAR && insn->type == PTX_TYPE_NONE) return false;
    if ((insn->op == PTX_SET || insn->op == PTX_SETP) && insn->cmp == PTX_CMP_NONE) return false;
    if ((insn->op == PTX_CVT || insn->op == PTX_SET || insn->op == PTX_SLCT) &&
        insn->type2 == PTX_TYPE_NONE)
        return false;
    if (takes & MATRIX) return ptx_matrix_complete(insn);
    bool asks = insn->op == PTX_TXQ || insn->op == PTX_SUQ,
         has_coordinates = takes & TEXTURE && !asks;
    return (!has_coordinates || insn->geometry) &&
           (!(needs_sub || asks) || insn->sub != PTX_SUB_NONE);
}

/* The operands of bar. A reduction has a destination first, and its thread count, in the middle, is
 * optional. */
static const char *barrier_letters(const struct ptx_insn *insn) {
    switch (insn->sub) {
    case PTX_BAR_RED_POPC:
    case PTX_BAR_RED_AND:
    case PTX_BAR_RED_OR: return insn->noperands == 4 ? "Duup" : "Dup";
    case PTX_BAR_WARP_SYNC: return "u";
    case PTX_BAR_ARRIVE: return "uu";
    default: return "u?u";
    }
}

/* Several spellings share a .sub: the longest list serves all. */
static const char *mbarrier_letters(const struct ptx_insn *insn) {
    const char *letters = "";
    for (size_t i = 0; i < NMBARRIERS; i++)
        if (mbarriers[i].sub == insn->sub && strlen(mbarriers[i].operands) > strlen(letters))
            letters = mbarriers[i].operands;
    return letters;
}

const char *ptx_operand_letters(const struct ptx_insn *insn) {
    if (ptx_is_mbarrier(insn)) return mbarrier_letters(insn);
    if (insn->op == PTX_BAR) return barrier_letters(insn);
    if (insn->op == PTX_SHFL && insn->sync) return "Dsuuu";
    if (insn->op == PTX_VOTE && insn->sync) return "Dpu";
    if (insn->op == PTX_ATOM) return insn->sub == PTX_ATOM_CAS ? "Dmss" : "Dms";
    return opcodes[insn->op].operands;
}

char ptx_operand_letter(const struct ptx_insn *insn, int i) {
    for (const char *letter = ptx_operand_letters(insn); *letter; letter++) {
        if (*letter != '?' && i-- == 0) return *letter;
    }
    return '\0';
}
