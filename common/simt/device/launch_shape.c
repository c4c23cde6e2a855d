/* device/launch_shape.c: see launch_shape.h. */
#include "launch_shape.h"

static uint64_t volume(const uint32_t size[3]) {
    return (uint64_t)size[0] * size[1] * size[2];
}

uint64_t shape_blocks(const struct launch_shape *shape) {
    return volume(shape->grid);
}

uint64_t shape_threads(const struct launch_shape *shape) {
    return volume(shape->block);
}
