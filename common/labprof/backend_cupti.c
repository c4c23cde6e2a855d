/* backend_cupti.c: what a program does on a GPU and when. The driver loads a library of this
 * project into the program (cupti/recorder.c), which records by CUPTI's activity API and writes a
 * timeline. */
#include <dlfcn.h>
#include <glob.h>
#include <unistd.h>

#include "backend.h"
#include "lib/die.h"

#define LIBRARY "librecorder.so"
#define TIMELINE                                                                                   \
    "timeline.%p.csv" /* %p: the process id, because a program may start other processes */
#define TIMELINES "timeline.*"
#define UNNAMED   "timeline.*.tmp" /* of processes that could not finish them */

/* Finds the library, and tries whether it and CUPTI, which it needs, can be loaded: the driver
 * would not tell. */
static bool find_library(char path[PATH_MAX]) {
    beside_labprof("../labprof/" LIBRARY, path);
    if (access(path, R_OK) != 0) {
        return fail_with("cannot record what the GPU does: there is no %s; run make labprof on a "
                         "machine whose CUDA toolkit has CUPTI (NVIDIA's package cuda-cupti-dev)",
                         path);
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail_with("cannot record what the GPU does: %s", dlerror());
    if (library) dlclose(library);
    return library;
}

static bool prepare(const struct job *job, struct arguments *command,
                    struct arguments *environment) {
    char library[PATH_MAX], timeline[PATH_MAX], variable[PATH_MAX + 32];
    if (!find_library(library)) return false;
    job_path(job, TIMELINE, timeline);
    snprintf(variable, sizeof variable, "CUDA_INJECTION64_PATH=%s", library);
    arguments_add(environment, variable);
    snprintf(variable, sizeof variable, "NVTX_INJECTION64_PATH=%s", library);
    arguments_add(environment, variable);
    snprintf(variable, sizeof variable, "LABPROF_TIMELINE=%s", timeline);
    arguments_add(environment, variable);
    add_program(job, command);
    return true;
}

static bool collect(const struct job *job, struct child_end *end, struct result *result) {
    char pattern[PATH_MAX];
    glob_t unnamed;
    (void)end;
    snprintf(result->samples.device, sizeof result->samples.device, "%s",
             *job->route->device ? job->route->device : "GPU");
    job_path(job, TIMELINES, pattern);
    if (!activities_read(&result->activities, pattern)) return false;
    if (result->activities.timeline_count == 0)
        fprintf(result->notes, "Warning: nothing was recorded: the program made no CUDA call\n");
    job_path(job, UNNAMED, pattern);
    if (glob(pattern, 0, NULL, &unnamed) == 0)
        fprintf(
            result->notes,
            "Warning: a process was killed, or left by _exit: its last activities are missing\n");
    globfree(&unnamed);
    if (result->activities.timeline_count > 1 && !log_is_by_process(job->options))
        fprintf(result->notes,
                "Warning: %zu processes made CUDA calls; the tables have all of them together, and "
                "the times of each count from its own first call\n",
                result->activities.timeline_count);
    return true;
}

const struct backend backend_cupti = {prepare, collect};
