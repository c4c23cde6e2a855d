# setup.sh and setup-cuda.sh on systems made of stand-ins: what they install, what they say, what
# they leave alone; and doctor's advice. Nothing is installed here.
# shellcheck disable=SC2030,SC2031 # each test has its own environment

load ../helpers

SMALL_TOOLS="bash sh awk sed grep find cmp flock cat tail head mktemp rm env dirname paste install sort mkdir uname"

setup() {
    bin="$BATS_TEST_TMPDIR/bin"
    mkdir "$bin"
    for tool in $SMALL_TOOLS; do ln -s "$(command -v "$tool")" "$bin/$tool"; done
    export BUILD="$BATS_TEST_TMPDIR" SOURCES="$BATS_TEST_TMPDIR/cuda-labs.list" KERNEL=6.1.0-amd64
}

# A Debian where nothing is installed, used by root (0) or somebody else.
debian() {
    stand_in "$bin" id dpkg-query apt-get apt-cache
    export USER_ID=$1 INSTALLED=''
}

# setup_here SCRIPT ARGUMENT...: on the system of stand-ins.
setup_here() {
    run env PATH="$bin" "common/tools/$1" "${@:2}"
}

@test "root installs directly, others through sudo, and only what is missing" {
    debian 0
    INSTALLED=clang
    setup_here setup.sh plots front
    assert_success
    assert_output "setup: installing gnuplot-nox fonts-dejavu-core"
    called '^apt-get.* install .*gnuplot-nox fonts-dejavu-core$'
    debian 1000
    stand_in "$bin" sudo
    setup_here setup.sh front
    assert_success
    called '^sudo .*apt-get .*install .*clang$'
}

@test "NO_INSTALL only names, and all there is silence" {
    debian 0
    NO_INSTALL=1 setup_here setup.sh front
    assert_success
    assert_output "setup: missing, and not installed because of NO_INSTALL: clang"
    not_called '^apt-get'
    INSTALLED=all
    setup_here setup.sh build plots handouts tests front grading
    assert_success
    refute_output
}

@test "no sudo: an administrator's command" {
    debian 1000
    setup_here setup.sh front
    assert_failure 1
    assert_output \
        "setup: not root, and there is no sudo; ask an administrator to run: apt-get install clang"
    not_called '^apt-get'
}

@test "no network, or a refused sudo: apt's words, and what to do" {
    debian 0
    APT_FAILS="update install" setup_here setup.sh front
    assert_failure 1
    assert_output --partial "E: Unable to fetch"
    assert_output --partial "ask an administrator to run: apt-get install clang"
    assert_output --partial "NO_INSTALL=1"
}

@test "a list of packages that cannot be read stops nothing" {
    debian 0
    APT_FAILS=update setup_here setup.sh front
    assert_success
}

@test "no apt: the packages' names on Fedora, Arch, openSUSE and elsewhere" {
    while read -r id text; do
        echo "ID=$id" >"$BATS_TEST_TMPDIR/os-release"
        OS_RELEASE="$BATS_TEST_TMPDIR/os-release" setup_here setup.sh build front
        assert_success
        assert_lines 1
        assert_output --partial "there is no apt here; if something is missing"
        assert_output --partial "$text"
    done <<'SYSTEMS'
fedora : sudo dnf install gcc gcc-c++ make libzstd-devel lz4-devel
arch : sudo pacman -S --needed gcc make zstd lz4
opensuse-tumbleweed : sudo zypper install gcc gcc-c++
"gentoo" , install what Debian calls gcc g++ make
SYSTEMS
}

@test "CUDA=1 says the size before it installs, and adds one file" {
    debian 0
    setup_here setup-cuda.sh
    assert_output --partial "Need to get 1576 MB"
    assert_output --partial "adds $SOURCES: deb http://mirror.example/debian"
    assert_grep "non-free\|multiverse" <"$SOURCES"
    called '^apt-get.* install -y .*nvidia-cuda-toolkit'
}

@test "CUDA=1 with NO_INSTALL only says it" {
    debian 0
    NO_INSTALL=1 setup_here setup-cuda.sh
    assert_success
    assert_output --partial "Need to get 1576 MB"
    assert [ ! -e "$SOURCES" ]
    not_called 'install -y'
}

@test "CUDA=1 takes its file away again where the installation fails" {
    debian 0
    APT_FAILS=-y setup_here setup-cuda.sh
    assert_failure 1
    assert_output --partial "could not install it; labs go on with clang"
    assert [ ! -e "$SOURCES" ]
}

@test "CUDA=1 on WSL2, without apt, and where nvcc is" {
    debian 0
    KERNEL=5.15.90.1-microsoft-standard-WSL2 setup_here setup-cuda.sh
    assert_failure 1
    assert_output --partial "WSL2 takes the GPU's driver from Windows"
    stand_in "$bin" nvcc
    setup_here setup-cuda.sh
    assert_success
    assert_output --partial "there is an nvcc already"
    rm "$bin/apt-get" "$bin/nvcc"
    setup_here setup-cuda.sh
    assert_failure 1
    assert_output --partial "this system has no apt"
}

# ---- doctor ----

# A machine where everything is found.
machine() {
    local tool
    for tool in $SMALL_TOOLS df nproc ls id tr cut; do ln -sf "$(command -v "$tool")" \
        "$bin/$tool"; done
    for tool in gcc g++ clang++ gnuplot fc-list pandoc bwrap bats; do cp "$STAND_INS/tool" \
        "$bin/$tool"; done
}

# doctor SETTING...: one screen, whatever it finds.
doctor() {
    to_run env PATH="$bin" FRONT=clang CLANG=clang++ -- "$@" common/tools/doctor.sh
    assert [ "${#lines[@]}" -le 24 ]
}

@test "doctor: a machine that has all" {
    machine
    doctor -0
    refute_output --partial "NO  "
    assert_line --index -1 "The labs can be built and run."
}

@test "doctor: what the labs can do without is lost, with what mends it" {
    while IFS='|' read -r tool text; do
        # The students' edition has no grader, and asks for no sandbox.
        [ "$tool" != bwrap ] || [ -e common/grade ] || continue
        machine
        rm "$bin/$tool"
        doctor -0
        assert_output --partial "lost"
        assert_output --partial "$text"
    done <<'TOOLS'
gnuplot|no plots: profile-labN PLOT=0 still gives the numbers; make setup
pandoc|no handouts as web pages
bwrap|make setup GRADING=1
bats|no make test; make setup
TOOLS
}

@test "doctor: what the labs cannot do without ends with 1" {
    for tool in gcc clang++ flock cmp; do
        machine
        rm "$bin/$tool"
        doctor -1
        assert_output --partial "NO  "
        assert_line --index -1 "The labs cannot be built: install what is marked NO."
    done
}

@test "doctor: a compiler that is there and does not work" {
    machine
    stand_in "$bin" clang++
    doctor -1
    assert_output --partial "finds no C++ library; install g++"
    stand_in "$bin" nvcc
    doctor -1 FRONT=nvcc NVCC=nvcc NVCC_RELEASE=11.8 NVCC_ERROR="error: unsupported GNU version"
    assert_output --partial \
        "nvcc 11.8 compiles nothing: error: unsupported GNU version; install a g++ that it supports, or use FRONT=clang"
}

@test "doctor: a simulated GPU of which nothing is measured is called derived" {
    machine
    doctor -0 SIM_GPU=h200
    refute_output --partial derived
    doctor -0 SIM_GPU=t4
    assert_line --regexp "^  ok    simulated GPU +SIM_GPU=t4: times modelled, constants derived"
}

@test "doctor: a GPU, its driver and its counters" {
    machine
    stand_in "$bin" nvidia-smi nvcc
    export GPU_NAME="Test GPU" GPU_CC=9.0
    doctor -0 FRONT=nvcc NVCC=nvcc
    assert_output --partial \
        "nvcc 13.0 is newer than the driver, which has CUDA 12.4; update the driver"
    assert_output --partial "profile-labN has no metrics on this GPU; get Nsight Compute"
    [ -e /usr/include/cupti.h ] || assert_output --partial \
        "labprof has metrics but no times on the GPU; install NVIDIA's cuda-cupti-dev"
    mkdir -p "$BATS_TEST_TMPDIR/toolkit/bin" "$BATS_TEST_TMPDIR/toolkit/include"
    touch "$BATS_TEST_TMPDIR/toolkit/include/cupti.h"
    cp "$bin/nvcc" "$BATS_TEST_TMPDIR/toolkit/bin/nvcc"
    doctor FRONT=nvcc NVCC="$BATS_TEST_TMPDIR/toolkit/bin/nvcc"
    assert_output --partial "ok    CUPTI              $BATS_TEST_TMPDIR/toolkit/include"
    # As ncu, and Debian's compute-sanitizer 11.8 say what they are.
    stand_in "$bin" ncu compute-sanitizer
    doctor FRONT=nvcc NVCC=nvcc
    assert_output --partial \
        "ok    profiler           NVIDIA (R) Nsight Compute, version 2025.3.1.0 (build 36398880)"
    assert_output --partial \
        "ok    compute-sanitizer  NVIDIA (R) Compute Sanitizer, version 2022.3.0"$'\n'
    rm "$bin/ncu" "$bin/compute-sanitizer"
    doctor
    assert_output --partial "the GPU stays idle; make setup CUDA=1"
}
