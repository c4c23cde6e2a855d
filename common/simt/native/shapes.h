/* native/shapes.h: one operation of a run, by its shape. */
#ifndef SIMT_NATIVE_SHAPES_H
#define SIMT_NATIVE_SHAPES_H

#include "recipe.h"
#include "run.h"

bool writes_predicate(const struct recipe *recipe);
/* Write the code of op, which has this recipe. */
void translate_op(struct run *run, const struct recipe *recipe, const struct op *op);
/* Forget the registers that op's instruction is the last to read, if op is the last of its operations. */
void forget_unread(struct run *run, const struct op *op);

#endif
