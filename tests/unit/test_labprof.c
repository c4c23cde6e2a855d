/* Tests of labprof's parts: names, numbers, the table of metrics, filters, sums over launches, the
 * join with a lab's steps. */
#include <math.h>
#include <unistd.h>

#include "labprof/filter.h"
#include "labprof/format.h"
#include "labprof/lab.h"
#include "labprof/metrics.h"
#include "labprof/names.h"
#include "labprof/nested.h"
#include "labprof/options.h"
#include "labprof/output.h"
#include "lib/die.h"
#include "lib/expr.h"
#include "unit.h"

/* ---- Names ---- */

TEST(spells_kernel_names_as_nvprof_does) {
    static const char *const cases[][2] = {
        {"_Z16reduceNeighboredPiS_j", "reduceNeighbored(int*, int*, unsigned int)"},
        {"_Z20reduceCompleteUnrollILj1024EEvPiS0_j",
         "void reduceCompleteUnroll<unsigned int=1024>(int*, int*, unsigned int)"},
        {"_Z1kILi32EfEvPT0_", "void k<int=32, float>(float*)"},
        {"_Z1kILb1ELl5ELm6EEvPKf", "void k<bool=1, long=5, unsigned long=6>(float const *)"},
        {"_Z1kILin3EEvv", "void k<int=-3>()"},
        {"_ZN2ns9vectorAddEPKfS1_Pfi", "ns::vectorAdd(float const *, float const *, float*, int)"},
        {"plain_c_name", "plain_c_name"},
        {"reduceNeighbored(int *, int *, unsigned int)",
         "reduceNeighbored(int*, int*, unsigned int)"},
        {"void k<(unsigned int)1024>(int *, unsigned int)",
         "void k<unsigned int=1024>(int*, unsigned int)"},
        {"void k<(int)4, (bool)1>(const float *)", "void k<int=4, bool=1>(const float*)"},
        {"void k<1024>(int *)", "void k<int=1024>(int*)"},
        {"_Z1kIN12_GLOBAL__N_12OpEEvT_Pi",
         "void k<(anonymous namespace)::Op>((anonymous namespace)::Op, int*)"},
        {"void k<((anonymous namespace)::Mode)2>(int *)",
         "void k<(anonymous namespace)::Mode=2>(int*)"},
        {"_Zbroken", "_Zbroken"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *name = kernel_name(cases[i][0]);
        assert_string_equal(name, cases[i][1]);
        free(name);
    }
}

TEST(strips_names_to_their_base) {
    static const char *const cases[][2] = {
        {"void reduceCompleteUnroll<unsigned int=1024>(int*, int*)", "reduceCompleteUnroll"},
        {"reduceUnroll<2>", "reduceUnroll"},
        {"reduceNeighbored", "reduceNeighbored"},
        {"void a::b::kernel<int=2>(int)", "kernel"},
        {"(anonymous namespace)::kernel(int)", "kernel"},
        {"void (anonymous namespace)::kernel<int=2>(int*)", "kernel"},
        {"void k<(anonymous namespace)::Op>((anonymous namespace)::Op, int*)", "k"},
        {"void <unnamed>::k<<unnamed>::Op>(<unnamed>::Op)", "k"},
        {"std::enable_if<std::is_integral<int>::value, void>::type fill<int>(int*)", "fill"},
        {"std::enable_if<((int)4>(int)2), void>::type ns::fill<int=4>(int*)", "fill"},
        {"decltype ((f)({parm#1})) k<int>(int)", "k"},
        {"void k<int (*)(int)>(int)", "k"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char base[64];
        kernel_base_name(cases[i][0], base, sizeof base);
        assert_string_equal(base, cases[i][1]);
    }
    char small[4];
    kernel_base_name("reduce", small, sizeof small);
    assert_string_equal(small, "red");
}

TEST(reads_dimensions) {
    static const char *const same[] = {"(16384 2 1)", "(16384, 2, 1)", "16384x2", "16384x2x1"};
    unsigned d[3];
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        assert_true(parse_dimensions(same[i], d));
        assert_int_equal(d[0], 16384);
        assert_int_equal(d[1], 2);
        assert_int_equal(d[2], 1);
    }
    assert_false(parse_dimensions("NA", d));
    assert_int_equal(d[0], 0);
    assert_false(parse_dimensions("", d));
}

/* ---- Numbers ---- */

static void assert_value(double value, const char *unit, const char *text, const char *csv) {
    char got[FORMAT_SIZE];
    format_value(value, unit, false, got);
    assert_string_equal(got, text);
    format_value(value, unit, true, got);
    assert_string_equal(got, csv);
}

TEST(formats_values_as_nvprof_does) {
    assert_value(100 * 10 / 12.0, "%", "83.33%", "83.333333%");
    assert_value(0.728469, "0-1", "0.728469", "0.728469");
    assert_value(361.65625, "inst/warp", "361.656250", "361.656250");
    assert_value(16777216, "sectors", "16777216", "16777216");
    assert_value(0, "B/s", "0.00000B/s", "0.000000B/s");
    assert_value(61.836 * (1 << 30), "B/s", "61.836GB/s", "61.836000GB/s");
    assert_value(2.2792 * (1 << 30), "B/s", "2.2792GB/s", "2.279200GB/s");
    assert_value(987.92 * (1 << 20), "B/s", "987.92MB/s", "987.920000MB/s");
    assert_value(1000.0 * (1 << 20), "B/s", "1000.0MB/s", "1000.000000MB/s");
    assert_value(1024.0 * (1 << 20), "B/s", "1.0000GB/s", "1.000000GB/s");
    assert_value(NAN, "%", "NA", "NA");
    assert_value(NAN, "B/s", "NA", "NA");
    assert_value(0.4, "0-10", "Idle (0)", "Idle (0)");
    assert_value(1.2, "0-10", "Low (1)", "Low (1)");
    assert_value(5, "0-10", "Mid (5)", "Mid (5)");
    assert_value(8.9, "0-10", "High (9)", "High (9)");
    assert_value(11, "0-10", "Max (10)", "Max (10)");
}

TEST(formats_times_and_sizes) {
    static const struct {
        double ns;
        enum time_unit unit;
        const char *text;
    } times[] = {{12.948e6, TIME_AUTO, "12.948ms"},
                 {640, TIME_AUTO, "640ns"},
                 {1.11524e9, TIME_AUTO, "1.11524s"},
                 {26016, TIME_AUTO, "26.016us"},
                 {279.125e9, TIME_AUTO, "279.125s"},
                 {999, TIME_AUTO, "999ns"},
                 {34700, TIME_MS, "0.03470ms"},
                 {26016, TIME_NS, "26016ns"},
                 {NAN, TIME_AUTO, "NA"}};
    char got[FORMAT_SIZE];
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        format_time(times[i].ns, times[i].unit, got);
        assert_string_equal(got, times[i].text);
    }
    format_bytes(0, got);
    assert_string_equal(got, "0B");
    format_bytes(1142, got);
    assert_string_equal(got, "1.1152KB");
    format_bytes(4096, got);
    assert_string_equal(got, "4.0000KB");
    format_bytes(NAN, got);
    assert_string_equal(got, "NA");
}

TEST(reads_nvprofs_values_back) {
    assert_true(parse_value("100.00%") == 100);
    assert_true(parse_value("12") == 12);
    assert_true(parse_value("0.5") == 0.5);
    assert_true(parse_value("2.000000GB/s") == 2.0 * (1 << 30));
    assert_true(parse_value("0.00000B/s") == 0);
    assert_true(parse_value("Low (1)") == 1);
    assert_true(isnan(parse_value("")));
    assert_true(isnan(parse_value("<OVERFLOW>")));
    assert_true(isnan(parse_value("3 sheep")));
}

/* ---- The table of metrics ---- */

static struct metrics metrics;
static char folder[] = "/tmp/test_labprof.XXXXXX";

int before_all(void **state) {
    (void)state;
    if (!metrics_read(&metrics, "common/labprof/metrics.tsv")) fail_msg("%s", failure);
    return mkdtemp(folder) ? 0 : -1;
}

int after_all(void **state) {
    (void)state;
    metrics_free(&metrics);
    return 0;
}

/* Every row says what it means, and has a reason where simt has no value. */
TEST(every_metric_is_described) {
    assert_true(metrics.count >= 37);
    for (int i = 0; i < metrics.count; i++) {
        const struct metric *m = &metrics.rows[i];
        assert_true(*m->title && *m->unit && *m->description);
        if (strcmp(m->simt_expression, "NA") == 0 && !*m->simt_note)
            fail_msg("%s is NA on simt without a reason", m->name);
    }
}

static double some_counts(void *context, const char *name) {
    (void)context;
    static const struct {
        const char *name;
        double value;
    } counts[] = {{"branch", 11010048},        {"divergent_branch", 3129344},
                  {"gld_sectors", 16760832},   {"gld_bytes", 134152192},
                  {"gld_requests", 6275072},   {"time_ns", 259648},
                  {"inst_executed", 320},      {"warps_launched", 2},
                  {"dram_read_bytes", 4.8e5},  {"dram_write_bytes", 0},
                  {"dram_peak_bps", 4.8e12},   {"atom_requests", 5},
                  {"atom_sectors", 40},        {"atom_cas_requests", 2},
                  {"red_requests", 3},         {"red_sectors", 24},
                  {"flop_dp_add", 1},          {"flop_dp_mul", 2},
                  {"flop_dp_fma", 10},         {"sms", 132},
                  {"active_cycles", 1000},     {"threads_per_sm", 2048},
                  {"achieved_occupancy", 0.5}, {"l2_read_sectors", 100},
                  {"surf_st_requests", 9},     {"surf_red_requests", 4}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        if (strcmp(counts[i].name, name) == 0) return counts[i].value;
    return 0;
}

/* What the seeds' reduceNeighbored gave on an H200, from its counts. */
TEST(simt_expressions_give_the_known_values) {
    static const struct {
        const char *metric;
        double value, tolerance;
    } known[] = {{"branch_efficiency", 71.58, 0.005},
                 {"gld_efficiency", 25.01, 0.005},
                 {"gld_throughput", 2065668227754.5, 1},
                 {"gld_transactions", 16760832, 0},
                 {"inst_per_warp", 160, 0},
                 {"gld_requested_throughput", 1e9 * 134152192 / 259648, 1},
                 {"atomic_transactions_per_request", 8, 0},
                 {"l2_read_transactions", 164, 0},
                 {"l2_atomic_transactions", 128, 0},
                 {"dram_read_transactions", 15000, 0},
                 {"flop_count_dp", 23, 0},
                 {"ldst_executed", 6275072 + 8, 0},
                 {"surface_store_requests", 5, 0},
                 {"atom_count", 3, 0},
                 {"active_warps", 32.0 * 132 * 1000, 0},
                 {"gst_efficiency", 0, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const struct metric *m = metrics_find(&metrics, known[i].metric);
        double value = -1;
        assert_non_null(m);
        assert_true(expr_eval(m->simt_expression, some_counts, NULL, &value));
        bool right = fabs(value - known[i].value) <= known[i].tolerance;
        if (!right) fail_msg("%s is %.6f, not %.6f", m->name, value, known[i].value);
    }
}

/* ---- The page ---- */

/* Is the text a line of handouts/nvprof.md? */
static bool is_in_page(const char *text) {
    FILE *in = fopen("handouts/nvprof.md", "r");
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    assert_non_null(in);
    while (!found && getline(&line, &room, in) > 0) {
        line[strcspn(line, "\n")] = '\0';
        found = strcmp(line, text) == 0;
    }
    free(line);
    fclose(in);
    return found;
}

/* Its row in the page: `name`, what simt gives, whether ncu has it. */
static void metric_is_in_page(const struct metric *m) {
    char row[512];
    bool simt = strcmp(m->simt_expression, "NA") != 0, ncu = strcmp(m->ncu_expression, "NA") != 0;
    snprintf(row, sizeof row, "| `%s` | %s%s | %s |", m->name,
             simt ? "" : "no: ", *m->simt_note ? m->simt_note : "counted",
             ncu ? "yes" : "no counter");
    if (!is_in_page(row)) fail_msg("handouts/nvprof.md lacks the line\n%s", row);
}

/* All of nvprof's under nvprof's names. */
TEST(the_page_has_every_metric_and_event) {
    int metric_count = 0, given = 0, links = 0, events = 0;
    for (int i = 0; i < metrics.count; i++) {
        const struct metric *m = &metrics.rows[i];
        bool event = m->kind == KIND_EVENT, link = strncmp(m->name, "nvlink_", 7) == 0;
        if (m->kind > KIND_EVENT || !m->nvprof_name || strcmp(m->nvprof_name, m->name) != 0)
            continue;
        metric_is_in_page(m);
        events += event;
        links += link;
        metric_count += !event && !link;
        given += !event && strcmp(m->simt_expression, "NA") != 0;
    }
    assert_int_equal(metric_count, 165); /* NVIDIA's transition table has 163 of them */
    assert_int_equal(links, 18);
    char sentence[128];
    snprintf(sentence, sizeof sentence,
             "simt gives %d of %d metrics and %d events. Links have %d more, of which it has none.",
             given, metric_count, events, links);
    if (!is_in_page(sentence)) fail_msg("handouts/nvprof.md lacks the line\n%s", sentence);
}

/* What the page says of each kind of option. */
static const char *const kind_words[] = {
    [OPTION_FLAG] = "yes",         [OPTION_TEXT] = "yes",
    [OPTION_CALL] = "yes",         [OPTION_NOTED] = "noted",
    [OPTION_NOTED_WORD] = "noted", [OPTION_NOTED_ONLY] = "noted",
    [OPTION_REFUSED] = "refused",  [OPTION_REFUSED_WORD] = "refused",
};

static bool takes_no_word(const struct option_row *row) {
    return row->kind == OPTION_FLAG || row->kind == OPTION_NOTED || row->kind == OPTION_REFUSED;
}

static void option_is_in_page(const struct option_row *row) {
    char line[512], letter[16] = "", only[64] = "";
    if (row->letter) snprintf(letter, sizeof letter, ", `-%s`", row->letter);
    if (row->only) snprintf(only, sizeof only, " `%s`; else refused", row->only + 1);
    snprintf(line, sizeof line, "| `--%s`%s | %s%s | %s |", row->name, letter,
             kind_words[row->kind], only, row->why ? row->why : "");
    if (!is_in_page(line)) fail_msg("handouts/nvprof.md lacks the line\n%s", line);
}

/* The parser does with it what the page says: a note, or a refusal with the reason. */
static void option_does_as_it_says(const struct option_row *row) {
    struct options o;
    char name[64], *argv[] = {"labprof", name, row->only ? "on" : "word", "./p", NULL};
    snprintf(name, sizeof name, "--%s", row->name);
    if (row->only) argv[2] = (char *)row->only + 1;
    if (takes_no_word(row)) argv[2] = "./p";
    bool ok = options_parse(&o, 4, argv);
    if (strcmp(kind_words[row->kind], "noted") == 0 &&
        (!ok || o.notes.count != 1 || !strstr(o.notes.texts[0], row->why)))
        fail_msg("%s: no note", name);
    if (strcmp(kind_words[row->kind], "refused") == 0 && (ok || !strstr(failure, row->why)))
        fail_msg("%s: not refused", name);
    if (row->only) argv[2] = "other";
    if (row->only && options_parse(&o, 4, argv)) fail_msg("%s other: not refused", name);
}

TEST(the_page_has_every_option) {
    int options = 0;
    for (const struct option_row *row; (row = options_of_nvprof((size_t)options)); options++) {
        option_is_in_page(row);
        option_does_as_it_says(row);
    }
    assert_int_equal(options, 71);
}

static double no_branches(void *context, const char *name) {
    (void)context;
    return strcmp(name, "branch") == 0 || strstr(name, "branch") ? 0 : NAN;
}

TEST(a_kernel_without_branches_is_perfectly_uniform) {
    const struct metric *m = metrics_find(&metrics, "branch_efficiency");
    double value = -1;
    assert_true(expr_eval(m->simt_expression, no_branches, NULL, &value));
    assert_true(value == 100);
    assert_true(expr_eval(m->ncu_expression, no_branches, NULL, &value));
    assert_true(value == 100);
}

TEST(picks_metrics_by_name) {
    struct metric_list list = {0};
    assert_true(metrics_pick(&metrics, "gst_efficiency,gld_efficiency,gst_efficiency,branch", false,
                             ~0u, &list));
    assert_int_equal(list.count, 3);
    assert_string_equal(list.items[0]->name, "gst_efficiency");
    assert_true(list.items[2]->kind == KIND_EVENT);
    metrics_list_free(&list);
    assert_true(metrics_pick(&metrics, "all", true, ~0u, &list));
    for (int i = 0; i < list.count; i++) assert_true(list.items[i]->kind == KIND_EVENT);
    assert_true(list.count >= 4);
    metrics_list_free(&list);
}

TEST(refuses_unknown_metrics_by_name) {
    struct metric_list list = {0};
    assert_false(metrics_pick(&metrics, "gld_efficiency,gld_eficiency", false, ~0u, &list));
    assert_string_equal(failure, "unknown metric \"gld_eficiency\"; did you mean gld_efficiency?");
    assert_false(metrics_pick(&metrics, "zzz", true, ~0u, &list));
    assert_string_equal(failure, "unknown event \"zzz\"; --query-events lists those there are");
    assert_false(metrics_pick(&metrics, "", false, ~0u, &list));
    metrics_list_free(&list);
}

/* A table of metrics of one row. */
static bool table_is_refused(const char *row, const char *why) {
    char path[] = "/tmp/test_labprof.XXXXXX";
    FILE *out = fdopen(mkstemp(path), "w");
    fprintf(out,
            "name\tkind\tunit\ttitle\tnvprof_name\tncu_expression\tsimt_expression\tncu_"
            "note\tnvprof_note\tsimt_"
            "note\tdescription\n%s",
            row);
    fclose(out);
    struct metrics m;
    bool ok = metrics_read(&m, path);
    unlink(path);
    if (ok) metrics_free(&m);
    return !ok && strstr(failure, why);
}

TEST(refuses_a_broken_table) {
    assert_true(table_is_refused("a\tthing\t%\tA\t=\t1\t1\t\t\t\td\n", "none of metric, event"));
    assert_true(table_is_refused("a\tmetric\t%\tA\t=\t1 +\t1\t\t\t\td\n", "column"));
    assert_true(table_is_refused("a\tmetric\t%\tA\t=\t1\t(2\t\t\t\td\n", "column"));
    assert_true(table_is_refused(
        "a\tmetric\t%\tA\t=\t1\t2\t\t\t\td\na\tmetric\t%\tA\t=\t1\t2\t\t\t\td\n", "twice"));
}

/* ---- Launches ---- */

static struct sample *add(struct samples *s, const char *kernel, unsigned grid, unsigned block,
                          double value) {
    struct sample *sample = samples_add(s, kernel);
    const unsigned g[3] = {grid, 1, 1}, b[3] = {block, 1, 1};
    memcpy(sample->grid, g, sizeof g);
    memcpy(sample->block, b, sizeof b);
    sample->values[0] = single_value(value);
    return sample;
}

static struct samples three_launches(void) {
    struct samples s = {.value_count = 1};
    add(&s, "_Z1aPi", 10, 32, 1);
    add(&s, "_Z1bPi", 10, 32, NAN);
    add(&s, "_Z1aPi", 20, 32, 4);
    return s;
}

TEST(adds_up_the_launches_of_a_kernel) {
    struct samples s = three_launches();
    struct groups g;
    groups_make(&g, &s);
    assert_int_equal(g.count, 2);
    assert_string_equal(g.items[0].kernel, "a(int*)");
    assert_int_equal(g.items[0].launches, 2);
    assert_true(g.items[0].values[0].min == 1 && g.items[0].values[0].max == 4);
    assert_true(g.items[0].values[0].average == 2.5 && g.items[0].values[0].total == 5);
    assert_true(isnan(g.items[1].values[0].average));
    groups_free(&g);
    samples_free(&s);
}

static int left_by(const char *text) {
    struct samples s = three_launches();
    struct filters f = {0};
    s.items[2].stream = 13;
    s.items[2].device = 1;
    f.context_name = "context %i of mine";
    if (strncmp(text, "device ", 7) == 0)
        f.devices = 1ull << atoi(text + 7);
    else if (!filters_add(&f, text))
        fail_msg("%s", failure);
    filters_apply(&f, &s, false);
    int count = s.count;
    filters_free(&f);
    samples_free(&s);
    return count;
}

TEST(filters_launches) {
    assert_int_equal(left_by("a"), 2);
    assert_int_equal(left_by("^(a|b)$"), 3);
    assert_int_equal(left_by("c"), 0);
    assert_int_equal(left_by("::a:2"), 1);
    assert_int_equal(left_by(":::"), 3);
    assert_int_equal(left_by("1::b:"), 1);
    assert_int_equal(left_by("2:::"), 0);
    assert_int_equal(left_by(":13::"), 1);
    assert_int_equal(left_by(":7:a:"), 1);
    assert_int_equal(left_by("xt 1 of:::"), 3);
    assert_int_equal(left_by("xt 2:::"), 0);
    assert_int_equal(left_by(":^1[0-9]$::"), 1);
    assert_int_equal(left_by("::a:[2-9]"), 1);
    assert_int_equal(left_by("device 0"), 2);
    assert_int_equal(left_by("device 1"), 1);
}

/* Each --kernels is for the metrics after it: here one for a, one for b, and one for all. */
TEST(scopes_metrics_by_kernels) {
    struct samples s = {.value_count = 3};
    struct metric_list wanted = {0};
    struct filters f = {0};
    struct groups g;
    assert_true(metrics_pick(&metrics, "branch", true, ~0u, &wanted));
    assert_true(metrics_pick(&metrics, "ipc,gld_requests", false, 1, &wanted));
    assert_true(metrics_pick(&metrics, "gld_requests", false, 2, &wanted));
    assert_int_equal(wanted.count, 3);
    assert_int_equal(wanted.scopes[2], 3);
    for (int i = 0; i < 3; i++) {
        struct sample *sample = samples_add(&s, i == 1 ? "_Z1bPi" : i == 0 ? "_Z1aPi" : "_Z1cPi");
        for (int m = 0; m < 3; m++) sample->values[m] = single_value(i + 1);
    }
    assert_true(filters_add(&f, "a") && filters_add(&f, "b"));
    s.value_scopes = wanted.scopes;
    filters_apply(&f, &s, true);
    groups_make(&g, &s);
    assert_int_equal(g.count, 3);
    static const int launches[3][3] = {{1, 1, 1}, {1, 0, 1}, {1, 0, 0}};
    for (int i = 0; i < 3; i++)
        for (int m = 0; m < 3; m++) assert_int_equal(g.items[i].values[m].launches, launches[i][m]);
    assert_true(g.items[1].values[2].average == 2);
    groups_free(&g);
    filters_free(&f);
    metrics_list_free(&wanted);
    samples_free(&s);
}

TEST(refuses_wrong_filters) {
    static const char *const wrong[] = {"(", "(::a:1", "::a:[", "::a:0", "::(:"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct filters f = {0};
        if (filters_add(&f, wrong[i])) fail_msg("%s is taken for a filter", wrong[i]);
    }
}

/* ---- A lab's steps ---- */

static const char *in_folder(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *path, const char *text) {
    FILE *out = fopen(path, "w");
    fputs(text, out);
    fclose(out);
}

static void read_file(const char *path, char *text, size_t size) {
    FILE *in = fopen(path, "r");
    text[fread(text, 1, size - 1, in)] = '\0';
    fclose(in);
}

static const char steps_text[] = "lab,step,kernel,grid,block,time_ms,status\n"
                                 "3,0,onCpu,NA,NA,1,ok\n"
                                 "3,1,a,(10 1 1),(32 1 1),1,ok\n"
                                 "3,2,b,(10 1 1),(32 1 1),1,todo\n"
                                 "3,3,a<2>,(20 1 1),(32 1 1),1,ok\n";

TEST(joins_steps_with_launches) {
    struct samples s = three_launches();
    struct lab lab;
    const char *steps = in_folder("run.csv");
    struct lab_before before = lab_look(steps);
    write_file(steps, steps_text);
    assert_true(lab_join(&lab, steps, &before, &s));
    assert_int_equal(lab.count, 2);
    assert_true(lab.steps[0].sample == &s.items[0]);
    assert_true(lab.steps[1].sample == &s.items[2]);
    unlink(steps);
    lab_free(&lab);
    samples_free(&s);
}

TEST(writes_the_metrics_of_steps) {
    struct samples s = three_launches();
    struct metric_list wanted = {0};
    struct lab lab;
    struct lab_before never = {0};
    char text[1024], steps[128];
    strcpy(steps, in_folder("run.csv"));
    write_file(steps, steps_text);
    assert_true(metrics_pick(&metrics, "inst_executed", false, ~0u, &wanted));
    assert_true(lab_join(&lab, steps, &never, &s));
    assert_true(
        lab_write(&lab, in_folder("metrics.csv"), "3", &wanted, "simt", "NVIDIA H200 (simt)"));
    read_file(in_folder("metrics.csv"), text, sizeof text);
    assert_string_equal(
        text, "lab,step,kernel,grid,block,metric,value,unit,backend,device\n"
              "3,1,a,(10 1 1),(32 1 1),inst_executed,1,inst,simt,NVIDIA H200 (simt)\n"
              "3,3,a<2>,(20 1 1),(32 1 1),inst_executed,4,inst,simt,NVIDIA H200 (simt)\n");
    assert_false(lab_write(&lab, "/no/such/folder/m.csv", "3", &wanted, "simt", "d"));
    assert_non_null(strstr(failure, "/no/such/folder/m.csv"));
    unlink(in_folder("metrics.csv"));
    unlink(steps);
    lab_free(&lab);
    metrics_list_free(&wanted);
    samples_free(&s);
}

/* 1 launches 2 and 5, 2 launches 3 and 4; 4 fails; 6 is the host's. A child's row comes before its
 * parent's. */
TEST(counts_nested_launches_by_kernel_and_depth) {
    static const char profile[] =
        "launch,mangled,grid,block,status,parent\n"
        "3,_Z1bPi,(2 1 1),(32 1 1),ok,2\n4,_Z1bPi,(2 1 1),(32 1 1),cudaErrorAssert,2\n"
        "2,_Z1aPi,(1 1 1),(4 1 1),ok,1\n5,_Z1aPi,(1 1 1),(8 1 1),ok,1\n"
        "1,_Z1aPi,(1 1 1),(1 1 1),ok,0\n6,_Z1bPi,(1 1 1),(1 1 1),ok,0\n";
    struct samples s = {.value_count = 0};
    struct csv *table = csv_parse(profile, strlen(profile), "profile", &CSV_COMMAS);
    assert_non_null(samples_add(&s, "_Z1aPi"));
    assert_non_null(samples_add(&s, "_Z1bPi"));
    s.items[1].number = 6;
    nested_count(table, &s, 0);
    const struct nested_launches *nested = s.items[0].nested;
    assert_int_equal(s.items[0].nested_count, 2);
    assert_string_equal(nested[0].kernel, "a");
    assert_true(nested[0].depth == 1 && nested[0].grids == 2 && nested[0].threads == 12);
    assert_string_equal(nested[1].kernel, "b");
    assert_true(nested[1].depth == 2 && nested[1].grids == 1 && nested[1].threads == 64);
    assert_int_equal(s.items[1].nested_count, 0);
    csv_free(table);
    samples_free(&s);
}

TEST(wants_the_steps_of_this_run) {
    struct samples s = three_launches();
    struct lab lab;
    const char *steps = in_folder("old.csv");
    struct lab_before before = lab_look(steps);
    assert_false(lab_join(&lab, steps, &before, &s));
    assert_non_null(strstr(failure, "did not write"));
    write_file(steps, steps_text);
    before = lab_look(steps);
    assert_false(lab_join(&lab, steps, &before, &s));
    write_file(steps, "lab,step,kernel,grid,block,time_ms,status\n3,1,a,(11 1 1),(32 1 1),1,ok\n");
    assert_false(lab_join(&lab, steps, &before, &s));
    assert_non_null(strstr(failure, "no launch matches"));
    unlink(steps);
    samples_free(&s);
}

/* ---- Where output goes ---- */

TEST(expands_the_name_of_a_log) {
    struct output o;
    char pattern[128], path[128];
    setenv("TEST_LABPROF_WORD", "w", 1);
    snprintf(pattern, sizeof pattern, "%s/%%p-%%q{TEST_LABPROF_WORD}-100%%%%", folder);
    snprintf(path, sizeof path, "%s/77-w-100%%", folder);
    assert_true(output_open(&o, "--log-file", pattern, 77, false));
    fprintf(o.file, "text");
    assert_int_not_equal(access(path, F_OK), 0);
    assert_true(output_commit(&o));
    assert_int_equal(access(path, F_OK), 0);
    unlink(path);
    assert_false(output_open(&o, "--log-file", "/tmp/%z", 77, false));
    assert_false(output_open(&o, "--log-file", "/tmp/%q{TEST", 77, false));
    assert_false(output_open(&o, "--log-file", "/no/such/folder/log", 77, false));
}

TEST(drops_a_log) {
    struct output o;
    char path[128];
    strcpy(path, in_folder("log"));
    write_file(path, "old");
    assert_true(output_open(&o, "--log-file", path, 1, false));
    fprintf(o.file, "half");
    output_drop(&o);
    char text[16];
    read_file(path, text, sizeof text);
    assert_string_equal(text, "old");
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

/* ---- Options ---- */

static bool parse(struct options *o, const char *line) {
    static char copy[256], *words[32];
    int count = 0;
    snprintf(copy, sizeof copy, "labprof %s", line);
    for (char *rest = copy, *word; (word = strsep(&rest, " "));)
        if (*word) words[count++] = word;
    words[count] = NULL;
    return options_parse(o, count, words);
}

TEST(takes_nvprofs_options) {
    struct options o;
    assert_true(
        parse(&o, "--metrics a,b -e c --csv -u ms --log-file f --kernels k ./prog --metrics x"));
    assert_int_equal(o.list_count, 2);
    assert_string_equal(o.lists[0].names, "a,b");
    assert_true(o.lists[1].events && o.csv && o.unit == TIME_MS);
    assert_string_equal(o.command[0], "./prog");
    assert_string_equal(o.command[2], "x");
    assert_true(parse(&o, "--metrics=all --print-gpu-trace --devices 0 -- ./prog"));
    assert_string_equal(o.lists[0].names, "all");
    assert_string_equal(o.command[0], "./prog");
    assert_true(parse(
        &o,
        "--print-api-trace --print-summary --export-trace t.json --profile-api-trace none ./prog"));
    assert_true(o.api_trace && o.summary && o.api_calls == API_NONE && !o.profiler_calls &&
                !o.gpu_trace);
    assert_string_equal(o.export_trace, "t.json");
    assert_true(parse(&o, "--profile-from-start=off --profile-api-trace all ./prog"));
    assert_true(o.profiler_calls && o.api_calls == API_ALL);
    assert_true(parse(&o, "--help"));
    assert_true(parse(&o, "--query-metrics"));
}

TEST(refuses_wrong_options) {
    struct options o;
    static const char *const wrong[] = {
        "",
        "--metrics",
        "--metrics a",
        "--nonsense ./p",
        "-z ./p",
        "-o file ./p",
        "--print-api-trace -m a ./p",
        "--export-trace t -e a ./p",
        "--profile-api-trace x ./p",
        "--profile-from-start ./p",
        "-u year ./p",
        "--devices x ./p",
        "--trace cpu ./p",
        "--trace api --print-gpu-trace ./p",
        "--timeout 0 ./p",
        "--demangling maybe ./p",
        "--csv=on ./p",
        "--aggregate-mode off ./p",
        "--lab-metrics f ./p",
        "--lab-metrics f --steps s --metrics a ./p",
        "--lab 3 ./p",
        "--lab-table --steps s ./p",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        failure[0] = '\0';
        if (parse(&o, wrong[i]) || !*failure)
            fail_msg("labprof %s is accepted, or refused without a word", wrong[i]);
    }
}
