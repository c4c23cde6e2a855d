/* supports.h: what a program uses that the simulator lacks, found without running it. */
#pragma once

struct gpu;

/* Prints a table of it on stdout: instructions of the kernels' PTX, functions of CUDA,
 * libraries. path: an executable or a .ptx file; gpu: the virtual GPU, which chooses among the
 * program's PTX. Returns the exit status: 0 if nothing is missing, 1 otherwise, 2 with a sentence
 * on stderr if the file is neither. */
int supports_report(const char *path, const struct gpu *gpu);
