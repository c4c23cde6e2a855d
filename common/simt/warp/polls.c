/*
 * warp/polls.c: what a block that spins looks at. As long as it stays the same, another turn of the
 * block would mostly do what the last one did, so the worker wakes other blocks first.
 */
#include "simt/machine/machine.h"

#include <string.h>

#define MOST_BYTES (WARP_SIZE * 8u) /* of one look: a 64-bit word for each lane */

/* FNV-1a by words of 8 bytes, and the bytes that are left. */
static uint64_t digest(const char *at, uint32_t bytes) {
    uint64_t sum = 0xCBF29CE484222325ull, word;
    for (; bytes >= sizeof word; at += sizeof word, bytes -= (uint32_t)sizeof word) {
        memcpy(&word, at, sizeof word);
        sum = (sum ^ word) * 0x100000001B3ull;
    }
    word = 0;
    memcpy(&word, at, bytes);
    return (sum ^ word) * 0x100000001B3ull;
}

/* What was seen first counts: if another warp of the block changed it since, the block has to look
 * again. */
void polls_note(struct polls *polls, const char *at, uint64_t bytes) {
    for (int i = 0; i < polls->n; i++)
        if (polls->of[i].at == at && polls->of[i].bytes == bytes) return;
    if (polls->n == MAX_POLLS || bytes > MOST_BYTES)
        polls->incomplete = true;
    else
        polls->of[polls->n++] = (struct poll){at, (uint32_t)bytes, digest(at, (uint32_t)bytes)};
}

bool polls_unchanged(const struct polls *polls) {
    if (!polls->n || polls->incomplete) return false;
    for (int i = 0; i < polls->n; i++)
        if (digest(polls->of[i].at, polls->of[i].bytes) != polls->of[i].seen) return false;
    return true;
}
