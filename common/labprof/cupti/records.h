/* records.h: CUPTI's activity records become rows of the timeline (lib/timeline.h). */
#pragma once

#include <cupti.h>
#include <stdint.h>

/* Numbers the program's threads: its main thread is 1, the others follow in the order of their
 * first records. id: the system's, which for the main thread is the number of the process. Not for
 * several threads at a time. */
uint64_t record_thread(uint32_t id);

/* Writes the record to the open timeline. first_ns: CUPTI's time of the timeline's 0. Skips records
 * of other kinds, and those without an end: work that was under way when the program ended. Not for
 * several threads at a time. */
void record_write(const CUpti_Activity *record, uint64_t first_ns);
