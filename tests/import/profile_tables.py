#!/usr/bin/env python3
"""Write measured data as plain tables for test_round_trip: nvprof's of a GTX 1080 Ti, Nsight Compute's of a V100.

usage: profile_tables.py gtx1080ti|v100 DATA_DIR OUT_DIR

One file a program, of tab-separated lines: L (launch), C (copy), M (metric, mean of a kernel's launches), and P: what
the program's simulation should show. P is computed here, for the GTX 1080 Ti by tools/derive/gtx1080ti.py, apart from the
code under test. For the V100 a benchmark of Rodinia with one input is a program.
"""
import csv
import math
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools/derive"))
import gtx1080ti as nvprof  # noqa: E402

LAUNCHES_MAX = 300


def metric_lines(path):
    for row in nvprof.data_rows(path, "Device"):
        text = row["Avg"]
        level = re.search(r"\((\d+)\)$", text)
        value, unit = (level[1], "") if level else re.match(r"([-+0-9.eE]+)(.*)", text).groups()
        yield "\t".join(["M", "level" if level else "number", value, unit, row["Metric Name"], row["Kernel"]])


def trace_lines(path):
    units, *rows = nvprof.data_rows(path, "Start")
    seconds = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
    size = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3, "": 1}
    launches = 0
    for row in rows:
        times = [repr(float(row[k]) * seconds[units[k]]) for k in ("Start", "Duration")]
        if row["Grid X"] and launches < LAUNCHES_MAX:
            launches += 1
            shared = [repr(float(row[k]) * size[units[k]]) for k in ("Static SMem", "Dynamic SMem")]
            geometry = [row[f"{what} {axis}"] for what in ("Grid", "Block") for axis in "XYZ"]
            name = re.sub(r" \[\d+\]$", "", row["Name"])
            yield "\t".join(["L", *times, *geometry, row["Registers Per Thread"], *shared, name])
        elif row["Size"] and ("HtoD" in row["Name"] or "DtoH" in row["Name"]):
            way = "in" if "HtoD" in row["Name"] else "out"
            yield "\t".join(["C", *times, way, repr(float(row["Size"]) * size[units["Size"]])])


def expected(events, metrics):
    """Means over the time of the program's launches, of a kernel's use over all its geometries."""
    launches = [event for event in events if event.geometry][:LAUNCHES_MAX]
    total = sum(event.duration for event in launches)
    uses, active, resident = dict.fromkeys(nvprof.RESOURCES, 0.0), 0.0, 0.0
    for symbol in dict.fromkeys(event.name for event in launches):
        durations = [event.duration for event in launches if event.name == symbol]
        kernel = nvprof.Kernel(symbol, 1, 1, 0, 0, durations, metrics[symbol])
        for resource in uses:
            uses[resource] += min(1.0, kernel.use(resource)) * sum(durations) / total
        active += kernel.metrics["sm_activity"] * sum(durations)
        resident += kernel.metrics["sm_activity"] * kernel.metrics["achieved_occupancy"] * sum(durations)
    yield f"P\toccupancy\t{resident / active!r}"
    for resource, use in uses.items():
        yield f"P\t{resource}\t{use!r}"


def gtx1080ti(data):
    data = data / "nvprof/gtx1080ti"
    for path in sorted((data / "traces").glob("*.csv")):
        metrics = data / "metrics" / path.name
        yield path.stem, [*trace_lines(path), *metric_lines(metrics),
                          *expected(nvprof.read_trace(path), nvprof.read_metrics(metrics))]


# SOL TEX is of the cycles in which an L1 is active, so that the data has no use over a launch to compare with.
V100_RESOURCES = {"l2": "SOL L2", "dram": "SOL FB"}


def v100_lines(rows):
    total = sum(float(row["Duration"]) for row in rows)
    start = 0.0
    mean = dict.fromkeys(["Achieved Occupancy", *V100_RESOURCES.values()], 0.0)
    for i, row in enumerate(rows):
        name, duration = f"{row['kernel']}<{i}>()", float(row["Duration"]) * 1e-9
        numbers = [str(int(float(row[k]))) for k in ("Grid Size", "Block Size", "Registers Per Thread")]
        geometry = [numbers[0], "1", "1", numbers[1], "1", "1", numbers[2]]
        shared = [row[f"{k} Shared Memory Per Block"] for k in ("Static", "Dynamic")]
        yield "\t".join(["L", repr(start), repr(duration), *geometry, *shared, name])
        start += duration
        yield "\t".join(["M", "number", row["Elapsed Cycles"], "cycle", "Elapsed Cycles", name])
        for metric in mean:
            yield "\t".join(["M", "number", row[metric], "%", metric, name])
            mean[metric] += float(row[metric]) / 100 * float(row["Duration"]) / total
    yield f"P\toccupancy\t{mean['Achieved Occupancy']!r}"
    for resource, metric in V100_RESOURCES.items():
        yield f"P\t{resource}\t{mean[metric]!r}"


def v100(data):
    with open(data / "ncu/v100_rodinia_kernels.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    programs = {}
    for row in rows:
        programs.setdefault(f"{row['benchmark']}-{row['input']}", []).append(row)
    for name, of_program in programs.items():
        yield name, list(v100_lines(of_program))


def main():
    data, out = Path(sys.argv[2]), Path(sys.argv[3])
    for name, lines in {"gtx1080ti": gtx1080ti, "v100": v100}[sys.argv[1]](data):
        (out / f"{name}.csv").write_text("\n".join(lines) + "\n")


main()
