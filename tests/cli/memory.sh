#!/usr/bin/env bash
# Makes each allocation of the process fail once, including those in libraries. Either the output is the same as with
# enough memory; or the exit code is 4, a message says so, and no output exists. Usage: memory.sh SMSCHED FAIL_ALLOCATION.SO [WHAT]
# With EVERY=1 every allocation fails in turn; otherwise only some do, with the strides below, to end within a minute.
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
library=$(realpath "$2")
only=${3-}
tests=$(realpath "$(dirname "$0")/..")
sanitized "$smsched" && { echo "skipped: sanitizers have allocators of their own"; exit 77; }
cd "$work" || exit 1

cat >vms.yaml <<'END'
workload: load
kernels: [{name: grind, blocks: 40, threads: 128, registers: 32, block_time: 10 us, demand: {fp32: 20 %}}]
---
scenario: vms
question: Who gains?
devices: [{model: v100, sms: 2}]
contention: proportional
policies: [round_robin, fine_grained]
vms: [{name: a, workload: load, repeat: 2}, {name: b, workload: load, repeat: 2}]
run: {replications: 2}
expect: [{metric: gain, policy: fine_grained, over: round_robin, value: 0 %, tolerance: 90 %}]
END
cat >processes.yaml <<'END'
workload: train
kernels: [{name: step, blocks: 40, threads: 256, block_time: 1 ms, demand: {fp32: 16 %}}]
steps: [{allocate: 6 GiB}, {copy_in: 1 MiB}, {launch: step}]
---
scenario: processes
devices: [{model: v100}]
policies: [{mode: exclusive}, {mode: mps}]
processes: [{name: p, workload: train, count: 3}]
END
cat >cluster.yaml <<'END'
scenario: cluster
nodes: [{name: n, count: 2, gpus: 2, model: V100, gpu_memory: 16 GiB, cpu: 8, memory: 64 GiB}]
policies: [random, best_fit]
pods: [{name: job, count: 6, arrivals: {poisson: 2 s}, gpu: 46 %, gpu_memory: 6 GiB, cpu: 2, duration: 60 s}]
END
cat >plan.yaml <<'END'
scenario: base
devices: [{model: v100, sms: 2}]
contention: {model: proportional, slope: 1}
policies: [round_robin, fine_grained]
vms: [{name: a, workload: load, repeat: 1}]
---
workload: load
kernels: [{name: grind, blocks: 20, threads: 128, block_time: 10 us, demand: {fp32: 20 %}}]
---
plan: plan
question: Why?
axes:
  - contention.slope: [1, 2]
END
sed 's/^plan: plan/plan: sobol/; s/- contention.slope: .*/- sobol: {points: 4, of: {contention.slope: {from: 1, to: 2}}}/' plan.yaml >sobol.yaml
python3 "$tests/import/nsys.py" --seeds .
python3 "$tests/import/kineto.py" --seeds .
mkdir bin
# A stand-in for gnuplot, whose figures are not tested here.
printf '%s\n' '#!/bin/sh' 'for last; do :; done' 'echo "<svg></svg>" >"$last"' >bin/gnuplot
chmod +x bin/gnuplot
PATH=$work/bin:$PATH

quietly() { "$smsched" "$@" >/dev/null 2>err || bad "$*" "$(head -c 300 err)"; }
quietly run vms.yaml --out vms --quiet
quietly run processes.yaml --out processes --quiet
quietly run cluster.yaml --out cluster --quiet
quietly sweep plan.yaml --jobs 1 --quiet --out swept
"$smsched" run vms.yaml --format csv >baseline.csv

# survives STRIDE FROM NAME TARGET [CLEAN=PATH] ARGUMENT...: of the command's allocations FROM, FROM + STRIDE, ... one
# fails in each run. Then all from one on fail, with ten times the stride. CLEAN, by default TARGET, is removed before each run.
survives() {
    local stride=$1 from=$2 name=$3 target=$4 clean=$4 all said
    shift 4
    case ${1-} in CLEAN=*) clean=${1#CLEAN=} && shift ;; esac
    case $name in "$only"*) ;; *) return ;; esac
    [ "${EVERY-}" ] && stride=1 from=1
    mkdir -p scratch
    for all in '' 1; do
        if said=$(env LD_PRELOAD="$library" SWEEP_DIR=scratch SWEEP_TARGET="$target" SWEEP_CLEAN="$clean" \
            SWEEP_STRIDE=$((all ? 10 * stride : stride)) SWEEP_FROM="$from" ${all:+SWEEP_ALL=1} "$smsched" "$@" 2>&1); then
            ok "$name${all:+, and all after}: $said"
        else
            bad "$name${all:+, and all after}" "$said"
        fi
    done
}

fine=$tests/import/fine
survives 3 1 "run as a table" none run vms.yaml --jobs 1
survives 3 1 "run with --trust" none run vms.yaml --jobs 1 --trust
survives 3 2 "run as CSV" none run vms.yaml --jobs 1 --format csv
survives 7 3 "run as JSON" none run vms.yaml --jobs 1 --format json
survives 23 4 "run into a folder" out run vms.yaml --jobs 1 --quiet --out out
survives 23 5 "run of processes into a folder" out run processes.yaml --jobs 1 --quiet --out out
survives 23 6 "run of a cluster into a folder" out run cluster.yaml --jobs 1 --quiet --out out
survives 7 7 "trace" trace.json run vms.yaml --jobs 1 --trace trace.json
survives 7 7 "trace compressed" trace.json.gz run vms.yaml --jobs 1 --trace trace.json.gz
survives 7 1 "trace of processes" trace.json run processes.yaml --jobs 1 --trace trace.json
survives 7 2 "trace of a cluster" trace.json run cluster.yaml --jobs 1 --trace trace.json
survives 11 3 "compare as a table" none compare vms.yaml --jobs 1
survives 11 4 "compare as CSV" none compare vms.yaml --jobs 1 --format csv
survives 11 5 "compare as JSON" none compare vms.yaml --jobs 1 --format json
survives 11 6 "check with JUnit" out.xml check vms.yaml --jobs 1 --junit out.xml --baseline baseline.csv
survives 23 7 "explain as CSV" none explain vms.yaml --format csv
survives 23 1 "explain processes as CSV" none explain processes.yaml --format csv
survives 61 2 "import ncu" out.yaml import ncu "$fine/ncu-raw.csv" --out out.yaml
survives 61 3 "import nvprof" out.yaml import nvprof "$fine/nvprof-trace.csv" "$fine/nvprof-metrics.csv" --out out.yaml
survives 61 4 "import nsys" out.yaml import nsys nsys-irregular.sqlite --out out.yaml
survives 61 5 "import kineto" out.yaml import kineto kineto-training.json --out out.yaml
survives 2 1 "import pods" out.yaml import pods "$tests/import/pods/fine/helios.csv" --columns helios --out out.yaml
survives 2 1 "import to stdout" none import ncu "$fine/ncu-raw.csv" --dump
survives 61 6 "report" report.html report vms --out report.html
survives 61 7 "report of processes as JSON" none report processes --format json
survives 797 1 "report of a sweep" report.html report swept --out report.html
survives 1999 1 "plot" vms/plots plot vms --format svg --quiet
survives 2003 3 "sweep" new/results CLEAN=new sweep plan.yaml --jobs 1 --quiet --out new
survives 2003 4 "merge" swept/results sweep merge plan.yaml --quiet --out swept
survives 199 6 "list schema" none list schema
survives 2017 7 "list workloads" none list workloads --format json
survives 2 1 "list policies" none list policies
survives 23 2 "validate" none validate --quiet vms.yaml processes.yaml cluster.yaml plan.yaml
survives 7 2 "validate a sequence" none validate --quiet sobol.yaml

finish
