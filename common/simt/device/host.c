/* device/host.c: address space, memory and files, from Linux. */
#include "host.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ARENA_BYTES     (1ull << 42) /* halved until the system grants it */
#define ARENA_MIN_BYTES (1ull << 32)

/* ---- Memory ---- */

static char *reserve(uint64_t address, size_t size, int protection) {
    void *range =
        mmap((void *)address, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return range == MAP_FAILED ? NULL : range;
}

bool host_reserve(uint64_t *base, uint64_t *end, intptr_t *delta) {
    for (size_t size = ARENA_BYTES; size >= ARENA_MIN_BYTES; size /= 2) {
        char *device = reserve(ARENA_ADDRESS, size, PROT_NONE);
        char *storage = device ? reserve(0, size, PROT_READ | PROT_WRITE) : NULL;
        if (storage) {
            *base = (uint64_t)device;
            *end = *base + size;
            *delta = storage - device;
            return true;
        }
        if (device) munmap(device, size);
    }
    return false;
}

void host_enlarge_pages(void *pages, size_t size) {
    madvise(pages, size, MADV_HUGEPAGE);
}

void host_clear(void *pages, size_t size) {
    madvise(pages, size, MADV_DONTNEED);
}

/* From /proc/meminfo. */
uint64_t host_available(void) {
    FILE *file = fopen("/proc/meminfo", "r");
    char line[128];
    unsigned long long kib = ~0ull >> 10;
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %llu", &kib) == 1) break;
    if (file) fclose(file);
    return kib << 10;
}

/* ---- Files ---- */

/* Is folder/relative there? Its path goes to path. */
static bool is_in(const char *folder, const char *relative, char path[PATH_MAX]) {
    return snprintf(path, PATH_MAX, "%s/%s", folder, relative) < PATH_MAX &&
           access(path, R_OK) == 0;
}

/* Finds the folder of the file that this code lies in. The loader knows a library's path, but of a
 * program only the word that it was started with: for that /proc tells, where it is mounted. */
static bool own_folder(char folder[PATH_MAX]) {
    Dl_info self;
    struct link_map *map = NULL;
    bool known = dladdr1((void *)(uintptr_t)library_file, &self, (void **)&map, RTLD_DL_LINKMAP);
    bool is_library = known && map && *map->l_name;
    bool found = (is_library && realpath(map->l_name, folder)) ||
                 realpath("/proc/self/exe", folder) || (known && realpath(self.dli_fname, folder));
    if (found) *strrchr(folder, '/') = 0;
    return found;
}

bool library_file(const char *name, char path[PATH_MAX]) {
    char folder[PATH_MAX], launchers[PATH_MAX];
    if (!own_folder(folder)) return false;
    snprintf(launchers, sizeof launchers, "../simt/%s", name);
    return is_in(folder, name, path) || is_in(folder, launchers, path);
}
