/*
 * time/sm_memory.h: the memory system as one multiprocessor sees it: the load/store unit that it
 * passes through in order, the L1 and shared memory after that, and its share of the L2's and the
 * DRAM's bandwidth, where a request waits for those before it. Private to the time model.
 */
#pragma once

#include "dram.h"
#include "queue.h"
#include "simt/device/gpu.h"
#include "simt/device/l2.h"
#include "simt/device/sector_set.h"
#include "simt/machine/machine.h"
#include "slowest.h"
#include "traffic.h"

#define L1_WAYS    8
#define MOST_SLOTS 64 /* warps of a multiprocessor */
#define SALT_SHIFT 44 /* of a copy's number in the keys of its sectors */
/* instructions that the load/store unit and the schedulers hold for it (measure/access.cu) */
#define UNIT_QUEUE 61
/* of the lanes' bandwidth: bandwidthTest's 12 to 13 of PCIe 3's 15.75 GB/s */
#define PCIE_SHARE 0.8

/* A line of 128 bytes. */
struct l1_line {
    uint64_t tag;    /* + 1; 0: empty */
    uint64_t used;   /* when last */
    double there[4]; /* when each sector is */
    uint8_t valid;   /* bit by sector */
};

/* The sectors that a warp stored to last. */
struct stored_last {
    uint64_t first;
    uint32_t count;
};

struct memory_sums {
    double atomic_cycles;             /* of the L2, for atomics */
    double l1_loads, l1_misses;       /* sectors asked of the L1, and those it did not have */
    double l2_stores;                 /* sectors */
    double peer_loads, peer_stores;   /* those of another device among them: they pass by the L2 */
    double dram_loads;                /* sectors */
    double local_loads, local_stores; /* sectors of local memory that the L2 could not hold */
    double l1_cycles;                 /* of the L1's data, which shared memory has, too, */
    double send_cycles;               /* of the way to the L2, */
    double l2_cycles;                 /* and of the multiprocessor's share of the L2 */
};

/* The way to memory beyond the device's own: the host's, or a peer's. */
struct link {
    double sector, latency; /* cycles between sectors, and of a load */
    double read_free, write_free;
};

struct memory_model {
    double l2_read, l2_write, l2_partial; /* cycles between sectors through the L2 */
    /* and between requests, where each is for one sector of a line */
    double l2_lone_read, l2_lone_write;
    struct traffic_rates rates;
    double fill, active_sms, l2_parts; /* as in struct sm_setup */
    double atomic_cycles, atomic_pass_cycles, const_pass_cycles;
    double texture_latency, texture_pass_cycles;
    double line_sectors; /* that a line takes the DRAM at least */
    double l1_latency, l2_latency, shared_latency, atomic_latency;
    uint32_t l1_sectors;       /* that the L1 passes in a cycle, each from its place */
    double load_bytes;         /* a cycle, to or from the registers of a warp: through the L1, */
    double shared_load_bytes;  /* loads of shared memory, */
    double shared_store_bytes; /* and stores to it */
    double port; /* cycles between sectors through the multiprocessor's way to the L2 */
    /* when the unit is done with each of the last instructions, in turn */
    double queued[UNIT_QUEUE];
    uint32_t next_queued;                            /* the oldest of them */
    double port_free, send_free, unit_free, l2_free; /* when each takes another request */
    struct link host, peer;
    struct dram dram;
    struct slowest slowest;
    struct waits *waits; /* of the warp that loads; NULL: of no one */
    double cold_credit;
    const struct trace *trace; /* whose blocks share lines */
    const struct l2 *l2;       /* what it held before the launch; NULL: nothing */
    struct l2_group line_held; /* what it holds of this line */
    uint64_t looked;           /* the line, + 1 */
    bool l2_near;              /* the same multiprocessors have read that before */
    double held_credit;
    int held; /* of the access that is under way: are its sectors among that? -1: not known yet */
    bool always_l1, always_l2; /* hit: time/without.h */
    bool side_by_side;         /* the access that is under way (struct traced_access) */
    bool completes;            /* a store to the sectors that its warp's last one wrote in part */
    struct stored_last stored_last[MOST_SLOTS];
    bool in_step; /* blocks that began together load what they share at one time */
    struct l1_line *lines;
    bool *begun; /* by set: a short replay asks for few, and clears those alone */
    uint64_t sets;
    double *due;                /* of each line, in turn: when the request that holds it is done */
    uint64_t next_due;          /* the line that a request would hold next */
    struct sector_set fetched;  /* sectors that came from the L2 before */
    struct sector_set atomics;  /* when the L2 is done with the atomics on a line, */
    struct sector_set sums_at;  /* with the additions to floats, */
    struct sector_set retries;  /* with the last success of an atomicCAS, */
    double retried;             /* when all of them are over */
    const uint32_t *live_warps; /* of the multiprocessor */
    struct sector_set reads;    /* and with the loads that pass by the L1 */
    struct sector_set local;    /* lines of local memory that were stored or fetched, */
    struct sector_set stored;   /* and that were stored to */
    double local_room;          /* of them in the L2 */
    double local_credit;        /* as cold_credit */
    struct memory_sums sums;
};

/* Does it change shared memory in one piece? */
static inline bool is_shared_atomic(const struct traced_access *access) {
    const struct ptx_insn *insn = access->insn;
    return access->kind == ACCESS_SHARED && (insn->op == PTX_ATOM || insn->op == PTX_RED);
}

/* shared_bytes: set aside for resident blocks, taken from the L1. */
void memory_model_open(struct memory_model *m, const struct gpu *gpu, double active_sms,
                       uint64_t shared_bytes);
void memory_model_close(struct memory_model *m);
/* The cycle from which the load/store unit takes a request; before, its queue is full. leaves: the
 * request leaves the multiprocessor. It also needs a line of the L1, which it holds for the data
 * that come or go. */
static inline double memory_model_accepts(const struct memory_model *m, bool leaves) {
    /* queued[next_queued] is when the queue has a place again, due[next_due] when the line that the
     * request would hold is free. */
    double unit = m->queued[m->next_queued];
    return leaves ? larger(unit, m->due[m->next_due]) : unit;
}
/* Queue an instruction at cycle now that the load/store unit gives these cycles to. Returns the
 * cycle of its turn. */
double memory_model_queue(struct memory_model *m, uint64_t now, double cycles);
/* A warp's access at cycle now. Returns the cycle at which its result is there; without a result,
 * the cycle at which the multiprocessor is rid of it. salt keeps sectors of different copies of a
 * block apart, slot the local memory of warps. */
double memory_model_access(struct memory_model *m, uint64_t now, const struct traced_access *access,
                           uint64_t salt, uint32_t slot);
