"""Checks that a trace is what a viewer needs: rows with names, no overlap on a row, and arrows from
a call's row to the start of what it caused. Prints each row with its activities, and each arrow."""
import collections, json, sys
events = json.load(open(sys.argv[1], encoding="UTF-8"))["traceEvents"]
groups = {e["pid"]: e["args"]["name"] for e in events if e["name"] == "process_name"}
rows = {(e["pid"], e["tid"]): e["args"]["name"] for e in events if e["name"] == "thread_name"}
slices = collections.defaultdict(list)
arrows = collections.defaultdict(dict)
for e in events:
    row = e["pid"], e["tid"]
    assert row in rows and e["pid"] in groups, e
    if e["ph"] == "X":
        assert e["dur"] >= 0 and "correlation" in e["args"], e
        slices[row].append(e)
    elif e["ph"] in "sf":
        assert e["ph"] not in arrows[e["id"]], e
        arrows[e["id"]][e["ph"]] = e
def at(end):
    return [x for x in slices[end["pid"], end["tid"]] if x["ts"] == end["ts"]][0]
for row in sorted(slices):
    busy = 0
    for x in sorted(slices[row], key=lambda x: x["ts"]):
        assert x["ts"] >= busy, x
        busy = x["ts"] + x["dur"] - 0.0005
    print(groups[row[0]], "|", rows[row], "|", ", ".join(x["name"].split("(")[0] for x in slices[row]))
for ends in arrows.values():
    start, end = at(ends["s"]), at(ends["f"])
    assert start["args"]["correlation"] == end["args"]["correlation"]
    print(start["name"], "->", end["name"].split("(")[0])
