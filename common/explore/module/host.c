/* explore/module/host.c: address space and files in a browser, and the caller, which is a page: in
 * the place of device/host.c and api/caller.c. */
#include "simt/device/host.h"
#include "lib/memory.h"
#include "simt/api/caller.h"

#include <dlfcn.h>
#include <emscripten.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define GRAIN 65536 /* of a browser's memory */

/* As much as the page asks for. Addresses have 64 bits, and the storage's the lower 32 of address +
 * *delta. */
bool host_reserve(uint64_t *base, uint64_t *end, intptr_t *delta) {
    const char *bytes = getenv("PAGE_BYTES");
    size_t size = bytes ? strtoul(bytes, NULL, 10) : 0;
    char *storage = sbrk((intptr_t)round_up(size, GRAIN)); /* new memory is zero */
    *base = ARENA_ADDRESS;
    *end = ARENA_ADDRESS + size;
    *delta = (intptr_t)storage; /* the lower half of ARENA_ADDRESS is zero */
    return storage != (void *)-1;
}

void host_enlarge_pages(void *pages, size_t size) {
    (void)pages, (void)size;
}

void host_clear(void *pages, size_t size) {
    memset(pages, 0, size);
}

uint64_t host_available(void) {
    return UINT64_MAX;
}

/* The page writes gpus.tsv there. */
bool library_file(const char *name, char path[PATH_MAX]) {
    snprintf(path, PATH_MAX, "/%s", name);
    return true;
}

const void *rt_caller(void) {
    return NULL;
}

const char *rt_function_at(const void *code) {
    (void)code;
    return "";
}

const void *rt_code_of(const void *context) {
    (void)context;
    return NULL;
}

/* Host memory cannot be looked at. */
ssize_t process_vm_readv(pid_t process, const struct iovec *to, unsigned long n,
                         const struct iovec *from, unsigned long m, unsigned long flags) {
    (void)process, (void)to, (void)n, (void)from, (void)m, (void)flags;
    return -1;
}

/* The page knows how its kernel is written in C++. */
static const char *mangled, *demangled;

EMSCRIPTEN_KEEPALIVE void page_name(const char *kernel, const char *name) {
    mangled = need_text("%s", kernel);
    demangled = need_text("%s", name);
}

static char *demangle(const char *name, char *buffer, size_t *size, int *status) {
    (void)buffer, (void)size;
    *status = mangled && strcmp(name, mangled) == 0 ? 0 : -1;
    return *status ? NULL : need_text("%s", demangled);
}

/* The module is all that there is: no C++ library, no driver. */
void *dlsym(void *library, const char *name) {
    (void)library;
    return strcmp(name, "__cxa_demangle") == 0 ? (void *)(uintptr_t)demangle : NULL;
}

void *dlopen(const char *library, int flags) {
    (void)library, (void)flags;
    return NULL;
}

/* The page shows progress as a terminal does: one line, anew twice a second. */
int isatty(int file) {
    (void)file;
    return 1;
}
