/*
 * random/kernels.c: writes a CUDA program of random kernels, to try the time model on kernels that
 * nobody wrote for it.
 *
 *   random-kernels FIRST COUNT           the program, with a kernel for each seed from FIRST on
 *   random-kernels --list FIRST COUNT    seed, kernel, grid, block and a hash of its text, as CSV
 *
 * A seed decides all of its kernel: the family is the seed modulo their number, the rest comes from
 * a generator of numbers that begins with the seed. What a kernel does is a fragment of text, which
 * changes the int v; the same frame is around each:
 *
 *   __global__ void family_seed(in, out, index, mask, trips) { int v = in[i & mask]; ... out[i] =
 * v; }
 *
 * The program runs each kernel once. `program N` runs it N times more after a kernel that reads so
 * much that the caches hold nothing else, and N times more right after itself. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/memory.h"
#include "lib/printed.h"
#include "lib/sha256.h"

enum {
    LEAST_WORDS = 12, /* log2 of the ints that a kernel loads from: 16 KB */
    MOST_WORDS = 24,  /* 64 MB, the size of in, out and index */
    MOST_THREADS = 1 << 21,
    MOST_WORK = 1 << 25, /* rounds of all threads together */
    MOST_GRID = 13,      /* log2 */
    WARP = 32
};

struct kernel {
    uint64_t state;
    unsigned seed, grid, block, trips, words, names; /* words: log2 */
    bool is_literal;                                 /* the compiler knows the number of rounds */
    const char *restricted, *stores;                 /* of the pointers; when out[i] is stored */
    FILE *functions, *body;
};

/* ---- Chance ---- */

/* splitmix64 */
static uint64_t next(struct kernel *k) {
    uint64_t z = k->state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static unsigned pick(struct kernel *k, unsigned n) {
    return (unsigned)(next(k) % n);
}

/* From 1 to most; as often below the root of most as above it. */
static unsigned pick_scale(struct kernel *k, unsigned most) {
    unsigned bits = 0;
    while (most >> (bits + 1)) bits++;
    unsigned size = 1u << pick(k, bits + 1), found = size + pick(k, size);
    return found < most ? found : most;
}

#define ONE_OF(k, ...)                                                                             \
    one_of((k), (const char *const[]){__VA_ARGS__},                                                \
           sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))
static const char *one_of(struct kernel *k, const char *const *texts, size_t n) {
    return texts[pick(k, (unsigned)n)];
}

/* ---- Text ---- */

/* Writes text: @ is the variable, # a number from 1 to 15, ~ the number of this fragment. */
static void expand(struct kernel *k, FILE *out, const char *text, const char *variable) {
    for (; *text; text++) switch (*text) {
        case '@': fputs(variable, out); break;
        case '#': fprintf(out, "%u", 1 + pick(k, 15)); break;
        case '~': fprintf(out, "%u", k->names); break;
        default: fputc(*text, out);
        }
}

static void put(struct kernel *k, const char *text) {
    expand(k, k->body, text, "v");
}

static void __attribute__((format(printf, 2, 3))) say(struct kernel *k, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(k->body, format, arguments);
    va_end(arguments);
}

static const char *int_step(struct kernel *k) {
    return ONE_OF(k, "@ = @ * 3 + (@ >> 3);", "@ = @ * # + k;", "@ ^= @ << 5;", "@ += @ >> #;",
                  "@ = max(@, k) + #;", "@ = (@ & 255) * # - k;", "@ = __popc(@) + (@ ^ #);",
                  "@ = min(@ - #, 100000 + k);", "@ = @ % # + (k << 3) + #;",
                  "@ = __funnelshift_l(@, @ + k, #);", "@ = @ * @ + #;",
                  "@ = @ > # ? @ - # : # - @;");
}

static const char *float_step(struct kernel *k) {
    return ONE_OF(k, "@ = @ * 1.0001f + 0.#f;", "@ = @ * @ - 0.#f;", "@ = @ * 0.99f - 0.0#f * @;",
                  "@ = fmaxf(@, 0.#f) * 0.9f;", "@ = @ + 1.#f;", "@ = fabsf(@ - #.0f) + 0.5f * @;",
                  "@ = fminf(@ * 1.#f, 100.0f);");
}

/* A loop of the kernel's rounds; its statement comes next. */
static void loop(struct kernel *k) {
    say(k, "%s    for (int k = 0; k < ",
        ONE_OF(k, "", "", "", "", "#pragma unroll 1\n", "#pragma unroll 4\n"));
    say(k, k->is_literal ? "%u" : "trips", k->trips);
    say(k, "; k++) ");
}

/* Rounds of the kernel: at most so many, fewer where there are many threads. */
static void limit_trips(struct kernel *k, unsigned most) {
    if (k->trips) return; /* a fragment before has decided */
    unsigned work = MOST_WORK / (k->grid * k->block), limit = work < most ? work : most;
    unsigned one = pick_scale(k, limit ? limit : 1), other = pick_scale(k, limit ? limit : 1);
    k->trips = one > other ? one : other;
}

static const char *condition(struct kernel *k) {
    return ONE_OF(k, "(threadIdx.x & 1)", "(threadIdx.x & 31) < #", "(threadIdx.x >> 5 & 1)",
                  "(i / 64 % 3 == 0)", "(in[(i + #) & mask] & 1)", "(v & #)", "(v % 7 < #)",
                  "(blockIdx.x & 1)", "(v + k) % 16 == 0", "(i & #) != 0");
}

/* ---- Families: each writes a fragment ---- */

/* One to four chains of results that depend on the one before. */
static void arithmetic(struct kernel *k) {
    unsigned chains = 1 + pick(k, 4), steps = 1 + pick(k, 3);
    const char *type = ONE_OF(k, "int", "int", "unsigned", "float", "float", "double");
    bool real = *type == 'f' || *type == 'd';
    limit_trips(k, 400);
    for (unsigned c = 0; c < chains; c++) say(k, "    %s c%u = v + %u;\n", type, c, c);
    loop(k);
    say(k, "{\n");
    for (unsigned s = 0; s < steps; s++) {
        const char *step = real ? float_step(k) : int_step(k);
        for (unsigned c = 0; c < chains; c++) {
            char variable[8];
            snprintf(variable, sizeof variable, "c%u", c);
            say(k, "        ");
            expand(k, k->body, step, variable);
            say(k, "\n");
        }
    }
    say(k, "    }\n");
    for (unsigned c = 0; c < chains; c++) say(k, "    v += (int)c%u;\n", c);
}

static void branch_body(struct kernel *k) {
    static const char inner[] = "for (int j = 0; j < # + #; j++) { ";
    bool loops = pick(k, 3) == 0;
    put(k, loops ? inner : "");
    for (unsigned s = 1 + pick(k, 4); s > 0; s--) put(k, int_step(k));
    if (pick(k, 3) == 0) put(k, " v += in[(v + i) & mask];");
    put(k, loops ? " }" : "");
}

/* Branches by lane, by warp, by data. */
static void branch(struct kernel *k) {
    limit_trips(k, 60);
    loop(k);
    put(k, "{\n        if (");
    put(k, condition(k));
    put(k, ") { ");
    branch_body(k);
    if (pick(k, 2)) {
        put(k, " }\n        else { ");
        branch_body(k);
    }
    if (pick(k, 3) == 0) {
        put(k, " }\n        if (");
        put(k, condition(k));
        put(k, ") { ");
        branch_body(k);
    }
    put(k, " }\n    }\n");
}

/* A loop whose number of rounds each lane has for itself. */
static void lane_trips(struct kernel *k) {
    const char *limit =
        ONE_OF(k, "(i & 31)", "(threadIdx.x & 7) * #", "(in[i & mask] & 63)", "(i % 17)",
               "((i >> 5 & 7) * #)", "(i / blockDim.x % 5 * #)", "(in[i >> 5 & mask] & 63)");
    limit_trips(k, 30);
    if (pick(k, 4) == 0) {
        put(k, "    v = v & 0xffff;\n    for (int k = 0; v > 1 && k < # + 20; k++) "
               "v = v & 1 ? 3 * v + 1 : v >> 1;\n");
        return;
    }
    say(k, "%s", ONE_OF(k, "", "", "#pragma unroll 1\n"));
    put(k, "    for (int k = 0; k < ");
    put(k, limit);
    put(k, "; k++) { ");
    for (unsigned s = 1 + pick(k, 3); s > 0; s--) put(k, int_step(k));
    if (pick(k, 3) == 0) put(k, " v += in[(i + k * #) & mask];");
    put(k, " }\n");
}

/* Elements of 4, 8 or 16 bytes in a row or strided, with more of them than threads or not. */
static void stream(struct kernel *k) {
    static const char *const types[] = {"int", "int2", "int4"};
    unsigned wide = pick(k, 3), threads = k->grid * k->block, stride;
    unsigned room = 1u << (k->words - wide), elements = threads * pick_scale(k, 64);
    stride = (unsigned[]){1, 1, 1, 1, 2, 3, 4, 8, 16, 32, 33}[pick(k, 11)];
    if (elements > room) elements = room;
    const char *mode = ONE_OF(k, "copy", "copy", "read", "write", "add");
    k->stores = *mode == 'r' ? "" : "if (v == 12345) ";
    say(k, "    const %s *a = (const %s *)in, *b = (const %s *)index;\n    %s *c = (%s *)out;\n",
        types[wide], types[wide], types[wide], types[wide], types[wide]);
    say(k, "    const unsigned last = mask >> %u;\n%s", wide,
        ONE_OF(k, "", "", "#pragma unroll 4\n"));
    say(k, "    for (unsigned e = i; e < %uu; e += gridDim.x * blockDim.x) {\n", elements);
    say(k, "        unsigned at = e * %u & last;\n        %s x = {};\n", stride, types[wide]);
    if (*mode != 'w') say(k, "        x = a[at];\n");
    if (*mode == 'a') say(k, wide ? "        x.y += b[at].x;\n" : "        x += b[at];\n");
    if (*mode == 'r') say(k, wide ? "        v += x.x + x.y;\n" : "        v += x;\n");
    if (*mode != 'r') say(k, "        %s += v;\n        c[at] = x;\n", wide ? "x.y" : "x");
    say(k, "    }\n");
}

/* Loads from anywhere, which do not wait for each other. */
static void gather(struct kernel *k) {
    limit_trips(k, 64);
    k->names++;
    const char *where =
        ONE_OF(k, "(i * 2654435761u + k * 40503u) >> #", "index[(i + k * 977) & mask]",
               "(i ^ k * 0x9E3779B9u)", "i * # + k * 1024 * #", "(i & ~31u) * # + k * #",
               "(in[(i + k) & mask] >> 3)", "(threadIdx.x * 33 + blockIdx.x * # + k)");
    loop(k);
    put(k, "v ");
    put(k, ONE_OF(k, "+=", "^=", "+="));
    put(k, " in[(");
    put(k, where);
    put(k, ") & mask];\n");
}

/* Loads that wait for the one before. */
static void chase(struct kernel *k) {
    limit_trips(k, 128);
    k->names++;
    put(k, "    unsigned at~ = ");
    put(k, ONE_OF(k, "(i * 40503u)", "i", "(i >> 5) * 977", "blockIdx.x * 8191"));
    put(k, " & mask;\n");
    if (pick(k, 4) == 0) put(k, "    if (threadIdx.x % 32 == 0)\n");
    loop(k);
    put(k, "at~ = ");
    put(k, ONE_OF(k, "index[at~] & mask;\n", "index[at~] & mask;\n",
                  "(index[at~] + (at~ & 7)) & mask;\n"));
    put(k, "    v += at~;\n");
}

/* Shared memory, with a barrier in each round or with one alone; strides meet in banks. */
static void shared(struct kernel *k) {
    const char *type = ONE_OF(k, "int", "int", "float", "double", "int4");
    bool vector = strcmp(type, "int4") == 0, barrier = pick(k, 2);
    unsigned stride = (unsigned[]){1, 1, 1, 2, 3, 4, 8, 16, 32, 33}[pick(k, 10)];
    limit_trips(k, 100);
    k->names++;
    put(k, "    __shared__ ");
    say(k, "%s s%u[%u];\n", type, k->names, k->block);
    put(k,
        vector ? "    s~[threadIdx.x] = make_int4(v, v, k0, 1);\n" : "    s~[threadIdx.x] = v;\n");
    put(k, "    __syncthreads();\n");
    if (pick(k, 4) == 0) {
        put(k, "    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {\n"
               "        if (threadIdx.x < d) ");
        put(k, vector ? "s~[threadIdx.x].x += s~[threadIdx.x + d].x;\n"
                      : "s~[threadIdx.x] += s~[threadIdx.x + d];\n");
        put(k, "        __syncthreads();\n    }\n");
        put(k, vector ? "    v += s~[0].x;\n" : "    v += (int)s~[0];\n");
        return;
    }
    loop(k);
    say(k, "{\n        %s x = s%u[(threadIdx.x * %u + k) %% %u];\n", type, k->names, stride,
        k->block);
    put(k, vector ? "        v += x.x ^ x.w;\n" : "        v += (int)x;\n");
    if (barrier) {
        put(k, "        __syncthreads();\n");
        put(k, vector ? "        s~[threadIdx.x].y = v;\n" : "        s~[threadIdx.x] = v;\n");
        put(k, "        __syncthreads();\n");
    }
    put(k, "    }\n");
}

/* Atomics on one place, on few and on many, in global and in shared memory. */
static void atomic(struct kernel *k) {
    const char *where =
        ONE_OF(k, "0", "i & 7", "threadIdx.x & 31", "blockIdx.x & 1023", "(i * 40503u + k) & mask",
               "in[i & mask] & 255", "in[(i + k) & mask] & mask", "i & mask", "i / 32 & 4095");
    const char *operation =
        ONE_OF(k, "atomicAdd", "atomicAdd", "atomicMax", "atomicOr", "atomicExch");
    bool in_shared = pick(k, 3) == 0, result = pick(k, 2), real = pick(k, 4) == 0;
    limit_trips(k, 16);
    k->names++;
    k->stores = "if (v == 12345) ";
    if (in_shared) {
        put(k, "    __shared__ int s~[1024];\n    for (unsigned j = threadIdx.x; j < 1024; "
               "j += blockDim.x) s~[j] = 0;\n    __syncthreads();\n");
    }
    put(k, ONE_OF(k, "", "", "", "    if (i % # == 0)\n"));
    loop(k);
    put(k, result ? "v += (int)" : "");
    if (real)
        put(k, in_shared ? "atomicAdd((float *)s~ + ((" : "atomicAdd((float *)out + ((");
    else {
        put(k, operation);
        put(k, in_shared ? "(s~ + ((" : "(out + ((");
    }
    put(k, where);
    put(k, in_shared ? ") & 1023), " : ")), ");
    put(k, ONE_OF(k, "1", "v", "k", "(int)i"));
    put(k, ");\n");
    if (in_shared) put(k, "    __syncthreads();\n    v += s~[threadIdx.x];\n");
}

/* Values of other lanes. */
static void shuffle(struct kernel *k) {
    limit_trips(k, 60);
    if (pick(k, 3) == 0) {
        put(k, "    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);\n");
        if (pick(k, 2)) return;
    }
    loop(k);
    put(k, "{ ");
    for (unsigned s = 1 + pick(k, 3); s > 0; s--)
        put(k, ONE_OF(k, "v += __shfl_xor_sync(0xffffffffu, v, #); ",
                      "v ^= __shfl_sync(0xffffffffu, v, (i + k) & 31); ",
                      "v += __popc(__ballot_sync(0xffffffffu, v & #)); ",
                      "v += __shfl_up_sync(0xffffffffu, v, 1); ",
                      "v += __any_sync(0xffffffffu, v == #) ? 1 : k; ",
                      "{ int w = __shfl_down_sync(0xffffffffu, v, #); v = max(v, w) + 1; } "));
    put(k, "}\n");
}

/* Divisions, roots and what the library computes. */
static void function(struct kernel *k) {
    limit_trips(k, 40);
    k->names++;
    const char *type = ONE_OF(k, "float", "float", "float", "int", "double");
    put(k, "    ");
    say(k, "%s g%u = (v & 1023) + 1;\n", type, k->names);
    loop(k);
    put(k, "{ ");
    for (unsigned s = 1 + pick(k, 2); s > 0; s--)
        put(k, *type == 'i' ? ONE_OF(k, "g~ = 1000000 / (g~ | 1) + k; ", "g~ = g~ % (k + 3) + #; ",
                                     "g~ = g~ / # + g~ % 10; ",
                                     "g~ = (unsigned)g~ / (unsigned)(k + 1) + #; ")
               : *type == 'd' ? ONE_OF(k, "g~ = sqrt(g~) + #; ", "g~ = 1 / g~ + 0.#; ",
                                       "g~ = g~ / (k + 1.5) + #; ", "g~ = exp(g~ * 0.001); ",
                                       "g~ = sin(g~) + #; ")
                              : ONE_OF(k, "g~ = sinf(g~) + 1.#f; ", "g~ = expf(g~ * 0.01f); ",
                                       "g~ = logf(g~ + 1.#f); ", "g~ = sqrtf(g~) + 0.#f; ",
                                       "g~ = 1.0f / g~ + 0.#f; ", "g~ = rsqrtf(g~ + #.0f); ",
                                       "g~ = g~ / (k + 1.5f) + 1.0f; ", "g~ = __expf(g~ * 0.01f); ",
                                       "g~ = powf(g~, 0.9f) + 1.0f; ", "g~ = tanhf(g~) + 1.0f; ",
                                       "g~ = __sinf(g~) + 1.#f; ", "g~ = atan2f(g~, 1.#f) + 1.0f; ",
                                       "g~ = erff(g~) + 0.#f; "));
    put(k, "}\n    v += (int)g~;\n");
}

/* An array of the thread, indexed by what is known when it runs. */
static void local(struct kernel *k) {
    unsigned size = 4u << pick(k, 5);
    const char *type = ONE_OF(k, "int", "float", "float", "double");
    limit_trips(k, 48);
    k->names++;
    say(k, "    %s l%u[%u];\n", type, k->names, size);
    say(k, "    for (int j = 0; j < %u; j++) l%u[j] = v + j;\n", size, k->names);
    loop(k);
    put(k, "{\n        unsigned j = (");
    put(k,
        ONE_OF(k, "v + k", "v * 7 + k", "k * # + trips", "threadIdx.x + k", "in[(i + k) & mask]"));
    say(k, ") & %u;\n", size - 1);
    put(k, ONE_OF(k, "        l~[j] += #;\n        v += (int)l~[(j + #) & ",
                  "        v += (int)l~[j & ",
                  "        l~[j] = l~[j] + k;\n        v ^= (int)l~[j ^ 1 & "));
    say(k, "%u];\n    }\n", size - 1);
}

static void add_neighbour(struct kernel *k, int distance) {
    say(k, "        sum += 0.%uf * __int_as_float(in[(at %c %d) & mask] & 0x3fffffff);\n",
        1 + pick(k, 9), distance < 0 ? '-' : '+', abs(distance));
}

/* Neighbours in a line or in a plane. */
static void stencil(struct kernel *k) {
    unsigned radius = 1 + pick(k, 4), width = 64u << pick(k, 6), threads = k->grid * k->block;
    unsigned rounds = MOST_WORK / 8 / threads;
    bool plane = pick(k, 2);
    k->trips = pick_scale(k, rounds ? rounds < 16 ? rounds : 16 : 1);
    k->stores = "if (v == 12345) ";
    loop(k);
    say(k, "{\n        unsigned at = i + k * gridDim.x * blockDim.x;\n        float sum = 0;\n");
    for (int d = -(int)radius; d <= (int)radius; d++) add_neighbour(k, d);
    for (int d = -(int)radius; plane && d <= (int)radius; d++) add_neighbour(k, d * (int)width);
    say(k, "        out[at & mask] = (int)sum;\n    }\n");
}

/* A function that is not inlined. */
static void call(struct kernel *k) {
    bool loops = pick(k, 3) == 0;
    limit_trips(k, 40);
    fprintf(k->functions, "static __device__ __noinline__ int f%u(int v, int k%s) {\n    %s",
            k->seed, "", loops ? "for (int j = 0; j < (k & 7); j++) { " : "");
    for (unsigned s = 1 + pick(k, 5); s > 0; s--) expand(k, k->functions, int_step(k), "v");
    fprintf(k->functions, "%s\n    return v;\n}\n", loops ? " }" : "");
    loop(k);
    if (pick(k, 4) == 0) {
        put(k, "if (");
        put(k, condition(k));
        put(k, ") ");
    }
    say(k, ONE_OF(k, "v = f%u(v, k);\n", "v += f%u(v ^ k, k) + k;\n"), k->seed);
}

/* Integers of 64 bits. */
static void wide_integers(struct kernel *k) {
    limit_trips(k, 80);
    k->names++;
    put(k, "    long long w~ = v;\n");
    loop(k);
    put(k, "{ ");
    for (unsigned s = 1 + pick(k, 3); s > 0; s--)
        put(k, ONE_OF(k, "w~ = w~ * 6364136223846793005LL + #; ", "w~ += w~ >> #; ",
                      "w~ ^= w~ << 13; ", "w~ = w~ * # + k; ", "w~ = w~ > 1000 ? w~ - # : w~ + k; ",
                      "w~ += __popcll(w~); ", "w~ = w~ / (k + 3) + #; ", "w~ = w~ % 1000003 + k; ",
                      "w~ = __mul64hi(w~, w~) + #; "));
    put(k, "}\n    v += (int)(w~ ^ w~ >> 32);\n");
}

/* Halves, one by one and in pairs. */
static void half(struct kernel *k) {
    bool pairs = pick(k, 2);
    limit_trips(k, 100);
    k->names++;
    put(k, pairs ? "    __half2 h~ = __floats2half2_rn(v & 15, v & 7);\n    const __half2 m~ = "
                   "__float2half2_rn(0.9f);\n"
                 : "    __half h~ = __int2half_rn(v & 15);\n    const __half m~ = "
                   "__float2half(0.9f);\n");
    loop(k);
    put(k, "{ ");
    for (unsigned s = 1 + pick(k, 3); s > 0; s--)
        put(k, pairs
                   ? ONE_OF(k, "h~ = __hfma2(h~, m~, m~); ", "h~ = __hadd2(h~, m~); ",
                            "h~ = __hmul2(h~, m~); ", "h~ = __hsub2(m~, h~); ")
                   : ONE_OF(k, "h~ = __hfma(h~, m~, m~); ", "h~ = __hadd(h~, m~); ",
                            "h~ = __hmul(h~, m~); ", "h~ = __hgt(h~, m~) ? __hsub(h~, m~) : h~; "));
    put(k, pairs ? "}\n    v += (int)__low2float(h~) + (int)__high2float(h~);\n"
                 : "}\n    v += (int)__half2float(h~);\n");
}

static void mixture(struct kernel *k);

static const struct family {
    const char *name;
    void (*write)(struct kernel *k);
} families[] = {
    {"arithmetic", arithmetic}, {"branch", branch},     {"trips", lane_trips},   {"stream", stream},
    {"gather", gather},         {"chase", chase},       {"shared", shared},      {"atomic", atomic},
    {"shuffle", shuffle},       {"function", function}, {"mixture", mixture},    {"local", local},
    {"stencil", stencil},       {"call", call},         {"long", wide_integers}, {"half", half}};
enum { FAMILIES = sizeof families / sizeof *families };

/* Two to four fragments of other families, one after the other. */
static void mixture(struct kernel *k) {
    static void (*const parts[])(struct kernel *) = {
        arithmetic, branch,   lane_trips, gather,        chase, shared,
        shuffle,    function, local,      wide_integers, half,  atomic};
    limit_trips(k, 30);
    for (unsigned n = 2 + pick(k, 3); n > 0; n--) {
        put(k, "    {\n");
        parts[pick(k, sizeof parts / sizeof *parts)](k);
        put(k, "    }\n");
    }
}

/* ---- A kernel ---- */

static const struct family *family_of(unsigned seed) {
    return &families[seed % FAMILIES];
}

static void choose_shape(struct kernel *k) {
    static const unsigned blocks[] = {32,  64,  64,  96,  100, 128, 128, 128, 192,
                                      256, 256, 256, 384, 512, 512, 768, 1024};
    bool whole_warps = family_of(k->seed)->write == shuffle || family_of(k->seed)->write == mixture;
    k->block = blocks[pick(k, sizeof blocks / sizeof *blocks)];
    if (whole_warps) k->block -= k->block % WARP;
    k->grid = pick_scale(k, 1u << MOST_GRID);
    if (k->grid * k->block > MOST_THREADS) k->grid = MOST_THREADS / k->block;
    k->words = LEAST_WORDS + pick(k, MOST_WORDS - LEAST_WORDS + 1);
}

/* The texts of the kernel: the functions that it calls, and its own. */
struct texts {
    char *functions, *body;
};

static struct texts write_kernel(unsigned seed, struct kernel *k) {
    struct texts texts = {NULL, NULL};
    size_t sizes[2];
    *k = (struct kernel){.state = seed, .seed = seed, .stores = ""};
    k->functions = need(open_memstream(&texts.functions, &sizes[0]));
    k->body = need(open_memstream(&texts.body, &sizes[1]));
    choose_shape(k);
    k->is_literal = pick(k, 2);
    k->restricted = ONE_OF(k, "", " __restrict__");
    say(k,
        "extern \"C\" __global__ void %s_%u(const int *%s in, int *%s out, const int *%s index,\n"
        "                                   unsigned mask, int trips) {\n",
        family_of(seed)->name, seed, k->restricted, k->restricted, k->restricted);
    say(k, "    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;\n    int v = %s;\n",
        ONE_OF(k, "in[i & mask]", "in[i & mask]", "(int)i"));
    say(k, "    const int k0 = 0, k = 0;\n    (void)k0, (void)k, (void)trips;\n");
    family_of(seed)->write(k);
    say(k, "    %sout[i] = v;\n}\n", k->stores);
    fclose(k->functions);
    fclose(k->body);
    need(texts.functions), need(texts.body);
    return texts;
}

/* ---- The program ---- */

static const char beginning[] =
    "#include <cstdio>\n"
    "#include <cstdlib>\n"
    "#include <cuda_fp16.h>\n"
    "enum { WORDS = 1 << %d, MUCH = 1 << 26 };\n"
    "extern \"C\" __global__ void flush(const int *much, int *out) {\n"
    "    int sum = 0;\n"
    "    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < MUCH;\n"
    "         i += gridDim.x * blockDim.x) sum += much[i];\n"
    "    if (sum == 12345) out[0] = sum;\n"
    "}\n";

/* index is one cycle through all its numbers, and through the first 2^n of them modulo 2^n. A
 * kernel that ptxas gives too many registers for its block is left out. */
static const char middle[] =
    "static void check(cudaError_t error) {\n"
    "    if (!error) return;\n"
    "    fprintf(stderr, \"%s\\n\", cudaGetErrorString(error));\n"
    "    exit(1);\n"
    "}\n"
    "#define RUN(KERNEL, GRID, BLOCK, MASK, TRIPS) { \\\n"
    "    cudaFuncAttributes has; \\\n"
    "    check(cudaFuncGetAttributes(&has, KERNEL)); \\\n"
    "    for (int r = 0; BLOCK <= has.maxThreadsPerBlock && r <= 2 * again; r++) { \\\n"
    "        if (r && r <= again) flush<<<1024, 1024>>>(much, out); \\\n"
    "        KERNEL<<<GRID, BLOCK>>>(in, out, index, MASK, TRIPS); \\\n"
    "    } \\\n"
    "    check(cudaGetLastError()); \\\n"
    "    check(cudaDeviceSynchronize()); \\\n"
    "}\n"
    "int main(int argc, char **argv) {\n"
    "    const size_t bytes = WORDS * sizeof(int);\n"
    "    int again = argc > 1 ? atoi(argv[1]) : 0, *in, *out, *index, *much = NULL;\n"
    "    int *host = (int *)malloc(bytes);\n"
    "    check(cudaMalloc(&in, bytes));\n"
    "    check(cudaMalloc(&out, bytes));\n"
    "    check(cudaMalloc(&index, bytes));\n"
    "    check(cudaMemset(out, 0, bytes));\n"
    "    for (unsigned i = 0; i < WORDS; i++) {\n"
    "        unsigned h = i * 0x9E3779B9u;\n"
    "        h = (h ^ h >> 15) * 0x85EBCA6Bu;\n"
    "        host[i] = (int)((h ^ h >> 13) & 0x7fffffff);\n"
    "    }\n"
    "    check(cudaMemcpy(in, host, bytes, cudaMemcpyHostToDevice));\n"
    "    for (unsigned i = 0; i < WORDS; i++) host[i] = (int)((i * 1664525u + 1013904223u) % "
    "WORDS);\n"
    "    check(cudaMemcpy(index, host, bytes, cudaMemcpyHostToDevice));\n"
    "    if (again) check(cudaMalloc(&much, MUCH * sizeof(int)));\n"
    "    for (int r = 0; again && r < 1000; r++) flush<<<1024, 1024>>>(much, out); /* full clock "
    "*/\n";

static void put_program(unsigned first, unsigned count) {
    struct kernel *k = need(calloc(count, sizeof *k));
    printf(beginning, MOST_WORDS);
    for (unsigned i = 0; i < count; i++) {
        struct texts texts = write_kernel(first + i, &k[i]);
        printf("%s%s", texts.functions, texts.body);
        free(texts.functions);
        free(texts.body);
    }
    fputs(middle, stdout);
    for (unsigned i = 0; i < count; i++)
        printf("    RUN(%s_%u, %u, %u, (1u << %u) - 1, %u)\n", family_of(first + i)->name,
               first + i, k[i].grid, k[i].block, k[i].words, k[i].trips);
    puts("    return 0;\n}");
    free(k);
}

static void put_list(unsigned first, unsigned count) {
    puts("seed,kernel,grid,block,text");
    for (unsigned seed = first; seed < first + count; seed++) {
        struct kernel k;
        uint8_t hash[SHA256_BYTES];
        struct texts texts = write_kernel(seed, &k);
        size_t length = strlen(texts.functions) + strlen(texts.body);
        char *all = need(malloc(length + 1));
        snprintf(all, length + 1, "%s%s", texts.functions, texts.body);
        sha256(all, length, hash);
        printf("%u,%s_%u,(%u 1 1),(%u 1 1),%02x%02x%02x%02x\n", seed, family_of(seed)->name, seed,
               k.grid, k.block, hash[0], hash[1], hash[2], hash[3]);
        free(all);
        free(texts.functions);
        free(texts.body);
    }
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    bool list = argc > 1 && strcmp(argv[1], "--list") == 0;
    if (argc != 3 + list) {
        fputs("Usage: random-kernels [--list] FIRST COUNT\n", stderr);
        return 2;
    }
    (list ? put_list : put_program)((unsigned)atoi(argv[1 + list]), (unsigned)atoi(argv[2 + list]));
    return EXIT_SUCCESS;
}
