/* run/builtins.h: functions that programs leave undefined. */
#pragma once

#include "simt/machine/op.h"

/* The function's handler; of an unknown one builtin_missing, which raises a fault that names it. */
builtin *builtin_find(const char *name);
builtin builtin_missing;
