#!/usr/bin/env bash
# Failures of the machine and interruptions by the user. Usage: robust.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")

cat >"$work/short.yaml" <<'END'
workload: load
kernels: [{name: grind, blocks: 400, threads: 128, registers: 32, block_time: 10 us, jitter: 5 %, demand: {fp32: 20 %}}]
---
scenario: short
devices: [{model: v100}]
contention: proportional
policies: [round_robin, fine_grained]
vms: [{name: a, workload: load, repeat: 5}, {name: b, workload: load, repeat: 5}]
run: {replications: 3}
END
sed -e 's/repeat: 5/repeat: forever/g' -e 's/replications: 3/duration: 100 h/' -e 's/scenario: short/scenario: long/' \
    "$work/short.yaml" >"$work/long.yaml"
short=$work/short.yaml

# Standard output cannot be written.
for format in table csv json; do
    "$smsched" run --format $format "$short" >/dev/full 2>"$work/err"
    exits 4 $? "run --format $format to a full disk"
    says "cannot be written" "run --format $format to a full disk"
done
for command in "compare SCENARIO" "list policies" "list" "explain SCENARIO" "--help" "--version" "help man" "run --help"; do
    read -ra words <<<"$command"
    words=("${words[@]/#SCENARIO/$short}")
    "$smsched" "${words[@]}" >/dev/full 2>"$work/err"
    exits 4 $? "$command to a full disk"
    "$smsched" "${words[@]}" >&- 2>"$work/err"
    exits 4 $? "$command without stdout"
done
"$smsched" run "$short" >&- 2>"$work/err"
exits 4 $? "run without stdout"
"$smsched" run "$short" 2>&- >/dev/null
exits 0 $? "run without stderr"
mkfifo "$work/pipe"
exec 7<>"$work/pipe" 8>"$work/pipe" 7<&-
"$smsched" run --format csv "$short" 2>"$work/err" >&8
exits 4 $? "run into a pipe that nobody reads" # SIGPIPE is ignored, so this is a write error
exec 8>&-

# A results folder cannot be created.
(ulimit -f 8; "$smsched" run --quiet --out "$work/large" "$short" >/dev/null 2>"$work/err")
exits 4 $? "a results folder beyond the limit of file size"
clean large "a results folder beyond the limit of file size"
mkdir "$work/there"
echo mine >"$work/there/notes"
"$smsched" run --quiet --out "$work/there" "$short" >/dev/null 2>"$work/err"
exits 4 $? "a results folder that exists"
says "exists already" "a results folder that exists"
if [ "$(ls "$work/there")" = notes ] && [ "$(cat "$work/there/notes")" = mine ]; then ok; else bad "the folder was changed"; fi
clean there.partial "a results folder that exists"
"$smsched" run --quiet --out "$work/none/x" "$short" >/dev/null 2>"$work/err"
exits 4 $? "a results folder in a folder that is not there"
"$smsched" run --quiet --out "$(printf 'x%.0s' {1..5000})" "$short" >/dev/null 2>"$work/err"
exits 4 $? "a results folder with a name that is too long"
"$smsched" run --quiet --out "$work/bad" "$work/none.yaml" >/dev/null 2>"$work/err"
exits 3 $? "a results folder of a file that is not there"
clean bad "a results folder of a file that is not there"
"$smsched" check "$short" --baseline /dev/null >/dev/null 2>"$work/err"
exits 3 $? "an empty baseline"
header=scenario,policy,subject,name,metric,mean,sd,ci95,replications
for row in "short,round_robin,host,host,kernels_per_s,many,0,0,1" "short,round_robin,host,host,kernels_per_s,1e999,0,0,1" \
    "other,round_robin,host,host,kernels_per_s,1,0,0,1" "short,round_robin" 'short,"round_robin'; do
    printf '%s\n%s\n' "$header" "$row" >"$work/base.csv"
    "$smsched" check "$short" --baseline "$work/base.csv" >/dev/null 2>"$work/err"
    exits 3 $? "a baseline with the row $row"
done
head -c 100000 /dev/urandom >"$work/base.csv"
"$smsched" check "$short" --baseline "$work/base.csv" >/dev/null 2>"$work/err"
exits 3 $? "a baseline of random bytes"
mkdir -p "$work/models/devices"
ln -s . "$work/models/devices/here"
ln -s . "$work/models/devices/there"
limited 10 "$smsched" list --models "$work/models" >/dev/null 2>"$work/err"
exits 0 $? "models in folders linked in circles"
sed 's/10 us/2000 h/' "$short" >"$work/endless.yaml"
"$smsched" run "$work/endless.yaml" >/dev/null 2>"$work/err"
exits 3 $? "a run beyond the clock"
says "endless.yaml:8:" "a run beyond the clock"
says "would go on beyond the clock" "a run beyond the clock"
sed 's/10 us, jitter: 5 %/2000 h, spread: exponential/' "$short" >"$work/drawn.yaml"
"$smsched" run "$work/drawn.yaml" >/dev/null 2>"$work/err"
exits 3 $? "a run that turns out to be beyond the clock"
says "drawn.yaml:8:" "a run that turns out to be beyond the clock"
says "VM 'a' would go on beyond the clock" "a run that turns out to be beyond the clock"
for what in pods processes; do
    "$smsched" run --out "$work/beyond" "tests/scenarios/$what-beyond-the-clock.yaml" >/dev/null 2>"$work/err"
    exits 3 $? "$what beyond the clock"
    says "would go on beyond the clock's 213 days; give the run a duration" "$what beyond the clock"
    clean beyond "$what beyond the clock"
done
cat >"$work/late.yaml" <<'END'
workload: short
kernels: [{name: k, time: 1 ms}]
---
scenario: late
nodes: [{name: n, devices: {model: v100, count: 2}}]
scheduler: {kind: default, start_delay: 2400 h}
pods: [{name: stays, gpus: 1}, {name: late, workload: short, start: 4800 h}]
END
"$smsched" run "$work/late.yaml" >/dev/null 2>"$work/err"
exits 3 $? "a pod that starts beyond the clock"
says "pod 'late' would go on beyond the clock" "a pod that starts beyond the clock"

# A starter plug-in cannot be written.
(cd "$work" && ulimit -f 0 && "$smsched" new policy torn 2>/dev/null | cat; exit "${PIPESTATUS[0]}")
exits 4 $? "a starter plug-in beyond the limit of file size"
clean torn "a starter plug-in beyond the limit of file size"

# A scenario has more events than are allowed.
{ cat "$work/long.yaml"; echo 'expect: [{metric: kernels_per_s, policy: round_robin, min: 1}]'; } >"$work/expects.yaml"
for command in run compare check "explain --to 10s"; do
    "$smsched" $command --events 100 "$work/expects.yaml" >"$work/out" 2>"$work/err"
    exits 4 $? "$command --events"
    says "the limit of events was reached; --events N" "$command --events"
done
"$smsched" run --quiet --events 100 --out "$work/over" "$short" >/dev/null 2>"$work/err"
exits 4 $? "a results folder of more events than are allowed"
clean over "a results folder of more events than are allowed"
"$smsched" run --quiet --events 1e9 "$short" >/dev/null 2>"$work/err"
exits 0 $? "fewer events than are allowed"

"$smsched" check tests/scenarios/expectations.yaml --junit "$work/none/x.xml" >/dev/null 2>"$work/err"
exits 4 $? "a JUnit file in a folder that is not there"
"$smsched" check tests/scenarios/expectations.yaml --junit /dev/full >/dev/null 2>"$work/err"
exits 4 $? "a JUnit file on a full disk"

# interrupted SIGNAL ARGUMENT...: sends the signal once the run has started.
interrupted() {
    local signal=$1 pid
    shift
    in_background "$smsched" "$@"
    kill -"$signal" "$pid"
    wait "$pid"
}
for signal in INT TERM; do
    interrupted $signal run --out "$work/cut" "$work/long.yaml"
    exits 130 $? "SIG$signal during a run"
    says "interrupted" "SIG$signal during a run"
    clean cut "SIG$signal during a run"
done
interrupted INT compare --jobs 3 "$work/long.yaml"
exits 130 $? "SIGINT during a comparison in threads"
interrupted INT explain --from 0ms --to 10s "$work/long.yaml"
exits 130 $? "SIGINT during an explanation"
# An import reads a gigabyte, and a validation a pipe without an end.
yes '{"cat": "none", "ph": "X", "name": "none", "ts": 1, "dur": 2},' | head -150000 | gzip -1 >"$work/part.gz"
{ echo '{"traceEvents": [' | gzip; for _ in {1..100}; do cat "$work/part.gz"; done; } >"$work/trace.json.gz"
mkfifo "$work/endless"
exec 7<>"$work/endless"
for signal in INT TERM; do
    interrupted $signal import kineto --most '10 GiB' --out "$work/cut.yaml" "$work/trace.json.gz"
    exits 130 $? "SIG$signal during an import"
    says "error: interrupted" "SIG$signal during an import"
    clean cut.yaml "SIG$signal during an import"
    interrupted $signal validate - <&7
    exits 130 $? "SIG$signal during a validation"
    says "error: interrupted" "SIG$signal during a validation"
done
exec 7<&-

# With little memory the program may fail in any way but a crash.
if sanitized "$smsched"; then
    echo "skipped: little memory (sanitizers need much)"
else
    for kib in 8000 10000 12000 16000 24000 40000; do
        (ulimit -v $kib; "$smsched" run --jobs 4 "$short" >/dev/null 2>"$work/err")
        status=$?
        case $status in
            0 | 4 | 127) ok ;; # 127: the libraries do not fit either
            *) bad "$kib KiB of memory" "exit $status: $(head -c 300 "$work/err")" ;;
        esac
    done
fi

# An error does not grow with the number of devices that it is about.
{ printf 'workload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us, demand: {rays: 1 %%}}]\n---\nscenario: many\ndevices: ['
  printf '{model: v100}, {model: a100}, %.0s' $(seq 4999)
  printf ']\npolicies: [leftover]\nvms: [{name: a, workload: w}]\n'; } >"$work/many.yaml"
(sanitized "$smsched" || ulimit -v 200000; limited 60 "$smsched" validate "$work/many.yaml" >/dev/null 2>"$work/err")
exits 3 $? "an unknown resource of many devices"
says "unknown resource on v100, a100: 'rays'" "an unknown resource of many devices"

# Mappings of any number of keys are refused before each is compared with all others.
gpus='scenario: s\nnodes: [{name: n, gpus: 1, count: 2000}]\n'
{ printf "$gpus"'pods: [{name: p, profiles: {'
  printf '%d: 1 s, ' $(seq 100000)
  printf '}}]\n'; } >"$work/profiles.yaml"
{ printf "$gpus"'pods: [{name: p, gpus: 1, duration: 1 s}]\nrun: {until: {where: {'
  printf 'wait_mean_ns of n%d: < 1 s, ' $(seq 100000)
  printf '}}}\n'; } >"$work/limits.yaml"
for what in profiles limits; do
    limited 20 "$smsched" validate "$work/$what.yaml" >/dev/null 2>"$work/err"
    exits 3 $? "100000 $what"
    says "entries" "100000 $what"
done

# Expectations of nodes do not each take memory for the names of all.
{ printf "$gpus"'pods: [{name: p, gpus: 1, duration: 1 s}]\nexpect:\n'
  printf '  - {metric: gpu_allocation_mean_ratio, node: n%d, min: 0}\n' $(seq 1001 2000) $(seq 1001 2000) $(seq 1001 2000); } >"$work/nodes.yaml"
(sanitized "$smsched" || ulimit -v 100000; limited 20 "$smsched" validate "$work/nodes.yaml" >/dev/null 2>"$work/err")
exits 0 $? "3000 expectations of nodes"

# Names of documents are looked up in a table, not one after another.
documents() {
    awk 'BEGIN {
        for (i = 0; i < 10000; i++)
            printf "workload: of/one/folder/w%d\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us}]\n---\n", i
        print "scenario: draws\ndevices: [{model: v100}]\npolicies: [plain]\nprocesses:\n  - name: p\n    draw: &all"
        for (i = 1; i <= 64; i++) printf "      - of/one/folder/w%d\n", 10000 - i
        for (i = 0; i < 4000; i++) printf "  - {name: p%d, draw: *all}\n", i
    }'
}
if sanitized "$smsched"; then
    echo "skipped: 256000 names of 10000 workloads (sanitizers are slow)"
else
    documents >"$work/documents.yaml"
    limited 15 "$smsched" validate "$work/documents.yaml" >/dev/null 2>"$work/err"
    exits 3 $? "256000 names of 10000 workloads"
    says "more than 100000 kernels of all workloads to draw from" "256000 names of 10000 workloads"
    for letter in a b c d; do
        awk -v letter=$letter 'BEGIN {
            print "workload: w\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us}]"
            for (i = 0; i < 10000; i++)
                printf "---\nscenario: of-four-files-with-ten-thousand-each-%05d-%s\ndevices: [{model: v100}]\npolicies: [leftover]\nvms: [{name: a, workload: w}]\n", i, letter
        }' >"$work/scenarios-$letter.yaml"
    done
    (ulimit -t 5; "$smsched" validate "$work"/scenarios-[a-d].yaml >/dev/null 2>"$work/err")
    exits 0 $? "40000 scenarios of four files"
fi

# A folder has the text of a file once, not once for each of its scenarios.
sed '/^---/q' "$short" >"$work/scenarios.yaml"
printf 'scenario: s%d\ndevices: [{model: v100}]\npolicies: [leftover]\nvms: [{name: a, workload: load}]\n---\n' $(seq 99) | sed '$d' >>"$work/scenarios.yaml"
"$smsched" run --quiet --brief --out "$work/scenarios" "$work/scenarios.yaml" >/dev/null 2>"$work/err"
exits 0 $? "a file of 99 scenarios"
texts=$(grep -c '"text": "workload: load' "$work/scenarios/manifest.json") hashes=$(grep -c "$(sha256sum <"$work/scenarios.yaml" | cut -d' ' -f1)" "$work/scenarios/manifest.json")
if [ "$texts, $hashes" = "1, 99" ]; then ok; else bad "99 scenarios of a file" "$texts texts, $hashes hashes"; fi

# Each pod and each node is unlike all others, so that nothing learnt of one tells of another.
unlike() {
    awk -v n="$1" 'BEGIN {
        print "scenario: unlike\npolicies: [first_fit]\nnodes:\n  - table:\n      columns: [name, gpus, cpu, memory]\n      rows:"
        for (i = 0; i < n; i++) printf "        - [n%d, %d, %d, %d GiB]\n", i, i % 8 + 1, 16 + i % 4001, 64 + i % 100
        print "pods:\n  - name: t\n    table:\n      columns: [name, start, gpu, cpu, memory, duration]\n      rows:"
        for (i = 0; i < n; i++)
            printf "        - [p%d, %d ms, %d %%, %.3f, %d GiB, %d s]\n", i, i, 1 + i % 99, 1 + i / 1000, 1 + i % 31, 100 + i % 1000
    }'
}
unlike 1000 >"$work/unlike.yaml"
"$smsched" run --format csv "$work/unlike.yaml" >"$work/one.csv" 2>"$work/err"
"$smsched" run --format csv --engine reference "$work/unlike.yaml" >"$work/reference.csv" 2>>"$work/err"
if [ -s "$work/one.csv" ]; then same "$work/one.csv" "$work/reference.csv" "unlike pods are placed otherwise than by the reference engine"; else bad "unlike pods" "$(cat "$work/err")"; fi
if sanitized "$smsched"; then
    echo "skipped: 100000 unlike pods (sanitizers are slow)"
else
    unlike 100000 >"$work/unlike.yaml"
    limited 60 "$smsched" run --quiet "$work/unlike.yaml" >/dev/null 2>"$work/err"
    exits 0 $? "100000 unlike pods on as many unlike nodes"
fi

# Eight points at once would need 3.3 GB, so they run one after another.
if sanitized "$smsched"; then
    echo "skipped: points that wait for memory (sanitizers need much)"
else
    cat >"$work/wide.yaml" <<'END'
workload: w
kernels: [{name: k, blocks: 10, threads: 256, block_time: 10 us, demand: {fp32: 20 %}}]
---
scenario: wide
devices: [{model: v100, count: 1000}]
policies: [round_robin, leftover]
vms: [{name: a, workload: w, repeat: 1}]
run: {replications: 1}
---
plan: wide
axes: [vms.a.repeat: [1, 2, 3, 4, 5, 6, 7, 8]]
END
    (ulimit -v $((2500 << 10)); "$smsched" sweep --quiet --jobs 8 --memory '1500 MiB' --out "$work/wide" "$work/wide.yaml" 2>"$work/err")
    exits 0 $? "a sweep of points that do not fit into memory together"
fi

# What many GPUs need is compared with the limit before any of it is taken.
if sanitized "$smsched"; then
    echo "skipped: GPUs that need 16 GiB (sanitizers need much)"
else
    sed -n '1,/^---/p' "$work/wide.yaml" >"$work/gpus.yaml"
    printf 'scenario: gpus\ndevices: [{model: v100, count: 100000}]\npolicies: [round_robin]\nvms: [{name: a, workload: w, repeat: 1}]\n' >>"$work/gpus.yaml"
    (ulimit -v $((2500 << 10)); limited 60 "$smsched" run --quiet --memory '12 GiB' "$work/gpus.yaml" >/dev/null 2>"$work/err")
    exits 4 $? "GPUs that need 16 GiB"
    says "the limit of memory was reached" "GPUs that need 16 GiB"
fi

# Runs that need more memory than is allowed end soon, whatever the number of threads, and leave nothing.
for name in devices streams nodes replications; do
    for jobs in 1 4; do
        limited 60 "$smsched" run --quiet --memory '400 MiB' --jobs $jobs --out "$work/beyond" "tests/scenarios/beyond-memory/$name.yaml" >"$work/out" 2>"$work/err"
        exits 4 $? "$name beyond memory, $jobs threads"
        says "the limit of memory was reached; --memory SIZE" "$name beyond memory, $jobs threads"
        clean beyond "$name beyond memory"
    done
done
{ cat tests/scenarios/beyond-memory/devices.yaml; echo 'expect: [{metric: kernels_per_s, policy: round_robin, min: 1}]'; } >"$work/expects.yaml"
for command in compare check explain; do
    "$smsched" $command --memory '400 MiB' "$work/expects.yaml" >"$work/out" 2>"$work/err"
    exits 4 $? "$command --memory"
    if [ ! -s "$work/out" ]; then ok; else bad "$command --memory printed something" "$(head -3 "$work/out")"; fi
done
"$smsched" validate --memory '1 MiB' tests/scenarios/beyond-memory/devices.yaml >/dev/null 2>"$work/err"
exits 4 $? "validate --memory"
says "its scenarios need more than" "validate --memory"

# The time left is known when a per cent of the first run is over.
sed 's/100 h/2 s/' "$work/long.yaml" >"$work/seconds.yaml"
python3 - "$smsched" run --jobs 1 --policy round_robin --replications 1 "$work/seconds.yaml" >"$work/seen" <<'END'
import os, pty, select, signal, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
said = b""
while b" left" not in said and select.select([terminal], [], [], 300)[0]:
    try:
        said += os.read(terminal, 4096)
    except OSError: # the run is over
        break
os.kill(pid, signal.SIGKILL)
sys.stdout.buffer.write(said)
END
if tr '\r' '\n' <"$work/seen" | grep -qE '[0-9]+ % of the runs, [0-9.]+ (seconds|minutes|hours) left'; then ok; else bad "no time left within the first run" "$(tail -3 "$work/seen")"; fi

# Only a run finds out that its end is beyond the clock's range.
for format in table csv; do
    "$smsched" explain --format $format tests/scenarios/processes-beyond-the-clock.yaml >"$work/out" 2>"$work/err"
    exits 3 $? "explain a run that ends beyond the clock"
    says "would go on beyond the clock" "explain a run that ends beyond the clock"
    if [ ! -s "$work/out" ]; then ok; else bad "explain printed before it failed" "$(head -3 "$work/out")"; fi
done

# Wrong arguments.
"$smsched" validte "$short" >/dev/null 2>"$work/err"
exits 2 $? "an unknown command"
says "did you mean 'validate'?" "an unknown command"
"$smsched" run --replication 3 --seeed 1 "$short" >/dev/null 2>"$work/err"
exits 2 $? "an unknown option"
says "did you mean '--seed'?" "an unknown option"
for wrong in "--seed" "--seed -1" "--seed 0" "--seed 1.5" "--seed 1e30" "--jobs 0" "--jobs nan" "--replications 0" \
    "--format xml" "-z" "--out"; do
    # shellcheck disable=SC2086
    "$smsched" run "$short" $wrong >/dev/null 2>"$work/err"
    exits 2 $? "run $wrong"
done

# The results are the same with any number of threads.
"$smsched" run --format json --jobs 1 "$short" >"$work/one.json"
"$smsched" run --format json --jobs 4 "$short" >"$work/four.json"
if [ -s "$work/one.json" ] && cmp -s "$work/one.json" "$work/four.json"; then ok; else bad "1 thread and 4 threads differ"; fi

finish
