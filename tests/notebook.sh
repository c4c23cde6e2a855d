#!/usr/bin/env bash
# notebook.sh: execute notebooks/colab.ipynb as Colab does, but with this repository's last commit,
# on the simulator and on a small problem. SIZE=100000: its integers.
set -euo pipefail
cd "$(dirname "$0")/.."
project=$PWD work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MAKELEVEL MFLAGS BUILD # the notebook's cells call make as users do
export PYDEVD_DISABLE_FILE_VALIDATION=1 # no warnings of Debian's Python

sed "s|https://github.com/OWNER/cuda-labs|file://$project|" notebooks/colab.ipynb \
    >"$work/colab.ipynb"
cd "$work"
DEVICE=sim SIZE=${SIZE:-100000} jupyter-nbconvert --to notebook --execute \
    --ExecutePreprocessor.timeout=3600 --output executed.ipynb colab.ipynb
python3 - "$project/notebooks/colab.ipynb" executed.ipynb <<'END'
import json, sys

cells, done = ([cell for cell in json.load(open(path))["cells"] if cell["cell_type"] == "code"] for path in sys.argv[1:])
failed = 0


def check(cell, *wanted):
    """The executed cell whose source has `cell` printed or drew each of the texts."""
    global failed
    outputs = "".join(str(ran["outputs"]) for ran in done if cell in "".join(ran["source"]))
    for text in wanted:
        failed += text not in outputs
        print("ok" if text in outputs else "not ok", "-", cell, "shows", text)
        if text not in outputs: print(outputs)


check("make lab3", "(simt)", "1  reduceNeighbored", "next: labs/lab3-reduction/reduction.cu:")
check("make hint-lab3", "reduceNeighboredLess")
check("make profile-lab3", "branch_efficiency")
check("SVG(", "<svg", "image/svg+xml")
check("make check-lab3", "clean   simt --check")
check("make doctor", "labs' compiler")
ran = sum(cell["execution_count"] is not None for cell in done)
print("ok" if ran == len(cells) else "not ok", f"- {ran} of {len(cells)} cells ran")
sys.exit(failed > 0 or ran != len(cells))
END
