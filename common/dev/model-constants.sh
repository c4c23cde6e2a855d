#!/usr/bin/env bash
# constants.sh GPU CALIBRATED.tsv: the constants of the time model that were measured, as rows of metrics: `measured`, and `given`, what
# the table of GPUs has. The "kernel" is the constant.
set -euo pipefail
echo lab,step,kernel,grid,block,metric,value,unit,backend,device
"$(dirname "$0")/../simt/measure/check.sh" "$2" common/simt/gpus.tsv "$1" | awk -v gpu="$1" '
    NR > 1 {
        print "0,0," $1 ",NA,NA,measured," $2 ",-,calibrate," gpu
        print "0,0," $1 ",NA,NA,given," $3 ",-,calibrate," gpu
    }'
