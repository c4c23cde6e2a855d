/*
 * api/clock.h: modelled time, in ns since the program's first call.
 *
 * The host's clock moves by what each call takes and by what it waits for; all threads share it.
 * Computing on the host takes no modelled time. Work may start when the call that gives it to a
 * stream begins; its length includes its way to the device. An event is recorded when its call has
 * ended and it has gone the same way. So the time between two events does not include the first
 * one's call, as on a GPU that is busy.
 */
#pragma once

#include "runtime.h"

#include "simt/time/transfer.h"
#include "simt/time/work.h"

/* ---- Calls (api/call.c) ---- */

/* What the calling thread's call takes more than such a call at least does: for bytes that it
 * allocates or frees, and so many ns. */
void rt_call_bytes(size_t bytes);
void rt_call_more(double ns);
/* It takes what a call of that other name takes. */
void rt_call_as(const char *function);
/* It takes so much more for each of n nodes of a graph but the first, as the item in call_costs.def
 * says. */
void rt_call_nodes(const char *item, size_t n);
/* Modelled ns of the shortest call of the function; or of what has another name in
 * call_costs.def. */
double rt_cost_ns(const char *function);
/* The number of the calling thread's call, for a row of the timeline. */
uint64_t rt_call_number(void);
/* The calling thread's number in the timeline. */
uint64_t rt_thread_number(void);
/* What the thread does next is the work of the call of that number, which has ended. */
void rt_call_resume(uint64_t number);

/* ---- The host's clock ---- */

double rt_host_ns(void);
/* The host's clock is at least at that time. */
void rt_host_reach(double ns);
/* Waits for the end of the work (NULL: none), of all work that the stream would wait for, of all
 * work of the device. */
void rt_host_wait(struct work *work);
void rt_host_wait_stream(struct rt_stream *stream);
void rt_host_wait_device(int device);
/* Polls: does the work still run? True only at the first poll: a host that polls until the work is
 * done must not poll for ever. NULL: no. */
bool rt_host_finds_busy(struct work *work);
bool rt_host_finds_stream_busy(struct rt_stream *stream);

/* ---- Work ---- */

/* Makes work for the stream: after the work that the stream waits for, and not before now. The
 * caller fills in the rest, and enqueues it. */
struct work *rt_work_new(struct rt_stream *stream, enum work_engine engine);
/* The stream as the timeline numbers it, and as messages name it. */
enum { RT_STREAM_NAME = 64 };
int rt_stream_number(const struct rt_stream *stream);
const char *rt_stream_name(const struct rt_stream *stream, char name[RT_STREAM_NAME]);
/* Gives the work a row in the timeline. The caller fills in what only that record has. */
struct timeline_row *rt_work_show(struct work *work, const struct rt_stream *stream,
                                  enum timeline_record record, const char *name);
/* The same for a copy or a fill, and its lengths. */
struct timeline_row *rt_work_transfer(struct work *work, const struct rt_stream *stream,
                                      const struct transfer *transfer, enum timeline_record record,
                                      const char *name);
/* May the call leave the effect of its work until the stream reaches it? Else it must have it
 * now. */
bool rt_work_defers(void);
/* Enqueues the work, which belongs to the stream from now on. */
void rt_work_enqueue(struct rt_stream *stream, struct work *work);
/* The time at which work on the stream could start, if no other stream's work were in its way. */
double rt_work_expected(struct rt_stream *stream);
