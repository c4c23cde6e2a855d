// Copies between all places, with all kinds, right and wrong, as on an H200: a kind is obeyed where
// it calls pageable memory the device's; else the bytes go where the pointers say.
// unchecked simt --check names each wrong kind
#include "check.h"

__device__ int variable;

static const char *const PLACES[] = {"pageable", "pinned", "device", "managed"};
enum { PAGEABLE, NPLACES = 4, NKINDS = 6, WRONG_KIND = 9 };

static cudaMemcpyKind kindOf(int i) {
    return (cudaMemcpyKind)(i == NKINDS - 1 ? WRONG_KIND : i);
}

// Do they call this side the device's?
static bool toDevice(int kind) {
    return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
}
static bool fromDevice(int kind) {
    return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
}

static void *made(int place) {
    static int words[2][1];
    static int n;
    void *memory = words[n++ % 2];
    if (place == 1) CHECK(cudaMallocHost(&memory, 4));
    if (place == 2) CHECK(cudaMalloc(&memory, 4));
    if (place == 3) CHECK(cudaMallocManaged(&memory, 4));
    return memory;
}

static void freed(void *memory, int place) {
    if (place == 1) CHECK(cudaFreeHost(memory));
    if (place > 1) CHECK(cudaFree(memory));
}

// What the call returned, and whether the bytes are there then.
static void expect(const char *what, int to, int from, int kind, cudaError_t got, cudaError_t want,
                   const void *target) {
    char name[100];
    snprintf(name, sizeof name, "%s to %s from %s", what, PLACES[to], PLACES[from]);
    same(name, kind, (int)got, (int)want);
    CHECK(cudaStreamSynchronize(0));
    cudaGetLastError();
    int word = -1;
    CHECK(cudaMemcpy(&word, target, 4, cudaMemcpyDefault));
    same(name, kind, word, want ? 0 : 7);
}

static void copies(int to, int from) {
    void *target = made(to), *source = made(from);
    const int zero = 0, seven = 7;
    CHECK(cudaMemcpy(source, &seven, 4, cudaMemcpyDefault));
    for (int i = 0; i < NKINDS; i++) {
        cudaMemcpyKind kind = kindOf(i);
        bool refused = (to == PAGEABLE && toDevice(kind)) || (from == PAGEABLE && fromDevice(kind));
        cudaError_t want = kind == (int)WRONG_KIND ? cudaErrorInvalidMemcpyDirection
                           : refused               ? cudaErrorInvalidValue
                                                   : cudaSuccess;
        CHECK(cudaMemcpy(target, &zero, 4, cudaMemcpyDefault));
        expect("copy", to, from, kind, cudaMemcpy(target, source, 4, kind), want, target);
        CHECK(cudaMemcpy(target, &zero, 4, cudaMemcpyDefault));
        expect("async copy", to, from, kind, cudaMemcpyAsync(target, source, 4, kind), want,
               target);
    }
    freed(target, to);
    freed(source, from);
}

// A symbol is the device's: the kinds that say otherwise are refused.
static void symbols(int place) {
    void *memory = made(place);
    const int seven = 7;
    for (int i = 0; i < NKINDS; i++) {
        cudaMemcpyKind kind = kindOf(i);
        bool within = kind == cudaMemcpyDeviceToDevice, refused = within && place == PAGEABLE,
             into = within || kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDefault,
             out = within || kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDefault;
        CHECK(cudaMemcpy(memory, &seven, 4, cudaMemcpyDefault));
        same("to symbol", kind, (int)cudaMemcpyToSymbol(variable, memory, 4, 0, kind),
             (int)(!into     ? cudaErrorInvalidMemcpyDirection
                   : refused ? cudaErrorInvalidValue
                             : cudaSuccess));
        same("from symbol", kind, (int)cudaMemcpyFromSymbol(memory, variable, 4, 0, kind),
             (int)(!out      ? cudaErrorInvalidMemcpyDirection
                   : refused ? cudaErrorInvalidValue
                             : cudaSuccess));
        cudaGetLastError();
    }
    freed(memory, place);
}

int main() {
    for (int to = 0; to < NPLACES; to++) {
        for (int from = 0; from < NPLACES; from++) copies(to, from);
        symbols(to);
    }
    return finish();
}
