/* Reads a device's properties as programs compiled with CUDA 11 or 12 do, and asks for what those
 * answer otherwise than CUDA 13: the version, in a child of a process that used CUDA, too; and the
 * attributes of what is no kernel. */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int cudaRuntimeGetVersion(int *version);
int cudaFuncGetAttributes(void *attributes, const void *kernel);
int PROPERTIES(void *properties, int device);
/* Bytes from the beginning of cudaDeviceProp, in the headers of CUDA 11.8 and 12.4. */
enum {
    CLOCK_KHZ = 348,
    MULTIPROCESSORS = 388,
    RESERVED_SHARED = 720,
    MEMORY_POOLS = 744,
    behind_12 = 1032
};
int main(void) {
    int version, clock, multiprocessors, pools;
    char bytes[2048];
    memset(bytes, 'x', sizeof bytes);
    if (cudaRuntimeGetVersion(&version) || PROPERTIES(bytes, 0)) return 1;
    memcpy(&multiprocessors, bytes + MULTIPROCESSORS, sizeof multiprocessors);
    memcpy(&pools, bytes + MEMORY_POOLS, sizeof pools);
    pid_t child = fork();
    if (!child) _exit(cudaRuntimeGetVersion(&version));
    int status = 1;
    waitpid(child, &status, 0);
    if (status) return 2;
    memcpy(&clock, bytes + CLOCK_KHZ, sizeof clock);
    printf("no kernel: %d\n", cudaFuncGetAttributes(bytes + 2000, &version));
    printf("%d: %s, %d multiprocessors, %d kHz, pools %d, after it %c\n", version, bytes,
           multiprocessors, clock, pools, bytes[version < 12000 ? RESERVED_SHARED + 8 : behind_12]);
    return 0;
}
