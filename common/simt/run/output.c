/*
 * run/output.c: collect the printf text of a grid's blocks and pass it on in block order, in whatever order they ran.
 *
 *      block_print() -> block->output -> output_add(), at the block's end -> output_flush(): sorted by block -> stdout
 */
#include "run.h"

#include "lib/memory.h"

#include <pthread.h>
#include <stdlib.h>

/* What one block printed. */
struct block_text {
    uint64_t block;
    char *text;
    size_t length;
};

/* What the blocks of a grid have printed so far. lock guards texts while workers add to it. */
struct grid_output {
    pthread_mutex_t lock;
    struct block_text *texts;
    size_t n, capacity;
};

struct grid_output *output_new(void) {
    struct grid_output *output = need(calloc(1, sizeof *output));
    pthread_mutex_init(&output->lock, NULL);
    return output;
}

/* Take a block's text. Any worker calls it, so it locks. */
void output_add(struct grid_output *output, struct block *block) {
    if (!block->output_length) return;
    pthread_mutex_lock(&output->lock);
    if (output->n == output->capacity) {
        output->capacity = output->capacity ? 2 * output->capacity : 64;
        output->texts = need(realloc(output->texts, output->capacity * sizeof *output->texts));
    }
    output->texts[output->n++] = (struct block_text){block->index, block->output, block->output_length};
    pthread_mutex_unlock(&output->lock);
    block->output = NULL;
    block->output_length = block->output_capacity = 0;
}

static int by_block(const void *left, const void *right) {
    uint64_t a = ((const struct block_text *)left)->block, b = ((const struct block_text *)right)->block;
    return (a > b) - (a < b);
}

/* Only the first thread calls it: when the workers have ended, or when it is the only one. */
void output_flush(struct grid_output *output) {
    if (output->n) qsort(output->texts, output->n, sizeof *output->texts, by_block);
    for (size_t i = 0; i < output->n; i++) {
        device_print(output->texts[i].text, output->texts[i].length);
        free(output->texts[i].text);
    }
    output->n = 0;
}

void output_print(struct grid_output *output) {
    output_flush(output);
    output_drop(output);
}

void output_drop(struct grid_output *output) {
    for (size_t i = 0; i < output->n; i++) free(output->texts[i].text);
    free(output->texts);
    pthread_mutex_destroy(&output->lock);
    free(output);
}
