#!/usr/bin/env bash
# The instructions of a block, as tools/bench counts them, are at most 5 % more than those that are kept here. They hardly depend on
# the machine, unlike times. A change that makes a block cheaper puts its figure here. Usage: tests/instructions.sh BENCH
set -eu
bench=$1
command -v valgrind >/dev/null || { echo "valgrind is not installed"; exit 77; }
kept='2476|V100, l2 and dram full
2982|V100, l2 and dram full, knee
6737|V100, l2 and dram full, maxmin
1768|V100, l2 and dram full, leftover
1526|proportional
1385|fine_grained
1685|utilization_aware
1693|4000 streams'

table=$("$bench" --instructions 'V100, l2 and dram full' proportional fine_grained utilization_aware '4000 streams')
failures=0
while IFS='|' read -r most row; do
    now=$(awk -F ' *[|] *' -v row="$row" '$2 == row { print $(NF - 1) }' <<<"$table")
    verdict=ok
    [ "${now:-0}" -gt 0 ] && [ $((now * 100)) -le $((most * 105)) ] || { verdict=FAILED; failures=$((failures + 1)); }
    printf '%-6s %s: %s instructions a block, %s are kept\n' "$verdict" "$row" "${now:-no}" "$most"
done <<<"$kept"
exit $((failures > 0))
