#!/usr/bin/env bash
# The runner of tools/capture over a GPU that is a simulation (fake_gpu.cpp), and what tools/capture/folder and
# tools/validate make of its CSV: in its own world the prediction is right, in another it is wrong, and a damaged file is
# refused with the place.
# Usage: run.sh CAPTURE SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
root=$(realpath "$(dirname "$0")/../..")
/usr/bin/python3 -c 'import numpy, yaml' 2>/dev/null || { echo "python3-numpy or python3-yaml is not installed"; exit 77; }
command -v gnuplot >/dev/null || { echo "gnuplot is not installed"; exit 77; }
capture=$(realpath "$1") smsched=$(realpath "$2") mps=$root/tools/capture/mps
cd "$work" || exit 1
mkdir -p bin/bin docs/figures docs/evidence results/measured
ln -s "$smsched" bin/bin/smsched
cp -r "$root/tools" tools
mkdir models && ln -s "$root"/models/* models && rm models/trust.yaml
export SMSCHED_BUILD=$work/bin

# takes NAME OPTION...: a capture in the folder NAME.
takes() {
    local name=$1
    shift
    "$capture" --out "$name" --kernels fp32,int,shared,dram --repetitions 2 "$@" || bad "$name" "exit $?"
}

# folds NAME [OPTION...]: the capture as a folder; compares NAME: the errors of that folder.
folds() { local name=$1; shift; rm -rf "fold/$name"; tools/capture/folder "$name" "fold/$name" "$@" >"$name.log" 2>"$name.err"; status=$?; }
compares() {
    folds "$1"
    [ "$status" -ne 0 ] || { rm -rf results/measured/*; mv "fold/$1" results/measured/; tools/validate >>"$1.log" 2>"$1.err"; status=$?; }
    [ "$status" -eq 0 ] || cat "$1.err"
}

# largest NAME MODEL [GROUP]: its maximum error of pairs in percent, whole.
largest() { awk -F, -v model="$2" -v group="${3-pair}" '$1 == group && $3 == model { print int($8) }' "results/measured/$1/summary.csv"; }

# expects NAME TEST...
expects() { local name=$1; shift; if test "$@"; then ok "$name"; else bad "$name" "not so: $*"; fi; }

takes own
compares own
expects "it is compared" "$status" = 0
expects "what is made of a simulation says so" "$(grep -c 'driver 0.0, synthetic' results/measured/own/about.yaml)" = 1
expects "in its own world the prediction of pairs is right" "$(largest own smsched)" -lt 1
expects "and of launches alone" "$(largest own smsched alone)" -lt 1
expects "and is better than none" "$(largest own no_contention)" -gt 20
expects "it is given to all" "$(grep -x 'licence: .*' results/measured/own/about.yaml)" = "licence: CC0-1.0"
expects "twenty pairs of four kernels at two intensities" "$(grep -c ',pair,' results/measured/own/measured.csv)" = 40
expects "blocks are seen to go breadth first" "$(grep -c 'in 16 of 16 launches alone' own.log)" = 1
expects "what a launch takes" "$(grep -c '^a launch takes 2500 ns, the start of a block 100.000 ns' own.log)" = 1
expects "bandwidth by SMs, from one to all" "$(grep '^dram_by_sms' own/numbers.csv | cut -d, -f2 | tr '\n' ' ')" = "1 2 3 4 "
expects "the capture itself is kept" "$(gzip -dc results/measured/own/blocks.csv.gz | cmp - own/blocks.csv && echo same)" = same
folds own --device v100
expects "another device of models/devices" "$status,$(grep -c 'model: v100' fold/own/scenarios.yaml)" = 0,28
folds own --licence CC-BY-4.0
expects "or under a licence that is named" "$(grep -x 'licence: .*' fold/own/about.yaml)" = "licence: CC-BY-4.0"
folds own --examiner logs
python3 - logs own/launches.csv <<'EOF'
import json, pathlib, sys
logs = [json.loads(path.read_text()) for path in pathlib.Path(sys.argv[1]).iterdir()]
launches = [line for line in open(sys.argv[2]) if line[0].isdigit()]
assert len(logs) == len(launches), (len(logs), len(launches))
for log in logs:
    kernel = log["times"][2]
    assert log["times"][0] == {} and "cpu_times" in log["times"][1]
    assert len(kernel["block_times"]) == 2 * kernel["block_count"] and len(kernel["block_smids"]) == kernel["block_count"]
EOF
expects "each launch as cuda_scheduling_examiner logs it" "$?" = 0
tools/capture/folder own results/measured/mine 2>err
expects "what was not measured is refused in results" "$?,$(grep -c "its origin is 'synthetic'" err)" = 3,1

FAKE_CONTENTION='{model: proportional, slope: 2}' takes steeper
compares steeper
expects "in a world of steeper contention the error shows" "$(largest steeper smsched)" -gt 5

FAKE_POLICY=depth_first takes deep
compares deep
expects "another policy is told apart" "$(grep -c 'in 0 of 16 launches alone' deep.log)" = 1

# Under MPS two processes launch; this GPU does not let them meet, so there is no slowdown and the model is wrong.
takes two --sharing mps
compares two
expects "two processes write a capture too" "$status" = 0
expects "of launches that never met" "$(largest two no_contention)" -lt 1

# Green contexts: each launch has half of the SMs, and the two do not meet.
takes green --sharing green --pairs unlike
compares green
expects "green contexts are compared" "$status" = 0
expects "24 pairs of different kernels, at all intensities" "$(grep -c ',pair,' results/measured/green/measured.csv)" = 48
expects "in its own world the prediction of green contexts is right" "$(largest green smsched)" -lt 1
sms_of() { awk -F, -v launch="$2" '$1 == launch { print $3 }' "$1/blocks.csv" | sort -u | tr '\n' ' '; }
last=$(tail -1 green/launches.csv | cut -d, -f1)
expects "the SMs of a pair are apart" "$(sms_of green $((last - 1)))and $(sms_of green "$last")" = "0 1 and 2 3 "

# What would be run: 16 shapes are 16 x 15 / 2 pairs less 8 of one kernel; a bound of its time, block after block.
expects "the plan of unlike pairs" "$("$capture" --plan --pairs unlike)" = "streams: 16 shapes, 112 pairs, 456 runs, at most 5 s of blocks"
expects "twice the repetitions" "$("$capture" --plan --pairs unlike --repetitions 6 | cut -d, -f2,3)" = " 112 pairs, 912 runs"
expects "the plan of like pairs" "$("$capture" --plan | cut -d, -f2)" = " 72 pairs"
"$capture" --out x --sharing partition 2>err
expects "partitions without names are wrong usage" "$?,$(grep -c 'names two' err)" = 2,1

# Two processes that take turns.
takes turns --sharing time_slice
expects "the slice and the switch" "$(grep -E '^(slice|switch),' turns/numbers.csv | cut -d, -f1,3 | tr '\n' ' ')" = "slice,2000000 switch,100000 "
FAKE_ALONE=1 "$capture" --out alone --sharing time_slice 2>err
expects "processes that do not take turns are an error" "$?,$(grep -c 'did not take turns' err)" = 4,1

# tools/capture/mps, with a control daemon that only writes down what it is told.
mkdir -p build/bin path
ln -s "$capture" build/bin/capture
cat >path/nvidia-cuda-mps-control <<EOF
#!/bin/sh
[ "\${1-}" = -d ] && { echo start\${2-}; test -d "\$CUDA_MPS_PIPE_DIRECTORY" && echo private; } >>"$work/told" || {
    read -r words
    echo "\$words" >>"$work/told"
    case \$words in # a GPU of three chunks
    "sm_partition add GPU-fake 1") [ "\$(grep -c 'add GPU-fake 1\$' "$work/told")" = 1 ] && part=first || part=second ;;
    "sm_partition add GPU-fake 2") [ "\$(grep -c 'add GPU-fake 2\$' "$work/told")" = 1 ] && part=large || part= ;;
    esac
    [ -z "\${part-}" ] && echo "no such chunks" || echo "Partition GPU-fake/\$part created"
}
EOF
printf '#!/bin/sh\necho GPU-fake\n' >path/nvidia-smi
chmod +x path/nvidia-smi
chmod +x path/nvidia-cuda-mps-control
under_mps() { PATH=$work/path:$PATH SMSCHED_BUILD=$work/build "$mps" "$@" --kernels fp32 >/dev/null 2>&1; status=$?; }
under_mps --out mps
expects "the script captures" "$status,$(sed -n 's/^# sharing: //p' mps/launches.csv)" = 0,mps
expects "and stops its daemon" "$(tr '\n' ' ' <told)" = "start private quit "
rm told
under_mps --out mps
expects "also when the capture fails, whose status it ends with" "$status,$(tail -1 told)" = 4,quit


# Static partitions: the largest two that are equal, which is one chunk each.
rm told
PATH=$work/path:$PATH SMSCHED_BUILD=$work/build "$mps" --static --out parts --kernels fp32,int --pairs unlike >/dev/null 2>err || cat err
expects "the script captures in static partitions" "$(sed -n 's/^# sharing: //p; s/^# part_sms: //p' parts/launches.csv | tr '\n' ' ')" = "partition 2 "
expects "of the largest equal size" "$(grep -vE 'add GPU-fake ([3-9]|[1-3][0-9])$' told | tr '\n' ';')" = \
    "start-S;private;sm_partition add GPU-fake 2;sm_partition add GPU-fake 2;sm_partition rm GPU-fake GPU-fake/large;sm_partition add GPU-fake 1;sm_partition add GPU-fake 1;quit;"
last=$(tail -1 parts/launches.csv | cut -d, -f1)
expects "whose SMs are apart" "$(sms_of parts $((last - 1)))and $(sms_of parts "$last")" = "0 1 and 2 3 "
folds parts
expects "a partition does not tell the device" "$status,$(grep -c 'name the device' parts.err)" = 3,1
folds parts --device v100
expects "of a device that is named it does" "$status,$(grep -c 'sms: \[2-3\]' fold/parts/scenarios.yaml)" = 0,4

# The campaign: all four, and its plan.
rm told
campaign() { PATH=$work/path:$PATH SMSCHED_BUILD=$work/build tools/capture/campaign "$@" >campaign.log 2>campaign.err; status=$?; }
campaign --plan
expects "the plan of a campaign" "$status,$(cut -d, -f2 campaign.log | sort | uniq -c | tr -s ' ' | tr '\n' ';')" = "0, 4 112 pairs; 2 3 pairs;"
expects "with two ways whose grids exceed the GPU" "$(sed -n 's/^\(queue\|priority\): .*, 3 pairs.*at most [1-9].*/\1/p' campaign.log | tr '\n' ' ')" = "queue priority "
expects "takes less than a quarter of an hour" "$(sed 's/.*at most //' campaign.log | awk '{ sum += $1 } END { print sum }')" -lt 900
campaign --out all --kernels fp32,int --repetitions 1
expects "a campaign" "$status,$(cd all && grep -h '^# sharing' -- */launches.csv | sort | tr '\n' ' ')" = \
    "0,# sharing: green # sharing: mps # sharing: mps # sharing: mps # sharing: partition # sharing: streams "
for way in queue priority; do
    expects "no SM holds the blocks of $way, whatever else is asked for" "$(awk -F, '$3 == "pair" && !($9 > 4 * $13) { few++ } $3 == "pair" { n++ } END { print n + 0, few + 0 }' all/$way/launches.csv)" = "6 0"
done
campaign --out all --kernels fp32,int --repetitions 1
expects "names what failed, such as what is there already" "$status,$(tail -1 campaign.err)" = \
    "4,tools/capture/campaign: failed: streams green mps partition queue priority"

# Grids that exceed the GPU tell whether there is one dispatch queue: on two streams of this GPU they meet and there is one.
"$capture" --out large --pairs unlike --kernels fp32,int --intensity 100 --blocks-per-sm 85 --repetitions 2 || bad large "exit $?"
folds large
expects "one dispatch queue" "$status,$(grep '^dispatch queue' large.log)" = \
    "0,dispatch queue: of 2 pairs too large for the GPU 2 met; in 2 no block of the second starts before the last of the first has"
expects "grids that wait for each other test the mode, not the laws inside an SM" "$(grep -h '^tests' fold/large/about.yaml results/measured/*/about.yaml | tr '\n' ' ')" = "tests: modes tests: inside "
folds all/queue --device v100
expects "processes of this GPU never meet" "$status,$(grep -c '3 pairs too large for the GPU 0 met; in 0 ' all/queue.log)" = 0,1
folds all/priority --device v100 --priority
expects "the second is more urgent in the scenarios too" "$status,$(grep -c 'name: v1,.* priority: 1}' fold/all/priority/scenarios.yaml),$(grep -c 'name: v0,.*priority' fold/all/priority/scenarios.yaml)" = 0,3,0

# tampers NAME FILE SED WORDS: the capture, changed, is refused with the words.
tampers() {
    rm -rf bent && cp -r own bent && sed -i "$3" "bent/$2"
    folds bent
    if [ "$status" -ne 3 ]; then bad "$1" "exit $status"
    elif ! grep -qF "$4" bent.err; then bad "$1" "$(head -3 bent.err)"
    elif [ -e fold/bent ]; then bad "$1" "a folder is left"
    else ok "$1"; fi
}
first=$(grep -n '^0,0,' own/blocks.csv | cut -d: -f1)
row=$(grep -n '^0,0,' own/launches.csv | cut -d: -f1)
tampers "a word for a number" blocks.csv "${first}s/^0,0,[0-9]*/0,0,one/" "bent/blocks.csv:$first: sm: 'one' is no whole number"
tampers "an SM that is not there" blocks.csv "${first}s/^0,0,[0-9]*/0,0,4/" "bent/blocks.csv:$first: sm: 4 is not between 0 and 3"
tampers "a block that ends before it starts" blocks.csv "${first}s/^\(0,0,[0-9]*,[0-9]*\),[0-9]*/\1,1/" "the block ends before it starts"
tampers "a kernel misspelled" launches.csv "${row}s/fp32/pf32/" "bent/launches.csv:$row: kernel: unknown word 'pf32'"
tampers "a field too few" launches.csv "${row}s/,[0-9]*\$//" "bent/launches.csv:$row: a row of 16 fields instead of 17"
tampers "a column of another name" launches.csv "s/idle_cycles/idle/" "this column is to be 'idle_cycles'"
tampers "a block left out" blocks.csv "${first}d" "expected here: block 0 of launch 0"
tampers "the end left out" blocks.csv "\$d" "ends before the last block of launch"
tampers "no number of SMs" launches.csv "/^# sms:/d" "no line '# sms: ...'"
tampers "a head that is no number" launches.csv "s/^# sms: .*/# sms: many/" "sms: 'many' is no whole number"

# Twice as long as it was: the error shows. Every block of the last pair's second launch ends a millisecond later.
rm -rf bent && cp -r own bent
last=$(tail -1 own/blocks.csv | cut -d, -f1)
awk -F, -v OFS=, -v last="$last" -v before=$((last - 2)) '$1 == last || $1 == before { $5 = sprintf("%.0f", $5 + 1000000) } { print }' own/blocks.csv >bent/blocks.csv
compares bent
expects "a slowdown made up shows as an error" "$(largest bent smsched)" -gt 30

"$capture" --out own --kernels fp32 2>err
expects "a capture is not overwritten" "$?" = 4
"$capture" --kernels fp32 2>err
expects "no folder is wrong usage" "$?" = 2
"$capture" --out x --kernels fp33 2>err
expects "a kernel that is not there is wrong usage" "$?" = 2

finish
