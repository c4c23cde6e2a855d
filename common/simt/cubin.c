/*
 * cubin.c: an ELF reader for just this: section .text.<name> has the register count in the top byte of sh_info, section
 * .nv.shared.<name> is as large as the kernel's static shared memory. Checked against ptxas -v.
 */
#include "cubin.h"

#include "arena.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#define TEXT_PREFIX     ".text."
#define SHARED_PREFIX   ".nv.shared."
#define REGISTERS_SHIFT 24

/* The file, and its section headers, which lie wholly inside it. */
struct elf {
    const uint8_t *bytes;
    size_t size;
    uint64_t sections; /* offset of the headers */
    uint32_t nsections;
    Elf64_Shdr names; /* the section of section names */
};

static Elf64_Shdr section(const struct elf *elf, uint32_t i) {
    Elf64_Shdr header;
    memcpy(&header, elf->bytes + elf->sections + (uint64_t)i * sizeof header, sizeof header);
    return header;
}

static bool fits(const struct elf *elf, uint64_t offset, uint64_t size) {
    return offset <= elf->size && size <= elf->size - offset;
}

/* The name of a section, or "" where it is not a string inside the file. */
static const char *section_name(const struct elf *elf, const Elf64_Shdr *header) {
    const char *names = (const char *)elf->bytes + elf->names.sh_offset;
    uint64_t left = elf->names.sh_size;
    if (header->sh_name >= left || !memchr(names + header->sh_name, '\0', left - header->sh_name)) return "";
    return names + header->sh_name;
}

/* Check the headers; a message, or NULL when all is well. */
static const char *open_elf(struct elf *elf) {
    Elf64_Ehdr header;
    if (elf->size < sizeof header) return "it is too short";
    memcpy(&header, elf->bytes, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
        return "it is no 64-bit ELF file";
    if (header.e_shentsize != sizeof(Elf64_Shdr) ||
        !fits(elf, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr)))
        return "its section headers lie outside it";
    elf->sections = header.e_shoff;
    elf->nsections = header.e_shnum;
    if (header.e_shstrndx >= elf->nsections) return "it has no section names";
    elf->names = section(elf, header.e_shstrndx);
    return fits(elf, elf->names.sh_offset, elf->names.sh_size) ? NULL : "its section names lie outside it";
}

/* The function's name if the section is named prefix + function, else NULL. */
static const char *strip(const char *name, const char *prefix) {
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

static void add_functions(const struct elf *elf, struct cubin *cubin) {
    cubin->functions = arena_array(cubin->arena, elf->nsections, sizeof *cubin->functions);
    for (uint32_t i = 0; i < elf->nsections; i++) {
        Elf64_Shdr header = section(elf, i);
        const char *name = strip(section_name(elf, &header), TEXT_PREFIX);
        if (!name) continue;
        struct cubin_function *function = &cubin->functions[cubin->nfunctions++];
        function->name = arena_string(cubin->arena, name, strlen(name));
        function->registers = (int)(header.sh_info >> REGISTERS_SHIFT);
    }
}

static void add_shared_sizes(const struct elf *elf, struct cubin *cubin) {
    for (uint32_t i = 0; i < elf->nsections; i++) {
        Elf64_Shdr header = section(elf, i);
        const char *name = strip(section_name(elf, &header), SHARED_PREFIX);
        struct cubin_function *function = name ? (struct cubin_function *)cubin_find(cubin, name) : NULL;
        if (function) function->shared_bytes = header.sh_size;
    }
}

struct cubin *cubin_read(const void *bytes, size_t size, char *error, size_t error_size) {
    struct elf elf = {.bytes = bytes, .size = size};
    const char *problem = open_elf(&elf);
    struct arena *arena = problem ? NULL : arena_new();
    if (!arena) {
        snprintf(error, error_size, "machine code cannot be read: %s", problem ? problem : "out of memory");
        return NULL;
    }
    struct cubin *cubin = arena_alloc(arena, sizeof *cubin);
    cubin->arena = arena;
    add_functions(&elf, cubin);
    add_shared_sizes(&elf, cubin);
    return cubin;
}

void cubin_free(struct cubin *cubin) {
    if (cubin) arena_free(cubin->arena);
}

const struct cubin_function *cubin_find(const struct cubin *cubin, const char *name) {
    for (int i = 0; i < cubin->nfunctions; i++) {
        if (strcmp(cubin->functions[i].name, name) == 0) return &cubin->functions[i];
    }
    return NULL;
}
