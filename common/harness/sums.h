/* sums.h: checks that sums of floats are as near to the exact sums as rounding allows. */
#pragma once

#include "lab.h"

/* Half a unit in the last place of 1: the largest relative error of one rounding. */
static const double FLOAT_ROUNDOFF = 1.0 / (1 << 24);

/* Compares n sums of `length` products with the exact sums. magnitude[i] is the sum of the
 * magnitudes of sum i's products. If all are right, the row's remark gives the largest error in
 * percent of its bound. */
static inline Verdict checkSums(Lab *lab, const double *want, const double *magnitude,
                                const float *got, size_t n, size_t length) {
    /* The largest error of a sum of `length` products of floats, in any order of additions,
     * relative to the sum of the products' magnitudes: gamma_n = n u / (1 - n u), N. J. Higham,
     * "Accuracy and Stability of Numerical Algorithms", 2nd edition, section 3.1. Fused
     * multiply-adds round less often. */
    const double rounding = (double)length * FLOAT_ROUNDOFF;
    const double bound = rounding / (1 - rounding);
    double worst = 0;
    Verdict verdict = ALL_RIGHT;
    for (size_t i = 0; i < n; i++) {
        const double error = std::fabs(got[i] - want[i]), allowed = bound * magnitude[i];
        judgeElement(&verdict, error <= allowed, got[i], want[i]);
        if (error > worst * allowed) worst = error / allowed;
    }
    if (verdict.ok) labRemark(lab, "error at most %.1f %% of its bound", 100 * worst);
    return verdict;
}
