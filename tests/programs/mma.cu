// mma.sync in all shapes and types: small integers are exact in any order of adding; what depends
// on it, on rounding and on special values must be as an H200 recorded it.
//
// build sm90 arch=90 gpu=h200
// case | 0 | ^ok$
// case record | 0 | m16n8k16_f16_f32
#include "part_tensor.h"

/* Operands of assembly: L is "r" for words, "d" for doubles. */
#define OUT2(L)   "=" L(d[0]), "=" L(d[1])
#define OUT4(L)   OUT2(L), "=" L(d[2]), "=" L(d[3])
#define OUT8(L)   OUT4(L), "=" L(d[4]), "=" L(d[5]), "=" L(d[6]), "=" L(d[7])
#define IN1(L, x) L(x[0])
#define IN2(L, x) L(x[0]), L(x[1])
#define IN4(L, x) IN2(L, x), L(x[2]), L(x[3])
#define IN8(L, x) IN4(L, x), L(x[4]), L(x[5]), L(x[6]), L(x[7])
#define MMA(op, registers, outs, as, bs, cs)                                                       \
    asm volatile("mma.sync.aligned." op registers ";" : outs : as, bs, cs)

/* The registers of d, a, b and c. */
#define R2112(L, op)                                                                               \
    MMA(op, "{%0,%1}, {%2}, {%3}, {%4,%5}", OUT2(L), IN1(L, a), IN1(L, b), IN2(L, c))
#define R2212(L, op)                                                                               \
    MMA(op, "{%0,%1}, {%2,%3}, {%4}, {%5,%6}", OUT2(L), IN2(L, a), IN1(L, b), IN2(L, c))
#define R2422(L, op)                                                                               \
    MMA(op, "{%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%8,%9}", OUT2(L), IN4(L, a), IN2(L, b), IN2(L, c))
#define R4214(L, op)                                                                               \
    MMA(op, "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%7,%8,%9,%10}", OUT4(L), IN2(L, a), IN1(L, b),         \
        IN4(L, c))
#define R4224(L, op)                                                                               \
    MMA(op, "{%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%8,%9,%10,%11}", OUT4(L), IN2(L, a), IN2(L, b),     \
        IN4(L, c))
#define R4424(L, op)                                                                               \
    MMA(op, "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13}", OUT4(L), IN4(L, a),        \
        IN2(L, b), IN4(L, c))
#define R4844(L, op)                                                                               \
    MMA(op, "{%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%16,%17,%18,%19}",    \
        OUT4(L), IN8(L, a), IN4(L, b), IN4(L, c))
#define R8224(L, op)                                                                               \
    MMA(op, "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%12,%13,%14,%15}", OUT8(L),           \
        IN2(L, a), IN2(L, b), IN4(L, c))
#define R8228(L, op)                                                                               \
    MMA(op, "{%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%12,%13,%14,%15,%16,%17,%18,%19}",    \
        OUT8(L), IN2(L, a), IN2(L, b), IN8(L, c))

/* X(name, word, operand letter, registers of d a b c, rows, length of a sum, instruction, types of
 * a b c d) */
#define CASES(X)                                                                                   \
    X(m16n8k8_f16_f32, uint32_t, "r", 4, 2, 1, 4, 16, 8, "m16n8k8.row.col.f32.f16.f16.f32",        \
      "f16 f16 f32 f32")                                                                           \
    X(m16n8k16_f16_f32, uint32_t, "r", 4, 4, 2, 4, 16, 16, "m16n8k16.row.col.f32.f16.f16.f32",     \
      "f16 f16 f32 f32")                                                                           \
    X(m16n8k8_f16_f16, uint32_t, "r", 2, 2, 1, 2, 16, 8, "m16n8k8.row.col.f16.f16.f16.f16",        \
      "f16 f16 f16 f16")                                                                           \
    X(m16n8k16_f16_f16, uint32_t, "r", 2, 4, 2, 2, 16, 16, "m16n8k16.row.col.f16.f16.f16.f16",     \
      "f16 f16 f16 f16")                                                                           \
    X(m8n8k4_f16_f32_f32_row_row, uint32_t, "r", 8, 2, 2, 8, 8, 4,                                 \
      "m8n8k4.row.row.f32.f16.f16.f32", "f16 f16 f32 f32")                                         \
    X(m8n8k4_f16_f16_f16_row_row, uint32_t, "r", 4, 2, 2, 4, 8, 4,                                 \
      "m8n8k4.row.row.f16.f16.f16.f16", "f16 f16 f16 f16")                                         \
    X(m8n8k4_f16_f32_f16_row_row, uint32_t, "r", 8, 2, 2, 4, 8, 4,                                 \
      "m8n8k4.row.row.f32.f16.f16.f16", "f16 f16 f16 f32")                                         \
    X(m8n8k4_f16_f32_f32_row_col, uint32_t, "r", 8, 2, 2, 8, 8, 4,                                 \
      "m8n8k4.row.col.f32.f16.f16.f32", "f16 f16 f32 f32")                                         \
    X(m8n8k4_f16_f16_f16_row_col, uint32_t, "r", 4, 2, 2, 4, 8, 4,                                 \
      "m8n8k4.row.col.f16.f16.f16.f16", "f16 f16 f16 f16")                                         \
    X(m8n8k4_f16_f32_f16_row_col, uint32_t, "r", 8, 2, 2, 4, 8, 4,                                 \
      "m8n8k4.row.col.f32.f16.f16.f16", "f16 f16 f16 f32")                                         \
    X(m8n8k4_f16_f32_f32_col_row, uint32_t, "r", 8, 2, 2, 8, 8, 4,                                 \
      "m8n8k4.col.row.f32.f16.f16.f32", "f16 f16 f32 f32")                                         \
    X(m8n8k4_f16_f16_f16_col_row, uint32_t, "r", 4, 2, 2, 4, 8, 4,                                 \
      "m8n8k4.col.row.f16.f16.f16.f16", "f16 f16 f16 f16")                                         \
    X(m8n8k4_f16_f32_f16_col_row, uint32_t, "r", 8, 2, 2, 4, 8, 4,                                 \
      "m8n8k4.col.row.f32.f16.f16.f16", "f16 f16 f16 f32")                                         \
    X(m8n8k4_f16_f32_f32_col_col, uint32_t, "r", 8, 2, 2, 8, 8, 4,                                 \
      "m8n8k4.col.col.f32.f16.f16.f32", "f16 f16 f32 f32")                                         \
    X(m8n8k4_f16_f16_f16_col_col, uint32_t, "r", 4, 2, 2, 4, 8, 4,                                 \
      "m8n8k4.col.col.f16.f16.f16.f16", "f16 f16 f16 f16")                                         \
    X(m8n8k4_f16_f32_f16_col_col, uint32_t, "r", 8, 2, 2, 4, 8, 4,                                 \
      "m8n8k4.col.col.f32.f16.f16.f16", "f16 f16 f16 f32")                                         \
    X(m16n8k8_bf16, uint32_t, "r", 4, 2, 1, 4, 16, 8, "m16n8k8.row.col.f32.bf16.bf16.f32",         \
      "bf16 bf16 f32 f32")                                                                         \
    X(m16n8k16_bf16, uint32_t, "r", 4, 4, 2, 4, 16, 16, "m16n8k16.row.col.f32.bf16.bf16.f32",      \
      "bf16 bf16 f32 f32")                                                                         \
    X(m16n8k4_tf32, uint32_t, "r", 4, 2, 1, 4, 16, 4, "m16n8k4.row.col.f32.tf32.tf32.f32",         \
      "tf32 tf32 f32 f32")                                                                         \
    X(m16n8k8_tf32, uint32_t, "r", 4, 4, 2, 4, 16, 8, "m16n8k8.row.col.f32.tf32.tf32.f32",         \
      "tf32 tf32 f32 f32")                                                                         \
    X(m8n8k4_f64, double, "d", 2, 1, 1, 2, 8, 4, "m8n8k4.row.col.f64.f64.f64.f64",                 \
      "f64 f64 f64 f64")                                                                           \
    X(m16n8k4_f64, double, "d", 4, 2, 1, 4, 16, 4, "m16n8k4.row.col.f64.f64.f64.f64",              \
      "f64 f64 f64 f64")                                                                           \
    X(m16n8k8_f64, double, "d", 4, 4, 2, 4, 16, 8, "m16n8k8.row.col.f64.f64.f64.f64",              \
      "f64 f64 f64 f64")                                                                           \
    X(m16n8k16_f64, double, "d", 4, 8, 4, 4, 16, 16, "m16n8k16.row.col.f64.f64.f64.f64",           \
      "f64 f64 f64 f64")                                                                           \
    X(m8n8k16_s8_s8, uint32_t, "r", 2, 1, 1, 2, 8, 16, "m8n8k16.row.col.s32.s8.s8.s32",            \
      "s8 s8 s32 s32")                                                                             \
    X(m16n8k16_s8_s8, uint32_t, "r", 4, 2, 1, 4, 16, 16, "m16n8k16.row.col.s32.s8.s8.s32",         \
      "s8 s8 s32 s32")                                                                             \
    X(m16n8k32_s8_s8, uint32_t, "r", 4, 4, 2, 4, 16, 32, "m16n8k32.row.col.s32.s8.s8.s32",         \
      "s8 s8 s32 s32")                                                                             \
    X(m8n8k16_s8_s8_satfinite, uint32_t, "r", 2, 1, 1, 2, 8, 16,                                   \
      "m8n8k16.row.col.satfinite.s32.s8.s8.s32", "s8 s8 s32 s32")                                  \
    X(m16n8k16_s8_s8_satfinite, uint32_t, "r", 4, 2, 1, 4, 16, 16,                                 \
      "m16n8k16.row.col.satfinite.s32.s8.s8.s32", "s8 s8 s32 s32")                                 \
    X(m16n8k32_s8_s8_satfinite, uint32_t, "r", 4, 4, 2, 4, 16, 32,                                 \
      "m16n8k32.row.col.satfinite.s32.s8.s8.s32", "s8 s8 s32 s32")                                 \
    X(m8n8k16_s8_u8, uint32_t, "r", 2, 1, 1, 2, 8, 16, "m8n8k16.row.col.s32.s8.u8.s32",            \
      "s8 u8 s32 s32")                                                                             \
    X(m16n8k16_s8_u8, uint32_t, "r", 4, 2, 1, 4, 16, 16, "m16n8k16.row.col.s32.s8.u8.s32",         \
      "s8 u8 s32 s32")                                                                             \
    X(m16n8k32_s8_u8, uint32_t, "r", 4, 4, 2, 4, 16, 32, "m16n8k32.row.col.s32.s8.u8.s32",         \
      "s8 u8 s32 s32")                                                                             \
    X(m8n8k16_s8_u8_satfinite, uint32_t, "r", 2, 1, 1, 2, 8, 16,                                   \
      "m8n8k16.row.col.satfinite.s32.s8.u8.s32", "s8 u8 s32 s32")                                  \
    X(m16n8k16_s8_u8_satfinite, uint32_t, "r", 4, 2, 1, 4, 16, 16,                                 \
      "m16n8k16.row.col.satfinite.s32.s8.u8.s32", "s8 u8 s32 s32")                                 \
    X(m16n8k32_s8_u8_satfinite, uint32_t, "r", 4, 4, 2, 4, 16, 32,                                 \
      "m16n8k32.row.col.satfinite.s32.s8.u8.s32", "s8 u8 s32 s32")                                 \
    X(m8n8k16_u8_s8, uint32_t, "r", 2, 1, 1, 2, 8, 16, "m8n8k16.row.col.s32.u8.s8.s32",            \
      "u8 s8 s32 s32")                                                                             \
    X(m16n8k16_u8_s8, uint32_t, "r", 4, 2, 1, 4, 16, 16, "m16n8k16.row.col.s32.u8.s8.s32",         \
      "u8 s8 s32 s32")                                                                             \
    X(m16n8k32_u8_s8, uint32_t, "r", 4, 4, 2, 4, 16, 32, "m16n8k32.row.col.s32.u8.s8.s32",         \
      "u8 s8 s32 s32")                                                                             \
    X(m8n8k16_u8_s8_satfinite, uint32_t, "r", 2, 1, 1, 2, 8, 16,                                   \
      "m8n8k16.row.col.satfinite.s32.u8.s8.s32", "u8 s8 s32 s32")                                  \
    X(m16n8k16_u8_s8_satfinite, uint32_t, "r", 4, 2, 1, 4, 16, 16,                                 \
      "m16n8k16.row.col.satfinite.s32.u8.s8.s32", "u8 s8 s32 s32")                                 \
    X(m16n8k32_u8_s8_satfinite, uint32_t, "r", 4, 4, 2, 4, 16, 32,                                 \
      "m16n8k32.row.col.satfinite.s32.u8.s8.s32", "u8 s8 s32 s32")                                 \
    X(m8n8k16_u8_u8, uint32_t, "r", 2, 1, 1, 2, 8, 16, "m8n8k16.row.col.s32.u8.u8.s32",            \
      "u8 u8 s32 s32")                                                                             \
    X(m16n8k16_u8_u8, uint32_t, "r", 4, 2, 1, 4, 16, 16, "m16n8k16.row.col.s32.u8.u8.s32",         \
      "u8 u8 s32 s32")                                                                             \
    X(m16n8k32_u8_u8, uint32_t, "r", 4, 4, 2, 4, 16, 32, "m16n8k32.row.col.s32.u8.u8.s32",         \
      "u8 u8 s32 s32")                                                                             \
    X(m8n8k16_u8_u8_satfinite, uint32_t, "r", 2, 1, 1, 2, 8, 16,                                   \
      "m8n8k16.row.col.satfinite.s32.u8.u8.s32", "u8 u8 s32 s32")                                  \
    X(m16n8k16_u8_u8_satfinite, uint32_t, "r", 4, 2, 1, 4, 16, 16,                                 \
      "m16n8k16.row.col.satfinite.s32.u8.u8.s32", "u8 u8 s32 s32")                                 \
    X(m16n8k32_u8_u8_satfinite, uint32_t, "r", 4, 4, 2, 4, 16, 32,                                 \
      "m16n8k32.row.col.satfinite.s32.u8.u8.s32", "u8 u8 s32 s32")                                 \
    X(m8n8k32_s4_s4, uint32_t, "r", 2, 1, 1, 2, 8, 32, "m8n8k32.row.col.s32.s4.s4.s32",            \
      "s4 s4 s32 s32")                                                                             \
    X(m16n8k32_s4_s4, uint32_t, "r", 4, 2, 1, 4, 16, 32, "m16n8k32.row.col.s32.s4.s4.s32",         \
      "s4 s4 s32 s32")                                                                             \
    X(m16n8k64_s4_s4, uint32_t, "r", 4, 4, 2, 4, 16, 64, "m16n8k64.row.col.s32.s4.s4.s32",         \
      "s4 s4 s32 s32")                                                                             \
    X(m8n8k32_s4_s4_satfinite, uint32_t, "r", 2, 1, 1, 2, 8, 32,                                   \
      "m8n8k32.row.col.satfinite.s32.s4.s4.s32", "s4 s4 s32 s32")                                  \
    X(m16n8k32_s4_s4_satfinite, uint32_t, "r", 4, 2, 1, 4, 16, 32,                                 \
      "m16n8k32.row.col.satfinite.s32.s4.s4.s32", "s4 s4 s32 s32")                                 \
    X(m16n8k64_s4_s4_satfinite, uint32_t, "r", 4, 4, 2, 4, 16, 64,                                 \
      "m16n8k64.row.col.satfinite.s32.s4.s4.s32", "s4 s4 s32 s32")                                 \
    X(m8n8k32_u4_s4, uint32_t, "r", 2, 1, 1, 2, 8, 32, "m8n8k32.row.col.s32.u4.s4.s32",            \
      "u4 s4 s32 s32")                                                                             \
    X(m16n8k32_u4_s4, uint32_t, "r", 4, 2, 1, 4, 16, 32, "m16n8k32.row.col.s32.u4.s4.s32",         \
      "u4 s4 s32 s32")                                                                             \
    X(m16n8k64_u4_s4, uint32_t, "r", 4, 4, 2, 4, 16, 64, "m16n8k64.row.col.s32.u4.s4.s32",         \
      "u4 s4 s32 s32")                                                                             \
    X(m8n8k32_s4_u4, uint32_t, "r", 2, 1, 1, 2, 8, 32, "m8n8k32.row.col.s32.s4.u4.s32",            \
      "s4 u4 s32 s32")                                                                             \
    X(m16n8k32_s4_u4, uint32_t, "r", 4, 2, 1, 4, 16, 32, "m16n8k32.row.col.s32.s4.u4.s32",         \
      "s4 u4 s32 s32")                                                                             \
    X(m16n8k64_s4_u4, uint32_t, "r", 4, 4, 2, 4, 16, 64, "m16n8k64.row.col.s32.s4.u4.s32",         \
      "s4 u4 s32 s32")                                                                             \
    X(m8n8k32_s4_u4_satfinite, uint32_t, "r", 2, 1, 1, 2, 8, 32,                                   \
      "m8n8k32.row.col.satfinite.s32.s4.u4.s32", "s4 u4 s32 s32")                                  \
    X(m16n8k32_s4_u4_satfinite, uint32_t, "r", 4, 2, 1, 4, 16, 32,                                 \
      "m16n8k32.row.col.satfinite.s32.s4.u4.s32", "s4 u4 s32 s32")                                 \
    X(m16n8k64_s4_u4_satfinite, uint32_t, "r", 4, 4, 2, 4, 16, 64,                                 \
      "m16n8k64.row.col.satfinite.s32.s4.u4.s32", "s4 u4 s32 s32")                                 \
    X(m8n8k32_u4_u4, uint32_t, "r", 2, 1, 1, 2, 8, 32, "m8n8k32.row.col.s32.u4.u4.s32",            \
      "u4 u4 s32 s32")                                                                             \
    X(m16n8k32_u4_u4, uint32_t, "r", 4, 2, 1, 4, 16, 32, "m16n8k32.row.col.s32.u4.u4.s32",         \
      "u4 u4 s32 s32")                                                                             \
    X(m16n8k64_u4_u4, uint32_t, "r", 4, 4, 2, 4, 16, 64, "m16n8k64.row.col.s32.u4.u4.s32",         \
      "u4 u4 s32 s32")                                                                             \
    X(m8n8k128_b1_xor, uint32_t, "r", 2, 1, 1, 2, 8, 128,                                          \
      "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", "b1 b1 s32 s32")                                  \
    X(m16n8k128_b1_xor, uint32_t, "r", 4, 2, 1, 4, 16, 128,                                        \
      "m16n8k128.row.col.s32.b1.b1.s32.xor.popc", "b1 b1 s32 s32")                                 \
    X(m16n8k256_b1_xor, uint32_t, "r", 4, 4, 2, 4, 16, 256,                                        \
      "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", "b1 b1 s32 s32")                                 \
    X(m8n8k128_b1_and, uint32_t, "r", 2, 1, 1, 2, 8, 128,                                          \
      "m8n8k128.row.col.s32.b1.b1.s32.and.popc", "b1 b1 s32 s32")                                  \
    X(m16n8k128_b1_and, uint32_t, "r", 4, 2, 1, 4, 16, 128,                                        \
      "m16n8k128.row.col.s32.b1.b1.s32.and.popc", "b1 b1 s32 s32")                                 \
    X(m16n8k256_b1_and, uint32_t, "r", 4, 4, 2, 4, 16, 256,                                        \
      "m16n8k256.row.col.s32.b1.b1.s32.and.popc", "b1 b1 s32 s32")                                 \
    X(m16n8k32_e4m3_e4m3_f32, uint32_t, "r", 4, 4, 2, 4, 16, 32,                                   \
      "m16n8k32.row.col.f32.e4m3.e4m3.f32", "e4m3 e4m3 f32 f32")                                   \
    X(m16n8k16_e4m3_e4m3_f32, uint32_t, "r", 4, 2, 1, 4, 16, 16,                                   \
      "m16n8k16.row.col.f32.e4m3.e4m3.f32", "e4m3 e4m3 f32 f32")                                   \
    X(m16n8k32_e4m3_e4m3_f16, uint32_t, "r", 2, 4, 2, 2, 16, 32,                                   \
      "m16n8k32.row.col.f16.e4m3.e4m3.f16", "e4m3 e4m3 f16 f16")                                   \
    X(m16n8k16_e4m3_e4m3_f16, uint32_t, "r", 2, 2, 1, 2, 16, 16,                                   \
      "m16n8k16.row.col.f16.e4m3.e4m3.f16", "e4m3 e4m3 f16 f16")                                   \
    X(m16n8k32_e4m3_e5m2_f32, uint32_t, "r", 4, 4, 2, 4, 16, 32,                                   \
      "m16n8k32.row.col.f32.e4m3.e5m2.f32", "e4m3 e5m2 f32 f32")                                   \
    X(m16n8k16_e4m3_e5m2_f32, uint32_t, "r", 4, 2, 1, 4, 16, 16,                                   \
      "m16n8k16.row.col.f32.e4m3.e5m2.f32", "e4m3 e5m2 f32 f32")                                   \
    X(m16n8k32_e4m3_e5m2_f16, uint32_t, "r", 2, 4, 2, 2, 16, 32,                                   \
      "m16n8k32.row.col.f16.e4m3.e5m2.f16", "e4m3 e5m2 f16 f16")                                   \
    X(m16n8k16_e4m3_e5m2_f16, uint32_t, "r", 2, 2, 1, 2, 16, 16,                                   \
      "m16n8k16.row.col.f16.e4m3.e5m2.f16", "e4m3 e5m2 f16 f16")                                   \
    X(m16n8k32_e5m2_e4m3_f32, uint32_t, "r", 4, 4, 2, 4, 16, 32,                                   \
      "m16n8k32.row.col.f32.e5m2.e4m3.f32", "e5m2 e4m3 f32 f32")                                   \
    X(m16n8k16_e5m2_e4m3_f32, uint32_t, "r", 4, 2, 1, 4, 16, 16,                                   \
      "m16n8k16.row.col.f32.e5m2.e4m3.f32", "e5m2 e4m3 f32 f32")                                   \
    X(m16n8k32_e5m2_e4m3_f16, uint32_t, "r", 2, 4, 2, 2, 16, 32,                                   \
      "m16n8k32.row.col.f16.e5m2.e4m3.f16", "e5m2 e4m3 f16 f16")                                   \
    X(m16n8k16_e5m2_e4m3_f16, uint32_t, "r", 2, 2, 1, 2, 16, 16,                                   \
      "m16n8k16.row.col.f16.e5m2.e4m3.f16", "e5m2 e4m3 f16 f16")                                   \
    X(m16n8k32_e5m2_e5m2_f32, uint32_t, "r", 4, 4, 2, 4, 16, 32,                                   \
      "m16n8k32.row.col.f32.e5m2.e5m2.f32", "e5m2 e5m2 f32 f32")                                   \
    X(m16n8k16_e5m2_e5m2_f32, uint32_t, "r", 4, 2, 1, 4, 16, 16,                                   \
      "m16n8k16.row.col.f32.e5m2.e5m2.f32", "e5m2 e5m2 f32 f32")                                   \
    X(m16n8k32_e5m2_e5m2_f16, uint32_t, "r", 2, 4, 2, 2, 16, 32,                                   \
      "m16n8k32.row.col.f16.e5m2.e5m2.f16", "e5m2 e5m2 f16 f16")                                   \
    X(m16n8k16_e5m2_e5m2_f16, uint32_t, "r", 2, 2, 1, 2, 16, 16,                                   \
      "m16n8k16.row.col.f16.e5m2.e5m2.f16", "e5m2 e5m2 f16 f16")

struct Shape {
    const char *name, *types;
    int d, a, b, c; /* registers */
    int m, k, word; /* word: bytes of a register */
    void (*run)(const void *, const void *, const void *, void *, int);
};

#define X(name, word, L, nd, na, nb, nc, m, k, op, types)                                          \
    static __global__ void kernel_##name(const word *in_a, const word *in_b, const word *in_c,     \
                                         word *out) {                                              \
        int lane = blockIdx.x * 32 + threadIdx.x;                                                  \
        word d[nd], a[na], b[nb], c[nc];                                                           \
        for (int i = 0; i < na; i++) a[i] = in_a[lane * na + i];                                   \
        for (int i = 0; i < nb; i++) b[i] = in_b[lane * nb + i];                                   \
        for (int i = 0; i < nc; i++) c[i] = in_c[lane * nc + i];                                   \
        R##nd##na##nb##nc(L, op " ");                                                              \
        for (int i = 0; i < nd; i++) out[lane * nd + i] = d[i];                                    \
    }                                                                                              \
    static void run_##name(const void *a, const void *b, const void *c, void *d, int warps) {      \
        kernel_##name<<<warps, 32>>>((const word *)a, (const word *)b, (const word *)c,            \
                                     (word *)d);                                                   \
    }
CASES(X)
#undef X

static const Shape SHAPES[] = {
#define X(name, word, L, nd, na, nb, nc, m, k, op, types)                                          \
    {#name, types, nd, na, nb, nc, m, k, sizeof(word), run_##name},
    CASES(X)
#undef X
};

/* ---- Running ---- */

typedef std::vector<unsigned char> Bytes;

static std::string typeOf(const Shape &s, int which) { /* 0 a, 1 b, 2 c, 3 d */
    std::string types = s.types;
    for (; which > 0; which--) types = types.substr(types.find(' ') + 1);
    return types.substr(0, types.find(' '));
}

static Bytes multiply(const Shape &s, const Bytes &a, const Bytes &b, const Bytes &c, int warps) {
    size_t n = (size_t)warps * 32 * s.d * s.word;
    unsigned char *d_a = to_device(a), *d_b = to_device(b), *d_c = to_device(c),
                  *d_d = poisoned<unsigned char>(n);
    s.run(d_a, d_b, d_c, d_d, warps);
    FINISH_KERNEL();
    Bytes d = to_host(d_d, n);
    for (unsigned char *p : {d_a, d_b, d_c, d_d}) release(p);
    return d;
}

static void recorded(const Shape &s, bool printing) {
    Bytes in[3];
    const int registers[] = {s.a, s.b, s.c};
    for (int which = 0; which < 3; which++) {
        size_t each = 32u * registers[which] * s.word;
        in[which].resize(TRIALS * each);
        for (int t = 0; t < TRIALS; t++)
            tensorInputs(s.name, typeOf(s, which), (Factor)which, t, &in[which][t * each], each);
    }
    Bytes d = multiply(s, in[0], in[1], in[2], TRIALS);
    asRecorded(printing, s.name, TRIALS, d.data(), d.size());
}

/* ---- Small integers ---- */

static uint64_t bitsOf(const std::string &type, int value) {
    if (type == "f64") {
        double v = value;
        uint64_t bits;
        memcpy(&bits, &v, sizeof bits);
        return bits;
    }
    Format f = formatOf(type);
    if (f.exponent == 0) return (uint64_t)value & ((1ull << f.bits) - 1);
    float v =
        (float)value; /* its upper bits, with another bias: these integers are exact and normal */
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    if (value == 0) return 0;
    uint64_t exponent = (bits >> 23 & 255) - 127 + (1u << (f.exponent - 1)) - 1,
             fraction = bits & 0x7FFFFF;
    return (uint64_t)(bits >> 31) << (f.bits - 1) | exponent << f.fraction |
           fraction >> (23 - f.fraction);
}

static int bitsAt(const Bytes &bytes, size_t element, int bits, uint64_t *value) {
    *value = 0;
    if (bits < 8)
        *value = bytes[element * bits / 8] >> element * bits % 8 & ((1u << bits) - 1);
    else
        memcpy(value, &bytes[element * bits / 8], bits / 8);
    return bits;
}

static void put(Bytes &bytes, size_t element, const std::string &type, int value) {
    int bits = formatOf(type).bits;
    uint64_t v = bitsOf(type, value);
    if (bits < 8)
        bytes[element * bits / 8] |= (unsigned char)(v << element * bits % 8);
    else
        memcpy(&bytes[element * bits / 8], &v, bits / 8);
}

/* Where PTX puts element e of register i of lane 4 g + t: rows and columns of A, B (column, k) and
 * C. */
struct Place {
    int line, along;
};
static Place placeOf(const Shape &s, int which, int lane, int i, int e) {
    int g = lane / 4, t = lane % 4, halves = s.m / 8, bits = formatOf(typeOf(s, which)).bits;
    int n = bits == 64 ? 1 : 32 / bits;
    if (which == 0) return {g + 8 * (i % halves), i / halves * 4 * n + t * n + e};
    if (which == 1) return {g, i * 4 * n + t * n + e};
    return n == 2 ? Place{g + 8 * i, 2 * t + e} : Place{g + 8 * (i / 2), 2 * t + i % 2};
}

static void smallIntegers(const Shape &s) {
    std::vector<int> a(s.m * s.k), b(8 * s.k), c(s.m * 8);
    bool is_signed = typeOf(s, 0)[0] != 'u' && typeOf(s, 0) != "b1",
         b_signed = typeOf(s, 1)[0] != 'u' && is_signed;
    bool bit = typeOf(s, 0) == "b1", by_xor = std::string(s.name).find("xor") != std::string::npos;
    for (size_t i = 0; i < a.size(); i++)
        a[i] = bit ? (int)(mixed(i) & 1) : (int)(mixed(i) % 4) - (is_signed ? 2 : 0);
    for (size_t i = 0; i < b.size(); i++)
        b[i] = bit ? (int)(mixed(~i) & 1) : (int)(mixed(~i) % 4) - (b_signed ? 2 : 0);
    for (size_t i = 0; i < c.size(); i++) c[i] = (int)(mixed(i * i) % 9) - 4;
    const int registers[] = {s.a, s.b, s.c};
    const std::vector<int> *values[] = {&a, &b, &c};
    Bytes in[3];
    for (int which = 0; which < 3; which++) {
        int bits = formatOf(typeOf(s, which)).bits, n = s.word * 8 / bits;
        in[which].assign(32u * registers[which] * s.word, 0);
        for (int lane = 0; lane < 32; lane++)
            for (int i = 0; i < registers[which] * n; i++) {
                Place p = placeOf(s, which, lane, i / n, i % n);
                int width = which == 2 ? 8 : s.k;
                put(in[which], lane * registers[which] * n + i, typeOf(s, which),
                    (*values[which])[p.line * width + p.along]);
            }
    }
    Bytes d = multiply(s, in[0], in[1], in[2], 1);
    std::string type = typeOf(s, 3);
    int bits = formatOf(type).bits, n = s.word * 8 / bits;
    for (int lane = 0; lane < 32; lane++)
        for (int i = 0; i < s.d * n; i++) {
            Place p = placeOf(s, 3, lane, i / n, i % n);
            int want = c[p.line * 8 + p.along];
            for (int k = 0; k < s.k; k++) {
                int x = a[p.line * s.k + k], y = b[p.along * s.k + k];
                want += bit && by_xor ? x ^ y : x * y;
            }
            uint64_t got;
            bitsAt(d, lane * s.d * n + i, bits, &got);
            same(s.name, lane * s.d * n + i, got, bitsOf(type, want));
        }
}

int main(int argc, char **argv) {
    bool printing = argc > 1 && !strcmp(argv[1], "record");
    for (const Shape &s : SHAPES) {
        if (!printing && strncmp(s.name, "m8n8k4_f16", 10) != 0) smallIntegers(s);
        recorded(s, printing);
    }
    return printing ? 0 : finish();
}
