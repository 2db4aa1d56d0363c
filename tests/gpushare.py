#!/usr/bin/env python3
"""What gpushare's texts and code give as examples, against what the program does: the rows 001-* of the specification's
checks.csv, or, where that is not, those of them that are published.

usage: gpushare.py PROGRAM        from the project's root; SMSCHED_CHECKS: the file
"""

import csv
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tools/checks"))
import kinds  # noqa: E402

PROGRAM = sys.argv[1]
CHECKS = os.environ.get("SMSCHED_CHECKS", "../shared/spec/checks.csv")
PUBLISHED = "results/published/gpushare.csv"
MIB = 1 << 20


def smsched(*args):
    return subprocess.run([PROGRAM, *args], check=True, stdout=subprocess.PIPE, text=True).stdout


def scenario(name):
    with open(f"scenarios/gpushare/{name}.yaml") as file:
        return file.read().split("\n---\n")[0]


def with_file(text, use):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        return use(file.name)


def explain(text):
    return with_file(text, lambda path: smsched("explain", path, "--from", "0 s", "--to", "1000 s"))


def gpus(text):
    """Of each GPU of the cluster at the end: its memory, and what is left of it, in MiB."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out")
        with_file(text, lambda path: smsched("run", "--quiet", path, "--out", out))
        with open(os.path.join(out, "gpus.csv"), newline="") as file:
            rows = list(csv.DictReader(file))
    memory = [int(row["memory_bytes"]) for row in rows]
    left = [all_ - int(row["allocated_bytes"]) for all_, row in zip(memory, rows)]
    return [m / MIB for m in memory], [b / MIB for b in left]


def without(text, pod):
    """The scenario without what it expects and without one pod."""
    text = text[:text.index("expect:")]
    return "\n".join(line for line in text.split("\n") if not re.search(rf"(name: |\[){pod},", line))


def passing(line):
    """1 for each of N1, N2, N3 that is not said to be left out."""
    return ",".join("0" if f"{name}: " in line else "1" for name in ("N1", "N2", "N3"))


def in_gib(mib):
    text = (f"scenario: s\nnodes: [{{name: N, gpus: 1, gpu_memory: {mib} MiB}}]\npolicies: [gpushare]\n"
            "scheduler: {kind: gpushare, unit: GiB}\npods: [{name: p, gpu_memory: 1 GiB}]\n")
    return gpus(text)[0][0] / 1024


def number(pattern, text):
    return re.search(pattern, text, re.M)[1]


def plain(value):
    """As the file writes numbers."""
    return f"{value:g}" if isinstance(value, (int, float)) else value


def collect():
    found = {}
    filtered, bound = scenario("filter"), scenario("bind")
    memory, left = gpus(without(filtered, "asks"))
    found["001-card"], found["001-node2"] = memory[0], memory[0] + memory[1]
    found["001-n1"], found["001-n2tot"] = left[0] + left[1], left[2] + left[3]
    found["001-n2c0"], found["001-n2c1"], found["001-n3c0"], found["001-n3c1"] = left[2:]
    said = explain(filtered)
    found["001-req"] = number(r"asks: Allocate (\d+) MiB", said)
    default = number(r"asks: default filter: (.*)", said)
    extender = number(r"asks: extender filter: (.*)", said)
    found["001-f1"] = passing(default)
    found["001-f2"] = passing(default + "; " + extender)
    found["001-bfree"] = ";".join(plain(mib) for mib in gpus(without(bound, "asks"))[1])
    said = explain(bound)
    found["001-b"] = number(r"asks: bound: IDX=(\d+)", said)
    found["001-assumed"] = number(r"asks: bound: .*ASSIGNED=(\w+)", said)
    found["001-btie"] = number(r"tie: bound: IDX=(\d+)", explain(scenario("edges")))
    sample = ("scenario: s\nnodes: [{name: N, gpus: 2, gpu_memory: 16276 MiB}]\npolicies: [gpushare]\n"
              "scheduler: {kind: gpushare}\npods: [{name: binpack, gpu_memory: 1 GiB}]\n")
    found["001-sample"] = number(r"binpack: Allocate (\d+) MiB", explain(sample))
    with_inspect = json.loads(smsched("run", "--quiet", "--format", "json", "scenarios/gpushare/inspect.yaml"))
    found["001-inspect"] = 100 * with_inspect["runs"][0]["cluster"]["gpu_memory_allocation_ratio"]
    found["001-gib1"], found["001-gib2"] = in_gib(12036), in_gib(16276)
    late = explain(scenario("swap"))
    found["001-alloc"] = "true" if "early: Allocate 12000 MiB: GPU 0, of late" in late else "false"
    parts = explain(scenario("containers"))
    found["001-multi"] = "start" if "containers run" in parts else "fail"
    single = explain(scenario("containers").replace("gpus: 2", "gpus: 1"))
    found["001-one"] = "true" if "the only GPU, 0" in single and "containers run" in single else "false"
    return found


def main():
    path, least = (CHECKS, 22) if os.path.exists(CHECKS) else (PUBLISHED, 17)
    found, missed, verdicts = collect(), 0, {}
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        if row["id"].startswith("001-"):
            verdicts[row["id"]] = plain(found.get(row["id"])) == row["value"]
            if not verdicts[row["id"]]:
                print(f"{row['id']}: {plain(found.get(row['id']))}, and not {row['value']}")
                missed += 1
    print(f"{len(verdicts)} rows compared, {missed} missed")
    wrong = kinds.verify("tests/gpushare.py", [row["id"] for row in rows], verdicts) if path == CHECKS else 0
    return 1 if missed or wrong or len(verdicts) < least else 0


if __name__ == "__main__":
    sys.exit(main())
