#!/usr/bin/env bash
# Names and labels of maximum length: `plot` and `report` read what `run` writes. Usage: names.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")

# A name of 100 characters.
name() { printf '%s%s' "$1" "$(printf 'x%.0s' $(seq $((100 - ${#1}))))"; }
pause='smi: 59.1234 ms, pause: 61.1234 ms, unpause: 62.1234 ms, ps: 11.1234 ms, top: 12.1234 ms, memory: 91.1234 %, crowded: from, core: 98.1234 %, commands: sequential, gate: literal, when: input'
slices='{time_slice: {slice: 2.12345 ms, switch: 148.123 us, drain: true}}'

policy() { echo "{share: {container_pause: {$pause}}, mode: $slices, block: {fine_grained: {limit: $1 %}}}"; }
device() {
    cat <<YAML
device: $(name device)
clock: 1 GHz
sms: 2
memory: 1 GiB
sm: {threads: 1024, warps: 32, blocks: 8, registers: 65536, shared_memory: 96 KiB}
resources: {$(name fp32): {class: compute}, dram: {class: memory, scope: device, bandwidth: 900 GB/s}}
---
workload: $(name work)
kernels: [{name: $(name kernel), blocks: 20, threads: 128, registers: 32, block_time: 10 us, demand: {$(name fp32): 60 %}}]
steps: [{launch: $(name kernel), times: 3}]
---
workload: $(name other)
kernels: [{name: $(name kernel), blocks: 20, threads: 128, registers: 32, block_time: 20 us, demand: {dram: 60 %}}]
---
YAML
}
{
    device
    cat <<YAML
scenario: $(name processes)
devices: [{model: $(name device), count: 2}]
policies: [$(policy 101), $(policy 102), plain]
processes:
  - {name: $(name p), workload: $(name work), count: 3, streams: 2, repeat: 2}
  - {name: $(name q), count: 3, streams: [{workload: $(name work), repeat: 2}, {workload: $(name other)}]}
YAML
} >"$work/processes.yaml"
{
    device
    cat <<YAML
scenario: $(name vms)
devices: [{model: $(name device), count: 2}]
policies: [round_robin, {fine_grained: {limit: 150 %}}]
vms: [{name: $(name a), workload: $(name work), repeat: 5}, {name: $(name b), workload: $(name work), repeat: 5}]
YAML
} >"$work/vms.yaml"
{
    device
    cat <<YAML
scenario: $(name pods)
nodes: [{name: $(name node), count: 3, devices: {model: $(name device), count: 2}, cpu: 8, memory: 8 GiB}]
pods: [{name: $(name pod), count: 12, gpu: 50 %, cpu: 1, workload: $(name work), arrivals: {every: 10 us}}]
policies:
  - {place: {fgd: {share: 91.1234 %, order: exact}}, share: {container_pause: {$pause}}, mode: $slices}
  - {place: {fgd: {share: 92.1234 %, order: exact}}, share: {container_pause: {$pause}}, mode: $slices}
  - {place: fgd, mode: $slices, block: {fine_grained: {limit: 101.123 %}}}
YAML
} >"$work/pods.yaml"

for kind in vms processes pods; do
    "$smsched" run --quiet --out "$work/$kind" --trace "$work/$kind.json" "$work/$kind.yaml" >/dev/null 2>"$work/err"
    exits 0 $? "run of $kind with the longest names"
    "$smsched" plot "$work/$kind" >/dev/null 2>"$work/err"
    exits 0 $? "plot of $kind with the longest names"
    "$smsched" report "$work/$kind" --out "$work/$kind.html" >/dev/null 2>"$work/err"
    exits 0 $? "report of $kind with the longest names"
    "$smsched" run --quiet --format csv "$work/$kind.yaml" >"$work/base.csv" 2>"$work/err"
    exits 0 $? "a baseline of $kind with the longest names"
    "$smsched" check "$work/$kind.yaml" --baseline "$work/base.csv" >"$work/out" 2>"$work/err"
    exits 0 $? "a check of $kind with the longest names"
done

# Labels are cut where they are made. They stay distinct, and all files have the same ones.
"$smsched" run --quiet --format csv "$work/processes.yaml" 2>"$work/err" | awk -F, 'NR > 1 {print $2}' | sort -u >"$work/labels"
if [ "$(wc -l <"$work/labels")" -eq 3 ] && [ "$(awk '{print length}' "$work/labels" | sort -n | tail -1)" -eq 200 ]; then ok
else bad "labels of 200 bytes that differ" "$(cat "$work/labels")"; fi
for file in vms hosts spans; do
    awk -F, 'NR > 1 {print $2}' "$work/processes/$file.csv" | sort -u >"$work/seen"
    if cmp -s "$work/labels" "$work/seen"; then ok; else bad "$file.csv has other labels" "$(cat "$work/seen")"; fi
done
"$smsched" run --quiet --policy fine_grained --format csv "$work/processes.yaml" 2>"$work/err" | awk -F, 'NR > 1 {print $2}' | sort -u >"$work/seen"
if [ "$(wc -l <"$work/seen")" -eq 2 ]; then ok; else bad "a policy found by a part that the label lost" "$(cat "$work/seen" "$work/err")"; fi
"$smsched" run --quiet --policy "$(head -1 "$work/labels")" --format csv "$work/processes.yaml" >/dev/null 2>"$work/err"
exits 0 $? "a policy found by its label that was cut"

# The rows of a policy are counted by its full label.
sed 's/repeat: 2}$/repeat: 20000}/' "$work/processes.yaml" >"$work/many.yaml"
"$smsched" run --quiet --policy "$(head -1 "$work/labels")" --out "$work/many" "$work/many.yaml" >/dev/null 2>"$work/err"
exits 0 $? "a run with many spans"
rows=$(($(wc -l <"$work/many/spans.csv") - 1))
if [ "$rows" -eq 200000 ] && grep -q '"spans_cut"' "$work/many/manifest.json"; then ok; else bad "$rows rows of a policy in spans.csv"; fi

finish
