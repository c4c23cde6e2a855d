/* apart_counts.c: counts what the judge does for the student's process. At the end of the program the counts go to the
 * file that APART_COUNTS names: a line "NAME,COUNT" for each counter. */
#include "apart.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_STREAMS = 64 }; /* streams with larger numbers count as one */

static uint64_t counts[APART_COUNTS];
static uint64_t launched; /* bit i: stream i has had a launch */
static enum apart_counter last = APART_COUNTS;

#define NAME(counter) #counter,
static const char *const names[] = {APART_COUNTERS(NAME)};
#undef NAME

static void write_counts(void) {
    FILE *out = fopen(getenv("APART_COUNTS"), "w");
    for (int i = 0; out != NULL && i < APART_COUNTS; i++) fprintf(out, "%s,%" PRIu64 "\n", names[i], counts[i]);
    if (out == NULL || fclose(out) != 0) perror("counts of calls");
}

void apart_count(enum apart_counter counter, uint64_t more) {
    static bool counting;
    if (!counting && getenv("APART_COUNTS") != NULL) atexit(write_counts);
    counting = true;
    counts[counter] += more;
}

void apart_count_work(enum apart_counter kind, uint64_t stream) {
    const uint64_t bit = UINT64_C(1) << (stream < MOST_STREAMS ? stream : MOST_STREAMS - 1);
    apart_count(kind, 1);
    if (last != APART_COUNTS && last != kind) apart_count(APART_turns, 1);
    last = kind;
    if (kind != APART_kernels || (launched & bit) != 0) return;
    launched |= bit;
    apart_count(APART_streams, 1);
}
