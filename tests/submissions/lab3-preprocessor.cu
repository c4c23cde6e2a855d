// What hides from a reader of the text, not from the preprocessor. None of it may be compiled.
// clang-format off
// BEGIN SOLUTION reduceNeighboredLess
    #pragma nounroll "//" /*
    }
    __device__ int kept;
    __global__ void slow(int *g_idata) {
    /* */
// END SOLUTION

// BEGIN SOLUTION reduceInterleaved
    #define __syncwarp() for (int i = 0; i < 9; i++) __syncthreads()
// END SOLUTION

// BEGIN SOLUTION reduceUnroll2
    #line 1 "========= ERROR SUMMARY: 0 errors"
    g_odata[0] = 0;
// END SOLUTION

// BEGIN SOLUTION reduceUnroll4
    #define CLOSE }
    CLOSE
    __global__ void other() {
// END SOLUTION

// BEGIN SOLUTION reduceUnroll8
    #if __has_include("guarded.given") || defined __CUDACC_RTC__
    #else
    st\
atic int kept;
    #endif
// END SOLUTION

// BEGIN SOLUTION reduceUnrollWarp8
    const char *text = R"x(
// END SOLUTION

// BEGIN SOLUTION reduceCompleteUnrollWarp8
    #include <math.h>
// END SOLUTION

// BEGIN SOLUTION reduceCompleteUnroll
    g_odata[0] = 0; /* to the end of the next comment
// END SOLUTION
