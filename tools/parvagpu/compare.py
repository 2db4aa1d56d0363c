#!/usr/bin/env python3
"""Compares ParvaGPU's published deployments with what `smsched advise` chooses for the same processes. Usage: compare.py [--slo N]... [SMSCHED]

Theirs: an instance of MIG for each segment, with the segment's processes under MPS in it; its requests/s were measured. Ours: the same processes with
the same batches and loads, each a program with a host part and a kernel, which follow from the throughput of one and of two processes on 1g, 4g and 7g
(as results/measured/a100-2024-parvagpu-mig-mps/derive has it); advice says which of them share which A100, and in which way.
"""
import argparse
import csv
import json
import math
import os
import subprocess
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = Path(os.environ.get("SMSCHED_DATA", ROOT / "../shared/data"))
SMS = {"1": 14, "4": 56, "7": 98}  # of a slice, of 108
LEAST = 0.001  # of a request: a kernel takes some time


def rows(name):
    with open(DATA / name, newline="") as file:
        return list(csv.DictReader(file))


def shared_part(one, two):
    return min(max(math.sqrt(max(two - one, 0) * one), LEAST * one), (1 - LEAST) * one)


def write_program(path, batch, per_s):
    """`per_s`: of each process, by slice and processes. A batch is a job."""
    parts = {}
    for sliced, sms in SMS.items():
        if per_s.get((sliced, 2)):
            one, two = (1e6 * batch / per_s[sliced, n] for n in (1, 2))
            parts[sms] = (one, shared_part(one, two))
    host = sum(one - shared for one, shared in parts.values()) / len(parts)
    at = {sms: shared for sms, (_, shared) in parts.items()}
    whole = at[98] * 98 / 108
    times = [f"100 %: {whole:.3f} us"] + [f"{100 * sms / 108:.2f} %: {max(us, whole):.3f} us" for sms, us in sorted(at.items(), reverse=True) if sms != 98]
    path.write_text(f"workload: {path.stem}\nkernels: [{{name: k, time: {{{', '.join(times)}}}, demand: {{fp32: 100 %}}, jitter: 30 %}}]\n"
                    f"steps: [{{host: {host:.3f} us}}, {{launch: k}}]\n")


def compare(slo, smsched, folder):
    profile, services = defaultdict(dict), {}
    for row in rows("share/parvagpu_a100_mig_mps.csv"):
        profile[row["model"], row["batch"]][row["mig_slice"], int(row["processes"])] = float(row["throughput_each"])
    services = {row["model"]: row for row in rows("cluster/parvagpu_slo_1_to_4.csv") if row["slo"] == slo}
    segments, done = defaultdict(lambda: [0, 0.0]), defaultdict(float)
    deployed = [row for row in rows("cluster/parvagpu_deployment_1_to_4.csv") if row["slo"] == slo]
    for row in deployed:
        processes = int(row["processes"])
        per_s = processes * profile[row["model"], row["batch"]][row["mig_slice"], processes]
        done[row["model"]] += per_s
        segments[row["model"], row["batch"]][0] += processes
        segments[row["model"], row["batch"]][1] += per_s
    arguments, carried = [], defaultdict(float)
    for (model, batch), (processes, per_s) in segments.items():
        name, service = f"{model}_{batch}", services[model]
        write_program(folder / f"{name}.yaml", int(batch), profile[model, batch])
        load = float(service["request_rate_per_s"]) * per_s / done[model] / int(batch)
        arguments += [folder / f"{name}.yaml", "--copies", f"{name}:{processes}", "--load", f"{name}:{load:.6g}/s", "--slo", f"{name}:p99<{service['slo_latency_ms']}ms"]
    gpus = len({row["gpu"] for row in deployed})
    said = subprocess.run([smsched, "advise", *map(str, arguments), "--device", f"a100={gpus}", "--quiet", "--unknowns", "1", "--format", "json"],
                          capture_output=True, text=True, check=True)
    ours = json.loads(said.stdout)
    for placed in (placed for gpu in ours["gpus"] for placed in gpu["programs"]):
        model, batch = placed["program"].rsplit("_", 1)
        processes, per_s = segments[model, batch]
        carried[model] += placed["copies"] / processes * per_s / done[model]
    met = min(min(done[model] / float(service["request_rate_per_s"]) for model, service in services.items()), 1)
    print(f"SLO {slo}: theirs: {gpus} A100, {ours['copies']} processes, at least {100 * met:.0f} % of each load\n"
          f"  ours: {len(ours['gpus'])} A100, {ours['placed']} processes, {100 * sum(carried.values()) / len(services):.0f} % of the loads, at least "
          f"{100 * min(carried[model] for model in services):.0f} % of each; no packing places more than {ours['bound_placed']}")
    for gpu in ours["gpus"]:
        print(f"  {gpu['gpu']}: {gpu['way']}: " + ", ".join(f"{p['copies']} {p['program']}" for p in gpu["programs"]))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--slo", action="append", choices="1234", help="one of the four; default: all")
    parser.add_argument("smsched", nargs="?", default=str(Path(os.environ.get("SMSCHED_BUILD", ROOT / "build")) / "bin/smsched"))
    given = parser.parse_args()
    for number in given.slo or "1234":
        with tempfile.TemporaryDirectory() as temporary:
            compare(number, given.smsched, Path(temporary))
