/* api/clock.c: the host's clock, and the work that calls give to streams. time/work.h says when it
 * runs. */
#include "clock.h"

#include "simt/check/host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* launches, copies and so on that wait before the host must: measured on an H200 */
#define MAX_PENDING     1021
#define LEGACY_NUMBER   7  /* the legacy stream's number in the timeline ... */
#define NUMBERS_DISTANT 10 /* ... and how far those of other streams are from our ids */
#define CONNECTIONS     8  /* hardware queues of a device, if the program does not ask for others */
#define MAX_CONNECTIONS 32

static double host_ns;

double rt_host_ns(void) {
    return host_ns;
}

void rt_host_reach(double ns) {
    host_ns = fmax(host_ns, ns);
}

/* ---- Streams that wait for each other ---- */

/* What is asked of streams, and the answer. */
struct question {
    struct rt_stream *stream;
    struct work *work;
    double ns;
    bool busy;
};

/* Is all work of `other` before what is given to `stream` now? The legacy stream waits for all
 * blocking streams. */
static bool joins(const struct rt_stream *stream, const struct rt_stream *other) {
    bool legacy = stream == rt_legacy_stream(stream->device);
    return stream == other || (legacy && !(other->flags & cudaStreamNonBlocking));
}

/* ---- The host waits ---- */

static void wait_until(double ns) {
    if (ns > host_ns) host_ns = ns + rt_cost_ns("wake");
}

void rt_host_wait(struct work *work) {
    if (!work) return;
    wait_until(work_finish(work));
    order_host_after(work->order);
}

static void take_end(struct rt_stream *other, void *context) {
    struct question *question = context;
    bool asked = !question->stream || joins(question->stream, other);
    if (!asked || !other->last) return;
    question->ns = fmax(question->ns, work_finish(other->last));
    order_host_after(other->last->order);
}

void rt_host_wait_stream(struct rt_stream *stream) {
    struct question question = {.stream = stream};
    rt_each_stream(stream->device, take_end, &question);
    wait_until(question.ns);
}

void rt_host_wait_device(int device) {
    struct question question = {
        .ns = work_finish_device(device)}; /* of streams that were destroyed, too */
    rt_each_stream(device, take_end, &question);
    wait_until(question.ns);
}

bool rt_host_finds_busy(struct work *work) {
    if (!work) return false;
    work_advance(host_ns);
    bool over = work->done && work->end_ns <= host_ns, first = !work->polled;
    if (!over && first) return work->polled = true;
    if (!over) rt_host_reach(work_finish(work));
    order_host_after(work->order);
    return false;
}

static void take_busy(struct rt_stream *other, void *context) {
    struct question *question = context;
    if (joins(question->stream, other) && rt_host_finds_busy(other->last)) question->busy = true;
}

bool rt_host_finds_stream_busy(struct rt_stream *stream) {
    struct question question = {.stream = stream};
    rt_each_stream(stream->device, take_busy, &question);
    return question.busy;
}

/* ---- Work ---- */

int rt_stream_number(const struct rt_stream *stream) {
    bool legacy = stream == rt_legacy_stream(stream->device);
    return legacy ? LEGACY_NUMBER : (int)stream->id + NUMBERS_DISTANT;
}

const char *rt_stream_name(const struct rt_stream *stream, char name[RT_STREAM_NAME]) {
    int n = stream == rt_legacy_stream(stream->device)
                ? snprintf(name, RT_STREAM_NAME, "the default stream")
                : snprintf(name, RT_STREAM_NAME, "stream %d", rt_stream_number(stream));
    if (devices_count() > 1)
        snprintf(name + n, RT_STREAM_NAME - (size_t)n, " of device %d", stream->device);
    return name;
}

static void clock_follow(struct rt_stream *other, void *context) {
    struct question *question = context;
    if (!rt_streams_join(question->stream, other)) return;
    work_after(question->work, other->last);
    if (question->work && other->last) order_after(&question->work->order, other->last->order);
    question->ns = fmax(question->ns, other->expected_ns);
}

double rt_work_expected(struct rt_stream *stream) {
    struct question question = {.stream = stream, .work = NULL, .ns = host_ns};
    rt_each_stream(stream->device, clock_follow, &question);
    return question.ns;
}

/* Hardware queues, by CUDA_DEVICE_MAX_CONNECTIONS. */
static unsigned connections(void) {
    const char *text = getenv("CUDA_DEVICE_MAX_CONNECTIONS");
    long n = text ? strtol(text, NULL, 10) : CONNECTIONS;
    return n < 1 || n > MAX_CONNECTIONS ? CONNECTIONS : (unsigned)n;
}

struct work *rt_work_new(struct rt_stream *stream, enum work_engine engine) {
    struct work *work = work_new();
    struct question question = {.stream = stream, .work = work};
    work->engine = engine;
    work->device = stream->device;
    work->priority = stream->priority;
    work->queue =
        (unsigned)(stream->device * MAX_CONNECTIONS) + (unsigned)(stream->id % connections());
    work->ready_ns = host_ns;
    bool legacy = stream == rt_legacy_stream(stream->device);
    work->order = order_new(legacy ? (unsigned)stream->device : MAX_DEVICES + (unsigned)stream->id);
    rt_each_stream(stream->device, clock_follow, &question);
    return work;
}

struct timeline_row *rt_work_show(struct work *work, const struct rt_stream *stream,
                                  enum timeline_record record, const char *name) {
    work->shown_ns = work->length_ns;
    work->row = (struct timeline_row){.record = record,
                                      .name = name,
                                      .device = stream->device,
                                      .context = stream->device + 1,
                                      .stream = rt_stream_number(stream),
                                      .correlation = rt_call_number()};
    return &work->row;
}

struct timeline_row *rt_work_transfer(struct work *work, const struct rt_stream *stream,
                                      const struct transfer *transfer, enum timeline_record record,
                                      const char *name) {
    if (rt.timing) {
        work->ready_ns += transfer->way_ns;
        work->length_ns = transfer->engine_ns;
    }
    return rt_work_show(work, stream, record, name);
}

void rt_work_enqueue(struct rt_stream *stream, struct work *work) {
    stream->expected_ns = rt_work_expected(stream) + work->length_ns;
    work_release(stream->last);
    stream->last = work;
    work_enqueue(work);
    while (work_pending() > MAX_PENDING) rt_host_wait(work_oldest());
}
