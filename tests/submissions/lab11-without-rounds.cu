// Step 7 once more in step 8.
// clang-format off
// BEGIN SOLUTION sumUnrolled
    float total = 0;
    for (size_t k = 0; (k < n); k++) total += x[k];
    return total;
// END SOLUTION
