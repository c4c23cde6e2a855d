/* sections.h: ncu's sections and the metrics of their tables (sections.tsv). */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "lib/csv.h"

/* A metric in a section's table. The strings belong to the table. */
struct section_metric {
    const char *label, *name;
    const char *why; /* there is no value; "": there is one */
};

struct section {
    const char *id, *title, *sets;
    struct section_metric *metrics;
    int count;
    bool wanted;
};

/* All sections, in the order in which ncu prints them. */
struct sections {
    struct csv *table;
    struct section *items;
    int count;
};

/* Reads sections.tsv. Returns false with a message in failure. Free with sections_free. */
bool sections_read(struct sections *sections, const char *path);
void sections_free(struct sections *sections);

/* Marks those of a set as wanted. Returns false with a message in failure. */
bool sections_pick_set(struct sections *sections, const char *set);
/* The same with those of a comma-separated list of identifiers and of regex:EXPRESSION. */
bool sections_pick(struct sections *sections, const char *names);

/* ncu's tables of sections and of sets; metrics: how many labncu gives of a section. */
void sections_list(const struct sections *sections, int (*metrics)(const struct section *),
                   FILE *out);
void sets_list(const struct sections *sections, int (*metrics)(const struct section *), FILE *out);
