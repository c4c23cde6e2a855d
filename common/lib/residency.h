/* residency.h: how many blocks of a kernel a multiprocessor holds at once, and which resource
 * limits them. The rules come from the CUDA C++ Programming Guide ("Multiprocessor Level") and the
 * toolkit's occupancy calculator; tests/unit/test_occupancy.c compares with that. C and C++: the
 * labs and the simulator share this file. */
#pragma once

#include <limits.h>
#include <stddef.h>

enum {
    RESIDENCY_WARP = 32,           /* threads */
    RESIDENCY_BLOCK = 1024,        /* most threads of a block, on every GPU */
    RESIDENCY_REGISTERS = 255,     /* most of a thread */
    RESIDENCY_REGISTER_UNIT = 256, /* a warp is given registers in units of so many */
    RESIDENCY_SHARED_UNIT = 128, /* bytes: a block is given shared memory in units of so many ... */
    RESIDENCY_SHARED_UNIT_OLD = 256, /* ... and up to compute capability 7.x of so many */
    RESIDENCY_SHARED_UNIT_SINCE = 8  /* major compute capability */
};

/* What a multiprocessor has. */
struct ResidencyRoom {
    int major, minor; /* compute capability */
    int threads, blocks;
    int registers, registersPerBlock;
    size_t shared,
        sharedPerBlock;    /* bytes; of a block: as a launch of this kernel may have at most */
    size_t sharedReserved; /* bytes of each block's that the driver keeps */
};

/* What a block of the kernel needs. */
struct ResidencyNeed {
    int threads;
    int registers; /* of a thread */
    size_t shared; /* bytes, static and dynamic */
};

enum ResidencyLimit {
    RESIDENCY_BY_REGISTERS,
    RESIDENCY_BY_SHARED,
    RESIDENCY_BY_BLOCKS,
    RESIDENCY_BY_WARPS
};

struct Residency {
    int blocks; /* on a multiprocessor; 0: such a block does not run */
    int warps;
    size_t sharedPerBlock; /* bytes, as allocated: rounded up, with what is reserved */
    enum ResidencyLimit limit;
    int limits[4]; /* blocks by each limit alone, in the order of the enumeration */
};

static inline size_t residencyRoundUp(size_t value, size_t unit) {
    return (value + unit - 1) / unit * unit;
}

static inline int residencyWarps(int threads) {
    return (threads + RESIDENCY_WARP - 1) / RESIDENCY_WARP;
}

/* Registers lie in partitions, one beside each scheduler; a warp's are all in one. */
static inline int residencyPartitions(const struct ResidencyRoom *room) {
    return room->major == 6 && room->minor == 0 ? 2 : 4;
}

/* How many blocks there are registers for. The block alone must fit, its warps spread over the
 * partitions. */
static inline int residencyByRegisters(const struct ResidencyRoom *room,
                                       const struct ResidencyNeed *need) {
    int partitions = residencyPartitions(room), warps = residencyWarps(need->threads);
    int perWarp =
        (int)residencyRoundUp((size_t)need->registers * RESIDENCY_WARP, RESIDENCY_REGISTER_UNIT);
    int spread = (int)residencyRoundUp((size_t)warps, (size_t)partitions);
    if (need->registers > RESIDENCY_REGISTERS || perWarp * spread > room->registersPerBlock)
        return 0;
    if (perWarp == 0) return INT_MAX;
    return room->registers / partitions / perWarp * partitions / warps;
}

/* Most registers of a thread with which so many blocks of so many threads fit, both positive: a
 * multiple of a warp's allocation unit divided by its threads, as compilers choose it. 0: they
 * never fit. */
static inline int residencyRegistersFor(const struct ResidencyRoom *room, int threads, int blocks) {
    int partitions = residencyPartitions(room), warps = residencyWarps(threads) * blocks;
    int spread = (int)residencyRoundUp((size_t)warps, (size_t)partitions) / partitions;
    int units = room->registers / partitions / spread / RESIDENCY_REGISTER_UNIT;
    int registers = units * RESIDENCY_REGISTER_UNIT / RESIDENCY_WARP;
    return registers < RESIDENCY_REGISTERS ? registers : RESIDENCY_REGISTERS;
}

static inline size_t residencySharedOfBlock(const struct ResidencyRoom *room,
                                            const struct ResidencyNeed *need) {
    size_t unit = room->major >= RESIDENCY_SHARED_UNIT_SINCE ? RESIDENCY_SHARED_UNIT
                                                             : RESIDENCY_SHARED_UNIT_OLD;
    return residencyRoundUp(need->shared + room->sharedReserved, unit);
}

static inline int residencyByShared(const struct ResidencyRoom *room,
                                    const struct ResidencyNeed *need) {
    size_t bytes = residencySharedOfBlock(room, need);
    if (bytes > room->sharedPerBlock + room->sharedReserved) return 0;
    return bytes > 0 ? (int)(room->shared / bytes) : INT_MAX;
}

static inline int residencyByWarps(const struct ResidencyRoom *room,
                                   const struct ResidencyNeed *need) {
    return need->threads > RESIDENCY_BLOCK
               ? 0
               : room->threads / RESIDENCY_WARP / residencyWarps(need->threads);
}

/* The smallest of the four limits; of equal ones the first in the enumeration. need->threads is
 * positive. */
static inline struct Residency residencyOf(const struct ResidencyRoom *room,
                                           const struct ResidencyNeed *need) {
    struct Residency found;
    int *limits = found.limits;
    limits[RESIDENCY_BY_REGISTERS] = residencyByRegisters(room, need);
    limits[RESIDENCY_BY_SHARED] = residencyByShared(room, need);
    limits[RESIDENCY_BY_BLOCKS] = room->blocks;
    limits[RESIDENCY_BY_WARPS] = residencyByWarps(room, need);
    int least = 0;
    for (int i = 1; i < 4; i++)
        if (limits[i] < limits[least]) least = i;
    found.blocks = limits[least];
    found.warps = found.blocks * residencyWarps(need->threads);
    found.sharedPerBlock = residencySharedOfBlock(room, need);
    found.limit = (enum ResidencyLimit)least;
    return found;
}
