/*
 * image/cubin.h: the resources of kernels, as an ELF file by ptxas states them. The machine code
 * itself is not used.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cubin_function {
    const char *name;
    uint32_t symbol;       /* its number in the symbol table */
    int registers;         /* per thread, as ptxas -v says */
    uint64_t shared_bytes; /* static shared memory per block */
    uint64_t code_bytes;
    uint32_t text;                   /* its section */
    const struct machine_code *code; /* NULL: not read, or no table leads from it to the PTX */
};

struct cubin {
    struct cubin_function *functions; /* kernels, and device functions that were not inlined */
    int nfunctions;
    struct arena *arena;
};

/* Read size bytes and nothing beyond them. Returns a cubin to be freed with cubin_free(), or NULL
 * with a one-line message. */
struct cubin *cubin_read(const void *bytes, size_t size, char *error, size_t error_size);
/* Read the instructions of its functions too, from the same bytes. */
void cubin_read_code(struct cubin *cubin, const void *bytes, size_t size);
void cubin_free(struct cubin *cubin);
/* The function of that (mangled) name, or NULL. */
const struct cubin_function *cubin_find(const struct cubin *cubin, const char *name);
