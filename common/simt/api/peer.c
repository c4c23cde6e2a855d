/* api/peer.c: which devices may access each other's memory: any may, once it is enabled. The errors
 * are those of two H200s. */
#include "runtime.h"

static bool is_peer(int device, int peer) {
    return device_exists(device) && device_exists(peer) && device != peer;
}

static cudaError_t can_access(int *can, int device, int peer) {
    if (!can) return cudaErrorInvalidValue;
    if (!device_exists(device) || !device_exists(peer)) return cudaErrorInvalidDevice;
    *can = is_peer(device, peer);
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    RT_KNOWN_CALL(can_access(can, device, peer));
}

static cudaError_t enable(int peer, unsigned flags) {
    int device = device_current();
    if (!device_exists(peer)) return cudaErrorInvalidDevice;
    if (flags) return cudaErrorInvalidValue;
    if (peer == device) return cudaErrorPeerAccessUnsupported;
    if (device_reaches(device, peer)) return cudaErrorPeerAccessAlreadyEnabled;
    device_set_peer(device, peer, true);
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    RT_CALL(enable(peer, flags));
}

static cudaError_t disable(int peer) {
    int device = device_current();
    if (!device_exists(peer)) return cudaErrorInvalidDevice;
    if (!is_peer(device, peer) || !device_reaches(device, peer))
        return cudaErrorPeerAccessNotEnabled;
    device_set_peer(device, peer, false);
    return cudaSuccess;
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    RT_CALL(disable(peer));
}

static cudaError_t peer_attribute(int *value, enum cudaDeviceP2PAttr which, int device, int peer) {
    if (!value || which < cudaDevP2PAttrPerformanceRank ||
        which > cudaDevP2PAttrOnlyPartialNativeAtomicSupported)
        return cudaErrorInvalidValue;
    if (!is_peer(device, peer)) return cudaErrorInvalidDevice;
    *value = which != cudaDevP2PAttrPerformanceRank &&
             which != cudaDevP2PAttrOnlyPartialNativeAtomicSupported;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr which, int device,
                                      int peer) {
    RT_ACTING_CALL(peer_attribute(value, which, device, peer));
}

/* Measured on H200s: the driver names no capability for any operation, neither of the host's memory
 * nor over NVLink. */
static cudaError_t capabilities(unsigned *result, const enum cudaAtomicOperation *operations,
                                unsigned n) {
    if (!result || !operations || !n) return cudaErrorInvalidValue;
    for (unsigned i = 0; i < n; i++) {
        if ((unsigned)operations[i] > cudaAtomicOperationFloatMax) return cudaErrorInvalidValue;
        result[i] = 0;
    }
    return cudaSuccess;
}

cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned *result,
                                                const enum cudaAtomicOperation *operations,
                                                unsigned n, int device) {
    RT_ACTING_CALL(device_exists(device) ? capabilities(result, operations, n)
                                         : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned *result,
                                               const enum cudaAtomicOperation *operations,
                                               unsigned n, int device, int peer) {
    RT_ACTING_CALL(is_peer(device, peer) ? capabilities(result, operations, n)
                                         : cudaErrorInvalidDevice);
}

/* ---- Copies ---- */

/* Copies between two devices' memory, whatever is the current one. */
static cudaError_t peer_copy(void *to, int to_device, const void *from, int from_device,
                             size_t size, cudaStream_t stream, bool synchronous) {
    if (!device_exists(to_device) || !device_exists(from_device)) return cudaErrorInvalidDevice;
    return rt_copy(to, from, size, cudaMemcpyDeviceToDevice, stream, synchronous);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                           size_t size) {
    RT_BESIDE_CALL(peer_copy(to, to_device, from, from_device, size, cudaStreamLegacy, true));
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t size, cudaStream_t stream) {
    RT_BESIDE_CALL(peer_copy(to, to_device, from, from_device, size, stream, false));
}

static cudaError_t copy_3d(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream,
                           bool synchronous) {
    if (!p) return cudaErrorInvalidValue;
    if (!device_exists(p->dstDevice) || !device_exists(p->srcDevice)) return cudaErrorInvalidDevice;
    const struct cudaMemcpy3DParms box = {
        p->srcArray, p->srcPos, p->srcPtr, p->dstArray,
        p->dstPos,   p->dstPtr, p->extent, cudaMemcpyDeviceToDevice};
    cudaError_t error = rt_copy_3d(&box, stream, synchronous);
    return error == cudaErrorInvalidPitchValue ? cudaErrorInvalidValue : error;
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) {
    RT_ACTING_CALL(copy_3d(p, cudaStreamLegacy, true));
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
    RT_ACTING_CALL(copy_3d(p, stream, false));
}
