#!/usr/bin/env bash
# Without compat: simtbs an imported scenario runs in the ordinary engine, without the faults.
# Usage: sane.sh SMSCHED
set -u
smsched=$(realpath "$1")
cd "$(dirname "$0")" || exit 1
data=${SMSCHED_DATA:-../../../shared/data}/simtbs
[ -d "$data/golden" ] || { echo "skipped: there is no $data"; exit 77; }
command -v jq >/dev/null || { echo "skipped: there is no jq"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# check WORDS: the last command was right.
check() { if [ "$2" -eq 0 ]; then echo "ok     $1"; else echo "FAILED $1"; failed=1; fi; }
run() { "$smsched" run --quiet --format json "$1"; }

# To the end, so that every block must have been run.
"$smsched" import simtbs "$data/case00.conf" | grep -v '^run:' >"$work/compat.yaml"
grep -v '^compat:' "$work/compat.yaml" >"$work/sane.yaml"
[ "$(diff "$work/compat.yaml" "$work/sane.yaml" | grep -c '^[<>]')" -eq 1 ]
check "one line makes the difference" $?
run "$work/compat.yaml" >"$work/compat.json"
run "$work/sane.yaml" >"$work/sane.json"
awk '/^\*/ {kernels = /^\*kernel/; next} kernels {print $3}' "$data/case00.conf" | jq -s -c . >"$work/blocks"
for kind in compat sane; do
    jq -c '.runs[] | (.host.makespan_ns / 1e9) as $t | [.vms[].blocks_per_s * $t | round]' "$work/$kind.json" | sort -u |
        cmp - "$work/blocks"
    check "$kind: every block of every kernel ran, under all policies" $?
done
# Ticks round each block's time up by half a tick on average, of 38 to 192 that it takes.
jq -n -e --slurpfile a "$work/compat.json" --slurpfile b "$work/sane.json" \
    '[$a[0].runs, $b[0].runs] | transpose | all(.[1].host.blocks_per_s / .[0].host.blocks_per_s | . > 0.97 and . < 1.08)' >/dev/null
check "throughput is within -3 % and +8 % of compat's" $?

# rr of simtbs stops at a full SM; the sane one goes on to the next.
"$smsched" import simtbs "$data/golden/g2_rr_stall.conf" --out "$work/stall.yaml"
stall=$("$smsched" run --quiet --policy rr --format simtbs "$work/stall.yaml" | awk '/^simulation end/ {print $3}')
"$smsched" import simtbs --sane "$data/golden/g2_rr_stall.conf" --out "$work/goes-on.yaml"
end_ns=$("$smsched" run --quiet --policy rr --format json "$work/goes-on.yaml" | jq '.runs[0].host.makespan_ns | floor')
[ "$((end_ns))" -gt 0 ] && [ "$end_ns" -lt $((stall * 1000)) ]
check "the sane rr passes over a full SM: it ends after $end_ns ns, not $stall ticks" $?

# What cannot be placed waits for ever in simtbs; without compat the import is refused.
printf '*general\n50\n*sm\n2 1 1 8\n*mem\n100\n*overhead_mem\n1 0.1\n*kernel\n1 1 1 5 9 1\n' >"$work/large.conf"
"$smsched" import simtbs "$work/large.conf" --out "$work/large.yaml" && "$smsched" validate --quiet "$work/large.yaml"
check "an impossible block is what simtbs takes" $?
"$smsched" import simtbs --sane "$work/large.conf" --out "$work/sane-large.yaml" 2>"$work/err"
[ $? -eq 3 ] && grep -q "fits no SM of gpu: a block takes 112.5 % of 'sm0'" "$work/err" && [ ! -e "$work/sane-large.yaml" ]
check "and an error without compat" $?

# Out of order: refused, or sorted. Late: left out.
printf '*general\n50\n*sm\n2 1 1 8\n*mem\n100\n*overhead_mem\n1 0.1\n*kernel\n1 9 1 5 8 1\n2 2 1 5 8 1\n3 50 1 5 8 1\n' >"$work/order.conf"
"$smsched" import simtbs "$work/order.conf" >/dev/null 2>&1
[ $? -eq 3 ]
check "kernels out of order are refused" $?
"$smsched" import simtbs --sane "$work/order.conf" --out "$work/order.yaml"
[ "$(grep -o 'start: [0-9]*' "$work/order.yaml" | tr '\n' ' ')" = "start: 2 start: 9 " ]
check "and sorted by --sane, without those after the end" $?

# Columns of memory: as misread, and as meant.
memory() { "$smsched" import simtbs "$@" "$data/golden/g4_memquirk.conf" | sed -n 's/.*mem0: \([0-9]*\)}}\]/\1/p'; }
[ "$(memory)" = 11 ] && [ "$(memory --fixed)" = 900 ]
check "--fixed takes the memory demand that was meant" $?
exit $failed
