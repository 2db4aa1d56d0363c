#!/usr/bin/python3
"""The interval of a kernel scaled to another device: of the kernels held back, 80 % lie within it.

usage: interval.py

Takes measured times and shares of the kernels' time from what results/measured/multi-2024-neusight-unseen-gpu derives, predictions from its
simulated.csv, and the factors from sim/model/retarget.c. Prints the factors that would hold 80 %. 77: no data.
"""
import csv
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools/validation"))
try:
    from neusight import DEVICES, LATER, Device
    from retarget import number, shares
    import yaml
except ModuleNotFoundError as missing:
    print(missing)
    sys.exit(77)

DATA = Path(os.environ.get("SMSCHED_DATA", ROOT / "../shared/data"))
FOLDER = ROOT / "results/measured/multi-2024-neusight-unseen-gpu"
BOUNDS = ["compute", "memory", "latency"]


def share_of(kernel, device):
    """Parts of its time that the kernel waits for compute, memory and latency, on the device where it was measured."""
    resident = kernel["blocks"] / (device.sms * device.waves(kernel))
    return shares(kernel, {name: number(value) * resident for name, value in kernel["demand"].items()}, device)[0]


def bounds(folder, devices):
    """{(scenario, subject): the greatest share}"""
    found = {}
    for there in devices:
        for text in (folder / f"{there}.yaml").read_text().split("---\n"):
            if not text.startswith("workload:"):
                continue
            workload = yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))
            for kernel in workload["kernels"]:
                share = share_of(kernel, devices[workload["device"]])
                found[f"{workload['device']}-to-{there}", f"v/{kernel['name']}"] = share.index(max(share))
    return found


def main():
    if not (DATA / "kernels/neusight.csv.gz").exists():
        print("no measured data")
        return 77
    factors = [float(x) for x in re.search(r"factors\[SMS__BOUNDS\] = \{(.*?)\}", (ROOT / "sim/model/retarget.c").read_text())[1].split(",")]
    with open(FOLDER / "simulated.csv", newline="") as file:
        simulated = {(row["scenario"], row["subject"]): float(row["simulated"]) for row in csv.DictReader(file)}
    with tempfile.TemporaryDirectory() as name:
        subprocess.run([FOLDER / "derive", DATA, name], check=True)
        with open(Path(name) / "measured.csv", newline="") as file:
            measured = {(row["scenario"], row["subject"]): float(row["measured"]) for row in csv.DictReader(file)}
        bound = bounds(Path(name), {device: Device(device) for device in (DEVICES | LATER).values()})
    wrong = 0
    for b, factor in enumerate(factors):
        off = sorted(max(simulated[key] / value, value / simulated[key]) for key, value in measured.items() if bound[key] == b)
        inside = sum(x <= factor for x in off) / len(off)
        print(f"{BOUNDS[b]}: {len(off)} kernels, {100 * inside:.1f} % within {factor}; 80 % within {off[len(off) * 8 // 10]:.3f}")
        wrong += not 0.78 <= inside <= 0.82
    return wrong > 0


sys.exit(main())
