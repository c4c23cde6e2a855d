/* image/elf_probe.h: how an executable file uses CUDA. */
#ifndef SIMT_IMAGE_ELF_PROBE_H
#define SIMT_IMAGE_ELF_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_probe {
    int cudart_major;     /* of the libcudart.so it is linked with; 0: none */
    bool has_device_code; /* it has a section of fat binaries */
    bool reads_clock;     /* it calls a function that tells the CPU's time */
    char gpu_library[64]; /* the first library it is linked with that needs a real GPU:
                             libcuda.so.1, say; "": none */
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
/* Is it the driver, or a library whose kernels are machine code and which calls the driver
 * itself? */
bool elf_needs_gpu(const char *library);

#endif
