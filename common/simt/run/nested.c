/*
 * run/nested.c: what device code calls to launch kernels, to copy and to fill, and for streams and
 * events.
 *
 * child<<<grid, block, shared, stream>>>(arguments) in a kernel is compiled to
 *
 *   buffer = __cudaCDP2GetParameterBufferV2(child, grid, block, shared);    null where the launch
 *                                                                           is refused
 *   if (buffer) { store the arguments in buffer; error = __cudaCDP2LaunchDeviceV2(buffer, stream);
 *   }
 *
 * Kernels with these calls run their blocks in order on one host thread (decode/block_order.c). So
 * the queue has one order, and nothing here takes a lock. A struct child goes from list to list of
 * struct children:
 *
 *   GetParameterBufferV2   open          parameter buffer handed out
 *   LaunchDeviceV2         ready, tail   queued; tail for the tail stream
 *   DeviceSynchronize      done          what was ready has run; the rest, after the grid's blocks
 *
 * A function here takes one lane's call and returns what that call returns: an error, 0 for none,
 * or an address. An error also becomes the thread's last error.
 */
#include "nested_block.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES 16384u
/* whole sectors, so that what a store counts does not depend on its neighbours */
#define BUFFER_ALIGN 64u
/* above the special streams' handles; handle - FIRST_HANDLE is the index in handles[] */
#define FIRST_HANDLE 0x100u

enum handle_state { HANDLE_GONE, HANDLE_STREAM, HANDLE_EVENT };

enum {
    NON_BLOCKING = 1,
    DISABLE_TIMING = 2
}; /* the only flags that device code may create streams and events with */

/*
 * Device memory that parameter buffers are cut from, one after another; freed with the queue.
 *
 *   | buffer | buffer | free ...          each a multiple of BUFFER_ALIGN bytes
 *   0                 used       memory->size
 */
struct buffer_chunk {
    struct buffer_chunk *next;
    struct allocation *memory;
    size_t used;
};

/* ---- The queue ---- */

void children_open(struct children *children) {
    memset(children, 0, sizeof *children);
}

/* Free the children of a list. Their buffers belong to chunks. */
static void free_list(struct child *child) {
    for (struct child *next; child; child = next) {
        next = child->next;
        free(child);
    }
}

void children_close(struct children *children) {
    free_list(children->ready.first);
    free_list(children->tail.first);
    free_list(children->open);
    free_list(children->done.first);
    for (struct buffer_chunk *chunk = children->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        memory_free(chunk->memory->address);
        free(chunk);
    }
    free(children->handles);
    children_open(children);
}

/* ---- Parameter buffers ---- */

/* A chunk with room for bytes, put first; NULL: no memory. */
static struct buffer_chunk *add_chunk(struct children *children, size_t bytes) {
    struct buffer_chunk *chunk = calloc(1, sizeof *chunk);
    size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
    if (chunk) chunk->memory = memory_allocate(size, ALLOC_GLOBAL_VAR, "launch parameters");
    if (!chunk || !chunk->memory) {
        free(chunk);
        return NULL;
    }
    chunk->next = children->chunks;
    return children->chunks = chunk;
}

/* Device address of a buffer for bytes of parameters; 0: no memory. Also a buffer of 0 bytes takes
 * room: take_open() finds a launch by its address. */
static uint64_t take_buffer(struct children *children, size_t bytes) {
    struct buffer_chunk *chunk = children->chunks;
    bytes = (bytes / BUFFER_ALIGN + 1) * BUFFER_ALIGN;
    if (!chunk || bytes > chunk->memory->size - chunk->used) chunk = add_chunk(children, bytes);
    if (!chunk) return 0;
    uint64_t address = chunk->memory->address + chunk->used;
    chunk->used += bytes;
    return address;
}

/* Take the launch with this buffer out of the open ones; NULL: none has it. */
static struct child *take_open(struct children *children, uint64_t buffer) {
    for (struct child **link = &children->open; *link; link = &(*link)->next) {
        struct child *child = *link;
        if (child->params != buffer) continue;
        *link = child->next;
        return child;
    }
    return NULL;
}

/* ---- A thread's last error, a block's waiting launches ---- */

struct nested *nested_of(struct block *block) {
    size_t threads = block->worker->grid->block_threads * sizeof *block->nested->threads;
    if (!block->nested) block->nested = calloc(1, sizeof *block->nested + threads);
    return block->nested;
}

struct nested_thread *nested_thread_of(struct warp *w, int lane) {
    struct nested *nested = nested_of(w->block);
    return nested ? &nested->threads[w->index * WARP_SIZE + (uint32_t)lane] : NULL;
}

int nested_error(struct warp *w, int lane, int error) {
    struct nested_thread *thread = error ? nested_thread_of(w, lane) : NULL;
    if (thread) thread->error = (uint16_t)error;
    return error;
}

/* Run call for each lane of mask, and write what it returns as the result of the lane's call.
 * False: a fault, as the launch has no device runtime. */
bool nested_each(struct warp *w, const struct op *op, uint32_t mask, nested_call *call) {
    const struct launch *launch = w->worker->grid->launch;
    if (!launch->children || !launch->device_runtime)
        return fault_raise(w, op, SIM_ERROR_NOT_SUPPORTED, __builtin_ctz(mask),
                           "No runtime for launches by kernels is here");
    for (; mask; mask &= mask - 1) {
        struct nested_site site = {w, op, __builtin_ctz(mask), launch->children};
        builtin_return(w, op, site.lane, call(&site));
    }
    return true;
}

/* Count work of the block, if the limit on pending launches allows it
 * (cudaLimitDevRuntimePendingLaunchCount). Pending are the unfinished ancestors and, until the grid
 * has ended, its tail launches. Other launches end beside the grid: on an H200 one thread makes
 * 20000 in turn. (There 2560 threads that launch at one moment are refused the last 512.) */
static int count_pending(const struct nested_site *site, uint64_t stream) {
    const struct launch *launch = site->w->worker->grid->launch;
    struct nested *nested = nested_of(site->w->block);
    size_t limit = 0, tails = stream == STREAM_TAIL ? site->children->tails : 0;
    if (!nested || launch->device_runtime->limit(&limit, LIMIT_PENDING_LAUNCHES))
        return SIM_ERROR_MEMORY;
    if (launch->waiting + tails >= limit) return SIM_ERROR_PENDING_LAUNCHES;
    site->children->tails += stream == STREAM_TAIL;
    nested->launches++;
    return 0;
}

/* ---- Into a stream ---- */

/* Put child after the last one. */
static void device_append(struct child_list *list, struct child *child) {
    child->next = NULL;
    if (list->last)
        list->last->next = child;
    else
        list->first = child;
    list->last = child;
}

/* Find the launch that child waits for (child->before), for the time model. After a wait of the
 * block, that is the launch that the block waited for longest. In a stream, it is the block's last
 * launch into the same stream. Blocks have no order among them, nor have launches to be forgotten;
 * tail launches follow the whole grid. */
static void line_up(struct nested *nested, struct child *child) {
    child->earlier = NULL;
    child->before = nested ? nested->waited : NULL;
    child->nth = nested && nested->launches ? nested->launches - 1 : 0;
    if (!nested || child->stream == STREAM_TAIL || child->stream == STREAM_FORGET) return;
    child->earlier = nested->latest;
    for (struct child *other = nested->latest; other; other = other->earlier) {
        if (other->stream != child->stream) continue;
        child->before = other;
        break;
    }
    nested->latest = child;
}

/* Put child into the stream. */
static void device_queue(const struct nested_site *site, struct child *child, uint64_t stream) {
    child->stream = stream == STREAM_LEGACY ? STREAM_NULL : stream;
    line_up(nested_of(site->w->block), child);
    struct nested_thread *thread = nested_thread_of(site->w, site->lane);
    child->nth_of_thread = thread ? thread->launches++ : 0;
    device_append(child_is_tail(child) ? &site->children->tail : &site->children->ready, child);
}

/* ---- Launches ---- */

/* The kernel and shape in the arguments of GetParameterBufferV2. */
static struct child device_describe(const struct nested_site *site) {
    struct child child = {.work = CHILD_KERNEL};
    child.entry =
        (const struct ptx_function *)(uint64_t)builtin_argument(site->w, site->op, site->lane, 0);
    builtin_argument_bytes(site->w, site->op, site->lane, 1, child.shape.grid,
                           sizeof child.shape.grid);
    builtin_argument_bytes(site->w, site->op, site->lane, 2, child.shape.block,
                           sizeof child.shape.block);
    child.shape.dynamic_shared = (uint32_t)builtin_argument(site->w, site->op, site->lane, 3);
    return child;
}

/* Check the launch, and hand out its parameter buffer. Returns the buffer's device
 * address. 0: the launch is refused, and the last error tells why. */
static uint64_t get_buffer(const struct nested_site *site) {
    const struct launch *launch = site->w->worker->grid->launch;
    struct child child = device_describe(site), *kept = NULL;
    int error = launch->device_runtime->check(&child, launch->depth);
    if (!error) child.params = take_buffer(site->children, child.entry->param_bytes);
    if (!error && child.params) kept = malloc(sizeof *kept);
    if (!kept) {
        nested_error(site->w, site->lane, error ? error : SIM_ERROR_MEMORY);
        return 0;
    }
    *kept = child;
    kept->next = site->children->open;
    site->children->open = kept;
    return kept->params;
}

/* Is handle an existing one of this kind? */
static bool is_handle(const struct children *children, uint64_t handle, enum handle_state kind) {
    uint64_t i = handle - FIRST_HANDLE;
    return handle >= FIRST_HANDLE && i < children->nhandles && children->handles[i] == kind;
}

/* Does the handle name a stream: a special one, or one that the grid made? */
static bool is_stream(const struct children *children, uint64_t handle) {
    return handle <= LAST_SPECIAL || is_handle(children, handle, HANDLE_STREAM);
}

/* Queue the launch that has this buffer. Arguments: buffer, stream. */
static uint64_t launch_buffer(const struct nested_site *site) {
    uint64_t stream = builtin_argument(site->w, site->op, site->lane, 1);
    struct child *child =
        take_open(site->children, builtin_argument(site->w, site->op, site->lane, 0));
    int error = !child                               ? SIM_ERROR_VALUE
                : !is_stream(site->children, stream) ? SIM_ERROR_HANDLE
                                                     : count_pending(site, stream);
    if (error) {
        free(child);
        return (uint64_t)nested_error(site->w, site->lane, error);
    }
    device_queue(site, child, stream);
    site->w->worker->counters.device_launches++;
    return 0;
}

/* ---- Copies and fills: work in a stream like kernels ---- */

/* Queue a copy or a fill. 0 bytes: success without work. The device ranges must be inside
 * allocations. */
static uint64_t queue_transfer(const struct nested_site *site, struct child transfer,
                               uint64_t stream) {
    struct child *child = NULL;
    int error = is_stream(site->children, stream) ? count_pending(site, stream) : SIM_ERROR_HANDLE;
    if (!transfer.bytes && !error) return 0;
    bool valid = memory_host(transfer.to, transfer.bytes) &&
                 (transfer.work == CHILD_FILL || memory_host(transfer.from, transfer.bytes));
    if (!error && !valid) error = SIM_ERROR_VALUE;
    if (!error && !(child = malloc(sizeof *child))) error = SIM_ERROR_MEMORY;
    if (error) return (uint64_t)nested_error(site->w, site->lane, error);
    *child = transfer;
    device_queue(site, child, stream);
    return 0;
}

/* Arguments: to, from, bytes, kind, stream. The addresses tell the kind. */
static uint64_t device_copy(const struct nested_site *site) {
    struct child transfer = {.work = CHILD_COPY};
    transfer.to = builtin_argument(site->w, site->op, site->lane, 0);
    transfer.from = builtin_argument(site->w, site->op, site->lane, 1);
    transfer.bytes = builtin_argument(site->w, site->op, site->lane, 2);
    return queue_transfer(site, transfer, builtin_argument(site->w, site->op, site->lane, 4));
}

/* Arguments: to, value of a byte, bytes, stream. */
static uint64_t device_fill(const struct nested_site *site) {
    struct child transfer = {.work = CHILD_FILL};
    transfer.to = builtin_argument(site->w, site->op, site->lane, 0);
    transfer.value = (int)builtin_argument(site->w, site->op, site->lane, 1);
    transfer.bytes = builtin_argument(site->w, site->op, site->lane, 2);
    return queue_transfer(site, transfer, builtin_argument(site->w, site->op, site->lane, 3));
}

/* ---- Streams and events: all work runs in the order of its launches, so that waits hold by
 * themselves ---- */

/* A new handle of this kind. Handles are not used again, so a destroyed one stays invalid. False:
 * no memory. */
static bool add_handle(struct children *children, enum handle_state kind, uint64_t *handle) {
    if (children->nhandles == children->handle_capacity) {
        size_t capacity = children->handle_capacity ? 2 * children->handle_capacity : 64;
        uint8_t *grown = realloc(children->handles, capacity);
        if (!grown) return false;
        children->handles = grown;
        children->handle_capacity = capacity;
    }
    children->handles[children->nhandles] = (uint8_t)kind;
    *handle = FIRST_HANDLE + children->nhandles++;
    return true;
}

/* Arguments: where to put the handle, flags. CUDA allows device code one value of flags: wanted. */
static uint64_t device_create(const struct nested_site *site, enum handle_state kind,
                              uint64_t wanted) {
    uint64_t to = builtin_argument(site->w, site->op, site->lane, 0), handle = 0;
    int error = builtin_argument(site->w, site->op, site->lane, 1) == wanted ? 0 : SIM_ERROR_VALUE;
    if (!error && !add_handle(site->children, kind, &handle)) error = SIM_ERROR_MEMORY;
    if (!error && !space_write(site->w, site->lane, to, &handle, sizeof handle))
        error = SIM_ERROR_VALUE;
    return (uint64_t)nested_error(site->w, site->lane, error);
}

static uint64_t create_stream(const struct nested_site *site) {
    return device_create(site, HANDLE_STREAM, NON_BLOCKING);
}

static uint64_t create_event(const struct nested_site *site) {
    return device_create(site, HANDLE_EVENT, DISABLE_TIMING);
}

/* Argument: the handle. Work in the stream stays queued. */
static uint64_t device_destroy(const struct nested_site *site, enum handle_state kind) {
    uint64_t handle = builtin_argument(site->w, site->op, site->lane, 0);
    if (!is_handle(site->children, handle, kind))
        return (uint64_t)nested_error(site->w, site->lane, SIM_ERROR_HANDLE);
    site->children->handles[handle - FIRST_HANDLE] = HANDLE_GONE;
    return 0;
}

static uint64_t destroy_stream(const struct nested_site *site) {
    return device_destroy(site, HANDLE_STREAM);
}

static uint64_t destroy_event(const struct nested_site *site) {
    return device_destroy(site, HANDLE_EVENT);
}

/* Arguments number stream and number event must be handles. Nothing else is to be done: see
 * above. */
static uint64_t check_handles(const struct nested_site *site, int stream, int event) {
    bool ok = is_stream(site->children, builtin_argument(site->w, site->op, site->lane, stream)) &&
              is_handle(site->children, builtin_argument(site->w, site->op, site->lane, event),
                        HANDLE_EVENT);
    return (uint64_t)nested_error(site->w, site->lane, ok ? 0 : SIM_ERROR_HANDLE);
}

static uint64_t wait_event(const struct nested_site *site) {
    return check_handles(site, 0, 1);
}

static uint64_t record_event(const struct nested_site *site) {
    return check_handles(site, 1, 0);
}

/* ---- Waiting ---- */

/* The launch that ends last in modelled time, of those since the block's last wait and the one
 * waited for then. */
static struct child *last_to_end(const struct nested *nested) {
    struct child *last = nested->waited;
    for (struct child *child = nested->latest; child; child = child->earlier)
        if (!last || child->end_ns > last->end_ns) last = child;
    return last;
}

/* DeviceSynchronize: run what is queued, then go on. False: a kernel that was launched failed, so
 * this one stops too. The runtime has reported why. */
bool builtin_wait(struct warp *w, const struct op *op, uint32_t mask) {
    bool stops = false;
    int error = grid_wait(w->worker, w->block, &stops);
    struct nested *nested = nested_of(w->block);
    if (stops)
        return fault_raise(w, op, error, __builtin_ctz(mask),
                           "A kernel that this one waits for has failed");
    if (nested && !error) {
        nested->waited = last_to_end(nested);
        nested->latest = NULL;
    }
    for (; mask; mask &= mask - 1)
        builtin_return(w, op, __builtin_ctz(mask),
                       (uint64_t)nested_error(w, __builtin_ctz(mask), error));
    return true;
}

/* ---- The table's entries ---- */

#define BUILTIN(name, call)                                                                        \
    bool builtin_##name(struct warp *w, const struct op *op, uint32_t mask) {                      \
        return nested_each(w, op, mask, call);                                                     \
    }
BUILTIN(get_buffer, get_buffer)
BUILTIN(launch_buffer, launch_buffer)
BUILTIN(copy, device_copy)
BUILTIN(fill, device_fill)
BUILTIN(create_stream, create_stream)
BUILTIN(destroy_stream, destroy_stream)
BUILTIN(wait_event, wait_event)
BUILTIN(create_event, create_event)
BUILTIN(record_event, record_event)
BUILTIN(destroy_event, destroy_event)
