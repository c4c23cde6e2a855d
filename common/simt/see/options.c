/* see/options.c: which launch, block and warps the SIMT_SEE_* variables ask for. bin/simt's options
 * set them. */
#include "lib/die.h"
#include "lib/memory.h"
#include "see.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number at *text, which is stepped after it. False: there is none, or it is too large. */
static bool take_number(const char **text, unsigned long most, unsigned long *number) {
    char *end;
    if (!isdigit((unsigned char)**text)) return false;
    *number = strtoul(*text, &end, 10);
    *text = end;
    return *number <= most;
}

/* "3", "3,1" or "3,1,0": what is left out is 0. */
static bool read_block(const char *text, uint32_t block[3]) {
    for (int i = 0; i < 3; i++) {
        unsigned long number;
        if (!take_number(&text, UINT32_MAX, &number)) return false;
        block[i] = (uint32_t)number;
        if (!*text) return true;
        if (*text++ != ',') return false;
    }
    return false;
}

/* "2" or "2-5". */
static bool read_warps(const char *text, uint32_t *from, uint32_t *to) {
    unsigned long first, last;
    if (!take_number(&text, MAX_BLOCK_WARPS - 1, &first)) return false;
    last = first;
    if (*text == '-' && (text++, !take_number(&text, MAX_BLOCK_WARPS - 1, &last))) return false;
    *from = (uint32_t)first;
    *to = (uint32_t)last;
    return !*text && first <= last;
}

/* "a" or "a,b". */
static bool read_kernels(const char *text, struct see_options *options) {
    char *names = need(strdup(text));
    for (char *name = names; name; options->nkernels++) {
        if (options->nkernels == SEE_KERNELS) return false;
        options->kernels[options->nkernels] = strsep(&name, ",");
    }
    return true;
}

/* What another GPU's run has written, as `--trace-format page`. False: it cannot be read, or is
 * something else. The page takes it as it is, so it must not end the page's script element. */
static bool read_beside(const char *path, struct see_options *options) {
    char start[32];
    size_t size = 0;
    FILE *in = fopen(path, "r");
    bool read = in && getdelim(&options->beside, &size, '\0', in) > 0;
    if (in) fclose(in);
    snprintf(start, sizeof start, SEE_TIME_START, SEE_FORMAT);
    return read && strncmp(options->beside, start, strlen(start)) == 0 &&
           !strchr(options->beside, '<');
}

static bool read_format(const char *text, enum see_trace_format *format) {
    static const char *const names[] = {
        [TRACE_CHROME] = "chrome", [TRACE_KANATA] = "kanata", [TRACE_PAGE] = "page"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(text, names[i]) != 0) continue;
        *format = (enum see_trace_format)i;
        return true;
    }
    return false;
}

static bool is_given(const char *text) {
    return text && *text;
}

bool see_read_options(struct see_options *options) {
    const char *kernel = getenv("SIMT_SEE_KERNEL"), *nth = getenv("SIMT_SEE_LAUNCH"),
               *block = getenv("SIMT_SEE_BLOCK"), *warps = getenv("SIMT_SEE_WARPS");
    const char *path = getenv("SIMT_SEE"), *trace = getenv("SIMT_SEE_TRACE"),
               *format = getenv("SIMT_TRACE_FORMAT"), *beside = getenv("SIMT_SEE_BESIDE");
    *options = (struct see_options){.path = is_given(path) ? path : NULL,
                                    .trace = is_given(trace) ? trace : NULL,
                                    .nth = 1,
                                    .to = MAX_BLOCK_WARPS - 1};
    const char *rest = nth;
    if (is_given(nth) && strcmp(nth, "last") == 0) options->nth = SEE_LAST, nth = NULL;
    if (!read_kernels(kernel ? kernel : "", options))
        fail_with("--see-kernel takes one name or two, as in copyRow,copyCol, not '%s'", kernel);
    else if (is_given(nth) &&
             (!take_number(&rest, UINT32_MAX, &options->nth) || *rest || !options->nth))
        fail_with("--see-launch must be a number from 1 on, or last, not '%s'", nth);
    else if (is_given(block) && !read_block(block, options->block))
        fail_with("--see-block must be a block's index, such as 0 or 3,1,0, not '%s'", block);
    else if (is_given(warps) && !read_warps(warps, &options->from, &options->to))
        fail_with("--see-warps must be a warp or a range, such as 0 or 0-3, not '%s'", warps);
    else if (is_given(format) && !read_format(format, &options->format))
        fail_with("--trace-format must be chrome, kanata or page, not '%s'", format);
    else if (is_given(beside) && options->nkernels > 1)
        fail_with("--see-beside is for one kernel, and --see-kernel names two: take one");
    else if (is_given(beside) && !read_beside(beside, options))
        fail_with("%s: not a file that --see-trace wrote with --trace-format page: write it first",
                  beside);
    else
        return true;
    return false;
}
