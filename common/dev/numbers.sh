#!/usr/bin/env bash
# numbers.sh PREFIX FILE...: rows of metrics from several tables as one that texts can name: PREFIX-metrics.csv, and PREFIX.csv, the
# run that belongs to it, which has no times.
set -euo pipefail
prefix=$1
shift
awk 'NR == 1 || FNR > 1' "$@" >"$prefix-metrics.csv.tmp"
{
    echo lab,step,kernel,grid,block,time_ms,time_min_ms,time_max_ms,bandwidth_gbs,speedup,status,clock,device
    awk -F, 'NR > 1 && !seen[$3]++ { print $1 "," $2 "," $3 ",NA,NA,NA,NA,NA,NA,NA,ok,modelled," $NF }' "$prefix-metrics.csv.tmp"
} >"$prefix.csv.tmp"
mv "$prefix-metrics.csv.tmp" "$prefix-metrics.csv"
mv "$prefix.csv.tmp" "$prefix.csv"
