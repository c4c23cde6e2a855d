/*
 * supports.c: simt --supports: what a program uses that the simulator lacks.
 *
 * Kernels are decoded as at their first launch, so what is named here is what would stop a thread
 * that reaches it. Of the runtime, the program's file names the functions, but not which arguments
 * they are called with.
 */
#include "supports.h"

#include "lib/die.h"
#include "lib/file.h"
#include "lib/memory.h"
#include "simt/decode/kernel.h"
#include "simt/device/gpu.h"
#include "simt/device/host.h"
#include "simt/image/cubin.h"
#include "simt/image/elf_probe.h"
#include "simt/image/fatbin.h"
#include "simt/machine/isa.h"
#include "simt/machine/report.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_ALL_THERE = 0, EXIT_LACKING = 1, EXIT_NO_PROGRAM = 2 };

#define CONTAINER_ALIGN 8
#define TEXT_BYTES      512

/* Something that is missing. line: in the source, "-": none is known. where: the first kernel that
 * uses it. */
struct lack {
    char *what, *line, *where;
    unsigned more; /* kernels that use it, too */
};

/* What a program uses. */
struct use {
    const struct gpu *gpu;
    struct lack *lacks;
    size_t nlacks;
    char **functions; /* of the runtime, that it calls */
    bool *exported;   /* each of them: our library has it */
    size_t nfunctions;
    const struct ptx_function *kernel; /* that is looked at */
    struct ptx_module **units;         /* of device code that is linked together */
    int nunits;
    unsigned kernels, containers;
    bool instructions; /* kernels lack some */
    bool no_ptx;       /* for the GPU, of a container that has other device code */
    bool has_runtime;  /* that simt takes the place of: shared, or part of it */
};

static struct lack *find_lack(struct use *use, const char *what, const char *line) {
    for (size_t i = 0; i < use->nlacks; i++)
        if (!strcmp(use->lacks[i].what, what) && !strcmp(use->lacks[i].line, line))
            return &use->lacks[i];
    return NULL;
}

static void add_lack(struct use *use, const char *kind, const char *name, const char *line,
                     const char *where) {
    char *what = need_text("%s%s", kind, name);
    struct lack *lack = find_lack(use, what, line);
    if (lack) {
        lack->more += strcmp(lack->where, where) != 0;
        free(what);
        return;
    }
    use->lacks = need(realloc(use->lacks, (use->nlacks + 1) * sizeof *use->lacks));
    use->lacks[use->nlacks++] =
        (struct lack){what, need_text("%s", line), need_text("%s", where), 0};
}

/* ---- Device code ---- */

static void note_instruction(const struct ptx_function *function, const struct ptx_insn *insn,
                             void *context) {
    struct use *use = context;
    char spelled[TEXT_BYTES], line[TEXT_BYTES], kernel[TEXT_BYTES];
    const char *file;
    int32_t number;
    if (text_source(function->module, insn, &file, &number))
        snprintf(line, sizeof line, "%s:%d", file, number);
    else
        snprintf(line, sizeof line, "PTX:%d", number);
    text_name(&(struct text){kernel, sizeof kernel}, use->kernel->name);
    use->instructions = true;
    add_lack(use, insn->op == PTX_CALL ? "device function " : "instruction ",
             lacking_name(function, insn, spelled, sizeof spelled), line, kernel);
}

static void look_at_kernels(struct use *use, const struct ptx_module *unit) {
    for (int i = 0; i < unit->nfunctions; i++) {
        const struct ptx_function *function = &unit->functions[i];
        if (!function->is_entry || function->definition != function) continue;
        struct kernel *kernel = kernel_prepare(function, use->gpu, isa_best());
        use->kernel = function;
        use->kernels++;
        kernel_each_lacking(kernel, note_instruction, use);
        kernel_free(kernel);
    }
}

/* Links the units read so far, looks at their kernels, and forgets them. */
static void look_at_units(struct use *use) {
    char error[TEXT_BYTES];
    if (!use->nunits) return;
    if (ptx_link(use->units, use->nunits, error, sizeof error)) {
        for (int i = 0; i < use->nunits; i++) ptx_analyse(use->units[i]);
        for (int i = 0; i < use->nunits; i++) look_at_kernels(use, use->units[i]);
    } else {
        add_lack(use, "linkable device code: ", error, "-", "device code");
    }
    for (int i = 0; i < use->nunits; i++) ptx_free(use->units[i]);
    use->nunits = 0;
}

static void read_ptx(struct use *use, const char *text, size_t length) {
    char error[TEXT_BYTES];
    struct ptx_module *unit = ptx_parse(text, length, error, sizeof error);
    if (!unit) {
        add_lack(use, "readable PTX: ", error, "-", "device code");
        return;
    }
    use->units = need(realloc(use->units, ((size_t)use->nunits + 1) * sizeof *use->units));
    use->units[use->nunits++] = unit;
}

/* Is there a kernel in the machine code? nvcc adds an image without any to a program without
 * kernels. */
static bool has_machine_code(const struct fatbin *fatbin) {
    char error[TEXT_BYTES];
    bool found = false;
    for (int i = 0; i < fatbin->nimages && !found; i++) {
        const struct fatbin_image *image = &fatbin->images[i];
        struct cubin *cubin = image->kind == FATBIN_ELF
                                  ? cubin_read(image->bytes, image->size, error, sizeof error)
                                  : NULL;
        found = cubin && cubin->nfunctions;
        cubin_free(cubin);
    }
    return found;
}

/* Is there PTX, though none for the GPU? */
static bool has_ptx(const struct fatbin *fatbin) {
    for (int i = 0; i < fatbin->nimages; i++)
        if (fatbin->images[i].kind == FATBIN_PTX) return true;
    return false;
}

static void use_container(struct use *use, const uint8_t *bytes, size_t size) {
    char error[TEXT_BYTES];
    struct fatbin *fatbin = fatbin_read_container(bytes, size, error, sizeof error);
    if (!fatbin) add_lack(use, "readable device code: ", error, "-", "device code");
    const struct fatbin_image *image =
        fatbin ? fatbin_find(fatbin, 0, FATBIN_PTX, gpu_arch(use->gpu)) : NULL;
    if (image) read_ptx(use, (const char *)image->bytes, image->size);
    use->no_ptx |= fatbin && !image && (has_ptx(fatbin) || has_machine_code(fatbin));
    use->containers++;
    fatbin_free(fatbin);
}

/* Containers lie one after the other, with zeros between them. */
static void take_device_code(const uint8_t *bytes, size_t size, bool linked, void *context) {
    struct use *use = context;
    while (size >= CONTAINER_ALIGN) {
        size_t length = fatbin_container_size(bytes, size);
        if (length) use_container(use, bytes, length);
        if (!linked) look_at_units(use);
        size_t step = length ? (length + CONTAINER_ALIGN - 1) / CONTAINER_ALIGN * CONTAINER_ALIGN
                             : CONTAINER_ALIGN;
        if (step > size) step = size;
        bytes += step;
        size -= step;
    }
    look_at_units(use);
}

/* ---- Host code ---- */

static void take_import(const char *name, void *context) {
    struct use *use = context;
    if (!elf_is_runtime_function(name) && !elf_is_driver_function(name)) return;
    use->functions = need(realloc(use->functions, (use->nfunctions + 1) * sizeof *use->functions));
    use->functions[use->nfunctions++] = need_text("%s", name);
}

static void take_needed(const char *name, void *context) {
    struct use *use = context;
    if (elf_needs_gpu(name))
        add_lack(use, "library ", name, "-", "linked with the program; it needs a real GPU");
}

/* Functions that exist as symbols only. */
static bool only_named(const char *name) {
    static const char *const names[] = {
#define UNSUPPORTED(name) #name,
#include "simt/api/unsupported.def"
#include "simt/extra/driver/unsupported.def"
#undef UNSUPPORTED
        NULL};
    for (size_t i = 0; names[i]; i++)
        if (!strcmp(names[i], name)) return true;
    return false;
}

/* Marks the functions that our library has. */
static void take_export(const char *name, void *context) {
    struct use *use = context;
    for (size_t i = 0; i < use->nfunctions; i++)
        use->exported[i] |= !strcmp(use->functions[i], name);
}

/* Our library is one of a few versions of one list. */
static void look_at_functions(struct use *use) {
    char library[PATH_MAX];
    const struct elf_visitor visitor = {.export = take_export, .context = use};
    use->exported = need(calloc(use->nfunctions + 1, sizeof *use->exported));
    if (library_file("libcudart.so.13", library)) elf_visit(library, &visitor);
    for (size_t i = 0; i < use->nfunctions; i++)
        if (only_named(use->functions[i]) || !use->exported[i])
            add_lack(use, "function ", use->functions[i], "-", "host code");
}

/* ---- The report ---- */

/* A table whose columns are as wide as their widest cell. */
static void print_table(const struct use *use, const char *path) {
    int what = 4, line = 4;
    for (size_t i = 0; i < use->nlacks; i++) {
        if ((int)strlen(use->lacks[i].what) > what) what = (int)strlen(use->lacks[i].what);
        if ((int)strlen(use->lacks[i].line) > line) line = (int)strlen(use->lacks[i].line);
    }
    printf("%s uses what simt does not have\n\n", path);
    printf("%-*s  %-*s  %s\n", what, "what", line, "line", "where");
    for (size_t i = 0; i < use->nlacks; i++) {
        const struct lack *lack = &use->lacks[i];
        printf("%-*s  %-*s  %s", what, lack->what, line, lack->line, lack->where);
        if (lack->more) printf(" and %u more", lack->more);
        putchar('\n');
    }
    if (use->instructions)
        puts("\nA launch fails when a thread reaches such an instruction, not before.");
}

/* What the program's file as a whole lacks. */
static void look_at_whole(struct use *use) {
    if (use->containers && !use->has_runtime)
        add_lack(use, "the CUDA runtime", "", "-",
                 "linked in, without the names of its functions: build without -s");
    if (use->no_ptx && !use->kernels)
        add_lack(use, "PTX for this GPU", "", "-",
                 "build with -gencode arch=compute_75,code=compute_75");
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && !strcmp(text + length - tail, end);
}

int supports_report(const char *path, const struct gpu *gpu) {
    struct use use = {.gpu = gpu};
    const struct elf_visitor visitor = {.needed = take_needed,
                                        .import = take_import,
                                        .device_code = take_device_code,
                                        .context = &use};
    dlopen("libstdc++.so.6", RTLD_NOW | RTLD_GLOBAL); /* to print kernels' names as in the source */
    struct elf_probe probe;
    if (elf_probe(path, &probe) && elf_visit(path, &visitor)) {
        use.has_runtime = probe.cudart_major || probe.static_major;
        look_at_functions(&use);
        look_at_whole(&use);
    } else if (ends_with(path, ".ptx")) {
        char *text = read_whole_file(path, NULL);
        if (!text) die(EXIT_NO_PROGRAM, "cannot read %s", path);
        read_ptx(&use, text, strlen(text));
        look_at_units(&use);
        free(text);
    } else {
        die(EXIT_NO_PROGRAM, "%s: neither a program nor PTX", path);
    }
    if (use.nlacks)
        print_table(&use, path);
    else
        printf("simt has all that %s uses: %u kernel%s, %zu function%s of CUDA\n", path,
               use.kernels, use.kernels == 1 ? "" : "s", use.nfunctions,
               use.nfunctions == 1 ? "" : "s");
    return use.nlacks ? EXIT_LACKING : EXIT_ALL_THERE;
}
