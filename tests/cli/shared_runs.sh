#!/usr/bin/env bash
# Points of a sweep share runs that read the same, and no result changes by it. Usage: shared_runs.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
cd "$work" || exit 1

# counts PLAN POINTS RUNS: one process simulates RUNS ("SIMULATED of ALL") with any number of threads. Shards of one point
# each have nothing to share, and give the same results.
counts() {
    for jobs in 1 3; do
        try 0 "$1 with $jobs threads" sweep --jobs $jobs --out "$1-$jobs" "$1.yaml"
        prints "${3#* of } runs: ${3% of *} simulated"
    done
    for k in $(seq "$2"); do
        "$smsched" sweep --quiet --jobs 1 --shard "$k/$2" --out "$1-apart" "$1.yaml" || bad "shard $k of $1"
    done
    try 0 "merge of $1" sweep merge --out "$1-apart" "$1.yaml"
    for jobs in 1 3; do
        if diff -r "$1-$jobs/results" "$1-apart/results" >diff; then ok; else bad "$1 differs" "$(head -5 diff)"; fi
    done
}

workloads() {
    cat <<'END'
workload: one
kernels: [{name: k, blocks: 200, threads: 128, block_time: 10 us, jitter: 20 %, demand: {fp32: 9 %}}]
---
workload: launched
kernels: [{name: k, blocks: 90, threads: 256, block_time: 7 us, launch: 3 us, demand: {dram: 12 %}}, {name: l, blocks: 30, threads: 64, block_time: 5 us, demand: {fp32: 5 %}}]
---
END
}

# A parameter of a policy changes no run of another policy, and no stand-alone run. Of 2 policies and 2 VMs in 2 replications:
# the first policy and the stand-alone runs once, the second for each limit:
# 12 of 24. Each tenant also runs alone under each policy, twice where that differs: 4 under the first policy, and 4, 4 and 2 under the second.
(workloads; cat) >limits.yaml <<'END'
scenario: few
devices: [{model: v100, sms: 4}]
contention: proportional
policies: [round_robin, {fine_grained: {limit: 90 %}}]
vms: [{name: a, workload: one, repeat: forever}, {name: b, workload: one, repeat: 4, start: 1 us}]
run: {replications: 2, duration: 3 ms, warmup: 1 ms}
---
plan: limits
axes: [policies.fine_grained.limit: [75 %, 100 %, 150 %]]
END
counts limits 3 "26 of 44"

# The queue matters to a stand-alone run with several streams only: a has one, b two. So b's under each policy are of one queue, too.
sed -e 's/repeat: 4,/repeat: 4, streams: 2,/' -e 's/plan: limits/plan: queues/' -e 's/- *policies.*//' \
    -e 's/^axes.*/axes: [queue: [interleave, kernel_fifo]]/' limits.yaml >queues.yaml
counts queues 2 "26 of 32"

# A stand-alone run is of one tenant: the others, their kernels and their number change none. 24 runs together, and of a, b and
# c alone 1, 2 and 6, as many under round_robin; sm_quota is that of stand-alone runs.
(workloads; cat) >mixes.yaml <<'END'
scenario: mixed
devices: [{model: v100, sms: 4, count: 2}]
contention: {model: proportional, slope: 2}
alone: sm_quota
policies: [round_robin, sm_quota]
vms: [{name: a, workload: one, repeat: 3}, {name: b, workload: one, repeat: 4}, {name: c, workload: one, streams: 2}]
---
plan: mixes
axes:
  - vms.b.workload: [one, launched]
  - vms.c.repeat: [1, 2, 3]
  - vms.c.device: [0, 1]
END
counts mixes 12 "42 of 96"

# Pilots are shared, too. The warm-up that they find counts for all policies, and is part of what a run reads.
sed -e 's/plan: limits/plan: pilots/' -e 's/warmup: 1 ms/warmup: auto/' -e 's/repeat: 4/repeat: forever/' limits.yaml >pilots.yaml
counts pilots 3 "46 of 74"

# Processes: modes and share policies of their own.
(workloads; cat) >processes.yaml <<'END'
scenario: processes
devices: [{model: v100, sms: 4}]
policies: [{mode: together}, {mode: {time_slice: {slice: 50 us}}}, lottery]
processes: [{name: p, workload: one, count: 2, repeat: 2}, {name: q, workload: launched, repeat: 3}]
---
plan: processes
axes:
  - policies.1.mode.time_slice.slice: [50 us, 100 us, 150 us]
  - run.replications: [1, 2]
END
counts processes 6 "16 of 54"

# A workload that is not in the scenario's document, and a seed, are part of what every run reads.
sed -e 's/plan: limits/plan: unshared/' -e 's/^axes.*/axes: [workloads.one.kernels.k.block_time: [10 us, 11 us], run.seed: [1, 2]]/' \
    limits.yaml >unshared.yaml
try 0 "a plan without equal runs" sweep --out unshared unshared.yaml
if grep -q simulated <<<"$output"; then bad "shares runs that differ" "$output"; else ok; fi
finish
