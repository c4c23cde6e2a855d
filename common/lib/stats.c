#include "stats.h"

#include <math.h>

/* The rank of a value among others, from 1; equal values share the average of their ranks. */
static double rank(const double *values, int count, int index) {
    int below = 0, equal = 0;
    for (int i = 0; i < count; i++) {
        below += values[i] < values[index];
        equal += values[i] == values[index];
    }
    return below + (equal + 1) / 2.0;
}

/* Pearson's correlation of the ranks. */
double stats_spearman(const double *x, const double *y, int count) {
    double mean = (count + 1) / 2.0, xy = 0, xx = 0, yy = 0;
    for (int i = 0; i < count; i++) {
        double a = rank(x, count, i) - mean, b = rank(y, count, i) - mean;
        xy += a * b;
        xx += a * a;
        yy += b * b;
    }
    return count < 2 ? NAN : xy / sqrt(xx * yy);
}

double stats_factor(double a, double b) {
    if (!(a >= 0 && b >= 0)) return NAN;
    if (a == b) return 1;
    return a > b ? a / b : b / a;
}
