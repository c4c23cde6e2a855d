/*
 * ptx/table.h: the parser's knowledge of each opcode: the suffixes that it takes, and its operands.
 */
#pragma once

#include "ptx.h"

/*
 * An opcode's operands, one letter each. Lower case is read, upper case is written; operands after
 * '?' are optional.
 *
 *   D s  the instruction's type            W w  the same, doubled by .wide
 *   E e  the type, in a register that may be wider (ld, st, cvt)
 *   2    the second type (set, slct)       3    the same, in a register that may be wider (cvt)
 *   V v  the type, or a vector that makes it up, or (read) an address or a special register (mov)
 *   U u  32 bits whatever the type         P p  a predicate; a read one may be negated
 *   F f  the registers of a matrix fragment
 *   m    memory    l  label    t  table    x  anything
 *   c    coordinates of a texture or surface: 32 bits, or a vector of up to 4 of them
 *
 * A written register may be a pair (%r|%p); its second register is a predicate. So may the vector
 * that tex writes.
 */

/* Gives the instruction the opcode spelled name (length bytes), or PTX_UNSUPPORTED. mbarrier's are
 * PTX_ATOM and PTX_RED, and set sub, order and scope too. */
void ptx_opcode_apply(struct ptx_insn *insn, const char *name, size_t length);
/* Applies a suffix (without its dot) to the instruction. Returns false if its opcode does not take
 * it. */
bool ptx_suffix_apply(struct ptx_insn *insn, const char *name, size_t length);
/* Does the instruction have all suffixes that it needs: a type, and its operation? */
bool ptx_suffixes_complete(const struct ptx_insn *insn);
/* The letters of the instruction's operands. For some opcodes they depend on the suffixes and on
 * the count of operands. */
const char *ptx_operand_letters(const struct ptx_insn *insn);
/* The letter of operand i, without '?'; '\0': none. */
char ptx_operand_letter(const struct ptx_insn *insn, int i);
/* The type of this spelling (length bytes, without its dot), or PTX_TYPE_NONE. */
enum ptx_type ptx_type_find(const char *name, size_t length);

/* The type twice as wide (mul.wide's result); the type itself if there is none. */
enum ptx_type ptx_wide_type(enum ptx_type type);
/* The untyped type of one of `parts` equal parts of a value (mov.b64 {a, b}); NONE if there is
 * none. */
enum ptx_type ptx_part_type(enum ptx_type type, int parts);

/* A special register: its enum ptx_sreg, or a constant (the cluster registers of a launch without
 * clusters). */
struct special_register {
    const char *name; /* with "%" and component */
    int sreg;         /* enum ptx_sreg, or -1: constant */
    uint32_t value;   /* of a constant */
};
/* The special register of this spelling (length bytes); NULL: none. */
const struct special_register *ptx_special_find(const char *name, size_t length);
