#!/usr/bin/env bash
# Fetching of measurements (tools/data), from repositories made here: what is found by its content, what is not, and what was changed.
set -u
. "$(dirname "$0")/checks.sh"
data=$PWD/tools/data
cd "$work" || exit 1
export GIT_CONFIG_GLOBAL=/dev/null
git() { command git -c user.name=a -c user.email=a@b -c init.defaultBranch=main "$@"; }
sum() { sha256sum "$1" | cut -d ' ' -f 1; }

mkdir -p host/owner/one/deep source
printf 'a,b\n1,2\n' >host/owner/one/deep/other-name.csv
printf 'trace\n' >source/trace
gzip -9nc source/trace >host/owner/one/trace.json.gz
printf 'raw\n' >host/owner/one/raw.txt
git init -q host/owner/one
git -C host/owner/one add .
git -C host/owner/one commit -qm one
commit=$(git -C host/owner/one rev-parse --short HEAD)
git -C host/owner/one rm -q --cached deep/other-name.csv && git -C host/owner/one commit -qm two # which the commit before has
printf 'by hand\n' >source/reduced
{
    echo file,bytes,sha256,repository,commit
    echo "set/measured.csv,8,$(sum host/owner/one/deep/other-name.csv),owner/one,$commit"
    echo "set/trace.json.gz,6,$(sum source/trace),owner/one,$commit"
    echo "set/raw.gz,4,$(sum host/owner/one/raw.txt),owner/one,$commit"
    echo "set/reduced.csv,8,$(sum source/reduced),owner/one,$commit"
    echo "own.csv,8,$(sum source/reduced),,"
} >list.csv
run() { # EXIT WHAT ARGUMENT...
    "$data" --list list.csv "${@:3}" >out 2>err
    exits "$1" $? "$2"
}
said() { if grep -qF -- "$1" out; then ok; else bad "does not say '$1'" "$(cat out err)"; fi; }

run 0 "nothing is there" --check data
said "missing  set/measured.csv (owner/one @ $commit)"; said "0 of 5 files are there"
run 0 "a fetch" --from "file://$work/host" data
said "fetched  set/measured.csv"; said "reduced  set/reduced.csv (owner/one @ $commit)"; said "reduced  own.csv (made for this project)"; said "3 of 5 files are there and right"
if cmp -s data/set/measured.csv host/owner/one/deep/other-name.csv && [ "$(zcat data/set/trace.json.gz)" = trace ] && [ "$(zcat data/set/raw.gz)" = raw ]; then ok; else bad "other content"; fi
cp -r data before
run 1 "no such host" --from "file://$work/none" data2
said "missing  set/measured.csv"
run 0 "nothing to fetch but what is reduced" --from "file://$work/host" data
if diff -r before data >/dev/null; then ok; else bad "a second fetch changes files"; fi
echo 3,4 >>data/set/measured.csv
run 1 "a changed file" --check data
said "WRONG    set/measured.csv"; said "2 of 5 files are there and right, 1 have another content"
run 2 "no way to fetch" data; says "--from BASE, or --check"

# The list is of the data as they are, where they are.
cd "$OLDPWD" || exit 1
if [ -d "${SMSCHED_DATA:-../shared/data}" ]; then
    tools/data --check >"$work/out" 2>"$work/err"
    exits 0 $? "the measurements"
    if grep -q ', 0 have another content$' "$work/out"; then ok; else bad "measurements have changed" "$(cat "$work/out")"; fi
fi
finish
