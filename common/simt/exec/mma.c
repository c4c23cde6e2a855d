/*
 * exec/mma.c: D = A B + C by the fragments of a warp (machine/mma.h). All lanes take part. The fragments are gathered
 * into matrices, and each element of D is computed by itself: integers and bits as they are defined, doubles by fma
 * from k = 0 on, other floats as tensor cores add them up (exec/fused.h).
 */
#include "fused.h"
#include "lane.h"
#include "rounding.h"

#define MAX_RESULTS 256 /* elements of D: 16 rows of 8 columns, or 4 matrices of 8 rows and 8 columns */

/* ---- Fragments ---- */

static inline uint64_t register_of(const struct warp *w, const struct mma_fragment *f, int i, int lane) {
    const void *values = row(w, f->refs[i]);
    return f->type == PTX_F64 ? ((const uint64_t *)values)[lane] : ((const uint32_t *)values)[lane];
}

#define EACH_REGISTER(f)                                                                                               \
    for (int i = 0; i < (f)->n; i++)                                                                                   \
        for (int lane = 0; lane < WARP_SIZE; lane++)

/* Elements of less than 64 bits, as their bits. bits: of an element, 4 to 32. */
static void gather(const struct warp *w, const struct mma_fragment *f, unsigned bits, uint32_t *elements) {
    uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    EACH_REGISTER(f) {
        uint32_t value = (uint32_t)register_of(w, f, i, lane);
        for (unsigned s = 0; s < 32 / bits; s++) elements[f->first[i][lane] + s * f->step] = value >> s * bits & mask;
    }
}

static void gather_doubles(const struct warp *w, const struct mma_fragment *f, double *elements) {
    EACH_REGISTER(f) elements[f->first[i][lane]] = float64(register_of(w, f, i, lane));
}

/* Write D: one element, or two f16, to a register. */
static void scatter(const struct warp *w, const struct mma_fragment *f, const uint32_t *elements) {
    EACH_REGISTER(f) {
        uint32_t first = f->first[i][lane], value = elements[first];
        if (f->type == PTX_F16) value |= elements[first + f->step] << 16;
        ((uint32_t *)row(w, f->refs[i]))[lane] = value;
    }
}

/* ---- Integers ---- */

static inline int32_t integer_of(uint8_t type, uint32_t bits) {
    switch ((enum ptx_type)type) {
    case PTX_S8: return (int8_t)bits;
    case PTX_S4: return (int32_t)(bits << 28) >> 28;
    default: return (int32_t)bits;
    }
}

static void gather_integers(const struct warp *w, const struct mma_fragment *f, int32_t *elements) {
    uint32_t raw[MMA_MAX_ELEMENTS];
    unsigned bits = ptx_element_bits(f->type);
    gather(w, f, bits, raw);
    for (int i = 0; i < f->n * WARP_SIZE * 32 / (int)bits; i++) elements[i] = integer_of(f->type, raw[i]);
}

/* A sum of s32 wraps; with .satfinite it ends at the largest or smallest. */
static inline uint32_t integer_result(int64_t sum, bool saturates) {
    if (saturates && sum > INT32_MAX) return INT32_MAX;
    if (saturates && sum < INT32_MIN) return (uint32_t)INT32_MIN;
    return (uint32_t)sum;
}

static void multiply_integers(const struct warp *w, const struct mma *m, const uint32_t *c, uint32_t *d) {
    int32_t a[MMA_MAX_ELEMENTS], b[MMA_MAX_ELEMENTS];
    gather_integers(w, &m->fragments[PTX_FRAGMENT_A], a);
    gather_integers(w, &m->fragments[PTX_FRAGMENT_B], b);
    for (int i = 0; i < m->dims.m; i++)
        for (int j = 0; j < m->dims.n; j++) {
            const int32_t *x = a + i * m->dims.k, *y = b + j * m->dims.k;
            int32_t products = 0; /* 64 of 16 bits at most */
            for (int k = 0; k < m->dims.k; k++) products += x[k] * y[k];
            int at = i * m->dims.n + j;
            d[at] = integer_result((int64_t)(int32_t)c[at] + products, m->satfinite);
        }
}

/* Words of 32 bits, as the fragments have them: their first elements are multiples of 32. */
static void gather_bits(const struct warp *w, const struct mma_fragment *f, uint32_t *words) {
    EACH_REGISTER(f) words[f->first[i][lane] / 32] = (uint32_t)register_of(w, f, i, lane);
}

static void multiply_bits(const struct warp *w, const struct mma *m, const uint32_t *c, uint32_t *d) {
    uint32_t a[MMA_MAX_REGISTERS * WARP_SIZE], b[MMA_MAX_REGISTERS * WARP_SIZE];
    int words = m->dims.k / 32;
    gather_bits(w, &m->fragments[PTX_FRAGMENT_A], a);
    gather_bits(w, &m->fragments[PTX_FRAGMENT_B], b);
    for (int i = 0; i < m->dims.m; i++)
        for (int j = 0; j < m->dims.n; j++) {
            const uint32_t *x = a + i * words, *y = b + j * words;
            uint32_t count = 0;
            for (int k = 0; k < words; k++)
                count += (uint32_t)__builtin_popcount(m->boolop == PTX_BOOL_XOR ? x[k] ^ y[k] : x[k] & y[k]);
            d[i * m->dims.n + j] = c[i * m->dims.n + j] + count;
        }
}

/* ---- Doubles ---- */

/* fma. Of several NaN the tensor cores give b's, then the sum's, then a's. */
static inline double fma_tensor(double a, double b, double sum) {
    double result = fma(a, b, sum);
    if (result == result) return result;
    return b != b ? b + b : sum != sum ? sum + sum : a != a ? a + a : result;
}

static void multiply_doubles(const struct warp *w, const struct mma *m) {
    double a[MMA_MAX_REGISTERS * WARP_SIZE], b[MMA_MAX_REGISTERS * WARP_SIZE], c[MMA_MAX_REGISTERS * WARP_SIZE];
    gather_doubles(w, &m->fragments[PTX_FRAGMENT_A], a);
    gather_doubles(w, &m->fragments[PTX_FRAGMENT_B], b);
    gather_doubles(w, &m->fragments[PTX_FRAGMENT_C], c);
    unsigned before = rounding_begin(m->round);
    for (int i = 0; i < m->dims.m; i++)
        for (int j = 0; j < m->dims.n; j++) {
            const double *x = a + i * m->dims.k, *y = b + j * m->dims.k;
            volatile double sum = c[i * m->dims.n + j];
            for (int k = 0; k < m->dims.k; k++) sum = fma_tensor(x[k], y[k], sum);
            c[i * m->dims.n + j] = sum;
        }
    rounding_end(before);
    const struct mma_fragment *f = &m->fragments[PTX_FRAGMENT_D];
    EACH_REGISTER(f)((double *)row(w, f->refs[i]))[lane] = c[f->first[i][lane]];
}

/* ---- Other floats ---- */

static void gather_factors(const struct warp *w, const struct mma *m, enum ptx_fragment fragment,
                           struct factors *factors) {
    const struct mma_fragment *f = &m->fragments[fragment];
    unsigned bits = ptx_element_bits(f->type);
    uint32_t raw[MMA_MAX_ELEMENTS];
    gather(w, f, bits, raw);
    bool as_half = m->sum.emulated == MMA_BY_HALVES;
    struct format format = format_of(as_half ? PTX_F16 : f->type);
    factors->has_special = false;
    for (int i = 0; i < f->n * WARP_SIZE * 32 / (int)bits; i++) {
        uint32_t element = f->type == PTX_TF32 ? raw[i] >> 13
                           : as_half           ? half_from_byte((uint8_t)raw[i], f->type == PTX_E4M3)
                                               : raw[i];
        struct term t = term_of(element, format, FACTOR_BITS);
        factors->significand[i] = t.significand;
        factors->exponent[i] = t.exponent;
        factors->special[i] = t.special;
        factors->has_special |= t.special != FINITE;
    }
}

/* ptxas converts the lower halves of all registers for the first multiplication, the upper halves for the second. */
static void order_halves(const struct mma *m, int rows, struct factors *f) {
    struct factors from = *f;
    int k = m->dims.k;
    for (int i = 0; i < rows; i++)
        for (int x = 0; x < k; x++) {
            int to = x / 4 * 2 + x % 2 + (x % 4 >= 2 ? k / 2 : 0);
            f->significand[i * k + to] = from.significand[i * k + x];
            f->exponent[i * k + to] = from.exponent[i * k + x];
            f->special[i * k + to] = from.special[i * k + x];
        }
}

static inline float add_floats(uint32_t a, uint32_t b) {
    return canonical32(float32(a) + float32(b));
}

static void multiply_floats(const struct warp *w, const struct mma *m, const uint32_t *c, uint32_t *d) {
    struct factors a, b;
    gather_factors(w, m, PTX_FRAGMENT_A, &a);
    gather_factors(w, m, PTX_FRAGMENT_B, &b);
    if (m->sum.emulated == MMA_BY_HALVES) {
        order_halves(m, m->dims.m, &a);
        order_halves(m, m->dims.n, &b);
    }
    uint8_t type = m->fragments[PTX_FRAGMENT_D].type;
    size_t k = m->dims.k;
    for (size_t i = 0; i < m->dims.m; i++)
        for (size_t j = 0; j < m->dims.n; j++) {
            size_t at = i * m->dims.n + j;
            uint32_t start = m->sum.emulated == MMA_BY_HALVES ? 0 : c[at];
            uint32_t sum = fused_dot(&a, &b, i * k, j * k, (int)k, start, type, &m->sum);
            if (m->sum.emulated != MMA_BY_HALVES)
                d[at] = sum;
            else if (type == PTX_F16)
                d[at] = half_from_float(half_to_float((uint16_t)sum) + half_to_float((uint16_t)c[at]));
            else
                d[at] = bits32(add_floats(sum, c[at]));
        }
}

static inline float two_products(const float *a, const float *b) {
    return fmaf(a[1], b[1], a[0] * b[0]);
}

/* One element of m8n8k4 of f16 from Turing on: ptxas uses single precision, in another order where all sums are f16. */
static float quarter_sum(const float *a, const float *b, float c, bool all_half) {
    if (all_half) return c + two_products(a, b) + two_products(a + 2, b + 2);
    float sum = 0;
    for (int k = 0; k < 4; k++) sum = fmaf(a[k], b[k], sum);
    return sum + c;
}

static void multiply_quarters(const struct warp *w, const struct mma *m, const uint32_t *c, uint32_t *d) {
    uint32_t raw_a[MMA_MAX_ELEMENTS], raw_b[MMA_MAX_ELEMENTS];
    float a[MMA_MAX_ELEMENTS], b[MMA_MAX_ELEMENTS];
    gather(w, &m->fragments[PTX_FRAGMENT_A], 16, raw_a);
    gather(w, &m->fragments[PTX_FRAGMENT_B], 16, raw_b);
    int n = m->matrices * m->dims.m * m->dims.k, results = m->matrices * m->dims.m * m->dims.n;
    for (int i = 0; i < n; i++) a[i] = half_to_float((uint16_t)raw_a[i]), b[i] = half_to_float((uint16_t)raw_b[i]);
    bool from_half = m->fragments[PTX_FRAGMENT_C].type == PTX_F16,
         to_half = m->fragments[PTX_FRAGMENT_D].type == PTX_F16;
    for (int at = 0; at < results; at++) {
        const float *x = a + at / 8 * 4, *y = b + (at / 64 * 8 + at % 8) * 4;
        float start = from_half ? half_to_float((uint16_t)c[at]) : float32(c[at]);
        float sum = canonical32(quarter_sum(x, y, start, from_half && to_half));
        d[at] = to_half ? half_from_float(sum) : bits32(sum);
    }
}

/* ---- The operation ---- */

static void multiply(const struct warp *w, const struct mma *m) {
    uint32_t c[MAX_RESULTS], d[MAX_RESULTS];
    const struct mma_fragment *sums = &m->fragments[PTX_FRAGMENT_C];
    gather(w, sums, ptx_element_bits(sums->type), c);
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
    scatter(w, &m->fragments[PTX_FRAGMENT_D], d);
}

HANDLER(mma) {
    uint32_t lanes = guard(w, op);
    if (!lanes) return NEXT;
    if (lanes != FULL_MASK)
        return fault_raise(w, op, SIM_ERROR_LAUNCH, first_lane(lanes),
                           "mma needs all 32 threads of a warp, and %d are here", __builtin_popcount(lanes));
    if (op->mma->fragments[PTX_FRAGMENT_A].type == PTX_F64)
        multiply_doubles(w, op->mma);
    else
        multiply(w, op->mma);
    return NEXT;
}

void EXEC(mma_names)(struct handlers *handlers) {
    handlers->mma = mma;
}
