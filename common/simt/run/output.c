/*
 * run/output.c: collect the printf text of a grid's blocks and pass it on in block order, in
 * whatever order they ran.
 *
 *      printf -> block->output -> output_add(), at the block's end -> output_flush(): sorted by
 *      block -> stdout
 */
#include "run.h"

#include "lib/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What one block printed. */
struct block_text {
    uint64_t block;
    struct printed printed;
};

/* What the blocks of a grid have printed so far. lock guards it while workers add to it. */
struct grid_output {
    pthread_mutex_t lock;
    struct block_text *texts;
    size_t n, capacity;
    uint64_t records, lost; /* in texts; in those that were dropped */
};

struct grid_output *output_new(void) {
    struct grid_output *output = need(calloc(1, sizeof *output));
    pthread_mutex_init(&output->lock, NULL);
    return output;
}

static int by_block(const void *left, const void *right) {
    uint64_t a = ((const struct block_text *)left)->block,
             b = ((const struct block_text *)right)->block;
    return (a > b) - (a < b);
}

static void sort(struct grid_output *output) {
    if (output->n) qsort(output->texts, output->n, sizeof *output->texts, by_block);
}

/* Drop the first texts, as long as the others fill the buffer. */
static void drop_first(struct grid_output *output, uint64_t most) {
    size_t dropped = 0;
    sort(output);
    for (; output->records - output->texts[dropped].printed.records >= most; dropped++) {
        struct printed *printed = &output->texts[dropped].printed;
        output->records -= printed->records;
        output->lost += printed->records + printed->lost;
        free(printed->bytes);
    }
    memmove(output->texts, output->texts + dropped, (output->n -= dropped) * sizeof *output->texts);
}

/* Take a block's text. Any worker calls it, so it locks. */
void output_add(struct grid_output *output, struct block *block) {
    if (!block->output.length) return;
    pthread_mutex_lock(&output->lock);
    if (output->n == output->capacity) {
        output->capacity = output->capacity ? 2 * output->capacity : 64;
        output->texts = need(realloc(output->texts, output->capacity * sizeof *output->texts));
    }
    output->texts[output->n++] = (struct block_text){block->index, block->output};
    output->records += block->output.records;
    if (output->records > 2 * device_printf_most()) drop_first(output, device_printf_most());
    pthread_mutex_unlock(&output->lock);
    block->output = (struct printed){0};
}

/* Only the first thread calls it: when the workers have ended, or when it is the only one. */
void output_flush(struct grid_output *output) {
    device_print(&(struct printed){.lost = output->lost});
    sort(output);
    for (size_t i = 0; i < output->n; i++) {
        device_print(&output->texts[i].printed);
        free(output->texts[i].printed.bytes);
    }
    output->n = 0;
    output->records = output->lost = 0;
}

void output_print(struct grid_output *output) {
    output_flush(output);
    output_drop(output);
}

void output_drop(struct grid_output *output) {
    for (size_t i = 0; i < output->n; i++) free(output->texts[i].printed.bytes);
    free(output->texts);
    pthread_mutex_destroy(&output->lock);
    free(output);
}
