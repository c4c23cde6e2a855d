/*
 * launches: rewrites the launches in device code, for clang, which has none there.
 *
 *   launches program.cu > rewritten.cu
 *
 * kernel<<<grid, block>>>(x) in a function marked __global__ or __device__ becomes simtLaunch<kernel>(grid, block)(x);
 * common/simt/include/device_launch.h has the rest. Everything else stays as it is, on the line it is on. Comments,
 * strings and the host's launches are left alone.
 */
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/printed.h"

/* The program's text, and where in it we are. */
struct text {
    char *at, *end;
    bool marked;       /* __global__ or __device__ stands before the next { */
    int depth, device; /* open braces; how many there were where the device function began, 0: not in one */
};

static char *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    size_t room = 0, got = 1;
    *size = 0;
    while (file && got) {
        if (*size + 1 >= room) bytes = realloc(bytes, room = 2 * room + 4096);
        if (!bytes) break;
        *size += got = fread(bytes + *size, 1, room - *size - 1, file);
    }
    if (bytes) bytes[*size] = 0;
    if (!file || ferror(file)) fprintf(stderr, "launches: %s: %s\n", path, strerror(errno));
    if (file) fclose(file);
    return file ? bytes : NULL;
}

/* Behind the comment or literal that begins here; the same place where none does. */
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

/* Behind the > that closes the < at this place, or NULL where it is no template's. */
static char *skip_angles(char *at) {
    int depth = 0;
    for (; *at && *at != ';' && *at != '{'; at++) {
        if (*at == '<') depth++;
        if (*at == '>' && --depth == 0) return at + 1;
    }
    return NULL;
}

/* The launch that begins at a word: *open is its <<<. The kernel's name may have qualifiers and template arguments. */
static bool is_launch(char *word, char **open) {
    char *at = word;
    while (is_word(*at) || !strncmp(at, "::", 2)) at++;
    if (*at == '<' && strncmp(at, "<<<", 3) != 0) at = skip_angles(at);
    *open = at;
    return at && !strncmp(at, "<<<", 3);
}

/* Write a launch up to its >>>, and go there. */
static void write_launch(struct text *text, char *open) {
    char *close = strstr(open, ">>>");
    if (!close) close = text->end;
    printf("simtLaunch<%.*s>(%.*s)", (int)(open - text->at), text->at, (int)(close - open - 3), open + 3);
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

/* Braces tell where device functions begin and end. */
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
    size_t size;
    char *bytes = argc == 2 ? read_file(argv[1], &size) : NULL;
    if (argc != 2) fputs("usage: launches program.cu\n", stderr);
    if (!bytes) return EXIT_FAILURE;
    struct text text = {.at = bytes, .end = bytes + size};
    printf("#line 1 \"%s\"\n", argv[1]);
    while (text.at < text.end) {
        char *behind = skip_opaque(text.at);
        if (behind > text.at) {
            fwrite(text.at, 1, (size_t)(behind - text.at), stdout);
            text.at = behind;
        } else if (is_word(*text.at)) {
            write_word(&text);
        } else {
            write_sign(&text);
        }
    }
    free(bytes);
    return fflush(stdout) || ferror(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
