/*
 * native/x86.h: writes x86-64 machine code: AVX-512 instructions on lanes of 16, 32 or 64 bits, and the few others that
 * a translated run needs.
 *
 * Code is written into memory of the heap and made executable when it is whole (code_publish), so no page can be
 * written and executed at once. It is independent of its address: constants lie before it and are named by their
 * distance.
 */
#ifndef SIMT_NATIVE_X86_H
#define SIMT_NATIVE_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct code_buffer {
    uint8_t *bytes;
    size_t length, capacity;
    size_t constants; /* how many it has, at its beginning */
};

/* General registers by number. */
enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R9, R10, R11, R12, R13, R14, R15 };

/* What an instruction reads as its last operand: a vector register, memory, a constant in all lanes, or 64 bytes of a
 * table in the code. */
struct place {
    enum { PLACE_VECTOR, PLACE_MEMORY, PLACE_CONSTANT, PLACE_TABLE } kind;
    int number;     /* of the vector register, or of the base */
    int32_t offset; /* from the base; of a constant or a table: from the beginning of the code */
};
#define VECTOR(z) ((struct place){PLACE_VECTOR, z, 0})

/* An instruction's encoding: map 1 0F, 2 0F38, 3 0F3A; prefix 0 none, 1 66, 2 F3, 3 F2; WIDE on it: the bit W, for
 * lanes of 64 bits or of 16. */
#define WIDE 0x80
struct encoding {
    uint8_t map, prefix, opcode;
};

/* Begin with room for constants. */
#define MOST_CONSTANTS 64
void emit_begin(struct code_buffer *code);
/* The constant with this value. */
struct place emit_constant(struct code_buffer *code, uint32_t value);

#define NO_IMMEDIATE (-1)

/* d = instruction(v, last), in the lanes of mask register k; 0: in all. d of a comparison is a mask register. */
void emit_vector(struct code_buffer *code, struct encoding e, int d, int v, struct place last, int k, int immediate);
/* Load a constant into all lanes. */
void emit_spread(struct code_buffer *code, int d, uint32_t value);
/* Store vector register z in the lanes of mask register k; 0: in all. */
void emit_store(struct code_buffer *code, int z, int base, int32_t offset, int k);

/* Mask registers: the 16 bits at base + offset. */
void emit_load_mask(struct code_buffer *code, int k, int base, int32_t offset);
/* The 16 bits of low and of high, stored as 32. */
void emit_store_masks(struct code_buffer *code, int low, int high, int base, int32_t offset);
/* The same, into a general register up to RDI. */
void emit_join_masks(struct code_buffer *code, int general, int low, int high);
enum mask_operation {
    MASK_AND = 0x41,
    MASK_NOT = 0x44,
    MASK_OR = 0x45,
    MASK_XOR = 0x47,
    MASK_ALL = 0x46,
    MASK_JOIN = 0x4B
};
/* d = a operation b. NOT: of b. JOIN: a above b. ALL: ~(a ^ b). */
void emit_mask(struct code_buffer *code, enum mask_operation operation, int d, int a, int b);

/* General registers, 64 bits: load [base + offset]; d = base + offset; call a function. */
void emit_load(struct code_buffer *code, int d, int base, int32_t offset);
void emit_store_word(struct code_buffer *code, int from, int base, int32_t offset); /* 32 bits */
void emit_address(struct code_buffer *code, int d, int base, int32_t offset);
void emit_call(struct code_buffer *code, const void *function);
/* Jumps: returns where the distance stands, for emit_target() to fill in with the present place. */
enum condition { IF_EQUAL = 0x84, IF_NOT_EQUAL = 0x85, ALWAYS = 0 };
size_t emit_jump(struct code_buffer *code, enum condition condition);
void emit_target(struct code_buffer *code, size_t jump);
/* Jump to a place that is known, or call it. */
void emit_call_to(struct code_buffer *code, size_t place);
void emit_jump_to(struct code_buffer *code, size_t place);

/* Any bytes. */
void emit_bytes(struct code_buffer *code, const void *bytes, size_t n);
#define EMIT(code, ...) emit_bytes(code, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
void emit_word(struct code_buffer *code, uint32_t word);

/* The code in executable memory of its own, *bytes long; NULL: the system has none to give. Free with munmap(). */
void *code_publish(const struct code_buffer *code, size_t *bytes);

#endif
