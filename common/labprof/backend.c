/* backend.c: what the back ends share. */
#include "backend.h"

void add_program(const struct job *job, struct arguments *command) {
    for (char **word = job->options->command; *word; word++) arguments_add(command, *word);
}

void job_path(const struct job *job, const char *name, char path[PATH_MAX]) {
    snprintf(path, PATH_MAX, "%s/%s", job->folder, name);
}
