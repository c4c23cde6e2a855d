/* export.c: a class's grades and reports as a learning platform imports them.
 *
 *              Moodle                                   Canvas
 *     names    Doe Jane_12345_assignsubmission_file_    doejane_LATE_12345_67890_reduction-1.cu
 *     points   Participant 12345                        12345
 *     report   the same name/report.txt                 the same name
 *
 * Sources: Moodle's mod/assign/feedback/offline/importgradeslib.php and
 * mod/assign/feedback/file/importziplib.php; Canvas's lib/gradebook_importer.rb, and
 * infer_comment_context_from_filename in app/models/assignment.rb. */
#include "class.h"

#include "lib/csv.h"
#include "lib/memory.h"
#include "lib/outfile.h"
#include "lib/utf8.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Submissions as the platform knows them ---- */

struct known {
    const struct entry *entry;
    char *name;    /* the student's, as the platform wrote it */
    char *id;      /* the number by which the platform knows the student */
    char *to;      /* where the report goes, under feedback/ */
    char *points;  /* "": could not be graded */
    char *of;      /* all points of the lab */
    bool repeated; /* another submission of the same student counts */
};

struct platform {
    const char *name, *looks;
    int name_part, id_part;                                  /* groups of the regular expression */
    char *(*report)(const char *name, const regmatch_t *id); /* makes `to` */
    void (*put)(FILE *out, const struct known *all, size_t n, const char *title);
};

static char *part(const char *text, regmatch_t match) {
    return need_text("%.*s", (int)(match.rm_eo - match.rm_so), text + match.rm_so);
}

static const char *name_of(const struct entry *entry) {
    return strrchr(entry->path, '/') + 1;
}

static const char *cell(const struct csv *row, const char *column) {
    return row != NULL ? csv_get(row, 0, column) : "";
}

/* Reads what the submission's name and row say. Returns false if the platform has not given the
 * name. */
static bool know(struct known *known, const struct platform *platform, const struct class *class,
                 const struct entry *entry) {
    regex_t pattern;
    regmatch_t match[5];
    const char *name = name_of(entry);
    if (regcomp(&pattern, platform->looks, REG_EXTENDED) != 0) return false;
    bool matches = regexec(&pattern, name, 5, match, 0) == 0;
    regfree(&pattern);
    if (!matches) return false;
    struct csv *row = class_row(class, entry);
    *known = (struct known){.entry = entry,
                            .name = part(name, match[platform->name_part]),
                            .id = part(name, match[platform->id_part]),
                            .to = platform->report(name, &match[platform->id_part]),
                            .points = need_text("%s", cell(row, "points")),
                            .of = need_text("%s", cell(row, "of"))};
    csv_free(row);
    return true;
}

/* Of several submissions of a student the best counts, and of equal ones the first. */
static void find_repeated(struct known *all, size_t n) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n && !all[i].repeated; k++) {
            double mine = strtod(all[i].points, NULL), other = strtod(all[k].points, NULL);
            all[i].repeated = k != i && strcmp(all[i].id, all[k].id) == 0 &&
                              (other > mine || (other == mine && k < i));
        }
        if (all[i].repeated)
            fprintf(stderr, "grade: %s: left out, a better one of the student is there\n",
                    name_of(all[i].entry));
    }
}

/* ---- Moodle ---- */

/* A submission is a folder, or with old settings a file whose name goes on after the folder's. */
static char *moodle_report(const char *name, const regmatch_t *id) {
    static const char MARK[] = "_assignsubmission_file";
    size_t head = (size_t)id->rm_eo + strlen(MARK);
    const char *rest = name + head;
    bool is_folder = rest[0] == '\0' || strcmp(rest, "_") == 0;
    return is_folder ? need_text("%s/report.txt", name)
                     : need_text("%.*s_report.txt", (int)head, name);
}

static void put_name(FILE *out, const char *name) {
    char *valid = utf8_valid(name);
    csv_put_text(out, valid, ',');
    free(valid);
}

static void put_moodle(FILE *out, const struct known *all, size_t n, const char *title) {
    (void)title;
    fputs("Identifier,Full name,Grade,Last modified (grade)\n", out);
    for (size_t i = 0; i < n; i++) {
        if (all[i].repeated) continue;
        fprintf(out, "Participant %s,", all[i].id);
        put_name(out, all[i].name);
        fprintf(out, ",%s,-\n", all[i].points);
    }
}

/* ---- Canvas ---- */

static char *canvas_report(const char *name, const regmatch_t *id) {
    (void)id;
    return need_text("%s", name);
}

static void put_canvas(FILE *out, const struct known *all, size_t n, const char *title) {
    const char *of = "";
    fputs("Student,ID,SIS User ID,SIS Login ID,Section,", out);
    csv_put(out, title, ',');
    for (size_t i = 0; i < n && of[0] == '\0'; i++) of = all[i].of;
    fprintf(out, "\n    Points Possible,,,,,%s\n", of);
    for (size_t i = 0; i < n; i++) {
        if (all[i].repeated) continue;
        put_name(out, all[i].name);
        fprintf(out, ",%s,,,,%s\n", all[i].id, all[i].points);
    }
}

static const struct platform PLATFORMS[] = {
    {"moodle", "^(.*)_([0-9]+)_assignsubmission_file", 1, 2, moodle_report, put_moodle},
    {"canvas", "^([^_]+)(_LATE)?_([0-9]+)_[0-9]+_", 1, 3, canvas_report, put_canvas},
};

const struct platform *class_platform(const char *name) {
    for (size_t i = 0; i < sizeof PLATFORMS / sizeof *PLATFORMS; i++)
        if (strcmp(PLATFORMS[i].name, name) == 0) return &PLATFORMS[i];
    return NULL;
}

/* ---- The whole ---- */

/* Copies the student's report to FOLDER/feedback/TO. Returns false with errno. */
static bool copy_report(const struct class *class, const struct known *known, const char *folder) {
    char from[PATH_MAX], *to = need_text("%s/feedback/%s", folder, known->to),
                         *slash = strrchr(to, '/');
    struct outfile out;
    class_folder(class, known->entry, from);
    strncat(from, "/report.txt", sizeof from - strlen(from) - 1);
    *slash = '\0';
    bool done = class_make_folder(to);
    *slash = '/';
    FILE *file = fopen(from, "r");
    done = done && file != NULL && outfile_open(&out, to);
    for (int c; done && (c = getc(file)) != EOF;) putc(c, out.file);
    done = done && outfile_commit(&out);
    if (file != NULL) fclose(file);
    free(to);
    return done;
}

static bool write_grades(const struct known *all, size_t n, const struct platform *platform,
                         const char *title, const char *folder) {
    char *path = need_text("%s/grades.csv", folder);
    struct outfile out;
    bool done = outfile_open(&out, path);
    if (done) {
        platform->put(out.file, all, n, title);
        done = outfile_commit(&out);
    }
    free(path);
    return done;
}

static bool write_all(const struct class *class, const struct known *all, size_t n,
                      const struct platform *platform, const char *title) {
    char *folder = need_text("%s/upload", class->out);
    bool done = class_make_folder(folder) && write_grades(all, n, platform, title, folder);
    for (size_t i = 0; i < n && done; i++)
        if (!all[i].repeated && all[i].points[0] != '\0')
            done = copy_report(class, &all[i], folder);
    if (!done) fprintf(stderr, "grade: cannot write into %s: %s\n", folder, strerror(errno));
    free(folder);
    return done;
}

bool class_export(const struct class *class, const struct platform *platform, const char *title) {
    struct known *all = need(calloc(class->n + 1, sizeof *all));
    size_t n = 0;
    for (size_t i = 0; i < class->n; i++) {
        if (know(&all[n], platform, class, &class->entries[i]))
            n++;
        else
            fprintf(stderr, "grade: %s: left out, because %s does not name submissions so\n",
                    name_of(&class->entries[i]), platform->name);
    }
    if (n == 0)
        fprintf(stderr,
                "grade: no submission has a name of %s: give the archive as it was downloaded\n",
                platform->name);
    find_repeated(all, n);
    bool done = n > 0 && write_all(class, all, n, platform, title);
    for (size_t i = 0; i < n; i++) {
        char *const texts[] = {all[i].name, all[i].id, all[i].to, all[i].points, all[i].of};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) free(texts[k]);
    }
    free(all);
    return done;
}
