/* static_runtime.c: a library that simt has loaded before a program that is not linked with
 * libcudart.so. Where the CUDA runtime is part of the program, as nvcc links it by default, or of a
 * library that the program is linked with, each of its functions becomes a jump to ours before
 * anything calls it. They are found by name, so a stripped file stays as it is. */
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

static void replace_function(const char *name, uint64_t address, uint64_t size, void *context) {
    const struct object *object = context;
    char *function = object->start + address;
    void *ours = elf_is_runtime_function(name) ? dlsym(object->runtime, name) : NULL;
    (void)size;
    if (!ours || (uintptr_t)function % FUNCTION_ALIGNMENT) return;
    memcpy(function, jump, sizeof jump);
    memcpy(function + sizeof jump, &ours, sizeof ours);
    __builtin___clear_cache(function, function + FUNCTION_ALIGNMENT);
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

/* Let the instructions of a loaded object be written, or be so no more. */
static void protect_code(const struct dl_phdr_info *info, int protection) {
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
        uintptr_t start = info->dlpi_addr + segment->p_vaddr, first = start / page * page;
        if (mprotect((void *)first, start + segment->p_memsz - first, protection) != 0)
            die(EXIT_NOT_EXECUTABLE,
                "this system does not let %s's CUDA runtime be replaced: rebuild it with nvcc "
                "-cudart shared",
                *info->dlpi_name ? info->dlpi_name : "the program");
    }
}

static int replace_runtime(struct dl_phdr_info *info, size_t size, void *context) {
    const char *path = *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
    struct elf_probe probe;
    struct object object = {0};
    const struct elf_visitor visitor = {.function = replace_function, .context = &object};
    (void)size, (void)context;
    if (!elf_probe(path, &probe) || !probe.static_major) return 0;
    object.runtime = open_runtime(probe.static_major);
    if (!object.runtime) die(EXIT_NOT_EXECUTABLE, "%s", dlerror());
    for (int i = info->dlpi_phnum - 1; i >= 0; i--)
        if (info->dlpi_phdr[i].p_type == PT_LOAD)
            object.start = (char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
    protect_code(info, PROT_READ | PROT_WRITE | PROT_EXEC);
    elf_visit(path, &visitor);
    protect_code(info, PROT_READ | PROT_EXEC);
    return 0;
}

/* Runs before all other constructors (rules.mk), libc's too: the environment is not set yet. */
__attribute__((constructor)) static void replace_runtimes(int argc, char **argv, char **variables) {
    (void)argc, (void)argv;
    environ = variables;
    die_name = "simt";
    dl_iterate_phdr(replace_runtime, NULL);
}
