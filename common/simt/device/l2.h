/*
 * device/l2.h: what the L2 of each device holds when a launch begins: sectors that launches, fills
 * and copies within the device moved through it before, and that nothing newer has displaced yet.
 * Of copies from the host the last ones are in it, too. With SIMT_COLD=1, and with --sample, it is
 * empty, as under a profiler that flushes it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct allocation;
struct gpu;

/* Bytes of different data that the L2 can hold, if each of its parts holds a copy. */
double l2_room(const struct gpu *gpu);
/* Follow the L2s of devices of this type from now on. Before, each launch finds them empty. */
void l2_follow(const struct gpu *gpu);
bool l2_is_followed(void);
void l2_flush(int device);
/* The device moves these bytes; its kernel touched the marked sectors of the allocation
 * (device/touched.h). They come into its L2 with l2_settle(), so that the time model still finds
 * what there was before. */
void l2_touch(int device, uint64_t address, size_t bytes);
void l2_touch_marked(const struct allocation *allocation);
void l2_settle(int device);
/* An engine copies these bytes from the host. */
void l2_copy(int device, uint64_t address, size_t bytes);
/* What did is there no more. */
void l2_drop_copies(int device);
/* Sectors among them that were loaded and that the L2 held. */
double l2_found(void);
/* They were touched in vain: the launch has to run again. */
void l2_forget(void);

/* The L2 of the current device; NULL: it is empty. */
struct l2;
const struct l2 *l2_current(void);
/* Does it hold the sector with this number (address / SECTOR_BYTES)? 0 to 1: how likely. *copied:
 * only as such a copy left it; it takes longer to come then. Safe from any thread. */
double l2_holds(const struct l2 *l2, uint64_t sector, bool *copied);
/* The same for several sectors of a line. */
struct l2_group {
    uint32_t own, copies; /* bits of sectors */
    double own_share, copies_share;
};
struct l2_group l2_look(const struct l2 *l2, uint64_t sector);
double l2_group_holds(const struct l2_group *group, uint64_t sector, bool *copied);
