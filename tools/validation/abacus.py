"""Parts of two or three DNN inferences side by side. A pair of models is predicted with what other pairs tell of each model, and three
with what all pairs tell.

Unknown are, for each model, batch and length, the time alone of each operator, and the share of that time for which the
GPU is busy. They are fitted to the pairs of two thirds of the data, with the formula that the simulator's `pressure`
comes to: the longer time alone, plus the shorter times the product of both busy shares. A naive model has operator times of its own,
fitted to the same pairs: the longer time alone, plus none, all or one share of the shorter.

The fit is a step of its own (`tools/validate --fit`), which writes fitted.csv: it ends where a step gains little, so machines whose
libraries round differently do not end at the same digits. All else starts from fitted.csv."""
import csv
import gzip
import os
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from scipy.optimize import least_squares

FOLDS = [["resnet152_bert", "inception_v3_vgg19", "resnet50_vgg16"],
         ["resnet152_vgg16", "vgg19_bert", "resnet50_resnet101", "resnet101_inception_v3"],
         ["inception_v3_bert", "resnet101_vgg16", "resnet50_bert", "vgg16_bert"]]
FITTED = Path(__file__).resolve().parents[2] / "results/measured/a100-2021-abacus-pairs/fitted.csv"
FILE = 3000  # scenarios of a file, which holds at most 10100 documents
FIT_EVERY, TEST_EVERY = 3, 10  # rows that are fitted to and tested, of all; SMSCHED_VALIDATE=all tests all
SHARP = 6  # how sharply busy shares end at 1
WEAK, BATCH, SCALE = 0.003, 0.3, 0.02  # weights of: operator times near 0.3 ms, work linear in batch, 15 ms at batch 32
WORKLOAD = """\
---
workload: {side}{id}
kernels: [{{name: k, time: {time:.4f} us, demand: {{fp32: {busy:.7f}}}}}]
"""
SCENARIO = """\
---
scenario: s{id}
devices: [{{model: a100}}]
contention: {{model: pressure, curves: {{fp32: [[100 %, 100 %]]}}}}
policies: [{{mode: together}}]
processes: [{processes}]
"""
SIDES = "abc"
NAIVE = {"longer": 0, "sum": 1, "constant": None}  # the share of the shorter that is added; None: fitted


def scenario(number, times, busy):
    sides = SIDES[: len(times)]
    return ("".join(WORKLOAD.format(side=side, id=number, time=time, busy=use) for side, time, use in zip(sides, times, busy))
            + SCENARIO.format(id=number, processes=", ".join(f"{{name: {side}, workload: {side}{number}}}" for side in sides)))


def read(path):
    with gzip.open(path, "rt", newline="") as file:
        rows = list(csv.reader(file))[1:]
    return [row_of(path.name.removesuffix(".csv.gz"), row) for row in rows]


def row_of(pair, fields):
    """Five fields a side: model, first and last operator, batch, length. Then median, mean and spread."""
    parts = [fields[at : at + 5] for at in range(0, len(fields) - 3, 5)]
    sides = {side: (part[0], int(part[3]), int(part[4])) for side, part in zip(SIDES, parts)}
    median, mean, spread = map(float, fields[-3:])
    return {"pair": pair, "sides": SIDES[: len(parts)], "ops": [(int(part[1]), int(part[2])) for part in parts], "us": median, "noise": spread / mean} | sides


class Layout:
    """Which unknown is where: operators of each class (a model at a batch and a length)."""

    def __init__(self, rows):
        most = {}
        for row in rows:
            for side, (_, end) in zip(row["sides"], row["ops"]):
                most[row[side][0]] = max(most.get(row[side][0], 0), end + 1)
        self.classes = sorted({row[side] for row in rows for side in row["sides"]})
        self.models = sorted({(name, length) for name, _, length in self.classes})
        counts = [most[name] for name, _, _ in self.classes]
        self.first = dict(zip(self.classes, np.cumsum([0, *counts[:-1]])))
        self.ops = sum(counts)
        self.index = {cls: c for c, cls in enumerate(self.classes)}
        self.sums = sp.csr_matrix((np.ones(self.ops), (np.repeat(np.arange(len(counts)), counts), np.arange(self.ops))))
        self.model = np.array([self.models.index((name, length)) for name, _, length in self.classes])
        self.log_batch = np.log([batch / 32 for _, batch, _ in self.classes])

    def matrix(self, rows, side):
        """Row by operator: 1 where it runs."""
        spans = [(self.first[row[side]] + row["ops"][SIDES.index(side)][0], self.first[row[side]] + row["ops"][SIDES.index(side)][1] + 1)
                 for row in rows]
        column = np.concatenate([np.arange(*span) for span in spans])
        row = np.repeat(np.arange(len(rows)), [to - at for at, to in spans])
        return sp.csr_matrix((np.ones(len(column)), (row, column)), shape=(len(rows), self.ops))

    def of(self, rows):
        sides = rows[0]["sides"]
        return {"ops": [self.matrix(rows, side) for side in sides],
                "cls": [np.array([self.index[row[side]] for row in rows]) for side in sides], "us": np.array([row["us"] for row in rows])}


class Known:
    """Operator times and busy shares."""

    def __init__(self, layout, time, busy):
        self.layout, self.time, self.busy = layout, time, busy

    def sides(self, known):
        return [ops @ self.time for ops in known["ops"]], [self.busy[cls] for cls in known["cls"]]

    def rows(self, law, fold):
        """For fitted.csv: operator times of a class are one field. A naive model has its share in place of a busy share."""
        ends = [*list(self.layout.first.values())[1:], self.layout.ops]
        for cls, end, busy in zip(self.layout.classes, ends, self.busy):
            yield [law, fold, *cls, f"{busy:.5f}", " ".join(f"{time:.5g}" for time in self.time[self.layout.first[cls] : end])]

    @classmethod
    def stored(cls, layout, rows):
        return cls(layout, np.array([float(time) for row in rows for time in row["times_us"].split()]),
                   np.array([float(row["busy"]) for row in rows]))


class Guess(Known):
    """Unknowns: logarithms of operator times, of the GPU's work at batch 32, and of how it departs from linear in the batch."""

    def __init__(self, layout, x):
        n, m = layout.ops, len(layout.models)
        time = np.exp(x[:n])
        self.alone = layout.sums @ time
        ratio = np.exp(x[n : n + m][layout.model] + layout.log_batch + x[n + m :]) / self.alone
        super().__init__(layout, time, ratio / (1 + ratio**SHARP) ** (1 / SHARP))
        self.rise = self.busy / (1 + ratio**SHARP)  # by the logarithm of the ratio


def together(times, busy):
    return np.maximum(*times) + busy[0] * busy[1] * np.minimum(*times)


def all_together(times, busy):
    """The time of any number of parts, of which each slows each other by the product of their busy shares while both run."""
    left, now = dict(enumerate(times)), 0.0
    while left:
        slow = {i: 1 + busy[i] * sum(busy[j] for j in left if j != i) for i in left}
        first = min(left, key=lambda i: left[i] * slow[i])
        step = left.pop(first) * slow[first]
        left, now = {i: part - step / slow[i] for i, part in left.items()}, now + step
    return now


def fit(layout, rows):
    known, n, m, c = layout.of(rows), layout.ops, len(layout.models), len(layout.classes)
    start = np.concatenate([np.full(n, np.log(300.0)), np.full(m, np.log(15000.0)), np.zeros(c)])
    weights = np.concatenate([np.full(n, WEAK), np.full(m, SCALE), np.full(c, BATCH)])
    pick = [sp.csr_matrix((np.ones(len(rows)), (np.arange(len(rows)), cls)), shape=(len(rows), c)) for cls in known["cls"]]
    of_model = sp.csr_matrix((np.ones(c), (np.arange(c), layout.model)), shape=(c, m))

    def errors(x):
        times, busy = Guess(layout, x).sides(known)
        return np.concatenate([np.log(together(times, busy) / known["us"]), weights * (x - start)])

    def slopes(x):
        guess = Guess(layout, x)
        times, busy = guess.sides(known)
        total, short, first = together(times, busy), np.minimum(*times), times[0] >= times[1]
        by_time = [np.where(longer, 1, busy[0] * busy[1]) / total for longer in (first, ~first)]
        by_busy = (sp.diags(busy[1] * short / total) @ pick[0] + sp.diags(busy[0] * short / total) @ pick[1]) @ sp.diags(guess.rise)
        by_op = sum(sp.diags(w) @ ops for w, ops in zip(by_time, known["ops"])) - by_busy @ sp.diags(1 / guess.alone) @ layout.sums
        return sp.vstack([sp.hstack([by_op @ sp.diags(guess.time), by_busy @ of_model, by_busy]), sp.diags(weights)]).tocsr()

    found = least_squares(errors, start, jac=slopes, tr_solver="lsmr", loss="soft_l1", f_scale=0.05, max_nfev=40, xtol=1e-4, ftol=1e-4)
    return Guess(layout, found.x)


def fit_naive(layout, rows, share):
    """Operator times, and a share of the shorter where none is given."""
    known, n = layout.of(rows), layout.ops
    start, weights = np.log([*np.full(n, 300.0), 0.1]), np.full(n + 1, WEAK)

    def guess(x):
        return [ops @ np.exp(x[:n]) for ops in known["ops"]], np.exp(x[n]) if share is None else share

    def errors(x):
        times, part = guess(x)
        return np.concatenate([np.log((np.maximum(*times) + part * np.minimum(*times)) / known["us"]), weights * (x - start)])

    def slopes(x):
        times, part = guess(x)
        total, first = np.maximum(*times) + part * np.minimum(*times), times[0] >= times[1]
        by_op = sum(sp.diags(np.where(longer, 1, part) / total) @ ops for longer, ops in zip((first, ~first), known["ops"])) @ sp.diags(np.exp(x[:n]))
        by_share = part * np.minimum(*times) / total if share is None else np.zeros(len(rows))
        return sp.vstack([sp.hstack([by_op, by_share[:, None]]), sp.diags(weights)]).tocsr()

    found = least_squares(errors, start, jac=slopes, tr_solver="lsmr", loss="soft_l1", f_scale=0.05, max_nfev=40, xtol=1e-4, ftol=1e-4)
    return Known(layout, np.exp(found.x[:n]), np.full(len(layout.classes), guess(found.x)[1]))


def fit_all(layout, parts):
    with open(FITTED, "w", newline="") as file:
        to = csv.writer(file, lineterminator="\n")
        to.writerow(["law", "fold", "model", "batch", "length", "busy", "times_us"])
        for fold, part in enumerate(parts):
            to.writerows(fit(layout, part).rows("pressure", fold))
            for law, share in NAIVE.items():
                to.writerows(fit_naive(layout, part, share).rows(law, fold))


class Pairs:
    """All pairs, and what was fitted to those that each fold leaves."""

    def __init__(self, data):
        self.rows = [row for path in sorted((data / "corun/abacus_a100").glob("*.csv.gz")) for row in read(path)]
        self.layout = Layout(self.rows)
        self.fitted_to = [[row for row in self.rows if row["pair"] not in fold][::FIT_EVERY] for fold in FOLDS]
        if os.environ.get("SMSCHED_FIT"):
            fit_all(self.layout, self.fitted_to)
        with open(FITTED, newline="") as file:
            fitted = list(csv.DictReader(file))
        self.guesses = {law: [Known.stored(self.layout, [row for row in fitted if (row["law"], row["fold"]) == (law, str(number))])
                              for number in range(len(FOLDS))] for law in ("pressure", *NAIVE)}

    def mean(self, law):
        """What all pairs tell: the mean of the fits, each of which leaves out some."""
        return Known(self.layout, *(np.mean([getattr(guess, name) for guess in self.guesses[law]], axis=0) for name in ("time", "busy")))


def naive(guess, known):
    """The longest of the parts, and a share of the others."""
    times, share = guess.sides(known)
    longest = np.max(times, axis=0)
    return longest + share[0] * (np.sum(times, axis=0) - longest)


def sampled(rows):
    return rows[:: 1 if os.environ.get("SMSCHED_VALIDATE") == "all" else TEST_EVERY]


def write_scenarios(out, scenarios):
    for at in range(0, len(scenarios), FILE):
        (out / f"scenarios{at}.yaml").write_text("".join(scenarios[at : at + FILE]))


def derive_pairs(data, out):
    pairs, scenarios = Pairs(data), []
    with open(out / "measured.csv", "w", newline="") as file:
        to = csv.writer(file)
        to.writerow(["scenario", "part", "measured", "noise", "pair", "closed_form", *NAIVE])
        for number, fold in enumerate(FOLDS):
            test = sampled([row for row in pairs.rows if row["pair"] in fold])
            known = pairs.layout.of(test)
            times, busy = pairs.guesses["pressure"][number].sides(known)
            others = [together(times, busy), *(naive(pairs.guesses[law][number], known) for law in NAIVE)]
            for row, ta, tb, ua, ub, *values in zip(test, *times, *busy, *others):
                name = len(scenarios)
                to.writerow([f"s{name}", "test", row["us"], row["noise"], row["pair"], *values])
                scenarios.append(scenario(name, (ta, tb), (ua, ub)))
    write_scenarios(out, scenarios)


def derive_three(data, out):
    """Each number is the mean of the three fits, each of which leaves out some pairs. Nothing is fitted to three. No pair has batches of 1 and 2."""
    pairs, scenarios = Pairs(data), []
    rows = [row for path in sorted((data / "corun/abacus_a100_three").glob("*.csv.gz")) for row in read(path)]
    test = sampled([row for row in rows if all(row[side] in pairs.layout.index for side in row["sides"])])
    known = pairs.layout.of(test)
    times, busy = pairs.mean("pressure").sides(known)
    others = [naive(pairs.mean(law), known) for law in NAIVE]
    with open(out / "measured.csv", "w", newline="") as file:
        to = csv.writer(file)
        to.writerow(["scenario", "part", "measured", "noise", "longest", *list(NAIVE)[1:], "closed_form"])
        for name, (row, *numbers) in enumerate(zip(test, *times, *busy, *others)):
            mine, uses = numbers[:3], numbers[3:6]
            to.writerow([f"s{name}", "test", row["us"], row["noise"], *numbers[6:], all_together(mine, uses)])
            scenarios.append(scenario(name, mine, uses))
    write_scenarios(out, scenarios)
