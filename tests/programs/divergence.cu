// Divergent control flow: nested conditions, loops of different length per lane, break, continue,
// early return, goto.
#include "check.h"

enum { N = 1000 };

// One function for both sides; every lane takes its own way through it.
__host__ __device__ unsigned collatz_like(unsigned x) {
    unsigned steps = 0;
    while (x != 1) {
        if (x & 1) {
            if (x % 3 == 0)
                x = x / 3 * 2 + 1;
            else
                x += 5;
        } else {
            x /= 2;
        }
        steps++;
        if (steps > 200) break;
        if (steps % 7 == 3) continue;
        steps += x & 1;
    }
    return steps * 1000 + x;
}
__host__ __device__ int nested(int n) {
    int sum = 0;
    for (int i = 0; i < n % 17; i++) {
        for (int j = i; j < n % 13; j++) {
            if ((i ^ j) & 4) continue;
            for (int k = 0;; k++) {
                if (k * j > n) break;
                if (k > 9) goto next_row;
                sum += k - (k & i);
            }
        }
    next_row:
        sum ^= i << 3;
        if (sum > 5000) return -sum;
    }
    return sum;
}
__host__ __device__ bool short_circuit(int a, int b) {
    return (a % 3 == 0 && b / (a + 1) > 2) || (b % 5 == 1 && !(a & 2));
}

__global__ void run(unsigned *steps, int *sums, int *choices, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) // the last block's tail leaves early
        return;
    steps[i] = collatz_like(i + 1);
    sums[i] = nested(i * 7);
    choices[i] = i % 2   ? short_circuit(i, n - i)
                 : i % 4 ? 2
                 : i % 8 ? 3
                         : short_circuit(n - i, i) + 4;
}
// Lanes leave a loop at different times and meet again at the barrier behind it.
__global__ void regroup(int *out) {
    __shared__ int turn[128];
    int rounds = 0;
    for (int i = threadIdx.x; i > 0; i = (i * 5) >> 3) rounds++;
    turn[threadIdx.x] = rounds;
    __syncthreads();
    out[blockIdx.x * 128 + threadIdx.x] = turn[127 - threadIdx.x] * 100 + rounds;
}
// After divergence the warp is whole again: all 32 lanes vote together.
__global__ void reconverge(unsigned *out) {
    unsigned lane = threadIdx.x & 31, x = lane;
    if (lane < 7)
        x *= 3;
    else if (lane & 1)
        for (unsigned i = 0; i < lane; i++) x ^= i << 2;
    else
        x = ~x;
    __syncwarp();
    out[threadIdx.x] = __ballot_sync(~0u, x & 1);
}

static int rounds_of(int i) {
    int rounds = 0;
    for (; i > 0; i = (i * 5) >> 3) rounds++;
    return rounds;
}
static unsigned vote() {
    unsigned mask = 0;
    for (unsigned lane = 0; lane < 32; lane++) {
        unsigned x = lane;
        if (lane < 7)
            x *= 3;
        else if (lane & 1)
            for (unsigned i = 0; i < lane; i++) x ^= i << 2;
        else
            x = ~x;
        mask |= (x & 1) << lane;
    }
    return mask;
}

int main() {
    unsigned *steps = poisoned<unsigned>(N), *votes = poisoned<unsigned>(64);
    int *sums = poisoned<int>(N), *choices = poisoned<int>(N), *turns = poisoned<int>(256);
    run<<<(N + 95) / 96, 96>>>(steps, sums, choices, N);
    regroup<<<2, 128>>>(turns);
    reconverge<<<1, 64>>>(votes);
    FINISH_KERNEL();
    std::vector<unsigned> got_steps = to_host(steps, N), got_votes = to_host(votes, 64);
    std::vector<int> got_sums = to_host(sums, N), got_choices = to_host(choices, N),
                     got_turns = to_host(turns, 256);
    for (int i = 0; i < N; i++) {
        same("steps", i, got_steps[i], collatz_like(i + 1));
        same("sums", i, got_sums[i], nested(i * 7));
        same("choices", i, got_choices[i],
             i % 2   ? (int)short_circuit(i, N - i)
             : i % 4 ? 2
             : i % 8 ? 3
                     : short_circuit(N - i, i) + 4);
    }
    for (int i = 0; i < 256; i++)
        same("turns", i, got_turns[i], rounds_of(127 - i % 128) * 100 + rounds_of(i % 128));
    for (int i = 0; i < 64; i++) same("votes", i, got_votes[i], vote());
    return finish();
}
