/* names.c: see names.h. The sets are small, a few hundred names, so they are lists. */
#include "names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct names {
    char **items;
    size_t n;
};

struct names *names_make(void) {
    return calloc(1, sizeof(struct names));
}

void names_free(struct names *names) {
    if (names == NULL) return;
    for (size_t i = 0; i < names->n; i++) free(names->items[i]);
    free(names->items);
    free(names);
}

bool names_has(const struct names *names, const struct token *name) {
    for (size_t i = 0; i < names->n; i++) {
        if (token_is(name, names->items[i])) return true;
    }
    return false;
}

void names_add(struct names *names, const char *name, size_t length) {
    struct token token = {TOKEN_NAME, name, length, NULL};
    if (names_has(names, &token)) return;
    char **grown = realloc(names->items, (names->n + 1) * sizeof *grown);
    if (grown == NULL) abort();
    names->items = grown;
    names->items[names->n++] = strndup(name, length);
}

void names_add_all(struct names *names, const char *text) {
    struct lexer lexer = {text, true};
    for (struct token t = lex(&lexer); t.kind != TOKEN_END; t = lex(&lexer)) {
        if (t.kind == TOKEN_BAD) lexer.next = t.start + 1;
        if (t.kind == TOKEN_NAME) names_add(names, t.start, t.length);
    }
}

/* `#define NAME ...`: a macro is a declaration, too. */
static void add_macro(struct names *names, const struct token *directive) {
    const char *p = directive->start + 1, *word = "define";
    while (isspace((unsigned char)*p)) p++;
    if (strncmp(p, word, strlen(word)) != 0) return;
    p += strlen(word);
    while (*p == ' ') p++;
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '_') n++;
    if (n > 0) names_add(names, p, n);
}

/* Where a reader of declarations is. */
struct place {
    int braces, brackets;
    bool device; /* the declaration under way has said __device__ */
    bool member; /* the last name follows a :: */
    struct token last;
};

/* Words of the language that may stand before such a sign, too. */
static bool is_keyword(const struct token *name) {
    static const char *const keywords[] = {"void",          "int",       "unsigned", "float",    "double",   "bool",
                                           "char",          "long",      "const",    "enum",     "struct",   "class",
                                           "static_assert", "namespace", "alignas",  "noexcept", "extern",   "static",
                                           "return",        "if",        "decltype", "sizeof",   "override", "size_t"};
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++) {
        if (token_is(name, keywords[i])) return true;
    }
    return false;
}

/* Is the name before this sign a declared one? */
static bool declares(const struct place *place, const struct token *sign, bool calls_only) {
    bool outside = place->braces == 0 && place->brackets == 0 && place->last.kind == TOKEN_NAME;
    if (!outside || sign->length != 1 || place->member || is_keyword(&place->last)) return false;
    return calls_only ? *sign->start == '(' && !place->device : strchr("(;=[{", *sign->start) != NULL;
}

static void move_on(struct place *place, const struct token *t) {
    if (token_is(t, "{")) place->braces++;
    if (token_is(t, "}") && place->braces > 0) place->braces--;
    if (token_is(t, "(") || token_is(t, "[")) place->brackets++;
    if (token_is(t, ")") || token_is(t, "]")) place->brackets--;
    if (token_is(t, "__device__")) place->device = true;
    bool ends = token_is(t, ";") || token_is(t, "}");
    if (ends && place->braces == 0) place->device = false;
    if (t->kind == TOKEN_NAME) place->member = token_is(&place->last, ":");
    place->last = *t;
}

/* A copy of the text with continued lines as one, as macros have them; to be freed. */
static char *splice(const char *text) {
    char *copy = strdup(text), *to = copy;
    for (const char *from = text; *from != '\0'; from++) {
        if (strncmp(from, "\\\n", 2) == 0)
            from++;
        else
            *to++ = *from;
    }
    *to = '\0';
    return copy;
}

void names_add_declared(struct names *names, const char *text, bool calls_only) {
    char *spliced = splice(text);
    struct lexer lexer = {spliced, true};
    struct place place = {.device = false};
    for (struct token t = lex(&lexer); t.kind != TOKEN_END; t = lex(&lexer)) {
        if (t.kind == TOKEN_BAD) {
            lexer.next = t.start + 1;
        } else if (t.kind == TOKEN_DIRECTIVE) {
            if (!calls_only) add_macro(names, &t);
        } else {
            if (declares(&place, &t, calls_only)) names_add(names, place.last.start, place.last.length);
            move_on(&place, &t);
        }
    }
    free(spliced);
}
