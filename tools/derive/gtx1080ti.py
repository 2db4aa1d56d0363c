#!/usr/bin/env python3
"""The formulas of docs/explanation/derivation.md a second time: an independent computation of what nvprof's metrics and traces of a
GTX 1080 Ti say of kernels, for tests/import to compare with the importer. The library is written by tools/library.

usage: gtx1080ti.py [--check] [DATA_DIR]

DATA_DIR (default ../shared/data/nvprof/gtx1080ti) holds metrics/PROGRAM.csv (nvprof --metrics all --csv)
and traces/PROGRAM.csv (nvprof --print-gpu-trace --csv). Prints a Markdown table of the kernels; --check compares
utilizations with the levels 0 to 10 that nvprof itself prints.

For a kernel of N blocks of W warps, mean duration T (from the trace, never from a metrics run), S SMs:

    b           = resident blocks per SM = min of the limits by blocks, warps, registers, shared memory
    waves       = ceil(N / (b * S))
    block_time  = T / waves
    average     = N * block_time / (S * T)          resident blocks per SM, mean over T
    C           = inst_executed / (executed_ipc * S * sm_activity)      elapsed cycles of the metrics run
    f           = C / T, kept within the range of the card's clocks     SM clock during the trace
    use(r)      = count(r) / (T * capacity(r))      capacity: see RESOURCES; per-cycle ones are times S * f
    demand(r)   = use(r) / average                  at most what lets a full device run at full speed

Counts of thread instructions are divided by warp_nonpred_execution_efficiency, because a warp with idle lanes
takes as long as a full one. docs/explanation/derivation.md explains each choice.
"""

import argparse
import csv
import math
import re
import statistics
from dataclasses import dataclass, field
from pathlib import Path

# name, file in DATA_DIR. Left out: Rodinia pathfinder (its launches overlap on two streams), programs whose launches
# differ in work (Barnes-Hut, cutcp), and programs that repeat a bottleneck already here.
PROGRAMS = [
    ("atax", "poly_atax"),
    ("backprop", "rodinia_backprop"),
    ("binomial_options", "cudasdk_binomialOptions"),
    ("black_scholes", "cudasdk_BlackScholes"),
    ("convolution_2d", "poly_2dconv"),
    ("convolution_separable", "cudasdk_convolutionSeparable"),
    ("fdtd2d", "poly_fdtd2d"),
    ("gemm", "poly_gemm"),
    ("hotspot", "rodinia_hotspot"),
    ("lava_md", "rodinia_lavaMD"),
    ("lbm", "parboil_lbm"),
    ("matrix_mul", "cudasdk_matrixMul"),
    ("md5_hash", "shoc_lev1md5hash"),
    ("mri_q", "parboil_mriq"),
    ("stencil", "parboil_stencil"),
    ("vector_add", "cudasdk_vectorAdd"),
]

SMS = 28
MAX_WARPS, MAX_BLOCKS = 64, 32                     # per SM
PARTITIONS, PARTITION_REGISTERS, REGISTER_UNIT = 4, 16384, 256
SHARED_MEMORY, SHARED_UNIT = 96 * 1024, 256
CLOCK_RANGE = (1.480e9, 2.000e9)                   # Hz: base clock; the highest that long compute-bound kernels show
SECTOR = 32                                        # bytes of a transaction of dram, l2 and the unified cache
MAX_KERNELS, MIN_SHARE = 4, 0.01                   # kernels kept of a program
MIN_JITTER_LAUNCHES = 10

# resource: (count per launch, capacity, unit of the capacity); "SM cycle" is per SM and cycle, "cycle" per cycle of
# the device, "s" per second of the device.
RESOURCES = {
    "fp32": (lambda m: lanes(m, m["inst_fp_32"] - m["flop_count_sp_special"]), 128, "SM cycle"),
    "fp64": (lambda m: lanes(m, m["inst_fp_64"] + conversions(m, wide=True)), 4, "SM cycle"),
    "int": (lambda m: lanes(m, m["inst_integer"]), 128, "SM cycle"),
    "sfu": (lambda m: lanes(m, m["flop_count_sp_special"] + conversions(m, wide=False)), 32, "SM cycle"),
    "issue": (lambda m: m["issue_slots"], 4, "SM cycle"),
    "l1": (lambda m: m["tex_cache_transactions"], 2, "SM cycle"),
    "shared": (lambda m: m["shared_load_transactions"] + m["shared_store_transactions"], 1, "SM cycle"),
    "l2": (lambda m: SECTOR * (m["l2_read_transactions"] + m["l2_write_transactions"]), 32 * SMS, "cycle"),
    "dram": (lambda m: SECTOR * (m["dram_read_transactions"] + m["dram_write_transactions"]), 484e9, "s"),
}
DEVICE_SCOPE = ("l2", "dram")

LEVELS = {  # nvprof's own levels, and the resources that they sum
    "single_precision_fu_utilization": ("fp32", "int"),
    "double_precision_fu_utilization": ("fp64",),
    "special_fu_utilization": ("sfu",),
    "tex_utilization": ("l1",),
    "shared_utilization": ("shared",),
    "l2_utilization": ("l2",),
    "dram_utilization": ("dram",),
}


def lanes(metrics, threads):
    """Lane-slots that thread instructions take: idle lanes of a warp count too."""
    return threads / metrics["warp_nonpred_execution_efficiency"] if threads else 0.0


def conversions(metrics, wide):
    """Conversions run on the fp64 unit in a kernel that uses fp64, else on the special function unit."""
    return metrics["inst_bit_convert"] if (metrics["inst_fp_64"] > 0) == wide else 0.0


@dataclass
class Event:
    """One row of a trace: a launch, or a copy (geometry is None)."""
    name: str
    start: float
    duration: float
    geometry: tuple
    size: float


@dataclass
class Kernel:
    """A kernel of one geometry, with the sums that the formulas of this file's docstring name."""
    symbol: str
    blocks: int
    threads: int
    registers: int
    shared_memory: int
    durations: list
    metrics: dict
    share: float = 0.0
    limits: dict = field(default_factory=dict)

    @property
    def name(self):
        base = re.sub(r"^void ", "", self.symbol)
        base = re.split(r"[<(]", base)[0]
        return re.sub(r"([a-z])([A-Z])", r"\1_\2", base).lower()

    @property
    def time(self):
        return statistics.fmean(self.durations)

    @property
    def variation(self):
        return statistics.pstdev(self.durations) / self.time

    @property
    def resident(self):
        return min(self.limits.values())

    @property
    def waves(self):
        return math.ceil(self.blocks / (self.resident * SMS))

    @property
    def block_time(self):
        return self.time / self.waves

    @property
    def average(self):
        return self.blocks * self.block_time / (SMS * self.time)

    @property
    def cycles(self):
        m = self.metrics
        return m["inst_executed"] / (m["executed_ipc"] * SMS * m["sm_activity"])

    @property
    def clock(self):
        low, high = CLOCK_RANGE
        return min(max(self.cycles / self.time, low), high)

    def use(self, resource):
        """Utilization of the whole device over the launch, as a ratio."""
        count, capacity, unit = RESOURCES[resource]
        per_second = {"SM cycle": capacity * SMS * self.clock, "cycle": capacity * self.clock, "s": capacity}[unit]
        return count(self.metrics) / (self.time * per_second)

    def ceiling(self, resource):
        """Greatest demand at which the fullest SM (or the device) is not oversubscribed by this kernel alone."""
        on_device = min(self.blocks, self.resident * SMS)
        if resource in DEVICE_SCOPE:
            return SMS / on_device
        return 1 / math.ceil(on_device / SMS)

    def demand(self, resource):
        return min(self.use(resource) / self.average, self.ceiling(resource))


def data_rows(path, first_column):
    """Rows of the CSV table that starts at the header whose first column is given; nvprof's own lines go."""
    lines = [line for line in path.read_text(errors="replace").splitlines() if not line.startswith("==")]
    start = next(i for i, line in enumerate(lines) if line.startswith(f'"{first_column}"'))
    return list(csv.DictReader(lines[start:]))


def number(text):
    """A metric's value: a number, a percentage as a ratio, or a level such as "High (8)"."""
    level = re.search(r"\((\d+)\)$", text)
    if level:
        return float(level[1])
    value = float(re.match(r"[-+0-9.eE]+", text)[0])
    return value / 100 if text.endswith("%") else value


def read_metrics(path):
    """{kernel: {metric: mean over its launches}}"""
    metrics = {}
    for row in data_rows(path, "Device"):
        metrics.setdefault(row["Kernel"], {})[row["Metric Name"]] = number(row["Avg"])
    return metrics


def read_trace(path):
    """All events of a trace in time order, in seconds and bytes."""
    units, *rows = data_rows(path, "Start")
    seconds = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
    size = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3}
    events = []
    for row in rows:
        geometry = None
        if row["Grid X"]:
            shared = sum(float(row[k]) * size[units[k]] for k in ("Static SMem", "Dynamic SMem"))
            blocks = math.prod(int(row[f"Grid {axis}"]) for axis in "XYZ")
            threads = math.prod(int(row[f"Block {axis}"]) for axis in "XYZ")
            geometry = (blocks, threads, int(row["Registers Per Thread"]), round(shared))
        events.append(Event(
            name=re.sub(r" \[\d+\]$", "", row["Name"]),
            start=float(row["Start"]) * seconds[units["Start"]],
            duration=float(row["Duration"]) * seconds[units["Duration"]],
            geometry=geometry,
            size=float(row["Size"]) * size[units["Size"]] if row["Size"] else 0.0))
    return events


def occupancy_limits(threads, registers, shared_memory):
    """Blocks that fit an SM, by each limit."""
    warps = math.ceil(threads / 32)
    limits = {"blocks": MAX_BLOCKS, "warps": MAX_WARPS // warps}
    if registers:
        per_warp = math.ceil(registers * 32 / REGISTER_UNIT) * REGISTER_UNIT
        limits["registers"] = PARTITIONS * (PARTITION_REGISTERS // per_warp) // warps
    if shared_memory:
        limits["shared memory"] = SHARED_MEMORY // (math.ceil(shared_memory / SHARED_UNIT) * SHARED_UNIT)
    return limits


def read_kernels(events, metrics):
    """The kernels kept of a program, in the order of their first launch."""
    groups = {}
    for event in events:
        if event.geometry:
            groups.setdefault((event.name, event.geometry), []).append(event.duration)
    total = sum(sum(durations) for durations in groups.values())
    kernels = []
    for (symbol, geometry), durations in groups.items():
        share = sum(durations) / total
        if share < MIN_SHARE:
            continue
        if sum(name == symbol for name, _ in groups) > 1:
            raise ValueError(f"{symbol}: its metrics are a mean over several geometries")
        kernels.append(Kernel(symbol, *geometry, durations, metrics[symbol], share, occupancy_limits(*geometry[1:])))
    largest = sorted(kernels, key=lambda kernel: -kernel.share)[:MAX_KERNELS]
    return [kernel for kernel in kernels if kernel in largest]


def uses(kernel):
    """(resource, utilization) in falling order, zeros left out."""
    return sorted(((r, kernel.use(r)) for r in RESOURCES if kernel.use(r) >= 1e-4), key=lambda item: -item[1])


def read_program(data, file):
    events = read_trace(data / "traces" / f"{file}.csv")
    return read_kernels(events, read_metrics(data / "metrics" / f"{file}.csv"))


def bottleneck(kernel):
    """The most used resource, or latency where none is used by half."""
    resource, use = uses(kernel)[0]
    return resource if use >= 0.5 else "latency"


def print_table(data):
    print("| program | kernel | blocks x threads | T, us | b | waves | bottleneck | highest use |")
    print("|---|---|---|---|---|---|---|---|")
    for name, file in PROGRAMS:
        for k in read_program(data, file):
            top = ", ".join(f"{r} {100 * use:.0f} %" for r, use in uses(k)[:3])
            print(f"| {name} | {k.name} | {k.blocks} x {k.threads} | {1e6 * k.time:.1f} | {k.resident} | "
                  f"{k.waves} | {bottleneck(k)} | {top} |")


def print_check(data):
    """nvprof's level n stands for a utilization of (n-1)*10 % to n*10 %, over active cycles within the SMs."""
    for name, file in PROGRAMS:
        for k in read_program(data, file):
            for level, resources in LEVELS.items():
                active = 1 if resources[0] in DEVICE_SCOPE else k.metrics["sm_activity"]
                ours = math.ceil(10 * sum(k.use(r) for r in resources) / active)
                mark = "" if abs(ours - k.metrics[level]) <= 1 else "  differs"
                print(f"{name:22} {k.name:32} {level:34} nvprof {k.metrics[level]:2.0f} derived {ours:2}{mark}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?", type=Path, default=Path(__file__).resolve().parents[2] / "../shared/data/nvprof/gtx1080ti",
                        help="default ../shared/data/nvprof/gtx1080ti, beside the repository")
    parser.add_argument("--check", action="store_true", help="compare with nvprof's utilization levels")
    options = parser.parse_args()
    if not (options.data / "traces").is_dir():
        parser.error(f"{options.data}: no such data (it holds metrics/ and traces/)")
    if options.check:
        print_check(options.data)
    else:
        print_table(options.data)


if __name__ == "__main__":
    main()
