/*
 * access/banks.h: how many passes (wavefronts) a shared-memory request needs. There are 32 banks of
 * 4 bytes; word i lies in bank i mod 32. A pass serves one word of each bank, to any number of
 * lanes. Conflicts are the passes beyond those that the width alone needs.
 *
 *   lane l reads word      passes
 *   l                      1      each lane has its bank
 *   2 l                    2      lanes 0 and 16 meet in bank 0
 *   32 l                   32     all lanes meet in bank 0
 *   0                      1      one word, broadcast
 *
 * Accesses of 8 bytes are served half a warp at a time, of 16 bytes a quarter. Two parts share a
 * pass where every lane's neighbour (lane ^ 1, or for all lane ^ 2) reads the same address or is
 * inactive. The last rule is not in NVIDIA's manuals. It was found by measurement (A. Feldmann,
 * "Shared memory bank conflicts of wide loads").
 */
#pragma once

#include "lane.h"
#include "simt/machine/lane_pattern.h"

#define BANKS 32

/* A shared-memory atomic: lanes that meet in a bank take turns, even those at one address, as each
 * must see the result of the one before. */
static inline uint32_t bank_passes_atomic(const uint32_t offset[32], uint32_t mask) {
    uint8_t n[BANKS] = {0};
    uint32_t most = 0;
    EACH_ACTIVE(mask) {
        uint32_t of_bank = ++n[offset[l] / 4 % BANKS];
        most = of_bank > most ? of_bank : most;
    }
    return most;
}

/* Passes of lanes in mask, each touching a word at offset[l] (bytes, modulo 2^32), and how many
 * different words those are: as many passes as the busiest bank has words. */
static inline uint32_t bank_passes_words(const uint32_t offset[32], uint32_t mask,
                                         uint32_t *different) {
    uint32_t word[32];
    VECTOR_LANES word[l] = (uint32_t)((int32_t)offset[l] >> 2);
    uint32_t firsts = first_of_each(word, mask);
    *different = count_lanes(firsts);
    return bank_passes_atomic(offset, firsts);
}

/* The same of `words` words, at most 4. */
static inline uint32_t bank_passes(const uint32_t offset[32], uint32_t words, uint32_t mask,
                                   uint32_t *different) {
    uint32_t asked[BANKS][32 + 1], n[BANKS] = {0}, passes = 0;
    if (words == 1) return bank_passes_words(offset, mask, different);
    *different = 0;
    EACH_ACTIVE(mask) {
        uint32_t first = (uint32_t)((int32_t)offset[l] >> 2);
        for (uint32_t word = first; word != first + words; word++) {
            uint32_t *of_bank = asked[word % BANKS], *known = &n[word % BANKS], i = 0;
            of_bank[*known] = word; /* found at the end, if not before */
            while (of_bank[i] != word) i++;
            if (i < *known) continue;
            (*different)++;
            if (++*known > passes) passes = *known;
        }
    }
    return passes;
}

/* Do all active lanes of the warp agree with lane ^ distance, where that is active? */
static inline bool lanes_pair_up(const uint32_t offset[32], uint32_t mask, unsigned distance) {
    for (unsigned l = 0; l < 32; l++) {
        bool both = (mask >> l & 1) && (mask >> (l ^ distance) & 1);
        if (both && offset[l] != offset[l ^ distance]) return false;
    }
    return true;
}

/* May two parts of a wide access be served in one pass? */
static inline bool halves_share(const uint32_t offset[32], uint32_t mask) {
    return lanes_pair_up(offset, mask, 1) || lanes_pair_up(offset, mask, 2);
}

/* A request of `size` bytes per lane (1 to 16). mask is not 0. Parts without an active lane take no
 * pass. bytes: what the lanes asked for, but no more than the different words hold. */
static inline struct passes bank_request(const uint32_t offset[32], uint32_t size, uint32_t mask) {
    struct passes passes = {0, 0, 0};
    uint32_t words = size > 4 ? size / 4 : 1, lanes = 32 / words, different = 0;
    if (words > 1 && halves_share(offset, mask)) lanes *= 2;
    for (uint32_t at = 0; at < 32; at += lanes) {
        uint32_t part = mask & (uint32_t)((((uint64_t)1 << lanes) - 1) << at);
        if (!part) continue;
        passes.wavefronts += bank_passes(offset, words, part, &different);
        passes.least++;
    }
    /* parts may ask for the same words */
    if (passes.least > 1) bank_passes(offset, words, mask, &different);
    uint32_t asked = size * (uint32_t)__builtin_popcount(mask);
    passes.bytes = asked < 4 * different ? asked : 4 * different;
    return passes;
}

/* 32 lanes of 4-byte words, stride words apart (0: the same word). The passes are gcd(stride, 32),
 * so an odd stride has no conflict. */
static inline uint32_t bank_passes_strided(uint32_t stride) {
    uint32_t power = stride & -stride;
    return stride == 0 ? 1 : power < BANKS ? power : BANKS;
}
