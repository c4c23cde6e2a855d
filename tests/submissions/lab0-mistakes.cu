// Lab 0: the first step is right in another way, the others have one mistake each.
// clang-format off
// BEGIN SOLUTION threads2D
    unsigned int threads = blockDim.x * blockDim.y;
    uint2 at = make_uint2(blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y);
    if (at.x >= cols || at.y >= rows) return;
    number[at.x + at.y * cols] = threads * (blockIdx.x + gridDim.x * blockIdx.y) + threadIdx.x + blockDim.x * threadIdx.y;
// END SOLUTION

// BEGIN SOLUTION threads3D
    // The block is deeper than the box: nobody asks whether there is such a layer.
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int z = blockIdx.z * blockDim.z + threadIdx.z;
    unsigned int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    if (x < cols && y < rows)
        number[(z * rows + y) * cols + x] = block * blockDim.x * blockDim.y * blockDim.z + thread;
// END SOLUTION

// BEGIN SOLUTION lanes
    // As if every warp were full.
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows * cols) number[i] = 100 * (threadIdx.x / warpSize) + warpSize;
// END SOLUTION

// BEGIN SOLUTION picture
    // Right, but neighbouring threads write down a column.
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.y;
    unsigned int y = blockIdx.y * blockDim.y + threadIdx.x;
    if (x < cols && y < rows) number[y * cols + x] = x + 1000 * y;
// END SOLUTION
