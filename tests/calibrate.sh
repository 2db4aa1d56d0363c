#!/usr/bin/env bash
# build/bin/calibrate pairs: its errors of the half held back are those of docs/validation.md,
# and what it prints for `curve` is a contention entry that smsched takes.
# Usage: calibrate.sh CALIBRATE SMSCHED. Exits with 77 where the measured data is not.
set -u
calibrate=$(realpath "$1") smsched=$(realpath "$2")
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
bad() { failed=$((failed + 1)); echo "FAILED $*"; }

"$calibrate" 2>/dev/null; [ $? -eq 2 ] || bad "no program named is wrong usage"
"$calibrate" pairs "$work/none" 2>/dev/null; [ $? -eq 77 ] || bad "no data"
"$calibrate" pairs >"$work/out" || exit $?
for model in proportional maxmin curve; do
    told=$(awk -v m="\`$model\`" '$1 == m { on = 1 } on && /held back/ { print $7; exit }' "$work/out")
    page=$(awk -F'|' -v m=" \`$model\` " '$2 == m { print $5 + 0; exit }' docs/validation.md)
    awk -v a="$told" -v b="$page" 'BEGIN { exit !(a > 0 && a - b < 0.06 && b - a < 0.06) }' || bad "$model: $told is told, $page is on the page"
done
cat >"$work/pair.yaml" <<EOF
workload: w
kernels: [{name: k, blocks: 80, threads: 256, block_time: 10 us, demand: {l2: 40 %, dram: 40 %}}]
---
scenario: s
devices: [{model: v100}]
policies: [round_robin]
$(grep -m1 -o 'contention: {model: curve.*' "$work/out")
vms: [{name: v, workload: w}]
EOF
"$smsched" validate "$work/pair.yaml" >/dev/null || bad "the contention it prints is not taken"
exit $((failed > 0))
