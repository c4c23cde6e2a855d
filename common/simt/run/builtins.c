/*
 * run/builtins.c: functions that a program calls on the device and does not define: vprintf,
 * malloc, free, assertions and the device runtime. The decoder asks builtin_find() for the handler,
 * which then runs for the calling lanes together.
 *
 *      call.uni (result), malloc, (size)       operand[0]: the result, a .param variable in the
 *                                              caller's frame operand[2]: the arguments, .param
 *                                              variables there
 */
#include "builtins.h"
#include "simt/device/current.h"
#include "simt/machine/machine.h"
#include "simt/machine/nested.h"
#include "simt/machine/report.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_HEAP_BYTES (8ull << 20) /* cudaLimitMallocHeapSize as CUDA sets it */

/* ---- Arguments: .param variables in the caller's frame ---- */

/* The function that makes the call: its frame holds arguments and result. */
static const struct ptx_function *caller_of(const struct op *op) {
    return op->call.args->caller;
}

uint64_t builtin_argument(struct warp *w, const struct op *op, int lane, int i) {
    const struct ptx_operand *list = &op->insn->operand[2];
    uint64_t value = 0;
    if (i >= list->nlist) return 0;
    const struct ptx_var *var = &caller_of(op)->frame[list->list[i]];
    local_read(w, lane, w->frame->local_base + var->offset, &value,
               var->size < 8 ? (uint32_t)var->size : 8);
    return value;
}

void builtin_argument_bytes(struct warp *w, const struct op *op, int lane, int i, void *to,
                            size_t size) {
    const struct ptx_operand *list = &op->insn->operand[2];
    memset(to, 0, size);
    if (i >= list->nlist) return;
    const struct ptx_var *var = &caller_of(op)->frame[list->list[i]];
    local_read(w, lane, w->frame->local_base + var->offset, to,
               (uint32_t)(var->size < size ? var->size : size));
}

void builtin_return(struct warp *w, const struct op *op, int lane, uint64_t value) {
    const struct ptx_operand *list = &op->insn->operand[0];
    if (list->nlist < 1) return;
    const struct ptx_var *var = &caller_of(op)->frame[list->list[0]];
    local_write(w, lane, w->frame->local_base + var->offset, &value,
                var->size < 8 ? (uint32_t)var->size : 8);
}

void builtin_trace(struct warp *w, const struct op *op, enum access_kind kind, uint32_t mask) {
    if (w->trace) trace_passes(w->trace, op->insn, kind, 0, (uint32_t)__builtin_popcount(mask), 0);
}

/* ---- malloc, free and their CUDA spellings: kernels that call them run on one host thread
 * (decode/block_order.c) ---- */

/* Bytes that kernels may hold. No lock: see above. */
static uint64_t heap_limit = DEFAULT_HEAP_BYTES;

void device_heap_set_limit(uint64_t bytes) {
    heap_limit = bytes;
}

/* By device: has a kernel asked for memory? */
static bool heap_used[MAX_DEVICES];

bool device_heap_is_used(void) {
    return heap_used[device_current()];
}

void device_heap_reset(void) {
    heap_used[device_current()] = false;
}

/* Device address of size bytes of the heap; 0: no room. */
static uint64_t heap_take(uint64_t size) {
    struct allocation *block = NULL;
    heap_used[device_current()] = true;
    if (size && size <= heap_limit && memory_heap_used() <= heap_limit - size)
        block = memory_allocate(size, ALLOC_DEVICE_HEAP, NULL);
    return block ? block->address : 0;
}

/* void *malloc(size_t size) */
static bool builtin_malloc(struct warp *w, const struct op *op, uint32_t mask) {
    builtin_trace(w, op, ACCESS_MALLOC, mask);
    for (; mask; mask &= mask - 1) {
        int lane = __builtin_ctz(mask);
        builtin_return(w, op, lane, heap_take(builtin_argument(w, op, lane, 0)));
    }
    return true;
}

/* cudaError_t cudaMalloc(void **pointer, size_t size): in a kernel it takes from the same heap. */
static bool builtin_cuda_malloc(struct warp *w, const struct op *op, uint32_t mask) {
    builtin_trace(w, op, ACCESS_MALLOC, mask);
    for (; mask; mask &= mask - 1) {
        int lane = __builtin_ctz(mask);
        uint64_t address = heap_take(builtin_argument(w, op, lane, 1));
        bool given =
            space_write(w, lane, builtin_argument(w, op, lane, 0), &address, sizeof address) &&
            address;
        builtin_return(w, op, lane, given ? 0 : SIM_ERROR_MEMORY);
    }
    return true;
}

/* void free(void *pointer). The memory is gone at once, so the worker forgets its cached
 * allocations. */
static bool builtin_free(struct warp *w, const struct op *op, uint32_t mask) {
    builtin_trace(w, op, ACCESS_FREE, mask);
    for (; mask; mask &= mask - 1) {
        int lane = __builtin_ctz(mask);
        uint64_t address = builtin_argument(w, op, lane, 0);
        if (!address) continue;
        struct allocation *block = memory_find(address, 0);
        bool other = block && block->kind != ALLOC_DEVICE_HEAP; /* an illegal address on an H200 */
        if (!block || block->address != address || other)
            return fault_raise(w, op, other ? SIM_ERROR_ILLEGAL_ADDRESS : SIM_ERROR_LAUNCH, lane,
                               "free of 0x%llx, which device malloc did not return",
                               (unsigned long long)address);
        memory_free(address);
        memset(w->worker->alloc_caches, 0,
               w->worker->kernel->nalloc_caches * sizeof *w->worker->alloc_caches);
    }
    return true;
}

/* cudaError_t cudaFree(void *pointer): success, or a fault. */
static bool builtin_cuda_free(struct warp *w, const struct op *op, uint32_t mask) {
    for (uint32_t rest = mask; rest; rest &= rest - 1)
        builtin_return(w, op, __builtin_ctz(rest), 0);
    return builtin_free(w, op, mask);
}

/* ---- assert ---- */

/* Read a C string of the device, cut off at size - 1 characters or where memory ends. A control
 * character becomes a ?, so that no text looks like lines of the simulator. */
static void read_text(struct warp *w, int lane, uint64_t address, char *text, size_t size) {
    size_t i = 0;
    for (; i + 1 < size && space_read(w, lane, address + i, text + i, 1) && text[i]; i++)
        if (iscntrl((unsigned char)text[i])) text[i] = '?';
    text[i] = 0;
}

/* __assertfail(message, file, line, function, character size), in CUDA's words. Each lane prints
 * its line; then the block stops with the last message. */
static bool builtin_assertfail(struct warp *w, const struct op *op, uint32_t mask) {
    char message[256], file[256], function[256];
    const uint32_t *size = w->worker->grid->launch->shape.block, *block = w->block->ctaid;
    int first = __builtin_ctz(mask);
    for (; mask; mask &= mask - 1) {
        int lane = __builtin_ctz(mask);
        uint32_t thread = w->index * WARP_SIZE + (uint32_t)lane;
        read_text(w, lane, builtin_argument(w, op, lane, 0), message, sizeof message);
        read_text(w, lane, builtin_argument(w, op, lane, 1), file, sizeof file);
        read_text(w, lane, builtin_argument(w, op, lane, 3), function, sizeof function);
        report_print("%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n",
                     file, (unsigned)builtin_argument(w, op, lane, 2), function, block[0], block[1],
                     block[2], thread % size[0], thread / size[0] % size[1],
                     thread / size[0] / size[1], message);
    }
    return fault_raise(w, op, SIM_ERROR_ASSERT, first, "Assertion `%s` failed", message);
}

/* ---- What nobody defines ---- */

/* The handler of a function that nobody defines: a fault only if the call is executed. */
bool builtin_missing(struct warp *w, const struct op *op, uint32_t mask) {
    const char *name = caller_of(op)->module->functions[op->insn->operand[1].func].name;
    return fault_raise(w, op, SIM_ERROR_NOT_SUPPORTED, __builtin_ctz(mask),
                       "simt does not support the device function %s", name);
}

/* ---- The table ---- */

/* void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value): of several lanes
 * the last one. */
static bool builtin_set_condition(struct warp *w, const struct op *op, uint32_t mask) {
    const struct device_runtime *runtime = w->worker->grid->launch->device_runtime;
    for (; mask && runtime; mask &= mask - 1) {
        int lane = __builtin_ctz(mask);
        runtime->set_condition(builtin_argument(w, op, lane, 0),
                               (uint32_t)builtin_argument(w, op, lane, 1));
    }
    return true;
}

bool builtin_vprintf(struct warp *w, const struct op *op, uint32_t mask); /* run/device_printf.c */

/* The device runtime's functions (run/nested.c, run/nested_query.c): NESTED(name, function here).
 * In PTX the name follows __cudaCDP2, before CUDA 12 it follows cuda. */
#define NESTED_FUNCTIONS(NESTED)                                                                   \
    NESTED(GetParameterBufferV2, get_buffer)                                                       \
    NESTED(LaunchDeviceV2, launch_buffer)                                                          \
    NESTED(LaunchDeviceV2_ptsz, launch_buffer)                                                     \
    NESTED(MemcpyAsync, copy)                                                                      \
    NESTED(MemcpyAsync_ptsz, copy)                                                                 \
    NESTED(MemsetAsync, fill)                                                                      \
    NESTED(MemsetAsync_ptsz, fill)                                                                 \
    NESTED(StreamCreateWithFlags, create_stream)                                                   \
    NESTED(StreamDestroy, destroy_stream)                                                          \
    NESTED(StreamWaitEvent, wait_event)                                                            \
    NESTED(StreamWaitEvent_ptsz, wait_event)                                                       \
    NESTED(EventCreateWithFlags, create_event)                                                     \
    NESTED(EventRecord, record_event)                                                              \
    NESTED(EventRecord_ptsz, record_event)                                                         \
    NESTED(EventRecordWithFlags, record_event)                                                     \
    NESTED(EventRecordWithFlags_ptsz, record_event)                                                \
    NESTED(EventDestroy, destroy_event)                                                            \
    NESTED(DeviceSynchronize, wait)                                                                \
    NESTED(GetLastError, take_error)                                                               \
    NESTED(PeekAtLastError, peek_error)                                                            \
    NESTED(GetErrorName, error_name)                                                               \
    NESTED(GetErrorString, error_text)                                                             \
    NESTED(GetDeviceCount, device_count)                                                           \
    NESTED(GetDevice, device_number)                                                               \
    NESTED(RuntimeGetVersion, runtime_version)                                                     \
    NESTED(DeviceGetAttribute, attribute)                                                          \
    NESTED(DeviceGetLimit, limit)                                                                  \
    NESTED(DeviceGetCacheConfig, cache_config)                                                     \
    NESTED(FuncGetAttributes, function_attributes)                                                 \
    NESTED(OccupancyMaxActiveBlocksPerMultiprocessor, active_blocks)                               \
    NESTED(OccupancyMaxActiveBlocksPerMultiprocessorWithFlags, active_blocks_flags)
#define NESTED(name, function) builtin builtin_##function;
NESTED_FUNCTIONS(NESTED)
#undef NESTED

static const struct {
    const char *name;
    builtin *function;
} table[] = {{"vprintf", builtin_vprintf},
             {"malloc", builtin_malloc},
             {"free", builtin_free},
             {"__assertfail", builtin_assertfail},
             {"cudaGraphSetConditional", builtin_set_condition},
             {"__cudaCDP2Malloc", builtin_cuda_malloc},
             {"__cudaCDP2Free", builtin_cuda_free},
#define NESTED(name, function) {"__cudaCDP2" #name, builtin_##function},
             NESTED_FUNCTIONS(NESTED)
#undef NESTED
};

#define NEW_PREFIX "__cudaCDP2"
#define OLD_PREFIX "cuda"

/* Does the entry stand for the name, in the spelling of CUDA 12 or of CUDA 11? */
static bool is_called(const char *entry, const char *name) {
    size_t new_length = sizeof NEW_PREFIX - 1, old_length = sizeof OLD_PREFIX - 1;
    if (strcmp(entry, name) == 0) return true;
    return strncmp(entry, NEW_PREFIX, new_length) == 0 &&
           strncmp(name, OLD_PREFIX, old_length) == 0 &&
           strcmp(entry + new_length, name + old_length) == 0;
}

builtin *builtin_find(const char *name) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (is_called(table[i].name, name)) return table[i].function;
    return builtin_missing;
}
