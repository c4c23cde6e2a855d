/* sections.c: sections.tsv in memory, and the lists of sections and sets. */
#include "sections.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "lib/die.h"
#include "lib/memory.h"

static const char *const sets[] = {"basic", "detailed", "full", "nvlink", "pmsampling", "roofline"};
enum { SETS = sizeof sets / sizeof *sets };

bool sections_read(struct sections *s, const char *path) {
    static const char *const columns[] = {"section", "label", "metric", "sets", "why", NULL};
    memset(s, 0, sizeof *s);
    s->table = csv_read_columns(path, &CSV_TABS, columns);
    if (!s->table) return false;
    int rows = csv_rows(s->table);
    s->items = need(calloc((size_t)rows + 1, sizeof *s->items));
    for (int row = 0; row < rows; row++) {
        const char *label = csv_get(s->table, row, "label");
        if (csv_is(s->table, row, "metric", "-")) {
            s->items[s->count++] = (struct section){.id = csv_get(s->table, row, "section"),
                                                    .title = label,
                                                    .sets = csv_get(s->table, row, "sets")};
            continue;
        }
        if (s->count == 0) return fail_with("%s: a metric before the first section", path);
        struct section *section = &s->items[s->count - 1];
        section->metrics = need(
            realloc(section->metrics, ((size_t)section->count + 1) * sizeof *section->metrics));
        section->metrics[section->count++] = (struct section_metric){
            label, csv_get(s->table, row, "metric"), csv_get(s->table, row, "why")};
    }
    return true;
}

void sections_free(struct sections *s) {
    for (int i = 0; i < s->count; i++) free(s->items[i].metrics);
    free(s->items);
    csv_free(s->table);
    memset(s, 0, sizeof *s);
}

/* Is the set one of the section's? */
static bool in_set(const struct section *section, const char *set) {
    size_t length = strlen(set);
    for (const char *at = section->sets; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == length && strncmp(at, set, length) == 0) return true;
    return false;
}

bool sections_pick_set(struct sections *s, const char *set) {
    bool any = false;
    for (int i = 0; i < s->count; i++) {
        bool found = in_set(&s->items[i], set);
        s->items[i].wanted |= found;
        any |= found;
    }
    return any || fail_with("Option '--set %s' did not match any set.\n"
                            "==ERROR== Use --list-sets to see the list of available sets.",
                            set);
}

static bool pick_one(struct sections *s, const char *name) {
    static const char prefix[] = "regex:";
    bool any = false, is_regex = strncmp(name, prefix, strlen(prefix)) == 0;
    regex_t regex;
    if (is_regex && regcomp(&regex, name + strlen(prefix), REG_EXTENDED | REG_NOSUB) != 0)
        return fail_with("--section %s: not a regular expression", name);
    for (int i = 0; i < s->count; i++) {
        struct section *section = &s->items[i];
        bool found = is_regex ? regexec(&regex, section->id, 0, NULL, 0) == 0
                              : strcmp(section->id, name) == 0;
        section->wanted |= found;
        any |= found;
    }
    if (is_regex) regfree(&regex);
    return any || fail_with("Option '--section %s' did not match any section.\n"
                            "==ERROR== Use --list-sections to see the list of available sections.",
                            name);
}

bool sections_pick(struct sections *s, const char *names) {
    char *copy = need(strdup(names)), *rest = copy, *name;
    bool ok = true;
    while (ok && (name = strsep(&rest, ","))) ok = pick_one(s, name);
    free(copy);
    return ok;
}

/* ---- Lists ---- */

static void dashes(FILE *out, int first, const int *widths, int count) {
    for (int i = 0; i < count; i++) {
        fprintf(out, "%*s", i ? 1 : first, "");
        for (int k = 0; k < widths[i]; k++) putc('-', out);
    }
    putc('\n', out);
}

static int by_id(const void *one, const void *other) {
    return strcmp((*(const struct section *const *)one)->id,
                  (*(const struct section *const *)other)->id);
}

void sections_list(const struct sections *s, int (*metrics)(const struct section *), FILE *out) {
    const struct section **sorted = need(calloc((size_t)s->count + 1, sizeof *sorted));
    int widths[] = {10, 12, 7, 17};
    for (int i = 0; i < s->count; i++) {
        int id = (int)strlen(s->items[i].id), title = (int)strlen(s->items[i].title);
        sorted[i] = &s->items[i];
        if (id > widths[0]) widths[0] = id;
        if (title > widths[1]) widths[1] = title;
    }
    qsort(sorted, (size_t)s->count, sizeof *sorted, by_id);
    dashes(out, 0, widths, 4);
    fprintf(out, "%-*s %-*s Enabled %s\n", widths[0], "Identifier", widths[1], "Display Name",
            "Metrics in labncu");
    dashes(out, 0, widths, 4);
    for (int i = 0; i < s->count; i++)
        fprintf(out, "%-*s %-*s %-7s %d of %d\n", widths[0], sorted[i]->id, widths[1],
                sorted[i]->title, in_set(sorted[i], "basic") ? "yes" : "no", metrics(sorted[i]),
                sorted[i]->count);
    free(sorted);
}

enum { SETS_COLUMN = 75 };

/* Prints a set's row, its sections broken as ncu breaks them: wherever the column is full. */
static void put_set(FILE *out, const struct sections *s, const char *set, int metrics) {
    char *names = NULL;
    size_t size;
    const struct section **sorted = need(calloc((size_t)s->count + 1, sizeof *sorted));
    FILE *text = need(open_memstream(&names, &size));
    int n = 0;
    for (int i = 0; i < s->count; i++)
        if (in_set(&s->items[i], set)) sorted[n++] = &s->items[i];
    qsort(sorted, (size_t)n, sizeof *sorted, by_id);
    for (int i = 0; i < n; i++) fprintf(text, "%s%s", i ? ", " : "", sorted[i]->id);
    fclose(text);
    bool basic = strcmp(set, "basic") == 0;
    for (size_t at = 0; at < size; at += SETS_COLUMN) {
        fprintf(out, "%-10s %-*.*s", at ? "" : set, SETS_COLUMN, SETS_COLUMN, names + at);
        if (at)
            fprintf(out, " %-7s %-17s\n", "", "");
        else
            fprintf(out, " %-7s %-17d\n", basic ? "yes" : "no", metrics);
    }
    free(names);
    free(sorted);
}

void sets_list(const struct sections *s, int (*metrics)(const struct section *), FILE *out) {
    static const int widths[] = {10, SETS_COLUMN, 7, 17};
    dashes(out, 0, widths, 4);
    fprintf(out, "%-10s %-*s Enabled %s\n", "Identifier", SETS_COLUMN, "Sections",
            "Metrics in labncu");
    dashes(out, 0, widths, 4);
    for (int i = 0; i < SETS; i++) {
        int count = 0;
        for (int k = 0; k < s->count; k++)
            if (in_set(&s->items[k], sets[i])) count += metrics(&s->items[k]);
        put_set(out, s, sets[i], count);
    }
}
