/* records.h: CUPTI's activity records become rows of the timeline (lib/timeline.h). */
#pragma once

#include <cupti.h>
#include <stdint.h>

/* Writes the record to the open timeline. first_ns: CUPTI's time of the timeline's 0. Skips records
 * of other kinds, and those without an end: work that was under way when the program ended. Not for
 * several threads at a time. */
void record_write(const CUpti_Activity *record, uint64_t first_ns);
