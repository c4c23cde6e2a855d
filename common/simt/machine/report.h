/*
 * machine/report.h: all that the simulator says: notes of one line ("simt: ..."), and reports about
 * kernels, made of the same parts everywhere and worded as compute-sanitizer words them:
 *
 *   ========= Invalid __global__ write of size 4 bytes
 *   =========     at scale(float*, int) in scale.cu:12
 *   =========     by thread (7,0,0) in block (0,0,0)
 */
#pragma once

#include "machine.h"

#define REPORT_HEAD "========= "     /* begins a report */
#define REPORT_MORE "=========     " /* begins its other lines */

/* What to do where threads do not come to a barrier. */
#define HINT_BLOCK                                                                                 \
    REPORT_MORE "Hint: all threads of the block must come to __syncthreads(): move it out of the " \
                "if or the loop, and "                                                             \
                "let none return before it"
#define HINT_WARP                                                                                  \
    REPORT_MORE "Hint: all lanes that the mask names must come here: move it out of the if, or "   \
                "name those that come"

/* The rest of a buffer: at, where the next character goes; left, bytes up to its end. What does not
 * fit is cut off. */
struct text {
    char *at;
    size_t left;
};

/* Append as printf does. */
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The C++ name of a function, where the program brought the C++ library with it. */
void text_name(struct text *text, const char *mangled);
/* "scale(float*, int) in scale.cu:12"; without line information, the line of the PTX. function:
 * where insn stands; kernel: what was launched. insn may be NULL. */
void text_place(struct text *text, const struct ptx_function *kernel,
                const struct ptx_function *function, const struct ptx_insn *insn);
/* The line of the program that insn stands for: of a call, where the CUDA toolkit's own headers
 * were inlined there. False, and the line of the PTX, where there is no line information. */
bool text_source(const struct ptx_module *module, const struct ptx_insn *insn, const char **file,
                 int32_t *line);
/* The line that calls the inlined function which insn is in; of several, the outermost. False:
 * there is none. */
bool text_caller(const struct ptx_module *module, const struct ptx_insn *insn, const char **file,
                 int32_t *line);
/* "thread (7,0,0)", thread counted from 0 in its block. */
void text_thread(struct text *text, const struct launch_shape *shape, uint32_t thread);
/* "block (0,0,0)", block counted in launch order. */
void text_block(struct text *text, const struct launch_shape *shape, uint64_t block);

/* ---- Printing: on standard error, after all that the program has printed so far ---- */

/* From now on what report_print prints is also appended to that file. False with a sentence in
 * failure: it cannot be. */
bool report_copy_to(const char *path);
/* The text as it is. */
void report_print(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A line: "simt: " and the text. */
void report_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
