/* device.h: the lab's GPU, and waiting for it. */
#pragma once

#include <cstring>
#include <string>

#include <cuda_runtime.h>
#include <unistd.h>

#include "../common.h"

struct Device {
    std::string name;
    double
        peakBandwidth; /* of the device's memory, in GB/s (1e9 bytes); 0: the driver does not say */
    bool modelled;     /* a simulated GPU: a model gives the times, which do not vary */
    size_t cacheBytes; /* size of the second-level cache */
};

int deviceAttribute(cudaDeviceAttr attribute) {
    int value = 0;
    CHECK(cudaDeviceGetAttribute(&value, attribute, 0));
    return value;
}

/* Threads of a block. */
static inline unsigned long long threadsOf(dim3 block) {
    return (unsigned long long)block.x * block.y * block.z;
}

/* Why the device refuses this grid and block, as a phrase; "": it accepts the shape. */
static inline std::string whyRefused(dim3 grid, dim3 block) {
    const char *const axes[] = {"x", "y", "z"};
    const unsigned int blocks[] = {grid.x, grid.y, grid.z}, threads[] = {block.x, block.y, block.z};
    const unsigned long long all = threadsOf(block);
    const unsigned long long most =
        (unsigned long long)deviceAttribute(cudaDevAttrMaxThreadsPerBlock);
    if (all > most)
        return std::to_string(all) + " threads in a block, " + std::to_string(most) + " allowed";
    for (int axis = 0; axis < 3; axis++) {
        const int mostThreads = deviceAttribute((cudaDeviceAttr)(cudaDevAttrMaxBlockDimX + axis));
        const int mostBlocks = deviceAttribute((cudaDeviceAttr)(cudaDevAttrMaxGridDimX + axis));
        const bool inBlock = threads[axis] > (unsigned int)mostThreads || threads[axis] == 0;
        const bool inGrid = blocks[axis] > (unsigned int)mostBlocks || blocks[axis] == 0;
        const std::string in = std::string(" in ") + axes[axis];
        if (inBlock) {
            return "a block of " + std::to_string(threads[axis]) + in + ", 1 to " +
                   std::to_string(mostThreads) + " allowed";
        }
        if (inGrid) {
            return "a grid of " + std::to_string(blocks[axis]) + in + ", 1 to " +
                   std::to_string(mostBlocks) + " allowed";
        }
    }
    return "";
}

/* Peak bandwidth of the memory bus in GB/s: two transfers a clock (double data
 * rate) of one bus width each. */
static inline double peakBandwidth() {
    double hertz = deviceAttribute(cudaDevAttrMemoryClockRate) * 1000.0;
    double busBytes = deviceAttribute(cudaDevAttrGlobalMemoryBusWidth) / 8.0;
    return 2 * hertz * busBytes / 1e9;
}

/* Does the name end as the simulator ends the name of its GPU? */
static inline bool isSimulated(const std::string &name) {
    const std::string mark = " (simt)";
    return name.size() > mark.size() &&
           name.compare(name.size() - mark.size(), mark.size(), mark) == 0;
}

/* Opens device 0. Ends the program with a message and exit code 1 if there is none. */
static inline Device openDevice(const char *program) {
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0) {
        fprintf(stderr,
                "%s: no GPU here (%s). Use the simulator: `make lab... DEVICE=sim`, or "
                "`build/bin/simt PROGRAM`\n",
                program,
                error != cudaSuccess ? cudaGetErrorString(error) : "the driver lists none");
        exit(EXIT_WRONG);
    }
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    Device device;
    device.name = properties.name;
    device.peakBandwidth = peakBandwidth();
    device.modelled = isSimulated(device.name);
    device.cacheBytes = (size_t)deviceAttribute(cudaDevAttrL2CacheSize);
    return device;
}

enum { KERNEL_LIMIT_SECONDS = 60, POLL_MICROSECONDS = 20 };

/* Waits until the GPU has finished its work, and returns its error. A kernel that still runs after
 * a minute will hardly end: the function prints a message and ends the program without clean-up,
 * which would wait for the kernel. limited false waits without limit, as under a profiler, which
 * slows kernels down. */
static inline cudaError_t waitForDevice(const char *kernel, bool limited) {
    if (!limited) return cudaDeviceSynchronize();
    double deadline = cpuSecond() + KERNEL_LIMIT_SECONDS;
    cudaError_t state;
    while ((state = cudaStreamQuery(0)) == cudaErrorNotReady) {
        if (cpuSecond() > deadline) {
            fflush(stdout);
            fprintf(stderr,
                    "\n%s is still running after %d s: does a loop in it never end? Giving up.\n",
                    kernel, KERNEL_LIMIT_SECONDS);
            _exit(EXIT_WRONG);
        }
        usleep(POLL_MICROSECONDS);
    }
    return state == cudaSuccess ? cudaDeviceSynchronize() : state;
}
