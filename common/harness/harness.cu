/*
 * harness.cu: the harness as an object of its own. It takes the compiler longer than a lab's
 * kernels do, and does not change while a student edits them.
 */
#define HARNESS_LINKED
#include "harness.h"
