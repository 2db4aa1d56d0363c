"""Runs scenarios for the studies of this folder, and writes tables. The program is build/bin/smsched, or that of SMSCHED_BUILD."""
import json
import os
import subprocess


def simulate(path):
    """{scenario: {policy: run}} of one file of scenarios."""
    program = os.path.join(os.environ.get("SMSCHED_BUILD", "build"), "bin/smsched")
    text = subprocess.run([program, "run", "--models", "models", "--format", "json", path],
                          check=True, capture_output=True, text=True).stdout
    found, decoder, at = {}, json.JSONDecoder(), 0
    while text[at:].strip():
        one, length = decoder.raw_decode(text[at:].lstrip())
        at += len(text[at:]) - len(text[at:].lstrip()) + length
        for scenario in one if isinstance(one, list) else [one]:
            found[scenario["scenario"]] = {run["policy"]: run for run in scenario["runs"]}
    return found


def markdown(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "|---" * len(head) + "|"] +
                     ["| " + " | ".join(line) + " |" for line in lines])
