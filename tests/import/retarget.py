#!/usr/bin/env python3
"""Kernels measured on both devices: what --device v100 makes of a GTX 1080 Ti's profile, against a V100's profile.

usage: retarget.py SMSCHED [--update]

Prints the table of docs/reference/import.md ("Another device") and compares it with the page; --update puts it there. 77: no data.
"""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = Path(os.environ.get("SMSCHED_DATA", ROOT / "../shared/data"))
PAGE = ROOT / "docs/reference/import.md"
# The nvprof program, and the benchmark and input in Nsight Compute's table that run the same kernels in the same grids.
BOTH = [("rodinia_hotspot", "hotspot", "512"), ("rodinia_gaussian", "gaussian", "16")]
COLUMNS = [("issue", "Issue Slots Busy"), ("l2", "SOL L2"), ("dram", "SOL FB")]
SMS, MARK = 80, "<!-- tests/import/retarget.py -->"


def predicted(smsched, program, models):
    """{kernel: values} for a V100, and how long the kernel took on the GTX 1080 Ti."""
    folder = models / "workloads"
    folder.mkdir(exist_ok=True)
    nvprof = DATA / "nvprof/gtx1080ti"
    subprocess.run([smsched, "import", "nvprof", nvprof / f"metrics/{program}.csv", nvprof / f"traces/{program}.csv", "--device",
                    "v100", "--iteration", "--name", program, "--out", folder / f"{program}.yaml"], check=True)
    listed = subprocess.run([smsched, "list", "workloads", "--format", "json", "--models", models], check=True,
                            capture_output=True, text=True).stdout
    text = (folder / f"{program}.yaml").read_text()
    here = re.findall(r"^  # measured: ([0-9.]+) us", text, re.M)
    there = re.findall(r"^  # on v100: (\d+) blocks per SM", text, re.M)
    workload = next(w for w in json.loads(listed) if w["name"] == program)
    for kernel, measured, limit in zip(workload["kernels"], here, there, strict=True):
        resource = max(kernel["demand_ratio"], key=kernel["demand_ratio"].get)
        average = kernel["use_ratio"][resource] / kernel["demand_ratio"][resource]
        kernel["time_us"] = kernel["block_time_ns"] / 1e3 * kernel["blocks"] / (SMS * average)
        yield kernel["name"], dict(kernel, here_us=float(measured), limit=int(limit))


def rows(smsched):
    with open(DATA / "ncu/v100_rodinia_kernels.csv", newline="") as file:
        v100 = {(row["benchmark"], row["input"], row["kernel"]): row for row in csv.DictReader(file)}
    for program, benchmark, size in BOTH:
        with tempfile.TemporaryDirectory() as name:
            kernels = dict(predicted(smsched, program, Path(name)))
        for name, kernel in kernels.items():
            there = v100[benchmark, size, name]
            if (kernel["blocks"], kernel["threads"]) != (float(there["Grid Size"]), float(there["Block Size"])):
                sys.exit(f"{name}: another geometry")
            limit = min(float(there[f"Block Limit {x}"]) for x in ("SM", "Registers", "Shared Mem", "Warps"))
            yield [f"{benchmark} {name}", f"{kernel['blocks']} x {kernel['threads']}",
                   f"{kernel['registers']}, {float(there['Registers Per Thread']):.0f}", f"{kernel['limit']}, {limit:.0f}",
                   f"{kernel['here_us']:.1f}", f"{kernel['time_us']:.1f}, {float(there['Duration']) / 1e3:.1f}",
                   *(f"{100 * (kernel['use_ratio'].get(r) or 0):.1f}, {float(there[column]):.1f}" for r, column in COLUMNS)]


def main():
    if not (DATA / "ncu/v100_rodinia_kernels.csv").exists():
        print("no measured data")
        return 77
    head = ["kernel", "blocks x threads", "registers", "blocks per SM", "T on GTX 1080 Ti, us", "T, us", "issue, %", "l2, %", "dram, %"]
    lines = ["| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows(sys.argv[1])]]
    table = "\n".join([MARK, *lines, MARK])
    print(table)
    page = PAGE.read_text()
    now = re.sub(f"{MARK}.*{MARK}", lambda _: table, page, flags=re.S)
    if sys.argv[2:] == ["--update"]:
        PAGE.write_text(now)
        return 0
    if now != page or MARK not in page:
        print("docs/reference/import.md has another table")
        return 1
    return 0


sys.exit(main())
