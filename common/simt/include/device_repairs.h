/*
 * device_repairs.h: what clang up to 15 gets wrong.
 *
 * Barriers and fences: its optimiser thinks that none of its own changes a __shared__ variable
 * whose address is not taken, and moves loads to before them. Of assembly it expects everything.
 *
 * Shuffles: clang 14's of unsigned long long call themselves without end.
 */
#ifndef SIMT_DEVICE_REPAIRS_H
#define SIMT_DEVICE_REPAIRS_H

#if __clang_major__ < 16

/* What clang defines; the macros put ours in its place. */
#define SIMT_BARRIER(name, text)                                                                   \
    static __inline__ __device__ void name() {                                                     \
        asm volatile(text ::: "memory");                                                           \
    }
SIMT_BARRIER(simtBarrier, "bar.sync 0;")
SIMT_BARRIER(simtFence, "membar.gl;")
SIMT_BARRIER(simtFenceBlock, "membar.cta;")
SIMT_BARRIER(simtFenceSystem, "membar.sys;")
#undef SIMT_BARRIER

/* A barrier that combines what all threads bring. */
#define SIMT_VOTE(name, operation)                                                                 \
    static __inline__ __device__ int name(int predicate) {                                         \
        int result;                                                                                \
        asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; bar.red." operation                 \
                     ".pred q, 0, p; selp.s32 %0, 1, 0, q; }"                                      \
                     : "=r"(result)                                                                \
                     : "r"(predicate)                                                              \
                     : "memory");                                                                  \
        return result;                                                                             \
    }
SIMT_VOTE(simtBarrierAnd, "and")
SIMT_VOTE(simtBarrierOr, "or")
#undef SIMT_VOTE

static __inline__ __device__ int simtBarrierCount(int predicate) {
    int result;
    asm volatile("{ .reg .pred p; setp.ne.s32 p, %1, 0; bar.red.popc.u32 %0, 0, p; }"
                 : "=r"(result)
                 : "r"(predicate)
                 : "memory");
    return result;
}

static __inline__ __device__ void simtWarpBarrier(unsigned mask = 0xFFFFFFFF) {
    asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}

/* ---- Shuffles: a value of 8 bytes goes in two halves ---- */

template <int bytes> struct simtWord;
template <> struct simtWord<4> { typedef int type; };
template <> struct simtWord<8> { typedef unsigned long long type; };

/* clamp: where lanes beyond the segment of width threads read: from its last lane, or for up from
 * its first. */
#define SIMT_SHUFFLE(name, builtin, clamp, number)                                                 \
    template <class T>                                                                             \
    static __inline__ __device__ T name(unsigned mask, T value, number lane, int width = 32) {     \
        typedef typename simtWord<sizeof(T)>::type Word;                                           \
        Word word = __builtin_bit_cast(Word, value);                                               \
        int segment = (32 - width) << 8 | clamp;                                                   \
        unsigned low = (unsigned)builtin(mask, (int)word, (int)lane, segment);                     \
        if (sizeof(T) == 4) return __builtin_bit_cast(T, (Word)low);                               \
        unsigned high =                                                                            \
            (unsigned)builtin(mask, (int)((unsigned long long)word >> 32), (int)lane, segment);    \
        return __builtin_bit_cast(T, (Word)((unsigned long long)high << 32 | low));                \
    }
SIMT_SHUFFLE(simtShuffle, __nvvm_shfl_sync_idx_i32, 31, int)
SIMT_SHUFFLE(simtShuffleUp, __nvvm_shfl_sync_up_i32, 0, unsigned)
SIMT_SHUFFLE(simtShuffleDown, __nvvm_shfl_sync_down_i32, 31, unsigned)
SIMT_SHUFFLE(simtShuffleXor, __nvvm_shfl_sync_bfly_i32, 31, int)
#undef SIMT_SHUFFLE

#define __shfl_sync      simtShuffle
#define __shfl_up_sync   simtShuffleUp
#define __shfl_down_sync simtShuffleDown
#define __shfl_xor_sync  simtShuffleXor

#define __syncthreads()      simtBarrier()
#define __syncthreads_and    simtBarrierAnd
#define __syncthreads_or     simtBarrierOr
#define __syncthreads_count  simtBarrierCount
#define __syncwarp           simtWarpBarrier
#define __threadfence        simtFence
#define __threadfence_block  simtFenceBlock
#define __threadfence_system simtFenceSystem

#endif

#endif
