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

# Numbers have all digits of their whole part, and a change over 0 is no percentage.
sed '/^expect:/,$d' tests/scenarios/expectations.yaml >"$work/scenario.yaml"
echo 'expect: [{metric: blocks_per_s, policy: fine_grained, min: 10000000000}, {metric: jobs_per_s, policy: fine_grained, value: 3000000, tolerance: 1 %}, {metric: stp_ratio, policy: fine_grained, value: 9, tolerance: 1 %}]' >>"$work/scenario.yaml"
try 1 "large numbers" check --quiet "$work/scenario.yaml"
prints "at least 10000000000"
prints "expected 3000000 within 1 %"
prints "expected 9 within 0.01"
if grep -q "[0-9]e+" <<<"$output"; then bad "a number with an exponent" "$output"; else ok; fi
sed '2s/^\([^,]*,[^,]*,[^,]*,[^,]*,[^,]*\),[^,]*/\1,0/' "$work/whole.csv" >"$work/zero.csv"
try 1 "a baseline of 0" check --quiet tests/golden/curve.yaml --baseline "$work/zero.csv"
if grep -qE 'MISSED .*, baseline 0$' <<<"$output"; then ok; else bad "a change over 0" "$output"; fi

# Each check has a name of its own in JUnit: a server takes two of one name for one.
sed '/^expect:/,$d' tests/scenarios/expectations.yaml >"$work/scenario.yaml"
echo 'expect: [{metric: stp_ratio, policy: fine_grained, min: 0}, {metric: stp_ratio, policy: fine_grained, max: 9}, {metric: jobs_per_s, policy: fine_grained, min: 0}]' >>"$work/scenario.yaml"
"$smsched" run --quiet --format csv "$work/scenario.yaml" | grep -E '^scenario|host,stp_ratio' >"$work/host.csv"
try 0 "two limits of a metric and a baseline" check --quiet "$work/scenario.yaml" --baseline "$work/host.csv" --junit -
if [ -z "$(grep -o ' name="[^"]*"' <<<"$output" | sort | uniq -d)" ]; then ok; else bad "two cases of one name" "$output"; fi
prints ' name="stp_ratio of host under fine_grained (3)"'
prints ' name="jobs_per_s of host under fine_grained"'

finish
