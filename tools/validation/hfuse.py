"""Fused launches of HFuse: what is known of five kernels, what is fitted to half of their pairs, and scenarios of all pairs.

A fused block holds the threads of a block of each kernel ("horizontal"), or does the work of one after that of the other
("vertical"). Its registers and threads decide how many such blocks an SM holds. A kernel alone has more, so how much its
blocks gain when fewer of its own are resident must be known: each kernel has a resource of its own, of which it uses a
fitted share when alone. It shares DRAM, whose use follows from the sizes of its tensors, and issue slots.
"""
import csv
import json
import math
import re
import statistics

import numpy
from scipy.optimize import least_squares

BLOCKS, DRAM_KNEE = 10000, 2.2
NAMES = {"MaxPoolForward": "max_pool", "batch_norm_collect_statistics_kernel": "batch_norm", "im2col_kernel": "im2col",
         "kernelHistogram1D": "histogram", "upsample_bilinear2d_out_frame": "upsample"}
THREADS = {"batch_norm": 512, "histogram": 512, "im2col": 512, "upsample": 512, "max_pool": 256}
# Bytes that move, from the tensors of HFuse's examples/ml/wrappers/wrapper.cpp. max_pool reads half of the rows of its input, and
# of these the sectors that 20 of every 40 bytes lie in, about 85 %.
BYTES = {"batch_norm": 128 * 10000 * 100 * 4, "histogram": 5000000 * 4, "im2col": 2512 * 2048 * 4 + 13 * 2500 * 2048 * 4,
         "upsample": 5 * 4 * 2000 * 2560 * 4, "max_pool": 0.85 / 2 * 100 * 2560 * 1000 * 4 + 100 * 256 * 100 * 12}
# Share of the issue slots of a GTX 1080 Ti, alone (corun/hfuse_ml_metrics_gtx1080ti.csv).
ISSUE = {"histogram": 0.1562, "max_pool": 0.0762, "im2col": 0.8405, "batch_norm": 0.5838, "upsample": 0.6347}
# SMs, DRAM in bytes/s, clock. The GTX 1080 Ti's clock is inferred (docs/explanation/derivation.md).
DEVICES = {"v100": (80, 900e9, 1.53e9), "gtx1080ti": (28, 484e9, 1.75e9)}
# Two cycles through the five kernels make up the ten pairs. The first is fitted.
FITTED = [{"histogram", "max_pool"}, {"max_pool", "upsample"}, {"upsample", "batch_norm"}, {"batch_norm", "im2col"}, {"im2col", "histogram"}]
# The fused launches that HFuse's paper compares: of histogram's, those whose barriers hold up their own half of the threads only.
HORIZONTAL = {"histogram": "11"}
SCENARIO = """\
---
workload: {name}-a
kernels: [{{name: k, blocks: {blocks[0]}, threads: {threads[0]}, registers: {registers[0]}, block_time: {times[0]:.6f} us, demand: {{{demands[0]}, {slots[0]}: 1}}}}]
---
workload: {name}-b
kernels: [{{name: k, blocks: {blocks[1]}, threads: {threads[1]}, registers: {registers[1]}, block_time: {times[1]:.6f} us, demand: {{{demands[1]}, {slots[1]}: 1}}}}]
---
scenario: {name}
devices:
  - model: {device}
    resources:
      dram: {{knee: {dram_knee}}}
      own_a: {{class: memory, knee: {knee:.4f}}}
      own_b: {{class: memory, knee: {knee:.4f}}}
      slot_a: {{class: compute, capacity: {resident}, hard: true}}
      slot_b: {{class: compute, capacity: {resident}, hard: true}}
contention: knee
policies: [round_robin]
queue: interleave
vms: [{{name: a, workload: {name}-a}}, {{name: b, workload: {name}-b}}]
"""


def resident_blocks(threads, registers):
    """Blocks that an SM holds: 64 warps, 2048 threads, and 4 partitions of 16384 registers (docs/explanation/model.md)."""
    warps = threads // 32
    return min(64 // warps, 4 * (16384 // (math.ceil(registers * 32 / 256) * 256)) // warps, 2048 // threads)


def read(path):
    """{kernel: (ns, registers)} alone, and [(a, b, kind, threads, registers, ns, relative sd)] of fused launches."""
    launches = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            name = re.sub(r"<.*", "", row["kernel"]).split("::")[-1]
            shape = json.loads(row["grid"])[0], math.prod(json.loads(row["block"])), int(row["registers"])
            launches.setdefault((name, *shape), []).append(int(row["duration_ns"]))
    alone = {NAMES[name]: (statistics.median(ns), registers) for (name, blocks, threads, registers), ns in launches.items()
             if name in NAMES and blocks == BLOCKS and threads == THREADS[NAMES[name]]}
    return alone, [(*pair, threads, registers, statistics.median(ns), statistics.pstdev(ns) / statistics.mean(ns))
                   for (name, _, threads, registers), ns in launches.items() if (pair := pair_of(name, threads))]


def pair_of(name, threads):
    """The two kernels and the kind of a fused launch that is compared, or None."""
    if name == "max_pool_upsample_kernel":
        return "max_pool", "upsample", "horizontal"
    match = re.fullmatch(r"(.*)_(0|100|11)", name)
    first = next((key for key in NAMES if match and match[1].startswith(key + "_")), None)
    if not first:
        return None
    a, b = NAMES[first], NAMES[match[1][len(first) + 1:]]
    if match[2] == "100":  # the two of 1024 threads spread the work over twice the threads
        return (a, b, "vertical") if threads <= 512 else None
    return (a, b, "horizontal") if match[2] == HORIZONTAL.get(a, "0") else None


class Kernels:
    """What is known of the kernels alone on a device, and the fitted uses of their own resources."""

    def __init__(self, device, alone):
        self.device = device
        self.sms, self.bandwidth, self.clock = DEVICES[device]
        self.registers = {k: registers for k, (_, registers) in alone.items()}
        self.resident = {k: resident_blocks(THREADS[k], registers) for k, registers in self.registers.items()}
        # Real blocks drift apart, so the last wave of many is no wave of its own: the work is put into full waves.
        self.waves = {k: BLOCKS // (self.sms * self.resident[k]) for k in alone}
        self.blocks = {k: self.waves[k] * self.sms * self.resident[k] for k in alone}
        self.block_s = {k: ns * 1e-9 / self.waves[k] for k, (ns, _) in alone.items()}
        self.dram = {k: BYTES[k] / self.blocks[k] / self.block_s[k] / (self.bandwidth / self.sms) for k in alone}  # of a block
        self.slots = alone

    def issue(self, other):
        """Of a block, from the GTX 1080 Ti's share of slots: the kernels issue as much there."""
        work = {k: ISSUE[k] * ns * other.sms * other.clock for k, (ns, _) in other.slots.items()}
        return {k: min(work[k] / (ns * self.sms * self.clock), 0.98) / self.resident[k] for k, (ns, _) in self.slots.items()}


def slowdown(pressure, knee):
    return (1 + pressure**knee) ** (1 / knee)


def fluid_s(kernels, own, knee, launch):
    """About how long a fused launch takes, for the fit alone: tools/validate runs the simulator."""
    a, b, kind, threads, registers = launch[:5]
    resident = resident_blocks(threads, registers)
    rounds = {k: kernels.blocks[k] / kernels.sms / resident for k in (a, b)}
    free, full = {}, {k: min(kernels.dram[k] * kernels.resident[k], 0.999) for k in (a, b)}
    for k in (a, b):
        free[k] = min(8, max((1 - own[k] ** knee) ** (-1 / knee), (1 - full[k] ** DRAM_KNEE) ** (-1 / DRAM_KNEE)))

    def block_s(k, blocks):
        dram = sum(n * kernels.dram[o] * free[o] for o, n in blocks.items())
        mine = blocks[k] / kernels.resident[k] * own[k] * free[k]
        return kernels.block_s[k] / free[k] * max(slowdown(dram, DRAM_KNEE), slowdown(mine, knee))

    if kind == "vertical":
        share = 0.5
        for _ in range(40):
            blocks = {a: resident * share, b: resident * (1 - share)}
            time = block_s(a, blocks), block_s(b, blocks)
            share = time[0] / sum(time)
        return rounds[a] * time[0] + rounds[b] * time[1]
    both = {k: rounds[k] * block_s(k, {a: resident, b: resident}) for k in (a, b)}
    last = max(both, key=both.get)
    first = min(both.values())
    return first + (1 - first / both[last]) * rounds[last] * block_s(last, {last: resident})


def fit(kernels, launches):
    """The uses of the kernels' own resources and their knee, by least squares of the relative error on a logarithmic scale."""
    names = sorted(THREADS)

    def unpack(x):
        return {k: 1 / (1 + math.exp(-value)) for k, value in zip(names, x)}, math.exp(x[-1])

    def residuals(x):
        errors = [math.log(fluid_s(kernels, *unpack(x), launch) / (launch[5] * 1e-9)) for launch in launches]
        return numpy.concatenate([errors, 0.01 * (numpy.asarray(x) - middle)])  # keeps what the data leaves open in bounds

    middle = numpy.array([1.0] * len(names) + [math.log(2.2)])
    starts = [middle, middle - numpy.array([1] * 5 + [0.5]), middle + numpy.array([1, -1, 1, -1, 1, 0]), middle + numpy.array([-1, 1, -1, 1, -1, 0.3])]
    bounds = [-6] * len(names) + [0], [7] * len(names) + [3]
    return unpack(min((least_squares(residuals, start, bounds=bounds) for start in starts), key=lambda found: found.cost).x)


def scenario(kernels, issue, own, knee, launch):
    a, b, kind, threads, registers = launch[:5]
    demands = [f"dram: {100 * kernels.dram[k]:.4f} %, issue: {100 * issue[k]:.4f} %, own_{side}: {100 * own[k] / kernels.resident[k]:.4f} %"
               for k, side in ((a, "a"), (b, "b"))]
    return SCENARIO.format(name=f"{a}-{b}-{kind}", device=kernels.device, threads=[THREADS[a], THREADS[b]], blocks=[kernels.blocks[a], kernels.blocks[b]],
                           registers=[kernels.registers[a], kernels.registers[b]], times=[kernels.block_s[k] * 1e6 for k in (a, b)],
                           demands=demands, slots=["slot_a", "slot_a" if kind == "vertical" else "slot_b"], knee=knee,
                           dram_knee=DRAM_KNEE, resident=resident_blocks(threads, registers))


def derive(device, data, out):
    read_of = {name: read(data / f"corun/hfuse_fused_{name}.csv") for name in DEVICES}
    kernels = {name: Kernels(name, read_of[name][0]) for name in DEVICES}
    mine, launches = kernels[device], read_of[device][1]
    fitted = [launch for launch in launches if {launch[0], launch[1]} in FITTED]
    own, knee = fit(mine, fitted)
    alone = {k: ns for k, (ns, _) in read_of[device][0].items()}
    constant = statistics.median(launch[5] / (alone[launch[0]] + alone[launch[1]]) for launch in fitted)
    with open(out / "measured.csv", "w", newline="") as file:
        to = csv.writer(file)
        to.writerow(["scenario", "part", "measured", "alone", "noise", "kind", "sum", "longest", "constant"])
        for launch in launches:
            a, b, kind, *_, ns, noise = launch
            both = (alone[a] + alone[b]) / 1e3
            to.writerow([f"{a}-{b}-{kind}", "fit" if launch in fitted else "test", ns / 1e3, both, noise, kind, both,
                         max(alone[a], alone[b]) / 1e3, both * constant])
    with open(out / "parameters.csv", "w", newline="") as file:
        to = csv.writer(file)
        to.writerow(["name", "value"])
        to.writerows([[f"use of its own resource by {k}", round(own[k], 4)] for k in sorted(own)] + [["knee of these resources", round(knee, 4)]])
    (out / "scenarios.yaml").write_text("".join(scenario(mine, mine.issue(kernels["gtx1080ti"]), own, knee, launch) for launch in launches))
