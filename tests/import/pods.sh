#!/usr/bin/env bash
# Lists of jobs: rows of the published traces and units byte for byte, damaged ones with every problem at its place.
# Usage: pods.sh SMSCHED [--update]
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
update=${2-}
cd "$(dirname "$0")/pods" || exit 1

same() { [ "$2" = "$3" ] && ok "$1" || bad "$1" "$2 instead of $3"; }

# writes NAME FILE ARGUMENT...: what is imported is fine/NAME.
writes() {
    local name=$1 file=$2
    shift 2
    if ! "$smsched" import pods "$file" "$@" --out "$work/$name" 2>"$work/err"; then
        bad "$name" "$(head -c 300 "$work/err")"
        return
    fi
    [ "$update" = --update ] && cp "$work/$name" "fine/$name"
    if diff -u "fine/$name" "$work/$name"; then ok "$name"; else bad "$name" "it is something else"; fi
}
# The rows are those that the documentation of each trace shows.
writes philly.yaml fine/philly.json --columns philly
same "a job without attempts is left out, and that is said" "$(grep -c 'left out: 1 that never started' "$work/err")" 1
same "how many pods and nodes there are is said" "$(grep -c '^pods: 2; nodes: 2 of 8 GPUs, which are assumed' "$work/err")" 1
writes helios.yaml fine/helios.csv --columns helios
writes pai2020.yaml fine/pai2020.csv --columns pai2020
writes alibaba2025.yaml fine/alibaba2025.csv --columns alibaba2025
writes azure.times fine/azure.csv --columns azure --times
{
    printf 'scenario: requests\ndevices: [{model: a100}]\npolicies: [{mode: mps}]\nprocesses:\n  - name: server\n'
    printf '    workload: v100/bfs_64k\n'
    grep -v '^#' fine/azure.times | sed 's/^/    /'
} >"$work/requests.yaml"
"$smsched" run "$work/requests.yaml" --quiet --format csv >"$work/out" 2>"$work/err"
same "a process takes the times" "$? $(grep -c 'process,server,turnaround_ns' "$work/out")" "0 1"
units='arrival=when_ms:ms,duration=took_min:min,gpus=gpu_pct:%,cpu=cpu_m:milli,memory=mem:MiB'
writes units.yaml fine/units.csv --columns "$units"
tail -n +2 fine/units.csv >"$work/headless.csv"
numbers='arrival=1:ms,duration=2:min,gpus=3:%,cpu=4:milli,memory=5:MiB'
"$smsched" import pods "$work/headless.csv" --columns "$numbers" --name units | diff fine/units.yaml - >/dev/null
same "columns by number are those by name" $? 0
printf 'name,when,gpus\n%0100d,0,1\nshort,1,1\n' 7 >"$work/long.csv"
"$smsched" import pods "$work/long.csv" --columns name=name,arrival=when,gpus=gpus >"$work/out" 2>"$work/err"
same "a name that is too long is a number" "$? $(grep -cE '^ +- \[(pod1|short),' "$work/out")" "0 2"
printf 'name,when,gpus\na,0,1\na,1,1\n' >"$work/twice.csv"
"$smsched" import pods "$work/twice.csv" --columns name=name,arrival=when,gpus=gpus >"$work/out" 2>"$work/err"
same "a name that comes again is a number" "$? $(grep -cE '^ +- \[(a|pod2),' "$work/out")" "0 2"
printf 'name,when,gpus,n,gib\nx,0,1,1,8\nx,1,1,1,90\npod2,2,1,1,8\na,3,1,2,8\na-1,4,1,1,8\na-3,5,1,1,8\na,6,1,2,8\n' >"$work/alike.csv"
"$smsched" import pods "$work/alike.csv" --columns name=name,arrival=when,gpus=gpus,replicas=n,gpu_memory=gib:GiB --out "$work/alike.yaml" 2>"$work/err"
same "names differ, also from those of replicas" "$? $(grep -o '^ *- \[[^,]*' "$work/alike.yaml" | tr -d ' \n[' )" "0 -x-pod2_-pod2-a--pod5-a-3-pod7-"
same "a GPU holds the pod with most memory" "$(grep -c 'gpu_memory: 90 GiB}' "$work/alike.yaml")" 1
times() { "$smsched" import pods "$work/$1.csv" --columns "arrival=when:$2,gpus=gpus" --times 2>/dev/null | grep -oE '[0-9.]+ s' | tr '\n' ,; }
printf 'when,gpus\n1700000000000000001,1\n1700000000000000102,1\n' >"$work/ns.csv"
same "whole nanoseconds are exact" "$(times ns ns)" "0 s,0.000000101 s,"
echo '[{"when": 1700000000.654321, "gpus": 0.1}, {"when": 1700000000.654322, "gpus": 0.1}]' >"$work/json.csv"
same "and microseconds of JSON" "$(times json s)" "0 s,0.000001 s,"
echo '[{"when": 0, "took": [{"s": 0.7}, {"s": 0.2}, {"s": 0.1}], "gpus": 0.1}]' >"$work/sum.json"
"$smsched" import pods "$work/sum.json" --columns arrival=when,duration=took.s,gpus=gpus >"$work/out" 2>"$work/err"
same "a sum of JSON has no rounding error" "$? $(grep -c '0 s, 1 s, 1, 10 %' "$work/out")" "0 1"
printf 'when,gpus\n,1\n2020-01-01 00:00:00,1\n2020-01-01 00:00:05,1\n' >"$work/undated.csv"
same "a request without a date comes first" "$(times undated date)" "0 s,0 s,5 s,"
printf 'when,gpus,took\n,8,100\n2020-01-01 00:00:00,8,50\n' >"$work/before.csv"
"$smsched" import pods "$work/before.csv" --columns arrival=when:date,duration=took,gpus=gpus >"$work/out" 2>"$work/err"
same "and so does a pod, beside which nodes hold others" "$? $(grep -c '^nodes:.* count: 2,' "$work/out")" "0 1"
printf 'from,to,gpus\n5,15,1\n105,115,1\n' >"$work/started.csv"
"$smsched" import pods "$work/started.csv" --columns start=from,end=to,gpus=gpus >"$work/out" 2>"$work/err"
same "pods that only start arrive then" "$? $(grep -c '^ *- .pod2, 100 s, 10 s' "$work/out")" "0 1"
printf 'when,n,gpus\n0,2.7,1\n' >"$work/parts.csv"
"$smsched" import pods "$work/parts.csv" --columns arrival=when,replicas=n,gpus=gpus >"$work/out" 2>"$work/err"
same "replicas are whole" "$? $(grep -c ':2:3: error: replicas is 2.7; it must be a whole number' "$work/err")" "3 1"
printf 'when,gpus\n-0.5,1\n1,1\n' >"$work/below.csv"
same "half a second before 0" "$(times below s)" "0 s,1.5 s,"
printf 'when,gpus\n0,1\n"5","1" ' >"$work/blank.csv"
same "a blank may follow the last quote of a file" "$(times blank s)" "0 s,5 s,"
gzip -c fine/helios.csv >"$work/helios.csv.gz"
"$smsched" import pods "$work/helios.csv.gz" --columns helios --name helios | diff fine/helios.yaml - >/dev/null
same "gzip changes nothing" $? 0
iconv -t UTF-16 fine/philly.json >"$work/philly.json"
"$smsched" import pods "$work/philly.json" --columns philly | diff fine/philly.yaml - >/dev/null
same "JSON in UTF-16 changes nothing" $? 0
tr '\n' '\r' <fine/helios.csv >"$work/helios.csv"
"$smsched" import pods "$work/helios.csv" --columns helios | diff fine/helios.yaml - >/dev/null
same "lines that end with CR alone change nothing" $? 0
for file in fine/*.yaml; do
    "$smsched" run "$file" --quiet --check >"$work/out" 2>&1 && ok "$file runs" || bad "$file runs" "$(head -c 300 "$work/out")"
done

# refused NAME FILE ARGUMENT...: with the words of bad/NAME.err, and nothing written.
refused() {
    local name=$1
    shift
    "$smsched" import pods "$@" >"$work/out" 2>"$work/err"
    local status=$?
    [ "$update" = --update ] && cp "$work/err" "bad/$name.err"
    if [ "$status" -ne 3 ] || [ -s "$work/out" ]; then
        bad "$name" "exit $status, $(wc -c <"$work/out") bytes written"
    elif diff -u "bad/$name.err" "$work/err"; then
        ok "$name"
    else
        bad "$name" "it says something else"
    fi
}
columns='name=job,arrival=when:s,duration=took:min,gpus=gpus,memory=mem:GiB'
refused cells bad/cells.csv --columns "$columns"
refused span bad/span.csv --columns name=name,arrival=when,gpus=gpus
refused nodes bad/nodes.csv --columns name=name,arrival=when,gpus=gpus,replicas=n
refused dates bad/dates.csv --columns helios
refused columns bad/cells.csv --columns 'name=jobs,arrival=when,gpus=gpu'
refused number fine/pai2020.csv --columns 'arrival=5:s,gpus=99'
refused keys fine/philly.json --columns 'name=job_id,arrival=submitted_time:date,gpus=attempt.-1.detail.gpus.#'
refused entries bad/entries.json --columns philly
refused cut bad/cut.json --columns philly
refused object bad/object.json --columns philly
refused none bad/none.csv --columns 'name=job,arrival=when,gpus=took'
refused gzip bad/cut.csv.gz --columns helios
refused mapping fine/helios.csv --columns 'nam=job_id,arrival=submit_time:year,gpus=,cpu=3,memory=4th'
refused trace fine/helios.csv --columns heliox
refused unlike fine/helios.csv --columns 'wxyz=job_id,qqqqq'
refused asks fine/azure.csv --columns azure
for usage in "fine/helios.csv" "fine/helios.csv fine/helios.csv --columns helios"; do
    "$smsched" import pods $usage >"$work/out" 2>"$work/err"
    same "misuse: $usage" "$? $(wc -c <"$work/out")" "2 0"
done
"$smsched" import nvprof fine/helios.csv --times >"$work/out" 2>"$work/err"
same "times are of pods" "$? $(grep -c -- '--times is for pods' "$work/err")" "2 1"

finish
