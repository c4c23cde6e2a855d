#!/usr/bin/env bash
# machine-code.sh PROGRAM KERNEL...: count the machine instructions of these kernels, by opcode, in the loop of each: from the first
# instruction behind a label to the last branch back to it. Prints a table of constants: a row for each opcode, a column for each kernel.
# `loop` is all instructions of the loop, `kernel` all of the kernel. Needs cuobjdump, which comes with NVIDIA's whole toolkit.
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
        for (i = 0; i < n; i++) {
            count["kernel", name]++
            if (i < from || i > end) continue
            op = code[i]; sub(/^@!?U?P[0-9T]+ /, "", op); sub(/[. ;].*/, "", op)
            if (!(op in seen)) { seen[op]; order[++ops] = op }
            count[op, name]++
            count["loop", name]++
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
        printf "constant"; for (k = 1; k <= wanted_n; k++) printf "\t%s", wanted[k]; printf "\n"
        order[++ops] = "loop"; order[++ops] = "kernel"
        for (o = 1; o <= ops; o++) { printf "%s", order[o]
            for (k = 1; k <= wanted_n; k++) printf "\t%d", count[order[o], wanted[k]]; printf "\n" }
    }'
