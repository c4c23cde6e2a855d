/* time/uop_lists.h: which lists of uops a traced warp goes through. */
#pragma once

#include "simt/machine/machine.h"
#include "simt/machine/trace.h"
#include "simt/machine/uops.h"

/* The list of the enter at *at, which is one of the trace's; steps *at after all enters that the
 * list stands for. */
const struct uop_list *uop_list_at(const struct kernel *kernel, const struct warp_trace *trace,
                                   uint32_t *at);
