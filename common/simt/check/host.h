/* check/host.h: what the runtime tells the checker of --check, and asks it. */
#ifndef SIMT_CHECK_HOST_H
#define SIMT_CHECK_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct allocation;
struct check_grid;

/* Turn checking on, before any kernel is prepared. */
void check_enable(void);
bool check_enabled(void);
/* The host wrote device memory (a copy, a fill). Nothing happens where checking is off or the range is not the
 * device's. */
void check_host_wrote(uintptr_t address, size_t size);
/* Device memory was copied to device memory: what was not initialised still is not. */
void check_host_copied(uintptr_t to, uintptr_t from, size_t size);
/* The allocation is going away, and its shadow with it. */
void check_forget(struct allocation *allocation);
/* Another grid may run before the one that runs now goes on. Returns that one, which begins at a new moment when it is
 * taken back: what happened meanwhile counts as ordered. NULL: none is checked. */
struct check_grid *check_grid_put_aside(void);
void check_grid_take_back(struct check_grid *check);
/* Defects found in kernels so far, each counted once. */
unsigned long check_defects(void);

#endif
