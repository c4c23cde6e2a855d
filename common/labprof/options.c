/* options.c: one table of options. */
#include "options.h"
#include "lib/die.h"

#include <stdio.h>
#include <stdlib.h>
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
    "finds; CONTEXT:STREAM:NAME:2\n"
    "                             for the second invocation, where parts may be empty. Several: "
    "each is for the --metrics\n"
    "                             and --events after it\n"
    "      --devices 0,1|all      only these GPUs\n"
    "      --trace gpu|api        only what the GPU does, or only calls of the API\n"
    "      --print-summary-per-gpu      the summary, GPU by GPU\n"
    "      --unified-memory-profiling off   do not show how pages of managed memory moved\n"
    "      --demangling off       names of kernels as the linker has them\n"
    "      --context-name, --stream-name, --process-name TEXT   names in traces; %i is the number\n"
    "  -t, --timeout SECONDS      end the program after that time\n"
    "  -u, --normalized-time-unit s|ms|us|ns|auto\n"
    "      --csv                  comma-separated values\n"
    "      --log-file FILE        write there, not to stderr; %p is the process id, %h the host, "
    "%q{X} the variable X,\n"
    "                             %% a percent sign; %1 alone is stdout, %2 stderr\n"
    "      --quiet                print nothing\n"
    "      --version, -h, --help\n"
    "nvprof's other options are taken with a note if they change nothing here, else refused.\n"
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

#define FIELD(name) offsetof(struct options, name)

static bool take_unit(void *options, const char *word) {
    static const char *const words[] = {"s", "ms", "us", "ns", "auto"};
    struct options *o = options;
    for (enum time_unit unit = TIME_S; unit <= TIME_AUTO; unit++) {
        if (strcmp(word, words[unit]) == 0 || (unit == TIME_AUTO && strcmp(word, "col") == 0)) {
            o->unit = unit;
            return true;
        }
    }
    return fail_with("-u: \"%s\" is not a unit of time: give s, ms, us, ns or auto", word);
}

static bool take_api_calls(void *options, const char *word) {
    static const char *const words[] = {"all", "runtime", "driver", "none"};
    struct options *o = options;
    for (enum api_calls calls = API_ALL; calls <= API_NONE; calls++) {
        if (strcmp(word, words[calls]) != 0) continue;
        o->api_calls = calls;
        return true;
    }
    return fail_with("--profile-api-trace %s: all, runtime, driver or none", word);
}

/* Writes whether the word is the second one of the two to *value. */
static bool choose(const char *option, const char *word, const char *no, const char *yes,
                   bool *value) {
    *value = strcmp(word, yes) == 0;
    return *value || strcmp(word, no) == 0 || fail_with("--%s %s: %s or %s", option, word, yes, no);
}

static bool take_from_start(void *options, const char *word) {
    struct options *o = options;
    return choose("profile-from-start", word, "on", "off", &o->profiler_calls);
}

static bool take_demangling(void *options, const char *word) {
    struct options *o = options;
    return choose("demangling", word, "on", "off", &o->mangled);
}

static bool take_pages(void *options, const char *word) {
    struct options *o = options;
    return choose("unified-memory-profiling", word, "per-process-device", "off", &o->no_pages);
}

static bool take_trace(void *options, const char *word) {
    struct options *o = options;
    bool both = strcmp(word, "gpu,api") == 0 || strcmp(word, "api,gpu") == 0;
    o->no_api = strcmp(word, "gpu") == 0;
    o->no_gpu = strcmp(word, "api") == 0;
    return both || o->no_api || o->no_gpu ||
           fail_with("--trace %s: gpu, api or both with a comma between them", word);
}

static bool take_timeout(void *options, const char *word) {
    struct options *o = options;
    char *end;
    o->timeout = strtol(word, &end, 10);
    return (!*end && o->timeout > 0 && o->timeout < 1000000) ||
           fail_with("--timeout %s: a number of seconds", word);
}

/* all, or numbers with commas between them. */
static bool take_devices(void *options, const char *word) {
    struct options *o = options;
    o->devices = 0;
    o->device_list = word;
    if (strcmp(word, "all") == 0) return true;
    for (const char *at = word; *at;) {
        char *end;
        long device = strtol(at, &end, 10);
        if (end == at || (*end && *end != ',') || device < 0 || device >= MAX_DEVICES)
            return fail_with("--devices %s: all, or numbers with commas between them", word);
        o->devices |= 1ull << device;
        at = *end ? end + 1 : end;
    }
    return true;
}

static bool add_list(struct options *o, const char *names, bool events) {
    if (o->list_count == MAX_NAME_LISTS) {
        return fail_with("more than %d of --metrics and --events; separate names by commas",
                         MAX_NAME_LISTS);
    }
    o->lists[o->list_count++] = (struct name_list){names, events, o->kernels_count - 1};
    return true;
}

static bool take_metrics(void *options, const char *word) {
    return add_list(options, word, false);
}

static bool take_events(void *options, const char *word) {
    return add_list(options, word, true);
}

static bool take_kernels(void *options, const char *word) {
    struct options *o = options;
    if (o->kernels_count == MAX_SCOPES) return fail_with("more than %d of --kernels", MAX_SCOPES);
    o->kernels[o->kernels_count++] = word;
    return true;
}

static const char replays[] = "labprof's back end "
                              "chooses how it counts",
                  buffers[] = "the back end chooses its buffers", sampling[] = "nothing is sampled",
                  cpu[] = "labprof does not profile the CPU; use perf",
                  openacc[] = "labprof knows neither OpenACC nor OpenMP",
                  graph[] = "there is no dependency analysis",
                  topology[] = "nvidia-smi topo --matrix prints it";

/* nvprof's options, in the order of its help; labprof's own come after OWN. */
static const struct option_row rows[] = {
    {"aggregate-mode", NULL, OPTION_NOTED_ONLY, .why = "sums over the GPU are all there is",
     .only = " on"},
    {"analysis-metrics", NULL, OPTION_NOTED,
     .why = "it is for NVIDIA's visual profiler; --metrics all prints the same"},
    {"annotate-mpi", NULL, OPTION_NOTED_ONLY, .why = "calls of MPI are not shown", .only = " off"},
    {"concurrent-kernels", NULL, OPTION_NOTED_ONLY,
     .why = "CUDA_LAUNCH_BLOCKING=1 in the environment keeps kernels apart", .only = " on"},
    {"continuous-sampling-interval", NULL, OPTION_NOTED_WORD, .why = sampling},
    {"cpu-thread-tracing", NULL, OPTION_NOTED_ONLY, .why = "use perf or strace", .only = " off"},
    {"dependency-analysis", NULL, OPTION_REFUSED, .why = graph},
    {"device-buffer-size", NULL, OPTION_NOTED_WORD, .why = buffers},
    {"device-cdp-buffer-size", NULL, OPTION_NOTED_WORD, .why = buffers},
    {"devices", NULL, OPTION_CALL, .take = take_devices},
    {"event-collection-mode", NULL, OPTION_NOTED_ONLY, .why = "counts are those of kernels",
     .only = " kernel"},
    {"events", "e", OPTION_CALL, .take = take_events},
    {"kernel-latency-timestamps", NULL, OPTION_NOTED_ONLY,
     .why = "when a launch was queued is not recorded", .only = " off"},
    {"kernels", NULL, OPTION_CALL, .take = take_kernels},
    {"metrics", "m", OPTION_CALL, .take = take_metrics},
    {"pc-sampling-period", NULL, OPTION_NOTED_WORD, .why = sampling},
    {"profile-all-processes", NULL, OPTION_REFUSED,
     .why = "give labprof the program to run; it shows what that starts"},
    {"profile-api-trace", NULL, OPTION_CALL, .take = take_api_calls},
    {"profile-child-processes", NULL, OPTION_NOTED,
     .why = "labprof always does; with %p in --log-file each has a file"},
    {"profile-from-start", NULL, OPTION_CALL, .take = take_from_start},
    {"profiling-semaphore-pool-size", NULL, OPTION_NOTED_WORD, .why = buffers},
    {"query-events", NULL, OPTION_FLAG, .field = FIELD(query_events)},
    {"query-metrics", NULL, OPTION_FLAG, .field = FIELD(query_metrics)},
    {"replay-mode", NULL, OPTION_NOTED_WORD, .why = replays},
    {"skip-kernel-replay-save-restore", NULL, OPTION_NOTED_WORD, .why = replays},
    {"source-level-analysis", "a", OPTION_REFUSED_WORD, .why = "labprof has --source"},
    {"system-profiling", NULL, OPTION_NOTED_ONLY, .why = "nvidia-smi dmon shows clocks and power",
     .only = " off"},
    {"timeout", "t", OPTION_CALL, .take = take_timeout},
    {"track-memory-allocations", NULL, OPTION_NOTED_WORD,
     .why = "only NVIDIA's visual profiler shows it; calls of cudaMalloc are in the API trace"},
    {"unified-memory-profiling", NULL, OPTION_CALL, .take = take_pages},
    {"cpu-profiling", NULL, OPTION_NOTED_ONLY, .why = cpu, .only = " off"},
    {"cpu-profiling-explain-ccff", NULL, OPTION_NOTED_WORD, .why = cpu},
    {"cpu-profiling-frequency", NULL, OPTION_NOTED_WORD, .why = cpu},
    {"cpu-profiling-max-depth", NULL, OPTION_NOTED_WORD, .why = cpu},
    {"cpu-profiling-mode", NULL, OPTION_NOTED_WORD, .why = cpu},
    {"cpu-profiling-percentage-threshold", NULL, OPTION_NOTED_WORD, .why = cpu},
    {"cpu-profiling-scope", NULL, OPTION_NOTED_WORD, .why = cpu},
    {"cpu-profiling-show-ccff", NULL, OPTION_NOTED_WORD, .why = cpu},
    {"cpu-profiling-show-library", NULL, OPTION_NOTED_WORD, .why = cpu},
    {"cpu-profiling-thread-mode", NULL, OPTION_NOTED_WORD, .why = cpu},
    {"cpu-profiling-unwind-stack", NULL, OPTION_NOTED_WORD, .why = cpu},
    {"openacc-profiling", NULL, OPTION_NOTED_WORD, .why = openacc},
    {"openmp-profiling", NULL, OPTION_NOTED_WORD, .why = openacc},
    {"context-name", NULL, OPTION_TEXT, .field = FIELD(context_name)},
    {"csv", NULL, OPTION_FLAG, .field = FIELD(csv)},
    {"demangling", NULL, OPTION_CALL, .take = take_demangling},
    {"normalized-time-unit", "u", OPTION_CALL, .take = take_unit},
    {"openacc-summary-mode", NULL, OPTION_NOTED_WORD, .why = openacc},
    {"print-api-summary", NULL, OPTION_FLAG, .field = FIELD(api_summary)},
    {"print-api-trace", NULL, OPTION_FLAG, .field = FIELD(api_trace)},
    {"print-dependency-analysis-trace", NULL, OPTION_REFUSED, .why = graph},
    {"print-gpu-summary", NULL, OPTION_FLAG, .field = FIELD(gpu_summary)},
    {"print-gpu-trace", NULL, OPTION_FLAG, .field = FIELD(gpu_trace)},
    {"print-nvlink-topology", NULL, OPTION_REFUSED, .why = topology},
    {"print-openacc-constructs", NULL, OPTION_REFUSED, .why = openacc},
    {"print-openacc-summary", NULL, OPTION_REFUSED, .why = openacc},
    {"print-openacc-trace", NULL, OPTION_REFUSED, .why = openacc},
    {"print-openmp-summary", NULL, OPTION_REFUSED, .why = openacc},
    {"print-pci-topology", NULL, OPTION_REFUSED, .why = topology},
    {"print-summary", "s", OPTION_FLAG, .field = FIELD(summary)},
    {"print-summary-per-gpu", NULL, OPTION_FLAG, .field = FIELD(summary_per_gpu)},
    {"process-name", NULL, OPTION_TEXT, .field = FIELD(process_name)},
    {"quiet", NULL, OPTION_FLAG, .field = FIELD(quiet)},
    {"stream-name", NULL, OPTION_TEXT, .field = FIELD(stream_name)},
    {"trace", NULL, OPTION_CALL, .take = take_trace},
    {"export-profile", "o", OPTION_REFUSED_WORD,
     .why = "it is for NVIDIA's visual profiler; use --csv --log-file FILE"},
    {"force-overwrite", "f", OPTION_NOTED, .why = "files are always replaced"},
    {"import-profile", "i", OPTION_REFUSED_WORD,
     .why = "it reads files of NVIDIA's visual profiler; profile the program itself"},
    {"log-file", NULL, OPTION_TEXT, .field = FIELD(log_file)},
    {"help", "h", OPTION_FLAG, .field = FIELD(help)},
    {"version", "V", OPTION_FLAG, .field = FIELD(version)},
#define OWN "backend"
    {OWN, NULL, OPTION_TEXT, .field = FIELD(backend)},
    {"gpu", NULL, OPTION_TEXT, .field = FIELD(gpu)},
    {"export-trace", NULL, OPTION_TEXT, .field = FIELD(export_trace)},
    {"lab-metrics", NULL, OPTION_TEXT, .field = FIELD(lab_metrics)},
    {"lab", NULL, OPTION_TEXT, .field = FIELD(lab)},
    {"steps", NULL, OPTION_TEXT, .field = FIELD(steps)},
    {"lab-table", NULL, OPTION_FLAG, .field = FIELD(lab_table)},
    {"what-if", NULL, OPTION_FLAG, .field = FIELD(what_if)},
    {"source", NULL, OPTION_FLAG, .field = FIELD(source)},
    {"source-format", NULL, OPTION_TEXT, .field = FIELD(source_format)},
};

const struct option_row *options_of_nvprof(size_t index) {
    return strcmp(rows[index].name, OWN) == 0 ? NULL : &rows[index];
}

/* Checks options that need or exclude each other. */
static bool check_together(const struct options *o) {
    const char *why = NULL;
    bool lab = o->lab_metrics || o->lab_table;
    bool times = o->no_gpu || o->no_api || o->api_trace || o->api_summary || o->api_calls ||
                 o->profiler_calls || o->export_trace;
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
    else if (o->no_gpu && (o->gpu_trace || o->gpu_summary))
        why = "--trace api leaves out what --print-gpu-trace and --print-gpu-summary print";
    else if (!o->command[0])
        why = "which program? labprof [options] PROGRAM [ARGUMENTS]";
    if (why) fail_with("%s", why);
    return !why;
}

bool options_parse(struct options *o, int argc, char **argv) {
    memset(o, 0, sizeof *o);
    o->unit = TIME_AUTO;
    const struct option_table table = {rows, sizeof rows / sizeof *rows, .joins_letters = false};
    int program = commandline_walk(&table, o, &o->notes, argc, argv);
    if (program < 0) return false;
    o->command = argv + program;
    /* A single --kernels is for all counts, wherever it stands. */
    for (int i = 0; o->kernels_count == 1 && i < o->list_count; i++) o->lists[i].scope = 0;
    if (o->no_api) o->api_calls = API_NONE;
    bool no_run = o->help || o->version || o->query_metrics || o->query_events;
    return no_run || check_together(o);
}
