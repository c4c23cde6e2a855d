// printf from kernels: every conversion, flags, widths and precisions, strings, return values, and
// order within a thread. The program reads its own standard output back and compares it with what
// the host's printf makes of the same arguments.
//
// case lines | 0 | ^ok$
// case stars | 0 | ^ok$
// case threads | 0 | ^ok$
// case silent | 0 | ^ok$
#include "check.h"

#include <string>
#include <unistd.h>

#define LINES(X)                                                                                   \
    X("plain text, a tab\tand 100%%\n")                                                            \
    X("%d %i %u %x %X %o\n", -5, 6, 7u, 0xbeef, 0xBEEF, 8)                                         \
    X("[%5d] [%-5d] [%05d] [%+d] [% d] [%#x] [%.3d]\n", 42, 42, 42, 42, 42, 42, 7)                 \
    X("%ld %lu %lld %llu %llx\n", -1l, 2ul, -3000000000ll, 18446744073709551615ull,                \
      0x123456789abcdefull)                                                                        \
    X("%hd %hu %hx\n", (short)-2, (unsigned short)65535, (short)0x1234)                            \
    X("%f %.2f %10.3f %-10.1f| %+.0f\n", 1.5, 2.345, -3.14159, 2.5, 7.0)                           \
    X("%e %.3E %g %G %g\n", 12345.678, 0.00012, 0.0001, 1e20, 100000.0)                            \
    X("%f %f %f\n", 1.0f / 3, 1e10, -0.0)                                                          \
    X("%c%c%c %5c|\n", 'a', 'b', 'c', 'd')                                                         \
    X("%s and %10s and %-6s|%.3s\n", "string", "right", "left", "truncated")                       \
    X("%a %5.1f%% %s\n", 1.0, 99.5, "end")                                                         \
    X("%d %f %d %s %lld %c %f\n", 1, 2.0, 3, "four", 5ll, '6', 7.0)

__global__ void print_lines(int *returned) {
    int n = 0;
#define PRINT(...) returned[n++] = printf(__VA_ARGS__);
    LINES(PRINT)
}
__global__ void print_stars() {
    printf("[%*d] [%-*d] [%*.1f]\n", 6, 42, 4, 7, 6, 1.5);
}
__global__ void print_never(bool does) {
    if (does) printf("never\n");
}
__global__ void print_threads() {
    printf("thread %d of block %d\n", threadIdx.x, blockIdx.x);
}

// Everything between the two calls that goes to standard output.
static int saved_output;
static FILE *capture;
static void start_capture() {
    fflush(stdout);
    saved_output = dup(1);
    capture = tmpfile();
    dup2(fileno(capture), 1);
}
static std::string end_capture() {
    cudaError_t error = cudaDeviceSynchronize();
    fflush(stdout);
    dup2(saved_output, 1);
    close(saved_output);
    CHECK(error);
    std::string text(1 << 16, 0);
    rewind(capture);
    text.resize(fread(&text[0], 1, text.size(), capture));
    fclose(capture);
    return text;
}

// The two texts, or the place where they part.
static void same_text(const std::string &got, const std::string &want) {
    size_t at = 0;
    while (at < got.size() && at < want.size() && got[at] == want[at]) at++;
    if (got == want) return;
    printf("differs at %zu: got \"%.40s\", want \"%.40s\"\n", at, got.c_str() + at,
           want.c_str() + at);
    differences++;
}

static void test_lines() {
    int *returned = poisoned<int>(32);
    start_capture();
    print_lines<<<1, 1>>>(returned);
    std::string got = end_capture(), want;
    char line[256];
    int lines = 0;
    const int arguments[] = {0, 6, 7, 5, 3, 5, 5, 3, 4, 4, 3, 7}; // printf returns their number
#define EXPECT(...)                                                                                \
    snprintf(line, sizeof line, __VA_ARGS__);                                                      \
    want += line;                                                                                  \
    lines++;
    LINES(EXPECT)
    same_text(got, want);
    std::vector<int> results = to_host(returned, lines);
    for (int i = 0; i < lines; i++) same("returned", i, results[i], arguments[i]);
}

static void test_stars() {
    start_capture();
    print_stars<<<1, 1>>>();
    same_text(end_capture(), "[    42] [7   ] [   1.5]\n");
}

// Warps come in any order, the threads of one warp in theirs. A block here is a whole warp and a
// part of one.
static void test_threads() {
    start_capture();
    print_threads<<<3, 40>>>();
    std::string got = end_capture();
    const int perBlock = 2, lanes = 32;
    std::vector<int> next(3 * perBlock); // of each warp: the lane to come
    int thread, block, used, total = 0;
    for (const char *p = got.c_str();
         sscanf(p, "thread %d of block %d\n%n", &thread, &block, &used) == 2; p += used) {
        total++;
        if (block < 0 || block >= 3 || thread < 0 || thread >= 40) continue;
        int lane = next[block * perBlock + thread / lanes]++;
        same("threads of a warp in order", block * 40 + thread, thread % lanes, lane);
    }
    same("lines", 0, total, 120);
}

int main(int, char **arguments) {
    if (!strcmp(arguments[1], "lines")) test_lines();
    if (!strcmp(arguments[1], "stars")) test_stars();
    if (!strcmp(arguments[1], "threads")) test_threads();
    if (!strcmp(arguments[1], "silent")) {
        CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 4 << 20));
        print_never<<<1, 1>>>(false);
        CHECK(cudaDeviceSynchronize());
    }
    same("limit after printf", 0, (int)cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 8 << 20),
         (int)cudaErrorInvalidValue);
    if (!strcmp(arguments[1], "lines")) return finish();
    CHECK(cudaDeviceReset());
    CHECK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 8 << 20));
    return finish();
}
