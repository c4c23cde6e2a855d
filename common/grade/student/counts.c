/* counts.c: counts what the judge does for the student's process. At the end of the program
 * the counts go to the file that STUDENT_COUNTS names: a line "NAME,COUNT" for each counter. */
#include "process.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 64 }; /* streams, or devices, with larger numbers count as one */

static uint64_t counts[STUDENT_COUNTS];
static enum student_counter last = STUDENT_COUNTS;

static const char *const names[] = {STUDENT_COUNTERS(STUDENT_NAME)};

static void write_counts(void) {
    FILE *out = fopen(getenv("STUDENT_COUNTS"), "w");
    for (int i = 0; out != NULL && i < STUDENT_COUNTS; i++)
        fprintf(out, "%s,%" PRIu64 "\n", names[i], counts[i]);
    if (out == NULL || fclose(out) != 0) perror("counts of calls");
}

void student_count(enum student_counter counter, uint64_t more) {
    static bool counting;
    if (!counting && getenv("STUDENT_COUNTS") != NULL) atexit(write_counts);
    counting = true;
    counts[counter] += more;
}

/* Counts a piece of work, and whether it is of another kind than the one before. */
static void count_work(enum student_counter kind) {
    student_count(kind, 1);
    student_count(STUDENT_turns, last != STUDENT_COUNTS && last != kind);
    last = kind;
}

void student_count_copy(enum student_counter kind, uint64_t bytes) {
    count_work(kind);
    student_count(
        kind == STUDENT_copies_to_device ? STUDENT_bytes_to_device : STUDENT_bytes_to_host, bytes);
}

/* Counts the number once: bits has those that there have been. */
static void count_new(enum student_counter counter, uint64_t *bits, uint64_t number) {
    const uint64_t bit = UINT64_C(1) << (number < MOST ? number : MOST - 1);
    student_count(counter, (*bits & bit) == 0);
    *bits |= bit;
}

static uint64_t unawaited; /* a bit for each stream with work that the host has not waited for */

void student_count_issued(uint64_t stream) {
    unawaited |= UINT64_C(1) << (stream < MOST ? stream : MOST - 1);
}

void student_count_awaited(uint64_t stream) {
    unawaited &= stream <= 1 ? 0
                             : /* 0 and 1: the default stream */ ~(
                                   UINT64_C(1) << (stream < MOST ? stream : MOST - 1));
}

void student_count_returned(void) {
    student_count(STUDENT_unawaited, unawaited != 0);
    unawaited = 0;
}

void student_count_launch(uint64_t threads, uint64_t stream, int device) {
    static uint64_t streams, devices;
    count_work(STUDENT_kernels);
    student_count_issued(stream);
    student_count(STUDENT_threads, threads);
    count_new(STUDENT_streams, &streams, stream);
    count_new(STUDENT_devices, &devices, (uint64_t)device);
}
