#!/usr/bin/env bash
# --trust says which measurements cover a scenario, and in what it is outside them all. Usage: trust.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
mkdir "$work/models"
cat >"$work/models/trust.yaml" <<'END'
trust:
  - {set: a-2020-pairs, title: Pairs, gpu: a V100, devices: [v100], kernels: blocks, modes: [together], contention: [maxmin],
     metric: jobs_per_s, values: 12, fitted: 2, median: 3.4 %, r2: "0.50", naive: constant, naive_median: 5.0 %, naive_r2: "-0.10"}
  - {set: a-2020-mps, title: Partitions, gpu: a V100, devices: [v100], kernels: whole, modes: [mps], metric: turnaround_ns, values: 7, median: 1.0 %}
  - {set: b-2021-alone, title: One kernel, gpu: an A100, devices: [a100], kernels: blocks, metric: end_ns, values: 5, median: 2.0 %}
END
# scenario DEVICE CONTENTION KERNEL POLICIES TENANTS
scenario() {
    cat <<END
workload: w
kernels: [{name: k, $3, demand: {dram: 1 %}}]
---
scenario: s
devices: [{model: $1}]
contention: $2
policies: [$4]
$5
END
}
blocks="blocks: 80, threads: 64, block_time: 10 us" two="vms: [{name: a, workload: w}, {name: b, workload: w}]"
trust() { try 0 "--trust" "$1" --quiet --trust --models "$work/models" "$work/s.yaml"; }
omits() { if grep -qF -- "$1" <<<"$output"; then bad "says '$1'" "$output"; else ok; fi; }

scenario v100 maxmin "$blocks" round_robin "$two" >"$work/s.yaml"
for command in run compare; do
    trust $command
    prints "measurements that cover s"
    prints "Pairs (a V100, a-2020-pairs): median error of jobs_per_s 3.4 %, R2 0.50, 12 values, 2 parameters fitted; naive model 'constant': 5.0 %, R2 -0.10"
    omits "Partitions"
    omits "One kernel"
    omits "outside"
done
scenario v100 proportional "$blocks" round_robin "$two" >"$work/s.yaml"
trust run
omits "Pairs"
prints "outside all measured data in: sharing mode together, contention model proportional"
scenario a100 none "$blocks" round_robin "vms: [{name: a, workload: w}]" >"$work/s.yaml"
trust run
prints "One kernel (an A100, b-2021-alone): median error of end_ns 2.0 %, 5 values, 0 parameters fitted"
prints "outside all measured data in: contention model none"
scenario v100 maxmin "time: 1 ms" "{mode: mps}, {mode: time_slice}" "processes: [{name: p, workload: w, count: 2}]" >"$work/s.yaml"
trust run
prints "Partitions"
prints "outside all measured data in: sharing mode time_slice, contention model maxmin"
scenario a100 maxmin "time: 1 ms" "{mode: mps}" "processes: [{name: p, workload: w, count: 2}]" >"$work/s.yaml"
trust run
prints "outside all measured data in: kernels given by their time, sharing mode mps, contention model maxmin"
scenario k20c none "$blocks" round_robin "vms: [{name: a, workload: w}]" >"$work/s.yaml"
trust run
prints "device k20c"

# A page has the same, from the text that its folder keeps.
scenario v100 maxmin "$blocks" round_robin "$two" >"$work/s.yaml"
try 0 "a folder" run --quiet --out "$work/folder" "$work/s.yaml"
try 0 "its page" report --format json --trust --models "$work/models" "$work/folder"
prints "Pairs (a V100, a-2020-pairs)"
try 0 "a page without --trust" report --format json "$work/folder"
omits "a-2020-pairs"

# The installed file is found like devices, and is well-formed.
try 0 "the installed file" run --quiet --trust "$work/s.yaml"
prints "measurements that cover s"

try 2 "another format" run --trust --format csv "$work/s.yaml"
prints "--trust is for --format table"
sed -i 's/kernels: whole/kernels: hole/; s/title: Pairs, //; s/values: 5/value: 5/' "$work/models/trust.yaml"
try 3 "a damaged file" run --quiet --trust --models "$work/models" "$work/s.yaml"
prints "trust.yaml:2:5: error: "
prints "trust.yaml:4:"
prints "'hole'"
prints "unknown key 'value'"
finish
