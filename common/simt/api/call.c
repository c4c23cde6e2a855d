/* api/call.c: calls of the API as the timeline has them: their number, their thread, and what they
 * take the host. */
#include "clock.h"

#include "simt/time/call_cost.h"

#include <math.h>

#define MIB (1 << 20)

static uint64_t calls, threads;
static _Thread_local uint64_t thread; /* the calling thread's number; 0: this is its first call */
static _Thread_local struct api_call {
    const char *function; /* NULL: the call has ended */
    const char *cost;     /* what it takes: the name in call_costs.def */
    uint64_t number;
    double begin_ns;
    size_t bytes;   /* that it allocates or frees */
    double more_ns; /* that it takes beside its cost */
} call;

double rt_cost_ns(const char *function) {
    return rt.timing ? call_cost(function)->ns : 0;
}

void rt_call_bytes(size_t bytes) {
    call.bytes = bytes;
}

void rt_call_more(double ns) {
    call.more_ns += ns;
}

void rt_call_as(const char *function) {
    call.cost = function;
}

void rt_call_nodes(const char *item, size_t n) {
    if (n > 1) rt_call_more((double)(n - 1) * rt_cost_ns(item));
}

uint64_t rt_call_number(void) {
    return call.number;
}

uint64_t rt_thread_number(void) {
    if (!thread) thread = __atomic_add_fetch(&threads, 1, __ATOMIC_RELAXED);
    return thread;
}

void rt_call_begin(const char *function) {
    rt_thread_number();
    call = (struct api_call){
        .function = function, .cost = function, .number = ++calls, .begin_ns = rt_host_ns()};
    if (call.number == 1) rt_host_reach(rt_cost_ns("first call"));
}

void rt_call_resume(uint64_t number) {
    call = (struct api_call){.number = number};
}

void rt_call_end(cudaError_t error) {
    if (!call.function) return;
    const struct call_cost *cost = call_cost(call.cost);
    double ns = fmax(cost->ns, cost->mib_ns * (double)call.bytes / MIB);
    if (rt.timing) rt_host_reach(call.begin_ns + ns + call.more_ns);
    struct timeline_row row = {.record = TIMELINE_API,
                               .name = rt_called_as ? rt_called_as : call.function,
                               .start_ns = (uint64_t)llround(call.begin_ns),
                               .end_ns = (uint64_t)llround(rt_host_ns()),
                               .correlation = call.number,
                               .thread = thread,
                               .status = (int)error};
    call.function = NULL;
    timeline_write(&row);
}
