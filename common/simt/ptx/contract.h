/* ptx/contract.h: products that ptxas rounds together with sums. */
#pragma once

#include "cfg.h"

/* Replaces mul and add or sub of floats by fma where ptxas would; nothing in code for a debugger. A
 * mul that nothing reads any more becomes nop. Instructions keep their numbers. */
void contract_products(const struct cfg *cfg, struct ptx_function *function);
