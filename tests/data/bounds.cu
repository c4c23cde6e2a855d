// Kernels whose registers are bounded in three ways, and one whose are not.
enum { MOST = 40 };
template <int N> __global__ __maxnreg__(N) void capped(float *x) {
    *x = N;
}
__global__ __launch_bounds__(256, 4) void bounded(float *x) {
    *x = 1;
}
__global__ void plain(float *x) {
    *x = 1;
}
int main() {
    capped<MOST><<<1, 1>>>(nullptr);
    capped<50><<<1, 1>>>(nullptr);
}
