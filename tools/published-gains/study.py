#!/usr/bin/env python3
"""What is left of the gains that papers on block policies published, for kernels that were measured?

usage: study.py [--run | --more | --draw | --check]

Draws 200 mixes of two or three of the programs of tools/pairs, and runs each under the policies of the papers: with
demands as measured, with what is not known drawn, and under another contention model. --run writes
results/published-gains.csv, docs/evidence/published-gains.md and docs/figures/published-gains.svg (ten minutes on two
cores). --more runs only the mixes that the results have not. --draw writes page and figure from the results that are there. --check says whether the page is what this would
write, and whether some mixes, run again, give the results kept.
"""
import argparse
import csv
import functools
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
sys.path.insert(0, str(ROOT / "tools"))
sys.dont_write_bytecode = True
from programs import LIBRARY, PROGRAMS, job_of, uses_of

RESULTS = ROOT / "results/published-gains.csv"
PAGE = ROOT / "docs/evidence/published-gains.md"
FIGURE = ROOT / "docs/figures/published-gains.svg"
SMSCHED = Path(os.environ.get("SMSCHED_BUILD", ROOT / "build")).resolve() / "bin/smsched"

POLICIES = ["leftover", "round_robin", "sm_quota", "elastic_kernels", "warped_slicer", "tenant_fair", "utilization_aware",
            "fine_grained"]
MIXES, WARMUP, JOBS = 200, 2, 8
SPREAD = 0.1  # of demands and block times, which state no uncertainty, as `compare --unknowns` has it
SMS = 28

# A variant of all mixes: its name, its contention, and whether what is not known is drawn.
VARIANTS = [("measured", "pipes", False), ("drawn", "pipes", True), ("proportional", "{model: proportional, slope: 1}", False)]

# What the abstracts of the papers say: policy, what the paper calls it, its source, its gain in %, and over which policy.
# None is one program after the other, which has an STP of 1.
with open(ROOT / "results/published/block-policies.csv", newline="") as published_file:
    PAPERS = [(row["policy"], row["name"], row["source"], float(row["gain_percent"]), row["over"] or None)
              for row in csv.DictReader(published_file)]


def demands_of(line):
    return {name: float(value) for name, value in re.findall(r"(\w+): ([0-9.]+) %", line)}


def write_workload(program, name, draw):
    """The program under another name; with `draw`, as one draw of what is not known of it. What a full wave wants stays
    within what an SM has, because no profile can show more."""
    text = (LIBRARY / f"{program}.yaml").read_text()
    resources = sorted({resource for demand in re.findall(r"demand: \{(.*)\}", text) for resource in demands_of(demand)})
    factor = {resource: math.exp(draw.gauss(0, SPREAD)) for resource in resources} if draw else {}
    time_factor = math.exp(draw.gauss(0, SPREAD)) if draw else 1
    head, *kernels = re.split(r"(?m)^(?=  - name: )", text)
    head = re.sub(r"^workload: .*$", f"workload: {name}", head, flags=re.M)
    parts = []
    for before, kernel in zip([head, *kernels], kernels):
        limit = int(re.findall(r"# resident: (\d+) blocks per SM", before)[-1])
        resident = min(limit, math.ceil(int(re.search(r"blocks: (\d+)", kernel)[1]) / SMS))
        if match := re.search(r"demand: \{(.*)\}", kernel):
            demands = {resource: min(value * factor.get(resource, 1), 99.9 / resident)
                       for resource, value in demands_of(match[1]).items()}
            kernel = kernel.replace(match[1], ", ".join(f"{key}: {value:.6f} %" for key, value in demands.items()))
        parts.append(re.sub(r"block_time: ([0-9.]+) us", lambda m: f"block_time: {float(m[1]) * time_factor:.6f} us", kernel))
    return head + "".join(parts)


@functools.cache
def mixes():
    """The programs of each mix: two or three, none twice."""
    draw = random.Random(1)
    return [draw.sample(PROGRAMS, draw.choice((2, 3))) for _ in range(MIXES)]


def scenario(number, programs, variant, folder):
    """One mix under one variant; writes its workloads to the folder of models."""
    name, contention, drawn = variant
    draw = random.Random(f"draw {number}") if drawn else None
    vms = []
    for program in programs:
        workload = f"{name}-{number:03}-{program}" if drawn else f"as-measured-{program}"
        (folder / "workloads" / f"{workload}.yaml").write_text(write_workload(program, workload, draw))
        vms.append(f"  - {{name: {program}, workload: {workload}, repeat: forever}}")
    longest = max(job_of(program)[0] for program in programs)
    return "\n".join([f"scenario: {name}-{number:03}", "devices: [{model: gtx1080ti}]", f"contention: {contention}",
                      "queue: interleave", f"policies: [{', '.join(POLICIES)}]", "vms:", *vms,
                      f"run: {{warmup: {round(WARMUP * longest)} us, duration: {round((WARMUP + JOBS) * longest)} us, "
                      f"seed: {number + 1}}}", ""])


def simulate(numbers, variants):
    """Rows of results: variant, mix, programs, policy, STP, and the least progress of a program."""
    all_mixes = mixes()
    with tempfile.TemporaryDirectory() as work:
        models, results = Path(work) / "models", Path(work) / "results"
        (models / "workloads").mkdir(parents=True)
        text = "---\n".join(scenario(n, all_mixes[n], variant, models) for variant in variants for n in numbers)
        (Path(work) / "mixes.yaml").write_text(text)
        subprocess.run([SMSCHED, "run", Path(work) / "mixes.yaml", "--models", models, "--brief", "--quiet", "--strict", "--jobs",
                        str(os.cpu_count()), "--out", results], check=True)
        with open(results / "hosts.csv", newline="") as hosts, open(results / "vms.csv", newline="") as vms:
            least = {}
            for row in csv.DictReader(vms):
                key, progress = (row["scenario"], row["policy"]), float(row["normalized_progress_ratio"])
                least[key] = min(progress, least.get(key, progress))
            for row in csv.DictReader(hosts):
                variant, number = row["scenario"].rsplit("-", 1)
                yield [variant, number, "+".join(all_mixes[int(number)]), row["policy"], f"{float(row['stp_ratio']):.5f}",
                       f"{least[row['scenario'], row['policy']]:.5f}"]


def run(kept=()):
    """All mixes, or those that are not in the rows that are `kept`."""
    known = {row["mix"] for row in kept}
    numbers = [number for number in range(MIXES) if f"{number:03}" not in known]
    rows = [list(row.values()) for row in kept] + (list(simulate(numbers, VARIANTS)) if numbers else [])
    names = [name for name, _, _ in VARIANTS]
    with open(RESULTS, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["variant", "mix", "programs", "policy", "stp_ratio", "least_progress_ratio"])
        out.writerows(sorted(rows, key=lambda row: (names.index(row[0]), row[1])))


def read_results():
    with open(RESULTS, newline="") as file:
        return list(csv.DictReader(file))


def stp_of(rows):
    stp = {}
    for row in rows:
        stp.setdefault((row["variant"], row["policy"]), []).append(float(row["stp_ratio"]))
    return stp


def pair_of(stp, variant, policy, over):
    """STP of each mix under the policy, and under what it is compared with."""
    return stp[variant, policy], stp[variant, over] if over else [1.0] * len(stp[variant, policy])


def gain(stp, variant, policy, over, numbers=range(MIXES)):
    """The change of the mean over these mixes, and half of its 95 % interval, in %: of a ratio of means, paired by mix."""
    of, base = ([values[number] for number in numbers] for values in pair_of(stp, variant, policy, over))
    mean = statistics.fmean(base)
    ratio = statistics.fmean(of) / mean
    rest = [x - ratio * y for x, y in zip(of, base, strict=True)]
    return 100 * (ratio - 1), 196 * statistics.stdev(rest) / mean / math.sqrt(len(rest))


def reached(stp, policy, over, published):
    """The part of mixes, in %, in which the policy gains what was published, or more, with unknowns drawn."""
    return 100 * statistics.fmean(x >= (1 + published / 100) * y for x, y in zip(*pair_of(stp, "drawn", policy, over), strict=True))


def law_error():
    """The median error of held-back fused kernels of this GPU, in %, as tools/validate wrote it."""
    with open(ROOT / "results/measured/gtx1080ti-2020-hfuse-fused/summary.csv", newline="") as file:
        return next(float(row["median"]) for row in csv.DictReader(file) if (row["group"], row["part"], row["model"]) == ("all", "test", "smsched"))


def text_of(value):
    return f"{value[0]:+.1f} ± {value[1]:.1f}"


def without_one(stp, policy, over):
    """The least and the greatest gain if a program, and with it all its mixes, is left out."""
    gains = [gain(stp, "drawn", policy, over, [n for n, programs in enumerate(mixes()) if program not in programs])[0] for program in PROGRAMS]
    return f"{min(gains):+.1f} to {max(gains):+.1f}"


def difference(programs):
    """0 if all programs of a mix use the same resource most; otherwise by how much the fullest resource is less full than the sum of
    what each program uses most, as a part of that sum."""
    uses = [uses_of(program) for program in programs]
    fullest = max(sum(use.get(resource, 0) for use in uses) for resource in set().union(*uses))
    return 1 - fullest / sum(max(use.values()) for use in uses)


def of_size(size):
    return [number for number, programs in enumerate(mixes()) if len(programs) == size]


def thirds():
    """The mixes in three parts, by how different the uses of their programs are. Each has as many of two programs as of three, as near
    as that goes, because three gain more than two."""
    parts = [[], [], []]
    for size in (2, 3):
        numbers = sorted(of_size(size), key=lambda number: difference(mixes()[number]))
        for i, part in enumerate(parts):
            part += numbers[len(numbers) * i // 3 : len(numbers) * (i + 1) // 3]
    return parts


def explained(stp, policy, over):
    """How much of the variance of the gains between mixes of as many programs difference explains, in %."""
    of, base = pair_of(stp, "drawn", policy, over)
    pairs = []
    for size in (2, 3):
        columns = [[difference(mixes()[n]) for n in of_size(size)], [of[n] / base[n] for n in of_size(size)]]
        pairs += zip(*([value - statistics.fmean(column) for value in column] for column in columns), strict=True)
    return 100 * statistics.correlation(*zip(*pairs, strict=True)) ** 2


def table(header, rows):
    return "\n".join([f"| {' | '.join(header)} |", f"|{'|'.join(['---'] + ['--:'] * (len(header) - 1))}|", *(f"| {' | '.join(row)} |" for row in rows)])


def papers_table(stp):
    header = ["policy, and what it is compared with", "published, %", "measured kernels, %", "unknowns drawn, %", "without one program, %", "`proportional`, %", "published gain reached in"]
    rows = []
    for policy, name, source, published, over in PAPERS:
        measured, drawn, proportional = (text_of(gain(stp, variant, policy, over)) for variant, _, _ in VARIANTS)
        rows.append([f"{name} (`{policy}`; {source}) over {f'`{over}`' if over else 'one after the other'}", f"{published:g}", measured, drawn, without_one(stp, policy, over),
                     proportional, f"{reached(stp, policy, over, published):.0f} % of mixes"])
    return table(header, rows)


def policies_table(stp, rows):
    least = {}
    for row in rows:
        if row["variant"] == "drawn":
            least.setdefault(row["policy"], []).append(float(row["least_progress_ratio"]))
    return table(["policy", "mean STP", "over `leftover`, %", "over `round_robin`, %", "progress of the slowest program, median", "below 5 % in"],
                 [[f"`{policy}`", f"{statistics.fmean(stp['drawn', policy]):.3f}",
                   *(text_of(gain(stp, "drawn", policy, base)) if base != policy else "" for base in ("leftover", "round_robin")),
                   f"{statistics.median(least[policy]):.2f}", f"{100 * statistics.fmean(value < 0.05 for value in least[policy]):.0f} % of mixes"]
                  for policy in POLICIES])


def parts_table(stp, parts, overs, last=None):
    """Gains over each of `overs` in parts of the mixes."""
    names = [f"{name}, over `{over}`" if len(overs) > 1 else name for over in overs for name in parts]
    rows = [[f"`{policy}`", *(text_of(gain(stp, "drawn", policy, over, numbers)) for over in overs for numbers in parts.values()),
             *([f"{last[1](policy):.0f} %"] if last else [])] for policy in POLICIES[2:]]
    return table(["policy", *names, *([last[0]] if last else [])], rows)


def page():
    rows = read_results()
    stp = stp_of(rows)
    best = max(POLICIES, key=lambda policy: statistics.fmean(stp["drawn", policy]))
    turns, most = gain(stp, "drawn", "round_robin", "leftover"), gain(stp, "drawn", best, "round_robin")
    sizes = [len(programs) for programs in mixes()]
    kept = sum(sum(gain(stp, "drawn", policy, over)) >= published for policy, _, _, published, over in PAPERS)
    least, _, different = thirds()
    by_difference = dict(zip(("most alike", "between", "most different"), thirds()))
    by_size = {f"{size} programs": of_size(size) for size in (2, 3)}
    means = [statistics.fmean(difference(mixes()[number]) for number in part) for part in thirds()]
    kept_there = sum(sum(gain(stp, "drawn", policy, over, different)) >= published for policy, _, _, published, over in PAPERS)
    return f"""# What is left of published gains

**Abstract.** Papers on block policies publish gains of {min(p[3] for p in PAPERS):.0f} to {max(p[3] for p in PAPERS):.0f} %. How much of these gains remains for kernels whose demands were measured?
We simulate {MIXES} mixes, drawn at random from {len(PROGRAMS)} profiled programs, under the policies of four papers. The law of contention was
[compared with fused kernels](validation.md#two-kernels-fused-gtx-1080-ti) of the same GPU. {kept} of {len(PAPERS)} published gains {"lies" if kept == 1 else "lie"} in the interval of the remaining gain.
Elastic kernels, Warped-Slicer and SMK give each program a part of every SM, and keep most of their gain over the hardware's dispatch.
Fine-grained admits blocks by use, and keeps almost nothing. Taking a block of each program in turn, without any policy, gains
{text_of(turns)} % over the hardware's dispatch; the best policy (`{best}`) gains another {text_of(most)} %: {text_of(gain(stp, "drawn", best, "round_robin", of_size(2)))} % with two programs
and {text_of(gain(stp, "drawn", best, "round_robin", of_size(3)))} % with three. As much depends on whether the programs use different resources: in the third of the mixes that differ most it gains
{text_of(gain(stp, "drawn", best, "round_robin", different))} %, in the third that are most alike {text_of(gain(stp, "drawn", best, "round_robin", least))} %.

![Published gains and what is left of them](../figures/published-gains.svg)

## The question

A block policy decides which block goes to which SM when several programs share a GPU. Each paper compares its policy with a baseline of its own, on programs that
it chose, in a simulator or on a GPU of its own. So the gains of two papers cannot be compared, and a reader does not know what is left on other programs.
Here all policies run on the same mixes, with the same demands, under the same law of contention.

## Method

**Programs.** The {len(PROGRAMS)} programs of [the pairs](pairs.md): profiles of a GTX 1080 Ti, in `models/workloads/gtx1080ti`. No kernel uses more than 100 % of a resource,
because no profile can show more.

**Mixes.** {MIXES} of two ({sizes.count(2)}) or three ({sizes.count(3)}) programs, drawn at random, none twice. A mix runs for {JOBS} jobs of its longest program after a warm-up of {WARMUP}. Programs
repeat for ever from a random [phase](../explanation/statistics.md#phases).

**Policies.** [smsched's](../reference/policies.md), written from the texts of the papers. `leftover` is the hardware's dispatch: all blocks of a grid go before those of
the next. The others take a block of each program in turn (`queue: interleave`), and so does `round_robin`, which has no other rule.

**Three variants.** *Measured kernels* have demands and block times as profiled, under the contention model `pipes`. With *unknowns drawn*, each mix has one draw of
the unknown values, demands and block times: factors with a standard deviation of {100 * SPREAD:.0f} %, as [where nothing else is
known](../explanation/statistics.md#what-is-not-known). `proportional` is another law: an oversubscribed resource is shared, and below 100 % nothing slows down.

**Measures.** STP is the sum of the programs' speeds, relative to their solo speeds under `leftover`. A gain is the change of the mean STP of the mixes. Intervals
are of a ratio of means, paired by mix, and cover the draw of the mixes. The mixes share {len(PROGRAMS)} programs, so we also give the smallest and the largest gain if one
program is left out, with all of its mixes.

## Results

### Published gains

Each gain is relative to the baseline of its paper:

{papers_table(stp)}

### All policies relative to the same two baselines

With unknowns drawn:

{policies_table(stp, rows)}

### Programs that use different resources

The difference of a mix follows from the profiles. It is 0 if its programs use the same resource most; otherwise it says by how much the fullest resource is less
full than the sum of what each program uses most, as a part of that sum. Each third of the mixes has as many of two programs as of three. The mean
differences are {means[0]:.2f}, {means[1]:.2f} and {means[2]:.2f}. Gains over `round_robin` with unknowns drawn, in %, and how much of their variance between mixes of as many programs the
difference explains:

{parts_table(stp, by_difference, ["round_robin"], ("explained", lambda policy: explained(stp, policy, "round_robin")))}

### Two and three programs

Gains with unknowns drawn, in %:

{parts_table(stp, by_size, ["round_robin", "leftover"])}

## Why measured programs gain less

- **Use ends at 100 %.** No kernel here demands more than 100 % of a resource. The fit of the [fine-grained paper](fine-grained-2022.md) needs kernels that want
  170 to 307 %, and such a kernel gains even when it runs by itself.
- **The baseline counts.** Of what a policy gains over `leftover`, two thirds or so are gained by taking turns alone.
- **The number of programs counts.** Three programs gain about twice as much as two, over either baseline.
- **The choice of programs counts.** Papers choose pairs whose kernels need different resources. Policies that divide each SM gain more on such mixes. But
  the difference explains {max(explained(stp, policy, "round_robin") for policy in POLICIES[2:]):.0f} % of the variance at most. Sizes of grids, registers and shared memory decide, too.

## What this does not show

- **The GPUs of the papers.** Elastic kernels ran on a Fermi GPU, SMK and Warped-Slicer in a simulator of another one. Sizes of grids and caches differ.
- **Caches.** Kernels that evict each other's lines cost more than the sum of their demands shows, and policies that keep them apart would gain.
- **Costs of the policies.** SMK's shares of warps, Warped-Slicer's sampling and the rewriting of grids for elastic kernels are not modelled.
- **The law.** `pipes` has a median error of {law_error():.1f} % for [fused kernels of this GPU](validation.md#two-kernels-fused-gtx-1080-ti).

## Do it again

This writes `results/published-gains.csv`, the figure and this page:

    tools/published-gains/study.py --run       # ten minutes on two cores
"""


def draw():
    stp = stp_of(read_results())
    with tempfile.TemporaryDirectory() as work:
        data = Path(work) / "gains"
        data.write_text("".join(
            f'{i + 1} "{name} over {(over or "one after the other").replace("_", " ")}" {published} '
            f'{" ".join(f"{x:.3f}" for x in [*gain(stp, "measured", policy, over), *gain(stp, "drawn", policy, over)])}\n'
            for i, (policy, name, _, published, over) in enumerate(PAPERS)))
        subprocess.run(["gnuplot", "-c", "tools/published-gains/figure.gp", data, FIGURE.with_suffix("")], cwd=ROOT, check=True)


def check():
    """Some mixes of short programs are run again."""
    problems = [] if PAGE.read_text() == page() else [f"{PAGE.relative_to(ROOT)} is not what this writes"]
    some = [n for n, programs in enumerate(mixes()) if max(job_of(program)[0] for program in programs) < 500][:3]
    kept = {tuple(row.values()) for row in read_results()}
    again = [tuple(map(str, row)) for row in simulate(some, VARIANTS)]
    problems += [f"results/published-gains.csv has not: {','.join(row)}" for row in again if row not in kept]
    print("\n".join(problems[:20]) or f"the gains are up to date ({len(again)} runs compared)")
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--run", action="store_true", help="run the mixes and write results, page and figure")
    mode.add_argument("--more", action="store_true", help="run only the mixes that the results have not, and write the rest")
    mode.add_argument("--draw", action="store_true", help="write page and figure from the results that are there")
    mode.add_argument("--check", action="store_true", help="only say whether all of it is up to date")
    options = parser.parse_args()
    if options.check:
        return check()
    if options.run or options.more:
        run(read_results() if options.more else ())
    draw()
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
