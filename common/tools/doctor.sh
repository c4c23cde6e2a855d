#!/usr/bin/env bash
# doctor.sh: list what this machine has for the labs, a line each: ok, or what does not work without
# it and the command that installs it. Exit code 1 only if `make lab3` cannot work.
#
#   NVCC=path or empty, CLANG=name, FRONT=nvcc|clang    the compilers that make uses
#   SIM_GPU=name                                        the GPU that the simulator plays
set -u

FRONT=${FRONT:-nvcc} SIM_GPU=${SIM_GPU:-h200} NVCC=${NVCC:-} CLANG=${CLANG:-clang++}
LEAST_FREE_MB=1000 # for the builds, recordings and plots of all labs
LEAST_NVCC=11.8 LEAST_CLANG=14
fatal=0

# The first line that a command prints; nothing if the command fails.
first_line() {
    "$@" 2>/dev/null | head -n 1
}

# A program's name and version. Most print both in the first line; NVIDIA's tools print the version
# in a later line.
version_of() {
    "$1" --version 2>/dev/null | awk '
        NR == 1 { text = $0; next }
        /^(Release v|V)ersion / { text = text ", " tolower(substr($0, 1, 1)) substr($0, 2) }
        END { print text }'
}

ok() { printf '  ok    %-18s %s\n' "$1" "$2"; }
# lost NAME LOSS COMMAND: it is missing; LOSS does not work without it; COMMAND installs it.
lost() { printf '  lost  %-18s %s; %s\n' "$1" "$2" "$3"; }
fatal() {
    printf '  NO    %-18s %s; %s\n' "$1" "$2" "$3"
    fatal=1
}

# has NAME PROGRAM LOSS COMMAND: ok with the version if the program is here.
has() {
    if command -v "$2" >/dev/null; then
        ok "$1" "$(version_of "$2")"
    else
        lost "$1" "$3" "$4"
    fi
}

gpu() {
    nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -n 1
}

nvcc_release() {
    "$NVCC" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\).*/\1/p'
}

# $1 <= $2 as versions.
at_most() {
    [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | head -n 1)" = "$1" ]
}

# ---- Needed by `make lab3` --------------------------------------------------------------------

# Small programs that every run uses. Debian always has them; other systems may not.
check_tools() {
    local tool missing=()
    for tool in awk sed grep find cmp flock; do
        command -v $tool >/dev/null || missing+=("$tool")
    done
    [ ${#missing[@]} = 0 ] || fatal "${missing[*]}" "make stops" \
        "install gawk, sed, grep, findutils, diffutils, util-linux"
}

check_c() {
    if ! command -v gcc >/dev/null; then
        fatal "C compiler" "nothing can be built" "make setup"
    elif ! compiles c '#include <stdio.h>' gcc; then
        fatal "C library" "gcc finds no stdio.h, so nothing can be built" "make setup"
    else
        ok "C compiler" "$(first_line gcc --version)"
        check_library libzstd zstd.h
        check_library liblz4 lz4.h
    fi
}

# check_library NAME HEADER: a library of the simulator.
check_library() {
    if compiles c "#include <$2>" gcc; then
        ok "$1" "found"
    else
        fatal "$1" "the simulator cannot be built" "make setup"
    fi
}

# compiles LANGUAGE TEXT COMPILER...: does the compiler's preprocessor accept the text?
compiles() {
    printf '%s\n' "$2" | "${@:3}" -x "$1" -E - >/dev/null 2>&1
}

check_nvcc() {
    local release reason
    release=$(nvcc_release)
    if ! reason=$(echo '__global__ void k() {}' | "$NVCC" -x cu -E - 2>&1 >/dev/null); then
        reason=$(grep -m 1 -i error <<<"$reason" || tail -n 1 <<<"$reason")
        fatal "labs' compiler" "nvcc $release compiles nothing: $reason" \
            "install a g++ that it supports, or use FRONT=clang"
    elif ! at_most $LEAST_NVCC "$release"; then
        lost "labs' compiler" "nvcc $release is older than $LEAST_NVCC, the oldest that was tried" \
            "make setup CUDA=1, or use FRONT=clang"
    else
        ok "labs' compiler" "nvcc $release"
    fi
}

check_clang() {
    local release
    release=$("$CLANG" -dumpversion)
    if ! compiles c++ '#include <cstdio>' "$CLANG"; then
        fatal "labs' compiler" "$(first_line "$CLANG" --version) finds no C++ library" "install g++"
    elif ! at_most $LEAST_CLANG "$release"; then
        lost "labs' compiler" \
            "clang $release is older than $LEAST_CLANG, the oldest that was tried" \
            "install a newer one: CLANG=/path/to/clang++"
    else
        ok "labs' compiler" \
            "$(first_line "$CLANG" --version): labs run on the simulator; registers are estimated"
    fi
    [ -z "$(gpu name)" ] || lost "nvcc" "the GPU stays idle" "make setup CUDA=1"
}

check_tools
check_c
if [ "$FRONT" = nvcc ] && [ -n "$(nvcc_release)" ]; then
    check_nvcc
elif command -v "$CLANG" >/dev/null; then
    check_clang
else
    fatal "labs' compiler" "neither nvcc nor clang is here" "make setup"
fi

# ---- The GPU ----------------------------------------------------------------------------------

# Can the driver run what the toolkit makes, and does the toolkit know the GPU?
check_match() {
    local driver arch
    driver=$(nvidia-smi 2>/dev/null | sed -n 's/.*CUDA Version: *\([0-9.]*\).*/\1/p' | head -n 1)
    arch=$(gpu compute_cap | tr -d .)
    if [ -n "$driver" ] && ! at_most "$(nvcc_release)" "$driver"; then
        lost "toolkit, driver" \
            "nvcc $(nvcc_release) is newer than the driver, which has CUDA $driver" \
            "update the driver or get an older toolkit"
    elif ! "$NVCC" --list-gpu-arch 2>/dev/null | grep -qx "compute_$arch"; then
        lost "toolkit, GPU" \
            "nvcc $(nvcc_release) does not know compute capability $(gpu compute_cap): the driver \
compiles PTX instead" "get a toolkit that does"
    else
        ok "toolkit, driver" "they match (the driver has CUDA ${driver:-?})"
    fi
}

# Only administrators may read counters unless the driver's settings allow it.
check_counters() {
    if [ "$(id -u)" = 0 ] ||
        ! grep -q 'RmProfilingAdminOnly: 1' /proc/driver/nvidia/params 2>/dev/null; then
        ok "counters" "may be read"
    else
        lost "counters" "profile-labN finds no metrics" \
            "echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' | \
sudo tee /etc/modprobe.d/cuda-labs.conf, then reboot"
    fi
}

# The library that records times for labprof is built with the toolkit's CUPTI.
check_cupti() {
    local folder
    for folder in "${NVCC%/bin/*}/extras/CUPTI/include" "${NVCC%/bin/*}/include" /usr/include; do
        if [ -e "$folder/cupti.h" ]; then
            ok "CUPTI" "$folder"
            return
        fi
    done
    lost "CUPTI" "labprof has metrics but no times on the GPU" \
        "install NVIDIA's cuda-cupti-dev or Debian's libcupti-dev, then make labprof"
}

check_gpu() {
    ok "GPU" "$(gpu name,compute_cap,driver_version)"
    [ "$FRONT" != nvcc ] || check_match
    [ "$FRONT" != nvcc ] || check_cupti
    if at_most "$(gpu compute_cap)" 7.2; then
        has "profiler" nvprof "profile-labN has no metrics on this GPU" "make setup CUDA=1"
    else
        has "profiler" ncu "profile-labN has no metrics on this GPU" \
            "get Nsight Compute from NVIDIA"
    fi
    has "compute-sanitizer" compute-sanitizer "check-labN cannot check on the GPU" \
        "make setup CUDA=1, or check-labN DEVICE=sim"
    check_counters
}

# What the labs' tables then say of their times.
check_simulated() {
    [ -n "$("$(dirname "$0")/gpu.sh" measured "$SIM_GPU")" ] ||
        ok "simulated GPU" "SIM_GPU=$SIM_GPU: times modelled, constants derived"
}

if [ -n "$(gpu name)" ]; then
    check_gpu
else
    ok "GPU" "nvidia-smi finds none: labs run on the simulator"
fi
check_simulated

# ---- The rest ---------------------------------------------------------------------------------

check_processor() {
    local flags name=baseline
    flags=" $(sed -n 's/^flags[^:]*://p' /proc/cpuinfo | head -n 1) "
    [[ $flags == *" avx2 "*" bmi2 "* || $flags == *" bmi2 "*" avx2 "* ]] && name=AVX2
    [[ $flags == *" avx512f "* && $flags == *" avx512bw "* ]] && name=AVX-512
    if [ $name = baseline ]; then
        lost "processor" "no AVX2: the simulator is about three times slower" \
            "take another machine for large sizes"
    else
        ok "processor" "$(nproc) processors, $name"
    fi
}

check_disk() {
    local free
    [ -w . ] || fatal "this folder" "it cannot be written, so nothing can be built" \
        "work in a copy that is yours, or with BUILD=/path/to/folder"
    free=$(df -Pm . | awk 'NR == 2 { print $4 }')
    if [ "$free" -ge $LEAST_FREE_MB ]; then
        ok "disk" "$free MB free"
    else
        lost "disk" "only $free MB free; all labs need $LEAST_FREE_MB" "make clean, or make room"
    fi
}

check_fonts() {
    if fc-list 2>/dev/null | grep -q DejaVu ||
        ls /usr/share/fonts/truetype/dejavu >/dev/null 2>&1; then
        ok "fonts" "DejaVu"
    else
        lost "fonts" "plots use other fonts" "make setup"
    fi
}

check_processor
check_disk
has "gnuplot" gnuplot "no plots: profile-labN PLOT=0 still gives the numbers" "make setup"
check_fonts
has "pandoc" pandoc "no handouts as web pages; handouts/*.md can be read as they are" "make setup"
has "bubblewrap" bwrap "grade-labN has no sandbox for submissions" "make setup GRADING=1"
has "bsdtar" bsdtar "grade-labN opens no archives" "make setup GRADING=1"
has "bats" bats "no make test" "make setup"

if [ $fatal = 0 ]; then
    echo "The labs can be built and run."
else
    echo "The labs cannot be built: install what is marked NO."
fi
exit $fatal
