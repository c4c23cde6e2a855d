// Pictures: Mandelbrot and Julia sets, separable and tiled convolution with halos, Sobel edges,
// grey levels, box blur by sums.
#include "check.h"

enum { WIDTH = 130, HEIGHT = 70, RADIUS = 3, TILE = 16 };
__constant__ float filter[2 * RADIUS + 1];

// fmaf on both sides, so that neither compiler fuses differently.
__host__ __device__ int escape(float cx, float cy, float x, float y) {
    int n = 0;
    while (n < 200 && fmaf(x, x, y * y) <= 4) {
        float next = fmaf(x, x, fmaf(-y, y, cx));
        y = fmaf(2 * x, y, cy);
        x = next;
        n++;
    }
    return n;
}
__global__ void fractals(int *mandelbrot, int *julia) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= WIDTH || y >= HEIGHT) return;
    float px = fmaf(x, 0.0234375f, -2.25f), py = fmaf(y, 0.03125f, -1.125f);
    mandelbrot[y * WIDTH + x] = escape(px, py, 0, 0);
    julia[y * WIDTH + x] = escape(-0.75f, 0.125f, px, py);
}
__global__ void rows(const float *in, float *out) {
    __shared__ float line[WIDTH + 2 * RADIUS];
    int y = blockIdx.x;
    for (int x = threadIdx.x; x < WIDTH + 2 * RADIUS; x += blockDim.x)
        line[x] = in[y * WIDTH + min(max(x - RADIUS, 0), WIDTH - 1)];
    __syncthreads();
    for (int x = threadIdx.x; x < WIDTH; x += blockDim.x) {
        float sum = 0;
        for (int k = 0; k <= 2 * RADIUS; k++) sum += line[x + k] * filter[k];
        out[y * WIDTH + x] = sum;
    }
}
__global__ void columns(const float *in, float *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x >= WIDTH) return;
    float sum = 0;
#pragma unroll
    for (int k = -RADIUS; k <= RADIUS; k++)
        sum += in[min(max(y + k, 0), HEIGHT - 1) * WIDTH + x] * filter[k + RADIUS];
    out[y * WIDTH + x] = sum;
}
__global__ void sobel(const unsigned char *in, unsigned char *out) {
    __shared__ int tile[TILE + 2][TILE + 2];
    int x0 = blockIdx.x * TILE - 1, y0 = blockIdx.y * TILE - 1;
    for (int i = threadIdx.y * TILE + threadIdx.x; i < (TILE + 2) * (TILE + 2); i += TILE * TILE) {
        int x = x0 + i % (TILE + 2), y = y0 + i / (TILE + 2);
        tile[i / (TILE + 2)][i % (TILE + 2)] =
            x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT ? in[y * WIDTH + x] : 0;
    }
    __syncthreads();
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = x0 + tx, y = y0 + ty;
    int gx = tile[ty - 1][tx + 1] + 2 * tile[ty][tx + 1] + tile[ty + 1][tx + 1] -
             tile[ty - 1][tx - 1] - 2 * tile[ty][tx - 1] - tile[ty + 1][tx - 1];
    int gy = tile[ty + 1][tx - 1] + 2 * tile[ty + 1][tx] + tile[ty + 1][tx + 1] -
             tile[ty - 1][tx - 1] - 2 * tile[ty - 1][tx] - tile[ty - 1][tx + 1];
    if (x < WIDTH && y < HEIGHT)
        out[y * WIDTH + x] = (unsigned char)min((abs(gx) + abs(gy)) / 4, 255);
}
__global__ void grey(const uchar3 *in, unsigned char *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = (unsigned char)((in[i].x * 77 + in[i].y * 150 + in[i].z * 29) >> 8);
}

static void test_fractals() {
    int *mandelbrot = poisoned<int>(WIDTH * HEIGHT), *julia = poisoned<int>(WIDTH * HEIGHT);
    fractals<<<dim3(9, 9), dim3(16, 8)>>>(mandelbrot, julia);
    FINISH_KERNEL();
    std::vector<int> m = to_host(mandelbrot, WIDTH * HEIGHT), j = to_host(julia, WIDTH * HEIGHT);
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        float px = fmaf((float)(i % WIDTH), 0.0234375f, -2.25f),
              py = fmaf((float)(i / WIDTH), 0.03125f, -1.125f);
        same("mandelbrot", i, m[i], escape(px, py, 0, 0));
        same("julia", i, j[i], escape(-0.75f, 0.125f, px, py));
    }
}

static int clamp(int x, int high) {
    return x < 0 ? 0 : x > high ? high : x;
}

static void test_convolution() {
    const float weights[2 * RADIUS + 1] = {1,  6, 15, 20,
                                           15, 6, 1}; // integers below 2^24 throughout: exact
    std::vector<float> in(WIDTH * HEIGHT);
    for (float &x : in) x = (float)(random32() % 256);
    CHECK(cudaMemcpyToSymbol(filter, weights, sizeof weights));
    float *middle = poisoned<float>(in.size()), *out = poisoned<float>(in.size());
    rows<<<HEIGHT, 64>>>(to_device(in), middle);
    columns<<<dim3((WIDTH + 63) / 64, HEIGHT), 64>>>(middle, out);
    FINISH_KERNEL();
    std::vector<float> got = to_host(out, in.size());
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        float want = 0;
        for (int dy = -RADIUS; dy <= RADIUS; dy++)
            for (int dx = -RADIUS; dx <= RADIUS; dx++)
                want += in[clamp(i / WIDTH + dy, HEIGHT - 1) * WIDTH +
                           clamp(i % WIDTH + dx, WIDTH - 1)] *
                        weights[dx + RADIUS] * weights[dy + RADIUS];
        same("convolution", i, got[i], want);
    }
}

static void test_bytes() {
    std::vector<uchar3> colours(WIDTH * HEIGHT);
    for (uchar3 &c : colours)
        c = make_uchar3((unsigned char)random32(), (unsigned char)random32(),
                        (unsigned char)random32());
    unsigned char *levels = poisoned<unsigned char>(WIDTH * HEIGHT),
                  *edges = poisoned<unsigned char>(WIDTH * HEIGHT);
    grey<<<(WIDTH * HEIGHT + 127) / 128, 128>>>(to_device(colours), levels, WIDTH * HEIGHT);
    sobel<<<dim3((WIDTH + TILE - 1) / TILE, (HEIGHT + TILE - 1) / TILE), dim3(TILE, TILE)>>>(levels,
                                                                                             edges);
    FINISH_KERNEL();
    std::vector<unsigned char> l = to_host(levels, WIDTH * HEIGHT),
                               e = to_host(edges, WIDTH * HEIGHT);
    auto at = [&](int x, int y) {
        return x < 0 || x >= WIDTH || y < 0 || y >= HEIGHT ? 0 : (int)l[y * WIDTH + x];
    };
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        int x = i % WIDTH, y = i / WIDTH, gx = 0, gy = 0;
        same("grey", i, l[i], (colours[i].x * 77 + colours[i].y * 150 + colours[i].z * 29) >> 8);
        for (int k = -1; k <= 1; k++) {
            gx += (2 - abs(k)) * (at(x + 1, y + k) - at(x - 1, y + k));
            gy += (2 - abs(k)) * (at(x + k, y + 1) - at(x + k, y - 1));
        }
        int want = (abs(gx) + abs(gy)) / 4;
        same("sobel", i, e[i], want > 255 ? 255 : want);
    }
}

int main() {
    test_fractals();
    test_convolution();
    test_bytes();
    return finish();
}
