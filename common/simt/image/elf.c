/* image/elf.c: an ELF reader that trusts nothing. */
#include "elf.h"

#include <string.h>

Elf64_Shdr elf_section(const struct elf *elf, uint32_t i) {
    Elf64_Shdr header;
    memcpy(&header, elf->bytes + elf->sections + (uint64_t)i * sizeof header, sizeof header);
    return header;
}

bool elf_fits(const struct elf *elf, uint64_t offset, uint64_t size) {
    return offset <= elf->size && size <= elf->size - offset;
}

/* The name of a section, or "" where it is not a string inside the file. */
const char *elf_name(const struct elf *elf, const Elf64_Shdr *header) {
    const char *names = (const char *)elf->bytes + elf->names.sh_offset;
    uint64_t left = elf->names.sh_size;
    if (header->sh_name >= left || !memchr(names + header->sh_name, '\0', left - header->sh_name))
        return "";
    return names + header->sh_name;
}

/* Check the headers; a message, or NULL when all is well. */
const char *elf_open(struct elf *elf) {
    Elf64_Ehdr header;
    if (elf->size < sizeof header) return "it is too short";
    memcpy(&header, elf->bytes, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
        return "it is no 64-bit ELF file";
    if (header.e_shentsize != sizeof(Elf64_Shdr) ||
        !elf_fits(elf, header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr)))
        return "its section headers lie outside it";
    elf->sections = header.e_shoff;
    elf->nsections = header.e_shnum;
    if (header.e_shstrndx >= elf->nsections) return "it has no section names";
    elf->names = elf_section(elf, header.e_shstrndx);
    elf->architecture = (int)(header.e_ident[EI_ABIVERSION] < 8 ? header.e_flags & 0xFF
                                                                : header.e_flags >> 8 & 0xFF);
    return elf_fits(elf, elf->names.sh_offset, elf->names.sh_size)
               ? NULL
               : "its section names lie outside it";
}

bool elf_find(const struct elf *elf, const char *name, Elf64_Shdr *found, uint32_t *index) {
    for (uint32_t i = 0; i < elf->nsections; i++) {
        *found = elf_section(elf, i);
        *index = i;
        if (strcmp(elf_name(elf, found), name) == 0)
            return elf_fits(elf, found->sh_offset, found->sh_size);
    }
    return false;
}
