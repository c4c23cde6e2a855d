/* hint.c: prints the next hint for a lab's next step, and the hints before it.
 *
 *     hint SOURCE RUN HINTS LAB SEEN
 *
 * SOURCE is the student's .cu file; RUN the run.csv of its last run. HINTS is a table: a lab's
 * number, a step, a hint; a step's hints stand in the order in which they help. SEEN notes the
 * step, and how many of its hints were printed. */
#include "lesson.h"

#include "lib/csv.h"
#include "lib/die.h"
#include "lib/outfile.h"
#include "lib/printed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The hints of this step that were printed so far. */
static int seen(const char *path, const char *step) {
    char name[SOURCE_NAME_SIZE] = "";
    int count = 0;
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    if (fscanf(file, "%63s %d", name, &count) != 2 || strcmp(name, step) != 0 || count < 0)
        count = 0;
    fclose(file);
    return count;
}

/* Prints the step's hints up to number `most`. Returns how many there are; *printed becomes how
 * many were printed. */
static int print_hints(const struct csv *hints, const char *lab, const char *step, int most,
                       int *printed) {
    int all = 0;
    *printed = 0;
    for (int row = 0; row < csv_rows(hints); row++) {
        bool fits = csv_is(hints, row, "lab", lab) && csv_is(hints, row, "step", step);
        if (fits && all++ < most) printf("  %d. %s\n", ++*printed, csv_get(hints, row, "hint"));
    }
    return all;
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    if (argc != 6) die(EXIT_FAILURE, "usage: hint SOURCE RUN HINTS LAB SEEN");
    const char *lab = argv[4], *seen_path = argv[5];
    struct csv *hints = csv_read(argv[3], &CSV_TABS);
    if (hints == NULL) die(EXIT_FAILURE, "%s", failure);
    struct lesson lesson;
    lesson_read(&lesson, argv[1], argv[2]);
    size_t next = lesson_next(&lesson);
    if (next == lesson.source.regions_n) {
        printf("All steps of lab %s are right, as the last run found them.\n", lab);
    } else {
        const char *step = lesson.source.regions[next].name;
        int printed;
        static const char *const WORDS[] = {[LESSON_NEW] = "written after the last run",
                                            [LESSON_FAULTY] =
                                                "right in the last run, with a mistake beside it",
                                            [LESSON_WRONG] = "wrong in the last run",
                                            [LESSON_TODO] = "to do"};
        const struct region *region = &lesson.source.regions[next];
        printf("%s (%s:%zu): %s\n\n", region->name, lesson.source.path, region->begin + 1,
               WORDS[lesson.state[next]]);
        int all = print_hints(hints, lab, step, seen(seen_path, step) + 1, &printed);
        struct outfile out;
        bool written = outfile_open(&out, seen_path);
        if (written) {
            fprintf(out.file, "%s %d\n", step, printed);
            written = outfile_commit(&out);
        }
        if (!written) die(EXIT_FAILURE, "%s: %s", seen_path, strerror(errno));
        printf(printed < all ? "\n%d of %d hints; again for the next.\n"
                             : "\n%d of %d hints: all there are.\n",
               printed, all);
    }
    lesson_free(&lesson);
    csv_free(hints);
}
