#!/usr/bin/env python3
"""sampled.py WHOLE SAMPLED: how far the profile of a run with simt --sample is from the profile of a whole run.

Prints the number of sampled launches; fails with a line for each counter or time that is off by more than its bound.
"""
import csv
import sys

COUNTS, TIMES = 0.001, 0.01  # bounds: of kernels whose blocks do alike
FIRST_BLOCKS = ("load_partitions", "store_partitions")  # of those alone, of which a sample has some


def read(path):
    with open(path, encoding="UTF-8", newline="") as table:
        return list(csv.DictReader(table))


def off(row, other, name):
    whole, sampled = float(row[name]), float(other[name])
    return abs(sampled - whole) / whole if whole else abs(sampled)


sampled, wrong = 0, []
for row, other in zip(read(sys.argv[1]), read(sys.argv[2])):
    names = list(row)
    counters = [n for n in names[names.index("status") + 1 : names.index("time_ns")] if n not in FIRST_BLOCKS]
    sampled += other["status"].startswith("sampled ")
    for name in [*counters, "time_ns"]:
        if off(row, other, name) > (TIMES if name == "time_ns" else COUNTS):
            wrong.append(f"{row['kernel']}, {name}: whole {row[name]}, sampled {other[name]}")
print("\n".join(wrong) or f"{sampled} sampled launches")
sys.exit(bool(wrong))
