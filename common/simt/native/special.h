/* native/special.h: functions of the special-function unit, as subroutines of the code. */
#ifndef SIMT_NATIVE_SPECIAL_H
#define SIMT_NATIVE_SPECIAL_H

#include "simt/machine/isa.h"
#include "x86.h"

/* The first of the two vector registers with the subroutines' argument and result, and of those that they change, up to
 * the last. They change mask registers from 3 on, too. */
#define SPECIAL_REGISTER 24

/* Write them; at: where they begin. NaN may have any bits. */
void write_specials(struct code_buffer *code, const struct segment_table segments[SPECIALS], size_t at[SPECIALS]);

#endif
