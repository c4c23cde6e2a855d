/*
 * run/device_printf.c: printf in a kernel. nvcc compiles it to vprintf(format, buffer), the
 * arguments packed in the thread's local memory, each at its own alignment: 4 bytes for int, 8 for
 * long, double and pointers.
 *
 *      printf("%d %f %s", 1, 2.5, text)       buffer:  0: 1 | 4: unused | 8: 2.5 | 16: text | 24
 *
 * Text is kept by block and joins `pending` in block order (run/output.c, device_print). It goes to
 * stdout when the host waits.
 */
#include "simt/device/current.h"
#include "simt/machine/machine.h"
#include "simt/machine/report.h"

#include "lib/memory.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FORMAT 4096
#define MAX_STRING 4096
#define MAX_WIDTH  MAX_STRING /* of a number: a wider one does not fit in the buffer */
#define RECORD     256 /* bytes of the buffer that a printf takes on an H200, whatever it prints */
#define LEAST      (512u << 10) /* bytes of the buffer on an H200 */

/* ---- Text on its way to stdout ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct printed pending[MAX_DEVICES];
static uint64_t most[MAX_DEVICES]; /* records; 0: not set */
static bool printf_used[MAX_DEVICES];

bool device_printf_is_used(void) {
    return printf_used[device_current()];
}

void device_printf_use(void) {
    printf_used[device_current()] = true;
}

void device_printf_reset(void) {
    printf_used[device_current()] = false;
}

void device_printf_set_limit(uint64_t bytes) {
    most[device_current()] = bytes / RECORD;
}

uint64_t device_printf_most(void) {
    uint64_t set = most[device_current()];
    return set ? set : LEAST / RECORD;
}

/* Add n bytes. */
static void printf_append(struct printed *printed, const void *more, size_t n) {
    if (n == 0) return; /* memcpy takes no null pointer, not even for nothing */
    if (printed->length + n > printed->capacity) {
        printed->capacity = 2 * (printed->length + n);
        printed->bytes = need(realloc(printed->bytes, printed->capacity));
    }
    memcpy(printed->bytes + printed->length, more, n);
    printed->length += n;
}

static uint32_t length_of(const char *record) {
    uint32_t length;
    memcpy(&length, record, sizeof length);
    return length;
}

/* Drop the first records that are too many, if there are at least `slack` of them: each drop moves
 * the others. */
static void printf_drop(struct printed *printed, uint64_t slack) {
    uint64_t room = device_printf_most(),
             more = printed->records > room ? printed->records - room : 0;
    size_t at = 0;
    if (!more || more < slack) return;
    for (uint64_t i = 0; i < more; i++) at += sizeof(uint32_t) + length_of(printed->bytes + at);
    memmove(printed->bytes, printed->bytes + at, printed->length -= at);
    printed->records -= more;
    printed->lost += more;
}

/* Called by the worker that runs the block. A record grows until it ends. */
static size_t begin_record(struct block *block) {
    printf_append(&block->output, &(uint32_t){0}, sizeof(uint32_t));
    return block->output.length;
}

static void end_record(struct block *block, size_t at) {
    uint32_t length = (uint32_t)(block->output.length - at);
    memcpy(block->output.bytes + at - sizeof length, &length, sizeof length);
    block->output.records++;
    printf_drop(&block->output, device_printf_most());
}

void device_print(const struct printed *more) {
    struct printed *own = &pending[device_current()];
    pthread_mutex_lock(&lock);
    printf_append(own, more->bytes, more->length);
    own->records += more->records;
    own->lost += more->lost;
    printf_drop(own, device_printf_most());
    pthread_mutex_unlock(&lock);
}

/* Print what is pending and begin anew. Called when the host waits and at exit. */
void device_printf_flush(int device) {
    struct printed *flushed = &pending[device];
    int caller = device_current();
    pthread_mutex_lock(&lock);
    device_use(device);
    printf_drop(flushed, 0);
    device_use(caller);
    for (size_t at = 0, n; at < flushed->length; at += n) {
        n = length_of(flushed->bytes + at);
        at += sizeof(uint32_t);
        fwrite(flushed->bytes + at, 1, n, stdout);
    }
    if (flushed->length) fflush(stdout);
    if (flushed->lost)
        report_note("kernels called printf %llu times before the host waited, and the buffer holds "
                    "the last %llu: raise "
                    "cudaLimitPrintfFifoSize, or print less",
                    (unsigned long long)(flushed->records + flushed->lost),
                    (unsigned long long)flushed->records);
    free(flushed->bytes);
    *flushed = (struct printed){0};
    pthread_mutex_unlock(&lock);
}

/* ---- Formats ---- */

/* The packed arguments of one thread. */
struct arguments {
    struct warp *w;
    int lane;
    uint64_t at; /* generic address of the next one */
};

/* The next argument, of 4 or 8 bytes, aligned to its size. */
static uint64_t next_argument(struct arguments *a, uint32_t size) {
    uint64_t value = 0;
    a->at = (a->at + size - 1) / size * size;
    space_read(a->w, a->lane, a->at, &value, size);
    a->at += size;
    return value;
}

/* Read a C string of the device, cut off at size - 1 characters. False: not readable. */
static bool printf_read_string(struct warp *w, int lane, uint64_t address, char *text,
                               size_t size) {
    for (size_t i = 0; i + 1 < size; i++) {
        if (!space_read(w, lane, address + i, text + i, 1)) return false;
        if (!text[i]) return true;
    }
    text[size - 1] = 0;
    return true;
}

/* A conversion specification: % flags width .precision length letter. */
struct conversion {
    char head[40]; /* from % to before the length, stars filled in */
    int longs;     /* h's count negative, l's positive; j, z, t like l */
    char letter;
};

/* Append a letter to head, and leave room for a length and a conversion letter. */
static void printf_put(struct conversion *c, size_t *n, char letter) {
    if (*n + 1 < sizeof c->head - 16) c->head[(*n)++] = letter;
}

/* Append a width or a precision. */
static void printf_put_number(struct conversion *c, size_t *n, long number) {
    char digits[16];
    snprintf(digits, sizeof digits, "%ld",
             number > MAX_WIDTH    ? MAX_WIDTH
             : number < -MAX_WIDTH ? -MAX_WIDTH
                                   : number);
    for (const char *digit = digits; *digit; digit++) printf_put(c, n, *digit);
}

/* Read a width or a precision at *text: digits, or a star for an argument. Moves *text after it.
 * False: there is none. */
static bool printf_read_number(const char **text, struct arguments *a, long *number) {
    char *end;
    if (**text == '*') {
        *number = (int)next_argument(a, 4);
        ++*text;
        return true;
    }
    if (**text < '0' || **text > '9') return false;
    *number = strtol(*text, &end, 10);
    *text = end;
    return true;
}

/* Parse a conversion specification from text, just after the %. Returns what follows it. A
 * negative width is a flag and a width. A negative precision counts as none. */
static const char *parse(const char *text, struct arguments *a, struct conversion *c) {
    size_t n = 0;
    long number;
    memset(c, 0, sizeof *c);
    printf_put(c, &n, '%');
    for (; *text && strchr("-+ #0", *text); text++) printf_put(c, &n, *text);
    if (printf_read_number(&text, a, &number)) printf_put_number(c, &n, number);
    if (*text == '.') {
        text++;
        if (!printf_read_number(&text, a, &number)) number = 0;
        if (number >= 0) printf_put(c, &n, '.');
        if (number >= 0) printf_put_number(c, &n, number);
    }
    for (; *text && strchr("hlLjzt", *text); text++) c->longs += *text == 'h' ? -1 : 1;
    c->letter = *text;
    return *text ? text + 1 : text;
}

/* Narrow the value as the length says, then let the host print it as long long. Returns the length,
 * as snprintf does. */
static int format_integer(char *out, size_t size, struct conversion *c, struct arguments *a) {
    bool is_signed = c->letter == 'd' || c->letter == 'i';
    uint64_t value = next_argument(a, c->longs > 0 ? 8 : 4);
    size_t n = strlen(c->head);
    if (c->longs <= 0) value = is_signed ? (uint64_t)(int64_t)(int32_t)value : (uint32_t)value;
    if (c->longs == -1) value = is_signed ? (uint64_t)(int64_t)(int16_t)value : (uint16_t)value;
    if (c->longs <= -2) value = is_signed ? (uint64_t)(int64_t)(int8_t)value : (uint8_t)value;
    snprintf(c->head + n, sizeof c->head - n, "ll%c", c->letter);
    return snprintf(out, size, c->head, (long long)value);
}

/* Characters, pointers, strings and floating-point numbers, which C passes as double. */
static int format_other(char *out, size_t size, struct conversion *c, struct arguments *a) {
    size_t n = strlen(c->head);
    char string[MAX_STRING];
    c->head[n] = c->letter;
    switch (c->letter) {
    case 'c': return snprintf(out, size, c->head, (int)next_argument(a, 4));
    case 'p': return snprintf(out, size, c->head, (void *)(uintptr_t)next_argument(a, 8));
    case 's':
        if (!printf_read_string(a->w, a->lane, next_argument(a, 8), string, sizeof string))
            snprintf(string, sizeof string, "(null)");
        return snprintf(out, size, c->head, string);
    default: {
        uint64_t bits = next_argument(a, 8);
        double value;
        memcpy(&value, &bits, sizeof value);
        return snprintf(out, size, c->head, value);
    }
    }
}

/* Print format with the arguments at buffer, in the lane's local memory. Returns their number; -1
 * for a format that is none, as CUDA does. */
static int printf_print(struct warp *w, int lane, const char *format, uint64_t buffer) {
    struct arguments arguments = {w, lane, buffer};
    char out[MAX_STRING + 64];
    int count = 0;
    for (const char *p = format; *p;) {
        const char *percent = strchrnul(p, '%');
        printf_append(&w->block->output, p, (size_t)(percent - p));
        if (!*percent) break;
        if (percent[1] == '%') {
            printf_append(&w->block->output, "%", 1);
            p = percent + 2;
            continue;
        }
        struct conversion conversion;
        p = parse(percent + 1, &arguments, &conversion);
        int n = 0;
        if (conversion.letter && strchr("diouxX", conversion.letter))
            n = format_integer(out, sizeof out, &conversion, &arguments);
        else if (conversion.letter && strchr("aAeEfFgGcsp", conversion.letter))
            n = format_other(out, sizeof out, &conversion, &arguments);
        else
            return -1;
        printf_append(&w->block->output, out, (size_t)n < sizeof out ? (size_t)n : sizeof out - 1);
        count++;
    }
    return count;
}

/* int vprintf(const char *format, void *buffer), one lane after the other. */
bool builtin_vprintf(struct warp *w, const struct op *op, uint32_t mask) {
    builtin_trace(w, op, ACCESS_PRINT, mask);
    for (; mask; mask &= mask - 1) {
        int lane = __builtin_ctz(mask), result = -1;
        char format[MAX_FORMAT];
        size_t record = begin_record(w->block);
        if (printf_read_string(w, lane, builtin_argument(w, op, lane, 0), format, sizeof format))
            result = printf_print(w, lane, format, builtin_argument(w, op, lane, 1));
        end_record(w->block, record);
        builtin_return(w, op, lane, (uint32_t)result);
    }
    return true;
}
