/* api/extra.c: calls what rooms of extra/ have registered. */
#include "extra.h"

static struct rt_extra *extras;
const struct rt_array_calls *rt_array_calls;

void rt_extra_add(struct rt_extra *extra) {
    extra->next = extras;
    extras = extra;
}

void rt_extras_reset(void) {
    for (struct rt_extra *extra = extras; extra; extra = extra->next)
        if (extra->reset) extra->reset();
}

void rt_extras_freeing(uintptr_t address) {
    for (struct rt_extra *extra = extras; extra; extra = extra->next)
        if (extra->freeing) extra->freeing(address);
}

bool rt_extras_will_hold(const void *pointer, size_t size) {
    struct rt_extra *extra = extras;
    while (extra && !(extra->will_hold && extra->will_hold(pointer, size))) extra = extra->next;
    return extra;
}

void rt_extras_set_condition(uint64_t handle, uint32_t value) {
    for (struct rt_extra *extra = extras; extra; extra = extra->next)
        if (extra->set_condition) extra->set_condition(handle, value);
}
