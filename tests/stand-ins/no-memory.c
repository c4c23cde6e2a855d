/* no-memory.c: LD_PRELOAD this as a library, and the FAIL_AT-th time that the simulator's library
 * asks for memory there is none. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CALLER __builtin_return_address(0)

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static bool fails(void *caller) {
    static long asked;
    static __thread bool looking; /* dladdr may ask for memory itself */
    Dl_info library;
    if (looking) return false;
    looking = true;
    bool ours = dladdr(caller, &library) && strstr(library.dli_fname, "libcudart");
    looking = false;
    return ours && __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED) == atol(getenv("FAIL_AT"));
}

void *malloc(size_t size) {
    return fails(CALLER) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails(CALLER) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
    return fails(CALLER) ? NULL : __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return fails(CALLER) ? NULL : __libc_memalign(alignment, size);
}
