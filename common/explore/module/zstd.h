/* zstd.h: a page holds a program's device code unpacked. */
#include <stddef.h>

#define ZSTD_CONTENTSIZE_UNKNOWN (-1ull)

static inline unsigned long long ZSTD_getFrameContentSize(const void *packed, size_t size) {
    (void)packed, (void)size;
    return ZSTD_CONTENTSIZE_UNKNOWN;
}

static inline size_t ZSTD_decompress(void *bytes, size_t to, const void *packed, size_t from) {
    (void)bytes, (void)to, (void)packed, (void)from;
    return (size_t)-1;
}
