/* native/recipe.c: from native/recipes.def to the handlers of an instruction set. */
#include "recipe.h"

#include <string.h>

static void add(struct recipes *recipes, handler *run, enum shape shape, struct encoding code, uint8_t cmp) {
    if (run && recipes->n < MAX_RECIPES) recipes->of[recipes->n++] = (struct recipe){run, (uint8_t)shape, code, cmp};
}

static handler *rule_for(const struct isa *isa, uint16_t op, uint8_t type, uint8_t type2, uint16_t form) {
    for (const struct rule *const *list = isa->rules; *list; list++)
        for (const struct rule *rule = *list; rule->run; rule++)
            if (rule->op == op && rule->type == type && rule->type2 == type2 && rule->form == form) return rule->run;
    return NULL;
}

static void add_comparisons(struct recipes *recipes, const struct isa *isa, uint8_t type, bool ftz, enum shape shape,
                            struct encoding code) {
    for (const struct compare_rule *rule = isa->compares; rule->run; rule++)
        if (rule->type == type && rule->ftz == ftz) add(recipes, rule->run, shape, code, rule->cmp);
}

void recipes_of(const struct isa *isa, struct recipes *recipes) {
    struct handlers handlers;
    isa->name_handlers(&handlers);
    recipes->n = 0;
#define ARITHMETIC(op, type, form, shape, map, prefix, opcode)                                                         \
    add(recipes, rule_for(isa, PTX_##op, PTX_##type, PTX_TYPE_NONE, form), shape,                                      \
        (struct encoding){map, prefix, opcode}, 0);
#define CONVERSION(to, from, shape, map, prefix, opcode)                                                               \
    add(recipes, rule_for(isa, PTX_CVT, PTX_##to, PTX_##from, FORM_PLAIN), shape,                                      \
        (struct encoding){map, prefix, opcode}, 0);
#define COMPARISON(type, ftz, shape, map, prefix, opcode)                                                              \
    add_comparisons(recipes, isa, PTX_##type, ftz, shape, (struct encoding){map, prefix, opcode});
#define NAMED(name, shape) add(recipes, handlers.name, shape, (struct encoding){0}, 0);
#include "recipes.def"
#undef ARITHMETIC
#undef CONVERSION
#undef COMPARISON
#undef NAMED
}

const struct recipe *recipe_of(const struct recipes *recipes, const struct op *op) {
    for (int i = 0; i < recipes->n; i++)
        if (recipes->of[i].run == op->run) return &recipes->of[i];
    return NULL;
}
