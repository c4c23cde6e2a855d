/* program.c: see program.h.
 *
 * Where all regions are bodies of kernels, a submission is compiled for the GPU alone, and its code takes the place of
 * the kernels in host.o, the instructor's program compiled beforehand: nothing of what the student has written becomes
 * code for the CPU. It is five times as fast, too. */
#include "program.h"

#include "limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The code that the simulator runs is for 7.5; code for a real GPU of that kind tells it the number of registers. */
#define TARGET "-gencode 'arch=compute_75,code=[compute_75,sm_75]'"

/* What the sandbox's shell runs; nvcc puts its drafts into the working folder. */
static char *build_script(const struct kit *kit) {
    const char *toolkit = kit->paths.toolkit;
    char *script = NULL;
    int made;
    if (kit->whole) {
        made = asprintf(&script,
                        "exec %s/bin/nvcc -O3 -lineinfo -cudart shared -I../grade/common %s %s -o program "
                        "../grade/%s.cu",
                        toolkit, TARGET, kit->paths.flags, kit->paths.program);
    } else {
        made = asprintf(&script,
                        "%s/bin/nvcc -O3 -lineinfo -I../grade/common %s %s -fatbin -o kernels ../grade/%s.cu && "
                        "objcopy --update-section .nv_fatbin=kernels ../grade/host.o program.o && "
                        "g++ -o program program.o -L%s/lib64 -lcudart",
                        toolkit, TARGET, kit->paths.flags, kit->paths.program, toolkit);
    }
    return made < 0 ? NULL : script;
}

/* Compile this text. The outcome has the program in `taken` if all went well. */
static void compile(const struct kit *kit, const char *text, struct sandbox_outcome *outcome) {
    struct sandbox_file files[KIT_HEADERS + 2];
    char name[128], *script = build_script(kit);
    size_t n = 0;
    for (; n < kit->headers_n; n++) files[n] = kit->headers[n];
    snprintf(name, sizeof name, "%s.cu", kit->paths.program);
    files[n++] = (struct sandbox_file){name, text, strlen(text), false};
    if (!kit->whole) files[n++] = kit->host;
    struct sandbox_job job = {.command = (char *const[]){"sh", "-c", script, NULL},
                              .files = files,
                              .files_n = n,
                              .show = kit->paths.toolkit,
                              .take = "program",
                              .limits = BUILD_LIMITS};
    sandbox_run(&job, kit->unsafe, outcome);
    free(script);
}

static bool succeeded(const struct sandbox_outcome *outcome) {
    return outcome->end == SANDBOX_ENDED && outcome->status == 0 && outcome->taken.size > 0;
}

/* ---- Which step does not compile? ---- */

/* The first message that is an error, in one line; paths of the sandbox mean nothing to a student. */
static void first_error(const char *messages, char *text, size_t size) {
    const char *found = strstr(messages, "error");
    snprintf(text, size, "the compiler does not say why");
    if (found == NULL) return;
    while (found > messages && found[-1] != '\n') found--;
    snprintf(text, size, "%.*s", (int)strcspn(found, "\n"), found);
}

static void blame(struct step *step, const struct sandbox_outcome *outcome) {
    char text[REASON_SIZE / 2];
    first_error(outcome->error.data, text, sizeof text);
    if (sandbox_reason(outcome) != NULL)
        step_fail(step, STEP_BROKEN, "does not compile: %s", sandbox_reason(outcome));
    else
        step_fail(step, STEP_BROKEN, "does not compile: %s", text);
}

/* The step in which the student's line is; NULL: none. */
static struct step *step_at(struct steps *steps, size_t line) {
    for (size_t i = 0; i < steps->n; i++) {
        struct step *step = &steps->items[i];
        if (step->state != STEP_TAKEN) continue;
        size_t lines = 0;
        for (const char *p = step->text; *p != '\0'; p++) lines += *p == '\n';
        if (line >= step->line && line < step->line + lines) return step;
    }
    return NULL;
}

/* Blame the steps whose lines the compiler names: "reduction.cu(82): error: ...". Returns how many. */
static int read_messages(struct steps *steps, const struct kit *kit, const struct sandbox_outcome *outcome) {
    int found = 0;
    char start[128];
    int length = snprintf(start, sizeof start, "%s.cu(", kit->paths.program);
    for (const char *line = outcome->error.data; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        char *end;
        if (strncmp(line, start, (size_t)length) != 0) continue;
        size_t number = strtoul(line + length, &end, 10);
        struct step *step = step_at(steps, number);
        if (strncmp(end, "): error", 8) != 0 || step == NULL) continue;
        step_fail(step, STEP_BROKEN, "does not compile: %.*s", (int)strcspn(line, "\n"), line);
        found++;
    }
    return found;
}

/* Compile each step that is taken on its own. Returns how many fail. */
static int find_culprits(struct steps *steps, const struct kit *kit) {
    int found = 0;
    for (size_t i = 0; i < steps->n; i++) {
        struct step *step = &steps->items[i];
        struct sandbox_outcome outcome;
        if (step->state != STEP_TAKEN) continue;
        char *text = steps_merge(steps, kit, step);
        compile(kit, text, &outcome);
        if (!succeeded(&outcome)) {
            blame(step, &outcome);
            found++;
        }
        sandbox_free(&outcome);
        free(text);
    }
    return found;
}

/* Each compiles, but not together: nothing says which is at fault. Returns how many there were. */
static int blame_all(struct steps *steps, const struct sandbox_outcome *outcome) {
    int found = 0;
    for (size_t i = 0; i < steps->n; i++) {
        if (steps->items[i].state != STEP_TAKEN) continue;
        blame(&steps->items[i], outcome);
        found++;
    }
    return found;
}

/* ---- The whole ---- */

static bool cannot_grade(const struct sandbox_outcome *outcome, char *error, size_t size) {
    const char *why = sandbox_reason(outcome);
    snprintf(error, size, "the program does not compile without a submission: %s%.400s", why != NULL ? why : "",
             outcome->error.data);
    return false;
}

bool program_build(struct steps *steps, const struct kit *kit, struct sandbox_bytes *program, char *error,
                   size_t size) {
    for (;;) {
        struct sandbox_outcome outcome;
        char *text = steps_merge(steps, kit, NULL);
        compile(kit, text, &outcome);
        free(text);
        if (succeeded(&outcome)) {
            *program = outcome.taken;
            outcome.taken = (struct sandbox_bytes){NULL, 0};
            sandbox_free(&outcome);
            return true;
        }
        if (outcome.end == SANDBOX_FAILED) {
            snprintf(error, size, "%s", outcome.error.data);
            sandbox_free(&outcome);
            return false;
        }
        int culprits = outcome.end == SANDBOX_ENDED ? read_messages(steps, kit, &outcome) : 0;
        if (culprits == 0) culprits = find_culprits(steps, kit);
        if (culprits == 0) culprits = blame_all(steps, &outcome);
        bool grading = culprits > 0 || cannot_grade(&outcome, error, size);
        sandbox_free(&outcome);
        if (!grading) return false;
    }
}
