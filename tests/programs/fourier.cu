// Fourier transforms: radix 2 in shared memory with sincospif, forward and back, in float2 and
// thrust::complex<double>; a slow DFT beside.
#include "check.h"

#include <complex>
#include <cuComplex.h>
#include <thrust/complex.h>

enum { N = 512 };

__global__ void fft(const float2 *in, float2 *out, float direction) {
    __shared__ float2 s[N];
    int t = threadIdx.x;
    for (int i = t; i < N; i += blockDim.x) s[__brev(i) >> 23] = in[i]; // 9 bits
    __syncthreads();
    for (int half = 1; half < N; half *= 2) {
        int k = t % half, low = t / half * 2 * half + k, high = low + half;
        float sine, cosine;
        sincospif(direction * k / half, &sine, &cosine);
        float2 a = s[low], b = s[high];
        float2 turned = make_float2(b.x * cosine - b.y * sine, b.x * sine + b.y * cosine);
        s[low] = make_float2(a.x + turned.x, a.y + turned.y);
        s[high] = make_float2(a.x - turned.x, a.y - turned.y);
        __syncthreads();
    }
    for (int i = t; i < N; i += blockDim.x) out[i] = s[i];
}
__global__ void dft(const float2 *in, thrust::complex<double> *out) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    thrust::complex<double> sum = 0;
    for (int i = 0; i < N; i++)
        sum += thrust::complex<double>(in[i].x, in[i].y) *
               thrust::polar(1.0, -2 * M_PI * (i * k % N) / N);
    out[k] = sum;
}
__global__ void complex_functions(const double *in, cuDoubleComplex *out) {
    int i = threadIdx.x;
    cuDoubleComplex z = make_cuDoubleComplex(in[i], -in[(i + 1) % 32]),
                    w = make_cuDoubleComplex(1, 2);
    out[4 * i] = cuCmul(z, w);
    out[4 * i + 1] = cuCdiv(z, w);
    out[4 * i + 2] = make_cuDoubleComplex(cuCabs(z), cuCreal(cuConj(w)));
    thrust::complex<double> e = thrust::exp(thrust::complex<double>(z.x, z.y)) +
                                thrust::sqrt(thrust::complex<double>(z.x, z.y));
    out[4 * i + 3] = make_cuDoubleComplex(e.real(), e.imag());
}

int main() {
    std::vector<float2> in(N);
    for (float2 &z : in) z = make_float2((float)random_in(-1, 1), (float)random_in(-1, 1));
    float2 *x = to_device(in), *spectrum = poisoned<float2>(N), *back = poisoned<float2>(N);
    thrust::complex<double> *slow;
    CHECK(cudaMalloc(&slow, N * sizeof *slow));
    fft<<<1, N / 2>>>(x, spectrum, -1);
    fft<<<1, N / 2>>>(spectrum, back, 1);
    dft<<<N / 64, 64>>>(x, slow);
    FINISH_KERNEL();
    std::vector<float2> got = to_host(spectrum, N), again = to_host(back, N);
    std::vector<double> exact(2 * N);
    CHECK(cudaMemcpy(exact.data(), slow, 2 * N * sizeof(double), cudaMemcpyDeviceToHost));
    for (int k = 0; k < N; k++) {
        std::complex<double> want = 0;
        for (int i = 0; i < N; i++)
            want += std::complex<double>(in[i].x, in[i].y) *
                    std::polar(1.0, -2 * M_PI * (i * k % N) / N);
        close_to("dft, real", k, exact[2 * k], want.real(), 1e-10);
        close_to("dft, imaginary", k, exact[2 * k + 1], want.imag(), 1e-10);
        close_to("fft, real", k, got[k].x, want.real(), 1e-4);
        close_to("fft, imaginary", k, got[k].y, want.imag(), 1e-4);
        close_to("back, real", k, again[k].x / N, in[k].x, 1e-5);
        close_to("back, imaginary", k, again[k].y / N, in[k].y, 1e-5);
    }
    std::vector<double> numbers(32);
    for (double &v : numbers) v = random_in(-2, 2);
    cuDoubleComplex *values = poisoned<cuDoubleComplex>(128);
    complex_functions<<<1, 32>>>(to_device(numbers), values);
    FINISH_KERNEL();
    std::vector<cuDoubleComplex> got_values = to_host(values, 128);
    for (int i = 0; i < 32; i++) {
        std::complex<double> z(numbers[i], -numbers[(i + 1) % 32]), w(1, 2);
        const std::complex<double> want[4] = {
            z * w, z / w, {std::abs(z), 1}, std::exp(z) + std::sqrt(z)};
        for (int k = 0; k < 4; k++) {
            close_to("complex, real", 4 * i + k, got_values[4 * i + k].x, want[k].real(),
                     1e-14 * (1 + std::abs(want[k])));
            close_to("complex, imaginary", 4 * i + k, got_values[4 * i + k].y, want[k].imag(),
                     1e-14 * (1 + std::abs(want[k])));
        }
    }
    CHECK(cudaFree(slow));
    return finish();
}
