#!/usr/bin/env bash
# Sweeps on a real Slurm of two nodes (cluster.sh): one of them dies in the middle and comes back; what is merged is, byte
# for byte, what one process gives. Usage: tests/slurm/run.sh SMSCHED. Skipped without Slurm, unless SMSCHED_INSIST is set, as .ci/run does.
set -u
for program in sbatch slurmctld slurmd munged; do
    if ! PATH=$PATH:/usr/sbin command -v $program >/dev/null; then
        echo "$program is not installed (tools/setup --dev)"
        [ -n "${SMSCHED_INSIST-}" ] && exit 1
        exit 77
    fi
done
PATH=$PATH:/usr/sbin
. "$(dirname "$0")/../checks.sh"
. "$(dirname "$0")/cluster.sh"
program=$(realpath "$1")
smsched=$work/smsched
unset SLURMD_NODENAME SLURM_CONF

end() {
    local status=$?
    [ "$failed" -eq 0 ] && [ $status -eq 0 ] || print_logs
    stop_slurm
    rm -rf "$work"
}
trap end EXIT
trap 'exit 1' INT TERM

give_up() {
    bad "$1" "${2-}"
    finish
    exit 1
}

# What names may have in them.
folder="$work/it's 100% a \"\$HOME\"folder"
mkdir "$folder"
cd "$folder" || exit 1
printf '#!/bin/sh\nexport SLURM_CONF="%s"\nexec "%s" "$@"\n' "$slurm_conf" "$program" >"$smsched"
chmod +x "$smsched"

# write_base REPEAT: a scenario whose kernels run so often.
write_base() {
    cat >"the base.yaml" <<END
workload: one
kernels: [{name: k, blocks: 200, threads: 128, block_time: 10 us, jitter: 20 %, demand: {fp32: 9 %}}]
---
scenario: few
devices: [{model: v100, sms: 4}]
contention: proportional
policies: [round_robin, {fine_grained: {limit: 90 %}}]
vms: [{name: a, workload: one, repeat: $1}, {name: b, workload: one, repeat: $1}]
END
}
cat >"my plan.yaml" <<'END'
plan: mine
base: the base.yaml
axes:
  - contention.slope: {from: 1, to: 3, steps: 6}
  - policies.fine_grained.limit: [75 %, 150 %]
  - run.seed: [1, 2]
END
points=24

same() { if diff -r "$1" "${3-one/results}" >"$work/diff"; then ok; else bad "$2 differs from one process" "$(head -5 "$work/diff")"; fi; }
queue() { with_slurm squeue --noheader --array --format='%F %K %T %N' 2>&1; }
is_idle() { [ -z "$(queue)" ]; }
wait_until_idle() { until_true 600 is_idle || give_up "the jobs do not end" "$(queue)"; }
# records FOLDER [NODE]: in its stores.
records() { "$smsched" sweep status --out "$1" "my plan.yaml" | sed -nE "s/^.*${2-}\.db: ([0-9]+) records.*/\1/p" | awk '{ sum += $1 } END { print sum + 0 }'; }

start_slurm || give_up "Slurm does not start"
# A node can be killed in the middle only if the sweep is long enough, whatever the machine and the compiler. It counts the
# seconds of the processor, because on a loaded machine a short sweep takes long, too.
TIMEFORMAT=%0U
one_process() { "$smsched" sweep --quiet --jobs 1 --out one "my plan.yaml" >/dev/null 2>&1 || touch "$work/one-failed"; }
repeat=100
while :; do
    write_base $repeat
    rm -rf one
    took=$({ time one_process; } 2>&1)
    [ ! -e "$work/one-failed" ] || give_up "one process fails"
    [ "$took" -lt 12 ] || break
    if [ "$took" -ge 3 ]; then repeat=$((2 * repeat)); else repeat=$((5 * repeat)); fi
done

# Submission.
export smsched
submit() { # as in docs/how-to/sweeps-on-a-cluster.md
    local job
    job=$(with_slurm sbatch --parsable --array=1-4 --requeue --open-mode=append --time=1:00:00 --cpus-per-task=2 --output=%A_%a.log --wrap \
        'exec "$smsched" sweep "my plan.yaml" --out mine --shard "$SLURM_ARRAY_TASK_ID/4" --jobs "${SLURM_CPUS_ON_NODE:-1}"') &&
        with_slurm sbatch --parsable --dependency=afterany:"$job" --output=merge.log --wrap 'exec "$smsched" sweep merge --out mine "my plan.yaml"' >/dev/null || give_up "sbatch fails"
}
submit

# n1 dies when it has done some points and not all.
has_begun() { [ "$(records mine n1)" -gt 0 ] 2>/dev/null; }
until_true 120 has_begun || give_up "n1 does not begin" "$(queue)"
freeze_node n1
try 1 "status in the middle" sweep status --out mine "my plan.yaml"
prints ".n1.db: "; prints ", running"
kill_node n1
before=$(records mine n1)
if [ "$before" -lt $((points / 4)) ]; then ok; else give_up "n1 was done before it could be killed"; fi
n1_is_down() { with_slurm sinfo --noheader --nodes=n1 --format=%T | grep -q down; }
until_true 60 n1_is_down || give_up "Slurm does not notice that n1 is dead" "$(with_slurm sinfo)"
start_node n1
wait_until_idle
try 0 "status at the end" sweep status --out mine "my plan.yaml"; prints "$points points: $points done, 0 failed, 0 missing"
if grep -q running <<<"$output"; then bad "something runs still" "$output"; else ok; fi
if [ "$(records mine)" -eq $points ]; then ok; else bad "points were run twice" "$output"; fi
if grep -q " $((points / 4 - before)) run now, $before before" *.log; then ok; else bad "no task went on where n1 was" "$(cat ./*.log)"; fi
if [ -s mine/results/points.csv ]; then ok; else bad "nothing was merged" "$(cat ./*.log)"; fi
same mine/results "the array"
try 0 "a merge by hand" sweep merge --out mine "my plan.yaml"
same mine/results "a merge by hand"

# Only what is lacking.
rm mine/3-of-4.*.db
submit
wait_until_idle
same mine/results "what was lost"

stop_slurm
if no_process; then ok; else bad "something is left running" "$(processes | xargs ps -p)"; fi
finish
