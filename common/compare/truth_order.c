/* truth_order.c: neighbours of a lab's ladder, and whether simt has their times in the order of the
 * GPU.
 *
 * Neighbours are two launches of which one follows the other in the table of a run, and two steps
 * of which one follows the other. The time of a step that launches several times is its fastest. */
#include <math.h>
#include <string.h>

#include "truth.h"

#define SAME_TIME 1.1 /* measured times within this factor have no order */

bool truth_is_reversed(const struct neighbours *n) {
    return !(n->ratios.other > 1); /* so if a time is missing */
}

/* Launches of one run, next to one another, of one step. */
struct step {
    const struct timed *first, *last, *fastest; /* fastest: on the GPU */
    double modelled;                            /* simt's fastest; NaN without a time */
};

static bool same_ladder(const struct timed *a, const struct timed *b) {
    return a->suite == b->suite && a->ladder == b->ladder;
}

/* The step that begins at the first launch. */
static struct step step_at(const struct timed *first, const struct timed *end) {
    struct step s = {first, first, first, first->value[TIME].other};
    for (const struct timed *l = first; l < end && same_ladder(l, first); l++) {
        if (!l->on_simt) continue;
        if (strcmp(l->cell[STEP], first->cell[STEP]) != 0) break;
        s.last = l;
        if (l->value[TIME].reference < s.fastest->value[TIME].reference) s.fastest = l;
        s.modelled = fmin(s.modelled, l->value[TIME].other); /* passes over NaN */
    }
    return s;
}

/* Calls visit if the two have an order; a and b are their times. */
static void compare_two(const struct timed *first, const struct timed *second, struct pair a,
                        struct pair b, void (*visit)(const struct neighbours *n, void *with),
                        void *with) {
    struct neighbours n = {first, second, {a.reference / b.reference, a.other / b.other}};
    if (a.reference < b.reference)
        n = (struct neighbours){second, first, {b.reference / a.reference, b.other / a.other}};
    if (n.ratios.reference > SAME_TIME) visit(&n, with);
}

/* The next launch of the same run that simt has; NULL: none. */
static const struct timed *next_of(const struct timed *l, const struct timed *end) {
    for (const struct timed *next = l + 1; next < end && same_ladder(l, next); next++)
        if (next->on_simt) return next;
    return NULL;
}

/* Is this launch of the step the fastest on both sides? */
static bool is_fastest(const struct step *s, const struct timed *launch) {
    return s->first == s->last ||
           (s->fastest == launch && s->modelled == launch->value[TIME].other);
}

static void compare_steps(const struct step *a, const struct step *b,
                          void (*visit)(const struct neighbours *n, void *with), void *with) {
    if (is_fastest(a, a->last) && is_fastest(b, b->first))
        return; /* these two launches have been compared */
    compare_two(a->fastest, b->fastest,
                (struct pair){a->fastest->value[TIME].reference, a->modelled},
                (struct pair){b->fastest->value[TIME].reference, b->modelled}, visit, with);
}

void truth_each_order(const struct truth *t, unsigned int suites,
                      void (*visit)(const struct neighbours *n, void *with), void *with) {
    const struct timed *end = t->launches + t->count, *next;
    struct step step = {0};
    for (const struct timed *l = t->launches; l < end; l++) {
        if (!truth_in_part(l, (struct part){suites & OF_LABS, NULL, ALL_THIRDS})) continue;
        if (!step.first || l > step.last) step = step_at(l, end);
        if (!(next = next_of(l, end))) continue;
        compare_two(l, next, l->value[TIME], next->value[TIME], visit, with);
        if (l != step.last) continue;
        const struct step after = step_at(next, end);
        compare_steps(&step, &after, visit, with);
    }
}
