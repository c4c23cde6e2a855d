/* image/elf_probe.h: how an executable file uses CUDA. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_probe {
    int cudart_major;     /* of the libcudart.so it is linked with; 0: none */
    int static_major;     /* of the runtime that is part of it, unstripped; 0: none */
    bool is_runtime;      /* a shared runtime: it gives its functions to others */
    bool is_dynamic;      /* libraries are loaded for it */
    bool has_device_code; /* it has a section of fat binaries */
    bool reads_clock;     /* it calls a function that tells the CPU's time */
    bool may_read_clock;  /* it, or the runtime that is part of it, does */
    bool uses_driver;     /* it is linked with libcuda.so.1 */
    bool uses_nvrtc;      /* ... with NVIDIA's compiler for programs that run */
    char gpu_library[64]; /* the first library it is linked with that needs a real GPU:
                             libcublas.so.13, say; "": none */
};

/* Read the file at path. False: not a readable 64-bit ELF file, but a script, for example. */
bool elf_probe(const char *path, struct elf_probe *probe);

/* What to call with each thing of a kind. Strings and bytes are the file's, and go when elf_visit()
 * returns. */
struct elf_visitor {
    void (*needed)(const char *name, void *context); /* a library that it is linked with */
    /* a function or variable that it takes from a library */
    void (*import)(const char *name, void *context);
    void (*export)(const char *name, void *context); /* one that it gives */
    /* fat binary containers, one after the other; linked: by nvcc -rdc=true, so that they are one
     * program */
    void (*device_code)(const uint8_t *bytes, size_t size, bool linked, void *context);
    void (*function)(const char *name, uint64_t address, uint64_t size, void *context); /* one of
                         its own, relative to where the file is loaded */
    void *context;
};

/* The same with each thing of the file. A kind whose function is NULL is passed over. */
bool elf_visit(const char *path, const struct elf_visitor *visitor);
/* Is that the name of a function of CUDA's runtime? Others may have such a name, too. */
bool elf_is_runtime_function(const char *name);
/* The same of the driver's API. */
bool elf_is_driver_function(const char *name);
/* Set path to that of our library in folder for programs of that major version of CUDA. */
void elf_runtime_path(int major, const char *folder, char path[PATH_MAX]);
/* Is it a library whose kernels are machine code and which calls the driver
 * itself? */
bool elf_needs_gpu(const char *library);
