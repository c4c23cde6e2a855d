/* chrome.h: the timeline of a run in Chrome's trace event format, which Perfetto (ui.perfetto.dev)
 * and Chrome (chrome://tracing) open. */
#pragma once

#include <stdio.h>

#include "activities.h"

/* Writes one JSON object. A process of the program is a group of rows, one for the API calls of
 * each host thread. What it does on a GPU is another group, with a row for each stream, and one for
 * each direction of copies. Activities of one row that overlap take further rows. An arrow leads
 * from a call to each activity that it caused. device: the GPUs' name; modelled: a model made the
 * times. */
void chrome_write(FILE *out, const struct activities *activities, const char *device,
                  bool modelled);
