# shellcheck shell=bash
# Helpers that test scripts source: a folder $work for their files, and counts of passed and failed checks.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# A helper whose name is misspelt checks nothing. finish counts such commands as failures. Bash calls the handler in a
# subshell, which cannot count, so it writes to a file.
unknown=$work/.unknown
command_not_found_handle() {
    echo "$1 (line ${BASH_LINENO[-2]-?})" >>"$unknown"
    echo "$1: command not found" >&2
    return 127
}

# ok [WHAT] counts a pass, and prints only if it is named. bad WHAT [WHY] counts and prints a failure.
ok() { passed=$((passed + 1)); [ -z "${1-}" ] || echo "ok     $1"; }
bad() { failed=$((failed + 1)); echo "FAILED $1${2:+: $2}"; }
finish() {
    local name
    [ ! -e "$unknown" ] || while read -r name; do bad "no such command" "$name"; done <"$unknown"
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}

# Checks of a command whose error output is in $work/err: exits EXPECTED ACTUAL WHAT; says TEXT WHAT. clean PREFIX WHAT
# checks that $work has no file whose name begins with PREFIX.
exits() { if [ "$2" -eq "$1" ]; then ok; else bad "$3" "exit $2 instead of $1: $(head -c 300 "$work/err")"; fi; }
says() { if grep -qF -- "$1" "$work/err"; then ok; else bad "${2-it} does not say '$1'" "$(head -c 300 "$work/err")"; fi; }
clean() { if compgen -G "$work/$1*" >/dev/null; then bad "$2 leaves something behind" "$(ls "$work")"; else ok; fi; }

# try EXIT WHAT ARGUMENT... runs $smsched and keeps its output in $output. prints TEXT checks that output.
try() {
    local expected=$1 what=$2
    shift 2
    output=$("$smsched" "$@" 2>&1)
    local status=$?
    if [ "$status" -eq "$expected" ]; then ok; else bad "$what" "exit $status instead of $expected: $output"; fi
}
prints() { if grep -qF -- "$1" <<<"$output"; then ok; else bad "does not say '$1'" "$output"; fi; }

# same A B WHAT compares files or folders.
same() { if diff -r "$1" "$2" >"$work/diff"; then ok; else bad "$3" "$(head -5 "$work/diff")"; fi; }

# Whether PROGRAM is built with sanitizers, which reserve terabytes of address space.
sanitized() { nm "$1" 2>/dev/null | grep -q __asan_init; }

# limited SECONDS PROGRAM ARGUMENT...: ends a program that takes more time of a core than that, which does not depend on
# what else the machine does, and at some time one that hangs.
limited() (
    ulimit -t "$1"
    shift
    exec timeout -s KILL 900 "$@"
)

# catches_interrupts PID: whether the process has a handler of SIGINT, which is bit 1 of the mask.
catches_interrupts() { local caught; caught=$(sed -n 's/^SigCgt:\t*//p' "/proc/$1/status" 2>/dev/null) && [ $((16#${caught:-0} & 2)) -ne 0 ]; }

# in_background PROGRAM ARGUMENT... sets $pid and returns once the program runs. A background job ignores SIGINT by
# default, and a signal that arrives before the program has a handler ends it without a word.
in_background() {
    python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$@" <&0 >/dev/null 2>"$work/err" &
    pid=$!
    while kill -0 "$pid" 2>/dev/null && ! { [ "$(readlink "/proc/$pid/exe")" = "$(realpath "$1")" ] && catches_interrupts "$pid"; }; do sleep 0.05; done
    sleep 1
}
