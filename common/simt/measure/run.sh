#!/usr/bin/env bash
# run.sh TABLE PROGRAM...: run the calibration programs, and make one table of their figures: name, value, unit, spread, how.
#
# In the environment: RUN, what starts a program; LABPROF, what profiles one; EMPTY, the program that launches an empty kernel when
# told `empty` or `held`, so that a profiler can time it; STORES, the one that stores parts of sectors when told `parts`; NESTED, the one that
# launches kernels that launch when told `bytes`; ABOUT, a line on where this was measured. A program that fails is named, and what the
# others measured is kept; the exit code is then 1.
set -uo pipefail
export SIMT_COLD=1 # a simulated GPU loads less than its L2 holds; a real one gets memory beyond it
table=$1
shift
read -ra start <<<"${RUN:-}"
read -ra profile <<<"$LABPROF"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

failed() {
    echo "calibrate: $1 failed; see above" >&2
    failures=$((failures + 1))
}

readonly EMPTY_CODE=256 # bytes of code of an empty kernel, in the units in which code is read
# empty_kernel: the rows of kernel_ns and kernel_read_bytes, from the smallest, largest and mean that the profiler saw.
empty_kernel() {
    "${profile[@]}" --csv --kernels empty --metrics gpu_time,dram_read_bytes --log-file "$work/profile.csv" "$EMPTY" empty >"$work/log" || return
    awk -F, -v code="$EMPTY_CODE" '
        /"gpu_time"/ { printf "kernel_ns\t%g\tns\t%g\tan empty kernel, as the profiler times it; the spread is the range\n", $NF, $(NF - 1) - $(NF - 2) }
        /"dram_read_bytes"/ { printf "kernel_read_bytes\t%g\tbytes\t%g\twhat an empty kernel reads from DRAM beside its code; the spread is the range\n", $NF - code, $(NF - 1) - $(NF - 2) }' \
        "$work/profile.csv"
}

# held_places: for how long a warp of an empty kernel has its place, from how many places are taken in a cycle and how many warps there
# are. What is known of that is taken off: that a block's warps begin one after the other, and the instructions.
held_places() {
    "${profile[@]}" --csv --kernels empty --metrics achieved_occupancy,inst_per_warp,ipc --log-file "$work/profile.csv" "$EMPTY" held >"$work/log" || return
    local of
    of=$(grep -xE '[0-9]+ [0-9]+' "$work/log") || return 0 # a simulated GPU, whose first instructions the programs cannot see
    awk -v of="$of" '
        BEGIN { split(of, warps, " ") }
        FNR == NR { known[$1] = $2; next }
        { split($0, cell, ","); mean = cell[8] }
        /"achieved_occupancy"/ { taken = warps[1] * mean; spread = (cell[7] - cell[6]) / mean }
        /"inst_per_warp"/ { instructions = mean }
        /"ipc"/ { cycles = taken * instructions / mean }
        END {
            less = (warps[2] - 1) / 2 * known["warp_start_cycles"] + instructions * known["alu_latency_cycles"]
            printf "block_ready_cycles\t%g\tcycles\t%g\tfor which a warp has its place before its first instruction; the spread is the range\n", cycles - less, cycles * spread
        }' "$work/table" "$work/profile.csv"
}

# stored_parts: what the L2 keeps of lines that are written in part. It must fetch the rest of a sector before it writes it back.
stored_parts() {
    "${profile[@]}" --csv --kernels writeAll --metrics dram_read_bytes,dram_write_bytes --log-file "$work/profile.csv" "$STORES" parts >"$work/log" || return
    awk -F, -v bytes="$(grep -xE '[0-9]+ [0-9]+' "$work/log")" '
        BEGIN { split(bytes, given, " ") }
        function figure(name, what) { printf "%s\t%g\tshare\t%g\tof as many lines as the L2 has, of which each sector is written in part: %s; the spread is the range\n", name, (given[1] - $NF) / given[2], ($(NF - 1) - $(NF - 2)) / given[2], what }
        /"dram_read_bytes"/ { figure("l2_partial_kept_share", "not fetched") }
        /"dram_write_bytes"/ { figure("l2_filled_kept_share", "not written back") }' \
        "$work/profile.csv"
}

# nested_launches: the work of the device's runtime for launches by kernels, from the launches of `nested bytes`. Each line has a name,
# a column and its unit; the launch of less (0: none), that of more, and by how much to divide the difference; and what it is. Of cycles,
# those of the kernel itself do not count.
nested_launches() {
    local differences='nested_first_bytes bytes bytes 1 2 1 what a kernel that launches one reads from DRAM, beyond one that does nothing
nested_chain_bytes bytes bytes 2 3 62 the same for one more grid in a chain of launches
nested_in_turn_bytes bytes bytes 4 5 127 the same for one more launch by one thread into one stream
nested_at_once_bytes bytes bytes 6 7 127 the same for one more launch, each by a thread of its own, fire and forget
nested_first_cycles active cycles 1 2 1 in which a multiprocessor is active for a kernel that launches one
nested_chain_cycles active cycles 2 3 62 the same for one more grid in a chain of launches
nested_at_once_cycles active cycles 6 7 127 the same for one more launch, each by a thread of its own, fire and forget
nested_sync_share sync share 0 3 100 of the time of a chain of launches in which warps wait for barriers and fences
nested_memory_share memory share 0 3 100 the same for loads
nested_exec_share exec share 0 3 100 the same for instructions'
    "${profile[@]}" --csv --print-gpu-trace --kernels 'nothing|oneLink|inTurn|atOnce' --log-file "$work/trace.csv" \
        --metrics inst_executed,ipc,stall_sync,stall_memory_dependency,stall_exec_dependency,dram_read_bytes "$NESTED" bytes >"$work/log" || return
    awk -F, -v differences="$differences" '
        function figure(line,    part, i, d, sum, low, high) {
            split(line, part, " ")
            for (i = 1; i <= 6; i++) sub(/^[^ ]+ /, "", line)
            for (i = 0; i < n; i += 7) {
                d = (value[part[2], i + part[5]] - (part[4] ? value[part[2], i + part[4]] : 0)) / part[6]
                if (part[2] == "active") d -= value[part[2], i + 1]
                if (!i || d < low) low = d
                if (!i || d > high) high = d
                sum += d
            }
            printf "%s\t%g\t%s\t%g\t%s; the spread is the range of 3\n", part[1], sum / (n / 7), part[3], high - low, line
        }
        /nothing|oneLink|inTurn|atOnce/ {
            gsub(/["%]/, "")
            n++
            if (NF < 6) next
            if ($(NF - 4) > 0) value["active", n] = $(NF - 5) / $(NF - 4)
            value["sync", n] = $(NF - 3)
            value["memory", n] = $(NF - 2)
            value["exec", n] = $(NF - 1)
            value["bytes", n] = $NF
        }
        END {
            if (n % 7 || !n) { print "calibrate: " n + 0 " launches were seen of nested bytes, not 21" > "/dev/stderr"; exit 1 }
            count = split(differences, lines, "\n")
            for (line = 1; line <= count; line++) figure(lines[line])
        }' "$work/trace.csv"
}

{
    echo "# Made by \`make calibrate\` (common/simt/measure); do not edit. $ABOUT"
    printf 'name\tvalue\tunit\tspread\thow\n'
    for program in "$@"; do "${start[@]}" "$program" || failed "$(basename "$program")"; done
    empty_kernel || failed "profiling the empty kernel"
    held_places || failed "profiling the places of the empty kernel's warps"
    stored_parts || failed "profiling stores of parts of sectors"
    nested_launches || failed "profiling launches by kernels"
} >"$work/table"
if [ "$(grep -vc "^#" "$work/table")" -lt 2 ]; then
    echo "calibrate: nothing was measured; $table is as it was" >&2
    exit 1
fi
mkdir -p "$(dirname "$table")" && cp "$work/table" "$table.tmp" && mv "$table.tmp" "$table" || exit 1
echo "  kept    $table"
[ "$failures" = 0 ]
