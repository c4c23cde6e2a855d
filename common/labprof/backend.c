/* backend.c: what the back ends share. */
#include "backend.h"

#include <string.h>
#include <unistd.h>

void add_program(const struct job *job, struct arguments *command) {
    for (char **word = job->options->command; *word; word++) arguments_add(command, *word);
}

void job_path(const struct job *job, const char *name, char path[PATH_MAX]) {
    snprintf(path, PATH_MAX, "%s/%s", job->folder, name);
}

void beside_labprof(const char *name, char path[PATH_MAX]) {
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash) *slash = '\0';
    snprintf(path, PATH_MAX, "%.*s/%s", PATH_MAX - 64, program, name);
}
