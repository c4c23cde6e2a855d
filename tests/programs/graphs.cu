// Graphs and tables: breadth-first search by levels, Bellman-Ford, Floyd-Warshall, connected
// components, knapsack, edit distance.
// unchecked a level of the search reads what others write: what is read is as good old as new, but a race it is
#include "check.h"

#include <queue>

enum {
    NODES = 500,
    DEGREE = 4,
    EDGES = NODES * DEGREE,
    FAR = 1 << 29,
    CAPACITY = 700,
    ITEMS = 30,
    LENGTH = 90
};

__global__ void bfs_level(const int *targets, int *levels, int level, int *changed) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (node >= NODES || levels[node] != level) return;
    for (int e = node * DEGREE; e < (node + 1) * DEGREE; e++)
        if (levels[targets[e]] < 0) {
            levels[targets[e]] = level + 1; // all who write here write the same
            *changed = 1;
        }
}
__global__ void relax(const int *targets, const int *weights, int *distances, int *changed) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= EDGES || distances[e / DEGREE] >= FAR) return;
    int through = distances[e / DEGREE] + weights[e];
    if (atomicMin(&distances[targets[e]], through) > through) *changed = 1;
}
__global__ void floyd_step(int *d, int n, int k) {
    int i = blockIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n) d[i * n + j] = min(d[i * n + j], d[i * n + k] + d[k * n + j]);
}
__global__ void spread_labels(const int *targets, int *labels, int *changed) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= EDGES) return;
    int a = labels[e / DEGREE], b = labels[targets[e]];
    if (a != b) {
        atomicMin(&labels[e / DEGREE], min(a, b));
        atomicMin(&labels[targets[e]], min(a, b));
        *changed = 1;
    }
}
__global__ void knapsack_row(const int *before, int *after, int weight, int value) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c <= CAPACITY)
        after[c] = c >= weight ? max(before[c], before[c - weight] + value) : before[c];
}
// One block, by anti-diagonals.
__global__ void edit_distance(const char *a, const char *b, int *table) {
    int width = LENGTH + 1;
    for (int diagonal = 0; diagonal <= 2 * LENGTH; diagonal++) {
        for (int i = threadIdx.x; i <= LENGTH; i += blockDim.x) {
            int j = diagonal - i;
            if (j < 0 || j > LENGTH) continue;
            int best = i == 0   ? j
                       : j == 0 ? i
                                : min(min(table[(i - 1) * width + j], table[i * width + j - 1]) + 1,
                                      table[(i - 1) * width + j - 1] + (a[i - 1] != b[j - 1]));
            table[i * width + j] = best;
        }
        __syncthreads();
    }
}

static std::vector<int> targets(EDGES), weights(EDGES);

// Launch until nothing changes.
template <class F> static int until_stable(F launch) {
    int *changed = poisoned<int>(1), rounds = 0;
    do {
        CHECK(cudaMemset(changed, 0, sizeof(int)));
        launch(changed, rounds++);
        FINISH_KERNEL();
    } while (to_host(changed, 1)[0] && rounds < 1000);
    return rounds;
}

static void test_search() {
    std::vector<int> levels(NODES, -1), distances(NODES, FAR);
    levels[0] = distances[0] = 0;
    int *t = to_device(targets), *w = to_device(weights), *l = to_device(levels),
        *d = to_device(distances);
    until_stable([&](int *changed, int level) {
        bfs_level<<<(NODES + 127) / 128, 128>>>(t, l, level, changed);
    });
    until_stable([&](int *changed, int) { relax<<<(EDGES + 127) / 128, 128>>>(t, w, d, changed); });
    std::queue<int> open({0});
    for (; !open.empty(); open.pop())
        for (int e = open.front() * DEGREE; e < (open.front() + 1) * DEGREE; e++)
            if (levels[targets[e]] < 0)
                levels[targets[e]] = levels[open.front()] + 1, open.push(targets[e]);
    for (int round = 0; round < NODES; round++)
        for (int e = 0; e < EDGES; e++)
            distances[targets[e]] = std::min(
                distances[targets[e]], std::min((int)FAR, distances[e / DEGREE] + weights[e]));
    std::vector<int> got_levels = to_host(l, NODES), got_distances = to_host(d, NODES);
    for (int i = 0; i < NODES; i++) {
        same("level", i, got_levels[i], levels[i]);
        same("distance", i, got_distances[i], distances[i]);
    }
}
static void test_all_pairs() {
    const int n = 60;
    std::vector<int> d(n * n, FAR);
    for (int e = 0; e < n * DEGREE; e++) d[e / DEGREE * n + targets[e] % n] = weights[e];
    for (int i = 0; i < n; i++) d[i * n + i] = 0;
    int *device = to_device(d);
    for (int k = 0; k < n; k++) floyd_step<<<dim3(1, n), 64>>>(device, n, k);
    FINISH_KERNEL();
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n * n; i++) d[i] = std::min(d[i], d[i / n * n + k] + d[k * n + i % n]);
    std::vector<int> got = to_host(device, n * n);
    for (int i = 0; i < n * n; i++) same("floyd", i, got[i], d[i]);
}
static void test_components() {
    std::vector<int> links(EDGES), labels(NODES);
    // To a node of the same class modulo 7, below NODES - NODES % 7.
    for (int e = 0; e < EDGES; e++) {
        int node = e / DEGREE;
        links[e] = node < NODES - NODES % 7
                       ? (node + 7 * (1 + targets[e] % 3)) % (NODES - NODES % 7)
                       : node;
    }
    for (int i = 0; i < NODES; i++) labels[i] = i;
    int *l = to_device(labels), *t = to_device(links);
    until_stable(
        [&](int *changed, int) { spread_labels<<<(EDGES + 127) / 128, 128>>>(t, l, changed); });
    std::vector<int> got = to_host(l, NODES);
    for (bool again = true; again;) {
        again = false;
        for (int e = 0; e < EDGES; e++) {
            int low = std::min(labels[e / DEGREE], labels[links[e]]);
            again = again || labels[e / DEGREE] != low || labels[links[e]] != low;
            labels[e / DEGREE] = labels[links[e]] = low;
        }
    }
    for (int i = 0; i < NODES; i++) same("component", i, got[i], labels[i]);
}
static void test_tables() {
    std::vector<int> best(CAPACITY + 1), next(CAPACITY + 1);
    int *a = to_device(best), *b = poisoned<int>(CAPACITY + 1);
    for (int i = 0; i < ITEMS; i++, std::swap(a, b), std::swap(best, next)) {
        int weight = 1 + (int)(random32() % 90), value = (int)(random32() % 1000);
        knapsack_row<<<(CAPACITY + 128) / 128, 128>>>(a, b, weight, value);
        for (int c = 0; c <= CAPACITY; c++)
            next[c] = c >= weight ? std::max(best[c], best[c - weight] + value) : best[c];
    }
    FINISH_KERNEL();
    std::vector<int> got = to_host(a, CAPACITY + 1);
    for (int c = 0; c <= CAPACITY; c++) same("knapsack", c, got[c], best[c]);
    std::vector<char> s(LENGTH), t(LENGTH);
    for (int i = 0; i < LENGTH; i++)
        s[i] = "acgt"[random32() % 4], t[i] = random32() % 3 ? s[i] : 'a';
    int *table = poisoned<int>((LENGTH + 1) * (LENGTH + 1));
    edit_distance<<<1, 64>>>(to_device(s), to_device(t), table);
    FINISH_KERNEL();
    std::vector<int> got_table = to_host(table, (LENGTH + 1) * (LENGTH + 1)),
                     want((LENGTH + 1) * (LENGTH + 1));
    for (int k = 0; k < (LENGTH + 1) * (LENGTH + 1); k++) {
        int i = k / (LENGTH + 1), j = k % (LENGTH + 1), width = LENGTH + 1;
        want[k] = i == 0   ? j
                  : j == 0 ? i
                           : std::min(std::min(want[k - width], want[k - 1]) + 1,
                                      want[k - width - 1] + (s[i - 1] != t[j - 1]));
        same("edit distance", k, got_table[k], want[k]);
    }
}

int main() {
    for (int e = 0; e < EDGES; e++)
        targets[e] = (int)(random32() % NODES), weights[e] = 1 + (int)(random32() % 100);
    test_search();
    test_all_pairs();
    test_components();
    test_tables();
    return finish();
}
