#!/usr/bin/env bash
# A search for the best tells which values cannot be told from it, errs as rarely as it states, and runs the same points
# however it is run. Usage: race.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
# How often races err is known of many; a few run the same code under sanitizers.
export RACES=100 SEEDS=24
! sanitized "$smsched" || { RACES=8 SEEDS=4; }
cd "$work" || exit 1

# Four values that differ only in the random numbers, which follow from the name of the VM: each is the best, so each one
# that is told to be worse is an error.
cat >equal.yaml <<END
workload: w
synthetic: true
kernels: [{name: k, blocks: 4, threads: 1024, block_time: 10 us, jitter: 20 %}]
---
scenario: equal
devices: [{model: v100, sms: 1}]
vms: [{name: a, workload: w, repeat: 3}]
---
plan: equal
axes: [{run.seed: {from: 1, to: $RACES, step: 1}}]
answer: {metric: makespan_ns}
search: {vary: {vms.0.name: [a, b, c, d]}, find: best, most: 40}
keep: [host]
END
try 0 "a race of equals" sweep equal.yaml
prints "may be the best by makespan_ns; the best is among them with a confidence of 95 %:"

# M/G/1: of equal mean times of service, the mean latency is least where they do not vary (Pollaczek and Khinchine).
cat >order.yaml <<END
workload: request
synthetic: true
kernels: [{name: infer, blocks: 1, threads: 256, block_time: 100 us, jitter: 0 %}]
---
scenario: queue
devices: [{model: v100, sms: 1}]
vms: [{name: server, workload: request, arrivals: {poisson: 200 us}, streams: 1}]
run: {warmup: 10 ms, duration: 60 ms}
---
plan: order
axes: [{run.seed: {from: 1, to: $SEEDS, step: 1}}]
answer: {metric: job_latency_mean_ns, of: server}
search: {vary: {workloads.request.kernels.infer.jitter: [0 %, 10 %, 20 %, 30 %, 40 %, 50 %]}, find: best, most: 40}
keep: [vm]
END
try 0 "a race with a known winner" sweep order.yaml
python3 - <<'END' && ok || bad "races err more often than they state"
import csv, os
races, seeds = int(os.environ["RACES"]), int(os.environ["SEEDS"])
rows = lambda name: list(csv.DictReader(open(f"{name}.sweep/results/found.csv")))
equal, order = rows("equal"), rows("order")
assert len(equal) == 4 * races and len(order) == 6 * seeds
worse = [r for r in equal if r["state"] == "worse"]
assert len({r["run.seed"] for r in worse}) <= 9, worse # of 100 races with 5 %, more than 9 three times in 100
assert all(r["replications"] == "40" for r in equal if r["state"] != "worse")
values = lambda state: [r["workloads.request.kernels.infer.jitter"] for r in order if r["state"] in state]
group = values(("best", "no significant difference"))
assert group.count("0 %") >= seeds - 2, group # of 24 with 95 %, fewer than 20 once in 1000
assert group.count("50 %") <= 2 < seeds - 4 < group.count("10 %") <= seeds or seeds < 24, group
assert sum(int(r["replications"]) for r in order if r["state"] == "worse") < 0.8 * 40 * len(values("worse"))
END

# Who left, when and why depends on nothing but the results.
sed -i "s/to: $SEEDS,/to: 3,/" order.yaml
try 0 "one thread" sweep --jobs 1 --quiet --out one order.yaml
try 0 "many threads" sweep --jobs 7 --quiet --out many order.yaml
same one/results many/results "threads change a race"
try 0 "the reference engine" sweep --engine reference --check --quiet --out reference order.yaml
same one/results reference/results "the reference engine finds something else"
try 0 "a store that has more races" sweep order.yaml; prints ": 0 run now, "
same one/results order.sweep/results "races of another plan are told"
for wait in 0.03 0.06 0.1 0.2; do
    (timeout -s KILL $wait "$smsched" sweep --quiet --out killed order.yaml >out 2>&1) 2>>killed.log
done
try 0 "a race that was killed" sweep --quiet --out killed order.yaml
same one/results killed/results "an interruption changes a race"
try 0 "its status" sweep status --out one order.yaml; prints "18 points: 18 done, 0 failed, 0 missing"

# Stages say how many replications there are, and `until` of a scenario does not.
sed 's/most: 40/most: 10/' order.yaml >ten.yaml
sed 's/^run: {/run: {until: 0.1 %, /' ten.yaml >until.yaml
try 0 "a race of at most 10" sweep --quiet --out ten ten.yaml
try 0 "a race of a scenario with a precision" sweep --quiet --out until until.yaml
same ten/results/found.csv until/results/found.csv "the precision of a scenario changes a race"

# What is to be run of 200 000 values is told at once.
sed 's/^search: .*/search: {vary: {vms.0.priority: {from: 0, to: 199999, step: 1}}, find: best}/; /^axes/d' order.yaml >many.yaml
mkdir many.sweep
bounded() { limited 60 "$smsched" sweep status many.yaml; }
if bounded | grep -q '^200000 points: 0 done, 0 failed, 200000 missing'; then ok; else bad "a race of 200 000 values" "$(bounded 2>&1 | tail -2)"; fi

# Where nothing is drawn, one comparison decides, also between policies and in draws of mixes; ties stay.
cat >exact.yaml <<'END'
workload: w
synthetic: true
kernels: [{name: k, blocks: 640, threads: 1024, block_time: 10 us}]
---
scenario: waves
devices: [{model: v100}]
policies: [round_robin, leftover]
vms: [{name: a, workload: w, repeat: 3}]
---
plan: exact
answer: {metric: makespan_ns, better: lower}
search: {vary: {mixes: {of: [1, 2, 3], into: [vms.a.repeat, devices.0.sms]}}, find: best}
END
try 0 "a race without chance" sweep exact.yaml
prints "vms.a.repeat = 1, devices.0.sms = 3, round_robin: 1.074 ms, best (5 replications)"
prints "vms.a.repeat = 1, devices.0.sms = 3, leftover: 1.074 ms, no significant difference (5 replications)"
prints "4 others are worse: see found.csv"
try 0 "which ends after one stage" sweep status exact.yaml; prints "3 points: 3 done"
if [ "$(grep -c 'worse,.*,1,5$' exact.sweep/results/found.csv)" = 4 ]; then ok; else bad "exact values race on" "$(cat exact.sweep/results/found.csv)"; fi
sed -e 's/plan: exact/plan: long/' -e 's/^search: .*/axes: [{run.seed: {from: 1, to: 30, step: 1}}]\nsearch: {vary: {devices.0.sms: [1, 2, 3]}, find: best}/' exact.yaml >long.yaml
try 0 "more answers than a screen has lines" sweep long.yaml
prints "found.csv has 36 more"; prints "120 others are worse: see found.csv"

# Values that cannot be judged all stay, after one stage. One without a value leaves.
cat >few.yaml <<'END'
plan: few
base: order.yaml
answer: {metric: job_latency_p99_ns, of: server}
search: {vary: {run.duration: [11 ms, 12 ms, 10.001 ms]}, find: best, most: 10}
END
try 0 "a percentile of few jobs" sweep few.yaml
prints "a percentile of few jobs, or a median that is mostly 0, is not judged"
prints "run.duration = 10.001 ms, leftover: no value (5 replications)"
if [ "$(grep -c ',1,5$' few.sweep/results/found.csv)" = 3 ]; then ok; else bad "races on without hope" "$output"; fi

# The speed alone at a value that left early is compared with that at values that went on.
cat >speed.yaml <<'END'
workload: w
synthetic: true
kernels: [{name: k, blocks: 400, threads: 256, block_time: 10 us, jitter: 20 %, demand: {fp32: 8 %}}]
---
workload: u
synthetic: true
kernels: [{name: k, blocks: 100, threads: 512, block_time: 30 us, jitter: 10 %, demand: {dram: 25 %}}]
---
scenario: speed
devices: [{model: v100}]
vms: [{name: a, workload: w, repeat: forever}, {name: b, workload: u, repeat: forever}]
run: {duration: 2 ms}
---
plan: speed
answer: {metric: stp_ratio}
search: {vary: {devices.0.sms: [10, 12, 14]}, find: best, most: 20}
END
try 0 "a race that the first value leaves early" sweep speed.yaml
prints "moves along devices.0.sms: a by 0 to +29 %, b by 0 to +40 %"
finish
