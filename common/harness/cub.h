/* cub.h: sums, scans and histograms of CUB, the library of parallel primitives that comes with the
 * CUDA toolkit.
 *
 * CUB's headers compile more slowly than a whole lab. So only cub.cu includes them, and make links
 * it to the labs. By hand: `nvcc -Icommon LAB.cu common/harness/cub.cu`. All are weak symbols: in a
 * lab compiled alone, or with a toolkit without CUB, their addresses are NULL. */
#pragma once

#include <cstddef>

#include "../common.h"

enum CubType { CUB_INT, CUB_FLOAT, CUB_DOUBLE };

/* Does cub::DeviceReduce::Sum: *out becomes the sum of the n elements at `in`, all in device
 * memory. temporary points to *bytes bytes of device memory; if it is NULL, the call only stores
 * the bytes needed in *bytes. Returns CUB's error. */
cudaError_t cubSum(CubType type, void *temporary, size_t *bytes, const void *in, void *out, int n)
    __attribute__((weak));

/* Does cub::DeviceScan::InclusiveSum of n elements, likewise. */
cudaError_t cubScan(void *temporary, size_t *bytes, const unsigned int *in, unsigned int *out,
                    int n) __attribute__((weak));

/* Does cub::DeviceHistogram::HistogramEven, likewise: counts[v] becomes the count of v, for each v
 * below bins. */
cudaError_t cubHistogram(void *temporary, size_t *bytes, const unsigned int *in,
                         unsigned int *counts, unsigned int bins, int n) __attribute__((weak));

static const char *const NO_CUB =
    "the program is not linked with CUB: make links it where the toolkit has it";

/* Runs a function of CUB beside a lab's steps, as a row with this name and, unless it is NULL, this
 * argument: call(temporary, &bytes) calls it as above, judge() gives the verdict. It moves so many
 * bytes. Nothing runs if it is not linked, after an error of a step, which may last, or if the
 * problem is empty. A template of the Lab, for lab.h may be compiled once in a program. */
template <class Lab, class Call, class Judge>
void runCub(Lab *lab, const char *name, const char *argument, bool linked, double moved,
            const Call &call, const Judge &judge) {
    void *temporary;
    size_t bytes = 0;
    if (lab->size == 0 || cudaDeviceSynchronize() != cudaSuccess) return;
    if (!linked) {
        labNote(lab, "    %-26s %s", name, NO_CUB);
        return;
    }
    CHECK(call(NULL, &bytes));
    CHECK(cudaMalloc(&temporary, bytes));
    labReference(lab, name);
    if (argument != NULL) labArgument(lab, "%s", argument);
    labBytes(lab, moved);
    while (labRuns(lab)) {
        call(temporary, &bytes);
        if (labChecks(lab)) labVerdict(lab, judge());
    }
    cudaFree(temporary);
}
