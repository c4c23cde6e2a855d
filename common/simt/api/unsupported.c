/* api/unsupported.c: the functions of api/unsupported.def. */
#include "unsupported.h"

#include "unsupported.def"
