/* device_math_minmax.h: min and max, which CUDA has for every pair of arithmetic types, on the host
 * too. */

SIMT_NV int __nv_min(int a, int b) {
    return a < b ? a : b;
}
SIMT_NV int __nv_max(int a, int b) {
    return a > b ? a : b;
}
SIMT_NV unsigned __nv_umin(unsigned a, unsigned b) {
    return a < b ? a : b;
}
SIMT_NV unsigned __nv_umax(unsigned a, unsigned b) {
    return a > b ? a : b;
}
SIMT_NV long long __nv_llmin(long long a, long long b) {
    return a < b ? a : b;
}
SIMT_NV long long __nv_llmax(long long a, long long b) {
    return a > b ? a : b;
}
SIMT_NV unsigned long long __nv_ullmin(unsigned long long a, unsigned long long b) {
    return a < b ? a : b;
}
SIMT_NV unsigned long long __nv_ullmax(unsigned long long a, unsigned long long b) {
    return a > b ? a : b;
}

#define SIMT_MINMAX(result, first, second)                                                         \
    static __inline__ __host__ __device__ result min(first a, second b) {                          \
        return (result)a < (result)b ? (result)a : (result)b;                                      \
    }                                                                                              \
    static __inline__ __host__ __device__ result max(first a, second b) {                          \
        return (result)a > (result)b ? (result)a : (result)b;                                      \
    }
SIMT_MINMAX(unsigned, unsigned, unsigned)
SIMT_MINMAX(unsigned, int, unsigned)
SIMT_MINMAX(unsigned, unsigned, int)
SIMT_MINMAX(long, long, long)
SIMT_MINMAX(unsigned long, unsigned long, unsigned long)
SIMT_MINMAX(unsigned long, long, unsigned long)
SIMT_MINMAX(unsigned long, unsigned long, long)
SIMT_MINMAX(long long, long long, long long)
SIMT_MINMAX(unsigned long long, unsigned long long, unsigned long long)
SIMT_MINMAX(unsigned long long, long long, unsigned long long)
SIMT_MINMAX(unsigned long long, unsigned long long, long long)
#undef SIMT_MINMAX

/* clang's header has the device's; a number that is no NaN wins over one. */
static __inline__ __host__ int min(int a, int b) {
    return a < b ? a : b;
}
static __inline__ __host__ int max(int a, int b) {
    return a > b ? a : b;
}
#define SIMT_FLOAT_MINMAX(type, suffix)                                                            \
    static __inline__ __host__ __device__ type min(type a, type b) {                               \
        return __builtin_fmin##suffix(a, b);                                                       \
    }                                                                                              \
    static __inline__ __host__ __device__ type max(type a, type b) {                               \
        return __builtin_fmax##suffix(a, b);                                                       \
    }
SIMT_FLOAT_MINMAX(float, f)
SIMT_FLOAT_MINMAX(double, )
#undef SIMT_FLOAT_MINMAX
/* A float and a double: the double's. */
static __inline__ __host__ __device__ double min(float a, double b) {
    return __builtin_fmin((double)a, b);
}
static __inline__ __host__ __device__ double min(double a, float b) {
    return __builtin_fmin(a, (double)b);
}
static __inline__ __host__ __device__ double max(float a, double b) {
    return __builtin_fmax((double)a, b);
}
static __inline__ __host__ __device__ double max(double a, float b) {
    return __builtin_fmax(a, (double)b);
}

/* By the names of the C library, for float; clang's headers declare them. */
static __inline__ __device__ float fmin(float a, float b) {
    return __builtin_fminf(a, b);
}
static __inline__ __device__ float fmax(float a, float b) {
    return __builtin_fmaxf(a, b);
}
