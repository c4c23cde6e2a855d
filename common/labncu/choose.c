#include "choose.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "lib/die.h"
#include "lib/memory.h"

static const char prefix[] = "regex:";

/* A name, or regex:EXPRESSION. */
struct pattern {
    const char *name; /* NULL: every name */
    bool is_regex;
    regex_t regex;
};

static bool pattern_make(struct pattern *p, const char *option, const char *text) {
    memset(p, 0, sizeof *p);
    p->name = text;
    p->is_regex = text && strncmp(text, prefix, strlen(prefix)) == 0;
    if (!p->is_regex || regcomp(&p->regex, text + strlen(prefix), REG_EXTENDED | REG_NOSUB) == 0)
        return true;
    p->is_regex = false;
    return fail_with("--%s %s: not a regular expression", option, text);
}

static bool pattern_matches(const struct pattern *p, const struct launch *launch,
                            enum name_base base) {
    const char *name = base == NAME_FUNCTION  ? launch->base
                       : base == NAME_MANGLED ? launch->mangled
                                              : launch->name;
    if (p->is_regex) return regexec(&p->regex, name, 0, NULL, 0) == 0;
    return !p->name || strcmp(p->name, name) == 0;
}

static void pattern_free(struct pattern *p) {
    if (p->is_regex) regfree(&p->regex);
}

/* --kernel-id: context:stream:[regex:]name:invocation. */
struct kernel_id {
    char *copy;
    const char *context, *stream;
    struct pattern name;
    long invocation; /* 0: all */
};

static bool id_make(struct kernel_id *id, const char *text) {
    memset(id, 0, sizeof *id);
    if (!text) return true;
    char *rest = id->copy = need(strdup(text)), *last = strrchr(rest, ':'), *end = NULL;
    id->context = strsep(&rest, ":");
    id->stream = rest ? strsep(&rest, ":") : NULL;
    if (rest && last && last >= rest) {
        *last = '\0';
        id->invocation = strtol(last + 1, &end, 10);
        bool any = last[1] == '\0';
        if ((any || (!*end && id->invocation > 0)) &&
            pattern_make(&id->name, "kernel-id", *rest ? rest : NULL))
            return true;
    }
    return fail_with("--kernel-id %s: context-id:stream-id:[name-operator:]kernel-name:"
                     "invocation-nr, whose parts may be empty",
                     text);
}

static bool id_matches(struct kernel_id *id, const struct launch *launch, enum name_base base,
                       long invocation) {
    if (!id->copy) return true;
    const char *stream = csv_get(launch->process->profile, launch->row, "stream");
    return (!*id->context || strcmp(id->context, "1") == 0) &&
           (!*id->stream || strcmp(id->stream, stream) == 0) &&
           pattern_matches(&id->name, launch, base) &&
           (!id->invocation || id->invocation == invocation);
}

/* How many launches of the same kernel come before this one, and this one. */
static long invocation_of(const struct launch *all, int i) {
    long count = 1;
    for (int k = 0; k < i; k++) count += strcmp(all[k].mangled, all[i].mangled) == 0;
    return count;
}

bool choose_launches(const struct ncu_options *o, struct record *record) {
    struct pattern pattern;
    struct kernel_id id = {0};
    bool ok = pattern_make(&pattern, "kernel-name", o->kernel_name) && id_make(&id, o->kernel_id);
    int matching = 0, kept = 0;
    bool *keep = need(calloc((size_t)record->launch_count + 1, sizeof *keep));
    for (int i = 0; ok && i < record->launch_count; i++) {
        const struct launch *launch = &record->launches[i];
        if (i < o->before || !pattern_matches(&pattern, launch, o->filter_base) ||
            !id_matches(&id, launch, o->filter_base,
                        o->kernel_id ? invocation_of(record->launches, i) : 0))
            continue;
        keep[i] = matching++ >= o->skip && (o->count < 0 || matching - o->skip <= o->count);
    }
    for (int i = 0; i < record->launch_count && ok; i++) {
        struct launch *launch = &record->launches[i];
        if (keep[i]) {
            record->launches[kept++] = *launch;
        } else {
            free(launch->name);
            free(launch->base);
        }
    }
    if (ok) record->launch_count = kept;
    free(keep);
    pattern_free(&pattern);
    pattern_free(&id.name);
    free(id.copy);
    return ok;
}
