// Lab 0: a step that the compiler cannot finish, and that costs the other step nothing.
// clang-format off
// BEGIN SOLUTION threads2D
    unsigned int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    unsigned int block = blockIdx.y * gridDim.x + blockIdx.x, thread = threadIdx.y * blockDim.x + threadIdx.x;
    if (x < cols && y < rows) number[y * cols + x] = block * blockDim.x * blockDim.y + thread;
// END SOLUTION

// BEGIN SOLUTION lanes
    // Keep the compiler busy: 2^30 functions.
    auto twice = [](auto self, auto depth) -> int {
        if constexpr (sizeof(depth) > 1) return 0;
        return self(self, [depth] { return depth; }) + self(self, [depth] { return depth + 1; });
    };
    number[blockIdx.x] = twice(twice, 'x');
// END SOLUTION
