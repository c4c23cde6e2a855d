/* claimed.c: checks that the handouts' statements about devices and kernels have claims.
 *
 *     claimed --claims handouts/claims.tsv [--list] PAGE.md...
 *
 * A sentence about a device, or one that compares kernels, has a mark in it or right behind it. Rendered pages do not
 * show it:
 *
 *     <!--claim: unroll8-dram unroll8-speedup-->   rows of claims.tsv with the page's lab and these ids;
 *                                                  `make claims` evaluates them
 *     <!--tested: tests/labs/lab5.bats: NAME-->    a test with this name in this file checks it
 *     <!--cited: Harris 2007-->                    a document about a device that is not at hand
 *     <!--rule: so is the numbering defined-->     it follows from the text's arithmetic or CUDA's rules
 *
 * Questions, headings, code, and numbers that `handout` fills in need no mark. Other sentences, captions of pictures
 * and rows of typed tables need one if they have
 *
 *   - a number with a unit of UNITS (12 GB/s, 30 %, 4 sectors); or
 *   - a typed number, and the name of a device (DEVICES); or
 *   - a word of COMPARISONS, and a device, a step, or a kernel or metric of claims.tsv; or
 *   - the simulator's name, and a word of LIMITS.
 *
 * The devices of DEVICES are at hand: a sentence about one needs more than a `rule`, and its `cited` has to name a file
 * of the project. --list prints each sentence with a reason or a mark. Prints what is missing, a line each, and a
 * summary. Exit code 0: every sentence that needs a mark has one, every mark its claim, and every claim a sentence; 1:
 * something is missing; 2: a bad call or file. */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <regex.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/csv.h"
#include "lib/die.h"
#include "lib/memory.h"
#include "lib/printed.h"

enum { EXIT_MISSING = 1, EXIT_USAGE = 2, MESSAGE = 512, NAME = 64, SHOWN = 110 };

#define NUMBER "(^|[^A-Za-z0-9_.^`<(-])[0-9][0-9]*([ .,][0-9]+)*"
static const char UNITS[] = NUMBER " ?(%|(GB/s|TB/s|GFLOP/s|ms|µs|ns|times|clocks?|cycles?|instructions?|sectors?|"
                                   "conflicts?|passes|pass)([^A-Za-z]|$))";
static const char TYPED[] = NUMBER "([^0-9A-Za-z]|$)";
static const char DEVICES[] = "H200|simt|GTX|RTX|simulator";
static const char SIMULATOR[] = "simt|simulator";
static const char COMPARISONS[] =
    "\\<(faster|fastest|slower|slowest|fewer|fewest|less|more|most|longer|shorter|higher|lower|better|best|worse|worst|"
    "half|twice|N times|equal|alike|neither|hardly|falls?|rises?|pays?)\\>|the same([:,.]| as | in | time)";
/* Numbers that name something. */
static const char NUMBERED[] =
    "(steps?|labs?|CUDA|[Cc]apability|depth|[Aa]t|[Ss]tride) [0-9.]+((,| and| to| or) [0-9]+)*";
static const char STEPS[] =
    "\\<(steps? [0-9]+|(this|last|first|next|other|before|five|six|three|seven) (steps?|kernels?))\\>";
static const char LIMITS[] = "\\<(not|no|nor|never|neither|only|all|every|always|cannot|exact|exactly)\\>";

/* The kinds of marks, in the order of `kinds` below. */
enum kind { CLAIM, TESTED, CITED, RULE, KINDS };
static const char *const kinds[KINDS] = {"claim:", "tested:", "cited:", "rule:"};

struct patterns {
    regex_t units, typed, numbered, devices, simulator, comparisons, steps, limits;
};

struct check {
    struct csv *claims;
    bool *used; /* by row of claims */
    struct patterns patterns;
    bool list;            /* print each sentence that needs a mark, with it */
    int missing;          /* what is wrong */
    int pages, sentences; /* sentences that need a mark */
    int marks[KINDS], numbers;
};

/* One sentence: its text without marks, and the marks. */
struct sentence {
    const char *page;
    char lab[NAME];
    int line;
    char *text, *marks;
};

__attribute__((format(printf, 3, 4))) static void complain(struct check *check, const struct sentence *sentence,
                                                           const char *format, ...) {
    va_list args;
    check->missing++;
    printf("%s:%d: ", sentence->page, sentence->line);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf(": \"%.*s%s\"\n", SHOWN, sentence->text, strlen(sentence->text) > SHOWN ? "..." : "");
}

static void compile(regex_t *pattern, const char *text) {
    int error = regcomp(pattern, text, REG_EXTENDED | REG_ICASE);
    char message[MESSAGE];
    if (error == 0) return;
    regerror(error, pattern, message, sizeof message);
    die(EXIT_USAGE, "%s: %s", text, message);
}

static bool has(const regex_t *pattern, const char *text) {
    return regexec(pattern, text, 0, NULL, 0) == 0;
}

/* ---- Marks ---- */

/* Is this name in the text as a whole word? */
static bool has_name(const char *text, const char *name) {
    size_t length = strlen(name);
    for (const char *at = strstr(text, name); length > 3 && at != NULL; at = strstr(at + 1, name)) {
        bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (begins && !(isalnum((unsigned char)at[length]) || at[length] == '_')) return true;
    }
    return false;
}

/* Does the sentence name a kernel (with any arguments) or a metric of this lab's claims? */
static bool names_subject(const struct check *check, const struct sentence *sentence) {
    char step[NAME];
    for (int row = 0; row < csv_rows(check->claims); row++) {
        if (strcmp(csv_get(check->claims, row, "lab"), sentence->lab) != 0) continue;
        if (has_name(sentence->text, csv_get(check->claims, row, "metric"))) return true;
        const char *name = strrchr(csv_get(check->claims, row, "step"), '.');
        snprintf(step, sizeof step, "%s", name == NULL ? csv_get(check->claims, row, "step") : name + 1);
        step[strcspn(step, "(@")] = '\0';
        if (has_name(sentence->text, step)) return true;
    }
    return false;
}

/* Marks the rows with this id as used. False if there is none. */
static bool use_claim(struct check *check, const struct sentence *sentence, const char *id) {
    bool found = false;
    for (int row = 0; row < csv_rows(check->claims); row++) {
        if (strcmp(csv_get(check->claims, row, "lab"), sentence->lab) != 0) continue;
        if (strcmp(csv_get(check->claims, row, "id"), id) == 0) found = check->used[row] = true;
    }
    return found;
}

static void check_ids(struct check *check, const struct sentence *sentence, char *ids) {
    char *rest = NULL, *id = strtok_r(ids, " ", &rest);
    if (id == NULL) complain(check, sentence, "a mark without an id");
    for (; id != NULL; id = strtok_r(NULL, " ", &rest))
        if (!use_claim(check, sentence, id))
            complain(check, sentence, "claims.tsv has no claim %s of lab %s", id, sentence->lab);
}

/* "FILE: NAME": is there a test with that name in that file? */
static void check_test(struct check *check, const struct sentence *sentence, char *words) {
    char *name = strstr(words, ": "), *line = NULL;
    size_t size = 0;
    bool found = false;
    if (name != NULL) {
        *name = '\0';
        name += 2;
    }
    FILE *file = name == NULL ? NULL : fopen(words, "r");
    while (file != NULL && !found && getline(&line, &size, file) > 0)
        found = strncmp(line, "@test \"", 7) == 0 && strncmp(line + 7, name, strlen(name)) == 0;
    if (file != NULL) fclose(file);
    free(line);
    if (!found) complain(check, sentence, "no such test: %s: %s", words, name == NULL ? "" : name);
}

/* For a device at hand, the source's first word has to be a file of the project. */
static void check_source(struct check *check, const struct sentence *sentence, char *words) {
    if (*words == '\0') complain(check, sentence, "a mark without a source");
    if (!has(&check->patterns.devices, sentence->text)) return;
    words[strcspn(words, " :,")] = '\0';
    if (access(words, R_OK) != 0)
        complain(check, sentence, "about a device at hand, and no file of the project: %s", words);
}

/* Checks the marks of a sentence: lines "kind: words". */
static void check_marks(struct check *check, const struct sentence *sentence) {
    char *rest = NULL, *marks = need(strdup(sentence->marks));
    for (char *mark = strtok_r(marks, "\n", &rest); mark != NULL; mark = strtok_r(NULL, "\n", &rest)) {
        enum kind kind = CLAIM;
        while (kind < KINDS && strncmp(mark, kinds[kind], strlen(kinds[kind])) != 0) kind++;
        char *words = mark + strlen(kinds[kind]);
        while (*words == ' ') words++;
        check->marks[kind]++;
        if (kind == CLAIM) check_ids(check, sentence, words);
        if (kind == TESTED) check_test(check, sentence, words);
        if (kind == CITED) check_source(check, sentence, words);
        if (kind == RULE && (*words == '\0' || has(&check->patterns.devices, sentence->text)))
            complain(check, sentence, "it names a device at hand, so a rule is not enough");
    }
    free(marks);
}

/* ---- Sentences ---- */

/* Has the text a typed number that is not the name of a step or the like? */
static bool has_number(const struct patterns *patterns, const char *text) {
    char *copy = need(strdup(text));
    regmatch_t match;
    while (regexec(&patterns->numbered, copy, 1, &match, 0) == 0)
        memmove(copy + match.rm_so, copy + match.rm_eo, strlen(copy + match.rm_eo) + 1);
    bool found = has(&patterns->typed, copy);
    free(copy);
    return found;
}

/* Why the sentence needs a mark; NULL if it needs none. */
static const char *reason(const struct check *check, const struct sentence *sentence) {
    const struct patterns *patterns = &check->patterns;
    const char *text = sentence->text;
    size_t length = strlen(text);
    while (length > 0 && strchr(" )*\"_", text[length - 1]) != NULL) length--;
    if (length > 0 && text[length - 1] == '?') return NULL;
    if (has(&patterns->units, text)) return "a number with a unit";
    bool device = has(&patterns->devices, text);
    if (device && has_number(patterns, text)) return "a number about a device";
    bool subject = device || has(&patterns->steps, text) || names_subject(check, sentence);
    if (subject && has(&patterns->comparisons, text)) return "a comparison";
    if (has(&patterns->simulator, text) && has(&patterns->limits, text)) return "what the simulator does";
    return NULL;
}

static void check_sentence(struct check *check, const struct sentence *sentence) {
    const char *why = reason(check, sentence);
    check->sentences += why != NULL;
    if (check->list && (why != NULL || *sentence->marks != '\0'))
        printf("%s:%d: %s\n    %s\n    %s", sentence->page, sentence->line, why == NULL ? "nothing" : why,
               sentence->text, *sentence->marks == '\0' ? "no mark\n" : sentence->marks);
    if (why != NULL && *sentence->marks == '\0') complain(check, sentence, "no claim for %s", why);
    check_marks(check, sentence);
}

/* The end of the comments that begin here or after blanks; the text itself if there are none. */
static const char *skip_comments(const char *text) {
    static const char OPEN[] = "<!--", END[] = "-->";
    for (const char *next = text + strspn(text, " "); strncmp(next, OPEN, sizeof OPEN - 1) == 0;
         next = text + strspn(text, " ")) {
        const char *end = strstr(next, END);
        text = end == NULL ? next + strlen(next) : end + sizeof END - 1;
    }
    return text;
}

/* The end of the sentence that begins here, with its marks. A full stop before a small letter belongs to an
 * abbreviation, unless a mark or `simt` follows. */
static const char *sentence_end(const char *text) {
    while (*text != '\0') {
        const char *end = *text == '<' ? skip_comments(text) : text;
        if (end > text) {
            text = end;
            continue;
        }
        if (strchr(".!?", *text++) == NULL) continue;
        end = text + strspn(text, ")\"*`");
        const char *behind = skip_comments(end), *next = behind + strspn(behind, " ");
        if (behind > end) return behind;
        if ((*end == '\0' || *end == ' ') && (!islower((unsigned char)*next) || strncmp(next, "simt", 4) == 0))
            return end;
    }
    return text;
}

/* Splits a sentence into text and marks. Drops other comments. */
static void split_marks(const char *from, const char *to, char *text, char *marks) {
    static const char OPEN[] = "<!--", END[] = "-->";
    while (from < to) {
        const char *end = strncmp(from, OPEN, sizeof OPEN - 1) == 0 ? strstr(from, END) : NULL;
        if (end == NULL) {
            *text++ = *from++;
            continue;
        }
        const char *inside = from + sizeof OPEN - 1;
        for (int kind = 0; kind < KINDS; kind++)
            if (strncmp(inside, kinds[kind], strlen(kinds[kind])) == 0)
                marks += sprintf(marks, "%.*s\n", (int)(end - inside), inside);
        from = end + sizeof END - 1;
    }
    *text = *marks = '\0';
}

/* Checks the sentences of a paragraph. Its lines are joined by blanks; `lengths` has the length of each. */
static void check_paragraph(struct check *check, const char *page, const char *lab, const char *paragraph, int line,
                            const size_t *lengths) {
    const char *at = paragraph, *line_end = paragraph + *lengths;
    size_t size = strlen(paragraph);
    char *text = need(malloc(size + 1)), *marks = need(malloc(size + 1));
    while (*(at += strspn(at, " ")) != '\0') {
        const char *end = sentence_end(at);
        while (at > line_end) {
            line++;
            line_end += *++lengths;
        }
        struct sentence sentence = {.page = page, .line = line, .text = text, .marks = marks};
        snprintf(sentence.lab, sizeof sentence.lab, "%s", lab);
        split_marks(at, end, text, marks);
        check_sentence(check, &sentence);
        at = end;
    }
    free(text);
    free(marks);
}

/* ---- Pages ---- */

/* Replaces each number and word that `handout` fills in by an N, in place, and counts them. */
static void hide_filled(struct check *check, char *line) {
    static const char OPEN[] = "<!--", END[] = "-->", CLOSE[] = "<!--/-->";
    for (char *at = line; (at = strstr(at, OPEN)) != NULL;) {
        bool number = at[sizeof OPEN - 1] == '=', word = at[sizeof OPEN - 1] == '@';
        char *end = strstr(at, word ? CLOSE : END);
        if (end == NULL || !(number || word)) {
            at += sizeof OPEN - 1;
            continue;
        }
        end += strlen(word ? CLOSE : END);
        while (number && at > line && strchr("0123456789.-", at[-1]) != NULL) at--; /* the number stands before it */
        *at++ = 'N';
        memmove(at, end, strlen(end) + 1);
        check->numbers++;
    }
}

/* The lines of the present paragraph. */
struct paragraph {
    char *text;
    size_t lengths[MESSAGE];
    int lines, first;
};

static void end_paragraph(struct check *check, const char *page, const char *lab, struct paragraph *paragraph) {
    if (paragraph->lines > 0) check_paragraph(check, page, lab, paragraph->text, paragraph->first, paragraph->lengths);
    paragraph->lines = 0;
    free(paragraph->text);
    paragraph->text = NULL;
}

static void add_line(struct paragraph *paragraph, const char *line, int number) {
    size_t old = paragraph->text == NULL ? 0 : strlen(paragraph->text), length = strlen(line);
    if (paragraph->lines == MESSAGE) die(EXIT_USAGE, "line %d: a paragraph of more than %d lines", number, MESSAGE);
    if (paragraph->lines == 0) paragraph->first = number;
    paragraph->text = need(realloc(paragraph->text, old + length + 2));
    sprintf(paragraph->text + old, "%s ", line);
    paragraph->lengths[paragraph->lines++] = length + 1;
}

/* Kinds of lines in Markdown. */
enum line { TEXT, BLANK, HEADING, ROW, ITEM, FENCE, FILLED_TABLE };

static enum line line_kind(const char *line) {
    const char *word = line + strspn(line, " ");
    if (*word == '\0') return BLANK;
    if (strncmp(word, "```", 3) == 0) return FENCE;
    if (strncmp(word, "<!--table ", 10) == 0) return FILLED_TABLE;
    if (*line == '#') return HEADING;
    if (*word == '|') return ROW;
    if (strncmp(word, "- ", 2) == 0 || strncmp(word, "![", 2) == 0) return ITEM;
    size_t digits = strspn(word, "0123456789");
    return digits > 0 && strncmp(word + digits, ". ", 2) == 0 ? ITEM : TEXT;
}

/* "lab3.md" is about lab 3, "simulator.md" about the simulator. */
static void page_lab(const char *page, char *lab, size_t size) {
    const char *name = strrchr(page, '/');
    name = name == NULL ? page : name + 1;
    if (strncmp(name, "lab", 3) == 0) name += 3;
    snprintf(lab, size, "%.*s", (int)strcspn(name, "."), name);
}

static void check_page(struct check *check, const char *page) {
    FILE *file = fopen(page, "r");
    char *line = NULL, lab[NAME];
    size_t size = 0;
    ssize_t length;
    bool code = false, table = false;
    enum line before = BLANK;
    struct paragraph paragraph = {0};
    if (file == NULL) die(EXIT_USAGE, "%s: %s", page, strerror(errno));
    page_lab(page, lab, sizeof lab);
    for (int number = 1; (length = getline(&line, &size, file)) > 0; number++) {
        line[strcspn(line, "\r\n")] = '\0';
        enum line kind = line_kind(line);
        bool header = kind == ROW && before != ROW; /* of a table */
        before = kind;
        if (table || kind == FILLED_TABLE) {
            end_paragraph(check, page, lab, &paragraph);
            table = strstr(line, "<!--/-->") == NULL;
            continue;
        }
        if (code || kind != TEXT) end_paragraph(check, page, lab, &paragraph);
        if (kind == FENCE) code = !code;
        if (code || kind == FENCE || kind == BLANK || kind == HEADING || header || strstr(line, "|---") != NULL)
            continue;
        hide_filled(check, line);
        if (strncmp(line, "<!--", 4) == 0)
            die(EXIT_USAGE, "%s:%d: a mark begins the line, which Markdown takes for HTML", page, number);
        add_line(&paragraph, line, number);
    }
    end_paragraph(check, page, lab, &paragraph);
    check->pages++;
    free(line);
    fclose(file);
}

/* Reports the claims about these pages that no sentence has. */
static void check_unused(struct check *check, int pages, char *const *page) {
    char lab[NAME];
    for (int row = 0; row < csv_rows(check->claims); row++) {
        for (int i = 0; i < pages && !check->used[row]; i++) {
            page_lab(page[i], lab, sizeof lab);
            if (strcmp(csv_get(check->claims, row, "lab"), lab) != 0) continue;
            printf("claims.tsv:%d: no sentence of %s carries %s\n", csv_line(check->claims, row), page[i],
                   csv_get(check->claims, row, "id"));
            check->missing++;
            break;
        }
    }
}

static void compile_all(struct patterns *patterns) {
    compile(&patterns->units, UNITS);
    compile(&patterns->typed, TYPED);
    compile(&patterns->numbered, NUMBERED);
    compile(&patterns->devices, DEVICES);
    compile(&patterns->simulator, SIMULATOR);
    compile(&patterns->comparisons, COMPARISONS);
    compile(&patterns->steps, STEPS);
    compile(&patterns->limits, LIMITS);
}

static void free_all(struct check *check) {
    regex_t *patterns[] = {&check->patterns.units,   &check->patterns.typed,     &check->patterns.numbered,
                           &check->patterns.devices, &check->patterns.simulator, &check->patterns.comparisons,
                           &check->patterns.steps,   &check->patterns.limits};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) regfree(patterns[i]);
    csv_free(check->claims);
    free(check->used);
}

static void read_claims(struct check *check, const char *path) {
    char error[MESSAGE];
    check->claims = csv_read(path, &CSV_TABS, error, sizeof error);
    if (check->claims == NULL) die(EXIT_USAGE, "%s", error);
    if (csv_column(check->claims, "id") < 0 || csv_column(check->claims, "lab") < 0)
        die(EXIT_USAGE, "%s: has no columns lab and id", path);
    check->used = need(calloc((size_t)csv_rows(check->claims) + 1, sizeof *check->used));
}

/* ---- Command line ---- */

struct call {
    const char *claims;
    bool list;
    char **pages;
    int pages_n;
};

static const struct argp_option OPTIONS[] = {
    {"claims", 'c', "FILE", 0, "The claims, such as handouts/claims.tsv", 0},
    {"list", 'l', NULL, 0, "Print each sentence that needs a mark, with its mark", 0},
    {0}};

static error_t take(int key, char *value, struct argp_state *state) {
    struct call *call = state->input;
    switch (key) {
    case 'c': call->claims = value; return 0;
    case 'l': call->list = true; return 0;
    case ARGP_KEY_ARGS:
        call->pages = state->argv + state->next;
        call->pages_n = state->argc - state->next;
        return 0;
    case ARGP_KEY_END:
        if (call->claims == NULL || call->pages_n == 0) argp_error(state, "give --claims FILE and a page");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp ARGP = {
    .options = OPTIONS,
    .parser = take,
    .args_doc = "PAGE.md...",
    .doc = "Check that what the handouts say about devices and kernels has a claim behind it."};

int main(int argc, char **argv) {
    printed_check_at_exit();
    argp_err_exit_status = EXIT_USAGE;
    struct call call = {.pages_n = 0};
    argp_parse(&ARGP, argc, argv, 0, NULL, &call);
    struct check check = {.list = call.list};
    read_claims(&check, call.claims);
    compile_all(&check.patterns);
    for (int i = 0; i < call.pages_n; i++) check_page(&check, call.pages[i]);
    check_unused(&check, call.pages_n, call.pages);
    printf(
        "# %d pages, %d numbers filled in; %d sentences need a mark; %d marks claim, %d tested, %d cited, %d rule; %d "
        "things are wrong\n",
        check.pages, check.numbers, check.sentences, check.marks[CLAIM], check.marks[TESTED], check.marks[CITED],
        check.marks[RULE], check.missing);
    free_all(&check);
    return check.missing == 0 ? 0 : EXIT_MISSING;
}
