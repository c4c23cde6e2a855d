/*
 * explore/module/module.c: simt for a page. The page's worker loads the program's device code, puts
 * arrays where they were, and launches a kernel; the row of the profile says what came of it.
 * Settings come as environment variables, as from the command simt. A fault ends an instance's use.
 */
#include "simt/api/launch/module.h"
#include "lib/die.h"
#include "lib/memory.h"
#include "simt/api/launch/launch.h"
#include "simt/device/host.h"
#include "simt/device/memory.h"
#include "simt/explore/fill.h"
#include "simt/image/fatbin.h"
#include "simt/machine/report.h"
#include "simt/run/profile.h"
#include "simt/see/see.h"

#include <emscripten.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_OBJECTS 1024
#define MOST_MODULES 64

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int threads, uint3 *thread, uint3 *block, dim3 *block_size,
                            dim3 *grid_size, int *warp_size);

static void **modules[MOST_MODULES];
static int nmodules;

/* Takes one container after the other, an object's device code each. */
EMSCRIPTEN_KEEPALIVE void page_code(const char *bytes, size_t size) {
    const void **objects = need(calloc(MOST_OBJECTS + 1, sizeof *objects));
    struct fatbin_wrapper *wrapper = need(malloc(sizeof *wrapper));
    *wrapper = (struct fatbin_wrapper){FATBIN_WRAPPER_MAGIC, 2, bytes, objects};
    for (int i = 0; size && i < MOST_OBJECTS; i++) {
        size_t length = fatbin_container_size(bytes, size);
        if (!length) break;
        objects[i] = bytes;
        bytes += length;
        size -= length;
    }
    if (nmodules < MOST_MODULES) modules[nmodules++] = __cudaRegisterFatBinary(wrapper);
}

static bool loaded;

/* Variables get their places when their module is loaded. */
static void load_modules(void) {
    loaded = true;
    cudaError_t error = rt_enter(NULL);
    for (int i = 0; i < nmodules && !error; i++) rt_module_load((struct rt_module *)modules[i]);
    rt_leave(error);
}

struct wanted {
    const char *name;
    struct allocation *found;
};

static void compare(const struct allocation *allocation, void *context) {
    struct wanted *wanted = context;
    if (allocation->name && !strcmp(allocation->name, wanted->name))
        wanted->found = (struct allocation *)allocation;
}

/* Loads the modules where the first variable was: nothing but arrays came before. */
static void place_variables(uint64_t address) {
    uint64_t next = ARENA_ADDRESS + GUARD_BYTES;
    if (address >= next + GUARD_BYTES) memory_reserve(address - next - GUARD_BYTES);
    load_modules();
}

static uint64_t arrays_end;

/* Where to write the bytes of an array that was at the address or, with a name, of a variable, the
 * first one first. NULL: there is no room, or no variable of that name and size. */
EMSCRIPTEN_KEEPALIVE void *page_array(double address, double size, const char *name) {
    struct wanted wanted = {.name = name};
    if (*name) {
        if (!loaded) place_variables((uint64_t)address);
        memory_each(compare, &wanted);
    } else {
        wanted.found = memory_allocate_at((uint64_t)address, (size_t)size);
    }
    const struct allocation *found = wanted.found;
    if (!found || (double)found->size != size) return NULL;
    if (found->address + found->size > arrays_end) arrays_end = found->address + found->size;
    return memory_host(found->address, found->size);
}

/* Fills an array as its generator does. */
EMSCRIPTEN_KEEPALIVE void page_fill(void *bytes, size_t size, int fill, double seed) {
    uint64_t state = (uint64_t)seed;
    if (fill == FILL_BYTE) memset(bytes, (int)seed, size);
    for (size_t i = 0; fill != FILL_BYTE && i < size / 4; i++)
        ((uint32_t *)bytes)[i] = fill_next((enum array_fill)fill, &state);
}

/* How many of its blocks a multiprocessor holds, and why not more. */
static struct occupancy occupancy;

static cudaError_t launch(const char *host, struct launch *asked, char *params, const int shape[]) {
    struct rt_function *function;
    cudaError_t error = rt_function(host, &function);
    if (error) return error;
    const struct ptx_function *entry = function->entry;
    void *arguments[entry->nparams + 1];
    for (int i = 0; i < entry->nparams; i++) arguments[i] = params + entry->frame[i].offset;
    asked->arguments = arguments;
    function->max_dynamic_shared = shape[8];
    function->carveout = shape[9];
    error = rt_launch(host, asked, NULL);
    occupancy = asked->occupancy;
    return error;
}

/* Launches a kernel and waits for it. shape: grid, block, dynamic shared memory, 1 if cooperative,
 * its most dynamic shared memory, its carve-out. Returns a JSON object: the error's name, and what
 * limits the occupancy. */
EMSCRIPTEN_KEEPALIVE const char *page_launch(const char *kernel, const int shape[10],
                                             char *params) {
    static char result[256];
    struct launch asked = {
        .shape = {.grid = {(uint32_t)shape[0], (uint32_t)shape[1], (uint32_t)shape[2]},
                  .block = {(uint32_t)shape[3], (uint32_t)shape[4], (uint32_t)shape[5]},
                  .dynamic_shared = (size_t)shape[6]},
        .cooperative = shape[7]};
    cudaError_t error = cudaErrorInvalidDeviceFunction;
    if (!loaded) load_modules();
    uint64_t next = memory_reserve(0);
    if (arrays_end > next) memory_reserve(arrays_end - next); /* grids may allocate, too */
    for (int i = 0; i < nmodules && error == cudaErrorInvalidDeviceFunction; i++) {
        char *host = need_text("%s", kernel);
        __cudaRegisterFunction(modules[i], host, host, host, -1, NULL, NULL, NULL, NULL, NULL);
        error = rt_enter(NULL);
        rt_leave(error ? error : (error = launch(host, &asked, params, shape)));
    }
    if (!error) error = cudaDeviceSynchronize();
    profile_close();
    if (see_is_open() && !see_close()) report_note("%s", failure);
    snprintf(result, sizeof result, "{\"error\":\"%s\",\"blocks\":%d,\"limit\":\"%s\"}",
             cudaGetErrorName(error), occupancy.blocks_per_sm,
             occupancy.limit ? occupancy.limit : "");
    return result;
}
