#!/usr/bin/env bash
# A line under the answer says which measurements bear on it, and --trust how well they were met, and in what the scenario is outside of
# these, or of all. Usage: trust.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
mkdir "$work/models"
cat >"$work/models/trust.yaml" <<'END'
trust:
  - {set: a-2020-pairs, title: Pairs, gpu: a V100, devices: [v100], kernels: blocks, modes: [together], contention: [maxmin],
     metrics: [stp_ratio, jobs_per_s], p90: 8 %, metric: jobs_per_s, values: 12, fitted: 2, median: 3.4 %, r2: "0.50", naive: constant, naive_median: 5.0 %, naive_r2: "-0.10"}
  - {set: a-2020-mps, title: Partitions, gpu: a V100, devices: [v100], kernels: whole, modes: [mps], metrics: [turnaround_ns], p90: 3 %,
     metric: turnaround_ns, values: 7, median: 1.0 %}
  - {set: b-2021-alone, title: One kernel, gpu: an A100, devices: [a100], kernels: blocks, modes: [alone], metrics: [end_ns],
     metric: end_ns, values: 5, median: 2.0 %}
  - {set: c-2022-power, title: Power, gpu: a V100, devices: [v100], kernels: blocks, metrics: [energy_j], metric: energy_j, values: 5, median: 9.0 %}
END
# scenario DEVICE CONTENTION KERNEL POLICIES TENANTS MORE
scenario() {
    set -- "$@" ""
    cat <<END
workload: w
kernels: [{name: k, $3, demand: {dram: 1 %}}]
---
scenario: s
devices: [{model: $1}]
contention: $2
policies: [$4]
$5
$6
END
}
blocks="blocks: 80, threads: 64, block_time: 10 us" two="vms: [{name: a, workload: w}, {name: b, workload: w}]"
trust() { try 0 "--trust" "$1" --quiet --trust --models "$work/models" "$work/s.yaml"; }
omits() { if grep -qF -- "$1" <<<"$output"; then bad "says '$1'" "$output"; else ok; fi; }

scenario v100 maxmin "$blocks" round_robin "$two" >"$work/s.yaml"
for command in run compare; do
    trust $command
    prints "measurements that bear on system throughput (STP) of s"
    prints "Pairs (a V100, a-2020-pairs): median error of jobs_per_s 3.4 %, R2 0.50, 12 values, 2 parameters fitted; naive model 'constant': 5.0 %, R2 -0.10"
    omits "Partitions"
    omits "One kernel"
    omits "Power"
    omits "do not cover"
done
scenario v100 maxmin "$blocks" round_robin "$two" "answer: {metric: fairness_ratio}" >"$work/s.yaml"
trust run
prints "no measurement covers fairness"
omits "Pairs"

# Without --trust a line says the same, with the interval that includes the error.
answer() { try 0 "the line under the answer" "$1" --quiet --models "$work/models" "$work/s.yaml"; }
jitter="${blocks/%10 us/10 us, jitter: 20 %}"
scenario v100 maxmin "$jitter" "round_robin, depth_first" "$two" "run: {replications: 3}" >"$work/s.yaml"
answer compare
if sed -n 2p <<<"$output" | grep -qE "^  measured: Pairs .a V100.: median error 3.4 % of 12 held-back values; [a-z_]+: [0-9.]+ ± [0-9.e-]+ by the seed, ± [0-9.]+ with the error that 90 % of values stay within$"; then ok; else bad "the line" "$output"; fi
if python3 - "$output" <<'END'; then ok; else bad "the interval with the error of the model" "$output"; fi
import re, sys
value, seed, both = map(float, re.search(r": ([0-9.]+) ± (\S+) by the seed, ± (\S+) with", sys.argv[1].splitlines()[1]).groups())
assert abs(both - (seed ** 2 + (0.08 * value) ** 2) ** 0.5) < 0.06 * both, (value, seed, both)
END
(cat "$work/s.yaml"; echo 'expect: [{metric: stp_ratio, policy: round_robin, min: 0}]') >"$work/e.yaml"
try 0 "the line of check" check --models "$work/models" "$work/e.yaml"
prints "  measured: Pairs (a V100)"
try 0 "the line in JSON" compare --quiet --format json --models "$work/models" "$work/s.yaml"
prints '"measured": "Pairs (a V100): median error 3.4 % of 12 held-back values; '
try 0 "a folder with the line" run --quiet --out "$work/line" --models "$work/models" "$work/s.yaml"
try 0 "its page" report --format json "$work/line"
prints '"measured": "Pairs (a V100)'
scenario v100 maxmin "$blocks" "round_robin, depth_first" "$two" "answer: {metric: antt_ratio}" >"$work/s.yaml"
answer compare
prints "  measured: no measurement covers average normalized turnaround (ANTT)"
# Modes that no measurement bears on are named, and a policy of such a mode has no interval with the error.
scenario v100 maxmin "time: 1 ms" "{mode: mps}, {mode: time_slice}, {mode: exclusive}" "processes: [{name: p, workload: w, count: 2}]" "answer: {metric: turnaround_ns, of: p1}" >"$work/s.yaml"
answer compare
prints "  measured: Partitions (a V100): median error 1.0 % of 7 held-back values; no measurement covers turnaround under time_slice, exclusive; "
sed -i 's/{mode: mps}, //' "$work/s.yaml"
answer compare
prints "  measured: no measurement covers turnaround"
omits "with the error"
scenario v100 proportional "$blocks" round_robin "$two" >"$work/s.yaml"
trust run
prints "no measurement covers system throughput (STP)"
omits "Pairs"
prints "no measurement covers: contention model proportional"
scenario a100 none "$blocks" round_robin "vms: [{name: a, workload: w}]" "answer: {metric: end_ns, of: a, better: lower}" >"$work/s.yaml"
trust run
prints "One kernel (an A100, b-2021-alone): median error of end_ns 2.0 %, 5 values, 0 parameters fitted"
prints "these data do not cover: contention model none"
scenario v100 maxmin "time: 1 ms" "{mode: mps}, {mode: time_slice}" "processes: [{name: p, workload: w, count: 2}]" "answer: {metric: turnaround_ns, of: p1}" >"$work/s.yaml"
trust run
prints "Partitions"
prints "these data do not cover: sharing mode time_slice, contention model maxmin"
scenario a100 maxmin "time: 1 ms" "{mode: mps}" "processes: [{name: p, workload: w, count: 2}]" >"$work/s.yaml"
trust run
prints "no measurement covers system throughput (STP)"
omits "covers: " # each of its parts was measured, if not together
scenario k20c none "$blocks" round_robin "vms: [{name: a, workload: w}]" >"$work/s.yaml"
trust run
prints "device k20c"

scenario v100 maxmin "$blocks" round_robin "$two" >"$work/s.yaml"
# The installed file is found like devices, and is well-formed.
try 0 "the installed file" run --quiet --trust "$work/s.yaml"
prints "measurements that bear on system throughput (STP) of s"
prints "  no measurement covers system throughput (STP)"

# What was measured on a Quadro GV100 bears on that board, not on the V100, which has the same chip and other clocks.
# On a K40m latencies were held back, and no throughput.
for device in gv100 v100 k40m; do
    scenario $device none "time: 1 ms" "{mode: time_slice}" "processes: [{name: p, workload: w, count: 2, repeat: forever, start: 0 ms}]" \
        "answer: {metric: jobs_per_s, of: p1}
run: {duration: 100 ms}" >"$work/s.yaml"
    try 0 "time slices of $device" run --quiet --trust --models "$(dirname "$0")/../../models" "$work/s.yaml"
    case $device in
    gv100) prints "Time slices (Quadro GV100, "; omits "K40m" ;;
    v100) omits "GV100" ;;
    k40m) prints "no measurement covers "; omits "GV100" ;;
    esac
done
scenario v100 maxmin "$blocks" round_robin "$two" >"$work/s.yaml"

# How far off kernels of another device are is said of GPUs on which that was measured, and of no other.
for device in l4 rtx4090 h100; do
    printf 'scenario: s\ndevices: [{model: %s}]\npolicies: [leftover]\nvms: [{name: a, workload: gtx1080ti/atax}]\n' "$device" >"$work/scaled.yaml"
    try 0 "kernels scaled to $device" run --quiet --trust "$work/scaled.yaml"
    case $device in
    l4) prints "80 % of the held-back kernels bound by" ;;
    *) prints "the error is unknown, because no kernel was held back on $device"
       omits "within a factor of" ;;
    esac
done

try 2 "another format" run --trust --format csv "$work/s.yaml"
prints "--trust is for --format table"
sed -i 's/kernels: whole/kernels: hole/; s/title: Pairs, //; s/values: 5/value: 5/' "$work/models/trust.yaml"
try 3 "a damaged file" run --quiet --trust --models "$work/models" "$work/s.yaml"
prints "trust.yaml:2:5: error: "
prints "trust.yaml:4:"
prints "'hole'"
prints "unknown key 'value'"
printf 'plan: p\nbase: s.yaml\naxes: [{run.seed: [1, 2]}]\n' >"$work/p.yaml"
try 3 "a sweep with a damaged file" sweep --quiet --models "$work/models" "$work/p.yaml"
prints "unknown key 'value'"
[ ! -e "$work/p.sweep" ] && ok || bad "a sweep ran before it read the file"
finish
