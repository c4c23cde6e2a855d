/*
 * image/fatbin.h: what nvcc embeds in a program: per object file, images of its device code as PTX
 * and as machine code (ELF).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum fatbin_kind { FATBIN_PTX = 1, FATBIN_ELF = 2 };

/* One image, uncompressed. */
struct fatbin_image {
    enum fatbin_kind kind;
    int arch;   /* 75 for compute_75 or sm_75 */
    int last;   /* the newest architecture that it is for: 90 for compute_90a, 109 for
                   compute_100f, else INT_MAX */
    int object; /* which object file's, from 0: images of one object are alternatives, objects are
                   linked together */
    const uint8_t *bytes;
    size_t size;         /* PTX: without trailing NULs */
    const char *options; /* those ptxas was given for it, "": none */
};

struct fatbin {
    struct fatbin_image *images; /* in the order found */
    int nimages;
    int nobjects;
    struct arena *arena; /* owns what was decompressed */
};

/* What __cudaRegisterFatBinary is given. Version 2: objects is a NULL-terminated array of
 * containers. */
#define FATBIN_WRAPPER_MAGIC 0x466243B1u
struct fatbin_wrapper {
    uint32_t magic, version;
    const void *container;
    const void *const *objects;
};

/*
 * Read the wrapper that __cudaRegisterFatBinary is given, and all it points to (it is the program's
 * own memory: the containers' sizes are taken from their headers). Returns a fatbin to be freed
 * with fatbin_free(), or NULL with a one-line message. Uncompressed images point into the program's
 * memory.
 */
struct fatbin *fatbin_read(const void *wrapper, char *error, size_t error_size);
/* Read one container of size bytes and nothing beyond them, whatever its header says. */
struct fatbin *fatbin_read_container(const void *bytes, size_t size, char *error,
                                     size_t error_size);
/* The bytes of the container that begins there; 0: none does, or it goes beyond size. */
size_t fatbin_container_size(const void *bytes, size_t size);
void fatbin_free(struct fatbin *fatbin);

/* An object's image of that kind for the highest architecture up to arch that it is for, or
 * NULL. */
const struct fatbin_image *fatbin_find(const struct fatbin *fatbin, int object,
                                       enum fatbin_kind kind, int arch);

/* Write the images that a GPU of that architecture may use, uncompressed: a container an object. */
void fatbin_write(FILE *out, const struct fatbin *fatbin, int arch);
