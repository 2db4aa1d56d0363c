"""Kernels of PyTorch by grid and time on seven GPUs (NeuSight), and what the device files say of these."""
import csv
import gzip
import math
import re
from collections import defaultdict
from pathlib import Path

import yaml
from retarget import Gpu, number

MODELS = Path(__file__).resolve().parents[2] / "models/devices"
DEVICES = {"Tesla P4": "p4", "Tesla P100-PCIE-16GB": "p100-pcie", "Tesla V100-PCIE-32GB": "v100-pcie", "Tesla T4": "t4",
           "NVIDIA A100-PCIE-40GB": "a100-pcie", "NVIDIA A100 80GB PCIe": "a100-80gb-pcie"}
LATER = {"NVIDIA L4": "l4"}  # in a file of its own
LIMITS = {"p4": 75, "p100-pcie": 250, "v100-pcie": 250, "t4": 70, "a100-pcie": 250, "a100-80gb-pcie": 300, "l4": 72}  # W, of the product briefs
ARRAYS = {"add": 3, "mul": 3, "div": 3, "pow": 3}  # read and written; of the others 2
MEMORY, FP32 = 0, 1


class Device(Gpu):
    def __init__(self, name):
        self.name, self.text = name, (MODELS / f"{name}.yaml").read_text()
        super().__init__(yaml.safe_load(self.text))
        dram = self.resources["dram"]
        self.power, self.reached = LIMITS[name], number(dram.get("reached", "100 %"))
        self.lanes = self.resources["fp32"]["lanes"] * self.sms
        self.rate = [number(dram["bandwidth"]), self.lanes * self.clock]  # bytes, fp32 results a second

    def clock_at(self, energy):
        """The clock of full fp32 units at this energy of a result, Hz."""
        return min(self.power / (self.lanes * energy), self.clock)

    def document(self, clock, reached):
        """The device file, with this clock of full fp32 units, Hz, and this share of DRAM's bandwidth."""
        text = re.sub(r", compute_clock: [^}]*", "", self.text)
        text = re.sub(r", reached: [^}]*", "", text)
        text = re.sub(r"(?m)^sources:.*\n(  .*\n)*", "", text)
        text = re.sub(r"(?m)^(  dram: \{[^}]*)\}", rf"\1, reached: {100 * reached:.1f} %}}", text)
        return re.sub(r"(?m)^(power: \{[^}]*)\}", rf"\1, compute_clock: {clock / 1e6:.0f} MHz}}", text)


def read(data, devices=DEVICES):
    """{(op, sizes): {device: kernel}} of these devices; of repeated measurements the first."""
    found = defaultdict(dict)
    for path in ["neusight.csv.gz"] + ["neusight_l4.csv.gz"] * any(name in devices for name in LATER):
        read_file(data / "kernels" / path, devices, found)
    return found


def read_file(path, devices, found):
    with gzip.open(path, "rt", newline="") as file:
        for row in csv.DictReader(file):
            size = {key: int(value) for key, value in (pair.split("=") for pair in row["sizes"].split())}
            op, gemm = row["op"], row["op"] in ("bmm", "linear")
            kernel = {"op": op, "name": row["kernel"], "size": size, "split": int(row["grid_z"]),
                      "device": devices[row["device"]], "group": op if gemm or op in ("softmax", "ln") else "element-wise",
                      "time": float(row["latency_ms"]) / 1e3,
                      "blocks": math.prod(int(row[f"grid_{x}"]) for x in "xyz"), "threads": math.prod(int(row[f"block_{x}"]) for x in "xyz"),
                      "registers": 122 if gemm else 32}
            if gemm:
                b, m, n, k = (size[x] for x in "BMNK")
                kernel["work"] = [4 * b * (m * k + k * n + m * n), b * m * n * k]
            else:
                kernel["work"] = [4 * ARRAYS.get(op, 2) * size["B"] * size["H"], 0]
            found[op, row["sizes"]].setdefault(devices[row["device"]], kernel)
