#!/usr/bin/env python3
"""Kang 2022, real-time nodes, simulated against published: writes docs/evidence/realtime.md and its figure.
Usage: tools/kang-2022/realtime.py [--check] [--checks FILE]
--check   writes nothing; prints every comparison, and fails if one is beyond its tolerance or the page is not up to date
--checks  more expected values, as results/published/realtime-nodes-2022.csv has them, if there is such a FILE
The program is build/bin/smsched, or that of SMSCHED_BUILD."""
import csv
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from runs import arguments, checks_of, markdown, megabytes, model, simulate, verified  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCENARIOS = "scenarios/kang-2022-realtime"
PAGE, FIGURE = "docs/evidence/realtime.md", "docs/figures/kang-2022-realtime.svg"
OURS, BY_FLOAT, SPREAD, RANDOM = "realtime+time_slice", "realtime(rank=float)+time_slice", \
    "least_allocated+time_slice", "random+time_slice"
ONE = "first_fit+time_slice"
BATCHES = "models/workloads/kang-2022/mnist-batches.yaml"


def published():
    with open("results/published/realtime-nodes-2022.csv") as file:
        return {row["id"].removeprefix("003-"): row for row in csv.DictReader(file)}


def clusters(path):
    return {scenario: {policy: run["cluster"] for policy, run in runs.items()} for scenario, runs in simulate(path).items()}


def with_changes(name, *changes, prefix="", only=""):
    """The metrics of a file of scenarios, or those of them whose names match, with some text replaced, without what they expect."""
    with open(f"{SCENARIOS}/{name}.yaml") as file:
        text = re.sub(r"^expect:\n(  - .*\n)*", "", file.read(), flags=re.M)
    text = "---\n".join(part for part in text.split("---\n") if re.search(f"^scenario: .*{only}", part, re.M))
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(prefix + text)
        file.flush()
        return clusters(file.name)


def high_loads(*changes):
    """The metrics of high loads with other modes: {scenario: {our name of the policy: metrics}}."""
    found = with_changes("load", ("  - {place: {realtime: {rank: float}}, mode: time_slice}\n", ""), *changes, only="-(070|080|090|100)")
    return {scenario: dict(zip((OURS, SPREAD, RANDOM), runs.values())) for scenario, runs in found.items()}


def with_full_cores():
    """The kernels of an inference look to its node as if they took all cores."""
    with open(BATCHES) as file:
        batches = file.read().replace("kang-2022/mnist-batches", "all-cores").replace("fp32: 14 %", "fp32: 100 %")
    return with_changes("variants", ("kang-2022/mnist-batches", "all-cores"), prefix=batches + "---\n")["variants"]


def on_gpu():
    """The part of an inference, without its copies, that is on the GPU, in per cent."""
    text = model("workloads/kang-2022/mnist-batches")
    host, kernel = (float(re.search(pattern, text)[1]) for pattern in (r"host: ([\d.]+) ms", r"time: ([\d.]+) ms"))
    return 100 * kernel / (host + kernel)


def loads_of(runs):
    return sorted(int(name[5:]) for name in runs if name.startswith("load-"))


def error_s(cluster, what, kind):
    return cluster[f"monitor_{what}_error_{kind}_ns"] / 1e9


class Simulated:
    def __init__(self):
        self.runs = {}
        for name in ("table2", "fig3", "fig4", "ranking", "load", "known", "variants", "memory"):
            self.runs.update(clusters(f"{SCENARIOS}/{name}.yaml"))
        # Kernels of all containers at once, as only MPS would have it; inference is one kernel on 14 % of the cores.
        self.at_once = high_loads(("mode: time_slice", "mode: together"), ("kang-2022/mnist-batches", "kang-2022/mnist"))
        self.free_switches = high_loads(("mode: time_slice", "mode: {time_slice: {switch: 0 s}}"))
        self.full_cores = with_full_cores()
        self.fitted, self.cycle = (self.runs[f"table2-{model}"][ONE] for model in ("calibrated", "cycle"))
        self.fig3 = {n: self.slowdown(f"fig3-{n:02d}") for n in (1, 5, 10, 15, 20)}
        self.fig4 = {n: self.slowdown(f"fig4-{n}") for n in (1, 2, 3, 4, 5)}
        always = with_changes("fig4", ("kang-2022/mnist-batches", "kang-2022/mnist"))
        self.always = always["fig4-5"][ONE]["slowdown_mean_ratio"]
        self.loads = loads_of(self.runs)
        self.values = self.find_values()

    def slowdown(self, scenario):
        return self.runs[scenario][ONE]["slowdown_mean_ratio"]

    def find_values(self):
        """By the ids of the published file."""
        v = {f"t2-{what}-{kind}": error_s(self.fitted, what, kind)
             for what in ("start", "end") for kind in ("mean", "min", "max")}
        v.update({f"t2-runtime-{kind}": error_s(self.fitted, "run", kind) for kind in ("mean", "min", "max")})
        v["period"] = error_s(self.cycle, "end", "max") - error_s(self.cycle, "end", "min")
        rank = {n: self.runs[f"ranking-{n}"]["realtime"] for n in (2, 200)}
        v["rank2"], v["rank200"] = (rank[n]["wait_mean_ns"] / 1e6 - 1 for n in (2, 200))
        v["rank-b"] = (v["rank200"] - v["rank2"]) / 198
        v["rank-a"] = v["rank2"] - 2 * v["rank-b"]
        v["sz"] = rank[200]["message_bytes"] / rank[200]["messages_count"]
        grows = list(self.fig3.values()) == sorted(self.fig3.values())
        v["f3"] = max(self.fig3) if grows else 0
        v["gpu"] = megabytes("memory", model("devices/rtx3090")) / 1024
        for row, size in (("thr", 8192), ("f9n", 5120)):  # three matrices of floats
            v[row] = megabytes("allocate", model(f"workloads/kang-2022/multiply-{size}")) * 2**20 / 12
        v["f9n"] = v["f9n"] ** 0.5
        v["f4u"] = 5 * on_gpu()
        v["f4n"] = max(self.fig4)
        v["f4t"] = self.fig4[5] / self.fig4[1]
        v["f9"] = self.fitted["done_count"]
        return v


def judge(row, value):
    """Whether it is within its tolerance; the third row of Table 2 is but a bound: one cycle of the monitor."""
    if row["tolerance"] == "bound only":
        return abs(value) <= 0.25
    if row["tolerance"] == "at most":
        return value <= float(row["value"]) + 1e-9
    return abs(value - float(row["value"])) <= float(row["tolerance"]) + 1e-9


def compare(rows, values):
    """Prints all that are compared; returns {id: whether it is met}."""
    verdicts = {}
    print(f"{'check':16} {'expected':>12} {'found':>12} {'tolerance':>12}")
    for row_id, row in rows.items():
        if row_id not in values:
            continue
        verdicts["003-" + row_id] = fine = judge(row, values[row_id])
        print(f"{row_id:16} {row['value']:>12} {values[row_id]:>12.6f} {row['tolerance']:>12} {'ok' if fine else 'MISSED'}")
    return verdicts


def page_table2(sim, rows):
    lines = []
    for what, name, row in (("start", "start", "start"), ("end", "end", "end"), ("run", "time between", "runtime")):
        lines.append([name] + [f"{float(rows[f't2-{row}-{kind}']['value']):.2f}" for kind in ("min", "mean", "max")] +
                     [f"{error_s(of, what, kind):.3f}" for of in (sim.fitted, sim.cycle)
                      for kind in ("min", "mean", "max")])
    return markdown(["error, s", "Table 2: least", "mean", "greatest", "calibrated: least", "mean", "greatest",
                     "cycle: least", "mean", "greatest"], lines)


def intervals_overlap(clusters, metric):
    """Whether there is a value that lies in all of them."""
    bounds = [(c[metric] - (c["ci95"].get(metric) or 0), c[metric] + (c["ci95"].get(metric) or 0)) for c in clusters]
    return max(low for low, _ in bounds) <= min(high for _, high in bounds)


def within(cluster, metric, scale, digits):
    """With as many more digits as it takes for a half-width not to read 0."""
    value, half = cluster[metric], cluster["ci95"].get(metric)
    if value is None:
        return "-"
    while half and digits < 9 and float(f"{half * scale:.{digits}f}") == 0:
        digits += 1
    return f"{value * scale:.{digits}f}" + (f" ± {half * scale:.{digits}f}" if half else "")


FOUR = [("realtime", OURS), ("by float", BY_FLOAT), ("least_allocated", SPREAD), ("random", RANDOM)]
THREE = [FOUR[0], FOUR[2], FOUR[3]]
MISSED, IN_TIME, WAIT = ("job_miss_ratio", 100, 1), ("jobs_in_time_per_s", 1, 2), ("wait_mean_ns", 1e-9, 1)
WAITING = (WAIT, ("waiting_count", 1, 0))


def page_load(sim):
    lines = [[str(n)] + [within(runs[policy], *shown) for shown in (MISSED, IN_TIME) for _, policy in THREE] +
             [within(runs[OURS], *shown) for shown in WAITING]
             for n in (20, 60, 100) for runs in [sim.runs[f"load-{n:03d}"]]]
    return markdown(["load, %", "missed, %: realtime", "least_allocated", "random", "jobs in time / s: realtime", "least_allocated", "random",
                     "realtime: wait, s", "waiting at the end"], lines)


def ranked(runs):
    return sorted((policy for _, policy in THREE), key=lambda policy: runs[policy]["job_miss_ratio"])


def same_order(sim):
    """Whether the policies rank the same if containers ask for what they take."""
    return all(ranked(sim.runs[f"known-{n:03d}"]) == ranked(sim.runs[f"load-{n:03d}"]) for n in (40, 60, 80))


def variants(sim):
    runs = sim.runs["variants"]
    others = ("realtime(rank=bestfit_float)+time_slice", "realtime(retry=5 s)+time_slice", "realtime(query=0 ps rank_base=0 ps rank_node=0 ps)+time_slice")
    return [runs[policy] for policy in (OURS, *others)] + [sim.runs["load-060"][BY_FLOAT], sim.runs["variants-eager"][OURS],
                                                           sim.runs["variants-cycle"][OURS], sim.full_cores[OURS]]


def page_memory(sim):
    lines = []
    for request, name in (("none", "memory-load"), ("15 GiB", "memory-load-said")):
        for label, policy in FOUR:
            if policy in sim.runs[name]:
                c = sim.runs[name][policy]
                lines.append([request, label, within(c, "failed_count", 1, 1), within(c, *IN_TIME), within(c, *WAIT)])
    return markdown(["memory request", "policy", "failed", "jobs in time / s", "wait, s"], lines)


def crossing(runs, policy, metric, better):
    """The lowest load from which on ours is the better one, beyond both confidence intervals."""
    loads = loads_of(runs)
    wins = [n for n in loads if is_better(runs[f"load-{n:03d}"], policy, metric, better)]
    from_load = [n for n in wins if all(m in wins for m in loads if m >= n)]
    return f"from {min(from_load)} %" if from_load else "nowhere"


def page_remains(sim):
    """From which load on ours is better, by how the kernels of several containers share a GPU."""
    modes = [sim.runs, sim.free_switches, sim.at_once]
    lines = []
    for name, policy in (("random", RANDOM), ("least_allocated", SPREAD)):
        lines.append([f"fewer misses than `{name}`"] + [crossing(runs, policy, "job_miss_ratio", -1) for runs in modes])
    for name, policy in (("realtime", OURS), ("least_allocated", SPREAD)):
        lines.append([f"`{name}` misses at 100 %"] + [within(runs["load-100"][policy], "job_miss_ratio", 100, 1) + " %"
                                                      for runs in modes])
    return markdown(["", "time slices", "time slices, switches free", "all kernels at once"], lines)


def is_better(runs, policy, metric, better):
    ours, theirs = runs[OURS], runs[policy]
    gap = better * (ours[metric] - theirs[metric])
    return gap > (ours["ci95"].get(metric) or 0) + (theirs["ci95"].get(metric) or 0)


def numbers(sim):
    top = sim.runs["load-100"]
    letter = sim.runs["variants"]["realtime(empty_node_float=0 ps)+time_slice"]
    placed = variants(sim)
    missed = [100 * c["job_miss_ratio"] for c in placed]
    overlap = [intervals_overlap(placed, metric) for metric in ("job_miss_ratio", "jobs_in_time_per_s")]
    return {
        "topours": f"{100 * top[OURS]['job_miss_ratio']:.0f} %", "topspread": f"{100 * top[SPREAD]['job_miss_ratio']:.0f} %",
        "topwait": f"{top[OURS]['wait_mean_ns'] / 1e9:.0f} s", "topwaiting": f"{top[OURS]['waiting_count']:.0f}",
        "overrandom": crossing(sim.runs, RANDOM, "job_miss_ratio", -1), "overspread": crossing(sim.runs, SPREAD, "job_miss_ratio", -1),
        "order": "the same" if same_order(sim) else "another", "letterplaced": f"{letter['placed_count']:.0f}", "letterpods": f"{letter['pods_count']:.0f}",
        "memorypods": f"{sim.runs['memory-load'][OURS]['pods_count']:.0f}",
        "fig3": ", ".join(f"{v:.2f}" for v in sim.fig3.values()), "fig4": f"{max(sim.fig4.values()):.4f}",
        "fig4kernel": f"{sim.always:.2f}",
        "variantsleast": f"{min(missed):.1f}", "variantsmost": f"{max(missed):.1f}",
        "overlap": "have a value in common" if all(overlap) else "have no value in common",
        "rank2": f"{sim.values['rank2']:.2f}", "rank200": f"{sim.values['rank200']:.2f}",
    }


def page(sim, rows):
    values = {"table2": page_table2(sim, rows), "load": page_load(sim), "remains": page_remains(sim),
              "memory": page_memory(sim), **numbers(sim)}
    with open("tools/kang-2022/realtime.md") as file:
        return re.sub(r"@(\w+)@", lambda match: values[match[1]], file.read())


def write_data(sim, folder):
    shared, load = os.path.join(folder, "shared.dat"), os.path.join(folder, "load.dat")
    with open(shared, "w") as file:  # containers, times alone; blocks: matrices, inference
        for figure in (sim.fig3, sim.fig4):
            file.writelines(f"{n} {value}\n" for n, value in figure.items())
            file.write("\n\n")
    with open(load, "w") as file:  # load; missed %, half-width; jobs in time / s; wait, s; blocks: the policies
        for policy in (OURS, SPREAD, RANDOM):
            for n in sim.loads:
                c = sim.runs[f"load-{n:03d}"][policy]
                pairs = (("job_miss_ratio", 100), ("jobs_in_time_per_s", 1), ("wait_mean_ns", 1e-9))
                file.write(" ".join([str(n)] + [f"{c[m] * s} {(c['ci95'].get(m) or 0) * s}" for m, s in pairs]) + "\n")
            file.write("\n\n")
    return shared, load


def main():
    args = arguments(__doc__)
    os.chdir(ROOT)
    if args.checks and not os.path.exists(args.checks):
        print(f"no {args.checks}: only published values")
        args.checks = None
    rows, sim = published(), Simulated()
    text = page(sim, rows)
    more = checks_of(args.checks)
    rows.update({row_id.removeprefix("003-"): row for row_id, row in more.items() if row_id.startswith("003-")})
    if not args.check:
        with open(PAGE, "w") as file:
            file.write(text)
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["gnuplot", "-c", "tools/kang-2022/realtime.gp", *write_data(sim, folder), FIGURE.removesuffix(".svg")], check=True)
        return 0
    verdicts = compare(rows, sim.values)
    missed = list(verdicts.values()).count(False) + verified("tools/kang-2022/realtime.py", more, verdicts)
    print(f"{missed} not as they should be")
    with open(PAGE) as file:
        stale = file.read() != text
    if stale:
        print(f"{PAGE} is not what tools/kang-2022/realtime.py writes", file=sys.stderr)
    return 1 if missed or stale else 0


if __name__ == "__main__":
    sys.exit(main())
