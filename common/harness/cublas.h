/* cublas.h: NVIDIA's matrix product, for comparison with a lab's kernels. The program opens the
 * library at run time, so labs compile and run without it. */
#pragma once

#include <dlfcn.h>

#include "../common.h"

/* The functions used from cublas_v2.h. They return 0 for success. */
struct Cublas {
    void *handle; /* NULL: not available */
    int (*sgemm)(void *handle, int transposeA, int transposeB, int m, int n, int k,
                 const float *alpha, const float *a, int lda, const float *b, int ldb,
                 const float *beta, float *c, int ldc);
    int (*gemmEx)(void *handle, int transposeA, int transposeB, int m, int n, int k,
                  const void *alpha, const void *a, int typeA, int lda, const void *b, int typeB,
                  int ldb, const void *beta, void *c, int typeC, int ldc, int compute,
                  int algorithm);
    int (*setMathMode)(void *handle, int mode);
    int (*destroy)(void *handle);
    const char *absence; /* why it is not available */
};

/* Plain single precision: no tensor cores, no reduced precision (CUBLAS_PEDANTIC_MATH). */
enum { CUBLAS_DEFAULT = 0, CUBLAS_PEDANTIC = 2, CUBLAS_NO_TRANSPOSE = 0 };

/* Types of elements, of sums, and any algorithm, as cublasGemmEx numbers them. */
enum { CUBLAS_FLOAT = 0, CUBLAS_HALF = 2, CUBLAS_SUMS_FLOAT = 68, CUBLAS_ANY = -1 };

/* Opens the newest library of a known major version; NULL: none. */
static inline void *openCublasLibrary() {
    for (const char *name :
         {"libcublas.so.13", "libcublas.so.12", "libcublas.so.11", "libcublas.so"}) {
        void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library != NULL) return library;
    }
    return NULL;
}

/* Opens the library and prepares it for this device. Its kernels are machine code, which the
 * simulator cannot run (modelled). Sets handle to NULL, and absence, if it is not available. Close
 * with closeCublas. */
static inline Cublas openCublas(bool modelled) {
    Cublas cublas = {};
    void *library = modelled ? NULL : openCublasLibrary();
    if (library == NULL) {
        cublas.absence = modelled ? "the simulator cannot run its machine code"
                                  : "no libcublas.so on this machine";
        return cublas;
    }
    int (*create)(void **) = (int (*)(void **))dlsym(library, "cublasCreate_v2");
    cublas.setMathMode = (decltype(cublas.setMathMode))dlsym(library, "cublasSetMathMode");
    cublas.gemmEx = (decltype(cublas.gemmEx))dlsym(library, "cublasGemmEx");
    cublas.sgemm = (decltype(cublas.sgemm))dlsym(library, "cublasSgemm_v2");
    cublas.destroy = (decltype(cublas.destroy))dlsym(library, "cublasDestroy_v2");
    bool complete = create != NULL && cublas.setMathMode != NULL && cublas.gemmEx != NULL &&
                    cublas.sgemm != NULL && cublas.destroy != NULL;
    if (!complete || create(&cublas.handle) != 0) {
        cublas.handle = NULL;
        cublas.absence = "libcublas.so does not start on this device";
    } else if (cublas.setMathMode(cublas.handle, CUBLAS_PEDANTIC) != 0) {
        cublas.destroy(cublas.handle);
        cublas.handle = NULL;
        cublas.absence = "libcublas.so refuses plain single precision";
    }
    return cublas;
}

/* Closes the library's handle, if it is open. */
static inline void closeCublas(Cublas *cublas) {
    if (cublas->handle != NULL) cublas->destroy(cublas->handle);
    cublas->handle = NULL;
}

/* Computes p = m * n, of width x inner and inner x width row-major elements in device memory.
 * cuBLAS is column-major and sees each matrix transposed. As (m n)^T = n^T m^T, the factors change
 * places. Returns false if cuBLAS reports an error. */
static inline bool multiplyByCublas(const Cublas *cublas, const float *m, const float *n, float *p,
                                    int width, int inner) {
    const float one = 1, zero = 0;
    return cublas->sgemm(cublas->handle, CUBLAS_NO_TRANSPOSE, CUBLAS_NO_TRANSPOSE, width, width,
                         inner, &one, n, width, m, inner, &zero, p, width) == 0;
}

/* The same for square factors of halves and a product of floats, on tensor cores. */
static inline bool multiplyHalvesByCublas(const Cublas *cublas, const void *m, const void *n,
                                          float *p, int width) {
    const float one = 1, zero = 0;
    cublas->setMathMode(cublas->handle, CUBLAS_DEFAULT);
    return cublas->gemmEx(cublas->handle, CUBLAS_NO_TRANSPOSE, CUBLAS_NO_TRANSPOSE, width, width,
                          width, &one, n, CUBLAS_HALF, width, m, CUBLAS_HALF, width, &zero, p,
                          CUBLAS_FLOAT, width, CUBLAS_SUMS_FLOAT, CUBLAS_ANY) == 0;
}
