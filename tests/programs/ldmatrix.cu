// ldmatrix, stmatrix and movmatrix: which lane gets which element of which row.
//
// build sm90 arch=90 gpu=h200
#include "check.h"

enum { MATRICES = 4, ROWS = 8, ELEMENTS = 64, STRIDE = 24 /* elements from a row to the next */ };

__device__ unsigned addressOf(const unsigned short *rows, int matrix, int row) {
    return (unsigned)__cvta_generic_to_shared(rows + (matrix * ROWS + row) * STRIDE);
}

/* Each variant leaves its registers in out[variant][register][lane]. Rows are read in reverse, as
 * addresses say. */
__global__ void load(const unsigned short *in, unsigned *out) {
    __shared__ __align__(16) unsigned short rows[MATRICES * ROWS * STRIDE];
    for (int i = threadIdx.x; i < MATRICES * ELEMENTS; i += 32)
        rows[i / 8 * STRIDE + i % 8] = in[i];
    __syncwarp();
    unsigned p = addressOf(rows, threadIdx.x / 8, threadIdx.x % 8), r[14];
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(r[0])
                 : "r"(p)
                 : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(r[1])
                 : "r"(p)
                 : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[2]), "=r"(r[3])
                 : "r"(p)
                 : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(r[4]), "=r"(r[5])
                 : "r"(p)
                 : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[6]), "=r"(r[7]), "=r"(r[8]), "=r"(r[9])
                 : "r"(p)
                 : "memory");
    asm volatile(
        "ldmatrix.sync.aligned.m8n8.x4.trans.b16 {%0, %1, %2, %3}, [%4];" /* a generic address */
        : "=r"(r[10]), "=r"(r[11]), "=r"(r[12]), "=r"(r[13])
        : "l"(rows + (threadIdx.x / 8 * ROWS + threadIdx.x % 8) * STRIDE)
        : "memory");
    for (int i = 0; i < 14; i++) out[i * 32 + threadIdx.x] = r[i];
}

__global__ void store(unsigned short *out, unsigned *moved) {
    __shared__ __align__(16) unsigned short rows[MATRICES * ROWS * STRIDE];
    for (int i = threadIdx.x; i < MATRICES * ROWS * STRIDE; i += 32) rows[i] = 0xEEEE;
    __syncwarp();
    unsigned lane = threadIdx.x, r[MATRICES];
    for (unsigned i = 0; i < MATRICES; i++)
        r[i] = i << 12 | lane << 4 | (i << 12 | lane << 4 | 1) << 16;
    unsigned p = addressOf(rows, lane / 8, lane % 8), q = addressOf(rows + 8, lane / 8, lane % 8);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(p),
                 "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(q),
                 "r"(r[0]), "r"(r[1])
                 : "memory");
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(moved[lane]) : "r"(r[1]));
    __syncwarp();
    for (int i = lane; i < MATRICES * ROWS * STRIDE; i += 32) out[i] = rows[i];
}

static unsigned pairOf(const std::vector<unsigned short> &in, int matrix, int lane,
                       bool transposed) {
    int line = lane / 4, first = 2 * (lane % 4);
    const unsigned short *m = &in[matrix * ELEMENTS];
    if (transposed) return m[first * 8 + line] | (unsigned)m[(first + 1) * 8 + line] << 16;
    return m[line * 8 + first] | (unsigned)m[line * 8 + first + 1] << 16;
}

static void checkLoads() {
    static const struct {
        int first, matrices;
        bool transposed;
    } VARIANTS[] = {{0, 1, false}, {1, 1, true},  {2, 2, false},
                    {4, 2, true},  {6, 4, false}, {10, 4, true}};
    std::vector<unsigned short> in(MATRICES * ELEMENTS);
    for (size_t i = 0; i < in.size(); i++) in[i] = (unsigned short)(i * 40503u + 7);
    unsigned *out = poisoned<unsigned>(14 * 32);
    load<<<1, 32>>>(to_device(in), out);
    FINISH_KERNEL();
    std::vector<unsigned> got = to_host(out, 14 * 32);
    for (const auto &v : VARIANTS)
        for (int i = 0; i < v.matrices * 32; i++)
            same("ldmatrix", v.first * 32 + i, got[v.first * 32 + i],
                 pairOf(in, i / 32, i % 32, v.transposed));
}

/* The lane and its half that hold an element of a matrix. */
static unsigned valueAt(unsigned matrix, int row, int column, bool transposed) {
    int line = transposed ? column : row, along = transposed ? row : column;
    return matrix << 12 | (unsigned)(line * 4 + along / 2) << 4 | (unsigned)(along % 2);
}

static void checkStores() {
    unsigned short *out = poisoned<unsigned short>(MATRICES * ROWS * STRIDE);
    unsigned *moved = poisoned<unsigned>(32);
    store<<<1, 32>>>(out, moved);
    FINISH_KERNEL();
    std::vector<unsigned short> got = to_host(out, MATRICES * ROWS * STRIDE);
    std::vector<unsigned> turned = to_host(moved, 32);
    for (int i = 0; i < MATRICES * ROWS * STRIDE; i++) {
        int matrix = i / STRIDE / ROWS, row = i / STRIDE % ROWS, column = i % STRIDE;
        unsigned want = column < 8                  ? valueAt(matrix, row, column, false)
                        : column < 16 && matrix < 2 ? valueAt(matrix, row, column - 8, true)
                                                    : 0xEEEE;
        same("stmatrix", i, (unsigned)got[i], want);
    }
    for (int lane = 0; lane < 32; lane++) {
        int row = lane / 4, column = 2 * (lane % 4);
        same("movmatrix", lane, turned[lane],
             valueAt(1, row, column, true) | valueAt(1, row, column + 1, true) << 16);
    }
}

int main() {
    checkLoads();
    checkStores();
    return finish();
}
