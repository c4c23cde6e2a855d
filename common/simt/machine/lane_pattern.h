/*
 * machine/lane_pattern.h: how the lanes of a memory operation lay when warps last executed it.
 *
 * Most operations come back with their lanes at the same distances from each other: only the first
 * lane's address moves. What follows from the distances is worked out once and kept, by operation
 * and host thread. access/pattern.h works it out.
 */
#pragma once

#include "simt/device/gpu.h"

#include <stdbool.h>
#include <stdint.h>

/* What a request to shared memory takes. */
struct passes {
    uint32_t wavefronts;
    uint32_t least; /* what the width needs without any conflict */
    /* different ones that were asked for: a word that several lanes read counts once */
    uint32_t bytes;
};

/* Shapes that are moved without a look at each lane. All but LANES_SAME are of full warps. */
enum lane_shape {
    LANES_ANYHOW,
    LANES_SAME,         /* all lanes have one address */
    LANES_SAME_BY_8,    /* all lanes of each LANE_GROUP have one */
    LANES_SIDE_BY_SIDE, /* each lane follows the lane before it */
    LANES_ROWS_OF_8     /* so it is in each LANE_GROUP: rows of a tile */
};
#define LANE_GROUP 8

struct lane_pattern {
    /* a lane's address less the first active lane's; 0 for an inactive lane */
    _Alignas(64) int32_t step[WARP_SIZE];
    uint32_t mask;     /* the active lanes; 0: nothing is kept */
    int32_t low, high; /* the least step and the greatest */
    uint32_t bits;     /* of all steps */
    uint64_t at;       /* the first active lane's address in global memory */
    uint8_t shape;     /* enum lane_shape */
    bool has_ends;     /* the lanes that have them are known: */
    uint8_t low_lane, high_lane;
    bool sectors_follow; /* each other; */
    bool all_whole;      /* all of their bytes are asked for */
    uint32_t nsectors;   /* in global memory. 0: not worked out */
    uint32_t runs;  /* the first lane of each, where those of a sector follow each other; or 0 */
    uint32_t asked; /* different bytes */
    uint32_t phase; /* where in its sector the first lane then was */

    struct passes passes;  /* in shared memory. least is 0: not worked out */
    uint32_t passes_phase; /* where in its word the first lane then was */
    uint32_t load_passes;  /* of a traced load. 0: not worked out */
    uint32_t load_phase;   /* where in its line the first lane then was */
    uint32_t nlines;       /* that are watched for races (machine/races.h). 0: not worked out */
    uint32_t lines_phase;  /* where in its line the first lane then was */

    /* Sectors in the order in which the lanes touch them, counted from the first lane's. */
    int32_t sectors[WARP_SIZE];
    uint8_t sector_bytes[WARP_SIZE]; /* asked for in each; [0] is 0: not worked out */

    /* Lines, counted from the first lane's, and the words in each. */
    int32_t lines[2 * WARP_SIZE];
    uint32_t line_words[2 * WARP_SIZE];
};

/* The last ones of an operation: its warps differ, and a loop may take turns with a few. */
#define LANE_PATTERNS 4
struct lane_patterns {
    struct lane_pattern of[LANE_PATTERNS];
    uint32_t last, oldest; /* that was followed last, that was learned first */
};
