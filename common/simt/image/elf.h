/* image/elf.h: the sections of a 64-bit ELF file in memory. Whatever the file says, nothing outside
 * it is read. */
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The file, and its section headers, which lie wholly inside it. */
struct elf {
    const uint8_t *bytes;
    size_t size;
    uint64_t sections; /* offset of the headers */
    uint32_t nsections;
    Elf64_Shdr names; /* the section of section names */
    int architecture; /* of CUDA machine code: 75 for sm_75 */
};

/* Check the headers of elf->size bytes at elf->bytes, and set the rest; a message, or NULL when all
 * is well. */
const char *elf_open(struct elf *elf);
/* The header of section i, which is less than nsections. */
Elf64_Shdr elf_section(const struct elf *elf, uint32_t i);
/* The name of a section, or "" where it is not a string inside the file. */
const char *elf_name(const struct elf *elf, const Elf64_Shdr *header);
/* Do these bytes lie inside the file? */
bool elf_fits(const struct elf *elf, uint64_t offset, uint64_t size);
/* Find the section of that name whose bytes lie inside the file; false: there is none. */
bool elf_find(const struct elf *elf, const char *name, Elf64_Shdr *found, uint32_t *index);
