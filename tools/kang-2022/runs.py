"""Runs scenarios for the studies of this folder, and writes tables. The program is build/bin/smsched, or that of SMSCHED_BUILD."""
import json
import os
import subprocess


def simulate(path):
    """{scenario: {policy: run}} of one file of scenarios."""
    program = os.path.join(os.environ.get("SMSCHED_BUILD", "build"), "bin/smsched")
    text = subprocess.run([program, "run", "--models", "models", "--format", "json", path],
                          check=True, capture_output=True, text=True).stdout
    results = json.loads(text)
    return {scenario["scenario"]: {run["policy"]: run for run in scenario["runs"]}
            for scenario in (results if isinstance(results, list) else [results])}


def markdown(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "|---" * len(head) + "|"] +
                     ["| " + " | ".join(line) + " |" for line in lines])
