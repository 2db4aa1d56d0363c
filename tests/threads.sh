#!/usr/bin/env bash
# Runs and sweeps in several threads under the thread sanitizer: no races, and the same bytes as with one thread.
# Usage: threads.sh SMSCHED, built with the preset tsan
set -u
. "$(dirname "$0")/checks.sh"
smsched=$(realpath "$1")
export TSAN_OPTIONS="halt_on_error=1 exitcode=66"
nm "$smsched" 2>/dev/null | grep -q __tsan_init || { echo "$smsched has no thread sanitizer"; exit 1; }

# in_threads WHAT COMMAND...: checks that one job and four give the same output.
in_threads() {
    local what=$1
    shift
    "$smsched" "$@" --jobs 1 >"$work/one" 2>"$work/err"
    exits 0 $? "$what in one thread"
    "$smsched" "$@" --jobs 4 >"$work/four" 2>"$work/err"
    exits 0 $? "$what in four threads"
    if cmp -s "$work/one" "$work/four"; then ok; else bad "$what: four threads print something else than one"; fi
}
short='s/duration: [0-9]* ms/duration: 2 ms/; s/warmup: [0-9]* ms/warmup: 1 ms/; /^expect/,$d'
sed "$short" tests/scenarios/two-tenants.yaml >"$work/blocks.yaml"
sed "$short" scenarios/fine-grained-2022/s1.yaml >"$work/paper.yaml"
in_threads "a run" run --format csv --replications 4 "$work/blocks.yaml"
in_threads "a comparison" compare --format json --replications 2 "$work/paper.yaml"
in_threads "processes" run --format csv --replications 2 tests/scenarios/processes.yaml
in_threads "pods that run kernels" run --format csv --replications 2 scenarios/gpushare/compare.yaml
cat >"$work/plan.yaml" <<END
plan: threads
base: $work/blocks.yaml
axes:
  - contention.slope: [1, 1.5, 2, 2.5, 3]
END
for jobs in 1 4; do
    "$smsched" sweep "$work/plan.yaml" --quiet --jobs $jobs --out "$work/sweep$jobs" 2>"$work/err"
    exits 0 $? "a sweep with $jobs jobs"
done
if diff -r "$work/sweep1/results" "$work/sweep4/results" >/dev/null; then ok; else bad "a sweep in threads differs"; fi
finish
