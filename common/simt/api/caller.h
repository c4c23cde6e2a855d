/* api/caller.h: which function of the program calls the runtime, for messages. */
#pragma once

#include <stddef.h>

/* The place in the program from which the running call was made, past CUDA's own templates; NULL:
 * not found. */
const void *rt_caller(void);
/* The function of the program that holds this code, as C++ has it; "" where the program has no
 * symbols. Good until the next call. */
const char *rt_function_at(const void *code);
/* The code at which a signal came, from its handler's third argument; NULL: not known. */
const void *rt_code_of(const void *context);
