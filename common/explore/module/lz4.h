/* lz4.h: a page holds a program's device code unpacked. */
static inline int LZ4_decompress_safe(const char *packed, char *bytes, int from, int to) {
    (void)packed, (void)bytes, (void)from, (void)to;
    return -1;
}
