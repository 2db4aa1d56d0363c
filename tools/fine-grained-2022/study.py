#!/usr/bin/env python3
"""Computes every number of docs/evidence/fine-grained-2022.md.
Usage: tools/fine-grained-2022/study.py [--check [--all] | --fits [FOLDER] | --draw | --explain RESULTS]
(nothing)         simulate, write results/fine-grained-2022.csv, the page and the README's figure (minutes)
--check           the page is what the results say, and some of the runs give these results again
--check --all     the same for all runs
--fits [FOLDER]   fit all vectors again, into FOLDER if there is one, and compare them with those in models/ (an hour)
--draw            only draw the figure again, from the results that are kept
--explain RESULTS the gains in this results folder of tools/quickstart beside the published, and why programs gain less
The programs are those of build/bin, or of SMSCHED_BUILD/bin."""
import argparse
import csv
import functools
import json
import math
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = Path(os.environ.get("SMSCHED_BUILD", ROOT / "build")).resolve()
SMSCHED, CALIBRATE = BUILD / "bin/smsched", BUILD / "bin/calibrate"
MODELS = ROOT / "models"
SCENARIOS = ROOT / "scenarios/fine-grained-2022"
RESULTS = ROOT / "results/fine-grained-2022.csv"
PUBLISHED = ROOT / "results/published/fine-grained-2022.csv"
PAGE = ROOT / "docs/evidence/fine-grained-2022.md"
FIGURE = ROOT / "docs/figures/fine-grained-2022"
TEMPLATE = ROOT / "tools/fine-grained-2022/page.md"

NAMES = ["s1", "s2", "s3", "s4"]
FREE, LIMITED = "fine-grained-2022", "fine-grained-2022-limited"
CHANGES = {"fg/ua": ("fine_grained", "utilization_aware"), "fg/rr": ("fine_grained", "round_robin"),
           "ua/rr": ("utilization_aware", "round_robin")}
DRAWS, NOISE = 20, 0.05


# The scenarios, and what is changed of them

def scenario(name, workloads=FREE):
    """The text of a scenario without what it expects."""
    if workloads == LIMITED:
        text = next(part for part in (SCENARIOS / "limited.yaml").read_text().split("---\n")
                    if f"scenario: {name}-limited\n" in part)
        return text.replace(f"scenario: {name}-limited\n", f"scenario: {name}\n")
    return (SCENARIOS / f"{name}.yaml").read_text().split("expect:")[0]


def replaced(pattern, by, workloads=FREE):
    """All four scenarios with one line replaced."""
    texts = []
    for name in NAMES:
        text, count = re.subn(pattern, by, scenario(name, workloads), flags=re.M)
        assert count == 1, f"{name}: {pattern} is there {count} times"
        texts.append(text)
    return texts


def with_contention(value, workloads=FREE):
    return replaced(r"^contention: .*", f"contention: {value}", workloads)


def with_slope(slope, workloads=FREE):
    return with_contention(f"{{model: proportional, slope: {slope}}}", workloads)


def with_limit(percent):
    policies = f"round_robin, {{utilization_aware: {{limit: {percent} %}}}}, {{fine_grained: {{limit: {percent} %}}}}"
    return replaced(r"^policies: .*", f"policies: [{policies}]")


def ordered(order):
    """The VMs in another order: rotated by one or two, or reversed."""
    texts = []
    for name in NAMES:
        text = scenario(name)
        vms = re.findall(r"^  - \{name: vm.*\n", text, re.M)
        vms = vms[::-1] if order == "reversed" else vms[order:] + vms[:order]
        first = text.index("  - {name: vm")
        texts.append(text[:first] + "".join(vms) + re.sub(r"^  - \{name: vm.*\n", "", text[first:], flags=re.M))
    return texts


def out_of_step():
    """The scenarios without starts, whose phases are then drawn."""
    return [scenario(name).replace(", start: 0 ms", "") for name in NAMES]


def noisy(draw):
    """The scenarios with each demand multiplied by a number drawn between 1 - NOISE and 1 + NOISE."""
    texts, rng = [], random.Random(draw)
    for name in NAMES:
        text = scenario(name)
        for workload in workloads_of(text):
            head, demands = workload_text(workload).split("demand:")
            texts.append(head + "demand:" + re.sub(r"[\d.]+(?= %)", lambda m: f"{float(m[0]) * rng.uniform(1 - NOISE, 1 + NOISE):.3f}",
                                                   demands))
        texts.append(text)
    return texts


def alone():
    """Each VM by itself."""
    texts = []
    for name in NAMES:
        text = scenario(name)
        for vm in re.findall(r"name: (vm\d+)", text):
            one = re.sub(rf"^  - \{{name: (?!{vm},).*\n", "", text, flags=re.M)
            texts.append(one.replace(f"scenario: {name}\n", f"scenario: {vm}\n"))
    return texts


def bandwidth(slope):
    """Kernels that read, scale and triad, as measured, on an SM filled with their blocks."""
    texts = []
    for kernel, points in measured_bandwidth().items():
        blocks, usage, _ = points[-1]
        texts.append(f"workload: {kernel}\nkernels: [{{name: k, blocks: {80 * blocks}, threads: 64, block_time: 10 us, "
                     f"demand: {{dram: {100 * usage / blocks:.6f} %}}}}]\n")
        texts.append(f"scenario: {kernel}\ndevices: [{{model: v100, dispatch: none}}]\ncontention: {{model: proportional, slope: {slope}}}\n"
                     f"policies: [round_robin]\nvms: [{{name: v, workload: {kernel}, repeat: forever}}]\nrun: {{duration: 1 ms}}\n")
    return texts


# What is read: vectors, measured bandwidth, published numbers

def workloads_of(text):
    return re.findall(r"workload: ([\w/-]+),", text)


@functools.cache
def workload_text(name):
    return (MODELS / f"workloads/{name}.yaml").read_text()


def vector(name):
    """Title, blocks an SM when alone, demands of a block in percent of an SM."""
    text = workload_text(name)
    demands = re.search(r"demand: \{(.*?)\}", text)[1]
    return (re.search(r"^title: VM\d+, (.*)", text, re.M)[1], int(re.search(r"blocks: (\d+)", text)[1]) // 80,
            {resource: float(value) for resource, value in re.findall(r"(\w+): ([\d.]+) %", demands)})


def wanted(name):
    """The most that a kernel alone wants of a resource, in percent of what there is."""
    _, blocks, demands = vector(name)
    return blocks * max(demands.values())


@functools.cache
def peak():
    return float(re.search(r"dram:.*bandwidth: (\d+) GB/s", (MODELS / "devices/v100.yaml").read_text())[1])


@functools.cache
def measured_bandwidth():
    """{kernel: [(blocks an SM, usage asked for, measured GB/s)]}."""
    found = {}
    with open(ROOT / "results/measured/v100-2019-dram-occupancy/bandwidth.csv", newline="") as file:
        for row in csv.DictReader(file):
            kernel, blocks, gb_s = row["kernel"], int(row["blocks_per_sm"]), float(row["gb_s"])
            one = found[kernel][0][1] if kernel in found else gb_s / peak()
            found.setdefault(kernel, []).append((blocks, one * blocks, gb_s))
    return found


@functools.cache
def measured_slope():
    """The slope of `proportional` that is nearest to the measured bandwidth (least squares of relative errors), where
    more is asked for than there is: elsewhere the slope does nothing."""
    points = [(usage, gb_s) for values in measured_bandwidth().values() for _, usage, gb_s in values if usage > 1]

    def error(slope):
        return sum((peak() * usage / (1 + slope * (usage - 1)) / gb_s - 1) ** 2 for usage, gb_s in points)
    return min((slope / 100 for slope in range(0, 400)), key=error)


@functools.cache
def fitted_slope():
    return float(re.search(r"slope: ([\d.]+)", scenario("s1"))[1])


def read_curve():
    """`curve` through the measured bandwidth of read."""
    points = [f"[{100 * usage:.4f} %, {100 * (usage * peak() / gb_s - 1):.4f} %]"
              for _, usage, gb_s in measured_bandwidth()["read"]]
    return f"{{model: curve, curves: {{dram: [{', '.join(points)}]}}}}"


def published():
    with open(PUBLISHED, newline="") as file:
        return {row["id"].removeprefix("004-"): row["value"] for row in csv.DictReader(file)}


# Running

def smsched(command, texts, *options):
    """What smsched says of scenarios, as JSON: always a list."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scenarios.yaml"
        path.write_text("---\n".join(texts))
        text = subprocess.run([SMSCHED, command, path, "--models", MODELS, "--format", "json", "--quiet", "--jobs",
                               str(os.cpu_count()), *options], check=True, capture_output=True, text=True).stdout
    said = json.loads(text)
    return said if isinstance(said, list) else [said]


def changes(texts, replications):
    """(scenario, subject, change, ratio, '') of the host and the VMs."""
    for one in smsched("run", texts, "--replications", str(replications)):
        value = {}
        for run in one["runs"]:
            policy = re.sub(r"\(.*", "", run["policy"])
            value["host", policy] = run["host"]["kernels_per_s"]
            value.update({(vm["name"], policy): vm["kernels_per_s"] for vm in run["vms"]})
        for subject in dict.fromkeys(subject for subject, _ in value):
            for change, (policy, over) in CHANGES.items():
                base = value[subject, over]  # 0 if a VM ends no kernel, as under kernel_fifo
                yield one["scenario"], subject, change, f"{value[subject, policy] / base if base else math.inf:.6f}", ""


def compared(texts):
    """The same with confidence intervals, as often as the scenarios say."""
    for over in ("utilization_aware", "round_robin"):
        for one in smsched("compare", texts, "--baseline", over):
            for row in one["comparisons"]:
                change = next((c for c, pair in CHANGES.items() if pair == (row["policy"], over)), None)
                # A job of a VM is a launch of its kernel.
                if change and row["metric"] == ("kernels_per_s" if row["subject"] == "host" else "jobs_per_s"):
                    yield one["scenario"], row["name"], change, f"{row['ratio']:.6f}", f"{row['ratio_ci95']:.6f}"


def delivered(texts):
    for one in smsched("run", texts):
        resource = next(r for r in one["runs"][0]["resources"] if r["name"] == "dram")
        yield one["scenario"], "dram", "GB/s", f"{resource['delivered_ratio'] * peak():.1f}", ""


def studies():
    """{(study, variant): (whether --check runs it, a function that gives its rows)}"""
    plan = {("scenarios", "as they are"): (False, lambda: compared([scenario(name) for name in NAMES])),
            ("alone", "one VM"): (True, lambda: changes(alone(), 1)),
            ("limited", "as they are"): (False, lambda: compared([scenario(name, LIMITED) for name in NAMES])),
            ("limited", "1"): (False, lambda: changes(with_slope("1", LIMITED), 10)),
            ("limited", f"{fitted_slope():g}"): (False, lambda: changes(with_slope(fitted_slope(), LIMITED), 10)),
            ("limited", "curve"): (False, lambda: changes(with_contention(read_curve(), LIMITED), 10))}
    for slope in (1, measured_slope(), fitted_slope()):
        plan["bandwidth", f"{slope:g}"] = True, lambda slope=slope: delivered(bandwidth(slope))
    for slope in (1, measured_slope(), 1.5, 2, 3):
        plan["slope", f"{slope:g}"] = slope == 1, lambda slope=slope: changes(with_slope(slope), 2)
    for percent in (50, 75, 150, 200):
        plan["limit", f"{percent} %"] = False, lambda percent=percent: changes(with_limit(percent), 2)
    for queue in ("fifo", "kernel_fifo", "rr_fifo"):
        plan["queue", queue] = False, lambda queue=queue: changes(replaced("^queue: .*", f"queue: {queue}"), 2)
    for order, name in ((1, "rotated by one"), (2, "rotated by two"), ("reversed", "reversed")):
        plan["order", name] = False, lambda order=order: changes(ordered(order), 2)
    plan["phases", "drawn"] = False, lambda: changes(out_of_step(), 10)
    for draw in range(1, DRAWS + 1):
        plan["noise", str(draw)] = draw == 1, lambda draw=draw: changes(noisy(draw), 1)
    return plan


def simulate(every):
    """Rows of the results; of all studies, or of those that are checked quickly."""
    rows = []
    for (study, variant), (quick, run) in studies().items():
        if every or quick:
            print(f"{study}: {variant}", file=sys.stderr)
            rows += [[study, variant, *row] for row in run()]
    return rows


HEAD = ["study", "variant", "scenario", "subject", "quantity", "value", "ci95"]


def write_results(rows):
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    with open(RESULTS, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(HEAD)
        out.writerows(rows)


def read_results():
    with open(RESULTS, newline="") as file:
        return list(csv.reader(file))[1:]


# The page

class Found:
    """The results, by study and variant."""

    def __init__(self, rows):
        self.value = {tuple(row[:5]): float(row[5]) for row in rows}
        self.half = {tuple(row[:5]): float(row[6]) for row in rows if row[6]}

    def gain(self, change, name, study="scenarios", variant="as they are", subject="host"):
        """In percent."""
        return 100 * (self.value[study, variant, name, subject, change] - 1)

    def gains(self, change, study="scenarios", variant="as they are"):
        return [self.gain(change, name, study, variant) for name in NAMES]

    def interval(self, change, name, study="scenarios"):
        half = 100 * self.half[study, "as they are", name, "host", change]
        digits = 1 if half >= 0.05 else 2  # no interval reads as none
        return f"{self.gain(change, name, study):.{digits}f} ± {half:.{digits}f}"

    def gb_s(self, slope, kernel):
        return self.value["bandwidth", f"{slope:g}", kernel, "dram", "GB/s"]


def table(head, lines):
    return "\n".join(["| " + " | ".join(head) + " |", "|---" * len(head) + "|"] +
                     ["| " + " | ".join(map(str, line)) + " |" for line in lines])


def mean(values):
    return statistics.fmean(values)


def page_published(found):
    said, ua, rr = published(), found.gains("fg/ua"), found.gains("fg/rr")
    largest = max(range(4), key=lambda i: rr[i])
    lines = [[f"fg over ua, {name.upper()}", said[name], found.interval("fg/ua", name), "target"] for name in NAMES]
    lines[2][3] = "target; follows from the mean"
    lines += [["fg over ua, mean", said["avg-ua"], f"{mean(ua):.1f}", "follows from the targets"],
              ["fg over rr, S2", said["s2rr"], found.interval("fg/rr", "s2"), "target"],
              ["fg over rr, largest", said["max-rr"], f"{found.interval('fg/rr', NAMES[largest])} ({NAMES[largest].upper()})",
               "target; that it is S4's is our guess"],
              ["fg over rr, mean", said["avg-rr"], f"{mean(rr):.1f}", "follows from the targets: S1 and S3 share the rest"],
              ["ua over rr, S2", said["ua-s2"], found.interval("ua/rr", "s2"), "follows from two targets"]]
    return table(["gain, %", "published", "simulated", "what it is"], lines)


def vms():
    """(name, scenario, workload)"""
    return [(name, one, workload) for one in NAMES
            for name, workload in re.findall(r"name: (vm\d+), workload: ([\w/-]+),", scenario(one))]


def span(found, study, change):
    """Least to greatest of the mean gain over the variants of a study."""
    variants = dict.fromkeys(key[1] for key in found.value if key[0] == study)
    means = [mean(found.gains(change, study, variant)) for variant in variants]
    return f"{min(means):.0f} to {max(means):.0f}"


SHOWN = [("slope {}", "slope", ("1", "2", "3")), ("limit of ua and fg {}", "limit", ("50 %", "150 %")), ("queue {}", "queue", ("fifo", "rr_fifo"))]


def page_depends(found):
    def line(label, study, variant):
        return [label, *[f"{mean(found.gains(change, study, variant)):.0f}" for change in ("fg/ua", "fg/rr", "ua/rr")]]

    lines = [line("**as fitted**", "scenarios", "as they are")]
    lines += [line(label.format(variant), study, variant) for label, study, variants in SHOWN for variant in variants]
    lines.append([f"demands ± {100 * NOISE:.0f} %, {DRAWS} draws", *[span(found, "noise", change) for change in ("fg/ua", "fg/rr", "ua/rr")]])
    return table(["mean over S1 to S4", "fg over ua, %", "fg over rr, %", "ua over rr, %"], lines)


def page_bandwidth(found):
    slopes = (1, measured_slope(), fitted_slope())
    lines = [[kernel, f"{100 * points[-1][1]:.0f}", f"{points[-1][2]:.0f}", *[f"{found.gb_s(s, kernel):.0f}" for s in slopes]]
             for kernel, points in measured_bandwidth().items()]
    return table(["kernel", "demands, % of the peak", "measured, GB/s", *[f"slope {s:g}" for s in slopes]], lines)


def page_limited(found):
    def line(label, study, variant):
        return [label, *[f"{g:.1f}" for change in ("fg/ua", "fg/rr") for gains in [found.gains(change, study, variant)]
                         for g in [*gains, mean(gains)]]]

    said = published()
    over_ua, over_rr = [float(said[name]) for name in NAMES], ["-", said["s2rr"], "-", "-", said["avg-rr"]]
    measured, fitted = f"{measured_slope():g}", f"{fitted_slope():g}"
    lines = [["published", *over_ua, said["avg-ua"], *over_rr],
             line(f"fitted vectors, slope {fitted}", "scenarios", "as they are"),
             line("the same, phases drawn", "phases", "drawn"),
             line(f"fitted vectors, slope {measured}", "slope", measured),
             line(f"limited vectors, slope {fitted}", "limited", fitted),
             line(f"**limited vectors, slope {measured}**", "limited", "as they are"),
             line("limited vectors, slope 1", "limited", "1"),
             line("limited vectors, `curve` of read", "limited", "curve")]
    return table(["", "fg over ua, %: S1", "S2", "S3", "S4", "mean", "fg over rr, %: S1", "S2", "S3", "S4", "mean"], lines)


def listed(words):
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else "none"


def numbers(found):
    said = published()
    by_vm = {name: [found.gain(change, one, subject=name) for change in CHANGES] for name, one, _ in vms()}
    least, most = min(by_vm, key=lambda vm: by_vm[vm][1]), max(by_vm, key=lambda vm: by_vm[vm][1])
    by_itself = [found.gain("fg/rr", name, "alone", "one VM", name) for name, _, _ in vms()]
    wants = [wanted(workload) for _, _, workload in vms()]
    at_fitted = [found.gb_s(fitted_slope(), kernel) / points[-1][2] for kernel, points in measured_bandwidth().items()]
    limited_ua, limited_rr = found.gains("fg/ua", "limited"), found.gains("fg/rr", "limited")
    return {
        **{name: said[name] for name in NAMES}, "avgua": said["avg-ua"], "s2rr": said["s2rr"], "maxrr": said["max-rr"],
        "avgrr": said["avg-rr"], "slope": f"{fitted_slope():g}", "measuredslope": f"{measured_slope():g}",
        "limitedblocks": listed(sorted({str(vector(workload.replace(FREE, LIMITED))[1]) for _, _, workload in vms()})),
        "free": str(sum(len(vector(workload)[2]) for _, _, workload in vms()) + len(vms()) + 1),
        "demands": str(sum(len(vector(workload)[2]) for _, _, workload in vms())),
        "faster": f"{sum(v[1] > 0 for v in by_vm.values())} of {len(by_vm)}",
        "least": f"{by_vm[least][1]:.0f} % ({least.upper()})", "most": f"{by_vm[most][1]:.0f} % ({most.upper()})",
        "uafaster": f"{sum(v[2] > 0 for v in by_vm.values())} of {len(by_vm)}",
        "slower": listed([f"{vm.upper()} ({v[0]:+.1f} %)" for vm, v in by_vm.items() if v[0] < 0]),
        "rest": f"{4 * float(said['avg-rr']) - float(said['s2rr']) - float(said['max-rr']):.1f}",
        "alone": f"{sum(gain > 0 for gain in by_itself)} of {len(by_itself)}", "alonemost": f"{max(by_itself):.0f}",
        "wantsleast": f"{min(wants):.0f}", "wantsmost": f"{max(wants):.0f}",
        "draws": str(DRAWS),
        "startsua": listed([f"{gain:.1f}" for gain in found.gains("fg/ua")]),
        "phasesua": listed([f"{gain:.1f}" for gain in found.gains("fg/ua", "phases", "drawn")]),
        "below": str(sum(mean(found.gains("fg/ua", "noise", str(draw))) < mean(found.gains("fg/ua")) for draw in range(1, DRAWS + 1))),
        "fittedua": f"{mean(found.gains('fg/ua')):.1f}",
        "fittedrr": f"{mean(found.gains('fg/rr')):.1f}",
        "halfleast": f"{100 * min(at_fitted):.0f}", "halfmost": f"{100 * max(at_fitted):.0f}",
        "limitedua": f"{mean(limited_ua):.1f}", "limitedrr": f"{mean(limited_rr):.1f}",
        "partua": f"{100 * mean(limited_ua) / float(said['avg-ua']):.0f}",
        "partrr": f"{100 * mean(limited_rr) / float(said['avg-rr']):.0f}",
        "curverr": f"{mean(found.gains('fg/rr', 'limited', 'curve')):+.0f}",
    }


def page(rows):
    found = Found(rows)
    values = {"published": page_published(found), "depends": page_depends(found),
              "bandwidth": page_bandwidth(found), "limited": page_limited(found), **numbers(found)}
    return re.sub(r"@(\w+)@", lambda match: values[match[1]], TEMPLATE.read_text())


# Checks, fits and the quickstart

def figure_lines(found):
    """Of the figure: gains published, fitted, and within what a profile can show."""
    said = published()
    for panel, change, names, mean_of in ((1, "fg/ua", NAMES, "avg-ua"), (2, "fg/rr", ["s2"], "avg-rr")):
        for at, name in enumerate(names, 1):
            was = said[name if panel == 1 else f"{name}rr"]
            yield f"{panel} {at} {was} {found.gain(change, name):.2f} {found.gain(change, name, 'limited'):.2f}"
        means = mean(found.gains(change)), mean(found.gains(change, "limited"))
        yield f"{panel} {len(names) + 1} {said[mean_of]} {means[0]:.2f} {means[1]:.2f}"


def draw(name):
    """Draws `name`.svg from the results that are kept."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("".join(line + "\n" for line in figure_lines(Found(read_results()))))
        file.flush()
        subprocess.run(["gnuplot", "-c", "tools/fine-grained-2022/figure.gp", file.name, name], cwd=ROOT, check=True)


def far_from_published(found):
    """Published gains that the fit misses by more than 3 points."""
    said, rr = published(), found.gains("fg/rr")
    gains = {**{name: found.gain("fg/ua", name) for name in NAMES}, "avg-ua": mean(found.gains("fg/ua")),
             "s2rr": found.gain("fg/rr", "s2"), "max-rr": max(rr), "avg-rr": mean(rr)}
    return [f"{name}: {gain:.1f} %, published {said[name]} %" for name, gain in gains.items() if abs(gain - float(said[name])) > 3]


def check(every):
    rows = read_results()
    problems = far_from_published(Found(rows))
    if PAGE.read_text() != page(rows):
        problems.append(f"{PAGE.relative_to(ROOT)} is not what tools/fine-grained-2022/study.py writes")
    wrong = {float(slope) for slope in re.findall(r"slope: ([\d.]+)", (SCENARIOS / "limited.yaml").read_text())}
    if wrong != {measured_slope()}:
        problems.append(f"limited.yaml has slopes {wrong}, not the measured {measured_slope():g}")
    problems += [f"{workload} wants {wanted(workload):.1f} % alone" for _, _, name in vms()
                 for workload in [name.replace(FREE, LIMITED)] if wanted(workload) > 100]
    again, kept = simulate(every), {tuple(row) for row in rows}
    problems += [f"results/fine-grained-2022.csv has not: {','.join(row)}" for row in again if tuple(row) not in kept]
    if every and len(again) != len(rows):
        problems.append(f"results/fine-grained-2022.csv has {len(rows)} rows, now there are {len(again)}")
    print("\n".join(problems[:20]) or f"the page is up to date ({len(again)} of {len(rows)} values computed again)")
    return 1 if problems else 0


def fits(folder):
    """Whether calibrate gives the vectors in models/ again."""
    different = []
    for name, *arguments in ((FREE,), (LIMITED, f"{measured_slope():g}")):
        subprocess.run([CALIBRATE, name, *arguments, folder / name], check=True)
        different += [str(kept.relative_to(ROOT)) for kept in sorted((MODELS / "workloads" / name).glob("*.yaml"))
                      if kept.read_text() != (folder / name / kept.name).read_text()]
    print("\n".join(f"{path} is fitted otherwise" for path in different) or "the fits give the vectors in models/ again")
    return 1 if different else 0


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def to(values, unit):
    low, high = f"{min(values):.0f}", f"{max(values):.0f}"
    return f"{low} {unit}" if low == high else f"{low} to {high} {unit}"


def beside_published(hosts):
    """Lines of gains: published, of the fitted scenarios, and within what a profile can show."""
    speed = {(row["scenario"], row["policy"]): float(row["kernels_per_s"]) for row in hosts}

    def gain(name, over):
        return f"{100 * (speed[name, 'fine_grained'] / speed[name, over] - 1):.1f}"

    yield f"{'gain of fine_grained in kernels a second, %':<44}  published  fitted  within a profile"
    for over, names in (("utilization_aware", NAMES), ("round_robin", ["s2"])):
        for name in names:
            was = published()[name if over == "utilization_aware" else f"{name}rr"]
            yield f"  over {over}, {name.upper():<{35 - len(over)}}  {was:>9}  {gain(name, over):>6}  {gain(f'{name}-limited', over):>16}"


def explain(folder):
    mix = "mix-compute-compute"
    text = (ROOT / "scenarios/mixes/compute-compute.yaml").read_text()
    slope = re.search(r"slope: ([\d.]+)", text)[1]
    known = json.loads(subprocess.run([SMSCHED, "list", "workloads", "--models", MODELS, "--format", "json"], check=True,
                                      capture_output=True, text=True).stdout)
    use = {one["name"]: 100 * max(max(k["use_ratio"].values()) for k in one["kernels"])
           for one in known if one["name"] in workloads_of(text)}
    busiest = {}
    for row in rows_of(folder / "resources.csv"):
        if row["policy"] == "round_robin":
            one = 100 * float(row["delivered_ratio"]), row["resource"]
            busiest[row["scenario"]] = max(one, busiest.get(row["scenario"], one))
    hosts = rows_of(folder / "hosts.csv")
    stp = {row["policy"]: float(row["stp_ratio"]) for row in hosts if row["scenario"] == mix}
    fitted = [wanted(workload) for _, _, workload in vms()]
    measured = [use[workload] for workload in workloads_of(text)]
    print("\n".join(beside_published(hosts)))
    print(f"""
Why the mix of measured programs differs from S1 to S4
  S1 to S4: vectors and contention were fitted to the paper's gains. A kernel alone wants {to(fitted, "%")} of its busiest resource, and
  slope {fitted_slope():g} loses what is oversubscribed, so round_robin delivers at most {to([busiest[n][0] for n in NAMES], "%")} of any resource.
  {mix}: vectors were measured. A kernel alone uses {to(measured, "%")} of its busiest resource, and slope {slope} (assumed) loses
  nothing, so round_robin delivers {busiest[mix][0]:.0f} % of {busiest[mix][1]} already: fine_grained changes STP by {100 * (stp["fine_grained"] / stp["round_robin"] - 1):+.1f} %.
  docs/evidence/fine-grained-2022.md says how much of the paper's gain is left within what a profile can show.""")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="the page is what the results say, and runs give these results again")
    mode.add_argument("--fits", nargs="?", type=Path, const=Path(), metavar="FOLDER",
                      help="fit all vectors again, into FOLDER, and compare them with those in models/ (an hour)")
    mode.add_argument("--draw", action="store_true", help="only draw the figure again, from the results that are kept")
    mode.add_argument("--explain", type=Path, metavar="RESULTS", help="gains in a results folder beside the published, and why programs gain less")
    parser.add_argument("--all", action="store_true", help="with --check: all runs (minutes)")
    options = parser.parse_args()
    if options.all and not options.check:
        parser.error("--all goes with --check")
    if options.explain:
        return explain(options.explain)
    if options.fits and options.fits != Path():
        options.fits.mkdir(parents=True, exist_ok=True)
        return fits(options.fits)
    if options.fits is not None:
        with tempfile.TemporaryDirectory() as folder:
            return fits(Path(folder))
    if options.check:
        return check(options.all)
    if not options.draw:
        write_results(simulate(True))
        PAGE.write_text(page(read_results()))
    draw(FIGURE)
    return 0


sys.exit(main())
