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
    "  -o [ --export ] FILE          keep the results in FILE.labncu, and print none\n"
    "  -i [ --import ] FILE          print those of such a file; of ncu's own, by ncu\n"
    "  -f [ --force-overwrite ]      FILE may exist already\n"
    "  --log-file FILE|stdout|stderr write there\n"
    "  --quiet, --null-stdin\n"
    "  --gpu NAME                    labncu's own: the GPU that simt plays (SIM_GPU in the\n"
    "                                environment); DEVICE=sim there chooses simt beside a GPU\n"
    "\n"
    "ncu's other options are taken with a note if they change nothing here, else refused.\n";

enum kind {
    FLAG,       /* sets a bool of struct ncu_options */
    TEXT,       /* takes a word */
    SECTIONS,   /* takes names of sections */
    METRICS,    /* takes names of metrics */
    NOTED,      /* changes nothing here; text says why */
    NOTED_WORD, /* the same, with a word */
    NOTED_ONLY, /* a word of which all but field's change something, and are refused */
    REFUSED,    /* text says why */
    REFUSED_WORD
};

static const char replays[] = "simt counts everything in one run";
static const char sampling[] = "simt takes no samples";
static const char mps[] = "simt has no MPS";
static const char clients[] = "labncu starts the program itself";
static const char ranges[] = "labncu knows no ranges; choose by -k, -s and -c";
static const char folders[] = "labncu's sections are those of --list-sections";
static const char queries[] = "labncu has one list of metrics: --query-metrics";

#define FIELD(name) offsetof(struct ncu_options, name)

static const struct option {
    const char *name, *letter; /* long and one-letter name, without dashes; NULL: none */
    enum kind kind;
    size_t field;     /* offset in struct ncu_options, for FLAG and TEXT */
    const char *text; /* why it changes nothing, or is refused */
    const char *only; /* of NOTED_ONLY: the words that are taken, each after a space */
} table[] = {
    {"help", "h", FLAG, FIELD(help), NULL, NULL},
    {"version", "v", FLAG, FIELD(version), NULL, NULL},
    {"set", NULL, TEXT, FIELD(set), NULL, NULL},
    {"section", NULL, SECTIONS, 0, NULL, NULL},
    {"metrics", NULL, METRICS, 0, NULL, NULL},
    {"list-sets", NULL, FLAG, FIELD(list_sets), NULL, NULL},
    {"list-sections", NULL, FLAG, FIELD(list_sections), NULL, NULL},
    {"list-metrics", NULL, FLAG, FIELD(list_metrics), NULL, NULL},
    {"query-metrics", NULL, FLAG, FIELD(query_metrics), NULL, NULL},
    {"kernel-name", "k", TEXT, FIELD(kernel_name), NULL, NULL},
    {"kernel-name-base", NULL, TEXT, FIELD(filter_base_name), NULL, NULL},
    {"kernel-id", NULL, TEXT, FIELD(kernel_id), NULL, NULL},
    {"launch-skip", "s", TEXT, FIELD(launch_skip), NULL, NULL},
    {"launch-count", "c", TEXT, FIELD(launch_count), NULL, NULL},
    {"launch-skip-before-match", NULL, TEXT, FIELD(skip_before), NULL, NULL},
    {"page", NULL, TEXT, FIELD(page_name), NULL, NULL},
    {"csv", NULL, FLAG, FIELD(csv), NULL, NULL},
    {"print-summary", NULL, TEXT, FIELD(summary_name), NULL, NULL},
    {"print-units", NULL, TEXT, FIELD(units), NULL, NULL},
    {"print-metric-name", NULL, TEXT, FIELD(metric_name), NULL, NULL},
    {"print-fp", NULL, FLAG, FIELD(print_fp), NULL, NULL},
    {"print-kernel-base", NULL, TEXT, FIELD(print_base_name), NULL, NULL},
    {"apply-rules", NULL, TEXT, FIELD(apply_rules), NULL, NULL},
    {"cache-control", NULL, TEXT, FIELD(cache_control), NULL, NULL},
    {"export", "o", TEXT, FIELD(export_file), NULL, NULL},
    {"import", "i", TEXT, FIELD(import_file), NULL, NULL},
    {"force-overwrite", "f", FLAG, FIELD(force), NULL, NULL},
    {"log-file", NULL, TEXT, FIELD(log_file), NULL, NULL},
    {"quiet", NULL, FLAG, FIELD(quiet), NULL, NULL},
    {"null-stdin", NULL, FLAG, FIELD(null_stdin), NULL, NULL},
    {"gpu", NULL, TEXT, FIELD(gpu), NULL, NULL},
    {"mode", NULL, NOTED_ONLY, 0, clients, " launch-and-attach"},
    {"port", "p", NOTED_WORD, 0, clients, NULL},
    {"max-connections", NULL, NOTED_WORD, 0, clients, NULL},
    {"hostname", NULL, REFUSED_WORD, 0, clients, NULL},
    {"config-file", NULL, NOTED_WORD, 0, "labncu reads no config.ncu-cfg", NULL},
    {"config-file-path", NULL, REFUSED_WORD, 0, "labncu reads no config.ncu-cfg", NULL},
    {"mps", NULL, NOTED_ONLY, 0, mps, " none"},
    {"mps-num-clients", NULL, REFUSED_WORD, 0, mps, NULL},
    {"mps-timeout", NULL, NOTED_WORD, 0, mps, NULL},
    {"check-exit-code", NULL, NOTED_WORD, 0, "labncu always names it", NULL},
    {"forward-signals", NULL, NOTED, 0, "labncu always does", NULL},
    {"injection-path-32", NULL, NOTED_WORD, 0, "labncu injects nothing", NULL},
    {"injection-path-64", NULL, NOTED_WORD, 0, "labncu injects nothing", NULL},
    {"preload-library", NULL, REFUSED_WORD, 0, "set LD_PRELOAD instead", NULL},
    {"call-stack", NULL, REFUSED, 0, "simt records no call stacks of the host", NULL},
    {"call-stack-type", NULL, REFUSED_WORD, 0, "simt records no call stacks of the host", NULL},
    {"nvtx", NULL, NOTED, 0, ranges, NULL},
    {"nvtx-include", NULL, REFUSED_WORD, 0, ranges, NULL},
    {"nvtx-exclude", NULL, REFUSED_WORD, 0, ranges, NULL},
    {"nvtx-push-pop-scope", NULL, NOTED_WORD, 0, ranges, NULL},
    {"range-filter", NULL, REFUSED_WORD, 0, ranges, NULL},
    {"native-include", NULL, REFUSED_WORD, 0, ranges, NULL},
    {"native-exclude", NULL, REFUSED_WORD, 0, ranges, NULL},
    {"python-include", NULL, REFUSED_WORD, 0, ranges, NULL},
    {"python-exclude", NULL, REFUSED_WORD, 0, ranges, NULL},
    {"profile-from-start", NULL, NOTED_ONLY, 0, ranges, " 1 on yes"},
    {"disable-profiler-start-stop", NULL, NOTED, 0, ranges, NULL},
    {"support-32bit", NULL, NOTED, 0, "simt runs 64-bit programs", NULL},
    {"target-processes", NULL, NOTED_ONLY, 0,
     "labncu shows the program and the processes that it starts", " all"},
    {"target-processes-filter", NULL, REFUSED_WORD, 0,
     "labncu shows the program and the processes that it starts", NULL},
    {"kill", NULL, NOTED_ONLY, 0, "labncu lets the program end", " 0 no off"},
    {"replay-mode", NULL, NOTED_ONLY, 0, replays, " kernel application"},
    {"app-replay-buffer", NULL, NOTED_WORD, 0, replays, NULL},
    {"app-replay-match", NULL, NOTED_WORD, 0, replays, NULL},
    {"app-replay-mode", NULL, NOTED_WORD, 0, replays, NULL},
    {"range-replay-options", NULL, NOTED_WORD, 0, replays, NULL},
    {"graph-profiling", NULL, NOTED_ONLY, 0, "labncu shows a graph's kernels", " node"},
    {"section-folder", NULL, REFUSED_WORD, 0, folders, NULL},
    {"section-folder-recursive", NULL, REFUSED_WORD, 0, folders, NULL},
    {"section-folder-restore", NULL, NOTED, 0, folders, NULL},
    {"list-rules", NULL, REFUSED, 0, "labncu's hints are those of labprof --what-if", NULL},
    {"rule", NULL, REFUSED_WORD, 0, "labncu's hints are those of labprof --what-if", NULL},
    {"import-sass", NULL, NOTED_WORD, 0, "simt counts lines of the source", NULL},
    {"import-source", NULL, NOTED_WORD, 0, "labncu reads the source's files when it prints", NULL},
    {"source-folders", NULL, NOTED_WORD, 0, "labncu reads the source's files where they are", NULL},
    {"resolve-source-file", NULL, NOTED_WORD, 0, "labncu reads the source's files where they are",
     NULL},
    {"query-metrics-mode", NULL, REFUSED_WORD, 0, queries, NULL},
    {"query-metrics-collection", NULL, REFUSED_WORD, 0, queries, NULL},
    {"list-chips", NULL, REFUSED, 0, "simt --list-gpus names the GPUs there are", NULL},
    {"chips", NULL, REFUSED_WORD, 0, "simt --list-gpus names the GPUs there are", NULL},
    {"verbose", NULL, NOTED, 0, "labncu has no more to say", NULL},
    {"clock-control", NULL, NOTED_WORD, 0, "simt's clock is the boost clock; it models no others",
     NULL},
    {"pipeline-boost-state", NULL, NOTED_WORD, 0, "simt's clock is the boost clock", NULL},
    {"devices", NULL, NOTED_ONLY, 0, "choose devices with CUDA_VISIBLE_DEVICES", " 0"},
    {"filter-mode", NULL, NOTED_ONLY, 0, "labncu counts launches of all devices together",
     " global"},
    {"rename-kernels", NULL, NOTED_WORD, 0, "labncu keeps names", NULL},
    {"rename-kernels-export", NULL, NOTED_WORD, 0, "labncu keeps names", NULL},
    {"rename-kernels-path", NULL, NOTED_WORD, 0, "labncu keeps names", NULL},
    {"disable-extra-suffixes", NULL, NOTED, 0, "labncu prints what is asked for", NULL},
    {"pm-sampling-interval", NULL, NOTED_WORD, 0, sampling, NULL},
    {"pm-sampling-buffer-size", NULL, NOTED_WORD, 0, sampling, NULL},
    {"pm-sampling-max-passes", NULL, NOTED_WORD, 0, sampling, NULL},
    {"warp-sampling-interval", NULL, NOTED_WORD, 0, sampling, NULL},
    {"warp-sampling-max-passes", NULL, NOTED_WORD, 0, sampling, NULL},
    {"warp-sampling-buffer-size", NULL, NOTED_WORD, 0, sampling, NULL},
    {"open-in-ui", NULL, REFUSED, 0, "labncu has no window", NULL},
    {"print-source", NULL, NOTED_WORD, 0, "simt counts lines of the source: cuda", NULL},
    {"print-details", NULL, NOTED_ONLY, 0,
     "labncu has the tables of the sections' headers; --page raw prints all", " header"},
    {"print-metric-attribution", NULL, NOTED, 0, "simt has no green contexts", NULL},
    {"print-metric-instances", NULL, NOTED_ONLY, 0, "simt keeps sums", " none"},
    {"print-nvtx-rename", NULL, NOTED_ONLY, 0, ranges, " none"},
    {"print-rule-details", NULL, NOTED, 0, "labncu's hints have none", NULL},
};

static const struct option *find_option(const char *name, size_t length, bool letter) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const char *candidate = letter ? table[i].letter : table[i].name;
        if (candidate && strlen(candidate) == length && strncmp(candidate, name, length) == 0)
            return &table[i];
    }
    return NULL;
}

static bool takes_value(const struct option *option) {
    return option->kind != FLAG && option->kind != NOTED && option->kind != REFUSED;
}

static bool add(const char **list, int *count, const char *text) {
    if (*count == MAX_LISTS) return fail_with("more than %d of an option", MAX_LISTS);
    list[(*count)++] = text;
    return true;
}

/* Is the word one of the list, in which each follows a space? */
static bool listed(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; (at = strchr(at, ' ')) && *++at;)
        if (strncmp(at, word, length) == 0 && (!at[length] || at[length] == ' ')) return true;
    return false;
}

static bool refuse(const struct option *option, const char *value) {
    return fail_with("--%s%s%s: %s", option->name, *value ? " " : "", value, option->text);
}

static bool note(struct ncu_options *o, const struct option *option, const char *value) {
    static char texts[MAX_NOTES][160];
    if (o->note_count == MAX_NOTES) return true;
    snprintf(texts[o->note_count], sizeof *texts, "--%s%s%s changes nothing here: %s", option->name,
             *value ? " " : "", value, option->text);
    o->notes[o->note_count] = texts[o->note_count];
    o->note_count++;
    return true;
}

static bool set_option(struct ncu_options *o, const struct option *option, const char *value) {
    switch (option->kind) {
    case FLAG: *(bool *)((char *)o + option->field) = true; return true;
    case TEXT: *(const char **)((char *)o + option->field) = value; return true;
    case SECTIONS: return add(o->sections, &o->section_count, value);
    case METRICS: return add(o->metrics, &o->metric_count, value);
    case NOTED: return note(o, option, "");
    case NOTED_WORD: return note(o, option, value);
    case NOTED_ONLY:
        return listed(option->only, value) ? note(o, option, value) : refuse(option, value);
    case REFUSED: return refuse(option, "");
    case REFUSED_WORD: return refuse(option, value);
    }
    return false;
}

/* Parses the options at the front. Returns the index of the first word after them, or -1 with a
 * message in failure. */
static int parse_front(struct ncu_options *o, int argc, char **argv) {
    int i = 1;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        bool letter = argv[i][1] != '-';
        if (!letter && !argv[i][2]) return i + 1;
        const char *name = argv[i] + (letter ? 1 : 2);
        size_t length = letter ? 1 : strcspn(name, "=");
        const struct option *option = find_option(name, length, letter);
        const char *value = name[length] ? name + length + !letter : NULL; /* -c2, --x=2 */
        if (!option || (value && !takes_value(option))) {
            fail_with("unrecognised option '%s'. Use --help for further details.", argv[i]);
            return -1;
        }
        if (takes_value(option) && !value && i + 1 < argc) value = argv[++i];
        if (takes_value(option) && !value) {
            fail_with("the required argument for option '--%s' is missing. Use --help for further "
                      "details.",
                      option->name);
            return -1;
        }
        if (!set_option(o, option, value ? value : "")) return -1;
    }
    return i;
}

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
        *const caches[] = {"all", "none", NULL};
    int page = 0, summary = 0, unit = 0, filter = NAME_FUNCTION, print = NAME_DEMANGLED, label = 0,
        rules = 3, cache = 0;
    o->count = -1;
    bool ok = choose("page", o->page_name, pages, &page) &&
              choose("print-summary", o->summary_name, summaries, &summary) &&
              choose("print-units", o->units, units, &unit) &&
              choose("kernel-name-base", o->filter_base_name, bases, &filter) &&
              choose("print-kernel-base", o->print_base_name, bases, &print) &&
              choose("print-metric-name", o->metric_name, shown, &label) &&
              choose("apply-rules", o->apply_rules, truths, &rules) &&
              choose("cache-control", o->cache_control, caches, &cache) &&
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
    return ok;
}

bool ncu_options_parse(struct ncu_options *o, int argc, char **argv) {
    memset(o, 0, sizeof *o);
    int program = parse_front(o, argc, argv);
    if (program < 0 || !check_words(o)) return false;
    o->command = argv + program;
    bool no_run = o->help || o->version || o->list_sections || o->list_sets || o->list_metrics ||
                  o->query_metrics || o->import_file;
    if (no_run || o->command[0]) return true;
    return fail_with("which program? labncu [options] [program] [program-arguments]");
}
