/* route.h: which back end this machine calls for. Compute capability 7.5 and newer: ncu; 7.0 to 7.2: nvprof where it is
 * installed, else ncu; older: nvprof; no GPU: simt. */
#ifndef LABPROF_ROUTE_H
#define LABPROF_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

enum backend_kind { BACKEND_SIMT, BACKEND_NCU, BACKEND_NVPROF };

struct route {
    enum backend_kind backend;
    char device[128]; /* the GPU's name; "" for simt, which tells it later */
};

/* wanted is the word of --backend or NULL; DEVICE=sim|gpu|auto in the environment is heeded too. False with a message
 * in error. */
bool route_find(struct route *route, const char *wanted, char *error, size_t error_size);

const char *backend_name(enum backend_kind backend);

#endif
