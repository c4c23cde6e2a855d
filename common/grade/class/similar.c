/* similar.c: see similar.h.
 *
 * A text becomes a string with one byte for each token. A run is RUN tokens of it, compared by its
 * hash. A run that many texts have is usual: the task, the lecture's text or the language leads
 * there. As in MOSS (Schleimer, Wilkerson and Aiken, "Winnowing", 2003) it does not count. The
 * unusual tokens of a text are those in its other runs. */
#include "similar.h"

#include "guard/lex.h"
#include "lib/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A run is usual if more texts than FEW have it. */
enum { RUN = 24, LEAST_PERCENT = 80, FEW = 10 };

/* ---- Tokens ---- */

/* Bytes for tokens other than signs, which stand for themselves. Keywords follow. */
enum { NAME = 128, NUMBER, LITERAL, DIRECTIVE, LAUNCH, OTHER, KEYWORD };

static unsigned char code_of_name(const struct token *token) {
    static const char *const keywords[] = {"if",   "else",   "for",   "while",    "do",
                                           "case", "switch", "break", "continue", "return"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (token_is(token, keywords[i])) return (unsigned char)(KEYWORD + i);
    return NAME;
}

static unsigned char code_of(const struct token *token) {
    switch (token->kind) {
    case TOKEN_NAME: return code_of_name(token);
    case TOKEN_NUMBER: return NUMBER;
    case TOKEN_TEXT: return LITERAL;
    case TOKEN_DIRECTIVE: return DIRECTIVE;
    case TOKEN_SIGN: return token->length == 1 ? (unsigned char)*token->start : LAUNCH;
    default: return OTHER;
    }
}

struct tokens {
    const char *name;
    unsigned char *codes;
    size_t n;
    size_t first_run; /* its runs in the table of all runs; a text of n tokens has n - RUN + 1 */
    size_t shared;    /* most of its unusual tokens that a text of its group has */
    size_t group;     /* another text of the group, or itself: follow it to the group's root */
};

static struct tokens tokens_of(const struct similar_text *text) {
    struct tokens tokens = {.name = text->name, .codes = need(malloc(strlen(text->text) + 1))};
    struct lexer lexer = {text->text, true};
    for (struct token token; (token = lex(&lexer)).kind != TOKEN_END;) {
        tokens.codes[tokens.n++] = code_of(&token);
        if (token.kind == TOKEN_BAD) lexer.next = token.start + 1;
    }
    return tokens;
}

static size_t runs_of(const struct tokens *tokens) {
    return tokens->n >= RUN ? tokens->n - RUN + 1 : 0;
}

/* ---- Runs ---- */

/* A run of a text. */
struct run {
    uint64_t hash;
    uint32_t text, at;
};

struct runs {
    struct run *items; /* by hash, text and place */
    size_t n;
    uint32_t *owners;  /* for each unusual hash the texts that have the run, and then END */
    size_t *owners_of; /* of each text's runs, in their order: where the list in owners begins;
                          USUAL: it does not count */
};

#define END   UINT32_MAX
#define USUAL SIZE_MAX

static int by_hash(const void *left, const void *right) {
    const struct run *a = left, *b = right;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    if (a->text != b->text) return a->text < b->text ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

/* Lists all runs of all texts. */
static struct runs list_runs(struct tokens *texts, size_t n) {
    struct runs runs = {.n = 0};
    for (size_t i = 0; i < n; i++) {
        texts[i].first_run = runs.n;
        runs.n += runs_of(&texts[i]);
    }
    runs.items = need(calloc(runs.n + 1, sizeof *runs.items));
    for (size_t i = 0; i < n; i++) {
        for (size_t at = 0; at < runs_of(&texts[i]); at++)
            runs.items[texts[i].first_run + at] = (struct run){
                hash_bytes(HASH_START, texts[i].codes + at, RUN), (uint32_t)i, (uint32_t)at};
    }
    return runs;
}

/* Finds the texts that have each run, if they are at most FEW. */
static struct runs find_owners(struct tokens *texts, size_t n) {
    struct runs runs = list_runs(texts, n);
    qsort(runs.items, runs.n, sizeof *runs.items, by_hash);
    runs.owners = need(calloc(2 * runs.n + 1, sizeof *runs.owners));
    runs.owners_of = need(calloc(runs.n + 1, sizeof *runs.owners_of));
    for (size_t i = 0, end, used = 0; i < runs.n; i = end) {
        size_t begin = used;
        for (end = i; end < runs.n && runs.items[end].hash == runs.items[i].hash; end++)
            if (end == i || runs.items[end].text != runs.items[end - 1].text)
                runs.owners[used++] = runs.items[end].text;
        bool usual = used - begin > FEW;
        runs.owners[used++] = END;
        for (size_t k = i; k < end; k++)
            runs.owners_of[texts[runs.items[k].text].first_run + runs.items[k].at] =
                usual ? USUAL : begin;
        if (usual) used = begin;
    }
    return runs;
}

/* ---- Groups ---- */

static size_t root_of(const struct tokens *texts, size_t text) {
    while (texts[text].group != text) text = texts[text].group;
    return text;
}

/* How many unusual tokens of one text each text has. */
struct shared {
    size_t *end; /* where the last shared run ends */
    size_t *sum; /* tokens in shared runs */
};

static void measure(const struct tokens *texts, const struct runs *runs, size_t of,
                    struct shared *shared) {
    const struct tokens *text = &texts[of];
    for (size_t at = 0; at < runs_of(text); at++) {
        size_t owners = runs->owners_of[text->first_run + at];
        if (owners == USUAL) continue;
        for (const uint32_t *owner = &runs->owners[owners]; *owner != END; owner++) {
            size_t begin = shared->end[*owner] > at ? shared->end[*owner] : at;
            shared->sum[*owner] += at + RUN - begin;
            shared->end[*owner] = at + RUN;
        }
    }
}

/* Joins each text to the one that has most of what is unusual in it, if that is LEAST_PERCENT. */
static void join_alike(struct tokens *texts, size_t n, const struct runs *runs) {
    struct shared shared = {need(calloc(n + 1, sizeof(size_t))),
                            need(calloc(n + 1, sizeof(size_t)))};
    for (size_t i = 0; i < n; i++) texts[i].group = i;
    for (size_t of = 0; of < n; of++) {
        size_t best = of;
        memset(shared.end, 0, n * sizeof *shared.end);
        memset(shared.sum, 0, n * sizeof *shared.sum);
        measure(texts, runs, of, &shared);
        for (size_t in = 0; in < n; in++)
            if (in != of && (best == of || shared.sum[in] > shared.sum[best])) best = in;
        if (shared.sum[best] == 0 || 100 * shared.sum[best] < LEAST_PERCENT * shared.sum[of])
            continue;
        texts[of].shared = shared.sum[best];
        texts[root_of(texts, of)].group = root_of(texts, best);
    }
    free(shared.end);
    free(shared.sum);
    for (size_t i = 0; i < n; i++) texts[i].group = root_of(texts, i);
    for (size_t i = 0; i < n; i++) {
        struct tokens *root = &texts[texts[i].group];
        if (texts[i].shared > root->shared) root->shared = texts[i].shared;
    }
    for (size_t i = 0; i < n; i++) texts[i].shared = texts[texts[i].group].shared;
}

/* ---- The whole ---- */

static int by_name(const void *left, const void *right) {
    return strcmp(((const struct tokens *)left)->name, ((const struct tokens *)right)->name);
}

static int by_codes(const struct tokens *a, const struct tokens *b) {
    return a->n != b->n ? (a->n > b->n) - (a->n < b->n) : memcmp(a->codes, b->codes, a->n);
}

/* The groups with most that is unusual first; in a group texts that are the same side by side. */
static int by_group(const void *left, const void *right) {
    const struct tokens *a = left, *b = right;
    if (a->shared != b->shared) return a->shared < b->shared ? 1 : -1;
    if (a->group != b->group) return a->group < b->group ? -1 : 1;
    int order = by_codes(a, b);
    return order != 0 ? order : by_name(a, b);
}

static void print_groups(FILE *out, const struct tokens *texts, size_t n) {
    size_t groups = 0;
    for (size_t i = 0, end; i < n && texts[i].shared > 0; i = end) {
        bool shown = groups++ < SIMILAR_LINES;
        if (groups == 1)
            fprintf(out,
                    "Text that at most %d submissions share: tokens, and who (= the same text)\n",
                    FEW);
        if (shown) fprintf(out, "%5zu  %s", texts[i].shared, texts[i].name);
        for (end = i + 1; end < n && texts[end].group == texts[i].group; end++)
            if (shown)
                fprintf(out, "%s%s", by_codes(&texts[end - 1], &texts[end]) == 0 ? " = " : ", ",
                        texts[end].name);
        if (shown) putc('\n', out);
    }
    if (groups > SIMILAR_LINES) fprintf(out, "... and %zu groups more\n", groups - SIMILAR_LINES);
}

void similar_print(FILE *out, const struct similar_text *texts, size_t n) {
    struct tokens *tokens = need(calloc(n + 1, sizeof *tokens));
    for (size_t i = 0; i < n; i++) tokens[i] = tokens_of(&texts[i]);
    qsort(tokens, n, sizeof *tokens, by_name);
    struct runs runs = find_owners(tokens, n);
    join_alike(tokens, n, &runs);
    free(runs.items);
    free(runs.owners);
    free(runs.owners_of);
    qsort(tokens, n, sizeof *tokens, by_group);
    print_groups(out, tokens, n);
    for (size_t i = 0; i < n; i++) free(tokens[i].codes);
    free(tokens);
}
