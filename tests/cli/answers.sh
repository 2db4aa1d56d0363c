#!/usr/bin/env bash
# The answer to a scenario's question comes first, in words. Usage: answers.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
# Sanitizers make long runs take minutes. Their words depend on their numbers alone, and short runs have the same code.
short=false
if sanitized "$smsched"; then short=true; fi

# scenario POLICIES ANSWER: two tenants; jobs of `server` arrive over time and have a deadline.
scenario() {
    cat <<END
workload: batch
kernels: [{name: grind, blocks: 4000, threads: 256, block_time: 100 us, jitter: 10 %, demand: {fp32: 20 %}}]
---
workload: request
kernels: [{name: infer, blocks: 80, threads: 256, block_time: 20 us, jitter: 10 %, demand: {fp64: 20 %}}]
---
scenario: asked
devices: [{model: v100, sms: 10}]
contention: proportional
policies: [$1]
vms:
  - {name: batch, workload: batch, repeat: forever, start: 0 ms}
  - {name: server, workload: request, arrivals: {poisson: 2 ms}, deadline: 1 ms}
$2
run: {duration: 60 ms, replications: 3}
END
}
# answer FILE: prints the first line of the comparison.
answer() { "$smsched" compare "$1" 2>/dev/null | sed -n 1p; }
# is WHAT PATTERN FILE: checks the answer.
is() { if answer "$3" | grep -qE "^(asked|s): $2"; then ok; else bad "$1" "$(answer "$3")"; fi; }

scenario "leftover, round_robin, fine_grained" "" >"$work/rule.yaml"
is "who waits is asked about" "no verdict on p99 latency of server: .* [mu]s.*; deadlines missed: [0-9.]* % under [a-z_]+( instead of [0-9.]* % under [a-z_]+)?$" "$work/rule.yaml"
sed 's/, arrivals: {poisson: 2 ms}, deadline: 1 ms/, repeat: forever/' "$work/rule.yaml" >"$work/closed.yaml"
is "without arrivals it is the work that gets done" ".*system throughput .STP.: [0-9]" "$work/closed.yaml"
# Who has a deadline sees how often it is missed: VMs, processes, pods that last. Others do not see it.
sed 's/^vms:/processes:/; s/^policies: .*/policies: [{mode: mps}, {mode: time_slice}]/' "$work/rule.yaml" >"$work/late.yaml"
cat >"$work/pods.yaml" <<'END'
scenario: s
nodes: [{name: n, gpus: 2, cpu: 8}]
policies: [first_fit, best_fit]
pods: [{name: p, count: 20, arrivals: {poisson: 10 s}, gpus: 1, duration: 30 s, spread: exponential, deadline: 1 min}]
run: {replications: 2}
END
for name in rule late pods; do
    for command in run compare; do
        try 0 "$command of deadlines of $name" "$command" --quiet "$work/$name.yaml"; prints "deadline_miss_ratio"
        try 0 "$command of $name without" "$command" --quiet - <<<"$(sed 's/, deadline: 1 m[sin]*//' "$work/$name.yaml")"
        if grep -q "deadline" <<<"$output"; then bad "a deadline that nobody has" "$output"; else ok; fi
    done
done
scenario "round_robin, fine_grained" "answer: {metric: fairness_ratio}" >"$work/fair.yaml"
is "a declared metric" ".* has the highest fairness: [0-9.]*, .*%" "$work/fair.yaml"
scenario "round_robin, fine_grained" "answer: {metric: occupancy_ratio, better: lower}" >"$work/lower.yaml"
is "a way of its own" ".* has the lowest occupancy" "$work/lower.yaml"
scenario "round_robin, fine_grained" "answer: {metric: kernels_per_s, of: batch}" >"$work/of.yaml"
is "a tenant" ".* gives batch the most kernels per second: " "$work/of.yaml"
scenario "round_robin, breadth_first" "answer: {metric: utilization_ratio, of: fp32, better: higher}" >"$work/resource.yaml"
is "a resource" ".* (the highest|the best in) utilization of fp32: " "$work/resource.yaml"
scenario "round_robin, fine_grained" "answer: {metric: jobs_in_time_per_s, of: served}" | sed 's/deadline: 1 ms/deadline: 1 ms, class: served/' >"$work/class.yaml"
is "a class" ".* jobs in time per second of served: " "$work/class.yaml"
sed 's/served/server/' "$work/class.yaml" >"$work/same.yaml"
is "a class that is called like a tenant" ".* jobs in time per second of server: " "$work/same.yaml"
sed 's/^vms:/processes:/; s/arrivals: {poisson: 2 ms}, /repeat: forever, /' "$work/rule.yaml" |
    sed 's/^policies.*/queue: interleave\npolicies: [{mode: time_slice}, {mode: mps}]/' >"$work/processes.yaml"
is "a process that waits is asked about" ".* gives server the lowest p99 latency: .*deadlines missed: [0-9.]* % under (mps|time_slice) .*instead of [0-9.]* % under (mps|time_slice);" "$work/processes.yaml"
sed 's/^run:/answer: {metric: waiting_ns, of: batch}\nrun:/' "$work/processes.yaml" >"$work/waiting.yaml"
is "a metric that only processes have" ".* gives batch the least time waiting: " "$work/waiting.yaml"
# pods WORK POLICIES: a scenario of three pods on two GPUs.
pods() {
    printf 'workload: w\nkernels: [{name: k, blocks: 4000, threads: 256, block_time: 100 us, jitter: 10 %%}]\n---\n'
    printf 'scenario: s\nnodes: [{name: n, devices: {model: v100, count: 2}}]\npolicies: [%s]\n' "$2"
    printf 'pods: [{name: p, count: 3, gpu: 50 %%, %s}]\nrun: {replications: 3}\n' "$1"
}
pods "workload: w, repeat: 10" "{mode: time_slice}, {mode: exclusive}" >"$work/pods.yaml"
is "pods that may take longer are asked how long" ".* has the lowest mean turnaround: " "$work/pods.yaml"
pods "duration: 10 ms" "first_fit, worst_fit" >"$work/durations.yaml"
is "pods of given durations fill a cluster" "all policies are equal in GPUs allocated: .*" "$work/durations.yaml"
# A policy that leaves pods waiting has a low mean of the others; so has one of policies that are equal.
cat >"$work/left.yaml" <<'END'
scenario: s
nodes: [{name: n, count: 2, gpus: 2}]
policies: [first_fit, worst_fit]
pods:
  - {name: small, gpu: 50 %, duration: 100 s, count: 3, arrivals: {every: 1 s}}
  - {name: large, gpus: 2, duration: 5 s, start: 2 s, count: 2}
answer: {metric: wait_mean_ns}
run: {duration: 30 s}
END
is "who leaves pods waiting" "worst_fit has the lowest mean wait: .*; without pods that still wait at the end: 2 under worst_fit instead of 0 under first_fit$" "$work/left.yaml"
sed '/large/s/, count: 2//' "$work/left.yaml" >"$work/equal.yaml"
is "of equal policies, the one that leaves pods waiting" "all policies are equal in mean wait: 0; without pods that still wait at the end: 1 under worst_fit instead of 0 under first_fit$" "$work/equal.yaml"
cat >"$work/running.yaml" <<'END'
workload: w
kernels: [{name: k, time: 1 s}]
steps: [{launch: k, times: 10}]
---
scenario: s
nodes: [{name: n, count: 2, devices: {model: v100, count: 2}, cpu: 8}]
policies: [worst_fit, best_fit]
fidelity: processes
pods: [{name: p, workload: w, count: 2, gpu: 50 %, cpu: 1}, {name: q, workload: w, gpus: 2, cpu: 1, start: 1 s}]
run: {duration: 12 s}
END
is "who leaves pods running" "all policies are equal in mean turnaround: 10.00 s; without pods that have not ended: 2 under best_fit instead of 1 under worst_fit$" "$work/running.yaml"
sed 's/^answer.*/  - {name: quick, gpu: 10 %, duration: 1 s, job_deadline: 4 s}\nanswer: {metric: job_miss_ratio}\nmonitor: {}/' "$work/left.yaml" |
    sed '/large/s/}$/, job_deadline: 4 s}/' >"$work/jobs.yaml"
is "jobs of pods that wait" "worst_fit has the fewest missed deadlines of jobs: .*; without pods that still wait at the end: 2 under worst_fit instead of 0 under first_fit$" "$work/jobs.yaml"
# So has a limit that it meets.
(cat "$work/left.yaml"; echo 'expect: [{metric: wait_mean_ns, policy: worst_fit, max: 1}, {metric: wait_mean_ns, policy: first_fit, max: 1e10}]') |
    sed 's/^run: {/run: {replications: 3, until: {where: {wait_mean_ns: "< 10 s"}}, /' >"$work/limit.yaml"
if "$smsched" check --quiet "$work/limit.yaml" >"$work/out" 2>"$work/err" && [ "$(wc -l <"$work/out")" -eq 2 ] &&
    grep -q "^ok .*wait_mean_ns of cluster under worst_fit: 0, at most 1; without pods that still wait at the end: 2$" "$work/out"; then ok; else
    bad "what a check that passes leaves out" "$(cat "$work/out" "$work/err")"; fi
if [ "$(grep -c "warning: wait_mean_ns of cluster under worst_fit is without pods that still wait at the end: 2$" "$work/err")" -eq 1 ] &&
    ! grep -q "under first_fit" "$work/err"; then ok; else bad "what a limit that is met leaves out" "$(cat "$work/err")"; fi
# No interval reaches below what is possible.
cat >"$work/least.yaml" <<'END'
scenario: s
devices: [{model: v100}]
queue: fifo
policies: [round_robin, fine_grained]
vms:
  - {name: server, workload: v100/bfs_64k, arrivals: {poisson: 1 ms}, deadline: 5 ms}
  - {name: stencil, workload: v100/cfd_097k, streams: 2, repeat: forever}
answer: {metric: job_latency_p50_ns, of: server}
run: {duration: 10 ms, replications: 2, seed: 2}
END
is "the least change" ".*interval -100.0 to \+[0-9.]+\)" "$work/least.yaml"
# What the best policy makes worse is told if it is no chance, and where a baseline is told apart, what it loses.
cat >"$work/costs.yaml" <<'END'
workload: spmv
kernels: [{name: spmv, blocks: 4096, threads: 128, registers: 40, block_time: 25 us, jitter: 20 %, demand: {dram: 11 %, l2: 9 %, int: 4 %}}]
---
workload: nbody
kernels:
  - {name: force, blocks: 1280, threads: 256, registers: 56, shared_memory: 4 KiB, block_time: 110 us, jitter: 5 %, demand: {fp32: 26 %, shared: 8 %}}
  - {name: update, blocks: 640, threads: 256, registers: 24, block_time: 12 us, jitter: 5 %, demand: {dram: 18 %, fp32: 3 %}}
---
workload: dgemm
kernels: [{name: dgemm, blocks: 960, threads: 256, registers: 96, shared_memory: 16 KiB, block_time: 180 us, jitter: 3 %, demand: {fp64: 40 %, shared: 16 %, dram: 3 %}}]
---
scenario: s
devices: [{model: v100}]
contention: {model: proportional, slope: 1.5}
queue: interleave
policies: [round_robin, fine_grained, {fine_grained: {limit: 105 %}}]
vms: [{name: spmv, workload: spmv, repeat: forever, start: 0 ms}, {name: nbody, workload: nbody, repeat: forever, start: 0 ms}, {name: dgemm, workload: dgemm, repeat: forever, start: 0 ms}]
run: {warmup: 2 ms, duration: 12 ms, replications: 6}
END
if $short; then sed -i 's/{warmup: 2 ms, duration: 12 ms, replications: 6}/{warmup: 1 ms, duration: 4 ms, replications: 4}/' "$work/costs.yaml"; fi
$short || is "a cost" "fine_grained has the highest system throughput .STP.: [0-9.]+, .* vs .*, the next best .*the optimum is between .*; it costs fairness -[0-9.]+ %" "$work/costs.yaml"
# Policies that differ by chance only are a group, and the change is over the best of the others.
sed 's/policies: .*/policies: [round_robin, fine_grained, {fine_grained: {limit: 100.001 %}}]/' "$work/costs.yaml" >"$work/group.yaml"
is "a group" "fine_grained and fine_grained.limit=100.001%. have the highest system throughput .STP.(: [0-9.]+ .equal.|, without a significant difference: [0-9.]+ under [a-z_.=0-9%()]+), \+[0-9.]+ % vs round_robin, the next best .95 % interval .*" "$work/group.yaml"
"$smsched" compare --format json "$work/group.yaml" >"$work/group.json" 2>"$work/err"
if python3 - "$work/group.json" <<'END'; then ok; else bad "the group in JSON"; fi
import json, sys
compare = json.load(open(sys.argv[1]))
answer = compare["answer"]
assert answer["group"] == ["fine_grained", "fine_grained(limit=100.001%)"] and answer["next"]["policy"] == "round_robin", answer
cell = next(c for c in compare["comparisons"] if c["metric"] == "stp_ratio" and c["policy"] == answer["best"])
assert abs(answer["next"]["change_ratio"] - (cell["ratio"] - 1)) < 1e-9, (answer, cell)  # the table has the same statistic
assert abs(answer["change_ratio"] - answer["next"]["change_ratio"]) < 1e-9 and answer["verdict"] == "differs", answer
END
cat >"$work/noise.yaml" <<'END'
workload: w
kernels: [{name: k, blocks: 40, threads: 128, block_time: 10 us, jitter: 30 %, demand: {fp32: 30 %}}]
---
scenario: s
devices: [{model: v100, dispatch: none, sms: 4}]
contention: proportional
policies: [round_robin, breadth_first]
vms:
  - {name: a, workload: w, arrivals: {poisson: 60 us}}
  - {name: b, workload: w, arrivals: {poisson: 70 us}}
answer: {metric: job_latency_mean_ns, of: b}
run: {duration: 3 ms, seed: 2, replications: 3}
END
is "a cost that may be chance" "no policy differs significantly from the best in mean latency of b: [0-9.]+ us under breadth_first, -[0-9.]+ % vs round_robin .95 % interval -[^;]*; contention proportional is assumed$" "$work/noise.yaml"
# A change is the best one's, also where that is the baseline. An interval that excludes 0 is of one pair, unlike the verdict.
sed 's/^scenario: .*/scenario: s/; s/duration: 21 ms/duration: 4 ms/' scenarios/01-two-tenants.yaml >"$work/pair.yaml"
$short || is "the best by chance is the baseline" "no policy differs significantly from the best in system throughput .STP.: 1.220 under leftover, \+0.1 % vs round_robin, the next best .95 % interval of this pair alone \+0.0 to \+0.3.;" "$work/pair.yaml"
if "$smsched" compare "$work/noise.yaml" | grep -qE "fairness_ratio +[0-9.]+ +-0\.[5-9]"; then ok; else bad "fairness falls by more than half a percent"; fi
sed 's/replications: 3/replications: 1/' "$work/fair.yaml" >"$work/once.yaml"
is "one replication" ".*one replication does not show what is chance" "$work/once.yaml"
sed 's/, jitter: 10 %//; s/arrivals: {poisson: 2 ms}/arrivals: {every: 2 ms}/' "$work/rule.yaml" >"$work/exact.yaml"
is "nothing drawn" ".*(so it is exact|all policies are equal in).*" "$work/exact.yaml"
scenario "round_robin" "" >"$work/alone.yaml"
if answer "$work/alone.yaml" | grep -q "has the"; then bad "one policy has nothing to decide" "$(answer "$work/alone.yaml")"; else ok; fi

# What is assumed is part of the answer, and modes are not ranked where nothing says how kernels slow each other.
sed 's/^contention: .*/contention: {model: proportional, slope: 2}/' "$work/fair.yaml" >"$work/assumed.yaml"
is "contention that is assumed" ".*; contention proportional.slope=200%. is assumed" "$work/assumed.yaml"
sed 's/^kernels: /unmeasured: 78 %\nkernels: /' "$work/processes.yaml" >"$work/part.yaml"
is "kernels without demands" ".* the lowest .*; this assumes that the kernels without demands, 78 % of kernel time, slow no others" "$work/part.yaml"
sed 's/, demand: {[^}]*}//' "$work/processes.yaml" >"$work/none.yaml"
is "no demands" "modes cannot be ranked, because kernels have no demands and never slow each other; without contention .*" "$work/none.yaml"
if "$smsched" compare --format json "$work/none.yaml" 2>/dev/null | grep -q '"verdict": "not known"'; then ok; else bad "a ranking without demands in JSON"; fi
sed 's/^policies.*/policies: [{mode: time_slice}, {mode: exclusive}]/' "$work/none.yaml" >"$work/turns.yaml"
if answer "$work/turns.yaml" | grep -q "demands"; then bad "modes that take turns need no demands" "$(answer "$work/turns.yaml")"; else ok; fi

# A policy without a value is not called equal, and no change over it is told.
cat >"$work/lacks.yaml" <<'END'
workload: w
kernels: [{name: k, blocks: 80, threads: 128, block_time: 1 ms, demand: {fp32: 10 %}}]
steps: [{allocate: 10 GiB}, {launch: k, times: 5}]
---
scenario: s
devices: [{model: v100}]
policies: [{share: plain, mode: mps}, {share: memory_admission, mode: mps}]
processes: [{name: p, workload: w}, {name: q, workload: w, start: 1 ms}]
answer: {metric: turnaround_ns, of: q}
END
is "no value to compare with" "memory_admission.mps gives q the lowest turnaround: 9.041 ms; plain.mps has none" "$work/lacks.yaml"
sed 's/^policies: \[/&{share: fair_share, mode: mps}, /' "$work/lacks.yaml" >"$work/lack.yaml"
is "no value of several" "memory_admission.mps gives q the lowest turnaround: 9.041 ms; no other policy has a value" "$work/lack.yaml"
try 0 "a comparison without a value" compare "$work/lacks.yaml"
prints "q turnaround                   -            = 9.041 ms"
prints "=: the value itself is shown, because plain+mps has none to compare with"
prints "all failed_count               1              -100.0 %"
prints "the same under all policies: p turnaround 5.020 ms, host"
printf 'scenario: equal\nnodes: [{name: n, gpus: 2}]\npolicies: [first_fit, best_fit]\npods: [{name: p, gpus: 1, duration: 1 s}]\n' >"$work/equal.yaml"
try 0 "policies that differ in nothing" compare "$work/equal.yaml"; prints "  the same under all policies: cluster "
if grep -q "change over" <<<"$output"; then bad "a table without rows has a head" "$output"; else ok; fi
try 0 "one policy, nothing drawn" compare "$work/lacks.yaml" --policy memory_admission+mps
if grep -q "better" <<<"$output"; then bad "marks are explained where there is no change" "$output"; else ok; fi
try 0 "no other value" compare "$work/lacks.yaml" --baseline memory_admission+mps
prints "gives q the lowest turnaround: 9.041 ms; no other policy has a value"
prints "q turnaround                                  9.041 ms          -"
sed 's/^answer:.*/answer: {metric: makespan_ns}/; s/^processes:.*/processes: [{name: p, workload: w}, {name: q, workload: w, count: 2, start: 1 ms}]/' "$work/lacks.yaml" >"$work/fails.yaml"
is "best because others fail" "plain.mps has the lowest makespan: .*; under plain.mps 2 processes fail and are left out" "$work/fails.yaml"
sed -i 's/count: 2, //' "$work/fails.yaml"
is "best because one fails" "plain.mps has the lowest makespan: .*; under plain.mps 1 process fails and is left out" "$work/fails.yaml"

# Policies are ranked by their means, and a change is a ratio of means, which follows their order; the mean of the ratios would not.
sed 's/duration: 60 ms/duration: 6 ms/; s/poisson: 2 ms/poisson: 1 ms/; s/jitter: 10 %, demand: {fp64/spread: exponential, demand: {fp64/; s/jitter: 10 %/jitter: 50 %/
s/blocks: 4000/blocks: 400/' "$work/rule.yaml" | sed 's/^policies.*/policies: [round_robin, breadth_first, depth_first]/; s/, deadline: 1 ms//' >"$work/skewed.yaml"
is "the mean ratio is higher, the mean lower" "no verdict on p99 latency of server: 952.8 us under depth_first, -0.2 % vs round_robin; this is the maximum of 4 jobs.*" "$work/skewed.yaml"

# Throughput is highest, or the latency of one lowest, where another gets nothing, and the answer says so.
cat >"$work/starved.yaml" <<'END'
scenario: asked
devices: [{model: v100}]
policies: [{mode: exclusive}, {mode: time_slice}]
processes:
  - {name: a, workload: v100/hotspot_1024, repeat: forever, start: 0 ms}
  - {name: b, workload: v100/hotspot_1024, repeat: forever, start: 1 us}
run: {duration: 4 ms}
END
is "a tenant that starves" "exclusive has the highest system throughput .STP.: .*; under exclusive the slowest tenant makes 0 % of the fastest one's progress" "$work/starved.yaml"
sed 's/^run:/answer: {metric: job_latency_mean_ns, of: a}\n&/' "$work/starved.yaml" >"$work/served.yaml"
is "the others starve" "exclusive gives a the lowest mean latency: .*; under exclusive the slowest tenant makes 0 % of the fastest one's progress" "$work/served.yaml"

# Where phases decide in which of two regimes a run is, the answer names both, and its interval holds both, however many replications there are.
cat >"$work/order.yaml" <<'END'
workload: a
kernels: [{name: k, blocks: 110, threads: 256, block_time: 90 us, demand: {dram: 14 %, int: 3 %}, jitter: 7 %}]
---
workload: b
kernels: [{name: k, blocks: 80, threads: 192, block_time: 130 us, demand: {fp32: 20 %, shared: 9 %}, jitter: 4 %}]
---
workload: c
kernels: [{name: k, blocks: 230, threads: 128, block_time: 40 us, demand: {fp64: 11 %, dram: 2 %}, jitter: 10 %}]
---
scenario: s
devices: [{model: v100, sms: 8}]
policies: [round_robin, fine_grained]
vms: [{name: a, workload: a, repeat: forever}, {name: b, workload: b, repeat: forever}, {name: c, workload: c, repeat: forever}]
run: {warmup: 5 ms, duration: 25 ms, seed: 3, replications: 40}
END
$short || "$smsched" compare --format json "$work/order.yaml" >"$work/order.json" 2>/dev/null
if $short || python3 - "$work/order.json" <<'END'; then ok; else bad "the interval covers both regimes" "$(answer "$work/order.yaml")"; fi
import json, re, sys
compare = json.load(open(sys.argv[1]))
text = compare["answer"]["text"]
low, high, first, second = map(float, re.search(r"interval (\S+) to (\S+)\), in two regimes: (\S+) and (\S+) %", text).groups())
assert low <= first < first + 2 < second <= high, text
cell = next(c for c in compare["comparisons"] if c["metric"] == "stp_ratio")
assert abs(cell["ratio_ci95"] - compare["answer"]["change_ci95"]) < 1e-9 and cell["ratio_ci95"] * 100 > (second - first) / 2, cell
END
sed 's/round_robin, fine_grained/fine_grained, round_robin/; s/replications: 40/replications: 6/' "$work/order.yaml" >"$work/stray.yaml"
apart=0
for seed in 1 2 3 4 5 6; do
    if "$smsched" compare --seed $seed "$work/stray.yaml" 2>/dev/null | sed -n 1p | grep -qE ", in one of 6 replications \+|, in two regimes: "; then apart=$((apart + 1)); fi
done
if [ $apart -ge 4 ]; then ok; else bad "a replication that stands apart is told in $apart of 6"; fi

# A change that is told apart is not printed as 0.
$short || "$smsched" compare scenarios/01-two-tenants.yaml --set devices.v100.sms=79 --set 'run.duration=4 ms' >"$work/out" 2>/dev/null
if $short || sed -n 1p "$work/out" | grep -qE "leftover has the highest .* \+0\.0[0-9]*[1-9] % vs round_robin, the next best .95 % interval \+0\.00[0-9]* to \+0\.00[0-9]*\)"; then ok; else bad "a change of 0.0 %" "$(head -1 "$work/out")"; fi

# The same in JSON: the policy that is named best has the best value.
"$smsched" compare --format json "$work/fair.yaml" >"$work/fair.json" 2>"$work/err"
"$smsched" run --format json "$work/fair.yaml" >"$work/runs.json" 2>"$work/err"
if python3 - "$work/fair.json" "$work/runs.json" <<'END'; then ok; else bad "the answer in JSON"; fi
import json, sys
answer = json.load(open(sys.argv[1]))["answer"]
values = {run["policy"]: run["host"]["fairness_ratio"] for run in json.load(open(sys.argv[2]))["runs"]}
assert answer["declared"] and answer["metric"] == "fairness_ratio" and answer["better"] == "higher", answer
assert answer["best"] == max(values, key=values.get), (answer, values)
assert abs(answer["value"] - max(values.values())) < 1e-9, (answer, values)
assert answer["best"] in answer["text"] and answer["verdict"] in ("differs", "may be chance"), answer
END

# check tells it in one line, before what it checks.
(cat "$work/fair.yaml"; echo 'expect: [{metric: fairness_ratio, policy: round_robin, min: 0}]') >"$work/checked.yaml"
"$smsched" check "$work/checked.yaml" >"$work/checked" 2>"$work/err"
if sed -n 1p "$work/checked" | grep -qE "^answer asked: .* has the highest fairness: "; then ok; else bad "check leads with the answer" "$(cat "$work/checked")"; fi
if [ "$("$smsched" check --quiet "$work/checked.yaml" 2>/dev/null)" = "1 checked, 0 missed" ]; then ok; else bad "a quiet check says no more than it counts"; fi

# The comparison begins with its row.
if "$smsched" compare "$work/of.yaml" 2>/dev/null | grep -A1 "change over" | tail -1 | grep -q "^  batch kernels_per_s "; then ok; else bad "what is asked is the first row"; fi

# Precision is wanted of what is asked.
sed 's/replications: 3/until: 50 %/' "$work/rule.yaml" >"$work/until.yaml"
"$smsched" run --format json "$work/until.yaml" >"$work/until.json" 2>"$work/err"
if grep -q '"metric": "job_latency_p99_ns"' "$work/until.json"; then ok; else bad "until is of what the rule asks"; fi
# `until` refers to the metric that the scenario asks for, unless it names one.
sed 's/replications: 3/until: 20 %/' "$work/fair.yaml" >"$work/until.yaml"
"$smsched" run --format json "$work/until.yaml" >"$work/until.json" 2>"$work/err"
if grep -q '"metric": "fairness_ratio"' "$work/until.json"; then ok; else bad "until is of what is asked"; fi

# The first figure is of what is asked, whatever characters the question has, with the bound where there is one.
scenario "round_robin, fine_grained" "answer: {metric: kernels_per_s}" | sed 's/^scenario: .*/scenario: counted/' >"$work/counted.yaml"
scenario "round_robin, fine_grained" 'question: Isn'"'"'t "it" `fair` to say so of \n all who use a GPU, whatever they run on it and for how long they do?' |
    sed 's/^scenario: .*/scenario: worded/' >"$work/worded.yaml"
try 0 "a folder with answers" run --quiet --out "$work/figures" "$work/fair.yaml" "$work/counted.yaml" "$work/worded.yaml"
try 0 "figures of answers" plot "$work/figures" --format svg
if [ "$(head -1 <<<"$output")" = "$work/figures/plots/answer.svg" ]; then ok; else bad "the answer is the first figure" "$output"; fi
if python3 - "$work/figures" <<'END'; then ok; else bad "the figure of the answer is not of what is asked"; fi
import csv, html, math, re, sys
folder = sys.argv[1]
drawn = [[row["name"], float(row["value"]), float(row["ci95"])] for row in csv.DictReader(open(folder + "/plots/answer.csv"))]
wanted = []
for scenario, file, name, metric in (("asked", "hosts", "host", "fairness_ratio"), ("counted", "hosts", "host", "kernels_per_s"),
                                     ("worded", "vms", "server", "job_latency_p99_ns")):
    for row in csv.DictReader(open(f"{folder}/{file}.csv")):
        if row["scenario"] == scenario and name in (row.get("vm"), row.get("host")):
            scale = 1e6 if metric.endswith("_ns") else 1
            wanted.append([name, float(row[metric]) / scale, float(row["ci95_" + metric] or "nan") / scale])
assert len(drawn) == 6 and [row[0] for row in drawn] == [row[0] for row in wanted], drawn
assert all(math.isclose(row[i], have[i], rel_tol=1e-8) or math.isnan(row[i]) and math.isnan(have[i])
           for row, have in zip(drawn, wanted) for i in (1, 2)), (drawn, wanted)
svg = html.unescape(open(folder + "/plots/answer.svg").read())
text = re.sub(r"\s+", " ", " ".join(re.findall(r">([^<>]+)<", svg)))
for part in ("Which policy has the highest fairness?", " of server (m", " bound ",
             'Isn\'t "it" `fair` to say so of \\n all who use a GPU,'):
    assert part in text, (part, text)
assert text.count(" bound ") == 1, text
END
# Kernels of different tenants are not counted together.
if grep -q ",server$" "$work/figures/plots/throughput.csv" && ! grep -q ",all$" "$work/figures/plots/throughput.csv"; then ok; else bad "unlike kernels in one bar"; fi
sed 's/workload: request, arrivals: {poisson: 2 ms}, deadline: 1 ms/workload: batch, repeat: forever/' "$work/fair.yaml" >"$work/alike.yaml"
try 0 "a folder of tenants alike" run --quiet --out "$work/alike" "$work/alike.yaml"
try 0 "figures of tenants alike" plot "$work/alike" --format svg
if grep -q ",all$" "$work/alike/plots/throughput.csv"; then ok; else bad "kernels alike are counted together"; fi

# A sweep counts a point for a policy only where its lead is no chance, on the page and in the database.
cat >"$work/chance.yaml" <<END
plan: chance
base: noise.yaml
policies: [round_robin, breadth_first, {fine_grained: {limit: 30 %}}]
axes: [run.seed: [1, 2, 3], run.replications: [6]]
END
(cd "$work" && "$smsched" sweep --quiet chance.yaml >sweep.out 2>&1 && "$smsched" report --format json chance.sweep) >"$work/chance.json" 2>"$work/err"
if python3 - "$work" <<'END'; then ok; else bad "points that are won by chance" "$(cat "$work/err")"; fi
import json, sqlite3, sys
database = sqlite3.connect(sys.argv[1] + "/chance.sweep/results/sweep.db")
best = database.execute("SELECT policy, not_told_apart FROM best ORDER BY point").fetchall()
assert len(best) == 3 and all(others == 1 and policy in ("round_robin", "breadth_first") for policy, others in best), best
view = next(v for v in json.load(open(sys.argv[1] + "/chance.json"))["subjects"] if v["subject"] == "vm")
metric, name = view["metrics"].index("job_latency_mean_ns"), view["names"].index("b")
for row in view["overall"]:
    if row[0] == name:  # mean, change, interval, least, most, better, best alone, not told apart, equal
        alone, shared, equal = (row[i][metric] for i in (9, 10, 11))
        assert (alone, shared, equal) == ((0, 3, 0) if row[1] < 2 else (0, 0, 0)), (view["policies"][row[1]], alone, shared, equal)
changes = database.execute("SELECT job_latency_mean_ns FROM vm_change WHERE name = 'b' AND position = 1").fetchall()
row = next(r for r in view["overall"] if r[:2] == [name, 1])
assert abs(row[4][metric] - sum(x for x, in changes) / 3) < 1e-12, (row[4][metric], changes)  # one statistic of change
END

# A percentile of few jobs wins no point, on the page as in the database.
cat >"$work/tail.yaml" <<END
plan: tail
base: noise.yaml
policies: [breadth_first, {fine_grained: {limit: 30 %}}]
answer: {metric: job_latency_p99_ns, of: b}
axes: [run.seed: [1, 2], run.replications: [6]]
END
(cd "$work" && "$smsched" sweep --quiet tail.yaml >sweep.out 2>&1 && "$smsched" report --format json tail.sweep) >"$work/tail.json" 2>"$work/err"
if python3 - "$work" <<'END'; then ok; else bad "points that are won by a maximum" "$(cat "$work/err")"; fi
import json, sqlite3, sys
page = json.load(open(sys.argv[1] + "/tail.json"))
best = sqlite3.connect(sys.argv[1] + "/tail.sweep/results/sweep.db").execute("SELECT not_told_apart FROM best").fetchall()
assert best == [(1,), (1,)], best
assert any("job_latency_p99_ns does not distinguish policies at 2 points" in note for note in page["notes"]), page["notes"]
said = [text for text, in page["caveats"]]  # a page of a sweep says what its answer rests on
assert "measured: no measurement covers p99 latency" in said and any("demands 300 % of fp32" in text for text in said), said
view = next(v for v in page["subjects"] if v["subject"] == "vm")
metric, median = view["metrics"].index("job_latency_p99_ns"), view["metrics"].index("job_latency_p50_ns")
rows = [row for row in view["overall"] if row[0] == view["names"].index("b")]
for row in rows:  # ... better, best alone, not told apart, equal, won, lost, tested
    assert [row[i][metric] for i in (9, 10, 12, 13)] == [0, 2, 0, 0], row
assert sum(row[9][median] for row in rows) == 2, rows  # the medians of the same jobs are told apart
for row in view["overall"]:  # nor does one of another tenant, for which the plan does not ask
    assert [row[i][metric] for i in (9, 12, 13)] == [0, 0, 0] and row[10][metric] == 2, row
END

# What a policy gains for kernels that alone want more than there is stands beside its gain on the page of a sweep, by
# the numbers of `compare`.
cp "$(dirname "$0")/../scenarios/two-tenants.yaml" "$work/own.yaml"
printf 'plan: own\nbase: own.yaml\naxes: [contention.slope: [2, 2.5], run.replications: [2], run.duration: [6 ms]]\n' >"$work/own-plan.yaml"
(cd "$work" && "$smsched" sweep --quiet own-plan.yaml --out own.sweep && "$smsched" report --format json own.sweep) >"$work/own.json" 2>"$work/err"
"$smsched" compare --format json --set run.replications=2 --set 'run.duration=6 ms' "$work/own.yaml" >"$work/own-compare.json" 2>/dev/null
if python3 - "$work" <<'END'; then ok; else bad "what policies gain alone on a sweep's page" "$(cat "$work/err")"; fi
import json, sqlite3, sys
page, whole = (json.load(open(f"{sys.argv[1]}/{name}.json")) for name in ("own", "own-compare"))
database = sqlite3.connect(sys.argv[1] + "/own.sweep/results/sweep.db")
gains = {row[:2]: row[2] for row in database.execute("SELECT policy, name, gain_ratio FROM gain_alone WHERE point = 0")}
known = {(row["policy"], row["name"]): row["ratio"] for row in whole["alone"]}
assert len(known) == 4 and all(abs(gains[key] - known[key]) < 1e-9 for key in known), (gains, known)
left = [row[0] for row in database.execute("SELECT left_ratio FROM answer WHERE policy = 'fine_grained' ORDER BY point")]
assert "without it STP changes by +0.0 %" in whole["answer"]["text"] and abs(left[0] - 1) < 5e-4, (left, whole["answer"])
mean = (sum(gain - 1 for gain, in database.execute("SELECT gain_ratio FROM gain_alone WHERE policy = 'fine_grained' AND name = 'single'")) / 2)
rows = [row for row in page["gains_alone"]["rows"] if row[:2] == [2, "single"]]
assert len(rows) == 1 and abs(rows[0][2] - mean) < 1e-9 and rows[0][3] == 2 and rows[0][2] > 0.02, (rows, mean)
assert abs(page["gains_alone"]["left"][1][1] - (sum(left) / 2 - 1)) < 1e-9, page["gains_alone"]
END

# Why there is no answer.
scenario "round_robin, fine_grained" "answer: {metric: deadline_miss_ratio}" | sed 's/, deadline: 1 ms//' >"$work/none.yaml"
"$smsched" compare "$work/none.yaml" >"$work/out" 2>/dev/null
if grep -qF "  no answer: no policy has a value of missed deadlines of host; 'answer: {metric: ...}' names another metric" "$work/out"; then ok; else bad "no policy has a value" "$(cat "$work/out")"; fi
"$smsched" compare "$work/fair.yaml" --policy round_robin >"$work/out" 2>/dev/null
if grep -qF "  no answer: there is only one policy" "$work/out"; then ok; else bad "one policy has no answer" "$(cat "$work/out")"; fi

# A profile of one device that runs on another: a warning, once of each workload, beside the note in results.
cat >"$work/elsewhere.yaml" <<'END'
workload: mine
device: v100
kernels: [{name: k, blocks: 100, threads: 64, block_time: 10 us}]
---
scenario: elsewhere
devices: [{model: gtx1080ti}]
policies: [round_robin]
vms: [{name: a, workload: mine, repeat: 2}, {name: b, workload: mine}]
END
"$smsched" run "$work/elsewhere.yaml" >"$work/out" 2>"$work/err"
if [ "$(grep -c "warning: workload 'mine' was profiled on v100 and runs on gtx1080ti" "$work/err")" = 1 ]; then ok; else bad "a profile of another device" "$(cat "$work/err")"; fi
if grep -q "note: kernels scaled from the device of their profile: mine" "$work/out"; then ok; else bad "a note of that" "$(cat "$work/out")"; fi
sed 's/^device: v100/device: unheard-of/' "$work/elsewhere.yaml" >"$work/unknown.yaml"
"$smsched" run "$work/unknown.yaml" >"$work/out" 2>/dev/null
if grep -q "note: workloads profiled on another device than they run on: mine" "$work/out"; then ok; else bad "a note of a device without a file" "$(cat "$work/out")"; fi
sed -i 's/^device: v100/device: gtx1080ti/' "$work/elsewhere.yaml"
if [ -z "$("$smsched" run "$work/elsewhere.yaml" 2>&1 >/dev/null)" ]; then ok; else bad "a profile of its own device needs no warning"; fi
finish
