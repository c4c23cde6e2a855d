#!/usr/bin/env bash
# recording.sh: for scripts that keep measurements as a GPU's reference; they read it with `.`.

# reference_folder DEVICE: where recordings of the device lie: its name in gpus.tsv, with -simt if it is a simulated one.
reference_folder() {
    local gpu
    gpu=$(common/tools/gpu.sh named "${1% (simt)}")
    if [ -z "$gpu" ]; then
        echo "record: $1 is not in common/simt/gpus.tsv; add it there first" >&2
        return 1
    fi
    case $1 in *" (simt)") gpu+=-simt ;; esac
    echo "plots/reference/$gpu"
}

# keep FILE: standard input becomes the file, whole or not at all.
keep() {
    cat >"$1.tmp"
    mv "$1.tmp" "$1"
    echo "  kept    $1"
}

# about DEVICE: how a recording came about. What has no driver (the simulator) has no line for it. Nor a date: what it says depends
# on nothing but the program.
about() {
    printf 'fact\tvalue\ndevice\t%s\ntoolkit\tCUDA %s\n' "$1" "$("${NVCC:-nvcc}" --version | sed -n 's/.*, V//p')"
    case $1 in *" (simt)") return ;; esac
    printf 'driver\t%s\n' "$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)"
    printf 'date\t%s\n' "$(date -u +%F)"
}
