#!/usr/bin/env python3
"""moment.py <LIST: which moments pages' recordings have, by the names that an address can have (#to=NAME).

A line of the list is a page, a tab, and the moments that it has, or "no" and moments that it has not. Prints how much a page has of
each; fails where a line is wrong. It reads addresses and masks, no counters: so it finds sectors and passes in
another way than the page.
"""
import base64
import sys

from recording import read

LANES = 32


def addresses(rows, event, guard):
    """The addresses of the lanes that take part."""
    text = rows[event[4][0]]
    lanes = [lane for lane in range(LANES) if guard >> lane & 1]
    if text.startswith("="):
        data = base64.b64decode(text[1:])
        size = len(data) // LANES
        return [int.from_bytes(data[lane * size : (lane + 1) * size], "little") for lane in lanes]
    if "," in text:
        cells = text.split(",")
        return [int(cells[lane]) for lane in lanes]
    first, step = (text.split("+") + ["0"])[:2]
    return [int(first) + int(step) * lane for lane in lanes]


def units(found, size, unit):
    return {at // unit for first in found for at in range(first, first + size, min(unit, size))}


def measure(rows, instruction, event):
    """What the event is an example of: {moment: how much}."""
    active, guard, *_ = map(int, rows[event[2]].split(","))
    kind, (space, *_) = instruction["kind"], instruction.get("spaces", [None])
    if kind == "branch":
        divides = guard not in (0, active) and "branch" in instruction.get("cost", {})
        return {"divergence": 1} if divides else {"branch": 1}
    if not guard:
        return {}
    here = {"shuffle": int(kind == "shuffle"), "lanes": LANES + 1 - bin(guard).count("1")}
    if space == "shared":
        words = units([at % 2**32 for at in addresses(rows, event, guard)], instruction["bytes"], 4)
        here["banks"] = max(len([w for w in words if w % LANES == bank]) for bank in range(LANES))
    elif space == "const":
        here["constant"] = len(set(addresses(rows, event, guard)))
    elif space in ("global", "generic") and kind in ("load", "store", "atomic"):
        here[kind] = len(units(addresses(rows, event, guard), instruction["bytes"], 32))
    return here


def moments(data):
    recording = data["recordings"][0]
    best = {"time": len(recording["times"][0]["warps"])}
    waiting = {event[0] for event in recording["events"] if recording["instructions"][event[1]]["kind"] == "barrier"}
    best["barrier"] = len(waiting) - 1
    for event in recording["events"]:
        for name, much in measure(data["rows"], recording["instructions"][event[1]], event).items():
            best[name] = max(best.get(name, 0), much)
    return best


def main():
    wrong = 0
    for line in sys.stdin:
        page, names = line.rstrip("\n").split("\t")
        wanted = not names.startswith("no ")
        best = moments(read(page))
        for name in names.removeprefix("no ").split():
            right = (best.get(name, 0) > 0) == wanted
            print(f"{'ok' if right else 'wrong'}: {page}: {name} {best.get(name, 0)}")
            wrong += not right
    sys.exit(wrong > 0)


main()
