/* progress.c: prints how far the student is with each lab.
 *
 *     progress RESULTS          RESULTS/labN/run.csv is what the last run of lab N measured
 *
 * Run it in the project's folder. Points are shown where there are rubrics: those for right results, of all that the
 * rubric has. A grade may differ, because it also counts metrics, and runs hidden cases. */
#include "lesson.h"

#include "lib/csv.h"
#include "lib/die.h"
#include "lib/memory.h"
#include "lib/printed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Is this step right? */
static bool is_right(const struct lesson *lesson, const char *step) {
    for (size_t i = 0; i < lesson->source.regions_n; i++) {
        if (strcmp(lesson->source.regions[i].name, step) == 0) return lesson->state[i] == LESSON_RIGHT;
    }
    return false;
}

static struct csv *read_or_die(const char *path, const struct csv_format *format) {
    char error[512];
    struct csv *table = csv_read(path, format, error, sizeof error);
    if (table == NULL) die(EXIT_FAILURE, "%s", error);
    return table;
}

/* Prints the points for right results, and all points, in a column of 10; nothing without a rubric. */
static void print_points(const struct lesson *lesson, const char *folder) {
    char *path = need_text("solutions/%s/rubric.tsv", folder);
    if (access(path, R_OK) == 0) {
        struct csv *rubric = read_or_die(path, &CSV_TABS);
        double earned = 0, all = 0;
        for (int row = 0; row < csv_rows(rubric); row++) {
            double points = atof(csv_get(rubric, row, "points"));
            bool counts = strcmp(csv_get(rubric, row, "what"), "correct") == 0;
            all += points;
            if (counts && is_right(lesson, csv_get(rubric, row, "step"))) earned += points;
        }
        printf("  %3g of %3g", earned, all);
        csv_free(rubric);
    }
    free(path);
}

/* Prints what to do next, with its place. */
static void print_next(const struct lesson *lesson) {
    static const char *const WORDS[] = {
        [LESSON_NEW] = "run it", [LESSON_FAULTY] = "ok, but", [LESSON_WRONG] = "wrong", [LESSON_TODO] = "to do"};
    size_t next = lesson_next(lesson);
    if (next == lesson->source.regions_n) {
        printf("  done");
        return;
    }
    const struct region *region = &lesson->source.regions[next];
    printf("  %s: %s, %s:%zu", WORDS[lesson->state[next]], region->name, lesson->source.path, region->begin + 1);
}

/* Prints a lab's line. Returns how many of its steps are right; *steps becomes how many there are to write. */
static size_t print_lab(const struct csv *labs, int row, const char *results, size_t *steps) {
    const char *number = csv_get(labs, row, "number"), *folder = csv_get(labs, row, "folder");
    char *source = need_text("labs/%s/%s.cu", folder, csv_get(labs, row, "program"));
    char *run = need_text("%s/lab%s/run.csv", results, number);
    struct lesson lesson;
    lesson_read(&lesson, source, run);
    size_t right = lesson_count(&lesson, LESSON_RIGHT);
    *steps = lesson.source.regions_n;
    size_t written = *steps - lesson_count(&lesson, LESSON_TODO);
    printf("lab%-4s %-24s %7zu %5zu of %2zu", number, folder + strcspn(folder, "-") + 1, written, right, *steps);
    print_points(&lesson, folder);
    print_next(&lesson);
    putchar('\n');
    lesson_free(&lesson);
    free(source);
    free(run);
    return right;
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    if (argc != 2) die(EXIT_FAILURE, "usage: progress RESULTS");
    struct csv *labs = read_or_die("labs/labs.tsv", &CSV_TABS);
    size_t right = 0, all = 0;
    printf("%-7s %-24s %7s %11s%s  %s\n", "lab", "topic", "written", "right",
           access("solutions", R_OK) ? "" : "      points", "next");
    for (int row = 0; row < csv_rows(labs); row++) {
        size_t steps;
        right += print_lab(labs, row, argv[1], &steps);
        all += steps;
    }
    printf(
        "\n%zu of %zu steps are right, as the last runs found them. `make hint-labN` helps with a lab's next step.\n",
        right, all);
    csv_free(labs);
}
