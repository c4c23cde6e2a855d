// Switches: dense ones (branch tables), sparse ones, fall through, default in the middle, nested, a
// small virtual machine.
#include "check.h"

enum { N = 2000 };

__host__ __device__ int dense(int op, int x) {
    switch (op) {
    case 0: return x + 1;
    case 1: return x * 3;
    case 2: return x ^ 0x55;
    case 3: x -= 7; // falls through
    case 4: return x << 2;
    case 5: return x / 3;
    default: return -1;
    case 6: return x % 11;
    case 7: return ~x;
    case 8: return x & 0xF0F;
    case 9: return x | 0x11;
    case 10: return x >> 1;
    case 11:
        switch (x & 3) {
        case 0: return 100;
        case 1: return 200;
        case 2: return 300;
        default: return 400;
        }
    }
}
__host__ __device__ long sparse(long key) {
    switch (key) {
    case -5: return 1;
    case 17: return 2;
    case 1000: return 3;
    case 1000000: return 4;
    case 0x123456789l: return 5;
    default: return 0;
    }
}
// A stack machine: push (two bytes), add, mul, swap, jump back while the top is below 1000, halt.
enum { PUSH, PLUS, TIMES, SWAP, LOOP, HALT };
__host__ __device__ int interpret(const unsigned char *code, int seed) {
    int stack[8], top = 0, pc = 0;
    stack[top++] = seed;
    for (int fuel = 500; fuel > 0; fuel--) {
        switch (code[pc++]) {
        case PUSH: stack[top++] = code[pc++]; break;
        case PLUS: top--, stack[top - 1] += stack[top]; break;
        case TIMES: top--, stack[top - 1] *= stack[top]; break;
        case SWAP: {
            int t = stack[top - 1];
            stack[top - 1] = stack[top - 2];
            stack[top - 2] = t;
            break;
        }
        case LOOP: pc = stack[top - 1] < 1000 ? code[pc] : pc + 1; break;
        case HALT: return stack[top - 1];
        }
    }
    return -2;
}

__global__ void run(const int *ops, const unsigned char *code, int *a, long *b, int *c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= N) return;
    a[i] = dense(ops[i], i);
    const long keys[8] = {-5, 17, 1000, 1000000, 0x123456789l, 0, 18, 0x23456789l};
    b[i] = sparse(keys[i & 7]);
    c[i] = interpret(code, i % 50);
}

int main() {
    std::vector<int> ops(N);
    for (int &op : ops) op = (int)(random32() % 15) - 1;
    std::vector<unsigned char> code = {PUSH, 3,    PLUS, PUSH, 2, TIMES, PUSH,
                                       1,    SWAP, PLUS, LOOP, 0, HALT};
    int *a = poisoned<int>(N), *c = poisoned<int>(N);
    long *b = poisoned<long>(N);
    run<<<(N + 127) / 128, 128>>>(to_device(ops), to_device(code), a, b, c);
    FINISH_KERNEL();
    std::vector<int> got_a = to_host(a, N), got_c = to_host(c, N);
    std::vector<long> got_b = to_host(b, N);
    const long keys[8] = {-5, 17, 1000, 1000000, 0x123456789l, 0, 18, 0x23456789l};
    for (int i = 0; i < N; i++) {
        same("dense", i, got_a[i], dense(ops[i], i));
        same("sparse", i, got_b[i], sparse(keys[i & 7]));
        same("interpret", i, got_c[i], interpret(code.data(), i % 50));
    }
    return finish();
}
