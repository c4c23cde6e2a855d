/* backend.c: what the back ends share. */
#include "backend.h"

bool add_program(const struct job *job, struct arguments *command) {
    bool ok = true;
    for (char **word = job->options->command; ok && *word; word++) ok = arguments_add(command, *word);
    return ok;
}

void job_path(const struct job *job, const char *name, char path[PATH_MAX]) {
    snprintf(path, PATH_MAX, "%s/%s", job->folder, name);
}
