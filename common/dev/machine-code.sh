#!/usr/bin/env bash
# machine-code.sh PROGRAM KERNEL...: count the machine instructions of these kernels, by opcode, in
# the loop of each: from the first instruction after a label to the last branch back to it. Prints a
# table of constants: a row for each opcode, a column for each kernel. loop_instructions is all of
# the loop, kernel_instructions all of the kernel. Of code for several GPUs the last counts. Needs
# cuobjdump, which comes with NVIDIA's whole toolkit.
set -euo pipefail
program=$1
shift
cuobjdump -sass "$program" | awk -v kernels="$*" '
    function close_kernel(i, op) {
        if (name == "") return
        for (i = 0; i < n; i++) if (code[i] ~ /BRA/ && match(code[i], /0x[0-9a-f]+/)) {
            to = substr(code[i], RSTART, RLENGTH)
            if ((to in at) && at[to] < i) { from = at[to]; end = i }
        }
        for (i in seen) delete count[i, name]
        delete count["loop_instructions", name]
        delete count["kernel_instructions", name]
        for (i = 0; i < n; i++) {
            count["kernel_instructions", name]++
            if (i < from || i > end) continue
            op = code[i]; sub(/^@!?U?P[0-9T]+ /, "", op); sub(/[. ;].*/, "", op)
            if (!(op in seen)) { seen[op]; order[++ops] = op }
            count[op, name]++
            count["loop_instructions", name]++
        }
        name = ""
    }
    BEGIN { wanted_n = split(kernels, wanted, " ") }
    /Function :/ { close_kernel(); n = 0; from = 0; end = -1; delete at
        for (k = 1; k <= wanted_n; k++) if ($0 ~ "_Z[0-9]+" wanted[k] "P") name = wanted[k]; next }
    name != "" && match($0, /\/\*[0-9a-f][0-9a-f][0-9a-f][0-9a-f]\*\/ +/) {
        address = substr($0, RSTART + 2, 4); sub(/^0+/, "", address); if (address == "") address = "0"
        text = substr($0, RSTART + RLENGTH)
        if (text ~ /^NOP/ || text !~ /;/) next
        at["0x" address] = n; code[n++] = text
    }
    END { close_kernel()
        for (o = kept = 0; o < ops; o++) { # opcodes of the last only
            for (k = 1; k <= wanted_n && !((order[o + 1], wanted[k]) in count); k++);
            if (k <= wanted_n) order[++kept] = order[o + 1]
        }
        ops = kept
        printf "constant"; for (k = 1; k <= wanted_n; k++) printf "\t%s", wanted[k]; printf "\n"
        order[++ops] = "loop_instructions"; order[++ops] = "kernel_instructions"
        for (o = 1; o <= ops; o++) { printf "%s", order[o]
            for (k = 1; k <= wanted_n; k++) printf "\t%d", count[order[o], wanted[k]]; printf "\n" }
    }'
