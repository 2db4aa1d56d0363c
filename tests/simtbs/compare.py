#!/usr/bin/env python3
"""Random configurations, simulated by smsched and by the reference model: the bytes
must be the same. Usage: compare.py SMSCHED REFERENCE [COUNT [FIRST SEED]]

REFERENCE is simtbs_ref.py, an independent model of what simtbs does."""
import contextlib
import importlib.util
import io
import os
import random
import subprocess
import sys
import tempfile

POLICIES = ["rr", "rrf", "bfa", "dfa", "smk", "fua"]
OUT_OF_MEMORY = 4


def table(rng, columns, most, first):
    """Rows that rise in every column."""
    fewest = 1 if first else 2  # beyond a row at 0 alone the slope would be x / 0: nothing would get on
    ratios = sorted(rng.sample([i / 20 for i in range(first, most * 20 + 1)], rng.randint(fewest, 4)))
    rows, last = [], [0.0] * columns
    for ratio in ratios:
        last = [value + rng.choice([0.001, 0.03, 0.2, 1.7]) * rng.uniform(0.1, 1) for value in last]
        rows.append(" ".join(["%.4g" % ratio] + ["%.5f" % value for value in last]))
    return "\n".join(rows)


def request(rng, maxima, n_sched, stuck):
    """A scheduling resource is always asked for; with `stuck` perhaps for more than there is."""
    of = []
    for i, most in enumerate(maxima):
        if i < n_sched:
            of.append(rng.randint(1, max(1, most // rng.choice([1, 2, 4, 8]))))
            of[i] += most if stuck and rng.random() < 0.2 else 0
        else:
            of.append(rng.randint(0, max(1, int(most * rng.choice([0.1, 0.3, 1.0])))))
    return of


def configuration(seed):
    """Every run has an end: max_simtime, or blocks that all fit an empty SM."""
    rng = random.Random(seed)
    n_sms, n_sm = rng.choice([1, 2, 3, 4, 7, 16, rng.choice([16, 80])]), rng.randint(1, 12)
    n_mem, n_sched = rng.randint(1, min(2, n_sm)), rng.randint(1, min(n_sm, 4))
    n_compute = rng.randint(0 if rng.random() < 0.2 else n_sched, n_sm)
    maxima = [rng.choice([7, 8, 16, 32, 50, 100, 1536, 65536]) for _ in range(n_sm)]
    memory = rng.choice([10**6, 10**8, 4 * 10**9]) if rng.random() < 0.9 else 500
    stuck = rng.random() < 0.1
    end = rng.choice([50, 200, 600]) if stuck or rng.random() < 0.7 else 0
    types = rng.choice([[0], [1, 2, 3], [1, 10, 11, 12], list(range(13))])
    shapes = [
        (rng.randint(1, 40), rng.randint(1, rng.choice([3, 20, 100])), request(rng, maxima, n_sched, stuck))
        for _ in range(rng.randint(1, 6))
    ]
    start, rows = 1, []
    for _ in range(rng.randint(1, rng.choice([6, 12, 24]))):
        start += rng.choice([0, 0, 1, 3, 25, 400 if rng.random() < 0.1 else 2])
        blocks, duration, of_sm = rng.choice(shapes)
        row = [rng.choice(types), start, blocks, duration] + of_sm + [rng.randint(0, 40) for _ in range(n_mem)]
        rows.append(" ".join(map(str, row)))
    parts = ["# random configuration %d" % seed]
    parts += ["*general\n%d\n" % end] if end else []
    parts.append("*sm\n%d %d %d %s" % (n_sms, n_sched, n_compute, " ".join(map(str, maxima))))
    parts.append("*mem\n" + " ".join([str(memory)] * n_mem))
    parts.append("*overhead_mem\n" + table(rng, n_mem, 1, 1))  # not 0: unused memory would divide 0 by 0
    parts.append("*overhead_sm\n" + table(rng, n_sm, rng.choice([1, 2]), rng.choice([0, 1, 1, 1])))
    parts.append("*kernel\n" + "\n".join(rows))
    return "\n".join(parts) + "\n"


def load_reference(path):
    spec = importlib.util.spec_from_file_location("reference", path)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    spec.loader.exec_module(module)
    return module


def expected(reference, path, policy):
    """What the reference prints, or None where it runs out of memory."""
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            reference.Sim(reference.parse(path), policy).run()
    except SystemExit as end:
        if end.code != OUT_OF_MEMORY:
            raise
        return None
    return out.getvalue()


def simulated(smsched, path, policy):
    """What smsched prints, or None where it runs out of memory."""
    run = subprocess.run([smsched, "run", path, "--policy", policy, "--format", "simtbs"], capture_output=True, text=True)
    if run.returncode == 3 and "out of memory under policy %s," % policy in run.stderr:
        return None
    return run.stdout if run.returncode == 0 else "exit %d: %s" % (run.returncode, run.stderr)


def compare(smsched, reference, seed, work):
    """The number of policies whose runs differ, and of those that ran out of memory."""
    conf, yaml = os.path.join(work, "random.conf"), os.path.join(work, "random.yaml")
    with open(conf, "w", encoding="utf-8") as file:
        file.write(configuration(seed))
    subprocess.run([smsched, "import", "simtbs", conf, "--out", yaml], check=True)
    wrong = short = 0
    for policy in POLICIES:
        theirs, ours = expected(reference, conf, policy), simulated(smsched, yaml, policy)
        short += theirs is None
        if theirs != ours:
            wrong += 1
            print("FAILED: seed %d, %s\n--- reference\n%s\n--- smsched\n%s" % (seed, policy, theirs, ours))
    return wrong, short


def main():
    smsched, path = sys.argv[1:3]
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    reference = load_reference(path)
    with tempfile.TemporaryDirectory() as work:
        results = [compare(smsched, reference, seed, work) for seed in range(first, first + count)]
    wrong, short = (sum(column) for column in zip(*results))
    runs = count * len(POLICIES)
    print("%d runs of %d configurations, %d out of memory: %d differ" % (runs, count, short, wrong))
    sys.exit(wrong != 0 or short == runs)


main()
