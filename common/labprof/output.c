/* output.c: stderr, stdout or a file. */
#include "output.h"
#include "lib/die.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Returns the text that the % at *at stands for, and moves *at after it. NULL: an unknown form.
 * room holds the text if it must be made. */
static const char *expansion(const char **at, int pid, char *room, size_t size) {
    char kind = *++*at;
    ++*at;
    if (kind == '%') return "%";
    if (kind == 'i') return "%i"; /* of a name: the place's number */
    if (kind == 'p') {
        snprintf(room, size, "%d", pid);
        return room;
    }
    if (kind == 'h') return gethostname(room, size) == 0 ? room : NULL;
    const char *close = kind == 'q' && **at == '{' ? strchr(*at, '}') : NULL;
    if (!close) return NULL;
    snprintf(room, size, "%.*s", (int)(close - *at - 1), *at + 1);
    *at = close + 1;
    const char *value = getenv(room);
    return value ? value : "";
}

bool output_expand(const char *option, const char *pattern, int pid, char *path, size_t size) {
    char room[256];
    size_t used = 0;
    for (const char *at = pattern; *at;) {
        const char letter[2] = {*at, '\0'};
        const char *text = *at == '%' && at[1] ? expansion(&at, pid, room, sizeof room) : letter;
        if (text == letter) at++;
        if (!text)
            return fail_with("%s %s: after a %% comes p, h, q{NAME}, or %%", option, pattern);
        used += (size_t)snprintf(path + used, size - used, "%s", text);
        if (used >= size) return fail_with("%s %s: too long", option, pattern);
    }
    return true;
}

static bool open_file(struct output *o, const char *pattern, int pid) {
    char path[PATH_MAX] = "";
    if (!output_expand(o->option, pattern, pid, path, sizeof path)) return false;
    o->is_file = outfile_open(&o->target, path);
    o->file = o->target.file;
    if (!o->is_file) fail_with("%s: cannot write %s: %s", o->option, path, strerror(errno));
    return o->is_file;
}

bool output_open(struct output *o, const char *option, const char *pattern, int pid, bool quiet) {
    memset(o, 0, sizeof *o);
    o->option = option;
    o->file = stderr;
    if (quiet) {
        o->file = o->nothing = fopen("/dev/null", "w");
        if (!o->file) fail_with("/dev/null: %s", strerror(errno));
        return o->file != NULL;
    }
    if (!pattern || strcmp(pattern, "%2") == 0) return true;
    if (strcmp(pattern, "%1") == 0) {
        o->file = stdout;
        return true;
    }
    return open_file(o, pattern, pid);
}

bool output_commit(struct output *o) {
    if (o->nothing) fclose(o->nothing);
    o->nothing = NULL;
    if (!o->is_file || outfile_commit(&o->target)) return true;
    return fail_with("%s: cannot write %s: %s", o->option, o->target.path, strerror(errno));
}

void output_drop(struct output *o) {
    if (o->nothing) fclose(o->nothing);
    o->nothing = NULL;
    if (o->is_file) outfile_drop(&o->target);
}
