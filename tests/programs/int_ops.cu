// Integer arithmetic, comparison and shifts of every width, signed and unsigned: the same function
// on both sides.
#include "check.h"

enum {
    ADD,
    SUB,
    MUL,
    DIV,
    REM,
    AND,
    OR,
    XOR,
    NOT,
    NEG,
    SHL,
    SHR,
    LESS,
    LESS_EQUAL,
    EQUAL,
    MIN,
    MAX,
    ABS,
    SELECT,
    OPS
};

// One operation without undefined behaviour; sums and products wrap.
template <class T> __host__ __device__ T apply(int op, T a, T b) {
    using U = typename std::make_unsigned<T>::type;
    int shift = (int)((U)b % (sizeof(T) * 8));
    T divisor = b == 0 || b == (T)-1 ? (T)7 : b;
    switch (op) {
    case ADD: return (T)((unsigned long long)a + (unsigned long long)b);
    case SUB: return (T)((unsigned long long)a - (unsigned long long)b);
    case MUL: return (T)((unsigned long long)a * (unsigned long long)b);
    case DIV: return a / divisor;
    case REM: return a % divisor;
    case AND: return a & b;
    case OR: return a | b;
    case XOR: return a ^ b;
    case NOT: return ~a;
    case NEG: return (T)(0ull - (unsigned long long)a);
    case SHL: return (T)((U)a << shift);
    case SHR: return a >> shift;
    case LESS: return a < b;
    case LESS_EQUAL: return a <= b;
    case EQUAL: return a == b;
    case MIN: return a < b ? a : b;
    case MAX: return a > b ? a : b;
    case ABS: return a < T(1) && a != 0 ? (T)(0 - (U)a) : a;
    default: return (a & 1) ? b : a;
    }
}

template <class T> __global__ void apply_all(const T *a, const T *b, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    for (int op = 0; op < OPS; op++) out[op * n + i] = apply(op, a[i], b[i]);
}

// Operands: random ones of all magnitudes, and the extremes.
template <class T> static std::vector<T> operands(int n) {
    std::vector<T> v(n);
    for (int i = 0; i < n; i++) v[i] = (T)(random64() >> (random32() % 64));
    const T extremes[] = {0, 1, (T)-1, std::numeric_limits<T>::min(),
                          std::numeric_limits<T>::max()};
    for (int i = 0; i < n; i += 3) v[i] = extremes[random32() % 5];
    return v;
}

template <class T> static void test(const char *type) {
    const int n = 1000;
    std::vector<T> a = operands<T>(n), b = operands<T>(n);
    T *out = poisoned<T>(OPS * n);
    apply_all<<<(n + 127) / 128, 128>>>(to_device(a), to_device(b), out, n);
    FINISH_KERNEL();
    std::vector<T> got = to_host(out, OPS * n);
    for (int op = 0; op < OPS; op++)
        for (int i = 0; i < n; i++) same(type, op * n + i, got[op * n + i], apply(op, a[i], b[i]));
}

int main() {
    test<int8_t>("int8");
    test<uint8_t>("uint8");
    test<int16_t>("int16");
    test<uint16_t>("uint16");
    test<int32_t>("int32");
    test<uint32_t>("uint32");
    test<int64_t>("int64");
    test<uint64_t>("uint64");
    return finish();
}
