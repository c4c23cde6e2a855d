/* commands.h: the commands of compare. Their arguments are listed in main.c, and explained in the file of each. */
#ifndef COMPARE_COMMANDS_H
#define COMPARE_COMMANDS_H

/* Exit statuses, the worse the larger; and what a command returns where an option is missing. */
enum { ALL_WITHIN = 0, NOT_WITHIN = 1, CANNOT_COMPARE = 2, BAD_CALL = 3 };

/* What one comparison is told: its options, NULL where not given, and its files. */
struct arguments {
    const char *overview, *reversals, *versions; /* of all comparisons: taken from the first */
    const char *reasons, *output, *points, *scores;
    const char *into, *size, *problem, *columns;
    char **files;
};

/* Each takes the arguments of count comparisons, at least one, and returns a status. What is wrong is said on stderr.
 */
int compare_labs(const struct arguments *all, int count);
int compare_compilers(const struct arguments *all, int count);
int compare_model(const struct arguments *a, int count);
int compare_notes(const struct arguments *a, int count);
int collect_launches(const struct arguments *a, int count);

#endif
