/*
 * launches: rewrites the launches in device code for clang, which cannot compile them.
 *
 *   launches program.cu > rewritten.cu
 *
 * kernel<<<grid, block>>>(x) in a __global__ or __device__ function becomes
 * simtLaunch<kernel>(grid, block)(x), which common/simt/include/device_launch.h defines. All other
 * text stays, on its line. Comments, strings and launches by the host stay, too. */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/file.h"
#include "lib/printed.h"

/* The program's text, and the position in it. */
struct text {
    char *at, *end;
    bool marked; /* the next { opens a __global__ or __device__ function */
    int depth;   /* open braces */
    int device;  /* the depth in the body of the device function around; 0: there is none */
};

/* The end of the comment or literal that begins here; `at` itself if none does. */
static char *skip_opaque(char *at) {
    if (!strncmp(at, "//", 2)) return at + strcspn(at, "\n");
    if (!strncmp(at, "/*", 2)) {
        char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (*at != '"' && *at != '\'') return at;
    for (char *end = at + 1; *end; end++) {
        if (*end == '\\' && end[1])
            end++;
        else if (*end == *at)
            return end + 1;
    }
    return at + strlen(at);
}

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* The end of the template arguments whose < is here; NULL if it opens none. */
static char *skip_angles(char *at) {
    int depth = 0;
    for (; *at && *at != ';' && *at != '{'; at++) {
        if (*at == '<') depth++;
        if (*at == '>' && --depth == 0) return at + 1;
    }
    return NULL;
}

/* Does a launch begin at this word? *open is then its <<<. The kernel may have qualifiers and
 * template arguments. */
static bool is_launch(char *word, char **open) {
    char *at = word;
    while (is_word(*at) || !strncmp(at, "::", 2)) at++;
    if (*at == '<' && strncmp(at, "<<<", 3) != 0) at = skip_angles(at);
    *open = at;
    return at && !strncmp(at, "<<<", 3);
}

/* Writes a launch up to its >>>, and moves there. */
static void write_launch(struct text *text, char *open) {
    char *close = strstr(open, ">>>");
    if (!close) close = text->end;
    printf("simtLaunch<%.*s>(%.*s)", (int)(open - text->at), text->at, (int)(close - open - 3),
           open + 3);
    text->at = close < text->end ? close + 3 : close;
}

static void write_word(struct text *text) {
    char *open, *end = text->at;
    if (text->device && is_launch(text->at, &open)) {
        write_launch(text, open);
        return;
    }
    while (is_word(*end)) end++;
    size_t length = (size_t)(end - text->at);
    if (length == strlen("__global__") &&
        (!strncmp(text->at, "__global__", length) || !strncmp(text->at, "__device__", length)))
        text->marked = true;
    fwrite(text->at, 1, length, stdout);
    text->at = end;
}

/* Writes one character. Braces tell where device functions begin and end. */
static void write_sign(struct text *text) {
    char c = *text->at++;
    if (c == '{') {
        text->depth++;
        if (text->marked && !text->device) text->device = text->depth;
    }
    if (c == '}' && text->depth-- == text->device) text->device = 0;
    if (c == ';' || c == '{' || c == '}') text->marked = false;
    putchar(c);
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    char *bytes = argc == 2 ? read_whole_file(argv[1], NULL) : NULL;
    if (argc != 2)
        fputs("usage: launches program.cu\n", stderr);
    else if (!bytes)
        fprintf(stderr, "launches: %s: %s\n", argv[1], strerror(errno));
    if (!bytes) return EXIT_FAILURE;
    struct text text = {.at = bytes, .end = bytes + strlen(bytes)};
    printf("#line 1 \"%s\"\n", argv[1]);
    while (text.at < text.end) {
        char *end = skip_opaque(text.at);
        if (end > text.at) {
            fwrite(text.at, 1, (size_t)(end - text.at), stdout);
            text.at = end;
        } else if (is_word(*text.at)) {
            write_word(&text);
        } else {
            write_sign(&text);
        }
    }
    free(bytes);
    return EXIT_SUCCESS;
}
