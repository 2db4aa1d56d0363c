"""docs/evidence/validation.md and the figures, from about.yaml and summary.csv of all folders."""
import math
import re
import subprocess
import textwrap

from errors import best_naive, held_back

HEAD = """\
# Simulated against measured

How far can you trust the simulator? Each comparison predicts values that were measured on real GPUs. Errors are percentages of the measured value,
and only of values that were held back: nothing was fitted to them. R2 is of slowdowns where times alone are known, else of logarithms; 1 is perfect,
0 as good as the mean. The naive model in this table is the best of several.

"""
TAIL = """\
## How this page is made

`tools/validate [--data DIR]` computes it from the folders of `results/measured`. DIR, `SMSCHED_DATA` or `../shared/data` has the data
of others. `--check` fails if an error is beyond its bound or a stored value is not what is computed. A folder GPU-DATE-WHAT has:

| file | what |
|---|---|
| `about.yaml` | `title`, `question`, `gpu`, `devices`, `source`, `data` (files of others), `metric` (`smsched list metrics`), `unit`, `scale` (measured = metric x scale), `parameters` (`name`, `value`, `fitted_to`, `count`), `target`, `bound`, `covers`, `rank`, `group`, `naive`, `verdict`, `wrong` |
| `measured.csv` | a row a value: `scenario`, `part` (`fit` or `test`), `measured`; optional: `subject` (a name, or `kind:name`), `policy`, `metric`, `scale`, `alone`, `noise`, columns of naive models and groups |
| other `.yaml` files | the scenarios |
| `derive` | instead: `derive DATA OUT` writes `measured.csv`, scenarios and `parameters.csv` (`name,value` of what it fitted) |
| `simulated.csv`, `summary.csv`, `parameters.csv` | written by `tools/validate`: predicted values; errors of all models and groups, held back and fitted; what was fitted |

It also writes `models/trust.yaml` for [`--trust`](../reference/results.md). `covers` says where a comparison applies: `devices`, `kernels` (`blocks`
or `whole`), sharing `modes` (`together` for VMs) and `contention` models. An empty list means any.
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


def overview(folders):
    rows = []
    for folder, summary in folders:
        ours, naive = held_back(summary), best_naive(summary)
        rows.append([f"[{folder.about['title']}](#{anchor(folder.about['title'])})", folder.about["gpu"], *cells(ours, "median"),
                     *(cells(naive, "median") if naive else ["", ""]), met(folder, ours)])
    return table(["what", "GPU", "median, %", "R2", "naive, %", "naive R2", "target"], ["---", "---", "--:", "--:", "--:", "--:", "---"], rows)


SAYS = {"smsched": "smsched", "noise": "standard deviation of repeats"}


def worst_group(summary):
    """The group of at least three values with the greatest median error, if there are several."""
    groups = [row for row in summary if row["group"] != "all" and row["model"] == "smsched" and int(row["values"]) > 2]
    return max(groups, key=lambda row: float(row["median"])) if 1 < len(groups) <= 40 else None


def models_table(folder, summary):
    """Errors of smsched, of naive models that are not far worse than the best one, and of repeats, held back."""
    rows, worst, rank, naive = [], worst_group(summary), "rank" in folder.about, best_naive(summary)
    held = [row for row in summary if (row["group"], row["part"]) == ("all", "test") and
            (row["model"] not in folder.naive or float(row["median"]) <= 3 * float(naive["median"]))]
    for row in held[:1] + ([worst] if worst else []) + held[1:]:
        what = SAYS.get(row["model"]) or f"`{row['model']}`: {folder.naive[row['model']]['what']}"
        if row is worst:
            what = f"worst {folder.about['group']}: {row['group']}"
        if row["values"] != held[0]["values"]:
            what += f" ({row['values']} values)"
        rows.append([what, *cells(row, "median", "p90", "maximum")] + ([row["ranked"]] if rank else []))
    return table(["model", "median, %", "90 % within", "maximum", "R2"] + (["ranked right"] if rank else []), ["---"] + ["--:"] * (5 if rank else 4), rows)


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
    return (f"## {about['title']}\n\n{fill(about['question'].strip() + ' **' + about['verdict'].strip() + '**')}\n\n"
            + models_table(folder, summary) + f"**Limits.** {about['wrong'].strip()}\n\n"
            f"![Predicted against measured](../figures/measured-{folder.name}.svg)\n\n")


def sources(folders):
    """Where the values come from, and what was fitted."""
    rows = []
    for folder, summary in folders:
        about = folder.about
        rows.append([f"[{about['title']}](../../results/measured/{folder.name}/summary.csv)",
                     f"{held_back(summary)['values']} of `{about['metric']}` ({about['unit']})", " ".join(about["source"].split()).rstrip("."),
                     parameters_of(folder)])
    return "## Data\n\n" + table(["errors", "values held back", "source", "fitted"], ["---"] * 4, rows)


def write(folders):
    """The page. `folders` are pairs of a folder and the rows of its summary.csv."""
    return HEAD + overview(folders) + "".join(section(*pair) for pair in folders) + sources(folders) + TAIL


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
