// Thrust: vectors, transforms, reductions, scans, sorting with keys, unique, iterators.
#include "check.h"

#include <algorithm>
#include <numeric>

#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

struct square {
    __host__ __device__ float operator()(float x) const { return x * x; }
};

int main() {
    const int n = 20000;
    thrust::host_vector<int> host(n);
    for (int i = 0; i < n; i++) host[i] = (int)(random32() % 5000);
    thrust::device_vector<int> device = host, sorted = host, values(n), sums(n);
    same("reduce", 0, thrust::reduce(device.begin(), device.end(), 0),
         std::accumulate(host.begin(), host.end(), 0));
    thrust::inclusive_scan(device.begin(), device.end(), sums.begin());
    thrust::host_vector<int> got = sums;
    for (int i = 0, sum = 0; i < n; i++) same("inclusive_scan", i, got[i], sum += host[i]);
    thrust::sequence(values.begin(), values.end());
    thrust::sort_by_key(sorted.begin(), sorted.end(), values.begin());
    thrust::host_vector<int> keys = sorted, order = values;
    for (int i = 0; i < n; i++) {
        same("sort_by_key: key", i, keys[i], host[order[i]]);
        if (i)
            same("sort_by_key: order", i,
                 keys[i - 1] < keys[i] || (keys[i - 1] == keys[i] && order[i - 1] < order[i]),
                 true);
    }
    size_t distinct = thrust::unique(sorted.begin(), sorted.end()) - sorted.begin();
    std::vector<int> expected(host.begin(), host.end());
    std::sort(expected.begin(), expected.end());
    same("unique", 0, distinct, std::unique(expected.begin(), expected.end()) - expected.begin());
    thrust::device_vector<float> floats(n, 2.0f);
    float total = thrust::transform_reduce(floats.begin(), floats.end(), square(), 0.0f,
                                           thrust::plus<float>());
    same("transform_reduce", 0, total, 4.0f * n);
    int offset = 3;
    thrust::transform(device.begin(), device.end(), thrust::counting_iterator<int>(0),
                      values.begin(), [=] __device__(int x, int i) { return x + offset * i; });
    got = values;
    for (int i = 0; i < n; i++) same("transform", i, got[i], host[i] + 3 * i);
    device[5] = 77; // an element through its reference
    same("element", 5, (int)device[5], 77);
    auto wrapped = thrust::device_pointer_cast(
        thrust::raw_pointer_cast(device.data())); // as for memory of cudaMalloc
    thrust::fill(wrapped, wrapped + 10, 9);
    same("fill", 9, (int)device[9], 9);
    return finish();
}
