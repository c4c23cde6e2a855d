/*
 * time/sm_memory.c: what an access costs.
 *
 *      access -> load/store unit -> L1 -----------------------------> result        l1_latency
 *                (queue)            | port, L2 queue -> L2 ----------> result        l2_latency
 *                l1_sectors a cycle |   (share of this SM)  | DRAM --> result        dram_read()
 *                                   stores, atomics: no result from the L1
 *
 * An access is cut into parts, each the sectors of one line of 128 bytes.
 */
#include "sm_memory.h"

#include "lib/memory.h"
#include "queue.h"
#include "traffic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SLICE_SECTORS 2 /* of a line that the L2 gives in a cycle: 64 bytes, a slice's width */
#define SMALLEST_L1   16384
#define L1_KEPT       8192 /* bytes that an H200 gives to neither */
#define BESIDE        1    /* of a sector: the DRAM gave it with its neighbour */
#define LOCAL_SPACE   (1ull << 62)

/* measure/spaces.cu, on an H200: */
#define FLOAT_CYCLES 3.47 /* between two additions to a float */
#define LOCAL_WRITES 0.91 /* a store to local memory keeps the L2 so much of another's time, */
#define LOCAL_LINE   0.78 /* and for each line so much of a part of a sector's */
#define LOCAL_SEND   1.0  /* cycles of the way to the L2 for a line of it */
#define LOCAL_KEPT   0.67 /* of the room of a half, where lines of 69 MB come and go at random */
#define LINE_CYCLES  0.25 /* of the load/store unit, for each line of a load */
#define PASS_WAIT    2.2  /* until a pass's data are there, where several of a line's follow */
#define SEND_SECTOR  1.0  /* cycles of the way to the L2 for a sector that is stored, */
#define SEND_LEAST   2.0  /* and at least for those of a line */
#define MERGED_LINES 4    /* a store to more lines is not merged with the next one */
#define MANY_BLOCKS  64   /* that load the same in step wait less for DRAM, */
#define SOONER       0.45 /* by so much */
#define COPY_PIECE   32  /* sectors that wait as long, of a copy from the host that is in the L2, */
#define FAR_PIECE    128 /* and of what else is there */
/* from one thread's success with atomicCAS on a word to the next one's, in loops until each of 256,
 * 2048, 33792 and 135168 threads had one: 0.24, 0.41, 3.3 and 11.1 us on an H200 */
#define RETRY_CYCLES  420
#define RETRY_THREADS 2.6 /* that try, fail and try again in a cycle */
/* In a loop for the largest of values that rise by thread, of the tries of blocks that follow each
 * other: 0.09, 1.04, 0.76 and 0.67 ms on an H200 for 132, 528, 1024 and 2048 blocks of 256, where
 * all of them try once in 0.03, 0.1, 0.14 and 0.19 */
#define SELECTED 0.25
/* A warp waits so much longer for what several threads found, each alone, and the L2 works so much
 * longer on what it answers: loops of a warp's atomics on a line, and of 32 by all multiprocessors,
 * with answers and without, on an H200. */
#define ANSWERS_LATER 220
#define ANSWERS_LINE  1.7
#define ANSWERS_LONE  1.15
#define SLOW_ATOMIC   2 /* times as long: a comparison, an addition of doubles */

/* Cycles between the sectors of one multiprocessor, where all active ones share this bandwidth. */
static double spacing(const struct memory_model *m, double bytes_per_cycle) {
    return SECTOR_BYTES * m->active_sms / bytes_per_cycle;
}

static struct link link_open(const struct memory_model *m, const struct gpu *gpu, double gbs,
                             double latency_ns) {
    return (struct link){.sector = spacing(m, gbs * 1000 / gpu->clock_mhz),
                         .latency = latency_ns * gpu->clock_mhz / 1000};
}

/* What shared memory leaves is the L1, but at least SMALLEST_L1. */
void memory_model_open(struct memory_model *m, const struct gpu *gpu, double active_sms,
                       uint64_t shared_bytes) {
    uint64_t taken = shared_bytes + L1_KEPT;
    uint64_t room = gpu->l1_bytes > taken ? gpu->l1_bytes - taken : 0;
    memset(m, 0, sizeof *m);
    m->active_sms = active_sms;
    m->l2_read = spacing(m, gpu->l2_bytes_per_cycle * gpu->l2_read_share);
    m->l2_write = spacing(m, gpu->l2_bytes_per_cycle * gpu->l2_write_share);
    m->l2_partial = spacing(m, gpu->l2_bytes_per_cycle * gpu->l2_partial_share);
    m->l2_lone_read = spacing(m, gpu->l2_bytes_per_cycle * gpu->l2_lone_read_share);
    m->l2_lone_write = spacing(m, gpu->l2_bytes_per_cycle * gpu->l2_lone_write_share);
    m->l1_sectors = (uint32_t)fmax(1, fmin(LINE_SECTORS, gpu->l1_bytes_per_cycle / SECTOR_BYTES));
    m->load_bytes = gpu->load_bytes_per_cycle;
    m->shared_load_bytes = gpu->shared_load_bytes_per_cycle;
    m->shared_store_bytes = gpu->shared_store_bytes_per_cycle;
    m->port = SECTOR_BYTES / gpu->l2_port_bytes;
    m->atomic_cycles = gpu->atomic_cycles;
    m->host = link_open(m, gpu, gpu->pcie_gbs * PCIE_SHARE, gpu->host_latency_ns);
    m->peer = link_open(m, gpu, gpu->peer_load_gbs, gpu->peer_latency_ns);
    m->atomic_pass_cycles = gpu->atomic_pass_cycles;
    m->const_pass_cycles = gpu->const_pass_cycles;
    m->l2_parts = gpu->l2_parts;
    m->l1_latency = gpu->l1_latency_cycles;
    m->line_sectors = gpu->dram_line_sectors;
    m->texture_latency = gpu->texture_latency_cycles;
    m->texture_pass_cycles = gpu->texture_pass_cycles;
    m->l2_latency = gpu->l2_latency_cycles;
    m->shared_latency = gpu->shared_latency_cycles;
    m->atomic_latency = gpu->atomic_latency_cycles;
    dram_open(&m->dram, gpu, active_sms);
    m->local_room = (double)gpu->l2_bytes / gpu->l2_parts / active_sms / LINE_BYTES * LOCAL_KEPT;
    /* an odd number, so that strides of powers of two spread */
    m->sets = (room > SMALLEST_L1 ? room : SMALLEST_L1) / (LINE_BYTES * L1_WAYS) | 1;
    m->lines = need(malloc(m->sets * L1_WAYS * sizeof *m->lines));
    m->begun = need(calloc(m->sets, sizeof *m->begun));
    m->due = need(calloc(m->sets * L1_WAYS, sizeof *m->due));
}

void memory_model_close(struct memory_model *m) {
    free(m->lines);
    free(m->begun);
    free(m->due);
    dram_close(&m->dram);
    sector_set_free(&m->fetched);
    sector_set_free(&m->atomics);
    sector_set_free(&m->sums_at);
    sector_set_free(&m->retries);
    sector_set_free(&m->reads);
    sector_set_free(&m->local);
    sector_set_free(&m->stored);
}

double memory_model_queue(struct memory_model *m, uint64_t now, double cycles) {
    double turn = queue(&m->unit_free, (double)now, cycles);
    m->queued[m->next_queued] = m->unit_free;
    m->sums.l1_cycles += cycles;
    m->next_queued = (m->next_queued + 1) % UNIT_QUEUE;
    return turn;
}

/* The request keeps one of the L1's lines until then. Lines are taken in turn. */
static void hold_line(struct memory_model *m, double until) {
    m->due[m->next_due] = until;
    m->next_due = (m->next_due + 1) % (m->sets * L1_WAYS);
}

/* Use this multiprocessor's share of the L2 for these cycles; returns the turn. */
static double l2_queue(struct memory_model *m, double at, double cycles) {
    m->sums.l2_cycles += cycles;
    return shared_queue(&m->l2_free, at, cycles, m->l2_latency);
}

/* ---- L1 ---- */

/* The part of the local memory outside of the L1 that the L2 cannot hold. All multiprocessors are
 * like this one. */
static double local_overflow(const struct memory_model *m) {
    return m->local.n > m->local_room ? 1 - m->local_room / m->local.n : 0;
}

/* The line with this number, or the least recently used one of its set. Neighbours lie in different
 * sets: on an H200 all of the L1 holds them. */
static struct l1_line *place_of(const struct memory_model *m, uint64_t number) {
    uint64_t set = number % m->sets;
    struct l1_line *lines = m->lines + set * L1_WAYS, *oldest = lines;
    if (!m->begun[set]) memset(lines, 0, L1_WAYS * sizeof *lines);
    m->begun[set] = true;
    for (int i = 0; i < L1_WAYS; i++) {
        if (lines[i].tag == number + 1) return &lines[i];
        if (lines[i].used < oldest->used) oldest = &lines[i];
    }
    return oldest;
}

/* The line with this number; another one is replaced, and no sector is valid then. */
static struct l1_line *find_line(const struct memory_model *m, uint64_t number) {
    struct l1_line *line = place_of(m, number);
    if (line->tag != number + 1) line->valid = 0;
    line->tag = number + 1;
    return line;
}

/* ---- L2 and DRAM ---- */

/* The sectors of an access that lie in one line. */
struct part {
    uint64_t line;
    const uint64_t *sectors; /* as in the trace */
    uint32_t n;
    double at;
    struct link *link; /* NULL: the device's own memory */
    bool first;        /* of a block that waited for no place */
};

/* Ask the L2 for n sectors of one line, or send them. A request takes at least what a lone sector
 * costs. Returns its turn. */
static double request(struct memory_model *m, double at, uint32_t n, double sector, double lone) {
    double turn = queue(&m->port_free, at, n * m->port);
    m->sums.send_cycles++;
    return l2_queue(m, turn, larger(n * sector, m->side_by_side ? 0 : lone));
}

/* The same of what goes there. */
static double send(struct memory_model *m, double at, uint32_t n, double least, double sector,
                   double lone) {
    double cycles = larger(n * SEND_SECTOR, m->side_by_side ? 0 : least);
    double turn = queue(&m->send_free, at, cycles);
    m->sums.send_cycles += cycles;
    return l2_queue(m, turn, larger(n * sector, m->side_by_side ? 0 : lone));
}

/* Is this sector, the first fetch of it, in DRAM? Credit adds up to cold_share of all first
 * fetches. All first fetches of an access are cold or none is: *decided keeps the answer, -1: none
 * yet. */
static bool is_cold(struct memory_model *m, int *decided) {
    m->cold_credit += m->rates.cold_share;
    if (*decided < 0) *decided = m->cold_credit > 0;
    m->cold_credit -= *decided;
    return *decided;
}

/* As l2_holds(); the sectors of a line are mostly asked for one after the other. */
static double l2_share(struct memory_model *m, uint64_t sector, bool *copied) {
    if (m->looked != sector / LINE_SECTORS + 1) {
        m->looked = sector / LINE_SECTORS + 1;
        m->line_held = l2_look(m->l2, sector);
    }
    return l2_group_holds(&m->line_held, sector, copied);
}

/* Did the L2 hold the sector before the launch? All sectors of an access of which that is not
 * certain were there or none was. Repetitions of a block touch what it touched. */
static bool was_held(struct memory_model *m, uint64_t key, bool *copied) {
    double share = m->l2 ? l2_share(m, key % (1ull << SALT_SHIFT), copied) : 0;
    if (share <= 0 || share >= 1) return share > 0;
    m->held_credit += share;
    if (m->held < 0) m->held = m->held_credit > 0;
    m->held_credit -= m->held;
    return m->held;
}

/* The warp's read of this place waited. What blocks share all wait for. */
static void note_wait(const struct memory_model *m, const struct part *part, enum wait_kind kind,
                      uint64_t place, double cycles) {
    if (!m->waits || part->sectors[0] & SECTOR_SHARED) return;
    struct waits *waits = &m->waits[kind];
    waits->n += !waits->n || waits->place != place;
    waits->place = place;
    waits->most = larger(waits->most, cycles);
}

/* How much longer a sector takes that the L2 holds than one that the multiprocessor has read. */
static double l2_wait(const struct memory_model *m, const struct part *part, uint64_t key,
                      bool copied) {
    enum wait_kind kind = copied ? WAIT_COPY : WAIT_FAR;
    uint64_t place = key % (1ull << SALT_SHIFT) / (copied ? COPY_PIECE : FAR_PIECE);
    if (!copied && (m->l2_near || m->l2_parts < 2)) return 0;
    double wait = slowest_wait(&m->dram, kind, mixed(place));
    note_wait(m, part, kind, place, wait);
    return wait;
}

/* Use this multiprocessor's share of the link for n sectors, in one direction. Returns the turn. */
static double link_queue(const struct link *link, double *free, double at, uint32_t n) {
    return shared_queue(free, at, n * link->sector, link->latency);
}

/* When a sector of local memory is there, one of n of the line. */
static double fetch_local(struct memory_model *m, uint64_t key, uint32_t n, double turn) {
    *sector_set_find(&m->local, key / LINE_SECTORS) = 1;
    m->local_credit += local_overflow(m);
    if (m->local_credit < 1) return turn + m->l2_latency;
    double moved = larger(1, m->line_sectors / n);
    m->local_credit--;
    dram_write(&m->dram, turn, moved);
    m->sums.local_stores++;
    m->sums.local_loads += n < DRAM_SECTORS ? DRAM_SECTORS : 1;
    return dram_read(&m->dram, turn, key, moved);
}

/* The share of the wait for DRAM that is over for one of the blocks that load the same in step: the
 * nearest to it asks for all. Chains of loads by 1, 8, 63 and 132 blocks on an H200 tell. */
static double sooner(const struct memory_model *m) {
    return SOONER * fmin(1, 1 / (MANY_BLOCKS * m->rates.cold_share));
}

/* When a sector is there that the L2 gets asked for at turn. The L2 keeps nothing of memory beyond
 * a link. Blocks that began together ask for what they share at about the same time: one has it
 * fetched from DRAM, all wait for that. Later blocks find in the L2 what others had fetched. */
static double fetch(struct memory_model *m, const struct part *part, uint64_t key, double turn,
                    int *decided) {
    struct link *link = part->link;
    if (link == &m->peer) m->sums.peer_loads++;
    if (link) return link_queue(link, &link->read_free, turn, 1) + link->latency;
    if (m->always_l2) return turn + m->l2_latency;
    if (key & LOCAL_SPACE) return fetch_local(m, key, part->n, turn);
    uint32_t *seen = sector_set_find(&m->fetched, key);
    bool beside = *seen == BESIDE, copied = false;
    if (*seen && !beside) return turn + m->l2_latency;
    *seen = BESIDE + 1;
    if (was_held(m, key, &copied)) return turn + m->l2_latency + l2_wait(m, part, key, copied);
    bool waits = part->first && (m->in_step || !(part->sectors[0] & SECTOR_SHARED));
    if (!waits && !is_cold(m, decided)) return turn + m->l2_latency;
    double mine = waits ? m->rates.cold_share : 1;
    m->sums.dram_loads += mine;
    double ready = dram_read(&m->dram, turn, key, mine);
    note_wait(m, part, WAIT_DRAM, key / PAGE_SECTORS, m->dram.page);
    if (beside) return turn + m->l2_latency;
    if (waits && part->sectors[0] & SECTOR_SHARED)
        ready -= sooner(m) * larger(0, ready - turn - m->l2_latency);
    seen = sector_set_find(&m->fetched, key ^ 1);
    if (!*seen) *seen = BESIDE;
    return ready;
}

/* ---- Sectors of one line ---- */

/* The sector's bit in valid. */
static uint8_t sm_bit_of(uint64_t sector) {
    return (uint8_t)(1u << sector % LINE_SECTORS);
}

/* A load through the L1: sectors that the line lacks are fetched in one request. Returns when the
 * last one is there. */
static double sm_load(struct memory_model *m, const struct part *part, int *decided) {
    struct l1_line *line = find_line(m, part->line);
    uint32_t missing = 0;
    double ready = part->at + m->l1_latency;
    line->used = (uint64_t)part->at + 1;
    m->sums.l1_loads += part->n;
    for (uint32_t i = 0; i < part->n; i++) missing += !(line->valid & sm_bit_of(part->sectors[i]));
    m->sums.l1_misses += missing;
    double turn = missing ? request(m, part->at, missing, m->l2_read, m->l2_lone_read) : 0;
    for (uint32_t i = 0; i < part->n; i++) {
        unsigned place = part->sectors[i] % LINE_SECTORS;
        if (!(line->valid & sm_bit_of(place)))
            line->there[place] = fetch(m, part, part->line * LINE_SECTORS + place, turn, decided);
        line->valid |= sm_bit_of(place);
        ready = larger(ready, line->there[place]);
    }
    if (missing) hold_line(m, ready);
    return ready;
}

/* Work of the L2 on one place is done one after the other. done: by place, when it is free, counted
 * from when the first multiprocessor began. What blocks share takes the requests of `sharers`
 * multiprocessors, which began up to `fill` cycles before this one. Returns when this work
 * begins. */
static double turn_at(const struct memory_model *m, struct sector_set *done, uint64_t place,
                      const struct part *part, double turn, double cycles, double sharers) {
    uint32_t *free = sector_set_find(done, place);
    bool shared = part->sectors[0] & SECTOR_SHARED;
    double before = shared ? m->fill * (1 - 1 / sharers) : 0, begin = larger(turn, *free - before);
    *free = (uint32_t)(larger(turn, *free) + cycles * (shared ? sharers : 1));
    return begin;
}

/* Loads that must see what others stored pass by the L1: .cg and .cv, volatile ones, and those with
 * an order that holds beyond the block. */
static bool passes_by(const struct ptx_insn *insn) {
    bool ordered = insn->order && insn->scope != 'c';
    return insn->cache == 'g' || insn->cache == 'v' || insn->is_volatile || ordered;
}

/* When all sectors of the part are there. */
static double fetch_all(struct memory_model *m, const struct part *part, double turn,
                        int *decided) {
    double ready = turn;
    for (uint32_t i = 0; i < part->n; i++) {
        uint64_t key = part->line * LINE_SECTORS + part->sectors[i] % LINE_SECTORS;
        ready = larger(ready, fetch(m, part, key, turn, decided));
    }
    return ready;
}

/* A load that passes by the L1. The slices of a line give SLICE_SECTORS a cycle. */
static double load_past(struct memory_model *m, const struct part *part, int *decided) {
    double turn = request(m, part->at, part->n, m->l2_read, m->l2_lone_read);
    double given = ceil((double)part->n / SLICE_SECTORS) / m->l2_parts;
    double begin = turn_at(m, &m->reads, part->line, part, turn, given, m->active_sms), ready;
    m->sums.l1_loads += part->n;
    m->sums.l1_misses += part->n;
    ready = fetch_all(m, part, begin, decided);
    hold_line(m, ready);
    return ready;
}

static uint32_t lines_of(const struct traced_access *access) {
    uint32_t lines = 1;
    for (uint32_t i = 1; i < access->count; i++)
        lines += access->sectors[i] / LINE_SECTORS != access->sectors[i - 1] / LINE_SECTORS;
    return lines;
}

/* Does the store go to the sectors that the same warp's last one wrote in part, as the members of a
 * struct do? On an H200 three such stores take as long as one, if they go to few lines. */
static bool completes(struct memory_model *m, const struct traced_access *access, uint64_t salt,
                      uint32_t slot) {
    struct stored_last *last = &m->stored_last[slot],
                       now = {access->sectors[0] ^ salt, access->count};
    bool same = last->count == now.count && now.first - last->first <= 1;
    *last = access->flags & ACCESS_PARTIAL ? now : (struct stored_last){0};
    return same && lines_of(access) <= MERGED_LINES;
}

/* Sectors' time of the DRAM for a store to sectors of a line that this multiprocessor has loaded
 * while others have the rest of it: on an H200, that of a line more, about 100 bytes. Two arrays of
 * 64 million doubles change places in 528 us by rows of 128 bytes, and in 933 by rows of 64. */
static double shared_line(const struct memory_model *m, const struct part *part) {
    uint8_t stored = 0;
    if (part->n == LINE_SECTORS) return 0;
    for (uint32_t i = 0; i < part->n; i++) stored |= sm_bit_of(part->sectors[i]);
    const struct l1_line *line = place_of(m, part->line);
    return line->tag == part->line + 1 && line->valid == stored ? m->line_sectors : 0;
}

/* A store: the L1 writes through. Returns when it is the request's turn at the L2; no answer is
 * waited for. */
static double sm_store(struct memory_model *m, const struct part *part, bool partial) {
    double sector = partial ? m->l2_partial : m->l2_write;
    if (part->n == LINE_SECTORS && !part->link) sector *= m->rates.fullest;
    double turn =
        m->completes ? part->at : send(m, part->at, part->n, SEND_LEAST, sector, m->l2_lone_write);
    if (m->completes) {
        m->sums.send_cycles += part->n * SEND_SECTOR;
        m->sums.l2_cycles += part->n * m->l2_write;
    }
    m->sums.l2_stores += part->n;
    if (part->link == &m->peer) m->sums.peer_stores += part->n;
    if (part->link)
        turn = link_queue(part->link, &part->link->write_free, turn, part->n);
    else
        dram_write(&m->dram, turn, (part->n + shared_line(m, part)) * m->rates.written);
    hold_line(m, turn);
    return turn;
}

/* A store to local memory stays in the L1, and is written through to the L2. Words of threads that
 * index an array apart come there one by one. Returns when it is their turn. */
static double store_local(struct memory_model *m, const struct part *part, bool partial) {
    struct l1_line *line = find_line(m, part->line);
    bool held = line->valid;
    line->used = (uint64_t)part->at + 1;
    for (uint32_t i = 0; i < part->n; i++) {
        line->there[part->sectors[i] % LINE_SECTORS] = part->at;
        line->valid |= sm_bit_of(part->sectors[i]);
    }
    *sector_set_find(&m->local, part->line) = 1;
    double beyond = held ? 0 : local_overflow(m);
    if (beyond > 0) dram_write(&m->dram, part->at, larger(part->n, m->line_sectors) * beyond);
    m->sums.local_stores += part->n * beyond;
    m->sums.l2_stores += part->n;
    *sector_set_find(&m->stored, part->line) = 1;
    double fullest = fullest_slice(m->stored.n * m->active_sms);
    double sector = LOCAL_WRITES * (partial ? m->l2_partial : m->l2_write);
    double turn = queue(&m->send_free, part->at, part->n * SEND_SECTOR + LOCAL_SEND);
    return l2_queue(m, turn, fullest * (part->n * sector + LOCAL_LINE * m->l2_partial));
}

/* How many multiprocessors have atomics on a line and its neighbours in the slice, by the part of
 * the traced blocks that touch them. */
static double sharers_of(const struct memory_model *m, uint64_t line) {
    const uint32_t *word = sector_set_known(&m->trace->sharers, line / SLICE_LINES);
    double part = word ? (double)(*word % (1u << 16)) / m->trace->compared : 1;
    return larger(1, m->active_sms * part);
}

/* On one word, an H200 compares for 2.2 million threads in 1582 us, and adds for as many. */
static bool is_slow_atomic(const struct ptx_insn *insn, bool of_one_word) {
    return (insn->sub == PTX_ATOM_CAS && !of_one_word) ||
           (insn->sub == PTX_ATOM_ADD && insn->type == PTX_F64);
}

/* A try of a compare-and-swap that a loop repeats, by so many threads of the warp, of which one has
 * success. Returns when that is. */
static double retry(struct memory_model *m, const struct part *part, double at, double threads,
                    double sharers) {
    uint64_t sector = part->line * LINE_SECTORS + part->sectors[0] % LINE_SECTORS;
    double cycles = RETRY_CYCLES + threads * *m->live_warps * sharers / RETRY_THREADS;
    at = turn_at(m, &m->retries, sector, part, at, cycles, sharers);
    m->retried = larger(m->retried, *sector_set_find(&m->retries, sector));
    return at;
}

/* All threads that begin together load a word before the first of them swaps it, so all of them
 * try, whatever the others have. Returns when the last of the warp's threads has. */
static double first_try(struct memory_model *m, const struct traced_access *access,
                        const struct part *part, double at) {
    if (!(access->flags & ACCESS_SELECTS) || !access->first || part->link) return at;
    double cycles = m->atomic_cycles * (access->flags >> ACCESS_PASSES_SHIFT);
    double begin = turn_at(m, &m->atomics, part->line / SLICE_LINES, part, at, cycles,
                           sharers_of(m, part->line));
    m->retried = larger(m->retried, begin + m->atomic_latency);
    return begin + m->atomic_latency;
}

/* Atomics in one slice of the L2 follow each other, pass by pass. After a link, one goes there and
 * back before the next: on the host's memory by slice, on a peer's by line. Two H200s take 16 ways
 * there and back for 16 atomics of each thread on a word of the peer's. Returns when it is this
 * one's turn. */
static double sm_update(struct memory_model *m, const struct part *part, double passes,
                        const struct traced_access *access, int *decided) {
    const struct ptx_insn *insn = access->insn;
    bool answers = access->kind == ACCESS_ATOM && !part->link;
    double more = !answers ? 1 : part->n > 1 ? ANSWERS_LINE : ANSWERS_LONE;
    double turn = send(m, part->at, part->n, SEND_SECTOR, more * m->l2_partial,
                       more * m->l2_lone_write * larger(1, passes / part->n));
    double cycles =
        larger(m->atomic_cycles * larger(1, passes / part->n), m->atomic_pass_cycles * passes);
    bool is_float = insn && insn->type >= PTX_F16;
    bool of_one_word = access->flags & ACCESS_ONE_WORD && passes > part->n;
    double slow = insn && is_slow_atomic(insn, of_one_word) ? SLOW_ATOMIC : 1;
    cycles *= slow;
    if (access->flags & ACCESS_SELECTS) cycles *= SELECTED;
    if (part->link) cycles = part->link->latency;
    double sharers = sharers_of(m, part->line);
    uint64_t place = part->link == &m->peer ? part->line : part->line / SLICE_LINES;
    double begin = turn_at(m, &m->atomics, place, part, turn, cycles, sharers);
    if (is_float)
        begin = turn_at(m, &m->sums_at, part->line, part, begin, FLOAT_CYCLES * passes / part->n,
                        sharers);
    if (access->flags & ACCESS_RETRIED) begin = retry(m, part, begin, passes, sharers);
    if (!part->link)
        m->sums.atomic_cycles += passes > part->n ? cycles : slow * m->atomic_pass_cycles * passes;
    m->sums.l2_stores += part->n;
    if (part->link == &m->peer) m->sums.peer_stores += part->n;
    hold_line(m, begin);
    if (part->link) return begin;
    dram_write(&m->dram, begin, part->n * m->rates.written);
    return fetch_all(m, part, begin, decided) - m->l2_latency;
}

/* ---- Accesses ---- */

static struct link *link_of(struct memory_model *m, const struct traced_access *access) {
    if (access->flags & ACCESS_HOST) return &m->host;
    return access->flags & ACCESS_PEER ? &m->peer : NULL;
}

/* Cycles from an atomic's turn until what it found is there. */
static double answer_latency(const struct memory_model *m, const struct part *part,
                             const struct traced_access *access) {
    bool several = access->count > 1 || access->flags >> ACCESS_PASSES_SHIFT > 1;
    if (part->link) return part->link->latency;
    return m->atomic_latency + (several ? ANSWERS_LATER : 0);
}

/* The sectors from number i on that lie in one line. Keys keep apart: local memory by slot, sectors
 * of different copies of a block by salt. Shared sectors are the same for all. */
static struct part part_at(struct memory_model *m, const struct traced_access *access, uint32_t i,
                           uint64_t salt, uint32_t slot, double at) {
    const uint64_t *sectors = access->sectors + i;
    bool local = access->kind >= ACCESS_LOCAL_LOAD, shared = sectors[0] & SECTOR_SHARED;
    struct part part = {
        .sectors = sectors, .n = 1, .at = at, .link = link_of(m, access), .first = access->first};
    while (i + part.n < access->count &&
           sectors[part.n] / LINE_SECTORS == sectors[0] / LINE_SECTORS)
        part.n++;
    uint64_t key = local    ? LOCAL_SPACE | (uint64_t)slot << 40 | sectors[0]
                   : shared ? sectors[0] & ~SECTOR_SHARED
                            : sectors[0] ^ salt;
    part.line = key / LINE_SECTORS;
    return part;
}

/* When the part's result is there, or without one, when the multiprocessor is rid of it. */
static double access_part(struct memory_model *m, const struct traced_access *access,
                          const struct part *part, int *decided) {
    double passes = (double)(access->flags >> ACCESS_PASSES_SHIFT) * part->n / access->count;
    bool is_load = access->kind == ACCESS_LOAD || access->kind == ACCESS_LOCAL_LOAD;
    bool partial = access->flags & ACCESS_PARTIAL;
    if (m->always_l1 && is_load) return part->at + m->l1_latency;
    switch (access->kind) {
    case ACCESS_LOAD:
        return first_try(m, access, part,
                         (passes_by(access->insn) ? load_past : sm_load)(m, part, decided));
    case ACCESS_TEXTURE: return sm_load(m, part, decided) + m->texture_latency - m->l1_latency;
    case ACCESS_LOCAL_LOAD: return sm_load(m, part, decided);
    case ACCESS_LOCAL_STORE: return store_local(m, part, partial);
    case ACCESS_STORE: return sm_store(m, part, partial);
    case ACCESS_RED: return sm_update(m, part, passes, access, decided);
    default: return sm_update(m, part, passes, access, decided) + answer_latency(m, part, access);
    }
}

/* Cycles in which the threads of a warp get `width` bytes each from memory, or give them. */
static double register_cycles(uint32_t width, double bytes_per_cycle) {
    return WARP_SIZE * width / bytes_per_cycle;
}

/* In the flags of a load before such a loop are its threads. */
static double passes_of(const struct traced_access *access) {
    bool selects = access->kind == ACCESS_LOAD && access->flags & ACCESS_SELECTS;
    return selects ? 1 : access->flags >> ACCESS_PASSES_SHIFT;
}

/* Cycles that the load/store unit gives to a warp's access (measure/access.cu). The L1's data lie
 * in banks as shared memory's do, and it looks lines up one by one. Those of local memory have a
 * bank for each thread; sectors that are stored in part come there one by one. */
static double unit_cycles(const struct memory_model *m, const struct traced_access *access) {
    double by_count = ceil((double)access->count / m->l1_sectors);
    double by_width = register_cycles(access->width, m->load_bytes);
    double passes = passes_of(access);
    if (access->kind == ACCESS_TEXTURE) return larger(by_count, passes * m->texture_pass_cycles);
    bool one_by_one = access->kind == ACCESS_LOCAL_STORE && access->flags & ACCESS_PARTIAL;
    if (one_by_one) return larger(access->count, by_width);
    if (access->kind == ACCESS_STORE && !access->side_by_side)
        return larger(larger(by_count, by_width), SEND_LEAST * (lines_of(access) - 1));
    if (access->kind != ACCESS_LOAD) return larger(by_count, by_width);
    return larger(access->side_by_side ? by_count : passes, larger(1, by_width));
}

/* The same of shared memory, whose passes are counted. */
static double shared_cycles(const struct memory_model *m, const struct traced_access *access) {
    double bytes = access->stores ? m->shared_store_bytes : m->shared_load_bytes;
    return larger(access->count, register_cycles(access->width, bytes));
}

/* The unit passes l1_sectors a cycle; a part begins when its first sector passes. The slowest part
 * decides. */
static double access_sectors(struct memory_model *m, uint64_t now,
                             const struct traced_access *access, uint64_t salt, uint32_t slot) {
    double cycles = unit_cycles(m, access);
    double turn = memory_model_queue(m, now, cycles), ready = turn;
    int decided = -1;
    m->side_by_side = access->side_by_side;
    m->held = -1;
    m->completes = access->kind == ACCESS_STORE && completes(m, access, salt, slot);
    bool loads = access->kind == ACCESS_LOAD || access->kind == ACCESS_LOCAL_LOAD;
    double passes = access->kind == ACCESS_LOAD ? passes_of(access) : 1;
    double line_cycles = loads ? LINE_CYCLES : 0;
    uint32_t lines = 0;
    for (uint32_t i = 0; i < access->count; lines++) {
        double at = turn + larger(i / m->l1_sectors, line_cycles * lines);
        struct part part = part_at(m, access, i, salt, slot, at);
        ready = larger(ready, access_part(m, access, &part, &decided));
        i += part.n;
    }
    if (access->kind == ACCESS_STORE) m->sums.l1_cycles += fmax(0, lines - cycles);
    return ready + PASS_WAIT * fmax(0, passes - fmax(1, LINE_CYCLES * lines));
}

/* Shared and constant memory: count passes; the last one's result comes after the latency. */
double memory_model_access(struct memory_model *m, uint64_t now, const struct traced_access *access,
                           uint64_t salt, uint32_t slot) {
    if (access->kind < ACCESS_SHARED) return access_sectors(m, now, access, salt, slot);
    bool constant = access->kind == ACCESS_CONST;
    double cycles = constant ? access->count * m->const_pass_cycles : shared_cycles(m, access);
    double turn = memory_model_queue(m, now, cycles);
    return turn + m->shared_latency + cycles - 1;
}
