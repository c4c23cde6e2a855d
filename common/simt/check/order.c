/*
 * check/order.c: work of streams that touches the same bytes, and nothing orders it.
 *
 * Work is ordered by its stream, by events, by the default stream, and by a host that waits. Each
 * piece of work has a vector clock: for each stream the number of the latest work there that is
 * over before this one begins.
 *
 *      stream 1   work 1    work 2 -- event --.
 *      stream 2             work 1 ---------- work 2       its clock: stream 1: 2, stream 2: 2
 *
 * Each word of memory remembers who accessed it last: the work that wrote, the last two that read,
 * and the one with an atomic or volatile access. It is a race if the current work does not come
 * after those, and one of the two writes. Atomics do not race with each other. What the host itself
 * does with memory is not seen, but that bytes have changed which a copy was to read or to write.
 *
 * All of it lives as long as the process.
 */
#include "check.h"
#include "lib/memory.h"
#include "simt/machine/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_SLOTS 4096 /* streams that are told apart; others are one */
#define NAME_SIZE 512
#define ID_SHIFT  4 /* an access is the work's number, and a bit for each byte of the word */
#define ALL_BYTES 15u

struct order {
    uint32_t slot, seq, n;
    uint32_t clock[]; /* n of them; 0 for all others */
};

/* A kernel, copy or fill that had its effect. */
struct effect {
    uint32_t slot, seq;
    char *name;
};

static struct order *host; /* what the host knows to be over */
static uint32_t seqs[MAX_SLOTS];
static struct effect *effects; /* from 1 */
static uint32_t neffects, effects_capacity;
static const struct order *current;                /* of the work whose effect it is; NULL: none */
static struct pair { char *one, *other; } * pairs; /* reported */
static unsigned long npairs;

/* ---- Clocks ---- */

static struct order *with_room(struct order *order, uint32_t n) {
    uint32_t had = order ? order->n : 0;
    if (order && had >= n) return order;
    struct order *more = need(realloc(order, sizeof *order + n * sizeof *order->clock));
    if (!had && !order) more->slot = more->seq = 0;
    memset(more->clock + had, 0, (n - had) * sizeof *more->clock);
    more->n = n;
    return more;
}

void order_after(struct order **order, const struct order *before) {
    if (!*order || !before) return;
    *order = with_room(*order, before->n);
    for (uint32_t i = 0; i < before->n; i++)
        if ((*order)->clock[i] < before->clock[i]) (*order)->clock[i] = before->clock[i];
}

struct order *order_new(unsigned stream) {
    if (!check_enabled()) return NULL;
    uint32_t slot = stream < MAX_SLOTS ? stream : MAX_SLOTS - 1;
    struct order *order = with_room(NULL, slot + 1);
    if (!host) host = with_room(NULL, 1);
    order_after(&order, host);
    order->slot = slot;
    order->seq = order->clock[slot] = ++seqs[slot];
    return order;
}

void order_after_all(struct order **order) {
    if (!*order) return;
    uint32_t own = (*order)->clock[(*order)->slot];
    *order = with_room(*order, MAX_SLOTS);
    memcpy((*order)->clock, seqs, sizeof seqs);
    (*order)->clock[(*order)->slot] = own;
}

void order_host_after(const struct order *before) {
    if (host) order_after(&host, before);
}

static bool is_before_current(const struct effect *effect) {
    return effect->slot < current->n && current->clock[effect->slot] >= effect->seq;
}

/* ---- Work ---- */

void order_begin(const struct order *order, const char *format, ...) {
    char name[NAME_SIZE];
    va_list arguments;
    if (!order) return;
    if (neffects + 1 >= effects_capacity) {
        effects_capacity = effects_capacity ? 2 * effects_capacity : 256;
        effects = need(realloc(effects, effects_capacity * sizeof *effects));
    }
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    effects[++neffects] = (struct effect){order->slot, order->seq, need(strdup(name))};
    current = order;
}

void order_end(void) {
    current = NULL;
}

uint32_t order_mark(void) {
    return neffects;
}

/* ---- Reports ---- */

unsigned long order_defects(void) {
    return npairs;
}

/* Has the pair been reported? Notes it. */
static bool is_known(const char *one, const char *other) {
    for (unsigned long i = 0; i < npairs; i++)
        if ((!strcmp(pairs[i].one, one) && !strcmp(pairs[i].other, other)) ||
            (!strcmp(pairs[i].one, other) && !strcmp(pairs[i].other, one)))
            return true;
    pairs = need(realloc(pairs, (npairs + 1) * sizeof *pairs));
    pairs[npairs++] = (struct pair){need(strdup(one)), need(strdup(other))};
    return false;
}

static void report(const char *one, const char *other, uint64_t address, const char *hint) {
    if (is_known(one, other)) return;
    const struct allocation *in = memory_find(address, 1);
    report_print(REPORT_HEAD "Error: Race reported between %s\n" REPORT_MORE
                             "and %s: nothing orders them\n",
                 one, other);
    if (in)
        report_print(REPORT_MORE "Address 0x%llx: byte %llu of the allocation at 0x%llx of size "
                                 "%zu bytes (allocation %llu)\n",
                     (unsigned long long)address, (unsigned long long)(address - in->address),
                     (unsigned long long)in->address, in->size, (unsigned long long)in->serial);
    report_print(REPORT_MORE "Hint: %s\n", hint);
}

static void compare(uint32_t earlier, uint32_t bytes, uint64_t address) {
    const struct effect *effect = &effects[earlier >> ID_SHIFT];
    if (!(earlier & bytes) || earlier >> ID_SHIFT == neffects || is_before_current(effect)) return;
    report(effect->name, effects[neffects].name, address,
           "give both to one stream, or let the later one's stream or the host wait for the "
           "earlier one");
}

/* ---- Accesses ---- */

static void order_note(uint32_t *slot, uint32_t bytes) {
    *slot = neffects << ID_SHIFT | bytes | (*slot >> ID_SHIFT == neffects ? *slot & ALL_BYTES : 0);
}

/* The current work accesses bytes, a mask, of a word. */
static void access_word(struct ordered_word *word, uint32_t bytes, enum order_access access,
                        uint64_t address) {
    compare(word->write, bytes, address);
    if (access != ORDER_ATOMIC) compare(word->atomic, bytes, address);
    if (access != ORDER_READ) {
        compare(word->read, bytes, address);
        compare(word->other, bytes, address);
        order_note(access == ORDER_ATOMIC ? &word->atomic : &word->write, bytes);
        return;
    }
    if (word->read >> ID_SHIFT != neffects) word->other = word->read;
    order_note(&word->read, bytes);
}

void order_access(struct shadow *shadow, size_t from, size_t size, enum order_access access,
                  uint64_t address) {
    if (!current) return;
    shadow_open_order(shadow);
    for (size_t at = from; at < from + size;) {
        size_t begin = at % WORD_BYTES, end = begin + (from + size - at);
        if (end > WORD_BYTES) end = WORD_BYTES;
        access_word(&shadow->ordered[at / WORD_BYTES], (1u << end) - (1u << begin), access,
                    address + (at - from));
        at += end - begin;
    }
}

void order_bytes(uintptr_t address, size_t size, bool writes) {
    struct allocation *in = current ? memory_find(address, size) : NULL;
    if (in)
        order_access(shadow_of(in), address - in->address, size, writes ? ORDER_WRITE : ORDER_READ,
                     address);
}

void order_host_changed(uintptr_t address, size_t size, uint32_t mark, const char *what) {
    struct allocation *in = current ? memory_find(address, size) : NULL;
    const struct shadow *shadow = in ? shadow_of(in) : NULL;
    for (size_t at = address - (in ? in->address : 0), end = at + size;
         shadow && shadow->ordered && at < end; at++) {
        const struct ordered_word *word = &shadow->ordered[at / WORD_BYTES];
        if (word->write >> ID_SHIFT > mark || word->atomic >> ID_SHIFT > mark) return;
    }
    if (in)
        report(what, effects[neffects].name, address,
               "let the host wait for the copy, before it uses the memory again");
}
