#!/usr/bin/env python3
"""lines.py LINES PROFILE: the sums over the lines of each launch (simt --source), against the launch's row in the profile.

Prints the number of launches; fails with a line for each column that differs.
"""
import csv
import sys

IDENTITY = ("launch", "parent", "kernel", "file", "line", "ideal_sectors", "issuing")


def read(path):
    with open(path, encoding="UTF-8", newline="") as table:
        return list(csv.DictReader(table))


def differences(rows, launch):
    """Counters are equal; modelled shares up to rounding."""
    mine = [row for row in rows if row["launch"] == launch["launch"]]
    if not mine:
        return [f"launch {launch['launch']} has no line"]
    wrong = []
    for column in (c for c in mine[0] if c not in IDENTITY):
        got, want = sum(float(row[column]) for row in mine), float(launch[column])
        near = abs(got - want) < 1e-9 * max(1, want) if column.startswith("stall_") else got == want
        if not near:
            wrong.append(f"launch {launch['launch']}, {column}: lines {got}, profile {want}")
    whole = sum(float(row[c]) for row in mine for c in row if c.startswith("stall_") or c == "issuing")
    if abs(whole - 100) > 1e-6:
        wrong.append(f"launch {launch['launch']}: the lines' cycles are {whole} percent")
    return wrong


def main():
    rows, launches = read(sys.argv[1]), [row for row in read(sys.argv[2]) if row["status"] == "ok"]
    wrong = [text for launch in launches for text in differences(rows, launch)]
    print("\n".join(wrong) or f"{len(launches)} launches")
    sys.exit(bool(wrong) or not launches)


main()
