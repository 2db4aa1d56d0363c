#!/usr/bin/env bash
# Same scenario, same seed: same bytes, whatever the compiler, the optimization and
# the number of threads. Usage: run.sh SMSCHED [--update]
set -u
smsched=$(realpath "$1")
here=tests/golden
failed=0
for scenario in "$here"/*.yaml; do
    golden=${scenario%.yaml}.csv
    [ "${2-}" = --update ] && "$smsched" run --quiet --format csv "$scenario" >"$golden"
    for jobs in 1 3; do
        if ! "$smsched" run --quiet --format csv --jobs "$jobs" "$scenario" | cmp - "$golden"; then
            echo "FAILED: $scenario with $jobs threads"
            failed=1
        fi
    done
done
[ $failed = 0 ] || echo "if on purpose: tests/golden/run.sh $1 --update, and the reason in the commit message"
exit $failed
