// Lab 11: multiplyIKJ is right in another way; the others have right results, but not as the step
// asks for.
// clang-format off
// BEGIN SOLUTION sumCols
    // Along the rows.
    for (size_t i = 0; i < rows * cols; i++) sum += matrix[i];
// END SOLUTION

// BEGIN SOLUTION multiplyIKJ
    for (size_t i = 0; i < n; i++) {
        double *row = C + i * n;
        for (size_t j = 0; j < n; j++) row[j] = 0;
        for (const double *a = A + i * n, *b = B; a < A + (i + 1) * n; a++, b += n) {
            for (size_t j = 0; j < n; j++) row[j] += *a * b[j];
        }
    }
// END SOLUTION

// BEGIN SOLUTION sumUnrolled
    // Four sums.
    float sums[4] = {0, 0, 0, 0};
    for (size_t i = 0; i < n; i++) sums[i % 4] += x[i];
    for (int k = 0; k < 4; k++) sum += sums[k];
// END SOLUTION

// BEGIN SOLUTION sumFourSums
    // One sum.
    for (size_t i = 0; i < n; i++) sum += x[i];
// END SOLUTION

// BEGIN SOLUTION launchAndWait
    // Nobody waits.
    fillWords<<<fillGrid(n), FILL_BLOCK>>>(d_words, n);
// END SOLUTION
