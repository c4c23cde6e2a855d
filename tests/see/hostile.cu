// </script><script>window.hit = 1</script> <img src=x onerror=alert(1)> <!-- ]]> &amp;
// A source that would like to run in the page that shows it.
#include <cstdio>

__global__ void
mark(int *to) {          /* </script><script>window.hit = 1</script> <img src=x onerror=alert(1)> */
    to[threadIdx.x] = 1; // "</script>" <!-- `${window.hit = 1}`
}

int main() {
    int *to;
    cudaMalloc(&to, 32 * sizeof *to);
    mark<<<1, 32>>>(to);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
