/* check/host.h: what the runtime tells the checker of --check, and asks it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct allocation;
struct order;
struct check_grid;

/* Turn checking on, before any kernel is prepared. */
void check_enable(void);
bool check_enabled(void);
/* The host wrote device memory (a copy, a fill). Nothing happens where checking is off or the range
 * is not the device's. */
void check_host_wrote(uintptr_t address, size_t size);
/* Device memory was copied to device memory: what was not initialised still is not. */
void check_host_copied(uintptr_t to, uintptr_t from, size_t size);
/* Was one of the bytes written? Those that are not the device's count as written. */
bool check_is_written(uintptr_t address, size_t size);
/* The allocation is going away, and its shadow with it. */
void check_forget(struct allocation *allocation);
/* Another grid may run before the one that runs now goes on. Returns that one, which begins at a
 * new epoch when it is taken back: what happened meanwhile counts as ordered. NULL: none is
 * checked. */
struct check_grid *check_grid_put_aside(void);
void check_grid_take_back(struct check_grid *check);
/* ---- What orders the work of streams (check/order.c) ---- */

/* The order of a new piece of work in the stream of that number: after what the host has waited
 * for. The caller frees it. NULL: checking is off; the functions take NULL. */
struct order *order_new(unsigned stream);
/* The work comes after that one; so does what the host does from now on. */
void order_after(struct order **order, const struct order *before);
void order_host_after(const struct order *before);
/* The work comes after all that there was before: it has waited by a flag for what no one knows. */
void order_after_all(struct order **order);
/* The effect of work begins and ends; printf format: what it is and its stream, for messages. In
 * between: the bytes that it reads or writes, beside the accesses of a kernel's threads. */
void order_begin(const struct order *order, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void order_bytes(uintptr_t address, size_t size, bool writes);
void order_end(void);
/* The number of effects so far. */
uint32_t order_mark(void);
/* The bytes have changed since that mark: report it, unless work of a stream wrote them. what: who
 * it was. */
void order_host_changed(uintptr_t address, size_t size, uint32_t mark, const char *what);

/* Defects found in kernels so far, each counted once. */
unsigned long check_defects(void);
