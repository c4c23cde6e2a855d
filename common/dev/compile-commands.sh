#!/usr/bin/env bash
# compile-commands.sh FILE: write the compile command of each file as JSON for clangd, the language server behind an editor's "go to
# definition": https://clang.llvm.org/docs/JSONCompilationDatabase.html. Nothing is compiled: C files have the commands of make's dry
# run, CUDA files those of common/front/cudac with clang.
set -euo pipefail
out=$1
draft=$(mktemp "$out.XXXXXX")
trap 'rm -f "$draft"' EXIT

c_files() {
    make --no-print-directory --always-make --dry-run V=1 all unit-tests 2>/dev/null | grep -E ' -c -o [^ ]+\.o [^ ]+\.c$'
}

cuda_files() {
    local file
    for file in labs/*/*.cu solutions/*/*.cu tests/programs/*.cu; do
        [ -e "$file" ] || continue
        echo "clang++ -x cuda --cuda-gpu-arch=sm_75 -nocudainc -nocudalib -Wno-unknown-cuda-version -Icommon" \
            "-isystem common/simt/include -include cuda_runtime.h -c $file"
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
