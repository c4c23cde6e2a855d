/* handed_out.c: see handed_out.h. */
#include "handed_out.h"

#include "file.h"
#include "memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *handed_out_name(const char *lab, char *table, size_t size) {
    const char *name = strrchr(lab, '/');
    while (name != NULL && name > lab && name[-1] != '/') name--;
    if (name == NULL) name = lab;
    snprintf(table, size, "%.*shanded-out.tsv", (int)(name - lab), lab);
    return name;
}

void handed_out_row(const char *name, const char *text, char *row, size_t size) {
    const uint64_t hash = hash_bytes(HASH_START, text, strlen(text));
    snprintf(row, size, "%s\t%016" PRIx64 "\n", name, hash);
}

bool is_handed_out(const char *lab, const char *text) {
    char path[4096], row[4096 + 32];
    handed_out_row(handed_out_name(lab, path, sizeof path), text, row, sizeof row);
    char *table = read_whole_file(path, NULL);
    const bool found = table != NULL && strstr(table, row) != NULL;
    free(table);
    return found;
}
