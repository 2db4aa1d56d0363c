"""A folder of results/measured: about.yaml, measured.csv, scenarios. docs/evidence/validation.md says what is in them."""
import csv
import math
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import yaml
from errors import CLOSED, LAW

TEXTS = ["title", "question", "gpu", "source", "metric", "unit", "verdict", "wrong"]
NEEDED = TEXTS + ["devices", "parameters", "bound", "covers", "tests", "by"]
KNOWN = NEEDED + ["licence", "data", "scale", "target", "rank", "order", "more", "without", "group", "naive"]
WORDS = {"tests": ["inside", "modes", "kernel"], "by": ["law", "simulation"]}  # docs/evidence/validation.md says what they mean
ORDER = ["within", "what", "target"]
WITHOUT = ["column", "value"]
MORE = ["within", "copies", "least", "of"]
COVERS = ["devices", "kernels", "modes", "contention", "metrics", "gpu", "fitted"]


class Bad(Exception):
    """What is wrong with a folder, with the file and the key or line."""


class NoData(Exception):
    """The data that a folder is computed from is not there."""


def percent(where, value):
    """A number of percent from `3 %`."""
    match = re.fullmatch(r"\s*([0-9.]+)\s*%?\s*", str(value))
    if not match:
        raise Bad(f"{where}: '{value}' is no percentage, such as '3 %'")
    return float(match[1])


def read_csv(path, columns):
    """The rows of a file with a header; `columns` must be there."""
    with open(path, newline="") as file:
        rows = csv.DictReader(file)
        missing = [name for name in columns if name not in (rows.fieldnames or [])]
        if missing:
            raise Bad(f"{path}:1: no column '{missing[0]}'")
        found = list(rows)
    for line, row in enumerate(found, 2):
        if None in row or None in row.values():
            raise Bad(f"{path}:{line}: not as many fields as the header")
    return found


# Laws of contention that need no measured pairs. Folders of two kernels inside an SM are predicted by each.
LAWS = ["none", "proportional", "maxmin", "knee", "pipes"]


class Folder:
    """One comparison with measurements."""

    def __init__(self, path):
        self.path, self.name = path, path.name
        self.about_path = path / "about.yaml"
        try:
            self.about = yaml.safe_load(self.about_path.read_text())
        except (OSError, yaml.YAMLError) as error:
            raise Bad(f"{self.about_path}: {error}") from None
        self.check()

    def check(self):
        about = self.about
        if not isinstance(about, dict):
            self.complain("title", "the file has no keys")
        for key in NEEDED:
            if about.get(key) is None:
                self.complain(key, "is missing")
        for key in about:
            if key not in KNOWN:
                self.complain(key, f"unknown key; there are {', '.join(KNOWN)}")
        for key in [*TEXTS, *(["licence"] if "licence" in about else [])]:
            if not isinstance(about[key], str):
                self.complain(key, "must be a text")
        for key in ("devices", "data", "parameters"):
            if not isinstance(about.get(key, []), list):
                self.complain(key, "must be a list")
        self.covers = about["covers"] if isinstance(about["covers"], list) else [about["covers"]]
        for key, maps in [("covers", self.covers), *((key, [about.get(key, {})]) for key in ("bound", "target", "rank", "order", "more", "without", "naive"))]:
            if not maps or not all(isinstance(one, dict) for one in maps):
                self.complain(key, "must have keys of its own")
        for key, words in WORDS.items():
            if about[key] not in words:
                self.complain(key, f"must be {' or '.join(words)}")
        self.check_numbers()
        self.check_inner()

    def check_numbers(self):
        about = self.about
        if not isinstance(about.get("scale", 1), (int, float)):
            self.complain("scale", "must be a number")
        self.scale = float(about.get("scale", 1))
        self.bound = {key: percent(f"{self.about_path}: bound: {key}", value) for key, value in about["bound"].items()}
        self.target = {key: str(value) if key == "ranked" else float(value) if key == "r2" else
                       percent(f"{self.about_path}: target: {key}", value) for key, value in about.get("target", {}).items()}

    def check_inner(self):
        about = self.about
        for outer, allowed in (("bound", ["median", "maximum"]), ("target", ["median", "maximum", "r2", "ranked"]),
                               ("rank", ["within"]), ("order", ORDER), ("more", MORE), ("without", WITHOUT), ("covers", COVERS)):
            for key in dict.fromkeys(key for one in self.covers for key in one) if outer == "covers" else about.get(outer, {}):
                if key not in allowed:
                    self.complain(f"{outer}: {key}", f"unknown key; there are {', '.join(allowed)}")
        if about.get("order", {}).keys() not in (set(), set(ORDER)):
            self.complain("order", "has within, what and target")
        if about.get("without", {}).keys() not in (set(), set(WITHOUT)):
            self.complain("without", "has column and value")
        if "more" in about and not set(MORE[:3]) <= about["more"].keys():
            self.complain("more", "has within, copies and least")
        for least in about.get("more", {}).get("least", []):
            percent(f"{self.about_path}: more: least", least)
        if "median" not in self.bound:
            self.complain("bound: median", "is missing")
        for covers in self.covers:
            for key in ("devices", "modes", "contention", "metrics"):
                if not isinstance(covers.get(key, []), list):
                    self.complain(f"covers: {key}", "must be a list")
            if covers.get("kernels") not in ("blocks", "whole"):
                self.complain("covers: kernels", "must be blocks or whole")
            if "metrics" not in covers:
                self.complain("covers: metrics", "is missing: the metrics that it bears on, or []")
        for parameter in about["parameters"]:
            if not isinstance(parameter, dict) or not {"name", "fitted_to"} <= parameter.keys() <= {"name", "count", "value", "fitted_to"}:
                self.complain("parameters", "each has name, count, value and fitted_to")
            if not isinstance(parameter.get("count", 1), int):
                self.complain("parameters: count", "must be a whole number")
        self.naive = {key: value if isinstance(value, dict) else {"what": value} for key, value in about.get("naive", {}).items()}
        if about["by"] == "law" and CLOSED not in self.naive:
            self.complain("naive", f"a law has {CLOSED}, what it gives without the simulator")

    def complain(self, key, what):
        raise Bad(f"{self.about_path}: {key}: {what}")

    def missing_data(self, data):
        """A file of the measured data that is not there, or None."""
        return next((name for name in self.about.get("data", []) if not (data / name).exists()), None)

    def stored(self, name):
        """The rows of a file that tools/validate wrote, or None."""
        path = self.path / name
        return read_csv(path, []) if path.exists() else None

    def derive(self, data, out, smsched, everything, fit):
        """Fills `out` with measured.csv and scenarios: from the folder, and from others' data where it has `derive`. With `fit`
        it fits anew what the folder keeps as fitted.csv."""
        for path in self.path.iterdir():
            if path.name == "measured.csv" or path.suffix == ".yaml" and path.name != "about.yaml":
                shutil.copy(path, out)
        if not (self.path / "derive").exists():
            return
        environment = dict(os.environ, SMSCHED=str(smsched), PYTHONDONTWRITEBYTECODE="1")
        for name, value in (("SMSCHED_VALIDATE", "all" if everything else ""), ("SMSCHED_FIT", "1" if fit else "")):
            environment[name] = value
        done = subprocess.run([self.path / "derive", data, out], env=environment, check=False)
        if done.returncode:
            raise Bad(f"{self.path / 'derive'}: exit {done.returncode}")

    def measured(self, path):
        """The rows of measured.csv, with numbers."""
        rows = read_csv(path, ["scenario", "part", "measured", *self.naive])
        if not rows:
            raise Bad(f"{path}: no values")
        columns = [self.about.get("group"), *(self.about.get(key, {}).get("within") for key in ("rank", "order")),
                   *(self.about.get("more", {}).get(key) for key in ("within", "copies", "of"))]
        for name in [*columns, self.about.get("without", {}).get("column")]:
            if name is not None and name not in rows[0]:
                raise Bad(f"{path}:1: no column '{name}', which about.yaml names")
        for line, row in enumerate(rows, 2):
            if row["part"] not in ("fit", "test"):
                raise Bad(f"{path}:{line}: part: '{row['part']}' instead of fit or test")
            for key in ["measured", "alone", "noise", "scale", *self.naive]:
                row[key] = self.number(path, line, key, row.get(key) or "")
            if row["measured"] is None or row["measured"] == 0:
                raise Bad(f"{path}:{line}: measured: must be a number other than 0")
        if all(row["part"] == "fit" for row in rows):
            raise Bad(f"{path}: no row of part test: nothing is held back")
        held = {row.get("metric") or self.about["metric"] for row in rows if row["part"] == "test"}
        for metric in [metric for covers in self.covers if len(self.covers) > 1 for metric in covers["metrics"] if metric not in held]:
            self.complain("covers: metrics", f"no value of {metric} is held back")
        return rows

    @staticmethod
    def number(path, line, key, text):
        try:
            value = float(text) if text else None
        except ValueError:
            value = math.nan
        if value is not None and not math.isfinite(value):
            raise Bad(f"{path}:{line}: {key}: '{text}' is no number")
        return value

    def simulate(self, smsched, scenarios, wanted, models, law=None):
        """{(scenario, metric): [(policy, kind, name, value)]} of one run of all files with scenarios, under another `law` of
        contention than theirs if one is given."""
        files = sorted(path for path in scenarios.glob("*.yaml") if re.search(r"^scenario:", path.read_text(), re.M))
        if not files:
            raise Bad(f"{self.path}: no file has a scenario")
        command = [smsched, "run", "--quiet", "--format", "csv", "--jobs", str(os.cpu_count() or 1), "--models", models,
                   *(["--set", f"contention={law}"] if law else []), *files]
        results = {}
        with tempfile.TemporaryFile("w+") as errors:
            run = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
            with run:
                for row in csv.DictReader(run.stdout):
                    key = row["scenario"], row["metric"]
                    if key in wanted and row["mean"]:
                        results.setdefault(key, []).append((row["policy"], row["subject"], row["name"], float(row["mean"])))
            errors.seek(0)
            if run.returncode:
                raise Bad(f"{self.path}: smsched run: exit {run.returncode}\n{errors.read()}")
        return results

    def join(self, rows, path, results, column="simulated"):
        """Puts what was simulated into a column of the rows, in the unit of `measured`."""
        for line, row in enumerate(rows, 2):
            metric = row.get("metric") or self.about["metric"]
            found = results.get((row["scenario"], metric), [])
            policy = row.get("policy") or (found[0][0] if found else "")
            found = [entry for entry in found if entry[0] == policy]
            subject = row.get("subject") or ""
            if subject:
                kind, _, name = subject.partition(":")
                chosen = [entry for entry in found if entry[2] == subject] or [entry for entry in found if entry[1:3] == (kind, name)]
            else:
                chosen = found if len(found) == 1 else [entry for entry in found if entry[1] == "host"]
            if len(chosen) != 1:
                many = ", ".join(sorted(f"{entry[1]}:{entry[2]}" for entry in found)[:8]) or "no such scenario, policy or metric"
                raise Bad(f"{path}:{line}: {metric} of '{subject}' in scenario '{row['scenario']}' "
                          f"{'is ambiguous' if chosen else 'has no value'}; there are: {many}")
            row[column] = chosen[0][3] * (self.scale if row["scale"] is None else row["scale"])

    def compute(self, data, smsched, models, everything=False, fit=False):
        """The rows with `simulated`, and the values of fitted parameters."""
        missing = self.missing_data(data)
        if missing:
            raise NoData(missing)
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder)
            self.derive(data, out, smsched, everything, fit)
            path = out / "measured.csv"
            if not path.exists():
                raise Bad(f"{self.path}: no measured.csv")
            rows = self.measured(path)
            wanted = {(row["scenario"], row.get("metric") or self.about["metric"]) for row in rows}
            self.join(rows, path, self.simulate(smsched, out, wanted, models))
            for law in LAWS if self.about["tests"] == "inside" else []:
                self.join(rows, path, self.simulate(smsched, out, wanted, models, law), f"{LAW}{law}")
            fitted = read_csv(out / "parameters.csv", ["name", "value"]) if (out / "parameters.csv").exists() else []
        return rows, fitted
