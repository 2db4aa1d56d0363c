#!/usr/bin/env bash
# Precision, warm-up, comparisons and half-widths as a user meets them, checked against independent arithmetic.
# Usage: statistics.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
scenarios=$PWD/scenarios
cd "$work" || exit 1


cat >two.yaml <<'END'
workload: w
kernels: [{name: k, blocks: 40, threads: 128, block_time: 10 us, jitter: 30 %, demand: {fp32: 30 %}}]
---
scenario: two
devices: [{model: v100, dispatch: none, sms: 4}]
contention: proportional
policies: [round_robin, {fine_grained: {limit: 100 %}}, breadth_first]
vms:
  - {name: a, workload: w, repeat: forever, start: 0 ms}
  - {name: b, workload: w, repeat: forever, arrivals: {poisson: 200 us}}
answer: {metric: kernels_per_s}
run: {warmup: 0.1 ms, duration: 2 ms, until: 2 %}
expect: [{metric: kernels_per_s, policy: round_robin, min: 1}]
END

# Every policy gets the same number of added replications. All outputs say whether the precision was reached.
try 0 "until" run two.yaml; prints "replications, kernels_per_s of host to ± "
"$smsched" run --format json --jobs 1 two.yaml >one.json
for way in "--jobs 5" "--engine reference" "--check"; do
    # shellcheck disable=SC2086
    "$smsched" run --format json $way two.yaml >other.json
    same one.json other.json "until with $way differs"
done
n=$(python3 -c 'import json; print(json.load(open("one.json"))["replications"])')
try 0 "as many by number" run --format csv --replications "$n" two.yaml
"$smsched" run --format csv --replications "$n" two.yaml >number.csv
"$smsched" run --format csv two.yaml >until.csv
same number.csv until.csv "$n replications by number and by precision differ"
try 0 "check" check two.yaml; prints "1 checked, 0 missed"
try 0 "a number instead" run --replications 2 two.yaml; prints "2 replications"
if grep -q "to ±" <<<"$output"; then bad "a number of replications is no precision"; else ok; fi
try 0 "a folder" run --quiet --out folder two.yaml
sed 's/until: 2 %/until: {precision: 0.1 %, most: 12}/' two.yaml >hard.yaml
for command in run compare check; do
    try 0 "$command of what is not reached" "$command" hard.yaml
    prints "hard.yaml:12:46: warning: after the maximum of 12 replications kernels_per_s of host is known to ± "
done
"$smsched" run --format json hard.yaml >hard.json 2>/dev/null
# What is the same in all replications under one policy is known exactly, so others alone decide how many there are.
cat >mixed.yaml <<'END'
scenario: mixed
nodes: [{name: a, count: 20, gpus: 4, cpu: 32}]
policies: [first_fit, random]
pods:
  - {name: p, count: 100, gpu: 30 %, arrivals: {every: 1 s}, duration: 60 s}
  - {name: q, count: 30, gpus: 2, arrivals: {every: 3 s}, duration: 80 s}
run: {until: {precision: 20 %, metric: wait_mean_ns}}
END
try 0 "until beside a policy that draws nothing" run mixed.yaml
if grep -q "warning" <<<"$output"; then bad "a precision of what repeats" "$output"; else ok; fi
mixed() { "$smsched" run --format json "$@" | python3 -c 'import json, sys; print(json.load(sys.stdin)["replications"])'; }
n=$(mixed mixed.yaml)
if [ "$n" -lt 100 ] && [ "$n" = "$(mixed --policy random mixed.yaml)" ]; then ok; else bad "$n replications beside what repeats"; fi
sed 's/warmup: 0.1 ms, duration: 2 ms/warmup: auto, duration: 20 ms/; s/name: b,/name: b, start: 5 ms,/; s/, arrivals.*us}//' \
    two.yaml >late.yaml
try 0 "a warm-up that is found" run late.yaml; prints ", warm-up "
"$smsched" run --format json late.yaml >late.json
sed 's/warmup: auto/warmup: 1 ms/' late.yaml >early.yaml
try 0 "a warm-up that is too short" run early.yaml
prints "early.yaml:12:15: warning: the warm-up looks too short: under "; prints "kernels of b end at a different rate until about 5."
# The longest names are told whole: two of them may differ at the end alone.
long=$(printf 'b%.0s' {1..100})
sed "s/name: b/name: $long/" early.yaml >long.yaml
try 0 "a warm-up that is too short for a long name" run long.yaml; prints "kernels of $long end at a different rate until about "
sed "s/name: b/name: $long/; s/duration: 2 ms/duration: 1 ms/; s/until: 2 %/until: {where: {kernels_per_s of $long: \">= 5000\/s\"}, most: 12}/" two.yaml >long.yaml
try 0 "a limit that is not told of a long name" run long.yaml; prints "kernels_per_s of $long cannot be distinguished from 5000 under "
cat >over.yaml <<'END'
workload: w
kernels: [{name: k, time: 1 ms}]
---
scenario: s
devices: [{model: v100}]
policies: [{mode: mps}]
processes: [{name: p, workload: w, repeat: 3}]
run: {warmup: 4 ms}
END
try 0 "a warm-up that outlasts the work" run over.yaml
prints "over.yaml:8:15: warning: the warm-up is left out: it ends at 4 ms, and under mps all work is done at 3 ms"
sed -i 's/warmup: 4 ms/warmup: 2 ms/' over.yaml
try 0 "a warm-up that the work outlasts" run over.yaml
if grep -q "left out" <<<"$output"; then bad "a warm-up that the work outlasts" "$output"; else ok; fi

# Comparisons: Student's paired test and Holm's correction, computed from the replications' values, which a sweep keeps.
cat >values.yaml <<'END'
plan: values
base: two.yaml
until: 3 %
axes: [contention.slope: [1, 2, 3]]
END
try 0 "a sweep until" sweep --jobs 1 values.yaml; prints "3 points: 3 run now"
for way in "--jobs 3" "--engine reference"; do
    # shellcheck disable=SC2086
    try 0 "a sweep until, $way" sweep --out other.sweep $way values.yaml
    same values.sweep/results other.sweep/results "a sweep until with $way differs"
    rm -r other.sweep
done
for k in 2 1; do try 0 "shard $k/2" sweep --shard $k/2 --out other.sweep values.yaml; done
try 0 "a merge" sweep merge --out other.sweep values.yaml
same values.sweep/results other.sweep/results "shards of a sweep until differ"
sed -i 's/until: 3 %/until: 5 %/' values.yaml
try 1 "another precision, other points" sweep status values.yaml; prints "0 done, 0 failed, 3 missing"
sed -i 's/until: 5 %/until: 3 %/' values.yaml
try 0 "the same again" sweep values.yaml; prints "0 run now, 3 before"
cat >own.yaml <<'END'
plan: own
base: two.yaml
axes: [run.until: [1 %, 3 %, {precision: 0.1 %, most: 7}]]
END
try 0 "precision as an axis" sweep own.yaml; prints "3 points: 3 run now"
prints "own.sweep/results: 1 point has warnings: see points.csv"
said='done,"after the maximum of 7 replications kernels_per_s of host is known to ± '
if [ "$(grep -c ",$said" own.sweep/results/points.csv)" = 1 ] && tail -1 own.sweep/results/points.csv | grep -q ",$said"; then ok
else bad "a sweep says of a precision that was not reached" "$(cat own.sweep/results/points.csv)"; fi
"$smsched" report --format json own.sweep >own.json
if python3 -c 'import json; w = json.load(open("own.json"))["warnings"]; assert len(w) == 1 and w[0][0] == 2 and "known to" in w[0][1], w'; then ok
else bad "a report of a sweep has its warnings"; fi
sed 's/until: 3 %/until: three/' values.yaml >wrong.yaml
try 3 "a precision that is none" validate wrong.yaml; prints "wrong.yaml:3:8: error: 'three' is not a number"
sed 's/until: 2 %/until: 3 %/; s/proportional/{model: proportional, slope: 2}/' two.yaml >slope.yaml
"$smsched" compare --format json slope.yaml >compare.json
"$smsched" compare slope.yaml >compare.txt
"$smsched" compare --seed 4 --replications 6 slope.yaml >few.txt
"$smsched" compare --seed 4 --replications 6 --format json slope.yaml >few.json
if python3 - <<'END'; then ok "arithmetic"; else bad "arithmetic"; fi
import json, math, sqlite3

def student(x, df, steps=20000):
    """P(|T| > x) by Simpson's rule over the density, which is as plain as it gets."""
    c = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    f = lambda t: c * (1 + t * t / df) ** (-(df + 1) / 2)
    h = x / steps
    inside = h / 3 * sum((1 if i in (0, steps) else 4 if i % 2 else 2) * f(i * h) for i in range(steps + 1))
    return max(0.0, 1 - 2 * inside)

def mean(x): return sum(x) / len(x)
def sd(x): return math.sqrt(sum((v - mean(x)) ** 2 for v in x) / (len(x) - 1))

# Tables of published quantiles (Fisher and Yates).
db = sqlite3.connect("values.sweep/results/sweep.db")
t95 = dict(db.execute("SELECT n, t95 FROM student"))
for n, t in ((2, 12.706), (3, 4.303), (6, 2.571), (11, 2.228)):
    assert abs(t95[n] - t) < 6e-4, (n, t95[n])

for point in range(3):
    value = {}
    for position, name, replication, x in db.execute(
            "SELECT position, name, replication, jobs_per_s FROM vm WHERE point = ? ORDER BY replication", (point,)):
        value.setdefault((position, name), []).append(x)
    n = len(value[0, "a"])
    assert all(len(x) == n for x in value.values()) and len(value) == 6, value.keys()
    means = db.execute("SELECT position, name, replications, jobs_per_s, ci95_jobs_per_s FROM vm_mean_ci95 WHERE point = ?", (point,)).fetchall()
    assert len(means) == 6
    for position, name, count, x, half in means:
        own = value[position, name]
        assert count == n and abs(x / mean(own) - 1) < 1e-12
        assert abs(half / (t95[n] * sd(own) / math.sqrt(n)) - 1) < 1e-6, (half, own)
        assert abs(student(half / (sd(own) / math.sqrt(n)), n - 1) - 0.05) < 1e-7
    changes = db.execute("SELECT position, name, jobs_per_s, ci95_jobs_per_s FROM vm_change_ci95 WHERE point = ?", (point,)).fetchall()
    assert len(changes) == 4
    for position, name, x, half in changes:
        base = value[0, name]
        ratio = mean(value[position, name]) / mean(base)
        off = [(a - ratio * b) / mean(base) for a, b in zip(value[position, name], base)]
        assert abs(x + 1 - ratio) < 1e-12 and abs(half - t95[n] * sd(off) / math.sqrt(n)) < 1e-9, (x, half)
    host = db.execute("SELECT kernels_per_s, ci95_kernels_per_s FROM host_mean_ci95 WHERE point = ?", (point,)).fetchall()
    assert len(host) == 3 and all(half <= 0.03 * x for x, half in host), host
    if point == 1:
        slope2 = value
own = sqlite3.connect("own.sweep/results/sweep.db")
numbers = [n for n, in own.execute("SELECT replications FROM host_mean WHERE position = 0 ORDER BY point")]
assert numbers[0] > 20 > numbers[1] >= 10 and numbers[2] == 7, numbers  # each point has as many as it needs

# `compare` has the values of the sweep's second point.
compare = json.load(open("compare.json"))
family = compare["comparisons"]
assert len(family) == 2 * 14, len(family)
position = {run["policy"]: i for i, run in enumerate(compare["runs"])}
for c in family:
    assert 0 <= c["p"] <= c["p_holm"] <= 1, c
    if (c["subject"], c["metric"]) != ("vm", "jobs_per_s"):
        continue
    a, b = slope2[position[c["policy"]], c["name"]], slope2[0, c["name"]]
    ratio, difference, n = mean(a) / mean(b), [x - y for x, y in zip(a, b)], len(a)
    off = [(x - ratio * y) / mean(b) for x, y in zip(a, b)]  # the delta method of a ratio of means
    assert abs(c["ratio"] - ratio) < 1e-9 and abs(c["difference"] - mean(difference)) < 1e-3
    assert abs(c["ratio_ci95"] - t95[n] * sd(off) / math.sqrt(n)) < 1e-6
    assert abs(c["difference_ci95"] / (t95[n] * sd(difference) / math.sqrt(n)) - 1) < 1e-6
    p = student(abs(ratio - 1) / (sd(off) / math.sqrt(n)), n - 1)
    assert abs(c["p"] - p) < 1e-7 + 1e-4 * p, (c, p)
    assert (c["p"] < 0.05) == (abs(c["ratio"] - 1) > c["ratio_ci95"])
for metric in {c["metric"] for c in family}:  # a family is what compares one metric
    ordered, least = sorted((c for c in family if c["metric"] == metric), key=lambda c: c["p"]), 0
    for i, c in enumerate(ordered):
        least = max(least, min(1, (len(ordered) - i) * c["p"]))
        assert abs(c["p_holm"] - least) < 1e-11, c
judged = [c for c in family if "maximum_of" not in c]  # 2 ms have fewer than 100 jobs, so a p99 is their maximum
assert len(judged) == len(family) - 4
for c in family:
    if c in judged:
        continue
    assert c["metric"] == "job_latency_p99_ns" and c["verdict"] == "no verdict" and 0 < c["maximum_of"] < 100, c
for c in judged:
    assert c["verdict"] == ("differs" if c["p_holm"] < 0.05 else "excludes 0, not after correction" if c["p"] < 0.05 else "includes 0"), c
text = open("compare.txt").read()
assert sum(text.count(mark + sign) for mark in "✓✗*" for sign in (" +", " -")) == sum(c["p_holm"] < 0.05 for c in judged), text
assert "significant, p < 0.05 after Holm's correction for all changes of the same metric (4 at most)" in text, text
# Changes that only an uncorrected interval would call a difference are named.
few = json.load(open("few.json"))["comparisons"]
doubtful = [c for c in few if c["verdict"] == "excludes 0, not after correction"]
assert doubtful and all(c["p"] < 0.05 <= c["p_holm"] for c in doubtful), few
named = ", ".join(f"{c['name']} {c['metric']} of {c['policy']}" for c in doubtful)
assert f"  significant before Holm's correction, but not after it: {named}\n" in open("few.txt").read(), named

# JSON and manifest say how the run ended, and nothing if there was no precision, warm-up or warning.
one, hard, late = (json.load(open(f"{name}.json")) for name in ("one", "hard", "late"))
until = one["until"]
assert until["met"] and until["precision_ratio"] == 0.02 and 0 < until["reached_ratio"] <= 0.02, until
assert (until["subject"], until["name"], until["metric"], until["most"]) == ("host", "host", "kernels_per_s", 100)
assert "warnings" not in one and "warmup_ns" not in one
for run in one["runs"]:
    host = run["host"]
    assert host["ci95"]["kernels_per_s"] <= until["reached_ratio"] * host["kernels_per_s"] * (1 + 1e-6), (run["policy"], host["ci95"]["kernels_per_s"], host["kernels_per_s"], until)
assert not hard["until"]["met"] and hard["replications"] == 12 and "known to" in hard["warnings"][0], hard["warnings"]
assert 5e6 <= late["warmup_ns"] < 8e6, late["warmup_ns"]  # the device is busy before: only the mix changes
manifest = json.load(open("folder/manifest.json"))["scenarios"][0]
assert manifest["until"].keys() == until.keys() and abs(manifest["until"]["reached_ratio"] - until["reached_ratio"]) < 1e-9
assert manifest["replications"] == one["replications"]
END

# Percentiles of few jobs are maxima and win nothing; no miss is not 0 %; neither maxima nor percentiles
# that are mostly the same have an interval.
cat >few.yaml <<'END'
workload: w
synthetic: true
kernels: [{name: k, blocks: 40, threads: 128, block_time: 10 us, jitter: 30 %, demand: {fp32: 30 %}}]
---
scenario: few
devices: [{model: v100, dispatch: none, sms: 4}]
contention: {model: proportional, slope: 2}
policies: [round_robin, {fine_grained: {limit: 100 %}}]
vms:
  - {name: s, workload: w, repeat: 10, arrivals: {poisson: 300 us}, deadline: 1 s}
  - {name: t, workload: w, repeat: forever}
run: {duration: 20 ms, replications: 6}
answer: {metric: job_latency_p99_ns, of: s}
END
try 0 "a maximum of few jobs" compare few.yaml
prints "few: no verdict on p99 latency of s: "; prints "; this is the maximum of 10 jobs, not a percentile;"
prints "  too few values for this percentile, so the maximum is shown, without an interval or a verdict: s job_latency_p99 (max of 10 jobs)"
prints "; deadlines missed: 0 % under fine_grained (at most 5 %)"; prints "s under round_robin at most 5 % (0 of 60 jobs)"
if grep "^  s job_latency_p99" <<<"$output" | grep -q "[✓✗]"; then bad "a maximum has a verdict" "$output"; else ok; fi
if grep "^  s job_latency_p50" <<<"$output" | grep -q "✓"; then ok; else bad "the same difference of medians has one" "$output"; fi
"$smsched" compare few.yaml --format json >few-compared.json && "$smsched" run few.yaml --format json >few-run.json || bad "few jobs as JSON"
if python3 - <<'END'
import json
a = json.load(open("few-compared.json"))["answer"]
assert a["verdict"] == "no verdict" and len(a["group"]) == 2 and a["next"] is None and "the maximum of 10 jobs" in a["text"], a
of = json.load(open("few-run.json"))["runs"][0]["vms"]
assert of[0]["maximum_of"] == {"job_latency_p95_ns": 10, "job_latency_p99_ns": 10, "job_latency_max_ns": 10}, of
assert set(of[1]["maximum_of"]) <= {"job_latency_p99_ns", "job_latency_max_ns"}, of
assert of[0]["ci95"]["job_latency_p99_ns"] is None and of[0]["ci95"]["job_latency_max_ns"] is None and of[0]["ci95"]["job_latency_mean_ns"] > 0, of
END
then ok; else bad "JSON of few jobs"; fi
try 0 "an answer about a maximum" compare few.yaml --set answer.metric=job_latency_max_ns; prints "no verdict on maximum latency of s"
if grep -qF "the maximum of 10 jobs, not" <<<"$output" || grep -qF "s job_latency_max (max of" <<<"$output"; then bad "a maximum is called a percentile" "$output"; else ok; fi
try 0 "a run of few jobs" run few.yaml; prints "(max of 10 jobs)"; prints "at most 5 % (0 of 60 jobs)"
if "$smsched" run --format csv few.yaml | awk -F, '$4 == "s" && /job_latency_(p99|max)/ {v[$2] = v[$2] == "" ? $6 : v[$2] == $6}
    END {for (p in v) {n++; bad += v[p] != 1} exit n != 2 || bad}'; then ok; else bad "the p99 of 10 jobs is no maximum"; fi
sed 's/repeat: 10/repeat: 100/; s/20 ms/100 ms/' few.yaml >enough.yaml
try 0 "a percentile of 100 jobs" compare enough.yaml; prints "fine_grained gives s the lowest p99 latency: "
if grep -q "s job_latency_p99 (max of" <<<"$output"; then bad "100 jobs are enough" "$output"; else ok; fi
try 0 "the server among the scenarios" compare "$scenarios/02-a-server.yaml"
if grep -q "max of\|maximum" <<<"$output"; then bad "its p99 is a maximum" "$output"; else ok; fi
cat >idle.yaml <<'END'
scenario: idle
nodes: [{name: n, gpus: 2, cpu: 64}]
policies: [first_fit]
pods: [{name: p, count: 15, arrivals: {poisson: 10 s}, gpu: 1, duration: 8 s, spread: exponential}]
answer: {metric: wait_p50_ns}
run: {replications: 20}
END
try 0 "a median that is mostly 0" run idle.yaml
prints "  the same in most replications, so no interval is shown: cluster wait_p50 under first_fit"
prints "cluster wait_p99 (max of 15 pods)"
if "$smsched" run --format csv idle.yaml | grep -q "wait_p50_ns,[0-9.]*,[0-9.]*,,20,$"; then ok; else bad "it has an interval in CSV"; fi
if "$smsched" run --format csv idle.yaml | grep -q "wait_p99_ns,[0-9.]*,[0-9.]*,,20,$"; then ok; else bad "a maximum has an interval in CSV"; fi
# A change without an interval says why.
sed 's/policies: .*/policies: [first_fit, least_allocated]/; s/gpus: 2, cpu/count: 2, &/; s/8 s, spread: exponential}/&, {name: q, count: 5, arrivals: {poisson: 60 s}, gpus: 2, duration: 8 s}/; s/wait_p50/turnaround_p50/' idle.yaml >mostly.yaml
try 0 "a change that is mostly the same" compare mostly.yaml
prints " vs least_allocated (no interval: the difference is the same in most replications)"
if "$smsched" compare few.yaml 2>&1 | grep -q "(no interval: "; then bad "a percentile of few jobs is mostly the same"; else ok; fi

# The answer and the table are about the same changes, so they have one verdict, whichever policy is the best, and
# whatever else the table compares.
sed -e '/^expect/d; s/^scenario: .*/scenario: story/; s/^contention: .*/contention: {model: proportional, slope: 0.5}/' \
    -e 's/^answer: .*/  - {name: c, workload: w, repeat: forever}\nanswer: {metric: job_latency_p50_ns, of: b}/; s/until: 2 %/replications: 5/' \
    two.yaml >story.yaml
for seed in {1..30}; do
    "$smsched" compare --quiet --format json --seed "$seed" story.yaml
    "$smsched" compare --quiet --format json --seed "$seed" --baseline breadth_first story.yaml
done >stories.json
if python3 - <<'END'; then ok; else bad "the answer and the table have two verdicts"; fi
import json
told, text, decoder = 0, open("stories.json").read(), json.JSONDecoder()
while text.strip():
    story, end = decoder.raw_decode(text.lstrip())
    text = text.lstrip()[end:]
    answer = story["answer"]
    cells = {c["policy"]: c for c in story["comparisons"] if (c["name"], c["metric"]) == ("b", answer["metric"])}
    for policy in cells if answer["best"] == answer["over"] else [answer["best"]]:
        apart = (policy if answer["best"] == answer["over"] else answer["over"]) not in answer["group"]
        assert apart == (cells[policy]["verdict"] == "differs"), (answer, cells[policy])
        told += apart
assert 5 < told < 115, told
END

# A base of 0 in some replication has no ratio.
cat >zero.yaml <<'END'
scenario: zero
nodes: [{name: n, count: 2, gpus: 2, cpu: 64, memory: 64 GiB}]
policies: [first_fit, worst_fit]
pods:
  - {name: p, count: 30, arrivals: {poisson: 8 s}, gpu: 50 %, duration: 20 s, spread: exponential}
  - {name: w, count: 3, arrivals: {poisson: 60 s}, gpus: 2, duration: 20 s, spread: exponential}
run: {replications: 8}
END
try 0 "zeros in the base" compare zero.yaml
prints "  no %: the difference is shown, because the baseline is not above 0 in every replication"
"$smsched" compare --format json zero.yaml >zero.json
"$smsched" compare zero.yaml >zero.txt
cat >zeros.yaml <<'END'
plan: zeros
base: zero.yaml
axes: [run.seed: [1]]
END
try 0 "zeros in a sweep" sweep zeros.yaml
if python3 - <<'END'; then ok; else bad "arithmetic with zeros in the base"; fi
import json, math, re, sqlite3
db = sqlite3.connect("zeros.sweep/results/sweep.db")
t95 = dict(db.execute("SELECT n, t95 FROM student"))
family = json.load(open("zero.json"))["comparisons"]
rows = [re.split(" {2,}", line.strip()) for line in open("zero.txt") if line.startswith("  cluster ")]
shown = {name.split()[1]: change.lstrip("✓✗* ").split() for name, base, change in rows}
text = {c["metric"]: shown[c["metric"].removesuffix("_ns")] for c in family if c["metric"].removesuffix("_ns") in shown}
unchanged = next(line for line in open("zero.txt") if line.startswith("  the same under all policies: "))
seen = {"ratio": 0, "same": 0, "difference": 0, "nothing": 0, "few": 0}
for c in family:
    metric = c["metric"]
    base, own = ([x for x, in db.execute(f"SELECT {metric} FROM cluster WHERE position = ? ORDER BY replication", (p,))] for p in (0, 1))
    change, half, n = db.execute(f"SELECT {metric}, ci95_{metric}, n_{metric} FROM cluster_change_ci95").fetchone()
    assert len(base) == len(own) == 8 and c["replications"] == 8, (metric, base)
    difference = [a - b for a, b in zip(own, base)]
    mean = sum(difference) / 8
    spread = t95[8] * math.sqrt(sum((d - mean) ** 2 for d in difference) / 7 / 8)
    assert abs(c["difference"] - mean) <= 1e-9 * max(base + own), c
    if metric not in text:
        assert f"cluster {metric.removesuffix('_ns')} " in unchanged and set(difference) == {0}, (metric, unchanged)
        seen["nothing" if max(base + own) == 0 else "same"] += 1
        continue
    if c["difference_ci95"] is None and spread > 0:  # a maximum of few pods, or mostly the same
        seen["few"] += 1
        assert re.search("_p(50|95|99)_", metric) and c["ratio_ci95"] is None and "±" not in text[metric], (c, text[metric])
        continue
    assert c["difference_ci95"] is None if spread == 0 else abs(c["difference_ci95"] - spread) <= 1e-6 * spread, c
    if min(base) > 0 and c["ratio_ci95"] is None:  # the same everywhere: no interval, no test, no star
        seen["same"] += 1
        assert len({a / b for a, b in zip(own, base)}) == 1 and half is None and c["p"] is None, c
        assert c["verdict"] == "same in all replications" and text[metric] == [f"{100 * (c['ratio'] - 1):+.1f}", "%"], (c, text[metric])
        continue
    if min(base) > 0:
        seen["ratio"] += 1
        assert abs(change + 1 - c["ratio"]) < 1e-9 and abs(half - c["ratio_ci95"]) < 1e-6 * (half + 1e-6) and n == 8, (c, change, half)
        assert text[metric][-1] == "%", text[metric]
        continue
    assert c["ratio"] is None and c["ratio_ci95"] is None and (change, half, n) == (None, None, 0), (c, change, half, n)
    if max(base + own) == 0:
        seen["nothing"] += 1
        assert c["p"] is None, c
        continue
    seen["difference"] += 1
    shown, sign, width, *unit = text[metric]
    scale = {"s": 1e9, "ms": 1e6, "us": 1e3, "ns": 1}[unit[0]] if metric.endswith("_ns") else 1
    last = scale * 10.0 ** -len(shown.partition(".")[2])  # of the digits shown
    assert sign == "±" and len(unit) == metric.endswith("_ns") and shown[0] in "+-", text[metric]
    assert abs(float(shown) * scale - mean) <= 0.51 * last and abs(float(width) * scale - spread) <= 0.51 * last, (text[metric], mean, spread)
    assert last <= spread, (text[metric], spread)
    assert (c["p"] < 0.05) == (abs(mean) > spread), c
assert min(seen.values()) >= 1, seen
# Equal replications have no interval, not even one of rounding errors.
equal = 0
for c in family:
    metric = c["metric"]
    for position in (0, 1):
        values = [x for x, in db.execute(f"SELECT {metric} FROM cluster WHERE position = ?", (position,))]
        half, = db.execute(f"SELECT ci95_{metric} FROM cluster_mean_ci95 WHERE position = ?", (position,)).fetchone()
        assert (half is None) == (len({x for x in values if x is not None}) <= 1) and half != 0, (metric, values, half)
        equal += len(set(values)) == 1 and values[0] > 0
assert equal > 0
END

# Scenarios without random draws are exact: no output has an interval, a test or a star.
sed 's/jitter: 30 %, //; s/arrivals: {poisson: 200 us}/start: 0 ms/; s/, until: 2 %/, replications: 3/' two.yaml >exact.yaml
try 0 "what draws nothing" compare exact.yaml
prints "3 replications, exact: nothing is drawn"
for what in " ± " "p < "; do
    if grep -qF -- "$what" <<<"$output"; then bad "exact results have no '$what'" "$output"; else ok; fi
done
try 0 "what draws nothing, run" run exact.yaml
if grep -qF " ± " <<<"$output"; then bad "exact results have no intervals" "$output"; else ok; fi
"$smsched" run --format csv exact.yaml >exact.csv
"$smsched" run --format csv --replications 3 two.yaml >drawn.csv
"$smsched" compare --format json exact.yaml >exact.json
"$smsched" run --format json two.yaml >drawn.json
if python3 - <<'END'; then ok; else bad "exact results in files"; fi
import csv, json
exact, drawn = (list(csv.DictReader(open(f"{name}.csv"))) for name in ("exact", "drawn"))
assert all(row["ci95"] == "" and row["interval"] == ("exact" if row["mean"] else "") for row in exact)
for row in drawn:
    word = "" if not row["mean"] else "student" if row["ci95"] else "same" if float(row["sd"]) == 0 else ""
    assert word or not row["mean"] or "_p9" in row["metric"] or "_p50" in row["metric"] or "_max_" in row["metric"], row
    assert row["interval"] == word and row["ci95"] != "0", row
assert {"student", "same"} <= {row["interval"] for row in drawn}
comparison = json.load(open("exact.json"))
assert comparison["exact"] is True and json.load(open("drawn.json"))["exact"] is False
assert all(c["p"] is None and c["ratio_ci95"] is None and c["verdict"] == "exact" for c in comparison["comparisons"]), comparison
assert all(x is None for run in comparison["runs"] for vm in run["vms"] for x in vm["ci95"].values())
END
# Tables show the jobs of processes that end after several, and their misses; nothing is said of jobs that no table shows.
cat >ends.yaml <<'END'
workload: w
kernels: [{name: k, blocks: 40, threads: 128, block_time: 10 us, jitter: 30 %}]
---
scenario: ends
devices: [{model: v100}]
policies: [{mode: mps}]
processes: [{name: a, workload: w, repeat: 30, deadline: 15 us}, {name: b, workload: w, repeat: 1}]
run: {replications: 3}
END
try 0 "processes that end after several jobs" run ends.yaml --quiet
if grep -qE "^  vm by policy .* job_latency_p99 +deadline_miss_ratio" <<<"$output" && grep -qF "a job_latency_p99 (max of 30 jobs)" <<<"$output"; then ok; else bad "no table of jobs" "$output"; fi
sed 's/repeat: 30, deadline: 15 us/repeat: 1/' ends.yaml >single.yaml
try 0 "processes of one job each" run single.yaml --quiet
if grep -qF "job_latency" <<<"$output"; then bad "latencies of jobs that no table shows" "$output"; else ok; fi
# Notes name other uncertainties, once for each scenario, in tables and in JSON.
cat >doubts.yaml <<'END'
workload: w
device: gtx1080ti
fitted: true
kernels: [{name: k, blocks: 40, threads: 128, block_time: 100 us, jitter: 5 %}]
---
workload: scaled
device: v100
scaled_from: gtx1080ti
kernels: [{name: k, blocks: 40, threads: 128, block_time: 100 us, jitter: 5 %}]
---
scenario: doubts
devices: [{model: v100, dispatch: none, sms: 4}]
policies: [round_robin, breadth_first]
vms: [{name: a, workload: w, repeat: forever}, {name: b, workload: scaled, repeat: forever}]
run: {warmup: auto, duration: 5 ms, replications: 3}
END
for command in run compare; do
    try 0 "$command with notes" "$command" doubts.yaml
    for note in "intervals cover only the seed" "there are only 3 replications: " "fairness_ratio and 99th percentiles depend" "a longer run may give other values, because fewer than 200 kernels were counted of a (" \
        "contention knee is the default" "the clock of v100 under load was not measured" "kernels scaled from the device of their profile: w" \
        "workloads scaled to their device from a profile of another device: scaled" "workloads fitted to published results, not measured: w"; do
        if [ "$(grep -cF "  note: $note" <<<"$output")" = 1 ]; then ok; else bad "$command notes: $note" "$output"; fi
    done
    prints "warm-up found: "
    prints "warning: the warm-up was found without tenants of which fewer than 200 kernels ended in 5 pilots: a ("
done
"$smsched" run --format json doubts.yaml 2>/dev/null >doubts.json
if python3 -c 'import json; d = json.load(open("doubts.json")); assert len(d["notes"]) == 9 and len(d["warnings"]) == 1, d["notes"]'; then ok
else bad "JSON has the notes"; fi
try 0 "results of doubts" run --quiet --out doubts doubts.yaml
"$smsched" report --format json doubts >page.json
if python3 -c 'import json; d = json.load(open("page.json"))["scenarios"][0]; assert len(d["notes"]) == 9 and d["exact"] is False, d.keys()'; then ok
else bad "a page has the notes"; fi

# A zero of the base where the other policy has no value is of no pair, so it takes the change from nobody.
cat >unpaired.yaml <<'END'
workload: w
synthetic: true
kernels: [{name: k, blocks: 4, threads: 1024, block_time: 100 us, spread: exponential, demand: {dram: 60 %}}]
---
scenario: unpaired
devices: [{model: v100, sms: 1}]
queue: interleave
policies: [round_robin, fine_grained]
vms:
  - {name: a, workload: w, arrivals: {rate: 2000/s}, deadline: 400 us}
  - {name: b, workload: w, repeat: forever}
run: {duration: 2 ms, replications: 6}
END
printf 'plan: pairs\nbase: unpaired.yaml\naxes: [run.seed: [129]]\n' >pairs.yaml
"$smsched" compare --quiet --set run.seed=129 --format json unpaired.yaml >unpaired.json
try 0 "zeros of no pair in a sweep" sweep pairs.yaml
"$smsched" report --format json pairs.sweep >pairs.json
python3 - <<'END' && ok || bad "a change of pairs is another in a sweep or on its page than in compare"
import json, sqlite3
db = sqlite3.connect("pairs.sweep/results/sweep.db")
base, own = ([x for x, in db.execute("SELECT deadline_miss_ratio FROM vm WHERE name = 'a' AND position = ? ORDER BY replication", (p,))] for p in (0, 1))
assert any(b == 0 and a is None for a, b in zip(own, base)), (own, base)
told = next(c for c in json.load(open("unpaired.json"))["comparisons"] if (c["name"], c["metric"]) == ("a", "deadline_miss_ratio"))
change, half, n = db.execute("SELECT deadline_miss_ratio, ci95_deadline_miss_ratio, n_deadline_miss_ratio FROM vm_change_ci95 WHERE name = 'a'").fetchone()
assert n == told["replications"] and abs(change + 1 - told["ratio"]) < 1e-9 and abs(half - told["ratio_ci95"]) < 1e-6, (change, half, n, told)
view = next(v for v in json.load(open("pairs.json"))["subjects"] if v["subject"] == "vm")
metric = view["metrics"].index("deadline_miss_ratio")
shown = next(row[4][metric] for row in view["overall"] if row[:2] == [view["names"].index("a"), 1])
assert abs(shown - change) < 1e-9, (shown, change)
END

# Baselines may lack the last column, which older versions did not write.
cut -d, -f1-9 drawn.csv >old.csv
try 0 "a baseline of nine columns" check --replications 3 --baseline old.csv two.yaml
try 0 "a baseline of ten columns" check --replications 3 --baseline drawn.csv two.yaml

# A metric that belongs to two parts of a table appears there once, and is one comparison.
cat >shared.yaml <<'END'
scenario: shared
nodes: [{name: n, count: 2, devices: {model: v100, count: 2}, cpu: 16}]
policies: [{place: gpushare, mode: time_slice}, {place: fgd, mode: mps}]
scheduler: {kind: gpushare, round_trip: 1 ms, start_delay: 10 ms}
contention: {model: proportional, slope: 1}
fidelity: processes
pods: [{name: bfs, count: 4, arrivals: {poisson: 20 ms}, gpu_memory: 2 GiB, cpu: 2, workload: v100/bfs_64k, repeat: 30}]
run: {seed: 1, replications: 2}
END
for command in run compare; do
    try 0 "$command of shared cards" "$command" shared.yaml
    twice=$(grep -oE '^ +(cluster )?[a-z0-9_]+ ' <<<"$output" | sort | uniq -d)
    if [ "$twice" ]; then bad "$command names a metric twice" "$twice"; else ok; fi
    prints "failed_count"
done

# An interval that covers two regimes may include 0 where the test of the mean alone does not: no verdict denies that.
cat >regimes.yaml <<'END'
workload: w
synthetic: true
kernels: [{name: k, blocks: 12, threads: 512, block_time: 10 us, demand: {dram: 70 %}}]
---
scenario: regimes
devices: [{model: a100, sms: 2}]
queue: interleave
policies: [most_room, fine_grained, utilization_aware]
vms:
  - {name: t0, workload: w, arrivals: {rate: 1000/s}, deadline: 60 us}
  - {name: t1, workload: w, repeat: 5}
  - {name: t2, workload: w, repeat: 19}
run: {warmup: 1 ms, duration: 9 ms, replications: 6, seed: 5571}
END
"$smsched" compare --quiet --format json regimes.yaml >regimes.json 2>err
"$smsched" compare --quiet regimes.yaml >regimes.txt 2>err
python3 - <<'END' && ok || bad "a verdict says that an interval excludes 0, and it does not" "$(grep Holm regimes.txt)"
import json
changes = json.load(open("regimes.json"))["comparisons"]
wide = [c for c in changes if c["ratio_ci95"] and c["p"] < 0.05 <= c["p_holm"] and abs(c["ratio"] - 1) < c["ratio_ci95"]]
assert wide and all(c["verdict"] == "includes 0" for c in wide), wide
assert "before Holm's correction, but not after it" not in open("regimes.txt").read()
END

# Without replications there are no tests.
try 0 "one replication" compare --replications 1 two.yaml
if grep -qF "differs" <<<"$output"; then bad "one replication tells nothing apart"; else ok; fi

finish
