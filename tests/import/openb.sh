#!/usr/bin/env bash
# Scenarios of openb: small ones byte for byte, and, where the data
# is, the trace of 2023. Usage: openb.sh SMSCHED [--update]
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
update=${2-}
data=$(realpath -m "${SMSCHED_DATA:-../shared/data}")/openb
convert=$(realpath "$(dirname "$0")/../../scenarios/openb/convert.py")
cd "$(dirname "$0")/openb" || exit 1

same() { [ "$2" = "$3" ] && ok "$1" || bad "$1" "$2 instead of $3"; }

# writes NAME ARGUMENT...: the scenario is fine/NAME.
writes() {
    local name=$1
    shift
    "$convert" "$@" >"$work/out.yaml" 2>"$work/err" || bad "$name" "$(head -c 300 "$work/err")"
    [ "$update" = --update ] && cp "$work/out.yaml" "fine/$name"
    if diff -u "fine/$name" "$work/out.yaml"; then ok "$name"; else bad "$name" "it is something else"; fi
}
writes timed.yaml fine/nodes.csv fine/pods.csv
writes untimed.yaml fine/nodes.csv fine/untimed.csv
writes newer.yaml fine/newer-nodes.csv fine/newer-pods.csv
writes inflated.yaml fine/nodes.csv fine/pods.csv --until '130 %' --name inflated
sed 's/$/\r/' fine/pods.csv >"$work/pods.csv"
"$convert" fine/nodes.csv "$work/pods.csv" | diff fine/timed.yaml - >"$work/diff" && ok "lines that end as on Windows" ||
    bad "lines that end as on Windows" "$(head -c 300 "$work/diff")"
for file in fine/*.yaml; do
    "$smsched" validate "$file" >"$work/out" 2>&1 && ok "$file is a scenario" || bad "$file is a scenario" "$(head -c 300 "$work/out")"
done
# mixed LIST: how many of its pods come to the mixed cluster of scenarios/openb, under each policy.
mixed() {
    python3 ../../../scenarios/openb/mixed.py "$1" | "$smsched" run - --check --quiet --format csv | awk -F, '$5 == "placed_count" { print $6 }' | tr '\n' ' '
}
same "pods on whole GPUs, shared GPUs and instances" "$(mixed fine/pods.csv)" "4 4 4 4 "

same "lists that are swapped" "$("$convert" fine/pods.csv fine/nodes.csv 2>&1)" "fine/pods.csv:1: error: this list has no column 'sn'"
same "a list that is not there" "$("$convert" fine/nodes.csv fine/none.csv 2>&1 | grep -c 'none.csv: error: .*No such file')" 1
sed 's/96500/many/' fine/nodes.csv >"$work/cells.csv"
same "a value that is no number" "$("$convert" "$work/cells.csv" fine/pods.csv 2>&1 >"$work/out")" "$work/cells.csv:3: error: a value is not a number"

if [ ! -d "$data" ]; then
    echo "$passed passed, $failed failed; no data in $data"
    [ "$failed" -eq 0 ] && exit 77
    exit 1
fi

# What data/README.md and the lists themselves say of the trace.
imported() { "$convert" "$data/openb_node_list_$1.csv" "$data/openb_pod_list_$2.csv" >"$work/$3.yaml"; }
rows() { grep -c "^        - \[openb-$1-" "$work/$2.yaml"; }
models() { awk -F', ' '/\[openb-node-/ { n[$5] += $4; c[$5]++ } END { for (m in n) print m, c[m], n[m] }' "$work/all.yaml" | sort | tr '\n' ';'; }
imported all_node default all && imported gpu_node multigpu20 gpu && imported all_node gpushare40 share
same "nodes" "$(rows node all) $(rows node gpu)" "1523 1213"
same "pods" "$(rows pod all) $(rows pod gpu) $(rows pod share)" "8152 8324 8152"
same "GPUs by model" "$(models)" "A10 2 2;G2 549 4392;G3 39 312;P100 134 265;T4 404 842;V100M16 55 195;V100M32 30 204;~ 310 0;"
same "GPU requests, in thousandths" "$(awk -F', ' '/\[openb-pod-/ { s += $4 * 10 * $5 } END { print s }' "$work/all.yaml")" 6086800
same "pods without GPUs" "$(grep -c '\[openb-pod-.* MiB, 0, ~, ' "$work/all.yaml")" 1088
same "the first and the last pod" "$(grep 'openb-pod-0000\|openb-pod-8151' "$work/all.yaml" | tr -d '\n')" \
    "        - [openb-pod-0000, 12, 16384 MiB, 1, 100 %, 0 s, 12537496 s]        - [openb-pod-8151, 3.152, 5600 MiB, 1, 59 %, 12901761 s, 31 s]"
same "pods without times" "$(grep -c 'columns: .name, cpu, memory, gpus, gpu.$' "$work/gpu.yaml")" 1
imported all_node default again
"$smsched" validate "$work"/{all,gpu,share}.yaml >"$work/out" 2>&1
same "they are scenarios" "$? $(tail -1 "$work/out")" "0 3 files checked, 3 scenarios"
"$smsched" run "$work/all.yaml" --policy first_fit --quiet --format csv >"$work/out"
measured() { awk -F, -v m="$1" '$5 == m { print $6 }' "$work/out"; }
same "all pods find a node and leave it" "$(measured placed_count) $(measured waiting_count) $(measured gpu_allocation_ratio)" "8152 0 0"
# GPU seconds asked for, over those that there are until the last pod goes; one pod comes and goes in the same second.
asked=$(awk -F, 'NR > 1 { s += $4 * $5 / 1000 * ($10 > $9 ? $10 - $9 : 0.5); end = $10 > end ? $10 : end }
                 END { printf "%.5g", s / (6212 * end) }' "$data/openb_pod_list_default.csv")
same "GPU time" "$(printf '%.5g' "$(measured gpu_allocation_mean_ratio)")" "$asked"
same "the trace on whole GPUs, shared GPUs and instances" "$(mixed "$data/openb_pod_list_default.csv")" "8152 8152 8152 8152 "
cmp -s "$work/all.yaml" "$work/again.yaml" && ok "the same bytes again" || bad "the same bytes again" "they differ"

finish
