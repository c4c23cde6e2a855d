/* device/share.c: device memory that several processes use: its storage is a file of memory, which
 * each of them maps. */
#include "memory.h"

#include <sys/mman.h>
#include <unistd.h>

/* Maps over the allocation's storage, which begins at a page. file -1: memory of zeros. */
static bool map_storage(const struct allocation *allocation, int file) {
    int kind = file < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED;
    void *storage = (void *)(allocation->address + (uintptr_t)allocation->delta);
    return mmap(storage, allocation->size, PROT_READ | PROT_WRITE, kind | MAP_FIXED, file, 0) !=
           MAP_FAILED;
}

static bool write_all(int file, const char *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t n = pwrite(file, bytes + done, size - done, (off_t)done);
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

int memory_share(struct allocation *allocation) {
    if (allocation->file >= 0) return allocation->file;
    int file = memfd_create("simt device memory", MFD_CLOEXEC);
    if (file < 0) return -1;
    const char *bytes = (const char *)(allocation->address + (uintptr_t)allocation->delta);
    if (!write_all(file, bytes, allocation->size) || !map_storage(allocation, file)) {
        close(file);
        return -1;
    }
    return allocation->file = file;
}

struct allocation *memory_import(int file, size_t size) {
    struct allocation *allocation = memory_allocate(size, ALLOC_IMPORTED, NULL);
    if (!allocation) return NULL;
    if (!map_storage(allocation, file)) {
        memory_free(allocation->address);
        return NULL;
    }
    allocation->file = file;
    return allocation;
}

void memory_unshare(struct allocation *allocation) {
    map_storage(allocation, -1);
    close(allocation->file);
    allocation->file = -1;
}
