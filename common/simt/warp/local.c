/*
 * warp/local.c: local memory one lane at a time. The words of 4 bytes of the 32 lanes lie side by
 * side, so a warp that reads one variable reads one row:
 *
 *      byte 0            128           256
 *      | word 0          | word 1      | ...
 *      | l0 l1 ... l31   | l0 l1 ...   |        word i of lane l is at (32 i + l) * 4
 */
#include "simt/check/check.h"

/* Host address of the byte at offset in a lane's local memory. */
static char *byte_at(const struct warp *w, int lane, uint64_t offset) {
    return w->local + offset / 4 * (WARP_SIZE * 4) + (uint64_t)lane * 4 + offset % 4;
}

/* Are size bytes at offset in the thread's local memory? Written so that no sum overflows. */
static bool local_inside(const struct warp *w, uint64_t offset, uint32_t size) {
    uint64_t limit = w->worker->local_stride;
    return offset <= limit && size <= limit - offset;
}

bool local_read(struct warp *w, int lane, uint64_t offset, void *to, uint32_t size) {
    if (!local_inside(w, offset, size)) return false;
    for (uint32_t i = 0; i < size; i++) ((char *)to)[i] = *byte_at(w, lane, offset + i);
    return true;
}

bool local_write(struct warp *w, int lane, uint64_t offset, const void *from, uint32_t size) {
    if (!local_inside(w, offset, size)) return false;
    for (uint32_t i = 0; i < size; i++) *byte_at(w, lane, offset + i) = ((const char *)from)[i];
    if (w->block->check) check_local_written(w, lane, offset, size);
    return true;
}
