/* device_spaces.h: in which memory a generic pointer points, and its address there. */
#ifndef SIMT_DEVICE_SPACES_H
#define SIMT_DEVICE_SPACES_H

#define SIMT_SPACE(name, Name, space, builtin)                                                     \
    static __inline__ __device__ unsigned __is##Name(const void *pointer) {                        \
        return __nvvm_isspacep_##builtin(pointer);                                                 \
    }                                                                                              \
    static __inline__ __device__ size_t __cvta_generic_to_##name(const void *pointer) {            \
        size_t address;                                                                            \
        asm("cvta.to." space ".u64 %0, %1;" : "=l"(address) : "l"(pointer));                       \
        return address;                                                                            \
    }                                                                                              \
    static __inline__ __device__ void *__cvta_##name##_to_generic(size_t address) {                \
        void *pointer;                                                                             \
        asm("cvta." space ".u64 %0, %1;" : "=l"(pointer) : "l"(address));                          \
        return pointer;                                                                            \
    }

SIMT_SPACE(global, Global, "global", global)
SIMT_SPACE(shared, Shared, "shared", shared)
SIMT_SPACE(constant, Constant, "const", const)
SIMT_SPACE(local, Local, "local", local)
#undef SIMT_SPACE

#endif
