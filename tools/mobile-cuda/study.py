#!/usr/bin/env python3
"""Study of docs/evidence/mobile-cuda.md: what the GPUs of a host may share, and what it does to the gain of Mobile CUDA.

Runs scenarios/mobile-cuda/{one-gpu,two-gpus,three-gpus,four-gpus}.yaml with N random lists of 100 applications
(default 1000) for each variant, and writes OUT_DIR/mobile-cuda-study.csv (default results): mean and 5th and 95th
percentile over the lists of the reductions of time and energy, and the share of lists below the published gain.
Without --only, which needs an OUT_DIR, it then puts the table into docs/evidence/mobile-cuda.md and draws docs/figures/mobile-cuda.svg; with --page it
does that alone, from the CSV that is there.
Each variant changes the text of the scenarios, or the workloads, in one place. Those called fit-* are calibrated, by hand, on
the published gains that their names say.
"""

import argparse
import csv
import os
import re
import statistics
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCENARIOS = ["one-gpu", "two-gpus", "three-gpus", "four-gpus"]
PUBLISHED = {1: 19.3, 4: 13.1}
HOST = "context: 64 MB, context_time: 0.1 s}"
LINK = "power: {idle"
SHARE = "share: mobile_cuda"


def host(extra):
    return [(HOST, HOST[:-1] + f", {extra}}}")]


def link(bandwidth):
    return [(LINK, f"link: {{bandwidth: {bandwidth}}}, {LINK}")]


def policy(params):
    return [(SHARE, f"{SHARE}: {{{params}}}".replace("share: mobile_cuda:", "share: {mobile_cuda:") + "}")]


def host_part(share):
    """Of every second of an application, this share is on the host: twenty rounds of host time and a kernel."""
    return lambda text: in_rounds(text, lambda time: [f"{{host: {time * share:.6g} s}}"], 1 - share)


def table6(share):
    """Slowdowns of kernels with which pairs that spend this share on the host still take what Table 6 says.

    Beside j, i takes S_ij = share + (1 - share)(1 + (K_ij - 1) q_j), where q_j = 1 - share / S_ji of the time a
    kernel of j is on the device.
    """
    def change(text):
        row = re.compile(r"^    (\w+): \{(matrixMul: .*)\}$", re.M)
        old = {m[1]: {k: float(v) for k, v in (f.split(": ") for f in m[2].split(", "))} for m in row.finditer(text)}
        new = lambda i, j: 1 + (old[i][j] - 1) / ((1 - share) * (1 - share / old[j][i]))
        return row.sub(lambda m: f"    {m[1]}: {{{', '.join(f'{j}: {new(m[1], j):.4f}' for j in old)}}}", text)
    return [change]


def copies(share, rate=6.0):
    """Of pcie and map, this share of the time is copying over the link, half in and half out, at 6 GB/s alone."""
    def change(text):
        if not re.search(r"^corun_class: (pcie|map)$", text, re.M):
            return text
        both = lambda time: [f"{{{way}: {time * share / 2 * rate * 1000:.6g} MB}}" for way in ("copy_in", "copy_out")]
        return in_rounds(text, both, 1 - share)
    return change


def in_rounds(text, extra, left, rounds=20):
    time = float(re.search(r"time: ([0-9.]+) ms", text)[1]) / 1000
    times = int(re.search(r"times: (\d+)", text)[1])
    step = re.search(r"  - \{launch.*\n", text)[0]
    each = times * time / rounds
    calls = max(1, round(each * left / time))
    new = f"time: {each * left / calls * 1000:.9g} ms"
    lines = "".join(f"  - {s}\n" for s in extra(each)) + f"  - {{launch: compute, times: {calls}}}\n"
    return re.sub(r"time: [0-9.]+ ms", new, text).replace(step, lines * rounds)


FREE = link("1000 TB/s") + [("context_time: 0.1 s", "context_time: 0 s")]
VARIANTS = [  # name, what it is, changes to the scenario, change to the workloads
    ("free", "moving and contexts cost nothing (as the prototype)", FREE, None),
    ("own-links", "6 GB/s over the link of each GPU", [], None),
    ("own-links-1", "1 GB/s over the link of each GPU (pageable memory)", link("1 GB/s"), None),
    ("host-link-6", "all copies of all GPUs share 6 GB/s each way", host("link_in: 6 GB/s, link_out: 6 GB/s"), None),
    ("host-link-1", "all copies of all GPUs share 1 GB/s each way", host("link_in: 1 GB/s, link_out: 1 GB/s"), None),
    ("one-move-1", "the same at 1 GB/s", link("1 GB/s") + policy("moves: 1"), None),
    ("manager-100ms", "the manager takes 100 ms for each request", policy("request: 100 ms"), None),
    ("manager-1s", "the manager takes 1 s for each request", policy("request: 1 s"), None),
    ("max", "several co-runners: the worst of them", [("combine: add", "combine: max")], None),
    ("mul", "several co-runners: the product", [("combine: add", "combine: mul")], None),
    ("mul-host-link-1", "the product, and all copies share 1 GB/s each way",
     [("combine: add", "combine: mul")] + host("link_in: 1 GB/s, link_out: 1 GB/s"), None),
    ("host-10", "10 % of each application on the host; Table 6 for kernels", [], host_part(0.1)),
    ("host-10-pairs", "the same; pairs take what Table 6 says", table6(0.1), host_part(0.1)),
    ("host-20-pairs", "20 % on the host; pairs take what Table 6 says", table6(0.2), host_part(0.2)),
    ("cores-2-20-pairs", "20 % on the host; pairs; 2 cores", table6(0.2) + host("cores: 2"), host_part(0.2)),
    ("cores-1-20-pairs", "20 % on the host; pairs; 1 core", table6(0.2) + host("cores: 1"), host_part(0.2)),
    ("copies-own", "pcie and map copy half of their time over the link of the GPU", [], copies(0.5)),
    ("copies-6", "the same; all GPUs share 6 GB/s each way", host("link_in: 6 GB/s, link_out: 6 GB/s"), copies(0.5)),
    ("fit-four", "calibrated on four GPUs: the manager takes 170 ms for each request", policy("request: 170 ms"), None),
    ("fit-one", "calibrated on one GPU: 22 % on the host; pairs take what Table 6 says", table6(0.22), host_part(0.22)),
    ("fit-both", "calibrated on one and four GPUs: 30 % on the host; pairs; 800 ms for each request",
     table6(0.3) + policy("request: 800 ms"), host_part(0.3)),
]


def change(text, pairs):
    for pair in pairs:
        if callable(pair):
            text = pair(text)
            continue
        old, new = pair
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def write_models(folder, how):
    os.makedirs(os.path.join(folder, "workloads/mobile-cuda"))
    source = os.path.join(ROOT, "models/workloads/mobile-cuda")
    for name in sorted(os.listdir(source)):
        with open(os.path.join(source, name)) as old, open(os.path.join(folder, "workloads/mobile-cuda", name), "w") as new:
            new.write(how(old.read()))


def run(variant, args):
    name, _, pairs, how = variant
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for scenario in SCENARIOS:
            with open(os.path.join(ROOT, "scenarios/mobile-cuda", scenario + ".yaml")) as file:
                text = change(file.read().split("expect:")[0], pairs)  # expectations are of the policy as it is there
            files.append(os.path.join(folder, scenario + ".yaml"))
            with open(files[-1], "w") as file:
                file.write(text)
        if how:
            write_models(folder, how)
        command = [os.path.join(args.build, "bin/lists"), str(args.lists), str(args.jobs), folder if how else "", *files]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def percentile(values, p):
    return sorted(values)[min(len(values) - 1, int(p * len(values)))]


def reductions(output):
    """[GPUs][list]: per cent of time and of energy, and the ratio of mean powers."""
    rows, found = {}, {}
    for row in csv.DictReader(output.splitlines()):
        rows.setdefault((row["scenario"], row["list"]), []).append((float(row["makespan_s"]), float(row["energy_j"])))
    for (scenario, _), ((t0, e0), (t1, e1)) in rows.items():
        gpus = 1 + [s.split("-")[0] for s in SCENARIOS].index(scenario.split("-")[2])
        found.setdefault(gpus, []).append((100 * (1 - t1 / t0), 100 * (1 - e1 / e0), e1 / t1 / (e0 / t0), e0 / 1e3, e1 / 1e3))
    return found


def summarize(variant, output):
    for gpus, lists in reductions(output).items():
        time, energy, power, simple, mobile = zip(*lists)
        below = sum(t < PUBLISHED[gpus] for t in time) / len(time) if gpus in PUBLISHED else ""
        yield [variant[0], variant[1], gpus, len(time), *(f"{v:.2f}" for v in (
            statistics.mean(time), percentile(time, 0.05), percentile(time, 0.95))), PUBLISHED.get(gpus, ""), below,
            *(f"{v:.2f}" for v in (statistics.mean(energy), percentile(energy, 0.05), percentile(energy, 0.95))),
            f"{statistics.mean(power):.3f}", f"{statistics.mean(simple):.1f}", f"{statistics.mean(mobile):.1f}"]


HEADER = ["variant", "what", "gpus", "lists", "time_reduction_pct", "p5_pct", "p95_pct", "published_pct", "lists_below_published_ratio",
          "energy_reduction_pct", "energy_p5_pct", "energy_p95_pct", "power_ratio", "energy_simple_kj", "energy_mobile_cuda_kj"]


BETWEEN = {"host-link-6", "one-move-1", "mul-host-link-1", "host-20-pairs", "cores-2-20-pairs"}  # like their neighbours, so in the CSV only


def mean(row):
    return f"{float(row['time_reduction_pct']):.1f}"


def page(name):
    """The table between the marks of the page, and its figure."""
    rows = {}
    with open(name, newline="") as file:
        for row in csv.DictReader(file):
            rows.setdefault((row["variant"], row["what"]), {})[int(row["gpus"])] = row
    lines = ["| variant | what | 1 GPU | 4 GPUs | energy, 4 GPUs |", "|---|---|---|---|---|"]
    for (variant, what), of in rows.items():
        if variant.startswith("fit-") or variant in BETWEEN:  # the page's table of what is calibrated has the former
            continue
        energy = f"{float(of[4]['energy_reduction_pct']):.1f}"
        lines.append(f"| `{variant}` | {what} | {mean(of[1])} | {mean(of[4])} | {energy} |")
    docs = os.path.join(ROOT, "docs/evidence/mobile-cuda.md")
    with open(docs) as file:
        before, rest = file.read().split("<!-- study -->\n", 1)
    after = rest[rest.index("<!-- end -->"):]
    with open(docs, "w") as file:
        file.write(before + "<!-- study -->\n" + "\n".join(lines) + "\n" + after)
    subprocess.run(["gnuplot", "-c", "tools/mobile-cuda/figure.gp", os.path.abspath(name), "docs/figures/mobile-cuda"], cwd=ROOT, check=True)


def study(args, name):
    with open(name, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(HEADER)
        for variant in VARIANTS:
            if not args.only or variant[0] == args.only:
                table.writerows(summarize(variant, run(variant, args)))
                file.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lists", type=int, default=1000, metavar="N")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="threads, default 2")
    parser.add_argument("--build", default=os.environ.get("SMSCHED_BUILD", os.path.join(ROOT, "build")), metavar="DIR")
    parser.add_argument("--only", choices=[variant[0] for variant in VARIANTS], metavar="VARIANT")
    parser.add_argument("--page", action="store_true")
    parser.add_argument("out", nargs="?", metavar="OUT_DIR")
    args = parser.parse_args()
    if args.only and (args.page or not args.out):
        parser.error("--only needs an OUT_DIR, so that the results of all variants are kept, and no --page")
    args.out = args.out or os.path.join(ROOT, "results")
    os.makedirs(args.out, exist_ok=True)
    name = os.path.join(args.out, "mobile-cuda-study.csv")
    if not args.page:
        study(args, name)
    if not args.only:
        page(name)


if __name__ == "__main__":
    main()
