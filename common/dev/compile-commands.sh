#!/usr/bin/env bash
# compile-commands.sh FILE: write how each file of the project is compiled, as JSON for clangd, the
# language server behind an editor's "go to definition":
# https://clang.llvm.org/docs/JSONCompilationDatabase.html. Nothing is compiled.
set -euo pipefail
out=$1
draft=$(mktemp "$out.XXXXXX")
trap 'rm -f "$draft"' EXIT

# As make says that it would compile them.
c_files() {
    make --no-print-directory --always-make --dry-run V=1 all unit-tests 2>/dev/null |
        grep -E ' -c -o [^ ]+\.o [^ ]+\.c$'
}

# As common/front/cudac has clang read them, but for the CPU alone: there a kernel may launch a
# kernel. Left out is what clang cannot read.
cuda_files() {
    local file without
    without=$(cut -d ' ' -f 1 tests/front/without.txt)
    for file in labs/*/*.cu solutions/*/*.cu tests/{programs,planted,front,data}/*.cu \
        common/simt/measure/*.cu; do
        [ -e "$file" ] || continue
        ! grep -qx -e "$(basename -s .cu "$file")" <<<"$without" || continue
        echo "clang++ -x cuda --cuda-host-only --cuda-gpu-arch=sm_75 -nocudainc -nocudalib -Xclang -target-sdk-version=11.0" \
            "-std=gnu++17 -Wno-unknown-cuda-version -Wno-deprecated-declarations -DSIMT_NESTED=1 -DCUDA_FORCE_CDP1_IF_SUPPORTED" \
            "-Icommon -isystem common/simt/include -include cuda_runtime.h -c $file"
    done
}

# The file is a command's last word.
{ c_files && cuda_files; } | sed 's/^[ \t@]*//' | python3 -c '
import json, os, sys
commands = {line.split()[-1]: line.rstrip("\n") for line in sys.stdin}
json.dump([{"directory": os.getcwd(), "file": file, "command": command} for file, command in commands.items()], sys.stdout, indent=1)
' >"$draft"
chmod 644 "$draft"
mv "$draft" "$out"
echo "  wrote   $out"
