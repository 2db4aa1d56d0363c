#!/usr/bin/env bash
# The instructions of a block, as tools/bench counts them, are within 5 % of those that are kept here. They hardly depend on the
# machine, unlike times. A change that makes a block cheaper puts its figure here. Usage: tests/instructions.sh BENCH
set -eu
bench=$1
command -v valgrind >/dev/null || { echo "valgrind is not installed"; exit 77; }

count() { # BLOCKS ROW
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$bench" --once "$1" "$2" 2>&1 |
        sed -n 's/.*refs: *//p' | tr -d ,
}

failures=0
while IFS='|' read -r kept row; do
    less=$(count 25600 "$row") more=$(count 51200 "$row")
    now=$(((more - less) / 25600))
    if [ $((now * 100)) -gt $((kept * 105)) ]; then
        echo "FAILED $row: $now instructions a block, $kept are kept"
        failures=$((failures + 1))
    else
        echo "ok     $row: $now instructions a block, $kept are kept"
    fi
done <<'END'
2842|V100, l2 and dram full
2792|V100, l2 and dram full, knee
7575|V100, l2 and dram full, maxmin
1738|V100, l2 and dram full, leftover
1696|proportional
2045|fine_grained
2182|utilization_aware
END
exit $((failures > 0))
