#!/usr/bin/env python3
"""Intervals of tools/two-fidelities hold what they claim, over 200 draws of the points that are run in full, and the program
gives the same gains as a sweep of the plan where it ran it. Usage: fidelities.py TOOL BUILD"""
import csv
import importlib.machinery
import importlib.util
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

DRAWS = 200
PLAN = """device: small
clock: 1 GHz
sms: 4
sm: {threads: 1024, warps: 32, blocks: 8}
resources: {fp32: {class: compute}, dram: {class: memory}}
---
workload: a
kernels: [{name: k, blocks: 24, threads: 128, block_time: 10 us, jitter: 20 %, demand: {fp32: 40 %, dram: 5 %}}]
---
workload: b
kernels: [{name: k, blocks: 40, threads: 128, block_time: 15 us, jitter: 20 %, demand: {fp32: 5 %, dram: 35 %}}]
---
scenario: s
devices: [{model: small}]
contention: {model: proportional, slope: 1}
policies: [round_robin, fine_grained]
answer: {metric: kernels_per_s}
vms: [{name: a, workload: a, repeat: forever}, {name: b, workload: b, repeat: forever}]
run: {warmup: 1 ms, duration: 6 ms, seed: 1, replications: 2}
---
plan: p
keep: [host]
axes:
  - contention.slope: {from: 1, to: 3, steps: 10}
  - policies.fine_grained.limit: {from: 80 %, to: 150 %, steps: 10}
  - queue: [interleave, fifo]
"""
CHEAP = ["run.warmup=0.2 ms", "run.duration=1 ms"]

# What is wrong with a plan: what makes it so, and what is said of that.
WRONG = {"a plan of few points": ("steps: 10", "steps: 3", "cannot be drawn"),
         "a plan of one policy": ("policies: [round_robin, fine_grained]", "policies: [fine_grained]", "no point has a gain"),
         "a plan of two policies of one name": ("[round_robin, fine_grained]", "[{fine_grained: {limit: 60 %}}, fine_grained]", "are called fine_grained")}


def load(tool):
    loader = importlib.machinery.SourceFileLoader("two_fidelities", str(tool))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def refuse(tool, work, old, new, words):
    plan = work / "wrong.yaml"
    plan.write_text(PLAN.replace("duration: 6 ms", "duration: 1200 us").replace(old, new))
    done = subprocess.run([tool, plan, "--out", work / words.replace(" ", "-"), "--cheap", CHEAP[0]], check=False, capture_output=True, text=True)
    return done.returncode == 1 and words in done.stderr and "Traceback" not in done.stderr


def held(two, cheap, full, seed):
    """The share of points that are not drawn whose intervals hold, and whether that of all does."""
    drawn = {values: full[values] for values in two.draw({point: ("s", point) for point in full}, 60, seed)}
    told = two.predict(cheap, drawn)
    others = [low <= full[point] <= high for point, (_, low, high) in told.items() if point not in drawn]
    gain, half = two.overall(cheap, drawn)
    return sum(others) / len(others), abs(gain - two.mean(full.values())) <= half


def holds_on_a_curve(two):
    """In how many of 400 draws the gain of all points is within its interval if it goes with the square of a skewed cheap one."""
    draws = random.Random(1)
    cheap = {point: draws.expovariate(1) for point in range(1000)}
    true, holds = two.mean(gain**2 for gain in cheap.values()), 0
    for _ in range(400):
        gain, half = two.overall(cheap, {point: cheap[point] ** 2 for point in draws.sample(range(1000), 60)})
        holds += abs(gain - true) <= half
    return holds


def bears_a_lone_point(two):
    """The line meets the one point that differs, whatever its gain."""
    cheap = {point: float(point == 0) for point in range(100)}
    gain, half = two.overall(cheap, {point: 2 * cheap[point] for point in range(30)})
    return abs(gain - 0.02) < 1e-12 and half < 1e-12


def marks_what_ran(two, path):
    """Gains that are the same at all points have intervals without a width, also where only the cheap run was made."""
    key, points = ("s", "p", "b"), [(("x", str(i)),) for i in range(3)]
    two.write_gains({key: dict.fromkeys(points, (0, 0, 0))}, {key: {points[1]: 0}}, path)
    return [row["in_full"] for row in csv.DictReader(path.read_text().splitlines())] == ["0", "1", "0"]


def main():
    tool, build = map(Path, sys.argv[1:])
    os.environ["SMSCHED_BUILD"] = str(build)
    sys.dont_write_bytecode = True
    two, failures = load(tool), 0
    with tempfile.TemporaryDirectory() as work:
        plan, out = Path(work) / "plan.yaml", Path(work) / "out"
        plan.write_text(PLAN)
        told = subprocess.run([tool, plan, "--out", out, *(word for value in CHEAP for word in ("--cheap", value))], check=True,
                              capture_output=True, text=True).stdout
        print(told)
        marked, curved = marks_what_ran(two, Path(work) / "gains.csv"), holds_on_a_curve(two)
        refused = {what: refuse(tool, Path(work), *change) for what, change in WRONG.items()}
        two.write(two.read_plan(plan), out / "all.yaml")
        two.sweep(out / "all.yaml", 1)
        cheap, full = (two.read_gains(out / name, two.read_points(out / name, without), None)["s", "fine_grained", "round_robin"]
                       for name, without in (("cheap", ("run.warmup", "run.duration")), ("all", ())))
        with open(out / "gains.csv", newline="") as file:
            rows = list(csv.DictReader(file))
    in_full = [row for row in rows if row["in_full"] == "1"]
    same = all(row["gain_ratio"] == f"{full[tuple((path, row[path]) for path, _ in next(iter(full)))]:.6g}" for row in in_full)
    shares, holds = zip(*(held(two, cheap, full, seed) for seed in range(DRAWS)), strict=True)
    for what, right in ((f"{len(rows)} points, 60 of them in full, as the plan has them", len(rows) == 200 and len(in_full) == 60 and same),
                        ("only points that ran in full are marked so", marked),
                        ("what 10^6 points cost is said", "core hours" in told),
                        *((f"{what} is refused", right) for what, right in refused.items()),
                        (f"of the other points {sum(shares) / DRAWS:.1%} are within their intervals", sum(shares) / DRAWS >= 0.94),
                        (f"in {curved} of 400 it is where gains follow a steep curve", curved >= 350),
                        ("one point may differ from all others", bears_a_lone_point(two)),
                        (f"in {sum(holds)} of {DRAWS} draws the gain of all points is", sum(holds) >= 181)):
        print(f"{'ok' if right else 'FAILED'} {what}")
        failures += not right
    sys.exit(failures > 0)


main()
