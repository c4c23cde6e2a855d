#include "guard.h"

#include "lex.h"
#include "lib/memory.h"

#include <ctype.h>
#include <inttypes.h>
#include <regex.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum { DEEPEST = 200 /* brackets within brackets */ };

/* A token with the number of its line in the student's file. */
struct word {
    struct token token;
    size_t line;
};

/* The region being judged. */
struct judge {
    struct piece *piece;
    const char *program;
    size_t lines;       /* of the region */
    struct word *words; /* n, and one of TOKEN_END */
    size_t n;
};

/* ---- Refusing ---- */

static bool refuse(struct piece *piece, size_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool refuse(struct piece *piece, size_t line, const char *format, ...) {
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    snprintf(piece->reason, sizeof piece->reason, "line %zu: %s", line, what);
    piece->refused = true;
    return false;
}

static bool refuse_word(struct judge *judge, size_t i, const char *why) {
    const struct token *token = &judge->words[i].token;
    return refuse(judge->piece, judge->words[i].line, "`%.*s`: %s", (int)token->length,
                  token->start, why);
}

/* ---- Words ---- */

static bool is(const struct judge *judge, size_t i, const char *text) {
    return i < judge->n && token_is(&judge->words[i].token, text);
}

static bool is_any(const struct judge *judge, size_t i, const char *const *texts) {
    for (; *texts != NULL; texts++)
        if (is(judge, i, *texts)) return true;
    return false;
}

/* The word after the bracket that closes the one at i, or n. */
static size_t after_brackets(const struct judge *judge, size_t i) {
    int depth = 0;
    for (; i < judge->n; i++) {
        const struct token *token = &judge->words[i].token;
        if (token->kind != TOKEN_SIGN || token->length > 1) continue;
        depth += strchr("({[", *token->start) != NULL;
        depth -= strchr(")}]", *token->start) != NULL;
        if (depth == 0) return i + 1;
    }
    return judge->n;
}

/* ---- Directives: those that the preprocessor leaves ---- */

/* Follows `# 83 "reduction.cu"`. Any other file or line is one that the student has named. */
static bool follow_line(struct judge *judge, const struct token *token, size_t *line) {
    char file[256] = "", wanted[256];
    size_t number = 0;
    sscanf(token->start, "# %zu \"%255[^\"\n]", &number, file);
    snprintf(wanted, sizeof wanted, "%s.cu", judge->program);
    if (strcmp(file, wanted) != 0)
        return refuse(judge->piece, *line, "`#include` or `#line` in a region");
    if (number < judge->piece->line || number > judge->piece->line + judge->lines)
        return refuse(judge->piece, *line, "`#line` in a region");
    *line = number;
    return true;
}

/* Allows `#pragma unroll`, alone or with a number, a name or a sum of them: it affects only the
 * next loop. */
static bool allows_directive(struct judge *judge, const struct token *token, size_t *line) {
    char text[256];
    regex_t pattern;
    if (token->length > 2 && isdigit((unsigned char)token->start[2]))
        return follow_line(judge, token, line);
    snprintf(text, sizeof text, "%.*s", (int)token->length, token->start);
    if (regcomp(&pattern, "^#[ \t]*pragma[ \t]+unroll([ \t(][A-Za-z0-9_ \t()*+-]*)?$",
                REG_EXTENDED) != 0)
        abort();
    const bool unrolls = token->length < sizeof text && regexec(&pattern, text, 0, NULL, 0) == 0;
    regfree(&pattern);
    return unrolls || refuse(judge->piece, *line,
                             "a pragma (only `#pragma unroll`, alone or with a number or a name)");
}

/* Splits what is left into words. Returns false if it holds what a compiler may read otherwise. */
static bool read_words(struct judge *judge, const char *left) {
    struct lexer lexer = {left, true};
    const char *here = left;
    size_t line = judge->piece->line, room = 0;
    for (;;) {
        struct token token = lex(&lexer);
        for (; here < token.start; here++) line += *here == '\n';
        if (judge->n == room)
            judge->words =
                need(realloc(judge->words, (room = 2 * room + 64) * sizeof *judge->words));
        judge->words[judge->n] = (struct word){token, line};
        if (token.kind == TOKEN_END) return true;
        if (token.kind == TOKEN_BAD) return refuse(judge->piece, line, "%s", token.problem);
        if (token.kind != TOKEN_DIRECTIVE) {
            judge->n++;
            continue;
        }
        const bool counts = token.length > 2 && isdigit((unsigned char)token.start[2]);
        if (!allows_directive(judge, &token, &line)) return false;
        here = token.start + token.length;
        if (counts && *here == '\n') here++; /* the next line has the number that it says */
    }
}

/* ---- Brackets ---- */

static bool allows_brackets(struct judge *judge) {
    static const char OPEN[] = "({[", CLOSE[] = ")}]";
    char open[DEEPEST];
    size_t depth = 0;
    for (size_t i = 0; i < judge->n; i++) {
        const struct token *token = &judge->words[i].token;
        if (token->kind != TOKEN_SIGN || token->length > 1) continue;
        const char c = *token->start, *closes = strchr(CLOSE, c);
        if (strchr(OPEN, c) != NULL) {
            if (depth == DEEPEST)
                return refuse(judge->piece, judge->words[i].line, "brackets nested too deeply");
            open[depth++] = c;
        } else if (closes != NULL) {
            if (depth == 0)
                return refuse(judge->piece, judge->words[i].line,
                              "`%c` closes what the region has not opened", c);
            if (open[--depth] != OPEN[closes - CLOSE])
                return refuse(judge->piece, judge->words[i].line, "`%c` closes a `%c`", c,
                              open[depth]);
        }
    }
    if (depth == 0) return true;
    return refuse(judge->piece, judge->words[judge->n].line,
                  "a `%c` is not closed within the region", open[depth - 1]);
}

/* ---- What outlives a launch ---- */

#define KEEPS "a variable that outlives the launch"

/* A word after the last ; { or } before word i: where its declaration begins. */
static size_t begin_of(const struct judge *judge, size_t i) {
    static const char *const ends[] = {";", "{", "}", NULL};
    while (i > 0 && !is_any(judge, i - 1, ends)) i--;
    return i;
}

static bool has_mutable_member(const struct judge *judge) {
    for (size_t i = 0; i < judge->n; i++)
        if (is(judge, i, "mutable") && !is(judge, i + 1, "{") && !is(judge, i + 1, "-"))
            return true;
    return false;
}

/* Does the declaration that begins at word i declare only constants or shared memory? A pointer to
 * constants could be changed. A declarator's * or & stands before its value, and after a comma for
 * later declarators. */
static bool is_constant(const struct judge *judge, size_t i) {
    static const char *const values[] = {"=", "{", "(", "[", NULL};
    bool before_value = true, constant = false, points = false;
    for (; i < judge->n && !is(judge, i, ";"); i++) {
        if (is(judge, i, "__attribute__")) {
            for (const size_t end = after_brackets(judge, i + 1); i + 1 < end; i++)
                if (is(judge, i, "shared") && i >= 3 && is(judge, i - 1, "(") &&
                    is(judge, i - 2, "(") && is(judge, i - 3, "__attribute__"))
                    return true;
            continue;
        }
        if (before_value && is(judge, i, "constexpr")) return !has_mutable_member(judge);
        constant = constant || (before_value && is(judge, i, "const"));
        points = points || (before_value && (is(judge, i, "*") || is(judge, i, "&")));
        if (is_any(judge, i, values)) {
            before_value = false;
            if (!is(judge, i, "=")) i = after_brackets(judge, i) - 1;
        } else if (is(judge, i, ",")) {
            before_value = true;
        }
    }
    return constant && !points && !has_mutable_member(judge);
}

/* Does the declaration at word i declare a function with its body? After a variable's braces comes
 * a ; or a comma. */
static bool is_function(const struct judge *judge, size_t i) {
    static const char *const types[] = {"struct", "class", "union", "enum", "=", ";", NULL};
    bool parameters = false;
    for (; i < judge->n && !is(judge, i, "{"); i++) {
        if (is_any(judge, i, types)) return false;
        if (!is(judge, i, "(")) continue;
        parameters = true;
        i = after_brackets(judge, i) - 1;
    }
    const size_t next = after_brackets(judge, i);
    return parameters && i < judge->n && !is(judge, next, ";") && !is(judge, next, ",");
}

/* ---- Names ---- */

/* `asm("mov.u32 %0, %%laneid;" : "=r"(lane))` reads a register of the thread, and does nothing
 * else. */
static bool reads_register(const struct judge *judge, size_t i) {
    static const char *const rest[] = {":", "\"=r\"", "(", "", ")", ")", NULL};
    regex_t pattern;
    i++;
    while (is(judge, i, "volatile") || is(judge, i, "__volatile__")) i++;
    if (!is(judge, i++, "(") || i >= judge->n) return false;
    char text[64];
    snprintf(text, sizeof text, "%.*s", (int)judge->words[i].token.length,
             judge->words[i].token.start);
    if (regcomp(&pattern, "^\"mov\\.[bu](32|64) %0, %%[a-z_]+(\\.[xyz])?;\"$", REG_EXTENDED) != 0)
        abort();
    const bool moves = regexec(&pattern, text, 0, NULL, 0) == 0;
    regfree(&pattern);
    for (size_t k = 0; moves && rest[k] != NULL; k++) {
        i++;
        if (i >= judge->n || (rest[k][0] == '\0' ? judge->words[i].token.kind != TOKEN_NAME
                                                 : !is(judge, i, rest[k])))
            return false;
    }
    return moves;
}

static bool allows_name(struct judge *judge, size_t i) {
    static const char *const assembly[] = {"asm", "__asm", "__asm__", NULL};
    static const char *const threads[] = {"thread_local", "__thread", "__specialization_static",
                                          NULL};
    if (is_any(judge, i, assembly) && !reads_register(judge, i))
        return refuse_word(judge, i,
                           "inline assembly that does more than read a register such as %laneid");
    if (is_any(judge, i, threads)) return refuse_word(judge, i, KEEPS);
    if (is(judge, i, "static") && !is_constant(judge, begin_of(judge, i)) && !is_function(judge, i))
        return refuse_word(judge, i, KEEPS);
    return true;
}

/* ---- Declarations outside of functions: helpers ---- */

/* The word after the declaration that begins at i: after its ; or after a function's body. */
static size_t after_declaration(const struct judge *judge, size_t i) {
    while (i < judge->n && !is(judge, i, ";")) {
        const bool body = is(judge, i, "{");
        i = is(judge, i, "(") || body || is(judge, i, "[") ? after_brackets(judge, i) : i + 1;
        if (body && !is(judge, i, ";") && !is(judge, i, ",")) return i;
    }
    return i + (i < judge->n);
}

/* Does this word stand in the text? */
static bool occurs(const struct token *word, const char *text) {
    struct lexer lexer = {text, true};
    for (struct token t = lex(&lexer); t.kind != TOKEN_END; t = lex(&lexer)) {
        if (t.kind == TOKEN_NAME && t.length == word->length &&
            strncmp(t.start, word->start, word->length) == 0)
            return true;
        if (t.kind == TOKEN_BAD) lexer.next = t.start + 1;
    }
    return false;
}

/* The word after the parameters of a template that begins at i; i: none begins. */
static size_t after_template(const struct judge *judge, size_t i) {
    int depth = 0;
    if (!is(judge, i, "template")) return i;
    for (i++; i < judge->n; i++) {
        depth += is(judge, i, "<") - is(judge, i, ">");
        if (depth == 0) return i + 1;
    }
    return i;
}

static bool is_type_word(const struct judge *judge, size_t i) {
    static const char *const words[] = {"struct", "class", "union", "enum", NULL};
    return is_any(judge, i, words);
}

/* Is the declaration from begin to end a type and nothing else? */
static bool is_type(const struct judge *judge, size_t begin, size_t end) {
    static const char *const others[] = {"using", "typedef", "static_assert", NULL};
    size_t i = after_template(judge, begin);
    if (is_any(judge, i, others)) return true;
    if (!is_type_word(judge, i++)) return false;
    if (is_type_word(judge, i)) i++;
    while (is(judge, i, "__attribute__") || is(judge, i, "alignas"))
        i = after_brackets(judge, i + 1);
    if (i < end && judge->words[i].token.kind == TOKEN_NAME) i++;
    for (bool base = is(judge, i, ":"); base && i < end && !is(judge, i, "{");) i++;
    return (is(judge, i, "{") ? after_brackets(judge, i) : i) + 1 == end;
}

/* Does word i, outside of brackets, name a function or a type that is declared? */
static bool names_new(const struct judge *judge, size_t i) {
    static const char *const words[] = {"__attribute__", "alignas",  "static_assert",
                                        "decltype",      "noexcept", NULL};
    if (judge->words[i].token.kind != TOKEN_NAME || is_any(judge, i, words)) return false;
    size_t next = i + 1; /* attributes may stand between the name and its parameters */
    while (is(judge, next, "__attribute__") || is(judge, next, "["))
        next = after_brackets(judge, next + is(judge, next, "__attribute__"));
    return is(judge, next, "(") || (i > 0 && is_type_word(judge, i - 1));
}

/* Allows constants, types and functions of new names. Another function of a name that the program
 * uses, or an operator, might be taken for the program's own. */
static bool allows_declaration(struct judge *judge, size_t begin, size_t end, const char *given) {
    static const char *const others[] = {"extern", "namespace", "operator", "template", NULL};
    const size_t first = after_template(judge, begin);
    size_t name = begin;
    if (first > begin && first <= begin + 3)
        return refuse_word(judge, begin, "a template made special may change the program");
    for (size_t i = first; i < end && !is(judge, i, "="); i++) {
        if (is(judge, i, "__attribute__") && is(judge, i + 3, "global"))
            return refuse_word(judge, i, "a kernel of your own, which no step launches");
        if (is_any(judge, i, others))
            return refuse_word(judge, i, "it may change what the program means");
        if (names_new(judge, i) && occurs(&judge->words[i].token, given))
            return refuse_word(judge, i, "the program has this name; choose another");
        if (is(judge, i, "(") && i > begin && !is(judge, i - 1, "__attribute__") &&
            is(judge, after_brackets(judge, i), "("))
            return refuse_word(judge, i, "write the name without brackets");
        if (judge->words[i].token.kind == TOKEN_NAME) name = i;
        if (is(judge, i, "(") || is(judge, i, "{") || is(judge, i, "["))
            i = after_brackets(judge, i) - 1;
    }
    if (end - begin <= 1 || is_type(judge, begin, end) || is_function(judge, first) ||
        is_constant(judge, first))
        return true;
    return refuse_word(judge, name, KEEPS);
}

/* ---- A region ---- */

bool guard_allows(struct piece *piece, const char *left, const char *program, const char *given) {
    struct judge judge = {.piece = piece, .program = program};
    for (const char *p = piece->text; *p != '\0'; p++) judge.lines += *p == '\n';
    bool allowed = read_words(&judge, left) && allows_brackets(&judge);
    for (size_t i = 0; allowed && i < judge.n; i++)
        allowed = judge.words[i].token.kind != TOKEN_NAME || allows_name(&judge, i);
    for (size_t i = 0, next; allowed && given != NULL && i < judge.n; i = next) {
        next = after_declaration(&judge, i);
        allowed = allows_declaration(&judge, i, next, given);
    }
    free(judge.words);
    return allowed;
}

/* ---- The program around the regions ---- */

void guard_make_mark(char mark[GUARD_MARK_SIZE]) {
    uint64_t random[2];
    if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random) abort();
    snprintf(mark, GUARD_MARK_SIZE, "mark%016" PRIx64 "%016" PRIx64, random[0], random[1]);
}

char *guard_script(const char *given, const char *merged, const char *left, const char *mark) {
    return need_text("{ sed -n '/^struct %s/,$p' %s; echo %s; sed -n '/^struct %s/,$p' %s; } >%s",
                     mark, given, mark, mark, merged, left);
}

/* Copies text from `from` to `to`, its lines about line numbers and all white space but one each
 * left out. */
static char *plain(const char *from, const char *to) {
    char *text = need(malloc((size_t)(to - from) + 2)),
         *end = text; /* a blank after the last line, and the 0 */
    for (const char *p = from; p < to;) {
        const bool numbers = *p == '#' && isdigit((unsigned char)p[1 + strspn(p + 1, " ")]);
        const char *next = p + strcspn(p, "\n");
        if (next > to) next = to;
        for (; !numbers && p < next; p++) {
            const char c = isspace((unsigned char)*p) ? ' ' : *p;
            if (c != ' ' || (end > text && end[-1] != ' ')) *end++ = c;
        }
        if (end > text && end[-1] != ' ') *end++ = ' ';
        p = next + (next < to);
    }
    *end = '\0';
    return text;
}

/* Finds the line that is the mark with this letter and number, the first of all marks from `text`
 * on. NULL: another mark comes first, or none. */
static const char *find_mark(const char *text, const char *mark, char letter, size_t i) {
    char line[GUARD_MARK_SIZE + 32];
    const int length = snprintf(line, sizeof line, MERGE_MARK, mark, letter, i);
    const char *found = strstr(text, mark);
    if (found == NULL || found - text < (ptrdiff_t)strlen("struct ")) return NULL;
    found -= strlen("struct ");
    return (found == text || found[-1] == '\n') && strncmp(found, line, (size_t)length) == 0 ? found
                                                                                             : NULL;
}

static const char *after_line(const char *line) {
    return line + strcspn(line, "\n") + 1;
}

/* Where the text from here to the next mark ends. */
static const char *end_of(const char *text, const char *mark) {
    const char *found = strstr(text, mark);
    return found != NULL ? found : text + strlen(text);
}

/* Is the text after the marks the same? */
static bool goes_on_alike(const char *given, const char *merged, const char *mark) {
    char *wanted = plain(given, end_of(given, mark)), *got = plain(merged, end_of(merged, mark));
    const bool same = strcmp(wanted, got) == 0;
    free(wanted);
    free(got);
    return same;
}

/* As guard_judge. given: the program without pieces; merged: with them. */
static enum guard_verdict judge_pieces(struct piece *pieces, size_t n, const char *given,
                                       const char *merged, const char *program, const char *mark) {
    const char *program_text = given;
    const size_t helpers = pieces[n].name != NULL;
    char last[GUARD_MARK_SIZE + 32];
    snprintf(last, sizeof last, MERGE_MARK, mark, 'z',
             n); /* missing where the preprocessor gave up */
    enum guard_verdict verdict = GUARD_ALLOWS;
    for (size_t k = 0; k < n + helpers; k++) {
        const size_t i = helpers == 0 ? k : k == 0 ? n : k - 1; /* helpers come first */
        const char *begin = find_mark(merged, mark, 'b', i);
        const char *end = begin != NULL ? find_mark(after_line(begin), mark, 'e', i) : NULL;
        if (end == NULL && (pieces[i].text == NULL || strstr(merged, last) == NULL))
            return verdict == GUARD_REFUSES ? verdict : GUARD_INCOMPLETE;
        if (end == NULL) {
            refuse(&pieces[i], pieces[i].line,
                   "a comment, an `#if` or a macro's arguments do not end in the region");
            return GUARD_REFUSES;
        }
        char *inside = need(strndup(after_line(begin), (size_t)(end - after_line(begin))));
        if (pieces[i].text != NULL &&
            !guard_allows(&pieces[i], inside, program, i == n ? program_text : NULL))
            verdict = GUARD_REFUSES;
        free(inside);
        for (int marks = 0; marks < 2; marks++) given = after_line(end_of(given, mark));
        merged = after_line(end);
        if (verdict == GUARD_ALLOWS && !goes_on_alike(given, merged, mark)) verdict = GUARD_OUTSIDE;
    }
    const char *end = find_mark(merged, mark, 'z', n);
    const bool ends = end != NULL && strstr(after_line(end), mark) == NULL;
    return verdict == GUARD_ALLOWS && !ends ? GUARD_INCOMPLETE : verdict;
}

enum guard_verdict guard_judge(struct piece *pieces, size_t n, const char *left,
                               const char *program, const char *mark) {
    char between[GUARD_MARK_SIZE + 4];
    snprintf(between, sizeof between, "\n%s\n", mark);
    const char *found = strstr(left, between);
    if (found == NULL) return GUARD_INCOMPLETE;
    char *given = need(strndup(left, (size_t)(found + 1 - left)));
    const enum guard_verdict verdict =
        judge_pieces(pieces, n, given, found + strlen(between), program, mark);
    free(given);
    return verdict;
}
