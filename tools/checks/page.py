#!/usr/bin/env python3
"""Says of each row of the specification's list of checks what it is and who compares it: writes docs/evidence/checks.md.

usage: page.py [--check] [--checks FILE]

FILE is the list (default ../shared/spec/checks.csv, or SMSCHED_CHECKS); exits with 77 where it is not there. --check writes nothing.
Both fail if a row is in no entry of kinds.csv or in several, or if who is said to compare it does not: a script says so itself
(kinds.verify), a test in C names the row.
"""
import argparse
import csv
import os
import re
import sys

sys.dont_write_bytecode = True
import kinds  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(kinds.HERE))
PAGE = os.path.join(ROOT, "docs/evidence/checks.md")
STUDIES = {"000": "[pausing containers](kang-2022-contention.md)", "001": "[gpushare](gpushare.md)", "002": "[Mobile CUDA](mobile-cuda.md)",
           "003": "[real-time nodes](realtime.md)", "004": "[fine-grained dispatch](fine-grained-2022.md)", "sim": "[simtbs](simtbs.md)",
           "fgd": "[FGD](openb.md)", "openb": "[its trace](openb.md)", "nv": "NVIDIA's documents", "riv": "other systems"}
HEAD = """\
# What is compared with what

How many of the specification's {count} numbers test the simulator? {evidence}: outcomes and held-back results. {compared} are compared and {met} of
these match, but a match proves little if the number was an input. The specification lists numbers of the papers, programs and documents below, and is not part
of this repository. `tools/checks/kinds.csv` lists what each row is and which script compares it.

"""
TAIL = """
Each script fails if it does not compare exactly its rows, or if a row that is listed as missed is met. `tools/checks/page.py` writes this page; with
`--check` it is a test.

## Missed or not compared

"""


def who_fails(found):
    """Those that are said to compare rows, and can't: no such file, or a test in C that does not name the row."""
    problems = []
    for row_id, entry in found.items():
        path = entry["compared_by"]
        if not path:
            continue
        if not os.path.exists(os.path.join(ROOT, path)):
            problems.append(f"{row_id}: there is no {path}")
            continue
        with open(os.path.join(ROOT, path)) as file:
            text = file.read()
        if not (re.search(rf"\b{re.escape(row_id)}\b", text) if path.endswith(".c") else re.search(rf'verif(y|ied)\("{path}"', text)):
            problems.append(f"{row_id}: {path} does not compare it")
    return problems


def study(row_id):
    return row_id.split("-")[0]


def table(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "|---" + "|--:" * (len(head) - 1) + "|"] +
                     ["| " + " | ".join(str(cell) for cell in line) + " |" for line in lines]) + "\n"


def counts(found):
    lines = []
    for name, title in STUDIES.items():
        of = [entry["kind"] for row_id, entry in found.items() if study(row_id) == name]
        lines.append([title, len(of)] + [of.count(kind) or "" for kind in kinds.KINDS])
    every = [entry["kind"] for entry in found.values()]
    lines.append(["all", len(every)] + [every.count(kind) for kind in kinds.KINDS])
    return table(["", "rows", *kinds.KINDS], lines)


def entries(found):
    """A line for each entry that is missed or not compared, in their order."""
    lines = ["| rows | count | what | why |", "|---|--:|---|---|"]
    for entry in kinds.read():
        if entry["compared_by"] and not entry["missed"]:
            continue
        count = sum(of["rows"] == entry["rows"] for of in found.values())
        rows = entry["rows"].replace("|", r"\|").replace(r"\d", "[0-9]")
        why = "; ".join(filter(None, ["**missed**: " + entry["missed"] if entry["missed"] else "", entry["why"]]))
        lines.append(f"| `{rows}` | {count} | {entry['kind']} | {why} |")
    return "\n".join(lines) + "\n"


def page(found):
    compared = [entry for entry in found.values() if entry["compared_by"]]
    words = "\n".join(f"- **{kind}**: {what}." for kind, what in kinds.KINDS.items())
    head = HEAD.format(count=len(found), compared=len(compared), met=sum(not entry["missed"] for entry in compared),
                       evidence=sum(entry["kind"] in ("outcome", "held back") for entry in compared))
    return head + words + "\n\n" + counts(found) + TAIL + entries(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--checks", metavar="FILE",
                        default=os.environ.get("SMSCHED_CHECKS", os.path.join(ROOT, "../shared/spec/checks.csv")))
    args = parser.parse_args()
    if not os.path.exists(args.checks):
        print(f"there is no {args.checks}")
        return 77
    with open(args.checks, newline="") as file:
        found, problems = kinds.classify([row["id"] for row in csv.DictReader(file)])
    problems += who_fails(found)
    print("\n".join(problems), end="\n" if problems else "")
    if problems:
        return 1
    text = page(found)
    if not args.check:
        with open(PAGE, "w") as file:
            file.write(text)
        return 0
    with open(PAGE) as file:
        stale = file.read() != text
    if stale:
        print(f"{PAGE} is not what tools/checks/page.py writes", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
