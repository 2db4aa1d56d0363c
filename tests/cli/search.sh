#!/usr/bin/env bash
# A search finds how far a value may go, with the confidence that it states, and runs the same points however it is run.
# Usage: search.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
# How often the truth is inside is known of many seeds; a few run the same code under sanitizers.
export SEEDS=24
! sanitized "$smsched" || SEEDS=6
cd "$work" || exit 1

# M/D/1: its mean latency is s + rho s / (2 (1 - rho)), with rho = s / interval (Pollaczek and Khinchine), so that the
# interval at which it is 150 us can be computed. s is the latency of a job that nobody delays.
cat >queue.yaml <<'END'
workload: request
synthetic: true
kernels: [{name: infer, blocks: 1, threads: 256, block_time: 100 us}]
---
scenario: queue
devices: [{model: v100, sms: 1}]
vms: [{name: server, workload: request, arrivals: {poisson: 200 us}, streams: 1}]
run: {warmup: 10 ms, duration: 110 ms}
END
cat >known.yaml <<END
plan: known
base: queue.yaml
axes: [{run.seed: {from: 1, to: $SEEDS, step: 1}}]
search:
  vary: {vms.server.arrivals.poisson: {from: 400 us, to: 105 us, steps: 120, scale: log}}
  find: least
  where: {job_latency_mean_ns: "< 150 us"}
  of: server
keep: [vm]
END
try 0 "a search for a known answer" sweep known.yaml
prints "the least vms.server.arrivals.poisson with job_latency_mean_ns of server < 150 us, each with a confidence of 95 %:"
"$smsched" run --quiet --format csv --set 'vms.server.arrivals={every: 10 ms}' queue.yaml >alone.csv
"$smsched" run --quiet --format csv queue.yaml >interval.csv
"$smsched" run --quiet --format csv --set 'vms.server.arrivals={rate: 5000/s}' queue.yaml >rate.csv
same interval.csv rate.csv "a rate is not the interval that it stands for"
cat >truth.py <<'END'
import csv, os
seeds = int(os.environ["SEEDS"])
alone = next(float(r["mean"]) for r in csv.DictReader(open("alone.csv")) if r["metric"] == "job_latency_mean_ns") / 1e3
wait = 150 / alone - 1
truth = alone * (2 * wait + 1) / (2 * wait)
value = lambda text: float(text.split()[0])
def answers_of(plan):
    rows = list(csv.DictReader(open(f"{plan}.sweep/results/found.csv")))
    assert len(rows) == seeds and all(r["state"] == "between" for r in rows), rows
    inside = sum(value(r["fails"]) < truth < value(r["holds"]) for r in rows)
    assert inside >= seeds - 2, (inside, truth, rows) # of 24 with 95 %, fewer than 20 once in 1000
    return rows
END
python3 - <<'END' && ok || bad "answers do not cover the truth at their confidence"
import csv
from truth import answers_of, seeds, value
rows = answers_of("known")
assert all(value(r["holds"]) < 1.1 * value(r["fails"]) for r in rows), rows
assert sum(int(r["points"]) for r in rows) < seeds * 20
points = list(csv.DictReader(open("known.sweep/results/points.csv")))
assert len(points) == sum(int(r["points"]) for r in rows), "points beside the way to an answer"
END
# Of several limits all have to hold. Throughput is 1 / interval, so the latency's limit can be met where this one is
# just missed, and the least interval that meets both is that of either: the hardest case.
python3 - <<'END' >both.yaml
from truth import truth
text = open("known.yaml").read().replace("plan: known", "plan: both")
print(text.replace('150 us"', f'150 us", jobs_per_s of host: "< {1e6 / truth}"'))
END
try 0 "a search with two limits" sweep both.yaml
prints 'job_latency_mean_ns of server < 150 us and jobs_per_s of host < '
python3 -c 'from truth import answers_of; answers_of("both")' && ok || bad "two limits do not hold at the confidence of one answer"
try 2 "status is for people" sweep status --format json both.yaml
"$smsched" sweep --format json both.yaml >both.json
"$smsched" report --format json both.sweep >page.json
python3 - <<'END' && ok || bad "JSON has other answers than found.csv"
import csv, json
from truth import seeds
rows, told, page = list(csv.DictReader(open("both.sweep/results/found.csv"))), json.load(open("both.json")), json.load(open("page.json"))
assert told["asks"].startswith("the least vms.server.arrivals.poisson with job_latency_mean_ns of server < 150 us and ")
assert told["missing"] == told["failed"] == 0 and len(told["answers"]) == seeds == len(page["found"]["rows"])
keys = ["policy", "holds", "fails", "state", "remark"]
assert [[a[k] for k in keys] + [a["points"], a["at"]["run.seed"]] for a in told["answers"]] == [[r[k] for k in keys] + [int(r["points"]), r["run.seed"]] for r in rows]
assert page["plan"]["asks"] == told["asks"] and [r[1:3] for r in page["found"]["rows"]] == [[r["holds"], r["fails"]] for r in rows]
END
try 0 "its status" sweep status known.yaml; prints " 0 failed, 0 missing"
try 0 "a search that is done" sweep known.yaml; prints ": 0 run now, "
sed -i "s/to: $SEEDS,/to: 4,/" known.yaml
try 0 "one thread" sweep --jobs 1 --quiet --out one known.yaml
try 0 "many threads" sweep --jobs 7 --quiet --out many known.yaml; prints " holds, "
if ! grep -q "points: " <<<"$output"; then ok; else bad "--quiet prints answers and no counts" "$output"; fi
same one/results many/results "threads change a search"
try 0 "the reference engine" sweep --engine reference --check --quiet --out reference known.yaml
same one/results reference/results "the reference engine finds something else"
try 0 "answers that a store of more points has" sweep known.yaml; prints ": 0 run now, "
same one/results known.sweep/results "points of another search are told"

# Killed again and again, it goes on where it was.
for wait in 0.05 0.1 0.2 0.3; do
    (timeout -s KILL $wait "$smsched" sweep --quiet --out killed known.yaml >out 2>&1) 2>>killed.log
    timeout -s INT $wait "$smsched" sweep --quiet --out killed known.yaml >out 2>&1
done
try 0 "a search that was killed" sweep --quiet --out killed known.yaml
same one/results killed/results "an interruption changes a search"
try 2 "a shard of a search" sweep --shard 1/2 known.yaml
prints "--shard is not for a plan with a search"

sed -e 's/plan: known/plan: wide/' -e 's/to: 4,/to: 60000,/' known.yaml >wide.yaml
output=$(timeout 60 "$smsched" sweep status wide.yaml 2>&1) # it takes a time that grows with their number, not its square
prints "300000 points: 0 done, 0 failed, 300000 missing"
# Without --foreground, timeout may signal twice, and a second signal ends the program at once.
timeout --foreground -s INT 2 "$smsched" sweep --quiet wide.yaml >out 2>&1
if grep -qxE 'wide.yaml: error: interrupted; points that are saved: [0-9]+; the same command continues' out; then ok; else bad "an interrupted search" "$(cat out)"; fi

# Where nothing is drawn the answer is exact: that of a sweep over all values. Whole numbers stay whole.
cat >exact.yaml <<'END'
workload: w
synthetic: true
kernels: [{name: k, blocks: 640, threads: 1024, block_time: 10 us}]
---
scenario: waves
devices: [{model: v100}]
policies: [round_robin, leftover]
vms: [{name: a, workload: w, repeat: 3}]
END
axis='{devices.0.sms: {from: 1, to: 40, step: 1}}'
printf 'plan: all\nbase: exact.yaml\naxes: [%s]\nkeep: [host]\n' "$axis" >all.yaml
search() { # NAME FIND WHERE [AXES]
    printf 'plan: %s\nbase: exact.yaml\nsearch: {vary: %s, find: %s, where: {%s}}\nkeep: [host]\n%s\n' "$1" "$axis" "$2" "$3" "${4-}" >"$1.yaml"
    "$smsched" sweep "$1.yaml" >"$1.out" 2>&1
}
"$smsched" sweep --quiet all.yaml
search least least 'makespan_ns: "< 1 ms"' 'axes: [{vms.a.repeat: [1, 2, 3]}]'
search most largest 'makespan_ns: ">= 1 ms"'
search anything least 'makespan_ns: "< 1 s"'
search nothing least 'makespan_ns: "< 1 us"'
python3 - <<'END' && ok || bad "exact answers are not those of all values"
import csv, sqlite3
rows = lambda name: list(csv.DictReader(open(f"{name}.sweep/results/{name == 'all' and 'hosts' or 'found'}.csv")))
span = {(r["policy"], int(r["devices.0.sms"])): float(r["makespan_ns"]) for r in rows("all")}
for policy in "round_robin", "leftover":
    first = min(n for n in range(1, 41) if span[policy, n] < 1e6)
    found = {r["vms.a.repeat"]: r for r in rows("least") if r["policy"] == policy}
    assert (found["3"]["holds"], found["3"]["fails"], found["3"]["state"]) == (str(first), str(first - 1), "between"), found
    assert int(found["1"]["holds"]) < int(found["2"]["holds"]) < first and int(found["3"]["points"]) < 14
    last = next(r for r in rows("most") if r["policy"] == policy)
    assert (last["holds"], last["fails"]) == (str(first - 1), str(first)), last
assert all((r["state"], r["holds"], r["fails"]) == ("all hold", "1", "") for r in rows("anything"))
assert all((r["state"], r["holds"], r["fails"]) == ("none holds", "", "40") for r in rows("nothing"))
database = sqlite3.connect("least.sweep/results/sweep.db")
assert database.execute('SELECT count(*) FROM found JOIN point USING (point) WHERE "vms.a.repeat" = 3 AND holds = ?', (first,)).fetchone() == (2,)
END
if grep -q "round_robin: all hold, met down to 1 (" anything.out; then ok; else bad "all values hold" "$(cat anything.out)"; fi
if grep -q "round_robin: none holds, missed from 40 down (" nothing.out; then ok; else bad "no value holds" "$(cat nothing.out)"; fi

# Runs that end before any job does have no value, and so no order.
sed -e 's/vms: .*/vms: [{name: a, workload: w, arrivals: {poisson: 1 ms}}]\nrun: {duration: 2 us}/' exact.yaml >brief.yaml
printf 'plan: brief\nbase: brief.yaml\nsearch: {vary: %s, find: least, where: {job_latency_mean_ns: "< 1 ms"}, of: a}\n' "$axis" >none.yaml
try 0 "a search for what has no value" sweep none.yaml; prints "job_latency_mean_ns of a has no value"
if grep -q "not monotone" <<<"$output"; then bad "no values are in the wrong order" "$output"; else ok; fi

# Limits of different tenants, where nothing is drawn: the least value is that of all runs that meet both.
cat >tenants.yaml <<'END'
workload: w
synthetic: true
kernels: [{name: k, blocks: 640, threads: 1024, block_time: 10 us}]
---
scenario: pair
devices: [{model: v100}]
vms: [{name: a, workload: w, repeat: 2}, {name: b, workload: w, repeat: 3}]
---
plan: pair
search:
  vary: {devices.0.sms: {from: 1, to: 40, step: 1}}
  find: least
  where: {job_latency_mean_ns of a: "< 1 ms", kernels_per_s of b: ">= 600/s"}
END
sed 's/plan: pair/plan: every/; /^search/,$d' tenants.yaml >every.yaml
echo 'axes: [{devices.0.sms: {from: 1, to: 40, step: 1}}]' >>every.yaml
"$smsched" sweep --quiet every.yaml
try 0 "limits of two tenants" sweep tenants.yaml
python3 - <<'END' && ok || bad "limits of two tenants are not both met"
import csv
runs = list(csv.DictReader(open("every.sweep/results/vms.csv")))
get = lambda vm, metric: {int(r["devices.0.sms"]): float(r[metric]) for r in runs if r["vm"] == vm}
latency, rate = get("a", "job_latency_mean_ns"), get("b", "kernels_per_s")
first = [min(n for n in latency if latency[n] < 1e6), min(n for n in rate if rate[n] >= 600)]
row = next(csv.DictReader(open("pair.sweep/results/found.csv")))
assert first[0] != first[1] and row["holds"] == str(max(first)) and row["fails"] == str(max(first) - 1), (first, row)
END

# Limits that become harder to meet in opposite directions: the least value that meets both, or where each is missed.
opposed() { # NAME LIMIT-OF-A LIMIT-OF-B
    sed -e "s/plan: pair/plan: $1/" -e "s/< 1 ms\"/< $2\"/" -e "s/kernels_per_s of b: .*}/job_latency_mean_ns of b: \"> $3\"}/" tenants.yaml >"$1.yaml"
    "$smsched" sweep "$1.yaml" >"$1.out" 2>&1
}
opposed window '3 ms' '900 us'
opposed narrow '1200 us' '1050 us'
opposed never '1 ms' '2 ms'
python3 - <<'END' && ok || bad "limits that no value meets have another answer than all runs" "$(cat window.out narrow.out never.out)"
import csv
runs = list(csv.DictReader(open("every.sweep/results/vms.csv")))
a, b = ({int(r["devices.0.sms"]): float(r["job_latency_mean_ns"]) for r in runs if r["vm"] == vm} for vm in "ab")
for plan, most, least in ("window", 3e6, 9e5), ("narrow", 1.2e6, 1.05e6):
    met = [n for n in a if a[n] < most and b[n] > least]
    row = next(csv.DictReader(open(f"{plan}.sweep/results/found.csv")))
    assert met and max(met) < 40 and row["holds"] == str(min(met)) and row["fails"] == str(min(met) - 1) and row["state"] == "between", (met, row)
    assert row["remark"].startswith("job_latency_mean_ns of b is missed up to ") and row["remark"].endswith(", and met beyond"), row
row = next(csv.DictReader(open("never.sweep/results/found.csv")))
early, late = max(n for n in b if b[n] > 2e6), min(n for n in a if a[n] < 1e6)
assert early < late and row["holds"] == "" and row["state"] == "none holds", row
words = row["remark"].split()
assert row["remark"].startswith("no value meets all limits: job_latency_mean_ns of b is missed up to ") and words[-1] == "on" and int(words[-2]) < late, row
END
sed -e 's/plan: pair/plan: ratio/' -e 's/where: .*/where: {fairness_ratio of host: ">= 5"}/' tenants.yaml >ratio.yaml
try 3 "a bare percentage" sweep ratio.yaml; prints "'5' without % is 500 %: write '5 %', or '500 %' if that is meant"
sed -i 's/fairness_ratio of host: ">= 5"/stp_ratio of host: ">= 1.1"/' ratio.yaml
try 0 "a ratio that says how many times" sweep ratio.yaml
sed -i 's/stp_ratio/hms_ratio/' ratio.yaml
try 0 "a mean of such ratios" validate ratio.yaml

# What is no answer says why. The metric has a valley, and a percentile of few jobs has no interval.
cat >valley.yaml <<'END'
workload: short
synthetic: true
kernels: [{name: k, blocks: 1, threads: 32, block_time: 10 us}]
---
workload: long
synthetic: true
kernels: [{name: k, blocks: 1, threads: 32, block_time: 60 us}]
---
scenario: valley
devices: [{model: v100, sms: 1}]
vms: [{name: a, workload: short, arrivals: {times: [100 us]}}, {name: b, workload: long, repeat: 1}]
run: {duration: 1 ms}
---
plan: valley
search: {vary: {vms.b.start: {from: 0 us, to: 200 us, steps: 41}}, find: largest, where: {job_latency_mean_ns: "< 20 us"}, of: a}
END
sed -i -e 's/threads: 32, block_time/threads: 1024, block_time/' -e 's/{name: k, blocks: 1,/{name: k, blocks: 2,/' valley.yaml
try 0 "a metric that is not monotone" sweep valley.yaml
prints "not monotone: job_latency_mean_ns is better at "

# The way back from a limit that no value meets: if all were run, none holds; if not, one between them may.
for steps in 5 41; do
    sed -e "s/plan: valley/plan: back$steps/" -e 's/search: .*/search: {vary: {vms.b.start: {from: 10 us, to: 60 us, steps: '$steps'}},/' valley.yaml >back$steps.yaml
    echo '  find: least, where: {job_latency_mean_ns: "< 1 us"}, of: a}' >>back$steps.yaml
done
try 0 "a limit that none of the values run meets" sweep back5.yaml; prints "leftover: none holds"; prints "not monotone"
try 0 "a limit that a value not run may meet" sweep back41.yaml; prints "leftover: undecided"; prints "not monotone"
cat >few.yaml <<'END'
plan: few
base: queue.yaml
search: {vary: {vms.server.arrivals.poisson: [9 ms, 8 ms, 7 ms]}, find: least, where: {job_latency_p99_ns: "< 150 us"}, of: server, most: 10}
END
try 0 "a metric without an interval" sweep few.yaml
prints "leftover: undecided"; prints "so it is their maximum, which has no interval"
cat >steady.yaml <<'END'
scenario: steady
nodes: [{name: n, gpus: 8, count: 9}]
policies: [first_fit, random]
pods: [{name: p, gpus: 1, count: 20, arrivals: {poisson: 1 s}, duration: 1 s}]
---
plan: steady
search: {vary: {nodes.n.count: {from: 8, to: 9, step: 1}}, find: least, where: {wait_mean_ns: "< 1 s"}, most: 10}
END
try 0 "a metric that is the same in all replications" sweep steady.yaml
prints "in all 10 replications wait_mean_ns of cluster is 0 under first_fit, so no test tells"
if grep "^  first_fit: undecided" <<<"$output" | grep -q "under random"; then bad "another policy's warning" "$output"; else ok; fi
sed "s/^policies: .*/policies: [first_fit, best_fit, worst_fit, most_allocated, least_allocated, balanced, random]/" steady.yaml >many.yaml
try 0 "a metric that is the same under many policies" sweep --out many.sweep many.yaml
prints "is 0 under random, so no test tells"
cat >starved.yaml <<'END'
scenario: starved
nodes: [{name: n, gpus: 8, count: 2}]
policies: [first_fit, worst_fit]
pods: [{name: small, gpus: 1, count: 2}, {name: large, gpus: 8}]
run: {duration: 1 s}
---
plan: starved
search: {vary: {nodes.n.count: {from: 1, to: 2, step: 1}}, find: least, where: {wait_mean_ns: "< 1 s"}}
END
try 0 "a limit that holds because pods still wait" sweep starved.yaml
prints "first_fit: all hold, met down to 1 (2 points, 10 replications); wait_mean_ns of cluster under first_fit is without pods that still wait at the end: 1"
cat >late.yaml <<'END'
plan: late
base: queue.yaml
search: {vary: {vms.server.arrivals.poisson: [60 us, 50 us, 40 us]}, find: least, where: {deadline_miss_ratio: "< 5 %"}, of: server}
END
sed -i 's/streams: 1}/streams: 1, deadline: 200 us}/' queue.yaml
try 0 "loads at which every job is late" sweep late.yaml
prints "leftover: none holds, missed from 60 us down (3 points, 15 replications)"
finish
