#!/usr/bin/env python3
"""Writes a cluster of A100s and V100s that runs openb's pods. Usage: mixed.py openb_pod_list_default.csv >mixed.yaml

Whole GPUs go to pods that ask for them. Of pods that ask for a part, those that serve (qos LS, Guaranteed) get an instance of
MIG of at least that part, the others a share of a GPU, as under MPS. Pods last as long as in the list, so no mode is simulated."""
import csv
import sys

PROFILES = [(125, "1g.5gb"), (250, "2g.10gb"), (500, "3g.20gb"), (1000, "7g.40gb")]

HEAD = """# openb's pods on a cluster of mixed GPUs, written by scenarios/openb/mixed.py.
scenario: openb-mixed
question: Which place policy keeps waits short on whole GPUs, shared GPUs and instances?
nodes:
  - {name: whole, count: 3, devices: {model: a100, count: 8}, cpu: 128, memory: 768 GiB, labels: {use: whole}}
  - {name: older, count: 1, devices: {model: v100, count: 8}, cpu: 128, memory: 768 GiB, labels: {use: whole}}
  - {name: mps, count: 1, devices: {model: a100, count: 8}, cpu: 128, memory: 768 GiB, labels: {use: shared}}
  - {name: mig, count: 1, devices: {model: a100, count: 8}, cpu: 128, memory: 768 GiB, mig: [{changes: free, change: 10 s}]}
policies: [first_fit, best_fit, edge, fgd]
pods:
  - table:
      columns: [name, cpu, memory, gpus, gpu, profile, selector, start, duration]
      rows:"""


def place_of(pod):
    """gpus, gpu, profile, selector"""
    gpus, milli = int(pod["num_gpu"]), int(pod["gpu_milli"])
    if gpus == 0:
        return "0, ~, ~, ~"
    if gpus > 1 or milli == 1000:
        return f"{gpus}, ~, ~, {{use: whole}}"
    if pod["qos"] in ("LS", "Guaranteed"):
        profile = next(name for most, name in PROFILES if milli <= most)
        return f"~, ~, {profile}, ~"
    return f"1, {milli / 10:g} %, ~, {{use: shared}}"


def main():
    print(HEAD)
    with open(sys.argv[1], newline="") as source:
        for pod in csv.DictReader(source):
            begin, end = float(pod["creation_time"]), pod["deletion_time"]
            lasts = f"{max(float(end) - begin, 0.5):.1f} s" if end else "forever"
            print(f"        - [{pod['name']}, {int(pod['cpu_milli']) / 1000}, {pod['memory_mib']} MiB, {place_of(pod)}, "
                  f"{begin:.0f} s, {lasts}]")


main()
