/*
 * image/cubin.c: an ELF reader for just this. Checked against ptxas -v of CUDA 13.0 for sm_75 to
 * sm_120:
 *
 *   .text.<name>        as large as the code; sh_info: the function's symbol, and up to sm_89 its
 *                       registers in the top byte
 *   .nv.info            attributes; EIATTR_REGCOUNT has a symbol and its registers
 *   .nv.shared.<name>   as large as the kernel's static shared memory, plus, where there is
 *                       .nv.shared.reserved.0 (from sm_90 on), what the driver reserves
 */
#include "cubin.h"

#include "elf.h"
#include "machine_code.h"

#include "lib/arena.h"

#include <stdio.h>
#include <string.h>

#define TEXT_PREFIX     ".text."
#define SHARED_PREFIX   ".nv.shared."
#define SHARED_RESERVED ".nv.shared.reserved.0"
#define INFO_SECTION    ".nv.info"

#define SYMBOL_MASK           0xFFFFFFu /* of .text's sh_info */
#define REGISTERS_SHIFT       24
#define RESERVED_SHARED_BYTES 1024u

#define ATTRIBUTE_HEADER    4u   /* format, attribute, u16 value or size of what follows */
#define ATTRIBUTE_SIZED     4    /* the format that has a size */
#define ATTRIBUTE_REGISTERS 0x2F /* u32 symbol, u32 registers */

/* The function's name if the section is named prefix + function, else NULL. */
static const char *strip(const char *name, const char *prefix) {
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 ? name + length : NULL;
}

static void add_functions(const struct elf *elf, struct cubin *cubin) {
    cubin->functions = arena_array(cubin->arena, elf->nsections, sizeof *cubin->functions);
    for (uint32_t i = 0; i < elf->nsections; i++) {
        Elf64_Shdr header = elf_section(elf, i);
        const char *name = strip(elf_name(elf, &header), TEXT_PREFIX);
        if (!name) continue;
        struct cubin_function *function = &cubin->functions[cubin->nfunctions++];
        function->name = arena_string(cubin->arena, name, strlen(name));
        function->symbol = header.sh_info & SYMBOL_MASK;
        function->registers = (int)(header.sh_info >> REGISTERS_SHIFT);
        function->code_bytes = header.sh_size;
        function->text = i;
    }
}

static void set_registers(struct cubin *cubin, uint32_t symbol, uint32_t registers) {
    for (int i = 0; i < cubin->nfunctions; i++) {
        if (cubin->functions[i].symbol == symbol)
            cubin->functions[i].registers = (int)(registers & 0xFFFF);
    }
}

/* The attributes in size bytes. */
static void read_attributes(const uint8_t *at, uint64_t size, struct cubin *cubin) {
    while (size >= ATTRIBUTE_HEADER) {
        uint16_t length;
        memcpy(&length, at + 2, sizeof length);
        uint64_t whole = ATTRIBUTE_HEADER + (at[0] == ATTRIBUTE_SIZED ? length : 0u);
        if (whole > size) return;
        if (at[0] == ATTRIBUTE_SIZED && at[1] == ATTRIBUTE_REGISTERS && length >= 8) {
            uint32_t value[2];
            memcpy(value, at + ATTRIBUTE_HEADER, sizeof value);
            set_registers(cubin, value[0], value[1]);
        }
        at += whole;
        size -= whole;
    }
}

static void add_registers(const struct elf *elf, struct cubin *cubin) {
    for (uint32_t i = 0; i < elf->nsections; i++) {
        Elf64_Shdr header = elf_section(elf, i);
        if (strcmp(elf_name(elf, &header), INFO_SECTION) == 0 &&
            elf_fits(elf, header.sh_offset, header.sh_size))
            read_attributes(elf->bytes + header.sh_offset, header.sh_size, cubin);
    }
}

/* Bytes of each kernel's shared memory that are the driver's. */
static uint64_t reserved_shared(const struct elf *elf) {
    for (uint32_t i = 0; i < elf->nsections; i++) {
        Elf64_Shdr header = elf_section(elf, i);
        if (strcmp(elf_name(elf, &header), SHARED_RESERVED) == 0) return RESERVED_SHARED_BYTES;
    }
    return 0;
}

static void add_shared_sizes(const struct elf *elf, struct cubin *cubin) {
    uint64_t reserved = reserved_shared(elf);
    for (uint32_t i = 0; i < elf->nsections; i++) {
        Elf64_Shdr header = elf_section(elf, i);
        const char *name = strip(elf_name(elf, &header), SHARED_PREFIX);
        struct cubin_function *function =
            name ? (struct cubin_function *)cubin_find(cubin, name) : NULL;
        if (function)
            function->shared_bytes = header.sh_size > reserved ? header.sh_size - reserved : 0;
    }
}

struct cubin *cubin_read(const void *bytes, size_t size, char *error, size_t error_size) {
    struct elf elf = {.bytes = bytes, .size = size};
    const char *problem = elf_open(&elf);
    if (problem) {
        snprintf(error, error_size, "machine code cannot be read: %s", problem);
        return NULL;
    }
    struct arena *arena = arena_new();
    struct cubin *cubin = arena_alloc(arena, sizeof *cubin);
    cubin->arena = arena;
    add_functions(&elf, cubin);
    add_registers(&elf, cubin);
    add_shared_sizes(&elf, cubin);
    return cubin;
}

void cubin_read_code(struct cubin *cubin, const void *bytes, size_t size) {
    struct elf elf = {.bytes = bytes, .size = size};
    if (elf_open(&elf)) return;
    for (int i = 0; i < cubin->nfunctions; i++)
        cubin->functions[i].code = machine_code_read(&elf, cubin->functions[i].text, cubin->arena);
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
