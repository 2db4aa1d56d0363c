#!/usr/bin/env python3
"""Which fields, policies and models the random scenarios of VMs, processes and clusters have. Prints for each table of fields how many
of them some seed has, and the names of the others. Fails if no seed has a contention model, a policy, a mode or a queue
discipline, or a field of the tables in WHOLE. Usage: coverage.py SMSCHED PROPERTY PROPERTY_SHARE PROPERTY_CLUSTER"""
import json
import subprocess
import sys

import yaml

SEEDS = 300
# Tables of which each field must be drawn, but for those named.
WHOLE = {
    "device: link": [],
    "device: dispatch": [],
    "device: background": [],
    "workload: kernels": ["launches"],
    "workload: steps": [],
    "scenario: vms": ["count", "stagger", "device"],
    "scenario: vms: arrivals": ["times", "rate"],
    "scenario: host": ["power"],
    "scenario: processes": ["draw"],
    "scenario: processes: streams": [],
    "scenario: nodes": [],
    "scenario: nodes: mig": [],
    "scenario: nodes: unhealthy": [],
    "scenario: pods": [],
    "scenario: pods: arrivals": [],
    "scenario: scheduler": [],
    "scenario: scheduler of kind gpushare": [],
    "scenario: scheduler: quirks": [],
    "scenario: monitor": [],
    "scenario: monitor of model cycle": [],
}
KINDS = ("workload", "scenario", "plan", "device")  # a workload may name its device
POLICIES = ("block policy", "queue discipline", "share policy", "place policy", "mode")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def documents(by_property, *others):
    for seed in range(1, SEEDS + 1):
        for text in (run(by_property, "--print", "--from", str(seed)), *(run(other, "--print", str(seed)) for other in others)):
            yield from yaml.load_all(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def collect(node, path, fields, words):
    """Adds the paths of all fields, without places in lists, and all words."""
    if isinstance(node, dict):
        for key, value in node.items():
            fields.add(path + (str(key),))
            words.add(str(key))
            collect(value, path + (str(key),), fields, words)
    elif isinstance(node, list):
        for value in node:
            collect(value, path, fields, words)
    else:
        words.add(str(node))


def path_of(table):
    """'scenario: pods: arrivals' is found at ('scenario', 'pods', 'arrivals'); a word in capitals stands for any."""
    return tuple(None if part.isupper() else part.split(" with ")[0].split(" of ")[0] for part in table.split(": "))


def is_drawn(path, fields):
    return any(len(path) == len(field) and all(p in (None, f) for p, f in zip(path, field)) for field in fields)


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    smsched, *generators = sys.argv[1:]
    fields, words, missing, drawn, known = set(), set(), [], 0, 0
    for document in documents(*generators):
        collect(document, (next(kind for kind in KINDS if kind in document),), fields, words)
    for table in json.loads(run(smsched, "list", "fields", "--format", "json")):
        name, names = table["table"], [field["name"] for field in table["fields"]]
        others = [field for field in names if not is_drawn(path_of(name) + (field,), fields)]
        drawn, known = drawn + len(names) - len(others), known + len(names)
        print(f"{name}: {len(names) - len(others)} of {len(names)} fields" + (f"; not {', '.join(others)}" if others else ""))
        if name in WHOLE:
            missing += [f"{name}: {field}" for field in others if field not in WHOLE[name]]
    print(f"all tables: {drawn} of {known} fields")
    for topic in ("contention", "policies"):
        for entry in json.loads(run(smsched, "list", topic, "--format", "json")):
            if topic == "contention" or entry["kind"].split(",")[0] in POLICIES:
                missing += [f"{entry['kind']} {entry['name']}"] if entry["name"] not in words else []
    for name in missing:
        print(f"FAILED: no seed has {name}")
    if missing:
        print("Draw it in tests/property/generate.c and print it in print.c there (VMs), or in share/ or cluster/ (processes, pods); "
              "contention models are named in scenario.h and print.c.")
    sys.exit(bool(missing))


main()
