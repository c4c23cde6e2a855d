/* program.c: see program.h.
 *
 * No student's code becomes code of the judging process. Kernels are compiled for the GPU only, and replace those in
 * host.o, the instructor's compiled program. Functions for the CPU become a separate program (apart.h). */
#include "program.h"

#include "lib/memory.h"
#include "limits.h"
#include "split.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The simulator runs PTX for compute capability 7.5. It models times from machine code for the GPU that it plays. */
#define TARGET "-gencode 'arch=compute_75,code=[compute_75," GRADING_CODE "]'"

/* The compiler's command: nvcc, or cudac, which has nvcc's command line. */
static char *compiler(const struct kit *kit) {
    return kit->paths.clang != NULL ? need_text("CLANG='%s' ../grade/front/cudac", kit->paths.clang)
                                    : need_text("%s/bin/nvcc", kit->paths.toolkit);
}

/* The shell commands for the judge's program. nvcc puts temporary files into the working folder. With its -rdc the
 * device code must be linked too, and lies in another section before that. */
static char *judge_script(const struct kit *kit) {
    const char *toolkit = kit->paths.toolkit, *flags = kit->paths.flags, *name = kit->paths.program;
    const bool linked = kit->paths.clang == NULL && strstr(flags, "-rdc") != NULL;
    char *script = NULL, *compile = compiler(kit);
    size_t size = 0;
    FILE *out = need(open_memstream(&script, &size));
    if (split_any_on_device(&kit->solution))
        fprintf(out,
                "%s -O3 -lineinfo -DHARNESS_LINKED -I../grade/common " TARGET
                " %s -fatbin -o kernels ../grade/%s.cu && "
                "objcopy --update-section %s=kernels ../grade/host.o program.o && ",
                compile, flags, name, linked ? "__nv_relfatbin" : ".nv_fatbin");
    else
        fprintf(out, "cp ../grade/host.o program.o && ");
    if (linked)
        fprintf(out, "exec %s -cudart shared " TARGET " %s -o program program.o ../grade/harness.o", compile, flags);
    else
        fprintf(out, "exec g++ -o program program.o ../grade/harness.o %s ",
                kit->apart_n > 0 ? "../grade/apart.o ../grade/apart_counts.o ../grade/apart_filter.o" : "");
    if (kit->paths.clang != NULL)
        fprintf(out, "../grade/simt/libcudart.so.13");
    else if (!linked)
        fprintf(out, "-L%s/lib64 -lcudart", toolkit);
    fclose(out);
    free(compile);
    return script;
}

/* The shell commands for the student's program. It is linked statically, because its process can open no library, and
 * without the functions that only the harness would call. */
static char *student_script(const struct kit *kit) {
    char *compile = compiler(kit);
    char *script = need_text("%s -O3 -Xcompiler -ffunction-sections -DHARNESS_LINKED -I../grade/common "
                             "'-Dmain=static unusedMain' -gencode arch=compute_75,code=compute_75 %s -c -o student.o "
                             "../grade/%s.cu && exec g++ -static -Wl,--gc-sections -o student student.o "
                             "../grade/apart_student.o",
                             compile, kit->paths.flags, kit->paths.program);
    free(compile);
    return script;
}

/* Runs the script on this text, and takes the file that it makes. Frees the script. Returns whether the file was
 * made. */
static bool compile_one(const struct kit *kit, const char *text, char *script, const char *take,
                        struct sandbox_outcome *outcome) {
    struct sandbox_file files[KIT_HEADERS + KIT_FRONT + KIT_APART + 3];
    char name[128];
    size_t n = kit->headers_n;
    memcpy(files, kit->headers, n * sizeof *files);
    memcpy(files + n, kit->front, kit->front_n * sizeof *files);
    n += kit->front_n;
    memcpy(files + n, kit->apart, kit->apart_n * sizeof *files);
    n += kit->apart_n;
    snprintf(name, sizeof name, "%s.cu", kit->paths.program);
    files[n++] = (struct sandbox_file){name, text, strlen(text), false};
    files[n++] = kit->host;
    files[n++] = kit->harness;
    struct sandbox_job job = {.command = (char *const[]){"sh", "-c", script, NULL},
                              .files = files,
                              .files_n = n,
                              .show = kit->paths.toolkit,
                              .take = take,
                              .limits = BUILD_LIMITS,
                              .budget = kit->budget};
    sandbox_run(&job, kit->unsafe, outcome);
    free(script);
    return outcome->end == SANDBOX_ENDED && outcome->status == 0 && outcome->taken.size > 0;
}

/* Moves the taken file out of the outcome. */
static void keep(struct sandbox_bytes *bytes, struct sandbox_outcome *outcome) {
    *bytes = outcome->taken;
    outcome->taken = (struct sandbox_bytes){NULL, 0};
}

/* Compiles the steps that are taken, or only the step `only` if it is not NULL. Returns whether both programs compile.
 * The caller frees the outcome, which is that of the last job, and the program. */
static bool compile(const struct kit *kit, const struct steps *steps, const struct step *only, struct program *program,
                    struct sandbox_outcome *outcome) {
    char *text = steps_merge(steps, kit, only);
    *program = (struct program){.judge = {NULL, 0}};
    bool done = compile_one(kit, text, judge_script(kit), "program", outcome);
    free(text);
    if (!done) return false;
    keep(&program->judge, outcome);
    if (kit->apart_n == 0) return true;
    sandbox_free(outcome);
    text = steps_merge_apart(steps, kit, only);
    done = compile_one(kit, text, student_script(kit), "student", outcome);
    free(text);
    if (done)
        keep(&program->student, outcome);
    else
        program_free(program);
    return done;
}

void program_free(struct program *program) {
    free(program->judge.data);
    free(program->student.data);
    *program = (struct program){.judge = {NULL, 0}};
}

/* ---- Which step does not compile? ---- */

/* Copies the compiler's first error message, one line. */
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

/* The taken step that contains the student's line; NULL: none. */
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

/* The line that an error message names: "reduction.cu(82): error: ..." of nvcc, "reduction.cu:82:5: error: ..." of
 * clang; 0: none. */
static size_t line_named(const char *message, const char *program) {
    size_t line = 0;
    int length = (int)strlen(program), end = 0;
    if (strncmp(message, program, (size_t)length) != 0) return 0;
    if (sscanf(message + length, ".cu(%zu): error%n", &line, &end) == 1 && end > 0) return line;
    if (sscanf(message + length, ".cu:%zu:%*u: error%n", &line, &end) == 1 && end > 0) return line;
    return 0;
}

/* Marks the steps whose lines the compiler names as broken. Returns the count of messages used. */
static int read_messages(struct steps *steps, const struct kit *kit, const struct sandbox_outcome *outcome) {
    int found = 0;
    for (const char *line = outcome->error.data; *line != '\0'; line += strcspn(line, "\n"), line += *line == '\n') {
        struct step *step = step_at(steps, line_named(line, kit->paths.program));
        if (step == NULL) continue;
        step_fail(step, STEP_BROKEN, "does not compile: %.*s", (int)strcspn(line, "\n"), line);
        found++;
    }
    return found;
}

/* Compiles each taken step alone, and marks those that fail as broken. Returns their count. */
static int find_culprits(struct steps *steps, const struct kit *kit) {
    int found = 0;
    for (size_t i = 0; i < steps->n; i++) {
        struct step *step = &steps->items[i];
        struct sandbox_outcome outcome;
        struct program program;
        if (step->state != STEP_TAKEN) continue;
        if (!compile(kit, steps, step, &program, &outcome) && outcome.end != SANDBOX_BUDGET) {
            blame(step, &outcome);
            found++;
        }
        sandbox_free(&outcome);
        program_free(&program);
    }
    return found;
}

/* Marks all taken steps as broken: each compiles alone, but not together. Returns their count. */
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

bool program_build(struct steps *steps, const struct kit *kit, struct program *program, char *error, size_t size) {
    for (;;) {
        struct sandbox_outcome outcome;
        if (compile(kit, steps, NULL, program, &outcome)) {
            sandbox_free(&outcome);
            return true;
        }
        if (outcome.end == SANDBOX_BUDGET) {
            error[0] = '\0';
            sandbox_free(&outcome);
            return false;
        }
        if (outcome.end == SANDBOX_FAILED) {
            snprintf(error, size, "%s", outcome.error.data);
            sandbox_free(&outcome);
            return false;
        }
        int culprits = outcome.end == SANDBOX_ENDED ? read_messages(steps, kit, &outcome) : 0;
        if (culprits == 0) culprits = find_culprits(steps, kit);
        if (sandbox_spent(kit->budget)) continue;
        if (culprits == 0) culprits = blame_all(steps, &outcome);
        bool grading = culprits > 0 || cannot_grade(&outcome, error, size);
        sandbox_free(&outcome);
        if (!grading) return false;
    }
}
