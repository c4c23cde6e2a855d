/*
 * exec/mma.c: D = A B + C by the fragments of a warp (machine/mma.h). All lanes
 * take part. The fragments are gathered into matrices, and each column of D is computed by itself:
 * integers and bits as they are defined, doubles by fma from k = 0 on, other floats as tensor cores
 * add them up (exec/fused.h).
 */
#include "fused.h"
#include "rounding.h"
#include "simt/access/lane.h"

#define MAX_RESULTS (4 * 8 * MMA_ROWS) /* elements of D: 4 matrices of 8 columns */

/* ---- Fragments ---- */

#define EACH_REGISTER(f)                                                                           \
    for (int i = 0; i < (f)->n; i++)                                                               \
        for (int lane = 0; lane < WARP_SIZE; lane++)

/* bits is a constant where this is called: the compiler then writes the inner loop out. */
static inline __attribute__((always_inline)) void
gather_of(const struct warp *w, const struct mma_fragment *f, unsigned bits, uint32_t *elements) {
    const uint32_t mask = bits == 32 ? ~0u : (1u << bits % 32) - 1;
    for (int i = 0; i < f->n; i++) {
        const uint32_t *values = row(w, f->refs[i]);
        EACH_LANE
            for (unsigned s = 0; s < 32 / bits; s++)
                elements[f->first[i][l] + s * f->step] = values[l] >> s * bits & mask;
    }
}

/* Elements of less than 64 bits, as their bits; 32 single bits are one. */
static void gather(const struct warp *w, const struct mma_fragment *f, uint32_t *elements) {
    switch (ptx_element_bits(f->type)) {
    case 4: gather_of(w, f, 4, elements); break;
    case 8: gather_of(w, f, 8, elements); break;
    case 16: gather_of(w, f, 16, elements); break;
    default: gather_of(w, f, 32, elements);
    }
}

static void gather_doubles(const struct warp *w, const struct mma_fragment *f, double *elements) {
    EACH_REGISTER(f) elements[f->first[i][lane]] = ((const double *)row(w, f->refs[i]))[lane];
}

/* Write D: one element, or two f16, to a register. */
static void mma_scatter(const struct warp *w, const struct mma_fragment *f,
                        const uint32_t *elements) {
    EACH_REGISTER(f) {
        uint32_t first = f->first[i][lane], value = elements[first];
        if (f->type == PTX_F16) value |= elements[first + f->step] << 16;
        ((uint32_t *)row(w, f->refs[i]))[lane] = value;
    }
}

/* ---- Integers ---- */

/* n: elements of the matrix. */
static void gather_integers(const struct warp *w, const struct mma_fragment *f, int n,
                            int32_t *elements) {
    uint32_t raw[MMA_MAX_ELEMENTS] = {0};
    unsigned above = f->type == PTX_S8 || f->type == PTX_S4 ? 32 - ptx_element_bits(f->type) : 0;
    gather(w, f, raw);
    for (int i = 0; i < n; i++) elements[i] = (int32_t)(raw[i] << above) >> above;
}

/* A sum of s32 wraps; with .satfinite it ends at the largest or smallest. */
static inline uint32_t integer_result(int64_t sum, bool saturates) {
    if (saturates && sum > INT32_MAX) return INT32_MAX;
    if (saturates && sum < INT32_MIN) return (uint32_t)INT32_MIN;
    return (uint32_t)sum;
}

static void multiply_integers(const struct warp *w, const struct mma *m, const uint32_t *c,
                              uint32_t *d) {
    int32_t a[MMA_MAX_ELEMENTS], b[MMA_MAX_ELEMENTS];
    gather_integers(w, &m->fragments[PTX_FRAGMENT_A], m->dims.k * MMA_ROWS, a);
    gather_integers(w, &m->fragments[PTX_FRAGMENT_B], m->dims.k * m->dims.n, b);
    for (int j = 0; j < m->dims.n; j++) {
        int32_t products[MMA_ROWS] = {0}; /* each has 64 of 16 bits at most */
        for (int k = 0; k < m->dims.k; k++)
            EACH_ROW products[i] += a[k * MMA_ROWS + i] * b[j * m->dims.k + k];
        const int32_t *start = (const int32_t *)c + j * MMA_ROWS;
        EACH_ROW d[j * MMA_ROWS + i] =
            integer_result((int64_t)start[i] + products[i], m->satfinite);
    }
}

static void multiply_bits(const struct warp *w, const struct mma *m, const uint32_t *c,
                          uint32_t *d) {
    uint32_t a[MMA_MAX_ELEMENTS], b[MMA_MAX_ELEMENTS];
    int words = m->dims.k / 32;
    gather(w, &m->fragments[PTX_FRAGMENT_A], a);
    gather(w, &m->fragments[PTX_FRAGMENT_B], b);
    for (int j = 0; j < m->dims.n; j++) EACH_ROW {
            uint32_t count = 0;
            for (int k = 0; k < words; k++) {
                uint32_t x = a[k * MMA_ROWS + i], y = b[j * words + k];
                count += (uint32_t)__builtin_popcount(m->boolop == PTX_BOOL_XOR ? x ^ y : x & y);
            }
            d[j * MMA_ROWS + i] = c[j * MMA_ROWS + i] + count;
        }
}

/* ---- Doubles ---- */

/* fma. Of several NaN the tensor cores give b's, then the sum's, then a's. */
static inline double fma_tensor(double a, double b, double sum) {
    double result = fma(a, b, sum);
    if (result == result) return result;
    return b != b ? b + b : sum != sum ? sum + sum : a != a ? a + a : result;
}

/* A column of D: the rows' sums over k. Where one is NaN, once more by the rule for NaN. */
static inline void multiply_column(const double *a, const double *b, int n, double *sums) {
    double start[MMA_ROWS];
    int is_nan = 0;
    memcpy(start, sums, sizeof start);
    for (int k = 0; k < n; k++) EACH_ROW sums[i] = fma(a[k * MMA_ROWS + i], b[k], sums[i]);
    EACH_ROW is_nan |= sums[i] != sums[i];
    if (!is_nan) return;
    memcpy(sums, start, sizeof start);
    for (int k = 0; k < n; k++) EACH_ROW sums[i] = fma_tensor(a[k * MMA_ROWS + i], b[k], sums[i]);
}

static void multiply_doubles(const struct warp *w, const struct mma *m) {
    double a[16 * MMA_ROWS] = {0}, b[16 * 8], c[8 * MMA_ROWS] = {0};
    gather_doubles(w, &m->fragments[PTX_FRAGMENT_A], a);
    gather_doubles(w, &m->fragments[PTX_FRAGMENT_B], b);
    gather_doubles(w, &m->fragments[PTX_FRAGMENT_C], c);
    unsigned before = rounding_begin(m->round);
    for (int j = 0; j < m->dims.n; j++)
        multiply_column(a, b + j * m->dims.k, m->dims.k, c + j * MMA_ROWS);
    rounding_end(before);
    const struct mma_fragment *f = &m->fragments[PTX_FRAGMENT_D];
    EACH_REGISTER(f)((double *)row(w, f->refs[i]))[lane] = c[f->first[i][lane]];
}

/* ---- Other floats ---- */

/* ptxas converts the lower halves of all registers for the first multiplication, the upper halves
 * for the second. elements: columns with length of k each where step is 1, or rows of k columns. */
static void order_halves(int k, int step, int n, uint32_t *elements) {
    uint32_t from[MMA_MAX_ELEMENTS];
    memcpy(from, elements, (size_t)(k * n) * sizeof *from);
    for (int x = 0; x < k; x++) {
        int to = x / 4 * 2 + x % 2 + (x % 4 >= 2 ? k / 2 : 0);
        for (int i = 0; i < n; i++) {
            int line = step == 1 ? i * k : i;
            elements[line + to * step] = from[line + x * step];
        }
    }
}

/* n: elements. raw: takes their bits. */
static void gather_factors(const struct warp *w, const struct mma *m, enum ptx_fragment fragment,
                           int n, uint32_t *raw, struct factors *factors) {
    const struct mma_fragment *f = &m->fragments[fragment];
    bool is_b = fragment == PTX_FRAGMENT_B;
    uint8_t type = m->sum.emulated == MMA_BY_HALVES ? PTX_F16 : f->type;
    if (m->dims.m < MMA_ROWS) memset(raw, 0, (size_t)n * sizeof *raw);
    gather(w, f, raw);
    if (type == PTX_TF32)
        for (int i = 0; i < n; i++) raw[i] >>= 13;
    if (type != f->type) {
        for (int i = 0; i < n; i++) raw[i] = half_from_byte((uint8_t)raw[i], f->type == PTX_E4M3);
        order_halves(m->dims.k, is_b ? 1 : MMA_ROWS, is_b ? m->dims.n : MMA_ROWS, raw);
    }
    factors->raw = raw;
    factors->format = float_format_of(type);
    factors->has_special =
        take_apart(raw, n, factors->format, factors->significand, factors->exponent);
}

/* Add C to a column of D, in its type. */
static void add_column(const uint32_t *c, uint32_t *d, uint8_t type) {
    EACH_ROW d[i] =
        type == PTX_F16
            ? half_from_float(half_to_float((uint16_t)d[i]) + half_to_float((uint16_t)c[i]))
            : bits32(canonical32(float32(d[i]) + float32(c[i])));
}

/* A column of D: the sums of a block of products each. dot: what to multiply first. */
static void multiply_column_of_floats(const struct mma *m, struct dot *dot, const uint32_t *c,
                                      uint32_t *d) {
    uint8_t from = m->fragments[PTX_FRAGMENT_C].type, type = m->fragments[PTX_FRAGMENT_D].type;
    uint32_t start[MMA_ROWS] = {0};
    bool by_halves = m->sum.emulated == MMA_BY_HALVES;
    if (!by_halves) memcpy(start, c, sizeof start);
    for (int k = 0; k < m->dims.k; k += dot->n) {
        dot->n = m->dims.k - k < m->sum.block ? m->dims.k - k : m->sum.block;
        fused_column(dot, start, k || by_halves ? type : from, d, type, &m->sum);
        memcpy(start, d, sizeof start);
        dot->at_a += (size_t)(dot->n * MMA_ROWS);
        dot->at_b += (size_t)dot->n;
    }
    if (by_halves) add_column(c, d, type);
}

static void multiply_floats(const struct warp *w, const struct mma *m, const uint32_t *c,
                            uint32_t *d) {
    uint32_t raw_a[MMA_MAX_ELEMENTS], raw_b[MMA_MAX_ELEMENTS];
    struct factors a, b;
    int k = m->dims.k, n = m->dims.n * m->matrices;
    gather_factors(w, m, PTX_FRAGMENT_A, m->matrices * k * MMA_ROWS, raw_a, &a);
    gather_factors(w, m, PTX_FRAGMENT_B, n * k, raw_b, &b);
    for (int j = 0; j < n; j++) {
        struct dot dot = {&a, &b, (size_t)(j / m->dims.n * k * MMA_ROWS), (size_t)(j * k), 0};
        multiply_column_of_floats(m, &dot, c + j * MMA_ROWS, d + j * MMA_ROWS);
    }
}

static inline float two_products(const float *a, const float *b) {
    return fmaf(a[1], b[1], a[0] * b[0]);
}

/* One element of m8n8k4 of f16 from Turing on: ptxas uses single precision, in another order where
 * all sums are f16. */
static float quarter_sum(const float *a, const float *b, float c, bool all_half) {
    if (all_half) return c + two_products(a, b) + two_products(a + 2, b + 2);
    float sum = 0;
    for (int k = 0; k < 4; k++) sum = fmaf(a[k], b[k], sum);
    return sum + c;
}

static void multiply_quarters(const struct warp *w, const struct mma *m, const uint32_t *c,
                              uint32_t *d) {
    uint32_t raw_a[4 * 4 * MMA_ROWS], raw_b[4 * 8 * 4];
    gather(w, &m->fragments[PTX_FRAGMENT_A], raw_a);
    gather(w, &m->fragments[PTX_FRAGMENT_B], raw_b);
    bool from_half = m->fragments[PTX_FRAGMENT_C].type == PTX_F16,
         to_half = m->fragments[PTX_FRAGMENT_D].type == PTX_F16;
    for (int j = 0; j < m->matrices * m->dims.n; j++)
        for (int i = 0; i < m->dims.m; i++) {
            int at = j * MMA_ROWS + i;
            float a[4], b[4], start = from_half ? half_to_float((uint16_t)c[at]) : float32(c[at]);
            for (int k = 0; k < 4; k++) {
                a[k] = half_to_float((uint16_t)raw_a[(j / 8 * 4 + k) * MMA_ROWS + i]);
                b[k] = half_to_float((uint16_t)raw_b[j * 4 + k]);
            }
            float sum = canonical32(quarter_sum(a, b, start, from_half && to_half));
            d[at] = to_half ? half_from_float(sum) : bits32(sum);
        }
}

/* ---- The operation ---- */

static void multiply(const struct warp *w, const struct mma *m) {
    uint32_t c[MAX_RESULTS], d[MAX_RESULTS];
    if (m->dims.m < MMA_ROWS) memset(c, 0, sizeof c);
    gather(w, &m->fragments[PTX_FRAGMENT_C], c);
    switch ((enum ptx_type)m->fragments[PTX_FRAGMENT_A].type) {
    case PTX_B1: multiply_bits(w, m, c, d); break;
    case PTX_S4:
    case PTX_U4:
    case PTX_S8:
    case PTX_U8: multiply_integers(w, m, c, d); break;
    default:
        if (m->sum.emulated == MMA_BY_FMA)
            multiply_quarters(w, m, c, d);
        else
            multiply_floats(w, m, c, d);
    }
    mma_scatter(w, &m->fragments[PTX_FRAGMENT_D], d);
}

HANDLER(mma) {
    uint32_t lanes = guard(w, op);
    if (!lanes) return NEXT;
    if (lanes != FULL_MASK)
        return fault_raise(w, op, SIM_ERROR_LAUNCH, first_lane(lanes),
                           "mma needs all 32 threads of a warp, and %d are here",
                           __builtin_popcount(lanes));
    if (op->mma->fragments[PTX_FRAGMENT_A].type == PTX_F64)
        multiply_doubles(w, op->mma);
    else
        multiply(w, op->mma);
    return NEXT;
}

void EXEC(mma_names)(struct handlers *handlers) {
    handlers->mma = mma;
}
