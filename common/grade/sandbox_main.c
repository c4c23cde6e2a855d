/* sandbox_main.c: the sandbox as a command, to try it and to test it.
 *
 *     sandbox [--seconds N] [--memory MIB] [--disk MIB] [--processes N] [--output BYTES] [--rows] [--show FOLDER]
 *             [--file NAME=PATH]... [--take NAME=PATH] -- COMMAND...
 *
 * Limits are those of a run (limits.h) unless given. Prints what the command prints; with --rows then its rows, as
 * "row:
 * ...". Exits as the command did, or with 124 and a reason when it was stopped, 125 when there is no sandbox. UNSAFE=1
 * in the environment does without bubblewrap where there is none. */
#include "limits.h"
#include "sandbox.h"

#include "lib/outfile.h"
#include "lib/printed.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_STOPPED = 124, EXIT_NO_SANDBOX = 125, MAX_FILES = 32 };

struct options {
    struct sandbox_job job;
    struct sandbox_file files[MAX_FILES];
    char *save; /* where the file that is brought back goes */
};

static void die(const char *what, const char *why) {
    fprintf(stderr, "sandbox: %s: %s\n", what, why);
    exit(EXIT_NO_SANDBOX);
}

static void read_file(struct sandbox_file *file, char *text) {
    char *path = strchr(text, '=');
    if (path == NULL) die(text, "give --file NAME=PATH");
    *path++ = '\0';
    if (!sandbox_read(file, path, text)) die(path, "cannot be read");
}

static void take_option(struct options *options, const char *flag, char *value) {
    struct sandbox_limits *limits = &options->job.limits;
    size_t number = strtoull(value, NULL, 10);
    if (strcmp(flag, "--seconds") == 0)
        limits->seconds = (unsigned int)number;
    else if (strcmp(flag, "--memory") == 0)
        limits->memory = number * MIB;
    else if (strcmp(flag, "--disk") == 0)
        limits->disk = number * MIB;
    else if (strcmp(flag, "--processes") == 0)
        limits->processes = (unsigned int)number;
    else if (strcmp(flag, "--output") == 0)
        limits->output = number;
    else if (strcmp(flag, "--show") == 0)
        options->job.show = value;
    else if (strcmp(flag, "--file") == 0 && options->job.files_n < MAX_FILES)
        read_file(&options->files[options->job.files_n++], value);
    else if (strcmp(flag, "--take") == 0 && strchr(value, '=') != NULL) {
        options->job.take = value;
        options->save = strchr(value, '=') + 1;
        options->save[-1] = '\0';
    } else
        die(flag, "no such option, or too many");
}

static void read_options(struct options *options, int argc, char **argv) {
    int i = 1;
    options->job = (struct sandbox_job){.files = options->files, .limits = RUN_LIMITS};
    for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--rows") == 0)
            options->job.rows = true;
        else if (i + 1 < argc)
            take_option(options, argv[i], argv[i + 1]), i++;
    }
    if (i + 1 >= argc) die("usage", "sandbox [OPTION...] -- COMMAND...");
    options->job.command = argv + i + 1;
}

static void save_taken(const struct options *options, const struct sandbox_outcome *outcome) {
    struct outfile out;
    if (!outfile_open(&out, options->save)) die(options->save, "cannot be written");
    fwrite(outcome->taken.data, 1, outcome->taken.size, out.file);
    if (!outfile_commit(&out)) die(options->save, "cannot be written");
}

static void print_rows(char *rows) {
    for (char *line = strtok(rows, "\n"); line != NULL; line = strtok(NULL, "\n")) printf("row: %s\n", line);
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    static struct options options;
    struct sandbox_outcome outcome;
    const char *unsafe = getenv("UNSAFE");
    read_options(&options, argc, argv);
    sandbox_run(&options.job, unsafe != NULL && strcmp(unsafe, "1") == 0, &outcome);
    fwrite(outcome.out.data, 1, outcome.out.size, stdout);
    if (outcome.end == SANDBOX_FAILED) fputs("sandbox: ", stderr);
    fwrite(outcome.error.data, 1, outcome.error.size, stderr);
    if (options.job.rows) print_rows(outcome.rows.data);
    if (outcome.end == SANDBOX_ENDED && options.save != NULL) save_taken(&options, &outcome);
    int code = outcome.end == SANDBOX_ENDED ? outcome.status : EXIT_STOPPED;
    if (outcome.end == SANDBOX_FAILED)
        code = EXIT_NO_SANDBOX, fputc('\n', stderr);
    else if (outcome.end != SANDBOX_ENDED)
        fprintf(stderr, "sandbox: %s\n", sandbox_reason(&outcome));
    sandbox_free(&outcome);
    return code;
}
