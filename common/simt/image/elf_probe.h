/* image/elf_probe.h: how an executable file uses CUDA. */
#ifndef SIMT_IMAGE_ELF_PROBE_H
#define SIMT_IMAGE_ELF_PROBE_H

#include <stdbool.h>

struct elf_probe {
    int cudart_major;     /* of the libcudart.so it is linked with; 0: none */
    bool has_device_code; /* it has a section of fat binaries */
    bool reads_clock;     /* it calls a function that tells the CPU's time */
    char gpu_library[64]; /* the first library it is linked with that needs a real GPU: libcuda.so.1, say; "": none */
};

/* Read the file at path. False: not a readable 64-bit ELF file, but a script, for example. */
bool elf_probe(const char *path, struct elf_probe *probe);

#endif
