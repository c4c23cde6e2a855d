/* Tests of the statistics: against figures worked out by hand. */
#include <math.h>

#include "lib/stats.h"
#include "unit.h"

#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-12)

TEST(order) {
    const double up[] = {1, 2, 3, 4}, steep[] = {1, 10, 100, 1000}, down[] = {4, 3, 2, 1},
                 mixed[] = {2, 1, 4, 3};
    NEAR(stats_spearman(up, steep, 4), 1);
    NEAR(stats_spearman(up, down, 4), -1);
    /* 1 - 6 * (1 + 1 + 1 + 1) / (4 * (16 - 1)) */
    NEAR(stats_spearman(up, mixed, 4), 0.6);
}

TEST(lines) {
    const double up[] = {1, 2, 3, 4}, twice[] = {3, 5, 7, 9}, down[] = {4, 3, 2, 1},
                 bent[] = {1, 2, 3, 10};
    NEAR(stats_pearson(up, twice, 4), 1);
    NEAR(stats_pearson(up, down, 4), -1);
    /* Deviations -1.5 -0.5 0.5 1.5 against -3 -2 -1 6: 14 / sqrt(5 * 50). */
    NEAR(stats_pearson(up, bent, 4), 14 / sqrt(5 * 50));
    assert_true(isnan(stats_pearson(up, up, 1)));
}

TEST(ties_share_their_ranks) {
    const double a[] = {1, 2, 2, 3}, b[] = {1, 2, 3, 4};
    /* Ranks 1 2.5 2.5 4 against 1 2 3 4: 4.5 / sqrt(4.5 * 5). */
    NEAR(stats_spearman(a, b, 4), 4.5 / sqrt(4.5 * 5));
    NEAR(stats_spearman(a, a, 4), 1);
}

TEST(no_order_of_nothing) {
    const double a[] = {1, 1, 1}, b[] = {1, 2, 3};
    assert_true(isnan(stats_spearman(b, b, 0)));
    assert_true(isnan(stats_spearman(b, b, 1)));
    assert_true(isnan(stats_spearman(a, b, 3)));
}

TEST(factors) {
    NEAR(stats_factor(2, 3), 1.5);
    NEAR(stats_factor(3, 2), 1.5);
    NEAR(stats_factor(7, 7), 1);
    NEAR(stats_factor(0, 0), 1);
    assert_true(isinf(stats_factor(0, 1)));
    assert_true(isnan(stats_factor(NAN, 1)));
    assert_true(isnan(stats_factor(1, NAN)));
    assert_true(isnan(stats_factor(-1, 1)));
}
