/*
 * extra/processes/ipc.c: memory and events that several processes use.
 *
 * A handle names a file of memory by the process that made it and the descriptor there. The other
 * process opens it in /proc. The errors are those of an H200. Each process has its own modelled
 * clock: between them only the order counts, and work runs when it is enqueued, so an event is done
 * once it is recorded and the host functions before it have returned.
 */
#include "simt/api/event.h"
#include "simt/api/extra.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define POLL_US 50

/* What is in a handle. */
struct ticket {
    char magic[8];
    int32_t process, file;
    uint64_t inode; /* the number may stand for another file by now */
    uint64_t size;  /* bytes of the memory */
};
_Static_assert(sizeof(struct ticket) <= CUDA_IPC_HANDLE_SIZE, "a ticket fits into a handle");

static const char memory_magic[8] = "simtmem", event_magic[8] = "simtevt";

static struct ticket make_ticket(const char magic[8], int file) {
    struct stat status = {0};
    fstat(file, &status);
    struct ticket ticket = {.process = (int32_t)getpid(), .file = file, .inode = status.st_ino};
    memcpy(ticket.magic, magic, sizeof ticket.magic);
    return ticket;
}

/* The descriptor of the ticket's file here; -1: no such file any more. */
static int open_ticket(const struct ticket *ticket) {
    char path[64];
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)ticket->process, (int)ticket->file);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return -1;
    if (fstat(file, &status) == 0 && status.st_ino == ticket->inode) return file;
    close(file);
    return -1;
}

/* ---- Memory ---- */

/* Memory of another process that is open here. */
struct opened {
    struct ticket ticket;
    uintptr_t address;
    int device;
    unsigned times; /* it was opened, and not closed since */
    struct opened *next;
};

static struct opened *opened;

static cudaError_t get_memory(cudaIpcMemHandle_t *handle, void *pointer) {
    struct allocation *allocation = memory_find((uintptr_t)pointer, 1);
    if (!handle || !allocation || allocation->kind != ALLOC_DEVICE || allocation->access)
        return cudaErrorInvalidValue;
    int file = memory_share(allocation);
    if (file < 0) return cudaErrorMemoryAllocation;
    struct ticket ticket = make_ticket(memory_magic, file);
    ticket.size = allocation->size;
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &ticket, sizeof ticket);
    return cudaSuccess;
}

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *handle, void *pointer) {
    RT_CALL(get_memory(handle, pointer));
}

static struct opened *find_opened(const struct ticket *ticket) {
    struct opened *memory = opened;
    while (memory && (memory->ticket.process != ticket->process ||
                      memory->ticket.inode != ticket->inode || memory->device != device_current()))
        memory = memory->next;
    return memory;
}

/* Maps the memory, as the current device's. */
static cudaError_t import(const struct ticket *ticket, struct opened **result) {
    int file = open_ticket(ticket);
    if (file < 0) return cudaErrorNotPermitted; /* as an H200 answers for memory that was freed */
    struct opened *memory = malloc(sizeof *memory);
    const struct allocation *allocation = memory ? memory_import(file, ticket->size) : NULL;
    if (!allocation) {
        free(memory);
        close(file);
        return cudaErrorMemoryAllocation;
    }
    *memory = (struct opened){*ticket, allocation->address, device_current(), 0, opened};
    *result = opened = memory;
    return cudaSuccess;
}

static cudaError_t open_memory(void **pointer, const cudaIpcMemHandle_t *handle, unsigned flags) {
    struct ticket ticket;
    memcpy(&ticket, handle, sizeof ticket);
    if (!pointer || flags != cudaIpcMemLazyEnablePeerAccess) return cudaErrorInvalidValue;
    if (memcmp(ticket.magic, memory_magic, sizeof ticket.magic) != 0) return cudaErrorInvalidValue;
    if (ticket.process == (int32_t)getpid()) return cudaErrorDeviceUninitialized;
    struct opened *memory = find_opened(&ticket);
    cudaError_t error = memory ? cudaSuccess : import(&ticket, &memory);
    if (error) return error;
    memory->times++;
    *pointer = (void *)memory->address;
    return cudaSuccess;
}

cudaError_t cudaIpcOpenMemHandle(void **pointer, cudaIpcMemHandle_t handle, unsigned flags) {
    RT_CALL(open_memory(pointer, &handle, flags));
}

static cudaError_t close_memory(const void *pointer) {
    struct opened **link = &opened;
    while (*link && (*link)->address != (uintptr_t)pointer) link = &(*link)->next;
    struct opened *memory = *link;
    if (!memory) return cudaErrorInvalidValue;
    cudaError_t fault = rt_synchronise_device(memory->device);
    if (fault || --memory->times) return fault;
    *link = memory->next;
    memory_free(memory->address);
    free(memory);
    return cudaSuccess;
}

cudaError_t cudaIpcCloseMemHandle(void *pointer) {
    RT_CALL(close_memory(pointer));
}

static void ipc_reset(void) {
    for (struct opened **link = &opened; *link;) {
        struct opened *memory = *link;
        if (memory->device != device_current()) {
            link = &memory->next;
            continue;
        }
        *link = memory->next;
        free(memory);
    }
}

/* ---- Events ---- */

struct ipc_event {
    struct shared_event event;
    struct shared_page {
        /* how often it was recorded; up to which of them all is done */
        _Atomic uint64_t recorded, done;
    } * page;
    int file;
};

static const struct shared_event_calls calls;

/* The event of the file, which it owns from here on. NULL: no memory. */
static struct ipc_event *map_event(int file) {
    struct ipc_event *event = malloc(sizeof *event);
    void *page = mmap(NULL, sizeof *event->page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (event && page != MAP_FAILED) {
        *event = (struct ipc_event){{&calls}, page, file};
        return event;
    }
    free(event);
    if (page != MAP_FAILED) munmap(page, sizeof *event->page);
    close(file);
    return NULL;
}

static struct shared_event *event_new(void) {
    int file = memfd_create("simt event", MFD_CLOEXEC);
    if (file < 0) return NULL;
    if (ftruncate(file, sizeof(struct shared_page)) == 0)
        return (struct shared_event *)map_event(file);
    close(file);
    return NULL;
}

static void ipc_event_free(struct shared_event *shared) {
    struct ipc_event *event = (struct ipc_event *)shared;
    munmap(event->page, sizeof *event->page);
    close(event->file);
    free(event);
}

/* What is done of an event, told from the callback thread. The file stays open until then, whatever
 * the program does with the event. */
struct telling {
    struct ipc_event *event;
    uint64_t number;
};

static void ipc_tell(struct shared_page *page, uint64_t number) {
    uint64_t done = atomic_load(&page->done);
    while (done < number && !atomic_compare_exchange_weak(&page->done, &done, number)) continue;
}

static void tell_later(void *argument) {
    struct telling *telling = argument;
    ipc_tell(telling->event->page, telling->number);
    ipc_event_free(&telling->event->event);
    free(telling);
}

static uint64_t event_record(struct shared_event *shared, uint64_t callback) {
    struct ipc_event *event = (struct ipc_event *)shared;
    uint64_t number = atomic_fetch_add(&event->page->recorded, 1) + 1;
    struct telling *telling = rt_callback_done(callback) ? NULL : malloc(sizeof *telling);
    if (telling) *telling = (struct telling){map_event(dup(event->file)), number};
    uint64_t later = telling && telling->event ? rt_callback_add(tell_later, telling) : 0;
    if (later) return later;
    free(telling);
    rt_callback_wait(callback);
    ipc_tell(event->page, number);
    return callback;
}

static bool event_done(const struct shared_event *shared) {
    const struct shared_page *page = ((const struct ipc_event *)shared)->page;
    return atomic_load(&page->done) >= atomic_load(&page->recorded);
}

static void event_wait(const struct shared_event *shared) {
    const struct shared_page *page = ((const struct ipc_event *)shared)->page;
    uint64_t number = atomic_load(&page->recorded);
    while (atomic_load(&page->done) < number) {
        rt_unlock(); /* what it waits for may be a host function of this process */
        usleep(POLL_US);
        rt_lock();
    }
}

static const struct shared_event_calls calls = {event_record, event_done, event_wait,
                                                ipc_event_free};

static cudaError_t get_event(cudaIpcEventHandle_t *handle, struct event *event) {
    if (!handle) return cudaErrorInvalidValue;
    if (!event || event->imported || !(event->flags & cudaEventInterprocess))
        return cudaErrorInvalidResourceHandle;
    bool is_new = !event->shared;
    if (is_new) event->shared = event_new();
    if (!event->shared) return cudaErrorMemoryAllocation;
    if (is_new && event->work) event->callback = event_record(event->shared, event->callback);
    struct ticket ticket =
        make_ticket(event_magic, ((const struct ipc_event *)event->shared)->file);
    memset(handle, 0, sizeof *handle);
    memcpy(handle, &ticket, sizeof ticket);
    return cudaSuccess;
}

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *handle, cudaEvent_t event) {
    RT_CALL(get_event(handle, rt_event(event)));
}

static cudaError_t open_event(cudaEvent_t *result, const cudaIpcEventHandle_t *handle) {
    struct ticket ticket;
    memcpy(&ticket, handle, sizeof ticket);
    if (!result) return cudaErrorInvalidValue;
    bool is_event = memcmp(ticket.magic, event_magic, sizeof ticket.magic) == 0;
    if (is_event && ticket.process == (int32_t)getpid()) return cudaErrorDeviceUninitialized;
    int file = is_event ? open_ticket(&ticket) : -1;
    if (file < 0) return cudaErrorMapBufferObjectFailed;
    struct ipc_event *shared = map_event(file);
    if (!shared) return cudaErrorMemoryAllocation;
    cudaError_t error = rt_event_create(result, cudaEventInterprocess | cudaEventDisableTiming);
    if (error) {
        ipc_event_free(&shared->event);
        return error;
    }
    rt_event(*result)->shared = &shared->event;
    rt_event(*result)->imported = true;
    return cudaSuccess;
}

cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t handle) {
    RT_CALL(open_event(event, &handle));
}

__attribute__((constructor)) static void enter(void) {
    static struct rt_extra room = {.reset = ipc_reset};
    rt_extra_add(&room);
}
