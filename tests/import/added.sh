#!/usr/bin/env bash
# An import format is a file: the command line, its help and its messages know one that was added.
# Usage: added.sh ADDED, which is smsched built with tests/import/formats/added.c
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
cd "$work" || exit 1
printf 'first 100 12.5\nsecond 7 3\n' >list.txt

try 0 "an added format" import added list.txt --name mine -o mine.yaml
try 0 "what it writes is valid" validate mine.yaml
grep -q "name: second, blocks: 7" mine.yaml && ok || bad "the second kernel is missing" "$(cat mine.yaml)"
printf 'first 100 12.5\nsecond seven 3\n' >wrong.txt
try 3 "a line without a number" import added wrong.txt -o wrong.yaml; prints "wrong.txt: error: a line is no NAME BLOCKS MICROSECONDS"
printf 'first 100' >short.txt
try 3 "a line that ends early" import added short.txt -o wrong.yaml; prints "a line is no NAME BLOCKS MICROSECONDS"
[ ! -e wrong.yaml ] && ok || bad "something was written" "$(cat wrong.yaml)"
try 4 "a folder" import added . -o wrong.yaml
try 0 "the help of import" import --help; prints "added"; prints "a list of kernels"
try 2 "two files for a format of one" import added list.txt list.txt; prints "one file"
try 2 "a misspelt format" import addde list.txt; prints "did you mean 'added'?"
finish
