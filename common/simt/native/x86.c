/* native/x86.c: the encoding of instructions. Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2:
 * "Instruction Format", and "Intel AVX-512 Encoding" for the prefix EVEX. */
#include "x86.h"

#include "lib/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void emit_bytes(struct code_buffer *code, const void *bytes, size_t n) {
    if (code->length + n > code->capacity) {
        code->capacity = 2 * (code->capacity + n);
        code->bytes = need(realloc(code->bytes, code->capacity));
    }
    memcpy(code->bytes + code->length, bytes, n);
    code->length += n;
}

void emit_word(struct code_buffer *code, uint32_t word) {
    emit_bytes(code, &word, sizeof word);
}

void emit_begin(struct code_buffer *code) {
    static const uint32_t none[MOST_CONSTANTS];
    emit_bytes(code, none, sizeof none);
}

struct place emit_constant(struct code_buffer *code, uint32_t value) {
    size_t i = 0;
    while (i < code->constants && memcmp(code->bytes + 4 * i, &value, sizeof value) != 0) i++;
    assert(i < MOST_CONSTANTS);
    memcpy(code->bytes + 4 * i, &value, sizeof value);
    code->constants += i == code->constants;
    return (struct place){PLACE_CONSTANT, 0, 4 * (int32_t)i};
}

/* The byte ModRM and what follows it. reg: the low three bits count. after: bytes of the instruction behind these. */
static void emit_operand(struct code_buffer *code, int reg, struct place last, uint32_t after) {
    uint8_t middle = (uint8_t)((reg & 7) << 3);
    if (last.kind == PLACE_VECTOR) {
        EMIT(code, (uint8_t)(0xC0 | middle | (last.number & 7)));
    } else if (last.kind == PLACE_MEMORY) {
        EMIT(code, (uint8_t)(0x80 | middle | (last.number & 7)));
        if ((last.number & 7) == RSP) EMIT(code, 0x24);
        emit_word(code, (uint32_t)last.offset);
    } else {
        EMIT(code, (uint8_t)(0x05 | middle));
        emit_word(code, (uint32_t)last.offset - (uint32_t)(code->length + 4 + after));
    }
}

/*
 * The prefix EVEX. Bits that extend a register's number are stored inverted.
 *
 *   62 | R X B R' 0 m m m | W v v v v 1 p p | z L' L b V' a a a |      X extends a last operand in a register
 */
void emit_vector(struct code_buffer *code, struct encoding e, int d, int v, struct place last, int k, int immediate) {
    int number = last.kind == PLACE_CONSTANT || last.kind == PLACE_TABLE ? 0 : last.number;
    uint8_t extend = (uint8_t)((d & 8 ? 0 : 0x80) | (last.kind == PLACE_VECTOR && number & 16 ? 0 : 0x40) |
                               (number & 8 ? 0 : 0x20) | (d & 16 ? 0 : 0x10));
    uint8_t broadcast = last.kind == PLACE_CONSTANT ? 0x10 : 0;
    EMIT(code, 0x62, (uint8_t)(extend | e.map), (uint8_t)((~v & 15) << 3 | 4 | e.prefix),
         (uint8_t)(0x40 | broadcast | (v & 16 ? 0 : 8) | k), e.opcode);
    emit_operand(code, d, last, immediate == NO_IMMEDIATE ? 0 : 1);
    if (immediate != NO_IMMEDIATE) EMIT(code, (uint8_t)immediate);
}

void emit_spread(struct code_buffer *code, int d, uint32_t value) {
    const struct encoding vbroadcastss = {2, 1, 0x18};
    struct place word = {PLACE_TABLE, 0, emit_constant(code, value).offset};
    emit_vector(code, vbroadcastss, d, 0, word, 0, NO_IMMEDIATE);
}

void emit_store(struct code_buffer *code, int z, int base, int32_t offset, int k) {
    const struct encoding vmovups = {1, 0, 0x11};
    emit_vector(code, vmovups, z, 0, (struct place){PLACE_MEMORY, base, offset}, k, NO_IMMEDIATE);
}

/* kmovw k, [base + offset], with the prefix VEX of three bytes. */
void emit_load_mask(struct code_buffer *code, int k, int base, int32_t offset) {
    EMIT(code, 0xC4, (uint8_t)(base & 8 ? 0xC1 : 0xE1), 0x78, 0x90);
    emit_operand(code, k, (struct place){PLACE_MEMORY, base, offset}, 0);
}

/* The prefix VEX of two bytes. */
void emit_mask(struct code_buffer *code, enum mask_operation operation, int d, int a, int b) {
    uint8_t prefix = operation == MASK_NOT ? 0xF8 : (uint8_t)(0x84 | (~a & 15) << 3);
    EMIT(code, 0xC5, prefix, (uint8_t)operation, (uint8_t)(0xC0 | d << 3 | b));
}

/* kunpckwd; kmovd [base + offset], k. */
void emit_store_masks(struct code_buffer *code, int low, int high, int base, int32_t offset) {
    emit_mask(code, MASK_JOIN, low, high, low);
    EMIT(code, 0xC4, (uint8_t)(base & 8 ? 0xC1 : 0xE1), 0xF9, 0x91);
    emit_operand(code, low, (struct place){PLACE_MEMORY, base, offset}, 0);
}

/* kunpckwd; kmovd general, k. */
void emit_join_masks(struct code_buffer *code, int general, int low, int high) {
    emit_mask(code, MASK_JOIN, low, high, low);
    EMIT(code, 0xC5, 0xFB, 0x93, (uint8_t)(0xC0 | general << 3 | low));
}

static void emit_general(struct code_buffer *code, uint8_t opcode, int d, int base, int32_t offset) {
    EMIT(code, (uint8_t)(0x48 | (d & 8 ? 4 : 0) | (base & 8 ? 1 : 0)), opcode);
    emit_operand(code, d, (struct place){PLACE_MEMORY, base, offset}, 0);
}

void emit_load(struct code_buffer *code, int d, int base, int32_t offset) {
    emit_general(code, 0x8B, d, base, offset);
}

void emit_store_word(struct code_buffer *code, int from, int base, int32_t offset) {
    EMIT(code, (uint8_t)(0x40 | (from & 8 ? 4 : 0) | (base & 8 ? 1 : 0)), 0x89);
    emit_operand(code, from, (struct place){PLACE_MEMORY, base, offset}, 0);
}

void emit_address(struct code_buffer *code, int d, int base, int32_t offset) {
    emit_general(code, 0x8D, d, base, offset);
}

/* mov rax, function; call rax. */
void emit_call(struct code_buffer *code, const void *function) {
    uint64_t address = (uintptr_t)function;
    EMIT(code, 0x48, 0xB8);
    emit_bytes(code, &address, sizeof address);
    EMIT(code, 0xFF, 0xD0);
}

size_t emit_jump(struct code_buffer *code, enum condition condition) {
    if (condition == ALWAYS)
        EMIT(code, 0xE9);
    else
        EMIT(code, 0x0F, (uint8_t)condition);
    emit_word(code, 0);
    return code->length - 4;
}

void emit_target(struct code_buffer *code, size_t jump) {
    uint32_t distance = (uint32_t)(code->length - jump - 4);
    memcpy(code->bytes + jump, &distance, sizeof distance);
}

void emit_call_to(struct code_buffer *code, size_t place) {
    EMIT(code, 0xE8);
    emit_word(code, (uint32_t)(place - code->length - 4));
}

void emit_jump_to(struct code_buffer *code, size_t place) {
    EMIT(code, 0xE9);
    emit_word(code, (uint32_t)(place - code->length - 4));
}

void *code_publish(const struct code_buffer *code, size_t *bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *bytes = (code->length + page - 1) / page * page;
    void *memory = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    memcpy(memory, code->bytes, code->length);
    if (mprotect(memory, *bytes, PROT_READ | PROT_EXEC) == 0) return memory;
    munmap(memory, *bytes);
    return NULL;
}
