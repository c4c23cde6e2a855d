/*
 * annotate.c: runs a program and reads its reports (machine/report.h), which its processes also
 * append to a file that SIMT_REPORTS names:
 *
 *   ========= Invalid __global__ write of size 4 bytes          the title; its beginning, the rule
 *   =========     at scale(float*, int) in scale.cu:12          the first place
 *   =========     by thread (7,0,0) in block (0,0,0)
 */
#include "annotate.h"

#include "lib/die.h"
#include "lib/json.h"
#include "lib/memory.h"
#include "lib/outfile.h"
#include "simt/machine/report.h"

#include <ctype.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/wait.h>

enum { EXIT_NO_FILE = 2, EXIT_NOT_EXECUTABLE = 126, EXIT_SIGNAL = 128, MAX_PLACES = 2 };

/* A report's rule: the first whose beginning its title has. */
static const struct rule {
    const char *id, *begins, *text;
} rules[] = {
    {"race", "Error: Race", "Two accesses to one place, one of them a write, in no order"},
    {"uninitialised-read", "Uninitialized", "A value is used that was never set"},
    {"synchronisation", "Barrier error", "A barrier or a shuffle that not all threads reach"},
    {"invalid-access", "Invalid __", "An access out of bounds, misaligned or null"},
    {"leak", "Leaked", "Device memory that is never freed"},
    {"copy", "Error: a copy", "A copy whose ranges overlap, or whose kind is wrong"},
    {"error", "", "Another error of a kernel or a launch"},
};
#define RULES (sizeof rules / sizeof *rules)

struct place {
    const char *file;
    int length;
    long line;
};

struct annotation {
    const char *title; /* the report's first line */
    char *text;        /* all of it, without the marks before each line */
    struct place places[MAX_PLACES];
    int nplaces;
    const struct rule *rule;
};

struct run {
    const char *program;
    int status; /* as waitpid gives it */
    struct annotation *all;
    size_t n;
};

/* ---- Reading reports ---- */

/* The place in a line that ends with " in FILE:LINE", perhaps with a count after it. */
static bool place_of(const char *line, struct place *place) {
    const char *end = line + strcspn(line, "\n"), *count = memmem(line, end - line, " [", 2);
    if (count && end[-1] == ']') end = count;
    const char *digits = end, *file = NULL;
    while (digits > line && isdigit((unsigned char)digits[-1])) digits--;
    if (digits == end || digits == line || digits[-1] != ':') return false;
    for (const char *at = line; (at = memmem(at, digits - at, " in ", 4)); at += 4) file = at + 4;
    if (!file) return false;
    *place = (struct place){file, (int)(digits - 1 - file), strtol(digits, NULL, 10)};
    return true;
}

static const struct rule *rule_of(const char *title) {
    const struct rule *rule = rules;
    while (strncmp(title, rule->begins, strlen(rule->begins))) rule++;
    return rule;
}

/* Files below the current folder are named from there, as services do. */
static void shorten(struct place *place, const char *folder) {
    int length = (int)strlen(folder);
    if (place->length <= length + 1 || strncmp(place->file, folder, length) ||
        place->file[length] != '/')
        return;
    place->file += length + 1;
    place->length -= length + 1;
}

static void find_places(struct annotation *annotation, const char *folder) {
    for (char *line = annotation->text; line && annotation->nplaces < MAX_PLACES;
         line = strchr(line, '\n')) {
        line += *line == '\n';
        struct place *place = &annotation->places[annotation->nplaces];
        if (!place_of(line, place)) continue;
        shorten(place, folder);
        annotation->nplaces++;
    }
}

static bool is_summary(const char *title) {
    return !strncmp(title, "LEAK SUMMARY", 12) || !strncmp(title, "ERROR SUMMARY", 13);
}

/* The texts of reports, one after the other. A line that has no mark belongs to none; before a mark
 * may stand what a terminal shows of progress. */
static void read_reports(struct run *run, FILE *in) {
    char *line = NULL;
    size_t room = 0;
    bool skips = true;
    while (getline(&line, &room, in) > 0) {
        const char *mark = strstr(line, REPORT_HEAD);
        if (!mark) continue;
        bool is_head = strncmp(mark, REPORT_MORE, strlen(REPORT_MORE)) != 0;
        const char *text = mark + strlen(is_head ? REPORT_HEAD : REPORT_MORE);
        if (is_head) skips = is_summary(text);
        if (skips) continue;
        if (is_head) {
            run->all = need(realloc(run->all, (run->n + 1) * sizeof *run->all));
            run->all[run->n++] = (struct annotation){.text = need(strdup(text))};
        } else {
            struct annotation *last = &run->all[run->n - 1];
            char *longer = need_text("%s%s", last->text, text);
            free(last->text);
            last->text = longer;
        }
    }
    free(line);
}

static void understand(struct run *run) {
    char *folder = need(getcwd(NULL, 0));
    for (size_t i = 0; i < run->n; i++) {
        struct annotation *annotation = &run->all[i];
        annotation->rule = rule_of(annotation->text);
        annotation->title =
            need_text("%.*s", (int)strcspn(annotation->text, "\n"), annotation->text);
        find_places(annotation, folder);
    }
    free(folder);
}

/* ---- JUnit ---- */

static void put_xml(FILE *out, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (strchr("<>&\"\n", c) && c)
            fprintf(out, "&#%d;", c);
        else
            putc(c < ' ' || c == 0x7F ? '?' : c, out);
    }
}

static void put_attribute(FILE *out, const char *name, const char *text, size_t length) {
    fprintf(out, " %s=\"", name);
    put_xml(out, text, length);
    putc('"', out);
}

/* Did the program itself fail? With reports, the status that is not 0 may be theirs. */
static bool program_failed(const struct run *run) {
    return WIFSIGNALED(run->status) || (run->status && !run->n);
}

/* The program's own test case, and a failed one for each report. */
static void put_junit(FILE *out, const struct run *run) {
    bool failed = program_failed(run);
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite", out);
    put_attribute(out, "name", run->program, strlen(run->program));
    fprintf(out, " tests=\"%zu\" failures=\"%zu\">\n<testcase name=\"program\"", run->n + 1,
            run->n + failed);
    put_attribute(out, "classname", run->program, strlen(run->program));
    if (failed)
        fprintf(out, "><failure message=\"%s %d\"/></testcase>\n",
                WIFSIGNALED(run->status) ? "ended by signal" : "ended with status",
                WIFSIGNALED(run->status) ? WTERMSIG(run->status) : WEXITSTATUS(run->status));
    else
        fputs("/>\n", out);
    for (size_t i = 0; i < run->n; i++) {
        const struct annotation *annotation = &run->all[i];
        const struct place *place = annotation->nplaces ? annotation->places : NULL;
        fputs("<testcase", out);
        put_attribute(out, "name", annotation->title, strlen(annotation->title));
        put_attribute(out, "classname", run->program, strlen(run->program));
        if (place) put_attribute(out, "file", place->file, (size_t)place->length);
        if (place) fprintf(out, " line=\"%ld\"", place->line);
        fprintf(out, "><failure type=\"%s\"", annotation->rule->id);
        put_attribute(out, "message", annotation->title, strlen(annotation->title));
        putc('>', out);
        put_xml(out, annotation->text, strlen(annotation->text));
        fputs("</failure></testcase>\n", out);
    }
    fputs("</testsuite>\n</testsuites>\n", out);
}

/* ---- SARIF ---- */

static void put_message(FILE *out, const char *member, const char *text) {
    fprintf(out, "\"%s\":{\"text\":", member);
    json_put_string(out, text);
    putc('}', out);
}

static void put_uri(FILE *out, const char *file, int length) {
    if (*file == '/') fputs("file://", out);
    for (int i = 0; i < length; i++) {
        unsigned char c = (unsigned char)file[i];
        if (isalnum(c) || strchr("/-_.~", c))
            putc(c, out);
        else
            fprintf(out, "%%%02X", c);
    }
}

static void put_location(FILE *out, const struct place *place) {
    fputs("{\"physicalLocation\":{\"artifactLocation\":{\"uri\":\"", out);
    put_uri(out, place->file, place->length);
    fprintf(out, "\"},\"region\":{\"startLine\":%ld}}}", place->line);
}

/* GitHub wants a location of each: without one it is the program's file. */
static void put_result(FILE *out, const struct annotation *annotation, const char *program) {
    struct place whole = {program, (int)strlen(program), 1};
    fprintf(out, "{\"ruleId\":\"%s\",\"level\":\"error\",", annotation->rule->id);
    put_message(out, "message", annotation->text);
    fputs(",\"locations\":[", out);
    put_location(out, annotation->nplaces ? annotation->places : &whole);
    putc(']', out);
    if (annotation->nplaces > 1) {
        fputs(",\"relatedLocations\":[", out);
        put_location(out, &annotation->places[1]);
        putc(']', out);
    }
    putc('}', out);
}

static void put_sarif(FILE *out, const struct run *run) {
    fputs("{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\n"
          "\"runs\":[{\"tool\":{\"driver\":{\"name\":\"simt\",\"rules\":[\n",
          out);
    for (size_t i = 0; i < RULES; i++) {
        fprintf(out, "%s{\"id\":\"%s\",", i ? ",\n" : "", rules[i].id);
        put_message(out, "shortDescription", rules[i].text);
        putc(',', out);
        put_message(out, "fullDescription", rules[i].text);
        putc(',', out);
        put_message(out, "help", "The message has the threads, the address and perhaps a hint.");
        putc('}', out);
    }
    fputs("]}},\n\"results\":[", out);
    for (size_t i = 0; i < run->n; i++) {
        fputs(i ? ",\n" : "\n", out);
        put_result(out, &run->all[i], run->program);
    }
    fputs("]}]}\n", out);
}

/* ---- The run ---- */

static void open_target(struct outfile *out, const char *path) {
    if (path && !outfile_open(out, path))
        die(EXIT_NO_FILE, "%s: cannot write it: %s", path, strerror(errno));
}

static void write_target(struct outfile *out, const char *path, const struct run *run,
                         void (*put)(FILE *, const struct run *)) {
    if (!path) return;
    put(out->file, run);
    if (!outfile_commit(out)) die(EXIT_NO_FILE, "%s: cannot write it: %s", path, strerror(errno));
}

/* What a terminal sends, the program gets, too; if simt ends, it ends. */
static int run_program(const char *path, char **program) {
    int status;
    pid_t child = fork();
    if (child < 0) die(EXIT_NOT_EXECUTABLE, "cannot start %s: %s", path, strerror(errno));
    if (!child) {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        execv(path, program);
        die(EXIT_NOT_EXECUTABLE, "cannot run %s: %s", path, strerror(errno));
    }
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) die(EXIT_NOT_EXECUTABLE, "cannot wait: %s", strerror(errno));
    return status;
}

int annotate_run(const char *path, char **program, const char *junit, const char *sarif) {
    struct outfile junit_out = {0}, sarif_out = {0};
    struct run run = {.program = program[0]};
    FILE *reports = tmpfile();
    if (!reports) die(EXIT_NO_FILE, "cannot make a temporary file: %s", strerror(errno));
    open_target(&junit_out, junit);
    open_target(&sarif_out, sarif);
    char *name = need_text("/proc/%d/fd/%d", (int)getpid(), fileno(reports));
    if (setenv("SIMT_REPORTS", name, 1) != 0) die(EXIT_NO_FILE, "cannot set SIMT_REPORTS");
    free(name);
    run.status = run_program(path, program);
    read_reports(&run, reports);
    understand(&run);
    write_target(&junit_out, junit, &run, put_junit);
    write_target(&sarif_out, sarif, &run, put_sarif);
    return WIFSIGNALED(run.status) ? EXIT_SIGNAL + WTERMSIG(run.status) : WEXITSTATUS(run.status);
}
