#!/usr/bin/env bash
# Lists of nodes and pods: small ones byte for byte, damaged ones with every problem at its place, and, where the data
# is, the trace of 2023. Usage: openb.sh SMSCHED [--update]
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
update=${2-}
data=$(realpath -m "${SMSCHED_DATA:-../shared/data}")/openb
cd "$(dirname "$0")/openb" || exit 1

same() { [ "$2" = "$3" ] && ok "$1" || bad "$1" "$2 instead of $3"; }

# writes NAME ARGUMENT...: what is imported is fine/NAME.
writes() {
    local name=$1
    shift
    if ! "$smsched" import openb "$@" --out "$work/out.yaml" 2>"$work/err"; then
        bad "$name" "$(head -c 300 "$work/err")"
        return
    fi
    [ "$update" = --update ] && cp "$work/out.yaml" "fine/$name"
    if diff -u "fine/$name" "$work/out.yaml"; then ok "$name"; else bad "$name" "it is something else"; fi
}
writes timed.yaml fine/nodes.csv fine/pods.csv
writes untimed.yaml fine/nodes.csv fine/untimed.csv
writes newer.yaml fine/newer-nodes.csv fine/newer-pods.csv
same "unknown memory and unused columns are told" "$(grep -c 'not known: the memory of GPUs of model H800$\|not used: qos, pod_phase' "$work/err")" 2
writes inflated.yaml fine/nodes.csv fine/pods.csv --inflate '130 %' --name inflated
sed 's/$/\r/' fine/pods.csv >"$work/pods.csv"
"$smsched" import openb fine/nodes.csv "$work/pods.csv" | diff fine/timed.yaml - >"$work/diff" && ok "lines that end as on Windows" ||
    bad "lines that end as on Windows" "$(head -c 300 "$work/diff")"
for file in fine/*.yaml; do
    "$smsched" validate "$file" >"$work/out" 2>&1 && ok "$file is a scenario" || bad "$file is a scenario" "$(head -c 300 "$work/out")"
done

# mixed LIST: how many of its pods come to the mixed cluster of scenarios/openb, under each policy.
mixed() {
    python3 ../../../scenarios/openb/mixed.py "$1" | "$smsched" run - --check --quiet --format csv | awk -F, '$5 == "placed_count" { print $6 }' | tr '\n' ' '
}
same "pods on whole GPUs, shared GPUs and instances" "$(mixed fine/pods.csv)" "4 4 4 4 "

# refused NAME NODES PODS: with the words of bad/NAME.err, and nothing written.
refused() {
    "$smsched" import openb "$2" "$3" >"$work/out" 2>"$work/err"
    local status=$?
    [ "$update" = --update ] && cp "$work/err" "bad/$1.err"
    if [ "$status" -ne 3 ] || [ -s "$work/out" ]; then
        bad "$1" "exit $status, $(wc -c <"$work/out") bytes written"
    elif diff -u "bad/$1.err" "$work/err"; then
        ok "$1"
    else
        bad "$1" "it says something else"
    fi
}
for file in bad/*.nodes.csv; do
    name=$(basename "$file" .csv)
    refused "$name" "$file" fine/pods.csv
done
for file in bad/*.pods.csv; do
    name=$(basename "$file" .csv)
    refused "$name" fine/nodes.csv "$file"
done
# What the lists may say and a scenario may not is refused before it is written.
sed 's/^pod-0/trace/' fine/pods.csv >"$work/trace.csv"
"$smsched" import openb fine/nodes.csv "$work/trace.csv" --inflate '130 %' >"$work/out" 2>"$work/err" && "$smsched" validate "$work/out" >"$work/said" 2>&1
same "a pod called like the table of pods" "$?" 0
"$smsched" import openb fine/nodes.csv fine/pods.csv --name 'a b' --out "$work/named.yaml" 2>"$work/err"
same "a scenario whose name is none" "$? $(grep -c "would be invalid, 'scenario: a b': 'a b' is not a name" "$work/err")" "3 1"
clean named.yaml "a scenario whose name is none"
refused both bad/ragged.nodes.csv bad/cells.pods.csv
refused swapped fine/pods.csv fine/nodes.csv
refused missing fine/nodes.csv fine/none.csv
"$smsched" import openb fine/nodes.csv >"$work/out" 2>"$work/err"
same "one file alone is a misuse" "$? $(grep -c 'name two files to import' "$work/err")" "2 1"
"$smsched" import openb fine/nodes.csv fine/pods.csv --dump >"$work/out" 2>"$work/err"
same "there is nothing to dump" "$? $(grep -c 'for profiles' "$work/err")" "2 1"

"$smsched" import openb fine/nodes.csv fine/pods.csv --inflate 130 >"$work/out" 2>"$work/err"
same "130 is not 130 %" "$? $(grep -c "as '130 %'" "$work/err")" "2 1"
for share in '0 %' 0 '-5 %' '0.00009 %'; do
    "$smsched" import openb fine/nodes.csv fine/pods.csv --inflate "$share" >"$work/out" 2>"$work/err"
    same "nobody draws $share" "$? $(wc -c <"$work/out") $(grep -cF -- "--inflate: '$share' is out of range" "$work/err")" "2 0 1"
done
"$smsched" import openb fine/nodes.csv fine/pods.csv --inflate '0.0001 %' --out "$work/least.yaml" && "$smsched" validate "$work/least.yaml" >"$work/out" 2>&1
same "the least that is drawn is of a scenario" "$? $(grep -c 'until: 0.0001 %' "$work/least.yaml")" "0 1"

if [ ! -d "$data" ]; then
    echo "$passed passed, $failed failed; no data in $data"
    [ "$failed" -eq 0 ] && exit 77
    exit 1
fi

# What data/README.md and the lists themselves say of the trace.
imported() { "$smsched" import openb "$data/openb_node_list_$1.csv" "$data/openb_pod_list_$2.csv" --out "$work/$3.yaml"; }
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
