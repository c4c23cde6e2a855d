/*
 * open.h: begins a lab: flags, device, memory, headline.
 */
#ifndef HARNESS_OPEN_H
#define HARNESS_OPEN_H

/* Seconds of processor time after which the simulator stops a kernel of which no block has ended. A
 * lab's kernel needs less. */
#define LAB_KERNEL_SECONDS "20"

/* Ends the program with exit code 2: the problem is too large for the device. */
static inline void refuseSize(const Lab *lab) {
    const Options &options = lab->harness->options;
    std::string size = lab->info.isMatrix
                           ? format("--rows %llu --cols %llu", options.rows, options.cols)
                           : format("--size %llu", options.size);
    refuse(lab->info.name, "%s: not enough memory on %s; choose a smaller one", size.c_str(),
           lab->harness->device.name.c_str());
}

/* Allocates device memory for the harness. Ends the program as
 * labNeeds does if there is no room. */
static inline void *allocateOnDevice(Lab *lab, size_t bytes) {
    void *memory = NULL;
    cudaError_t error = cudaMalloc(&memory, bytes);
    if (error == cudaErrorMemoryAllocation) refuseSize(lab);
    CHECK(error);
    return memory;
}

LAB_CALL Lab labOpen(int argc, char **argv, LabInfo info, const void *steps, size_t n,
                     size_t bytes) {
    Lab lab = Lab();
    lab.harness = new Harness();
    for (size_t i = 0; i < n; i++) {
        LabStep step;
        memcpy(&step, (const char *)steps + i * bytes, sizeof step);
        lab.harness->steps.push_back(step);
    }
    lab.info = info;
    lab.harness->flags = flagsToKeep(argc, argv);
    lab.harness->options = parseOptions(info, lab.harness->steps, argc, argv);
    needWholeResults();
    lab.harness->problem = problemText(info, lab.harness->options);
    lab.harness->grader = openGrader();
    setenv("SIMT_TIMEOUT", LAB_KERNEL_SECONDS, 0); /* keeps the user's setting */
    lab.harness->device = openDevice(info.name);
    CHECK(cudaEventCreate(&lab.harness->start));
    CHECK(cudaEventCreate(&lab.harness->stop));
    lab.size = (size_t)lab.harness->options.size;
    lab.rows = (size_t)lab.harness->options.rows;
    lab.cols = (size_t)lab.harness->options.cols;
    lab.block = lab.harness->options.block;
    lab.seed = lab.harness->options.seed;
    lab.sizeGiven = lab.harness->options.sizeGiven;
    lab.modelled = lab.harness->device.modelled;
    lab.profiling = lab.harness->options.profile;
    /* The copy that restores an input leaves part of it in a real GPU's
     * cache, so the cache is flushed. */
    if (!lab.modelled && !lab.profiling)
        lab.harness->cacheFlusher = allocateOnDevice(&lab, 2 * lab.harness->device.cacheBytes);
    return lab;
}

/* Which figures of a simulated GPU are modelled, and from what. PTX alone does
 * not give a thread's registers. */
static inline std::string modelledParts() {
    if (getenv("SIMT_NO_TIMING") != NULL) return "not modelled (--no-timing)";
    std::string parts = "modelled";
#ifdef SIMT_NO_MACHINE_CODE
    parts += ", registers estimated";
#endif
    if (getenv("SIMT_CONSTANTS_DERIVED") != NULL) parts += ", constants derived";
    return parts;
}

LAB_CALL void labHeader(const Lab *lab, const char *pattern, ...) {
    if (isChecked()) return;
    const double peak = lab->harness->device.peakBandwidth;
    va_list arguments;
    va_start(arguments, pattern);
    printf("Lab %d: %s\n", lab->info.number, formatList(pattern, arguments).c_str());
    va_end(arguments);
    printf("Device: %s, peak bandwidth %s, times %s\n\n", lab->harness->device.name.c_str(),
           peak > 0 ? format("%.0f GB/s", peak).c_str() : "unknown",
           lab->modelled ? modelledParts().c_str()
           : lab->profiling
               ? "not taken while profiling"
               : format("measured, median of %d", lab->harness->options.repeat).c_str());
    printTableHead(lab->info.countsOperations ? "GFLOP/s" : "GB/s");
}

/* ---- Memory ---- */

/* Allocates nothing, so that it does not move the lab's arrays: cache
 * behaviour depends on their addresses. */
LAB_CALL void labNeeds(const Lab *lab, size_t bytes) {
    size_t available, total;
    CHECK(cudaMemGetInfo(&available, &total));
    if (bytes > available) refuseSize(lab);
}

/* Under a grader the copy lies in host memory. In device memory a kernel could find it beside its
 * input, and leave results there for the next step. */
LAB_CALL void labInput(Lab *lab, void *device, const void *host, size_t bytes) {
    LabArray input = {device, NULL, bytes};
    input.pristine =
        lab->harness->grader.channel >= 0 ? hostArray<char>(bytes) : allocateOnDevice(lab, bytes);
    CHECK(cudaMemcpy(input.pristine, host, bytes, cudaMemcpyDefault));
    lab->harness->arrays.push_back(input);
}

LAB_CALL void labOutput(Lab *lab, void *device, size_t bytes) {
    LabArray output = {device, NULL, bytes};
    lab->harness->arrays.push_back(output);
}

/* Ignores failures: after an error that ends the run, the device frees nothing any more. */
LAB_CALL void labDropArrays(Lab *lab) {
    for (const LabArray &array : lab->harness->arrays) {
        if (lab->harness->grader.channel >= 0)
            free(array.pristine);
        else
            cudaFree(array.pristine);
    }
    lab->harness->arrays.clear();
}

/* Restores the inputs, poisons the outputs, clears the TODO note and flushes the cache. */
static inline void prepareArrays(const Lab *lab) {
    for (const LabArray &array : lab->harness->arrays) {
        if (array.pristine != NULL)
            CHECK(cudaMemcpy(array.work, array.pristine, array.bytes, cudaMemcpyDefault));
        else
            CHECK(cudaMemset(array.work, POISON_BYTE, array.bytes));
    }
    clearTodoNote();
    if (lab->harness->cacheFlusher != NULL)
        CHECK(cudaMemset(lab->harness->cacheFlusher, 0, 2 * lab->harness->device.cacheBytes));
}

#endif
