/*
 * time/dram.h: the DRAM as one multiprocessor sees it, in the time model: its share of the bandwidth, and how long a
 * sector takes that it asks for. Times in cycles. On an H200 (measure/loaded.cu) the latency is no constant:
 *
 *   - Nothing is faster than a certain time, and what comes on top is about exponential, each page's own: banks,
 *     refresh, the way across the chip. A warp that waits for several lines, or a barrier that waits for several warps,
 *     waits for the slowest of them.
 *   - The busier the DRAM, the more it is: with the square of the part of the time in which it moves data.
 *   - Loads wait for stores that the DRAM is busy with: in proportion to the part of the time in which it writes.
 */
#ifndef SIMT_TIME_DRAM_H
#define SIMT_TIME_DRAM_H

#include "simt/device/gpu.h"
#include "simt/device/sector_set.h"

#define DRAM_QUANTILES 256

struct dram {
    double read, write; /* between two sectors of this multiprocessor */
    double floor, busy_wait, write_wait;
    double more[DRAM_QUANTILES]; /* than the floor, where nothing else is under way: one as likely as another */
    double free;                 /* when it takes another request */
    double window, window_end;   /* how long a window is in which its work is summed up, and when this one ends */
    double busy, writing;        /* cycles of this window in which it moved data, and in which it wrote */
    struct sector_set pages;     /* the numbers of those seen, from 1 */
    double wait;                 /* because of what it did in the window before */
};

/* A page is drawn a time by when it is first asked for, not by its address, which may differ from run to run.
 * active_sms multiprocessors share the DRAM. */
void dram_open(struct dram *dram, const struct gpu *gpu, double active_sms);
void dram_close(struct dram *dram);
/* When the sector of that number is there, asked for at a cycle. */
double dram_read(struct dram *dram, double at, uint64_t sector);
/* So many sectors are to be written, which may be a part of one; nothing waits for that. */
void dram_write(struct dram *dram, double at, double sectors);

#endif
