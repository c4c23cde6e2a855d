/* kit.c: see kit.h. */
#include "kit.h"

#include "lib/memory.h"
#include "split.h"

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

/* A list of files in the kit. */
struct list {
    struct sandbox_file *files;
    size_t *n, most;
};

static bool add_file(struct list list, const char *path, const char *name, bool program,
                     char *error, size_t size) {
    if (*list.n == list.most) {
        snprintf(error, size, "%s: more than %zu files: raise the limits of kit.h", path,
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
static bool read_headers(struct kit *kit, struct list list, const char *folder, const char *as,
                         char *error, size_t size) {
    char path[PATH_MAX], name[NAME_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", kit->paths.common, folder);
    DIR *listing = opendir(path);
    bool read = listing != NULL;
    if (!read) snprintf(error, size, "cannot list %s: %s", path, strerror(errno));
    for (struct dirent *entry; read && (entry = readdir(listing)) != NULL;) {
        if (!is_header(entry->d_name)) continue;
        snprintf(path, sizeof path, "%s/%s%s", kit->paths.common, folder, entry->d_name);
        snprintf(name, sizeof name, "%s%s", as, entry->d_name);
        read = add_file(list, path, name, false, error, size);
    }
    if (listing != NULL) closedir(listing);
    return read;
}

/* Reads all headers that a lab's program includes. */
static bool read_all_headers(struct kit *kit, char *error, size_t size) {
    const struct list list = {kit->headers, &kit->headers_n, KIT_HEADERS};
    return read_headers(kit, list, "", "common/", error, size) &&
           read_headers(kit, list, "harness/", "common/harness/", error, size) &&
           read_headers(kit, list, "lib/", "common/lib/", error, size);
}

/* Reads cudac and what it needs. It finds its parts beside its folder. */
static bool read_front(struct kit *kit, char *error, size_t size) {
    static const char *const parts[] = {"cudac", "lacking.tsv", "registers.awk", "wide.awk"};
    static const char *const built[] = {"bin/launches", "bin/simt", "simt/libcudart.so.13",
                                        "simt/gpus.tsv"};
    static const char *const folders[] = {"simt/include/", "simt/include/bits/",
                                          "simt/include/crt/"};
    const struct list list = {kit->front, &kit->front_n, KIT_FRONT};
    char path[PATH_MAX];
    if (kit->paths.clang == NULL) return true;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(path, sizeof path, "%s/front/%s", kit->paths.common, parts[i]);
        if (!add_file(list, path, path + strlen(kit->paths.common) + 1, i == 0, error, size))
            return false;
    }
    for (size_t i = 0; i < sizeof built / sizeof *built; i++) {
        snprintf(path, sizeof path, "%s/grade/%s", kit->paths.build, built[i]);
        if (!add_file(list, path, built[i], strncmp(built[i], "bin/", 4) == 0, error, size))
            return false;
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        if (!read_headers(kit, list, folders[i], folders[i], error, size)) return false;
    return true;
}

/* Reads the tools; their relative paths stay as in build/grade. */
static bool read_tools(struct kit *kit, char *error, size_t size) {
    static const char *const tools[] = {"bin/simt", "simt/libcudart.so.13", "simt/gpus.tsv",
                                        "bin/labprof", "labprof/metrics.tsv"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++, kit->tools_n++) {
        snprintf(path, sizeof path, "%s/grade/%s", kit->paths.build, tools[i]);
        if (!read_file(&kit->tools[i], path, tools[i], error, size)) return false;
    }
    return true;
}

static bool read_host(struct kit *kit, char *error, size_t size) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/grade/lab%s/host.o", kit->paths.build, kit->paths.lab);
    if (!read_file(&kit->host, path, "host.o", error, size)) return false;
    snprintf(path, sizeof path, "%s/obj/common/harness/harness.o", kit->paths.build);
    return read_file(&kit->harness, path, "harness.o", error, size);
}

/* Reads the headers and objects of apart.h, under the names that compiling expects. */
static bool read_apart(struct kit *kit, char *error, size_t size) {
    const char *common = kit->paths.common, *build = kit->paths.build;
    const struct {
        const char *folder, *path, *name;
    } files[KIT_APART] = {{common, "grade/apart.h", "common/grade/apart.h"},
                          {common, "grade/apart_student.h", "common/grade/apart_student.h"},
                          {build, "obj/common/grade/apart.o", "apart.o"},
                          {build, "obj/common/grade/apart_counts.o", "apart_counts.o"},
                          {build, "obj/common/grade/apart_filter.o", "apart_filter.o"},
                          {build, "obj/common/grade/apart_student.o", "apart_student.o"}};
    char path[PATH_MAX];
    if (!split_any_on_host(&kit->solution)) return true;
    for (; kit->apart_n < KIT_APART; kit->apart_n++) {
        snprintf(path, sizeof path, "%s/%s", files[kit->apart_n].folder, files[kit->apart_n].path);
        if (!read_file(&kit->apart[kit->apart_n], path, files[kit->apart_n].name, error, size))
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

static bool read_tables(struct kit *kit, char *error, size_t size) {
    static const char *const rubric[] = {"step", "points", "what", "bound", "feedback", NULL};
    static const char *const cases[] = {"name", "kind", "flags", "says", NULL};
    kit->rubric = read_table(kit->paths.rubric, rubric, error, size);
    if (kit->rubric == NULL) return false;
    kit->cases = read_table(kit->paths.cases, cases, error, size);
    return kit->cases != NULL;
}

/* ---- The whole ---- */

bool kit_read(struct kit *kit, const struct kit_paths *paths, char *error, size_t size) {
    memset(kit, 0, sizeof *kit);
    kit->paths = *paths;
    if (!source_read(&kit->solution, paths->solution, error, size) ||
        !read_tables(kit, error, size))
        return false;
    if (!read_all_headers(kit, error, size) || !read_front(kit, error, size)) return false;
    return read_tools(kit, error, size) && read_host(kit, error, size) &&
           read_apart(kit, error, size);
}

void kit_free(struct kit *kit) {
    for (size_t i = 0; i < kit->headers_n; i++) free_file(&kit->headers[i]);
    for (size_t i = 0; i < kit->front_n; i++) free_file(&kit->front[i]);
    for (size_t i = 0; i < kit->tools_n; i++) free_file(&kit->tools[i]);
    free_file(&kit->host);
    free_file(&kit->harness);
    for (size_t i = 0; i < kit->apart_n; i++) free_file(&kit->apart[i]);
    csv_free(kit->rubric);
    csv_free(kit->cases);
    source_free(&kit->solution);
}

/* ---- The hash ---- */

/* FNV-1a (Fowler, Noll, Vo), 64 bits. */
static uint64_t hash_bytes(uint64_t hash, const void *data, size_t size) {
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * 0x100000001B3u;
    return hash;
}

uint64_t kit_hash_text(uint64_t hash, const char *text) {
    return hash_bytes(hash, text, strlen(text) + 1);
}

static uint64_t hash_table(uint64_t hash, const struct csv *table) {
    for (int row = 0; row < csv_rows(table); row++) {
        for (int column = 0; column < csv_columns(table); column++)
            hash = kit_hash_text(hash, csv_at(table, row, column));
    }
    return hash;
}

static uint64_t hash_files(uint64_t hash, const struct sandbox_file *files, size_t n) {
    for (size_t i = 0; i < n; i++) hash = hash_bytes(hash, files[i].data, files[i].size);
    return hash;
}

uint64_t kit_hash(const struct kit *kit, uint64_t hash) {
    hash = kit_hash_text(kit_hash_text(hash, kit->paths.flags), kit->paths.metrics);
    hash = kit_hash_text(kit_hash_text(hash, kit->paths.cpu_limit), kit->paths.time_limit);
    hash = hash_table(hash_table(hash, kit->rubric), kit->cases);
    for (size_t i = 0; i < kit->solution.lines_n; i++)
        hash = kit_hash_text(hash, kit->solution.lines[i]);
    hash = kit_hash_text(hash, kit->paths.clang != NULL ? kit->paths.clang : "nvcc");
    hash = hash_files(hash, kit->headers, kit->headers_n);
    hash = hash_files(hash, kit->front, kit->front_n);
    hash = hash_files(hash, kit->tools, kit->tools_n);
    hash = hash_files(hash, kit->apart, kit->apart_n);
    hash = hash_bytes(hash, kit->harness.data, kit->harness.size);
    return hash_bytes(hash, kit->host.data, kit->host.size);
}
