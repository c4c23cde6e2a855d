/* api/launch/map.c: open addressing with linear probing. The table is at most half full. */
#include "map.h"

#include "lib/memory.h"

#include <stdint.h>
#include <stdlib.h>

#define FIRST_CAPACITY 64

/* The entry of key, or the free entry where it belongs. The map must have a free entry. */
static struct rt_map_entry *slot(const struct rt_map *map, const void *key) {
    size_t at = (size_t)((uintptr_t)key * 0x9E3779B97F4A7C15ull >> 20) & (map->capacity - 1);
    while (map->entries[at].key && map->entries[at].key != key) at = (at + 1) & (map->capacity - 1);
    return &map->entries[at];
}

static void map_grow(struct rt_map *map) {
    struct rt_map bigger = {NULL, map->capacity ? 2 * map->capacity : FIRST_CAPACITY, map->used};
    bigger.entries = need(calloc(bigger.capacity, sizeof *bigger.entries));
    for (size_t i = 0; i < map->capacity; i++)
        if (map->entries[i].key) *slot(&bigger, map->entries[i].key) = map->entries[i];
    free(map->entries);
    *map = bigger;
}

void rt_map_put(struct rt_map *map, const void *key, void *value) {
    if (2 * (map->used + 1) > map->capacity) map_grow(map);
    struct rt_map_entry *entry = slot(map, key);
    map->used += !entry->key;
    *entry = (struct rt_map_entry){key, value};
}

void *rt_map_get(const struct rt_map *map, const void *key) {
    return map->capacity && key ? slot(map, key)->value : NULL;
}
