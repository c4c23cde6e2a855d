/*
 * run/nested_query.c: what device code can ask the runtime: errors, the device, its limits, a
 * kernel. Each function answers one lane's call. Answers go to where an argument points; the call
 * returns an error, 0 for none.
 */
#include "nested_block.h"

#include "simt/device/current.h"

#include <string.h>

#define MAX_ERROR            1024
#define MAX_ATTRIBUTES_BYTES 512

/* Argument i of the lane's call, at most 8 bytes. */
static uint64_t argument(const struct nested_site *site, int i) {
    return builtin_argument(site->w, site->op, site->lane, i);
}

static const struct device_runtime *runtime_of(const struct nested_site *site) {
    return site->w->worker->grid->launch->device_runtime;
}

/* Write value to where argument i points, unless there was an error. Returns the error, and makes
 * it the thread's last. */
static uint64_t answer(const struct nested_site *site, int error, int i, const void *value,
                       size_t size) {
    if (!error && !space_write(site->w, site->lane, argument(site, i), value, (uint32_t)size))
        error = SIM_ERROR_VALUE;
    return (uint64_t)nested_error(site->w, site->lane, error);
}

/* ---- Errors ---- */

static uint64_t peek_error(const struct nested_site *site) {
    const struct nested_thread *thread = nested_thread_of(site->w, site->lane);
    return thread ? thread->error : SIM_ERROR_MEMORY;
}

/* cudaGetLastError also clears it. */
static uint64_t take_error(const struct nested_site *site) {
    struct nested_thread *thread = nested_thread_of(site->w, site->lane);
    uint64_t error = peek_error(site);
    if (thread) thread->error = 0;
    return error;
}

/* Device address of a text, which is copied to the device at the first question, and again after a
 * reset. places: by error, the address. 0: no memory. */
static uint64_t device_text(uint64_t *places, uint64_t error, const char *text) {
    uint64_t slot = error < MAX_ERROR ? error : 0;
    if (places[slot] && memory_find(places[slot], 1)) return places[slot];
    struct allocation *memory = memory_allocate(strlen(text) + 1, ALLOC_GLOBAL_VAR, "error text");
    if (!memory) return 0;
    strcpy((char *)(memory->address + (uint64_t)memory->delta), text);
    return places[slot] = memory->address;
}

static uint64_t error_name(const struct nested_site *site) {
    static uint64_t places[MAX_DEVICES][MAX_ERROR];
    uint64_t error = argument(site, 0);
    return device_text(places[device_current()], error, runtime_of(site)->error_name((int)error));
}

static uint64_t error_text(const struct nested_site *site) {
    static uint64_t places[MAX_DEVICES][MAX_ERROR];
    uint64_t error = argument(site, 0);
    return device_text(places[device_current()], error, runtime_of(site)->error_text((int)error));
}

/* ---- The device ---- */

static uint64_t device_count(const struct nested_site *site) {
    return answer(site, 0, 0, &(int){devices_count()}, sizeof(int));
}

static uint64_t device_number(const struct nested_site *site) {
    return answer(site, 0, 0, &(int){device_current()}, sizeof(int));
}

static uint64_t runtime_version(const struct nested_site *site) {
    return answer(site, 0, 0, &runtime_of(site)->version, sizeof(int));
}

/* Arguments: where to, attribute, device. */
static uint64_t attribute(const struct nested_site *site) {
    int value = 0,
        error = runtime_of(site)->attribute(&value, (int)argument(site, 1), (int)argument(site, 2));
    return answer(site, error, 0, &value, sizeof value);
}

/* Arguments: where to, limit. */
static uint64_t limit(const struct nested_site *site) {
    size_t value = 0;
    int error = runtime_of(site)->limit(&value, (int)argument(site, 1));
    return answer(site, error, 0, &value, sizeof value);
}

/* A preference without effect since Volta: none (0). */
static uint64_t cache_config(const struct nested_site *site) {
    return answer(site, 0, 0, &(int){0}, sizeof(int));
}

/* ---- A kernel ---- */

/* Arguments: where to, kernel. A kernel in device code is the address of its struct
 * ptx_function. */
static uint64_t function_attributes(const struct nested_site *site) {
    char value[MAX_ATTRIBUTES_BYTES];
    size_t size = sizeof value;
    const struct ptx_function *entry = (const struct ptx_function *)(uint64_t)argument(site, 1);
    int error = runtime_of(site)->function_attributes(value, &size, entry);
    return answer(site, error, 0, value, size);
}

/* Arguments: where to, kernel, threads of a block, dynamic shared memory in bytes. */
static uint64_t active_blocks_with(const struct nested_site *site, unsigned flags) {
    int blocks = 0;
    const struct ptx_function *entry = (const struct ptx_function *)(uint64_t)argument(site, 1);
    int error = runtime_of(site)->active_blocks(&blocks, entry, (int)argument(site, 2),
                                                argument(site, 3), flags);
    return answer(site, error, 0, &blocks, sizeof blocks);
}

static uint64_t active_blocks(const struct nested_site *site) {
    return active_blocks_with(site, 0);
}

static uint64_t active_blocks_flags(const struct nested_site *site) {
    return active_blocks_with(site, (unsigned)argument(site, 4));
}

#define BUILTIN(name)                                                                              \
    bool builtin_##name(struct warp *w, const struct op *op, uint32_t mask) {                      \
        return nested_each(w, op, mask, name);                                                     \
    }
BUILTIN(peek_error)
BUILTIN(take_error)
BUILTIN(error_name)
BUILTIN(error_text)
BUILTIN(device_count)
BUILTIN(device_number)
BUILTIN(runtime_version)
BUILTIN(attribute)
BUILTIN(limit)
BUILTIN(cache_config)
BUILTIN(function_attributes)
BUILTIN(active_blocks)
BUILTIN(active_blocks_flags)
