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
try 0 "the help of import" import --help; prints "added"; prints "a list of kernels"
try 2 "two files for a format of one" import added list.txt list.txt; prints "one file"
try 2 "a misspelt format" import addde list.txt; prints "did you mean 'added'?"
finish
