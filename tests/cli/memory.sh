#!/usr/bin/env bash
# Makes each allocation of the process fail once, including those in libraries. Either the output is the same as with
# enough memory; or the exit code is 4, a message says so, and no output exists. Usage: memory.sh SMSCHED FAIL_ALLOCATION.SO [WHAT]
# Of each command RUNS allocations fail, which are equally far apart: 60, to end in a minute.
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
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$tests/import python3 - <<'END'
import nsys
for name in "reads", "again":
    report = nsys.Report(f"{name}.sqlite", gpu=nsys.GPU | dict(name="Tesla V100-SXM2-16GB", computeMajor=7, computeMinor=0, smCount=80))
    for grid in range(10, 161, 10):
        report.kernel("stream(float*)", 1_000_000 * grid, round(200_000 * (1 + (grid / 80) ** 4) ** 0.25), grid=grid, block=1024)
    report.close()
END
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

# survives NAME TARGET [CLEAN=PATH] ARGUMENT...: of the command's allocations one fails in each run. Then all from one on fail, in a
# tenth of the runs. CLEAN, by default TARGET, is removed before each run.
survives() {
    local name=$1 target=$2 clean=$2 runs=${RUNS-60} all said
    shift 2
    case ${1-} in CLEAN=*) clean=${1#CLEAN=} && shift ;; esac
    case $name in "$only"*) ;; *) return ;; esac
    mkdir -p scratch
    for all in '' 1; do
        if said=$(env LD_PRELOAD="$library" SWEEP_DIR=scratch SWEEP_TARGET="$target" SWEEP_CLEAN="$clean" \
            SWEEP_RUNS=$((all ? (runs + 9) / 10 : runs)) ${all:+SWEEP_ALL=1} "$smsched" "$@" 2>&1); then
            ok "$name${all:+, and all after}: $said"
        else
            bad "$name${all:+, and all after}" "$said"
        fi
    done
}

fine=$tests/import/fine
survives "run as a table" none run vms.yaml --jobs 1
survives "run with --trust" none run vms.yaml --jobs 1 --trust
survives "run as CSV" none run vms.yaml --jobs 1 --format csv
survives "run as JSON" none run vms.yaml --jobs 1 --format json
survives "run into a folder" out run vms.yaml --jobs 1 --quiet --out out
survives "run of processes into a folder" out run processes.yaml --jobs 1 --quiet --out out
survives "run of a cluster into a folder" out run cluster.yaml --jobs 1 --quiet --out out
survives "trace" trace.json run vms.yaml --jobs 1 --trace trace.json
survives "trace compressed" trace.json.gz run vms.yaml --jobs 1 --trace trace.json.gz
survives "trace of processes" trace.json run processes.yaml --jobs 1 --trace trace.json
survives "trace of a cluster" trace.json run cluster.yaml --jobs 1 --trace trace.json
survives "compare as a table" none compare vms.yaml --jobs 1
survives "compare as CSV" none compare vms.yaml --jobs 1 --format csv
survives "compare as JSON" none compare vms.yaml --jobs 1 --format json
survives "check with JUnit" out.xml check vms.yaml --jobs 1 --junit out.xml --baseline baseline.csv
survives "explain as CSV" none explain vms.yaml --format csv
survives "explain processes as CSV" none explain processes.yaml --format csv
survives "import ncu" out.yaml import ncu "$fine/ncu-raw.csv" --out out.yaml
survives "import nvprof" out.yaml import nvprof "$fine/nvprof-trace.csv" "$fine/nvprof-metrics.csv" --out out.yaml
survives "import nsys" out.yaml import nsys nsys-irregular.sqlite --out out.yaml
survives "import kineto" out.yaml import kineto kineto-training.json --out out.yaml
survives "import pods" out.yaml import pods "$tests/import/pods/fine/helios.csv" --columns helios --out out.yaml
survives "import to stdout" none import ncu "$fine/ncu-raw.csv" --dump
survives "report" report.html report vms --out report.html
survives "report of processes as JSON" none report processes --format json
survives "report of a sweep" report.html report swept --out report.html
survives "plot" vms/plots plot vms --format svg --quiet
survives "sweep" new/results CLEAN=new sweep plan.yaml --jobs 1 --quiet --out new
survives "merge" swept/results sweep merge plan.yaml --quiet --out swept
survives "calibrate" out calibrate reads.sqlite again.sqlite --device v100 --reads stream --jobs 1 --quiet --out out
SWEEP_LIBRARY=libgsl survives "calibrate, its fit" out calibrate reads.sqlite again.sqlite --device v100 --reads stream --jobs 1 --quiet --out out
survives "list schema" none list schema
survives "list workloads" none list workloads --format json
survives "list policies" none list policies
survives "validate" none validate --quiet vms.yaml processes.yaml cluster.yaml plan.yaml
survives "validate a sequence" none validate --quiet sobol.yaml

finish
