/* api/unsupported.c: the functions of api/unsupported.def. The file does not include the toolkit's
 * headers, because it defines the functions without parameters. */
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
#include "unsupported.def"
#undef UNSUPPORTED
