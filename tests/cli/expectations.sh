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
holds scenarios/levels-together/four-by-four.yaml
for baseline in results/baseline/mix-*.csv; do
    name=${baseline##*/mix-}
    holds "scenarios/mixes/${name%.csv}.yaml" --baseline "$baseline"
done

finish
