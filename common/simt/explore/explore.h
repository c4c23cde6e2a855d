/*
 * explore/explore.h: --explore: writes a program's launches down, for a page on which they can be
 * changed and run again: device code, shapes, parameters, and what is in memory before each.
 *
 * The page has a JSON array, an object a line, so that pages of several runs are joined by their
 * lines (common/tools/explore.sh). Equal lines are one. SIMT_EXPLORE_RUN names the run, as in
 * "size 4096, block 256".
 *
 *   {"blob": NAME, "size": bytes, "data": base64}    or "lz4", a packed block;
 *                                                    or "fill" (explore/fill.h) and "seed"
 *   {"file": PATH, "text": its text}                 a source of kernels
 *   {"run", "gpu", "kernel", "name", "nth", "shape", "params", "types", "code", "arrays"}
 *
 * nth: which launch of that kernel in its run, of those that differ. code: blobs, a module each.
 * arrays: [address, size, name of a variable or "", blob], in the order in which they were made.
 */
#pragma once

#include <stdbool.h>

struct fatbin;
struct gpu;
struct launch;
struct ptx_function;

struct explored {
    const struct launch *grid;
    const struct ptx_function *entry;
    int max_dynamic_shared, carveout; /* as cudaFuncSetAttribute left them */
};

/* Prepares to record if SIMT_EXPLORE names a file. False, with the reason in failure: not
 * possible. */
bool explore_open(void);
/* A module of the program is loaded, for a GPU of that architecture. */
void explore_module(const struct fatbin *fatbin, int arch);
/* The host launches a kernel, which has not begun. */
void explore_launch(const struct explored *launch);
/* Writes the page. False, with the reason in failure: not possible. */
bool explore_close(void);
