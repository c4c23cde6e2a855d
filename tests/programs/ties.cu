// Lanes of a warp that store to one address: the lowest one's value stays, and of 8 bytes that of
// the upper half's lowest, as measured on an H200. PTX leaves it open.
// unchecked the lanes race on purpose
#include "check.h"

__global__ void ties(int n, unsigned lanes, int *words, long long *doubles) {
    __shared__ int word[32];
    __shared__ unsigned char bytes[32];
    int t = threadIdx.x;
    word[t] = bytes[t] = 0;
    __syncwarp();
    if (lanes >> t & 1) {
        word[t % n] = 100 + t;
        bytes[t % n] = 100 + t;
        doubles[t % n] = 100 + t;
        words[32 + t % n] = 100 + t;
    }
    __syncwarp();
    words[t] = word[t] + 1000 * bytes[t];
}

int main() {
    for (unsigned lanes : {0xFFFFFFFFu, 0x12345678u, 0x7FFFFFFEu, 0xFFFFu, 0x80000001u})
        for (int n = 1; n <= 32; n *= 2) {
            int *words = to_device(std::vector<int>(64));
            long long *doubles = to_device(std::vector<long long>(32));
            ties<<<1, 32>>>(n, lanes, words, doubles);
            FINISH_KERNEL();
            std::vector<int> first(32);
            std::vector<long long> later(32);
            for (int l = 31; l >= 0; l--)
                if (lanes >> l & 1) first[l % n] = 100 + l;
            for (int half = 0; half < 2; half++)
                for (int l = 15; l >= 0; l--)
                    if (lanes >> (16 * half + l) & 1)
                        later[(16 * half + l) % n] = 100 + 16 * half + l;
            std::vector<int> got = to_host(words, 64);
            std::vector<long long> got_doubles = to_host(doubles, 32);
            for (int i = 0; i < 32; i++) {
                same("shared ties", i, got[i], 1001 * first[i]);
                same("global ties", i, got[32 + i], first[i]);
                if (n == 1) same("ties of 8 bytes", i, got_doubles[i], later[i]);
            }
        }
    return finish();
}
