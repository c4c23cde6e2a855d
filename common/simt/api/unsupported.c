/* api/unsupported.c: the functions of api/unsupported.def. The toolkit's declarations are not included: here they have
 * no parameters. */
#include <stdatomic.h>
#include <stdbool.h>

/* api/error.c: say that name is not supported, make that the last error, return it. */
int rt_refuse(const char *name, bool say);

/* Each is named once a process, so that a loop does not bury the message. */
#define UNSUPPORTED(name)                                                                                              \
    __attribute__((visibility("default"))) int name(void);                                                             \
    int name(void) {                                                                                                   \
        static atomic_flag said = ATOMIC_FLAG_INIT;                                                                    \
        return rt_refuse(#name, !atomic_flag_test_and_set(&said));                                                     \
    }
#include "unsupported.def"
#undef UNSUPPORTED
