/* options.c: one table of ncu's options. */
#include "options.h"
#include "lib/die.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char ncu_options_help[] =
    "Usage: labncu [options] [program] [program-arguments]\n"
    "Nsight Compute's command line on any machine: ncu itself where there are a GPU and an ncu "
    "that\n"
    "may read its counters; else the simulator's counts under ncu's names and in its form.\n"
    "\n"
    "  -h [ --help ], -v [ --version ]\n"
    "  --set basic|detailed|full...  the sections to collect (basic)\n"
    "  --section ID                  collect this section; several with commas, regex:EXPRESSION\n"
    "  --metrics NAMES               collect these metrics, separated by commas; regex:EXPRESSION\n"
    "  --list-sets, --list-sections, --list-metrics, --query-metrics\n"
    "                                the last names what simt counts, models and does not give\n"
    "  -k [ --kernel-name ] NAME     only this kernel, or regex:EXPRESSION\n"
    "  --kernel-name-base function|demangled|mangled   the name that -k means\n"
    "  --kernel-id CONTEXT:STREAM:[regex:]NAME:INVOCATION   parts may be empty\n"
    "  -s [ --launch-skip ] N        leave out the first N launches of these kernels\n"
    "  -c [ --launch-count ] N       collect at most N launches\n"
    "  --launch-skip-before-match N  leave out the first N launches of all\n"
    "  --page details|raw|source     what to print; source: lines of the source (-lineinfo)\n"
    "  --csv                         comma-separated values\n"
    "  --print-summary none|per-kernel   minimum, maximum and average over launches\n"
    "  --print-units auto|base, --print-metric-name label|name|label-name, --print-fp,\n"
    "  --print-kernel-base function|demangled|mangled\n"
    "  --apply-rules yes|no          hints (OPT): what simt's model saves without one thing (yes)\n"
    "  --cache-control all|none      all: each launch finds empty caches (all)\n"
    "  --clock-control base|none     base: the clock to which ncu locks a GPU (base), where that\n"
    "                                was measured: simt's H200; none: the boost clock\n"
    "  -o [ --export ] FILE          keep the results in FILE.labncu, and print none\n"
    "  -i [ --import ] FILE          print those of such a file; of ncu's own, by ncu\n"
    "  -f [ --force-overwrite ]      FILE may exist already\n"
    "  --log-file FILE|stdout|stderr write there\n"
    "  --quiet, --null-stdin\n"
    "  --gpu NAME                    labncu's own: the GPU that simt plays (SIM_GPU in the\n"
    "                                environment); DEVICE=sim there chooses simt beside a GPU\n"
    "\n"
    "ncu's other options are taken with a note if they change nothing here, else refused.\n";

static const char replays[] = "simt counts everything in one run";
static const char sampling[] = "simt takes no samples";
static const char mps[] = "simt has no MPS";
static const char clients[] = "labncu starts the program itself";
static const char ranges[] = "labncu knows no ranges; choose by -k, -s and -c";
static const char folders[] = "labncu's sections are those of --list-sections";
static const char queries[] = "labncu has one list of metrics: --query-metrics";

#define FIELD(name) offsetof(struct ncu_options, name)

static bool add(const char **list, int *count, const char *text) {
    if (*count == MAX_LISTS) return fail_with("more than %d of an option", MAX_LISTS);
    list[(*count)++] = text;
    return true;
}

static bool take_section(void *options, const char *word) {
    struct ncu_options *o = options;
    return add(o->sections, &o->section_count, word);
}

static bool take_metrics(void *options, const char *word) {
    struct ncu_options *o = options;
    return add(o->metrics, &o->metric_count, word);
}

static const struct option_row rows[] = {
    {"help", "h", OPTION_FLAG, .field = FIELD(help)},
    {"version", "v", OPTION_FLAG, .field = FIELD(version)},
    {"set", NULL, OPTION_TEXT, .field = FIELD(set)},
    {"section", NULL, OPTION_CALL, .take = take_section},
    {"metrics", NULL, OPTION_CALL, .take = take_metrics},
    {"list-sets", NULL, OPTION_FLAG, .field = FIELD(list_sets)},
    {"list-sections", NULL, OPTION_FLAG, .field = FIELD(list_sections)},
    {"list-metrics", NULL, OPTION_FLAG, .field = FIELD(list_metrics)},
    {"query-metrics", NULL, OPTION_FLAG, .field = FIELD(query_metrics)},
    {"kernel-name", "k", OPTION_TEXT, .field = FIELD(kernel_name)},
    {"kernel-name-base", NULL, OPTION_TEXT, .field = FIELD(filter_base_name)},
    {"kernel-id", NULL, OPTION_TEXT, .field = FIELD(kernel_id)},
    {"launch-skip", "s", OPTION_TEXT, .field = FIELD(launch_skip)},
    {"launch-count", "c", OPTION_TEXT, .field = FIELD(launch_count)},
    {"launch-skip-before-match", NULL, OPTION_TEXT, .field = FIELD(skip_before)},
    {"page", NULL, OPTION_TEXT, .field = FIELD(page_name)},
    {"csv", NULL, OPTION_FLAG, .field = FIELD(csv)},
    {"print-summary", NULL, OPTION_TEXT, .field = FIELD(summary_name)},
    {"print-units", NULL, OPTION_TEXT, .field = FIELD(units)},
    {"print-metric-name", NULL, OPTION_TEXT, .field = FIELD(metric_name)},
    {"print-fp", NULL, OPTION_FLAG, .field = FIELD(print_fp)},
    {"print-kernel-base", NULL, OPTION_TEXT, .field = FIELD(print_base_name)},
    {"apply-rules", NULL, OPTION_TEXT, .field = FIELD(apply_rules)},
    {"cache-control", NULL, OPTION_TEXT, .field = FIELD(cache_control)},
    {"clock-control", NULL, OPTION_TEXT, .field = FIELD(clock_control)},
    {"export", "o", OPTION_TEXT, .field = FIELD(export_file)},
    {"import", "i", OPTION_TEXT, .field = FIELD(import_file)},
    {"force-overwrite", "f", OPTION_FLAG, .field = FIELD(force)},
    {"log-file", NULL, OPTION_TEXT, .field = FIELD(log_file)},
    {"quiet", NULL, OPTION_FLAG, .field = FIELD(quiet)},
    {"null-stdin", NULL, OPTION_FLAG, .field = FIELD(null_stdin)},
    {"gpu", NULL, OPTION_TEXT, .field = FIELD(gpu)},
    {"mode", NULL, OPTION_NOTED_ONLY, .why = clients, .only = " launch-and-attach"},
    {"port", "p", OPTION_NOTED_WORD, .why = clients},
    {"max-connections", NULL, OPTION_NOTED_WORD, .why = clients},
    {"hostname", NULL, OPTION_REFUSED_WORD, .why = clients},
    {"config-file", NULL, OPTION_NOTED_WORD, .why = "labncu reads no config.ncu-cfg"},
    {"config-file-path", NULL, OPTION_REFUSED_WORD, .why = "labncu reads no config.ncu-cfg"},
    {"mps", NULL, OPTION_NOTED_ONLY, .why = mps, .only = " none"},
    {"mps-num-clients", NULL, OPTION_REFUSED_WORD, .why = mps},
    {"mps-timeout", NULL, OPTION_NOTED_WORD, .why = mps},
    {"check-exit-code", NULL, OPTION_NOTED_WORD, .why = "labncu always names it"},
    {"forward-signals", NULL, OPTION_NOTED, .why = "labncu always does"},
    {"injection-path-32", NULL, OPTION_NOTED_WORD, .why = "labncu injects nothing"},
    {"injection-path-64", NULL, OPTION_NOTED_WORD, .why = "labncu injects nothing"},
    {"preload-library", NULL, OPTION_REFUSED_WORD, .why = "set LD_PRELOAD instead"},
    {"call-stack", NULL, OPTION_REFUSED, .why = "simt records no call stacks of the host"},
    {"call-stack-type", NULL, OPTION_REFUSED_WORD,
     .why = "simt records no call stacks of the host"},
    {"nvtx", NULL, OPTION_NOTED, .why = ranges},
    {"nvtx-include", NULL, OPTION_REFUSED_WORD, .why = ranges},
    {"nvtx-exclude", NULL, OPTION_REFUSED_WORD, .why = ranges},
    {"nvtx-push-pop-scope", NULL, OPTION_NOTED_WORD, .why = ranges},
    {"range-filter", NULL, OPTION_REFUSED_WORD, .why = ranges},
    {"native-include", NULL, OPTION_REFUSED_WORD, .why = ranges},
    {"native-exclude", NULL, OPTION_REFUSED_WORD, .why = ranges},
    {"python-include", NULL, OPTION_REFUSED_WORD, .why = ranges},
    {"python-exclude", NULL, OPTION_REFUSED_WORD, .why = ranges},
    {"profile-from-start", NULL, OPTION_NOTED_ONLY, .why = ranges, .only = " 1 on yes"},
    {"disable-profiler-start-stop", NULL, OPTION_NOTED, .why = ranges},
    {"support-32bit", NULL, OPTION_NOTED, .why = "simt runs 64-bit programs"},
    {"target-processes", NULL, OPTION_NOTED_ONLY,
     .why = "labncu shows the program and the processes that it starts", .only = " all"},
    {"target-processes-filter", NULL, OPTION_REFUSED_WORD,
     .why = "labncu shows the program and the processes that it starts"},
    {"kill", NULL, OPTION_NOTED_ONLY, .why = "labncu lets the program end", .only = " 0 no off"},
    {"replay-mode", NULL, OPTION_NOTED_ONLY, .why = replays, .only = " kernel application"},
    {"app-replay-buffer", NULL, OPTION_NOTED_WORD, .why = replays},
    {"app-replay-match", NULL, OPTION_NOTED_WORD, .why = replays},
    {"app-replay-mode", NULL, OPTION_NOTED_WORD, .why = replays},
    {"range-replay-options", NULL, OPTION_NOTED_WORD, .why = replays},
    {"graph-profiling", NULL, OPTION_NOTED_ONLY, .why = "labncu shows a graph's kernels",
     .only = " node"},
    {"section-folder", NULL, OPTION_REFUSED_WORD, .why = folders},
    {"section-folder-recursive", NULL, OPTION_REFUSED_WORD, .why = folders},
    {"section-folder-restore", NULL, OPTION_NOTED, .why = folders},
    {"list-rules", NULL, OPTION_REFUSED, .why = "labncu's hints are those of labprof --what-if"},
    {"rule", NULL, OPTION_REFUSED_WORD, .why = "labncu's hints are those of labprof --what-if"},
    {"import-sass", NULL, OPTION_NOTED_WORD, .why = "simt counts lines of the source"},
    {"import-source", NULL, OPTION_NOTED_WORD,
     .why = "labncu reads the source's files when it prints"},
    {"source-folders", NULL, OPTION_NOTED_WORD,
     .why = "labncu reads the source's files where they are"},
    {"resolve-source-file", NULL, OPTION_NOTED_WORD,
     .why = "labncu reads the source's files where they are"},
    {"query-metrics-mode", NULL, OPTION_REFUSED_WORD, .why = queries},
    {"query-metrics-collection", NULL, OPTION_REFUSED_WORD, .why = queries},
    {"list-chips", NULL, OPTION_REFUSED, .why = "simt --list-gpus names the GPUs there are"},
    {"chips", NULL, OPTION_REFUSED_WORD, .why = "simt --list-gpus names the GPUs there are"},
    {"verbose", NULL, OPTION_NOTED, .why = "labncu has no more to say"},
    {"pipeline-boost-state", NULL, OPTION_NOTED_WORD,
     .why = "simt has the clocks of --clock-control"},
    {"devices", NULL, OPTION_NOTED_ONLY, .why = "choose devices with CUDA_VISIBLE_DEVICES",
     .only = " 0"},
    {"filter-mode", NULL, OPTION_NOTED_ONLY,
     .why = "labncu counts launches of all devices together", .only = " global"},
    {"rename-kernels", NULL, OPTION_NOTED_WORD, .why = "labncu keeps names"},
    {"rename-kernels-export", NULL, OPTION_NOTED_WORD, .why = "labncu keeps names"},
    {"rename-kernels-path", NULL, OPTION_NOTED_WORD, .why = "labncu keeps names"},
    {"disable-extra-suffixes", NULL, OPTION_NOTED, .why = "labncu prints what is asked for"},
    {"pm-sampling-interval", NULL, OPTION_NOTED_WORD, .why = sampling},
    {"pm-sampling-buffer-size", NULL, OPTION_NOTED_WORD, .why = sampling},
    {"pm-sampling-max-passes", NULL, OPTION_NOTED_WORD, .why = sampling},
    {"warp-sampling-interval", NULL, OPTION_NOTED_WORD, .why = sampling},
    {"warp-sampling-max-passes", NULL, OPTION_NOTED_WORD, .why = sampling},
    {"warp-sampling-buffer-size", NULL, OPTION_NOTED_WORD, .why = sampling},
    {"open-in-ui", NULL, OPTION_REFUSED, .why = "labncu has no window"},
    {"print-source", NULL, OPTION_NOTED_WORD, .why = "simt counts lines of the source: cuda"},
    {"print-details", NULL, OPTION_NOTED_ONLY,
     .why = "labncu has the tables of the sections' headers; --page raw prints all",
     .only = " header"},
    {"print-metric-attribution", NULL, OPTION_NOTED, .why = "simt has no green contexts"},
    {"print-metric-instances", NULL, OPTION_NOTED_ONLY, .why = "simt keeps sums", .only = " none"},
    {"print-nvtx-rename", NULL, OPTION_NOTED_ONLY, .why = ranges, .only = " none"},
    {"print-rule-details", NULL, OPTION_NOTED, .why = "labncu's hints have none"},
};

/* Writes the place of the text among the words, which end with NULL, to *place; text NULL: leaves
 * it. */
static bool choose(const char *option, const char *text, const char *const words[], int *place) {
    if (!text) return true;
    for (int i = 0; words[i]; i++) {
        if (strcmp(text, words[i]) != 0) continue;
        *place = i;
        return true;
    }
    return fail_with("--%s %s: the argument is invalid. Use --help for further details.", option,
                     text);
}

static bool number(const char *option, const char *text, long *value) {
    char *end;
    if (!text) return true;
    *value = strtol(text, &end, 10);
    if (end > text && !*end && *value >= 0) return true;
    return fail_with("--%s %s: the argument is invalid. Use --help for further details.", option,
                     text);
}

/* What follows from the words of options. */
static bool check_words(struct ncu_options *o) {
    static const char *const
        pages[] = {"details", "raw", "source", NULL},
        *const summaries[] = {"none", "per-kernel", NULL}, *const units[] = {"auto", "base", NULL},
        *const bases[] = {"function", "demangled", "mangled", NULL},
        *const shown[] = {"label", "name", "label-name", NULL}, *const truths[] = {"no", "off",
                                                                                   "0",  "yes",
                                                                                   "on", "1",
                                                                                   NULL},
        *const caches[] = {"all", "none", NULL}, *const clocks[] = {"base", "none", "reset", NULL};
    int page = 0, summary = 0, unit = 0, filter = NAME_FUNCTION, print = NAME_DEMANGLED, label = 0,
        rules = 3, cache = 0, clock = 0;
    o->count = -1;
    bool ok = choose("page", o->page_name, pages, &page) &&
              choose("print-summary", o->summary_name, summaries, &summary) &&
              choose("print-units", o->units, units, &unit) &&
              choose("kernel-name-base", o->filter_base_name, bases, &filter) &&
              choose("print-kernel-base", o->print_base_name, bases, &print) &&
              choose("print-metric-name", o->metric_name, shown, &label) &&
              choose("apply-rules", o->apply_rules, truths, &rules) &&
              choose("cache-control", o->cache_control, caches, &cache) &&
              choose("clock-control", o->clock_control, clocks, &clock) &&
              number("launch-count", o->launch_count, &o->count) &&
              number("launch-skip", o->launch_skip, &o->skip) &&
              number("launch-skip-before-match", o->skip_before, &o->before);
    o->page = (enum page)page;
    o->summary = (enum summary)summary;
    o->base_units = unit == 1;
    o->filter_base = (enum name_base)filter;
    o->print_base = (enum name_base)print;
    o->labels = label != 1;
    o->names = label != 0;
    o->rules = rules >= 3;
    o->boost = clock != 0;
    return ok;
}

bool ncu_options_parse(struct ncu_options *o, int argc, char **argv) {
    memset(o, 0, sizeof *o);
    const struct option_table table = {rows, sizeof rows / sizeof *rows, .joins_letters = true};
    int program = commandline_walk(&table, o, &o->notes, argc, argv);
    if (program < 0 || !check_words(o)) return false;
    o->command = argv + program;
    bool no_run = o->help || o->version || o->list_sections || o->list_sets || o->list_metrics ||
                  o->query_metrics || o->import_file;
    if (no_run || o->command[0]) return true;
    return fail_with("which program? labncu [options] [program] [program-arguments]");
}
