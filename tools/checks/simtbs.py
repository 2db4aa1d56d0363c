#!/usr/bin/env python3
"""Runs configurations of simtbs beside what that simulator printed, and writes the table of docs/evidence/simtbs.md.

usage: simtbs.py [--check] [--build DIR] [--checks FILE]

DIR is where bin/smsched is (default build, or SMSCHED_BUILD). The configurations lie in ../shared/data/simtbs or SMSCHED_DATA, the list
of checks is ../shared/spec/checks.csv or SMSCHED_CHECKS; exits with 77 where they are not there. What simtbs printed is
results/published/simtbs.csv. With --check nothing is written, and a page that is not up to date or a row of the list whose verdict is
not that of kinds.csv fails.
"""
import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import kinds  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(kinds.HERE))
SHARED = os.path.join(ROOT, "../shared")
PAGE = os.path.join(ROOT, "docs/evidence/simtbs.md")
BEGIN, END = "<!-- tools/checks/simtbs.py begins -->\n", "<!-- tools/checks/simtbs.py ends -->\n"
POLICIES = {"rr": "`round_robin`", "rrf": "`round_robin_full`", "bfa": "`breadth_first`", "dfa": "`depth_first`",
            "smk": "`utilization_aware`, limit 150 %", "fua": "`fine_grained`, limit 150 %"}  # in the order of the imported scenario
ROOM = 0.05  # a tick rounds up each block's time


def as_simtbs_reads(text):
    """The configuration with those memory demands that simtbs takes: it keeps 12 numbers in one array and the rest in another, and
    then looks in the wrong places unless an SM has 12 resources, or as many as there are memories."""
    lines, section, counts = [], "", {}
    for line in text.splitlines():
        if line.startswith("*"):
            section = line[1:].split()[0]
        elif line.strip() and not line.startswith("#"):
            words = line.split()
            counts[section] = len(words)
            n_sm, n_mem = counts.get("sm", 0) - 3, counts.get("mem", 0)
            if section == "kernel" and n_sm != 12:
                demands = words[4:]
                mem, moved = (demands[12:] * 2)[:2], min(12 - n_sm, n_mem)
                for i in range(moved):
                    mem = mem[:i] + [demands[moved + i]] + mem[i + 1:]
                line = " ".join(words[:4] + demands[:n_sm] + mem[:n_mem])
        lines.append(line)
    return "\n".join(lines) + "\n"


def read(text):
    """{section: rows of numbers}; '*NAME' begins a section, and '#' in the first column a comment."""
    rows, section = {}, ""
    for line in text.splitlines():
        if line.startswith("*"):
            section = line[1:].split()[0]
        elif line.strip() and not line.startswith("#") and section != "workload":  # which is for its generator of workloads
            rows.setdefault(section, []).append([float(word) if "overhead" in section else int(word) for word in line.split()])
    return rows


def most_blocks(kernels, capacities, hard):
    """The most blocks that an SM holds by its hard resources, because simtbs knows no other limit."""
    least = [min(kernel[4 + i] for kernel in kernels) for i in range(hard)]
    return max(1, min([4096] + [capacity // need for capacity, need in zip(capacities, least, strict=False) if need > 0]))


def scenario_of(text):
    """An ordinary scenario of the configuration: a tick is 1 us, an overhead of an SM hits all its blocks, and a row of kernels is a VM
    that launches one kernel once. Rows of one shape share a workload; those that start after the end are left out."""
    rows = read(text)
    (sms, hard, compute, *sm), mem, end = rows["sm"][-1], rows["mem"][-1], rows.get("general", [[0]])[-1][0]
    kernels = [row for row in rows["kernel"] if not end or row[1] < end]
    blocks, names = most_blocks(kernels, sm, hard), [f"sm{i}" for i in range(len(sm))] + [f"mem{i}" for i in range(len(mem))]
    resources = {f"sm{i}": {"class": "compute" if i < compute else "memory", "capacity": most, "hard": i < hard} for i, most in enumerate(sm)}
    resources |= {f"mem{i}": {"class": "memory", "scope": "device", "capacity": most} for i, most in enumerate(mem)}
    shapes = {tuple(row[2:]): None for row in kernels}
    workloads = {shape: {"workload": f"k{i}", "kernels": [
        {"name": "k", "blocks": shape[0], "threads": 32, "block_time": f"{shape[1]} us",
         "demand": {name: need for name, need in zip(names, shape[2:], strict=True) if need}}]} for i, shape in enumerate(shapes)}
    curves = {name: [[row[0], row[1 + i]] for row in rows["overhead_" + kind]]
              for kind, count in (("sm", len(sm)), ("mem", len(mem))) if "overhead_" + kind in rows
              for i, name in enumerate(f"{kind}{i}" for i in range(count))}
    scenario = {"scenario": "simtbs", "devices": [{"model": "gpu"}], "contention": {"model": "curve", "curves": curves}, "queue": "fifo",
                "policies": ["round_robin", "round_robin_full", "breadth_first", "depth_first", {"utilization_aware": {"limit": "150 %"}},
                             {"fine_grained": {"limit": "150 %"}}],
                "vms": [{"name": f"k{i + 1}", "workload": workloads[tuple(row[2:])]["workload"], "start": f"{row[1]} us"}
                        for i, row in enumerate(kernels)]}
    if end:
        scenario["run"] = {"duration": f"{end} us"}
    device = {"device": "gpu", "clock": "1 GHz", "sms": sms, "sm": {"blocks": blocks, "warps": blocks, "threads": 32 * blocks},
              "resources": resources}
    return "\n---\n".join(json.dumps(part) for part in [device, *workloads.values(), scenario])  # JSON is YAML


def simulate(program, path):
    """{policy of simtbs: ticks, finished kernels, blocks a tick}."""
    with tempfile.TemporaryDirectory() as work, open(path) as file:
        scenario = os.path.join(work, "scenario.yaml")
        with open(scenario, "w") as to:
            to.write(scenario_of(as_simtbs_reads(file.read())))
        said = subprocess.run([program, "run", "--quiet", "--format", "json", scenario], check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True).stdout  # it warns of kernels that want over 100 % alone
    hosts = [run["host"] for run in json.loads(said)["runs"]]
    return {policy: {"end": host["makespan_ns"] / 1e3, "nk": host["kernels_per_s"] * host["makespan_ns"] / 1e9,
                     "tb": host["blocks_per_s"] / 1e6} for policy, host in zip(POLICIES, hosts, strict=True)}


def find(data, name):
    return next(path for folder in ("golden", "") for path in [os.path.join(data, folder, name + ".conf")] if os.path.exists(path))


def table(published, found):
    lines = ["| simtbs | smsched | minimum | median | maximum |", "|---|---|--:|--:|--:|"]
    for policy, name in POLICIES.items():
        ratios = [found[of][policy]["tb"] / rate(row[policy]) for of, row in published.items()]
        lines.append(f"| {policy} | {name} | {min(ratios):.3f} | {statistics.median(ratios):.3f} | {max(ratios):.3f} |")
    best = sum(found[of][max(row, key=lambda policy: rate(row[policy]))]["tb"] >= 0.99 *
               max(run["tb"] for run in found[of].values()) for of, row in published.items())
    return "\n".join(lines) + (f"\n\nIn smsched, simtbs's best policy is also the best, or within 1 % of it, in {best} of {len(published)} "
                               "configurations.\n")


def rate(row):
    return float(row["blocks_per_tick"])


def verdicts_of(rows, found):
    """Of ends, finished kernels and throughputs: whether they are within ROOM of what simtbs printed."""
    verdicts = {}
    for row_id, row in rows.items():
        if row_id.startswith("sim-") and row_id.endswith(("-end", "-nk", "-tb")):
            _, *name, policy, key = row_id.split("-")
            verdicts[row_id] = abs(found["-".join(name)][policy][key] / float(row["value"]) - 1) <= ROOM
    return verdicts


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--build", default=os.environ.get("SMSCHED_BUILD", os.path.join(ROOT, "build")))
    parser.add_argument("--checks", default=os.environ.get("SMSCHED_CHECKS", os.path.join(SHARED, "spec/checks.csv")))
    args = parser.parse_args()
    data = os.path.join(os.environ.get("SMSCHED_DATA", os.path.join(SHARED, "data")), "simtbs")
    for needed in (args.checks, data):
        if not os.path.exists(needed):
            print(f"there is no {needed}")
            return 77
    published = {}
    with open(os.path.join(ROOT, "results/published/simtbs.csv"), newline="") as file:
        for row in csv.DictReader(file):
            published.setdefault(row["configuration"], {})[row["policy"]] = row
    with open(args.checks, newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    program = os.path.abspath(os.path.join(args.build, "bin/smsched"))
    found = {name: simulate(program, find(data, name)) for name in published}
    with open(PAGE) as file:
        text = file.read()
    before, rest = text.split(BEGIN)
    page = before + BEGIN + table(published, found) + END + rest.split(END)[1]
    if not args.check:
        with open(PAGE, "w") as file:
            file.write(page)
    elif page != text:
        print(f"{PAGE} is not what tools/checks/simtbs.py writes")
    verdicts = verdicts_of(rows, found)
    print(f"{len(verdicts)} rows compared, {sum(verdicts.values())} met")
    return 1 if kinds.verify("tools/checks/simtbs.py", rows, verdicts) or (args.check and page != text) else 0


if __name__ == "__main__":
    sys.exit(main())
