/* choose.h: which launches are shown: -k, --kernel-id, -s, -c. */
#pragma once

#include <stdbool.h>

#include "options.h"
#include "record.h"

/* Drops the launches that the options leave out. Returns false with a message in failure: an
 * option's value is wrong. */
bool choose_launches(const struct ncu_options *options, struct record *record);
