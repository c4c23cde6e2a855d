/* nvrtc.c: part of the library that simt loads before a program. A program that compiles kernels
 * with NVRTC gets their PTX in the place of machine code, which a simulator cannot run. NVRTC has
 * both. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

enum { NVRTC_ERROR_INTERNAL_ERROR = 11 };

/* Gets what NVRTC's function of that name gets. */
static int get(const char *function, void *program, void *result) {
    int (*theirs)(void *, void *) = (int (*)(void *, void *))(uintptr_t)dlsym(RTLD_NEXT, function);
    return theirs ? theirs(program, result) : NVRTC_ERROR_INTERNAL_ERROR;
}

#define EXPORTED __attribute__((visibility("default")))
EXPORTED int nvrtcGetCUBINSize(void *program, size_t *size);
EXPORTED int nvrtcGetCUBIN(void *program, char *code);

int nvrtcGetCUBINSize(void *program, size_t *size) {
    return get("nvrtcGetPTXSize", program, size);
}

int nvrtcGetCUBIN(void *program, char *code) {
    return get("nvrtcGetPTX", program, code);
}
