// build one
// build two devices=2
// Device variables: initialisers of all kinds, pointers to one another, strings, structures,
// persistence between launches. Each device has its own; managed ones are the same on all.
#include "check.h"

struct Node {
    int value;
    Node *next;
    double weight;
};
__device__ int counter = 41;
__device__ unsigned char bytes[5] = {250, 251, 252};
__device__ double doubles[2][3] = {{1, 2}, {3, 4, 5}};
__device__ Node third = {3, nullptr, 0.3}, second = {2, &third, 0.2}, first = {1, &second, 0.1};
__device__ int numbers[8] = {0, 10, 20, 30, 40, 50, 60, 70};
__device__ int *middle = numbers + 4;
__device__ const char *names[3] = {"alpha", "beta", "a longer name"};
__device__ float zeroes[1000];
__device__ int *dynamic;
__device__ long long big = -0x123456789ABCDEFll;
__device__ bool flag = true;
template <class T> __device__ T shared_by_type = T(7);
__device__ static volatile int noisy = 6;
__managed__ int managed_counter = 100;
__managed__ float managed_values[4] = {1, 2, 3};

__global__ void use(double *out) {
    double sum = 0;
    for (Node *node = &first; node; node = node->next) sum = sum * 10 + node->value + node->weight;
    out[0] = sum;
    out[1] = counter++ + bytes[0] + bytes[4];
    out[2] = doubles[1][2] * 100 + doubles[0][2] + doubles[1][0];
    out[3] = middle[-2] + middle[3];
    unsigned letters = 0;
    for (int i = 0; i < 3; i++)
        for (const char *c = names[i]; *c; c++) letters = letters * 7 + *c;
    out[4] = letters;
    out[5] = zeroes[999] + (flag ? 1 : 0);
    out[6] = (double)big;
    out[7] = shared_by_type<int> + shared_by_type<double> / 2 + noisy;
    out[8] = dynamic[3];
    const float local_table[4] = {1.5f, 2.5f, 3.5f, 4.5f};
    out[9] = local_table[(int)out[5]] + managed_values[2];
    managed_counter += 11;
    static int calls = 1000; // one for all threads
    out[10] = atomicAdd(&calls, 1);
}

static void check_device(int device) {
    int managed_before = managed_counter;
    managed_values[2] = 3;
    CHECK(cudaSetDevice(device));
    double *out = poisoned<double>(11);
    std::vector<int> data = {1, 2, 3, 4};
    int *pointer = to_device(data);
    CHECK(cudaMemcpyToSymbol(dynamic, &pointer, sizeof pointer));
    for (int launch = 0; launch < 2; launch++) {
        use<<<1, 1>>>(out);
        FINISH_KERNEL();
        unsigned letters = 0;
        for (const char *name : {"alpha", "beta", "a longer name"})
            for (const char *c = name; *c; c++) letters = letters * 7 + *c;
        const double want[11] = {((1.1 * 10 + 2) + 0.2) * 10 + 3.3,
                                 41.0 + launch + 250,
                                 503,
                                 90,
                                 (double)letters,
                                 1,
                                 (double)-0x123456789ABCDEFll,
                                 16.5,
                                 4,
                                 5.5,
                                 1000.0 + launch};
        std::vector<double> got = to_host(out, 11);
        for (int i = 0; i < 11; i++)
            close_to("launch * 11 + result", launch * 11 + i, got[i], want[i],
                     fabs(want[i]) * 1e-14);
    }
    int count;
    void *address;
    CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    same("counter", 0, count, 43);
    CHECK(cudaGetSymbolAddress(&address, numbers));
    CHECK(cudaMemcpy(&count, (int *)address + 5, sizeof count, cudaMemcpyDeviceToHost));
    same("numbers", 5, count, 50);
    same("managed_counter", device, managed_counter, managed_before + 22);
    managed_values[2] = 40;
    use<<<1, 1>>>(out);
    FINISH_KERNEL();
    same("managed_values", device, to_host(out, 11)[9], 42.5);
}

int main() {
    int devices;
    CHECK(cudaGetDeviceCount(&devices));
    same("managed_counter", 0, managed_counter, 100);
    for (int device = 0; device < devices; device++) check_device(device);
    return finish();
}
