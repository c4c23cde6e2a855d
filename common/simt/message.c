/* message.c: the parts of messages about kernels. */
#include "message.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void text_add(struct text *text, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text->at, text->left, format, list);
    va_end(list);
    size_t used = n < 0 ? 0 : (size_t)n < text->left ? (size_t)n : text->left - 1;
    text->at += used;
    text->left -= used;
}

void text_name(struct text *text, const char *mangled) {
    typedef char *demangler(const char *, char *, size_t *, int *);
    demangler *demangle = (demangler *)(uintptr_t)dlsym(RTLD_DEFAULT, "__cxa_demangle");
    int status = -1;
    char *name = demangle ? demangle(mangled, NULL, NULL, &status) : NULL;
    text_add(text, "%s", name && status == 0 ? name : mangled);
    free(name);
}

void text_place(struct text *text, const struct ptx_function *kernel, const struct ptx_function *function,
                const struct ptx_insn *insn) {
    const struct ptx_module *module = function->module;
    char spelled[64];
    text_name(text, kernel->name);
    if (function != kernel) {
        text_add(text, ", function ");
        text_name(text, function->name);
    }
    if (!insn) return;
    if (insn->line > 0 && insn->file >= 0 && insn->file < module->nfiles && module->files[insn->file])
        text_add(text, " in %s:%d", module->files[insn->file], insn->line);
    else
        text_add(text, " in line %d of the PTX (%s; compile with -lineinfo to see the source line)", insn->ptx_line,
                 ptx_spell(insn, spelled, sizeof spelled));
}

void text_thread(struct text *text, const uint32_t size[3], uint32_t thread) {
    text_add(text, "thread (%u,%u,%u)", thread % size[0], thread / size[0] % size[1], thread / size[0] / size[1]);
}

void text_block(struct text *text, const uint32_t size[3], uint64_t block) {
    text_add(text, "block (%u,%u,%u)", (unsigned)(block % size[0]), (unsigned)(block / size[0] % size[1]),
             (unsigned)(block / size[0] / size[1]));
}
