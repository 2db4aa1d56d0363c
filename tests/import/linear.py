#!/usr/bin/env python3
"""Importers take time in proportion to what a file holds: where each of its dimensions is doubled, and all of
them together, the instructions that valgrind counts double at most. A file of a few bytes that holds a lot is refused.

usage: linear.py SMSCHED
"""
import gzip
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import kineto
import nsys

MORE = 2.5  # what is proportional to n log n has 2.2 in these sizes; what is quadratic has 4


def report(path, rows=0, letters=0, names=0, ranges=0, samples=0, long=0):
    """A report whose kernels are `rows` launches of a name of so many letters, and one launch of each of `names` others."""
    made = nsys.Report(path)
    t, name = 0, "void k(" + "x" * letters + ")"
    for i in range(rows):
        t = made.kernel(name, t, 1000 + i % 7) + 500
    for i in range(names):
        t = made.kernel(f"other{i}({'y' * letters})", t, 1000) + 500
    for i in range(long):
        made.kernel("long", i, 10**7, stream=9)  # all at once, so that each sample falls into each of them
    made.table("NVTX_EVENTS", ["start", "end", "eventType", "globalTid", "text", "textId"])
    made.db.execute("INSERT INTO StringIds VALUES (1000000, ?)", ["range " + "r" * letters])
    for i in range(ranges):
        made.add("NVTX_EVENTS", dict(start=i * 10, end=i * 10 + 5, eventType=59, globalTid=7, textId=1000000))
    made.table("GPU_METRICS", ["timestamp", "typeId", "metricId", "value"])
    made.table("TARGET_INFO_GPU_METRICS", ["typeId", "metricId", "metricName"])
    made.add("TARGET_INFO_GPU_METRICS", dict(typeId=1 << 8, metricId=0, metricName="DRAM Read Bandwidth [Throughput %]"))
    for i in range(samples):
        made.add("GPU_METRICS", dict(timestamp=i, typeId=1 << 8, metricId=0, value=i % 100))
    made.calls(100, 50)
    made.close()


def crowd(path, rows=0, streams=1):
    """A report whose kernels are on so many streams and at once, and of which another process has the calls by their numbers."""
    made = nsys.Report(path)
    for i in range(rows):
        made.kernel("k", 1000 * (i // streams), 900, stream=i % streams)
    made.calls(100, 50)
    made.db.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET correlationId = 1")
    made.db.execute("UPDATE CUPTI_ACTIVITY_KIND_RUNTIME SET correlationId = 1, globalTid = globalTid + (1 << 24)")
    made.close()


def trace(path, rows=0, letters=0, names=0):
    made, t = kineto.Trace(), 0
    for i in range(rows):
        t = made.kernel("k", t, 2 + i % 7) + 1
    for i in range(names):
        t = made.kernel(f"other{i}", t, 2) + 1
    made.mark("x" * letters, 0, 1)
    path.write_text(json.dumps(made.object()))


def counters(path, rows=0, letters=0, names=0, metrics=1, parts=0, processes=0):
    """A table of ncu; one of its kernels has a mangled name of so many parts, and each process a launch."""
    head = ["ID", "Process ID", "Process Name", "Kernel Name", "Block Size", "Grid Size", "CC", "Metric Name", "Metric Unit", "Metric Value"]
    lines = [",".join(f'"{h}"' for h in head)]
    all = ["k(" + "x" * letters + ")"] * rows + [f"other{i}(int)" for i in range(names)] + ["_Z" + "1a" * parts] + ["p"] * processes
    for i, name in enumerate(all):
        for m in range(metrics + 1):
            metric = ["Duration", "us", "12.5"] if m == 0 else [f"m{m}", "%", "5"]
            lines.append(",".join(f'"{v}"' for v in [i, 5 + i * (name == "p"), "app", name, "(256, 1, 1)", "(64, 1, 1)", "8.6", *metric]))
    path.write_text("\n".join(lines) + "\n")


# Per format: how its file is made, the arguments of the import, and the dimensions.
CASES = {
    "nsys": (report, [], dict(rows=200, letters=10000, names=50, ranges=200)),
    "nsys crowd": (crowd, [], dict(rows=2000, streams=30)),
    "nsys samples": (report, [], dict(rows=100, samples=2000, long=100)),
    "kineto": (trace, [], dict(rows=300, letters=60000, names=150)),
    "ncu": (counters, ["--profiled", "a6000"], dict(rows=60, letters=300, names=40, metrics=6)),
    "ncu names": (counters, ["--profiled", "a6000"], dict(parts=20000)),
    "ncu processes": (counters, ["--profiled", "a6000"], dict(processes=300)),
}


def count(smsched, folder, name, size):
    """The instructions of an import."""
    make, arguments, _ = CASES[name]
    path = folder / "profile"
    path.unlink(missing_ok=True)
    make(path, **size)
    done = subprocess.run(["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", smsched, "import",
                           name.split()[0], path, *arguments], capture_output=True, text=True)
    found = re.search(r"I +refs: +([\d,]+)", done.stderr)
    if done.returncode or not found:
        sys.exit(f"{name} {size}: exit {done.returncode}\n{done.stderr[:2000]}")
    return int(found[1].replace(",", ""))


def is_linear(smsched, folder, name, grown, one):
    """Whether the second doubling of these dimensions costs at most MORE times the first; less than a twentieth is noise."""
    base = CASES[name][2]
    two, four = (count(smsched, folder, name, {k: v * (by if k in grown else 1) for k, v in base.items()}) for by in (2, 4))
    linear = four - two <= MORE * (two - one) or four < 1.05 * one
    print(f"{'ok' if linear else 'FAILED'} {name}: {' and '.join(grown)} once, twice, four times: "
          f"{one / 1e6:.1f}, {two / 1e6:.1f}, {four / 1e6:.1f} million instructions")
    return linear


def memory_of(smsched, folder, **size):
    """The most memory, in KiB, that the import of a report of a crowd takes."""
    path = folder / "crowd"
    path.unlink(missing_ok=True)
    crowd(path, **size)
    child = subprocess.Popen([smsched, "import", "nsys", path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    return usage.ru_maxrss if status == 0 else sys.exit(f"a crowd of {size}: status {status}")


def takes_as_much(smsched, folder):
    """Whether launches of many streams take about as much memory as those of one."""
    one, many = (memory_of(smsched, folder, rows=20000, streams=streams) for streams in (1, 100))
    print(f"{'ok' if many < 3 * one else 'FAILED'} nsys: {one} KiB of one stream, {many} KiB of 100")
    return many < 3 * one


def tells_what_is_left_out(smsched, folder):
    """Whether it is said that samples of GPU metrics after the first four million are left out."""
    path = folder / "samples"
    report(path, rows=10, samples=2)
    with sqlite3.connect(path) as db:
        db.execute("WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 4000009) INSERT INTO GPU_METRICS SELECT i, 256, 0, 50 FROM n")
    done = subprocess.run([smsched, "import", "nsys", path], capture_output=True, text=True)
    right = done.returncode == 0 and "from 4000000 samples" in done.stdout and "those that come after so many are left out" in done.stdout
    print(f"{'ok' if right else 'FAILED'} nsys: samples of which some are left out: {done.stdout[:300] if not right else ''}")
    return right


def refuses(smsched, folder, name, text, words):
    """Whether a packed file is refused in these words, and taken no longer than it says."""
    path = folder / "packed.gz"
    with gzip.open(path, "wb", 1) as file:
        for part in text:
            file.write(part)
    done = subprocess.run([smsched, "import", *name, path], capture_output=True, text=True)
    right = done.returncode == 3 and words in done.stderr
    print(f"{'ok' if right else 'FAILED'} {' '.join(map(str, name))}: {path.stat().st_size} bytes, exit {done.returncode}: {done.stderr[:200].strip()}")
    return right


def main():
    smsched, failed = Path(sys.argv[1]).resolve(), 0
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        block = b" " * (1 << 20)
        failed += not refuses(smsched, folder, ["kineto"], [b'{"traceEvents":[{"name":"', *[b"a" * (1 << 20)] * 20, b'"}]}'], "a text of more than 256 KiB")
        for name in ["kineto"], ["nsys"], ["ncu"], ["nvprof"], ["pods", "--columns", "alibaba2025"]:
            failed += not refuses(smsched, folder, name, [b"[" if name[0] == "kineto" else b"SQLite format 3\0", *[block] * 257], "more than 256 MiB of text when it is decompressed; --most takes more")
        failed += not refuses(smsched, folder, ["kineto", "--most", "1 MiB"], [b"[", block, b"]"], "more than 1 MiB of text")
        failed += not refuses(smsched, folder, ["kineto", "--most", "3 MiB"], [b"[", block, block, b"]"], "none of its 0 events")
        failed += not takes_as_much(smsched, folder)
        failed += not tells_what_is_left_out(smsched, folder)
        if not shutil.which("valgrind"):
            print("skipped: there is no valgrind, which counts instructions")
            return failed > 0
        for name, (_, _, base) in CASES.items():
            one = count(smsched, folder, name, base)
            together = [] if name == "ncu" or len(base) == 1 else [list(base)]  # a row of ncu's has all of them: its file grows by their product
            for grown in [[key] for key in base] + together:
                failed += not is_linear(smsched, folder, name, grown, one)
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
