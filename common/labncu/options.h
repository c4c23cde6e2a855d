/* options.h: ncu's command line, as labncu takes it. */
#pragma once

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/commandline.h"

enum { MAX_LISTS = 32 };

/* Which of a kernel's names: reduce, void reduce<int>(const T1 *), _Z6reduceIiEvPKT_. */
enum name_base { NAME_FUNCTION, NAME_DEMANGLED, NAME_MANGLED };

enum page { PAGE_DETAILS, PAGE_RAW, PAGE_SOURCE };
enum summary { SUMMARY_NONE, SUMMARY_PER_KERNEL };

/* The command line. The strings belong to argv. */
struct ncu_options {
    const char *sections[MAX_LISTS], *metrics[MAX_LISTS]; /* each may list several, with commas */
    int section_count, metric_count;
    const char *set, *kernel_name, *kernel_id, *export_file, *import_file, *log_file;
    const char *launch_count, *launch_skip, *skip_before; /* as text; NULL: not given */
    const char *page_name, *summary_name, *units, *metric_name, *cache_control, *apply_rules;
    const char *clock_control, *filter_base_name, *print_base_name, *gpu;
    bool csv, force, quiet, print_fp, null_stdin;
    bool list_sections, list_sets, list_metrics, query_metrics, help, version;
    /* what follows from the texts */
    long count, skip, before; /* count: -1 for all */
    enum page page;
    enum summary summary;
    enum name_base filter_base, print_base;
    bool base_units, labels, names; /* what the column Metric Name shows */
    bool rules;
    bool boost; /* --clock-control: not the base clock */
    struct option_notes notes;
    char **command; /* the program and its arguments, NULL-terminated */
};

/* Fills options from main's arguments. Returns false with a message in failure, in ncu's words
 * where ncu has some. */
bool ncu_options_parse(struct ncu_options *options, int argc, char **argv);

/* What --help prints. */
extern const char ncu_options_help[];
