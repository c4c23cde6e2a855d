// Mistakes of lab 11, one a step; the first step is right.
// clang-format off
// BEGIN SOLUTION sumCols
    for (size_t j = 0; j < cols; j++) {
        for (size_t i = 0; i < rows; i++) sum += matrix[j + i * cols];
    }
// END SOLUTION

// BEGIN SOLUTION multiplyIKJ
    // C is not 0 in the beginning.
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            for (size_t j = 0; j < n; j++) C[i * n + j] += A[i * n + k] * B[k * n + j];
        }
    }
// END SOLUTION

// BEGIN SOLUTION gatherAligned
    TODO("The same sum of the same fields.", "handouts/lab11.md#gatheraligned");
// END SOLUTION

// BEGIN SOLUTION sumUnrolled
    // The numbers that are left over.
    for (size_t i = 0; i + 4 <= n; i += 4) {
        sum += x[i];
        sum += x[i + 1];
        sum += x[i + 2];
        sum += x[i + 3];
    }
// END SOLUTION

// BEGIN SOLUTION sumFourSums
    // n - 3 is huge for fewer than three numbers.
    float sum0 = 0, sum1 = 0, sum2 = 0, sum3 = 0;
    size_t i = 0;
    for (; i < n - 3; i += 4) {
        sum0 += x[i];
        sum1 += x[i + 1];
        sum2 += x[i + 2];
        sum3 += x[i + 3];
    }
    for (; i < n; i++) sum0 += x[i];
    sum = (sum0 + sum1) + (sum2 + sum3);
// END SOLUTION

// BEGIN SOLUTION launchAndWait
    // One word more than there is.
    fillWords<<<fillGrid(n + 1), FILL_BLOCK>>>(d_words, n + 1);
    CHECK(cudaDeviceSynchronize());
// END SOLUTION
