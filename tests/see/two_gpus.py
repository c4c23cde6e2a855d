#!/usr/bin/env python3
"""two_gpus.py PAGE ONE OTHER: the times in a page of two GPUs are those in each GPU's own page.

Prints each GPU with its cycles; fails with a line for each member that differs.
"""
import sys

from recording import read

page, *alone = ([recording["times"] for recording in read(path)["recordings"]] for path in sys.argv[1:])
wrong = [f"{len(page[0])} GPUs"] if len(page[0]) != 2 else []
for together, (own,) in zip(page[0], (times[0] for times in alone)):
    wrong += [f"{own['device']}: {member} differs" for member in own if together.get(member) != own[member]]
print("\n".join(wrong) or ", ".join(f"{time['device']}: {time['cycles']} cycles" for time in page[0]))
sys.exit(bool(wrong))
