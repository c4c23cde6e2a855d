/* extra/images/texture.c: the table of texture and surface objects. */
#include "texture.h"

#include <stdlib.h>

#define MOST_OBJECTS (1u << 20) /* as many as a GPU's table of them has */

/* by handle. The first place stays empty: 0 is no handle */
static const struct texture *objects[MOST_OBJECTS];
static uint32_t used = 1, first_free = 1; /* places below `used` were taken once */

uint64_t texture_add(const struct texture *texture) {
    while (first_free < used && objects[first_free]) first_free++;
    if (first_free == MOST_OBJECTS) return 0;
    struct texture *kept = malloc(sizeof *kept);
    if (!kept) return 0;
    *kept = *texture;
    objects[first_free] = kept;
    if (first_free == used) used++;
    return first_free++;
}

bool texture_remove(uint64_t handle, bool is_surface) {
    const struct texture *texture = texture_find(handle);
    if (!texture || texture->is_surface != is_surface) return false;
    objects[handle] = NULL;
    if (handle < first_free) first_free = (uint32_t)handle;
    free((void *)(uintptr_t)texture);
    return true;
}

const struct texture *texture_find(uint64_t handle) {
    return handle < used ? objects[handle] : NULL;
}
