#!/usr/bin/env python3
"""A metric is one line of sim/results/metrics.def: everything that names metrics names each of them, also one that was added.

    metrics.py SMSCHED ADDED    ADDED is smsched built with the lines of tests/CMakeLists.txt in a copy of metrics.def"""
import csv
import io
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

SUBJECTS = {"host": "hosts", "vm": "vms", "resource": "resources", "kernel": "kernels", "process": "processes",
            "device": "devices", "cluster": "cluster", "node": "nodes", "class": "classes"}
WORKLOAD = """workload: one
kernels: [{name: k, blocks: 20, threads: 128, block_time: 10 us, demand: {fp32: 9 %}}]
---
"""
SCENARIOS = {"vms": WORKLOAD + """scenario: s
devices: [{model: v100, sms: 2}]
policies: [round_robin]
vms: [{name: a, workload: one, repeat: 2, class: c}, {name: b, workload: one, repeat: 1}]
run: {duration: 300 us}
""", "processes": WORKLOAD + """scenario: s
devices: [{model: v100}]
policies: [{mode: exclusive}]
processes: [{name: a, workload: one, count: 2, class: c}]
""", "pods": """scenario: s
nodes: [{name: n, count: 2, gpus: 2, gpu_memory: 8 GiB, cpu: 8, memory: 8 GiB}]
policies: [first_fit]
pods: [{name: p, count: 4, gpus: 1, cpu: 1, duration: 1 s}]
"""}
PLAN = """plan: p
base: vms.yaml
axes: [{queue: [interleave, fifo]}]
keep: [host, vm, resource, kernel, class]
"""
failed = []


def expect(what, holds):
    if not holds:
        failed.append(what)


def run(program, *arguments):
    done = subprocess.run([program, *arguments], capture_output=True, text=True)
    expect(f"{' '.join(arguments)}: {done.stderr}", done.returncode == 0)
    return done.stdout


def rows(text):
    return list(csv.reader(io.StringIO(text)))


def listed(program):
    metrics = {}
    for metric in json.loads(run(program, "list", "metrics", "--format", "json")):
        metrics.setdefault(metric["subject"], []).append(metric["name"])
    return metrics


def check_files(folder, metrics, subject, where):
    with open(os.path.join(folder, SUBJECTS[subject] + ".csv"), encoding="utf-8") as file:
        head = next(csv.reader(file))
    expect(f"{where}: columns of {subject}", [name for name in metrics[subject] if name not in head] == [])


def check_run(program, kind, metrics):
    """Table CSV, JSON, comparison, results folder and page of a run. Returns the subjects that it has."""
    path = f"{kind}.yaml"
    tidy = {}
    for row in rows(run(program, "run", "--quiet", "--format", "csv", path))[1:]:
        tidy.setdefault(row[2], {}).setdefault(row[4], row[5])
    for subject, names in tidy.items():
        expect(f"{kind}: CSV of {subject}", list(names) == metrics[subject])
    for command in "run", "compare":
        outcome = json.loads(run(program, command, "--quiet", "--format", "json", path))["runs"][0]
        for subject in tidy:
            of = outcome.get(SUBJECTS[subject], outcome.get(subject))
            of = of[0] if isinstance(of, list) else of
            expect(f"{kind}: JSON of {command}, {subject}", [n for n in of if n not in ("name", "ci95", "maximum_of")] == metrics[subject])
    run(program, "run", "--quiet", "--out", f"{kind}.out", path)
    for subject in [*tidy, *(["node"] if kind == "pods" else [])]:
        check_files(f"{kind}.out", metrics, subject, kind)
    page = json.loads(run(program, "report", "--format", "json", f"{kind}.out"))["metrics"]
    expect(f"{kind}: page", {subject: list(names) for subject, names in page.items()} == metrics)
    return tidy


def check_program(program, folder, added):
    os.mkdir(folder)
    os.chdir(folder)
    metrics = listed(program)
    for kind, text in SCENARIOS.items():
        with open(f"{kind}.yaml", "w", encoding="utf-8") as file:
            file.write(text)
        for subject, names in check_run(program, kind, metrics).items():
            expect(f"added to {subject}: {names.get('added_count')}", names.get("added_count") == (
                "42" if added and subject in ("vm", "process", "cluster") else None))
    expect("schema", set(json.loads(run(program, "list", "schema"))["definitions"]["metric"]["enum"]) >= {
        name for names in metrics.values() for name in names})
    with open("plan.yaml", "w", encoding="utf-8") as file:
        file.write(PLAN)
    run(program, "sweep", "--quiet", "plan.yaml")
    for subject in "host", "vm", "resource", "kernel", "class":
        check_files("p.sweep/results", metrics, subject, "sweep")
    database = sqlite3.connect("p.sweep/results/sweep.db")
    for subject in "host", "vm", "class":
        columns = {row[1] for row in database.execute(f"PRAGMA table_info({subject})")}
        expect(f"database of {subject}", columns >= set(metrics[subject]))
    database.close()
    os.chdir("..")
    return metrics


def main():
    source = os.getcwd()
    plain, added = [os.path.realpath(path) for path in sys.argv[1:]]
    without = subprocess.run(["tools/metrics-table", "no-such-program"], capture_output=True, text=True, check=False)
    expect("tools/metrics-table writes a page without metrics", without.returncode and not without.stdout)
    made = subprocess.run(["tools/metrics-table", plain], capture_output=True, text=True, check=True).stdout
    with open("docs/reference/metrics.md", encoding="utf-8") as file:
        expect("docs/reference/metrics.md is not what tools/metrics-table writes", file.read() == made)
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        metrics = check_program(plain, "plain", False)
        more = check_program(added, "added", True)
        os.chdir(source)
    expect("every subject has metrics", list(metrics) == list(SUBJECTS))
    expect("three are added", sum(map(len, more.values())) == sum(map(len, metrics.values())) + 3)
    for what in failed:
        print(f"FAILED {what}")
    print(f"{sum(map(len, metrics.values()))} metrics, {len(failed)} failed")
    return bool(failed)


sys.exit(main())
