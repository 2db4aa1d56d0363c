#!/usr/bin/env python3
"""tools/checks/kinds.py finds what is wrong: rows of no entry, rows that nobody compares though somebody should, rows met or missed."""
import contextlib
import io
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tools/checks"))
import kinds  # noqa: E402

ENTRIES = [{"rows": "a-\\d", "kind": "outcome", "compared_by": "x.py", "missed": "", "why": ""},
           {"rows": "b", "kind": "held back", "compared_by": "x.py", "missed": "too low", "why": ""},
           {"rows": "c", "kind": "not compared", "compared_by": "", "missed": "", "why": "not modelled"}]
ROWS = ["a-1", "a-2", "b", "c"]
RIGHT = {"a-1": True, "a-2": True, "b": False}


def problems(entries, rows=None, verdicts=None):
    kinds.read = lambda: entries
    with contextlib.redirect_stdout(io.StringIO()):
        return kinds.verify("x.py", rows or ROWS, verdicts or RIGHT)


def changed(place, **fields):
    return [{**entry, **(fields if i == place else {})} for i, entry in enumerate(ENTRIES)]


CASES = {
    "what is right has no problem": (0, problems(ENTRIES)),
    "a row of no entry is found": (1, problems(ENTRIES, [*ROWS, "d"])),
    "a row of two entries is found": (1, problems(changed(2, rows="c|a-1"))),
    "an entry without rows is found": (1, problems(ENTRIES, ROWS[:3])),
    "a kind that there is not is found": (1, problems(changed(0, kind="known"))),
    "a row that should be compared and is not is found": (1, problems(ENTRIES, verdicts={"a-1": True, "b": False})),
    "a row that is compared and should not be is found": (1, problems(ENTRIES, verdicts={**RIGHT, "c": True})),
    "a row that is missed is found": (1, problems(ENTRIES, verdicts={**RIGHT, "a-2": False})),
    "a row that is met and said to be missed is found": (1, problems(ENTRIES, verdicts={**RIGHT, "b": True})),
    "a row that nobody compares needs a reason": (1, problems(changed(2, why=""))),
}
failed = [name for name, (expected, found) in CASES.items() if found != expected]
for name in failed:
    print(f"FAILED {name}: {CASES[name][1]} problems, and not {CASES[name][0]}")
print(f"{len(CASES) - len(failed)} passed, {len(failed)} failed")
sys.exit(bool(failed))
