#!/usr/bin/env bash
# The instructions of a block, as tools/bench counts them, are at most 5 % more than those that are kept here. They hardly depend on
# the machine, unlike times. A change that makes a block cheaper puts its figure here, and on
# the page of performance, which is to be within 5 %. And twice as many VMs take twice the instructions, twice as many
# processes that wait three times, ten times the blocks no more memory.
# Usage: tests/instructions.sh BENCH SMSCHED
set -eu
bench=$1 smsched=$2 root=$(cd "$(dirname "$0")/.." && pwd)
page=$root/docs/evidence/performance.md
command -v valgrind >/dev/null || { echo "valgrind is not installed"; exit 77; }
kept='1134|V100, l2 and dram full
1429|V100, l2 and dram full, knee
1916|V100, l2 and dram full, pipes
1943|V100, l2 and dram full, maxmin
785|V100, l2 and dram full, leftover
835|proportional
713|fine_grained
797|utilization_aware
800|4000 streams'
# Those of `run`, whose blocks are those of stand-alone runs, too; and the instructions of a coarse kernel and of a pod.
kept_of_runs='960|V100, with stand-alone runs
694|S1 of the paper
792|S4 of the paper
3334|32 tenants
1226|100 kernels in turn
2392|coarse kernels under mps
2686|coarse kernels under time_slice
12071|300 nodes, first_fit
19045|300 nodes, best_fit
15123|300 nodes, worst_fit
23071|300 nodes, fgd'

table=$("$bench" --instructions 'V100, l2 and dram full' proportional fine_grained utilization_aware '4000 streams')
failures=0

# judge: of a row what is `now` against `most` that is kept, and against the page.
judge() {
    local verdict=ok told
    [ "${now:-0}" -gt 0 ] && [ $((now * 100)) -le $((most * 105)) ] || { verdict=FAILED; failures=$((failures + 1)); }
    printf '%-6s %s: %s instructions, %s are kept\n' "$verdict" "$row" "${now:-no}" "$most"
    told=$(awk -F ' *[|] *' -v row="$row" '$2 == row { print $3; exit }' "$page")
    if ! [ $((${told:-0} * 100)) -ge $((now * 95)) ] || ! [ $((told * 100)) -le $((now * 105)) ]; then
        printf 'FAILED %s: %s on the page\n' "$row" "${told:-none}"
        failures=$((failures + 1))
    fi
}
while IFS='|' read -r most row; do
    now=$(awk -F ' *[|] *' -v row="$row" '$2 == row { print $(NF - 1) }' <<<"$table")
    judge
done <<<"$kept"

# of_run ARGUMENT...: the instructions of a command over the scenario that comes.
of_run() {
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$smsched" "$@" --quiet - 2>&1 >/dev/null | sed -n 's/.*I *refs: *//p' | tr -d ,
}

# of_vms COUNT ARGUMENT...: the same of so many VMs, which have a block each, and a kernel that fills the device and is not launched.
of_vms() {
    local count=$1
    shift
    of_run "$@" <<END
workload: w
kernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us, demand: {}}, {name: full, blocks: 80, threads: 32, block_time: 1 us, demand: {}}]
steps: [{launch: k}]
---
scenario: many
devices: [{model: v100}]
vms: [{name: v, workload: w, deadline: 1 ms, count: $count}]
END
}

# paper BLOCKS S1 or S4: that scenario of the paper on one device, with a grid of so many blocks for each VM.
paper() {
    local scenario=$root/scenarios/fine-grained-2022/${2,}.yaml name
    for name in $(grep -o 'fine-grained-2022/vm[0-9]*' "$scenario"); do
        sed "s/blocks: [0-9]*/blocks: $1/" "$root/models/workloads/$name.yaml"
        echo ---
    done
    sed '/^run:/,$d; s/repeat: forever, start: 0 ms/repeat: 1/; s/count: 2, //' "$scenario"
}

# crossing BLOCKS: two tenants of so many blocks on a V100, whose l2 and dram go over 100 % together and cross.
crossing() {
    cat <<END
workload: a
kernels: [{name: k, blocks: $1, threads: 128, registers: 32, block_time: 20000 cycles, jitter: 10 %,
  demand: {fp32: 3 %, fp64: 4 %, int: 5 %, sfu: 6 %, l1: 7 %, shared: 8 %, l2: 9 %, dram: 10 %}}]
---
workload: b
kernels: [{name: k, blocks: $1, threads: 128, registers: 32, block_time: 15000 cycles, jitter: 10 %,
  demand: {fp32: 11 %, fp64: 10 %, int: 9 %, sfu: 8 %, l1: 7 %, shared: 6 %, l2: 5 %, dram: 4 %}}]
---
scenario: crossing
devices: [{model: v100}]
queue: interleave
contention: {model: proportional, slope: 1.5}
policies: [round_robin]
vms: [{name: a, workload: a}, {name: b, workload: b}]
END
}

# tenants BLOCKS: 32 tenants that no two SMs have alike.
tenants() {
    local v
    for v in $(seq 32); do
        echo "workload: w$v"
        echo "kernels: [{name: k, blocks: $1, threads: 64, block_time: $((90 + v)) us, jitter: 10 %, demand: {fp32: $((v % 6)).$v %, l1: $((6 - v % 6)) %, dram: 3.$v %}}]"
        echo ---
    done
    echo 'scenario: tenants'
    echo 'devices: [{model: v100}]'
    echo 'contention: {model: proportional, slope: 1.5}'
    echo 'queue: interleave'
    echo 'policies: [round_robin]'
    echo 'vms:'
    for v in $(seq 32); do echo "  - {name: v$v, workload: w$v}"; done
}

# in_turn BLOCKS: a program that launches 100 unlike kernels, as its trace would have it, of so many blocks each.
in_turn() {
    local k
    echo 'workload: trace'
    echo 'kernels:'
    for k in $(seq 100); do echo "  - {name: k$k, blocks: $1, threads: $((128 + 128 * (k % 4))), registers: $((16 + k % 40)), block_time: $((5 + k % 7)) us}"; done
    echo ---
    echo 'scenario: trace'
    echo 'devices: [{model: a100}]'
    echo 'policies: [{mode: mps}]'
    echo 'processes: [{name: p, workload: trace, count: 3}]'
}

# coarse TIMES MODE: two programs that launch three coarse kernels, each so often, and take turns of 240 us under time slices.
coarse() {
    local program kernel
    for program in a b; do
        echo "workload: $program"
        echo 'kernels:'
        for kernel in 1 2 3; do echo "  - {name: k$kernel, time: 1${kernel}0 us, jitter: 5 %, demand: {fp32: ${kernel}0 %, l2: 70 %, dram: 60 %}}"; done
        echo "steps: [{launch: k1, times: $1}, {launch: k2, times: $1}, {launch: k3, times: $1}]"
        echo ---
    done
    echo 'scenario: coarse'
    echo 'devices: [{model: v100, time_slice: {slice: 240 us}}]'
    echo 'contention: knee'
    echo "policies: [{mode: $2}]"
    echo 'processes: [{name: a, workload: a}, {name: b, workload: b}]'
}

# pods COUNT POLICY: so many pods of 24 kinds that come and go on 300 nodes of three, nine tenths full.
pods() {
    echo 'scenario: pods'
    echo 'nodes:'
    echo '  - {name: a, count: 100, gpus: 8, cpu: 96, memory: 384 GiB}'
    echo '  - {name: b, count: 100, gpus: 4, cpu: 64, memory: 256 GiB, model: t4}'
    echo '  - {name: c, count: 100, gpus: 2, cpu: 32, memory: 128 GiB, model: t4}'
    echo "policies: [$2]"
    echo 'pods:'
    echo '  - name: trace'
    echo '    table:'
    echo '      columns: [name, gpus, gpu, cpu, memory]'
    echo '      rows:'
    for k in $(seq 24); do echo "        - [k$k, $((k % 8 ? 1 : 4)), $((k % 3 ? 10 + 5 * (k % 11) : 100)) %, $((2 + k % 7)), $((4 + k)) GiB]"; done | sed 's/, 4, [0-9]* %/, 4, 100 %/'
    echo "  - {name: drawn, sample: trace, count: $1, arrivals: {poisson: 150 ms}, duration: 300 s, spread: exponential}"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for command in run compare "run --force --out $work/out"; do
    half=$(of_vms 500 $command) whole=$(of_vms 1000 $command) verdict=ok
    [ "${half:-0}" -gt 0 ] && [ $((whole * 100)) -le $((half * 210)) ] || { verdict=FAILED; failures=$((failures + 1)); }
    echo "$verdict 1000 VMs: $whole instructions of ${command/ --force*/ --out}, half as many: $half"
done

# of_waiting COUNT SHARE MODE: of so many processes, which all wait for each other, or for a tenth of a higher priority, and are
# all asked again when one has ended.
of_waiting() {
    of_run run <<END
workload: w
kernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us}]
---
scenario: waiting
devices: [{model: v100}]
policies: [{share: $2, mode: $3}]
processes: [{name: v, workload: w, count: $1}, {name: first, workload: w, priority: 1, count: $(($1 / 10))}]
END
}
for policy in {memory_admission,shortest_first}' exclusive' {tgs,tally,interference_aware,lithos}' time_slice'; do
    half=$(of_waiting 100 $policy) whole=$(of_waiting 200 $policy) verdict=ok
    [ "${half:-0}" -gt 0 ] && [ "$whole" -le $((half * 3)) ] || { verdict=FAILED; failures=$((failures + 1)); }
    echo "$verdict 200 processes under $policy: $whole instructions, half as many: $half"
done

# Each process of these has a run by itself, too, of which the others are no part.
half=$(of_waiting 500 plain exclusive) whole=$(of_waiting 1000 plain exclusive) verdict=ok
[ "${half:-0}" -gt 0 ] && [ $((whole * 10)) -le $((half * 26)) ] || { verdict=FAILED; failures=$((failures + 1)); }
echo "$verdict 1000 processes under plain exclusive: $whole instructions, half as many: $half"

# of_outranked STREAMS: two tenants in turn while so many launches of a lower priority wait. A turn is not to pass those.
of_outranked() {
    of_run run <<END
workload: w
kernels: [{name: k, blocks: 40000, threads: 1024, block_time: 1 us}]
---
scenario: outranked
devices: [{model: v100, grids: 10000}]
queue: interleave
policies: [round_robin]
vms:
  - {name: turns, workload: w, count: 2, priority: 1}
  - {name: waits, workload: w, streams: $1, repeat: $1}
run: {duration: 200 us}
END
}
few=$(of_outranked 1) more=$(of_outranked 1000) verdict=ok
[ "${few:-0}" -gt 0 ] && [ "$more" -le $((few * 2)) ] || { verdict=FAILED; failures=$((failures + 1)); }
echo "$verdict 1000 launches of a lower priority: $more instructions, one: $few"

# of_row ROW: its instructions a block, a coarse kernel or a pod, as the difference of two sizes.
of_row() {
    local few more work
    case $1 in
    *paper) # blocks of three policies and of stand-alone runs
        few=$(paper 2000 "${1%% *}" | of_run run) more=$(paper 4000 "${1%% *}" | of_run run)
        work=$((2000 * 4 * $(paper 1 "${1%% *}" | grep -c '{name: vm'))) ;;
    V100*) few=$(crossing 12800 | of_run run) more=$(crossing 25600 | of_run run) work=$((12800 * 2 * 2)) ;;
    *turn) few=$(in_turn 1000 | of_run run) more=$(in_turn 2000 | of_run run) work=$((1000 * 100 * 4)) ;;
    coarse*) few=$(coarse 1000 "${1##* }" | of_run run) more=$(coarse 2000 "${1##* }" | of_run run) work=$((1000 * 3 * 2 * 2)) ;;
    *tenants) few=$(tenants 400 | of_run run) more=$(tenants 800 | of_run run) work=$((400 * 32 * 2)) ;;
    *) few=$(pods 3000 "${1##* }" | of_run run) more=$(pods 6000 "${1##* }" | of_run run) work=3000 ;;
    esac
    echo $(((more - few) / work))
}
while IFS='|' read -r most row; do now=$(of_row "$row"); judge; done <<<"$kept_of_runs"

# Ten times the blocks take no 2 MiB more, which would be two bytes a block.
read -r few more < <("$bench" --growth --most 1e6 proportional | awk -F ' *[|] *' '$2 == "proportional" { printf "%s ", $7 } END { print "" }')
verdict=ok
LC_ALL=C awk -v few="${few:-0}" -v more="${more:-99}" 'BEGIN { exit !(few > 0 && more <= few + 2) }' || { verdict=FAILED; failures=$((failures + 1)); }
echo "$verdict memory of 10^6 blocks: $more MiB, of 10^5: $few"
exit $((failures > 0))
