#!/usr/bin/env bash
# Runs that cannot continue end, and say who waits for what.
set -u
smsched=$1
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
wrong=0

scenario() { # CONTEXT POLICIES
    cat > "$folder/s.yaml" <<END
device: d
clock: 1 GHz
sms: 2
memory: 1000 B
sm: {threads: 1024, warps: 32, blocks: 4}
resources: {a: {class: compute}}
---
workload: w
kernels: [{name: k, time: 1 ms}]
---
scenario: s
devices: [{model: d}]
host: {context: $1}
policies: [$2]
processes: [{name: a, workload: w, count: 3}]
END
}

check() { # TEXT COMMAND...
    local text=$1
    shift
    timeout 600 "$@" > "$folder/out" 2>&1 || { echo "exit $? of $*"; wrong=1; }
    grep -qF "$text" "$folder/out" || { echo "not said: $text"; cat "$folder/out"; wrong=1; }
}

for policy in plain container_pause memory_admission fair_share '{mode: exclusive}' '{mode: mps}'; do
    scenario '2000 B' "$policy"
    check ': 3 processes wait for ever: 3 for a device' "$smsched" run --check "$folder/s.yaml"
    check '"device": 3' "$smsched" run --format json "$folder/s.yaml"
done
scenario '2000 B' mobile_cuda
check 'these failed, and have no part in stp, antt and fairness: a1 under mobile_cuda' "$smsched" run --check "$folder/s.yaml"
scenario '200 B' plain
"$smsched" run "$folder/s.yaml" | grep -q 'warning' && { echo 'a warning for nothing'; wrong=1; }

# A policy answers 70000 allocations by timers, and little else happens. The run must not be taken for stalled.
scenario '200 B' mobile_cuda
sed -i -e '/^kernels/s/1 ms/1 ns/' -e 's/, count: 3/, repeat: 7000/' \
    -e '/^kernels/a steps: [{allocate: 1 B}, {free: all}, {allocate: 1 B}, {free: all}, {allocate: 1 B}, {allocate: 1 B}, {allocate: 1 B}, {allocate: 1 B}, {allocate: 1 B}, {allocate: 1 B}, {allocate: 1 B}, {allocate: 1 B}, {launch: k}]' \
    "$folder/s.yaml"
check 'mobile_cuda' "$smsched" run "$folder/s.yaml"
grep -q warning "$folder/out" && { echo 'many allocations do not end'; wrong=1; }

# A process fails at the first of the jobs that arrive. Nothing is left that the other could wait for.
scenario '200 B' plain
sed -i -e '/^kernels/a steps: [{allocate: 900 B}, {launch: k}]' -e 's/, count: 3/, arrivals: {every: 1 ms}, repeat: 5/' \
    -e '/arrivals/s/}]$/}, {name: b, workload: large}]/' -e '/^scenario/i workload: large\nstatic: 2000 B\nkernels: [{name: k, time: 1 ms}]\n---' \
    "$folder/s.yaml"
check ': 1 process waits for ever: 1 for a device' "$smsched" run --check "$folder/s.yaml"

# Each has one SM by its part and one by its quota, and these are others: of those that end, and of those that do not.
scenario '200 B' '{mode: {mps: {granule: 1}}, block: sm_quota}'
sed -i -e 's/time: 1 ms/blocks: 9, threads: 32, block_time: 1 ms/' \
    -e 's/^processes.*/processes: [{name: a, workload: w}, {name: b, workload: w, active_threads: 50 %}]/' "$folder/s.yaml"
check ': 1 process waits for ever: 1 for an SM that takes a block' "$smsched" run --check "$folder/s.yaml"
check 'SM 0: refused by sm_quota: not one of the SMs of b; SM 1: not available to its process' \
    "$smsched" explain --from '0 ms' --to '9 ms' "$folder/s.yaml"
sed -i -e 's/^host.*/&\nrun: {duration: 1 s}/' -e '/^processes/s/workload: w/&, start: 0 s, repeat: forever/g' "$folder/s.yaml"
check ': 1 process waits for ever: 1 for an SM that takes a block' "$smsched" run --check "$folder/s.yaml"
sed -i 's/, active_threads: 50 %//' "$folder/s.yaml"
"$smsched" run "$folder/s.yaml" | grep -q 'warning' && { echo 'a warning of those that run'; wrong=1; }

# Without a duration a run that gets stuck has no makespan: the time of its last event would be the shortest.
cat > "$folder/s.yaml" <<END
workload: w
kernels: [{name: k, time: 1 ms}]
steps: [{allocate: 9 GiB}, {launch: k}, {allocate: 6 GiB}, {launch: k}]
---
scenario: s
devices: [{model: v100}]
policies: [{share: memory_turns, mode: mps}, {mode: exclusive}]
processes: [{name: p, workload: w, count: 2, start: 0 s}]
answer: {metric: makespan_ns}
END
check 'exclusive has the lowest makespan: 4.000 ms; memory_turns+mps has none' "$smsched" compare "$folder/s.yaml"
echo 'run: {duration: 5 ms}' >> "$folder/s.yaml"
check 'exclusive has the lowest makespan: 4.000 ms, -20.0 % vs memory_turns+mps' "$smsched" compare "$folder/s.yaml"
cat > "$folder/s.yaml" <<END
scenario: s
nodes: [{name: n, count: 2, gpus: 2, cpu: 8}]
policies: [worst_fit, best_fit]
pods: [{name: p, count: 2, gpu: 50 %, cpu: 1}, {name: q, gpus: 2, cpu: 1, duration: 100 s, start: 1 s}]
answer: {metric: makespan_ns}
END
check 'best_fit has the lowest makespan: 101 s; worst_fit has none' "$smsched" compare "$folder/s.yaml"
cat > "$folder/s.yaml" <<END
device: d
inherits: v100
sms: 1
dispatch: none
background: [{sm: 0, demand: {fp32: 99 %}}]
---
workload: w
kernels: [{name: k, blocks: 80, threads: 64, block_time: 10 us, demand: {fp32: 9 %}}]
---
scenario: s
devices: [{model: d}]
policies: [round_robin, {utilization_aware: {limit: 100 %}}]
vms: [{name: v, workload: w, count: 2}]
answer: {metric: makespan_ns}
END
check 'round_robin has the lowest makespan' "$smsched" compare "$folder/s.yaml"
grep -qwE 'equally fast|nan' "$folder/out" && { echo 'a tenant that gets stuck alone is as fast as one that does not'; wrong=1; }
grep -qE '^  v1 alone +1 +-$' "$folder/out" || { echo 'one that gets stuck alone has a speed'; wrong=1; }
check '2 VMs wait for ever: 2 for an SM that takes a block' "$smsched" run "$folder/s.yaml"
grep -qw nan "$folder/out" && { echo 'nan is printed'; wrong=1; }
check '"sm": 2' "$smsched" run --format json "$folder/s.yaml"

# The kernel whose turn it is fits nowhere for ever, and keeps its turn. Processes in this state take no turns for ever, and a policy
# that looks again and again for another state does so in vain. No block policy of the library refuses a kernel so.
cat > "$folder/first_two.c" <<END
#include <smsched/plugin.h>
static int admits(const double *param, const struct sms_device_view *device, const struct sms_sm_view *sm,
                  const struct sms_block_request *block)
{
    (void)param, (void)device, (void)sm;
    return block->launch <= 2 ? SMS_ADMIT : SMS_NOT_HERE;
}
static const struct sms_block_policy first_two = {.name = "first_two", .help = "serves two launches", .search = SMS_SEARCH_RING, .admits = admits};
SMS_PLUGIN(.block = {&first_two});
END
cc -std=c17 -fPIC -shared -Isim/include "$folder/first_two.c" -o "$folder/first_two.so" || wrong=1
for policy in '{mode: time_slice, block: first_two}' '{share: container_pause, mode: mps, block: first_two}' \
    '{share: tgs, mode: time_slice, block: first_two}'; do
    scenario '200 B' "$policy"
    sed -i -e 's/time: 1 ms/blocks: 20, threads: 1024, block_time: 1 ms/' -e 's/count: 3/count: 2, streams: 3/' \
        -e 's/^host.*/&\nqueue: rr_fifo/' "$folder/s.yaml"
    check ': 2 processes wait for ever: ' "$smsched" run --check --events 1e7 --plugin "$folder/first_two.so" "$folder/s.yaml"
done

# Processes without an end that fail, never begin, or fall behind are named, because tables alone look like results.
cat > "$folder/s.yaml" <<END
workload: large
kernels: [{name: k, time: 1 ms}]
steps: [{allocate: 50 GiB}, {launch: k}]
---
workload: small
kernels: [{name: k, time: 1 ms}]
---
scenario: s
devices: [{model: a100}]
policies: [{mode: exclusive}, {mode: mps}]
processes:
  - {name: a, workload: small, repeat: forever}
  - {name: fails, workload: large, repeat: forever, start: 1 ms}
  - {name: waits, workload: small, repeat: forever, start: 2 ms}
  - {name: late, workload: small, arrivals: {poisson: 0.5 ms}, repeat: forever}
run: {warmup: 10 ms, duration: 200 ms, replications: 2}
END
check 'these failed, and have no part in stp, antt and fairness: fails under mps' "$smsched" run "$folder/s.yaml"
grep -q 'these did nothing in the measured time, .*: .*waits under exclusive' "$folder/out" || { echo 'who waits is not named'; cat "$folder/out"; wrong=1; }
grep -q 'no block of these ends when they run alone, .* no stp, antt and fairness: fails under exclusive' "$folder/out" || { echo 'it is not said why there is no stp'; wrong=1; }
grep '^  fairness_ratio' "$folder/out" | grep -q '^  fairness_ratio  *- ' || { echo 'fairness leaves out one that has no progress'; wrong=1; }
grep -q 'latencies grow with the length of the run: late under mps ([0-9.]* of 2000 jobs/s)' "$folder/out" || { echo 'who falls behind is not named'; wrong=1; }
grep -q 'fewer than 200 kernels were counted of .*fails (0)' "$folder/out" && { echo 'one that failed needs no longer run'; wrong=1; }
grep -q 'the same throughout: .*stp_ratio' "$folder/out" && { echo 'stp, which one policy lacks, is the same throughout'; wrong=1; }
check 'fails: fails: an allocation of 51200 MiB is refused' "$smsched" explain --policy mps "$folder/s.yaml"

# A process alone has the device with the most memory, which may be a slower one for it than that beside others.
cat > "$folder/unlike.yaml" <<END
workload: w
kernels: [{name: k, blocks: 80, threads: 128, block_time: 10 us}]
---
scenario: unlike
devices: [{model: v100, sms: 4}, {model: k20c}]
policies: [{mode: exclusive}]
processes: [{name: p, workload: w, repeat: 3}, {name: q, workload: w, repeat: 3}]
END
check 'because leftover slows them when they run alone, or because alone some have a slower device' "$smsched" run "$folder/unlike.yaml"

# So do pods: half of these ask for more memory than the others leave.
cat > "$folder/s.yaml" <<END
workload: large
kernels: [{name: k, time: 1 s}]
steps: [{allocate: 30 GiB}, {launch: k}]
---
scenario: s
nodes: [{name: n, count: 4, devices: {model: a100, count: 2}, cpu: 16}]
policies: [{place: first_fit, mode: mps}]
pods: [{name: p, count: 10, workload: large, gpu: 50 %, cpu: 1}]
END
check 'pods failed, and have no turnaround and no slowdown: 5 under first_fit+mps' "$smsched" run "$folder/s.yaml"
check 'p2: fails: an allocation of 30720 MiB is refused; it holds 0 MiB, and 10240 MiB are free' "$smsched" explain "$folder/s.yaml"

# A process that runs in one replication of three: the antt of the others has no value, and a mean of one looks like one.
cat > "$folder/s.yaml" <<END
workload: w
kernels: [{name: k, blocks: 400, threads: 128, block_time: 20 us, demand: {dram: 3 %}}]
---
scenario: s
devices: [{model: a100}]
policies: [{share: priority, mode: time_slice}]
processes: [{name: hi, workload: w, repeat: forever, priority: 2}, {name: lo, workload: w, repeat: forever, priority: 1}]
run: {duration: 20 ms, warmup: 1 ms, replications: 3}
END
check 'no antt: lo under priority+time_slice in 2 of 3 replications' "$smsched" run "$folder/s.yaml"

# 20 chunks of 4 SMs are a whole V100. The options of the note show the wait, which has no end in the run.
cat > "$folder/s.yaml" <<END
workload: w
kernels: [{name: k, blocks: 400, threads: 128, block_time: 20 us, demand: {dram: 3 %}}]
---
scenario: s
devices: [{model: v100}]
policies: [{mode: partition}]
processes: [{name: first, workload: w, repeat: forever, chunks: 20}, {name: second, workload: w, repeat: forever, chunks: 20}]
run: {duration: 20.5 ms}
END
check "no antt: second under partition (needs 20 free chunks); 'smsched explain' shows with '--from 20.5ms --to 20.5ms' what they wait for" "$smsched" run "$folder/s.yaml"
check 'second: waiting for a device from 0.000000 ms until now' "$smsched" explain --from 20.5ms --to 20.5ms "$folder/s.yaml"

# Of several policies the note tells of those that ran, whatever the others of the scenario are.
sed 's/{mode: partition}/{mode: mps}, {mode: partition}/' "$folder/s.yaml" > "$folder/both.yaml"
check 'under mps, blocks of all processes wait' "$smsched" run "$folder/both.yaml"
check "second under partition (needs 20 free chunks); 'smsched" "$smsched" run --policy partition "$folder/both.yaml"
grep -q 'under mps' "$folder/out" && { echo 'a note tells of a policy that did not run'; wrong=1; }

# A deadline that no job meets even alone is named, of a process by what came of it; of a pod before it runs.
cat > "$folder/s.yaml" <<END
workload: w
kernels: [{name: k, time: 20 ms}]
---
scenario: s
devices: [{model: a100}]
policies: [{mode: mps}, {mode: time_slice}]
processes:
  - {name: never, workload: w, arrivals: {every: 90 ms}, deadline: 4 ms}
  - {name: beside, workload: w, arrivals: {every: 50 ms}, deadline: 25 ms}
  - {name: waits, workload: w, repeat: 4, deadline: 30 ms, start: 1 ms}
run: {duration: 1 s}
END
check 'a job takes longer than its deadline even alone, so that all are late: never (20 of 4 ms)' "$smsched" run "$folder/s.yaml"
check 'so that all are late: never (20 of 0.5 ms)' "$smsched" run --set processes.0.deadline='500 us' "$folder/s.yaml"
check 'so that all are late: never (39.8 of 5 us)' "$smsched" run --set workloads.w.kernels.0.time='39.8 us' --set processes.0.deadline='5 us' "$folder/s.yaml"
long=$(printf 'never%.0s' {1..20}) # the longest name, whole
sed "s/never/$long/" "$folder/s.yaml" > "$folder/long.yaml"
check "so that all are late: $long (20 of 4 ms)" "$smsched" run "$folder/long.yaml"
grep -qE 'all are late: .*(beside|waits)' "$folder/out" && { echo 'a deadline that can be met is called too short'; wrong=1; }
cat > "$folder/s.yaml" <<END
scenario: s
nodes: [{name: n, count: 1, gpus: 4, cpu: 16}, {name: m, devices: {model: a100}, mig: [{layout: [7g.40gb]}]}]
policies: [first_fit]
pods:
  - {name: late, gpu: 1, duration: 10 s, deadline: 9 s}
  - {name: slow, gpu: 1, duration: 10 s, job_deadline: 9 s}
  - {name: drawn, gpu: 1, duration: 10 s, deadline: 9 s, spread: exponential}
  - {name: fine, gpu: 1, duration: 10 s, deadline: 10 s}
  - {name: fine-on-another, profiles: {1g.5gb: 10 s, 7g.40gb: 2 s}, deadline: 5 s}
END
check "s.yaml:5:52: warning: pod 'late' always misses its deadline: it lasts longer" "$smsched" validate "$folder/s.yaml"
check "s.yaml:6:56: warning: pod 'slow' always misses its job_deadline: it lasts longer" "$smsched" validate "$folder/s.yaml"
grep -qE 'drawn|fine' "$folder/out" && { echo 'a pod that may end in time is warned of'; wrong=1; }
# So are jobs that come too late for the run, and deadlines that end after it.
cat > "$folder/s.yaml" <<END
workload: w
kernels: [{name: k, blocks: 1, threads: 128, block_time: 20 us}]
---
scenario: s
devices: [{model: a100}]
vms:
  - {name: listed, workload: w, arrivals: {times: [7 ms, 8 ms]}, start: 3 ms}
  - {name: even, workload: w, arrivals: {every: 10 ms}}
  - {name: long, workload: w, repeat: forever, deadline: 6 ms, start: 4 ms}
  - {name: right, workload: w, arrivals: {times: [6.9 ms, 12 ms]}, start: 3 ms}
  - {name: short, workload: w, repeat: forever, deadline: 5.9 ms, start: 4 ms}
run: {duration: 10 ms}
END
check "s.yaml:7:43: warning: the first job of 'listed' arrives when the run is over" "$smsched" validate "$folder/s.yaml"
check "s.yaml:8:41: warning: the first job of 'even' arrives when the run is over" "$smsched" validate "$folder/s.yaml"
check "s.yaml:9:58: warning: no job of 'long' can miss its deadline before the run is over" "$smsched" validate "$folder/s.yaml"
grep -qE 'right|short' "$folder/out" && { echo 'a tenant whose jobs may be late is warned of'; wrong=1; }
# A gang that the nodes cannot hold at once waits for ever, and a pod whose only nodes are too small.
cat > "$folder/s.yaml" <<END
scenario: s
nodes: [{name: n, count: 2, gpus: 4, cpu: 16}, {name: m, gpus: 1, cpu: 16, labels: {zone: b}}]
pods:
  - {name: five, gpus: 2, replicas: 5, duration: 1 s}
  - {name: cores, cpu: 9, replicas: 4, duration: 1 s}
  - {name: halves, gpu: 50 %, replicas: 19, duration: 1 s}
  - {name: small, gpus: 2, selector: {zone: b}, duration: 1 s}
  - {name: fits, gpus: 2, replicas: 4, duration: 1 s}
  - {name: fits_by_halves, gpu: 50 %, cpu: 1, replicas: 18, duration: 1 s}
END
for gang in 4:5:five 5:5:cores 6:5:halves; do
    check "s.yaml:${gang%:*}: warning: the nodes cannot hold all pods of gang '${gang##*:}', even with nothing on them" "$smsched" validate "$folder/s.yaml"
done
check "s.yaml:7:5: warning: no node can hold pod 'small', even with nothing on it" "$smsched" validate "$folder/s.yaml"
grep -q 'fits' "$folder/out" && { echo 'a gang that fits is warned of'; wrong=1; }
exit $wrong
