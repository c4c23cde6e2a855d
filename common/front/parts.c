/*
 * parts.c: the device code of several objects as one module. cudac compiles this file when it links
 * a program; PARTS is PART(id) for each object that cudac -dc has made.
 *
 * Before main, code that clang adds to such an object calls __cudaRegisterLinkedBinary followed by
 * its id, with the object's device code, and with a function that registers its kernels and
 * variables.
 */
#include <stddef.h>

/* What common/simt/image/fatbin.c reads. */
struct wrapper {
    unsigned magic, version;
    void *container;
    void **objects; /* version 2: a NULL-terminated list of containers */
};

extern void **__cudaRegisterFatBinary(void *wrapper);
extern void simtRegisterFatBinaryEnd(void **handle);

#define PART(id) +1
enum { COUNT = 0 PARTS };
#undef PART

static int count;
static void *containers[COUNT + 1];
static void (*registers[COUNT])(void **handle);

/* The last one registers the module. */
static void add(void (*registered)(void **handle), const struct wrapper *wrapper) {
    static struct wrapper all = {0x466243B1, 2, NULL, containers};
    registers[count] = registered;
    containers[count++] = wrapper->container;
    if (count < COUNT) return;
    void **handle = __cudaRegisterFatBinary(&all);
    for (int i = 0; i < COUNT; i++) registers[i](handle);
    simtRegisterFatBinaryEnd(handle);
}

#define PART(id)                                                                                   \
    void __cudaRegisterLinkedBinary##id(void (*registered)(void **),                               \
                                        const struct wrapper *wrapper) {                           \
        add(registered, wrapper);                                                                  \
    }
PARTS
