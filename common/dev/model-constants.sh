#!/usr/bin/env bash
# model-constants.sh PREFIX GPU CALIBRATED.tsv: the constants of the time model that were measured, as measurements of a run, so that
# texts can name them: PREFIX-metrics.csv, and PREFIX.csv, the run, which has no times. The "kernel" is the constant; its metrics are
# `measured`, and `given`, what the table of GPUs has.
set -euo pipefail
prefix=$1 gpu=$2 calibrated=$3
"$(dirname "$0")/../simt/measure/check.sh" "$calibrated" common/simt/gpus.tsv "$gpu" | awk -v gpu="$gpu" -v run="$prefix.csv.tmp" '
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
