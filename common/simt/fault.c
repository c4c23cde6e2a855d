/* fault.c: what went wrong in a kernel, told as compute-sanitizer tells it: what, where in the program, which thread,
 * which address. */
#include "exec.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t fault_lock = PTHREAD_MUTEX_INITIALIZER;

#define NULL_BYTES 65536        /* addresses below are a null pointer with an offset */
#define NEAR_BYTES (1ull << 30) /* an allocation farther away has nothing to do with the address */

enum { ERROR_ILLEGAL_ADDRESS = 700, ERROR_MISALIGNED = 716, ERROR_ADDRESS_SPACE = 717 };

struct text {
    char *at;
    size_t left;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *text, const char *format, ...) {
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text->at, text->left, format, list);
    va_end(list);
    size_t used = n < 0 ? 0 : (size_t)n < text->left ? (size_t)n : text->left - 1;
    text->at += used;
    text->left -= used;
}

/* The C++ name of a kernel, where the program brought the C++ library with it. */
static void add_name(struct text *text, const char *mangled) {
    typedef char *demangler(const char *, char *, size_t *, int *);
    demangler *demangle = (demangler *)(uintptr_t)dlsym(RTLD_DEFAULT, "__cxa_demangle");
    int status = -1;
    char *name = demangle ? demangle(mangled, NULL, NULL, &status) : NULL;
    add(text, "%s", name && status == 0 ? name : mangled);
    free(name);
}

static const struct ptx_module *module_of(const struct warp *w) {
    return w->frame ? w->frame->code->function->module : w->worker->kernel->entry->module;
}

/* The .cu line if the program has line information, else the PTX line. */
static void add_source(struct text *text, const struct warp *w, const struct ptx_insn *insn) {
    const struct ptx_module *module = module_of(w);
    char spelled[64];
    if (!insn) return;
    if (insn->line > 0 && insn->file >= 0 && insn->file < module->nfiles && module->files[insn->file])
        add(text, "    at %s:%d", module->files[insn->file], insn->line);
    else
        add(text, "    at line %d of the PTX (compile with -lineinfo to see the source line)", insn->ptx_line);
    add(text, ", instruction %s\n", ptx_spell(insn, spelled, sizeof spelled));
}

static void add_function(struct text *text, const struct warp *w) {
    add(text, "    in kernel ");
    add_name(text, w->worker->kernel->entry->name);
    if (w->frame && w->frame->call) {
        add(text, ", function ");
        add_name(text, w->frame->code->function->name);
    }
    add(text, "\n");
}

static void add_thread(struct text *text, const struct warp *w, int lane) {
    const uint32_t *size = w->worker->grid->launch.block, *block = w->block->ctaid;
    uint32_t thread = w->index * LANES + (uint32_t)(lane < 0 ? 0 : lane);
    if (lane >= 0)
        add(text, "    by thread (%u,%u,%u) in block (%u,%u,%u)\n", thread % size[0], thread / size[0] % size[1],
            thread / size[0] / size[1], block[0], block[1], block[2]);
    else
        add(text, "    in block (%u,%u,%u)\n", block[0], block[1], block[2]);
}

/* Keep the fault of the lowest block: that is the one a run in block order would meet first. */
static void keep(struct warp *w, int error, const char *message) {
    struct grid *grid = w->worker->grid;
    w->block->failed = true;
    pthread_mutex_lock(&fault_lock);
    if (w->block->index < grid->fault_block) {
        grid->fault->error = error;
        snprintf(grid->fault->message, sizeof grid->fault->message, "%s", message);
        __atomic_store_n(&grid->fault_block, w->block->index, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&fault_lock);
}

/* Stop the block at op with a sentence. lane -1: no particular thread. Returns NULL, which ends the warp's turn. */
const struct op *fault_raise(struct warp *w, const struct op *op, int error, int lane, const char *format, ...) {
    char message[sizeof w->worker->grid->fault->message];
    struct text text = {message, sizeof message};
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text.at, text.left, format, list);
    va_end(list);
    text.at += n < (int)text.left ? n : (int)text.left - 1;
    text.left = sizeof message - (size_t)(text.at - message);
    add(&text, "\n");
    if (op) add_source(&text, w, op->insn);
    add_function(&text, w);
    add_thread(&text, w, lane);
    keep(w, error, message);
    return NULL;
}

static const char *plural(uint64_t n) {
    return n == 1 ? "" : "s";
}

/* An address that far from every allocation has not run out of one. */
#define OVERRUN_BYTES (64u << 10)

static bool is_near(const struct allocation *allocation, uint64_t address) {
    return address + OVERRUN_BYTES >= allocation->address &&
           address < allocation->address + allocation->size + OVERRUN_BYTES;
}

/* Can the host read there? Then a host pointer was given to a kernel. */
static bool is_host_memory(uint64_t address) {
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)address, 1};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1;
}

static uint64_t distance(const struct allocation *a, uint64_t address) {
    uint64_t end = a->address + a->size;
    return address < a->address ? a->address - address : address > end ? address - end : 0;
}

/* "4 bytes past the end of a 4096-byte allocation made as #3" */
static void describe_address(struct text *text, uint64_t address) {
    bool freed;
    const struct allocation *near = memory_nearest(address, &freed);
    if (address == 0) {
        add(text, "a null pointer");
    } else if (address < NULL_BYTES) {
        add(text, "a null pointer plus %llu", (unsigned long long)address);
    } else if (!(near && is_near(near, address)) && is_host_memory(address)) {
        add(text, "the host's memory, which kernels cannot reach: copy it to memory of cudaMalloc, or use "
                  "cudaMallocManaged");
    } else if (!near || distance(near, address) > NEAR_BYTES) {
        add(text, "far from every allocation");
    } else {
        uint64_t end = near->address + near->size, before = near->address - address, past = address - end;
        if (address < near->address)
            add(text, "%llu byte%s before ", (unsigned long long)before, plural(before));
        else if (address == end)
            add(text, "just past the end of ");
        else if (address > end)
            add(text, "%llu byte%s past the end of ", (unsigned long long)past, plural(past));
        else
            add(text, "inside ");
        if (near->name)
            add(text, "variable %s of %zu bytes", near->name, near->size);
        else
            add(text, "a %zu-byte allocation made as #%llu", near->size, (unsigned long long)near->serial);
        if (freed) add(text, ", which was freed");
    }
}

static const char *access_name(const struct op *op) {
    switch ((enum ptx_opcode)op->insn->op) {
    case PTX_ST: return "write";
    case PTX_ATOM:
    case PTX_RED: return "atomic";
    default: return "read";
    }
}

static void describe_window(struct text *text, const struct warp *w, uint64_t address) {
    uint64_t offset = address & ~WINDOW_MASK;
    if ((address & WINDOW_MASK) == SHARED_WINDOW)
        add(text, "Offset %llu in the block's %u bytes of shared memory", (unsigned long long)offset,
            w->worker->shared_bytes);
    else if ((address & WINDOW_MASK) == LOCAL_WINDOW)
        add(text, "Offset %llu in the thread's %u bytes of local memory", (unsigned long long)offset,
            w->worker->local_stride);
    else if ((address & WINDOW_MASK) == PARAM_WINDOW)
        add(text, "Byte %llu of the kernel's parameters", (unsigned long long)offset);
    else {
        add(text, "Address 0x%llx is ", (unsigned long long)address);
        describe_address(text, address);
    }
}

static const char *space_name(uint64_t address) {
    switch (address & WINDOW_MASK) {
    case SHARED_WINDOW: return "__shared__";
    case LOCAL_WINDOW: return "__local__";
    case PARAM_WINDOW: return "parameter";
    default: return "__global__";
    }
}

/* An access that must not be. what: "misaligned", "out of bounds", "constant" or "atomic". Always NULL. */
const struct op *fault_access(struct warp *w, const struct op *op, int lane, uint64_t address, uint32_t size,
                              const char *what) {
    char detail[256];
    struct text text = {detail, sizeof detail};
    describe_window(&text, w, address);
    if (strcmp(what, "misaligned") == 0)
        return fault_raise(w, op, ERROR_MISALIGNED, lane,
                           "Misaligned %s %s of size %u bytes\n    Address 0x%llx is not a multiple of %u",
                           space_name(address), access_name(op), size, (unsigned long long)address, size);
    if (strcmp(what, "constant") == 0)
        return fault_raise(w, op, ERROR_ILLEGAL_ADDRESS, lane, "Invalid %s of size %u bytes to constant memory\n    %s",
                           access_name(op), size, detail);
    if (strcmp(what, "atomic") == 0)
        return fault_raise(w, op, ERROR_ADDRESS_SPACE, lane, "Invalid %s atomic of size %u bytes\n    %s",
                           space_name(address), size, detail);
    return fault_raise(w, op, ERROR_ILLEGAL_ADDRESS, lane, "Invalid %s %s of size %u bytes\n    %s",
                       space_name(address), access_name(op), size, detail);
}

bool fault_stops(const struct block *block) {
    return block->failed || __atomic_load_n(&block->worker->grid->fault_block, __ATOMIC_ACQUIRE) <= block->index;
}
