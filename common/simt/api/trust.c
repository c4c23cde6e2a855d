/* api/trust.c: chooses the line by what the kernels do: by the kind of random kernel whose times
 * are farthest from a GPU's. trust.def has the kinds. */
#include "trust.h"

#include "runtime.h"

#include <stdio.h>

enum kind {
#define TRUST(kind, ...) KIND_##kind,
#include "trust.def"
#undef TRUST
    KINDS
};

/* Nine of ten random kernels were within so many times, with machine code and from PTX alone. */
static const struct {
    const char *name;
    double within, ptx_within;
} kinds[KINDS] = {
#define TRUST(kind, name, launches, ...) [KIND_##kind] = {name, __VA_ARGS__},
#include "trust.def"
#undef TRUST
};

/* A branch that diverges now and then decides no time; nor do loads that use half of their bytes.
 */
static bool has(const struct counters *c, enum kind kind) {
    switch (kind) {
    case KIND_LOCAL: return c->local_ld_requests + c->local_st_requests;
    case KIND_ATOMIC: return c->atom_requests + c->red_requests + c->shared_atom_requests;
    case KIND_BRANCH: return c->divergent_branch * 20 > c->branch;
    case KIND_GATHER: return c->gld_sectors * SECTOR_BYTES > 2 * c->gld_bytes;
    case KIND_SHARED: return c->shared_ld_requests + c->shared_st_requests;
    default: return true;
    }
}

static bool seen[KINDS], ptx_alone, replayed, any, shown;

void rt_trust_kernel(const struct counters *counters, bool machine_code) {
    any = true;
    ptx_alone |= !machine_code;
    replayed |= machine_code;
    for (enum kind kind = 0; kind < KINDS; kind++) seen[kind] |= has(counters, kind);
}

bool rt_trust_ptx_alone(void) {
    return ptx_alone && !replayed;
}

static double within(enum kind kind) {
    return ptx_alone ? kinds[kind].ptx_within : kinds[kind].within;
}

static const char *line(void) {
    static char text[256];
    enum kind worst = KIND_PLAIN;
    for (enum kind kind = 0; kind < KINDS; kind++)
        if (seen[kind] && (worst == KIND_PLAIN || within(kind) > within(worst))) worst = kind;
    snprintf(text, sizeof text,
             "exact: sectors of global memory; estimated: instructions; modelled%s: times, %s 9 of "
             "10 within %.1f times of an H200's",
             rt_trust_ptx_alone() ? " from PTX alone"
             : ptx_alone          ? " partly from PTX alone"
                                  : "",
             kinds[worst].name, within(worst));
    return text;
}

const char *rt_trust(void) {
    return any && rt.timing && !shown ? line() : NULL;
}

/* For a program that shows the line itself; NULL: no kernel has run. */
RT_PUBLIC const char *simtTrust(void);

const char *simtTrust(void) {
    const char *text = rt_trust();
    shown = text;
    return text;
}
