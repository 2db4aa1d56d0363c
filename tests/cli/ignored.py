#!/usr/bin/env python3
"""What advice does not take from a scenario is named with its place, or refused. Each key of `smsched list fields` must be here. Usage: ignored.py
SMSCHED"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from advising import check, end, run, smsched  # noqa: E402

# Keys that count, and those that advice replaces: it has policies, runs and answers of its own, and options say devices, arrivals and deadlines.
COUNT = {
    "scenario": {"scenario", "question", "plugins", "devices", "vms", "processes", "policies", "alone", "answer", "run", "expect"},
    "scenario: devices": {"model"},
    "scenario: vms": {"name", "workload", "count", "streams", "arrivals", "deadline"},
    "scenario: processes": {"name", "workload", "draw", "count", "streams", "arrivals", "deadline"},
    "scenario: processes: streams": {"workload", "count"},
}
# Values of the others; one that is new fails here until it has one.
VALUES = {
    "scenario": {"contention": "proportional", "queue": "leftover", "host": "{cores: 1}"},
    "scenario: devices": {"count": 2, "sms": 54, "link": "{bandwidth: 1 GB/s}"},
    "scenario: vms": {"start": "1 ms", "stagger": "1 ms", "repeat": 3, "class": "gold", "priority": 1, "device": 0},
    "scenario: processes": {"start": "1 ms", "stagger": "1 ms", "repeat": 3, "class": "gold", "priority": 1, "device": 0, "weight": 2, "active_threads": "20 %",
                            "chunks": 1, "instance": 0},
    "scenario: processes: streams": {"priority": 1, "repeat": 2, "sms": 8},
}
WORKLOAD = "workload: w\nkernels: [{name: k, blocks: 20, threads: 256, block_time: 1 ms, demand: {fp32: 10 %}}]\nsteps: [{launch: k, times: 10}]\n---\n"


def lines(indent, values):
    return "".join(f"{indent}{key}: {value}\n" for key, value in values.items())


def ignored(path):
    """What is said to be ignored: places by name."""
    said = [line for line in json.loads(run(path, "--device", "a100", "--unknowns", "1", "--quiet", "--format", "json").stdout)["lines"] if line.startswith("ignored: ")]
    check("it is said in one line", len(said) <= 1, said)
    entries = [entry.rsplit(": ", 1) for line in said for entry in line.removeprefix("ignored: ").split(", ")]
    return {name: place for place, name in entries}


def check_named(path, seen, title, of):
    """Each key of the table that does not count, at its place."""
    text = path.read_text().splitlines()
    for key in VALUES[title]:
        name = f"{key} of {of}" if of else key
        place = seen.pop(name, "")
        number = int(place.split(":")[-2]) if place.count(":") >= 2 else 0
        column = int(place.split(":")[-1]) if number else 0
        check(f"{name} is named at its place", place.startswith(f"{path}:") and number and text[number - 1][column - 1:].startswith(f"{key}:"), place or sorted(seen))


def check_keys(work):
    tables = {table["table"]: {field["name"] for field in table["fields"]}
              for table in json.loads(subprocess.run([smsched, "list", "fields", "--format", "json"], capture_output=True, text=True, check=True).stdout)}
    for title, counts in COUNT.items():
        overrides = tables["device"] if title == "scenario: devices" else set()
        check(f"keys of {title}", tables[title] == counts | (VALUES[title].keys() - overrides), tables[title] ^ (counts | VALUES[title].keys()))
    top = f"scenario: s\nquestion: Why?\nalone: leftover\nanswer: {{metric: stp_ratio}}\nrun: {{duration: 1 s}}\nexpect: []\ndevices:\n  - model: a100\n{lines('    ', VALUES['scenario: devices'])}"
    processes = work / "processes.yaml"
    processes.write_text(f"{WORKLOAD}{top}policies: [{{mode: mps}}]\n{lines('', VALUES['scenario'])}processes:\n"
                         f"  - name: a\n    draw: [w]\n    count: 2\n{lines('    ', VALUES['scenario: processes'])}"
                         f"  - name: b\n    repeat: forever\n    streams:\n      - workload: w\n        count: 2\n{lines('        ', VALUES['scenario: processes: streams'])}")
    seen = ignored(processes)
    for title, of in ("scenario", ""), ("scenario: devices", "devices"), ("scenario: processes", "a"), ("scenario: processes: streams", "streams of b"):
        check_named(processes, seen, title, of)
    check("nothing else is named", not seen, seen)
    vms = work / "vms.yaml"
    vms.write_text(f"{WORKLOAD}{top}vms:\n  - name: a\n    workload: w\n    streams: 2\n    count: 2\n{lines('    ', VALUES['scenario: vms'])}")
    seen = ignored(vms)
    for title, of in ("scenario: devices", "devices"), ("scenario: vms", "a"):
        check_named(vms, seen, title, of)
    check("nothing else is named of VMs", not seen, seen)
    said = run(processes, "--device", "a100=2", "--unknowns", "1", "--quiet").stdout
    check("several GPUs say it, too", "  ignored: " in said and "weight of a" in " ".join(said.split()), said)
    said = json.loads(run(processes, "--device", "a100=2", "--unknowns", "1", "--quiet", "--format", "json").stdout)["ignored"]
    check("in JSON as well", len(said) == 1 and said[0].startswith("ignored: "), said)


def check_arrivals(work):
    path = work / "arrivals.yaml"
    for arrivals, random in ("{poisson: 50 ms}", True), ("{rate: 20/s}", True), ("{every: 50 ms}", False), ("{times: [1 ms, 2 ms]}", False), ("{rate: 1/h}", True):
        path.write_text(f"{WORKLOAD}scenario: s\ndevices: [{{model: a100}}]\nvms: [{{name: a, workload: w, arrivals: {arrivals}}}]\nrun: {{duration: 1 s}}\n")
        said = " ".join(run(path, "--device", "a100", "--unknowns", "1", "--quiet").stdout.split())
        check(f"whether {arrivals} count", ("when jobs of a arrive, because they are not random" in said) != random, said)
    path.write_text(path.read_text().replace("{rate: 1/h}", "{poisson: 100 h}"))
    said = " ".join(run(path, "--device", "a100", "--unknowns", "1", "--quiet").stdout.split())
    check("a rate out of range is told as such", "when jobs of a arrive, because the rate is not from 1e-5/s to 1e7/s" in said, said)


def check_draw(work):
    path = work / "draw.yaml"
    path.write_text(f"{WORKLOAD}{WORKLOAD.replace('workload: w', 'workload: v')}scenario: s\ndevices: [{{model: a100}}]\npolicies: [{{mode: mps}}]\n"
                    "processes:\n  - {name: a, draw: [w, v]}\n  - {name: b, workload: v}\n")
    said = run(path, "--device", "a100", code=3).stderr
    check("a draw of several is refused", re.search(r"draw.yaml:13:\d+: error: a program does one workload: make a process for each of these", said), said)
    check("with its line and a caret", "- {name: a, draw: [w, v]}\n" in said and "^" in said, said)
    path.write_text(path.read_text().replace("[w, v]", "[w]"))
    check("one of a single workload counts", not ignored(path), path.read_text())


def check_pods(work):
    path = work / "pods.yaml"
    path.write_text(f"{WORKLOAD}scenario: s\nnodes: [{{name: n, devices: {{model: a100}}}}]\npods: [{{name: p, workload: w, gpu: 10 %}}]\n")
    said = run(path, "--device", "a100", code=3).stderr
    check("pods are refused as pods", re.search(r"pods.yaml:7:\d+: error: advise takes the tenants of vms and processes, and no pods", said), said)


with tempfile.TemporaryDirectory() as folder:
    for one in (check_keys, check_arrivals, check_draw, check_pods):
        one(Path(folder))
end()
