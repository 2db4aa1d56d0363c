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
    prints "two.yaml:2:95: warning: kernel 'gather' alone wants 208 % of dram of v100; no profile shows that"
    prints "two.yaml:5:84: warning: kernel 'multiply' alone wants 176 % of fp32 of v100"
    rm -rf p.sweep
    try 3 "$command --strict refuses" "$command" --strict "$file"
    prints "two.yaml:2:95: error: kernel 'gather' alone wants 208 % of dram of v100"
    prints "'synthetic: true' in its workload allows it"
    if [ -e p.sweep ]; then bad "$command --strict makes a folder"; else ok; fi
    try 0 "$command --strict of what is meant" "$command" --strict "meant/$file"
    if grep -q "alone wants" <<<"$output"; then bad "synthetic: true is warned of by $command" "$output"; else ok; fi
    rm -rf p.sweep
done
try 0 "explain warns" explain two.yaml --to "1 us"; prints "alone wants 208 %"
finish
