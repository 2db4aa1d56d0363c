"""Runs scenarios for the studies of this folder, and writes tables. The program is build/bin/smsched, or that of SMSCHED_BUILD."""
import argparse
import csv
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../checks"))
import kinds  # noqa: E402

PROGRAM = os.path.join(os.path.abspath(os.environ["SMSCHED_BUILD"]) if "SMSCHED_BUILD" in os.environ else "build", "bin/smsched")


def arguments(doc):
    """Of a study, before it changes its folder."""
    what, usage = doc.split("\nUsage: ")
    parser = argparse.ArgumentParser(description=what + "\n\n" + usage.partition("\n")[2], usage=usage.partition("\n")[0],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--checks", metavar="FILE", type=os.path.abspath)
    return parser.parse_args()


def checks_of(path):
    """{id: row} of a list of checks; nothing without a path."""
    if not path:
        return {}
    with open(path, newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def verified(script, rows, verdicts):
    """How much of what kinds.csv says of this script is wrong; nothing is said where there is no list."""
    return kinds.verify(script, rows, verdicts) if rows else 0


def model(name):
    """The text of a model's file, such as devices/rtx3090."""
    with open(f"models/{name}.yaml") as file:
        return file.read()


def megabytes(field, text):
    """The first value of a field, in MiB."""
    number, unit = re.search(rf"\b{field}: (\d+) ([MG])iB", text).groups()
    return int(number) * (1024 if unit == "G" else 1)


def listed_default(policy, parameter):
    """As `list policies` has it: a number of milliseconds or of per cent."""
    text = subprocess.run([PROGRAM, "list", "policies"], check=True, capture_output=True, text=True).stdout
    of_policy = text[text.index(f"\n{policy} "):]
    return float(re.search(rf"\n    {parameter}: .*default ([\d.]+)", of_policy)[1])


def simulate(path):
    """{scenario: {policy: run}} of one file of scenarios."""
    text = subprocess.run([PROGRAM, "run", "--models", "models", "--format", "json", path],
                          check=True, capture_output=True, text=True).stdout
    results = json.loads(text)
    return {scenario["scenario"]: {run["policy"]: run for run in scenario["runs"]}
            for scenario in (results if isinstance(results, list) else [results])}


def markdown(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "|---" * len(head) + "|"] +
                     ["| " + " | ".join(line) + " |" for line in lines])
