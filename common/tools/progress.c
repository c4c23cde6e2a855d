/* progress.c: prints how far the student is with each lab.
 *
 *     progress RESULTS          RESULTS/labN/run.csv is what the last run of lab N measured
 *
 * Run it in the project's folder. It knows right results, not the points of a grade, which also
 * counts metrics and runs other cases. */
#include "lesson.h"

#include "lib/csv.h"
#include "lib/die.h"
#include "lib/memory.h"
#include "lib/printed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prints what to do next, with its line in the lab's file. */
static void print_next(const struct lesson *lesson, const char *lab) {
    static const char *const WORDS[] = {[LESSON_NEW] = "run it",
                                        [LESSON_FAULTY] = "ok, but",
                                        [LESSON_WRONG] = "wrong",
                                        [LESSON_TODO] = "to do"};
    size_t next = lesson_next(lesson);
    if (next == lesson->source.regions_n) {
        printf("  all right: `make profile-lab%s`", lab);
        return;
    }
    const struct region *region = &lesson->source.regions[next];
    printf("  %s: %s:%zu", WORDS[lesson->state[next]], region->name, region->begin + 1);
}

/* Prints a lab's line. Returns how many of its steps are right; *steps becomes how many there are
 * to write. */
static size_t print_lab(const struct csv *labs, int row, const char *results, size_t *steps) {
    const char *number = csv_get(labs, row, "number"), *folder = csv_get(labs, row, "folder");
    char *source = need_text("labs/%s/%s.cu", folder, csv_get(labs, row, "program"));
    char *run = need_text("%s/lab%s/run.csv", results, number);
    struct lesson lesson;
    lesson_read(&lesson, source, run);
    size_t right = lesson_count(&lesson, LESSON_RIGHT);
    *steps = lesson.source.regions_n;
    size_t written = *steps - lesson_count(&lesson, LESSON_TODO);
    printf("lab%-2s %-16s %7zu %2zu of %2zu", number, folder + strcspn(folder, "-") + 1, written,
           right, *steps);
    print_next(&lesson, number);
    putchar('\n');
    lesson_free(&lesson);
    free(source);
    free(run);
    return right;
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    if (argc != 2) die(EXIT_FAILURE, "usage: progress RESULTS");
    struct csv *labs = csv_read("labs/labs.tsv", &CSV_TABS);
    if (labs == NULL) die(EXIT_FAILURE, "%s", failure);
    size_t right = 0, all = 0;
    printf("%-5s %-16s %7s %8s  %s\n", "lab", "topic", "written", "right", "next: step and line");
    for (int row = 0; row < csv_rows(labs); row++) {
        size_t steps;
        right += print_lab(labs, row, argv[1], &steps);
        all += steps;
    }
    printf("\n%zu of %zu steps are right, as the last runs found them.\n"
           "A grade also counts metrics. `make hint-labN` helps with a lab's next step.\n",
           right, all);
    csv_free(labs);
}
