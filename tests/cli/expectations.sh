#!/usr/bin/env bash
# Scenarios meet their own expectations and their stored baselines. Usage: expectations.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")

# holds ARGUMENT...: checks that `check` succeeds.
holds() {
    if "$smsched" check --quiet "$@" >"$work/out" 2>&1; then ok; else bad "check $*" "$(grep -m 5 -E 'MISSED|error' "$work/out")"; fi
}
holds scenarios/03-expectations.yaml
holds scenarios/mixes/starvation.yaml
sanitized "$smsched" || holds scenarios/levels-together/four-by-four.yaml # a minute under sanitizers
for baseline in results/baseline/mix-*.csv; do
    name=${baseline##*/mix-}
    holds "scenarios/mixes/${name%.csv}.yaml" --baseline "$baseline"
done

# A baseline without some rows passes, and `check` says how many values have none.
"$smsched" run --quiet --format csv tests/golden/curve.yaml >"$work/whole.csv"
try 0 "a whole baseline" check --quiet tests/golden/curve.yaml --baseline "$work/whole.csv"
with=$(awk -F, 'NR > 1 && $6 != ""' "$work/whole.csv" | wc -l)
if [ "${output##*$'\n'}" = "$with checked, 0 missed" ]; then ok; else bad "$with rows of a whole baseline" "$output"; fi
head -3 "$work/whole.csv" >"$work/cut.csv"
kept=$(awk -F, 'NR > 1 && $6 != ""' "$work/cut.csv" | wc -l)
try 0 "a baseline that was cut" check --quiet tests/golden/curve.yaml --baseline "$work/cut.csv"
prints "$kept checked, 0 missed; the baseline has no row for $((with - kept)) values of the results"

# expects COUNT EXPECTATION: checks how many policies an expectation is checked for.
expects() {
    sed '/^expect:/,$d' tests/scenarios/expectations.yaml >"$work/scenario.yaml"
    printf 'expect: [{%s}]\n' "$2" >>"$work/scenario.yaml"
    try 0 "$2" check --quiet "$work/scenario.yaml"
    prints "$1 checked, 0 missed"
}
expects 2 'metric: stp_ratio, min: 0'
expects 1 'metric: gain, over: utilization_aware, min: 0 %'

finish
