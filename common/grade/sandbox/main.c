/* main.c: the sandbox as a command, to try it and to test it; `sandbox --help` names the
 * options.
 *
 *     sandbox [OPTION...] -- COMMAND...
 *
 * Prints the command's output; with --rows also its rows. Exits with the command's exit code, with
 * 124 and a reason if the command was stopped, with 125 if there is no sandbox or the call is
 * wrong. UNSAFE=1 in the environment allows a run without a sandbox. */
#include "limits.h"
#include "sandbox.h"

#include "lib/printed.h"

#include <argp.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_STOPPED = 124, EXIT_NO_SANDBOX = 125 };

/* ---- Command line ---- */

static const struct argp_option OPTIONS[] = {
    {"seconds", 's', "N", 0, "Stop it after N seconds by the clock", 0},
    {"memory", 'm', "MIB", 0, "Stop it when its processes use more memory together", 0},
    {"disk", 'd', "MIB", 0, "Size of the folder it works in", 0},
    {"processes", 'p', "N", 0, "Let it have at most N processes", 0},
    {"output", 'o', "BYTES", 0, "Keep so much of what it prints", 0},
    {"rows", 'r', NULL, 0, "It is a lab's program: print its rows, as \"row: ...\"", 0},
    {0}};

static size_t number(const struct argp_state *state, const char *text) {
    char *end;
    size_t value = strtoull(text, &end, 10);
    if (end == text || *end != '\0' || *text == '-')
        argp_error(state, "%s: give a whole number", text);
    return value;
}

static error_t take(int key, char *value, struct argp_state *state) {
    struct sandbox_job *job = state->input;
    switch (key) {
    case 's': job->limits.seconds = (unsigned int)number(state, value); return 0;
    case 'm': job->limits.memory = number(state, value) * MIB; return 0;
    case 'd': job->limits.disk = number(state, value) * MIB; return 0;
    case 'p': job->limits.processes = (unsigned int)number(state, value); return 0;
    case 'o': job->limits.output = number(state, value); return 0;
    case 'r': job->rows = true; return 0;
    case ARGP_KEY_ARG: /* all following words belong to the command */
        job->command = state->argv + state->next - 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "give a command to run"); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = take,
    .args_doc = "-- COMMAND...",
    .doc = "Run a command that nobody trusts. Limits are those of a run in grading unless given."};

/* ---- Running ---- */

int main(int argc, char **argv) {
    printed_check_at_exit();
    struct sandbox_job job = {.limits = RUN_LIMITS};
    struct sandbox_outcome outcome;
    argp_err_exit_status = EXIT_NO_SANDBOX;
    argp_parse(&ARGP, argc, argv, ARGP_IN_ORDER, NULL, &job);
    sandbox_run(&job, &outcome);
    fwrite(outcome.out.data, 1, outcome.out.size, stdout);
    if (outcome.end == SANDBOX_FAILED) fputs("sandbox: ", stderr);
    fwrite(outcome.error.data, 1, outcome.error.size, stderr);
    if (job.rows)
        for (char *line = strtok(outcome.rows.data, "\n"); line != NULL; line = strtok(NULL, "\n"))
            printf("row: %s\n", line);
    int code = outcome.end == SANDBOX_ENDED ? outcome.status : EXIT_STOPPED;
    if (outcome.end == SANDBOX_FAILED)
        code = EXIT_NO_SANDBOX, fputc('\n', stderr);
    else if (outcome.end != SANDBOX_ENDED)
        fprintf(stderr, "sandbox: %s\n", sandbox_reason(&outcome));
    sandbox_free(&outcome);
    return code;
}
