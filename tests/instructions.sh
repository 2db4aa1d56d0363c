#!/usr/bin/env bash
# The instructions of a block, as tools/bench counts them, are at most 5 % more than those that are kept here. They hardly depend on
# the machine, unlike times. A change that makes a block cheaper puts its figure here, and on
# the page of performance, which is to be within 5 %. And twice as many VMs take twice the instructions.
# Usage: tests/instructions.sh BENCH SMSCHED
set -eu
bench=$1 smsched=$2 page=$(dirname "$0")/../docs/evidence/performance.md
command -v valgrind >/dev/null || { echo "valgrind is not installed"; exit 77; }
kept='1399|V100, l2 and dram full
1772|V100, l2 and dram full, knee
2253|V100, l2 and dram full, maxmin
991|V100, l2 and dram full, leftover
1065|proportional
925|fine_grained
1281|utilization_aware
1046|4000 streams'

table=$("$bench" --instructions 'V100, l2 and dram full' proportional fine_grained utilization_aware '4000 streams')
failures=0
while IFS='|' read -r most row; do
    now=$(awk -F ' *[|] *' -v row="$row" '$2 == row { print $(NF - 1) }' <<<"$table")
    verdict=ok
    [ "${now:-0}" -gt 0 ] && [ $((now * 100)) -le $((most * 105)) ] || { verdict=FAILED; failures=$((failures + 1)); }
    printf '%-6s %s: %s instructions a block, %s are kept\n' "$verdict" "$row" "${now:-no}" "$most"
    told=$(awk -F ' *[|] *' -v row="$row" '$2 == row { print $3; exit }' "$page")
    if ! [ $((${told:-0} * 100)) -ge $((now * 95)) ] || ! [ $((told * 100)) -le $((now * 105)) ]; then
        printf 'FAILED %s: %s on the page\n' "$row" "${told:-none}"
        failures=$((failures + 1))
    fi
done <<<"$kept"

# of_vms COUNT ARGUMENT...: the instructions of a command over a scenario of so many VMs, which have a block each.
of_vms() {
    local count=$1
    shift
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$smsched" "$@" --quiet - 2>&1 >/dev/null <<END |
workload: w
kernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us, demand: {}}]
---
scenario: many
devices: [{model: v100}]
vms: [{name: v, workload: w, deadline: 1 ms, count: $count}]
END
        sed -n 's/.*I *refs: *//p' | tr -d ,
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for command in run compare "run --force --out $work/out"; do
    half=$(of_vms 2000 $command) whole=$(of_vms 4000 $command) verdict=ok
    [ "${half:-0}" -gt 0 ] && [ $((whole * 100)) -le $((half * 210)) ] || { verdict=FAILED; failures=$((failures + 1)); }
    echo "$verdict 4000 VMs: $whole instructions of ${command/ --force*/ --out}, half as many: $half"
done
exit $((failures > 0))
