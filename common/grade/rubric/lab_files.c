/* lab_files.c: see lab_files.h. */
#include "lab_files.h"

#include "grade/student/split.h"
#include "lib/memory.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Files for the sandbox ---- */

static bool read_file(struct sandbox_file *file, const char *path, const char *name, char *error,
                      size_t size) {
    if (!sandbox_read(file, path, name)) {
        snprintf(error, size, "cannot read %s: %s", path, strerror(errno));
        return false;
    }
    file->name = need(strdup(name));
    return true;
}

static void free_file(struct sandbox_file *file) {
    free((void *)file->name);
    free((void *)file->data);
}

/* A list of files in the lab. */
struct list {
    struct sandbox_file *files;
    size_t *n, most;
};

static bool add_file(struct list list, const char *path, const char *name, bool program,
                     char *error, size_t size) {
    if (*list.n == list.most) {
        snprintf(error, size, "%s: more than %zu files: raise the limits of lab_files.h", path,
                 list.most);
        return false;
    }
    struct sandbox_file *file = &list.files[*list.n];
    if (!read_file(file, path, name, error, size)) return false;
    file->program = program;
    ++*list.n;
    return true;
}

static bool is_header(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot != NULL && (strcmp(dot, ".h") == 0 || strcmp(dot, ".hpp") == 0);
}

/* Reads the headers of a folder of common/; "" is common/ itself. In the sandbox they lie in the
 * folder `as`. */
static bool read_headers(struct lab_files *lab, struct list list, const char *folder,
                         const char *as, char *error, size_t size) {
    char path[PATH_MAX], name[NAME_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", lab->paths.common, folder);
    DIR *listing = opendir(path);
    bool read = listing != NULL;
    if (!read) snprintf(error, size, "cannot list %s: %s", path, strerror(errno));
    for (struct dirent *entry; read && (entry = readdir(listing)) != NULL;) {
        if (!is_header(entry->d_name)) continue;
        snprintf(path, sizeof path, "%s/%s%s", lab->paths.common, folder, entry->d_name);
        snprintf(name, sizeof name, "%s%s", as, entry->d_name);
        read = add_file(list, path, name, false, error, size);
    }
    if (listing != NULL) closedir(listing);
    return read;
}

/* Reads all headers that a lab's program includes. */
static bool read_all_headers(struct lab_files *lab, char *error, size_t size) {
    const struct list list = {lab->headers, &lab->headers_n, LAB_HEADERS};
    return read_headers(lab, list, "", "common/", error, size) &&
           read_headers(lab, list, "harness/", "common/harness/", error, size) &&
           read_headers(lab, list, "lib/", "common/lib/", error, size);
}

/* Reads cudac and what it needs. It finds its parts beside its folder. */
static bool read_front(struct lab_files *lab, char *error, size_t size) {
    static const char *const parts[] = {"cudac", "lacking.tsv", "registers.awk", "wide.awk"};
    static const char *const built[] = {"bin/launches", "bin/simt", "simt/libcudart.so.13",
                                        "simt/gpus.tsv"};
    static const char *const folders[] = {"simt/include/", "simt/include/bits/",
                                          "simt/include/crt/"};
    const struct list list = {lab->front, &lab->front_n, LAB_FRONT};
    char path[PATH_MAX];
    if (lab->paths.clang == NULL) return true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(path, sizeof path, "%s/front/%s", lab->paths.common, parts[i]);
        if (!add_file(list, path, path + strlen(lab->paths.common) + 1, i == 0, error, size))
            return false;
    }
    for (size_t i = 0; i < sizeof built / sizeof *built; i++) {
        snprintf(path, sizeof path, "%s/grade/%s", lab->paths.build, built[i]);
        if (!add_file(list, path, built[i], strncmp(built[i], "bin/", 4) == 0, error, size))
            return false;
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (!read_headers(lab, list, folders[i], folders[i], error, size)) return false;
    return true;
}

/* Reads the tools; their relative paths stay as in build/grade. */
static bool read_tools(struct lab_files *lab, char *error, size_t size) {
    static const char *const tools[] = {"bin/simt", "simt/libcudart.so.13", "simt/gpus.tsv",
                                        "bin/labprof", "labprof/metrics.tsv"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++, lab->tools_n++) {
        snprintf(path, sizeof path, "%s/grade/%s", lab->paths.build, tools[i]);
        if (!read_file(&lab->tools[i], path, tools[i], error, size)) return false;
    }
    return true;
}

static bool read_host(struct lab_files *lab, char *error, size_t size) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/grade/lab%s/host.o", lab->paths.build, lab->paths.lab);
    if (!read_file(&lab->host, path, "host.o", error, size)) return false;
    snprintf(path, sizeof path, "%s/obj/common/harness/harness.o", lab->paths.build);
    return read_file(&lab->harness, path, "harness.o", error, size);
}

/* Reads the headers and objects of process.h, under the names that compiling expects. */
static bool read_student_files(struct lab_files *lab, char *error, size_t size) {
    const char *common = lab->paths.common, *build = lab->paths.build;
    const struct {
        const char *folder, *path, *name;
    } files[LAB_STUDENT] = {{common, "grade/student/process.h", "common/grade/student/process.h"},
                            {common, "grade/student/student.h", "common/grade/student/student.h"},
                            {build, "obj/common/grade/student/process.o", "obj/process.o"},
                            {build, "obj/common/grade/student/counts.o", "obj/counts.o"},
                            {build, "obj/common/grade/student/filter.o", "obj/filter.o"},
                            {build, "obj/common/grade/student/student.o", "obj/student.o"}};
    char path[PATH_MAX];
    if (!split_any_on_host(&lab->solution)) return true;
    for (; lab->student_n < LAB_STUDENT; lab->student_n++) {
        snprintf(path, sizeof path, "%s/%s", files[lab->student_n].folder,
                 files[lab->student_n].path);
        if (!read_file(&lab->student[lab->student_n], path, files[lab->student_n].name, error,
                       size))
            return false;
    }
    return true;
}

/* ---- Tables ---- */

static struct csv *read_table(const char *path, const char *const *columns, char *error,
                              size_t size) {
    struct csv *table = csv_read(path, &CSV_TABS, error, size);
    for (; table != NULL && *columns != NULL; columns++) {
        if (csv_column(table, *columns) >= 0) continue;
        snprintf(error, size, "%s: no column %s", path, *columns);
        csv_free(table);
        return NULL;
    }
    return table;
}

static bool read_tables(struct lab_files *lab, char *error, size_t size) {
    static const char *const rubric[] = {"step", "points", "what", "bound", "feedback", NULL};
    static const char *const cases[] = {"name", "kind", "flags", "says", NULL};
    lab->rubric = read_table(lab->paths.rubric, rubric, error, size);
    if (lab->rubric == NULL) return false;
    lab->cases = read_table(lab->paths.cases, cases, error, size);
    return lab->cases != NULL;
}

/* ---- The whole ---- */

bool lab_files_read(struct lab_files *lab, const struct lab_paths *paths, char *error,
                    size_t size) {
    memset(lab, 0, sizeof *lab);
    lab->paths = *paths;
    if (!source_read(&lab->solution, paths->solution, error, size) ||
        !read_tables(lab, error, size))
        return false;
    if (!read_all_headers(lab, error, size) || !read_front(lab, error, size)) return false;
    return read_tools(lab, error, size) && read_host(lab, error, size) &&
           read_student_files(lab, error, size);
}

void lab_files_free(struct lab_files *lab) {
    for (size_t i = 0; i < lab->headers_n; i++) free_file(&lab->headers[i]);
    for (size_t i = 0; i < lab->front_n; i++) free_file(&lab->front[i]);
    for (size_t i = 0; i < lab->tools_n; i++) free_file(&lab->tools[i]);
    free_file(&lab->host);
    free_file(&lab->harness);
    for (size_t i = 0; i < lab->student_n; i++) free_file(&lab->student[i]);
    csv_free(lab->rubric);
    csv_free(lab->cases);
    source_free(&lab->solution);
}

/* ---- The hash ---- */

/* FNV-1a (Fowler, Noll, Vo), 64 bits. */
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size) {
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * 0x100000001B3u;
    return hash;
}

uint64_t lab_files_hash_text(uint64_t hash, const char *text) {
    return hash_bytes(hash, text, strlen(text) + 1);
}

static uint64_t hash_table(uint64_t hash, const struct csv *table) {
    for (int row = 0; row < csv_rows(table); row++) {
        for (int column = 0; column < csv_columns(table); column++)
            hash = lab_files_hash_text(hash, csv_at(table, row, column));
    }
    return hash;
}

static uint64_t hash_files(uint64_t hash, const struct sandbox_file *files, size_t n) {
    for (size_t i = 0; i < n; i++) hash = hash_bytes(hash, files[i].data, files[i].size);
    return hash;
}

uint64_t lab_files_hash(const struct lab_files *lab, uint64_t hash) {
    hash = lab_files_hash_text(lab_files_hash_text(hash, lab->paths.flags), lab->paths.metrics);
    hash =
        lab_files_hash_text(lab_files_hash_text(hash, lab->paths.cpu_limit), lab->paths.time_limit);
    hash = hash_table(hash_table(hash, lab->rubric), lab->cases);
    for (size_t i = 0; i < lab->solution.lines_n; i++)
        hash = lab_files_hash_text(hash, lab->solution.lines[i]);
    hash = lab_files_hash_text(hash, lab->paths.clang != NULL ? lab->paths.clang : "nvcc");
    hash = hash_files(hash, lab->headers, lab->headers_n);
    hash = hash_files(hash, lab->front, lab->front_n);
    hash = hash_files(hash, lab->tools, lab->tools_n);
    hash = hash_files(hash, lab->student, lab->student_n);
    hash = hash_bytes(hash, lab->harness.data, lab->harness.size);
    return hash_bytes(hash, lab->host.data, lab->host.size);
}
