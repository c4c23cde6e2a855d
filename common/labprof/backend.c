/* backend.c: finds the GPU, and chooses the back end for it; and what the back ends share. */
#include "backend.h"

#include <ctype.h>
#include <errno.h>
#include <ftw.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "child.h"
#include "lib/die.h"

/* Compute capabilities, as major * 10 + minor. */
enum { FIRST_WITHOUT_NVPROF = 75, FIRST_WITH_NCU = 70 };

/* The GPU as nvidia-smi describes it. */
struct gpu_found {
    char name[128];
    int capability; /* major * 10 + minor; 0: nvidia-smi does not say */
};

bool backend_has(enum backend_kind backend, const struct metric *metric) {
    if (backend == BACKEND_NVPROF) return metric->nvprof_name != NULL;
    return strcmp(backend == BACKEND_SIMT ? metric->simt_expression : metric->ncu_expression,
                  "NA") != 0;
}

const char *backend_name(enum backend_kind backend) {
    static const char *const names[] = {"simt", "ncu", "nvprof", "cupti"};
    return names[backend];
}

/* Is there a device file of the driver or of WSL? Tests replace /dev by LABPROF_DEV. */
static bool has_device_file(void) {
    const char *folder = getenv("LABPROF_DEV");
    char pattern[PATH_MAX];
    glob_t found;
    snprintf(pattern, sizeof pattern, "%s/{nvidia[0-9]*,dxg}", folder ? folder : "/dev");
    bool any = glob(pattern, GLOB_BRACE | GLOB_NOSORT, NULL, &found) == 0;
    globfree(&found);
    return any;
}

/* Writes nvidia-smi's argument " -i N" for the first GPU of CUDA_VISIBLE_DEVICES, "" if the
 * variable is not set. Returns false if the variable hides every GPU. */
static bool visible_device(char *argument, size_t size) {
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    *argument = '\0';
    if (!visible) return true;
    size_t length = 0;
    while (isalnum((unsigned char)visible[length]) || (length > 0 && visible[length] == '-'))
        length++;
    if (length == 0) return false;
    snprintf(argument, size, " -i %.*s", (int)length, visible);
    return true;
}

/* Reads the first line that nvidia-smi prints for a query. */
static bool ask_nvidia_smi(const char *fields, const char *device, char *line, size_t size) {
    char command[512];
    snprintf(command, sizeof command,
             "nvidia-smi --query-gpu=%s --format=csv,noheader%s 2>/dev/null", fields, device);
    FILE *in = popen(command, "r");
    bool any = in && fgets(line, (int)size, in);
    bool ok = in && pclose(in) == 0 && any;
    line[ok ? strcspn(line, "\r\n") : 0] = '\0';
    return ok;
}

static bool find_gpu(struct gpu_found *gpu) {
    char device[128], capability[64];
    int major, minor;
    memset(gpu, 0, sizeof *gpu);
    if (!has_device_file() || !visible_device(device, sizeof device)) return false;
    if (!ask_nvidia_smi("name", device, gpu->name, sizeof gpu->name)) return false;
    if (ask_nvidia_smi("compute_cap", device, capability, sizeof capability) &&
        sscanf(capability, "%d.%d", &major, &minor) == 2)
        gpu->capability = major * 10 + minor;
    return true;
}

/* Chooses the back end for metrics by the rule in backend.h. */
static bool by_capability(struct route *route, int capability) {
    if (capability == 0) {
        return fail_with("nvidia-smi does not tell the compute capability of %s; name the back "
                         "end: --backend nvprof for a GPU before 7.5 (Turing), else --backend ncu",
                         route->device);
    }
    char path[PATH_MAX];
    bool nvprof = capability < FIRST_WITH_NCU ||
                  (capability < FIRST_WITHOUT_NVPROF && find_program("nvprof", path, sizeof path));
    route->backend = nvprof ? BACKEND_NVPROF : BACKEND_NCU;
    return true;
}

/* Does the back end give metrics, or the summary and the traces? simt gives all. */
static bool serves(enum backend_kind backend, bool metrics) {
    return backend == BACKEND_SIMT || (backend == BACKEND_CUPTI) != metrics;
}

static bool by_name(struct route *route, const char *wanted, bool metrics) {
    enum backend_kind b = BACKEND_SIMT;
    while (b <= BACKEND_CUPTI && strcmp(wanted, backend_name(b)) != 0) b++;
    route->backend = b;
    if (b > BACKEND_CUPTI)
        fail_with("--backend %s: simt, ncu, nvprof or cupti", wanted);
    else if (!serves(b, metrics))
        fail_with("--backend %s: ncu and nvprof give --metrics and --events, cupti the summary and "
                  "the traces",
                  wanted);
    return b <= BACKEND_CUPTI && serves(b, metrics);
}

bool route_find(struct route *route, const char *wanted, bool metrics) {
    struct gpu_found gpu;
    const char *device = getenv("DEVICE");
    device = device && *device ? device : "auto";
    memset(route, 0, sizeof *route);
    if (wanted && !by_name(route, wanted, metrics)) return false;
    bool simulate = wanted ? route->backend == BACKEND_SIMT : strcmp(device, "sim") == 0;
    bool found = !simulate && find_gpu(&gpu);
    if (found) strcpy(route->device, gpu.name);
    if (wanted || simulate) return true;
    if (strcmp(device, "auto") != 0 && strcmp(device, "gpu") != 0)
        return fail_with("DEVICE=%s: auto, gpu or sim", device);
    if (found && metrics) return by_capability(route, gpu.capability);
    if (found) {
        route->backend = BACKEND_CUPTI;
        return true;
    }
    if (strcmp(device, "gpu") == 0)
        fail_with(
            "DEVICE=gpu, but there is no GPU here that nvidia-smi knows; DEVICE=sim simulates one");
    return strcmp(device, "gpu") != 0;
}

/* ---- What the back ends share ---- */

bool job_begin(struct job *job) {
    const char *parent = getenv("TMPDIR");
    snprintf(job->folder, sizeof job->folder, "%s/labprof.XXXXXX",
             parent && *parent ? parent : "/tmp");
    if (mkdtemp(job->folder)) return true;
    fail_with("cannot make a temporary folder %s: %s", job->folder, strerror(errno));
    job->folder[0] = '\0';
    return false;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk) {
    (void)status, (void)type, (void)walk;
    return remove(path);
}

void job_end(const struct job *job) {
    if (job->folder[0]) nftw(job->folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

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

static void take_number(const struct csv *table, int row, const char *column, int *number) {
    char *end;
    const char *cell = *column ? csv_get(table, row, column) : "";
    long value = strtol(cell, &end, 10);
    if (end > cell) *number = (int)value;
}

void place_sample(struct sample *sample, const struct csv *table, int row, const char *device,
                  const char *context, const char *stream) {
    take_number(table, row, device, &sample->device);
    take_number(table, row, context, &sample->context);
    take_number(table, row, stream, &sample->stream);
}

bool log_is_by_process(const struct options *options) {
    const char *at = options->log_file ? options->log_file : "";
    for (; (at = strchr(at, '%')) && at[1]; at += 2)
        if (at[1] == 'p') return true;
    return false;
}
