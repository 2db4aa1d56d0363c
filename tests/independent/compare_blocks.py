#!/usr/bin/env python3
"""Random scenarios of VMs: the SM, start and end of each block by smsched and by the simulator beside this file, to 3 ps.

usage: compare_blocks.py PROGRAM [FIRST COUNT]     the numbers of scenarios; default 0 and 120"""

import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import blocks  # noqa: E402

US = 10**6
RESOURCES = {"fp32": {"class": "compute"}, "int": {"class": "compute"}, "l1": {"class": "memory"}, "dram": {"class": "memory", "scope": "device"}}
CLASSES = ["x", "y", "z"]
LIMITED = ["utilization_aware", "fine_grained", "fine_grained_capped"]
POLICIES = LIMITED + ["leftover", "most_room", "round_robin", "round_robin_full", "breadth_first", "depth_first", "affinity"]


class Draw(random.Random):
    def sometimes(self, ratio):
        return self.random() < ratio

    def time(self, least_us, most_us):
        """Mostly of any number of ps, because round times hide what happens at other instants."""
        return f"{self.randint(least_us, most_us) * US if self.is_round else self.randint(least_us * US, most_us * US)} ps"

    def percent(self, least, most):
        return f"{self.randint(least, most)} %"

    def kernel(self, name, resources):
        return {"name": name, "blocks": self.choice([1, 2, 5, 12, 30]), "threads": self.choice([32, 96, 100, 256, 512]),
                "shared_memory": f"{self.choice([0, 0, 8, 24])} KiB", "block_time": self.time(5, 60),
                "demand": {resource: self.percent(1, 70) for resource in resources if self.sometimes(.6)}}

    def step(self):
        return {"host": self.time(1, 80)} if self.sometimes(.3) else {"launch": self.choice(["k0", "k1"]), "times": self.choice([1, 1, 2])}

    def workload(self, name, resources):
        return {"workload": name, "corun_class": self.choice(CLASSES), "kernels": [self.kernel(k, resources) for k in ("k0", "k1")],
                "steps": [self.step() for _ in range(self.randint(0, 3))] + [{"launch": "k0", "times": 1}]}

    def curve(self):
        x, y, points = 0, 0, []
        for _ in range(self.randint(1, 3)):
            x, y = x + self.randint(10, 120), y + self.randint(0, 90)
            points.append([f"{x} %", f"{y} %"])
        return points

    def contention(self, resources):
        model = self.choice(["none", "knee", "proportional", "maxmin", "pairwise", "curve", "pressure"])
        curves = {resource: self.curve() for resource in resources}
        return {"proportional": {"model": model, "slope": self.choice([1, 1.5, 2.5])},
                "pairwise": {"model": model, "combine": self.choice(["add", "max", "mul"]),
                             "slowdown": {a: {b: self.randint(100, 250) / 100 for b in CLASSES} for a in CLASSES}},
                "curve": {"model": model, "curves": curves},
                "pressure": {"model": model, "curves": curves, "floor": self.percent(0, 100)}}.get(model, model)

    def policy(self):
        policy = self.choice(POLICIES)
        if policy not in LIMITED:
            return policy
        param = {"limit": self.choice(["80 %", "100 %", "120 %"])}
        if self.sometimes(.3):
            param["patience"] = self.time(0, 60)
        return {policy: param | ({"sms": self.randint(1, 4)} if policy == "fine_grained_capped" else {})}

    def device(self):
        resources = {name: dict(of) for name, of in RESOURCES.items() if name == "fp32" or self.sometimes(.8)}
        if self.sometimes(.2):
            resources["fp32"]["hard"] = True
        device = {"device": "d", "clock": "1 GHz", "sms": self.choice([1, 2, 3, 4, 6, 9]), "memory": "16 GiB", "resources": resources,
                  "sm": {"threads": 1024, "warps": 32, "blocks": self.choice([4, 8, 16]), "registers": 65536, "shared_memory": "64 KiB"}}
        if self.sometimes(.3):
            device["dispatch"] = {"launch": f"{self.randint(0, 9 * US)} ps", "block": f"{self.randint(0, 2 * US)} ps"}
        return device

    def documents(self):
        self.is_round = self.sometimes(.2)
        device, policy = self.device(), self.policy()
        queue = "leftover" if policy == "leftover" else self.choice(["leftover", "kernel_fifo", "interleave", "rr_fifo"])
        has_priorities = self.sometimes(.3)
        workloads = [self.workload(f"w{v}", device["resources"]) for v in range(self.randint(1, 4))]
        vms = [{"name": f"v{v}", "workload": f"w{v}", "repeat": self.choice([1, 1, 2, 3]), "streams": self.choice([1, 1, 1, 2]),
                "start": self.time(0, 100), "priority": self.randint(0, 2) if has_priorities else 0} for v in range(len(workloads))]
        return [device, *workloads, {"scenario": "s", "devices": [{"model": "d"}], "queue": queue, "policies": [policy],
                                     "contention": self.contention(device["resources"]), "vms": vms}]


def run(program, text, trace):
    done = subprocess.run([program, "run", "--quiet", "--trace", trace, "-"], input=text, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{text}\n{done.stderr}")
    with open(trace) as file:
        events = json.load(file)["traceEvents"]
    os.unlink(trace)
    threads = {(event["pid"], event["tid"]): event["args"]["name"] for event in events if event["ph"] == "M" and event["name"] == "thread_name"}
    for event in events:
        thread = threads.get((event["pid"], event.get("tid")), "")
        if event["ph"] == "X" and thread.startswith("SM "):
            block = *event["name"].split("/"), int(thread.split()[1]), event["args"]["start_ps"], event["args"]["end_ps"]
            yield from [block] * event["args"].get("blocks", 1)


def are_close(ours, theirs):
    return ours[:3] == theirs[:3] and all(abs(a - b) <= 3 for a, b in zip(ours[3:], theirs[3:]))


def main(program, first=0, count=120):
    failed, total = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(int(first), int(first) + int(count)):
            documents = Draw(number).documents()
            text = "\n---\n".join(json.dumps(document) for document in documents)
            got, expected = sorted(run(program, text, folder + "/trace.json")), sorted(blocks.simulate(documents))
            wrong = [pair for pair in zip(got, expected) if not are_close(*pair)]
            total += len(expected)
            if wrong or len(got) != len(expected):
                failed += 1
                at = min(wrong, key=lambda pair: min(pair[0][3], pair[1][3]), default=(f"{len(got)} blocks", f"{len(expected)} blocks"))
                print(f"FAILED scenario {number}: {at[0]}, not {at[1]}")
    print(f"{int(count) - failed} scenarios of {total} blocks in all agree, {failed} do not")
    return failed > 0


sys.exit(main(*sys.argv[1:]))
