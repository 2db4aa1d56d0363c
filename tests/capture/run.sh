#!/usr/bin/env bash
# The runner of tools/capture over a GPU that is a simulation (fake_gpu.cpp), and what
# build/bin/validate makes of its CSV: in its own world the prediction is right, in
# another it is wrong, and a damaged file is refused with the place.
# Usage: run.sh CAPTURE VALIDATE
set -u
. "$(dirname "$0")/../checks.sh"
capture=$(realpath "$1") validate=$(realpath "$2") mps=$(realpath "$(dirname "$0")/../../tools/capture/mps")
cd "$work" || exit 1

# takes NAME OPTION...: a capture in the folder NAME.
takes() {
    local name=$1
    shift
    "$capture" --out "$name" --kernels fp32,int,shared,dram --repetitions 2 "$@" || bad "$name" "exit $?"
}

# compares NAME: captures.md of it in NAME.out.
compares() {
    mkdir -p "$1.out"
    "$validate" --captures "$1" "$1.out" >"$1.log" 2>"$1.err"
    status=$?
}

# largest NAME MODEL: its maximum error in percent, whole.
largest() { awk -F'|' -v model=" $2 " '$2 == model { sub(/\..*/, "", $5); print $5 + 0 }' "$1.out/captures.md"; }

# share NAME POLICY COLUMN: percent of blocks on the SM that the policy says.
share() { awk -F'|' -v policy=" $2 " -v c="$3" '$2 == policy { print $c + 0 }' "$1.out/captures.md"; }

# expects NAME TEST...
expects() { local name=$1; shift; if test "$@"; then ok "$name"; else bad "$name" "not so: $*"; fi; }

takes own
compares own
expects "it is compared" "$status" = 0
expects "what is made of a simulation says so" "$(grep -c 'synthetic' own.out/captures.md)" = 1
expects "in its own world the prediction of pairs is right" "$(largest own proportional)" -lt 1
expects "and is better than none" "$(largest own none)" -gt 20
expects "twenty pairs of four kernels at two intensities" "$(grep -c '^| [a-z0-9]*, [a-z0-9]* |' own.out/captures.md)" = 20
expects "the policy is found" "$(share own most_room 5)" = 100
expects "another is not" "$(share own depth_first 6)" -lt 50

FAKE_CONTENTION='{model: proportional, slope: 2}' takes steeper
compares steeper
expects "in a world of steeper contention the error shows" "$(largest steeper proportional)" -gt 5

FAKE_POLICY=depth_first takes deep
compares deep
expects "another policy is told apart" "$(share deep depth_first 6)" = 100

# Under MPS two processes launch; this GPU does not let them meet, so there is no slowdown and the model is wrong.
takes two --sharing mps
compares two
expects "two processes write a capture too" "$status" = 0
expects "of launches that never met" "$(largest two none)" -lt 1

# tools/capture/mps, with a control daemon that only writes down what it is told.
mkdir -p build/bin path
ln -s "$capture" build/bin/capture
cat >path/nvidia-cuda-mps-control <<EOF
#!/bin/sh
[ "\${1-}" = -d ] && { echo start; test -d "\$CUDA_MPS_PIPE_DIRECTORY" && echo private; } >>"$work/told" || cat >>"$work/told"
EOF
chmod +x path/nvidia-cuda-mps-control
under_mps() { PATH=$work/path:$PATH SMSCHED_BUILD=$work/build "$mps" "$@" --kernels fp32 >/dev/null 2>&1; status=$?; }
under_mps --out mps
expects "the script captures" "$status,$(sed -n 's/^# sharing: //p' mps/launches.csv)" = 0,mps
expects "and stops its daemon" "$(tr '\n' ' ' <told)" = "start private quit "
rm told
under_mps --out mps
expects "also when the capture fails, whose status it ends with" "$status,$(tail -1 told)" = 4,quit

# tampers NAME FILE SED WORDS: the capture, changed, is refused with the words.
tampers() {
    rm -rf bent && cp -r own bent && sed -i "$3" "bent/$2"
    compares bent
    if [ "$status" -ne 3 ]; then bad "$1" "exit $status"
    elif ! grep -qF "$4" bent.err; then bad "$1" "$(head -3 bent.err)"
    else ok "$1"; fi
}
first=$(grep -n '^0,0,' own/blocks.csv | cut -d: -f1)
row=$(grep -n '^0,0,' own/launches.csv | cut -d: -f1)
tampers "a word for a number" blocks.csv "${first}s/^0,0,[0-9]*/0,0,one/" "bent/blocks.csv:$first:5: error: 'one' is no whole number"
tampers "an SM that is not there" blocks.csv "${first}s/^0,0,[0-9]*/0,0,4/" "bent/blocks.csv:$first:5: error: 4 is not between 0 and 3"
tampers "a block that ends before it starts" blocks.csv "${first}s/^\(0,0,[0-9]*,[0-9]*\),[0-9]*/\1,1/" "error: the block ends before it starts"
tampers "a kernel misspelled" launches.csv "${row}s/fp32/pf32/" "bent/launches.csv:$row:16: error: unknown word 'pf32'; did you mean 'fp32'?"
tampers "a field too few" launches.csv "${row}s/,[0-9]*\$//" "bent/launches.csv:$row:1: error: a row of 15 fields instead of 16"
tampers "a column of another name" launches.csv "s/idle_cycles/idle/" "error: this column is to be 'idle_cycles'"
tampers "a block left out" blocks.csv "${first}d" "error: expected here: block 0 of launch 0"
tampers "the end left out" blocks.csv "\$d" "ends before block 7 of launch"
tampers "no number of SMs" launches.csv "/^# sms:/d" "error: no line '# sms: ...' stands before this"
tampers "a head that is no number" launches.csv "s/^# sms: .*/# sms: many/" "error: 'many' is no whole number"

# Twice as long as it was: the error shows. Every block of the last pair's second launch ends a millisecond later.
rm -rf bent && cp -r own bent
last=$(tail -1 own/blocks.csv | cut -d, -f1)
awk -F, -v OFS=, -v last="$last" -v before=$((last - 2)) '$1 == last || $1 == before { $5 = sprintf("%.0f", $5 + 1000000) } { print }' own/blocks.csv >bent/blocks.csv
compares bent
expects "a slowdown made up shows as an error" "$(largest bent proportional)" -gt 30

"$capture" --out own --kernels fp32 2>err
expects "a capture is not overwritten" "$?" = 4
"$capture" --kernels fp32 2>err
expects "no folder is wrong usage" "$?" = 2
"$capture" --out x --kernels fp33 2>err
expects "a kernel that is not there is wrong usage" "$?" = 2

finish
