#!/usr/bin/env bash
# doctor.sh: what this machine has for the labs, one line each.
set -u

# report NAME COMMAND...: the first line that the command prints, or that it is missing.
report() {
    local name=$1 line
    shift
    if line=$("$@" 2>/dev/null | head -n 1) && [ -n "$line" ]; then
        printf '  %-18s %s\n' "$name" "$line"
    else
        printf '  %-18s %s\n' "$name" "missing"
    fi
}

nvcc_release() {
    "${NVCC:-nvcc}" --version | grep -o 'release [0-9.]*'
}

gpu() {
    nvidia-smi --query-gpu=name,compute_cap,driver_version --format=csv,noheader
}

report "GPU" gpu
report "CUDA compiler" nvcc_release
report "Nsight Compute" sh -c 'ncu --version | grep -i version'
report "compute-sanitizer" sh -c 'compute-sanitizer --version | grep -i version'
report "gnuplot" gnuplot --version
report "C compiler" gcc --version
report "processors" nproc
echo
if gpu >/dev/null 2>&1; then
    echo "Labs run on the GPU; DEVICE=sim runs them on the simulator instead."
else
    echo "No GPU that nvidia-smi sees: labs run on the simulator."
fi
NO_INSTALL=1 "$(dirname "$0")/setup.sh" build plots handouts tests
