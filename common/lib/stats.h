/* stats.h: statistics for comparing measurements. */
#pragma once

/* Pearson's correlation of count pairs. NaN with fewer than two pairs, or where all of one side are
 * equal. */
double stats_pearson(const double *x, const double *y, int count);

/* Spearman's rank correlation of count pairs: 1 if both have the same order. Equal values share the
 * average of their ranks. NaN with fewer than two pairs, or where all of one side are equal. */
double stats_spearman(const double *x, const double *y, int count);

/* How many times as much the larger is than the smaller: 1 for equals, and for two zeros. NaN where
 * one is NaN or negative, infinite where just one is zero. */
double stats_factor(double a, double b);
