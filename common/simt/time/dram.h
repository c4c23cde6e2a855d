/*
 * time/dram.h: the DRAM as one multiprocessor sees it, in the time model: its share of the
 * bandwidth, and how long a sector takes that it asks for. Times in cycles. On an H200
 * (measure/loaded.cu) the latency is no constant:
 *
 *   - Nothing is faster than a certain time. What comes on top is about exponential and differs
 *     from page to page: banks, refresh, the way across the chip. A warp that waits for several
 *     lines waits for the slowest of them. So does a barrier that waits for several warps.
 *   - The busier the DRAM, the more it is: with the square of the part of the time in which it
 *     moves data.
 *   - Loads wait for stores that the DRAM is busy with: in proportion to the part of the time in
 *     which it writes.
 */
#pragma once

#include "simt/device/gpu.h"
#include "simt/device/sector_set.h"

#define DRAM_QUANTILES 256
#define PAGE_SECTORS   16 /* neighbours with the same latency: 512 bytes */

struct dram {
    double read, write; /* between two sectors of this multiprocessor */
    double floor, scale, busy_wait, write_wait;
    double page;               /* what that of the last read added */
    double free;               /* when it takes another request */
    double window, window_end; /* how long a window is in which its work is summed up, and when this
                                  one ends */
    double busy, writing; /* cycles of this window in which it moved data, and in which it wrote */
    struct sector_set pages; /* the numbers of those seen, from 1 */
    double wait;             /* because of what it did in the window before */
};

/* active_sms multiprocessors share the DRAM. A page draws its latency by the order in which pages
 * are first asked for, not by its address, which may differ from run to run. */
void dram_open(struct dram *dram, const struct gpu *gpu, double active_sms);
void dram_close(struct dram *dram);
/* What a page may add to the floor: DRAM_QUANTILES values, all equally likely. */
double dram_more(const struct dram *dram, int quantile);
/* The part of all pages that add more than this to the floor. */
double dram_longer(const struct dram *dram, double time);
/* When a sector is there that is asked for at cycle `at`. part: of its bandwidth, where other
 * multiprocessors want the same sector; 1: none does. */
double dram_read(struct dram *dram, double at, uint64_t sector, double part);
/* Write sectors, at cycle `at`; a fraction of a sector counts as that. Nothing waits for it. */
void dram_write(struct dram *dram, double at, double sectors);
