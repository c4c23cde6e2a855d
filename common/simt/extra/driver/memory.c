/* extra/driver/memory.c: memory, copies and fills. */
#include "driver.h"

#include <string.h>

/* ---- Memory ---- */

DRIVER(cuMemAlloc_v2, (CUdeviceptr * pointer, size_t size),
       size ? cudaMalloc((void **)pointer, size) : cudaErrorInvalidValue)
DRIVER(cuMemFree_v2, (CUdeviceptr pointer), cudaFree(driver_pointer(pointer)))
DRIVER(cuMemAllocManaged, (CUdeviceptr * pointer, size_t size, unsigned flags),
       cudaMallocManaged((void **)pointer, size, flags))
DRIVER(cuMemAllocHost_v2, (void **pointer, size_t size), cudaMallocHost(pointer, size))
DRIVER(cuMemHostAlloc, (void **pointer, size_t size, unsigned flags),
       cudaHostAlloc(pointer, size, flags))
DRIVER(cuMemFreeHost, (void *pointer), cudaFreeHost(pointer))
DRIVER(cuMemHostRegister_v2, (void *pointer, size_t size, unsigned flags),
       cudaHostRegister(pointer, size, flags))
DRIVER(cuMemHostUnregister, (void *pointer), cudaHostUnregister(pointer))
DRIVER(cuMemHostGetDevicePointer_v2, (CUdeviceptr * device, void *pointer, unsigned flags),
       cudaHostGetDevicePointer((void **)device, pointer, flags))
DRIVER(cuMemHostGetFlags, (unsigned *flags, void *pointer), cudaHostGetFlags(flags, pointer))
DRIVER(cuMemGetInfo_v2, (size_t * free, size_t *total), cudaMemGetInfo(free, total))
DRIVER(cuIpcGetMemHandle, (CUipcMemHandle * handle, CUdeviceptr pointer),
       cudaIpcGetMemHandle(handle, driver_pointer(pointer)))
DRIVER(cuIpcOpenMemHandle_v2, (CUdeviceptr * pointer, CUipcMemHandle handle, unsigned flags),
       cudaIpcOpenMemHandle((void **)pointer, handle, flags))
DRIVER(cuIpcCloseMemHandle, (CUdeviceptr pointer), cudaIpcCloseMemHandle(driver_pointer(pointer)))

static cudaError_t allocate_pitched(CUdeviceptr *pointer, size_t *pitch, size_t width,
                                    size_t height, unsigned element) {
    bool is_element = element == 4 || element == 8 || element == 16;
    return is_element ? cudaMallocPitch((void **)pointer, pitch, width, height)
                      : cudaErrorInvalidValue;
}

DRIVER(cuMemAllocPitch_v2,
       (CUdeviceptr * pointer, size_t *pitch, size_t width, size_t height, unsigned element),
       allocate_pitched(pointer, pitch, width, height, element))

static cudaError_t get_range(CUdeviceptr *start, size_t *size, CUdeviceptr pointer) {
    cudaError_t error = rt_enter_beside("cuMemGetAddressRange");
    const struct allocation *allocation = error ? NULL : memory_find(pointer, 1);
    if (!error && !allocation) error = cudaErrorSymbolNotFound;
    if (allocation && start) *start = allocation->address;
    if (allocation && size) *size = allocation->size;
    return rt_leave(error);
}

DRIVER(cuMemGetAddressRange_v2, (CUdeviceptr * start, size_t *size, CUdeviceptr pointer),
       get_range(start, size, pointer))

/* ---- What a pointer is ---- */

/* Stores an attribute of its type. Returns cudaErrorInvalidValue of memory that is the host's. */
static cudaError_t get_attribute(void *value, CUpointer_attribute attribute, CUdeviceptr pointer) {
    struct cudaPointerAttributes all;
    CUdeviceptr start = 0;
    size_t size = 0;
    cudaError_t error =
        value ? cudaPointerGetAttributes(&all, driver_pointer(pointer)) : cudaErrorInvalidValue;
    if (error || all.type == cudaMemoryTypeUnregistered) return cudaErrorInvalidValue;
    get_range(&start, &size, pointer);
    switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
        return RT_SET((CUcontext *)value, driver_primary(all.device));
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        return RT_SET((unsigned *)value,
                      all.type == cudaMemoryTypeHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        return RT_SET((CUdeviceptr *)value, (uintptr_t)all.devicePointer);
    case CU_POINTER_ATTRIBUTE_HOST_POINTER: return RT_SET((void **)value, all.hostPointer);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: return RT_SET((unsigned long long *)value, start);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        return RT_SET((unsigned *)value, all.type == cudaMemoryTypeManaged);
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: return RT_SET((int *)value, all.device);
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: return RT_SET((CUdeviceptr *)value, start);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: return RT_SET((size_t *)value, size);
    case CU_POINTER_ATTRIBUTE_MAPPED: return RT_SET((unsigned *)value, 1u);
    default: return rt_unsupported("cuPointerGetAttribute of this attribute");
    }
}

DRIVER(cuPointerGetAttribute, (void *value, CUpointer_attribute attribute, CUdeviceptr pointer),
       get_attribute(value, attribute, pointer))

/* What a pointer does not have stays 0: the call succeeds for the host's memory, too. */
static cudaError_t get_attributes(unsigned n, CUpointer_attribute *attributes, void **values,
                                  CUdeviceptr pointer) {
    if (!n || !attributes || !values) return cudaErrorInvalidValue;
    for (unsigned i = 0; i < n; i++)
        if (get_attribute(values[i], attributes[i], pointer)) memset(values[i], 0, sizeof(int));
    return cudaSuccess;
}

DRIVER(cuPointerGetAttributes,
       (unsigned n, CUpointer_attribute *attributes, void **values, CUdeviceptr pointer),
       get_attributes(n, attributes, values, pointer))
DRIVER(cuPointerSetAttribute,
       (const void *value, CUpointer_attribute attribute, CUdeviceptr pointer),
       (get_range(NULL, NULL, pointer) || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS || !value
            ? cudaErrorInvalidValue
            : cudaSuccess)) /* our copies are always in order */

/* ---- Copies ---- */

/* A copy that the host waits for. */
static cudaError_t copy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                        cudaStream_t stream) {
    if (stream == cudaStreamLegacy) return cudaMemcpy(to, from, size, kind);
    cudaError_t error = cudaMemcpyAsync(to, from, size, kind, stream);
    return error ? error : cudaStreamSynchronize(stream);
}

DRIVER_WAITS(cuMemcpy, (CUdeviceptr to, CUdeviceptr from, size_t size),
             copy(driver_pointer(to), driver_pointer(from), size, cudaMemcpyDefault, stream))
DRIVER_WAITS(cuMemcpyHtoD_v2, (CUdeviceptr to, const void *from, size_t size),
             copy(driver_pointer(to), from, size, cudaMemcpyHostToDevice, stream))
DRIVER_WAITS(cuMemcpyDtoH_v2, (void *to, CUdeviceptr from, size_t size),
             copy(to, driver_pointer(from), size, cudaMemcpyDeviceToHost, stream))
DRIVER_WAITS(cuMemcpyDtoD_v2, (CUdeviceptr to, CUdeviceptr from, size_t size),
             copy(driver_pointer(to), driver_pointer(from), size, cudaMemcpyDeviceToDevice, stream))
DRIVER_STREAM(cuMemcpyAsync, (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream),
              cudaMemcpyAsync(driver_pointer(to), driver_pointer(from), size, cudaMemcpyDefault,
                              stream))
DRIVER_STREAM(cuMemcpyHtoDAsync_v2,
              (CUdeviceptr to, const void *from, size_t size, CUstream stream),
              cudaMemcpyAsync(driver_pointer(to), from, size, cudaMemcpyHostToDevice, stream))
DRIVER_STREAM(cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t size, CUstream stream),
              cudaMemcpyAsync(to, driver_pointer(from), size, cudaMemcpyDeviceToHost, stream))
DRIVER_STREAM(cuMemcpyDtoDAsync_v2,
              (CUdeviceptr to, CUdeviceptr from, size_t size, CUstream stream),
              cudaMemcpyAsync(driver_pointer(to), driver_pointer(from), size,
                              cudaMemcpyDeviceToDevice, stream))

/* Contexts are devices here, so the pointers tell them. */
DRIVER_WAITS(cuMemcpyPeer,
             (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
              size_t size),
             ((void)to_context, (void)from_context,
              copy(driver_pointer(to), driver_pointer(from), size, cudaMemcpyDefault, stream)))
DRIVER_STREAM(cuMemcpyPeerAsync,
              (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context,
               size_t size, CUstream stream),
              ((void)to_context, (void)from_context,
               cudaMemcpyAsync(driver_pointer(to), driver_pointer(from), size, cudaMemcpyDefault,
                               stream)))

/* One side of a box in memory: its first byte, and where its rows and layers lie. */
static struct cudaPitchedPtr side(CUmemorytype type, const void *host, CUdeviceptr device,
                                  size_t pitch, size_t height) {
    void *pointer = type == CU_MEMORYTYPE_HOST    ? (void *)(uintptr_t)host
                    : type == CU_MEMORYTYPE_ARRAY ? NULL
                                                  : driver_pointer(device);
    return (struct cudaPitchedPtr){pointer, pitch, pitch, height};
}

/* The array of a side. Where there is one, *element becomes the bytes of its elements. */
static cudaArray_t array_of(CUmemorytype type, CUarray array, size_t *element) {
    if (type != CU_MEMORYTYPE_ARRAY) return NULL;
    *element = driver_texel_bytes(array);
    return (cudaArray_t)array;
}

/* The driver counts columns in bytes, the runtime those of an array, and of a copy with one, in
 * elements. */
static cudaError_t copy_box(const CUDA_MEMCPY3D *box, cudaStream_t stream, bool waits) {
    size_t from = 1, to = 1;
    if (!box) return cudaErrorInvalidValue;
    struct cudaMemcpy3DParms params = {
        .srcArray = array_of(box->srcMemoryType, box->srcArray, &from),
        .srcPtr =
            side(box->srcMemoryType, box->srcHost, box->srcDevice, box->srcPitch, box->srcHeight),
        .dstArray = array_of(box->dstMemoryType, box->dstArray, &to),
        .dstPtr =
            side(box->dstMemoryType, box->dstHost, box->dstDevice, box->dstPitch, box->dstHeight),
        .kind = cudaMemcpyDefault,
    };
    size_t element = from > to ? from : to;
    if (!from || !to || box->WidthInBytes % element || box->srcXInBytes % from ||
        box->dstXInBytes % to)
        return cudaErrorInvalidValue;
    params.srcPos = (struct cudaPos){box->srcXInBytes / from, box->srcY, box->srcZ};
    params.dstPos = (struct cudaPos){box->dstXInBytes / to, box->dstY, box->dstZ};
    params.extent = (struct cudaExtent){box->WidthInBytes / element, box->Height, box->Depth};
    if (waits && stream == cudaStreamLegacy) return cudaMemcpy3D(&params);
    cudaError_t error = cudaMemcpy3DAsync(&params, stream);
    return error || !waits ? error : cudaStreamSynchronize(stream);
}

/* A box of one layer. A pitch of 0 means rows without a gap. */
static cudaError_t copy_rows(const CUDA_MEMCPY2D *rows, cudaStream_t stream, bool waits) {
    if (!rows) return cudaErrorInvalidValue;
    const CUDA_MEMCPY3D box = {
        .srcXInBytes = rows->srcXInBytes,
        .srcY = rows->srcY,
        .srcMemoryType = rows->srcMemoryType,
        .srcHost = rows->srcHost,
        .srcDevice = rows->srcDevice,
        .srcArray = rows->srcArray,
        .srcPitch = rows->srcPitch ? rows->srcPitch : rows->WidthInBytes,
        .srcHeight = rows->srcY + rows->Height,
        .dstXInBytes = rows->dstXInBytes,
        .dstY = rows->dstY,
        .dstMemoryType = rows->dstMemoryType,
        .dstHost = rows->dstHost,
        .dstDevice = rows->dstDevice,
        .dstArray = rows->dstArray,
        .dstPitch = rows->dstPitch ? rows->dstPitch : rows->WidthInBytes,
        .dstHeight = rows->dstY + rows->Height,
        .WidthInBytes = rows->WidthInBytes,
        .Height = rows->Height,
        .Depth = 1,
    };
    return copy_box(&box, stream, waits);
}

DRIVER_WAITS(cuMemcpy2D_v2, (const CUDA_MEMCPY2D *rows), copy_rows(rows, stream, true))
DRIVER_WAITS(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *rows), copy_rows(rows, stream, true))
DRIVER_WAITS(cuMemcpy3D_v2, (const CUDA_MEMCPY3D *box), copy_box(box, stream, true))
DRIVER_STREAM(cuMemcpy2DAsync_v2, (const CUDA_MEMCPY2D *rows, CUstream stream),
              copy_rows(rows, stream, false))
DRIVER_STREAM(cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *box, CUstream stream),
              copy_box(box, stream, false))

/* ---- Fills ---- */

static cudaError_t fill(CUdeviceptr pointer, size_t pitch, unsigned value, unsigned element,
                        size_t width, size_t height, cudaStream_t stream) {
    const struct cudaMemsetParams params = {
        driver_pointer(pointer), pitch, value, element, width, height};
    if (pointer % element || pitch % element) return cudaErrorInvalidValue;
    RT_ENTERED(rt_enter_beside("cudaMemsetAsync"), rt_fill(&params, stream));
}

#define FILLS(name, type, element)                                                                 \
    DRIVER_WAITS(cuMemsetD##name##_v2, (CUdeviceptr pointer, type value, size_t n),                \
                 fill(pointer, n *element, value, element, n, 1, stream))                          \
    DRIVER_STREAM(cuMemsetD##name##Async,                                                          \
                  (CUdeviceptr pointer, type value, size_t n, CUstream stream),                    \
                  fill(pointer, n *element, value, element, n, 1, stream))                         \
    DRIVER_WAITS(cuMemsetD2D##name##_v2,                                                           \
                 (CUdeviceptr pointer, size_t pitch, type value, size_t width, size_t height),     \
                 fill(pointer, pitch, value, element, width, height, stream))                      \
    DRIVER_STREAM(cuMemsetD2D##name##Async,                                                        \
                  (CUdeviceptr pointer, size_t pitch, type value, size_t width, size_t height,     \
                   CUstream stream),                                                               \
                  fill(pointer, pitch, value, element, width, height, stream))
FILLS(8, unsigned char, 1)
FILLS(16, unsigned short, 2)
FILLS(32, unsigned, 4)

/* ---- Pools and managed memory ---- */

DRIVER_STREAM(cuMemAllocAsync, (CUdeviceptr * pointer, size_t size, CUstream stream),
              cudaMallocAsync((void **)pointer, size, stream))
DRIVER_STREAM(cuMemFreeAsync, (CUdeviceptr pointer, CUstream stream),
              cudaFreeAsync(driver_pointer(pointer), stream))
DRIVER_STREAM(cuMemAllocFromPoolAsync,
              (CUdeviceptr * pointer, size_t size, CUmemoryPool pool, CUstream stream),
              cudaMallocFromPoolAsync((void **)pointer, size, pool, stream))
DRIVER(cuMemPoolCreate, (CUmemoryPool * pool, const struct cudaMemPoolProps *props),
       cudaMemPoolCreate(pool, props))
DRIVER(cuMemPoolDestroy, (CUmemoryPool pool), cudaMemPoolDestroy(pool))
DRIVER(cuMemPoolTrimTo, (CUmemoryPool pool, size_t size), cudaMemPoolTrimTo(pool, size))
DRIVER(cuMemPoolGetAttribute, (CUmemoryPool pool, CUmemPool_attribute attribute, void *value),
       cudaMemPoolGetAttribute(pool, (enum cudaMemPoolAttr)attribute, value))
DRIVER(cuMemPoolSetAttribute, (CUmemoryPool pool, CUmemPool_attribute attribute, void *value),
       cudaMemPoolSetAttribute(pool, (enum cudaMemPoolAttr)attribute, value))
DRIVER(cuMemPoolGetAccess,
       (enum cudaMemAccessFlags * flags, CUmemoryPool pool, CUmemLocation *location),
       cudaMemPoolGetAccess(flags, pool, location))
DRIVER(cuMemPoolSetAccess, (CUmemoryPool pool, const struct cudaMemAccessDesc *access, size_t n),
       cudaMemPoolSetAccess(pool, access, n))
DRIVER(cuMemRangeGetAttribute,
       (void *value, size_t bytes, enum cudaMemRangeAttribute attribute, CUdeviceptr pointer,
        size_t size),
       cudaMemRangeGetAttribute(value, bytes, attribute, driver_pointer(pointer), size))
DRIVER_STREAM(cuMemPrefetchAsync_v2,
              (CUdeviceptr pointer, size_t size, CUmemLocation location, unsigned flags,
               CUstream stream),
              cudaMemPrefetchAsync(driver_pointer(pointer), size, location, flags, stream))
DRIVER(cuMemAdvise_v2,
       (CUdeviceptr pointer, size_t size, CUmem_advise advice, CUmemLocation location),
       cudaMemAdvise(driver_pointer(pointer), size, (enum cudaMemoryAdvise)advice, location))

/* Up to CUDA 12 a device's number took the place of the location; -1: the host. */
static CUmemLocation location_of(CUdevice device) {
    return device < 0 ? (CUmemLocation){cudaMemLocationTypeHost, 0}
                      : (CUmemLocation){cudaMemLocationTypeDevice, device};
}

DRIVER_STREAM(cuMemPrefetchAsync,
              (CUdeviceptr pointer, size_t size, CUdevice device, CUstream stream),
              cudaMemPrefetchAsync(driver_pointer(pointer), size, location_of(device), 0, stream))
DRIVER(cuMemAdvise, (CUdeviceptr pointer, size_t size, CUmem_advise advice, CUdevice device),
       cudaMemAdvise(driver_pointer(pointer), size, (enum cudaMemoryAdvise)advice,
                     location_of(device)))
