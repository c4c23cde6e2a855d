/*
 * run/operand_rows.c: rows of immediates, parameters and special registers, filled before they are
 * needed. Handlers then read every operand in the same way (enum operand_rows).
 *
 *   ROWS_LAUNCH   worker_open()   one copy for each worker      immediates, parameters, %ntid,
 *                                                               %nctaid, %laneid
 *   ROWS_BLOCK    block_start()   one for each resident block   %ctaid
 *   ROWS_WARP     block_new()     one for each warp             %tid, %warpid
 *
 * A fill says where a row is (offset, width of an element) and where its value comes from (kind,
 * bits).
 */
#include "lib/memory.h"
#include "run.h"
#include "simt/device/gpu.h"

#include <stdlib.h>
#include <string.h>

/* Zeroed memory for the rows of one kind, aligned for vector loads. The caller frees it. */
char *operand_rows_new(const struct kernel *kernel, enum operand_rows kind) {
    size_t bytes = (kernel->fills[kind].bytes + 2 * ROW64 + ROW_ALIGN - 1) / ROW_ALIGN * ROW_ALIGN;
    char *rows = need(aligned_alloc(ROW_ALIGN, bytes));
    memset(rows, 0, bytes);
    return rows;
}

/* A kernel parameter, of fill->size bytes, extended to 64 bits. */
static uint64_t parameter(const struct worker *worker, const struct fill *fill) {
    uint64_t value = 0;
    if (fill->bits + fill->size > worker->kernel->entry->param_bytes) return 0;
    memcpy(&value, (const char *)worker->grid->params + fill->bits, fill->size);
    unsigned unused = 64 - 8u * fill->size;
    return fill->is_signed && unused < 64 ? (uint64_t)((int64_t)(value << unused) >> unused)
                                          : value;
}

/* %lanemask_eq, lt, le, gt, ge. */
static uint64_t lane_mask(enum ptx_sreg sreg, uint32_t lane) {
    uint32_t own = 1u << lane, below = own - 1;
    switch (sreg) {
    case PTX_SREG_LANEMASK_EQ: return own;
    case PTX_SREG_LANEMASK_LT: return below;
    case PTX_SREG_LANEMASK_LE: return below | own;
    case PTX_SREG_LANEMASK_GT: return ~(below | own);
    default: return ~below;
    }
}

/* %envreg1 and %envreg2: the upper and lower half of the address where cooperative groups find the
 * grid barrier. */
static uint64_t environment(const struct grid *grid, uint8_t index) {
    uint64_t address = grid->workspace_address;
    return index == 1 ? address >> 32 : index == 2 ? address & 0xFFFFFFFF : 0;
}

/* %tid.x, y or z of a thread, counted in its block; x runs fastest. */
static uint64_t thread_index(const struct grid *grid, int axis, uint32_t thread) {
    const uint32_t *size = grid->launch->shape.block;
    return axis == 0   ? thread % size[0]
           : axis == 1 ? thread / size[0] % size[1]
                       : thread / size[0] / size[1];
}

/* Shared memory of a block, without what is reserved. */
static uint64_t own_shared(const struct worker *worker) {
    return worker->shared_bytes - worker->kernel->reserved_shared;
}

/* The unit in which blocks get shared memory. */
static uint64_t shared_unit(const struct gpu *gpu) {
    return gpu && gpu->cc_major < 8 ? 256 : 128;
}

/* Value of a special register in a lane. block is NULL for rows of a launch, warp for those of a
 * launch or block: the decoder puts each register where its value is known. Block i runs on
 * multiprocessor i modulo their number. */
static uint64_t special(const struct worker *worker, const struct fill *fill,
                        const struct block *block, const struct warp *warp, uint32_t lane) {
    const struct grid *grid = worker->grid;
    const struct gpu *gpu = grid->launch->gpu;
    enum ptx_sreg sreg = (enum ptx_sreg)fill->bits;
    switch (sreg) {
    case PTX_SREG_TID_X:
    case PTX_SREG_TID_Y:
    case PTX_SREG_TID_Z:
        return thread_index(grid, (int)(sreg - PTX_SREG_TID_X), warp->index * WARP_SIZE + lane);
    case PTX_SREG_NTID_X:
    case PTX_SREG_NTID_Y:
    case PTX_SREG_NTID_Z: return grid->launch->shape.block[sreg - PTX_SREG_NTID_X];
    case PTX_SREG_CTAID_X:
    case PTX_SREG_CTAID_Y:
    case PTX_SREG_CTAID_Z: return block->ctaid[sreg - PTX_SREG_CTAID_X];
    case PTX_SREG_NCTAID_X:
    case PTX_SREG_NCTAID_Y:
    case PTX_SREG_NCTAID_Z: return grid->launch->shape.grid[sreg - PTX_SREG_NCTAID_X];
    case PTX_SREG_LANEID: return lane;
    case PTX_SREG_WARPID: return warp->index;
    case PTX_SREG_NWARPID: return (grid->block_threads + WARP_SIZE - 1) / WARP_SIZE;
    case PTX_SREG_SMID: return gpu ? block->index % (uint64_t)gpu->sms : 0;
    case PTX_SREG_NSMID: return gpu ? (uint64_t)gpu->sms : 1;
    case PTX_SREG_GRIDID: return grid->id;
    case PTX_SREG_DYNAMIC_SMEM_SIZE: return grid->launch->shape.dynamic_shared;
    case PTX_SREG_TOTAL_SMEM_SIZE: return round_up(own_shared(worker), shared_unit(gpu));
    case PTX_SREG_AGGR_SMEM_SIZE:
        return own_shared(worker) + (gpu ? gpu->shared_reserved_per_block : 0);
    case PTX_SREG_RESERVED_SMEM: return 0;
    case PTX_SREG_ENVREG: return environment(grid, fill->size);
    default: return lane_mask(sreg, lane);
    }
}

/* The value of a row in a lane. */
static uint64_t fill_value(const struct worker *worker, const struct fill *fill,
                           const struct block *block, const struct warp *warp, uint32_t lane) {
    switch (fill->kind) {
    case FILL_PARAM: return parameter(worker, fill);
    case FILL_SREG: return special(worker, fill, block, warp, lane);
    case FILL_VARIABLE: return fill->var->offset + fill->bits;
    default: return fill->bits;
    }
}

/* Only a thread's index, its lane and the lane masks differ between the lanes of a warp. */
static bool is_same_in_all_lanes(const struct fill *fill) {
    if (fill->kind != FILL_SREG) return true;
    switch ((enum ptx_sreg)fill->bits) {
    case PTX_SREG_TID_X:
    case PTX_SREG_TID_Y:
    case PTX_SREG_TID_Z:
    case PTX_SREG_LANEID:
    case PTX_SREG_LANEMASK_EQ:
    case PTX_SREG_LANEMASK_LT:
    case PTX_SREG_LANEMASK_LE:
    case PTX_SREG_LANEMASK_GT:
    case PTX_SREG_LANEMASK_GE: return false;
    default: return true;
    }
}

/* Fill one row: a mask, or 32 elements of 4 or 8 bytes. */
static void fill_row(const struct worker *worker, const struct fill *fill, char *rows,
                     const struct block *block, const struct warp *warp) {
    char *row = rows + fill->offset;
    if (fill->width == 0) {
        *(uint32_t *)row = (uint32_t)fill->bits;
        return;
    }
    uint64_t value = fill_value(worker, fill, block, warp, 0);
    bool same = is_same_in_all_lanes(fill);
    for (uint32_t l = 0; l < WARP_SIZE; l++) {
        if (!same) value = fill_value(worker, fill, block, warp, l);
        if (fill->width == 8)
            ((uint64_t *)row)[l] = value;
        else
            ((uint32_t *)row)[l] = (uint32_t)value;
    }
}

void operand_rows_fill(const struct worker *worker, enum operand_rows kind, char *rows,
                       const struct block *block, const struct warp *warp) {
    const struct fills *fills = &worker->kernel->fills[kind];
    for (uint32_t i = 0; i < fills->n; i++) fill_row(worker, &fills->items[i], rows, block, warp);
}
