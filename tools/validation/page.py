"""docs/evidence/validation.md and the figures, from about.yaml and summary.csv of all folders."""
import csv
import math
import re
import subprocess
import textwrap
from pathlib import Path

from errors import CLOSED, COVERED, LAW, UNFITTED, WHERE, WITHOUT, best_naive, covered, held_back, row_of

ROOT = Path(__file__).resolve().parents[2]

HEAD = """\
# Simulated against measured

"""
ANSWER = """How far can you trust smsched? **Within {0} % for time slices and preemption; within {1} % for kernels, training and requests on a part of the SMs, under MPS
or in MIG; within {2} % for two kernels inside an SM, if the law of contention is `pipes`. Do not trust it for the times of Rodinia's kernels on another GPU,
for occupancy or for power**. These are median errors over held-back values, to which nothing was fitted, in per cent of the measured value. If several
comparisons test a use, the table gives their smallest and largest error. Clusters were compared only with another simulator."""
# A row for each use: remark, folders. The first three are those of ANSWER. {order} is in how many pairs the first folder has the right order, {more} in how many
# decisions it is right about another copy, {worst} the largest error of all folders, {knee} the mean error of the default law of contention.
USES = [
    ("**Trust it for**", "", []),
    ("time slices, weights, preemption, SM quotas, stealing, atoms", "The time to stop a process is [fitted](#preemption-when-a-request-comes) to a median",
     ["gv100-2025-xsched-slices", "multi-2025-xsched-turns", "gv100-2025-xsched-preemption", "a100-2025-lithos-sharing"]),
    ("kernels, training and requests on a part of the SMs, under MPS, in MIG", "Single values are up to {worst} % off",
     ["a100-2024-muxserve-shares", "a100-2025-lithos-tpcs", "a100-2022-miso-mig", "a100-2024-parvagpu-mig-mps", "v100-2022-igniter-pairs", "a100-2021-abacus-pairs",
      "a100-2021-abacus-three"]),
    ("two kernels inside an SM", "Only with `contention: pipes`. [The default, `knee`](#laws-of-contention-side-by-side), is {knee} % off on average",
     ["v100-2020-hfuse-fused", "gtx1080ti-2020-hfuse-fused", "v100-2020-hfuse-hashes", "v100-2020-hfuse-two-streams", "gtx950-2018-block-trace",
      "v100-2026-two-kernels"]),
    ("DRAM bandwidth by SMs and by warps; starts and placement of blocks", "",
     ["h100-2026-dram-by-sms", "a6000-2024-green-contexts", "v100-2019-dram-occupancy", "v100-2019-gaussian-dispatch", "gv100-2021-accelwattch-placement"]),
    ("a kernel at another size or clock of the same GPU", "", ["multi-2024-neusight-unseen-size", "a100-2025-lithos-clock"]),
    ("**Trust it with care for**", "", []),
    ("a server beside a training", "The order of p99 under MPS and time slices is right in {order}. [By blocks](#a-server-beside-a-training-by-blocks), p99 is "
     "less accurate under MPS than under time slices. Single tails are up to {worst} % off", ["a100-2025-tally-mechanisms", "a100-2025-tally-blocks", "a100-2025-tally-blocks-in-turn"]),
    ("containers under caps and rate control", "Throughput only: [latencies are too short](#containers-that-share-a-gpu)", ["gv100-2025-xsched-containers"]),
    ("prefill beside decode", "[Near overload](#prefill-beside-decode-on-green-contexts) single values are up to {worst} % off", ["rtx5090-2026-openinfer-green-contexts"]),
    ("whether another copy of a program pays", "The decision at 5 % is right in {more}", ["multi-2026-copies"]),
    ("a kernel of PyTorch on another GPU", "Single values are up to {worst} % off", ["multi-2024-neusight-unseen-gpu"]),
    ("**Do not trust it for**", "", []),
    ("Rodinia's kernels from one GPU to another", "R2 {r2}", ["v100-2019-rodinia-from-gtx1080ti"]),
    ("occupancy reached", "Wrong for grids of one or two blocks", ["v100-2019-rodinia-occupancy"]),
    ("power of a kernel", "R2 {r2}", ["gv100-2021-accelwattch-power"]),
]
NOTES = """\
## All comparisons

Errors are percentages of the measured value, for held-back values only. R2 is computed from slowdowns if solo times are known, otherwise from logarithms; 1
is perfect, 0 as good as the mean. The naive model in this table is the best of several. In the column *simulator*, *law* means that the simulator only
evaluates a formula; in brackets is the formula's median error without the simulator (`closed_form`). *yes* means that values come out of simulated queues of
blocks or slices, and *no* that a naive model is equally near. The last group is compared with another simulator's published results, and its naive model is
the mean of those for the other policies.

"""
LEADERBOARD = """\
## Laws of contention, side by side

Which law of [contention](../explanation/contention.md) predicts two kernels inside an SM best? All laws predict the same held-back values from the same
scenarios. The table gives median errors in per cent, R2 in brackets, and the mean of the medians. In three of the comparisons numbers were fitted under `pipes`,
which flatters it; for fused hashes, two streams and kernels of one resource nothing was fitted. Laws on one line give equal predictions. `pairwise`, `curve` and `pressure` are left out,
because they need measured pairs. `closed_form` is `pipes` without the simulator. The default is `knee`, [because of kernels whose use is near 100
%](../explanation/contention.md#one-law-for-pipes-and-memories).

"""
TAIL = """\
## How this page is made

`tools/validate [--data DIR]` computes it from the folders of `results/measured`. DIR, `SMSCHED_DATA` or `../shared/data` has the published
data. `--check` fails if an error is beyond its bound or a stored value is not what is computed. A folder GPU-DATE-WHAT contains:

| file | what |
|---|---|
| `about.yaml` | In words: `title`, `question`, `gpu`, `source`, `verdict`, `wrong`, `licence` of measurements that were made for this page. What the comparison reads: `devices`, `data` (files of published data), `metric` (`smsched list metrics`), `unit`, `scale` (measured = metric x scale), `rank`, `order` (values of a column `within` that should be in the right order), `without` (a `value` of a `column`: errors of all others have a row of their own), `group`, `naive`. Whether another copy pays: `more`, with the `least` share of one copy's work that it must add, columns `within` and `copies`, and `of`, whose spread the page gives. Fitted values: `parameters` (`name`, `value`, `fitted_to`, `count`). Limits of the error: `target`, `bound`. Where it belongs: `tests` (`inside`, `modes` or `kernel`), `by` (`law` or `simulation`), `covers` |
| `measured.csv` | one row per value: `scenario`, `part` (`fit` or `test`), `measured`; optional: `subject` (a name, or `kind:name`), `policy`, `metric`, `scale`, `alone`, `noise`, columns of naive models and groups |
| other `.yaml` files | the scenarios |
| `derive` | a program in place of these files: `derive DATA OUT` writes `measured.csv`, scenarios and `parameters.csv` (`name,value` of what it fitted) |
| `fitted.csv` | a fit that takes minutes or gives other last digits on another machine: written by `tools/validate --fit`, and read by `derive` |
| `simulated.csv`, `summary.csv`, `parameters.csv` | written by `tools/validate`: predicted values; errors of all models and groups, held back and fitted, and ours for the values that a naive model has (`where`); the fitted numbers |

It also writes `models/trust.yaml` for the line below an [answer](../reference/results.md) and `--trust`. `covers` lists the `devices`,
`kernels` (`blocks` or `whole`), sharing `modes` (`together` for VMs, `alone` for one tenant), `contention` models and `metrics` to which a comparison applies.
An empty list of modes or contention models means any. An empty list of metrics means that the comparison covers no answer of a scenario. A list of such
mappings, each with its `gpu` and the number of parameters `fitted` there, is for metrics that were held back on some of the devices only: each is judged by
the held-back values of its own metrics.
"""


def number(text, digits=1):
    """A number of summary.csv as the page prints it."""
    return "" if text == "" else f"{round(float(text), digits) + 0:.{digits}f}"


def error(text):
    return "" if text == "" else f"{number(text)} %"


TARGETS = {  # how the page says a target, and when it is met
    "median": ("{:g} %", lambda has, target: float(has) <= target),
    "maximum": ("at most {:g} %", lambda has, target: float(has) <= target),
    "r2": ("R2 {:g}", lambda has, target: has != "" and float(has) >= target),
    "ranked": ("{} ranked right", lambda has, target: has == target),
}


def met(folder, row):
    """The targets, and whether they are met."""
    says = []
    for key, target in folder.target.items():
        text, holds = TARGETS[key]
        says.append(f"{text.format(target)}: {'met' if holds(row[key], target) else 'missed'}")
    return ", ".join(says)


def table(header, align, rows):
    lines = [f"| {' | '.join(header)} |", f"|{'|'.join(align)}|"]
    return "\n".join(lines + [f"| {' | '.join(row)} |" for row in rows]) + "\n\n"


def anchor(title):
    return re.sub(r"[^a-z0-9 _-]", "", title.lower()).replace(" ", "-")


def cells(row, *names):
    """Errors of a row of summary.csv, and its R2."""
    return [number(row[name]) for name in names] + [number(row["r2"], 2)]


# What a comparison tests, in the order of the page.
TESTS = {"inside": "Two kernels inside an SM", "modes": "Sharing modes", "kernel": "One kernel, on another part, size or GPU"}


def by_test(folders):
    """Pairs of a heading and its folders."""
    return [(heading, [pair for pair in folders if pair[0].about["tests"] == key]) for key, heading in TESTS.items()]


def needed(folder, summary, ours, naive):
    """Whether the comparison needed a simulator; of a law the median error without one."""
    if folder.about["by"] == "law":
        return f"law ({number(held_back(summary, CLOSED)['median'])})"
    return needs(ours, naive)


def needs(ours, naive):
    """Whether the simulator is nearer than the best naive model, in the digits that are shown."""
    return "no" if naive and float(number(naive["median"])) <= float(number(ours["median"])) else "yes"


def results_of(name):
    with open(ROOT / "results" / name, newline="") as file:
        return list(csv.DictReader(file))


def clusters():
    """Rows of the overview from what docs/evidence/openb.md is made of; none where its results are not."""
    if not (ROOT / "results/openb.csv").exists():
        return []
    lists, published = results_of("openb-lists.csv"), {row["id"]: row["value"] for row in results_of("published/fgd-2023.csv")}
    last = {row["policy"]: 100 * float(row["allocated_ratio"]) for row in results_of("openb.csv")}  # the load grows
    allocated = [("default", published[f"fgd-alloc130-{policy.partition('(')[0]}"], last[policy]) for policy in dict.fromkeys(row["policy"] for row in lists)]
    allocated += [(row["list"], row["published"], row["shuffled"]) for row in lists]
    fragments = [(row["load"], row["published"], row["simulated"]) for row in results_of("openb-fragments.csv")]
    out = []
    for what, values in (("GPUs that policies of placement allocate", allocated), ("GPUs in fragments, by load", fragments)):
        rows = [{"group": group, "measured": float(there), "simulated": float(ours), "alone": None} for group, there, ours in values]
        for row in rows:
            others = [other["measured"] for other in rows if other["group"] == row["group"] and other is not row]
            row["others"] = sum(others) / len(others)
        ours, naive = (row_of("all", "test", model, "", rows, None) for model in ("simulated", "others"))
        out.append([f"[{what}](openb.md)", "Alibaba's, of 2023", ours["values"], *cells(ours, "median"), *cells(naive, "median"), needs(ours, naive), ""])
    return out


def spread(values):
    """Errors as the smallest and the largest."""
    ends = [number(value) for value in (min(values), max(values))]
    return " to ".join(dict.fromkeys(ends))


def uses(folders):
    """The plain answer, and the table of uses; a use whose folders are not there has no row."""
    known, rows, heading, most = {folder.name: summary for folder, summary in folders}, [], None, []
    knee = number(law_means(folders).get(LAW + "knee", ""))
    for what, remark, names in USES:
        pairs = [pair for pair in folders if pair[0].name in names]
        if not names:
            heading = [what, *[""] * 4]
        if not pairs:
            continue
        rows += [heading] if heading else []
        heading, first, ours = None, known.get(names[0], []), [held_back(summary) for _, summary in pairs]
        ranked = {row["group"]: row["ranked"] for row in first if row["model"] == "smsched"}
        medians, within, worst = ([float(row[key]) for row in ours] for key in ("median", "p90", "maximum"))
        most.append(math.ceil(max(medians)))
        facts = {"r2": number(ours[0]["r2"], 2), "order": ranked.get("order"), "more": ranked.get("more 5 %"), "knee": knee, "worst": f"{max(worst):.0f}"}
        rows.append([what, spread(medians), spread(within), f"{sum(needed_by(*pair) == 'yes' for pair in pairs)} of {len(pairs)}", remark.format(**facts)])
    if len(most) < 3:
        return ""
    return fill(ANSWER.format(*most)) + "\n\n" + table(["use", "median error, %", "90 % within, %", "need the simulator", "remark"], ["---", "--:", "--:", "--:", "---"], rows)


def counts(folders):
    """In how many comparisons a formula or a naive model does as well as the simulator."""
    says = [needed_by(*pair) for pair in folders]
    laws, no = sum(text.startswith("law") for text in says), says.count("no")
    return fill(f"**In {laws + no} of the {len(says)} comparisons with GPUs a formula or a naive model does as well as the simulator.** In {laws} of them the simulator only "
                f"evaluates a formula. In the other {no} the median error of a naive model is no larger. In the remaining {says.count('yes')}, values come out of simulated queues "
                "and are nearer than those of every naive model.") + "\n\n"


def law_means(folders):
    """The mean of the median errors of each law of contention over the folders that were predicted by all."""
    some = [summary for _, summary in folders if any(row["model"].startswith(LAW) for row in summary)]
    names = dict.fromkeys(row["model"] for summary in some for row in summary if row["model"].startswith(LAW))
    return {name: sum(float(held_back(summary, name)["median"]) for summary in some) / len(some) for name in names}


def needed_by(folder, summary):
    return needed(folder, summary, held_back(summary), best_naive(summary))


def overview(folders):
    rows = []
    for heading, some in by_test(folders):
        rows.append([f"**{heading}**", *[""] * 8])
        for folder, summary in some:
            ours, naive = held_back(summary), best_naive(summary)
            rows.append([f"[{folder.about['title']}](#{anchor(folder.about['title'])})", folder.about["gpu"], ours["values"], *cells(ours, "median"),
                         *(cells(naive, "median") if naive else ["", ""]), needed_by(folder, summary), met(folder, ours)])
    more = clusters()
    rows += [["**Clusters, against another simulator**", *[""] * 8], *more] if more else []
    return table(["what", "GPU", "values", "median, %", "R2", "naive, %", "naive R2", "simulator", "target"],
                 ["---", "---", *["--:"] * 5, "---", "---"], rows)


SAYS = {"smsched": "smsched", "noise": "standard deviation of repeats"}


def groups_of(summary, model):
    """{group: row} of a model, of groups of at least three values."""
    return {row["group"]: row for row in summary if row["group"] not in ("all", "order") and not row["group"].startswith(("more ", COVERED, WHERE, WITHOUT)) and
            row["model"] == model and int(row["values"]) > 2}


def worst_group(summary):
    """The group of at least three values with the greatest median error, if there are several."""
    groups = groups_of(summary, "smsched").values()
    return max(groups, key=lambda row: float(row["median"])) if 1 < len(groups) <= 40 else None


def nearer(summary, model):
    """Pairs of rows, of smsched and of the model, of the groups in which the model's median is nearer."""
    ours, theirs = groups_of(summary, "smsched"), groups_of(summary, model)
    pairs = [(ours[group], row) for group, row in theirs.items() if group in ours and row["values"] == ours[group]["values"]]
    return [(mine, row) for mine, row in pairs if float(row["median"]) < float(mine["median"])]


def beside_ours(folder, summary, row):
    """Of a naive model: what smsched has over the same values where the model has fewer, and in which groups the model is nearer."""
    same = next((mine for mine in summary if mine["group"] == WHERE + row["model"]), None)
    pairs, says = [] if row["model"] in (CLOSED, UNFITTED) else nearer(summary, row["model"]), [f"{row['values']} values, of which smsched {error(same['median'])}"] if same else []
    if len(pairs) > 2:
        says.append(f"nearer in {len(pairs)} of {len(groups_of(summary, 'smsched'))} groups by {folder.about['group']}")
    elif pairs:
        says.append("nearer for " + " and for ".join(f"{theirs['group']}, {number(theirs['median'])} against {error(ours['median'])}" for ours, theirs in pairs))
    return f" ({'; '.join(says)})" if says else ""


def shown(folder, summary, row):
    """All but naive models that are far worse than the best one, and nearer than smsched nowhere."""
    if row["model"] not in folder.naive or row["model"] in (CLOSED, UNFITTED):
        return not row["model"].startswith(LAW)
    same = next((mine for mine in summary if mine["group"] == WHERE + row["model"]), held_back(summary))
    return bool(float(row["median"]) <= max(3 * float(best_naive(summary)["median"]), float(same["median"])) or nearer(summary, row["model"]))


def models_table(folder, summary):
    """Errors of smsched, of naive models and of repeats, held back."""
    rows, worst, rank = [], worst_group(summary), "rank" in folder.about
    held = [row for row in summary if (row["group"], row["part"]) == ("all", "test") and shown(folder, summary, row)]
    without = [row for row in summary if row["group"].startswith(WITHOUT) and row["model"] == "smsched"]
    for row in held[:1] + without + ([worst] if worst else []) + held[1:]:
        what = SAYS.get(row["model"]) or f"`{row['model']}`: {folder.naive[row['model']]['what']}"
        if row in without:
            what = f"smsched, {row['group']}"
        elif row is worst:
            what = f"worst {folder.about['group']}: {row['group']}"
        if row["model"] in folder.naive:
            what += beside_ours(folder, summary, row)
        elif row["values"] != held[0]["values"]:
            what += f" ({row['values']} values)"
        rows.append([what, *cells(row, "median", "p90", "maximum")] + ([row["ranked"]] if rank else []))
    return table(["model", "median, %", "90 % within", "maximum", "R2"] + (["ranked right"] if rank else []), ["---"] + ["--:"] * (5 if rank else 4), rows)


def order_text(folder, summary):
    """How often what the folder says of an order is right, and its target."""
    if "order" not in folder.about:
        return ""
    order, (ours, *naive) = folder.about["order"], [row for row in summary if row["group"] == "order"]
    holds = "met" if right_in(ours) >= order["target"] else "missed"
    best = max(naive, key=right_in, default=None)
    beside = f" `{best['model']}` is in {best['ranked']}." if best else ""
    return f"Right in {ours['ranked']}: {order['what']}. The target of {order['target']} is {holds}.{beside}\n\n"


def interval(right, count, error=0.05):
    """Clopper and Pearson's, of a share: the ends, in percent."""
    def tail(share, least):
        return sum(math.comb(count, k) * share**k * (1 - share) ** (count - k) for k in range(least, count + 1))

    def solve(least, wanted):
        low, high = 0.0, 1.0
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if tail(middle, least) < wanted else (low, middle)
        return 100 * low
    return 0 if right == 0 else solve(right, error / 2), 100 if right == count else solve(right + 1, 1 - error / 2)


def more_text(folder, summary):
    """In how many decisions about another copy the prediction is right, with the interval, or the spread over what is alike."""
    more, says = folder.about.get("more", {}), []
    for least in more.get("least", []):
        rows = [row for row in summary if row["group"] == f"more {least}"]
        parts = [100 * right_in(row) / int(row["values"]) for row in summary if row["group"].startswith(f"more {least} ")]
        if not rows:  # stored before the folder asked
            continue
        right, count = right_in(rows[0]), int(rows[0]["values"])
        spread = f"{min(parts):.0f} to {max(parts):.0f} % by {more['of']}" if parts else "95 % interval {:.0f} to {:.0f} %".format(*interval(right, count))
        best = max((row for row in rows[1:] if row["model"] not in (CLOSED, UNFITTED)), key=right_in)
        says.append(f"at least {least} in {rows[0]['ranked']} ({spread}; `{best['model']}` in {right_in(best)})")
    return fill("**Does another copy pay?** It pays if it adds a given share of one copy's work. Held-back decisions are right for " + "; ".join(says) + ".") + "\n\n" if says else ""


def right_in(row):
    return int(row["ranked"].split()[0])


def fill(text):
    return textwrap.fill(text, 150, break_long_words=False, break_on_hyphens=False)


def parameters_of(folder):
    """What was fitted; parameters that were fitted to the same values stand together."""
    values = {row["name"]: row["value"] for row in folder.stored("parameters.csv") or []}
    groups = []
    for parameter in folder.about["parameters"]:
        value = parameter.get("value", values.get(parameter["name"]))
        text = (f"{parameter['count']} x " if "count" in parameter else "") + parameter["name"] + (f" = {value}" if value else "")
        if groups and parameter["fitted_to"] == "the same":
            groups[-1][0].append(text)
        else:
            groups.append(([text], parameter["fitted_to"]))
    return "; ".join(f"{'; '.join(texts)} (to {fitted_to})" for texts, fitted_to in groups) or "nothing"


def section(folder, summary):
    about = folder.about
    return (f"### {about['title']}\n\n{fill(about['question'].strip() + ' **' + about['verdict'].strip() + '**')}\n\n"
            + models_table(folder, summary) + order_text(folder, summary) + more_text(folder, summary) + f"**Limits.** {about['wrong'].strip()}\n\n"
            f"![Predicted against measured](../figures/measured-{folder.name}.svg)\n\n")


def leaderboard(folders):
    """Laws of contention on each folder that was predicted by all, the best first; laws that predict the same are one line."""
    some = [(folder, summary) for folder, summary in folders if any(row["model"].startswith(LAW) for row in summary)]
    if not some:
        return ""
    laws = {}
    for name, mean in law_means(folders).items():
        rows = [held_back(summary, name) for _, summary in some]
        laws.setdefault((mean, *map(value_of, rows)), []).append(f"`{name.removeprefix(LAW)}`")
    lines = [[", ".join(names), number(mean), *values] for (mean, *values), names in sorted(laws.items())]
    naive = [best_naive(summary, closed=True) for _, summary in some]
    lines.append(["the best naive model, or `closed_form`", "", *(f"{value_of(row)} `{row['model']}`" if row else "" for row in naive)])
    return LEADERBOARD + table(["law", "mean", *(f"[{folder.about['title']}](#{anchor(folder.about['title'])})" for folder, _ in some)],
                               ["---", *["--:"] * (1 + len(some))], lines)


def value_of(row):
    return f"{number(row['median'])} ({number(row['r2'], 2)})"


def sources(folders):
    """Where the values come from, and what was fitted."""
    rows = []
    for folder, summary in folders:
        about = folder.about
        rows.append([f"[{about['title']}](../../results/measured/{folder.name}/summary.csv)",
                     f"{held_back(summary)['values']} of `{about['metric']}` ({about['unit']})", " ".join(about["source"].split()).rstrip(".") + (f"; {about['licence']}" if "licence" in about else ""),
                     parameters_of(folder)])
    return "## Data\n\n" + table(["errors", "values held back", "source", "fitted"], ["---"] * 4, rows)


def write(folders):
    """The page. `folders` are pairs of a folder and the rows of its summary.csv."""
    groups = "".join(f"## {heading}\n\n" + "".join(section(*pair) for pair in some) for heading, some in by_test(folders) if some)
    return HEAD + uses(folders) + counts(folders) + NOTES + overview(folders) + leaderboard(folders) + groups + sources(folders) + TAIL


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def trust(folders):
    """models/trust.yaml, which `smsched` reads to say what bears on an answer."""
    lines = ["# Written by tools/validate from results/measured: change those, not this file. What bears on an answer, and what --trust prints."]
    for folder, summary, covers in [(*pair, covers) for pair in folders for covers in pair[0].covers if covers["metrics"]]:
        about, group = folder.about, covered(covers) if len(folder.covers) > 1 else "all"
        ours, naive = held_back(summary, group=group), best_naive(summary, group=group)
        lines += [f"  - {{set: {folder.name}, title: {quoted(about['title'])}, gpu: {quoted(covers.get('gpu', about['gpu']))},",
                  f"     devices: [{', '.join(covers.get('devices', []))}], kernels: {covers['kernels']}, "
                  f"modes: [{', '.join(covers.get('modes', []))}], contention: [{', '.join(covers.get('contention', []))}],",
                  f"     metrics: [{', '.join(covers['metrics'])}], p90: {error(ours['p90'])},",
                  f"     metric: {about['metric'] if group == 'all' else quoted(', '.join(covers['metrics']))}, values: {ours['values']}, "
                  f"fitted: {ours['parameters']}, median: {error(ours['median'])}, r2: {quoted(number(ours['r2'], 2))}" +
                  (f",\n     naive: {quoted(naive['model'])}, naive_median: {error(naive['median'])}, naive_r2: {quoted(number(naive['r2'], 2))}"
                   if naive else "") + "}"]
    return "\n".join(lines[:1] + ["trust:" if folders else "trust: []"] + lines[1:]) + "\n"


GNUPLOT = """\
name = '{name}'
load 'tools/figure.gp'
figure_h = 2.55
eval begin
set grid lt 1 lc rgb '#dddddd' lw 0.4
set xrange [{low:g}:{high:g}]
set yrange [{low:g}:{high:g}]
{ticks}
set xlabel 'Measured{unit}' font font7 offset 0, 1.1
set ylabel 'Predicted' font font7 offset 1
{labels}
eval place(0.5, 0.08, 2.08, 2.08)
$points << EOD
{points}
EOD
plot x with lines lc rgb 'black' lw 0.5{naive}, \\
     $points using 1:2 with points pt 7 ps {size} lc rgb hue[1]
unset multiplot
unset output
"""
LARGER = {"us": "ms", "ms": "s"}  # a thousand times


def reach(values, wide):
    """The ends of both axes. They leave out up to a hundredth of the values, where these are far from the others."""
    values, beyond = sorted(math.log(value) if wide else value for value in values), len(values) // 200
    low, high = values[0], values[-1]
    inner = values[beyond], values[-1 - beyond]
    if high - low > 1.4 * (inner[1] - inner[0]):
        low, high = inner
    margin = max(0.05 * (high - low), 0.01 if wide else 0.01 * abs(high)) or 1  # all values may be equal
    low, high = low - margin, high + margin
    if wide:
        return math.exp(low), math.exp(high)
    return (0 if values[0] >= 0 and low < 0.25 * high else low), high


def ticks(low, high, wide):
    if not wide:
        step = f"step({high - low:g}, 5)"
        return f"set xtics {step}\nset ytics {step}"
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)))
    marks = ", ".join(f"'{digit * 10.0**power:g}' {digit * 10.0**power:g}" for power in powers for digit in ((1, 2, 5) if high < 300 * low else (1,)))
    return f"set logscale xy\nset xtics ({marks})\nset ytics ({marks})"


def beside(points, low, high, naive):
    """The lines at the plot's right: (text, mark before it)."""
    beyond = sum(math.isfinite(value) and not low <= min(point[0], value) <= max(point[0], value) <= high for point in points for value in point[1:])
    lines = [("smsched", "pt 7 ps 0.5 lc rgb hue[1]")] + ([("naive:", "pt 7 ps 0.5 lc rgb 0xB0B0B0"), (naive["model"], "")] if naive else [])
    lines += [("", ""), (f"{beyond} mark{'s' * (beyond > 1)}", ""), ("off the axes", "")] if beyond else []
    texts = []
    for i, (text, mark) in enumerate(lines):
        y = f"down({0.16 + 0.15 * i:g})"
        texts += [f"set label '{text}' at screen across(2.72), {y} font font7"] + ([f"set label '' at screen across(2.66), {y} point {mark}"] if mark else [])
    return "\n".join(texts)


def figure(folder, rows, naive, path):
    """Predicted against measured, held back; the best naive model beside. At most 400 points, evenly chosen."""
    rows = [row for row in rows if row["part"] == "test"]
    slow = any(row["alone"] for row in rows)
    rows = [row for row in rows if row["alone"]] if slow else rows
    rows = rows[:: max(1, math.ceil(len(rows) / 400))]
    of_alone = "rate over that alone" if all((row.get("metric") or folder.about["metric"]).endswith("_per_s") for row in rows) else "slowdown"
    unit, per = (of_alone, "") if slow else (folder.about["unit"].partition(" ")[0], "".join(folder.about["unit"].partition(" ")[1:]))
    models = ["measured", "simulated"] + ([naive["model"]] if naive else [])
    points = [[math.nan if row[model] is None else row[model] / (row["alone"] if slow else 1) for model in models] for row in rows]
    if unit in LARGER and max(point[0] for point in points) >= 10000:
        unit, points = LARGER[unit], [[value / 1000 for value in point] for point in points]
    known = [value for point in points for value in point if math.isfinite(value)]
    low, high = reach(known, min(known) > 0)
    wide = min(known) > 0 and high > 5 * low
    low, high = reach(known, wide)
    size = 0.3 if len(rows) > 60 else 0.5
    script = GNUPLOT.format(
        name=path.with_suffix(""), low=low, high=high, ticks=ticks(low, high, wide), unit=f" {unit}" if slow else f" ({unit}{per})".replace("'", "''"),
        labels=beside(points, low, high, naive),
        points="\n".join(" ".join(f"{value:.5g}" for value in point) for point in points), size=size,
        naive=f", \\\n     $points using 1:3 with points pt 7 ps {size} lc rgb 0xB0B0B0" if naive else "")
    subprocess.run(["gnuplot"], input=script, text=True, check=True, cwd=ROOT)
