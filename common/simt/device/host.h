/* device/host.h: what the devices ask of the system that simt runs on. The page's module, which
 * runs in a browser, has a host.c of its own (common/explore/module). */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARENA_ADDRESS (1ull << 45)

/* Reserve the devices' addresses, [*base, *end), and their storage at address + *delta, as much as
 * the system grants. They begin at ARENA_ADDRESS in every run, far from those that the system gives
 * out: which lines share a set of the modelled caches depends on them. */
bool host_reserve(uint64_t *base, uint64_t *end, intptr_t *delta);
/* Ask for huge pages there: the host's TLB holds more of them, but each is cleared as a whole. */
void host_enlarge_pages(void *pages, size_t size);
/* Give whole pages of storage back to the system: they read as zero from then on. */
void host_clear(void *pages, size_t size);
/* Bytes the system could still give out; unknown counts as plenty. */
uint64_t host_available(void);
/* Where a file of the library lies: beside the file that this code lies in (the library), or in
 * ../simt from there (the launcher, the tests). False: it cannot be read there; path is then where
 * it was looked for last. */
bool library_file(const char *name, char path[PATH_MAX]);
