/* api/caller.c: names functions of the program by its symbols: addresses of the stack are all that
 * there is. */
#include "caller.h"

#include "simt/image/elf_probe.h"
#include "simt/machine/report.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>
#include <ucontext.h>

#define MOST_FRAMES 16

/* What is looked for, and what was found. */
struct search {
    uint64_t address;
    char name[256];
};

static void caller_look(const char *name, uint64_t address, uint64_t size, void *context) {
    struct search *search = context;
    struct text text = {search->name, sizeof search->name};
    if (search->address >= address && search->address - address < size && !*search->name)
        text_name(&text, name);
}

const char *rt_function_at(const void *code) {
    static struct search search;
    const struct elf_visitor visitor = {.function = caller_look, .context = &search};
    Dl_info info;
    search = (struct search){0};
    if (!code || !dladdr(code, &info)) return "";
    search.address = (uintptr_t)code - (uintptr_t)info.dli_fbase;
    elf_visit(info.dli_fname, &visitor);
    return search.name;
}

const void *rt_code_of(const void *context) {
    const mcontext_t *machine = &((const ucontext_t *)context)->uc_mcontext;
#if defined(__x86_64__)
    return (const void *)(uintptr_t)machine->gregs[REG_RIP];
#elif defined(__aarch64__)
    return (const void *)(uintptr_t)machine->pc;
#else
    (void)machine;
    return NULL;
#endif
}

/* Is it a function of CUDA's headers, such as cudaMalloc<int>? */
static bool is_template(const void *code) {
    return strstr(rt_function_at(code), "cudaMalloc") != NULL;
}

const void *rt_caller(void) {
    void *frames[MOST_FRAMES];
    Dl_info ours, info;
    int n = backtrace(frames, MOST_FRAMES);
    if (!dladdr((const void *)(uintptr_t)rt_caller, &ours)) return NULL;
    for (int i = 0; i < n; i++) {
        if (!dladdr(frames[i], &info) || info.dli_fbase == ours.dli_fbase) continue;
        /* what the frame has is where the call returns to */
        const void *call = (const char *)frames[i] - 1;
        if (!is_template(call)) return call;
    }
    return NULL;
}
