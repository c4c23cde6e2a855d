// Simulations: gravity among bodies in tiles, a 3D stencil with a sliding window, the game of life,
// heat by Jacobi with a residual.
#include "check.h"

enum { BODIES = 256, TILE = 64, NX = 34, NY = 18, NZ = 12, SIDE = 96 };

__device__ float3 pull(float4 a, float4 b, float3 sum) {
    float dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z, d2 = dx * dx + dy * dy + dz * dz + 0.01f,
          inverse = rsqrtf(d2);
    float s = b.w * inverse * inverse * inverse;
    return make_float3(sum.x + dx * s, sum.y + dy * s, sum.z + dz * s);
}
__global__ void gravity(const float4 *bodies, float3 *out) {
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 mine = bodies[i];
    float3 sum = make_float3(0, 0, 0);
    for (int first = 0; first < BODIES; first += TILE) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < TILE; k++) sum = pull(mine, tile[k], sum);
        __syncthreads();
    }
    out[i] = sum;
}
// Seven-point stencil: a column of threads walks along z with three planes in registers.
__global__ void stencil(const float *in, float *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x + 1,
        y = blockIdx.y * blockDim.y + threadIdx.y + 1, plane = NX * NY;
    if (x >= NX - 1 || y >= NY - 1) return;
    const float *p = in + y * NX + x;
    float below = p[0], here = p[plane];
    for (int z = 1; z < NZ - 1; z++) {
        float above = p[(z + 1) * plane];
        const float *q = p + z * plane;
        out[z * plane + y * NX + x] = q[-1] + q[1] + q[-NX] + q[NX] + below + above - 6 * here;
        below = here, here = above;
    }
}
__global__ void life(const unsigned char *in, unsigned char *out) { // on a torus
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y,
        alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy) alive += in[(y + dy + SIDE) % SIDE * SIDE + (x + dx + SIDE) % SIDE];
    out[y * SIDE + x] = alive == 3 || (alive == 2 && in[y * SIDE + x]);
}
__global__ void jacobi(const double *in, double *out, double *residual, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    double next =
        0.25 * (in[y * n + x - 1] + in[y * n + x + 1] + in[(y - 1) * n + x] + in[(y + 1) * n + x]);
    out[y * n + x] = next;
    atomicMax((unsigned long long *)residual, __double_as_longlong(fabs(next - in[y * n + x])));
}

static void test_gravity() {
    std::vector<float4> bodies(BODIES);
    for (float4 &b : bodies)
        b = make_float4((float)random_in(-1, 1), (float)random_in(-1, 1), (float)random_in(-1, 1),
                        (float)random_in(0, 1));
    float3 *out = poisoned<float3>(BODIES);
    gravity<<<BODIES / TILE, TILE>>>(to_device(bodies), out);
    FINISH_KERNEL();
    std::vector<float3> got = to_host(out, BODIES);
    for (int i = 0; i < BODIES; i++) {
        double sum[3] = {0, 0, 0}, size = 0;
        for (const float4 &b : bodies) {
            double dx = b.x - bodies[i].x, dy = b.y - bodies[i].y, dz = b.z - bodies[i].z,
                   s = b.w / pow(dx * dx + dy * dy + dz * dz + 0.01, 1.5);
            sum[0] += dx * s, sum[1] += dy * s, sum[2] += dz * s, size += s;
        }
        close_to("gravity x", i, got[i].x, sum[0], size * 1e-5);
        close_to("gravity y", i, got[i].y, sum[1], size * 1e-5);
        close_to("gravity z", i, got[i].z, sum[2], size * 1e-5);
    }
}
static void test_stencil() {
    std::vector<float> in(NX * NY * NZ);
    for (float &x : in) x = (float)(random32() % 1000);
    float *out = to_device(in);
    stencil<<<dim3(2, 4), dim3(16, 4)>>>(to_device(in), out);
    FINISH_KERNEL();
    std::vector<float> got = to_host(out, in.size());
    for (int i = 0; i < NX * NY * NZ; i++) {
        int x = i % NX, y = i / NX % NY, z = i / NX / NY;
        bool inside = x > 0 && x < NX - 1 && y > 0 && y < NY - 1 && z > 0 && z < NZ - 1;
        float want = inside ? in[i - 1] + in[i + 1] + in[i - NX] + in[i + NX] + in[i - NX * NY] +
                                  in[i + NX * NY] - 6 * in[i]
                            : in[i];
        same("stencil", i, got[i], want);
    }
}
static void test_life() {
    std::vector<unsigned char> cells(SIDE * SIDE), next(SIDE * SIDE);
    for (unsigned char &c : cells) c = random32() % 3 == 0;
    unsigned char *a = to_device(cells), *b = poisoned<unsigned char>(SIDE * SIDE);
    for (int step = 0; step < 10; step++, std::swap(a, b), std::swap(cells, next)) {
        life<<<dim3(SIDE / 32, SIDE / 8), dim3(32, 8)>>>(a, b);
        for (int i = 0; i < SIDE * SIDE; i++) {
            int alive = -cells[i];
            for (int k = 0; k < 9; k++)
                alive += cells[(i / SIDE + k / 3 + SIDE - 1) % SIDE * SIDE +
                               (i % SIDE + k % 3 + SIDE - 1) % SIDE];
            next[i] = alive == 3 || (alive == 2 && cells[i]);
        }
    }
    FINISH_KERNEL();
    std::vector<unsigned char> got = to_host(a, SIDE * SIDE);
    for (int i = 0; i < SIDE * SIDE; i++) same("life", i, got[i], cells[i]);
}
static void test_jacobi() {
    const int n = 20;
    std::vector<double> grid(n * n);
    for (int i = 0; i < n * n; i++)
        grid[i] = i / n == 0 || i / n == n - 1 || i % n == 0 || i % n == n - 1
                      ? i % n + 2.0 * (i / n)
                      : 0; // solution: x + 2y
    double *a = to_device(grid), *b = to_device(grid), *residual = poisoned<double>(1), worst = 1;
    int steps = 0;
    for (; steps < 2000 && worst > 1e-9; steps++, std::swap(a, b)) {
        CHECK(cudaMemset(residual, 0, sizeof(double)));
        jacobi<<<dim3(2, 2), dim3(16, 16)>>>(a, b, residual, n);
        worst = to_host(residual, 1)[0];
    }
    same("converged", steps, worst <= 1e-9, true);
    grid = to_host(a, n * n);
    for (int i = 0; i < n * n; i++) close_to("jacobi", i, grid[i], i % n + 2.0 * (i / n), 1e-6);
}

int main() {
    test_gravity();
    test_stencil();
    test_life();
    test_jacobi();
    return finish();
}
