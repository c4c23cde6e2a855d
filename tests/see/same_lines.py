#!/usr/bin/env python3
"""same_lines.py MEASURED SIMULATED KERNEL: labprof --source --csv of ncu and of simt: what a kernel's lines count alike.

Compiled code may compute more or less than simt estimates, but what memory and branches do follows from the program.
Lines count from the kernel's first that has such a count. Prints their number; fails with a line for each count that differs.
"""
import csv
import sys

ALIKE = (
    "L2 Theoretical Sectors Global",
    "L2 Theoretical Sectors Global Excessive",
    "L1 Wavefronts Shared",
    "L1 Wavefronts Shared Excessive",
    "Branch Instructions",
    "Divergent Branches",
)


def read(path, kernel):
    with open(path, encoding="UTF-8", newline="") as table:
        rows = csv.DictReader(line for line in table if not line.startswith("=="))
        lines = {row["Line No"]: [row[name] for name in ALIKE] for row in rows if row["Kernel Name"].split("(")[0] == kernel}
    counted = {int(number): counts for number, counts in lines.items() if any(count != "0" for count in counts)}
    return {number - min(counted): counts for number, counts in counted.items()}


measured, simulated = (read(path, sys.argv[3]) for path in sys.argv[1:3])
wrong = [f"{n} lines below the first: measured {measured.get(n)}, simulated {simulated.get(n)}" for n in measured | simulated if measured.get(n) != simulated.get(n)]
print("\n".join(wrong) or f"{len(measured)} lines")
sys.exit(bool(wrong) or not measured)
