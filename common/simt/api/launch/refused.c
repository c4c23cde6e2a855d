/* api/launch/refused.c: reports launches by <<<>>> that failed without the program noticing. <<<>>>
 * returns nothing: only cudaGetLastError and cudaPeekAtLastError tell of the failure. */
#include "refused.h"

#include "simt/api/check.h"

#include <stdio.h>
#include <stdlib.h>

/* The failed launches of one thread: each thread has its own last error. */
struct refused {
    unsigned long launches; /* failed since the thread last asked */
    char first[512];        /* describes the first of them, and why it failed */
    struct refused *next;
};

static struct refused *all; /* one for each thread, kept when the thread ends */
static _Thread_local struct refused *mine;

static struct refused *of_this_thread(void) {
    if (mine) return mine;
    mine = calloc(1, sizeof *mine);
    if (!mine) return NULL;
    mine->next = all;
    return all = mine;
}

static void add_size(struct text *text, const uint32_t size[3]) {
    text_add(text, "(%u,%u,%u)", size[0], size[1], size[2]);
}

static void refused_describe(struct text text, const struct launch *launch, cudaError_t error) {
    unsigned long long threads = shape_threads(&launch->shape);
    if (launch->function)
        text_name(&text, launch->function->name);
    else
        text_add(&text, "a kernel");
    text_add(&text, " <<<");
    add_size(&text, launch->shape.grid);
    text_add(&text, ", ");
    add_size(&text, launch->shape.block);
    text_add(&text, ">>>: %s (%s", cudaGetErrorName(error), cudaGetErrorString(error));
    if (threads > MAX_THREADS_PER_BLOCK)
        text_add(&text, ": %llu threads in a block, and %d is the most", threads,
                 MAX_THREADS_PER_BLOCK);
    text_add(&text, ")");
}

void rt_refused_note(const struct launch *launch, cudaError_t error) {
    struct refused *refused = of_this_thread();
    if (refused && refused->launches++ == 0)
        refused_describe((struct text){refused->first, sizeof refused->first}, launch, error);
}

void rt_refused_asked(void) {
    if (mine) mine->launches = 0;
}

void rt_refused_report(void) {
    const struct refused *shown = NULL;
    unsigned long launches = 0;
    for (const struct refused *refused = all; refused; refused = refused->next) {
        launches += refused->launches;
        if (refused->launches) shown = refused;
    }
    if (!launches) return;
    report_print(
        "%s%lu launch%s failed, and the program never asked (cudaGetLastError tells)%s %s\n",
        rt.check ? REPORT_HEAD : "simt: ", launches, launches == 1 ? "" : "es",
        launches == 1 ? ":" : "; the first:", shown->first);
    for (; launches; launches--) rt_check_count();
}
