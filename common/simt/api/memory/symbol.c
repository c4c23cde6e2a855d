/* api/memory/symbol.c: access to device variables by their host symbols. */
#include "simt/api/runtime.h"

/* Finds the bytes [offset, offset + count) of a variable. */
static cudaError_t range(const void *symbol, size_t offset, size_t count, void **pointer) {
    uintptr_t address;
    size_t size;
    cudaError_t error = rt_symbol(symbol, &address, &size);
    if (error) return error;
    if (offset > size || count > size - offset) return cudaErrorInvalidValue;
    *pointer = (void *)(address + offset);
    return cudaSuccess;
}

static bool host_or_default(enum cudaMemcpyKind kind, enum cudaMemcpyKind host) {
    return kind == host || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
}

cudaError_t rt_line_to_symbol(struct cudaMemcpy3DParms *copy, const void *symbol, const void *from,
                              size_t count, size_t offset, enum cudaMemcpyKind kind) {
    void *to;
    if (!host_or_default(kind, cudaMemcpyHostToDevice)) return cudaErrorInvalidMemcpyDirection;
    cudaError_t error = range(symbol, offset, count, &to);
    if (!error) *copy = rt_line(to, from, count, kind);
    return error;
}

cudaError_t rt_line_from_symbol(struct cudaMemcpy3DParms *copy, void *to, const void *symbol,
                                size_t count, size_t offset, enum cudaMemcpyKind kind) {
    void *from;
    if (!host_or_default(kind, cudaMemcpyDeviceToHost)) return cudaErrorInvalidMemcpyDirection;
    cudaError_t error = range(symbol, offset, count, &from);
    if (!error) *copy = rt_line(to, from, count, kind);
    return error;
}

static cudaError_t copy_to(const void *symbol, const void *from, size_t count, size_t offset,
                           enum cudaMemcpyKind kind, cudaStream_t stream, bool synchronous) {
    void *to;
    if (!host_or_default(kind, cudaMemcpyHostToDevice)) return cudaErrorInvalidMemcpyDirection;
    cudaError_t error = range(symbol, offset, count, &to);
    return error ? error : rt_copy(to, from, count, kind, stream, synchronous);
}

static cudaError_t copy_from(void *to, const void *symbol, size_t count, size_t offset,
                             enum cudaMemcpyKind kind, cudaStream_t stream, bool synchronous) {
    void *from;
    if (!host_or_default(kind, cudaMemcpyDeviceToHost)) return cudaErrorInvalidMemcpyDirection;
    cudaError_t error = range(symbol, offset, count, &from);
    return error ? error : rt_copy(to, from, count, kind, stream, synchronous);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t count, size_t offset,
                               enum cudaMemcpyKind kind) {
    RT_ACTING_CALL(copy_to(symbol, from, count, offset, kind, cudaStreamLegacy, true));
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t count,
                                    size_t offset, enum cudaMemcpyKind kind, cudaStream_t stream) {
    RT_ACTING_CALL(copy_to(symbol, from, count, offset, kind, stream, false));
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t count, size_t offset,
                                 enum cudaMemcpyKind kind) {
    RT_ACTING_CALL(copy_from(to, symbol, count, offset, kind, cudaStreamLegacy, true));
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t count, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream) {
    RT_ACTING_CALL(copy_from(to, symbol, count, offset, kind, stream, false));
}

cudaError_t cudaGetSymbolAddress(void **pointer, const void *symbol) {
    RT_ACTING_CALL(pointer ? range(symbol, 0, 0, pointer) : cudaErrorInvalidValue);
}

static cudaError_t get_size(size_t *size, const void *symbol) {
    uintptr_t address;
    return size ? rt_symbol(symbol, &address, size) : cudaErrorInvalidValue;
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
    RT_ACTING_CALL(get_size(size, symbol));
}
