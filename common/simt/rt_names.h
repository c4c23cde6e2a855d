/* rt_names.h: the name of an error code, for rooms that know nothing else of the runtime API. */
#ifndef SIMT_RT_NAMES_H
#define SIMT_RT_NAMES_H

/* "cudaErrorInvalidValue" for 1. */
const char *rt_error_name(int code);

#endif
