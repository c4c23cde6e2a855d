/* api/unsupported.h: UNSUPPORTED(name) defines a function of an unsupported.def. A file that
 * includes this does not include CUDA's headers, because the functions have no parameters. */
#include <stdatomic.h>
#include <stdbool.h>

/* api/error.c: sets and returns cudaErrorNotSupported; prints the name if say. */
int rt_refuse(const char *name, bool say);

/* Each function prints its message once a process, so that a loop does not repeat it. */
#define UNSUPPORTED(name)                                                                          \
    __attribute__((visibility("default"))) int name(void);                                         \
    int name(void) {                                                                               \
        static atomic_flag said = ATOMIC_FLAG_INIT;                                                \
        return rt_refuse(#name, !atomic_flag_test_and_set(&said));                                 \
    }
