#!/usr/bin/env bash
# A sweep by several processes and machines. Shards tell machines apart by SLURMD_NODENAME. Jobs are submitted to a fake
# of Slurm; tests/slurm has a real one. Usage: tests/cli/shards.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
cd "$work" || exit 1
unset SLURMD_NODENAME

same() { if diff -r "$1" one/results >diff; then ok; else bad "$2 differs from one process" "$(head -5 diff)"; fi; }
on() { export SLURMD_NODENAME=$1; try "${@:2}"; unset SLURMD_NODENAME; }

cat >base.yaml <<'END'
workload: one
synthetic: true
kernels: [{name: k, blocks: 200, threads: 128, block_time: 10 us, jitter: 20 %, demand: {fp32: 9 %}}]
---
scenario: few
devices: [{model: v100, sms: 4}]
policies: [round_robin]
vms: [{name: a, workload: one, repeat: 4}, {name: b, workload: one, repeat: 4}]
END
cat >plan.yaml <<'END'
plan: plan
base: base.yaml
axes:
  - run.seed: {from: 1, to: 30, step: 1}
END
try 0 "one process" sweep --quiet --jobs 1 --out one plan.yaml

# A shard that another machine began and lost. Its store stays as it is, and so does its lock.
sql() { python3 -c 'import sqlite3, sys; store = sqlite3.connect(sys.argv[1]); store.execute(sys.argv[2]); store.commit()' "$@"; }
on n1 0 "a shard" sweep --jobs 1 --shard 2/3 --out moved plan.yaml; prints "10 points: 10 run now"
sql moved/2-of-3.n1.db "DELETE FROM record WHERE id = 10"
cp moved/2-of-3.n1.db lost
exec 7>>moved/2-of-3.n1.lock
flock 7
on n1 4 "a shard that is taken" sweep --shard 2/3 --out moved plan.yaml; prints "another process is running this shard"
on n2 0 "a shard on another machine" sweep --shard 2/3 --out moved plan.yaml; prints "10 points: 1 run now, 9 before"
if cmp -s lost moved/2-of-3.n1.db; then ok; else bad "another machine's store is written to"; fi
exec 7>&-
for k in 1 3; do try 0 "shard $k/3" sweep --quiet --shard $k/3 --out moved plan.yaml; done
try 0 "merge over machines" sweep merge --out moved plan.yaml
same moved/results "what two machines have done"
on 'a/b "c"' 0 "a machine with an odd name" sweep --shard 1/30 --out odd plan.yaml
if [ "$(ls odd)" = "1-of-30.a_b__c_.db
1-of-30.a_b__c_.lock" ]; then ok; else bad "the store's name" "$(ls odd)"; fi

# A store whose writer died in the middle of a commit is restored by the next process that reads it, once the writer is
# silent. A journal that names another file is refused, for SQLite would delete that file.
cp -r moved died
python3 - died/2-of-3.n1.db <<'END' && ok || bad "no journal is left behind"
import os, signal, sqlite3, sys
child = os.fork()
if child == 0:
    store = sqlite3.connect(sys.argv[1], isolation_level=None)
    for sql in "PRAGMA cache_size = 1", "BEGIN", "UPDATE record SET content = zeroblob(9000)", "DELETE FROM record WHERE id < 5":
        store.execute(sql)
    os.kill(os.getpid(), signal.SIGKILL)
os.waitpid(child, 0)
assert os.path.getsize(sys.argv[1] + "-journal") > 0
END
if cmp -s moved/2-of-3.n1.db died/2-of-3.n1.db; then bad "nothing was written before it died"; else ok; fi
cp -r died named
touch -d '2 minutes ago' died/2-of-3.n1.lock
try 0 "status after a death in a commit" sweep status --out died plan.yaml; prints "30 points: 30 done, 0 failed, 0 missing"; prints "2-of-3.n1.db: 9 records"
if [ -e died/2-of-3.n1.db-journal ]; then bad "the journal stays"; else ok; fi
cp named/2-of-3.n1.db* died
on n1 0 "the same machine again" sweep --shard 2/3 --out died plan.yaml; prints "10 points: 0 run now, 10 before"
echo mine >notes.txt
python3 - named/2-of-3.n1.db-journal "$PWD/notes.txt" <<'END'
import struct, sys
name = sys.argv[2].encode()
with open(sys.argv[1], "ab") as journal:
    journal.write(struct.pack(">I", 262145) + name + struct.pack(">II", len(name), sum(name)) + bytes.fromhex("d9d505f920a163d7"))
END
touch -d '2 minutes ago' named/2-of-3.n1.lock
try 3 "a journal that names a file" sweep status --out named plan.yaml; prints "2-of-3.n1.db-journal: error: is not the journal of a store"
on n1 3 "a writer beside such a journal" sweep --shard 2/3 --out named plan.yaml
if [ "$(cat notes.txt)" = mine ]; then ok; else bad "a file that a journal names is gone"; fi

# A shard reads only the stores that may have its points.
mkdir apart
mkfifo apart/1-of-3.n1.db apart/4-of-6.n1.db apart/1-of-6.n1.db
try 0 "shards apart" sweep --shard 2/3 --out apart plan.yaml; prints "10 run now"
try 3 "a shard that overlaps" sweep --shard 1/2 --out apart plan.yaml; prints "1-of-3.n1.db: error: is a FIFO"
try 3 "a shard within" sweep --shard 4/12 --out apart plan.yaml; prints "1-of-3.n1.db: error: is a FIFO"

# There are more stores than files that may be open. Half that number stay open; the others are opened for each record.
for k in $(seq 30); do try 0 "shard $k/30" sweep --quiet --shard $k/30 --out each plan.yaml; done
(ulimit -n 28 && "$smsched" sweep merge --out each plan.yaml) >out 2>&1 && ok || bad "a merge of more stores than open files" "$(cat out)"
same each/results "a merge of more stores than open files"
(ulimit -n 28 && "$smsched" sweep status --out each plan.yaml) >out 2>&1 && ok || bad "a status of more stores than open files" "$(cat out)"

# A shard runs elsewhere if it has points left and showed a sign of life in the last minute.
mkdir alive
cp moved/1-of-3.*.db alive/1-of-3.far.db
sql alive/1-of-3.far.db "DELETE FROM record WHERE id > 6"
cp moved/2-of-3.n1.db alive/1-of-1.far.db
cp moved/3-of-3.*.db alive/3-of-3.far.db
touch alive/{1-of-3,3-of-3}.far.lock
touch -d '2 minutes ago' alive/1-of-1.far.lock
try 1 "status of other machines" sweep status --out alive plan.yaml
if grep -qE "^1-of-3.far.db: 6 records, running$" <<<"$output"; then ok; else bad "what runs elsewhere" "$output"; fi
if grep -qE "^1-of-1.far.db: 9 records$" <<<"$output"; then ok; else bad "what is silent elsewhere" "$output"; fi
if grep -qE "^3-of-3.far.db: 10 records$" <<<"$output"; then ok; else bad "what is done elsewhere" "$output"; fi
sed 's/repeat: 4}, /repeat: 1000000000}, /' base.yaml >endless.yaml
sed 's/base.yaml/endless.yaml/' plan.yaml >long.yaml
python3 - "$smsched" <<'END' && ok || bad "no sign of life in a long point"
import os, subprocess, sys, time
runs = subprocess.Popen([sys.argv[1], "sweep", "--quiet", "--jobs", "1", "--out", "long", "--shard", "1/30", "long.yaml"])
lock = f"long/1-of-30.{os.uname().nodename}.lock"
while not os.path.exists(f"{lock[:-5]}.db"):
    time.sleep(0.1)
time.sleep(0.5)
os.utime(lock, (1, 1))
while os.stat(lock).st_mtime == 1 and runs.poll() is None:
    time.sleep(0.1)
assert runs.poll() is None
runs.kill()
runs.wait()
END

# Only one process merges at a time. Others wait.
rm -r one/results
exec 8>>one/merge.lock
flock 8
"$smsched" sweep merge --out one plan.yaml >waiting 2>&1 8>&- &
first=$!
"$smsched" sweep --out one plan.yaml >waiting-too 2>&1 8>&- &
second=$!
until grep -q "waiting for it" waiting && grep -q "waiting for it" waiting-too; do sleep 0.05; done
if [ -e one/results ]; then bad "merges do not wait"; else ok; fi
exec 8>&-
if wait $first && wait $second; then ok; else bad "a merge that has waited fails" "$(cat waiting waiting-too)"; fi
same one/results "a merge that has waited"
same moved/results "a merge that has waited"

# The arguments of sbatch and squeue, and what happens when these fail. The fake submits job 7, then 8.
mkdir fake
cat >fake/sbatch <<'END'
#!/bin/sh
id=$(cat "$FAKE/id" 2>/dev/null || echo 7)
echo $((id + 1)) >"$FAKE/id"
for arg; do echo "$arg"; done >"$FAKE/$id.args"
cat >"$FAKE/$id.script"
echo "$id;here"
END
cat >fake/squeue <<'END'
#!/bin/sh
for arg; do echo "$arg"; done >"$FAKE/squeue.args"
cat "$FAKE/queue"
END
chmod +x fake/*
export FAKE=$work/fake
: >fake/queue
with_fake() { PATH=$FAKE:$PATH; try "$@"; PATH=${PATH#"$FAKE:"}; }
with_fake 0 "a submission" sweep plan.yaml --slurm --tasks 4 --jobs 3 --engine reference --check --models . -- -p short --time=1:00
prints "Slurm job 7: tasks 1-4; job 8 merges them"
lines() { if [ "$(cat "$1")" = "$2" ]; then ok; else bad "$1" "$(diff "$1" <(echo "$2"))"; fi; }
lines fake/7.args "--parsable
--job-name=plan
--chdir=$work/plan.sweep
--output=logs/%A_%a.log
--open-mode=append
--requeue
--ntasks=1
--cpus-per-task=3
--array=1-4
-p
short
--time=1:00"
lines fake/7.script "#!/bin/sh
exec $smsched sweep --shard \"\$SLURM_ARRAY_TASK_ID/4\" --jobs \"\${SLURM_CPUS_ON_NODE:-1}\" --out $work/plan.sweep --models $work/. --engine reference --check -- $work/plan.yaml"
lines fake/8.args "--parsable
-p
short
--time=1:00
--job-name=plan-merge
--chdir=$work/plan.sweep
--output=logs/%A_merge.log
--open-mode=append
--requeue
--nodes=1
--ntasks=1
--cpus-per-task=1
--array=0
--dependency=afterany:7"
lines fake/8.script "#!/bin/sh
exec $smsched sweep merge --out $work/plan.sweep --models $work/. -- $work/plan.yaml"
printf '17 RUNNING\n7 RUNNING\n7 PENDING\n77 PENDING\n7 PENDING\n7 COMPLETING\n8 PENDING\n' >fake/queue
with_fake 4 "a submission of what is in the queue" sweep plan.yaml --slurm; prints "Slurm still has job 7 of this sweep"
with_fake 1 "status of what is in the queue" sweep status plan.yaml; prints "Slurm job 7: 1 tasks running, 2 pending, 1 in other states"
lines fake/squeue.args "--noheader
--array
--format=%F %T
--user=$(id -u)"
mv fake/squeue squeue
printf '#!/bin/sh\necho "squeue: error: no controller" >&2\nexit 1\n' >fake/squeue
chmod +x fake/squeue
with_fake 4 "a submission while squeue fails" sweep plan.yaml --slurm
prints "squeue: error: no controller"; prints "squeue: error: it does not tell whether job 7 is over"
with_fake 1 "status while squeue fails" sweep status plan.yaml
if grep -q "Slurm\|squeue" <<<"$output"; then bad "status tells of a queue that it does not know" "$output"; else ok; fi
rm fake/squeue
PATH=$FAKE try 4 "a submission without squeue" sweep plan.yaml --slurm; prints "squeue: error: cannot be run; is Slurm installed here?"
mv squeue fake/squeue
printf '17 RUNNING\n77 PENDING\n' >fake/queue # not ours
for k in 1 2 4 6; do try 0 "shard $k/7" sweep --quiet --shard $k/7 --out plan.sweep plan.yaml; done
with_fake 0 "a submission of some shards" sweep plan.yaml --slurm --quiet --tasks 7
if [ "$output" = 9 ]; then ok; else bad "--quiet says more than the job" "$output"; fi
if grep -qx -- "--array=3,5,7" fake/9.args; then ok; else bad "the shards that lack points" "$(cat fake/9.args)"; fi
with_fake 0 "as many tasks as points" sweep plan.yaml --slurm --out more --quiet
if grep -qx -- "--array=1-30" fake/11.args; then ok; else bad "more tasks than points" "$(cat fake/11.args)"; fi
with_fake 0 "nothing to submit" sweep plan.yaml --slurm --out moved; prints "30 points: none is missing, nothing is submitted"
head -3 plan.yaml >point.yaml
echo '  - run.seed: [1]' >>point.yaml
try 0 "one point" sweep --quiet --out point point.yaml
with_fake 0 "nothing to submit of one" sweep point.yaml --slurm --out point; prints "1 point: none is missing"
with_fake 3 "a wrong plan" sweep base.yaml --slurm
with_fake 4 "a folder with a backslash" sweep plan.yaml --slurm --out 'a\b'; prints "a backslash"
if [ -e fake/13.args ]; then bad "what is wrong is submitted"; else ok; fi
printf '#!/bin/sh\necho "sbatch: error: no such account" >&2\nexit 3\n' >fake/sbatch
with_fake 4 "an sbatch that fails" sweep plan.yaml --slurm --out fails
prints "sbatch: error: no such account"; prints "sbatch: error: it exited with 3"
printf '#!/bin/sh\nexit 0\n' >fake/sbatch
with_fake 4 "an sbatch that is silent" sweep plan.yaml --slurm --out fails; prints "it did not print the number of a job"
rm fake/*
PATH=$FAKE try 4 "no sbatch" sweep plan.yaml --slurm --out fails; prints "sbatch: error: cannot be run; is Slurm installed here?"

# Wrong arguments.
try 2 "a shard of an array" sweep plan.yaml --slurm --shard 1/2; prints "--slurm makes shards itself"
try 2 "an array that merges" sweep merge plan.yaml --slurm; prints "--slurm is for a sweep itself"
try 2 "tasks without Slurm" sweep plan.yaml --tasks 3; prints "--tasks is for --slurm"
try 2 "a dry run without Slurm" sweep plan.yaml --dry-run; prints "--dry-run is for --slurm"
try 2 "too many tasks" sweep plan.yaml --slurm --tasks 10001; prints "--tasks: at most 10000"
try 2 "so many at once without Slurm" sweep plan.yaml --at-once 3; prints "--at-once is for --slurm"
for array in --array=1-64%8 --array --arr=1 -a1-9 -a; do
    try 2 "an array of one's own" sweep plan.yaml --slurm --dry-run -- -p short $array 1-64
    prints "not '$array', but --tasks N or --at-once N"
done
try 0 "so many at once" sweep plan.yaml --slurm --dry-run --tasks 4 --at-once 2 -- --account=a; prints " '--array=1-4%2' --account=a "
try 2 "options without --" sweep plan.yaml --slurm --partition=short; prints "options for sbatch stand behind --"
try 2 "two plans" sweep plan.yaml base.yaml --slurm; prints "options for sbatch, not 'base.yaml'"
try 0 "a dry run" sweep plan.yaml --slurm --dry-run --out "it's one" -- "--comment=a b"
prints "'--chdir=$work/it'\\''s one'"; prints "'--comment=a b'"; prints '--dependency=afterany:"${job%%;*}"'
if [ -e "it's one" ]; then bad "a dry run makes a folder"; else ok; fi

# Without a cluster, as in docs/how-to/sweeps-on-a-cluster.md.
seq 8 | xargs -P 2 -I K "$smsched" sweep --quiet --jobs 1 --shard K/8 --out xargs plan.yaml
try 0 "a merge behind xargs" sweep merge --out xargs plan.yaml
same xargs/results "xargs"
# GNU parallel on two machines, which its ssh imitates. Shard 3 fails at its first try.
if parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
    cat >ssh <<'END'
#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done # options
export SLURMD_NODENAME=$1 SHELL=/bin/sh # which every login has
shift
[ "$1" != -- ] || shift
exec sh -c "$*"
END
    cat >shard <<END
#!/bin/sh
[ "\$1" -eq 3 ] && mkdir "$work/failed_once" 2>/dev/null && exit 1
exec "$smsched" sweep --quiet --jobs 1 --shard "\$1/8" --out parallel plan.yaml
END
    chmod +x ssh shard
    seq 8 | HOME=$work parallel --ssh "$work/ssh" -S 1/near,1/far --workdir . --retries 2 --joblog jobs ./shard {} >out 2>err
    exits 0 $? "GNU parallel"
    try 0 "a merge behind parallel" sweep merge --out parallel plan.yaml
    same parallel/results "GNU parallel"
    for machine in near far; do
        if compgen -G "parallel/*-of-8.$machine.db" >/dev/null; then ok; else bad "no shard ran on $machine" "$(ls parallel)"; fi
    done
    if [ -d failed_once ]; then ok; else bad "no shard failed" "$(cat jobs)"; fi
elif [ -n "${SMSCHED_INSIST-}" ]; then
    bad "GNU parallel is not there (tools/setup --test)"
fi

finish
