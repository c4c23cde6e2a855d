/* machine/report.c: the parts of reports about kernels, and how they are printed. */
#include "report.h"

#include "lib/die.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_LENGTH 160 /* characters shown: a template's name can fill pages */

/* What does not fit is cut off; the text always ends with 0. */
void text_add(struct text *text, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text->at, text->left, format, list);
    va_end(list);
    size_t used = n < 0 ? 0 : (size_t)n < text->left ? (size_t)n : text->left - 1;
    text->at += used;
    text->left -= used;
}

typedef char *demangler(const char *, char *, size_t *, int *);

/* The C++ library's, if the program has loaded it, perhaps for one of its libraries alone: simt
 * itself is C. NULL: it has not. */
static demangler *find_demangler(void) {
    static const char function[] = "__cxa_demangle";
    void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
    void *found = dlsym(library ? library : RTLD_DEFAULT, function);
    if (library) dlclose(library);
    return (demangler *)(uintptr_t)found;
}

/* Without a demangler the mangled name. */
void text_name(struct text *text, const char *mangled) {
    demangler *demangle = find_demangler();
    int status = -1;
    char *name = demangle ? demangle(mangled, NULL, NULL, &status) : NULL;
    const char *shown = name && status == 0 ? name : mangled;
    text_add(text, "%.*s%s", NAME_LENGTH, shown, strlen(shown) > NAME_LENGTH ? "..." : "");
    free(name);
}

/* A source file by its number in the PTX; NULL: the PTX has none. */
static const char *file_name(const struct ptx_module *module, int32_t file) {
    return file >= 0 && file < module->nfiles ? module->files[file] : NULL;
}

/* Is the file one of the CUDA toolkit or the system? The user did not write it. */
static bool is_toolkit_header(const char *file) {
    static const char *const folders[] = {"/targets/x86_64-linux/include/", "/usr/include/",
                                          "/cuda/include/", "/bin/../include/",
                                          "/site-packages/nvidia/"};
    for (size_t i = 0; file && i < sizeof folders / sizeof *folders; i++)
        if (strstr(file, folders[i])) return true;
    return false;
}

/* Line information says where a call was inlined: follow it outwards until a line of the
 * program. */
bool text_source(const struct ptx_module *module, const struct ptx_insn *insn, const char **file,
                 int32_t *line) {
    int32_t inlined = insn->inlined;
    *file = file_name(module, insn->file);
    *line = insn->line;
    while (is_toolkit_header(*file) && inlined >= 0 && inlined < module->ninlined) {
        const struct ptx_inlined *note = &module->inlined[inlined];
        *file = file_name(module, note->at_file);
        *line = note->at_line;
        inlined = note->parent;
    }
    if (*file && *line > 0) return true;
    *file = "";
    *line = insn->ptx_line;
    return false;
}

bool text_caller(const struct ptx_module *module, const struct ptx_insn *insn, const char **file,
                 int32_t *line) {
    const char *own;
    int32_t own_line;
    bool known = text_source(module, insn, &own, &own_line);
    *file = NULL;
    for (int32_t i = insn->inlined; i >= 0 && i < module->ninlined; i = module->inlined[i].parent) {
        *file = file_name(module, module->inlined[i].at_file);
        *line = module->inlined[i].at_line;
    }
    return known && *file && *line > 0 && (*line != own_line || strcmp(*file, own) != 0);
}

void text_place(struct text *text, const struct ptx_function *kernel,
                const struct ptx_function *function, const struct ptx_insn *insn) {
    char spelled[64];
    const char *file;
    int32_t line;
    text_name(text, kernel->name);
    if (function != kernel) {
        text_add(text, ", function ");
        text_name(text, function->name);
    }
    if (!insn) return;
    if (text_source(function->module, insn, &file, &line))
        text_add(text, " in %s:%d", file, line);
    else
        text_add(text, " in line %d of the PTX (%s; compile with -lineinfo to see the source line)",
                 line, ptx_spell(insn, spelled, sizeof spelled));
}

void text_thread(struct text *text, const struct launch_shape *shape, uint32_t thread) {
    const uint32_t *size = shape->block;
    text_add(text, "thread (%u,%u,%u)", thread % size[0], thread / size[0] % size[1],
             thread / size[0] / size[1]);
}

void text_block(struct text *text, const struct launch_shape *shape, uint64_t block) {
    const uint32_t *size = shape->grid;
    text_add(text, "block (%u,%u,%u)", (unsigned)(block % size[0]),
             (unsigned)(block / size[0] % size[1]), (unsigned)(block / size[0] / size[1]));
}

/* The program's own output comes first. stderr stays locked for the whole text. */
static void print_between(const char *before, const char *format, va_list arguments,
                          const char *after) {
    fflush(stdout);
    flockfile(stderr); /* other threads may print */
    fputs(before, stderr);
    vfprintf(stderr, format, arguments);
    fputs(after, stderr);
    funlockfile(stderr);
}

static int copy = -1; /* of what report_print prints; -1: none */

bool report_copy_to(const char *path) {
    copy = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    return copy >= 0 || fail_with("%s: cannot write reports: %s", path, strerror(errno));
}

void report_print(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_between("", format, arguments, "");
    va_end(arguments);
    if (copy < 0) return;
    va_start(arguments, format);
    vdprintf(copy, format, arguments);
    va_end(arguments);
}

void report_note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_between("simt: ", format, arguments, "\n");
    va_end(arguments);
}
