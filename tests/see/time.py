#!/usr/bin/env python3
"""time.py PAGE PROFILE CHROME KANATA: the cycles of warps, as a page, two traces and the profile of one launch have them.

The launch must have one block, of which nothing is left out. Prints the cycles of all warps; fails with a line for each
reason whose cycles differ.
"""
import csv
import json
import sys
from collections import Counter

from recording import read


def of_page(path):
    time = read(path)["recordings"][0]["times"][0]
    assert not time["full"]
    cycles = Counter()
    for warp in time["warps"]:
        for n, reason in zip(warp["waits"][::3], warp["waits"][1::3]):
            cycles[time["reasons"][reason]] += n
    return cycles


def of_chrome(path):
    with open(path, encoding="UTF-8") as trace:
        events = json.load(trace)["traceEvents"]
    named = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"}
    cycles, ends = Counter(), Counter()
    for event in events:
        if event["ph"] == "X":
            row = event["pid"], event["tid"]
            assert row in named and min(row) > 0 and event["ts"] >= ends[row], event
            ends[row] = event["ts"] + event["dur"]
            cycles[event["name"]] += event["dur"]
    return cycles


def of_kanata(path):
    """Each stage that starts must end. Instructions begin and retire in the order of their numbers."""
    now, begun, retired, cycles, instructions = 0, {}, set(), Counter(), 0
    with open(path, encoding="UTF-8") as trace:
        lines = [line.rstrip("\n").split("\t") for line in trace]
    assert lines[:2] == [["Kanata", "0004"], ["C=", "0"]], lines[:2]
    for command, *fields in lines[2:]:
        if command == "C":
            now += int(fields[0])
        elif command == "I":
            assert fields[0] == str(instructions), fields
            instructions += 1
        elif command == "S":
            assert fields[0] not in begun, fields
            begun[fields[0]] = now
        elif command == "E":
            cycles[fields[2]] += now - begun.pop(fields[0])
        elif command == "R":
            assert fields[0] not in retired and fields[1] == str(len(retired)), fields
            retired.add(fields[0])
    assert not begun and len(retired) == instructions, begun
    return cycles


def main():
    page = of_page(sys.argv[1])
    with open(sys.argv[2], encoding="UTF-8") as profile:
        row = next(csv.DictReader(profile))
    assert row["grid"] == "(1 1 1)", row["grid"]
    total = sum(page.values())
    wrong = []
    for reason in page:
        wanted = row.get("stall_" + reason)
        if wanted and abs(100 * page[reason] / total - float(wanted)) > 1e-6:
            wrong.append(f"{reason}: page {100 * page[reason] / total} %, profile {wanted} %")
    for name, traced in (("chrome", of_chrome(sys.argv[3])), ("kanata", of_kanata(sys.argv[4]))):
        wrong += [f"{reason}: page {page[reason]}, {name} {traced[reason]}" for reason in page | traced if page[reason] != traced[reason]]
    print("\n".join(wrong) or f"{total} cycles of warps")
    sys.exit(bool(wrong))


main()
