#!/usr/bin/env bash
# build/bin/calibrate rejects wrong arguments.
# The errors that `build/bin/calibrate pairs` measures on the held-out half are those in docs/validation.md,
# and what it prints for `curve` is a contention entry that smsched accepts.
# Usage: calibrate.sh CALIBRATE SMSCHED. Exits with 77 if the measured data is missing.
set -u
calibrate=$(realpath "$1") smsched=$(realpath "$2")
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
bad() { failed=$((failed + 1)); echo "FAILED $*"; }

"$calibrate" 2>/dev/null; [ $? -eq 2 ] || bad "no program named is wrong usage"
touch "$work/file"
for slope in x -1 1.2x nan; do
    "$calibrate" fine-grained-2022-limited "$slope" "$work/new" 2>/dev/null; [ $? -eq 2 ] || bad "$slope is no slope"
done
[ -e "$work/new" ] && bad "wrong usage makes a folder"
for fit in fine-grained-2022 "fine-grained-2022-limited 1"; do
    # shellcheck disable=SC2086
    "$calibrate" $fit "$work/file/below/it" 2>/dev/null; [ $? -eq 4 ] || bad "$fit: a folder that cannot be made"
    # shellcheck disable=SC2086
    "$calibrate" $fit "$work/a/folder" >/dev/null & # minutes: stopped once the folder is there
    until [ -d "$work/a/folder" ] || ! kill -0 $! 2>/dev/null; do sleep 0.1; done
    [ -d "$work/a/folder" ] || bad "$fit: its folder is not made"
    { kill $! && wait $!; } 2>/dev/null
    rm -rf "$work/a"
done
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
