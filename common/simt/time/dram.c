/*
 * time/dram.c: see time/dram.h.
 *
 *      latency of a read = turn in the queue + floor + the page's time + wait for what was busy
 *      before
 *
 *      time     |---- window ----|---- window ----|      window: one latency
 *      busy, writing summed up ->| wait of the next window follows from them
 */
#include "dram.h"

#include "queue.h"
#include "simt/device/memory.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#define WEIBULL_SHAPE 1.5    /* of the distribution of latencies: between an exponential one, */
#define WEIBULL_MEAN  0.9027 /* and Rayleigh's; its mean with scale 1 */

/* Of the distribution with scale 1. */
static double quantiles[DRAM_QUANTILES];
static void find_quantiles(void) {
    for (int i = 0; i < DRAM_QUANTILES; i++)
        quantiles[i] = pow(-log(1 - (i + 0.5) / DRAM_QUANTILES), 1 / WEIBULL_SHAPE);
}

void dram_open(struct dram *dram, const struct gpu *gpu, double active_sms) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_quantiles);
    double bytes = gpu->dram_gbs * 1e3 / gpu->clock_mhz; /* a cycle */
    memset(dram, 0, sizeof *dram);
    dram->read = SECTOR_BYTES * active_sms / (bytes * gpu->dram_read_share);
    dram->write = SECTOR_BYTES * active_sms / (bytes * gpu->dram_write_share);
    dram->floor = gpu->dram_latency_cycles - gpu->dram_spread_cycles;
    dram->window = gpu->dram_latency_cycles;
    dram->busy_wait = gpu->dram_busy_wait_cycles;
    dram->write_wait = gpu->dram_write_wait_cycles;
    dram->scale = gpu->dram_spread_cycles / WEIBULL_MEAN;
}

void dram_close(struct dram *dram) {
    sector_set_free(&dram->pages);
}

double dram_more(const struct dram *dram, int quantile) {
    return dram->scale * quantiles[quantile];
}

double dram_longer(const struct dram *dram, double time) {
    double times = time / dram->scale;
    return time > 0 ? exp(-times * sqrt(times)) : 1; /* to the power of WEIBULL_SHAPE */
}

/* The wait that a window's work causes: with the square of the busy share, and in proportion to the
 * writing share. */
static double wait_after(const struct dram *dram) {
    double busy = fmin(1, dram->busy / dram->window),
           writing = fmin(1, dram->writing / dram->window);
    return dram->busy_wait * busy * busy + dram->write_wait * writing;
}

/* Begin another window if this one is over. After a window without work there is nothing to wait
 * for. */
static void turn_window(struct dram *dram, double at) {
    if (at < dram->window_end) return;
    bool next = at < dram->window_end + dram->window;
    dram->wait = next ? wait_after(dram) : 0;
    dram->busy = dram->writing = 0;
    dram->window_end = (next ? dram->window_end : at) + dram->window;
}

/* Use the DRAM for these cycles. Returns when it is this request's turn. */
static double dram_take(struct dram *dram, double at, double cycles) {
    turn_window(dram, at);
    dram->busy += cycles;
    return shared_queue(&dram->free, at, cycles, dram->window);
}

/* The page's quantile, by its number. */
static double page_time(struct dram *dram, uint64_t page) {
    uint32_t *number = sector_set_find(&dram->pages, page);
    if (!*number) *number = dram->pages.n;
    return dram_more(dram, (int)mixed(*number));
}

double dram_read(struct dram *dram, double at, uint64_t sector, double part) {
    dram->page = page_time(dram, sector / PAGE_SECTORS);
    return dram_take(dram, at, dram->read * part) + dram->floor + dram->page + dram->wait;
}

void dram_write(struct dram *dram, double at, double sectors) {
    dram_take(dram, at, sectors * dram->write);
    dram->writing += sectors * dram->write;
}
