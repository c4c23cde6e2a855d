/*
 * processor.h: the CPU that a program runs on, and its memory.
 */
#ifndef HARNESS_PROCESSOR_H
#define HARNESS_PROCESSOR_H

#include <fstream>
#include <string>

/* "model name" of /proc/cpuinfo. */
static inline std::string processorName() {
    std::ifstream info("/proc/cpuinfo");
    std::string line;
    while (std::getline(info, line)) {
        const size_t colon = line.find(": ");
        if (line.compare(0, 10, "model name") == 0 && colon != std::string::npos) return line.substr(colon + 2);
    }
    return "unknown processor";
}

/* Bytes of main memory that are free for programs (MemAvailable of /proc/meminfo); 0: not known. */
static inline double availableMemory() {
    std::ifstream info("/proc/meminfo");
    std::string word;
    double kilobytes = 0;
    while (info >> word) {
        if (word == "MemAvailable:" && info >> kilobytes) return kilobytes * 1024;
    }
    return 0;
}

#endif
