/* pages.h: what labncu prints of the chosen launches, in ncu's form. */
#pragma once

#include <stdio.h>

#include "hints.h"
#include "options.h"
#include "record.h"
#include "sections.h"
#include "values.h"

/* What is printed, and how. */
struct report {
    FILE *out;
    const struct ncu_options *options;
    const struct metrics *metrics;
    const struct sections *sections; /* those wanted */
    const struct ncu_metric *asked;  /* of --metrics, in order */
    int asked_count;
    const struct record *record;
};

/* The page "details": for each launch the tables of the wanted sections, then what --metrics asks
 * for, as text or CSV. Metrics without a value are left out of a section's table. */
void print_details(const struct report *report);
/* The page "raw": for each launch all metrics of the wanted sections, and those asked for, by name.
 */
void print_raw(const struct report *report);
/* --print-summary: minimum, maximum and average over launches of one kernel and shape. */
void print_summed(const struct report *report);

/* What of the printed values is modelled, how far to trust them, and how many metrics of the wanted
 * sections simt does not give: each in a line after ==PROF==. */
void print_trust(const struct report *report);

/* The metrics that simt gives, and those of the sections that it does not. */
void print_known(const struct metrics *metrics, const struct sections *sections, FILE *out);
