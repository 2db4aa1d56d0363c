#!/usr/bin/env bash
# Files that must be refused, each with exactly the words in NAME.err, and things that
# are no files at all. Usage: run.sh SMSCHED [--update]
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
update=${2-}
cd "$(dirname "$0")" || exit 1

# Sanitizers reserve address space by the terabyte and take several times as long, so only the plain program is held to 500 MB and 10 s.
if sanitized "$smsched"; then memory=unlimited seconds=60; else memory=512000 seconds=10; fi

# bounded ARGUMENT...: runs smsched for at most so long, of the time of a core.
bounded() (
    ulimit -t "$seconds" -v "$memory" -c 0
    exec timeout 600 "$smsched" "$@"
)

# validate FILE...: leaves the exit code in $status and what was said in $work/err.
validate() {
    bounded validate "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

check_file() {
    local name=${1%.yaml}
    validate "$1"
    [ "$update" = --update ] && cp "$work/err" "$name.err"
    if [ "$status" -ne 3 ]; then
        bad "$name" "exit $status instead of 3"
    elif [ -s "$work/out" ]; then
        bad "$name" "it wrote to stdout"
    elif ! diff -u "$name.err" "$work/err"; then
        bad "$name" "it says something else; if that is meant, run tests/bad/run.sh SMSCHED --update"
    else
        ok "$name"
    fi
}

# check_path NAME EXIT WORDS PATH
check_path() {
    validate "$4"
    if [ "$status" -ne "$2" ]; then
        bad "$1" "exit $status instead of $2: $(head -c 300 "$work/err")"
    elif ! grep -qF -- "$3" "$work/err"; then
        bad "$1" "it does not say '$3': $(head -c 300 "$work/err")"
    else
        ok "$1"
    fi
}

# All in one process, because hundreds that are watched take half a minute of a core to start; the files of plans come first then.
check_all() {
    validate *.yaml
    exits 3 "$status" "all files at once"
    diff <(sort ./*.err) <(sort "$work/err") && ok || bad "it says something else of all files at once"
}

if sanitized "$smsched"; then
    check_all
else
    for file in *.yaml; do check_file "$file"; done
fi

truncate -s 100M "$work/sparse.yaml"
check_path "(a file of 100 MB)" 3 "is larger than 16 MiB" "$work/sparse.yaml"
yes 'k: [1, 2, 3]' | head -c 100000000 >"$work/text.yaml"
check_path "(100 MB of text)" 3 "is larger than 16 MiB" "$work/text.yaml"
rm "$work/text.yaml"
{ echo "device: ["; yes 'a,' | head -c 15000000; echo "]"; } >"$work/nodes.yaml"
check_path "(16 MB of nodes)" 3 "more than 2000000 nodes" "$work/nodes.yaml"
yes -- '--- [a,a,a,a]' | head -c 15000000 >"$work/documents.yaml"
check_path "(16 MB of documents)" 3 "more than 2000000 nodes" "$work/documents.yaml"
{ echo "x:"; printf '  - &a%d 1\n' $(seq 0 999); echo "y: ["; yes '*a0,' | head -n 2000000; } >"$work/aliases.yaml"
check_path "(1000 anchors, 2 million aliases)" 3 "more than 2000000 nodes with its aliases expanded" "$work/aliases.yaml"
for i in $(seq 20); do printf -- '---\nx: &a [%s1]\ny: [%s1]\n' "$(yes 1, | head -n 1000 | tr -d '\n')" "$(yes '*a,' | head -n 1000 | tr -d '\n')"; done >"$work/bombs.yaml"
check_path "(20 documents of a million nodes each)" 3 "more than 2000000 nodes with its aliases expanded" "$work/bombs.yaml"
{ echo "scenario: s"; echo "vms:"; seq 400000 | sed 's/.*/- {name: v&, workload: w}/'; } >"$work/vms.yaml"
check_path "(400000 VMs)" 3 "more than" "$work/vms.yaml"
{ echo "device: d"; seq 400000 | sed 's/.*/k&: 1/'; } >"$work/keys.yaml"
check_path "(400000 keys)" 3 "and " "$work/keys.yaml"
{ echo "device: d"; yes 'sms: 1' | head -400000; } >"$work/same.yaml"
check_path "(one key 400000 times)" 3 "key 'sms' is given twice" "$work/same.yaml"
check_path "(a folder)" 3 "is a folder; name a file" "$work"
check_path "(a missing file)" 3 "No such file or directory" "$work/none.yaml"
check_path "(a file below a file)" 4 "Not a directory" "$work/nodes.yaml/x.yaml"
check_path "(a name that is too long)" 4 "File name too long" "$work/$(printf 'x%.0s' {1..300})"
check_path "(a name that is empty)" 3 "No such file or directory" ""
ln -s loop.yaml "$work/loop.yaml"
check_path "(a link to itself)" 4 "Too many levels of symbolic links" "$work/loop.yaml"
mkfifo "$work/fifo"
check_path "(a FIFO)" 3 "is not a regular file" "$work/fifo"
check_path "(/dev/zero)" 3 "is not a regular file" /dev/zero
check_path "(/dev/null)" 3 "is not a regular file" /dev/null
touch "$work/locked.yaml"
chmod 0 "$work/locked.yaml"
if [ -r "$work/locked.yaml" ]; then
    echo "skipped (an unreadable file): this user may read everything"
else
    check_path "(an unreadable file)" 4 "Permission denied" "$work/locked.yaml"
fi

finish
