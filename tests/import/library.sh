#!/usr/bin/env bash
# The library of measured workloads: large enough, each kernel's listed class the one that was measured, each with its
# source; and, where the data is, byte for byte what tools/library writes. Usage: library.sh SMSCHED
set -u
smsched=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
bad() { failed=1; echo "FAILED $1"; }

"$smsched" list workloads --format json >"$work/list.json" || bad "list workloads"
python3 - "$work/list.json" >"$work/list" <<'END'
import json, sys
for workload in json.load(open(sys.argv[1])):
    for kernel in workload["kernels"]:
        print(workload["name"], kernel["name"], kernel["class"])
END
for set in gtx1080ti:40 v100:10; do
    device=${set%:*}
    grep "^$device/" "$work/list" | sort >"$work/listed"
    for file in models/workloads/"$device"/*.yaml; do
        grep -q '^source: ".* @ ' "$file" || bad "$file has no source"
        # A clamped kernel has less demand than was measured, so it may be of another class.
        awk '$1 == "workload:" { w = $2 } $2 == "bottleneck:" { c = $3 } $2 == "clamped:" { c = "clamped" }
             $1 == "-" && $2 == "name:" { print w, $3, c; c = "" }' "$file"
    done | sort >"$work/measured"
    [ "$(wc -l <"$work/listed")" -ge "${set#*:}" ] || bad "$device: fewer than ${set#*:} kernels"
    count() { grep -c " $1\$" "$work/listed"; }
    grep -qF "| $device | $(ls models/workloads/"$device" | wc -l) | $(wc -l <"$work/listed") | $(count compute) | $(count memory) | $(count mixed) | $(count latency) |" \
        docs/reference/library.md || bad "$device: docs/reference/library.md has other numbers"
    awk 'NR == FNR { if ($3 == "clamped") clamped[$1, $2] = 1; next }
         { print $1, $2, ($1, $2) in clamped ? "clamped" : $3 }' "$work/measured" "$work/listed" >"$work/compared"
    diff "$work/measured" "$work/compared" || bad "$device: classes listed (>) are not those measured (<)"
done

data=${SMSCHED_DATA:-../shared/data}
if [ -d "$data/nvprof/gtx1080ti" ]; then
    tools/library "$data" "$work/made" || bad "tools/library"
    for device in gtx1080ti v100; do
        diff -r "models/workloads/$device" "$work/made/$device" || bad "models/workloads/$device is not what tools/library writes"
    done
elif [ "$failed" = 0 ]; then
    echo "no measured data in $data"
    exit 77
fi
exit $failed
