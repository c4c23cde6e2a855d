/*
 * main.c: bin/simt, which runs a CUDA program on a virtual GPU: it checks that the program can use
 * our runtime library, puts that first on the library path, passes the settings on in SIMT_*
 * variables, and becomes the program.
 */
#include "lib/die.h"
#include "lib/memory.h"
#include "lib/printed.h"
#include "simt/annotate.h"
#include "simt/device/current.h"
#include "simt/device/gpu.h"
#include "simt/image/elf_probe.h"
#include "simt/supports.h"
#include "simt/time/without.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define VERSION "1.0"
/* of the newest CUDA that there is a library for; older ones are beside it */
#define RUNTIME_MAJOR 13
#define MAX_THREADS   1024
#define MAX_SAMPLE    (1L << 40)

/* Exit statuses as a shell gives them. */
enum { EXIT_USAGE = 2, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

enum option_code {
    OPTION_GPU = 1,
    OPTION_CHECK,
    OPTION_DEVICES,
    OPTION_THREADS,
    OPTION_OVERRUNS,
    OPTION_SAMPLE,
    OPTION_RERUN,
    OPTION_NO_TIMING,
    OPTION_WITHOUT,
    OPTION_WHAT_IF,
    OPTION_PROFILE,
    OPTION_TIMELINE,
    OPTION_SOURCE,
    OPTION_SEE,
    OPTION_SEE_KERNEL,
    OPTION_SEE_LAUNCH,
    OPTION_SEE_BLOCK,
    OPTION_SEE_WARPS,
    OPTION_SEE_TRACE,
    OPTION_TRACE_FORMAT,
    OPTION_SEE_BESIDE,
    OPTION_EXPLORE,
    OPTION_JUNIT,
    OPTION_SARIF,
    OPTION_SUPPORTS,
    OPTION_QUIET,
    OPTION_LIST,
    OPTION_VERSION,
    OPTION_HELP
};

static const struct option options[] = {
    {"gpu", required_argument, NULL, OPTION_GPU},
    {"check", no_argument, NULL, OPTION_CHECK},
    {"devices", required_argument, NULL, OPTION_DEVICES},
    {"threads", required_argument, NULL, OPTION_THREADS},
    {"overruns", no_argument, NULL, OPTION_OVERRUNS},
    {"sample", required_argument, NULL, OPTION_SAMPLE},
    {"rerun", no_argument, NULL, OPTION_RERUN},
    {"no-timing", no_argument, NULL, OPTION_NO_TIMING},
    {"without", required_argument, NULL, OPTION_WITHOUT},
    {"what-if", no_argument, NULL, OPTION_WHAT_IF},
    {"profile", required_argument, NULL, OPTION_PROFILE},
    {"timeline", required_argument, NULL, OPTION_TIMELINE},
    {"source", required_argument, NULL, OPTION_SOURCE},
    {"see", required_argument, NULL, OPTION_SEE},
    {"see-kernel", required_argument, NULL, OPTION_SEE_KERNEL},
    {"see-launch", required_argument, NULL, OPTION_SEE_LAUNCH},
    {"see-block", required_argument, NULL, OPTION_SEE_BLOCK},
    {"see-warps", required_argument, NULL, OPTION_SEE_WARPS},
    {"see-trace", required_argument, NULL, OPTION_SEE_TRACE},
    {"trace-format", required_argument, NULL, OPTION_TRACE_FORMAT},
    {"see-beside", required_argument, NULL, OPTION_SEE_BESIDE},
    {"explore", required_argument, NULL, OPTION_EXPLORE},
    {"junit", required_argument, NULL, OPTION_JUNIT},
    {"sarif", required_argument, NULL, OPTION_SARIF},
    {"supports", no_argument, NULL, OPTION_SUPPORTS},
    {"quiet", no_argument, NULL, OPTION_QUIET},
    {"list-gpus", no_argument, NULL, OPTION_LIST},
    {"version", no_argument, NULL, OPTION_VERSION},
    {"help", no_argument, NULL, OPTION_HELP},
    {NULL, 0, NULL, 0},
};

static const char help_text[] =
    "Usage: simt [options] program [arguments]\n"
    "Run a CUDA program on a simulated GPU. Build it with:\n"
    "  nvcc -lineinfo -gencode 'arch=compute_75,code=[compute_75,sm_90]' ...\n"
    "\n"
    "  --gpu NAME      the GPU to be (default h200; see --list-gpus)\n"
    "  --check         also find races, reads of uninitialised memory, barriers and shuffles that "
    "not all threads\n"
    "                  reach, and device memory never freed; exit with a status that is not 0 if "
    "anything is wrong.\n"
    "                  Accesses out of bounds, misaligned or null are found with or without it\n"
    "  --overruns      let accesses go up to 64 KiB beyond an allocation, and name the first: a "
    "GPU lets them go on "
    "to\n"
    "                  the end of a page of 2 MiB. Without it and with --check they are errors\n"
    "  --devices N     how many such GPUs, 1 to 16 (default 1); each can access the memory of the "
    "others as a peer\n"
    "  --threads N     host threads per kernel (default: all cores); results do not depend on it\n"
    "  --sample N      run N blocks, or some more, of each grid that has more, and scale counts "
    "and times up to all.\n"
    "                  Only for programs whose results do not matter: what the other blocks would "
    "write is missing.\n"
    "                  The profile's status says `sampled`; grids whose blocks must run in order "
    "run whole;\n"
    "                  launches find the L2 empty\n"
    "  --rerun         run launches that repeat an earlier one, too: the same kernel on the same "
    "memory. Without it, "
    "they\n"
    "                  store what that one stored, and have its counters and time; results are the "
    "same\n"
    "  --no-timing     no modelled times: events and the profile have none\n"
    "  --without LIST  time launches on a GPU that does not have these, such as conflicts,latency: "
    "what does each cost?\n"
    "                  A wrong name lists the right ones\n"
    "  --what-if       write into --profile's file each launch's time without each of them, and "
    "without all\n"
    "  --profile FILE  write one CSV row per kernel launch, with all counters; %p in FILE is the "
    "process id, for a\n"
    "                  program that starts others\n"
    "  --timeline FILE  write one CSV row per kernel, copy, fill, host function, call of the API "
    "and range of NVTX,\n"
    "                  with start and end in modelled time\n"
    "  --source FILE   write one CSV row per kernel launch and line of the source, with what the "
    "line counted and\n"
    "                  what warps waited for there\n"
    "  --see FILE      write a page for a browser, in which the warps of a block can be followed "
    "step by step.\n"
    "                  --see-kernel NAME: of the kernel NAME, or of two, A,B (default: the "
    "first);\n"
    "                  --see-launch N: of its Nth launch, or last; --see-block X,Y,Z: of that "
    "block (default 0,0,0);\n"
    "                  --see-warps A-B: of these warps alone\n"
    "  --see-trace FILE  write what the warps of a multiprocessor wait for, cycle by cycle "
    "(modelled).\n"
    "                  --trace-format chrome: for chrome://tracing and Perfetto (default); kanata: "
    "for Konata;\n"
    "                  page: for --see-beside\n"
    "  --see-beside FILE  show in --see's page what warps wait for on another GPU too: FILE is "
    "--see-trace's of a\n"
    "                  run with that --gpu and --trace-format page\n"
    "  --explore FILE  write a page for a browser, in which the program's launches can be changed "
    "and "
    "run again:\n"
    "                  block, parameters, GPU, --without. `make explore-page` builds what it "
    "needs\n"
    "  --junit FILE    write what is reported, and whether the program failed, as JUnit XML, when "
    "it "
    "has ended\n"
    "  --sarif FILE    write what is reported as SARIF 2.1.0, when the program has ended\n"
    "  --supports      run nothing: list what the program uses that simt does not have, "
    "instructions of its kernels,\n"
    "                  functions of CUDA and libraries; exit with status 1 if there is any\n"
    "  --quiet         no hints, such as that the CPU's clock has the time of the simulation\n"
    "  --list-gpus     the GPUs there are\n"
    "  --version, --help\n";

static bool only_look;            /* --supports */
static const char *junit, *sarif; /* files for services; NULL: none */

static void set_flag(const char *variable, const char *value) {
    if (setenv(variable, value, 1) != 0)
        die(EXIT_USAGE, "cannot set %s: %s", variable, strerror(errno));
}

/* A lab's table says that the constants are derived. */
static void set_gpu(const char *name) {
    char error[1024];
    const struct gpu *gpu = gpu_find(name, error, sizeof error);
    if (!gpu) die(EXIT_USAGE, "%s", error);
    set_flag("SIMT_GPU", name);
    unsetenv("SIMT_CONSTANTS_DERIVED");
    if (!gpu->measured) set_flag("SIMT_CONSTANTS_DERIVED", "1");
}

static void set_count(const char *option, const char *variable, const char *text, long most) {
    char *end;
    long n = strtol(text, &end, 10);
    if (end == text || *end || n < 1 || n > most)
        die(EXIT_USAGE, "--%s must be a number from 1 to %ld, not '%s'", option, most, text);
    set_flag(variable, text);
}

static void set_without(const char *names) {
    char error[512];
    uint32_t removed;
    if (!without_parse(names, &removed, error, sizeof error))
        die(EXIT_USAGE, "--without: %s", error);
    set_flag("SIMT_WITHOUT", names);
}

/* The program may change its folder, so the path is made absolute. */
static void set_path(const char *variable, const char *option, const char *path) {
    char folder[PATH_MAX], absolute[2 * PATH_MAX];
    if (!*path) die(EXIT_USAGE, "%s needs a file name", option);
    if (!getcwd(folder, sizeof folder))
        die(EXIT_USAGE, "cannot find the current folder: %s", strerror(errno));
    snprintf(absolute, sizeof absolute, "%s%s%s", *path == '/' ? "" : folder,
             *path == '/' ? "" : "/", path);
    set_flag(variable, absolute);
}

static void list_gpus(void) {
    int n;
    char error[1024];
    const struct gpu *gpus = gpu_all(&n);
    if (!n && !gpu_find("", error, sizeof error)) die(EXIT_USAGE, "%s", error);
    for (int i = 0; i < n; i++)
        printf("%-9s %-30s compute %d.%d, %3d multiprocessors, %6.0f GB/s, %6.1f GiB\n",
               gpus[i].name, gpus[i].product, gpus[i].cc_major, gpus[i].cc_minor, gpus[i].sms,
               gpus[i].dram_gbs, (double)gpus[i].dram_bytes / (1 << 30));
}

/* Options before the program's name; what follows is the program's. Returns the index of the
 * name. */
static int read_options(int argc, char **argv) {
    for (int code; (code = getopt_long(argc, argv, "+", options, NULL)) != -1;) {
        switch (code) {
        case OPTION_GPU: set_gpu(optarg); break;
        case OPTION_CHECK: set_flag("SIMT_CHECK", "1"); break;
        case OPTION_DEVICES: set_count("devices", "SIMT_DEVICES", optarg, MAX_DEVICES); break;
        case OPTION_THREADS: set_count("threads", "SIMT_THREADS", optarg, MAX_THREADS); break;
        case OPTION_OVERRUNS: set_flag("SIMT_OVERRUNS", "1"); break;
        case OPTION_SAMPLE: set_count("sample", "SIMT_SAMPLE", optarg, MAX_SAMPLE); break;
        case OPTION_RERUN: set_flag("SIMT_RERUN", "1"); break;
        case OPTION_NO_TIMING: set_flag("SIMT_NO_TIMING", "1"); break;
        case OPTION_WITHOUT: set_without(optarg); break;
        case OPTION_WHAT_IF: set_flag("SIMT_WHAT_IF", "1"); break;
        case OPTION_PROFILE: set_path("SIMT_PROFILE", "--profile", optarg); break;
        case OPTION_TIMELINE: set_path("SIMT_TIMELINE", "--timeline", optarg); break;
        case OPTION_SOURCE: set_path("SIMT_SOURCE", "--source", optarg); break;
        case OPTION_SEE: set_path("SIMT_SEE", "--see", optarg); break;
        case OPTION_SEE_KERNEL: set_flag("SIMT_SEE_KERNEL", optarg); break;
        case OPTION_SEE_LAUNCH: set_flag("SIMT_SEE_LAUNCH", optarg); break;
        case OPTION_SEE_BLOCK: set_flag("SIMT_SEE_BLOCK", optarg); break;
        case OPTION_SEE_WARPS: set_flag("SIMT_SEE_WARPS", optarg); break;
        case OPTION_SEE_TRACE: set_path("SIMT_SEE_TRACE", "--see-trace", optarg); break;
        case OPTION_TRACE_FORMAT: set_flag("SIMT_TRACE_FORMAT", optarg); break;
        case OPTION_SEE_BESIDE: set_path("SIMT_SEE_BESIDE", "--see-beside", optarg); break;
        case OPTION_EXPLORE: set_path("SIMT_EXPLORE", "--explore", optarg); break;
        case OPTION_JUNIT: junit = optarg; break;
        case OPTION_SARIF: sarif = optarg; break;
        case OPTION_SUPPORTS: only_look = true; break;
        case OPTION_QUIET: set_flag("SIMT_QUIET", "1"); break;
        case OPTION_LIST: list_gpus(); exit(EXIT_SUCCESS);
        case OPTION_VERSION: puts("simt " VERSION); exit(EXIT_SUCCESS);
        case OPTION_HELP: fputs(help_text, stdout); exit(EXIT_SUCCESS);
        default: exit(EXIT_USAGE); /* getopt has said why */
        }
    }
    if (optind == argc) die(EXIT_USAGE, "no program given; try simt --help");
    return optind;
}

/* ---- The program ---- */

/* The first executable of that name in the folders of PATH. */
static bool find_in_path(const char *name, char path[PATH_MAX]) {
    const char *folders = getenv("PATH");
    while (folders && *folders) {
        int length = (int)strcspn(folders, ":");
        int used = snprintf(path, PATH_MAX, "%.*s/%s", length, folders, name);
        if (used < PATH_MAX && access(path, X_OK) == 0) return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

/* Where the shell would find name. Dies where there is nothing to run. */
static void find_program(const char *name, char path[PATH_MAX]) {
    bool found = strchr(name, '/') ? snprintf(path, PATH_MAX, "%s", name) < PATH_MAX
                                   : find_in_path(name, path);
    struct stat status;
    if (!found || stat(path, &status) != 0)
        die(EXIT_NOT_FOUND, "%s: %s", name, found ? strerror(errno) : "command not found");
    if (S_ISDIR(status.st_mode)) die(EXIT_NOT_EXECUTABLE, "%s is a directory", name);
    if (access(path, X_OK) != 0) die(EXIT_NOT_EXECUTABLE, "%s: %s", name, strerror(errno));
}

/* Our library's folder: ../simt from this command. */
static void library_folder(char folder[PATH_MAX]) {
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0) die(EXIT_USAGE, "cannot find my own path: %s", strerror(errno));
    self[length] = 0;
    *strrchr(self, '/') = 0;
    char relative[PATH_MAX + 8];
    snprintf(relative, sizeof relative, "%s/../simt", self);
    if (!realpath(relative, folder))
        die(EXIT_USAGE, "cannot find the simulator's library in %s: %s", relative, strerror(errno));
}

/* Is there a library of ours for programs of that major version of CUDA? */
static bool takes_place_of(int major) {
    char folder[PATH_MAX], path[PATH_MAX];
    if (major <= 0) return false;
    library_folder(folder);
    elf_runtime_path(major, folder, path);
    return access(path, R_OK) == 0;
}

/* Is the program this command itself? What that starts is looked at then. */
static bool is_simt(const char *path) {
    struct stat program, self;
    return stat(path, &program) == 0 && stat("/proc/self/exe", &self) == 0 &&
           program.st_dev == self.st_dev && program.st_ino == self.st_ino;
}

/* Refuse a program that would not use our runtime: it would look for a GPU, and find none. One
 * without CUDA may still load or start something that has it. Returns what is known of the
 * program. */
static struct elf_probe check_program(const char *path) {
    struct elf_probe probe;
    /* a script, say: what it starts inherits the settings */
    if (is_simt(path) || !elf_probe(path, &probe)) return (struct elf_probe){0};
    if (*probe.gpu_library)
        fprintf(stderr,
                "simt: note: %s is linked with %s, which needs a real GPU: its calls will fail\n",
                path, probe.gpu_library);
    int major = probe.cudart_major ? probe.cudart_major : probe.static_major;
    if (major && !takes_place_of(major))
        die(EXIT_NOT_EXECUTABLE,
            "%s uses the runtime of CUDA %d, and this simulator takes the place of that of CUDA "
            "%d: rebuild it with the nvcc of CUDA %d",
            path, major, RUNTIME_MAJOR, RUNTIME_MAJOR);
    if (probe.has_device_code && (!major || (probe.static_major && !probe.is_dynamic)))
        die(EXIT_NOT_EXECUTABLE,
            "%s has the CUDA runtime linked in, and %s: rebuild it with nvcc -cudart shared", path,
            major ? "is linked with -static" : "is stripped of its functions' names");
    if (!major && !probe.uses_driver)
        fprintf(stderr, "simt: note: %s does not use CUDA itself\n", path);
    return probe;
}

/* Folders of the library path end at a colon or a semicolon, libraries to load at a colon or a
 * space, and nothing can be quoted there: a folder that has one in its name goes by the name of an
 * open descriptor, which the program inherits. */
static void avoid_separators(char folder[PATH_MAX]) {
    if (strpbrk(folder, ":; ") == NULL) return;
    int descriptor = open(folder, O_PATH | O_DIRECTORY);
    if (descriptor < 0) die(EXIT_USAGE, "cannot open %s: %s", folder, strerror(errno));
    snprintf(folder, PATH_MAX, "/proc/self/fd/%d", descriptor);
}

/* Put text before whatever a variable with a list was. */
static void put_before(const char *variable, const char *text) {
    const char *old = getenv(variable);
    char *list = need_text("%s%s%s", text, old && *old ? ":" : "", old && *old ? old : "");
    set_flag(variable, list);
    free(list);
}

/* Have our library found, as the driver, too; or, where the runtime may be part of what is started,
 * have it replaced there. The address sanitizer would refuse to come second. */
static void set_libraries(struct elf_probe probe) {
    char folder[PATH_MAX];
    int major = probe.cudart_major ? probe.cudart_major : probe.static_major;
    library_folder(folder);
    avoid_separators(folder);
    put_before("LD_LIBRARY_PATH", folder);
    if (major && major < RUNTIME_MAJOR) {
        char *older = need_text("%s/driver%d%s", folder, major, major == 11 ? ".0" : "");
        put_before("LD_LIBRARY_PATH", older);
        free(older);
    }
    if (probe.cudart_major && !probe.uses_nvrtc) return;
    char *library = need_text("%s/static_runtime.so", folder);
    put_before("LD_PRELOAD", library);
    put_before("ASAN_OPTIONS", "verify_asan_link_order=0");
    free(library);
}

/* Prints what the program uses, by --supports. Returns the exit status. */
static int look_at_program(const char *path) {
    char error[1024];
    const char *name = getenv("SIMT_GPU");
    const struct gpu *gpu = gpu_find(name && *name ? name : GPU_DEFAULT, error, sizeof error);
    if (!gpu) die(EXIT_USAGE, "%s", error);
    return supports_report(path, gpu);
}

int main(int argc, char **argv) {
    printed_check_at_exit();
    char path[PATH_MAX];
    char **program = argv + read_options(argc, argv);
    /* it need not be executable */
    if (only_look && access(program[0], R_OK) == 0) return look_at_program(program[0]);
    find_program(program[0], path);
    if (only_look) return look_at_program(path);
    set_libraries(check_program(path));
    /* arrays in pages of 2 MiB, where the host has them: each page that it clears takes a trap */
    put_before("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");
    if (junit || sarif) return annotate_run(path, program, junit, sarif);
    execv(path, program);
    die(errno == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_EXECUTABLE, "cannot run %s: %s", path,
        strerror(errno));
}
