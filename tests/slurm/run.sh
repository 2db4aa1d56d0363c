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
submit() { try "$1" "$2" sweep "my plan.yaml" --slurm --out "$3" "${@:4}"; }
submit 0 "a submission" mine --tasks 4 --jobs 2 -- --time=1:00:00
prints ": tasks 1-4; job "
job=$(sed -n 's/^Slurm job \([0-9]*\): .*/\1/p' <<<"$output")
submit 4 "a second submission" mine; prints "Slurm still has job $job of this sweep"

# n1 dies when it has done some points and not all.
has_begun() { [ "$(records mine n1)" -gt 0 ] 2>/dev/null; }
until_true 120 has_begun || give_up "n1 does not begin" "$(queue)"
freeze_node n1
try 1 "status in the middle" sweep status --out mine "my plan.yaml"
prints ".n1.db: "; prints ", running"; prints "Slurm job $job: "; prints " tasks running, "
kill_node n1
before=$(records mine n1)
if [ "$before" -lt $((points / 4)) ]; then ok; else give_up "n1 was done before it could be killed"; fi
n1_is_down() { with_slurm sinfo --noheader --nodes=n1 --format=%T | grep -q down; }
until_true 60 n1_is_down || give_up "Slurm does not notice that n1 is dead" "$(with_slurm sinfo)"
start_node n1
wait_until_idle
try 0 "status at the end" sweep status --out mine "my plan.yaml"; prints "$points points: $points done, 0 failed, 0 missing"
if grep -q "Slurm job\|running" <<<"$output"; then bad "something runs still" "$output"; else ok; fi
if [ "$(records mine)" -eq $points ]; then ok; else bad "points were run twice" "$output"; fi
if grep -q " $((points / 4 - before)) run now, $before before" mine/logs/*; then ok; else bad "no task went on where n1 was" "$(cat mine/logs/*)"; fi
if [ -s mine/results/points.csv ]; then ok; else bad "nothing was merged" "$(cat mine/logs/*)"; fi
same mine/results "the array"
try 0 "a merge by hand" sweep merge --out mine "my plan.yaml"
same mine/results "a merge by hand"
submit 0 "a submission of what is done" mine; prints "$points points: none is missing, nothing is submitted"

# Only the shards that lack something.
rm mine/3-of-4.*.db
submit 0 "a submission of what is lost" mine --tasks 4; prints ": tasks 3; job "
wait_until_idle
same mine/results "what was lost"

# As a shell does it; a plan of two points.
sed -e '/fine_grained\|run.seed/d' -e 's/steps: 6/steps: 2/' "my plan.yaml" >two.yaml
try 0 "two points" sweep --quiet --out two two.yaml
"$smsched" sweep two.yaml --slurm --dry-run --out shell --tasks 2 -- --comment="it's \$one" >dry
if [ -e shell ]; then bad "--dry-run makes a folder"; else ok; fi
with_slurm sh dry >"$work/err" 2>&1 || bad "what --dry-run prints is no script" "$(cat "$work/err")"
wait_until_idle
same shell/results "what --dry-run prints" two/results

# What cannot be.
submit 4 "an option that sbatch does not know" wrong -- --no-such-option
prints "unrecognized option '--no-such-option'"; prints "sbatch: error: it exited with "
submit 4 "a partition that is none" wrong -- --partition=none; prints "invalid partition"
submit 4 "a test only" wrong -- --test-only; prints "it did not print the number of a job"
sed 's/slope/slop/' "my plan.yaml" >wrong.yaml
try 3 "a wrong plan" sweep wrong.yaml --slurm
if is_idle; then ok; else bad "what is wrong is submitted" "$(queue)"; fi

stop_slurm
if no_process; then ok; else bad "something is left running" "$(processes | xargs ps -p)"; fi
finish
