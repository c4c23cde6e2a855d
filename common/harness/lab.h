/*
 * lab.h: all that a lab includes of the harness, which runs its steps: calls.h says how.
 */
#ifndef HARNESS_LAB_H
#define HARNESS_LAB_H

#include "calls.h"
#include "todo.h"
#ifndef HARNESS_LINKED
#include "harness.h"
#endif

#endif
