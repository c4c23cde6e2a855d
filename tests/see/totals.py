#!/usr/bin/env python3
"""totals.py PAGE...: what the events of each page's recording count, against PAGE.csv, the profile of the same launch.

The launch must have one block. Prints each page's number of events; fails with a line for each counter that differs.
"""
import csv
import sys

from recording import read

# Counted when a block begins, or when the launch is over: no instruction counts them.
ELSEWHERE = ("warps_launched", "blocks_launched", "threads_launched", "load_partitions", "store_partitions",
             "footprint")


def add_costs(sums, cost, mask, units):
    for name, times in cost.items():
        sums[name] = sums.get(name, 0) + times * (1 if units[name] == "warps" else bin(mask).count("1"))


def totals(data):
    recording = data["recordings"][0]
    units = {counter["name"]: counter["unit"] for counter in data["counters"]}
    sums = {}
    for _, instruction, masks, _, *rest in recording["events"]:
        active, guard, _ = map(int, data["rows"][masks].split(","))
        instruction = recording["instructions"][instruction]
        add_costs(sums, instruction.get("cost", {}), active, units)
        add_costs(sums, instruction.get("guarded", {}), guard, units)
        counts = list(map(int, data["rows"][rest[1]].split(","))) if len(rest) > 1 else []
        for counter, by in zip(counts[::2], counts[1::2]):
            name = data["counters"][counter]["name"]
            sums[name] = sums.get(name, 0) + by
    return sums


def differences(page):
    """Prints the page's number of events, or its counters that differ; how many these are."""
    data = read(page)
    sums = totals(data)
    kernel = data["recordings"][0]["kernel"].split("(")[0].split("<")[0].split()[-1]
    with open(page + ".csv", encoding="UTF-8") as profile:
        row = next(row for row in csv.DictReader(profile) if kernel in row["mangled"])
    assert row["grid"] == "(1 1 1)", row["grid"]
    names = [c["name"] for c in data["counters"] if not c["name"].startswith(ELSEWHERE)]
    wrong = [f"{name}: page {sums.get(name, 0)}, profile {row[name]}" for name in names if float(row[name]) != sums.get(name, 0)]
    print(f"{page}:", "\n".join(wrong) or f"{len(data['recordings'][0]['events'])} events")
    return len(wrong)


sys.exit(sum(map(differences, sys.argv[1:])) > 0)
