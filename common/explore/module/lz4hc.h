/* lz4hc.h: a page records nothing. */
#define LZ4HC_CLEVEL_DEFAULT 9

static inline int LZ4_compress_HC(const char *bytes, char *packed, int from, int to, int level) {
    (void)bytes, (void)packed, (void)from, (void)to, (void)level;
    return 0;
}
