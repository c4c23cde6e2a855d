/* time/work.c: goes from one start or end of work to the next. */
#include "work.h"

#include "lib/memory.h"

#include <math.h>
#include <stdlib.h>

#define MAX_KERNELS 128 /* of a device that run at once, as many as CUDA allows */
#define MAX_GROUPS  16  /* of blocks of one kernel that started at different times */
/* of a kernel that are told apart; where there are more, several count as one */
#define MAX_ROUNDS 256
#define MAX_QUEUES 512  /* hardware queues that are told apart */
#define NO_ROOM    1e-9 /* shares below this are rounding errors */

/* Blocks of a kernel that start together and end together. The group that takes its room is the
 * next one in its row. */
struct group {
    double share;    /* of the device */
    double begin_ns; /* of the first group in the row */
    unsigned index;  /* in the row, from 1 */
    double end_ns;
};

struct work_private {
    enum { WAITING, RUNNING, ENDED } state;
    bool begun, acted; /* its effect: the first half, all of it and of what it waits for */
    unsigned owners;
    struct work **before; /* work that it waits for */
    unsigned nbefore;
    double last_end_ns;   /* the latest end of those that have ended */
    double engine_end_ns; /* of RUNNING work that is no kernel */
    double left;   /* of a kernel: blocks not started, over those that the device holds at once */
    double rounds; /* of a kernel: how often its blocks fill the device */
    struct group groups[MAX_GROUPS], ended; /* those that run, and the last one that ended */
    unsigned ngroups;
    struct work *next, *previous; /* pending, in the order of enqueuing */
    uint64_t number;              /* in that order */
    struct work *waiters;         /* for the end of this work */
    struct work *next_waiter;     /* of the work that this one waits for */
    struct work *after;           /* of a kernel: the one after it in its hardware queue */
};

static struct work *first, *last; /* enqueued and not done */
static unsigned pending;
static uint64_t enqueued;
static double now;

/* Pending work that waits for the end of no other work, and what is still to be looked at, in the
 * order of enqueuing. */
static struct work **front;
static unsigned nfront, front_size;

/* The kernels of hardware queues that have not started. */
static struct queue { struct work *first, *last; } queues[MAX_QUEUES];

/* Kernels that run or may start, in the order in which they get room. Valid until work is enqueued,
 * starts or ends. */
static struct work **kernels;
static unsigned nkernels, kernels_size;
static bool stale = true; /* kernels and other_ns must be found again */
/* the next time at which work becomes ready, or work that is no kernel ends */
static double other_ns;

/* ---- Making work ---- */

struct work *work_new(void) {
    struct work *work = need(calloc(1, sizeof *work));
    work->private = need(calloc(1, sizeof *work->private));
    work->private->owners = 1;
    return work;
}

struct work *work_hold(struct work *work) {
    if (work) work->private->owners++;
    return work;
}

void work_release(struct work *work) {
    if (!work || --work->private->owners) return;
    free(work->private->before);
    free(work->order);
    free(work->private);
    free(work);
}

void work_after(struct work *work, struct work *before) {
    if (!work || !before) return;
    struct work_private *private = work->private;
    private->before =
        need(realloc(private->before, (private->nbefore + 1) * sizeof *private->before));
    private->before[private->nbefore++] = work_hold(before);
}

/* Puts work into the front, after all that was enqueued before it. */
static void add_front(struct work *work) {
    if (nfront == front_size) {
        front_size = front_size ? 2 * front_size : MAX_KERNELS;
        front = need(realloc(front, front_size * sizeof(struct work *)));
    }
    unsigned i = nfront++;
    for (; i && front[i - 1]->private->number > work->private->number; i--) front[i] = front[i - 1];
    front[i] = work;
}

static struct queue *work_queue_of(const struct work *work) {
    return &queues[work->queue % MAX_QUEUES];
}

/* Takes what the caller has filled in of a kernel's blocks. */
static void take_rounds(struct work *work) {
    struct work_private *private = work->private;
    double rounds = fmax(1, ceil(work->rounds));
    private->rounds = fmin(MAX_ROUNDS, rounds);
    private->left = work->rounds * private->rounds / rounds;
}

void work_enqueue(struct work *work) {
    struct work_private *private = work->private;
    take_rounds(work);
    private->number = ++enqueued;
    private->previous = last;
    *(last ? &last->private->next : &first) = work_hold(work);
    last = work;
    pending++;
    add_front(work);
    if (work->engine == WORK_COMPUTE && work->queue != WORK_NO_QUEUE) {
        struct queue *queue = work_queue_of(work);
        *(queue->first ? &queue->last->private->after : &queue->first) = work;
        queue->last = work;
    }
    stale = true;
}

unsigned work_pending(void) {
    return pending;
}

struct work *work_oldest(void) {
    return first;
}

/* ---- Effects ---- */

void work_act_begin(struct work *work) {
    if (!work->effect || work->private->begun) return;
    work->private->begun = true;
    work->effect(work, WORK_BEGINS);
    take_rounds(work);
}

static void act_end(struct work *work) {
    if (work->private->acted) return;
    work->private->acted = true;
    if (!work->effect) return;
    bool begun = work->private->begun;
    work->private->begun = true;
    work->effect(work, begun ? WORK_ENDS : WORK_WHOLE);
    if (!begun) take_rounds(work);
}

void work_act(struct work *work) {
    struct work_private *private = work->private;
    if (private->acted) return;
    for (unsigned i = 0; i < private->nbefore; i++) work_act(private->before[i]);
    act_end(work);
}

void work_act_all(void) {
    for (struct work *work = first; work; work = work->private->next) work_act(work);
}

/* ---- Starts and ends ---- */

static void work_start(struct work *work) {
    work->private->state = RUNNING;
    work->start_ns = now;
    work_act_begin(work);
    stale = true;
    if (work->engine == WORK_COMPUTE && work->queue != WORK_NO_QUEUE)
        work_queue_of(work)->first = work->private->after;
}

static void work_end(struct work *work) {
    act_end(work);
    work->private->state = ENDED;
    work->done = true;
    work->end_ns = now;
    stale = true;
    for (struct work *waiter = work->private->waiters; waiter;
         waiter = waiter->private->next_waiter)
        add_front(waiter);
    work->private->waiters = NULL;
    if (!work->row.correlation) return;
    work->row.end_ns = (uint64_t)llround(now);
    work->row.start_ns = (uint64_t)llround(fmax(0, now - work->shown_ns));
    timeline_write(&work->row);
}

/* Drops what the work need no longer wait for. Returns whether it waits for nothing but its
 * time. */
static bool work_is_free(struct work *work) {
    struct work_private *private = work->private;
    unsigned n = 0;
    for (unsigned i = 0; i < private->nbefore; i++) {
        struct work *before = private->before[i];
        if (!before->done) {
            private->before[n++] = before;
            continue;
        }
        private->last_end_ns = fmax(private->last_end_ns, before->end_ns);
        work_release(before);
    }
    private->nbefore = n;
    if (!n && private->last_end_ns > work->ready_ns) {
        work->ready_ns = private->last_end_ns;
        work->idle_ns = 0;
    }
    return !n;
}

/* ---- Kernels ---- */

/* The part of the device that no block takes, and how many kernels run there. */
static double work_room_of(int device, unsigned *running) {
    double room = 1;
    *running = 0;
    for (unsigned k = 0; k < nkernels; k++) {
        const struct work_private *private = kernels[k]->private;
        if (kernels[k]->device != device) continue;
        *running += private->state == RUNNING;
        for (unsigned g = 0; g < private->ngroups; g++) room -= private->groups[g].share;
    }
    return room;
}

static double group_end(const struct work *work, const struct group *group) {
    double rounds = work->private->rounds;
    return group->begin_ns +
           (group->index == rounds ? work->length_ns : work->length_ns * group->index / rounds);
}

/* Starts as many of the kernel's blocks as there is room for. */
static void work_start_blocks(struct work *work) {
    struct work_private *private = work->private;
    unsigned running;
    double share = fmin(work_room_of(work->device, &running), private->left);
    if (share < NO_ROOM || private->ngroups == MAX_GROUPS) return;
    if (private->state == WAITING && running == MAX_KERNELS) return;
    struct group group = {share, now, 1, 0};
    if (private->state == RUNNING && private->ended.end_ns == now) {
        group.begin_ns = private->ended.begin_ns;
        group.index = private->ended.index + 1;
    }
    group.end_ns = group_end(work, &group);
    private->groups[private->ngroups++] = group;
    private->left -= share;
    if (private->left < NO_ROOM) private->left = 0;
    if (private->state == WAITING) work_start(work);
}

/* Ends the kernel's groups whose time has come. */
static void end_groups(struct work *work) {
    struct work_private *private = work->private;
    unsigned n = 0;
    for (unsigned g = 0; g < private->ngroups; g++) {
        if (private->groups[g].end_ns <= now)
        private->ended = private->groups[g];
        else private->groups[n++] = private->groups[g];
    }
    private->ngroups = n;
}

/* The next end of a group of any kernel. */
static double next_group_end(void) {
    double next = INFINITY;
    for (unsigned k = 0; k < nkernels; k++)
        for (unsigned g = 0; g < kernels[k]->private->ngroups; g++)
            next = fmin(next, kernels[k]->private->groups[g].end_ns);
    return next;
}

/* At this time: ends groups, gives their room to others, and ends kernels. */
static void run_kernels(void) {
    for (unsigned k = 0; k < nkernels; k++) end_groups(kernels[k]);
    for (unsigned k = 0; k < nkernels; k++) work_start_blocks(kernels[k]);
    for (unsigned k = 0; k < nkernels; k++) {
        const struct work_private *private = kernels[k]->private;
        if (private->state == RUNNING && !private->ngroups && !private->left) work_end(kernels[k]);
    }
}

/* Puts a kernel after all of its priority. */
static void add_kernel(struct work *work) {
    if (nkernels == kernels_size) {
        kernels_size = kernels_size ? 2 * kernels_size : MAX_KERNELS;
        kernels = need(realloc(kernels, kernels_size * sizeof(struct work *)));
    }
    unsigned k = nkernels++;
    for (; k && kernels[k - 1]->priority > work->priority; k--) kernels[k] = kernels[k - 1];
    kernels[k] = work;
}

/* ---- What is ready ---- */

/* Does another copy use the work's engine? */
static bool engine_is_taken(const struct work *work) {
    for (unsigned i = 0; i < nfront; i++)
        if (front[i] && front[i]->private->state == RUNNING && front[i]->engine == work->engine &&
            front[i]->device == work->device)
            return work->engine != WORK_NO_ENGINE;
    return false;
}

/* Starts or ends work that is no kernel. */
static void run_other(struct work *work, bool ready) {
    struct work_private *private = work->private;
    if (ready && !engine_is_taken(work)) {
        work_start(work);
        private->engine_end_ns = now + work->length_ns;
    }
    if (private->state == RUNNING && private->engine_end_ns <= now) work_end(work);
    if (private->state == RUNNING) other_ns = fmin(other_ns, private->engine_end_ns);
}

/* Takes work that is done off the list. */
static void work_forget(struct work *work) {
    const struct work_private *private = work->private;
    *(private->previous ? &private->previous->private->next : &first) = private->next;
    *(private->next ? &private->next->private->previous : &last) = private->previous;
    pending--;
    work_release(work);
}

/* The work leaves the front until the other one ends. */
static void wait_for(struct work *work, struct work *before) {
    work->private->next_waiter = before->private->waiters;
    before->private->waiters = work;
}

/* May the kernel start before all others of its hardware queue? */
static bool is_next(const struct work *work) {
    return work->queue == WORK_NO_QUEUE || work_queue_of(work)->first == work;
}

/* Looks at work of the front: it starts or ends, or other_ns tells when to look again. */
static void look_at(struct work *work) {
    bool waiting = work->private->state == WAITING,
         ready = waiting && work->ready_ns + work->idle_ns <= now;
    if (waiting && !ready) other_ns = fmin(other_ns, work->ready_ns + work->idle_ns);
    if (work->engine != WORK_COMPUTE)
        run_other(work, ready);
    else if (!waiting || (ready && is_next(work))) {
        work_act_begin(work);
        add_kernel(work);
    }
}

/* Looks through the front, in the order of enqueuing: what may start, and when something else
 * happens than the end of blocks. Work that ends puts its waiters into the front after it. */
static void work_look(void) {
    stale = false;
    nkernels = 0;
    other_ns = INFINITY;
    for (unsigned i = 0; i < nfront; i++) {
        struct work *work = front[i];
        bool waits = work->private->state == WAITING && !work_is_free(work);
        if (work->done || waits) front[i] = NULL;
        if (work->done)
            work_forget(work);
        else if (waits)
            wait_for(work, work->private->before[0]);
        else
            look_at(work);
    }
    unsigned n = 0;
    for (unsigned i = 0; i < nfront; i++)
        if (front[i]) front[n++] = front[i];
    nfront = n;
    run_kernels();
}

/* Settles what happens at this time. */
static void work_settle(void) {
    run_kernels();
    while (stale) work_look();
}

/* Goes on to the end of target, or until limit. */
static void work_run(bool (*reached)(const struct work *), const struct work *target,
                     double limit) {
    work_settle();
    while (!target || !reached(target)) {
        double next = fmin(other_ns, next_group_end());
        if (next > limit || next == INFINITY) break;
        stale = next >= other_ns;
        now = fmax(now, next);
        work_settle();
    }
}

void work_advance(double ns) {
    work_run(NULL, NULL, ns);
    now = fmax(now, ns);
}

static bool has_started(const struct work *work) {
    return work->private->state != WAITING;
}

static bool has_ended(const struct work *work) {
    return work->done;
}

double work_begin(struct work *work) {
    work_run(has_started, work, INFINITY);
    return work->start_ns;
}

double work_finish(struct work *work) {
    work_run(has_ended, work, INFINITY);
    return work->end_ns;
}

double work_finish_device(int device) {
    double latest = 0;
    for (struct work *work = first; work;) {
        if (work->done || work->device != device) {
            work = work->private->next;
            continue;
        }
        work_hold(work);
        latest = fmax(latest, work_finish(work));
        work_release(work);
        work = first;
    }
    return latest;
}

void work_finish_all(void) {
    work_run(NULL, NULL, INFINITY);
}
