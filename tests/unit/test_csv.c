/* Tests of the table reader and writer: what RFC 4180 allows, what ncu mixes in, what must be
 * refused. */
#include <unistd.h>

#include "lib/csv.h"
#include "lib/die.h"
#include "unit.h"

static struct csv *parse(const char *text, const struct csv_format *format) {
    failure[0] = '\0';
    return csv_parse(text, strlen(text), "t.csv", format);
}

TEST(reads_rows_by_header) {
    struct csv *t = parse("a,b\n1,2\r\n\n3,4", &CSV_COMMAS);
    assert_non_null(t);
    assert_int_equal(csv_rows(t), 2);
    assert_int_equal(csv_columns(t), 2);
    assert_string_equal(csv_header(t, 1), "b");
    assert_string_equal(csv_get(t, 0, "b"), "2");
    assert_string_equal(csv_get(t, 1, "a"), "3");
    assert_int_equal(csv_line(t, 1), 4);
    csv_free(t);
}

TEST(reads_bare_quotes) {
    const struct csv_format bare = {',', NULL, false, true};
    struct csv *t =
        parse("\"k\",\"v\"\n\"asm(\"mov %0, 1;\" : \"=r\"(x));\",\"2\"\n\"\",\"\"\n", &bare);
    assert_non_null(t);
    assert_string_equal(csv_at(t, 0, 0), "asm(\"mov %0, 1;\" : \"=r\"(x));");
    assert_string_equal(csv_at(t, 0, 1), "2");
    assert_int_equal(csv_width(t, 1), 2);
    assert_null(parse("\"k\",\"v\"\n\"asm(\"mov\")\",\"2\"\n", &CSV_COMMAS));
    csv_free(t);
}

TEST(reads_quoted_cells) {
    struct csv *t = parse(
        "k,v\n\"f(int*, int*)\",\"say \"\"hi\"\"\"\n\"two\nlines\",\"\"\nlast,x\n", &CSV_COMMAS);
    assert_non_null(t);
    assert_string_equal(csv_at(t, 0, 0), "f(int*, int*)");
    assert_string_equal(csv_at(t, 0, 1), "say \"hi\"");
    assert_string_equal(csv_at(t, 1, 0), "two\nlines");
    assert_string_equal(csv_at(t, 1, 1), "");
    assert_int_equal(csv_line(t, 2), 5);
    csv_free(t);
}

TEST(keeps_empty_cells) {
    struct csv *t = parse("a,b,c\n,,\n1,,3\n", &CSV_COMMAS);
    assert_int_equal(csv_width(t, 0), 3);
    assert_string_equal(csv_get(t, 1, "b"), "");
    assert_string_equal(csv_get(t, 1, "c"), "3");
    csv_free(t);
}

TEST(gives_nothing_outside_the_table) {
    struct csv *t = parse("a,b\n1\n", &CSV_COMMAS);
    assert_string_equal(csv_get(t, 0, "b"), "");
    assert_string_equal(csv_get(t, 0, "c"), "");
    assert_string_equal(csv_at(t, 1, 0), "");
    assert_string_equal(csv_at(t, -1, 0), "");
    assert_int_equal(csv_column(t, "c"), -1);
    assert_int_equal(csv_width(t, 7), 0);
    csv_free(t);
    t = parse("", &CSV_COMMAS);
    assert_int_equal(csv_rows(t), 0);
    assert_int_equal(csv_columns(t), 0);
    csv_free(t);
}

TEST(reads_tabs_and_comments) {
    struct csv *t =
        parse("\xEF\xBB\xBF# about\nname\tunit\n# more, \"here\na, b\tm s\n", &CSV_TABS);
    assert_non_null(t);
    assert_int_equal(csv_rows(t), 1);
    assert_string_equal(csv_get(t, 0, "name"), "a, b");
    assert_string_equal(csv_get(t, 0, "unit"), "m s");
    csv_free(t);
}

TEST(skips_the_messages_of_a_profiler) {
    const struct csv_format quoted = {',', NULL, true, false};
    struct csv *t = parse(
        "==PROF== Connected to \"x\"\n\"ID\",\"n\"\n==PROF== 50%\n\"0\",\"1,024\"\n", &quoted);
    assert_non_null(t);
    assert_int_equal(csv_rows(t), 1);
    assert_string_equal(csv_get(t, 0, "n"), "1,024");
    csv_free(t);
}

TEST(refuses_broken_tables) {
    assert_null(parse("a,b\n1,\"open\n\n", &CSV_COMMAS));
    assert_string_equal(failure, "t.csv:2: a quote is opened and not closed");
    assert_null(parse("a\n\"x\"y\n", &CSV_COMMAS));
    assert_string_equal(failure, "t.csv:2: text follows a closing quote");
    assert_null(csv_parse("a\0b", 3, "t.csv", &CSV_COMMAS));
    assert_non_null(strstr(failure, "NUL"));
    assert_null(csv_read("/no/such/file.csv", &CSV_COMMAS));
    assert_string_equal(failure, "/no/such/file.csv: No such file or directory");
    assert_null(csv_read("/tmp", &CSV_COMMAS));
}

TEST(refuses_too_many_columns) {
    size_t size = CSV_MAX_COLUMNS + 1;
    char *commas = malloc(size);
    memset(commas, ',', size);
    assert_null(csv_parse(commas, size, "wide", &CSV_COMMAS));
    assert_non_null(strstr(failure, "columns"));
    struct csv *t = csv_parse(commas, CSV_MAX_COLUMNS - 1, "wide", &CSV_COMMAS);
    assert_non_null(t);
    assert_int_equal(csv_columns(t), CSV_MAX_COLUMNS);
    csv_free(t);
    free(commas);
}

TEST(survives_every_cut) {
    const char *text = "a,\"b\"\"\"\r\n\"c\nd\",e\r\n\n,\r";
    for (size_t size = 0; size <= strlen(text); size++)
        csv_free(csv_parse(text, size, "cut", &CSV_COMMAS));
}

/* The text that csv_put or csv_put_text writes for a cell. */
static const char *written_by(void (*put)(FILE *, const char *, char), const char *cell,
                              char separator) {
    static char text[128];
    FILE *out = fmemopen(text, sizeof text, "w");
    put(out, cell, separator);
    fclose(out);
    return text;
}

static const char *written(const char *cell, char separator) {
    return written_by(csv_put, cell, separator);
}

TEST(makes_no_formula_of_a_text) {
    static const char *const formulas[] = {"=1+1", "+1",   "-rf",    "@SUM(A1)",
                                           "\t=1", "\r=1", "\uFF1D1"};
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++) {
        char want[64];
        snprintf(want, sizeof want, "\"'%s\"", formulas[i]);
        assert_string_equal(written_by(csv_put_text, formulas[i], ','), want);
    }
    assert_string_equal(written_by(csv_put_text, "=\"x\"", ','), "\"'=\"\"x\"\"\"");
    assert_string_equal(written_by(csv_put_text, "Ann, O'Neil", ','), "\"Ann, O'Neil\"");
    assert_string_equal(written_by(csv_put_text, "a=b", ','), "a=b");
}

TEST(quotes_only_where_needed) {
    assert_string_equal(written("plain", ','), "plain");
    assert_string_equal(written("a,b", ','), "\"a,b\"");
    assert_string_equal(written("a,b", '\t'), "a,b");
    assert_string_equal(written("say \"x\"", ','), "\"say \"\"x\"\"\"");
    assert_string_equal(written("two\nlines", ','), "\"two\nlines\"");
    assert_string_equal(written("#no comment", '\t'), "\"#no comment\"");
}

TEST(reads_large_files) {
    char path[] = "/tmp/test_csv.XXXXXX";
    int fd = mkstemp(path);
    FILE *out = fdopen(fd, "w");
    fputs("n,text\n", out);
    for (int i = 0; i < 30000; i++) fprintf(out, "%d,\"cell, %d\"\n", i, i);
    fclose(out);
    struct csv *t = csv_read(path, &CSV_COMMAS);
    unlink(path);
    assert_non_null(t);
    assert_int_equal(csv_rows(t), 30000);
    assert_string_equal(csv_get(t, 29999, "text"), "cell, 29999");
    csv_free(t);
}
