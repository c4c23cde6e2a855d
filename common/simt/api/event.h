/* api/event.h: events, as the runtime keeps them. */
#pragma once

#include "runtime.h"

/* What other processes see of an event, and the functions that serve it. */
struct shared_event {
    const struct shared_event_calls {
        /* Records it, in each process: it is done when the host function of that ticket has
         * returned. Returns the ticket of what then tells the others. */
        uint64_t (*record)(struct shared_event *, uint64_t callback);
        /* Has what was last recorded, in whichever process, been done? */
        bool (*done)(const struct shared_event *);
        /* Waits until it has. */
        void (*wait)(const struct shared_event *);
        void (*free)(struct shared_event *);
    } * calls;
};

struct event {
    int device;
    unsigned flags;
    struct work *work;           /* that ends when the event is recorded; NULL: never recorded */
    double expected_ns;          /* its stream's at that time */
    uint64_t callback;           /* ticket of the host function before it; 0: none */
    uint64_t capture;            /* number of the capture in which it was recorded last; 0: none */
    struct rt_nodes latest;      /* of its stream in that capture */
    struct shared_event *shared; /* with other processes; NULL: not */
    bool imported;               /* from another process */
    struct event *next;
};

/* The event of a handle; NULL: there is none. */
struct event *rt_event(cudaEvent_t handle);
cudaError_t rt_event_create(cudaEvent_t *handle, unsigned flags);
