#!/usr/bin/env python3
"""Every profile in SMSCHED_DATA, read by smsched and, in another way, here: what is dumped
must be the same to the last character. Usage: data.py SMSCHED. 77 without the data."""
import csv
import glob
import os
import re
import subprocess
import sys

SECONDS = {"s": 1, "ms": 1e3, "us": 1e6, "ns": 1e9, "nsecond": 1e9, "": 1e9}
NVPROF_BYTES = {"": 1, "B": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30}
FACTS = {  # of a launch: the metrics that tell it
    "registers": ("Registers Per Thread", "launch__registers_per_thread"),
    "static": ("Static Shared Memory Per Block", "launch__shared_mem_per_block_static"),
    "dynamic": ("Dynamic Shared Memory Per Block", "launch__shared_mem_per_block_dynamic"),
    "duration": ("Duration", "gpu__time_duration.sum"),
}


def number(text):
    """A number with separators of thousands, or None."""
    return float(text.replace(",", "")) if re.fullmatch(r"-?[\d,]*\.?\d+(e[+-]?\d+)?", text) else None


def show(value):
    return "?" if value is None else f"{value:.12g}"


def launch_line(kernel, grid, block, count, metrics, line, registers=0, static=None, dynamic=None, start=None,
                duration=None, **labels):
    text = f"launch {kernel} grid={'x'.join(map(str, grid))} block={'x'.join(map(str, block))} registers={registers}"
    text += f" static_bytes={show(static)} dynamic_bytes={show(dynamic)} start_s={show(start)}"
    text += f" duration_s={show(duration)} count={count} metrics={metrics} line={line}"
    return text + "".join(f" {key}={value}" for key, value in labels.items() if value) + "\n"


def metric_line(name, mean, unit="", level=False):
    return f"    {name} {show(mean)}" + (" of 10" if level else f" {unit}" if unit else "") + "\n"


def dimensions(text):
    return [int(n) for n in re.findall(r"\d+", text)]


def facts(metrics):
    """Of [(name, value, unit)], what launches have fields for; these files have base units."""
    found = {}
    for key, names in FACTS.items():
        for name, value, unit in metrics:
            if name in names:
                found[key] = value / SECONDS[unit] if key == "duration" else value
    found["registers"] = int(found.get("registers", 0))
    return found


def ncu_table(path):
    """(line, row) from the header on, and the header."""
    rows, header = [], None
    with open(path, encoding="utf-8-sig", newline="") as file:
        for number_of_line, line in enumerate(file, 1):
            if header is None and line.startswith('"ID"'):
                header = next(csv.reader([line]))
            elif header and re.match(r'"\d*","', line):
                rows.append((number_of_line, next(csv.reader([line]))))
    return header, rows


def ncu_launch(row, at, metrics, line):
    def field(name):
        return row[at[name]] if name in at else ""

    def totals(name):
        return next(([int(value), 1, 1] for metric, value, _ in metrics if metric == name), [0, 0, 0])

    grid = dimensions(field("Grid Size")) or totals("Grid Size")
    block = dimensions(field("Block Size")) or totals("Block Size")
    text = launch_line(field("Kernel Name"), grid, block, 1, len(metrics), line, **facts(metrics),
                       process=f"{field('Process Name')} ({field('Process ID')})", device=field("Device"),
                       context=field("Context"), stream=field("Stream"))
    return text + "".join(metric_line(name, value, unit=unit) for name, value, unit in metrics)


def ncu_details(path):
    header, rows = ncu_table(path)
    at = {name: i for i, name in enumerate(header)}
    launches = {}
    for line, row in rows:
        name, unit, text = (row[at[key]] for key in ("Metric Name", "Metric Unit", "Metric Value"))
        first, metrics = launches.setdefault(row[0], ((line, row), []))
        if name and number(text) is not None:
            metrics.append((name, number(text), unit))
    body = [ncu_launch(row, at, metrics, line) for (line, row), metrics in launches.values()]
    return f"profile ncu launches={len(body)} copies=0\n" + "".join(body)


def ncu_raw(path):
    header, rows = ncu_table(path)
    at = {name: i for i, name in enumerate(header)}
    units = rows.pop(0)[1]
    body = []
    for line, row in rows:
        metrics = [(header[i], number(row[i]), units[i]) for i in range(at["CC"] + 1, len(header))
                   if number(row[i]) is not None]
        body.append(ncu_launch(row, at, metrics, line))
    return f"profile ncu launches={len(body)} copies=0\n" + "".join(body)


def ncu_selection(path):
    body = []
    with open(path, encoding="utf-8", newline="") as file:
        for line, row in enumerate(csv.DictReader(file), 2):
            metrics = [(name, number(text), "") for name, text in list(row.items())[6:] if number(text) is not None]
            body.append(launch_line(row["kernel"], [int(float(row["Grid Size"])), 1, 1],
                                    [int(float(row["Block Size"])), 1, 1], row["n"], len(metrics), line,
                                    **facts(metrics), process=f"{row['benchmark']} {row['input']}"))
            body += [metric_line(name, value) for name, value, _ in metrics]
    return f"profile ncu launches={sum(text.startswith('launch') for text in body)} copies=0\n" + "".join(body)


def nvprof_process(path):
    with open(path, encoding="utf-8") as file:
        found = re.match(r"==(\d+)== NVPROF is profiling process \d+, command: (\S+)", file.read())
    return f"{os.path.basename(found[2])} ({found[1]})" if found else ""


def nvprof_rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        lines = file.read().splitlines()
    start = next(i for i, line in enumerate(lines) if re.match(r'"(Device|Start)"|benchmark', line))
    return start + 2, list(csv.DictReader(lines[start:]))


def nvprof_number(text):
    """(value, unit, whether it is a level), or None."""
    level = re.fullmatch(r"\w+ \((\d+)\)", text)
    plain = re.fullmatch(r"(-?[\d.]+(?:e[+-]?\d+)?)([%A-Za-z/]*)", text)
    return (float(level[1]), "", True) if level else (float(plain[1]), plain[2], False) if plain else None


def nvprof_metrics(path):
    """The lines of each kernel's metrics, and the line in the file where they begin."""
    first, rows = nvprof_rows(path)
    kernels = {}
    for line, row in enumerate(rows, first):
        entry = kernels.setdefault(row["Kernel"], {"line": line, "device": row["Device"], "count": 0, "text": []})
        entry["count"] = max(entry["count"], int(row["Invocations"]))
        entry["text"].append(metric_line(row["Metric Name"], *nvprof_number(row["Avg"])))
    return kernels


def nvprof_metrics_dump(path):
    kernels, process = nvprof_metrics(path), nvprof_process(path)
    body = [launch_line(name, [0, 0, 0], [0, 0, 0], k["count"], len(k["text"]), k["line"], process=process,
                        device=k["device"]) + "".join(k["text"]) for name, k in kernels.items()]
    return f"profile nvprof launches={len(body)} copies=0\n" + "".join(body)


def trace_launch(row, line, units, metrics, process):
    def size(name):
        return float(int(float(row[name]) * NVPROF_BYTES[units[name]] + 0.5))

    kernel = re.sub(r" \[\d+\]$", "", row["Name"])
    text = metrics.get(kernel, {"text": []})["text"]
    start = float(row["Start"]) / SECONDS[units["Start"]]
    return start, launch_line(kernel, [row["Grid " + c] for c in "XYZ"], [row["Block " + c] for c in "XYZ"], 1, len(text),
                              line, registers=row["Registers Per Thread"], static=size("Static SMem"),
                              dynamic=size("Dynamic SMem"), start=start,
                              duration=float(row["Duration"]) / SECONDS[units["Duration"]], process=process,
                              device=row["Device"], context=row["Context"], stream=row["Stream"]) + "".join(text)


def trace_dump(path, metrics):
    first, rows = nvprof_rows(path)
    units, launches, copies = rows[0], [], []
    for line, row in enumerate(rows[1:], first + 1):
        if not row["Name"].startswith("[CUDA"):
            launches.append(trace_launch(row, line, units, metrics, nvprof_process(path)))
        elif re.search("Hto|toH", row["Name"]):
            size = int(float(row["Size"]) * NVPROF_BYTES[units["Size"]] + 0.5)
            start, duration = (float(row[key]) / SECONDS[units[key]] for key in ("Start", "Duration"))
            way = "to_device" if "Hto" in row["Name"] else "to_host"
            copies.append((start, f"copy {way} bytes={show(size)} start_s={show(start)} duration_s={show(duration)} "
                                  f"line={line}\n"))
    body = "".join(text for _, text in sorted(launches, key=lambda launch: launch[0]))
    body += "".join(text for _, text in sorted(copies, key=lambda copy: copy[0]))
    return f"profile nvprof launches={len(launches)} copies={len(copies)}\n" + body


def refusal(line, what, source):
    return f":{line}:1: error: {what}\n    {source}\n    ^\n"


def cases(data):
    """(importer, files, what is dumped, or what is said after the file's name)."""
    for name in ("v100_cfd_097K.log", "gb200_cublaslt.log", "rtx5070_saxpy.csv", "rtx5070_gemm_naive.csv",
                 "rtx5070_transpose_naive.csv"):
        yield "ncu", [f"{data}/ncu/{name}"], ncu_details, None
    yield "ncu", [f"{data}/ncu/b200_raw_page.csv"], ncu_raw, None
    yield "ncu", [f"{data}/ncu/v100_rodinia_kernels.csv"], ncu_selection, None
    yield "ncu", [f"{data}/ncu/b200_empty_run.csv"], None, refusal(
        3, "the run failed, and nothing was profiled: 'The application returned an error code (1).'; the program failed: run it without ncu first",
        "==ERROR== The application returned an error code (1).")
    yield "ncu", [f"{data}/ncu/b200_failed_run.csv"], None, refusal(
        1, "nothing was profiled: ncu connected to 14 processes but printed no table; the run was stopped early, "
        "launched no kernel, or was not printed with --csv",
        "==PROF== Connected to process 254339 (/usr/bin/python3.12)")
    for trace in sorted(glob.glob(f"{data}/nvprof/gtx1080ti/traces/*.csv")):
        metrics = trace.replace("/traces/", "/metrics/")
        yield "nvprof", [metrics], nvprof_metrics_dump, None
        yield "nvprof", [trace], lambda path: trace_dump(path, {}), None
        yield "nvprof", [metrics, trace], lambda first, second: trace_dump(second, nvprof_metrics(first)), None
        yield "nvprof", [trace, metrics], lambda first, second: trace_dump(first, nvprof_metrics(second)), None


def first_difference(expected, found):
    for a, b in zip(expected.splitlines(), found.splitlines()):
        if a != b:
            return f"  expected {a[:300]}\n  found    {b[:300]}"
    return f"  expected {len(expected)} characters, found {len(found)}"


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    data = os.environ.get("SMSCHED_DATA", os.path.join(here, "../../../shared/data"))
    if not os.path.isdir(f"{data}/nvprof"):
        print(f"skipped: there is no {data}")
        return 77
    passed = failed = 0
    for importer, paths, expect, refused in cases(data):
        run = subprocess.run([sys.argv[1], "import", importer, *paths, "--dump"], capture_output=True, text=True,
                             timeout=600)
        expected = paths[0] + refused if refused else expect(*paths)
        found = run.stderr if refused else run.stdout
        right = run.returncode == (3 if refused else 0) and found == expected
        passed, failed = passed + right, failed + (not right)
        if not right:
            print(f"FAILED {importer} {' '.join(paths)}: exit {run.returncode}\n{first_difference(expected, found)}")
            print(run.stderr[:500])
    print(f"{passed} passed, {failed} failed")
    return failed > 0 or passed == 0


sys.exit(main())
