#include "launches.h"

#include "labprof/samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the bound asks for at each of `depths` depths. */
struct level {
    double grids, threads;
    bool or_more; /* more grids are allowed */
    long depths;
};

/* Parses a level. Returns the text after it, or NULL if it is malformed. */
static const char *read_level(const char *text, struct level *level) {
    char *end;
    level->grids = strtod(text, &end);
    level->or_more = *end == '+';
    end += level->or_more;
    if (end == text || *end != '/') return NULL;
    text = end + 1;
    level->threads = strtod(text, &end);
    level->depths = 1;
    if (end == text) return NULL;
    if (*end == '*') level->depths = strtol(end + 1, &end, 10);
    return *end == ' ' || *end == '\0' ? end + strspn(end, " ") : NULL;
}

/* The launches or threads of a nested kernel at a depth; 0 if the table has no row for it. */
static double counted(const struct results *results, const char *step, const char *what,
                      const char *kernel, long depth) {
    char name[2 * RESULTS_NAME + NESTED_NAME];
    double value;
    snprintf(name, sizeof name, "%s.%s:%s@%ld", step, what, kernel, depth);
    return results_number(results, name, &value) == RESULTS_VALUE ? value : 0;
}

/* Compares a level with the results. The message has no counts, which would tell the student the
 * hidden size. */
static void judge_level(struct step *step, const struct level *level, const char *kernel,
                        long depth, const struct results *results) {
    double grids = counted(results, step->name, "device_launches", kernel, depth);
    double threads = counted(results, step->name, "device_threads", kernel, depth);
    const char *what = grids == 0                                ? "no launch"
                       : grids < level->grids                    ? "too few launches"
                       : grids > level->grids && !level->or_more ? "too many launches"
                       : threads < level->threads                ? "too few threads in all launches"
                                                                 : NULL;
    if (what == NULL || step->launch[0] != '\0') return;
    snprintf(step->launch, sizeof step->launch,
             "%s of %s at depth %ld, as the simulator counts them", what, kernel, depth);
}

bool launches_judge(struct step *step, const char *bound, const struct results *results) {
    char kernel[NESTED_NAME];
    struct level level;
    long depth = 1;
    snprintf(kernel, sizeof kernel, "%.*s", (int)strcspn(bound, " "), bound);
    bound += strcspn(bound, " ");
    bound += strspn(bound, " ");
    for (bool any = false; *bound != '\0' || !any; any = true) {
        bound = read_level(bound, &level);
        if (bound == NULL) return false;
        for (long i = 0; i < level.depths; i++) judge_level(step, &level, kernel, depth++, results);
    }
    return true;
}
