"""Errors of predictions: the rows of summary.csv."""
import numpy as np

LAW = "law "  # before the name of a law of contention, as a model of a folder
CLOSED = "closed_form"  # a law without the simulator, as a model of a folder; it is no naive model
UNFITTED = "unfitted"  # the same with nothing fitted; no naive model either
COVERED = "covered "  # before devices, as the group of what is held back there, if a folder covers other metrics on other devices
WITHOUT = "without "  # before what a folder's `without` leaves out, as the group of the other values
WHERE = "where "  # before the name of a naive model, as the group of what it has a value for, if not for all
COLUMNS = ["group", "part", "model", "parameters", "values", "median", "p90", "maximum", "bias", "r2", "spearman", "ranked"]


def r2(predicted, rows):
    """Of the slowdown where the time alone is known, else of the logarithm of the value; None where it says nothing."""
    known = [(p / row["alone"], row["measured"] / row["alone"]) for p, row in zip(predicted, rows) if row["alone"]]
    if not known:
        known = [(p, row["measured"]) for p, row in zip(predicted, rows)]
        if min(min(pair) for pair in known) <= 0:
            return None
        known = [(np.log(p), np.log(m)) for p, m in known]
    ours, theirs = np.array(known).T
    spread = np.sum((theirs - theirs.mean()) ** 2)
    return 1 - np.sum((theirs - ours) ** 2) / spread if len(known) > 2 and spread > 0 else None


def order(values):
    """Ranks, where equal values share their mean rank. Values that differ by rounding only count as equal."""
    values = [float(f"{value:.9g}") for value in values]
    return [sum(other < value for other in values) + sum(other == value for other in values) / 2 for value in values]


def spearman(predicted, rows):
    if len(rows) < 3:
        return None
    _, ours = np.unique(predicted, return_inverse=True)
    _, theirs = np.unique([row["measured"] for row in rows], return_inverse=True)
    ours, theirs = (mean_ranks(x) for x in (ours, theirs))
    return float(np.corrcoef(ours, theirs)[0, 1]) if ours.std() > 0 and theirs.std() > 0 else None


def mean_ranks(codes):
    counts = np.bincount(codes)
    return (np.cumsum(counts) - (counts - 1) / 2)[codes]


def ranked(predicted, rows, within):
    """`N of M`: groups of rows that have the same order by prediction as by measurement."""
    groups = {}
    for p, row in zip(predicted, rows):
        groups.setdefault(row[within], []).append((p, row["measured"]))
    groups = [group for group in groups.values() if len(group) > 1]
    right = sum(order([p for p, _ in group]) == order([m for _, m in group]) for group in groups)
    return f"{right} of {len(groups)}"


def work_of(model, row, more, latency):
    """What all copies of a row do; 1 is what one copy alone does."""
    return float(row[more["copies"]]) * row["alone"] / row[model] if latency else row[model] / row["alone"]


def decisions(model, rows, more, least, latency):
    """Pairs of a held-back row and whether the model says rightly that its copies do by more than `least` more than the next fewer that were measured; one
    copy does 1."""
    series, out = {}, []
    for row in rows:
        if row[model] is not None:
            series.setdefault(row[more["within"]], []).append(row)
    for some in series.values():
        some.sort(key=lambda row: float(row[more["copies"]]))
        for before, row in zip([None, *some], some):
            steps = [work_of(name, row, more, latency) - (work_of(name, before, more, latency) if before else 1) for name in (model, "measured")]
            if row["part"] == "test":
                out.append((row, (steps[0] > least) == (steps[1] > least)))
    return out


def more_rows(folder, rows, models):
    """Rows of summary.csv: in how many decisions, for another copy or against it, each model is right; and smsched, of each `of`."""
    more, latency, out = folder.about["more"], folder.about["metric"].endswith("_ns"), []
    for text in more["least"]:
        for model, count in models.items():
            found = decisions(model, rows, more, float(text.rstrip(" %")) / 100, latency)
            names = [None, *dict.fromkeys(row[more["of"]] for row, _ in found)] if model == "simulated" and "of" in more else [None]
            for name in names:
                right = [is_right for row, is_right in found if name is None or row[more["of"]] == name]
                out.append(dict.fromkeys(COLUMNS, "") | {"group": f"more {text}" + (f" {name}" if name else ""), "part": "test", "parameters": str(count),
                                                         "model": "smsched" if model == "simulated" else model, "values": str(len(right)),
                                                         "ranked": f"{sum(right)} of {len(right)}"})
    return out


def row_of(group, part, model, parameters, rows, within):
    """One row of summary.csv; None if the model predicts nothing here."""
    rows = [row for row in rows if row[model] is not None]
    if not rows:
        return None
    predicted = np.array([row[model] for row in rows])
    off = 100 * (predicted / np.array([row["measured"] for row in rows]) - 1)
    size = np.abs(off)
    numbers = [np.median(size), np.percentile(size, 90), size.max(), off.mean(), r2(predicted, rows), spearman(predicted, rows)]
    texts = ["" if number is None else f"{number + 0:.5g}" for number in numbers]
    texts.append(ranked(predicted, rows, within) if within else "")
    return dict(zip(COLUMNS, [group, part, "smsched" if model == "simulated" else model, str(parameters), str(len(rows)), *texts]))


def noise_of(part, rows):
    """Standard deviations of repeated measurements, in percent, as a row of summary.csv; None if none are known."""
    known = 100 * np.array([row["noise"] for row in rows if row["noise"] is not None])
    if not len(known):
        return None
    texts = [f"{number:.5g}" for number in (np.median(known), np.percentile(known, 90), known.max())]
    return dict.fromkeys(COLUMNS, "") | dict(zip(COLUMNS, ["all", part, "noise", "", str(len(known)), *texts]))


def summary(folder, rows):
    """All rows of summary.csv. The group `all` comes first; its part `fit` is there if something is fitted."""
    about, out = folder.about, []
    within, column = about.get("rank", {}).get("within"), about.get("group")
    models = {"simulated": sum(parameter.get("count", 1) for parameter in about["parameters"])} | {name: naive.get("parameters", "") for name, naive in folder.naive.items()}
    groups = [("all", "test", rows), ("all", "fit", rows)]
    if column:
        groups += [(name, "test", [row for row in rows if row[column] == name]) for name in dict.fromkeys(row[column] for row in rows)]
    for name, part, chosen in groups:
        chosen = [row for row in chosen if row["part"] == part]
        out += [row_of(name, part, model, count, chosen, within) for model, count in models.items()] if chosen else []
        out += [noise_of(part, chosen)] if name == "all" else []
    held = [row for row in rows if row["part"] == "test"]
    for name in folder.naive:
        known = [row for row in held if row[name] is not None]
        if 0 < len(known) < len(held):
            out.append(row_of(WHERE + name, "test", "simulated", models["simulated"], known, within))
    for covers in folder.covers if len(folder.covers) > 1 else []:
        chosen = [row for row in held if (row.get("metric") or about["metric"]) in covers["metrics"]]
        out += [row_of(covered(covers), "test", model, covers.get("fitted", count) if model == "simulated" else count, chosen, within)
                for model, count in models.items()]
    if "without" in about:
        chosen = [row for row in held if row[about["without"]["column"]] != about["without"]["value"]]
        out += [row_of(f"{WITHOUT}{about['without']['value']}", "test", model, count, chosen, within) for model, count in models.items()]
    if "order" in about:
        column = about["order"]["within"]
        chosen = [row for row in rows if row["part"] == "test" and row[column]]
        out += [row_of("order", "test", model, count, chosen, column) for model, count in models.items()]
    if "more" in about:
        out += more_rows(folder, rows, models)
    laws = [name for name in rows[0] if name.startswith(LAW)]
    out += [row_of("all", "test", law, "", [row for row in rows if row["part"] == "test"], within) for law in laws]
    return [row for row in out if row]


def covered(covers):
    return COVERED + " ".join(covers["devices"])


def held_back(rows, model="smsched", group="all"):
    """The row of a model over all that is held back, or None."""
    return next((row for row in rows if (row["group"], row["part"], row["model"]) == (group, "test", model)), None)


def best_naive(rows, closed=False, group="all"):
    """The naive model with the least median error, or None; with `closed`, our law without the simulator may be it."""
    naive = [row for row in rows if (row["group"], row["part"]) == (group, "test") and row["model"] not in ("smsched", "noise", UNFITTED, *([] if closed else [CLOSED]))
             and not row["model"].startswith(LAW)]
    return min(naive, key=lambda row: float(row["median"]), default=None)
