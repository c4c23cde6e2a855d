/* compare: two measurements of the same launches side by side, judged.
 *
 *   compare COMMAND [OPTION]... FILE...
 *
 * Exit status: 0 all that is asked is reached, 1 something is not, 2 the files cannot be compared
 * or written. */
#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "lib/die.h"
#include "lib/memory.h"
#include "lib/printed.h"

/* A command takes the options that its usage names. */
static const struct command {
    const char *name, *purpose, *usage;
    int files;    /* of one comparison */
    bool repeats; /* several comparisons, each with its own options */
    int (*run)(const struct arguments *all, int count);
} commands[] = {
    {"labs", "what is counted of a lab on a GPU and on the simulator",
     "[--overview ALL.md] {[--reasons REASONS.tsv] [--output TABLE.md]\n"
     "       REFERENCE_METRICS.csv METRICS.csv}...",
     2, true, compare_labs},
    {"compilers", "a lab compiled by nvcc and by clang",
     "[--overview ALL.md --versions TEXT] {[--output TABLE.txt] NVCC_METRICS.csv "
     "CLANG_METRICS.csv}...",
     2, true, compare_compilers},
    {"truth", "modelled times and those of a GPU, of labs and of programs by others",
     "[--reasons REASONS.tsv] [--output TABLE.md] [--every LAUNCHES.md] [--plot LINK] [--model "
     "COMMIT]\n"
     "       [--points POINTS.csv] [--scores PREFIX] [--trust KINDS.def] {GPU.csv SIMT.csv}...",
     2, true, compare_truth},
    {"order", "neighbours in a ladder that are in another order than on a GPU",
     "{GPU.csv SIMT.csv}...", 2, true, compare_order},
    {"notes", "the time model and what lecture notes say",
     "[--output TABLE.md] [--scores PREFIX] NOTES.tsv RUNS.tsv FOLDER", 3, false, compare_notes},
    {"collect", "put a lab's launches into a table for `compare truth`",
     "--into TABLE.csv --size NAME --problem SIZE --columns METRIC,METRIC,... RUN.csv METRICS.csv",
     2, false, collect_launches},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

/* ---- Arguments ---- */

static const struct {
    const char *name;
    size_t place;
} options[] = {{"overview", offsetof(struct arguments, overview)},
               {"every", offsetof(struct arguments, every)},
               {"plot", offsetof(struct arguments, plot)},
               {"versions", offsetof(struct arguments, versions)},
               {"reasons", offsetof(struct arguments, reasons)},
               {"output", offsetof(struct arguments, output)},
               {"points", offsetof(struct arguments, points)},
               {"scores", offsetof(struct arguments, scores)},
               {"trust", offsetof(struct arguments, trust)},
               {"into", offsetof(struct arguments, into)},
               {"size", offsetof(struct arguments, size)},
               {"problem", offsetof(struct arguments, problem)},
               {"columns", offsetof(struct arguments, columns)}};
enum { OPTIONS = sizeof options / sizeof *options };

static bool takes(const struct command *command, const char *option) {
    char text[32];
    snprintf(text, sizeof text, "--%s ", option);
    return strstr(command->usage, text) != NULL;
}

/* The next comparison: options up to the first argument that is none, then the files. False: one is
 * wrong or missing. */
static bool take_arguments(struct arguments *a, const struct command *command, int argc,
                           char **argv) {
    struct option known[OPTIONS + 1] = {{0}};
    int count = 0, found;
    for (int i = 0; i < OPTIONS; i++)
        if (takes(command, options[i].name))
            known[count++] = (struct option){options[i].name, 1, NULL, i};
    while ((found = getopt_long(argc, argv, "+", known, NULL)) >= 0 && found < OPTIONS)
        *(const char **)((char *)a + options[found].place) = optarg;
    a->files = argv + optind;
    optind += command->files;
    return found == -1 && optind <= argc;
}

/* ---- The whole ---- */

static int run(const struct command *command, int argc, char **argv) {
    struct arguments *all = need(calloc((size_t)argc, sizeof *all));
    int count = 0;
    bool ok = take_arguments(&all[count++], command, argc, argv);
    while (ok && optind < argc)
        ok = command->repeats && take_arguments(&all[count++], command, argc, argv);
    int status = ok ? command->run(all, count) : BAD_CALL;
    free(all);
    if (status == CANNOT_COMPARE) fprintf(stderr, "compare: %s\n", failure);
    if (status != BAD_CALL) return status;
    fprintf(stderr, "Usage: compare %s %s\n", command->name, command->usage);
    return CANNOT_COMPARE;
}

static int help(void) {
    printf("compare: two measurements of the same launches side by side, judged.\n");
    for (int i = 0; i < COMMANDS; i++)
        printf("\ncompare %s: %s\n       %s\n", commands[i].name, commands[i].purpose,
               commands[i].usage);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "--help") == 0) return help();
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(commands[i].name, name) != 0) continue;
        argv[1] = argv[0]; /* getopt names the program by it */
        return run(&commands[i], argc - 1, argv + 1);
    }
    fprintf(stderr, "compare: give a command: labs, compilers, truth, order, notes or collect. "
                    "`compare --help` explains them\n");
    return CANNOT_COMPARE;
}
