#!/usr/bin/env bash
# Traces: what is in them, what is left out, and what happens when they cannot be
# written. Usage: run.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
here=$(realpath "$(dirname "$0")")
cd "$work" || exit 1

check() { if python3 "$here/check.py" "$@" 2>err; then ok; else bad "check $*" "$(tail -1 err)"; fi; }
# trace FILE ARGUMENT...: one that must come out well.
trace() {
    local file=$1
    shift
    "$smsched" run --trace "$file" "$@" >out 2>err
    exits 0 $? "run --trace $file $*"
    clean "$file.partial" "run --trace $file $*"
}

# A whole number of everything: 2 VMs x 4 jobs x 600 blocks. An SM holds 16 blocks.
sms=6 vms=2 repeat=4 blocks=600 limit=16 demand=0.2
write() {
    cat <<END
device: small
clock: 1 GHz
sms: $sms
sm: {threads: 2048, warps: 64, blocks: $limit, registers: 65536, shared_memory: 96 KiB}
resources: {fp32: {class: compute}, l1: {class: memory}}
---
workload: load
synthetic: true
kernels: [{name: grind, blocks: $blocks, threads: 64, block_time: 10 us, jitter: $1, demand: {fp32: $demand}}]
---
scenario: small
devices: [{model: small}]
contention: proportional
policies: [round_robin, {fine_grained: {limit: 100 %}}]
vms: [{name: a, workload: load, repeat: $repeat}, {name: b.2, workload: load, repeat: $repeat}]
run: {replications: 2}
END
}
write '5 %' >small.yaml
write '0 %' >equal.yaml
all=$((vms * repeat * blocks))

trace whole.json small.yaml
says "whole.json: round_robin: all $all blocks and $((vms * repeat)) kernels" "run --trace"
check valid whole.json $limit
check blocks whole.json round_robin $all
check blocks whole.json fine_grained $all
trace fine.json --policy fine_grained small.yaml
trace equal.json --policy round_robin --quiet equal.yaml
if [ -s err ]; then bad "--quiet says something" "$(cat err)"; else ok; fi
check valid equal.json $limit
check blocks equal.json round_robin $all

# The same bytes.
trace threads.json --jobs 2 small.yaml
if cmp -s whole.json threads.json; then ok; else bad "1 thread and 2 threads differ"; fi
trace again.json small.yaml
if cmp -s whole.json again.json; then ok; else bad "two runs, two traces"; fi
"$smsched" compare --trace compare.json small.yaml >out 2>err
exits 0 $? "compare --trace"
if cmp -s whole.json compare.json; then ok; else bad "compare traces something else"; fi
trace out.json --out folder small.yaml
if cmp -s whole.json out.json && [ -s folder/timeline.csv ]; then ok; else bad "a trace beside a results folder"; fi
"$smsched" run --format csv small.yaml >plain 2>/dev/null
trace again.json --format csv small.yaml
if cmp -s plain out; then ok; else bad "to trace a run changes its results"; fi
trace seed.json --seed 2 small.yaml
if cmp -s <(tail -n +4 whole.json) <(tail -n +4 seed.json); then bad "another seed, the same trace"; else ok; fi

# Instants: what misses its deadline, is paused, is preempted.
sed 's/repeat: 4/&, deadline: 1 ns/g' small.yaml >late.yaml
sed 's/repeat: 4/&, deadline: 1 h/g' small.yaml >early.yaml
trace late.json late.yaml
check misses late.json
trace early.json early.yaml
if grep -q '"ph":"i"' early.json; then bad "a deadline that was kept is marked"; else ok; fi
trace shared.json "$here/../golden/shared.yaml"
check holds shared.json
sed '/^---/Q' "$here/../../scenarios/kang-2022-contention/managed-small.yaml" >paused.yaml
trace paused.json paused.yaml
check holds paused.json

# Compressed.
trace small.json --quiet --trace-events 60000 small.yaml
trace small.json.gz --quiet --trace-events 60000 small.yaml
if gzip -dc small.json.gz | cmp -s - small.json; then ok; else bad "small.json.gz does not hold small.json"; fi

# Within the budget, the events that ended first are kept.
for events in 1000 2000 3000 4000; do
    trace some.json --policy fine_grained --trace-events $events small.yaml
    check valid some.json $limit
    check budget some.json $events
    check first some.json fine.json
done
trace some.json --trace-events 4000 --jobs 2 small.yaml
check budget some.json 4000
check valid some.json $limit
trace span.json --policy fine_grained --trace-from '100 us' --trace-to 250us small.yaml
check span span.json fine.json 100000000 250000000
# As many kernels as blocks, and hardly any memory for them.
sed -e "s/repeat: $repeat/repeat: 50000/g" -e "s/blocks: $blocks/blocks: 1/" small.yaml >many.yaml
trace some.json --trace-events 10000 many.yaml
check budget some.json 10000
size=$(stat -c %s some.json)
if [ "$size" -lt $((10000 * 250 + 100000)) ]; then ok; else bad "a trace of $size bytes"; fi

# A cluster: pods, and how they ended. What is too much is left out from its end.
cluster=$here/../golden/priorities.yaml
"$smsched" run --quiet --policy fgd --format csv "$cluster" >plain
trace pods.json --policy first_fit --policy random --out pods "$cluster"
says "random: all " "a trace of a cluster"
check pods pods.json pods/placements.csv
trace fgd.json --policy fgd --format csv "$cluster"
if cmp -s plain out; then ok; else bad "to trace a cluster changes its results"; fi
trace threads.json --policy fgd --jobs 3 "$cluster"
if cmp -s fgd.json threads.json; then ok; else bad "threads change the trace of a cluster"; fi
sed 's/deadline: 90 s/deadline: 1 ns/' "$cluster" >late_pods.yaml
trace late_pods.json --policy first_fit late_pods.yaml
check late_pods late_pods.json
sed 's/deadline: 90 s/deadline: 9 h/' "$cluster" >early.yaml
trace early.json --policy first_fit early.yaml
if grep -q '"ph":"i"' early.json; then bad "a pod in time is marked"; else ok; fi
sed 's/count: 60/count: 1200/; s/count: 30/count: 300/' "$cluster" >more.yaml
trace whole.json --policy fgd more.yaml
trace some.json --policy fgd --trace-events 1000 more.yaml
says "events, those that ended first; --trace-events and --trace-from select others" "a trace of a part of a cluster"
check some some.json whole.json 1000

# A name that JSON must escape.
name=$'q"uo\\te\x01\tä.yaml'
cp small.yaml "$name"
trace escaped.json "$name"
check file escaped.json "$name"

# What cannot be.
fails() {
    local code=$1 what=$2 file=$3
    shift 3
    "$smsched" run --trace "$file" "$@" >out 2>err
    exits "$code" $? "$what"
    clean "$file.partial" "$what"
}
for suffix in json json.gz; do
    fails 4 "a trace in a folder that is not there" none/x.$suffix small.yaml; says "cannot be made" "no folder"
    mkdir folder.$suffix
    fails 4 "a trace that is a folder" folder.$suffix small.yaml; says "is a folder; name a file" "a folder"
    echo mine >old.$suffix
    (ulimit -f 8; "$smsched" run --force --trace old.$suffix small.yaml >/dev/null 2>err)
    exits 4 $? "a trace beyond the limit of file size"
    clean old.$suffix.partial "a trace beyond the limit of file size"
    if [ "$(cat old.$suffix)" = mine ]; then ok; else bad "a trace that failed took the place of a file"; fi
    for files in {4..7}; do
        if (ulimit -n $files; "$smsched" run --trace few.$suffix small.yaml >/dev/null 2>err) || ! grep -q "no memory" err; then ok; else bad "a trace with $files open files" "$(cat err)"; fi
    done
done
fails 4 "a trace that is a device" /dev/full small.yaml
fails 4 "a trace with a name that is too long" "$(printf 'x%.0s' {1..5000})" small.yaml
fails 3 "a trace of a file that is not there" bad.json none.yaml; clean bad.json "no scenario"
fails 3 "a trace of a policy that is not there" bad.json --policy best small.yaml; clean bad.json "no policy"
sed 's/scenario: small/scenario: other/' small.yaml >other.yaml
fails 2 "a trace of two scenarios" bad.json small.yaml other.yaml; says "takes one scenario" "two scenarios"
fails 2 "a trace of a format that went" bad.pftrace small.yaml; says "traces are JSON" "another format"
mkdir kept.pftrace.d
"$smsched" run --quiet --trace kept.pftrace.d/t.json small.yaml >out 2>err; exits 0 $? "a folder that is called like that format"
fails 2 "a budget too small" bad.json --trace-events 999 small.yaml
fails 2 "a span without time" bad.json --trace-from 2us --trace-to 2us small.yaml
clean bad.json "bad options"
"$smsched" run --trace-events 5000 small.yaml >out 2>err
exits 2 $? "a budget without a trace"

# Interrupted.
sed -e 's/repeat: 4/repeat: forever/g' -e 's/replications: 2/duration: 100 h/' small.yaml >long.yaml
in_background "$smsched" run --trace cut.json long.yaml
kill -INT "$pid"
wait "$pid"
exits 130 $? "SIGINT during a traced run"
clean cut.json "SIGINT during a traced run"

finish
