/*
 * cooperative_groups.h: grids, blocks, tiles of a warp, and the threads of a warp that came here
 * together (CUDA C++ Programming Guide, "Cooperative Groups"). Clusters and tiles of several warps
 * are nvcc's alone. The headers in cooperative_groups/ have the collective operations.
 */
#ifndef SIMT_COOPERATIVE_GROUPS_H
#define SIMT_COOPERATIVE_GROUPS_H

SIMT_HEADER_BEGIN

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
    static SIMT_GROUP dim3 dim_threads() { return group_dim(); }
};

SIMT_GROUP thread_block this_thread_block() {
    return thread_block();
}

/* A value of any size passes a warp word by word. */
template <class T, class Exchange> SIMT_GROUP T simtByWords(const T &value, Exchange exchange) {
    unsigned int words[(sizeof(T) + 3) / 4] = {};
    T result;
    memcpy(words, &value, sizeof(T));
    for (unsigned int &word : words) word = exchange(word);
    memcpy(&result, words, sizeof(T));
    return result;
}

/* Some lanes of a warp, by the bits of a mask. Ranks count these alone. */
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
    SIMT_GROUP unsigned int simtMask() const { return mask; }

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
        return (__ballot_sync(mask, predicate) & mask) >> first();
    }
    template <class T> SIMT_GROUP unsigned int match_any(T value) const {
        return __match_any_sync(mask, value) >> first();
    }
    template <class T> SIMT_GROUP unsigned int match_all(T value, int &all) const {
        return __match_all_sync(mask, value, &all) >> first();
    }
    template <class T> SIMT_GROUP T shfl(T value, int from) const {
        return simtByWords(value,
                           [=](unsigned int word) { return __shfl_sync(mask, word, from, SIZE); });
    }
    template <class T> SIMT_GROUP T shfl_up(T value, unsigned int distance) const {
        return simtByWords(
            value, [=](unsigned int word) { return __shfl_up_sync(mask, word, distance, SIZE); });
    }
    template <class T> SIMT_GROUP T shfl_down(T value, unsigned int distance) const {
        return simtByWords(
            value, [=](unsigned int word) { return __shfl_down_sync(mask, word, distance, SIZE); });
    }
    template <class T> SIMT_GROUP T shfl_xor(T value, unsigned int bits) const {
        return simtByWords(
            value, [=](unsigned int word) { return __shfl_xor_sync(mask, word, (int)bits, SIZE); });
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

/* Any threads of a warp. Bits of votes are by ranks, too. The meta group is what it is a part of.
 */
class coalesced_group : public simtLanes {
    unsigned int metaRank, metaSize;

    SIMT_GROUP int laneOf(unsigned int rank) const {
        unsigned int rest = mask;
        while (rank-- > 0) rest &= rest - 1;
        return __ffs((int)rest) - 1;
    }
    SIMT_GROUP unsigned int byRank(unsigned int lanes) const {
        unsigned int ranks = 0, rank = 0;
        for (unsigned int rest = mask; rest; rest &= rest - 1, rank++)
            if (lanes & rest & (0u - rest)) ranks |= 1u << rank;
        return ranks;
    }

  public:
    SIMT_GROUP coalesced_group(unsigned int lanes, unsigned int rank, unsigned int size)
        : simtLanes(lanes), metaRank(rank), metaSize(size) {}
    SIMT_GROUP unsigned int meta_group_rank() const { return metaRank; }
    SIMT_GROUP unsigned int meta_group_size() const { return metaSize; }
    SIMT_GROUP unsigned int ballot(int predicate) const {
        return byRank(__ballot_sync(mask, predicate));
    }
    template <class T> SIMT_GROUP unsigned int match_any(T value) const {
        return byRank(__match_any_sync(mask, value));
    }
    template <class T> SIMT_GROUP unsigned int match_all(T value, int &all) const {
        return byRank(__match_all_sync(mask, value, &all));
    }
    template <class T> SIMT_GROUP T shfl(T value, unsigned int from) const {
        int lane = laneOf(from % num_threads());
        return simtByWords(value, [=](unsigned int word) { return __shfl_sync(mask, word, lane); });
    }
    template <class T> SIMT_GROUP T shfl_up(T value, unsigned int distance) const {
        unsigned int rank = thread_rank();
        return shfl(value, rank < distance ? rank : rank - distance);
    }
    template <class T> SIMT_GROUP T shfl_down(T value, unsigned int distance) const {
        unsigned int rank = thread_rank();
        return shfl(value, rank + distance < num_threads() ? rank + distance : rank);
    }
};

/* The threads of a warp that call this together. */
SIMT_GROUP coalesced_group coalesced_threads() {
    return coalesced_group(__activemask(), 0, 1);
}

/* A block, or some lanes of a warp, known when the program runs. */
class thread_group {
    unsigned int mask; /* 0: the block */

  public:
    SIMT_GROUP thread_group(const thread_block &) : mask(0) {}
    SIMT_GROUP thread_group(const simtLanes &lanes) : mask(lanes.simtMask()) {}
    SIMT_GROUP void sync() const { mask ? simtLanes(mask).sync() : thread_block::sync(); }
    SIMT_GROUP unsigned int num_threads() const {
        return mask ? simtLanes(mask).num_threads() : thread_block::num_threads();
    }
    SIMT_GROUP unsigned int size() const { return num_threads(); }
    SIMT_GROUP unsigned int thread_rank() const {
        return mask ? simtLanes(mask).thread_rank() : thread_block::thread_rank();
    }
    SIMT_GROUP unsigned int simtMask() const { return mask; }
};

/* Divide a block, or some lanes, into parts of so many threads; the last may have fewer. */
SIMT_GROUP coalesced_group tiled_partition(const thread_group &group, unsigned int threads) {
    unsigned int rank = group.thread_rank(), all = group.simtMask(), part = 0;
    const unsigned int parts = (group.num_threads() + threads - 1) / threads;
    if (!all) all = __activemask(), rank %= 32;
    unsigned int place = 0;
    for (unsigned int rest = all; rest; rest &= rest - 1, place++)
        if (place / threads == rank / threads) part |= rest & (0u - rest);
    return coalesced_group(part, group.thread_rank() / threads, parts);
}

/* The threads of a group that have the same value. */
template <class Group, class T>
SIMT_GROUP coalesced_group labeled_partition(const Group &group, T label) {
    unsigned int lanes = __match_any_sync(group.simtMask(), label), parts = 0, rank = 0;
    for (unsigned int rest = group.simtMask(); rest; parts++) {
        unsigned int first = rest & (0u - rest);
        unsigned int part = __shfl_sync(group.simtMask(), lanes, __ffs((int)first) - 1);
        if (part == lanes) rank = parts;
        rest &= ~part;
    }
    return coalesced_group(lanes, rank, parts);
}
template <class Group> SIMT_GROUP coalesced_group binary_partition(const Group &group, bool side) {
    unsigned int yes = __ballot_sync(group.simtMask(), side) & group.simtMask();
    return coalesced_group(side ? yes : group.simtMask() & ~yes, side, 2);
}

template <class Group> SIMT_GROUP void sync(const Group &group) {
    group.sync();
}

} // namespace cooperative_groups

#undef SIMT_GROUP

SIMT_HEADER_END

#include "cooperative_groups/grid.h"

#endif
