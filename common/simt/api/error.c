/* api/error.c: error codes, their names, and when each call reports an error. */
#include "runtime.h"

#include "check.h"
#include "simt/api/launch/refused.h"
#include "simt/machine/machine.h"

#include <stdio.h>
#include <string.h>

static _Thread_local cudaError_t last_error;
static cudaError_t pending; /* error of a faulted kernel before the program synchronises */
/* that error afterwards: every later call returns it, on any device */
static cudaError_t sticky[MAX_DEVICES];
static bool faulted;

static const struct {
    cudaError_t code;
    const char *name, *text;
} errors[] = {
#define ERROR(code, text) {code, #code, text},
#include "errors.def"
#undef ERROR
};

/* enum sim_error has the values of cudaError_t. */
_Static_assert((int)SIM_ERROR_VALUE == cudaErrorInvalidValue &&
                   (int)SIM_ERROR_MEMORY == cudaErrorMemoryAllocation &&
                   (int)SIM_ERROR_PENDING_LAUNCHES == cudaErrorLaunchPendingCountExceeded &&
                   (int)SIM_ERROR_HANDLE == cudaErrorInvalidResourceHandle &&
                   (int)SIM_ERROR_ILLEGAL_ADDRESS == cudaErrorIllegalAddress &&
                   (int)SIM_ERROR_TIMEOUT == cudaErrorLaunchTimeout &&
                   (int)SIM_ERROR_ASSERT == cudaErrorAssert &&
                   (int)SIM_ERROR_MISALIGNED == cudaErrorMisalignedAddress &&
                   (int)SIM_ERROR_ADDRESS_SPACE == cudaErrorInvalidAddressSpace &&
                   (int)SIM_ERROR_PC == cudaErrorInvalidPc &&
                   (int)SIM_ERROR_LAUNCH == cudaErrorLaunchFailure &&
                   (int)SIM_ERROR_NOT_SUPPORTED == cudaErrorNotSupported,
               "enum sim_error");

static char last_fault[sizeof((struct fault *)0)->report];

/* Returns the report on the kernel that was stopped last, for a program that prints the place
 * itself; "": none. */
RT_PUBLIC const char *simtLastFault(void);

const char *simtLastFault(void) {
    return last_fault;
}

void rt_fault(const struct fault *fault) {
    snprintf(last_fault, sizeof last_fault, "%s", fault->report);
    device_printf_flush(device_current());
    size_t length = strlen(fault->report);
    /* a report that was cut off has no line end */
    bool ended = length && fault->report[length - 1] == '\n';
    report_print("%s%s", fault->report, ended ? "" : "\n");
    rt_check_count();
    pending = (cudaError_t)fault->error;
    faulted = true;
}

bool rt_faulted(void) {
    return faulted;
}

cudaError_t rt_surface(void) {
    for (int device = 0; pending && device < devices_count(); device++) sticky[device] = pending;
    pending = cudaSuccess;
    return rt_sticky();
}

void rt_errors_reset(void) {
    if (faulted) sticky[device_current()] = cudaErrorDevicesUnavailable;
}

cudaError_t rt_sticky(void) {
    return sticky[device_current()];
}

void rt_set_last_error(cudaError_t error) {
    last_error = error;
}

cudaError_t rt_unsupported(const char *what) {
    report_note("%s is not supported by the simulator", what);
    return cudaErrorNotSupported;
}

/* For api/unsupported.c, which does not include the toolkit's types. */
int rt_refuse(const char *name, bool say);
int rt_refuse(const char *name, bool say) {
    if (say) report_note("%s is not supported by the simulator", name);
    cudaError_t error = rt_enter(name);
    return rt_leave(error ? error : cudaErrorNotSupported);
}

/* The calling thread's last error, which the function returns. */
static cudaError_t peek(const char *function) {
    if (rt_async_kernel_runs()) /* a kernel beside the host has given this thread no error */
        rt_lock();
    else
        rt_enter_later(function);
    rt_refused_asked();
    rt_call_end(last_error);
    rt_unlock();
    return last_error;
}

/* Clears the last error, even that of a fault. The next call that needs the device sets a fault's
 * error again, as on an H200. */
cudaError_t cudaGetLastError(void) {
    cudaError_t error = peek(__func__);
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void) {
    return peek(__func__);
}

const char *cudaGetErrorName(cudaError_t error) {
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].code == error) return errors[i].name;
    return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++)
        if (errors[i].code == error) return errors[i].text;
    return "unrecognized error code";
}
