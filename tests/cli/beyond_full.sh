#!/usr/bin/env bash
# Kernels that alone want more than there is: warnings, --strict, and what a policy gains of a tenant alone.
# Usage: beyond_full.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")

# gather wants 208 % of dram alone, multiply 176 % of fp32.
cat >"$work/two.yaml" <<'END'
workload: gather
kernels: [{name: gather, blocks: 2000, threads: 256, block_time: 40 us, jitter: 5 %, demand: {dram: 26 %, l2: 12 %}}]
---
workload: multiply
kernels: [{name: multiply, blocks: 2000, threads: 256, block_time: 90 us, demand: {fp32: 22 %, dram: 4 %}}]
---
scenario: two
devices: [{model: v100}]
contention: {model: proportional, slope: 1.5}
queue: interleave
policies: [round_robin, fine_grained]
vms:
  - {name: gather, workload: gather, repeat: forever}
  - {name: multiply, workload: multiply, repeat: forever}
run: {warmup: 1 ms, duration: 6 ms, seed: 1, replications: 3}
expect: [{metric: stp_ratio, policy: fine_grained, min: 1}]
END
cat >"$work/plan.yaml" <<'END'
plan: p
base: two.yaml
axes: [{run.seed: [1, 2]}]
END
mkdir "$work/meant"
sed 's/^\(workload: .*\)/\1\nsynthetic: true/' "$work/two.yaml" >"$work/meant/two.yaml"
cp "$work/plan.yaml" "$work/meant"
cd "$work" || exit 1

for command in validate run compare check sweep; do
    file=two.yaml
    [ "$command" = sweep ] && file=plan.yaml
    try 0 "$command warns" "$command" "$file"
    prints "two.yaml:2:95: warning: kernel 'gather' demands 208 % of dram of v100 when it runs alone, and a profile shows at most 100 %: what a policy gains by admitting fewer of its blocks"
    prints "two.yaml:5:84: warning: kernel 'multiply' demands 176 % of fp32 of v100"
    rm -rf p.sweep
    try 3 "$command --strict refuses" "$command" --strict "$file"
    prints "two.yaml:2:95: error: kernel 'gather' demands 208 % of dram of v100"
    prints "'synthetic: true' in its workload allows it"
    if [ -e p.sweep ]; then bad "$command --strict makes a folder"; else ok; fi
    try 0 "$command --strict of what is meant" "$command" --strict "meant/$file"
    if grep -q "when it runs alone" <<<"$output"; then bad "synthetic: true is warned of by $command" "$output"; else ok; fi
    rm -rf p.sweep
done
try 0 "explain warns" explain two.yaml --to "1 us"; prints "demands 208 %"

# A point of a sweep may exceed what its base does not: the warning is at the value, once for each place.
sed 's/26 %/12 %/; s/22 %/12 %/' two.yaml >calm.yaml
printf 'plan: p\nbase: calm.yaml\naxes:\n  - workloads.gather.kernels.gather.demand.dram: [10 %%, 20 %%, 30 %%]\n' >demand.yaml
printf 'plan: p\nbase: calm.yaml\naxes:\n  - workloads.gather.kernels.gather.threads: [256, 128, 64]\n' >threads.yaml
for command in validate sweep; do
    try 0 "$command warns of the points of a plan" "$command" demand.yaml
    prints "demand.yaml:4:57: warning: with workloads.gather.kernels.gather.demand.dram: 20 %: kernel 'gather' demands 160 % of dram of v100"
    prints "is not a gain of sharing (calm.yaml:2:95)"
    if [ "$(grep -c "when it runs alone" <<<"$output")" = 1 ]; then ok; else bad "no more than that" "$output"; fi
    rm -rf p.sweep
done
try 3 "sweep --strict refuses such a point" sweep --strict demand.yaml
prints "demand.yaml:4:57: error: with workloads.gather.kernels.gather.demand.dram: 20 %: kernel 'gather' demands 160 % of dram of v100"
prints "demand.yaml:4:63: error: with workloads.gather.kernels.gather.demand.dram: 30 %: kernel 'gather' demands 240 % of dram of v100"
if [ -e p.sweep ]; then bad "sweep --strict makes a folder"; else ok; fi
rm -rf p.sweep
for command in validate sweep; do
    try 0 "$command warns of a kernel that more blocks fit of" "$command" threads.yaml
    prints "threads.yaml:4:52: warning: with workloads.gather.kernels.gather.threads: 128: kernel 'gather' demands 192 % of dram of v100"
    if [ "$(grep -c "when it runs alone" <<<"$output")" = 2 ]; then ok; else bad "each place is told once, dram and l2" "$output"; fi
    rm -rf p.sweep
done

# What a policy gains for a tenant alone is told in the answer, the table and the JSON.
try 0 "gains alone" compare two.yaml
answer=$(grep "^two: " <<<"$output")
if grep -qE "; alone, gather is 2[0-9.]+ % faster, multiply [0-9.]+ % faster under fine_grained than under round_robin, which is no effect of sharing; without it STP changes by \+1[0-9.]+ %;" <<<"$answer"; then ok; else bad "the answer tells what tenants gain alone" "$answer"; fi
# One that loses is told as well, or what is said to remain would exceed the change by itself.
sed 's/slope: 1.5/slope: 3/; s/22 %/11 %/; s/fine_grained\]/{fine_grained: {limit: 60 %}}]/; /^expect/d' two.yaml >mixed.yaml
if "$smsched" compare mixed.yaml 2>/dev/null | grep -qE "; alone, gather is [0-9.]+ % slower, multiply [0-9.]+ % faster under round_robin than"; then ok; else bad "what a tenant loses alone"; fi
# They are gains over the policy over which the change is told, not over a baseline that is as good as the best.
sed 's/policies: \[/&breadth_first, /' mixed.yaml >tie.yaml
for baseline in round_robin breadth_first; do
    if "$smsched" compare tie.yaml --baseline $baseline 2>/dev/null | grep -qE "^two: .* vs fine_grained\(limit=60%\), the next best .* under (breadth_first|round_robin) than under fine_grained\(limit=60%\),"; then ok; else bad "gains alone over another policy than $baseline"; fi
done
if grep -qE "^  gather alone +1 +\+2[0-9.]+ ± [0-9.]+ %" <<<"$output"; then ok; else bad "a row of a tenant alone" "$output"; fi
# Three of them have names, the others are counted.
sed '/name: multiply, workload/{p; s/name: multiply/name: third/}' two.yaml >three.yaml
sed '/name: third/{p; s/name: third/name: fourth/}' three.yaml >four.yaml
for tenants in "three;" "four; \(1 more not shown\)"; do
    if "$smsched" compare ${tenants%;*}.yaml 2>&1 | grep -qE "third [0-9.]+ % faster${tenants#*;} under "; then ok; else bad "what ${tenants%;*} tenants gain alone"; fi
done
prints "note: stp_ratio of 2.1"
prints "is above the number of tenants, 2: they run faster together than alone, because"
sed '/name: multiply, workload/d' two.yaml >one.yaml
try 0 "a tenant alone" compare one.yaml; prints "; gather has the GPU to itself: no other tenant shares it;"
sed 's/26 %/12.5 %/; s/22 %/12.5 %/' two.yaml >within.yaml
try 0 "nothing beyond full" compare --strict within.yaml; prints "with the GPU to itself every tenant is equally fast under all policies"
"$smsched" compare two.yaml --format json >two.json 2>err
if python3 - two.json <<'END'; then ok; else bad "gains alone in JSON"; fi
import json, sys
found = json.load(open(sys.argv[1]))
alone = {(a["policy"], a["name"]): a for a in found["alone"]}
assert list(alone) == [("fine_grained", "gather"), ("fine_grained", "multiply")], alone
assert all(a["differs"] and a["ratio"] > 1.03 and a["ratio_ci95"] > 0 for a in alone.values()), alone
assert "alone, gather is " in found["answer"]["text"], found["answer"]
END
# What is said of the whole device holds for its instances.
cat >instances.yaml <<'END'
workload: gather
kernels: [{name: gather, blocks: 2000, threads: 256, block_time: 40 us, demand: {dram: 26 %}}]
---
scenario: instances
nodes: [{name: n, devices: {model: a100}, mig: [{changes: free, change: 1 s}]}]
pods: [{name: a, workload: gather, profile: 3g.20gb}, {name: b, workload: gather, profile: 1g.5gb}]
END
try 0 "instances" validate instances.yaml
if [ "$(grep -c "warning: kernel 'gather' demands" <<<"$output")" -eq 1 ]; then ok; else bad "a warning for each instance" "$output"; fi

finish
