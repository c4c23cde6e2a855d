#!/usr/bin/env bash
# shellcheck disable=SC2028 # the C program expands the escapes
# layout.sh FOLDER: the values and layouts of the runtime API in the headers there: of every
# enumerator, flag and structure that ours declare, one line each.
set -euo pipefail
include=$(dirname "$0")/../../common/simt/include
ours=("$include"/{driver_types,graph_types,cuda}.h)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Names of enumerators and of flags; "structure field" pairs.
enumerators() {
    sed -n -e 's/^    \(cuda[A-Za-z0-9]*\|CU_[A-Z0-9_]*\) = .*/\1/p' \
        -e 's/^    RESULT(\(CU[A-Z0-9_]*\),.*/\1/p' "${ours[@]}"
}
flags() { sed -n 's/^#define \(cuda[A-Za-z0-9]*\)  *\((int)-\|(\?(int)\|0x\).*/\1/p' "${ours[@]}"; }
fields() {
    awk '/^(typedef )?struct (cuda|CU[a-zD])[A-Za-z0-9_]* \{/ { s = $1 == "struct" ? $2 : $3; next } /^}/ { s = "" }
         s != "" && /^    [A-Za-z]/ && match($0, /[A-Za-z0-9_]+(\[[0-9]+\])?;$/) { f = substr($0, RSTART, RLENGTH); sub(/(\[.*)?;$/, "", f); print s, f }' "${ours[@]}"
}
{
    echo '#include <stdio.h>'
    echo '#include <stddef.h>'
    echo '#include <cuda_runtime_api.h>'
    echo '#include <cuda.h>'
    echo 'int main(void) {'
    for name in $(enumerators; flags); do echo "    printf(\"$name %d\\n\", (int)$name);"; done
    fields | while read -r structure field; do
        echo "    printf(\"$structure.$field %zu\\n\", offsetof(struct $structure, $field));"
    done
    fields | cut -d' ' -f1 | uniq | while read -r structure; do
        echo "    printf(\"$structure %zu\\n\", sizeof(struct $structure));"
    done
    for vector in char3 short2 int4 float4 double2 longlong2 dim3; do echo \
        "    printf(\"$vector %zu %zu\\n\", sizeof(struct $vector), _Alignof(struct $vector));"; \
        done
    echo '    return 0;'
    echo '}'
} >"$work/layout.c"
gcc -std=c11 -isystem "$1" -o "$work/layout" "$work/layout.c"
"$work/layout"
