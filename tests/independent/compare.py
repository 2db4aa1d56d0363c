#!/usr/bin/env python3
"""Random scenarios of processes that share GPUs: smsched against the simulator beside this file, to a tenth of a nanosecond.

usage: compare.py PROGRAM [FIRST COUNT]     the numbers of scenarios; default 0 and 200"""

import csv
import json
import os
import random
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import simulator  # noqa: E402

US = 10**6
DEVICE = {"device": "d", "clock": "1 GHz", "sms": 10, "memory": "16 GiB",
          "sm": {"threads": 2048, "warps": 64, "blocks": 32, "registers": 65536, "shared_memory": "96 KiB"},
          "resources": {"fp32": {"class": "compute"}, "int": {"class": "compute"}, "dram": {"class": "memory", "scope": "device"}},
          "mig": {"slices": 4, "profiles": [
              {"name": "quarter", "sms": 2, "memory": "4 GiB", "slices": 1, "starts": [0, 1, 2, 3]},
              {"name": "half", "sms": 5, "memory": "8 GiB", "slices": 2, "starts": [0, 2]}]}}
CLASSES = ["x", "y", "z"]


class Draw(random.Random):
    def sometimes(self, ratio):
        return self.random() < ratio

    def time(self, least_us, most_us):
        """Of any number of ps, because round times hide what happens at other instants."""
        return f"{self.randint(least_us * US, most_us * US)} ps"

    def maybe(self, ratio, key, value):
        return {key: value} if self.sometimes(ratio) else {}

    def link(self):
        speed = lambda: f"{self.randint(1, 12)} GB/s"  # noqa: E731
        link = {"bandwidth": f"{self.randint(1, 20)} GB/s", **self.maybe(.4, "copy_in_most", speed())}
        if self.sometimes(.4):
            link |= {"copy_out_most": speed(), **self.maybe(.5, "copy_out_spread", f"{self.randint(1, 30)} %")}
        return link

    def host(self):
        host = {}
        for direction in ("in", "out"):
            host |= self.maybe(.4, "link_" + direction, f"{self.randint(1, 25)} GB/s")
        return host | self.maybe(.6, "cores", self.randint(1, 3)) | self.maybe(.3, "context_time", self.time(1, 1000))

    def step(self, kernels):
        kind = self.choices(["host", "copy_in", "copy_out", "launch"], [3, 1, 1, 5])[0]
        if kind == "host":
            return {"host": self.time(1, 3000)}
        if kind != "launch":
            return {kind: f"{self.randint(1, 10**7)} B"}
        return {"launch": self.choice(kernels)["name"], "times": self.choice([1, 1, 2, 3]), **self.maybe(.3, "sync", self.time(1, 200))}

    def workload(self, name):
        kernels = [{"name": f"k{k}", "time": self.time(10, 4000),
                    "demand": {r: f"{self.randint(1, 100)} %" for r in DEVICE["resources"] if self.sometimes(.6)}} for k in range(2)]
        steps = [self.step(kernels) for _ in range(self.randint(1, 5))] + [{"launch": "k0", "times": 1}]
        return {"workload": name, "corun_class": self.choice(CLASSES), "kernels": kernels, "steps": steps}

    def process(self, name, workloads):
        process = {"name": name, "workload": self.choice(workloads)["workload"], "repeat": self.randint(1, 4), "streams": self.choice([1, 1, 1, 2]),
                   "start": self.choice(["0 ps", self.time(0, 5000)])}
        if process["streams"] == 1 and self.sometimes(.35):
            times = sorted(self.randint(0, 10000 * US) for _ in range(process["repeat"]))
            process["arrivals"] = {"times": [f"{time} ps" for time in times]}
        return process | self.maybe(.4, "active_threads", f"{self.randint(5, 99)} %")

    def contention(self):
        model = self.choice(["none", "proportional", "maxmin", "pairwise"])
        if model != "pairwise":
            return {"model": model}
        slowdown = {a: {b: f"{self.randint(100, 300) / 100}" for b in CLASSES} for a in CLASSES}
        return {"model": model, "combine": self.choice(["add", "max", "mul"]), "slowdown": slowdown}

    def mode(self):
        mode = self.choice(["time_slice", "time_slice", "together", "exclusive", "mps"])
        if mode != "time_slice":
            return mode
        return {mode: {"slice": self.time(200, 3000), "switch": self.choice(["0 ps", self.time(1, 400)]),
                       "newcomer": self.choice(["whole_slice", "rest_of_slice"])}}

    def mig(self):
        profiles = self.choice([["half", "half"], ["half", "quarter", "quarter"], ["half", "quarter"], ["quarter"] * 4])
        return {"mig": {"instances": [{profile: self.mode()} for profile in profiles]}}

    def bind(self, process, devices, mode):
        if self.sometimes(.3):
            process["device"] = self.randrange(devices)
            if "mig" in mode and self.sometimes(.5):
                process["instance"] = self.randrange(len(mode["mig"]["instances"]))
        return process

    def documents(self):
        workloads = [self.workload(f"w{w}") for w in range(self.randint(1, 3))]
        devices, mode = self.choice([1, 1, 2, 3]), self.mig() if self.sometimes(.4) else self.mode()
        processes = [self.bind(self.process(f"p{p}", workloads), devices, mode) for p in range(self.randint(1, 5))]
        scenario = {"scenario": "s", "devices": [{"model": "d", "count": devices}], "contention": self.contention(),
                    "policies": [{"mode": mode}], "host": self.host() or {"cores": 8}, "processes": processes}
        return [DEVICE | {"link": self.link()}, *workloads, scenario]


def run(program, text):
    done = subprocess.run([program, "run", "--quiet", "--format", "csv", "-"], input=text, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{text}\n{done.stderr}")
    return {(row["subject"], row["name"], row["metric"]): float(row["mean"] or "nan") for row in csv.DictReader(done.stdout.splitlines())}


def expected(documents):
    """The metrics, of which times are in ns, by subject, name and metric."""
    processes, switches = simulator.simulate(documents)
    for process in documents[-1]["processes"]:
        name, result = process["name"], processes[process["name"]]
        yield ("process", name, "turnaround_ns"), result["turnaround"] / 1e3
        yield ("vm", name, "job_latency_mean_ns"), sum(result["latencies"]) / len(result["latencies"]) / 1e3
        if process["streams"] == 1:
            for phase in ("copy_in", "copy_out", "kernel"):
                yield ("process", name, phase + "_ns"), result[phase] / 1e3
    if "time_slice" in json.dumps(documents[-1]["policies"]):
        yield ("device", "all", "switches_count"), switches


def main(program, first=0, count=200):
    failed = 0
    for number in range(int(first), int(first) + int(count)):
        documents = Draw(number).documents()
        text = "\n---\n".join(json.dumps(document) for document in documents)
        got = run(program, text)
        wrong = [(key, got[key], value) for key, value in expected(documents) if not abs(got[key] - value) <= .1 + 1e-8 * value]
        for key, ours, value in wrong[:3]:
            print(f"FAILED scenario {number}: {' '.join(key)} is {ours:.12g}, not {float(value):.12g}")
        failed += bool(wrong)
    print(f"{int(count) - failed} scenarios agree, {failed} do not")
    return failed > 0


sys.exit(main(*sys.argv[1:]))
