/* api/launch/map.h: a hash table from addresses to pointers, without removal. */
#pragma once

#include <stddef.h>

/* A map. It starts zeroed. */
struct rt_map {
    struct rt_map_entry {
        const void *key; /* NULL: free */
        void *value;
    } * entries;
    size_t capacity, used; /* capacity: 0 or a power of two */
};

/* Sets the value of key, which is not NULL. Ends the program if memory runs out. */
void rt_map_put(struct rt_map *map, const void *key, void *value);
/* The value of key; NULL: none. */
void *rt_map_get(const struct rt_map *map, const void *key);
