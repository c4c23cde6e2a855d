/*
 * part_tensor.h: inputs for tensor cores, and what an H200 made of them. The inputs follow from
 * hashes, so they are the same everywhere. Each trial has its kind of values: near 1, any exponent,
 * any bits, subnormal, mostly zero, with infinity and NaN, near overflow ...
 */
#ifndef PART_TENSOR_H
#define PART_TENSOR_H

#include "check.h"

#include <string>

enum { TRIALS = 16 }; /* one for each kind of values */
enum Factor { IN_A, IN_B, IN_C };

static inline uint64_t mixed(uint64_t x) {
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

static inline uint64_t fnv1a(const void *bytes, size_t n) {
    uint64_t hash = 1469598103934665603ull;
    for (size_t i = 0; i < n; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211ull;
    return hash;
}

struct Format {
    int bits, exponent, fraction; /* exponent 0: an integer */
};

static inline Format formatOf(const std::string &type) {
    if (type == "f16") return {16, 5, 10};
    if (type == "bf16") return {16, 8, 7};
    if (type == "tf32" || type == "f32") return {32, 8, 23};
    if (type == "f64") return {64, 11, 52};
    if (type == "e4m3") return {8, 4, 3};
    if (type == "e5m2") return {8, 5, 2};
    if (type == "s8" || type == "u8") return {8, 0, 0};
    if (type == "s4" || type == "u4") return {4, 0, 0};
    if (type == "b1") return {1, 0, 0};
    return {32, 0, 0};
}

static inline uint64_t integerInput(const Format &f, int trial, uint64_t r) {
    uint64_t all = (1ull << f.bits) - 1;
    if (f.bits == 32 && trial % 4 == 0) return 0x7ffffff0u + (uint32_t)(r % 32);
    if (f.bits == 32 && trial % 4 == 1) return 0x80000000u + (uint32_t)(r % 5000);
    if (f.bits == 32) return trial % 4 == 2 ? (uint32_t)(r % 2001) - 1000 : (uint32_t)r;
    if (trial % 4 == 0 && f.bits > 1) return r % 8 ? 0x7f & all >> 1 : mixed(r) & all;
    return r & all;
}

/* The bits of one element. */
static inline uint64_t tensorInput(const std::string &type, Factor factor, int trial,
                                   uint64_t seed) {
    Format f = formatOf(type);
    uint64_t r = mixed(seed), r2 = mixed(r), r3 = mixed(r2);
    if (f.exponent == 0) return integerInput(f, trial, r);
    int bias = (1 << (f.exponent - 1)) - 1, top = (1 << f.exponent) - 1;
    bool c = factor == IN_C;
    uint64_t all = f.bits == 64 ? ~0ull : (1ull << f.bits) - 1,
             fraction = r2 & ((1ull << f.fraction) - 1);
    uint64_t sign = (r >> 60 & 1) << (f.bits - 1);
    /* An exponent between them; subnormal below the format's, finite above. */
    auto within = [&](int low, int high) {
        int e = low + (int)(r3 % (uint64_t)(high - low + 1)) + bias;
        e = e < 0 ? 0 : e > top - 1 ? top - 1 : e;
        return sign | (uint64_t)e << f.fraction | fraction;
    };
    switch (trial % TRIALS) {
    case 0: return within(-2, 1);
    case 1: return within(-bias, bias);
    case 2: return r2 & all;
    case 3: return c ? within(-bias, -bias / 2) : within(-bias, -bias + 12);
    case 4: return r % 4 ? 0 : within(-8, 8);
    case 5: return c ? within(-bias, bias) : r % 10 ? 0 : within(-10, 10);
    case 6:
        fraction = r2 % 8 < 4 ? 0 : fraction & (3ull << (f.fraction - 2));
        return c ? within(-12, 1) : within(0, 2);
    case 7: return c ? within(8, 30) : within(-1, 1);
    case 8:
        if (r % 50 == 0) return sign | (uint64_t)top << f.fraction | (r2 % 2 ? 0 : fraction);
        return within(-4, 4);
    case 9: return c ? within(bias - 2, bias) : within(bias / 2 - 4, bias / 2 + 2);
    case 10: return within(-12, 12);
    case 11: return c ? within(-30, -4) : within(-3, 3);
    case 12: return c ? within(-bias, -bias + 4) : within(-bias / 2 - 6, -bias / 2 + 4);
    case 13: fraction = r % 3 ? (1ull << f.fraction) - 1 : fraction; return within(-1, 0);
    case 14: return c || r % 3 ? 0 : within(-14, 14);
    default: return within(-6, 6);
    }
}

/* Fill n bytes with elements of one of the matrices of a case. */
static inline void tensorInputs(const char *name, const std::string &type, Factor factor, int trial,
                                void *to, size_t n) {
    int bits = formatOf(type).bits;
    uint64_t seed = fnv1a(name, strlen(name)) ^ (uint64_t)trial << 40 ^ (uint64_t)factor << 36;
    memset(to, 0, n);
    for (size_t i = 0; i < n * 8 / (size_t)bits; i++) {
        uint64_t value = tensorInput(type, factor, trial, mixed(seed ^ i));
        unsigned char *at = (unsigned char *)to + i * bits / 8;
        if (bits < 8)
            *at |= (unsigned char)(value << i * bits % 8);
        else
            memcpy(at, &value, bits / 8);
    }
}

/* What an H200 gave: of a case a hash of the results of each trial. */
struct Recorded {
    const char *name;
    uint64_t hash[TRIALS];
};

static const Recorded RECORDED[] = {
#include "../data/tensor-h200.inc"
};

/* Compare results of trials with those recorded; with printing, print them as lines of the file
 * instead. */
static inline void asRecorded(bool printing, const char *name, int trials, const void *results,
                              size_t bytes) {
    const Recorded *recorded = RECORDED;
    size_t each = bytes / trials;
    while (!printing && strcmp(recorded->name, name) != 0) {
        if (++recorded < RECORDED + sizeof RECORDED / sizeof *RECORDED) continue;
        differ(name, 0, 0, 1);
        printf("nothing is recorded of %s\n", name);
        return;
    }
    if (printing) printf("{\"%s\", {", name);
    for (int t = 0; t < trials; t++) {
        uint64_t hash = fnv1a((const char *)results + t * each, each);
        if (!printing) same(name, t, hash, recorded->hash[t]);
        if (printing) printf("%s0x%016llxull,", t % 4 ? " " : "\n    ", (unsigned long long)hash);
    }
    if (printing) printf("}},\n");
}

#endif
