/* lab.h: the metrics of a lab's steps. The program writes its run table (run.csv: lab, step,
 * kernel, grid, block, …) during the profiled run. labprof joins each row of the table with a
 * launch of the same kernel, grid and block. */
#pragma once

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

/* The run table, and the rows that have a launch. The samples belong to the caller. */
struct lab {
    struct csv *run;
    struct lab_step *steps;
    int count;
};

/* The run table's file status before the run; it shows later whether the program wrote the table
 * anew. */
struct lab_before {
    bool there;
    struct stat status;
};

/* Reads the file status of the run table. Call it before the run. */
struct lab_before lab_look(const char *steps_path);

/* Reads the run table and joins its rows with the samples, in order. Leaves out steps without a
 * launch: on the CPU, or still to do. Returns false with a message in failure if the program did
 * not write the table, or if no launch matches any row that should have one. Free the lab with
 * lab_free; the samples must live as long. */
bool lab_join(struct lab *lab, const char *steps_path, const struct lab_before *before,
              const struct samples *samples);
void lab_free(struct lab *lab);

/* Writes metrics.csv: lab,step,kernel,grid,block,metric,value,unit,backend,device. If
 * device_launches is among the metrics and the back end counts nested launches, further rows give
 * them by kernel and depth: device_launches:work@1 counts the grids of `work` that the step's
 * kernel launched directly, device_threads:work@1 their threads. The file appears whole or not at
 * all. Returns false with a message in failure. */
bool lab_write(const struct lab *lab, const char *path, const char *number,
               const struct metric_list *wanted, const char *backend, const char *device);

/* Prints a table of steps by metrics. It breaks the table into blocks that fit into width columns.
 * One GB/s is 1e9 bytes a second here. */
void lab_print(const struct lab *lab, const struct metric_list *wanted, int width, FILE *out);
