#!/usr/bin/env python3
"""totals.py PAGE[,PAGE...]...: what the events of a launch's blocks count, a page for each, against PAGE.csv, its profile.

Prints the number of events of each launch; fails with a line for each counter that differs.
"""
import csv
import math
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
        active, guard, *_ = map(int, data["rows"][masks].split(","))
        instruction = recording["instructions"][instruction]
        add_costs(sums, instruction.get("cost", {}), active, units)
        add_costs(sums, instruction.get("guarded", {}), guard, units)
        counts = list(map(int, data["rows"][rest[1]].split(","))) if len(rest) > 1 else []
        for counter, by in zip(counts[::2], counts[1::2]):
            name = data["counters"][counter]["name"]
            sums[name] = sums.get(name, 0) + by
    return sums


def profiled(page, kernel):
    """The counters of the kernel's launch, without those of what it launched, and its number of blocks."""
    with open(page + ".csv", encoding="UTF-8") as profile:
        rows = list(csv.DictReader(profile))
    row = next(row for row in rows if kernel in row["mangled"])
    children = [child for child in rows if child["parent"] == row["launch"]]
    blocks = math.prod(map(int, row["grid"].strip("()").split()))
    return blocks, lambda name: float(row[name]) - sum(float(child[name]) for child in children)


def differences(pages):
    """Prints the pages' number of events, or the counters that differ; how many these are."""
    sums, events = {}, 0
    for page in pages:
        data = read(page)
        events += len(data["recordings"][0]["events"])
        for name, value in totals(data).items():
            sums[name] = sums.get(name, 0) + value
    kernel = data["recordings"][0]["kernel"].split("(")[0].split("<")[0].split()[-1]
    blocks, wanted = profiled(pages[0], kernel)
    assert blocks == len(pages), f"{blocks} blocks, {len(pages)} pages"
    names = [c["name"] for c in data["counters"] if not c["name"].startswith(ELSEWHERE)]
    wrong = [f"{n}: page {sums.get(n, 0)}, profile {wanted(n)}" for n in names if wanted(n) != sums.get(n, 0)]
    print(f"{pages[0]}:", "\n".join(wrong) or f"{events} events")
    return len(wrong)


sys.exit(sum(differences(pages.split(",")) for pages in sys.argv[1:]) > 0)
