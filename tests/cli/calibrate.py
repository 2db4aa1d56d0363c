#!/usr/bin/env python3
"""Calibration against traces whose truth is known: the simulator runs programs on a device with another slice, switch, launch and knee, its kernels
become a report of Nsight Systems, and calibrate finds the values within the intervals that it prints. Then input that is refused, a folder that
tools/validate takes, and traces of others, where the data is. Usage: calibrate.py SMSCHED"""
import csv
import gzip
import json
import math
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
DATA = Path(os.environ.get("SMSCHED_DATA", ROOT / "../shared/data"))
sys.path.insert(0, str(ROOT / "tests/import"))
sys.dont_write_bytecode = True
import nsys  # noqa: E402

smsched = str(Path(sys.argv[1]).resolve())
failed = 0
V100 = nsys.GPU | dict(name="Tesla V100-SXM2-16GB", computeMajor=7, computeMinor=0, smCount=80, clockRate=1530000000, totalMemory=16 << 30,
                       memoryBandwidth=900000000000, maxWarpsPerSm=64, maxBlocksPerSm=32, maxShmemPerSm=98304)
TRUE = {"slice": 1.5e-3, "switch": 300e-6, "launch": 6e-6, "block": 3e-9, "knee_dram": 4}
WORK = """\
device: truth
inherits: v100
time_slice: {slice: 1.5 ms, switch: 300 us}
dispatch: {launch: 6 us, block: 3 ns}
resources: {dram: {knee: 4}}
---
workload: train
kernels:
  - {name: gemm, blocks: 640, threads: 256, block_time: 90 us, jitter: 3 %}
  - {name: norm, blocks: 320, threads: 256, block_time: 25 us, jitter: 3 %}
steps: [{launch: gemm, times: 3}, {launch: norm}]
---
workload: serve
kernels: [{name: attend, blocks: 160, threads: 128, block_time: 55 us, jitter: 5 %}, {name: linear, blocks: 240, threads: 128, block_time: 70 us, jitter: 5 %}]
steps: [{launch: attend}, {launch: linear, times: 2}]
---
"""
THREADS = {"gemm": 256, "norm": 256, "attend": 128, "linear": 128, "nothing": 32, "stream": 1024}


def check(what, right, seen=""):
    global failed
    if not right:
        print(f"FAILED: {what}: {seen}")
        failed += 1


def trace(work, name, scenario, seed=1, noise=None):
    """A report of the kernels of a scenario, as Nsight Systems would have it."""
    path = work / f"{name}.sqlite"
    (work / f"{name}.yaml").write_text(WORK + f"scenario: {name}\ndevices: [{{model: truth}}]\n{scenario}")
    subprocess.run([smsched, "run", work / f"{name}.yaml", "--quiet", "--set", f"run.seed={seed}", "--trace", work / "t.json.gz", "--format", "csv",
                    "--force"], check=True, capture_output=True)
    report = nsys.Report(path, gpu=V100)
    with gzip.open(work / "t.json.gz", "rt") as file:
        events = json.load(file)["traceEvents"]
    pids, kernels = {}, [event for event in events if event.get("cat") == "kernel"]
    for i, event in enumerate(sorted(kernels, key=lambda event: event["args"]["start_ps"])):
        tenant, kernel = event["name"].split("/")
        if tenant not in pids:
            pids[tenant] = 100 + len(pids)
            report.process(pids[tenant], f"/usr/bin/{tenant}")
        start, end = (round(event["args"][key] / 1000) for key in ("start_ps", "end_ps"))
        kernel = re.sub(r"_\d+$", "", kernel)
        length = round((end - start) * (1 + (noise or 0) * nsys.wobble(i, 1000) / 1000))
        report.kernel(f"{kernel}(float*)", start, length, grid=event["args"]["blocks"], block=THREADS[kernel], pid=pids[tenant])
    report.close()
    return path


def alone(work, name, program, seed):
    return trace(work, name, f"policies: [{{mode: mps}}]\nprocesses: [{{name: {program}, workload: {program}, repeat: 60}}]\n", seed)


def pair(work, name, seed, mode="time_slice", slices="", time="400 ms"):
    return trace(work, name, f"policies: [{{mode: {{{mode}: {{{slices}}}}}}}]\nprocesses: [{{name: train, workload: train, repeat: forever}}, "
                 f"{{name: serve, workload: serve, repeat: forever}}]\nrun: {{duration: {time}}}\n", seed)


def probes(work):
    """An empty kernel of one to many waves, and one that reads, each grid launched a few times with a little noise."""
    empty, reads = [1280 * i for i in range(1, 13)], [10 * i for i in range(1, 17)]
    kernels = [f"{{name: nothing_{n}, blocks: {n}, threads: 32, block_time: 1 ns}}" for n in empty]
    kernels += [f"{{name: stream_{n}, blocks: {n}, threads: 1024, block_time: 200 us, measured_blocks: 1, demand: {{dram: 90 %}}}}" for n in reads]
    steps = [f"{{launch: {kernel}_{n}, times: 3}}" for kernel, grids in (("stream", reads), ("nothing", empty)) for n in grids]
    global WORK
    before, WORK = WORK, WORK + f"workload: probes\nkernels: [{', '.join(kernels)}]\nsteps: [{', '.join(steps)}]\n---\n"
    path = trace(work, "probes", "contention: knee\npolicies: [{mode: mps}]\nprocesses: [{name: probes, workload: probes, repeat: 1}]\n", noise=0.002)
    WORK = before
    return path


def calibrate(*arguments, code=0):
    done = subprocess.run([smsched, "calibrate", *map(str, arguments)], capture_output=True, text=True, timeout=900)
    check(f"exit {code} of calibrate {' '.join(str(argument) for argument in arguments)}", done.returncode == code, f"{done.returncode}: {done.stderr}{done.stdout}")
    return done.stderr if code else done.stdout


def check_values(out, names):
    """The truth is in the interval of each value, and the interval is narrow."""
    for name in names:
        row = re.search(rf"^ *{name}  .*?([\d.]+) ± ([\d.]+)(?: (ms|us|ns|MHz))?", out, re.M)
        check(f"{name} is fitted", row, out)
        if row:
            unit = {None: 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9, "MHz": 1e6}[row[3]]
            value, half = float(row[1]) * unit, float(row[2]) * unit
            check(f"{name} is {TRUE[name]:g}", abs(value - TRUE[name]) <= half * 1.01, row[0])
            check(f"the interval of {name} is narrow", half < 0.1 * TRUE[name], row[0])


def check_truth(work):
    files = [alone(work, f"{name}-{seed}", name, seed) for name in ("train", "serve") for seed in (1, 2)]
    files += [pair(work, f"pair-{seed}", seed) for seed in (1, 2)] + [probes(work)]
    out = calibrate(*files, "--device", "v100", "--empty", "nothing", "--reads", "stream", "--out", work / "made")
    check_values(out, TRUE)
    check("what no run shows stays unknown, with the run that would", "compute_clock not measured: a report of ncu" in out, out)
    held = re.search(r"median error of the (\d+) values held back \(programs together, and probes\): ([\d.]+) % as fitted, ([\d.]+) % as shipped", out)
    check("held-back values are predicted, and better than with the sheet as shipped", held and float(held[2]) < 0.5 < 5 < float(held[3]), out)
    for what in ("step of train-1", "step of serve-1"):
        row = re.search(rf"^ *pair-1 +{what} .*?([+-][\d.]+) % +([+-][\d.]+) % +([+-][\d.]+) %$", out, re.M)
        check(f"the {what} beside the other is predicted", row and abs(float(row[1])) < 2 < abs(float(row[2])) < abs(float(row[3])), out)
    again = calibrate(*files, "--device", "v100", "--empty", "nothing", "--reads", "stream", "--jobs", "1")
    check("threads change nothing", again == out, again)
    (work / "own/devices").mkdir(parents=True)
    sheet = (ROOT / "models/devices/v100.yaml").read_text()
    (work / "own/devices/v100.yaml").write_text(re.sub("^title: .*", lambda _: r"""title: "my lab's\LV100 \"\uFEFF\\" """, sheet, flags=re.M))
    out = calibrate(*files[:5], "--device", "v100", "--models", work / "own")
    check("a single pair is held back", "slice not measured: pair-1 shows 1.5 ms and is held back; trace the same once more" in out, out)
    out = calibrate(*files[:6], pair(work, "pair-3", 3), pair(work, "pair-4", 4), "--device", "v100")
    check("turns of two runs are not said to be of one", re.search(r"slice .* turns of 2 runs", out), out)
    return files


def check_folder(work):
    about, device = (work / "made/about.yaml").read_text(), (work / "made/v100-calibrated.yaml").read_text()
    check("the device inherits", "inherits: v100" in device and "slice: 1.5 ms" in device, device)
    rows = list(csv.DictReader((work / "made/measured.csv").read_text().splitlines()))
    check("rows are fitted and held back", {row["part"] for row in rows} == {"fit", "test"}, rows)
    pages = [ROOT / "docs/evidence/validation.md", ROOT / "models/trust.yaml"]
    times = [path.stat().st_mtime_ns for path in pages]
    done = subprocess.run([ROOT / "tools/validate", work / "made"], capture_output=True, text=True,
                          env=dict(os.environ, SMSCHED_BUILD=str(Path(smsched).parent.parent)))
    if "tools/setup --dev" in done.stderr:
        print("skipped: tools/validate needs numpy and yaml")
        return
    check("tools/validate takes the folder", done.returncode == 0 and (work / "made/page.md").exists(), done.stdout + done.stderr + about)
    summary = list(csv.DictReader((work / "made/summary.csv").read_text().splitlines()))
    held = {row["model"]: row for row in summary if (row["group"], row["part"]) == ("all", "test")}
    check("and computes the same errors", float(held["smsched"]["median"]) < 0.5 < float(held["shipped"]["median"]), held)
    check("a folder elsewhere changes no page of the repository, not even for a moment", [path.stat().st_mtime_ns for path in pages] == times)


def check_refusals(work, files):
    def refuse(told, *arguments, mode=()):
        said = calibrate(*arguments, "--device", "v100", *mode, "--out", work / "none", code=3)
        check(f"it says '{told}'", told in said, said)
        check("nothing is written", not (work / "none").exists())
    train, again, serve, _, first, second, probe = files
    said = calibrate(*files, "--device", "v100", "--memory", "1 MiB", "--out", work / "none", code=4)
    check("what traces take counts", "error: the traces need more than 1 MiB of memory; --memory SIZE allows more" in said, said)
    check("nothing is written", not (work / "none").exists())
    said = calibrate(*files, "--device", "v100", "--reads", "stream", "--empty", "stream", code=2)
    check("a kernel does one thing", "are for different kernels" in said, said)
    refuse("train-1.sqlite: error: is the only run", train)
    report = nsys.Report(work / "nothing-ran.sqlite", gpu=V100)
    report.close()
    refuse("nothing-ran.sqlite: error: no kernel ran while it was traced", train, work / "nothing-ran.sqlite")
    for path, gpu in ((work / "two-gpus.sqlite", V100), (work / "two-kinds.sqlite", V100 | dict(name="Tesla T4", computeMinor=5))):
        report = nsys.Report(path, gpu=V100)
        report.add("TARGET_INFO_GPU", gpu | dict(id=1, cuDevice=1))
        for i in range(16):
            report.kernel("gemm(float*)", 200_000 * i, 50_000, device=i % 2)
        report.close()
        for order in (path, train), (train, path):
            refuse(f"{path.name}: error: kernels ran on several GPUs, '{V100['name']} (0)' and '{gpu['name']} (1)': trace programs on one GPU", *order)
    said = calibrate(train, again, "--device", "a100", code=3)
    check("another device", said.count("the profiled GPU is 'Tesla V100-SXM2-16GB', which is no a100") == 2, said)
    for name in ("a/b", "", "a b", ".."):
        said = calibrate(train, again, "--device", "v100", "--name", name, "--out", work / "none", code=2)
        check(f"it says that '{name}' is not a name", f"--name: '{name}' is not a name" in said, said)
    refuse("no run alone has most of the kernels of process 'serve", train, first)
    refuse("no run has a kernel 'strem'", train, again, probe, mode=("--reads", "strem"))
    said = calibrate(train, work / "gone.sqlite", "--device", "v100", code=3)
    check("a file that does not exist", "gone.sqlite: error: cannot be read: No such file or directory" in said, said)
    refuse("README.md: error: is no trace", ROOT / "README.md")
    refuse("is no trace", train, ROOT / "scenarios/01-two-tenants.yaml")
    slow = pair(work, "slow", 3, slices="slice: 4 ms, switch: 100 us", time="800 ms")
    refuse("contradicts", train, serve, first, second, slow)
    both = pair(work, "both", 1, mode="mps")
    refuse("kernels of both processes run at the same time, so these are not time slices; give --mode mps", train, serve, both)
    out = calibrate(train, serve, both, "--device", "v100", "--mode", "mps")
    for row in re.findall(r"^ *both +(step.*?)  .*?([+-][\d.]+) % +[+-]", out, re.M):
        check(f"{row[0]} under MPS is predicted", abs(float(row[1])) < 8, out) # programs fall into step, or not
    check("kernels under MPS are predicted", "gemm of train-1" in out, out)
    (work / "other").mkdir()
    (work / "other/train-1.sqlite").write_bytes(train.read_bytes())
    refuse("has the same name as", train, work / "other/train-1.sqlite")


def report_of(work, name, programs, turn=None):
    """A report of programs whose kernels are of very unequal length, alone or in turns of a slice and two switches."""
    report, draw = nsys.Report(work / f"{name}.sqlite", gpu=V100), random.Random(name)
    for i, program in enumerate(programs):
        report.process(100 + i, f"/usr/bin/{program}")
        left = turn[0] if turn else math.inf
        now = i * sum(turn) if turn else 0
        while now < (400_000_000 if turn else 20_000_000):
            start, length = now, draw.randint(10_000, 150_000)
            while length > left:
                now, length, left = now + left + turn[0] + 2 * turn[1], length - left, turn[0]
            now, left = now + length, left - length
            report.kernel(f"{program}(float*)", start, now - start, grid=160, block=128, pid=100 + i)
    report.close()
    return work / f"{name}.sqlite"


def check_unequal(work):
    """The end of a turn falls into long kernels more often than into short ones, and values do not suffer from it."""
    programs = ("long", "short")
    files = [report_of(work, f"{program}-1", [program]) for program in programs]
    files += [report_of(work, f"unequal-{i}", programs, (1_500_000, 300_000)) for i in (1, 2)]
    check_values(calibrate(*files, "--device", "v100"), ["slice", "switch"])
    out = calibrate(files[0], report_of(work, "twins", ["long", "long"]), "--device", "v100", "--mode", "mps")
    check("kernels of two processes of a program are told apart", all(re.search(f"long of {name}  ", out) for name in ("long-1", "long-1-2")), out)
    both = report_of(work, "long-1-2", ["other"]), report_of(work, "three", ["long", "long", "other"])
    out = calibrate(files[0], *both, "--device", "v100", "--mode", "mps")
    check("a second process is not called as another program is", "long of long-1.2  " in out and "other of long-1-2  " in out, out)


def check_no_knee(work, files):
    """Grids that all fill DRAM show how fast it is, and not how sharp its knee is. Grids that all take as long show neither."""
    for name, time in ("flat", lambda grid, i: 200_000), ("full", lambda grid, i: 4000 * grid * (1 + 0.01 * nsys.wobble(i, 1000) / 1000)):
        report, now = nsys.Report(work / f"{name}.sqlite", gpu=V100), 0
        for i in range(48):
            length = round(time(10 + i // 3 * 10, i))
            report.kernel("stream(float*)", now, length, grid=10 + i // 3 * 10, block=1024)
            now += length + 10_000
        report.close()
        out = calibrate(*files[:2], work / f"{name}.sqlite", "--device", "v100", "--reads", "stream", "--out", work / name)
        check("a knee that the times do not show", "knee_dram not measured: the times of stream over its grids show no knee between 1 and 64" in out, out)
        check("is not in the device", "knee" not in (work / f"{name}/v100-calibrated.yaml").read_text())
    report, now = nsys.Report(work / "falling.sqlite", gpu=V100), 0
    for i in range(36):
        report.kernel("nothing()", now, 20_000 - 100 * (i // 3), grid=2560 * (i // 3 + 1), block=32)
        now += 40_000
    report.close()
    out = calibrate(*files[:2], work / "falling.sqlite", "--device", "v100", "--empty", "nothing")
    for value in ("launch", "block"):
        check(f"times that fall give no {value}", f"{value} not measured: the times of nothing fall as its grid grows" in out, out)
    with sqlite3.connect(work / "full.sqlite") as db:
        db.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET blockX = 512 WHERE gridX = 10 AND start > 0")
    db.close()
    said = calibrate(*files[:2], work / "full.sqlite", "--device", "v100", "--reads", "stream", code=3)
    check("a grid of several sizes of block", "kernel 'stream' has blocks of 1024 and of 512 threads" in said, said)


def check_huge_grid(work, files):
    """A grid of 2^70 blocks, which no GPU can have, is not one of 0 blocks. A kernel may have a name that no scenario may."""
    path = work / "huge.sqlite"
    path.write_bytes(files[-1].read_bytes())
    with sqlite3.connect(path) as db:
        db.execute(f"UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX = {2**40}, gridY = {2**30} WHERE rowid = (SELECT min(k.rowid) FROM "
                   "CUPTI_ACTIVITY_KIND_KERNEL k JOIN StringIds s ON s.id = k.demangledName WHERE s.value LIKE '%stream%')")
        db.execute("UPDATE StringIds SET value = 'nöthing(float*)' WHERE value = 'nothing(float*)'")
    db.close()
    check_values(calibrate(*files[:2], path, "--device", "v100", "--empty", "nöthing", "--reads", "stream"), ["launch", "knee_dram"])


def check_clock(work, files):
    """The clock of a report of ncu, in its own units."""
    path = work / "hot.csv"
    for unit, factor in (("cycle/nsecond", 1), ("cycle", 1e9)):  # of a rate, ncu may leave out what it is per
        path.write_text('"ID","Kernel Name","Block Size","Grid Size","Device","CC","gpu__time_duration.sum","smsp__cycles_elapsed.avg.per_second"\n'
                        f'"","","","","","","usecond","{unit}"\n' +
                        "".join(f'"{i}","hot(float*)","(256, 1, 1)","(640, 1, 1)","0","7.0","900","{(1.38 + i % 3 / 1000) * factor:.9g}"\n' for i in range(6)))
        out = calibrate(*files[:2], path, "--device", "v100", "--computes", "hot")
        check(f"the clock in {unit}", re.search(r"compute_clock +- +1381\.0 ± 0\.9 MHz +6 launches of hot", out), out)
    (work / "hotter.csv").write_text(path.read_text())
    out = calibrate(path, work / "hotter.csv", "--device", "v100", "--computes", "hot")
    check("the clock needs no run of a program", "12 launches of hot" in out and "held back\n  nothing\n" in out, out)
    said = calibrate(*files[:2], path, "--device", "v100", code=3)
    check("of counters only the clock is taken", "such a report gives only the clock" in said, said)


def check_real_traces():
    """Of others: one program each, so nothing is together, and what is printed is steps and kernels alone."""
    if not DATA.exists():
        print("skipped: no measured data of others")
        return
    out = calibrate(DATA / "nsys/a100_cutlass.sqlite.gz", DATA / "kineto/alexnet.json.gz", "--device", "a100")
    check("kernels of a real trace are met", "a100_cutlass" in out and "slice not measured" in out, out)


def main():
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        files = check_truth(work)
        check_folder(work)
        check_refusals(work, files)
        check_clock(work, files)
        check_unequal(work)
        check_no_knee(work, files)
        check_huge_grid(work, files)
        check_real_traces()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
