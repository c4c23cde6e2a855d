/* lab.h: the metrics of a lab's steps. The program writes its run table (DESIGN's run.csv: lab, step, kernel, grid,
 * block, …) in the very run that is profiled; each of its rows is joined with a launch of that kernel in that shape. */
#ifndef LABPROF_LAB_H
#define LABPROF_LAB_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "lib/csv.h"
#include "metrics.h"
#include "samples.h"

/* One row of the run table, and the launch that belongs to it. */
struct lab_step {
    int row;
    const struct sample *sample;
};

struct lab {
    struct csv *run;
    struct lab_step *steps;
    int count;
};

/* How the run table looked before the run, to see that the program wrote it anew. */
struct lab_before {
    bool there;
    struct stat status;
};

struct lab_before lab_look(const char *steps_path);

/* Reads the run table and joins it with the samples, in order. Steps without a launch (on the CPU, or to do) are left
 * out. False with a message in error, also when the program did not write the table. */
bool lab_join(struct lab *lab, const char *steps_path, const struct lab_before *before, const struct samples *samples,
              char *error, size_t error_size);
void lab_free(struct lab *lab);

/* Writes metrics.csv: lab,step,kernel,grid,block,metric,value,unit,backend,device. With device_launches among the
 * metrics come those launches by kernel and depth, where the back end counts them: device_launches:work@1 are the grids
 * of work that the step's kernel launched itself, device_threads:work@1 their threads. False with a message in error.
 */
bool lab_write(const struct lab *lab, const char *path, const char *number, const struct metric_list *wanted,
               const char *backend, const char *device, char *error, size_t error_size);

/* Prints steps by metrics, as many metrics beside each other as fit into width columns; GB/s are 1e9 bytes a second
 * here. */
void lab_print(const struct lab *lab, const struct metric_list *wanted, int width, FILE *out);

#endif
