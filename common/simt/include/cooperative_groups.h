/* cooperative_groups.h: blocks, tiles of a warp, and the threads of a warp that came here together.
 * Grids, clusters and the headers for collective operations are nvcc's alone. */
#ifndef SIMT_COOPERATIVE_GROUPS_H
#define SIMT_COOPERATIVE_GROUPS_H

#define SIMT_GROUP __device__ inline

namespace cooperative_groups {

/* All threads of the block. Ranks count along x first, then y, then z. */
class thread_block {
  public:
    static SIMT_GROUP void sync() { __syncthreads(); }
    static SIMT_GROUP unsigned int num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
    static SIMT_GROUP unsigned int size() { return num_threads(); }
    static SIMT_GROUP unsigned int thread_rank() {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    static SIMT_GROUP dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static SIMT_GROUP dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static SIMT_GROUP dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
};

SIMT_GROUP thread_block this_thread_block() {
    return thread_block();
}

/* Some lanes of a warp, by the bits of a mask. */
class simtLanes {
  public:
    SIMT_GROUP simtLanes(unsigned int lanes) : mask(lanes) {}
    SIMT_GROUP void sync() const { __syncwarp(mask); }
    SIMT_GROUP unsigned int num_threads() const { return (unsigned int)__popc(mask); }
    SIMT_GROUP unsigned int size() const { return num_threads(); }
    SIMT_GROUP unsigned int thread_rank() const {
        return (unsigned int)__popc(mask & ((1u << lane()) - 1));
    }
    SIMT_GROUP int any(int predicate) const { return __any_sync(mask, predicate); }
    SIMT_GROUP int all(int predicate) const { return __all_sync(mask, predicate); }

  protected:
    unsigned int mask;
    static SIMT_GROUP unsigned int lane() { return thread_block::thread_rank() % 32; }
};

/* A tile: SIZE lanes side by side, SIZE a power of two up to 32. Ranks and bits of votes count
 * within the tile; the meta group is what the tile is a part of. */
template <unsigned int SIZE> class simtTile : public simtLanes {
    static_assert(SIZE >= 1 && SIZE <= 32 && (SIZE & (SIZE - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16 or 32 threads");
    unsigned int metaRank, metaSize;
    static SIMT_GROUP unsigned int first() { return lane() / SIZE * SIZE; }

  public:
    SIMT_GROUP simtTile(unsigned int rank, unsigned int size)
        : simtLanes(0xFFFFFFFFu >> (32 - SIZE) << first()), metaRank(rank), metaSize(size) {}
    static SIMT_GROUP constexpr unsigned int num_threads() { return SIZE; }
    static SIMT_GROUP constexpr unsigned int size() { return SIZE; }
    static SIMT_GROUP unsigned int thread_rank() { return lane() % SIZE; }
    SIMT_GROUP unsigned int meta_group_rank() const { return metaRank; }
    SIMT_GROUP unsigned int meta_group_size() const { return metaSize; }
    SIMT_GROUP unsigned int ballot(int predicate) const {
        return __ballot_sync(mask, predicate) >> first();
    }
    template <class T> SIMT_GROUP T shfl(T value, int from) const {
        return __shfl_sync(mask, value, from, SIZE);
    }
    template <class T> SIMT_GROUP T shfl_up(T value, unsigned int distance) const {
        return __shfl_up_sync(mask, value, distance, SIZE);
    }
    template <class T> SIMT_GROUP T shfl_down(T value, unsigned int distance) const {
        return __shfl_down_sync(mask, value, distance, SIZE);
    }
    template <class T> SIMT_GROUP T shfl_xor(T value, unsigned int bits) const {
        return __shfl_xor_sync(mask, value, (int)bits, SIZE);
    }
};

/* The type's name says what it was made of, or leaves that out. */
template <unsigned int SIZE, class Parent = void> class thread_block_tile : public simtTile<SIZE> {
  public:
    SIMT_GROUP thread_block_tile(const simtTile<SIZE> &tile) : simtTile<SIZE>(tile) {}
};

/* Divides a block, or a tile that is no smaller, into tiles. */
template <unsigned int SIZE>
SIMT_GROUP thread_block_tile<SIZE, thread_block> tiled_partition(const thread_block &) {
    return simtTile<SIZE>(thread_block::thread_rank() / SIZE,
                          (thread_block::size() + SIZE - 1) / SIZE);
}
template <unsigned int SIZE, unsigned int OUTER, class Parent>
SIMT_GROUP thread_block_tile<SIZE, thread_block_tile<OUTER, Parent>>
tiled_partition(const thread_block_tile<OUTER, Parent> &) {
    static_assert(SIZE <= OUTER, "a tile is no larger than what it divides");
    return simtTile<SIZE>(simtTile<OUTER>::thread_rank() / SIZE, OUTER / SIZE);
}

/* The threads of a warp that call this together. */
class coalesced_group : public simtLanes {
  public:
    SIMT_GROUP coalesced_group() : simtLanes(__activemask()) {}
    template <class T> SIMT_GROUP T shfl(T value, unsigned int from) const {
        unsigned int rest = mask;
        while (from-- > 0) rest &= rest - 1;
        return __shfl_sync(mask, value, __ffs((int)rest) - 1);
    }
};

SIMT_GROUP coalesced_group coalesced_threads() {
    return coalesced_group();
}

template <class Group> SIMT_GROUP void sync(const Group &group) {
    group.sync();
}

} // namespace cooperative_groups

#undef SIMT_GROUP
#endif
