"""docs/evidence/validation.md and the figures, from about.yaml and summary.csv of all folders."""
import math
import re
import subprocess
import textwrap

from errors import best_naive, held_back

HEAD = """\
# Simulated against measured

How far can you trust the simulator? The table compares it with what was measured on real GPUs. Errors are relative to the measured value, and of the
values that were held back: nothing was fitted to them. R2 is that of the slowdown where the time alone is known, else that of the logarithm of the value;
1 is a perfect prediction, and 0 is as good as the mean. The naive model is the best of those that a section names.

"""
TAIL = """\
## How this page is made

`tools/validate [--data DIR]` computes all tables and figures here from the folders of `results/measured`. Data of others is not part
of this repository: DIR, `SMSCHED_DATA` or `../shared/data` has it. Folders whose data is missing are skipped.
`--check` writes nothing, and fails if an error is beyond its bound or what is stored is not what is computed.

A folder, GPU-DATE-WHAT, has these files:

| file | what |
|---|---|
| `about.yaml` | `title`, `question`, `gpu`, `devices`, `source`, `data` (files of others), `metric` (`smsched list metrics`), `unit`, `scale` (measured = metric x scale), `parameters`, `target`, `bound`, `covers`, `rank`, `group`, `naive`, `verdict`, `wrong`. A parameter has `name`, `value`, `fitted_to`, and `count` if it is not one. |
| `measured.csv` | a row a value: `scenario`, `part` (`fit` or `test`), `measured`; optional: `subject` (a name, or `kind:name`), `policy`, `metric`, `scale`, `alone`, `noise`, columns of naive models and groups |
| other `.yaml` files | the scenarios |
| `derive` | instead, for data of others: `derive DATA OUT` writes `measured.csv`, scenarios and `parameters.csv` (`name,value` of what it fitted) into OUT |
| `simulated.csv`, `summary.csv`, `parameters.csv` | written by `tools/validate` |

It also writes `models/trust.yaml`, which [`--trust`](../reference/results.md) prints. `covers` says what belongs there: `devices`, `kernels` (`blocks`
or `whole`), sharing `modes` (`together` for VMs) and models of `contention`; an empty list means that the comparison does not depend on them.
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


def overview(folders):
    rows = []
    for folder, summary in folders:
        all_, naive = held_back(summary), best_naive(summary)
        rows.append([f"[{folder.about['title']}](#{anchor(folder.about['title'])})", folder.about["gpu"], all_["values"], all_["parameters"],
                     error(all_["median"]), error(all_["maximum"]), number(all_["r2"], 2), met(folder, all_),
                     f"`{naive['model']}`: {error(naive['median'])}, {number(naive['r2'], 2)}" if naive else "", folder.about["verdict"]])
    return table(["what", "GPU", "values", "fitted", "median", "maximum", "R2", "target", "best naive: median, R2", "verdict"],
                 ["---", "---", "--:", "--:", "--:", "--:", "--:", "---", "---", "---"], rows)


SAYS = {"smsched": "smsched", "noise": "standard deviation of repeats"}


def models_table(folder, summary):
    """Held back; and smsched where it is fitted."""
    rows, every = [], held_back(summary)["values"]
    for row in summary:
        if row["group"] == "all" and (row["part"] == "test" or row["model"] == "smsched"):
            what = SAYS.get(row["model"]) or f"`{row['model']}`: {folder.naive[row['model']]['what']}"
            if row["part"] != "test":
                what += f", on the {row['values']} values it is fitted to"
            elif row["values"] != every:
                what += f" ({row['values']} values)"
            rows.append([what, error(row["median"]), error(row["p90"]), error(row["maximum"]), error(row["bias"]),
                         number(row["r2"], 2), number(row["spearman"], 2)] + ([row["ranked"]] if "rank" in folder.about else []))
    last = ["ranked right"] if "rank" in folder.about else []
    return table(["model", "median", "90 % within", "maximum", "bias", "R2", "rank correlation"] + last,
                 ["---"] + ["--:"] * (6 + len(last)), rows)


def groups_table(folder, summary):
    names = list(dict.fromkeys(row["group"] for row in summary if row["group"] != "all"))
    if not 1 < len(names) <= 40:
        return ""
    best, rows = best_naive(summary), []
    for name in names:
        ours, naive = (next((row for row in summary if row["group"] == name and row["model"] == model), None)
                       for model in ("smsched", best["model"] if best else ""))
        rows.append([name, ours["values"], error(ours["median"]), error(ours["maximum"]), number(ours["r2"], 2)] +
                    ([error(naive["median"]) if naive else ""] if best else []))
    return table([folder.about["group"], "values", "median", "maximum", "R2"] + ([f"`{best['model']}`: median"] if best else []),
                 ["---"] + ["--:"] * (5 if best else 4), rows)


def fill(text):
    return textwrap.fill(text, 150, break_long_words=False, break_on_hyphens=False)


def parameters_of(folder):
    values = {row["name"]: row["value"] for row in folder.stored("parameters.csv") or []}
    parts = []
    for parameter in folder.about["parameters"]:
        value = parameter.get("value", values.get(parameter["name"]))
        count = f"{parameter['count']} of: " if "count" in parameter else ""
        parts.append(f"{count}{parameter['name']}{f' = {value}' if value else ''} (to {parameter['fitted_to']})")
    return "; ".join(parts) if parts else "nothing"


def section(folder, summary):
    about = folder.about
    data = f" Files: {', '.join(f'`{name}`' for name in about['data'])}." if about.get("data") else ""
    what = (f"{about['gpu']}; {about['source'].strip().rstrip('.')}.{data} Folder: `results/measured/{folder.name}`. "
            f"Compared is `{about['metric']}`, in {about['unit']}. Fitted: {parameters_of(folder)}.")
    return (f"## {about['title']}\n\n{about['question'].strip()}\n\n{fill(what)}\n\n"
            + models_table(folder, summary) + groups_table(folder, summary) +
            f"![Predicted against measured](../figures/measured-{folder.name}.svg)\n\n"
            f"**Where it is wrong.** {about['wrong'].strip()}\n\n")


def write(folders):
    """The page. `folders` are pairs of a folder and the rows of its summary.csv."""
    return HEAD + overview(folders) + "".join(section(*pair) for pair in folders) + TAIL


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def trust(folders):
    """models/trust.yaml, which `smsched run --trust` reads."""
    lines = ["# Written by tools/validate from results/measured: change those, not this file. What --trust prints."]
    for folder, summary in folders:
        about, covers, ours, naive = folder.about, folder.about["covers"], held_back(summary), best_naive(summary)
        lines += [f"  - {{set: {folder.name}, title: {quoted(about['title'])}, gpu: {quoted(about['gpu'])},",
                  f"     devices: [{', '.join(covers.get('devices', []))}], kernels: {covers['kernels']}, "
                  f"modes: [{', '.join(covers.get('modes', []))}], contention: [{', '.join(covers.get('contention', []))}],",
                  f"     metric: {about['metric']}, values: {ours['values']}, fitted: {ours['parameters']}, median: {error(ours['median'])}, "
                  f"r2: {quoted(number(ours['r2'], 2))}" +
                  (f",\n     naive: {quoted(naive['model'])}, naive_median: {error(naive['median'])}, naive_r2: {quoted(number(naive['r2'], 2))}"
                   if naive else "") + "}"]
    return "\n".join(lines[:1] + ["trust:" if folders else "trust: []"] + lines[1:]) + "\n"


GNUPLOT = """\
set encoding utf8
set terminal svg size 745, 480 font 'Helvetica,20' linewidth 2 noenhanced standalone background '#ffffff'
set output '{file}'
set border 3 lw 0.6
set tics nomirror scale 0.4 font 'Helvetica,17'
set grid lt 1 lc rgb '#dddddd' lw 0.4
set key default outside top center horizontal Left reverse font 'Helvetica,17' samplen 1.5
set xlabel '{what}, measured'
set ylabel 'predicted'
{scale}
$points << EOD
{points}
EOD
plot x with lines lc rgb 'black' lw 0.5 notitle, \\
{naive}     '$points' using 1:2 with points pt 7 ps {size} lc rgb 0xE69F00 title 'smsched'
"""


def figure(folder, rows, naive, path):
    """Predicted against measured, held back; the best naive model beside. At most 400 points, evenly chosen."""
    rows = [row for row in rows if row["part"] == "test"]
    slow = any(row["alone"] for row in rows)
    rows = [row for row in rows if row["alone"]] if slow else rows
    rows = rows[:: max(1, math.ceil(len(rows) / 400))]
    unit = (lambda row, value: value / row["alone"]) if slow else (lambda row, value: value)
    points = [[unit(row, row["measured"]), unit(row, row["simulated"])] +
              ([unit(row, row[naive["model"]]) if row[naive["model"]] is not None else math.nan] if naive else []) for row in rows]
    known = [value for point in points for value in point if math.isfinite(value)]
    wide = min(known) > 0 and max(known) > 20 * min(known)
    script = GNUPLOT.format(
        file=path, what="measured / alone" if slow else folder.about["unit"].replace("'", "''"), scale="set logscale xy" if wide else "",
        points="\n".join(" ".join(f"{value:.5g}" for value in point) for point in points), size=0.4 if len(rows) > 60 else 0.7,
        naive=f"     '$points' using 1:3 with points pt 6 ps 0.5 lc rgb 0x666666 title '{naive['model']}', \\\n" if naive else "")
    subprocess.run(["gnuplot"], input=script.replace("measured / alone, measured", "slowdown, measured"), text=True, check=True)
