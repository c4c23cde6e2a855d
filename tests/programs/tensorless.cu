// A GPU without tensor cores: wmma is refused by name, with kernel and source line.
//
// only simt
// alone simt names what the GPU lacks at the start of every program in the source
// build pascal gpu=gtx1060
// case | 1 | cudaErrorNotSupported | no tensor cores for the instruction .wmma.mma
// case | 1 | cudaErrorNotSupported | at multiply_tiles.*tensorless.cu:[0-9]+
#include "check.h"

#include <mma.h>

__global__ void multiply_tiles(const half *a, float *out) {
    using namespace nvcuda::wmma;
    fragment<matrix_a, 16, 16, 16, half, row_major> x;
    fragment<matrix_b, 16, 16, 16, half, col_major> y;
    fragment<accumulator, 16, 16, 16, float> sum;
    fill_fragment(sum, 0);
    load_matrix_sync(x, a, 16);
    load_matrix_sync(y, a, 16);
    mma_sync(sum, x, y, sum);
    store_matrix_sync(out, sum, 16, mem_row_major);
}

int main() {
    multiply_tiles<<<1, 32>>>((const half *)poisoned<float>(256), poisoned<float>(256));
    FINISH_KERNEL();
    return finish();
}
