#!/usr/bin/env python3
"""tools/capture/programs over programs that sleep: without a GPU, and without torch."""
import csv
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
TOOL = ROOT / "tools/capture/programs"
SLEEP_S = {"sleep-1": 0.001, "sleep-2": 0.002, "sleep-5": 0.005}


def rows_of(folder):
    text = [line for line in (folder / "runs.csv").read_text().splitlines() if not line.startswith("#")]
    return list(csv.DictReader(text))


def tool(*arguments):
    return subprocess.run([TOOL, *map(str, arguments)], capture_output=True, text=True, timeout=600, check=False)


def test_each_run_has_a_row_for_each_process(out):
    done = tool("--out", out, "--programs", "sleep-1,sleep-2,sleep-5", "--scale", 0.1)
    assert done.returncode == 0, done.stderr
    rows = rows_of(out)
    counts = {what: sum(row["what"] == what for row in rows) for what in ("alone", "copies", "served", "servers", "pairs")}
    assert counts == {"alone": 2 * 3, "copies": 3 * (2 + 3 + 4 + 5), "served": 1, "servers": 2, "pairs": 2 * 3}, counts
    assert "# origin: measured" in (out / "runs.csv").read_text()
    for row in rows:
        most = 1 / SLEEP_S[row["program"]]
        assert 0 < float(row["throughput"]) <= most, row  # a request takes at least its sleep
        assert SLEEP_S[row["program"]] * 1e3 <= float(row["p50_ms"]) <= float(row["p90_ms"]) <= float(row["p99_ms"]), row
        assert int(row["requests"]) <= float(row["seconds"]) * most, row
    server = next(row for row in rows if row["what"] == "served")
    alone = next(row for row in rows if row["what"] == "alone" and row["program"] == "sleep-1")
    assert abs(float(server["rate"]) / float(alone["throughput"]) - 0.3) < 1e-4


def test_a_process_that_is_killed_costs_one_program_and_is_replaced(out):
    with subprocess.Popen([TOOL, "--out", out, "--programs", "sleep-1,sleep-2", "--scale", "0.3"], stderr=subprocess.PIPE, text=True) as run:
        until = time.monotonic() + 300
        while time.monotonic() < until and "copies 1 begins" not in (out / "log.txt").read_text() if (out / "log.txt").exists() else True:
            time.sleep(0.02)
        workers = [int(pid) for pid in re.findall(r"worker (\d+) is there", (out / "log.txt").read_text())]
        os.kill(workers[0], signal.SIGKILL)
        _, errors = run.communicate(timeout=600)
    assert run.returncode == 0, errors
    assert f"worker {workers[0]} ended" in errors, errors
    assert len(re.findall("is left out", errors)) == 1, errors
    assert any(row["repetition"] == "2" for row in rows_of(out))  # the rest went on to the end


def test_what_there_is_no_time_for_is_named(out):
    done = tool("--out", out, "--programs", "sleep-1,sleep-2", "--seconds", 3)
    assert done.returncode == 0, done.stderr
    assert re.search(r"\d+ runs of copies are missing: no time was left", done.stderr), done.stderr


def test_wrong_words_are_refused(out):
    for arguments, text in ((["--out", out, "--programs", "sleep-3"], "unknown program 'sleep-3'"),
                            (["--out", out, "--percentage", 50], "--percentage is for --mode mps"), ([], "what to do")):
        done = tool(*arguments)
        assert done.returncode == 2 and text in done.stderr and not out.exists(), done.stderr


def test_a_plan_needs_no_gpu(_):
    done = tool("--plan", "--programs", "sgemm,stream,resnet50-1")
    assert done.returncode == 0 and re.search(r"^pairs +3 runs", done.stdout, re.M), done.stdout


def main():
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            with tempfile.TemporaryDirectory() as folder:
                test(Path(folder) / "out")
            print(f"{name}: passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
