#!/usr/bin/env bash
# The helpers of checks.sh themselves: a test fails if what it calls does not exist. Usage: helpers.sh
set -u
. "$(dirname "$0")/checks.sh"
helpers=$(realpath "$(dirname "$0")/checks.sh")

# of LINE...: what a test of these lines prints, and how it ends.
of() {
    printf '%s\n' "set -u" ". '$helpers'" "$@" "finish" >"$work/test.sh"
    output=$(bash "$work/test.sh" 2>&1)
    status=$?
}
of "ok" "bad 'a thing' 'a reason'"
if [ $status -eq 1 ]; then ok; else bad "a failure is none" "$output"; fi
prints "FAILED a thing: a reason"; prints "1 passed, 1 failed"
of "ok"
if [ $status -eq 0 ]; then ok; else bad "a test that passes fails" "$output"; fi
of "ok" "printz 'something'"
if [ $status -eq 1 ]; then ok; else bad "a helper that does not exist passes" "$output"; fi
prints "FAILED no such command: printz (line 4)"; prints "1 passed, 1 failed"
of "ok" "inner() { exitz 3 4; }" "(cd / && inner)"
if [ $status -eq 1 ]; then ok; else bad "a helper that does not exist passes in a subshell" "$output"; fi
of "ok" "if absent; then ok; fi"
if [ $status -eq 1 ]; then ok; else bad "a condition that does not exist passes" "$output"; fi
finish
