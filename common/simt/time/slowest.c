/* time/slowest.c: see time/slowest.h. */
#include "slowest.h"

#include "queue.h"

#include <math.h>

/* measure/waits.cu, on an H200 (plots/reference/h200/waits.csv): */
#define FAR_SHARE   0.28 /* of what other multiprocessors left comes from the L2's other half, */
#define FAR_LEAST   140  /* so many cycles later */
#define FAR_MOST    250
#define COPY_MOST   300  /* of a copy from the host comes at most so much later, */
#define COPY_MISSES 0.01 /* but for this part, which the DRAM has */

/* Blocks also end one after the other, and slow ones meanwhile. On an H200 512 blocks of 256
 * threads take 384 ns longer for cold data than for data in the L2, 1000 blocks only 160, and 1000
 * of 64 threads 190, what any read from DRAM takes longer. */
#define HIDDEN 0.4 /* of the time in which blocks begin */

#define STEPS    4 /* of the time in which multiprocessors begin */
#define HALVINGS 14
#define MOST     8192 /* cycles that a read may wait */

double slowest_wait(const struct dram *dram, enum wait_kind kind, uint8_t rank) {
    double part = (rank + 0.5) / 256, found = 1 - COPY_MISSES, near = 1 - FAR_SHARE;
    if (kind == WAIT_FAR)
        return part < near ? 0 : FAR_LEAST + (FAR_MOST - FAR_LEAST) * (part - near) / FAR_SHARE;
    if (part < found) return COPY_MOST * part / found;
    return dram->floor + dram_more(dram, (int)(DRAM_QUANTILES * (part - found) / COPY_MISSES));
}

/* The part of the reads of this kind that wait longer. */
static double longer(const struct dram *dram, enum wait_kind kind, double wait) {
    if (wait <= 0) return 1;
    if (kind == WAIT_DRAM) return dram_longer(dram, wait);
    if (kind == WAIT_FAR)
        return FAR_SHARE * fmin(1, larger(0, (FAR_MOST - wait) / (FAR_MOST - FAR_LEAST)));
    return (1 - COPY_MISSES) * larger(0, 1 - wait / COPY_MOST) +
           COPY_MISSES * dram_longer(dram, wait - dram->floor);
}

void slowest_end(struct slowest *s, const struct waits waits[WAIT_KINDS], double end) {
    double most = 0;
    for (int i = 0; i < WAIT_KINDS; i++) {
        if (!waits[i].n) continue;
        most = larger(most, waits[i].most);
        s->ended[s->n++ % SLOWEST_ENDS] =
            (struct ended){end - waits[i].most, waits[i].n, (enum wait_kind)i};
    }
    s->least = larger(s->least, end - most);
    s->last = larger(s->last, end);
}

/* How many reads let a warp end after that time, on average. */
static double later(const struct slowest *s, const struct dram *dram, double time, double fill) {
    double sum = 0;
    for (uint32_t i = 0; i < s->n && i < SLOWEST_ENDS; i++)
        for (int k = 0; k < STEPS; k++) {
            double wait = time - s->ended[i].end + fill * (k + 0.5) / STEPS;
            sum += s->ended[i].reads * longer(dram, s->ended[i].kind, wait);
        }
    return sum / STEPS;
}

double slowest_last(const struct slowest *s, const struct dram *dram, double n, double fill) {
    double low = s->least, high = s->last + MOST;
    if (n * later(s, dram, low, fill) <= M_LN2) return low;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (n * later(s, dram, middle, fill) > M_LN2)
            low = middle;
        else
            high = middle;
    }
    return larger(s->least, low - HIDDEN * fill);
}
