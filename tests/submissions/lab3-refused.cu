// Text that reaches outside of its region, or lets another do the work. None of it is compiled.
// clang-format off
// BEGIN SOLUTION reduceNeighboredLess
#include "../../solutions/lab3-reduction/reduction.cu"
// END SOLUTION

// BEGIN SOLUTION reduceInterleaved
}
int main() { return 0; }
__global__ void reduceInterleaved2(int *g_idata, int *g_odata, unsigned int n) {
// END SOLUTION

// BEGIN SOLUTION reduceUnroll2
    static int kept;
// END SOLUTION

// BEGIN SOLUTION reduceUnroll4
    asm volatile("trap;");
// END SOLUTION

// BEGIN SOLUTION reduceUnroll8
    system("rm -rf ~");
// END SOLUTION

// BEGIN SOLUTION reduceUnrollWarp8
    reduceNeighbored(g_idata, g_odata, n);
// END SOLUTION

// BEGIN SOLUTION reduceCompleteUnrollWarp8
    // The next line is not what it seems. \
    #include "/etc/passwd"
// END SOLUTION

// BEGIN SOLUTION reduceCompleteUnroll
    __END_DECLS
    thrust::reduce(g_idata, g_idata + n);
// END SOLUTION
