# shellcheck shell=bash
# For tests that are scripts, which source it: a folder $work for what they write, and counts of what passed and failed.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# ok [WHAT]: silent without. bad WHAT [WHY].
ok() { passed=$((passed + 1)); [ -z "${1-}" ] || echo "ok     $1"; }
bad() { failed=$((failed + 1)); echo "FAILED $1${2:+: $2}"; }
finish() { echo "$passed passed, $failed failed"; [ "$failed" -eq 0 ]; }

# Of a command whose error output is in $work/err. exits EXPECTED ACTUAL WHAT; says TEXT WHAT; clean PREFIX WHAT: no file
# of that name, or one that begins so, is left in $work.
exits() { if [ "$2" -eq "$1" ]; then ok; else bad "$3" "exit $2 instead of $1: $(head -c 300 "$work/err")"; fi; }
says() { if grep -qF -- "$1" "$work/err"; then ok; else bad "$2 does not say '$1'" "$(head -c 300 "$work/err")"; fi; }
clean() { if compgen -G "$work/$1*" >/dev/null; then bad "$2 leaves something behind" "$(ls "$work")"; else ok; fi; }

# Of what a program prints: try EXIT WHAT ARGUMENT...: runs $smsched, keeps what it said in $output; prints TEXT: it did.
try() {
    local expected=$1 what=$2
    shift 2
    output=$("$smsched" "$@" 2>&1)
    local status=$?
    if [ "$status" -eq "$expected" ]; then ok; else bad "$what" "exit $status instead of $expected: $output"; fi
}
prints() { if grep -qF -- "$1" <<<"$output"; then ok; else bad "does not say '$1'" "$output"; fi; }

# Whether PROGRAM is built with sanitizers, which reserve address space by the terabyte.
sanitized() { nm "$1" 2>/dev/null | grep -q __asan_init; }

# in_background PROGRAM ARGUMENT...: its number is in $pid; returns when it is at work. A job in the background ignores
# SIGINT unless it is told not to, and a signal that comes before that is lost.
in_background() {
    python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$@" >/dev/null 2>"$work/err" &
    pid=$!
    while kill -0 "$pid" 2>/dev/null && [ "$(readlink "/proc/$pid/exe")" != "$(realpath "$1")" ]; do sleep 0.05; done
    sleep 1
}
