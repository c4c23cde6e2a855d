#include "nested.h"

#include <stdlib.h>
#include <string.h>

#include "lib/memory.h"
#include "names.h"

/* A launch of the profile, indexed by its number. A parent has a smaller number than its children.
 */
struct node {
    int row;               /* row of the profile; -1: none */
    struct sample *sample; /* sample of the host's kernel that started the tree; NULL: none */
    unsigned depth;        /* 0: launched by the host */
};

/* Launch numbers are small and dense, because simt counts from 1. */
static unsigned long number_at(const struct csv *profile, int row, const char *column) {
    return strtoul(csv_get(profile, row, column), NULL, 10);
}

/* Returns the sample's count of that kernel at that depth; adds it at the first call. Searches from
 * the end, where deep launches are. */
static struct nested_launches *count_of(struct sample *sample, const char *kernel, unsigned depth) {
    for (int i = sample->nested_count; i-- > 0;) {
        struct nested_launches *nested = &sample->nested[i];
        if (nested->depth == depth && strcmp(nested->kernel, kernel) == 0) return nested;
    }
    sample->nested =
        need(realloc(sample->nested, ((size_t)sample->nested_count + 1) * sizeof *sample->nested));
    struct nested_launches *nested = &sample->nested[sample->nested_count++];
    *nested = (struct nested_launches){.depth = depth};
    strcpy(nested->kernel, kernel);
    return nested;
}

static void count(const struct csv *profile, const struct node *node) {
    unsigned grid[3], block[3];
    char kernel[NESTED_NAME];
    if (!csv_is(profile, node->row, "status", "ok")) return;
    char *name = kernel_name(csv_get(profile, node->row, "mangled"));
    kernel_base_name(name, kernel, NESTED_NAME);
    free(name);
    parse_dimensions(csv_get(profile, node->row, "grid"), grid);
    parse_dimensions(csv_get(profile, node->row, "block"), block);
    struct nested_launches *nested = count_of(node->sample, kernel, node->depth);
    nested->grids += 1;
    nested->threads += (double)grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2];
}

void nested_count(const struct csv *profile, struct samples *samples, int first) {
    unsigned long most = 0;
    for (int k = 0; k < csv_rows(profile); k++) {
        unsigned long number = number_at(profile, k, "launch");
        most = number > most ? number : most;
    }
    /* Make a node for each number up to `most`. Depths are still 0. */
    struct node *nodes = need(calloc(most + 1, sizeof *nodes));
    for (unsigned long m = 0; m <= most; m++) nodes[m].row = -1;
    for (int j = 0; j < csv_rows(profile); j++) nodes[number_at(profile, j, "launch")].row = j;
    for (int m = first; m < samples->count; m++)
        nodes[samples->items[m].number].sample = &samples->items[m];
    for (unsigned long i = 1; i <= most; i++) {
        unsigned long parent = nodes[i].row < 0 ? 0 : number_at(profile, nodes[i].row, "parent");
        if (parent == 0 || parent >= i || nodes[parent].sample == NULL) continue;
        nodes[i].sample = nodes[parent].sample;
        nodes[i].depth = nodes[parent].depth + 1;
        count(profile, &nodes[i]);
    }
    free(nodes);
}
