#!/usr/bin/env bash
# build/bin/calibrate rejects wrong arguments.
# Usage: calibrate.sh CALIBRATE
set -u
calibrate=$(realpath "$1")
cd "$(dirname "$0")/.." || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
bad() { failed=$((failed + 1)); echo "FAILED $*"; }

"$calibrate" 2>/dev/null; [ $? -eq 2 ] || bad "no program named is wrong usage"
touch "$work/file"
for slope in x -1 1.2x nan; do
    "$calibrate" fine-grained-2022-limited "$slope" "$work/new" 2>/dev/null; [ $? -eq 2 ] || bad "$slope is no slope"
done
[ -e "$work/new" ] && bad "wrong usage makes a folder"
for fit in fine-grained-2022 "fine-grained-2022-limited 1"; do
    # shellcheck disable=SC2086
    "$calibrate" $fit "$work/file/below/it" 2>/dev/null; [ $? -eq 4 ] || bad "$fit: a folder that cannot be made"
    # shellcheck disable=SC2086
    "$calibrate" $fit "$work/a/folder" >/dev/null & # minutes: stopped once the folder is there
    until [ -d "$work/a/folder" ] || ! kill -0 $! 2>/dev/null; do sleep 0.1; done
    [ -d "$work/a/folder" ] || bad "$fit: its folder is not made"
    { kill $! && wait $!; } 2>/dev/null
    rm -rf "$work/a"
done
exit $((failed > 0))
