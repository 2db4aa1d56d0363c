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
    timeout 60 "$@" > "$folder/out" 2>&1 || { echo "exit $? of $*"; wrong=1; }
    grep -qF "$text" "$folder/out" || { echo "not said: $text"; cat "$folder/out"; wrong=1; }
}

for policy in plain container_pause mobile_cuda memory_admission fair_share '{mode: exclusive}' '{mode: mps}'; do
    scenario '2000 B' "$policy"
    check ': 3 processes wait for ever: 3 for a device' "$smsched" run --check "$folder/s.yaml"
    check '"device": 3' "$smsched" run --format json "$folder/s.yaml"
done
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
exit $wrong
