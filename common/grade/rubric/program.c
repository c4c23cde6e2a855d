/* program.c: see program.h.
 *
 * No student's code becomes code of the judging process. Kernels are compiled for the GPU only, and
 * replace those in host.o, the instructor's compiled program. Functions for the CPU become a
 * separate program (process.h). */
#include "program.h"

#include "grade/sandbox/limits.h"
#include "grade/student/split.h"
#include "guard/guard.h"
#include "lib/die.h"
#include "lib/memory.h"
#include "lib/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The shell commands for the judge's program. nvcc puts temporary files into the working folder.
 * With its -rdc the device code must be linked too, and lies in another section before that. */
static char *judge_script(const struct lab_files *lab, const char *compile, const char *flags,
                          const char *target) {
    const char *toolkit = lab->paths.toolkit, *name = lab->program;
    const bool linked = lab->paths.clang == NULL && strstr(flags, "-rdc") != NULL;
    char *script = NULL;
    size_t size = 0;
    FILE *out = need(open_memstream(&script, &size));
    if (split_any(&lab->solution, false))
        fprintf(out,
                "%s %s -keep -fatbin -o kernels ../grade/%s.cu && objcopy --update-section "
                "%s=kernels ../grade/host.o program.o && ",
                compile, flags, name, linked ? "__nv_relfatbin" : ".nv_fatbin");
    else
        fprintf(out, "cp ../grade/host.o program.o && ");
    if (linked)
        fprintf(out, "%s -cudart shared %s %s -o program program.o ../grade/harness.o", compile,
                target, lab->paths.flags);
    else
        fprintf(out, "g++ -o program program.o ../grade/harness.o %s ",
                lab->on_host ? "../grade/obj/process.o ../grade/obj/counts.o ../grade/obj/filter.o"
                             : "");
    if (lab->paths.clang != NULL)
        fprintf(out, "../grade/simt/libcudart.so.13");
    else if (!linked)
        fprintf(out, "-L%s/lib64 -lcudart", toolkit);
    fclose(out);
    return script;
}

/* The same, before and after it what the guard needs: it judges the very text that the compiler has
 * read, which -keep leaves. The file `taken` has the length of that text, the text and, if it
 * compiles, the program. */
static char *guarded_script(const struct lab_files *lab, bool on_host, const char *mark) {
    const char *name = lab->program;
    /* The simulator runs the PTX. It models times from machine code for the GPU that it plays. */
    char *target = on_host
                       ? need_text("-gencode arch=compute_75,code=compute_75")
                       : need_text("-gencode 'arch=compute_%s,code=[compute_%s," GRADING_CODE "]'",
                                   lab->paths.ptx, lab->paths.ptx);
    /* cudac has nvcc's command line. */
    char *compile = lab->paths.clang != NULL
                        ? need_text("CLANG='%s' ../grade/front/cudac", lab->paths.clang)
                        : need_text("%s/bin/nvcc", lab->paths.toolkit),
         *flags = need_text("-O3 -DHARNESS_LINKED -I../grade/common %s %s %s",
                            on_host ? "-Xcompiler -ffunction-sections '-Dmain=static unusedMain'"
                                    : "-lineinfo",
                            target, lab->paths.flags);
    char *build = on_host
                      ? (need_text("%s %s -keep -c -o student.o ../grade/%s.cu && g++ -static "
                                   "-Wl,--gc-sections -o program student.o ../grade/obj/student.o",
                                   compile, flags, lab->program))
                      : judge_script(lab, compile, flags, target);
    char *kept = need_text("%s.cpp%c.ii", name, on_host ? '4' : '1');
    char *guard = guard_script("given.ii", kept, "left", mark);
    char *script = need_text(
        "%s -E %s %s -o given.ii ../grade/given.cu 2>/dev/null &\n( %s )\nstatus=$?\n"
        "wait\n%s 2>/dev/null\n{ wc -c <left; cat left program; } >taken 2>/dev/null\nexit $status",
        compile, on_host ? "-U__CUDA_ARCH__" : "", flags, build, guard);
    free(guard);
    free(kept);
    free(build);
    free(flags);
    free(target);
    free(compile);
    return script;
}

/* Runs the script on these texts, and takes the file that it makes. */
static void run_script(const struct lab_files *lab, const char *text, const char *given,
                       const char *script, struct sandbox_outcome *outcome) {
    struct lab_list files = lab->for_build;
    char *name = need_text("%s.cu", lab->program);
    if (files.n + 2 > LAB_FILES) abort();
    files.items[files.n++] = (struct sandbox_file){name, text, strlen(text), false};
    files.items[files.n++] = (struct sandbox_file){"given.cu", given, strlen(given), false};
    struct sandbox_job job = {.command = (char *const[]){"sh", "-c", (char *)script, NULL},
                              .files = files.items,
                              .files_n = files.n,
                              .show = lab->paths.toolkit,
                              .take = "taken",
                              .limits = BUILD_LIMITS,
                              .budget = lab->budget};
    sandbox_run(&job, outcome);
    free(name);
}

/* Splits the taken file. Returns the text that the compiler has read, to be freed, NULL if there is
 * none; the program, if any, stays in the outcome. */
static char *take_left(struct sandbox_bytes *taken) {
    char *end = taken->data;
    const size_t n = taken->size > 0 ? strtoull(taken->data, &end, 10) : 0;
    const size_t head = (size_t)(end - taken->data) + 1;
    char *left = n > 0 && head <= taken->size && n <= taken->size - head
                     ? need(strndup(taken->data + head, n))
                     : NULL;
    taken->size = left != NULL ? taken->size - head - n : 0;
    if (left != NULL) memmove(taken->data, taken->data + head + n, taken->size);
    return left;
}

/* What a build came to: built; it does not compile; or steps were refused, and are left out from
 * here on. */
enum build { BUILD_DONE, BUILD_FAILED, BUILD_REFUSED };

/* Leaves the helpers out from here on, for this reason. Returns whether there were any. */
static bool drop_helpers(struct steps *steps, const char *reason) {
    if (steps->helpers.text == NULL) return false;
    free(steps->helpers.text);
    steps->helpers.text = NULL;
    snprintf(steps->helpers.reason, sizeof steps->helpers.reason, "%s", reason);
    utf8_tame(steps->helpers.reason);
    return true;
}

static enum build build_one(const struct lab_files *lab, struct steps *steps,
                            const struct step *only, bool on_host, struct sandbox_bytes *program,
                            struct sandbox_outcome *outcome);

/* Refuses the steps that change the program outside of their regions: those that do so alone, or
 * all. */
static void refuse_reaching(const struct lab_files *lab, struct steps *steps, struct piece *pieces,
                            bool on_host, bool alone) {
    bool found = false;
    for (size_t i = 0; i < steps->n && !alone; i++) {
        struct sandbox_outcome outcome;
        struct sandbox_bytes program = {NULL, 0};
        if (pieces[i].text == NULL) continue;
        found =
            build_one(lab, steps, &steps->items[i], on_host, &program, &outcome) == BUILD_REFUSED ||
            found;
        free(program.data);
        sandbox_free(&outcome);
    }
    for (size_t i = 0; i < steps->n && !found; i++)
        if (pieces[i].text != NULL)
            step_fail(&steps->items[i], STEP_REFUSED, "line %zu: %s", pieces[i].line,
                      GUARD_REACHES);
}

/* Builds one of the two programs of the steps that are taken, or of the step `only` alone if it is
 * not NULL. */
static enum build build_one(const struct lab_files *lab, struct steps *steps,
                            const struct step *only, bool on_host, struct sandbox_bytes *program,
                            struct sandbox_outcome *outcome) {
    struct piece pieces[SOURCE_MAX_REGIONS + 1], none[SOURCE_MAX_REGIONS + 1] = {{0}};
    char mark[GUARD_MARK_SIZE];
    guard_make_mark(mark);
    const size_t n = steps_pieces(pieces, steps, lab, only, on_host);
    char *given = steps_merge(steps, lab, none, mark, on_host),
         *text = steps_merge(steps, lab, pieces, mark, on_host);
    char *script = guarded_script(lab, on_host, mark);
    run_script(lab, text, given, script, outcome);
    free(script);
    free(text);
    free(given);
    char *left = take_left(&outcome->taken);
    const bool done =
        outcome->end == SANDBOX_ENDED && outcome->status == 0 && outcome->taken.size > 0;
    enum build build = done ? BUILD_DONE : BUILD_FAILED;
    const enum guard_verdict verdict =
        n == 0 ? GUARD_ALLOWS
               : guard_judge(pieces, steps->n, left != NULL ? left : "", lab->program, mark);
    free(left);
    if (verdict != GUARD_ALLOWS && (verdict != GUARD_INCOMPLETE || done)) {
        build = BUILD_REFUSED;
        /* Mark the steps whose pieces are refused. */
        if (pieces[steps->n].refused) drop_helpers(steps, pieces[steps->n].reason);
        for (size_t i = 0; i < steps->n; i++)
            if (pieces[i].refused)
                step_fail(&steps->items[i], STEP_REFUSED, "%s", pieces[i].reason);
        if (verdict != GUARD_REFUSES && !drop_helpers(steps, GUARD_REACHES))
            refuse_reaching(lab, steps, pieces, on_host, only != NULL);
    }
    if (build != BUILD_DONE) return build;
    *program = outcome->taken;
    outcome->taken = (struct sandbox_bytes){NULL, 0};
    return build;
}

/* Builds both programs of the steps that are taken, or only of the step `only`. The caller frees
 * the outcome, which is that of the last job, and the program. */
static enum build build(const struct lab_files *lab, struct steps *steps, const struct step *only,
                        struct program *program, struct sandbox_outcome *outcome) {
    *program = (struct program){.judge = {NULL, 0}};
    enum build built = build_one(lab, steps, only, false, &program->judge, outcome);
    if (built != BUILD_DONE || !lab->on_host) return built;
    sandbox_free(outcome);
    built = build_one(lab, steps, only, true, &program->student, outcome);
    if (built != BUILD_DONE) program_free(program);
    return built;
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

/* The line of the student's file that an error message names: "reduction.cu(82): error: ..." of
 * nvcc, "reduction.cu:82:5: fatal error: ..." of gcc and clang; 0: none. */
static size_t line_named(const char *message, const char *program) {
    size_t line = 0;
    int length = (int)strlen(program), end = 0;
    if (strncmp(message, program, (size_t)length) != 0) return 0;
    message += length;
    if (sscanf(message, ".cu(%zu): %n", &line, &end) < 1 || end == 0)
        sscanf(message, ".cu:%zu:%*u: %n", &line, &end);
    message += end;
    const bool is_error =
        line_after(message, "error") != NULL || line_after(message, "fatal error");
    return end > 0 && is_error ? line : 0;
}

/* Marks the steps whose lines the compiler names as broken, or leaves out the lines above them.
 * Returns the count of messages used. */
static int read_messages(struct steps *steps, const struct lab_files *lab,
                         const struct sandbox_outcome *outcome) {
    int found = 0;
    for (const char *line = outcome->error.data; *line != '\0';
         line += strcspn(line, "\n"), line += *line == '\n') {
        const size_t number = line_named(line, lab->program);
        struct step *step = step_at(steps, number);
        char message[256];
        snprintf(message, sizeof message, "does not compile: %.*s", (int)strcspn(line, "\n"), line);
        size_t lines = 0;
        for (const char *p = steps->helpers.text; p != NULL && *p != '\0'; p++) lines += *p == '\n';
        if ((number >= steps->helpers.line && number < steps->helpers.line + lines))
            return drop_helpers(steps, message);
        if (step != NULL)
            step_fail(step, STEP_BROKEN, "does not compile: %.*s", (int)strcspn(line, "\n"), line);
        else if (number > 0 && steps->above[0] != '\0')
            steps_drop_above(steps, line);
        else
            continue;
        found++;
    }
    return found;
}

/* Compiles each taken step alone, and marks those that fail as broken. Returns their count. */
static int find_culprits(struct steps *steps, const struct lab_files *lab) {
    int found = 0;
    for (size_t i = 0; i < steps->n; i++) {
        struct step *step = &steps->items[i];
        struct sandbox_outcome outcome;
        struct program program;
        if (step->state != STEP_TAKEN) continue;
        const enum build built = build(lab, steps, step, &program, &outcome);
        if (built == BUILD_FAILED && outcome.end != SANDBOX_BUDGET) blame(step, &outcome);
        found += step->state != STEP_TAKEN;
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

static bool cannot_grade(const struct sandbox_outcome *outcome) {
    const char *why = sandbox_reason(outcome);
    return fail_with("the program does not compile without a submission: %s%.400s",
                     why != NULL ? why : "", outcome->error.data);
}

bool program_build(struct steps *steps, const struct lab_files *lab, struct program *program) {
    for (;;) {
        struct sandbox_outcome outcome;
        const enum build built = build(lab, steps, NULL, program, &outcome);
        if (built != BUILD_FAILED) {
            sandbox_free(&outcome);
            if (built == BUILD_DONE) return true;
            continue;
        }
        if (outcome.end == SANDBOX_BUDGET || outcome.end == SANDBOX_FAILED) {
            fail_with("%s", outcome.error.data);
            sandbox_free(&outcome);
            return false;
        }
        int culprits = outcome.end == SANDBOX_ENDED ? read_messages(steps, lab, &outcome) : 0;
        if (culprits == 0) culprits = find_culprits(steps, lab);
        if (sandbox_spent(lab->budget)) continue;
        if (culprits == 0) culprits = blame_all(steps, &outcome);
        bool grading = culprits > 0 || steps->above[0] != '\0';
        if (grading && culprits == 0) steps_drop_above(steps, "no step is left that needs them");
        grading = grading || cannot_grade(&outcome);
        sandbox_free(&outcome);
        if (!grading) return false;
    }
}
