/* test_answers.c: reading a student's answers.md, and the questions in a lab's source. */
#include "lib/answers.h"
#include "lib/linediff.h"
#include "lib/questions.h"
#include "unit.h"

TEST(reads_predictions_and_answers) {
    struct answers answers;
    answers_parse(&answers, "# Lab 3\n\nwords\n\n## first\n\n> Why?\n\n- x before: 1.7 \r\n- "
                            "ipc:\n\nAnswer: it adds\n\n"
                            "- and: waits\n## Two words\n\n## second\n");
    assert_int_equal(answers.n, 2);
    const struct answer *first = answers_of(&answers, "first");
    assert_int_equal(first->line, 5);
    assert_int_equal(first->predictions_n, 2);
    assert_string_equal(answer_prediction(first, "x before"), "1.7");
    assert_string_equal(answer_prediction(first, "ipc"), "");
    assert_string_equal(answer_prediction(first, "time_ms"), "");
    assert_string_equal(first->text, "it adds\n\n- and: waits\n## Two words");
    assert_string_equal(answers_of(&answers, "second")->text, "");
    assert_null(answers_of(&answers, "third"));
    answers_free(&answers);
}

TEST(nothing_in_a_file_is_an_error) {
    static const char *const texts[] = {
        "", "##", "## ", "- x: 1", "## a\nno mark\n", "## a\n- : 1\n- x\n-\n", "## a\n\xff\n"};
    static const char *const wanted[] = {NULL, NULL, NULL, NULL, "no mark", "- x\n-", "%FF"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct answers answers;
        answers_parse(&answers, texts[i]);
        assert_int_equal(answers.n, wanted[i] != NULL);
        if (wanted[i] != NULL) assert_string_equal(answers.items[0].text, wanted[i]);
        answers_free(&answers);
    }
}

TEST(more_than_fits_is_left_out) {
    static char text[200 * 32];
    struct answers answers;
    for (int i = 0; i < 200; i++)
        sprintf(text + strlen(text), i < 100 ? "## step%d\n" : "- q%d: 1\n", i);
    answers_parse(&answers, text);
    assert_int_equal(answers.n, SOURCE_MAX_REGIONS);
    answers_free(&answers);
}

TEST(numbers_of_predictions) {
    static const struct {
        const char *text;
        double number;
    } right[] = {{"1.7", 1.7}, {"~ 900 GB/s", 900}, {"1,7", 1.7},
                 {"98 %", 98}, {"-2x", -2},         {"= 1e3", 1000}};
    static const char *const wrong[] = {"", "two", "1/2", "nan", "inf", "1,000,000"};
    double number;
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        assert_true(prediction_number(right[i].text, &number));
        assert_true(number == right[i].number);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(prediction_number(wrong[i], &number));
}

TEST(questions_of_a_source) {
    struct source source;
    struct questions questions;
    const char *text =
        "/* ---- Step 1 ----\n *\n *   a drawing\n *\n * Question: how\n * many? Metric: ipc\n */\n"
        "template <class T>\n__global__ void first(T *x) {\n}\n"
        "/* ---- Step 2 ----\n *\n * Question: why?\n */\nstatic int second(int x) {\n    x++;\n}\n"
        "static const LabStep STEPS[] = {\n    {\"first\", \"a\"},\n    {\"none\", \"b\"},\n    "
        "{\"second\", \"c\"},\n};\n";
    assert_true(source_parse(&source, text, "lab.cu"));
    questions_find(&questions, &source);
    assert_int_equal(questions.n, 2);
    assert_string_equal(questions.items[0].text, "how many?");
    assert_string_equal(questions.items[0].metric, "ipc");
    assert_int_equal(questions.items[0].begin, 7);
    assert_int_equal(questions.items[0].end, 10);
    assert_string_equal(questions.items[1].text, "why?");
    assert_string_equal(questions.items[1].metric, "");
    questions_free(&questions);
    source_free(&source);
}

static void note_pair(void *text, const char *left, const char *right) {
    strcat(text, right == NULL ? "-" : left == NULL ? "+" : "=");
}

TEST(lines_in_common) {
    char *a[] = {"one", "  two", "three"}, *b[] = {"one", "two ", "2a", "four"}, text[16] = "";
    linediff_walk((struct slice){a, 3}, (struct slice){b, 4}, note_pair, text);
    assert_string_equal(text, "==-++");
    assert_true(linediff_same((struct slice){a, 2}, (struct slice){b, 2}));
}
