/* native/recipe.h: which operations have a translation, and of what shape it is. */
#ifndef SIMT_NATIVE_RECIPE_H
#define SIMT_NATIVE_RECIPE_H

#include "simt/machine/isa.h"
#include "x86.h"

/* How the instruction of x86 takes the operands a, b and c, and gives d. */
enum shape {
    SHAPE_NONE,       /* no translation */
    SHAPE_FLOAT,      /* d = a x b; a NaN's bits may be any */
    SHAPE_FMA,        /* d = c; d = a x b + d */
    SHAPE_FLOAT_FTZ,  /* subnormal operands and results become zeros */
    SHAPE_FMA_FTZ,    /* the same */
    SHAPE_ROOT,       /* d = x a; a NaN's bits may be any */
    SHAPE_RECIPROCAL, /* d = 1 x a; the same */
    SHAPE_SPECIAL,    /* d = the function of enum special in the opcode's place, by native/special.c */
    SHAPE_SPECIAL_FTZ,
    SHAPE_QUOTIENT, /* d = a * (1 / b), by native/special.c's reciprocal */
    SHAPE_QUOTIENT_FTZ,
    SHAPE_NEGATE,        /* d = a x sign bit */
    SHAPE_ABSOLUTE,      /* d = a x all but the sign bit */
    SHAPE_INTEGER,       /* d = a x b */
    SHAPE_UNARY,         /* d = x a */
    SHAPE_MAD,           /* d = a x b + c */
    SHAPE_NOT,           /* d = ~a */
    SHAPE_COMPARE,       /* predicate d = a x b, combined with predicate c */
    SHAPE_COMPARE_FLOAT, /* the same */
    SHAPE_MOVE,          /* d = a */
    SHAPE_SELECT,        /* d = predicate c ? a : b */
    SHAPE_LOGIC          /* d = truth table of a, b, c */
};

struct recipe {
    handler *run;
    uint8_t shape; /* enum shape */
    struct encoding code;
    uint8_t cmp; /* enum ptx_cmp: of a comparison */
};

#define MAX_RECIPES 128
struct recipes {
    struct recipe of[MAX_RECIPES];
    int n;
};

/* The recipes of an instruction set's handlers. */
void recipes_of(const struct isa *isa, struct recipes *recipes);
/* NULL: op has no translation. */
const struct recipe *recipe_of(const struct recipes *recipes, const struct op *op);

#endif
