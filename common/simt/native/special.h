/* native/special.h: functions of the special-function unit, as subroutines of the code. */
#ifndef SIMT_NATIVE_SPECIAL_H
#define SIMT_NATIVE_SPECIAL_H

#include "x86.h"

/* The first of the two vector registers with the subroutines' argument and result, and of those that they change, up to
 * the last. They change mask registers from 3 on, too. */
#define SPECIAL_REGISTER 24

/* 1 / sqrt of a warp's lanes; NaN may have any bits. tables: constants and slopes. Returns where it begins. */
size_t write_inverse_root(struct code_buffer *code, const int32_t *const tables[2]);

#endif
