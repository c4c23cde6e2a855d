/* main.c: judges a student's file as the grader will: what it would refuse, and what it would not
 * take.
 *
 *     guard GIVEN LAB FILES COMMAND... <TEXT
 *
 * GIVEN is the lab's file as it was handed out, or its solution; TEXT is the student's, which
 * messages call LAB. The names of what the guard writes begin with FILES; COMMAND is the compiler
 * with its flags. Exit code 1: the grader would refuse a region. */
#include "guard.h"

#include "lib/die.h"
#include "lib/file.h"
#include "lib/linediff.h"
#include "lib/memory.h"
#include "lib/outfile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RULES "see handouts/rules.md"

/* What is judged. */
struct lab {
    const char *path, *files;
    char *program, *above, *compile;
    struct source given, student;
};

/* ---- The compiler's preprocessor ---- */

/* The command as a text for the shell, without objects and lists of dependencies. */
static char *command_text(char *const *words) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = need(open_memstream(&text, &size));
    fprintf(out, "env");
    for (; *words != NULL; words++) {
        /* A word about more than the source is left out. */
        const size_t n = strlen(*words);
        if (strncmp(*words, "-M", 2) == 0 || (n > 2 && strcmp(*words + n - 2, ".o") == 0)) {
            words += strcmp(*words, "-MF") == 0 || strcmp(*words, "-MT") == 0;
            continue;
        }
        fprintf(out, " '");
        for (const char *p = *words; *p != '\0'; p++) fprintf(out, *p == '\'' ? "'\\''" : "%c", *p);
        fprintf(out, "'");
    }
    fclose(out);
    return text;
}

static void write_merged(const struct lab *lab, const struct piece *pieces, const char *name,
                         const char *mark) {
    char *path = need_text("%s.%s.cu", lab->files, name);
    struct outfile out;
    bool written = outfile_open(&out, path);
    if (written) merge_put(out.file, &lab->given, pieces, lab->above, lab->program, mark, false);
    if (!written || !outfile_commit(&out))
        die(EXIT_FAILURE, "cannot write %s: %s", path, strerror(errno));
    free(path);
}

/* Judges the pieces that have a text, as the compiler for the device or the host reads them. */
static enum guard_verdict judge(const struct lab *lab, struct piece *pieces, bool on_host) {
    struct piece none[SOURCE_MAX_REGIONS + 1] = {{0}};
    char mark[GUARD_MARK_SIZE];
    guard_make_mark(mark);
    write_merged(lab, none, "given", mark);
    write_merged(lab, pieces, "merged", mark);
    char *left = need_text("'%s.left'", lab->files),
         *given = need_text("'%s.given.ii'", lab->files);
    char *merged = need_text("'%s.merged.ii'", lab->files),
         *path = need_text("%s.left", lab->files);
    char *cut = guard_script(given, merged, left, mark), *compile = lab->compile;
    const char *side = on_host ? "-U__CUDA_ARCH__" : "";
    char *script = need_text(
        "{ %s -E %s -o %s '%s.given.cu' & %s -E %s -o %s '%s.merged.cu'; wait; } 2>/dev/null; %s",
        compile, side, given, lab->files, compile, side, merged, lab->files, cut);
    const int status = system(script);
    char *text = status == 0 ? read_whole_file(path, NULL) : NULL;
    const enum guard_verdict verdict =
        text == NULL ? GUARD_INCOMPLETE
                     : guard_judge(pieces, lab->given.regions_n, text, lab->program, mark);
    char *const made[] = {left, given, merged, path, cut, script, text};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) free(made[i]);
    return verdict;
}

/* Refuses the pieces that alone change the program outside of the regions. */
static void find_reaching(const struct lab *lab, struct piece *pieces, bool on_host) {
    for (size_t i = 0; i <= lab->given.regions_n; i++) {
        struct piece alone[SOURCE_MAX_REGIONS + 1] = {{0}};
        if (pieces[i].text == NULL) continue;
        alone[lab->given.regions_n].name = pieces[lab->given.regions_n].name;
        alone[i] = pieces[i];
        if (judge(lab, alone, on_host) == GUARD_OUTSIDE) {
            pieces[i].refused = true;
            snprintf(pieces[i].reason, sizeof pieces[i].reason, "line %zu: " GUARD_REACHES,
                     pieces[i].line);
        }
    }
}

/* Returns the count of regions that the grader would refuse, and names them. */
static size_t judge_side(const struct lab *lab, const struct piece *all, bool on_host) {
    struct piece pieces[SOURCE_MAX_REGIONS + 1];
    size_t n = 0, refused = 0;
    for (size_t i = 0; i <= lab->given.regions_n; i++) {
        const bool helpers = i == lab->given.regions_n;
        pieces[i] = all[i];
        if (!helpers &&
            (all[i].todo || source_on_host(&lab->given, &lab->given.regions[i]) != on_host))
            pieces[i].text = NULL;
        n += pieces[i].text != NULL && (!helpers || !on_host);
    }
    if (n > 0 && judge(lab, pieces, on_host) == GUARD_OUTSIDE) find_reaching(lab, pieces, on_host);
    for (size_t i = 0; i <= lab->given.regions_n; i++) {
        if (!pieces[i].refused) continue;
        refused++;
        /* In the form of the compiler's messages, which editors know. */
        unsigned line = 0;
        int read = 0;
        sscanf(pieces[i].reason, "line %u: %n", &line, &read);
        if (read > 0)
            fprintf(stderr, "%s(%u): error: ", lab->path, line);
        else
            fprintf(stderr, "%s: ", lab->path);
        fprintf(stderr, "%s: not allowed: %s; " RULES "\n", pieces[i].name,
                pieces[i].reason + read);
    }
    return refused;
}

/* ---- Outside of the regions ---- */

/* The lines outside the regions that have code, without those about cooperative groups. */
static struct slice outside(const struct source *source) {
    struct slice slice = {need(calloc(source->lines_n + 1, sizeof(char *))), 0};
    bool comment = false;
    for (size_t i = 0, region = 0; i < source->lines_n; i++) {
        if (source->helpers.name[0] != '\0' && i == source->helpers.begin)
            i = source->helpers.end + 1;
        while (region < source->regions_n && i == source->regions[region].begin)
            i = source->regions[region++].end + 1;
        if (i >= source->lines_n) break;
        char *line = source->lines[i];
        const char *open = strstr(line, "/*");
        const bool code = !comment && line_after(line, "//") == NULL &&
                          line_after(line, "/*") == NULL && line[strspn(line, " \t\r")] != '\0' &&
                          strstr(line, "cooperative_groups") == NULL;
        if (code) slice.lines[slice.n++] = line;
        comment = (comment || open != NULL) && strstr(comment ? line : open, "*/") == NULL;
    }
    return slice;
}

static void name_line(void *context, const char *left, const char *right) {
    const struct lab *lab = context;
    size_t line = 0;
    if (right != NULL) return;
    while (lab->student.lines[line] != left) line++;
    fprintf(stderr,
            "%s:%zu: the grader does not take this line: it is outside of the marks; " RULES "\n",
            lab->path, line + 1);
}

/* ---- The whole ---- */

int main(int argc, char **argv) {
    if (argc < 5) die(2, "usage: guard GIVEN LAB FILES COMMAND...");
    struct lab lab = {.path = argv[2], .files = argv[3], .compile = command_text(argv + 4)};
    char *text = read_whole_file("/dev/stdin", NULL);
    if (text == NULL) die(2, "cannot read standard input: %s", strerror(errno));
    if (!source_read(&lab.given, argv[1])) die(2, "%s", failure);
    source_salvage(&lab.student, text, lab.path);
    const char *name = basename(lab.path);
    lab.program = need(strndup(name, strcspn(name, ".")));
    lab.above = merge_above(&lab.student, lab.program);
    struct piece pieces[SOURCE_MAX_REGIONS + 1];
    pieces_cut(pieces, &lab.given, &lab.student);
    for (size_t k = 0; k < lab.given.regions_n; k++) {
        if (pieces[k].text == NULL)
            fprintf(stderr,
                    "%s: the grader does not find %s: the marks around it, `// BEGIN SOLUTION %s` "
                    "and `// END SOLUTION`, are missing or damaged; " RULES "\n",
                    lab.path, pieces[k].name, pieces[k].name);
    }
    struct slice given = outside(&lab.given), student = outside(&lab.student);
    linediff_walk(student, given, name_line, &lab);
    free(given.lines);
    free(student.lines);
    const size_t refused = judge_side(&lab, pieces, false) + judge_side(&lab, pieces, true);
    for (size_t i = 0; i <= lab.given.regions_n; i++) free(pieces[i].text);
    source_free(&lab.given);
    source_free(&lab.student);
    free(lab.program);
    free(lab.above);
    free(lab.compile);
    free(text);
    return refused > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
