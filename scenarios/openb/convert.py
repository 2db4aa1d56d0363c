#!/usr/bin/env python3
"""Writes a scenario from the two lists of the cluster trace of 2023 (alibaba/clusterdata, openb).

usage: convert.py NODES.csv PODS.csv [--name NAME] [--until SHARE]

Lists may be compressed by gzip. --until '130 %' draws pods from the list, with replacement, until they ask for that share of the
GPUs, and all stay: the experiment of the FGD paper. `smsched validate` says what is wrong with the values.
"""
import argparse
import csv
import gzip
import re
import sys
from decimal import Decimal, InvalidOperation
from pathlib import Path

# MiB of GPU memory that pods can use, from hkust-adsl/kubernetes-scheduler-simulator, pkg/type/open-gpu-share/utils/const.go.
# G1 to G3 are not public models; their values there are round numbers.
MEMORY = {"P4": 7611, "2080": 11019, "1080": 11178, "M40": 11448, "T4": 15109, "V100M16": 16160, "P100": 16280, "A10": 22731,
          "3090": 24268, "V100M32": 32510, "A100": 81251, "G1": 10000, "G2": 20000, "G3": 30000}
NODE = ["sn", "cpu_milli", "memory_mib", "gpu", "model"]
POD = ["name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"]


def rows_of(path, columns):
    """The rows of a list, each with its number."""
    try:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt", newline="", encoding="utf-8-sig") as file:
            rows = csv.DictReader(file)
            absent = [name for name in columns if name not in (rows.fieldnames or [])]
            if absent:
                sys.exit(f"{path}:1: error: this list has no column '{absent[0]}'")
            return [(rows.line_num, row) for row in rows]
    except (OSError, csv.Error, UnicodeDecodeError) as error:
        sys.exit(f"{path}: error: {error}")


def plain(number):
    """Without an exponent or zeros at the end."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def thousandth(text):
    return plain(Decimal(text) / 1000)


def shared(row, name, gpus):
    """The cells that both lists have."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_./-]*", row[name]):
        raise ValueError(f"'{row[name]}' is not a name")
    return [row[name], thousandth(row["cpu_milli"]), f"{plain(Decimal(row['memory_mib']))} MiB", str(int(Decimal(row[gpus])))]


def node_cells(row):
    cells = shared(row, "sn", "gpu")
    memory = MEMORY.get(row["model"])
    return [*cells, *(["~", "~"] if cells[3] == "0" else [row["model"], f"{memory} MiB" if memory else "~"])]


class Pods:
    """What the list of pods has, and which models of GPUs there are."""

    def __init__(self, rows, models, drawn):
        self.models = models
        timed = not drawn and any(row.get("creation_time") for _, row in rows)
        self.specified = any(self.models_of(row) for _, row in rows)
        self.first = min(Decimal(row["creation_time"]) for _, row in rows) if timed else None
        self.ends = timed and any(row.get("deletion_time") for _, row in rows)

    def models_of(self, row):
        """Those on which the pod may run that some node has, in the order of the table above, then of the nodes."""
        wanted = (row.get("gpu_spec") or "").split("|") if Decimal(row["num_gpu"]) else []
        return [model for model in self.models if model in wanted]

    def duration(self, row):
        if not row.get("deletion_time"):
            return "~"
        # It may be created and deleted within a second.
        return f"{plain(Decimal(row['deletion_time']) - Decimal(row['creation_time']) or Decimal('0.5'))} s"

    def cells(self, row):
        cells = shared(row, "name", "num_gpu")
        cells.append(f"{plain(Decimal(row['gpu_milli']) / 10)} %" if cells[3] != "0" else "~")
        if self.specified:
            models = self.models_of(row)
            cells.append(f"[{', '.join(models)}]" if models else "~")
        if self.first is not None:
            cells.append(f"{plain(Decimal(row['creation_time']) - self.first)} s")
        if self.ends:
            cells.append(self.duration(row))
        return cells

    def columns(self):
        more = [("models", self.specified), ("start", self.first is not None), ("duration", self.ends)]
        return ["name", "cpu", "memory", "gpus", "gpu", *[name for name, given in more if given]]


def write_table(path, columns, rows, cells):
    print(f"      columns: [{', '.join(columns)}]\n      rows:")
    for line, row in rows:
        try:
            print(f"        - [{', '.join(cells(row))}]")
        except (InvalidOperation, ValueError, TypeError) as error:
            sys.exit(f"{path}:{line}: error: {error if isinstance(error, ValueError) else 'a value is not a number'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("nodes", type=Path)
    parser.add_argument("pods", type=Path)
    parser.add_argument("--name")
    parser.add_argument("--until", metavar="SHARE")
    given = parser.parse_args()
    nodes, rows = rows_of(given.nodes, NODE), rows_of(given.pods, POD)
    present = {row["model"]: None for _, row in nodes if row["gpu"] not in ("0", "")}
    try:
        pods = Pods(rows, [m for m in [*MEMORY, *[m for m in present if m not in MEMORY]] if m in present], given.until)
    except (InvalidOperation, ValueError, TypeError):
        sys.exit(f"{given.pods}: error: a time or a count is not a number")
    print(f"# A cluster and its pods, written by scenarios/openb/convert.py.\nscenario: {given.name or given.pods.name.split('.')[0]}")
    print("question: Which policy allocates most of the cluster's GPUs before it is full?\nnodes:\n  - table:")
    write_table(given.nodes, ["name", "cpu", "memory", "gpus", "model", "gpu_memory"], nodes, node_cells)
    print("policies: [random, first_fit, dot_product, gpu_clustering, gpu_packing, best_fit, fgd,\n           {fgd: {order: exact}}]")
    print("ties: shuffled # the order of the nodes in the list means nothing\npods:")
    print(f"  - {{sample: trace, until: {given.until}}}\n  - name: trace\n    table:" if given.until else "  - table:")
    write_table(given.pods, pods.columns(), rows, pods.cells)
    print(f"run: {{seed: 1, replications: {10 if given.until else 1}}}")


if __name__ == "__main__":
    main()
