#!/usr/bin/env python3
"""shortened.py PAGE: how many warps a page has, and that it has no row which no event names."""
import sys

from recording import read

data = read(sys.argv[1])
recording = data["recordings"][0]
named = set()
for _, _, masks, values, *rest in recording["events"]:
    addresses, counts = rest[:1], rest[1:]
    stack = map(int, data["rows"][masks].split(",")[3:])
    named |= {masks, *stack, *values, *sum(addresses, []), *counts}
idle = [row for row, text in enumerate(data["rows"]) if text and row not in named]
first, last, every = recording["warps"]
present = {event[0] for event in recording["events"]}
wrong = idle or present != set(range(first, last + 1))
print(f"{len(present)} of {every} warps, {len(idle) or 'no'} idle row")
sys.exit(bool(wrong))
