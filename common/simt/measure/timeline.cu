/*
 * timeline.cu: how long copies, fills and calls of the runtime API take, and what overlaps what. It
 * prints a table:
 *
 *   experiment  what was timed
 *   variant     the memory and direction of a copy, the order of the calls, the name of an API
 *               function
 *   bytes       of the copy or the allocation; in all, where there are several
 *   streams     how many
 *   us          median time in microseconds: between two events, or of the host for `call` and
 *               `blocked`
 *   spread      distance of the quartiles, in microseconds
 *
 * The same program runs on a GPU and on simt. There the rows of the host are left out: simt does
 * not slow the host down.
 */
#include "timeline.h"

#include <cstring>

enum { MOST_STREAMS = 64 };

static const size_t SIZES[] = {KIB,     4 * KIB, 16 * KIB, 64 * KIB, 128 * KIB, 256 * KIB,
                               1 * MIB, 4 * MIB, 16 * MIB, 64 * MIB, 256 * MIB, GIB};

static cudaStream_t streams[MOST_STREAMS];

/* ---- Kernels of a known length ---- */

enum { LONG_ROUNDS = 300 }; /* some 80 microseconds */
static int wholeSm;         /* bytes of shared memory with which a multiprocessor holds one block */

/* A kernel of one warp a block; a multiprocessor holds one block at a time. */
static void launchTurn(unsigned int blocks, int rounds, cudaStream_t stream) {
    turn<<<blocks, WARP, wholeSm, stream>>>(NULL, rounds);
}

static void openTurn() {
    wholeSm = deviceAttribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    CHECK(cudaFuncSetAttribute(turn, cudaFuncAttributeMaxDynamicSharedMemorySize, wholeSm));
}

/* ---- Copies and fills ---- */

struct Buffers {
    char *device, *other, *pinned, *back, *pageable;
};
static Buffers buffers;

static void openBuffers(size_t bytes) {
    CHECK(cudaMalloc(&buffers.device, bytes));
    CHECK(cudaMalloc(&buffers.other, bytes));
    CHECK(cudaMallocHost(&buffers.pinned, bytes));
    CHECK(cudaMallocHost(&buffers.back, bytes));
    buffers.pageable = hostArray<char>(bytes);
    memset(buffers.pageable, 1, bytes);
    memset(buffers.pinned, 1, bytes);
    memset(buffers.back, 1, bytes);
}

static void closeBuffers() {
    CHECK(cudaFree(buffers.device));
    CHECK(cudaFree(buffers.other));
    CHECK(cudaFreeHost(buffers.pinned));
    CHECK(cudaFreeHost(buffers.back));
    free(buffers.pageable);
}

static void copyTo(char *host, size_t bytes) {
    CHECK(cudaMemcpyAsync(buffers.device, host, bytes, cudaMemcpyHostToDevice, 0));
}
static void copyFrom(char *host, size_t bytes) {
    CHECK(cudaMemcpyAsync(host, buffers.device, bytes, cudaMemcpyDeviceToHost, 0));
}
static void copyWithin(size_t bytes) {
    CHECK(cudaMemcpyAsync(buffers.other, buffers.device, bytes, cudaMemcpyDeviceToDevice, 0));
}
static void fill(size_t bytes) {
    CHECK(cudaMemsetAsync(buffers.device, 0, bytes, 0));
}

static void printCopies(size_t bytes) {
    int n = samplesFor(bytes);
    printRow("copy", "pageable HtoD", bytes, 1,
             deviceFigure(n, [=] { copyTo(buffers.pageable, bytes); }));
    printRow("copy", "pageable DtoH", bytes, 1,
             deviceFigure(n, [=] { copyFrom(buffers.pageable, bytes); }));
    printRow("copy", "pinned HtoD", bytes, 1,
             deviceFigure(n, [=] { copyTo(buffers.pinned, bytes); }));
    printRow("copy", "pinned DtoH", bytes, 1,
             deviceFigure(n, [=] { copyFrom(buffers.pinned, bytes); }));
    printRow("copy", "DtoD", bytes, 1, deviceFigure(n, [=] { copyWithin(bytes); }));
    printRow("fill", "", bytes, 1, deviceFigure(n, [=] { fill(bytes); }));
}

/* How long the host waits in a copy. */
static void printBlocked(size_t bytes) {
    int n = samplesFor(bytes);
    auto host = [=](const char *variant, const Body &timed) {
        printRow("blocked", variant, bytes, 1, hostFigure(n, nothing, timed, nothing));
    };
    host("cudaMemcpy pageable HtoD", [=] {
        CHECK(cudaMemcpy(buffers.device, buffers.pageable, bytes, cudaMemcpyHostToDevice));
    });
    host("cudaMemcpy pageable DtoH", [=] {
        CHECK(cudaMemcpy(buffers.pageable, buffers.device, bytes, cudaMemcpyDeviceToHost));
    });
    host("cudaMemcpy pinned HtoD",
         [=] { CHECK(cudaMemcpy(buffers.device, buffers.pinned, bytes, cudaMemcpyHostToDevice)); });
    host("cudaMemcpy pinned DtoH",
         [=] { CHECK(cudaMemcpy(buffers.pinned, buffers.device, bytes, cudaMemcpyDeviceToHost)); });
    host("cudaMemcpy DtoD", [=] {
        CHECK(cudaMemcpy(buffers.other, buffers.device, bytes, cudaMemcpyDeviceToDevice));
    });
    host("cudaMemcpyAsync pageable HtoD", [=] { copyTo(buffers.pageable, bytes); });
    host("cudaMemcpyAsync pageable DtoH", [=] { copyFrom(buffers.pageable, bytes); });
    host("cudaMemcpyAsync pinned HtoD", [=] { copyTo(buffers.pinned, bytes); });
    host("cudaMemcpyAsync pinned DtoH", [=] { copyFrom(buffers.pinned, bytes); });
    host("cudaMemcpyAsync DtoD", [=] { copyWithin(bytes); });
    host("cudaMemset", [=] { CHECK(cudaMemset(buffers.device, 0, bytes)); });
}

/* Many small copies, and one that moves as much. */
static void printSmall() {
    const int count = 1000;
    for (int pageable = 0; pageable <= 1; pageable++) {
        char *host = pageable ? buffers.pageable : buffers.pinned;
        std::string memory = pageable ? "pageable" : "pinned";
        Body to = [=] {
            for (int i = 0; i < count; i++)
                CHECK(cudaMemcpyAsync(buffers.device + i * KIB, host + i * KIB, KIB,
                                      cudaMemcpyHostToDevice, 0));
        };
        Body from = [=] {
            for (int i = 0; i < count; i++)
                CHECK(cudaMemcpyAsync(host + i * KIB, buffers.device + i * KIB, KIB,
                                      cudaMemcpyDeviceToHost, 0));
        };
        printRow("small copies", memory + " HtoD", count * KIB, 1,
                 deviceFigure(modelled ? 1 : FEW_SAMPLES, to));
        printRow("small copies", memory + " DtoH", count * KIB, 1,
                 deviceFigure(modelled ? 1 : FEW_SAMPLES, from));
    }
}

/* ---- What overlaps ---- */

static const size_t OVERLAP_BYTES = 64 * MIB;
static const unsigned int OVERLAP_BLOCKS = 4;

/* A third of the work of each kind in each stream: a copy to the device, a kernel, a copy back. */
struct Pieces {
    int count;
    size_t bytes;
    int rounds;
    bool pageable;
};

static void pieceTo(const Pieces &p, int i) {
    char *host = p.pageable ? buffers.pageable : buffers.pinned;
    CHECK(cudaMemcpyAsync(buffers.device + i * p.bytes, host + i * p.bytes, p.bytes,
                          cudaMemcpyHostToDevice, streams[i]));
}
static void pieceKernel(const Pieces &p, int i) {
    launchTurn(OVERLAP_BLOCKS, p.rounds, streams[i]);
}
static void pieceFrom(const Pieces &p, int i) {
    char *host = p.pageable ? buffers.pageable : buffers.back;
    CHECK(cudaMemcpyAsync(host + i * p.bytes, buffers.other + i * p.bytes, p.bytes,
                          cudaMemcpyDeviceToHost, streams[i]));
}

static void depthFirst(const Pieces &p) {
    for (int i = 0; i < p.count; i++) {
        pieceTo(p, i);
        pieceKernel(p, i);
        pieceFrom(p, i);
    }
}

static void breadthFirst(const Pieces &p) {
    for (int i = 0; i < p.count; i++) pieceTo(p, i);
    for (int i = 0; i < p.count; i++) pieceKernel(p, i);
    for (int i = 0; i < p.count; i++) pieceFrom(p, i);
}

static void printOverlap(int count, bool pageable) {
    /* The kernels together take about as long as the copies in one direction. */
    const int rounds = 4800;
    Pieces p = {count, OVERLAP_BYTES / (size_t)count, rounds / count, pageable};
    std::string memory = pageable ? "pageable " : "pinned ";
    int n = modelled ? 1 : FEW_SAMPLES;
    printRow("overlap", memory + "depth first", OVERLAP_BYTES, count,
             deviceFigure(n, [=] { depthFirst(p); }));
    printRow("overlap", memory + "breadth first", OVERLAP_BYTES, count,
             deviceFigure(n, [=] { breadthFirst(p); }));
}

/* Two things at a time, in two streams. */
static void printPairs() {
    const unsigned int full = (unsigned int)bench.sms * 4;
    int n = modelled ? 1 : FEW_SAMPLES;
    Body to = [] {
        CHECK(cudaMemcpyAsync(buffers.device, buffers.pinned, OVERLAP_BYTES, cudaMemcpyHostToDevice,
                              streams[0]));
    };
    Body from = [] {
        CHECK(cudaMemcpyAsync(buffers.back, buffers.other, OVERLAP_BYTES, cudaMemcpyDeviceToHost,
                              streams[1]));
    };
    Body alsoTo = [] {
        CHECK(cudaMemcpyAsync(buffers.other, buffers.back, OVERLAP_BYTES, cudaMemcpyHostToDevice,
                              streams[1]));
    };
    Body within = [] {
        CHECK(cudaMemcpyAsync(buffers.other, buffers.device, 4 * OVERLAP_BYTES,
                              cudaMemcpyDeviceToDevice, streams[1]));
    };
    Body fills = [] { CHECK(cudaMemsetAsync(buffers.other, 0, 4 * OVERLAP_BYTES, streams[1])); };
    Body kernel = [=] { launchTurn(full, LONG_ROUNDS, streams[0]); };
    auto pair = [=](const char *variant, const Body &one, const Body &two) {
        printRow("pair", variant, OVERLAP_BYTES, 2, deviceFigure(n, [=] {
                     one();
                     two();
                 }));
    };
    pair("HtoD", to, nothing);
    pair("DtoH", from, nothing);
    pair("HtoD beside DtoH", to, from);
    pair("HtoD beside HtoD", to, alsoTo);
    pair("kernel", kernel, nothing);
    pair("kernel beside DtoH", kernel, from);
    pair("kernel beside DtoD", kernel, within);
    pair("DtoD", nothing, within);
    pair("kernel beside fill", kernel, fills);
    pair("fill", nothing, fills);
    pair("HtoD beside DtoD", to, within);
}

/* ---- Kernels side by side ---- */

/* count kernels of so many blocks, each in a stream. `chain` kernels follow each other in each
 * stream. */
static void printKernels(int count, unsigned int blocks, int chain, bool breadth) {
    Body launches = [=] {
        for (int i = 0; i < count * chain; i++)
            launchTurn(blocks, LONG_ROUNDS, streams[breadth ? i % count : i / chain]);
    };
    std::string variant = std::to_string(blocks) + " blocks";
    if (chain > 1)
        variant +=
            std::string(" chains of ") + std::to_string(chain) + (breadth ? " breadth" : " depth");
    printRow("kernels", variant, 0, count, deviceFigure(modelled ? 1 : FEW_SAMPLES, launches));
}

/* A long kernel that fills the device several times, then one of few blocks in a stream of another
 * priority. When each is done, counted from the start. */
static void printPriority(const char *variant, int first, int second) {
    cudaStream_t a, b;
    cudaEvent_t doneA, doneB;
    std::vector<double> endA, endB;
    const unsigned int waves = 8, few = 32;
    CHECK(cudaStreamCreateWithPriority(&a, cudaStreamNonBlocking, first));
    CHECK(cudaStreamCreateWithPriority(&b, cudaStreamNonBlocking, second));
    CHECK(cudaEventCreate(&doneA));
    CHECK(cudaEventCreate(&doneB));
    for (int i = 0; i < (modelled ? 1 : FEW_SAMPLES); i++) {
        float ms;
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventRecord(bench.start, a));
        launchTurn((unsigned int)bench.sms * waves, LONG_ROUNDS, a);
        CHECK(cudaEventRecord(doneA, a));
        launchTurn(few, LONG_ROUNDS, b);
        CHECK(cudaEventRecord(doneB, b));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventElapsedTime(&ms, bench.start, doneA));
        endA.push_back(ms * 1e3);
        CHECK(cudaEventElapsedTime(&ms, bench.start, doneB));
        endB.push_back(ms * 1e3);
    }
    printRow("priority", std::string(variant) + " long", 0, 2, figureOf(endA));
    printRow("priority", std::string(variant) + " short", 0, 2, figureOf(endB));
    CHECK(cudaStreamDestroy(a));
    CHECK(cudaStreamDestroy(b));
    CHECK(cudaEventDestroy(doneA));
    CHECK(cudaEventDestroy(doneB));
}

/* ---- Host functions, events and launches in a stream ---- */

static void hostFunction(void *unused) {
    (void)unused;
}

static void printStream() {
    const int count = 100;
    int n = modelled ? 1 : FEW_SAMPLES;
    printRow("stream", "host function", 0, 1,
             deviceFigure(n, [] { CHECK(cudaLaunchHostFunc(0, hostFunction, NULL)); }));
    printRow("stream", "nothing", 0, 1, deviceFigure(n, nothing));
    printRow("stream", "kernel", 0, 1, deviceFigure(n, [] { launchTurn(1, 0, 0); }));
    printRow("stream", "100 kernels", 0, 1, deviceFigure(n, [=] {
                 for (int i = 0; i < count; i++) launchTurn(1, 0, 0);
             }));
    printRow("stream", "100 kernels each with an event that another stream waits for", 0, 2,
             deviceFigure(n, [=] {
                 for (int i = 0; i < count; i++) {
                     launchTurn(1, 0, streams[i % 2]);
                     CHECK(cudaEventRecord(bench.stop, streams[i % 2]));
                     CHECK(cudaStreamWaitEvent(streams[(i + 1) % 2], bench.stop, 0));
                 }
             }));
}

/* ---- Calls of the API ---- */

static void printCall(const char *name, size_t bytes, const Body &timed,
                      const Body &before = nothing, const Body &after = nothing) {
    printRow("call", name, bytes, 1,
             hostFigure(bytes >= FEW_FROM ? FEW_SAMPLES : SAMPLES, before, timed, after));
}

static void printAllocations(size_t bytes) {
    static char *pointer;
    Body allocate = [=] { CHECK(cudaMalloc(&pointer, bytes)); };
    Body release = [] { CHECK(cudaFree(pointer)); };
    Body pin = [=] { CHECK(cudaMallocHost(&pointer, bytes)); };
    Body unpin = [] { CHECK(cudaFreeHost(pointer)); };
    Body manage = [=] { CHECK(cudaMallocManaged(&pointer, bytes)); };
    Body adopt = [=] { CHECK(cudaHostRegister(buffers.pageable, bytes, cudaHostRegisterDefault)); };
    Body leave = [] { CHECK(cudaHostUnregister(buffers.pageable)); };
    printCall("cudaMalloc", bytes, allocate, nothing, release);
    printCall("cudaFree", bytes, release, allocate);
    printCall("cudaMallocHost", bytes, pin, nothing, unpin);
    printCall("cudaFreeHost", bytes, unpin, pin);
    printCall("cudaMallocManaged", bytes, manage, nothing, release);
    printCall("cudaHostRegister", bytes, adopt, nothing, leave);
    printCall("cudaHostUnregister", bytes, leave, adopt);
}

static void printCalls() {
    static cudaStream_t stream;
    static cudaEvent_t event, before, later;
    static cudaFuncAttributes attributes;
    static cudaDeviceProp properties;
    static int value;
    static float ms;
    Body create = [] { CHECK(cudaStreamCreate(&stream)); };
    Body destroy = [] { CHECK(cudaStreamDestroy(stream)); };
    Body createEvent = [] { CHECK(cudaEventCreate(&event)); };
    Body destroyEvent = [] { CHECK(cudaEventDestroy(event)); };
    CHECK(cudaEventCreate(&before));
    CHECK(cudaEventCreate(&later));
    CHECK(cudaEventRecord(before));
    CHECK(cudaEventRecord(later));
    printCall("cudaStreamCreate", 0, create, nothing, destroy);
    printCall("cudaStreamDestroy", 0, destroy, create);
    printCall("cudaEventCreate", 0, createEvent, nothing, destroyEvent);
    printCall("cudaEventDestroy", 0, destroyEvent, createEvent);
    printCall("cudaEventRecord", 0, [] { CHECK(cudaEventRecord(before)); });
    printCall("cudaEventQuery", 0, [] { CHECK(cudaEventQuery(before)); });
    printCall("cudaEventSynchronize", 0, [] { CHECK(cudaEventSynchronize(before)); });
    printCall("cudaEventElapsedTime", 0, [] { CHECK(cudaEventElapsedTime(&ms, before, later)); });
    printCall("cudaStreamWaitEvent", 0, [] { CHECK(cudaStreamWaitEvent(streams[0], before, 0)); });
    printCall("cudaStreamQuery", 0, [] { CHECK(cudaStreamQuery(streams[0])); });
    printCall("cudaStreamSynchronize", 0, [] { CHECK(cudaStreamSynchronize(streams[0])); });
    printCall("cudaDeviceSynchronize", 0, [] { CHECK(cudaDeviceSynchronize()); });
    printCall("cudaLaunchKernel", 0, [] { launchTurn(1, 0, 0); });
    printCall("launch and cudaDeviceSynchronize", 0, [] {
        launchTurn(1, 0, 0);
        CHECK(cudaDeviceSynchronize());
    });
    printCall("cudaLaunchHostFunc", 0, [] { CHECK(cudaLaunchHostFunc(0, hostFunction, NULL)); });
    printCall("cudaMemcpyAsync", KIB, [] { copyTo(buffers.pinned, KIB); });
    printCall("cudaMemsetAsync", KIB, [] { fill(KIB); });
    printCall("cudaGetLastError", 0, [] { CHECK(cudaGetLastError()); });
    printCall("cudaGetDevice", 0, [] { CHECK(cudaGetDevice(&value)); });
    printCall("cudaSetDevice", 0, [] { CHECK(cudaSetDevice(0)); });
    printCall("cudaDeviceGetAttribute", 0,
              [] { CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0)); });
    printCall("cudaGetDeviceProperties", 0, [] { CHECK(cudaGetDeviceProperties(&properties, 0)); });
    printCall("cudaFuncGetAttributes", 0, [] { CHECK(cudaFuncGetAttributes(&attributes, turn)); });
    for (size_t bytes : {KIB, 64 * KIB, MIB, 16 * MIB, 256 * MIB, GIB}) printAllocations(bytes);
}

/* Launches after a long kernel until one takes the host a hundred times as long as most. */
static void printQueue() {
    const int most = 5000;
    std::vector<double> times;
    CHECK(cudaDeviceSynchronize());
    spin<<<1, 1>>>(WARM_UP_CYCLES);
    for (int i = 0; i < most; i++) {
        double begin = hostUs();
        launchTurn(1, 0, 0);
        times.push_back(hostUs() - begin);
    }
    CHECK(cudaDeviceSynchronize());
    int first = 0;
    while (first < most && times[(size_t)first] < 1000) first++;
    printRow("call", "launches that wait before the host must", 0, 1, {(double)first, 0});
    printRow("call", "cudaLaunchKernel behind others", 0, 1,
             figureOf(std::vector<double>(times.begin() + 100, times.begin() + 900)));
}

/* ---- Peers ---- */

static void printPeers(size_t bytes) {
    static char *near, *far;
    int n = samplesFor(bytes);
    CHECK(cudaSetDevice(1));
    CHECK(cudaMalloc(&far, bytes));
    CHECK(cudaSetDevice(0));
    CHECK(cudaMalloc(&near, bytes));
    for (int access = 0; access <= 1; access++) {
        int can = 0;
        CHECK(cudaDeviceCanAccessPeer(&can, 0, 1));
        if (access && !can) break;
        if (access) {
            cudaError_t error = cudaDeviceEnablePeerAccess(1, 0);
            if (error != cudaErrorPeerAccessAlreadyEnabled) CHECK(error);
            cudaGetLastError();
        }
        std::string variant = access ? "PtoP with access" : "PtoP without access";
        printRow("copy", variant + " 0 to 1", bytes, 1,
                 deviceFigure(n, [=] { CHECK(cudaMemcpyPeerAsync(far, 1, near, 0, bytes, 0)); }));
        printRow("copy", variant + " 1 to 0", bytes, 1,
                 deviceFigure(n, [=] { CHECK(cudaMemcpyPeerAsync(near, 0, far, 1, bytes, 0)); }));
        printRow("blocked", "cudaMemcpyPeer " + variant, bytes, 1,
                 hostFigure(
                     n, nothing, [=] { CHECK(cudaMemcpyPeer(far, 1, near, 0, bytes)); }, nothing));
        CHECK(cudaDeviceSynchronize());
        if (access) CHECK(cudaDeviceDisablePeerAccess(1));
    }
    CHECK(cudaFree(near));
    CHECK(cudaFree(far));
}

/* ---- Parts: timeline [PART...], all without an argument ---- */

static void runCopies() {
    openBuffers(modelled ? 256 * MIB : GIB);
    for (size_t bytes : SIZES)
        if (!modelled || bytes <= 256 * MIB) printCopies(bytes);
    printSmall();
    for (size_t bytes : SIZES)
        if (!modelled) printBlocked(bytes);
    closeBuffers();
}

static void runOverlap() {
    openBuffers(4 * OVERLAP_BYTES);
    for (int pageable = 0; pageable <= 1; pageable++)
        for (int count : {1, 2, 4, 8, 16, 32}) printOverlap(count, pageable);
    printPairs();
    closeBuffers();
}

static void runKernels() {
    const unsigned int sms = (unsigned int)bench.sms;
    int least, greatest;
    for (unsigned int blocks : {1u, sms / 4, sms / 2, sms - sms / 4, sms, 2 * sms})
        for (int count : {1, 2, 4, 8, 16, 32, 64}) printKernels(count, blocks, 1, true);
    CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    printPriority("equal", least, least);
    printPriority("later is higher", least, greatest);
    printPriority("later is lower", greatest, least);
    printStream();
}

/* CUDA_DEVICE_MAX_CONNECTIONS in the environment says how many hardware queues there are. */
static void runConnections() {
    for (int breadth = 0; breadth <= 1; breadth++)
        for (int count : {2, 4, 8, 16, 32, 64}) printKernels(count, 1, 3, breadth);
}

static void runPeers() {
    int devices;
    CHECK(cudaGetDeviceCount(&devices));
    for (size_t bytes : SIZES)
        if (devices > 1) printPeers(bytes);
}

static void runCalls() {
    if (modelled) return;
    openBuffers(GIB);
    printCalls();
    printQueue();
    closeBuffers();
}

static const struct {
    const char *name;
    void (*run)();
} PARTS[] = {{"copies", runCopies},           {"overlap", runOverlap}, {"kernels", runKernels},
             {"connections", runConnections}, {"peers", runPeers},     {"calls", runCalls}};

static bool wants(int argc, char **argv, const char *part) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], part) == 0) return true;
    return argc == 1;
}

int main(int argc, char **argv) {
    double begin = hostUs();
    CHECK(cudaFree(0));
    double opened = hostUs();
    bench = openBench("timeline");
    modelled = bench.device.modelled;
    openTurn();
    for (int i = 0; i < MOST_STREAMS; i++) CHECK(cudaStreamCreate(&streams[i]));
    printf("experiment,variant,bytes,streams,us,spread\n");
    if (!modelled) printRow("call", "first call", 0, 1, {opened - begin, 0});
    for (size_t i = 0; i < COUNT(PARTS); i++)
        if (wants(argc, argv, PARTS[i].name)) PARTS[i].run();
    return EXIT_OK;
}
