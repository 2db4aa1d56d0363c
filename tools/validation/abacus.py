"""Parts of two or three DNN inferences side by side. A pair of models is predicted with what other pairs tell of each model, and three
with what all pairs tell.

Unknown are, for each model, batch and length, the time alone of each operator, and the share of that time for which the
GPU is busy. They are fitted to the pairs of two thirds of the data, with the formula that the simulator's `pressure`
comes to: the longer time alone, plus the shorter times the product of both busy shares.

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

    def rows(self, fold):
        """For fitted.csv: operator times of a class are one field."""
        ends = [*list(self.layout.first.values())[1:], self.layout.ops]
        for cls, end, busy in zip(self.layout.classes, ends, self.busy):
            yield [fold, *cls, f"{busy:.5f}", " ".join(f"{time:.5g}" for time in self.time[self.layout.first[cls] : end])]

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


def fit_all(layout, parts):
    with open(FITTED, "w", newline="") as file:
        to = csv.writer(file, lineterminator="\n")
        to.writerow(["fold", "model", "batch", "length", "busy", "times_us"])
        for fold, part in enumerate(parts):
            to.writerows(fit(layout, part).rows(fold))


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
        self.guesses = [Known.stored(self.layout, [row for row in fitted if row["fold"] == str(number)]) for number in range(len(FOLDS))]

    def constant(self, number):
        """The share of the shorter that is added to the longer, in what a fold is fitted to."""
        known = self.layout.of(self.fitted_to[number])
        times, _ = self.guesses[number].sides(known)
        return float(np.median((known["us"] - np.maximum(*times)) / np.minimum(*times)))


def sampled(rows):
    return rows[:: 1 if os.environ.get("SMSCHED_VALIDATE") == "all" else TEST_EVERY]


def write_scenarios(out, scenarios):
    for at in range(0, len(scenarios), FILE):
        (out / f"scenarios{at}.yaml").write_text("".join(scenarios[at : at + FILE]))


def derive_pairs(data, out):
    pairs, scenarios = Pairs(data), []
    with open(out / "measured.csv", "w", newline="") as file:
        to = csv.writer(file)
        to.writerow(["scenario", "part", "measured", "noise", "pair", "longer", "sum", "constant"])
        for number, fold in enumerate(FOLDS):
            constant, test = pairs.constant(number), sampled([row for row in pairs.rows if row["pair"] in fold])
            times, busy = pairs.guesses[number].sides(pairs.layout.of(test))
            for row, ta, tb, ua, ub in zip(test, *times, *busy):
                name = len(scenarios)
                to.writerow([f"s{name}", "test", row["us"], row["noise"], row["pair"], max(ta, tb), ta + tb, max(ta, tb) + constant * min(ta, tb)])
                scenarios.append(scenario(name, (ta, tb), (ua, ub)))
    write_scenarios(out, scenarios)


def derive_three(data, out):
    """Each number is the mean of the three fits, each of which leaves out some pairs. Nothing is fitted to three. No pair has batches of 1 and 2."""
    pairs, scenarios = Pairs(data), []
    rows = [row for path in sorted((data / "corun/abacus_a100_three").glob("*.csv.gz")) for row in read(path)]
    test = sampled([row for row in rows if all(row[side] in pairs.layout.index for side in row["sides"])])
    mean = Known(pairs.layout, *(np.mean([getattr(guess, name) for guess in pairs.guesses], axis=0) for name in ("time", "busy")))
    constant = float(np.mean([pairs.constant(number) for number in range(len(FOLDS))]))
    times, busy = mean.sides(pairs.layout.of(test))
    with open(out / "measured.csv", "w", newline="") as file:
        to = csv.writer(file)
        to.writerow(["scenario", "part", "measured", "noise", "longest", "sum", "constant"])
        for name, (row, *numbers) in enumerate(zip(test, *times, *busy)):
            mine, total = numbers[:3], sum(numbers[:3])
            to.writerow([f"s{name}", "test", row["us"], row["noise"], max(mine), total, max(mine) + constant * (total - max(mine))])
            scenarios.append(scenario(name, mine, numbers[3:]))
    write_scenarios(out, scenarios)
