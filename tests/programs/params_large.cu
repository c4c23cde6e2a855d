// Kernel parameters beyond 4 KB, up to nearly the 32764 bytes that CUDA 12.1 and later allow.
#include "check.h"

struct Table {
    int cells[8187];
};

__global__ void large(const __grid_constant__ Table table, int *out) {
    for (int i = threadIdx.x; i < 8187; i += blockDim.x) out[i] = table.cells[8186 - i];
}

int main() {
    static Table table;
    for (int i = 0; i < 8187; i++) table.cells[i] = (int)random32();
    int *out = poisoned<int>(8187);
    large<<<1, 256>>>(table, out);
    FINISH_KERNEL();
    std::vector<int> got = to_host(out, 8187);
    for (int i = 0; i < 8187; i++) same("large", i, got[i], table.cells[8186 - i]);
    return finish();
}
