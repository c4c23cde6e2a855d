/*
 * ptx/table.h: what the parser knows of each opcode: the suffixes it takes, and what each of its operands is.
 */
#ifndef SIMT_PTX_TABLE_H
#define SIMT_PTX_TABLE_H

#include "ptx.h"

/*
 * An opcode's operands, a letter each. Lower case is read, upper case written; what follows '?' may be left out.
 *
 *   D s  the instruction's type            W w  the same, doubled by .wide
 *   E e  the type, in a register that may be wider (ld, st, cvt)
 *   2    the second type (set, slct)       3    the second type, in a register that may be wider (cvt)
 *   V v  the type, or a vector that makes it up, or (read) an address or a special register (mov)
 *   U u  32 bits whatever the type         P p  a predicate; a read one may be negated
 *   m    memory    l  label    t  table    x  anything
 *
 * A written register may be a pair (%r|%p); the second is always a predicate.
 */
struct opcode_info {
    const char *operands;
    uint32_t takes;  /* the groups of suffixes it takes */
    bool needs_type; /* an instruction without a type suffix is malformed */
};

/* The opcode spelled name (without suffixes), or PTX_UNSUPPORTED. */
enum ptx_opcode ptx_opcode_find(const char *name, size_t length);
/* Apply a suffix (without its dot) to the instruction; false if its opcode does not take it. */
bool ptx_suffix_apply(struct ptx_insn *insn, const char *name, size_t length);
/* True when the instruction has all it needs: a type, and the suffixes that say what it does. */
bool ptx_suffixes_complete(const struct ptx_insn *insn);
/* The letters for the instruction's operands; some opcodes' depend on their suffixes and on how many there are. */
const char *ptx_operand_letters(const struct ptx_insn *insn);
/* The letter of operand i, or '\0'. */
char ptx_operand_letter(const struct ptx_insn *insn, int i);
/* The type spelled so (without its dot), or PTX_TYPE_NONE. */
enum ptx_type ptx_type_find(const char *name, size_t length);

/* The type twice as wide (mul.wide's result); the type itself where there is none. */
enum ptx_type ptx_wide_type(enum ptx_type type);
/* The untyped part when a value is packed from that many (mov.b64 {a, b}); NONE where it does not divide so. */
enum ptx_type ptx_part_type(enum ptx_type type, int parts);

/* A special register: its enum ptx_sreg, or a constant (the cluster registers of a launch without clusters). */
struct special_register {
    const char *name; /* with "%" and component */
    int sreg;         /* enum ptx_sreg, or -1: constant */
    uint32_t value;   /* of a constant */
};
/* The special register spelled so, or NULL. */
const struct special_register *ptx_special_find(const char *name, size_t length);

#endif
