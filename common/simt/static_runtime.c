/* static_runtime.c: a library that simt has loaded before a program that is not linked with
 * libcudart.so. Where the CUDA runtime is part of the program, as nvcc links it by default, or of a
 * library that the program is linked with or loads later, each of its functions becomes a jump to
 * ours before anything calls it. They are found by name, so a stripped file stays as it is. */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "image/elf_probe.h"
#include "lib/die.h"

enum { EXIT_NOT_EXECUTABLE = 126 };

#if defined __x86_64__
static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0}; /* jmp *(%rip), the address after it */
#elif defined __aarch64__
static const uint32_t jump[] = {0x58000050, 0xd61f0200}; /* ldr x16, .+8; br x16 */
#else
#error "no jump for this processor: see the file's first comment"
#endif

/* The linker aligns a function so: the bytes after a shorter one are nobody's. */
enum { FUNCTION_ALIGNMENT = 16 };
_Static_assert(sizeof jump + sizeof(void *) <= FUNCTION_ALIGNMENT, "a jump must fit a function");

struct object {
    char *start;   /* where its first segment is loaded */
    void *runtime; /* our library */
};

static void jump_to(char *function, const void *ours) {
    memcpy(function, jump, sizeof jump);
    memcpy(function + sizeof jump, &ours, sizeof ours);
    __builtin___clear_cache(function, function + FUNCTION_ALIGNMENT);
}

static void replace_function(const char *name, uint64_t address, uint64_t size, void *context) {
    const struct object *object = context;
    char *function = object->start + address;
    void *ours = elf_is_runtime_function(name) ? dlsym(object->runtime, name) : NULL;
    (void)size;
    if (ours && (uintptr_t)function % FUNCTION_ALIGNMENT == 0) jump_to(function, ours);
}

/* Our library for programs of that major version of CUDA: it lies beside this one. */
static void *open_runtime(int major) {
    Dl_info self;
    char folder[PATH_MAX], path[PATH_MAX];
    if (!dladdr((void *)(uintptr_t)open_runtime, &self)) return NULL;
    snprintf(folder, sizeof folder, "%s", self.dli_fname);
    elf_runtime_path(major, dirname(folder), path);
    return dlopen(path, RTLD_NOW);
}

/* Let the instructions of a loaded object be written, or be so no more. False: the system does not.
 */
static bool protect_code(const struct dl_phdr_info *info, int protection) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
        uintptr_t start = info->dlpi_addr + segment->p_vaddr, first = start / page * page;
        if (mprotect((void *)first, start + segment->p_memsz - first, protection) != 0)
            return false;
    }
    return true;
}

static void replace_runtime(struct dl_phdr_info *info) {
    const char *path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
    struct elf_probe probe;
    struct object object = {0};
    const struct elf_visitor visitor = {.function = replace_function, .context = &object};
    if (!elf_probe(path, &probe) || !probe.static_major) return;
    object.runtime = open_runtime(probe.static_major);
    if (!object.runtime) die(EXIT_NOT_EXECUTABLE, "%s", dlerror());
    for (int i = info->dlpi_phnum - 1; i >= 0; i--)
        if (info->dlpi_phdr[i].p_type == PT_LOAD)
            object.start = (char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    if (!protect_code(info, PROT_READ | PROT_WRITE | PROT_EXEC))
        die(EXIT_NOT_EXECUTABLE,
            "this system does not let %s's CUDA runtime be replaced: rebuild it with nvcc "
            "-cudart shared",
            *info->dlpi_name ? info->dlpi_name : "the program");
    elf_visit(path, &visitor);
    protect_code(info, PROT_READ | PROT_EXEC);
}

static size_t known; /* objects that were looked at: what is loaded later follows them */

static int look_at(struct dl_phdr_info *info, size_t size, void *context) {
    size_t *n = context;
    (void)size;
    if ((*n)++ < known) return 0;
    known = *n; /* our library, which this loads, comes by here, too */
    replace_runtime(info);
    return 0;
}

/* What dlopen() calls for debuggers when libraries are in memory of which nothing has run yet; and
 * dlclose(). */
static void objects_changed(void) {
    size_t n = 0;
    if (_r_debug.r_state != RT_CONSISTENT) return;
    dl_iterate_phdr(look_at, &n);
    known = n;
}

static int watch_loader(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size, (void)context;
    if (info->dlpi_addr != _r_debug.r_ldbase) return 0;
    if (!protect_code(info, PROT_READ | PROT_WRITE | PROT_EXEC)) return 1;
    jump_to((char *)_r_debug.r_brk, (void *)(uintptr_t)objects_changed);
    protect_code(info, PROT_READ | PROT_EXEC);
    return 1;
}

/* Runs before all other constructors (rules.mk), libc's too: the environment is not set yet. */
__attribute__((constructor)) static void replace_runtimes(int argc, char **argv, char **variables) {
    (void)argc, (void)argv;
    environ = variables;
    die_name = "simt";
    objects_changed();
    if (_r_debug.r_brk % FUNCTION_ALIGNMENT == 0) dl_iterate_phdr(watch_loader, NULL);
}
