/* names.c: converts a mangled or demangled kernel name to nvprof's spelling. The C++ library writes
 * template arguments as 1024u and true, ncu writes (unsigned int)1024 and (bool)1, nvprof unsigned
 * int=1024 and bool=1. ncu puts a space before every star, nvprof only after const. */
#include "names.h"

#include "lib/memory.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The C++ library's demangler. Returns a malloc'd name, or NULL if name is not mangled. */
extern char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status);

/* The suffix of a number in a demangled template argument, and its type. */
static const struct suffix {
    const char *text, *type;
} suffixes[] = {{"ull", "unsigned long long"}, {"ll", "long long"},
                {"ul", "unsigned long"},       {"l", "long"},
                {"u", "unsigned int"},         {"", "int"}};

#define UNNAMED     "(anonymous namespace)" /* as the C++ library writes it */
#define NCU_UNNAMED "<unnamed>"

/* Length of the anonymous namespace's name at text; 0: there is none. */
static size_t unnamed_length(const char *text) {
    if (strncmp(text, UNNAMED, strlen(UNNAMED)) == 0) return strlen(UNNAMED);
    return strncmp(text, NCU_UNNAMED, strlen(NCU_UNNAMED)) == 0 ? strlen(NCU_UNNAMED) : 0;
}

/* Returns the place after the bracket that closes the one at open, ( or <. Within parentheses <
 * and > may be operators. */
static const char *after_brackets(const char *open) {
    char closing = *open == '(' ? ')' : '>';
    const char *at = open + 1;
    while (*at && *at != closing) at = *at == '(' || *at == *open ? after_brackets(at) : at + 1;
    return *at ? at + 1 : at;
}

/* A name being rewritten. nesting counts the open '<'. */
struct writer {
    const char *in;
    char *out;
    int nesting;
};

static void put(struct writer *w, const char *text, size_t length) {
    memcpy(w->out, text, length);
    w->out += length;
}

/* Length of the template argument that begins at in; 0: none begins there. */
static size_t argument_length(const struct writer *w) {
    char before = w->in[-1];
    if (w->nesting == 0 || !(before == '<' || (before == ' ' && w->in[-2] == ','))) return 0;
    size_t length = 0;
    for (int depth = 0; w->in[length]; length++) {
        char c = w->in[length];
        if (depth == 0 && (c == ',' || c == '>')) break;
        depth += (c == '<' || c == '(') - (c == '>' || c == ')');
    }
    return length;
}

/* Writes TYPE=VALUE. */
static void put_typed(struct writer *w, const char *type, size_t type_length, const char *value,
                      size_t value_length) {
    put(w, type, type_length);
    put(w, "=", 1);
    put(w, value, value_length);
}

/* Rewrites (unsigned int)1024. */
static bool rewrite_cast(struct writer *w, size_t length) {
    if (*w->in != '(' || unnamed_length(w->in)) return false;
    const char *value = after_brackets(w->in), *end = w->in + length;
    if (value >= end) return false;
    put_typed(w, w->in + 1, (size_t)(value - w->in) - 2, value, (size_t)(end - value));
    return true;
}

/* Rewrites 1024u. */
static bool rewrite_number(struct writer *w, size_t length) {
    size_t digits = *w->in == '-';
    while (digits < length && isdigit((unsigned char)w->in[digits])) digits++;
    if (digits == 0 || !isdigit((unsigned char)w->in[digits - 1])) return false;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        const char *text = suffixes[i].text;
        if (strlen(text) == length - digits &&
            strncmp(w->in + digits, text, length - digits) == 0) {
            put_typed(w, suffixes[i].type, strlen(suffixes[i].type), w->in, digits);
            return true;
        }
    }
    return false;
}

static bool rewrite_truth(struct writer *w, size_t length) {
    bool yes = length == 4 && strncmp(w->in, "true", 4) == 0;
    if (!yes && !(length == 5 && strncmp(w->in, "false", 5) == 0)) return false;
    put_typed(w, "bool", 4, yes ? "1" : "0", 1);
    return true;
}

static bool rewrite_argument(struct writer *w) {
    size_t length = argument_length(w);
    if (length == 0) return false;
    if (!rewrite_cast(w, length) && !rewrite_number(w, length) && !rewrite_truth(w, length))
        return false;
    w->in += length;
    return true;
}

/* Rewrites the stars of pointers: "int *" becomes "int*", "const*" becomes "const *". */
static bool rewrite_star(struct writer *w, const char *start) {
    if (*w->in == ' ' && (w->in[1] == '*' || w->in[1] == '&')) {
        w->in++;
        return true;
    }
    if (*w->in != '*' && *w->in != '&') return false;
    if (w->out - start >= 5 && strncmp(w->out - 5, "const", 5) == 0) put(w, " ", 1);
    put(w, w->in++, 1);
    return true;
}

static char *respell(const char *name) {
    /* A rewritten argument grows by at most the longest type and '='; every argument has at least
     * two characters. */
    char *start = need(malloc(strlen(name) * 12 + 32));
    struct writer w = {name, start, 0};
    while (*w.in) {
        if (w.in > name + 1 && rewrite_argument(&w)) continue;
        if (rewrite_star(&w, start)) continue;
        w.nesting += (*w.in == '<') - (*w.in == '>');
        put(&w, w.in++, 1);
    }
    *w.out = '\0';
    return start;
}

char *kernel_name(const char *name) {
    int status = 0;
    char *demangled =
        strncmp(name, "_Z", 2) == 0 ? __cxa_demangle(name, NULL, NULL, &status) : NULL;
    char *spelled = respell(demangled ? demangled : name);
    free(demangled);
    return spelled;
}

/* ---- ncu's spelling ---- */

/* Copies a mangled name with a type T1 in the place of the template parameter T_, T2 for T0_, so
 * that the C++ library does not put the argument there. */
static char *keep_parameters(const char *in) {
    char *start = need(malloc(strlen(in) * 12 + 32)), *out = start;
    while (*in) {
        char *end = (char *)in;
        size_t length = isdigit((unsigned char)*in) ? strtoul(in, &end, 10) : 0;
        unsigned long number = *in == 'T' ? strtoul(in + 1, &end, 10) : 0;
        if (*in == 'T' && *end == '_') {
            char type[32];
            number = end > in + 1 ? number + 2 : 1;
            snprintf(type, sizeof type, "T%lu", number);
            out += sprintf(out, "%zu%s", strlen(type), type);
            in = end + 1;
            continue;
        }
        if (*in == 'L') /* a literal: its digits are no length */
            length = strcspn(in, "E");
        else if (length)
            length = (size_t)(end - in) + strnlen(end, length);
        if (!length) length = 1;
        memcpy(out, in, length);
        out += length;
        in += length;
    }
    *out = '\0';
    return start;
}

/* Writes one type of length letters as ncu does: "int const*" becomes "const int *". */
static char *put_type(char *out, const char *type, size_t length) {
    static const char word[] = " const";
    size_t base = 0;
    while (base < length && type[base] != '*' && type[base] != '&') base++;
    size_t rest = base;
    if (base > strlen(word) && strncmp(type + base - strlen(word), word, strlen(word)) == 0) {
        out += sprintf(out, "const ");
        base -= strlen(word);
    }
    out += sprintf(out, "%.*s", (int)base, type);
    return out +
           sprintf(out, "%s%.*s", rest < length ? " " : "", (int)(length - rest), type + rest);
}

/* Writes a template argument as ncu does: 1024u becomes (unsigned int)1024. */
static char *put_argument(char *out, const char *text, size_t length) {
    char argument[64] = "", *equals;
    if (length + 1 < sizeof argument) {
        char alone[80], *spelled;
        snprintf(alone, sizeof alone, "f<%.*s>", (int)length, text);
        spelled = respell(alone);
        snprintf(argument, sizeof argument, "%.*s", (int)strlen(spelled) - 3, spelled + 2);
        free(spelled);
    }
    if (!(equals = strchr(argument, '='))) return put_type(out, text, length);
    return out + sprintf(out, "(%.*s)%s", (int)(equals - argument), argument, equals + 1);
}

bool kernel_names_mangled;

char *kernel_shown_name(const char *name) {
    return kernel_names_mangled ? need(strdup(name)) : kernel_name(name);
}

char *kernel_name_ncu(const char *name) {
    int status = 0;
    if (strncmp(name, "_Z", 2) != 0) return need(strdup(name));
    char *kept = keep_parameters(name), *demangled = __cxa_demangle(kept, NULL, NULL, &status);
    free(kept);
    if (!demangled) return need(strdup(name));
    char *start = need(malloc(strlen(demangled) * 12 + 32)), *out = start;
    bool template = false;
    for (const char *in = demangled; *in;) {
        if (strncmp(in, UNNAMED, strlen(UNNAMED)) == 0) {
            out += sprintf(out, NCU_UNNAMED);
            in += strlen(UNNAMED);
            continue;
        }
        char c = *out++ = *in++;
        if (!strchr("<(,", c)) continue;
        if (c == ',' && *in == ' ') *out++ = *in++;
        if (c != ',') template = c == '<';
        size_t length = 0;
        for (int depth = 0; in[length]; length++) {
            if (depth == 0 && strchr(",>)", in[length])) break;
            depth += (strchr("<(", in[length]) != NULL) - (strchr(">)", in[length]) != NULL);
        }
        out = (template ? put_argument : put_type)(out, in, length);
        in += length;
    }
    *out = '\0';
    free(demangled);
    return start;
}

/* Does the word decltype stand before at? Its parentheses hold no parameters. */
static bool after_decltype(const char *name, const char *at) {
    static const char word[] = "decltype";
    if (at > name && at[-1] == ' ') at--;
    return at - name >= (long)strlen(word) && strncmp(at - strlen(word), word, strlen(word)) == 0;
}

/* The base name is the last word before the parameters that is not in brackets. */
void kernel_base_name(const char *name, char *base, size_t size) {
    const char *start = name, *end = name, *at = name;
    while (*at && (*at != '(' || unnamed_length(at) || after_decltype(name, at)))
        if (unnamed_length(at))
            at += unnamed_length(at);
        else if (*at == '<' || *at == '(')
            at = after_brackets(at);
        else if (*at == ' ' || *at == ':')
            start = end = ++at;
        else
            end = ++at;
    snprintf(base, size, "%.*s", (int)(end - start), start);
}

bool parse_dimensions(const char *text, unsigned dimensions[3]) {
    int found = 0;
    for (const char *at = text; *at && found < 3;) {
        if (!isdigit((unsigned char)*at)) {
            at++;
            continue;
        }
        char *end;
        dimensions[found++] = (unsigned)strtoul(at, &end, 10);
        at = end;
    }
    for (int i = found; i < 3; i++) dimensions[i] = found > 0;
    return found > 0;
}

void name_numbered(const char *pattern, int number, char *name, size_t size) {
    size_t used = 0;
    if (!pattern) pattern = "%i";
    *name = 0;
    for (const char *at = pattern; *at && used < size - 1; at++) {
        bool is_number = at[0] == '%' && at[1] == 'i';
        used += (size_t)(is_number ? snprintf(name + used, size - used, "%d", number)
                                   : snprintf(name + used, size - used, "%c", *at));
        at += is_number;
    }
}

/* ---- What the program calls its streams and threads ---- */

static struct kept_name {
    uint64_t thread; /* 0: a stream's */
    int stream;
    char *name;
} * kept_names;
static size_t kept_count;

void name_keep(uint64_t thread, int stream, const char *name) {
    kept_names = need(realloc(kept_names, (kept_count + 1) * sizeof *kept_names));
    kept_names[kept_count++] = (struct kept_name){thread, stream, need(strdup(name))};
}

const char *name_kept(uint64_t thread, int stream) {
    for (size_t i = kept_count; i-- > 0;)
        if (kept_names[i].thread == thread && kept_names[i].stream == stream)
            return kept_names[i].name;
    return NULL;
}

void name_of_stream(const char *pattern, int stream, char *name, size_t size) {
    const char *kept = name_kept(0, stream);
    if (kept)
        snprintf(name, size, "%s", kept);
    else
        name_numbered(pattern, stream, name, size);
}
