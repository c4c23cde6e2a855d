/* processor.h: names the CPU that the program runs on. */
#pragma once

#include <cstdio>
#include <cstring>

/* "model name" of /proc/cpuinfo, or "unknown processor". The string is static. */
static inline const char *processorName() {
    static char name[256] = "";
    char line[256];
    FILE *info = name[0] == '\0' ? fopen("/proc/cpuinfo", "r") : NULL;
    while (info != NULL && name[0] == '\0' && fgets(line, sizeof line, info) != NULL)
        sscanf(line, "model name%*[^:]: %255[^\n]", name);
    if (info != NULL) fclose(info);
    if (name[0] == '\0') strcpy(name, "unknown processor");
    return name;
}
