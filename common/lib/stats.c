#include "stats.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"

/* The rank of a value among others, from 1; equal values share the average of their ranks. */
static double rank(const double *values, int count, int index) {
    int below = 0, equal = 0;
    for (int i = 0; i < count; i++) {
        below += values[i] < values[index];
        equal += values[i] == values[index];
    }
    return below + (equal + 1) / 2.0;
}

static double mean(const double *values, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += values[i];
    return sum / count;
}

double stats_pearson(const double *x, const double *y, int count) {
    double mean_x = mean(x, count), mean_y = mean(y, count), xy = 0, xx = 0, yy = 0;
    for (int i = 0; i < count; i++) {
        double a = x[i] - mean_x, b = y[i] - mean_y;
        xy += a * b;
        xx += a * a;
        yy += b * b;
    }
    return count < 2 ? NAN : xy / sqrt(xx * yy);
}

/* Pearson's correlation of the ranks. */
double stats_spearman(const double *x, const double *y, int count) {
    double *ranks = need(calloc(2 * (size_t)count + 1, sizeof *ranks));
    for (int i = 0; i < count; i++) {
        ranks[i] = rank(x, count, i);
        ranks[count + i] = rank(y, count, i);
    }
    double rho = stats_pearson(ranks, ranks + count, count);
    free(ranks);
    return rho;
}

double stats_factor(double a, double b) {
    if (!(a >= 0 && b >= 0)) return NAN;
    if (a == b) return 1;
    return a > b ? a / b : b / a;
}
