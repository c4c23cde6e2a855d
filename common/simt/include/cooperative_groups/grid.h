/* cooperative_groups/grid.h: all threads of a grid, and their barrier. */
#ifndef SIMT_COOPERATIVE_GROUPS_GRID_H
#define SIMT_COOPERATIVE_GROUPS_GRID_H

SIMT_HEADER_BEGIN

#define SIMT_GROUP __device__ inline

namespace cooperative_groups {

/* The second word of the grid's workspace counts the arrivals of blocks. The workspace's address
 * stands in two registers, and is 0 where the launch is not cooperative. */
class grid_group {
    static SIMT_GROUP unsigned int *arrivals() {
        unsigned int low, high;
        asm("mov.u32 %0, %%envreg2;" : "=r"(low));
        asm("mov.u32 %0, %%envreg1;" : "=r"(high));
        return (unsigned int *)((unsigned long long)high << 32 | low) + 1;
    }

  public:
    static SIMT_GROUP bool is_valid() { return arrivals() != (unsigned int *)sizeof(int); }
    static SIMT_GROUP unsigned long long num_blocks() {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    static SIMT_GROUP unsigned long long block_rank() {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    static SIMT_GROUP unsigned long long num_threads() {
        return num_blocks() * thread_block::num_threads();
    }
    static SIMT_GROUP unsigned long long size() { return num_threads(); }
    static SIMT_GROUP unsigned long long thread_rank() {
        return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
    }
    static SIMT_GROUP dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    static SIMT_GROUP dim3 dim_blocks() { return group_dim(); }
    static SIMT_GROUP dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static SIMT_GROUP dim3 thread_index() { return thread_block::thread_index(); }

    /* One thread of each block counts it, and waits until all blocks of this round have come. */
    static SIMT_GROUP void sync() {
        if (!is_valid()) __trap();
        thread_block::sync();
        if (thread_block::thread_rank() == 0) {
            unsigned int *count = arrivals(), blocks = (unsigned int)num_blocks(), before, now;
            asm volatile("atom.add.release.gpu.u32 %0, [%1], 1;"
                         : "=r"(before)
                         : "l"(count)
                         : "memory");
            const unsigned int enough = (before / blocks + 1) * blocks;
            do asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(now) : "l"(count) : "memory");
            while ((int)(now - enough) < 0);
        }
        thread_block::sync();
    }
};

SIMT_GROUP grid_group this_grid() {
    return grid_group();
}

} // namespace cooperative_groups

#undef SIMT_GROUP

SIMT_HEADER_END
#endif
