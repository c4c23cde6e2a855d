/* use.c: what a sandbox's processes use, from /proc; see start.h. */
#include "start.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_SIZE = 32 };

/* ---- Memory ---- */

/* Bytes of resident pages that belong to no file and no shared memory. */
static size_t own_memory(pid_t process) {
    char path[TEXT_SIZE];
    unsigned long pages = 0, resident = 0, shared = 0;
    snprintf(path, sizeof path, "/proc/%d/statm", (int)process);
    FILE *file = fopen(path, "r");
    if (file == NULL) return 0;
    if (fscanf(file, "%lu %lu %lu", &pages, &resident, &shared) != 3) resident = shared = 0;
    fclose(file);
    return (resident - shared) * (size_t)sysconf(_SC_PAGESIZE);
}

/* Calls add for each child of this process. */
static void each_child(pid_t process, void (*add)(pid_t, void *), void *sum) {
    char path[2 * TEXT_SIZE];
    int child;
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)process, (int)process);
    FILE *file = fopen(path, "r");
    if (file == NULL) return;
    while (fscanf(file, "%d", &child) == 1) add(child, sum);
    fclose(file);
}

static void add_memory(pid_t process, void *sum) {
    *(size_t *)sum += own_memory(process);
    each_child(process, add_memory, sum);
}

size_t sandbox_memory(pid_t process) {
    size_t sum = 0;
    add_memory(process, &sum);
    return sum;
}

/* ---- Processor time ---- */

/* Adds utime, stime, cutime and cstime: fields 14 to 17 of /proc/PID/stat, in ticks. The name
 * before them may contain any character. */
static void add_cpu(pid_t process, void *sum) {
    char path[TEXT_SIZE], line[1024] = "";
    unsigned long user = 0, system = 0;
    long children_user = 0, children_system = 0;
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    FILE *file = fopen(path, "r");
    if (file == NULL) return;
    const char *fields = fgets(line, sizeof line, file) != NULL ? strrchr(line, ')') : NULL;
    fclose(file);
    if (fields != NULL &&
        sscanf(fields, ") %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %lu %lu %ld %ld", &user,
               &system, &children_user, &children_system) == 4)
        *(double *)sum +=
            (double)(user + system + (unsigned long)(children_user + children_system)) /
            (double)sysconf(_SC_CLK_TCK);
    each_child(process, add_cpu, sum);
}

double sandbox_cpu(pid_t process) {
    double sum = 0;
    add_cpu(process, &sum);
    return sum;
}
