#!/usr/bin/env bash
# Draws of what is not known, as a user meets them. Usage: unknowns.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
cd "$work" || exit 1


cat >two.yaml <<'EOF'
workload: a
kernels: [{name: k, blocks: 40, threads: 256, block_time: 10 us, spread: exponential, demand: {fp32: 30 %, dram: 5 %}}]
synthetic: true
---
workload: b
kernels: [{name: k, blocks: 37, threads: 256, block_time: 12 us, jitter: 20 %, demand: {fp64: 30 %, dram: 6 %}}]
synthetic: true
---
scenario: two
devices: [{model: v100, dispatch: none, sms: 4}]
contention: {model: proportional, slope: 2}
policies: [round_robin, fine_grained, utilization_aware]
vms:
  - {name: a, workload: a, repeat: forever}
  - {name: b, workload: b, repeat: forever}
answer: {metric: kernels_per_s}
run: {warmup: 0.1 ms, duration: 2 ms, replications: 3}
EOF

# One line stands under the answer.
try 0 "draws" compare two.yaml --unknowns 60
prints " is best in "; prints " of 60 draws of the unknown parameters"; prints "slope decides (rank correlation +0."
line=$(grep -n 'draws of the unknown parameters' <<<"$output" | cut -d: -f1)
if [ "$line" = 3 ]; then ok; else bad "the line does not follow the answer" "$output"; fi

# Without draws the line says what is assumed. Kernels of the library and a knee that was fitted are measured.
asks="  assumed, not measured: demands of a, b, contention proportional(slope=200%); --unknowns 100 says how far that matters"
try 0 "no draws" compare two.yaml; prints "$asks"
if [ "$(sed -n 3p <<<"$output")" = "$asks" ]; then ok; else bad "the line does not follow the answer" "$output"; fi
sed "s/workload: [ab], repeat/workload: v100\\/bfs_64k, repeat/; s/^contention.*/contention: knee/; s/, sms: 4//" two.yaml >measured.yaml
try 0 "measured kernels" compare measured.yaml
if grep -q "assumed, not measured" <<<"$output"; then bad "what is measured is assumed" "$output"; else ok; fi

# The answer, this line and the notes agree on whether contention is assumed.
sed '/^synthetic/d; s/, sms: 4//; s/fp64: 30 %, //' two.yaml >law.yaml
says() { # DEVICE CONTENTION NAME: it is assumed, and called so; or not, without a name
    local what="$2 on $1"
    sed "s/model: v100/model: $1/; s/^contention.*/contention: $2/" law.yaml >said.yaml
    try 0 "$what" compare said.yaml
    local answer line note
    answer=$(grep -c "; contention .* is assumed" <<<"$output")
    line=$(grep -cF " contention $3" <<<"$(grep "assumed, not measured" <<<"$output" | grep " contention ")")
    note=$(grep -cE "note: contention .*( were fitted or assumed|: no knee was measured for $1)" <<<"$output")
    if [ "$answer $line $note" = "${4:-1 1 1}" ]; then ok; else bad "$what: answer, line, note $answer $line $note" "$output"; fi
}
says v100 "{model: knee, exponent: 2}" "knee(exponent=2)"
says k40m "knee" "knee"
says k40m "pipes" "pipes"
# Not that pipes was not fitted: its exponent was, to kernels of this GPU among others.
says gtx1080ti "pipes" "pipes"
says v100 "proportional" "proportional"
says v100 "{model: curve, curves: {dram: [[80 %, 5 %]]}}" "curve"
for law in "knee" "pipes" "none" "maxmin"; do says v100 "$law" "" "0 0 0"; done
try 0 "one policy" compare two.yaml --policy round_robin
if grep -q "assumed, not measured" <<<"$output"; then bad "one policy has an answer" "$output"; else ok; fi

# Each device has a mode of its own: the one whose slice nobody measured does not take turns.
cat >modes.yaml <<'EOF'
workload: w
kernels: [{name: k, time: 3 ms, demand: {fp32: 60 %}}]
---
scenario: modes
devices: [{model: a100}, {model: v100}]
policies: [{mode: [mps, time_slice]}, {mode: [exclusive, time_slice]}]
processes: [{name: a, workload: w}, {name: b, workload: w}, {name: c, workload: w}, {name: d, workload: w}]
EOF
try 0 "a mode for each device" compare modes.yaml --notes
if grep -q "slice and switch\|stand in for" <<<"$output"; then bad "turns of a device without turns" "$output"; else ok; fi
try 0 "the other way round" compare modes.yaml --notes --set policies.0.mode.0=time_slice --set policies.0.mode.1=mps
prints "are assumed, because neither was measured on a100"; prints "slice and switch of time_slice"

# Under MPS the order of kernels is assumed, for pods too: launch order unless `queue:` says another, and none for coarse kernels.
cat >order.yaml <<'EOF'
workload: w
kernels: [{name: k, blocks: 100, threads: 128, block_time: 1 ms}]
---
scenario: order
devices: [{model: a100}]
policies: [{mode: mps}]
processes: [{name: a, workload: w}, {name: b, workload: w}]
EOF
cat >pods.yaml <<'EOF'
workload: w
kernels: [{name: k, blocks: 100, threads: 128, block_time: 1 ms}]
---
scenario: pods
nodes: [{name: n, devices: {model: a100, count: 1}, cpu: 4, memory: 8 GiB}]
policies: [{place: first_fit, mode: mps}, {place: first_fit, mode: time_slice}]
pods: [{name: a, count: 2, gpu: 50 %, cpu: 1, memory: 1 GiB, workload: w}]
EOF
order="under mps, blocks of all processes wait in launch order, as measured on an H100 but not on a100"
try 0 "the order is assumed" run order.yaml --notes; prints "$order"
try 0 "on an H100 it is not" run order.yaml --notes --set devices.0.model=h100
if grep -q "launch order" <<<"$output"; then bad "what is measured is assumed" "$output"; else ok; fi
try 0 "another order" run order.yaml --notes --set devices.0.model=h100 --set queue=interleave
prints "under mps, blocks of all processes wait on h100 as queue interleave says; on an H100 they wait in launch order"
try 0 "a policy's own order" run order.yaml --notes --set queue=interleave --set 'policies.0={mode: mps, block: leftover}'; prints "$order"
sed 's/blocks: 100, threads: 128, block_time/time/' order.yaml >coarse.yaml
try 0 "no order" run coarse.yaml --notes
prints "under mps, coarse kernels are assumed to run from their launch on, however many others run on a100"
try 0 "pods" run pods.yaml --notes; prints "$order"; prints "a slice of 2 ms and a switch of 147 us are assumed"
try 0 "pods of a known duration" run pods.yaml --notes --set fidelity=duration
if grep -q "launch order\|a slice of" <<<"$output"; then bad "pods that are durations have an order" "$output"; else ok; fi
sed 's/^nodes.*/nodes:\n  - {name: n, devices: {model: v100, count: 1}, cpu: 4, memory: 8 GiB, mode: exclusive}\n  - {name: m, devices: {model: a100, count: 1}, cpu: 4, memory: 8 GiB, MODE}/' \
    pods.yaml >nodes.yaml
sed 's/MODE/mode: mps/' nodes.yaml >mode.yaml
try 0 "modes of nodes" run mode.yaml --notes --set policies='[{place: first_fit, mode: exclusive}]'; prints "$order"
if grep -q "not on.*v100" <<<"$output"; then bad "the note names a device in another mode" "$output"; else ok; fi
sed 's/MODE/mig: [{layout: [{3g.20gb: {mps: {replicas: 2}}}]}]/; s/gpu: 50 %/profile: 3g.20gb/' nodes.yaml >mig.yaml
try 0 "a shared instance" run mig.yaml --notes; prints "under mig/mps, ${order#*, }"
try 0 "instances of one pod each" run mig.yaml --notes --set nodes.1.mig.0.layout='[3g.20gb]'
if grep -q "launch order" <<<"$output"; then bad "a pod alone in its instance has an order" "$output"; else ok; fi

# Rules of a device's sheet, where they matter: chunks of static partitions, grids beyond what GPUs have, and DRAM of scaled kernels.
cat >many.yaml <<'EOF'
workload: w
kernels: [{name: k, blocks: 1, threads: 64, block_time: 10 us}]
---
scenario: many
devices: [{model: mi250}]
policies: [round_robin]
vms: [{name: v, workload: w, count: 2, streams: 65}]
EOF
omits() { if grep -q "note: .*$1" <<<"$output"; then bad "$2" "$output"; else ok; fi; }
try 0 "many grids" run many.yaml --notes
prints "130 grids are assumed to run at once, because the limit of mi250 is not known; GPUs usually have 128"
try 0 "few grids" run many.yaml --notes --set vms.0.streams=64; omits "grids are" "no more grids than GPUs have"
try 0 "a known limit" run many.yaml --notes --set devices.0.model=a100; omits "grids are" "the limit is known"
sed 's/^vms.*/processes: [{name: a, workload: w}, {name: b, workload: w}]/; s/round_robin/{mode: mps}/; s/mi250/gtx1080ti/' many.yaml >chunks.yaml
try 0 "no chunks" run chunks.yaml --notes; omits "a chunk is" "MPS has chunks"
sed -i 's/mps/partition/; s/workload: w}/workload: w, chunks: 3}/g' chunks.yaml
try 0 "chunks" run chunks.yaml --notes; prints "under partition, a chunk is assumed to be one SM, because that of gtx1080ti is not known"
try 0 "a known chunk" run chunks.yaml --notes --set devices.0.model=a100; omits "a chunk is" "the chunk is known"
printf 'scenario: s\ndevices: [{model: rtx3090}]\npolicies: [leftover]\nvms: [{name: a, workload: v100/bfs_64k}]\n' >scaled.yaml
try 0 "DRAM of scaled kernels" run scaled.yaml --notes
prints "scaled kernels are assumed to reach the peak of DRAM on rtx3090, because none was measured there"
for device in l4 v100; do
    try 0 "DRAM of $device" run scaled.yaml --notes --set devices.0.model=$device; omits "peak of DRAM" "it is known, or nothing is scaled"
done

# The same bytes with any number of threads, under both engines, and by the key of the scenario.
"$smsched" compare two.yaml --unknowns 20 --format json --jobs 1 >one.json
for way in "--jobs 5" "--engine reference" "--check"; do
    # shellcheck disable=SC2086
    "$smsched" compare two.yaml --unknowns 20 --format json $way >other.json
    same one.json other.json "draws with $way differ"
done
sed 's/replications: 3/replications: 3, unknowns: 20/' two.yaml >key.yaml
"$smsched" compare key.yaml --format json >other.json
same one.json other.json "draws by the key differ"
"$smsched" compare two.yaml --format json >none.json
python3 - <<'EOF' || bad "JSON" "wrong"
import json
one = json.load(open("one.json"))
none = json.load(open("none.json"))
unknowns = one.pop("unknowns")
assert none.pop("unknowns") is None and one == none, "draws change the results"
names = [p["parameter"] for p in unknowns["parameters"]]
assert names == ["demand of fp32 of a", "demand of dram of a", "block time of a",
                 "demand of fp64 of b", "demand of dram of b", "block time of b", "slope"], names
assert [p["spread_ratio"] for p in unknowns["parameters"]] == [.1] * 6 + [.5]
assert all(-1 <= p["rank_correlation"] <= 1 for p in unknowns["parameters"])
assert sum(p["best_count"] for p in unknowns["policies"]) <= unknowns["draws"] == 20
assert unknowns["of"] == one["answer"]["best"] != unknowns["over"]
EOF
ok

# What is known is not varied, and other seeds draw otherwise.
"$smsched" compare two.yaml --set run.unknowns='{draws: 5, demand: 0, slope: 0, block_time: 0}' --format json >known.json
if grep -q '"parameters": \[\]' known.json; then ok; else bad "what is known is drawn" "$(grep parameter known.json)"; fi
try 2 "draws as CSV" compare two.yaml --unknowns 5 --format csv; prints "--unknowns is for --format table or json"
# A policy alone has no rival: parameters then move its value, and not surely.
"$smsched" compare two.yaml --policy fine_grained --unknowns 8 --format json >alone.json
if python3 -c 'import json; p = json.load(open("alone.json"))["unknowns"]["parameters"]; assert any(x["rank_correlation"] for x in p) and all(x["p_holm"] > 0 for x in p), p'; then ok; else bad "parameters of one policy" "$(cat alone.json)"; fi
"$smsched" compare two.yaml --unknowns 20 --format json --seed 2 | sed 's/"seed": 2/"seed": 1/' >other.json
if cmp -s one.json other.json; then bad "the seed" "draws nothing else"; else ok; fi

# A workload tells the error of its demands, unless the scenario does.
sed 's/^workload: a$/&\nuncertainty: {dram: 3 %}/' two.yaml >told.yaml
spreads() { "$smsched" compare told.yaml --format json "$@" | sed -n 's/.*"spread_ratio": \([0-9.]*\).*/\1/p' | head -2 | xargs; }
for ask in "0.1 0.03|5" "0.2 0.2|{draws: 5, demand: 20 %}"; do
    now=$(spreads --set run.unknowns="${ask#*|}")
    if [ "$now" = "${ask%|*}" ]; then ok; else bad "spreads with ${ask#*|}" "$now"; fi
done
sed -i 's/dram: 3 %/drum: 3 %/' told.yaml
try 3 "an error of no demand" validate told.yaml; prints "no kernel of 'a' has a demand of 'drum'"

# Changed scenarios, standard input, processes, curves, and pods that press on nothing.
try 0 "a changed scenario" compare two.yaml --set workloads.a.kernels.k.blocks=30 --set contention.slope=1 --unknowns 5
prints " of 5 draws"
try 0 "an added policy" compare two.yaml --policy round_robin --policy depth_first --unknowns 5
prints " of 5 draws"
"$smsched" compare - --unknowns 20 --format json <two.yaml >other.json
same <(sed 's/standard input/two.yaml/' other.json) one.json "draws of standard input differ"
sed 's/vms:/processes:/; s/^policies.*/policies: [{mode: mps}, {mode: time_slice}]/
     s/^contention.*/contention: {model: pressure, floor: 11 %, curves: {dram: [[100 %, 139 %]]}}/' two.yaml >processes.yaml
try 0 "processes" compare processes.yaml --unknowns 5 --format json
prints '"parameter": "curve of dram"'; prints '"parameter": "floor"'
cat >pods.yaml <<'EOF'
scenario: pods
nodes: [{name: a, count: 20, gpus: 4, cpu: 32}]
policies: [first_fit, random]
pods:
  - {name: p, count: 100, gpu: 30 %, arrivals: {every: 1 s}, duration: 60 s}
  - {name: q, count: 30, gpus: 2, arrivals: {every: 3 s}, duration: 80 s}
run: {replications: 2}
EOF
try 0 "pods" compare pods.yaml --unknowns 5
prints "nothing but the seed differs"

# Draws of what is at the limit of its field stay there. Other commands draw nothing.
sed "s/block_time: 10 us, spread: exponential/block_time: 2500 h/" two.yaml >limit.yaml
try 0 "draws of 2500 h" compare limit.yaml --unknowns 20
try 0 "run draws nothing" run key.yaml
if grep -q "not known" <<<"$output"; then bad "run draws" "$output"; else ok; fi
try 2 "too many draws" compare two.yaml --unknowns 10001
finish
