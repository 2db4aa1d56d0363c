#!/usr/bin/env bash
# The core without guests: it runs what needs none with the same results, and refuses the rest in words. Usage: guests.sh
# CORE SMSCHED
set -u
. "$(dirname "$0")/checks.sh"
core=$(realpath "$1")
full=$(realpath "$2")
smsched=$core

for scenario in cluster priorities levels shared curve; do
    if "$core" run --quiet --format csv "tests/golden/$scenario.yaml" 2>/dev/null | cmp -s - "tests/golden/$scenario.csv"; then ok; else bad "$scenario: other results"; fi
done
# Of all shipped scenarios, those are refused that name a guest.
for scenario in scenarios/*.yaml scenarios/*/*.yaml; do
    "$full" validate --quiet "$scenario" 2>/dev/null || continue
    if grep -qE 'gpushare|realtime|monitor:|container_pause|mobile_cuda' "$scenario"; then expected=3; else expected=0; fi
    try "$expected" "$scenario" validate --quiet "$scenario"
done
try 3 "gpushare" validate tests/golden/gpushare.yaml; prints "'gpushare'"; prints "'unhealthy' is for schedulers that this build is without"
try 3 "realtime" validate tests/golden/realtime.yaml
try 0 "policies" list policies
if grep -qE 'gpushare|realtime|container_pause|mobile_cuda' <<<"$output"; then bad "policies of guests"; else ok; fi
try 0 "fields" list fields
try 0 "schema" list schema
finish
