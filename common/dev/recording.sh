#!/usr/bin/env bash
# recording.sh: functions to keep measurements as a GPU's reference, for other scripts to source.

# reference_folder DEVICE: make and print the folder of the device's recordings: its name in gpus.tsv, with -simt
# if simulated.
reference_folder() {
    local gpu
    gpu=$(common/tools/gpu.sh named "${1% (simt)}")
    if [ -z "$gpu" ]; then
        echo "record: $1 is not in common/simt/gpus.tsv; add it there first" >&2
        return 1
    fi
    case $1 in *" (simt)") gpu+=-simt ;; esac
    mkdir -p "plots/reference/$gpu"
    echo "plots/reference/$gpu"
}

# keep FILE: write standard input to the file, all of it or nothing.
keep() {
    cat >"$1.tmp"
    mv "$1.tmp" "$1"
    echo "  kept    $1"
}

# about DEVICE: a table of a recording's software and date. The simulator has no driver, and no
# date, because its results depend on the program alone.
about() {
    printf 'fact\tvalue\ndevice\t%s\ntoolkit\tCUDA %s\n' "$1" \
        "$("${NVCC:-nvcc}" --version | sed -n 's/.*, V//p')"
    case $1 in *" (simt)") return ;; esac
    printf 'driver\t%s\n' \
        "$(nvidia-smi --query-gpu=driver_version --format=csv,noheader | head -n 1)"
    printf 'date\t%s\n' "$(date -u +%F)"
}
