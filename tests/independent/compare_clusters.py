#!/usr/bin/env python3
"""Random clusters: when and where each pod goes by smsched and by the simulator beside this file.

usage: compare_clusters.py PROGRAM [FIRST COUNT]     the numbers of scenarios; default 0 and 200"""

import csv
import json
import os
import random
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import clusters  # noqa: E402

S = 10**12
POLICIES = ["first_fit", "best_fit", "worst_fit", "dot_product", "most_allocated", "least_allocated", "balanced", "dominant_share",
            "gpu_packing", "gpu_clustering", {"fgd": {"order": "exact", "share": "100 %"}}]
REQUESTS = [{"gpus": 0}, {"gpus": 1}, {"gpus": 2}, {"gpus": 4}, {"gpus": 2, "gpu": "25 %"}, {"gpus": 2, "gpu": "50 %"}] + \
    [{"gpus": 1, "gpu": f"{part} %"} for part in (10, 30, 46, 50, 70, 90)]


class Draw(random.Random):
    def maybe(self, ratio, key, values):
        return {key: self.choice(values)} if values and self.random() < ratio else {}

    def time(self, least, most):
        return self.randint(least, most) * S if self.is_round else self.randint(least * S, most * S)

    def node(self, number, models):
        node = {"name": f"n{number}", "gpus": self.choice([0, 1, 2, 4, 8]), "cpu": self.choice([8, 16, 32, 64]),
                "memory": f"{self.choice([32, 64, 128])} GiB", **self.maybe(.5, "labels", [{"zone": "a"}, {"zone": "b"}])}
        return node | (self.maybe(1, "model", models) if node["gpus"] else {})

    def pods(self, nodes):
        start, labels = 0, [node["labels"] for node in nodes if "labels" in node]
        models = [[node["model"]] for node in nodes if "model" in node]
        for number in range(self.randint(5, 60)):
            start += self.time(0, 5)
            request = self.choice(REQUESTS)
            yield {"name": f"p{number}x", "cpu": self.choice([1, 2, 4, 8]), "memory": f"{self.choice([1, 4, 16])} GiB", **request,
                   "start": f"{start} ps", "duration": f"{self.time(1, 60)} ps", "replicas": self.choice([1, 1, 1, 1, 2, 3]),
                   "priority": self.choice([0, 0, 0, 1, 2]), **self.maybe(.1, "selector", labels),
                   **(self.maybe(.2, "models", models) if request["gpus"] else {})}

    def document(self):
        self.is_round = self.random() < .4
        models = self.choice([[], ["G2", "T4"]])
        nodes = [self.node(number, models) for number in range(self.randint(1, 6))]
        return {"scenario": "s", "nodes": nodes, "policies": [self.choice(POLICIES)], "pods": list(self.pods(nodes))}


def run(program, document, folder):
    done = subprocess.run([program, "run", "--quiet", "--force", "--out", folder, "-"], input=json.dumps(document), capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{json.dumps(document)}\n{done.stderr}")
    with open(folder + "/placements.csv", newline="") as file:
        return [(int(row["time_ns"].replace(".", "")), row["pod"], row["node"], [int(gpu) for gpu in row["gpus"].split()])
                for row in csv.DictReader(file)]


def main(program, first=0, count=200):
    failed, total = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(int(first), int(first) + int(count)):
            document = Draw(number).document()
            got, expected = run(program, document, folder + "/results"), clusters.simulate(document)
            total += len(expected)
            if got != expected:
                failed += 1
                at = next((pair for pair in zip(got, expected) if pair[0] != pair[1]), (f"{len(got)} placements", f"{len(expected)} placements"))
                print(f"FAILED scenario {number}, {document['policies'][0]}: {at[0]}, not {at[1]}")
    print(f"{int(count) - failed} scenarios of {total} placements in all agree, {failed} do not")
    return failed > 0


sys.exit(main(*sys.argv[1:]))
