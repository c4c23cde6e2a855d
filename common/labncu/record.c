#include "record.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "labprof/activities.h"
#include "labprof/names.h"
#include "lib/die.h"
#include "lib/file.h"
#include "lib/memory.h"

static const char magic[] = "labncu results 1\n";

/* ---- From simt ---- */

static struct process *add_process(struct record *r, long pid, const char *name) {
    r->processes =
        need(realloc(r->processes, ((size_t)r->process_count + 1) * sizeof *r->processes));
    struct process *process = &r->processes[r->process_count++];
    *process = (struct process){.pid = pid, .name = need(strdup(name))};
    return process;
}

/* Did the launch run, and did the host make it? What a kernel launched counts in the row of the
 * host's kernel, as ncu has it. */
static bool is_shown(const struct csv *profile, int row) {
    const char *status = csv_get(profile, row, "status");
    return csv_width(profile, row) >= csv_columns(profile) && csv_is(profile, row, "parent", "0") &&
           (strcmp(status, "ok") == 0 || strncmp(status, "sampled ", strlen("sampled ")) == 0);
}

static void add_launch(struct record *r, const struct process *process, int row) {
    char base[256];
    r->launches = need(realloc(r->launches, ((size_t)r->launch_count + 1) * sizeof *r->launches));
    struct launch *launch = &r->launches[r->launch_count++];
    launch->process = process;
    launch->row = row;
    launch->mangled = csv_get(process->profile, row, "mangled");
    launch->number = csv_get(process->profile, row, "launch");
    launch->name = kernel_name_ncu(launch->mangled);
    kernel_base_name(launch->name, base, sizeof base);
    launch->base = need(strdup(base));
}

static void find_launches(struct record *r) {
    for (int i = 0; i < r->process_count; i++)
        for (int row = 0; row < csv_rows(r->processes[i].profile); row++)
            if (is_shown(r->processes[i].profile, row)) add_launch(r, &r->processes[i], row);
}

static bool read_processes(struct record *r, const struct job *job, long pid, const char *name) {
    char pattern[PATH_MAX];
    glob_t found;
    bool ok = true;
    job_path(job, "profile.*.csv*", pattern); /* killed, or left by _exit: .csv.XXXXXX.tmp */
    if (glob(pattern, 0, NULL, &found) != 0) return true;
    for (size_t i = 0; ok && i < found.gl_pathc; i++) {
        char path[PATH_MAX], file[64];
        long of =
            atol(strstr(found.gl_pathv[i] + strlen(job->folder), "profile.") + strlen("profile."));
        struct process *process = add_process(r, of, of == pid ? name : "child");
        process->profile = csv_read(found.gl_pathv[i], &CSV_COMMAS);
        ok = process->profile != NULL;
        snprintf(file, sizeof file, "source.%ld.csv", of);
        job_path(job, file, path);
        if (ok && job->options->source) process->source = csv_read(path, &CSV_COMMAS);
    }
    globfree(&found);
    return ok;
}

static bool launches_others(const struct record *r) {
    for (int i = 0; i < r->process_count; i++)
        for (int row = 0; row < csv_rows(r->processes[i].profile); row++)
            if (!csv_is(r->processes[i].profile, row, "parent", "0")) return true;
    return false;
}

bool record_collect(struct record *r, const struct job *job, long pid, const char *name) {
    struct activities activities = {0};
    char pattern[PATH_MAX];
    memset(r, 0, sizeof *r);
    job_path(job, "timeline.*", pattern);
    bool ok = read_processes(r, job, pid, name) && activities_read(&activities, pattern);
    r->trust = need_text("%s%s", ok && activities.trust ? activities.trust : "",
                         ok && launches_others(r)
                             ? "; of a kernel that launches others, ncu counts the device "
                               "runtime's instructions, too, which simt does not run"
                             : "");
    activities_free(&activities);
    if (ok) find_launches(r);
    return ok;
}

void record_free(struct record *r) {
    for (int i = 0; i < r->launch_count; i++) {
        free(r->launches[i].name);
        free(r->launches[i].base);
    }
    for (int i = 0; i < r->process_count; i++) {
        csv_free(r->processes[i].profile);
        csv_free(r->processes[i].source);
        free(r->processes[i].name);
    }
    free(r->launches);
    free(r->processes);
    free(r->trust);
    memset(r, 0, sizeof *r);
}

struct profile_row launch_row(const struct launch *launch) {
    return (struct profile_row){launch->process->profile, launch->row};
}

/* ---- The file ---- */

static void put_row(const struct csv *table, int row, FILE *out) {
    for (int column = 0; column < csv_columns(table); column++) {
        if (column) putc(',', out);
        csv_put(out, row < 0 ? csv_header(table, column) : csv_at(table, row, column), ',');
    }
    putc('\n', out);
}

/* Is the row's launch one of the chosen? */
static bool is_chosen(const struct record *r, const struct process *process,
                      const struct csv *table, int row) {
    const char *number = csv_get(table, row, "launch");
    for (int i = 0; i < r->launch_count; i++)
        if (r->launches[i].process == process && strcmp(r->launches[i].number, number) == 0)
            return true;
    return false;
}

static void put_table(const struct record *r, const struct process *process,
                      const struct csv *table, FILE *out) {
    put_row(table, -1, out);
    for (int row = 0; row < csv_rows(table); row++)
        if (is_chosen(r, process, table, row)) put_row(table, row, out);
}

void record_write(const struct record *r, FILE *out) {
    fputs(magic, out);
    fprintf(out, "trust %s\n", r->trust);
    for (int i = 0; i < r->process_count; i++) {
        const struct process *process = &r->processes[i];
        fprintf(out, "process %ld %s\n", process->pid, process->name);
        put_table(r, process, process->profile, out);
        if (process->source) {
            fputs("source\n", out);
            put_table(r, process, process->source, out);
        }
    }
    fputs("end\n", out);
}

bool record_is(const char *path) {
    char start[sizeof magic] = "";
    FILE *in = fopen(path, "r");
    bool is = in && fgets(start, sizeof start, in) && strcmp(start, magic) == 0;
    if (in) fclose(in);
    return is;
}

/* The line that begins with one of the words that end a table. */
static char *table_end(char *text) {
    while (*text && strncmp(text, "process ", 8) != 0 && strncmp(text, "source\n", 7) != 0 &&
           strncmp(text, "end\n", 4) != 0)
        text += strcspn(text, "\n"), text += *text == '\n';
    return text;
}

static struct csv *read_table(char **text, const char *path) {
    char *end = table_end(*text);
    struct csv *table = csv_parse(*text, (size_t)(end - *text), path, &CSV_COMMAS);
    *text = end;
    return table;
}

/* Reads what follows the line "process PID NAME". */
static bool read_process(struct record *r, char **text, const char *path) {
    char *line = strsep(text, "\n"), *name;
    long pid = strtol(line + strlen("process "), &name, 10);
    struct process *process = add_process(r, pid, name + (*name == ' '));
    if (!*text || !(process->profile = read_table(text, path))) return false;
    if (strncmp(*text, "source\n", 7) != 0) return true;
    *text += strlen("source\n");
    process->source = read_table(text, path);
    return process->source != NULL;
}

bool record_read(struct record *r, const char *path) {
    memset(r, 0, sizeof *r);
    char *whole = read_whole_file(path, NULL), *text = whole, *line;
    if (!whole) return fail_with("%s: %s", path, strerror(errno));
    bool ok = strncmp(text, magic, strlen(magic)) == 0;
    text += ok ? strlen(magic) : 0;
    line = ok ? strsep(&text, "\n") : NULL;
    ok = ok && text && strncmp(line, "trust ", 6) == 0;
    r->trust = need(strdup(ok ? line + 6 : ""));
    while (ok && strncmp(text, "process ", 8) == 0) ok = read_process(r, &text, path);
    ok = ok && strcmp(text, "end\n") == 0;
    free(whole);
    if (!ok) return fail_with("%s is no complete file of labncu -o", path);
    find_launches(r);
    return true;
}

bool record_write_source(const struct record *r, const char *path, bool *any) {
    FILE *out = NULL;
    *any = false;
    for (int i = 0; i < r->process_count; i++) {
        const struct process *process = &r->processes[i];
        if (!process->source) continue;
        if (!out && !(out = fopen(path, "w"))) return fail_with("%s: %s", path, strerror(errno));
        if (!*any) put_row(process->source, -1, out);
        for (int row = 0; row < csv_rows(process->source); row++)
            if (is_chosen(r, process, process->source, row)) put_row(process->source, row, out);
        *any = true;
    }
    if (out) fclose(out);
    return true;
}
