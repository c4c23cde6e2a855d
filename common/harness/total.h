/* total.h: how near the sum of an array comes to the right one. */
#pragma once

#include "lab.h"

/* How far a sum is off, as a share of the right one. */
template <class T> double errorOf(T sum, double total) {
    return std::fabs((double)sum - total) / std::fabs(total);
}

/* A sum may be off by half a unit in the last place for each addition on a number's way
 * into it. `additions` is the longest way through one thread; the trees of all passes add
 * to it. epsilon: the last place of 1, or 0 for integers, which are not rounded. The
 * row's remark shows the error. */
template <class T>
Verdict judgeTotal(Lab *lab, T sum, double total, double epsilon, double additions) {
    const double TREES = 64; /* more than they have rounds */
    const double tolerance = (additions + TREES) * epsilon / 2 * std::fabs(total);
    const double got = (double)sum;
    if (epsilon > 0) labRemark(lab, "off by %.1e of the sum", errorOf(sum, total));
    return judgeResults(&total, &got, 1, tolerance);
}
