/* api/ipc.h: events that several processes use. */
#ifndef SIMT_API_IPC_H
#define SIMT_API_IPC_H

#include "runtime.h"

struct ipc_event;

/* The page that the processes share. NULL: no memory. */
struct ipc_event *ipc_event_new(void);
/* Names it for other processes. */
void ipc_event_handle(const struct ipc_event *event, cudaIpcEventHandle_t *handle);
/* The page of a handle of another process, in *event. */
cudaError_t ipc_event_open(const cudaIpcEventHandle_t *handle, struct ipc_event **event);
void ipc_event_free(struct ipc_event *event);

/* Records it, in each process: it is done when the host function of that ticket has returned. Returns the ticket of
 * what then tells the others. */
uint64_t ipc_event_record(struct ipc_event *event, uint64_t callback);
/* Has what was last recorded, in whichever process, been done? */
bool ipc_event_done(const struct ipc_event *event);
/* Waits until it has. */
void ipc_event_wait(const struct ipc_event *event);

#endif
