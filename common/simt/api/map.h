/* api/map.h: a hash table from addresses to pointers; entries are never removed. */
#ifndef SIMT_API_MAP_H
#define SIMT_API_MAP_H

#include <stddef.h>

struct rt_map {
    struct rt_map_entry {
        const void *key; /* NULL: free */
        void *value;
    } * entries;
    size_t capacity, used; /* capacity: 0 or a power of two */
};

/* Set key's value. */
void rt_map_put(struct rt_map *map, const void *key, void *value);
/* key's value, or NULL. */
void *rt_map_get(const struct rt_map *map, const void *key);

#endif
