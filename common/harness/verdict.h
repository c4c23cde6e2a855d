/*
 * verdict.h: the verdict of a lab's check on a kernel's results.
 */
#ifndef HARNESS_VERDICT_H
#define HARNESS_VERDICT_H

#include <cmath>
#include <cstddef>
#include <cstring>

/* Every byte of the outputs before a launch: NaN as a float, -1 as an int. */
enum { POISON_BYTE = 0xFF };

/* Whether all results are right; if not, the first wrong element and the count of wrong ones. */
struct Verdict {
    bool ok;
    size_t index;      /* of the first wrong element */
    double got, want;  /* its value, and the right value */
    bool unwritten;    /* it still holds the poison */
    size_t wrong, all; /* counts of elements; all 0: a number that no kernel wrote */
    const char *why;   /* what is wrong, if it is no element and no number */
    size_t columns;    /* of the matrix whose elements these are; 0: they are no matrix */
};

static const Verdict ALL_RIGHT = {true, 0, 0, 0, false, 0, 0, NULL, 0};

/* Does every byte of the value still hold the poison? */
template <class T> bool isPoison(const T &value) {
    unsigned char poison[sizeof(T)];
    memset(poison, POISON_BYTE, sizeof poison);
    return memcmp(&value, poison, sizeof poison) == 0;
}

/* Adds one element to the verdict, which starts as ALL_RIGHT. right: the
 * caller's judgement of the element. */
template <class T> void judgeElement(Verdict *verdict, bool right, T got, double want) {
    if (!right && verdict->ok) {
        verdict->ok = false;
        verdict->index = verdict->all;
        verdict->got = (double)got;
        verdict->want = want;
        verdict->unwritten = isPoison(got);
    }
    if (!right) verdict->wrong++;
    verdict->all++;
}

/* Adds n elements to the verdict. Each may differ from the right value by the
 * absolute tolerance: 0 for integers. */
template <class T>
void judgeElements(Verdict *verdict, const T *want, const T *got, size_t n, double tolerance = 0) {
    for (size_t i = 0; i < n; i++) {
        /* `<=` is false for a NaN, which must not pass. */
        const bool right = std::fabs((double)got[i] - (double)want[i]) <= tolerance;
        judgeElement(verdict, right, got[i], (double)want[i]);
    }
}

/* The verdict on an array of n results, with an absolute tolerance. */
template <class T>
Verdict judgeResults(const T *want, const T *got, size_t n, double tolerance = 0) {
    Verdict verdict = ALL_RIGHT;
    judgeElements(&verdict, want, got, n, tolerance);
    return verdict;
}

/* The verdict on one number that no kernel wrote, such as a count. */
static inline Verdict judgeNumber(bool right, double got, double want) {
    Verdict verdict = {right, 0, got, want, false, 0, 0, NULL, 0};
    return verdict;
}

/* The verdict on something else than results. why: what is wrong if it is not right. */
static inline Verdict judgeCondition(bool right, const char *why) {
    Verdict verdict = {right, 0, 0, 0, false, 0, 0, why, 0};
    return verdict;
}

#endif
