/* similar.c: see similar.h.
 *
 * A text becomes a string with one byte for each token. A run is RUN tokens of it. The share of a text in another one
 * is the share of its tokens that lie in runs which the other one has, too. Runs are compared by their hashes, so each
 * text meets only the texts that share a run with it. */
#include "similar.h"

#include "lex.h"
#include "lib/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { RUN = 24, LEAST_PERCENT = 80 };

/* ---- Tokens ---- */

/* Bytes for tokens other than signs, which stand for themselves. Keywords follow. */
enum { NAME = 128, NUMBER, LITERAL, DIRECTIVE, LAUNCH, OTHER, KEYWORD };

static unsigned char code_of_name(const struct token *token) {
    static const char *const keywords[] = {"if",   "else",   "for",   "while",    "do",
                                           "case", "switch", "break", "continue", "return"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (token_is(token, keywords[i])) return (unsigned char)(KEYWORD + i);
    }
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
};

static struct tokens tokens_of(const struct similar_text *text) {
    struct tokens tokens = {text->name, need(malloc(strlen(text->text) + 1)), 0, 0};
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

/* ---- Texts that are the same ---- */

static int by_codes(const void *left, const void *right) {
    const struct tokens *a = left, *b = right;
    int order = a->n != b->n ? (a->n > b->n) - (a->n < b->n) : memcmp(a->codes, b->codes, a->n);
    return order != 0 ? order : strcmp(a->name, b->name);
}

static int by_text_name(const void *left, const void *right) {
    return strcmp(((const struct tokens *)left)->name, ((const struct tokens *)right)->name);
}

static bool same_codes(const struct tokens *a, const struct tokens *b) {
    return a->n == b->n && memcmp(a->codes, b->codes, a->n) == 0;
}

/* Prints the groups of same texts, and keeps the first text of each. Texts without a run are too short to say anything,
 * and go. Returns how many are left. */
static size_t print_same(FILE *out, struct tokens *texts, size_t n) {
    size_t kept = 0;
    qsort(texts, n, sizeof *texts, by_codes);
    for (size_t i = 0, next; i < n; i = next) {
        bool alone = true;
        for (next = i + 1; next < n && same_codes(&texts[i], &texts[next]); next++) {
            if (runs_of(&texts[i]) > 0) fprintf(out, "%s%s", alone ? "100 %  the same: " : ", ", texts[next - 1].name);
            free(texts[next].codes);
            alone = false;
        }
        if (runs_of(&texts[i]) > 0 && !alone) fprintf(out, ", %s\n", texts[next - 1].name);
        if (runs_of(&texts[i]) > 0)
            texts[kept++] = texts[i];
        else
            free(texts[i].codes);
    }
    qsort(texts, kept, sizeof *texts, by_text_name);
    return kept;
}

/* ---- Runs ---- */

/* A run of a text. After sort_runs `others` says where the list of texts with that run begins. */
struct run {
    uint64_t hash;
    uint32_t text, at;
};

struct runs {
    struct run *items; /* by hash, text and place */
    size_t n;
    uint32_t *owners;  /* for each different hash the texts that have the run, and then END */
    size_t *owners_of; /* of each text's runs, in their order: where the list in owners begins */
};

#define END UINT32_MAX

/* FNV-1a (Fowler, Noll, Vo), 64 bits. */
static uint64_t hash_of(const unsigned char *codes) {
    uint64_t hash = 0xCBF29CE484222325u;
    for (int i = 0; i < RUN; i++) hash = (hash ^ codes[i]) * 0x100000001B3u;
    return hash;
}

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
            runs.items[texts[i].first_run + at] = (struct run){hash_of(texts[i].codes + at), (uint32_t)i, (uint32_t)at};
    }
    return runs;
}

/* Finds the texts that have each run. */
static struct runs find_owners(struct tokens *texts, size_t n) {
    struct runs runs = list_runs(texts, n);
    qsort(runs.items, runs.n, sizeof *runs.items, by_hash);
    runs.owners = need(calloc(2 * runs.n + 1, sizeof *runs.owners));
    runs.owners_of = need(calloc(runs.n + 1, sizeof *runs.owners_of));
    for (size_t i = 0, begin = 0, used = 0; i < runs.n; i++) {
        const struct run *run = &runs.items[i], *before = i > 0 ? run - 1 : NULL;
        bool new_hash = before == NULL || before->hash != run->hash;
        if (new_hash && i > 0) runs.owners[used++] = END;
        if (new_hash) begin = used;
        if (new_hash || before->text != run->text) runs.owners[used++] = run->text;
        runs.owners[used] = END;
        runs.owners_of[texts[run->text].first_run + run->at] = begin;
    }
    return runs;
}

static void free_runs(struct runs *runs) {
    free(runs->items);
    free(runs->owners);
    free(runs->owners_of);
}

/* ---- Pairs ---- */

struct pair {
    uint32_t percent, of, in;
};

struct pairs {
    struct pair *items;
    size_t n, room;
};

static void add_pair(struct pairs *pairs, struct pair pair) {
    if (pairs->n == pairs->room) {
        pairs->room = 2 * pairs->room + 64;
        pairs->items = need(realloc(pairs->items, pairs->room * sizeof *pairs->items));
    }
    pairs->items[pairs->n++] = pair;
}

/* How much of one text the others have. */
struct shared {
    size_t *end; /* where the last shared run ends */
    size_t *sum; /* tokens in shared runs */
};

/* Finds how many tokens of text `of` lie in runs of each other text. */
static void measure(const struct tokens *texts, const struct runs *runs, size_t of, struct shared *shared) {
    const struct tokens *text = &texts[of];
    for (size_t at = 0; at < runs_of(text); at++) {
        for (const uint32_t *owner = &runs->owners[runs->owners_of[text->first_run + at]]; *owner != END; owner++) {
            size_t begin = shared->end[*owner] > at ? shared->end[*owner] : at;
            shared->sum[*owner] += at + RUN - begin;
            shared->end[*owner] = at + RUN;
        }
    }
}

static int most_alike_first(const void *left, const void *right) {
    const struct pair *a = left, *b = right;
    if (a->percent != b->percent) return a->percent < b->percent ? 1 : -1;
    if (a->of != b->of) return a->of < b->of ? -1 : 1;
    return (a->in > b->in) - (a->in < b->in);
}

static struct pairs find_pairs(const struct tokens *texts, size_t n, const struct runs *runs) {
    struct pairs pairs = {.n = 0};
    struct shared shared = {need(calloc(n + 1, sizeof(size_t))), need(calloc(n + 1, sizeof(size_t)))};
    for (size_t of = 0; of < n; of++) {
        memset(shared.end, 0, n * sizeof *shared.end);
        memset(shared.sum, 0, n * sizeof *shared.sum);
        measure(texts, runs, of, &shared);
        for (size_t in = 0; in < n; in++) {
            uint32_t percent = (uint32_t)(100 * shared.sum[in] / texts[of].n);
            if (in != of && percent >= LEAST_PERCENT)
                add_pair(&pairs, (struct pair){percent, (uint32_t)of, (uint32_t)in});
        }
    }
    free(shared.end);
    free(shared.sum);
    if (pairs.n > 0) qsort(pairs.items, pairs.n, sizeof *pairs.items, most_alike_first);
    return pairs;
}

/* ---- The whole ---- */

void similar_print(FILE *out, const struct similar_text *texts, size_t n) {
    struct tokens *tokens = need(calloc(n + 1, sizeof *tokens));
    for (size_t i = 0; i < n; i++) tokens[i] = tokens_of(&texts[i]);
    n = print_same(out, tokens, n);
    struct runs runs = find_owners(tokens, n);
    struct pairs pairs = find_pairs(tokens, n, &runs);
    for (size_t i = 0; i < pairs.n && i < SIMILAR_LINES; i++)
        fprintf(out, "%3u %%  of %s is in %s\n", pairs.items[i].percent, tokens[pairs.items[i].of].name,
                tokens[pairs.items[i].in].name);
    if (pairs.n > SIMILAR_LINES) fprintf(out, "... and %zu pairs more\n", pairs.n - SIMILAR_LINES);
    for (size_t i = 0; i < n; i++) free(tokens[i].codes);
    free(tokens);
    free(pairs.items);
    free_runs(&runs);
}
