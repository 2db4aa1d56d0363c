#!/usr/bin/env bash
# A sweep by several processes and machines. Shards tell machines apart by SLURMD_NODENAME. tests/slurm has a real cluster.
# Usage: tests/cli/shards.sh SMSCHED
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
until grep -q "waiting for it" waiting && grep -q "waiting for it" waiting-too; do
    kill -0 $first && kill -0 $second || break
    sleep 0.05
done
if [ -e one/results ]; then bad "merges do not wait"; else ok; fi
exec 8>&-
if wait $first && wait $second; then ok; else bad "a merge that has waited fails" "$(cat waiting waiting-too)"; fi
same one/results "a merge that has waited"
same moved/results "a merge that has waited"

# Wrong arguments.
try 2 "a shard of a merge" sweep merge plan.yaml --shard 1/2; prints "--shard, --jobs, --engine and --check are for a sweep itself"
for option in jobs=2 engine=reference check; do
    try 2 "--$option of a status" sweep status plan.yaml "--$option"; prints "are for a sweep itself"
done
try 2 "two plans" sweep plan.yaml base.yaml; prints "name one plan, or use 'status PLAN' or 'merge PLAN'"
for verb in status merge; do try 2 "$verb of no plan" sweep $verb; prints "name one plan, or use 'status PLAN' or 'merge PLAN'"; done
try 2 "an array, which sbatch makes" sweep plan.yaml --slurm; prints "sweeps-on-a-cluster.md"

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
    seq 8 | HOME=$work parallel --ssh "$(printf %q "$work/ssh")" -S 1/near,1/far --workdir . --retries 2 --joblog jobs ./shard {} >out 2>err
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
