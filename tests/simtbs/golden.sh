#!/usr/bin/env bash
# What simtbs printed, byte for byte, and the figures of ten cases to the last digit.
# Usage: golden.sh SMSCHED. Data: SMSCHED_DATA, or ../shared/data beside the repository.
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
cd "$(dirname "$0")" || exit 1
data=${SMSCHED_DATA:-../../../shared/data}/simtbs
[ -d "$data/golden" ] || { echo "skipped: there is no $data"; exit 77; }
command -v jq >/dev/null || { echo "skipped: there is no jq"; exit 77; }
policies=(rr rrf bfa dfa smk fua)

count() { if [ "$1" -eq 0 ]; then ok; else bad "$2"; fi; }

for conf in "$data"/golden/*.conf; do
    name=$(basename "$conf" .conf)
    "$smsched" import simtbs "$conf" --out "$work/$name.yaml"
    count $? "$name: import"
    "$smsched" validate --quiet "$work/$name.yaml"
    count $? "$name: validate"
    for policy in "${policies[@]}"; do
        "$smsched" run "$work/$name.yaml" --policy "$policy" --format simtbs | diff "$data/golden/$name.$policy.out" -
        count $? "$name: $policy"
    done
    # All policies at once, on two threads: one report after the other.
    for policy in "${policies[@]}"; do cat "$data/golden/$name.$policy.out"; done >"$work/all"
    "$smsched" run --quiet --jobs 2 "$work/$name.yaml" --format simtbs | cmp - "$work/all"
    count $? "$name: all policies"
done

for conf in "$data"/case*.conf; do
    name=$(basename "$conf" .conf)
    "$smsched" import simtbs "$conf" --out "$work/$name.yaml"
    count $? "$name: import"
    for policy in "${policies[@]}"; do
        "$smsched" run "$work/$name.yaml" --policy "$policy" --format simtbs | jq -RsS -f figures.jq >"$work/figures"
        jq -S ".$name.$policy" "$data/expected.json" | diff - "$work/figures"
        count $? "$name: $policy"
    done
done
finish && [ "$passed" -gt 0 ]
