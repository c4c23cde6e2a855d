/*
 * time/work.h: when the work of streams starts and ends, as the time model has it. Times in ns.
 *
 *   waits for the work before it  ->  ready  ->  started: an engine has room  ->  done
 *
 * Copies to the device, to the host, to other devices and within the device (with fills) have an
 * engine each, which does one at a time. Kernels share the multiprocessors: a kernel's blocks start
 * as room becomes free, those of a higher priority first, then those of the kernel that was
 * enqueued first. A block that has started keeps its room until it ends. So a kernel runs beside
 * another one in the room that the other one leaves, and a kernel of higher priority that comes
 * later waits for blocks, not for the whole kernel before it.
 *
 * A device takes kernels from hardware queues. The kernel after one that cannot start yet waits
 * too, though it may belong to another stream. The kernels of graphs do not wait in queues.
 *
 * Work may have an effect: a function of the caller, called when the work starts and when it ends.
 * So a copy or a kernel takes effect when its stream reaches it, or earlier when work_act() asks
 * for it.
 *
 * Work that the host enqueues later can still come first in modelled time, so an end is known only
 * when the host has waited for it: work_finish().
 *
 * Not modelled: that kernels and copies under way at one time slow each other down, except by the
 * room that they take.
 */
#pragma once

#include "lib/timeline.h"

#define WORK_NO_QUEUE (~0u) /* the device takes the kernel as soon as it is ready: a graph's */

enum work_engine {
    WORK_COMPUTE,
    WORK_TO_DEVICE,
    WORK_TO_HOST,
    WORK_TO_PEER,
    WORK_WITHIN,
    WORK_NO_ENGINE
};

/* What of its effect a work has when the caller's function is called. */
enum work_effect {
    WORK_BEGINS, /* it starts: it has read what it copies; a kernel has run, and its rounds and
                    lengths are known */
    WORK_ENDS,   /* it ends: it has written what it copies */
    WORK_WHOLE   /* both at once */
};

struct work {
    /* Set by the caller before work_enqueue. */
    enum work_engine engine;
    int device;
    int priority;   /* of its stream: the lowest number first */
    unsigned queue; /* number of the hardware queue, of WORK_COMPUTE; or WORK_NO_QUEUE */
    /* of WORK_COMPUTE: its blocks over those that the device holds at once, above 0 */
    double rounds;
    double ready_ns;  /* not before */
    double idle_ns;   /* so much later, if all work that it waits for has ended before ready_ns */
    double length_ns; /* with the engine to itself */
    double shown_ns;  /* what a profiler shows of it: its last part */
    struct timeline_row row; /* written when its times are known, if it has a correlation */
    bool polled;             /* for the caller */
    /* NULL: none. It enqueues nothing */
    void (*effect)(struct work *work, enum work_effect effect);
    struct order *order; /* the caller's; freed with the work */
    void *context;       /* of the effect, which frees it at the end */
    /* Found by the model. */
    bool done;
    double start_ns, end_ns;
    /* Private */
    struct work_private *private;
};

/* Makes work to be filled in. It has one owner: the caller, until work_release. */
struct work *work_new(void);
/* One more, or one owner less. */
struct work *work_hold(struct work *work);
void work_release(struct work *work);
/* The work starts after the end of `before`. Either may be NULL. */
void work_after(struct work *work, struct work *before);
/* Gives the work to its device. Nothing may be changed afterwards, but by the effect. */
void work_enqueue(struct work *work);
/* Has the effects now, whatever the time is: of all that the work waits for and of the work itself,
 * or of all work. */
void work_act(struct work *work);
void work_act_all(void);
/* Has the first half of the work's effect now. */
void work_act_begin(struct work *work);
/* Goes on to that time: what starts until then is settled. */
void work_advance(double ns);
/* Goes on to the start of work that is no kernel, or to the end of any work. Returns that time. */
double work_begin(struct work *work);
double work_finish(struct work *work);
/* Goes on to the end of all work of the device, or of all devices. Returns the latest end of what
 * was pending. */
double work_finish_device(int device);
void work_finish_all(void);
/* Work enqueued and not done, and the oldest of it; NULL: none. */
unsigned work_pending(void);
struct work *work_oldest(void);
