/* run/local.c: local memory one lane at a time. The words of the 32 lanes lie side by side: word i of lane l is at (32
 * i + l) * 4. */
#include "simt/check/check.h"

static char *byte_at(const struct warp *w, int lane, uint64_t offset) {
    return w->local + offset / 4 * (WARP_SIZE * 4) + (uint64_t)lane * 4 + offset % 4;
}

static bool inside(const struct warp *w, uint64_t offset, uint32_t size) {
    uint64_t limit = w->worker->local_stride;
    return offset <= limit && size <= limit - offset;
}

bool local_read(struct warp *w, int lane, uint64_t offset, void *to, uint32_t size) {
    if (!inside(w, offset, size)) return false;
    for (uint32_t i = 0; i < size; i++) ((char *)to)[i] = *byte_at(w, lane, offset + i);
    return true;
}

bool local_write(struct warp *w, int lane, uint64_t offset, const void *from, uint32_t size) {
    if (!inside(w, offset, size)) return false;
    for (uint32_t i = 0; i < size; i++) *byte_at(w, lane, offset + i) = ((const char *)from)[i];
    if (w->block->check) check_local_written(w, lane, offset, size);
    return true;
}
