/* skeleton.c: make the student's version of a lab from its solution.
 *
 *     skeleton write SOLUTION LAB     write LAB, unless it has been edited
 *     skeleton check SOLUTION LAB     compare LAB with what `write` would write
 *     skeleton reset SOLUTION LAB     write the original LAB; keep the present file as LAB.1, LAB.2 ...
 *
 * A region's solution becomes the TODO in the comments at its top, or its faulty lines
 * (lib/source.h); the other lines are the same.
 * The file handed-out.tsv, beside LAB's folder, keeps the hash of what was written: it tells
 * whether LAB has been edited. Exit code 1: LAB differs, or a file is bad. */
#include "lib/die.h"
#include "lib/file.h"
#include "lib/handed_out.h"
#include "lib/memory.h"
#include "lib/outfile.h"
#include "lib/printed.h"
#include "lib/source.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- From solution to skeleton ---- */

/* Prints the lines from `begin` up to, not including, `end`. */
static void print_lines(FILE *out, const struct source *source, size_t begin, size_t end) {
    for (size_t i = begin; i < end; i++) fprintf(out, "%s\n", source->lines[i]);
}

/* The student's version of the solution; the caller frees it. */
static char *make_skeleton(const char *path) {
    struct source source;
    if (!source_read(&source, path)) die(EXIT_FAILURE, "%s", failure);
    if (source.regions_n == 0) die(EXIT_FAILURE, "%s: no `// BEGIN SOLUTION name` marks", path);
    char *text = NULL;
    size_t size = 0, line = 0;
    FILE *out = need(open_memstream(&text, &size));
    for (size_t i = 0; i < source.regions_n; i++) {
        const struct region *region = &source.regions[i];
        print_lines(out, &source, line, region->begin + 1);
        if (!source_put_handed_out(out, &source, region)) die(EXIT_FAILURE, "%s", failure);
        line = region->end;
    }
    print_lines(out, &source, line, source.lines_n);
    fclose(out);
    source_free(&source);
    return text;
}

/* ---- The lab file ---- */

static void write_text(const char *path, const char *text) {
    struct outfile out;
    if (!outfile_open(&out, path)) die(EXIT_FAILURE, "cannot write %s: %s", path, strerror(errno));
    fputs(text, out.file);
    if (!outfile_commit(&out)) die(EXIT_FAILURE, "cannot write %s: %s", path, strerror(errno));
}

/* Notes in the table that this text was written. */
static void note_written(const char *lab, const char *text) {
    char path[4096], row[4096 + 32];
    struct outfile out;
    if (is_handed_out(lab, text)) return;
    const char *name = handed_out_name(lab, path, sizeof path);
    char *table = read_whole_file(path, NULL);
    if (!outfile_open(&out, path)) die(EXIT_FAILURE, "cannot write %s: %s", path, strerror(errno));
    handed_out_row(name, text, row, sizeof row);
    bool put = false;
    for (const char *line = table; line != NULL && *line != '\0'; line += strcspn(line, "\n") + 1) {
        const size_t n = strlen(name);
        const bool mine = strncmp(line, name, n) == 0 && line[n] == '\t';
        if (mine)
            fputs(row, out.file);
        else
            fprintf(out.file, "%.*s\n", (int)strcspn(line, "\n"), line);
        put = put || mine;
    }
    if (!put) fputs(row, out.file);
    if (!outfile_commit(&out)) die(EXIT_FAILURE, "cannot write %s: %s", path, strerror(errno));
    free(table);
}

static void command_write(const char *wanted, const char *present, const char *lab) {
    if (present != NULL && strcmp(wanted, present) != 0 && !is_handed_out(lab, present)) {
        die(EXIT_FAILURE,
            "%s has been edited, so it stays unchanged; to start again, use the lab's reset "
            "target, which keeps a copy",
            lab);
    }
    note_written(lab, wanted);
    if (present != NULL && strcmp(wanted, present) == 0) return;
    write_text(lab, wanted);
    printf("  wrote   %s\n", lab);
}

/* Keeps the file as FILE.1, FILE.2 ..., the first free name. A link, so that the file is never
 * missing. */
static void keep_copy(const char *path) {
    char kept[4096 + 16];
    for (int i = 1;; i++) {
        snprintf(kept, sizeof kept, "%s.%d", path, i);
        if (link(path, kept) == 0) break;
        if (errno != EEXIST)
            die(EXIT_FAILURE, "cannot keep a copy as %s: %s", kept, strerror(errno));
    }
    printf("  kept    %s\n", kept);
}

static void command_reset(const char *wanted, const char *present, const char *lab) {
    if (present != NULL && strcmp(wanted, present) == 0) {
        printf("  %s is as it was handed out\n", lab);
        return;
    }
    if (present != NULL) keep_copy(lab);
    note_written(lab, wanted);
    write_text(lab, wanted);
    printf("  wrote   %s as it was handed out\n", lab);
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    if (argc != 4) die(EXIT_FAILURE, "usage: skeleton write|check|reset SOLUTION LAB");
    const char *command = argv[1], *lab = argv[3];
    char *wanted = make_skeleton(argv[2]);
    char *present = read_whole_file(lab, NULL);
    if (present == NULL && errno != ENOENT)
        die(EXIT_FAILURE, "cannot read %s: %s", lab, strerror(errno));
    if (strcmp(command, "write") == 0) {
        command_write(wanted, present, lab);
    } else if (strcmp(command, "check") == 0) {
        if (present == NULL) die(EXIT_FAILURE, "%s is missing: run `make skeletons`", lab);
        if (strcmp(wanted, present) != 0) {
            die(EXIT_FAILURE, "%s is not what its solution gives: %s", lab,
                is_handed_out(lab, present)
                    ? "run `make skeletons`"
                    : "it has been edited by hand; edit the solution instead");
        }
    } else if (strcmp(command, "reset") == 0) {
        command_reset(wanted, present, lab);
    } else {
        die(EXIT_FAILURE, "%s: no such command; there are write, check and reset", command);
    }
    free(present);
    free(wanted);
    return EXIT_SUCCESS;
}
