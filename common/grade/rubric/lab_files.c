#include "lab_files.h"

#include "grade/student/split.h"
#include "lib/die.h"
#include "lib/memory.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Files ---- */

/* Reads the file FOLDER/NAME. In the sandbox it is called as/NAME. */
static bool read_file(struct lab_list *list, const char *folder, const char *name, const char *as) {
    char *path = need_text("%s/%s", folder, name);
    bool read = list->n < LAB_FILES && sandbox_read(&list->items[list->n], path, NULL);
    if (read)
        list->items[list->n++].name = need_text("%s%s%s", as, as[0] != '\0' ? "/" : "", name);
    else
        fail_with("cannot read %s: %s", path,
                  list->n < LAB_FILES ? strerror(errno) : "raise LAB_FILES");
    free(path);
    return read;
}

/* The same for several names, NULL after them. */
static bool read_files(struct lab_list *list, const char *folder, const char *const *names,
                       const char *as) {
    for (; *names != NULL; names++)
        if (!read_file(list, folder, *names, as)) return false;
    return true;
}

/* Reads the headers of a folder. */
static bool read_headers(struct lab_list *list, const char *folder, const char *as) {
    DIR *listing = opendir(folder);
    bool read = listing != NULL;
    if (!read) fail_with("cannot list %s: %s", folder, strerror(errno));
    for (struct dirent *entry; read && (entry = readdir(listing)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot != NULL && (strcmp(dot, ".h") == 0 || strcmp(dot, ".hpp") == 0))
            read = read_file(list, folder, entry->d_name, as);
    }
    if (listing != NULL) closedir(listing);
    return read;
}

/* Reads cudac and what it needs. It finds its parts beside its folder. */
static bool read_front(struct lab_list *list, const char *built) {
    return read_files(
               list, "common/front",
               (const char *const[]){"cudac", "lacking.tsv", "registers.awk", "wide.awk", NULL},
               "front") &&
           read_files(list, built,
                      (const char *const[]){"bin/launches", "bin/simt", "simt/libcudart.so.13",
                                            "simt/gpus.tsv", NULL},
                      "") &&
           read_headers(list, "common/simt/include", "simt/include") &&
           read_headers(list, "common/simt/include/bits", "simt/include/bits") &&
           read_headers(list, "common/simt/include/crt", "simt/include/crt");
}

/* Reads what the student's program is compiled and linked with, and the judge linked with. */
static bool read_process(struct lab_list *list, const char *objects) {
    return read_files(list, "common/grade/student",
                      (const char *const[]){"process.h", "student.h", NULL},
                      "common/grade/student") &&
           read_files(list, objects,
                      (const char *const[]){"process.o", "counts.o", "filter.o", "student.o", NULL},
                      "obj");
}

static bool read_lists(struct lab_files *lab) {
    struct lab_list *build = &lab->for_build, *run = &lab->for_run;
    const char *folder = lab->paths.build;
    char *built = need_text("%s/grade", folder),
         *host = need_text("%s/lab%s", built, lab->paths.lab);
    char *harness = need_text("%s/obj/common/harness", folder);
    char *objects = need_text("%s/obj/common/grade/student", folder);
    bool read =
        read_headers(build, "common", "common") &&
        read_headers(build, "common/harness", "common/harness") &&
        read_headers(build, "common/lib", "common/lib") && read_file(build, host, "host.o", "") &&
        read_file(build, harness, "harness.o", "") &&
        (lab->paths.clang == NULL || read_front(build, built)) &&
        (!lab->on_host || read_process(build, objects)) &&
        read_files(run, built,
                   (const char *const[]){"bin/simt", "simt/libcudart.so.13", "simt/gpus.tsv",
                                         "bin/labprof", "labprof/metrics.tsv", NULL},
                   "");
    char *const made[] = {built, host, harness, objects};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) free(made[i]);
    return read;
}

/* ---- Solution and tables ---- */

static struct csv *read_table(const char *folder, const char *name, const char *const *columns) {
    char *path = need_text("%s/%s", folder, name);
    struct csv *table = csv_read_columns(path, &CSV_TABS, columns);
    free(path);
    return table;
}

static bool read_tables(struct lab_files *lab) {
    static const char *const rubric[] = {"step", "points", "what", "bound", "feedback", NULL};
    static const char *const cases[] = {"name", "kind", "flags", "says", NULL};
    const char *path = lab->paths.solution, *name = basename(path);
    char *folder = name > path ? need(strndup(path, (size_t)(name - path) - 1)) : need(strdup("."));
    lab->program = need(strndup(name, strcspn(name, ".")));
    bool read = source_read(&lab->solution, lab->paths.solution) &&
                (lab->rubric = read_table(folder, "rubric.tsv", rubric)) != NULL &&
                (lab->cases = read_table(folder, "cases.tsv", cases)) != NULL &&
                read_files(&lab->tables, folder,
                           (const char *const[]){name, "rubric.tsv", "cases.tsv", NULL}, "");
    free(folder);
    return read;
}

/* ---- The whole ---- */

bool lab_files_read(struct lab_files *lab, const struct lab_paths *paths) {
    memset(lab, 0, sizeof *lab);
    lab->paths = *paths;
    if (!read_tables(lab)) return false;
    lab->on_host = split_any(&lab->solution, true);
    return read_lists(lab);
}

static void free_list(struct lab_list *list) {
    for (size_t i = 0; i < list->n; i++) {
        free((void *)list->items[i].name);
        free((void *)list->items[i].data);
    }
}

void lab_files_free(struct lab_files *lab) {
    free_list(&lab->tables);
    free_list(&lab->for_build);
    free_list(&lab->for_run);
    free(lab->program);
    csv_free(lab->rubric);
    csv_free(lab->cases);
    source_free(&lab->solution);
}

/* ---- The hash ---- */

uint64_t lab_files_hash_text(uint64_t hash, const char *text) {
    return hash_bytes(hash, text, strlen(text) + 1);
}

uint64_t lab_files_hash(const struct lab_files *lab, uint64_t hash) {
    const struct lab_paths *p = &lab->paths;
    const char *const texts[] = {p->flags, p->cpu_limit, p->time_limit,
                                 p->clang != NULL ? p->clang : "nvcc"};
    const struct lab_list *const lists[] = {&lab->tables, &lab->for_build, &lab->for_run};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        hash = lab_files_hash_text(hash, texts[i]);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (size_t k = 0; k < lists[i]->n; k++)
            hash = hash_bytes(hash, lists[i]->items[k].data, lists[i]->items[k].size);
    return hash;
}
