/*
 * native/native.h: straight runs of arithmetic as machine code of the host.
 *
 * The interpreter keeps the rows of registers in memory. An operation loads the rows of its operands and stores that of
 * its result, which takes longer than the arithmetic. A run's code keeps rows in vector registers, and stores those
 * that something behind the run may read. It stands in the place of the run's first handler:
 *
 *   enter                         enter
 *   load    %f4 ..                load    %f4 ..
 *   sub     %f5, %f4, %f1         code    -> of all three; goes on behind them
 *   mul     %f6, %f5, %f5         mul        not reached
 *   fma     %f2, %f6, %f5, %f2    fma        not reached
 *   bra                           bra
 *
 * A run counts nothing, cannot fault and cannot diverge: operations that can are not in runs. So counters and times do
 * not depend on it, and neither do results: the code computes what the handlers compute, bit by bit.
 */
#ifndef SIMT_NATIVE_NATIVE_H
#define SIMT_NATIVE_NATIVE_H

#include "simt/machine/isa.h"

/* Translate the runs of a decoded kernel, if the handlers are those of AVX-512. Nothing may look at the registers
 * between its operations. SIMT_NATIVE=0 leaves all to the interpreter. */
void native_translate(struct kernel *kernel, const struct isa *isa);
void native_free(struct kernel *kernel);

#endif
