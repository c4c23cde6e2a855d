/* route.h: chooses the back end for this machine. No GPU: simt. Without metrics: cupti. With
 * metrics, compute capability 7.5 and newer: ncu; 7.0 to 7.2: nvprof where it is installed, else
 * ncu; older: nvprof. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum backend_kind { BACKEND_SIMT, BACKEND_NCU, BACKEND_NVPROF, BACKEND_CUPTI };

/* The chosen back end and its GPU. */
struct route {
    enum backend_kind backend;
    char device[128]; /* the GPU's name; "" for simt, whose profile names it later */
};

/* Chooses the back end. wanted is the value of --backend; if it is NULL, DEVICE=sim|gpu|auto in the
 * environment decides. metrics: are metrics or events asked for? Returns false with a message in
 * failure. */
bool route_find(struct route *route, const char *wanted, bool metrics);

/* "simt", "ncu", "nvprof" or "cupti". */
const char *backend_name(enum backend_kind backend);
