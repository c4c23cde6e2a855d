#!/usr/bin/env bash
# model-constants.sh PREFIX GPU CALIBRATED.tsv: write the measured constants of the time model in
# the form of a run, so that handouts can name them: PREFIX-metrics.csv, and PREFIX.csv without
# times. The "kernel" is the constant. Its metrics are `measured`, and `given`, its value in
# gpus.tsv.
set -euo pipefail
prefix=$1 gpu=$2 calibrated=$3
"$(dirname "$0")/../simt/measure/check.sh" "$calibrated" common/simt/gpus.tsv "$gpu" |
    awk -v gpu="$gpu" -v run="$prefix.csv.tmp" '
    BEGIN {
        print "lab,step,kernel,grid,block,metric,value,unit,backend,device"
        print "lab,step,kernel,grid,block,time_ms,time_min_ms,time_max_ms,bandwidth_gbs,speedup,status,clock,device" >run
    }
    NR > 1 {
        print "0,0," $1 ",NA,NA,measured," $2 ",-,calibrate," gpu
        print "0,0," $1 ",NA,NA,given," $3 ",-,calibrate," gpu
        print "0,0," $1 ",NA,NA,NA,NA,NA,NA,NA,ok,modelled," gpu >run
    }' >"$prefix-metrics.csv.tmp"
mv "$prefix-metrics.csv.tmp" "$prefix-metrics.csv"
mv "$prefix.csv.tmp" "$prefix.csv"
