"""Fused launches of HFuse: what is known of its kernels alone, and scenarios of all pairs.

A fused block holds the threads of a block of each kernel ("horizontal"), or does the work of one after that of the other
("vertical"). Its registers and threads decide how many such blocks an SM holds. The kernels share issue slots, integer units
and DRAM, as the contention model `pipes` says. For the deep-learning kernels, use of DRAM follows from the sizes of their
tensors, and of issue slots from a profile. That profile names nothing that fills with `histogram` (which adds to counters in
shared memory) or `max_pool` (whose loads touch many lines of L1), so what they use of these two is fitted to half of the
pairs. A use near 100 % does not tell how much more would be used at no load, so that of `im2col`, 84 %, is fitted too: each
pair of the fitted half, left out of the fit, was predicted better so. Nothing is fitted to the hash kernels: three fill the integer units, and `ethash` fills what serves reads at random
addresses.
"""
import collections
import csv
import gzip
import json
import math
import re
import statistics

import numpy
from scipy.optimize import least_squares

BLOCKS, EXPONENT = 10000, 2  # of `pipes`
UNKNOWN = {"histogram": "shared", "max_pool": "l1", "im2col": "issue"}  # what the profile does not tell
NAMES = {"MaxPoolForward": "max_pool", "batch_norm_collect_statistics_kernel": "batch_norm", "im2col_kernel": "im2col",
         "kernelHistogram1D": "histogram", "upsample_bilinear2d_out_frame": "upsample"}
THREADS = {"batch_norm": 512, "histogram": 512, "im2col": 512, "upsample": 512, "max_pool": 256}
# Bytes that move, from the tensors of HFuse's examples/ml/wrappers/wrapper.cpp. max_pool reads half of the rows of its input, and
# of these the sectors that 20 of every 40 bytes lie in, about 85 %.
BYTES = {"batch_norm": 128 * 10000 * 100 * 4, "histogram": 5000000 * 4, "im2col": 2512 * 2048 * 4 + 13 * 2500 * 2048 * 4,
         "upsample": 5 * 4 * 2000 * 2560 * 4, "max_pool": 0.85 / 2 * 100 * 2560 * 1000 * 4 + 100 * 256 * 100 * 12}
# Share of the issue slots of a GTX 1080 Ti, alone (corun/hfuse_ml_metrics_gtx1080ti.csv).
ISSUE = {"histogram": 0.1562, "max_pool": 0.0762, "im2col": 0.8405, "batch_norm": 0.5838, "upsample": 0.6347}
# Warps that could issue in a cycle of an SM, and occupancy, from the same. Those that were not selected waited for an issue slot.
ELIGIBLE = {"histogram": (0.7588, 0.9885), "max_pool": (0.4314, 0.8888), "im2col": (10.7789, 0.4799), "batch_norm": (3.9145, 0.9641),
            "upsample": (7.1251, 0.4822)}
PROFILED = {kernel: resource for kernel, resource in UNKNOWN.items() if resource != "issue"}  # fitted where stalls tell the use of issue slots
Device = collections.namedtuple("Device", "sms bandwidth clock")
# The GTX 1080 Ti's clock is inferred (docs/explanation/derivation.md).
DEVICES = {"v100": Device(80, 900e9, 1.53e9), "gtx1080ti": Device(28, 484e9, 1.75e9)}
# `knee` and `warps` of resources in the device files.
KNEES = {"v100": {"dram": 2.2}, "gtx1080ti": {}}
WARPS = {"v100": {"issue": 16, "int": 8}, "gtx1080ti": {"issue": 24, "int": 24}}
HASHES = {"sia_blake2b_gpu_hash": "sia", "blake2b_gpu_hash": "blake", "sha256d_gpu_hash_shared": "sha", "ethash_search": "ethash"}
KINDS = {"0": "horizontal", "100": "vertical"}
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
      slot_a: {{class: compute, capacity: {resident}, hard: true}}
      slot_b: {{class: compute, capacity: {resident}, hard: true}}
{more}contention: pipes
policies: [round_robin]
queue: interleave
vms: [{{name: a, workload: {name}-a}}, {{name: b, workload: {name}-b}}]
"""
RANDOM = "      random: {class: memory, scope: device}\n"


class Launch(collections.namedtuple("Launch", "first second kind threads registers seconds noise part build")):
    """A fused launch: two kernels, its shape, its time, and the relative standard deviation of repeats."""

    @property
    def name(self):
        return f"{self.first}-{self.second}-{self.kind}{self.build}"


def resident_blocks(threads, registers):
    """Blocks that an SM holds: 64 warps, 2048 threads, and 4 partitions of 16384 registers (docs/explanation/model.md)."""
    warps = threads // 32
    return min(64 // warps, 4 * (16384 // (math.ceil(registers * 32 / 256) * 256)) // warps, 2048 // threads)


def read(path):
    """{kernel: (ns, registers)} alone, and the fused launches."""
    launches = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            name = re.sub(r"<.*", "", row["kernel"]).split("::")[-1]
            shape = json.loads(row["grid"])[0], math.prod(json.loads(row["block"])), int(row["registers"])
            launches.setdefault((name, *shape), []).append(int(row["duration_ns"]))
    alone = {NAMES[name]: (statistics.median(ns), registers) for (name, blocks, threads, registers), ns in launches.items()
             if name in NAMES and blocks == BLOCKS and threads == THREADS[NAMES[name]]}
    return alone, [Launch(*pair, threads, registers, statistics.median(ns) * 1e-9, statistics.pstdev(ns) / statistics.mean(ns),
                          "fit" if set(pair[:2]) in FITTED else "test", "")
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


class Part:
    """A kernel alone on a device: its shape, and its work in full waves. Real blocks drift apart, so the last wave of many is no
    wave of its own. `uses` are shares of resources, of a full wave."""

    def __init__(self, name, device, blocks, threads, registers, alone_s):
        self.name, self.threads, self.registers, self.alone_s, self.uses = name, threads, registers, alone_s, {}
        self.resident = resident_blocks(threads, registers)
        self.wave = DEVICES[device].sms * self.resident
        self.blocks = blocks // self.wave * self.wave
        self.block_s = alone_s / (blocks // self.wave)

    def text(self):
        return ", ".join(f"{r}: {100 * use / self.resident:.4f} %" for r, use in self.uses.items())

    def joins(self, device, uses, times):
        """The slowdown by these uses at no load, `times` those given."""
        knees = {r: KNEES[device].get(r, EXPONENT) for r in uses}
        slow = {r: (1 + (use * times) ** knees[r]) ** (1 / knees[r]) for r, use in uses.items()}
        return (1 + sum(by**EXPONENT - 1 for by in slow.values())) ** (1 / EXPONENT)

    def no_load(self, device):
        """By how much demands are greater at no load (sim/model/no_load.c), and the time of a block."""
        warps = self.resident * self.threads / 32
        most = min([8] + [warps / full / self.uses[r] for r, full in WARPS[device].items() if self.uses.get(r)])
        low, high = 1, max(most, 1)
        if self.joins(device, self.uses, high) < high:
            for _ in range(50):
                middle = (low + high) / 2
                low, high = (middle, high) if self.joins(device, self.uses, middle) > middle else (low, middle)
        return high, self.block_s / self.joins(device, self.uses, high)


def together_per_s(first_s, second_s, resident):
    """Blocks of the first kernel that end in a second on an SM whose `resident` places each run a block of the one, then
    of the other. `first_s` and `second_s` give the time of a block while n places run the first. How many do varies from
    moment to moment: it is a chain of births and deaths, and what its mean alone gives is up to 15 % too short."""
    weights = [1.0]
    for n in range(1, resident + 1):
        weights.append(weights[-1] * (resident - n + 1) / second_s(n - 1) * first_s(n) / n)
    return sum(weight * n / first_s(n) for n, weight in enumerate(weights) if n) / sum(weights)


def fluid_s(device, parts, launch):
    """About how long a fused launch takes, without the simulator."""
    a, b = parts[launch.first], parts[launch.second]
    resident = resident_blocks(launch.threads, launch.registers)
    free = {k.name: k.no_load(device) for k in (a, b)}

    def block_s(k, blocks):
        sums = {r: sum(n * o.uses.get(r, 0) / o.resident * free[o.name][0] for o, n in blocks.items()) for r in k.uses}
        return free[k.name][1] * k.joins(device, sums, 1)

    rounds = {k: k.blocks / DEVICES[device].sms / resident for k in (a, b)}
    if launch.kind == "vertical":
        return sum(rounds.values()) / 2 * resident / together_per_s(lambda n: block_s(a, {a: n, b: resident - n}),
                                                                    lambda n: block_s(b, {a: n, b: resident - n}), resident)
    both = {k: rounds[k] * block_s(k, {a: resident, b: resident}) for k in (a, b)}
    last = max(both, key=both.get)
    first = min(both.values())
    return first + (1 - first / both[last]) * rounds[last] * block_s(last, {last: resident})


def fit(device, parts, launches, unknown=UNKNOWN):  # pylint: disable=dangerous-default-value
    """What the profile does not tell, by least squares of the relative error on a logarithmic scale."""
    def errors(x):
        for (name, resource), value in zip(unknown.items(), x):
            parts[name].uses[resource] = 1 / (1 + math.exp(-value))
        off = [math.log(fluid_s(device, parts, launch) / launch.seconds) for launch in launches]
        return numpy.concatenate([off, 0.01 * (numpy.asarray(x) - 1)])  # keeps what the data leaves open in bounds

    found = min((least_squares(errors, [1 + off] * len(unknown), bounds=(-6, 7)) for off in (0, -1, 1)), key=lambda done: done.cost)
    errors(found.x)


def scenario(device, parts, launch, more=""):
    both = parts[launch.first], parts[launch.second]
    return SCENARIO.format(name=launch.name, device=device, threads=[k.threads for k in both], blocks=[k.blocks for k in both],
                           registers=[k.registers for k in both], times=[k.block_s * 1e6 for k in both], demands=[k.text() for k in both],
                           slots=["slot_a", "slot_a" if launch.kind == "vertical" else "slot_b"], more=more,
                           resident=resident_blocks(launch.threads, launch.registers))


def write(out, launches, parts_of, scenarios, naive):
    """`naive`: for each launch, values in seconds by name."""
    with open(out / "measured.csv", "w", newline="") as file:
        to = csv.writer(file)
        to.writerow(["scenario", "part", "measured", "alone", "noise", "kind", "sum", "longest", *naive[0]])
        for launch, more in zip(launches, naive):
            times = [parts_of(launch)[k].alone_s * 1e6 for k in (launch.first, launch.second)]
            to.writerow([launch.name, launch.part, launch.seconds * 1e6, sum(times), launch.noise, launch.kind, sum(times), max(times),
                         *(value * 1e6 for value in more.values())])
    (out / "scenarios.yaml").write_text("".join(scenarios))


def issue_by_stalls():
    """The use of issue slots by which the law slows each kernel alone as much as its warps wait for one."""
    waits = {k: (eligible - 4 * ISSUE[k]) / (64 * occupancy) for k, (eligible, occupancy) in ELIGIBLE.items()}
    return {k: (1 - (1 - wait) ** EXPONENT) ** (1 / EXPONENT) for k, wait in waits.items()}


def deep_learning_parts(device, alone, other, issue):
    """What is known of the five kernels. They issue as much as on the GTX 1080 Ti, whose times are `other`."""
    here, there = DEVICES[device], DEVICES["gtx1080ti"]
    parts = {k: Part(k, device, BLOCKS, THREADS[k], registers, ns * 1e-9) for k, (ns, registers) in alone.items()}
    for k, part in parts.items():
        issued = issue[k] * other[k][0] * 1e-9 * there.sms * there.clock
        part.uses = {"dram": min(BYTES[k] / part.alone_s / here.bandwidth, 0.999), "issue": min(issued / (part.alone_s * here.sms * here.clock), 0.98)}
    return parts


def derive(device, data, out):
    read_of = {name: read(data / f"corun/hfuse_fused_{name}.csv") for name in DEVICES}
    launches, times = read_of[device][1], (read_of[device][0], read_of["gtx1080ti"][0])
    parts, unfitted, stalls = (deep_learning_parts(device, *times, issue) for issue in (ISSUE, ISSUE, issue_by_stalls()))
    fitted = [launch for launch in launches if launch.part == "fit"]
    fit(device, parts, fitted)
    fit(device, stalls, fitted, PROFILED)
    both = {launch: parts[launch.first].alone_s + parts[launch.second].alone_s for launch in launches}
    constant = statistics.median(launch.seconds / both[launch] for launch in fitted)
    write(out, launches, lambda _: parts, [scenario(device, parts, launch) for launch in launches],
          [{"constant": both[launch] * constant, "closed_form": fluid_s(device, parts, launch),
            "unfitted": fluid_s(device, unfitted, launch), "stalls": fluid_s(device, stalls, launch)} for launch in launches])
    with open(out / "parameters.csv", "w", newline="") as file:
        csv.writer(file).writerows([["name", "value"], *([f"use of {r} by {k}", round(parts[k].uses[r], 4)] for k, r in UNKNOWN.items())])


def read_hashes(path):
    """For each of two builds, {kernel: Part} alone and the fused launches."""
    times = {}
    with gzip.open(path, "rt", newline="") as file:
        for row in csv.DictReader(file):
            name = re.sub(r"\(anonymous namespace\)::|foo::", "", row["kernel"]).split("(")[0]
            for long, short in HASHES.items():
                name = name.replace(long, short)
            times.setdefault((row["registers_capped"], name), []).append((int(row["duration_ns"]) * 1e-9, math.prod(json.loads(row["block"])), int(row["registers"])))
    builds = []
    for capped in ("0", "1"):
        mine = {name: launches for (build, name), launches in times.items() if build == capped}
        parts = {k: Part(k, "v100", 8192, 128, mine[k][0][2], statistics.median(s for s, *_ in mine[k])) for k in HASHES.values()}
        for k, part in parts.items():
            part.uses = {"random": 1} if k == "ethash" else {"int": 1}
        launches = [Launch(*match.groups()[:2], KINDS[match[3]], *launches[0][1:], launches[0][0], 0, "test", "-capped" if capped == "1" else "")
                    for name, launches in mine.items() if (match := re.fullmatch(r"(\w+?)\d?_(ethash|sha|sia|blake)\d?_(0|100)", name))]
        builds.append((parts, launches))
    return builds


def derive_hashes(data, out):
    builds = read_hashes(data / "corun/hfuse_miner_v100.csv.gz")
    launches = [launch for _, fused in builds for launch in fused]
    owner = {launch: parts for parts, fused in builds for launch in fused}

    def greatest(launch):
        """The time that memory takes, or the sum of what integer units take, without a simulator."""
        both = [owner[launch][k] for k in (launch.first, launch.second)]
        return max(*(k.alone_s for k in both if k.name == "ethash"), sum(k.alone_s for k in both if k.name != "ethash"), 0)

    ratio = statistics.median(launch.seconds / sum(owner[launch][k].alone_s for k in (launch.first, launch.second)) for launch in launches)
    write(out, launches, owner.get, [scenario("v100", owner[launch], launch, RANDOM) for launch in launches],
          [{"constant": ratio * sum(owner[launch][k].alone_s for k in (launch.first, launch.second)), "greatest": greatest(launch),
            "closed_form": fluid_s("v100", owner[launch], launch)} for launch in launches])
