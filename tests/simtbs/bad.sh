#!/usr/bin/env bash
# Configurations of simtbs that must be refused, each with exactly the words in NAME.err,
# and nothing written. Usage: bad.sh SMSCHED [--update]
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
update=${2-}
cd "$(dirname "$0")/bad" || exit 1

# refused NAME EXIT ARGUMENT...: what was said is in $work/err.
refused() {
    local name=$1 exit=$2
    shift 2
    timeout 20 "$smsched" import "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    if [ "$status" -ne "$exit" ]; then
        bad "$name" "exit $status instead of $exit: $(head -c 300 "$work/err")"
    elif [ -s "$work/out" ]; then
        bad "$name" "it wrote to stdout"
    else
        return 0
    fi
    return 1
}

says() {
    if grep -qF -- "$2" "$work/err"; then ok "$1"; else bad "$1" "it does not say '$2': $(head -c 300 "$work/err")"; fi
}

# Files that cannot be imported at all.
for file in *.conf; do
    name=${file%.conf}
    refused "$name" 3 simtbs "$file" || continue
    [ "$update" = --update ] && cp "$work/err" "$name.err"
    if diff -u "$name.err" "$work/err"; then ok "$name"; else bad "$name" "it says something else"; fi
done

# Files that can, and do not run: the original would hang or run out of memory.
for file in run/*.conf; do
    name=${file%.conf}
    "$smsched" import simtbs "$file" --out "$work/run.yaml" || { bad "$name" "it cannot be imported"; continue; }
    (cd "$work" && "$smsched" run --quiet --format simtbs run.yaml >out 2>err)
    status=$?
    [ "$update" = --update ] && cp "$work/err" "$name.err"
    if [ "$status" -ne 3 ]; then
        bad "$name" "exit $status instead of 3"
    elif [ -s "$work/out" ]; then
        bad "$name" "it wrote to stdout"
    elif diff -u "$name.err" "$work/err"; then
        ok "$name"
    else
        bad "$name" "it says something else"
    fi
done

refused "(a missing file)" 3 simtbs none.conf && says "(a missing file)" "No such file or directory"
refused "(a folder)" 3 simtbs . && says "(a folder)" "is a folder; name a file"
refused "(an unknown format)" 2 simtb x.conf && says "(an unknown format)" "did you mean 'simtbs'?"
refused "(no file)" 2 simtbs && says "(no file)" "name one file to import"
refused "(nothing)" 2 && says "(nothing)" "name a format and a file"
head -c 100 /dev/zero >"$work/zero.conf"
refused "(NUL bytes)" 3 simtbs "$work/zero.conf" && says "(NUL bytes)" "not text: a NUL byte, at offset 0"
truncate -s 100M "$work/sparse.conf"
refused "(a file of 100 MB)" 3 simtbs "$work/sparse.conf" && says "(a file of 100 MB)" "is larger than 16 MiB"
yes '1 1 1 1 1 1' | head -c 15000000 | { printf '*sm\n1 1 1 8\n*mem\n9\n*overhead_mem\n1 1\n*kernel\n'; cat; } >"$work/long.conf"
refused "(2 million kernels)" 3 simtbs "$work/long.conf" && says "(2 million kernels)" "more than 10000 kernels"
cp fine/no-end.conf "$work/fine.conf"
echo "stays" >"$work/there.yaml"
refused "(into a folder that is none)" 4 simtbs "$work/fine.conf" --out "$work/none/there.yaml" &&
    says "(into a folder that is none)" "No such file or directory"
refused "(a bad file over a good one)" 3 simtbs no-section.conf --force --out "$work/there.yaml"
if [ "$(cat "$work/there.yaml")" = stays ] && ! ls "$work" | grep -q partial; then
    ok "(what was there stays)"
else
    bad "(what was there stays)" "it was touched"
fi

# Files that look odd and are read as simtbs reads them.
for file in fine/*.conf; do
    name=${file%.conf}
    if ! "$smsched" import simtbs "$file" --out "$work/fine.yaml"; then
        bad "$name" "it cannot be imported"
    else
        "$smsched" run --quiet --policy rr --format simtbs "$work/fine.yaml" >"$work/out"
        [ "$update" = --update ] && cp "$work/out" "$name.out"
        if diff -u "$name.out" "$work/out"; then ok "$name"; else bad "$name" "it prints something else"; fi
    fi
done

finish
