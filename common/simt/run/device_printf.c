/*
 * run/device_printf.c: printf in a kernel. nvcc compiles it to vprintf(format, buffer), the arguments packed in the
 * thread's local memory, each at its own alignment: 4 bytes for int, 8 for long, double and pointers.
 *
 *      printf("%d %f %s", 1, 2.5, text)       buffer:  0: 1 | 4: unused | 8: 2.5 | 16: text | 24
 *
 * Text is kept by block (block_print) and joins `pending` in block order (run/output.c, device_print). It goes to
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
#define MAX_WIDTH  MAX_STRING   /* of a number: a wider one does not fit in the buffer */
#define MAX_TEXT   (256u << 20) /* bytes kept until the host waits; a GPU keeps 1 MiB, unless it is told otherwise */

/* ---- Text on its way to stdout ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pending {
    char *text;
    size_t length, capacity;
    size_t
        kept; /* bytes that blocks have printed since the last flush. More than MAX_TEXT: some were dropped. Atomic */
} pending[MAX_DEVICES];

/* Add n bytes to a growing text. */
static void append(char **text, size_t *length, size_t *capacity, const char *more, size_t n) {
    if (n == 0) return; /* memcpy takes no null pointer, not even for nothing */
    if (*length + n > *capacity) {
        *capacity = 2 * (*length + n);
        *text = need(realloc(*text, *capacity));
    }
    memcpy(*text + *length, more, n);
    *length += n;
}

/* Called by the worker that runs the block: only kept is shared. */
void block_print(struct block *block, const char *text, size_t length) {
    if (__atomic_add_fetch(&pending[device_current()].kept, length, __ATOMIC_RELAXED) > MAX_TEXT) return;
    append(&block->output, &block->output_length, &block->output_capacity, text, length);
}

void device_print(const char *text, size_t length) {
    struct pending *own = &pending[device_current()];
    pthread_mutex_lock(&lock);
    append(&own->text, &own->length, &own->capacity, text, length);
    pthread_mutex_unlock(&lock);
}

/* Print what is pending and begin anew. Called when the host waits and at exit. */
void device_printf_flush(int device) {
    struct pending *flushed = &pending[device];
    pthread_mutex_lock(&lock);
    if (flushed->length) {
        fwrite(flushed->text, 1, flushed->length, stdout);
        fflush(stdout);
    }
    if (flushed->kept > MAX_TEXT)
        report_note("kernels printed %zu bytes before the host waited for them; %u are shown", flushed->kept, MAX_TEXT);
    free(flushed->text);
    *flushed = (struct pending){0};
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
static bool read_string(struct warp *w, int lane, uint64_t address, char *text, size_t size) {
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
static void put(struct conversion *c, size_t *n, char letter) {
    if (*n + 1 < sizeof c->head - 16) c->head[(*n)++] = letter;
}

/* Append a width or a precision. */
static void put_number(struct conversion *c, size_t *n, long number) {
    char digits[16];
    snprintf(digits, sizeof digits, "%ld", number > MAX_WIDTH ? MAX_WIDTH : number < -MAX_WIDTH ? -MAX_WIDTH : number);
    for (const char *digit = digits; *digit; digit++) put(c, n, *digit);
}

/* Read a width or a precision at *text: digits, or a star for an argument. Moves *text behind it. False: there is
 * none. */
static bool read_number(const char **text, struct arguments *a, long *number) {
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

/* Parse a conversion specification from text, just behind the %. Returns what follows it. A negative width is a flag
 * and a width. A negative precision counts as none. */
static const char *parse(const char *text, struct arguments *a, struct conversion *c) {
    size_t n = 0;
    long number;
    memset(c, 0, sizeof *c);
    put(c, &n, '%');
    for (; *text && strchr("-+ #0", *text); text++) put(c, &n, *text);
    if (read_number(&text, a, &number)) put_number(c, &n, number);
    if (*text == '.') {
        text++;
        if (!read_number(&text, a, &number)) number = 0;
        if (number >= 0) put(c, &n, '.');
        if (number >= 0) put_number(c, &n, number);
    }
    for (; *text && strchr("hlLjzt", *text); text++) c->longs += *text == 'h' ? -1 : 1;
    c->letter = *text;
    return *text ? text + 1 : text;
}

/* Narrow the value as the length says, then let the host print it as long long. Returns the length, as snprintf
 * does. */
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
        if (!read_string(a->w, a->lane, next_argument(a, 8), string, sizeof string))
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

/* Print format with the arguments at buffer, in the lane's local memory. Returns their number; -1 for a format that is
 * none, as CUDA does. */
static int print(struct warp *w, int lane, const char *format, uint64_t buffer) {
    struct arguments arguments = {w, lane, buffer};
    char out[MAX_STRING + 64];
    int count = 0;
    for (const char *p = format; *p;) {
        const char *percent = strchrnul(p, '%');
        block_print(w->block, p, (size_t)(percent - p));
        if (!*percent) break;
        if (percent[1] == '%') {
            block_print(w->block, "%", 1);
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
        block_print(w->block, out, (size_t)n < sizeof out ? (size_t)n : sizeof out - 1);
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
        if (read_string(w, lane, builtin_argument(w, op, lane, 0), format, sizeof format))
            result = print(w, lane, format, builtin_argument(w, op, lane, 1));
        builtin_return(w, op, lane, (uint32_t)result);
    }
    return true;
}
