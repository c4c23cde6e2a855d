/* options.c: one table of options. */
#include "options.h"
#include "lib/die.h"

#include <stdio.h>
#include <string.h>

const char options_help[] =
    "Usage: labprof [options] PROGRAM [ARGUMENTS]\n"
    "nvprof's command line and tables, from CUPTI, ncu, nvprof or simt: whichever fits this "
    "machine.\n"
    "Without options: the times of kernels, copies, fills and API calls.\n"
    "\n"
    "  -m, --metrics NAMES        collect these metrics, separated by commas; all for all\n"
    "  -e, --events NAMES         collect these events\n"
    "      --query-metrics        list the metrics and what they mean\n"
    "      --query-events         list the events\n"
    "      --print-gpu-summary    times of kernels, copies and fills by name\n"
    "      --print-api-summary    times of API calls by name\n"
    "      --print-summary        both\n"
    "      --print-gpu-trace      one line for each kernel, copy and fill; with metrics, their "
    "values per launch\n"
    "      --print-api-trace      one line for each API call\n"
    "      --profile-api-trace none|runtime|driver|all\n"
    "                             show no API calls, or only those of CUDA's runtime or driver\n"
    "      --profile-from-start off     leave out what is not between cudaProfilerStart and "
    "cudaProfilerStop\n"
    "      --kernels FILTER       of the kernels, only those whose name the regular expression "
    "finds; ::NAME:2 for the second invocation\n"
    "  -u, --normalized-time-unit s|ms|us|ns|auto\n"
    "      --csv                  comma-separated values\n"
    "      --log-file FILE        write there, not to stderr; %p is the process id, %h the host, "
    "%q{X} the variable X,\n"
    "                             %% a percent sign; %1 alone is stdout, %2 stderr\n"
    "      --quiet                print nothing\n"
    "      --devices 0            accepted for nvprof's sake: choose devices with "
    "CUDA_VISIBLE_DEVICES\n"
    "      --version, -h, --help\n"
    "\n"
    "labprof's own:\n"
    "      --export-trace FILE         write the timeline for Perfetto (ui.perfetto.dev) and "
    "Chrome (chrome://tracing)\n"
    "      --what-if                   what each kernel's time goes into: simt's model times the "
    "same run without\n"
    "                                  bank conflicts, without divergence and so on\n"
    "      --source                    what each line of the kernels' sources counts, with the "
    "columns of Nsight Compute's source\n"
    "                                  page, and where warps spend their time; from simt or ncu. "
    "Compile with -lineinfo\n"
    "      --source-format table|collapsed   collapsed: a line `kernel;file:line instructions` "
    "each, for speedscope and flame graphs;\n"
    "                                  labprof's own words go to stderr then\n"
    "      --backend simt|ncu|nvprof|cupti   instead of choosing by the GPU; DEVICE=sim or gpu in "
    "the environment does nearly the same\n"
    "      --gpu NAME                  the GPU that simt plays (SIM_GPU in the environment)\n"
    "      --lab-metrics FILE --lab N --steps RUNCSV\n"
    "                                  write the metrics of lab N's steps to FILE; the program "
    "writes RUNCSV in this very run\n"
    "      --lab-table                 print them as a table of kernels and metrics on stdout\n"
    "\n"
    "GB/s in nvprof's tables are 2^30 bytes a second, as nvprof has them; in --lab-table and "
    "--export-trace they are 1e9, in --lab-metrics B/s.\n";

enum kind {
    FLAG,    /* sets a bool of struct options */
    TEXT,    /* takes a word */
    METRICS, /* takes names of metrics */
    EVENTS,
    UNIT,
    API_CALLS,
    FROM_START, /* takes on or off */
    DEVICES,    /* takes 0 or all */
    NOTHING,    /* accepted without effect: labprof does so anyway */
    REFUSED     /* an option of nvprof that labprof lacks; text says why */
};

static const struct option {
    const char *name, *letter; /* long and one-letter name, without dashes; NULL: none */
    enum kind kind;
    size_t field;     /* offset in struct options, for FLAG and TEXT */
    const char *text; /* why it is refused */
} table[] = {
    {"metrics", "m", METRICS, 0, NULL},
    {"events", "e", EVENTS, 0, NULL},
    {"query-metrics", NULL, FLAG, offsetof(struct options, query_metrics), NULL},
    {"query-events", NULL, FLAG, offsetof(struct options, query_events), NULL},
    {"print-gpu-trace", NULL, FLAG, offsetof(struct options, gpu_trace), NULL},
    {"print-gpu-summary", NULL, FLAG, offsetof(struct options, gpu_summary), NULL},
    {"print-api-trace", NULL, FLAG, offsetof(struct options, api_trace), NULL},
    {"print-api-summary", NULL, FLAG, offsetof(struct options, api_summary), NULL},
    {"print-summary", NULL, FLAG, offsetof(struct options, summary), NULL},
    {"profile-api-trace", NULL, API_CALLS, 0, NULL},
    {"profile-from-start", NULL, FROM_START, 0, NULL},
    {"kernels", NULL, TEXT, offsetof(struct options, kernels), NULL},
    {"normalized-time-unit", "u", UNIT, 0, NULL},
    {"csv", NULL, FLAG, offsetof(struct options, csv), NULL},
    {"log-file", NULL, TEXT, offsetof(struct options, log_file), NULL},
    {"quiet", NULL, FLAG, offsetof(struct options, quiet), NULL},
    {"devices", NULL, DEVICES, 0, NULL},
    {"force-overwrite", "f", NOTHING, 0, NULL},
    {"profile-child-processes", NULL, NOTHING, 0, NULL},
    {"version", "V", FLAG, offsetof(struct options, version), NULL},
    {"help", "h", FLAG, offsetof(struct options, help), NULL},
    {"backend", NULL, TEXT, offsetof(struct options, backend), NULL},
    {"gpu", NULL, TEXT, offsetof(struct options, gpu), NULL},
    {"export-trace", NULL, TEXT, offsetof(struct options, export_trace), NULL},
    {"lab-metrics", NULL, TEXT, offsetof(struct options, lab_metrics), NULL},
    {"lab", NULL, TEXT, offsetof(struct options, lab), NULL},
    {"steps", NULL, TEXT, offsetof(struct options, steps), NULL},
    {"lab-table", NULL, FLAG, offsetof(struct options, lab_table), NULL},
    {"what-if", NULL, FLAG, offsetof(struct options, what_if), NULL},
    {"source", NULL, FLAG, offsetof(struct options, source), NULL},
    {"source-format", NULL, TEXT, offsetof(struct options, source_format), NULL},
    {"export-profile", "o", REFUSED, 0,
     "writes files for NVIDIA's visual profiler; use --csv --log-file FILE"},
    {"import-profile", "i", REFUSED, 0,
     "reads files of NVIDIA's visual profiler; profile the program itself"},
    {"analysis-metrics", NULL, REFUSED, 0, "is for NVIDIA's visual profiler; use --metrics all"},
    {"source-level-analysis", NULL, REFUSED, 0, "is labprof's --source"},
    {"profile-all-processes", NULL, REFUSED, 0, "is not there; give labprof the program to run"},
    {"cpu-profiling", NULL, REFUSED, 0, "is not there; use perf"},
    {"timeout", "t", REFUSED, 0, "is not there; use timeout(1): timeout 10 labprof ..."},
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
    return option->kind >= TEXT && option->kind <= DEVICES;
}

static bool set_unit(struct options *o, const char *value) {
    static const char *const words[] = {"s", "ms", "us", "ns", "auto"};
    for (enum time_unit unit = TIME_S; unit <= TIME_AUTO; unit++) {
        if (strcmp(value, words[unit]) == 0 || (unit == TIME_AUTO && strcmp(value, "col") == 0)) {
            o->unit = unit;
            return true;
        }
    }
    return fail_with("-u: \"%s\" is not a unit of time: give s, ms, us, ns or auto", value);
}

static bool set_api_calls(struct options *o, const char *value) {
    static const char *const words[] = {"all", "runtime", "driver", "none"};
    for (enum api_calls calls = API_ALL; calls <= API_NONE; calls++) {
        if (strcmp(value, words[calls]) != 0) continue;
        o->api_calls = calls;
        return true;
    }
    return fail_with("--profile-api-trace %s: all, runtime, driver or none", value);
}

static bool set_from_start(struct options *o, const char *value) {
    o->profiler_calls = strcmp(value, "off") == 0;
    if (o->profiler_calls || strcmp(value, "on") == 0) return true;
    return fail_with("--profile-from-start %s: on or off", value);
}

static bool add_list(struct options *o, const char *names, bool events) {
    if (o->list_count == MAX_NAME_LISTS) {
        return fail_with("more than %d of --metrics and --events; separate names by commas",
                         MAX_NAME_LISTS);
    }
    o->lists[o->list_count++] = (struct name_list){names, events};
    return true;
}

static bool set_option(struct options *o, const struct option *option, const char *value) {
    switch (option->kind) {
    case FLAG: *(bool *)((char *)o + option->field) = true; return true;
    case TEXT: *(const char **)((char *)o + option->field) = value; return true;
    case METRICS: return add_list(o, value, false);
    case EVENTS: return add_list(o, value, true);
    case UNIT: return set_unit(o, value);
    case API_CALLS: return set_api_calls(o, value);
    case FROM_START: return set_from_start(o, value);
    case DEVICES:
        fail_with("--devices %s: choose devices with CUDA_VISIBLE_DEVICES; labprof shows those "
                  "that the program uses",
                  value);
        return strcmp(value, "0") == 0 || strcmp(value, "all") == 0;
    case NOTHING: return true;
    case REFUSED: return fail_with("--%s %s", option->name, option->text);
    }
    return false;
}

/* Parses the options at the front. Returns the index of the first word after them, or -1 with a
 * message in failure. */
static int parse_front(struct options *o, int argc, char **argv) {
    int i = 1;
    for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
        bool letter = argv[i][1] != '-';
        if (!letter && !argv[i][2]) return i + 1;
        const char *name = argv[i] + (letter ? 1 : 2);
        size_t length = strcspn(name, "=");
        const struct option *option = find_option(name, length, letter);
        const char *value = name[length] ? name + length + 1 : NULL;
        if (!option) {
            fail_with("unknown option %s; --help lists them", argv[i]);
            return -1;
        }
        if (takes_value(option) && !value && i + 1 < argc) value = argv[++i];
        if (takes_value(option) && (!value || !*value)) {
            fail_with("--%s needs a value", option->name);
            return -1;
        }
        if (!set_option(o, option, value)) return -1;
    }
    return i;
}

/* Checks options that need or exclude each other. */
static bool check_together(const struct options *o) {
    const char *why = NULL;
    bool lab = o->lab_metrics || o->lab_table;
    bool times =
        o->api_trace || o->api_summary || o->api_calls || o->profiler_calls || o->export_trace;
    if (lab && !o->steps)
        why = "--lab-metrics and --lab-table need --steps RUNCSV";
    else if (o->lab_metrics && !o->lab)
        why = "--lab-metrics needs --lab N";
    else if (!lab && (o->lab || o->steps))
        why = "--lab and --steps are for --lab-metrics and --lab-table";
    else if (lab && o->list_count == 0 && !o->what_if)
        why = "--lab-metrics and --lab-table need --metrics NAMES";
    else if (times && o->what_if)
        why = "--what-if needs a run without API calls and the timeline";
    else if (times && o->list_count > 0)
        why = "--metrics and --events count; API calls and the timeline need a run without them";
    else if (o->source && (times || o->list_count > 0 || o->gpu_trace))
        why = "--source counts by line; metrics and times need a run without it";
    else if (o->source_format && !o->source)
        why = "--source-format is for --source";
    else if (o->source_format && strcmp(o->source_format, "table") != 0 &&
             strcmp(o->source_format, "collapsed") != 0)
        why = "--source-format: table or collapsed";
    else if (!o->command[0])
        why = "which program? labprof [options] PROGRAM [ARGUMENTS]";
    if (why) fail_with("%s", why);
    return !why;
}

bool options_parse(struct options *o, int argc, char **argv) {
    memset(o, 0, sizeof *o);
    o->unit = TIME_AUTO;
    int program = parse_front(o, argc, argv);
    if (program < 0) return false;
    o->command = argv + program;
    bool no_run = o->help || o->version || o->query_metrics || o->query_events;
    return no_run || check_together(o);
}
