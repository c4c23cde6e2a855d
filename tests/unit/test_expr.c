/* Tests of the arithmetic of metrics.tsv. */
#include <math.h>

#include "lib/die.h"
#include "lib/expr.h"
#include "unit.h"

static char names_seen[256];

/* a is 6, b is 4, zero is 0, a dotted name is 7; anything else is not known. */
static double lookup(void *context, const char *name) {
    (void)context;
    strncat(names_seen, name, sizeof names_seen - strlen(names_seen) - 1);
    strncat(names_seen, " ", sizeof names_seen - strlen(names_seen) - 1);
    if (strcmp(name, "a") == 0) return 6;
    if (strcmp(name, "b") == 0) return 4;
    if (strcmp(name, "zero") == 0) return 0;
    return strcmp(name, "l1tex__t_sectors.sum") == 0 ? 7 : NAN;
}

static double value_of(const char *text) {
    double value = -12345;
    failure[0] = names_seen[0] = '\0';
    if (!expr_eval(text, lookup, NULL, &value)) fail_msg("%s", failure);
    return value;
}

static void assert_value(const char *text, double want) {
    double got = value_of(text);
    if (!(fabs(got - want) <= 1e-12 * fabs(want))) fail_msg("%s gives %g, not %g", text, got, want);
}

static void assert_na(const char *text) {
    if (!isnan(value_of(text))) fail_msg("%s is not NA", text);
}

TEST(computes) {
    assert_value("1 + 2 * 3", 7);
    assert_value("(1 + 2) * 3", 9);
    assert_value("10 - 4 - 3", 3);
    assert_value("24 / 4 / 2", 3);
    assert_value("2 - -a", 8);
    assert_value("100*(a-b)/a", 100.0 / 3);
    assert_value("1e3 * 0.5", 500);
    assert_value("l1tex__t_sectors.sum * 32", 224);
    assert_value("  a  ", 6);
}

TEST(compares_and_chooses) {
    assert_value("a == 6 ? 1 : 2", 1);
    assert_value("zero == 0 ? 100 : 100 * a / zero", 100);
    assert_value("a < b ? 1 : a > b ? 3 : 4", 3);
    assert_value("a != b", 1);
    assert_value("a <= 6", 1);
    assert_value("a >= 7", 0);
    assert_value("(a > b ? 10 : 20) + 1", 11);
}

TEST(carries_what_is_not_available) {
    assert_na("NA");
    assert_na("unknown");
    assert_na("a + unknown");
    assert_na("-unknown * 0");
    assert_na("a / zero");
    assert_na("zero / zero");
    assert_na("unknown == 0 ? 1 : 2");
    assert_na("unknown < 1");
    assert_na("a > b ? unknown : 1");
    assert_na("1e308 * 1e308");
    assert_value("a < b ? unknown : 1", 1);
}

TEST(takes_the_first_that_is_known) {
    assert_value("first(unknown, a)", 6);
    assert_value("first(a, b)", 6);
    assert_value("first(unknown, NA, a / zero, b + 1) * 2", 10);
    assert_na("first(unknown)");
    assert_value("max(a, b, a * b)", value_of("a * b"));
    assert_value("max(b, b + 1, b - 1)", value_of("b + 1"));
    assert_na("max(a, unknown)");
    assert_na("max(unknown, a)");
}

TEST(looks_up_every_name) {
    value_of("a > b ? x : first(a, y.z) + 0 * w_1");
    assert_string_equal(names_seen, "a b x a y.z w_1 ");
    value_of("2*h200.load(4).time_ms / load(s32)@g2.x - first(a, b)");
    assert_string_equal(names_seen, "h200.load(4).time_ms load(s32)@g2.x a b ");
}

TEST(refuses_what_is_no_expression) {
    static const char *const wrong[] = {
        "",       "1 +",        "(1",    "1)",    "a b", "1 ? 2", "* 2",  "first()", "first",
        "3sheep", "first(a, b", "a == ", "a & b", "1 2", "$",     "a(4)", "a().b",   "a(4 .b"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        double value = 5;
        failure[0] = '\0';
        if (expr_eval(wrong[i], lookup, NULL, &value))
            fail_msg("'%s' is taken for an expression", wrong[i]);
        assert_true(value == 5);
        assert_true(failure[0] != '\0');
    }
}

TEST(names_the_place_of_a_mistake) {
    double value;
    assert_false(expr_eval("1 + $", lookup, NULL, &value));
    assert_string_equal(failure, "\"1 + $\", column 5: a number or a name expected");
}

TEST(bounds_nesting_and_names) {
    char deep[1001], longer[201];
    double value;
    memset(deep, '(', 1000);
    deep[1000] = '\0';
    assert_false(expr_eval(deep, lookup, NULL, &value));
    memset(deep, '-', 1000);
    assert_false(expr_eval(deep, lookup, NULL, &value));
    for (int i = 0; i < 1000; i++) deep[i] = "1?"[i % 2];
    assert_false(expr_eval(deep, lookup, NULL, &value));
    memset(longer, 'n', 200);
    longer[200] = '\0';
    assert_false(expr_eval(longer, lookup, NULL, &value));
}
