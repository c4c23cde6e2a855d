/* extra/driver/unsupported.c: the functions of extra/driver/unsupported.def. */
#include "simt/api/unsupported.h"

#include "unsupported.def"
