#!/usr/bin/env bash
# Profiles written by hand, each with one peculiarity of what ncu and nvprof print: in
# fine/ what is read of them (NAME.out), in bad/ the words with which they are refused
# (NAME.err). The name before the first '-' is the importer. Usage: run.sh SMSCHED [--update]
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
update=${2-}
cd "$(dirname "$0")" || exit 1

# import ARGUMENT...: leaves the exit code in $status, and what was said in $work.
import() {
    timeout 300 "$smsched" import "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

# reads NAME ARGUMENT...: what is dumped is NAME.out.
reads() {
    local name=$1
    shift
    import "$@" --dump
    [ "$update" = --update ] && cp "$work/out" "$name.out"
    if [ "$status" -ne 0 ]; then
        bad "$name" "exit $status: $(head -c 300 "$work/err")"
    elif diff -u "$name.out" "$work/out"; then
        ok "$name"
    else
        bad "$name" "something else is read"
    fi
}

# refuses NAME EXIT WORDS ARGUMENT...
refuses() {
    local name=$1 exit=$2 words=$3
    shift 3
    import "$@"
    if [ "$status" -ne "$exit" ]; then
        bad "$name" "exit $status instead of $exit: $(head -c 300 "$work/err")"
    elif [ -s "$work/out" ]; then
        bad "$name" "it wrote to stdout"
    elif ! grep -qF -- "$words" "$work/err"; then
        bad "$name" "it does not say '$words': $(head -c 300 "$work/err")"
    else
        ok "$name"
    fi
}

for file in fine/*.csv; do
    name=$(basename "$file")
    reads "${file%.*}-${file##*.}" "${name%%-*}" "$file"
done

cd bad || exit 1
for file in *.csv *.txt; do
    name=${file%.*}
    refuses "$name" 3 "" "${name%%-*}" "$file" --dump
    [ "$update" = --update ] && cp "$work/err" "$name-${file##*.}.err"
    if diff -u "$name-${file##*.}.err" "$work/err"; then ok "$name"; else bad "$name" "it says something else"; fi
done
cd ..

# Metrics and trace together, whichever comes first.
reads fine/nvprof-together nvprof fine/nvprof-metrics.csv fine/nvprof-trace.csv
cp "$work/out" "$work/first"
import nvprof fine/nvprof-trace.csv fine/nvprof-metrics.csv --dump
if cmp "$work/first" "$work/out"; then ok "(in any order)"; else bad "(in any order)" "they differ"; fi
reads fine/nvprof-two-processes-together nvprof fine/nvprof-two-processes.csv fine/nvprof-two-processes-trace.csv
reads fine/ncu-two-files ncu fine/ncu-raw.csv fine/ncu-2019-bom-crlf.csv
# A kernel that no trace has, of another run, is left out with a word.
import nvprof fine/nvprof-metrics.csv fine/nvprof-trace.csv
if [ "$status" -eq 0 ] && grep -q "^# left out: 'unseen(int)': has metrics, and no launch" "$work/out" &&
    [ "$(grep -c '^workload:' "$work/out")" = 1 ]; then ok "(a kernel that no trace has)"; else bad "(a kernel that no trace has)" "$(head -5 "$work/out" "$work/err")"; fi
# As many processes as there are.
for p in $(seq 100 199); do echo "==$p== NVPROF is profiling process $p, command: app"; done >"$work/many.csv"
for p in $(seq 100 199); do
    echo "==$p== Profiling result:"
    sed -n 4,6p fine/nvprof-two-processes-trace.csv
done >>"$work/many.csv"
import nvprof "$work/many.csv" --dump
if [ "$(grep -o 'process=[^)]*' "$work/out" | sort -u | wc -l)" = 100 ]; then ok; else bad "(many processes)" "$(head -5 "$work/out" "$work/err")"; fi
# As many kernels with metrics alone.
{
    sed -n 1,3p fine/nvprof-metrics.csv
    for k in $(seq 4999); do echo "\"V100 (0)\",\"k$k(int)\",1,\"ipc\",\"Executed IPC\",1.0,1.0,1.0"; done
    sed -n '4,$p' fine/nvprof-metrics.csv
} >"$work/kernels.csv"
import nvprof "$work/kernels.csv" fine/nvprof-trace.csv
if grep -q '^# left out: .k1(int).: has metrics, and no launch.*(and 4999 more)$' "$work/out"; then ok; else bad "(many kernels)" "$(head -5 "$work/out" "$work/err")"; fi
# Copies go with their process and device.
import nvprof fine/nvprof-two-processes-trace.csv --profiled v100
if [ "$(grep -nE '^(workload:|  - copy|# left out)' "$work/out" | cut -d: -f2- | tr '\n' ' ')" = \
    "# left out: line 13: 'k': on another device (and 1 more) workload: nvprof-two-processes-trace-1   - copy_in: 1572864 B workload: nvprof-two-processes-trace-2 " ]; then ok
else bad "(copies of two processes)" "$(head -5 "$work/out" "$work/err")"; fi
refuses "(of different programs)" 3 "the files come from different programs" nvprof fine/nvprof-events.csv \
    fine/nvprof-trace.csv --dump
refuses "(one file of two is bad)" 3 "bad/ncu-empty.csv: error: contains no table" ncu fine/ncu-raw.csv bad/ncu-empty.csv --dump

# At another clock than the profiler's.
import ncu fine/ncu-2019-bom-crlf.csv --profiled v100 --clock '1000 MHz'
if grep -q "^# Times are those at an SM clock of 1000 MHz" "$work/out" && grep -q "latency 72.39 % x 1.943$" "$work/out"; then ok
else bad "(at another clock)" "$(cat "$work/out" "$work/err")"; fi
refuses "(a clock without a unit)" 2 "--clock: '1000' has no unit" ncu fine/ncu-2019-bom-crlf.csv --clock 1000

# A device that the profile contradicts: at the line that says so, all at once.
cat >"$work/ampere.csv" <<'EOF'
"ID","Process ID","Process Name","Kernel Name","Block Size","Grid Size","CC","Metric Name","Metric Unit","Metric Value"
"0","5","app","a(int)","(256, 1, 1)","(64, 1, 1)","8.6","Duration","us","12.5"
"0","5","app","a(int)","(256, 1, 1)","(64, 1, 1)","8.6","Registers Per Thread","register/thread","32"
"0","5","app","a(int)","(256, 1, 1)","(64, 1, 1)","8.6","# SMs","SM","84"
"0","5","app","a(int)","(256, 1, 1)","(64, 1, 1)","8.6","Block Limit SM","block","16"
EOF
for words in ":2:52: error: the profiled device has compute capability 8.6, and a100 has 8.0" "has 84 SMs, and a100 has 108" \
    "holds 16 blocks of this launch on an SM by its blocks, and a100 holds 32"; do
    refuses "(--profiled a100: $words)" 3 "$words" ncu "$work/ampere.csv" --profiled a100
done
for options in "--profiled models/a6000.yaml" "--profiled a6000 --device models/a6000.yaml"; do # a scenario can name no such file
    # shellcheck disable=SC2086 # several options
    refuses "($options)" 3 "'models/a6000.yaml' is not the name of a device: put its file into the folder devices/" ncu "$work/ampere.csv" $options
done
import ncu "$work/ampere.csv" --profiled a6000
if [ "$status" -eq 0 ]; then ok "(--profiled a6000)"; else bad "(--profiled a6000)" "$(cat "$work/err")"; fi
refuses "(--profiled contradicts the name)" 3 "the profiled GPU is 'Tesla P4 (0)', which is no v100" nvprof \
    fine/nvprof-extra-first-column.csv --profiled v100

# The workload and the scenario that runs it have one name.
for name in "" -x ../x "a b" "$(printf 'x%.0s' {1..96})"; do
    refuses "(--name '$name')" 2 "--name: '${name:0:40}' is not a name: 1 to 95 letters" ncu "$work/ampere.csv" --profiled a6000 "--name=$name"
done
cp "$work/ampere.csv" "$work/-x.csv"
for name in .x "$(printf 'x%.0s' {1..95})" _x; do
    if [ "$name" = _x ]; then set -- "$work/-x.csv"; else set -- "$work/ampere.csv" "--name=$name"; fi
    import ncu "$@" --profiled a6000
    all=$(sed -nE 's/^(workload|scenario): |^ .* workload: ([^,]*),.*/\2/p' "$work/out")
    if [ "$all" = "$name"$'\n'"$name"$'\n'"$name" ]; then ok; else bad "(named $name)" "$all $(cat "$work/err")"; fi
done

# The use of caches by their bytes, as a share of the peak.
{ printf '"ID","Process ID","Process Name","Kernel Name","Block Size","Grid Size","CC","Metric Name","Metric Unit","Metric Value"\n'
  for metric in '"Duration","us","50"' '"l1tex__t_bytes.avg.pct_of_peak_sustained_active","%","40"' '"lts__t_bytes.avg.pct_of_peak_sustained_elapsed","%","30"'; do
      printf '"0","5","app","a(int)","(256, 1, 1)","(64000, 1, 1)","7.5",%s\n' "$metric"; done
} >"$work/bytes.csv"
import ncu "$work/bytes.csv" --profiled t4
if grep -qE "usage: .*l1 (40|39\.[5-9]).*l2 30" "$work/out"; then ok; else bad "(the bytes of caches)" "$(grep -E "usage|error" "$work/out" "$work/err")"; fi

# A device file from what profiles say of their GPU; the nearest file gives the rest.
{ printf '"ID","Process ID","Process Name","Kernel Name","launch__grid_dim_x","launch__block_dim_x"'
  for a in display_name compute_capability_major compute_capability_minor clock_rate multiprocessor_count total_memory \
      memory_clock_rate global_memory_bus_width max_blocks_per_multiprocessor; do printf ',"device__attribute_%s"' $a; done
  printf '\n"0","5","app","a(int)","64","256","NVIDIA GeForce RTX 4080","8","9","2505000","76","16810000000","11201000","256","24"\n'
} >"$work/gpu.csv"
import device "$work/gpu.csv"
if [ "$status" -eq 0 ] && grep -q "^device: rtx-4080$" "$work/out" && grep -q "^sms: 76 # device__attribute_multiprocessor_count" "$work/out" &&
    grep -q "  registers: 65536 # assumed: as of l4$" "$work/out" && grep -q "  dram: .*bandwidth: 716.9 GB/s} # twice" "$work/out"
then ok "(a device of ncu's attributes)"; else bad "(a device of ncu's attributes)" "$(cat "$work/out" "$work/err")"; fi
mkdir -p "$work/own/devices" # devices of one's own hide none of the library, however many they are
for i in $(seq 300); do printf 'device: d%d\ninherits: v100\ntitle: x\nsource: x\n' "$i" >"$work/own/devices/d$i.yaml"; done
import device "$work/gpu.csv" --models "$work/own"
if [ "$status" -eq 0 ] && grep -q "assumed: as of l4$" "$work/out"; then ok "(300 devices more)"; else bad "(300 devices more)" "$(cat "$work/out" "$work/err")"; fi
cat >"$work/trace.json" <<'EOF'
{"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "NVIDIA A30", "totalGlobalMem": 25226444800, "computeMajor": 8,
 "computeMinor": 0, "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048, "warpSize": 32, "numSms": 56}], "traceEvents": [
EOF
gzip -c "$work/trace.json" >"$work/trace.json.gz"
import device "$work/trace.json.gz" --name mine
if [ "$status" -eq 0 ] && grep -q "^device: mine$" "$work/out" && grep -q "^sms: 56 # numSms" "$work/out" &&
    grep -q "^power: .* # assumed: as of a30$" "$work/out"
then ok "(a device of a trace of PyTorch)"; else bad "(a device of a trace of PyTorch)" "$(cat "$work/out" "$work/err")"; fi
import device "$work/trace.json" --name mine
if [ "$status" -eq 0 ]; then ok "(uncompressed)"; else bad "(uncompressed)" "$(cat "$work/err")"; fi
echo '{"deviceProperties": [{"name": 7}]}' >"$work/none.json"
refuses "(a trace without a GPU)" 3 "none.json: error: describes no GPU" device "$work/none.json"
head -c 40 "$work/trace.json.gz" >"$work/cut.json.gz"
refuses "(a trace that is cut off)" 3 "cut.json.gz: error: " device "$work/cut.json.gz"
refuses "(a profile that tells little)" 3 "tells neither compute capability nor number of SMs" device fine/ncu-summary.csv

# A copy that is slower than the link takes its time, also where a file has no scenario, as in advice. Drawn block times set up the scenario.
sed 's/^0.5,10.5,/0.5,90000,/' fine/nvprof-trace.csv >"$work/slow.csv"
import nvprof "$work/slow.csv" --profiled v100
if grep -q "^devices: \[{model: v100}\]$" "$work/out" && "$smsched" run --quiet - <"$work/out" | grep -q "makespan  *330.3 ms"
then ok "(copies keep their time)"; else bad "(copies keep their time)" "$(cat "$work/out" "$work/err")"; fi
{ head -7 fine/nvprof-trace.csv; for i in $(seq 300); do grep -h "void k\|earlier" fine/nvprof-trace.csv | sed "s/^/$i/"; done; } >"$work/rounds.csv"
import nvprof "$work/rounds.csv" --profiled v100 --out "$work/rounds.yaml"
if grep -q "^rounds: the steps are one of 30. equal rounds; " "$work/err"; then ok "(one round of many is said)"
else bad "(one round of many is said)" "$(cat "$work/err")"; fi
import device "$work/trace.json" --name mine --out "$work/mine.yaml"
refuses "(a device file is kept)" 2 "exists and is not a scenario, a profile or times that import wrote; " device "$work/trace.json" --name mine --out "$work/mine.yaml"
{ sed -n 1p "$work/ampere.csv"; for i in $(seq 0 11); do
    echo "\"$i\",\"5\",\"app\",\"a(int)\",\"(256, 1, 1)\",\"(64, 1, 1)\",\"8.6\",\"Duration\",\"us\",\"1$((i % 3)).5\""
done; } >"$work/jitter.csv"
import ncu "$work/jitter.csv" --profiled a6000
if grep -q "^run: {replications: 5}" "$work/out"; then ok "(jitter asks for replications)"
else bad "(jitter asks for replications)" "$(cat "$work/out" "$work/err")"; fi

# What would command a terminal is made visible.
sed 's/a(int)/a\xc2\x9b1m\xe2\x80\xae(int)/' "$work/ampere.csv" >"$work/command.csv"
import ncu "$work/command.csv" --dump
if grep -qF 'launch a\xc2\x9b1m\xe2\x80\xae(int) grid' "$work/out"; then ok "(a name that commands)"; else bad "(a name that commands)" "$(cat "$work/out")"; fi

# What PowerShell and other editors make of it, with a byte order mark.
for encoding in UTF-16LE UTF-16BE UTF-32LE UTF-32BE; do
    { printf '\xef\xbb\xbf'; cat fine/ncu-raw.csv; } | iconv -f UTF-8 -t $encoding >"$work/wide.csv"
    import ncu "$work/wide.csv" --dump
    if diff -u fine/ncu-raw-csv.out "$work/out"; then ok "($encoding)"; else bad "($encoding)" "it is read otherwise"; fi
done
printf '\xff\xfe\x00\xdc' >"$work/half.csv"
refuses "(half a character of UTF-16)" 3 "begins like UTF-16, but is not valid UTF-16" ncu "$work/half.csv"
printf 'NVR\0\1\2\3' >"$work/report.ncu-rep"
refuses "(a report file)" 3 "is a report file of ncu; print it: ncu --import" ncu "$work/report.ncu-rep"
printf 'SQLite format 3\0\0' >"$work/database"
refuses "(a database)" 3 "is a database; read one of nsys with 'smsched import nsys', and print one of nvprof: nvprof --import-profile" ncu "$work/database"
head -c 100 /dev/zero >"$work/zero"
refuses "(NUL bytes)" 3 "it holds NUL bytes" nvprof "$work/zero"
truncate -s 300M "$work/sparse"
refuses "(a file of 300 MB)" 3 "has more than 256 MiB of text" ncu "$work/sparse"
refuses "(a folder)" 3 "is a folder; name a file" ncu .
refuses "(a missing file)" 3 "No such file or directory" nvprof none.csv
refuses "(no file)" 2 "name the files to import" ncu
refuses "(what cannot be dumped)" 2 "--dump is for profiles" pods x.csv --columns helios --dump
for option in name=n title=t clock=1GHz iteration; do
    refuses "(--$option of a dump)" 2 "--${option%=*} is for workloads, and --dump derives none" ncu fine/ncu-raw.csv --dump "--$option"
done
refuses "(a name of times)" 2 "--name is for a scenario, and --times writes none" pods x.csv --columns azure --times --name n
refuses "(what has no clock)" 2 "--clock is for profiles" pods x.csv --columns helios --clock '1 GHz'
refuses "(what has no title)" 2 "--title is for profiles" device x.csv --title X
{ printf '"ID","Process ID"'; for i in $(seq 10001); do printf ',"Kernel Name"'; done; echo; } >"$work/columns.csv"
refuses "(10003 columns)" 3 "10003 columns; at most 10000 are allowed" ncu "$work/columns.csv"
{ head -1 fine/ncu-raw.csv; printf '"0","1","'; yes abcdefgh | tr -d '\n' | head -c 17000000; } >"$work/row.csv"
refuses "(a row of 17 MB)" 3 "the row is larger than 16 MiB" ncu "$work/row.csv"
{ sed -n 1p "$work/ampere.csv"; for p in $(seq 10001); do
    echo "\"$p\",\"$p\",\"app\",\"a(int)\",\"(256, 1, 1)\",\"(64, 1, 1)\",\"8.6\",\"Duration\",\"us\",\"12.5\""
done; } >"$work/processes.csv"
refuses "(10001 processes)" 3 "has launches of 10001 processes, and a scenario takes at most 10000" ncu "$work/processes.csv" --profiled a6000
echo stays >"$work/there.txt"
refuses "(a bad file over a good one)" 3 "error" ncu bad/ncu-empty.csv --dump --force --out "$work/there.txt"
if [ "$(cat "$work/there.txt")" = stays ]; then ok "(what was there stays)"; else bad "(what was there stays)" "touched"; fi

finish
