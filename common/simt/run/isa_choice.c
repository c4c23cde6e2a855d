/*
 * run/isa_choice.c: choose among the instruction sets that the handlers were compiled for.
 *
 * Each file of exec/, and of exec/ in a room of extra/, is compiled once for each set, with
 * EXEC_ISA set to its name. Functions and tables there have names that end in _base, _avx2 or
 * _avx512. DECLARE_ISA gathers those of one set; rooms of extra/ add theirs by isa_extend(). The
 * set base has no intrinsics, and is the only one on processors other than x86.
 */
#include "builtins.h"
#include "simt/machine/isa.h"

#include <stdlib.h>
#include <string.h>

static struct isa_extension *extensions;

void isa_extend(struct isa_extension *extension) {
    extension->next = extensions;
    extensions = extension;
}

#define DECLARE_ISA(set)                                                                           \
    extern const struct rule alu_rules_##set[], float_rules_##set[], cvt_rules_##set[];            \
    extern const struct compare_rule compare_rules_##set[];                                        \
    extern const struct access_rule access_rules_##set[];                                          \
    void control_names_##set(struct handlers *), alu_names_##set(struct handlers *),               \
        float_names_##set(struct handlers *), compare_names_##set(struct handlers *),              \
        memory_names_##set(struct handlers *), atomic_names_##set(struct handlers *),              \
        mbarrier_names_##set(struct handlers *), cvt_names_##set(struct handlers *),               \
        half_names_##set(struct handlers *), round_names_##set(struct handlers *),                 \
        mma_names_##set(struct handlers *), matrix_names_##set(struct handlers *),                 \
        cvt_small_names_##set(struct handlers *);                                                  \
    static void name_handlers_##set(struct handlers *handlers) {                                   \
        control_names_##set(handlers); /* first: it clears the rest */                             \
        alu_names_##set(handlers);                                                                 \
        float_names_##set(handlers);                                                               \
        compare_names_##set(handlers);                                                             \
        memory_names_##set(handlers);                                                              \
        mbarrier_names_##set(handlers);                                                            \
        atomic_names_##set(handlers);                                                              \
        cvt_names_##set(handlers);                                                                 \
        half_names_##set(handlers);                                                                \
        round_names_##set(handlers);                                                               \
        mma_names_##set(handlers);                                                                 \
        matrix_names_##set(handlers);                                                              \
        cvt_small_names_##set(handlers);                                                           \
        for (const struct isa_extension *more = extensions; more; more = more->next)               \
            if (strcmp(more->isa, #set) == 0) more->name_handlers(handlers);                       \
    }                                                                                              \
    static const struct rule *const rules_##set[] = {alu_rules_##set, float_rules_##set,           \
                                                     cvt_rules_##set, NULL};

DECLARE_ISA(base)
#ifdef __x86_64__
DECLARE_ISA(avx2)
DECLARE_ISA(avx512)
#endif

/* The best first. */
static const struct isa isas[] = {
#ifdef __x86_64__
    {"avx512", rules_avx512, compare_rules_avx512, access_rules_avx512, name_handlers_avx512,
     builtin_find, builtin_missing},
    {"avx2", rules_avx2, compare_rules_avx2, access_rules_avx2, name_handlers_avx2, builtin_find,
     builtin_missing},
#endif
    {"base", rules_base, compare_rules_base, access_rules_base, name_handlers_base, builtin_find,
     builtin_missing},
};

/* Does this processor execute what the set was compiled for? */
static bool processor_has(const char *name) {
#ifdef __x86_64__
    if (strcmp(name, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
               processor_has("avx2");
    if (strcmp(name, "avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
               __builtin_cpu_supports("bmi2");
#endif
    (void)name;
    return true;
}

/* SIMT_ISA names a set; an unknown one, or one that the processor lacks, gives base. */
const struct isa *isa_best(void) {
    const char *wanted = getenv("SIMT_ISA");
    for (size_t i = 0; i < sizeof isas / sizeof *isas; i++)
        if (processor_has(isas[i].name) && (!wanted || strcmp(wanted, isas[i].name) == 0))
            return &isas[i];
    return &isas[sizeof isas / sizeof *isas - 1];
}
