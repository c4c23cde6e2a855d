/* warp/spaces.c: any generic address, one lane at a time, for builtins. Nothing is counted and no
 * fault is raised. */
#include "simt/machine/machine.h"

#include <string.h>

/* Where a shared, parameter or global range lies on the host; NULL: not valid. Local memory has no
 * range there: its words are interleaved. */
static char *host_range(struct warp *w, uint64_t generic, uint32_t size) {
    if ((generic & WINDOW_MASK) == SHARED_WINDOW) {
        uint64_t offset = generic - SHARED_WINDOW;
        return shared_is_inside(w->worker, offset, size) ? w->block->shared + offset : NULL;
    }
    if ((generic & WINDOW_MASK) == PARAM_WINDOW) {
        uint64_t offset = generic - PARAM_WINDOW, limit = w->worker->kernel->entry->param_bytes;
        return offset <= limit && size <= limit - offset ? (char *)w->worker->grid->params + offset
                                                         : NULL;
    }
    const struct allocation *allocation = memory_find(generic, size);
    return allocation && memory_reached(allocation) ? (char *)generic + allocation->delta : NULL;
}

bool space_read(struct warp *w, int lane, uint64_t generic, void *to, uint32_t size) {
    if ((generic & WINDOW_MASK) == LOCAL_WINDOW)
        return local_read(w, lane, generic - LOCAL_WINDOW, to, size);
    const char *from = host_range(w, generic, size);
    if (from) memcpy(to, from, size);
    return from;
}

/* Kernel parameters are read-only. */
bool space_write(struct warp *w, int lane, uint64_t generic, const void *from, uint32_t size) {
    if ((generic & WINDOW_MASK) == LOCAL_WINDOW)
        return local_write(w, lane, generic - LOCAL_WINDOW, from, size);
    char *to = (generic & WINDOW_MASK) == PARAM_WINDOW ? NULL : host_range(w, generic, size);
    if (to) memcpy(to, from, size);
    memory_changed_at(generic);
    return to;
}

bool space_is_constant(uint64_t generic) {
    const struct allocation *allocation = memory_find(generic, 1);
    return allocation && allocation->kind == ALLOC_CONST_VAR;
}
