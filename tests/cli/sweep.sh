#!/usr/bin/env bash
# A sweep has the same results however it was split, killed, or run out of disk. Usage: sweep.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
source=$PWD
cd "$work" || exit 1
unset SLURMD_NODENAME
here=$(uname -n) # names of stores have the machine's name

lines() { if [ "$(cat)" = "$1" ]; then ok; else bad "$2"; fi; }

base() {
    cat <<'END'
workload: one
synthetic: true
kernels: [{name: k, blocks: 200, threads: 128, block_time: 10 us, jitter: 20 %, demand: {fp32: 9 %}}]
---
scenario: few
devices: [{model: v100, sms: 4}]
contention: proportional
policies: [round_robin, {fine_grained: {limit: 90 %}}]
vms: [{name: a, workload: one, repeat: 4}, {name: b, workload: one, repeat: 4}]
run: {replications: 2}
expect: [{metric: gain, policy: round_robin, over: round_robin, value: 0}]
END
}
base >base.yaml
cat >many.yaml <<'END'
plan: many
base: base.yaml
axes:
  - contention.slope: {from: 1, to: 3, steps: 5}
  - policies.fine_grained.limit: [75 %, 100 %, 150 %]
  - {vms.a.repeat: [1, 2, 3, 4], vms.1.repeat: [4, 3, 2, 1]}
  - vms.*.start: [0 us, 7 us]
END

# A folder of another command is left as it is.
"$smsched" run --quiet --out results-of-run base.yaml && cp -r results-of-run kept
try 4 "a sweep into the results of a run" sweep --out results-of-run many.yaml
prints "results-of-run: error: holds results of another command; name another folder"
same kept results-of-run "a sweep writes into the results of a run"
rm -r kept results-of-run

# One process, from beginning to end.
try 0 "validate" validate many.yaml; prints "many: 120 points"
try 0 "a sweep" sweep --jobs 1 --out one many.yaml; prints "120 points: 120 run now, 0 before"
try 0 "a sweep that is done" sweep --jobs 1 --out one many.yaml; prints "120 points: 0 run now, 120 before"
try 0 "its status" sweep status --out one many.yaml; prints "120 points: 120 done, 0 failed, 0 missing"
try 0 "what a quiet status prints" sweep --help; prints "print no progress, and no counts but those of 'status'"
try 0 "a quiet status" sweep status --quiet --out one many.yaml; prints "120 points: 120 done, 0 failed, 0 missing"
prints "1-of-1.$here.db: 120 records"
cp -r one/results first

# One is no plural, and shards without a point take no line each.
sed '/^axes/,$d' many.yaml | sed 's/plan: many/plan: single/' >single.yaml
echo 'axes: [{run.seed: [1]}]' >>single.yaml
try 0 "validate one point" validate single.yaml; prints "single: 1 point"
if grep -q "1 points" <<<"$output"; then bad "one point is many" "$output"; else ok; fi
for k in 1 2 3; do try 0 "shard $k of one point" sweep --jobs 1 --shard $k/3 --out single single.yaml; done
prints "0 points: 0 run now, 0 before"
try 0 "the status of one point" sweep status --out single single.yaml
if [ "$output" = "1 point: 1 done, 0 failed, 0 missing
1-of-3.$here.db: 1 record
2 shards have no records" ]; then ok; else bad "the status of one point" "$output"; fi
try 0 "one point again" sweep --out single single.yaml; prints "1 point: 0 run now, 1 before"; prints "/results: 1 point, 0 failed, 0 missing"
try 0 "a merge" sweep merge --out one many.yaml
same one/results first "two merges differ"
try 0 "a folder named after the plan" sweep --quiet many.yaml
same many.sweep/results first "the default folder's results differ"
if [ -z "$output" ]; then ok; else bad "--quiet says something" "$output"; fi
lines "0,few,1,75 %,1,4,0 us,done,
1,few,1,75 %,1,4,7 us,done,
2,few,1,75 %,2,3,0 us,done," "points are not in their order" < <(sed -n 2,4p first/points.csv)

# Varied fields have words: the last part of their path first.
cat >worded.yaml <<'END'
plan: worded
base: base.yaml
axes:
  - {vms.a.repeat: [1], vms.1.repeat: [2], devices.0.sms: [2], contention.slope: [2]}
  - {vms.*.start: [7 us], policies.fine_grained.limit: [75 %], workloads.one.kernels.k.jitter: [10 %], workloads.one.kernels.0.block_time: [5 us]}
END
try 0 "a sweep over fields of all kinds" sweep --quiet --out worded worded.yaml
lines "repeat of a|repeat of vm 1|sms of device 0|slope of contention|start of all vms|limit of fine_grained|jitter of k of one|block time of kernel 0 of one" "words of fields" \
    < <(python3 -c 'import sqlite3; print("|".join(words for (words,) in sqlite3.connect("worded/results/sweep.db").execute("SELECT words FROM axis")))')

# A point has the results of the same scenario written by hand.
base | sed -e 's/limit: 90 %/limit: 150 %/' -e 's/contention: proportional/contention: {model: proportional, slope: 2.5}/' \
    -e '/^expect/d' -e 's/name: a, workload: one, repeat: 4/name: a, start: 7 us, workload: one, repeat: 2/' \
    -e 's/name: b, workload: one, repeat: 4/name: b, start: 7 us, workload: one, repeat: 3/' >hand.yaml
"$smsched" run --replications 1 --format json hand.yaml >hand.json
python3 - <<'END' && ok || bad "a point differs from its scenario"
import csv, json
runs = {run["policy"]: run for run in json.load(open("hand.json"))["runs"]}
rows = [r for r in csv.DictReader(open("first/vms.csv"))
        if r["contention.slope"] == "2.5" and r["policies.fine_grained.limit"] == "150 %" and r["vms.a.repeat"] == "2"
        and r["vms.*.start"] == "7 us" and r["replication"] == "0"]
assert len(rows) == 4, len(rows)
for row in rows:
    vm = next(vm for vm in runs[row["policy"]]["vms"] if vm["name"] == row["vm"])
    for metric in ("kernels_per_s", "normalized_progress_ratio"):
        assert abs(float(row[metric]) / vm[metric] - 1) < 1e-9, (row, vm)
END

# The bytes are the same however the sweep is split.
try 0 "two threads" sweep --jobs 2 --out threads many.yaml
same threads/results first "two threads differ from one"
for k in 3 1 2; do try 0 "shard $k/3" sweep --jobs 1 --shard $k/3 --out shards many.yaml; done
prints "40 points: 40 run now"
try 0 "status of shards" sweep status --out shards many.yaml; prints "2-of-3.$here.db: 40 records"
try 0 "merge of shards" sweep merge --out shards many.yaml
same shards/results first "three shards differ from one"
try 0 "a shard" sweep --shard 1/2 --out mixed many.yaml
try 1 "status of a half" sweep status --out mixed many.yaml; prints "120 points: 60 done, 0 failed, 60 missing"
try 1 "merge of a half" sweep merge --out mixed many.yaml; prints "60 missing"
try 0 "shards, cut differently" sweep --shard 2/3 --out mixed many.yaml; prints "40 points: 20 run now, 20 before"
try 0 "and what is left" sweep --out mixed many.yaml; prints "120 points: 40 run now, 80 before"
same mixed/results first "what was cut differently differs"
try 0 "the reference engine" sweep --engine reference --check --out reference many.yaml
same reference/results first "the reference engine differs"

# Bounds are kept by default, one for each point and metric, for all policies together. `keep` without `bound` omits them.
python3 - <<'END' && ok || bad "bounds are not those of the points"
import csv, sqlite3
rows = list(csv.DictReader(open("first/bounds.csv")))
database = sqlite3.connect("first/sweep.db")
assert len(rows) == 480 and len({(r["point"], r["metric"]) for r in rows}) == 480
assert len({r["steady_per_s"] for r in rows}) > 1 and all(r["binds"] and not r["no_bound_because"] for r in rows if r["metric"] != "stp_ratio")
found = database.execute("SELECT point, metric, steady_per_s, run_per_s, binds, share_ratio FROM bound WHERE metric <> 'stp_ratio'").fetchall()
wanted = {(int(r["point"]), r["metric"]): r for r in rows if r["metric"] != "stp_ratio"}
for point, metric, steady, run, binds, share in found:
    row = wanted.pop((point, metric))
    assert ["%.12g" % steady, "%.12g" % run, binds, "%.12g" % share] == [row["steady_per_s"], row["run_per_s"], row["binds"], row["share_ratio"]]
assert not wanted
gaps = database.execute("SELECT gap_ratio, 1 - per_s / bound_per_s FROM gap WHERE metric <> 'stp_ratio'").fetchall()
assert len(gaps) == 720 and all(0 <= gap <= 1 and gap == plain for gap, plain in gaps) and max(gaps)[0] > 0.01
END
(cat many.yaml; echo 'keep: [host, vm, process, device, cluster]') >unbounded.yaml
try 0 "a sweep without bounds" sweep --out unbounded unbounded.yaml; prints "120 points: 120 run now"
if [ -e unbounded/results/bounds.csv ]; then bad "bounds that nobody keeps"; else ok; fi
if cmp unbounded/results/hosts.csv first/hosts.csv; then ok; else bad "bounds change results"; fi

# Killed again and again, a sweep keeps every finished point and runs none twice.
for i in $(seq 200); do
    "$smsched" sweep --jobs 2 --quiet --out killed many.yaml >/dev/null 2>&1 &
    pid=$!
    sleep "0.0$((RANDOM % 4))$((RANDOM % 10))"
    if ! kill -KILL $pid 2>/dev/null; then break; fi
    wait $pid 2>/dev/null
done
wait
if [ "$i" -gt 2 ]; then ok; else bad "it ended before it could be killed"; fi
try 0 "after $i kills" sweep --out killed many.yaml
same killed/results first "killed $i times, it differs"
try 0 "status after kills" sweep status --out killed many.yaml; prints "1-of-1.$here.db: 120 records"

# A damaged record is noticed, and its point runs again. A damaged database is refused.
cp -r one torn
python3 - "torn/1-of-1.$here.db" <<'END' && ok || bad "no bytes to damage"
import sqlite3, sys
store = sqlite3.connect(sys.argv[1])
contents = [content for (content,) in store.execute("SELECT content FROM record WHERE point IN (3, 70) ORDER BY point")]
store.execute("UPDATE record SET models = models || 'w one' || char(10) WHERE point = 9")
store.commit()
store.close()
damaged = bytearray(open(sys.argv[1], "rb").read())
for content in contents:
    at = damaged.find(content)
    assert at > 0 and damaged.find(content, at + 1) < 0
    damaged[at + len(content) // 2] ^= 1
open(sys.argv[1], "wb").write(damaged)
END
try 1 "damaged records" sweep status --out torn many.yaml; prints "117 done, 0 failed, 3 missing"; prints ": 117 records"
try 0 "damaged records, run again" sweep --out torn many.yaml; prints "3 run now, 117 before"
same torn/results first "after damage it differs"
head -c 100000 /dev/urandom >torn/random.db
try 0 "a file that is not a shard's" sweep --out torn many.yaml; prints "0 run now, 120 before"
refused() { # WHAT MESSAGE: neither the status nor the sweep accepts what is in torn
    try 3 "the status of $1" sweep status --out torn many.yaml; prints "$2"
    try 3 "a sweep over $1" sweep --out torn many.yaml; prints "$2"
}
cp torn/random.db torn/2-of-2.other.db
refused "random bytes" "torn/2-of-2.other.db: error: is not the database of a shard; move it away"
rm torn/2-of-2.other.db
cp torn/1-of-1.$here.db whole.db
truncate -s -5000 torn/1-of-1.$here.db
refused "a database without its end" "torn/1-of-1.$here.db: error: is damaged ("
cp whole.db torn/1-of-1.$here.db
try 0 "a database with its end" sweep --out torn many.yaml; prints "0 run now, 120 before"

# The disk is full.
(ulimit -f 16; "$smsched" sweep --out full many.yaml >out 2>&1)
status=$?
output=$(cat out)
if [ $status -eq 4 ]; then ok; else bad "a file that may not grow: exit $status" "$output"; fi
prints "1-of-1.$here.db: error: cannot be written: disk I/O error"
try 0 "with room again" sweep --out full many.yaml
if grep -q " 0 before" <<<"$output"; then bad "nothing was kept of a full disk" "$output"; else ok; fi
same full/results first "after a full disk it differs"
(ulimit -f 8; "$smsched" sweep merge --out full many.yaml >out 2>&1)
status=$?
output=$(cat out)
if [ $status -eq 4 ]; then ok; else bad "results that may not grow: exit $status" "$output"; fi
prints "cannot be written"
same full/results first "a merge that failed has touched the results"
if compgen -G "full/results.partial*" >/dev/null; then bad "a merge that failed leaves something behind"; else ok; fi
reasons=
for n in $(seq 4 16); do # open files, from too few to load the plan to enough
    (ulimit -n $n; "$smsched" sweep merge --out full many.yaml) >out 2>&1
    status=$?
    if [ $status -ne 0 ]; then reasons+=$(cat out); fi
    same full/results first "a merge with $n files that may be open: exit $status"
done
if [ $status -eq 0 ]; then ok; else bad "a merge with 16 open files" "$(cat out)"; fi
for file in points hosts vms; do
    if grep -qF "full/results/$file.csv: error: cannot be written: Too many open files" <<<"$reasons"; then ok; else bad "no room for $file.csv" "$reasons"; fi
done
mkdir full/results.partial
echo half >full/results.partial/points.csv
try 0 "a merge after one that was killed" sweep merge --out full many.yaml
same full/results first "after a merge that was killed it differs"
try 4 "a merge of nothing" sweep merge --out nothing many.yaml; prints "nothing has been run"
mkdir empty
try 1 "a merge of no points" sweep merge --out empty many.yaml; prints "no point of the plan has been run"
if [ -e empty/results ]; then bad "a merge of no points writes results"; else ok; fi
try 1 "status of nothing" sweep status --out nothing many.yaml; prints "0 done, 0 failed, 120 missing"
mkdir device
ln -s /dev/full device/1-of-1.$here.db
try 4 "a device for a store" sweep --out device many.yaml; prints "is a symbolic link, not a regular file"
try 4 "a folder that cannot be" sweep --out none/there many.yaml; prints "cannot be created"
echo mine >a-file
try 4 "a folder that is a file" sweep --out a-file many.yaml
try 2 "a folder that is the plan" sweep --out many.yaml many.yaml; prints "--out: 'many.yaml' is what this command reads"

# The key of a point depends on everything that determines its results, and on nothing else.
mkdir -p models/workloads
base | sed -n 1,3p | sed 's/workload: one/workload: mine/' >models/workloads/mine.yaml
base | sed '1,4d' | sed 's/name: b, workload: one/name: b, workload: v100\/gaussian_64/' | sed 's/workload: one/workload: mine/' >other.yaml
cat >key.yaml <<'END'
plan: key
base: other.yaml
policies: [round_robin]
axes:
  - vms.b.workload: [mine, v100/gaussian_64]
  - vms.a.workload: [mine, v100/gaussian_64]
END
again() { try 0 "$2" sweep --models models key.yaml; prints "$1 run now"; }
again 4 "keys: the first time"
sed -i '1i # A comment' other.yaml key.yaml models/workloads/mine.yaml
again 0 "keys: comments"
sed -i 's/blocks: 200/blocks: 201/' models/workloads/mine.yaml
again 3 "keys: a workload of three points"
sed -i 's/sms: 4/sms: 5/' other.yaml
again 4 "keys: the scenario"
mkdir models/devices
sed 's/^device: v100$/device: root/; s/^family: volta$/family: mine/' "$source/models/devices/v100.yaml" >models/devices/root.yaml
printf 'device: branch\ninherits: root\nsms: 5\n' >models/devices/branch.yaml
{ cat "$source/models/families.yaml" && printf -- '---\nfamily: mine\ngrids: 128\n'; } >models/families.yaml
sed -i 's/{model: v100, sms: 5}/{model: branch}/' other.yaml
again 4 "keys: another device"
sed -i 's/^clock: 1530 MHz/clock: 1400 MHz/' models/devices/root.yaml
again 4 "keys: the device that it inherits from"
sed -i '$s/128/127/' models/families.yaml
again 4 "keys: the family of that device"
sed -i 's/{model: branch}/{model: v100, sms: 5}/' other.yaml
sed -i 's/\[round_robin\]/[round_robin, leftover]/' key.yaml
again 4 "keys: the policies"
echo 'seed: 7' >>key.yaml
again 4 "keys: the seed"
echo 'keep: [host]' >>key.yaml
again 4 "keys: what is kept"
echo 'question: Why?' >>key.yaml
again 0 "keys: the question"
try 0 "records that no longer count" sweep status --models models key.yaml; prints "do not count"
if [ "$(ls key.sweep/results)" = "hosts.csv
manifest.json
points.csv
sweep.db" ]; then ok; else bad "keep: [host] keeps more" "$(ls key.sweep/results)"; fi

# Adding or reordering values renumbers the points. Records are then found by their key.
numbered() { # SLOPES STARTS
    printf 'plan: numbered\nbase: base.yaml\nkeep: [host, vm, bound]\naxes:\n  - contention.slope: [%s]\n  - vms.*.start: [%s]\n' "$@" >numbered.yaml
}
silent() { if grep -qF -- "$1" <<<"$output"; then bad "says '$1'" "$output"; else ok; fi; }
fresh() { # PLAN FOLDER WHAT: checks that the results equal those of a sweep that began with this plan
    rm -rf fresh
    "$smsched" sweep --quiet --out fresh "$1" >/dev/null 2>&1
    same "$2/results" fresh/results "$3"
}
numbered "1, 2, 3" "0 us, 7 us"
try 0 "before points are numbered anew" sweep --jobs 1 --out numbered numbered.yaml; prints "6 points: 6 run now, 0 before"
cp -r numbered numbered-first
numbered "3, 1, 2" "7 us, 3 us, 0 us"
try 1 "status of points numbered anew" sweep status --out numbered numbered.yaml; prints "9 points: 6 done, 0 failed, 3 missing"
silent "do not count"
try 1 "a merge of points numbered anew" sweep merge --out numbered numbered.yaml; prints "6 points, 0 failed, 3 missing"
try 0 "points numbered anew" sweep --out numbered numbered.yaml; prints "9 points: 3 run now, 6 before"
fresh numbered.yaml numbered "points numbered anew differ"
numbered "1, 2, 3" "0 us, 7 us"
try 0 "the first numbers again" sweep --out numbered numbered.yaml; prints "6 points: 0 run now, 6 before"
fresh numbered.yaml numbered "points with their first numbers differ"
try 0 "what the plan has no longer" sweep status --out numbered numbered.yaml; prints "3 records are of another plan"
numbered "3, 2, 1" "0 us, 7 us, 0 us"
for k in 1 2; do try 0 "shard $k/2 of points numbered anew" sweep --shard $k/2 --out numbered numbered.yaml; prints " 0 run now"; done
try 0 "equal points share a record" sweep --out numbered numbered.yaml; prints "9 points: 0 run now, 9 before"
fresh numbered.yaml numbered "equal points differ"
try 0 "a shared record counts once" sweep status --out numbered numbered.yaml; prints "3 records are of another plan"
sed 's/sms: 4/sms: 5/' base.yaml >larger.yaml
sed -i 's/base.yaml/larger.yaml/; s/3, 2, 1/1, 2, 3/' numbered.yaml
try 0 "another scenario, numbered anew" sweep --out numbered numbered.yaml; prints "9 points: 9 run now, 0 before"
fresh numbered.yaml numbered "another scenario differs"

# Where two values are drawn often, each record is that of many points: then all of them are found in a time that grows
# with their number, not with its square.
drawn_often() { printf 'plan: often\nbase: base.yaml\nkeep: [host]\naxes:\n  - random: {points: 5000, of: {contention.slope: [%s]}}\n' "$1" >often.yaml; }
drawn_often "1, 2"
try 0 "two values drawn often" sweep --quiet often.yaml
drawn_often "2, 1"
output=$(timeout 60 "$smsched" sweep status often.yaml 2>&1)
prints "5000 points: 5000 done, 0 failed, 0 missing"

# A shard does not read other shards' stores, even if these have its points after renumbering. A whole sweep reads all.
numbered "1, 2, 3" "0 us, 7 us"
for k in 1 2; do try 0 "shard $k/2" sweep --shard $k/2 --out halves numbered.yaml; done
numbered "3, 2, 1" "7 us, 0 us"
cp -r halves halved
try 0 "a shard of points numbered anew" sweep --shard 1/2 --out halved numbered.yaml; prints "3 points: 3 run now, 0 before"
try 0 "halves of points numbered anew" sweep --out halves numbered.yaml; prints "6 points: 0 run now, 6 before"
fresh numbered.yaml halves "halves of points numbered anew differ"

# The last record with a key counts, whatever number it has. A record that it replaces does not count as another plan's.
numbered "3, 2, 1" "7 us, 0 us"
twice() { # first or last: position of a record in which point 0 failed
    rm -rf twice
    cp -r numbered-first twice
    python3 - "twice/1-of-1.$here.db" "$1" <<'END'
import hashlib, sqlite3, struct, sys, zlib
store = sqlite3.connect(sys.argv[1])
first, last, = store.execute("SELECT min(id), max(id) FROM record").fetchone()
point, name, key, models = store.execute("SELECT point, name, key, models FROM record WHERE id = ?", (first,)).fetchone()
text = b"why?\0"
content = zlib.compress(text)
digest = hashlib.sha256(struct.pack("<QqQB", point, name, len(text), 1) + key + models.encode() + b"\0" + content).digest()[:8]
store.execute("INSERT INTO record VALUES (?, ?, ?, ?, 1, ?, ?, ?, ?)",
              (first - 1 if sys.argv[2] == "first" else last + 1, point, name, key, models, len(text), content, digest))
store.commit()
END
}
twice first
try 0 "done after it failed" sweep status --out twice numbered.yaml; prints "6 points: 6 done, 0 failed, 0 missing"; silent "do not count"
twice last
try 1 "failed after it was done" sweep status --out twice numbered.yaml; prints "6 points: 5 done, 1 failed, 0 missing"; silent "do not count"
try 1 "its message" sweep merge --quiet --out twice numbered.yaml
lines "5,few,1,0 us,failed,why?" "the last record does not count" < <(tail -1 twice/results/points.csv)

# Points use many different workloads, and some have failed.
cat >programs.yaml <<'END'
plan: programs
base: base.yaml
keep: [host]
axes:
  - vms.a.workload: [v100/bfs_1m, v100/cfd_097k, v100/gaussian_64, one]
  - vms.b.workload: [v100/bfs_1m, v100/cfd_097k, v100/gaussian_64, one]
  - run.warmup: [0 us, 30 us]
  - run.duration: [50 us, 20 us]
END
try 1 "many workloads" sweep programs.yaml; prints "64 points: 64 run now"; prints "48 points, 16 failed, 0 missing"
sed -i 's/, one]/]/; s/\[v100.bfs_1m,/[one, v100\/bfs_1m,/; s/50 us, 20 us/20 us, 50 us, 40 us/' programs.yaml
try 1 "many workloads, numbered anew" sweep programs.yaml; prints "96 points: 32 run now, 64 before"; prints "80 points, 16 failed, 0 missing"
fresh programs.yaml programs.sweep "many workloads differ"
try 1 "many workloads, another time" sweep programs.yaml; prints "96 points: 0 run now, 96 before"

# Fields of workloads, from the file and from the library, give the results of a copy written by hand, and are in the key.
cat >profiled.yaml <<'END'
plan: profiled
base: other.yaml
axes:
  - workloads.mine.kernels.k.block_time: [10 us, 15 us]
  - workloads.v100/gaussian_64.kernels.1.blocks: [30, 40]
  - workloads.mine.kernels.0.demand.fp32: [9 %, 12 %]
END
varied() { try 0 "$2" sweep --models models profiled.yaml; prints "$1 run now"; }
varied 8 "fields of workloads"
varied 0 "fields of workloads again"
sed 's/block_time: 10 us/block_time: 15 us/; s/fp32: 9 %/fp32: 12 %/' models/workloads/mine.yaml | sed '1d' >hand.yaml
{ echo ---; sed 's/v100.gaussian_64/changed/; s/scenario: few/scenario: hand/' other.yaml; echo ---; } >>hand.yaml
sed "s/workload: v100.gaussian_64/workload: changed/" "$source/models/workloads/v100/gaussian_64.yaml" |
    awk '/blocks:/ && ++n == 2 { sub(/blocks: [0-9]+/, "blocks: 30") } { print }' >>hand.yaml
"$smsched" run --format json hand.yaml >hand.json
python3 - <<'END' && ok || bad "a workload that is varied differs from its copy"
import csv, json
runs = {run["policy"]: run for run in json.load(open("hand.json"))["runs"]}
rows = [r for r in csv.DictReader(open("profiled.sweep/results/vms.csv")) if r["point"] == "5"]
assert {row["policy"] for row in rows} == set(runs) and len(rows) == 8, (len(rows), set(runs))
for policy, run in runs.items():
    for vm in run["vms"]:
        values = [float(r["kernels_per_s"]) for r in rows if (r["policy"], r["vm"]) == (policy, vm["name"])]
        assert abs(sum(values) / len(values) / vm["kernels_per_s"] - 1) < 1e-9, (policy, vm, values)
END
sed -i 's/15 us/16 us/' profiled.yaml
varied 4 "keys: a varied field of a workload"
sed -i 's/threads: 128/threads: 256/' models/workloads/mine.yaml
varied 8 "keys: another field of it"
sed -i 's/block_time: 10 us/block_time: 11 us/' models/workloads/mine.yaml
varied 8 "keys: the field itself, for it is of the document"

# The key also depends on the program's sources, which any change to them alters. A program from other sources reuses nothing.
sources=$("$smsched" --version | sed -n 's/.*sources \([0-9a-f]\{16\}\)).*/\1/p')
if [ ${#sources} = 16 ]; then ok; else bad "--version tells no sources" "$("$smsched" --version)"; fi
if grep -q "\"$sources\"" key.sweep/results/manifest.json; then ok; else bad "the manifest tells no sources"; fi
if [ -e "${SMSCHED_BUILD-}/sources.txt" ] && command -v cmake >/dev/null; then
    mkdir tree
    cp -r "$source"/{sim,policies,models} tree
    hashed() {
        cmake -DROOT="$PWD/tree" -DLIST="$SMSCHED_BUILD/sources.txt" -DOUT="$PWD/$1.c" -P tree/sim/sources.cmake
        sed -n 's/.*return "\(.*\)".*/\1/p' "$1.c"
    }
    plugin() { sed -n "s|.*{\"$2\", \"\(.*\)\"}.*|\1|p" "$1.c"; }
    if [ "$(hashed same)" = "$sources" ]; then ok; else bad "another hash of the same sources"; fi
    echo >>tree/sim/cli/main.c
    if [ "$(hashed printing)" = "$sources" ]; then ok; else bad "what prints is in the hash of the sources"; fi
    echo >>tree/sim/page/page.c
    if [ "$(hashed drawing)" = "$sources" ]; then ok; else bad "a file that only draws is in the hash of the sources"; fi
    echo >>tree/policies/block/leftover.c
    if [ "$(hashed policy)" = "$sources" ]; then ok; else bad "a policy is in the hash of all sources"; fi
    if [ "$(plugin policy policies/block/leftover.c)" != "$(plugin same policies/block/leftover.c)" ]; then ok; else bad "a changed policy has the same hash"; fi
    if [ -n "$(plugin policy policies/block/most_room.c)" ] && [ "$(plugin policy policies/block/most_room.c)" = "$(plugin same policies/block/most_room.c)" ]; then ok; else bad "another policy has another hash"; fi
    echo >>tree/sim/engine/engine.c
    if [ "$(hashed other)" != "$sources" ]; then ok; else bad "the same hash of other sources"; fi
fi
sed "s/$sources/0123456789abcdef/" "$smsched" >other-smsched
chmod +x other-smsched
status() { "$1" sweep status --models "$source/models" --out one many.yaml; }
if status "$smsched" | grep -q "120 done"; then ok; else bad "the sweep has gone"; fi
if status ./other-smsched | grep -q "120 missing"; then ok; else bad "other sources, and the points are done" "$(status ./other-smsched)"; fi
# A policy that the points use is part of their keys, another one is not.
with_other() { # FILE COUNT WHAT
    local hash
    hash=$(sed -n "s|.*{\"$1\", \"\(.*\)\"}.*|\1|p" "$SMSCHED_BUILD/sources.c")
    [ ${#hash} = 16 ] || { bad "$1 has no hash"; return; }
    sed "s/$hash/0123456789abcdef/" "$smsched" >other-policy
    chmod +x other-policy
    if status ./other-policy | grep -q "$2"; then ok; else bad "$3" "$(status ./other-policy)"; fi
}
if [ -e "${SMSCHED_BUILD-}/sources.c" ]; then
    with_other policies/block/fine_grained.c "120 missing" "another fine_grained, and the points are done"
    with_other models/contention/proportional.c "120 missing" "another model, and the points are done"
    with_other policies/block/leftover.c "120 missing" "another leftover, which stand-alone runs use, and the points are done"
    with_other policies/block/breadth_first.c "120 done" "another breadth_first, which no point uses, and points are missing"
    with_other policies/mode/exclusive.c "120 missing" "another mode of stand-alone runs, and the points are done"
    with_other policies/mode/mps.c "120 done" "another mps, which no point uses, and points are missing"
    with_other policies/share/lottery.c "120 done" "another lottery, which no point uses, and points are missing"
fi

# A point whose combination of values is wrong fails, and that is its result.
cat >combined.yaml <<'END'
plan: combined
base: base.yaml
axes:
  - run.warmup: [0 us, 50 us]
  - run.duration: [100 us, 40 us]
END
try 1 "a point that fails" sweep combined.yaml; prints "3 points, 1 failed, 0 missing"
lines "3,few,50 us,40 us,failed,the warm-up does not end before the run does" \
    "the message of a failed point is not there" < <(tail -1 combined.sweep/results/points.csv)
try 1 "a point that has failed" sweep combined.yaml; prints "0 run now, 4 before"
# Such a combination is no mistake of the plan either if its values come first, or if one is valid only with some others.
cat >combined.yaml <<'END'
plan: combined-first
base: base.yaml
axes:
  - run.warmup: [50 us, 0 us]
  - run.duration: [40 us, 100 us]
  - vms.a.start: [0 us, 1 us]
END
try 1 "points that fail first" sweep combined.yaml; prints "6 points, 2 failed, 0 missing"
sed -i 's/-first/-once/; s/50 us, 0 us/0 us, 50 us/; s/40 us, 100/40 us, 30 us, 100/' combined.yaml
try 1 "a value that is right with one other" sweep combined.yaml; prints "8 points, 4 failed, 0 missing"
cat >fits.yaml <<'END'
plan: fits
base: other.yaml
keep: [host]
axes:
  - devices.0.sm.threads: [2048, 512]
  - workloads.mine.kernels.k.threads: [256, 1024]
END
try 1 "a block that fits no SM" sweep --models models fits.yaml; prints "4 points: 4 run now"; prints "3 points, 1 failed"
sed -i 's/blocks: 201/blocks: 202/' models/workloads/mine.yaml
try 1 "what has failed depends on its workloads, too" sweep --models models fits.yaml; prints "4 points: 4 run now"

# Every subject that can be kept has a file and a table.
cat >nodes.yaml <<'END'
scenario: few-nodes
nodes: [{name: n, gpus: 2, count: 2}]
policies: [first_fit]
pods: [{name: p, gpus: 1, duration: 1 s, count: 3}]
---
plan: nodes
keep: [node, cluster, bound]
axes: [{pods.p.count: [3, 5]}]
END
try 0 "a sweep over a cluster" sweep nodes.yaml
if [ "$(ls nodes.sweep/results | tr '\n' ' ')" = "bounds.csv cluster.csv manifest.json nodes.csv points.csv sweep.db " ]; then ok; else bad "files of nodes" "$(ls nodes.sweep/results)"; fi
lines "0,few-nodes,3,kernels_per_s,,,,,pods launch no kernels
0,few-nodes,3,blocks_per_s,,,,,pods launch no kernels" "bounds where there are none" < <(sed -n 2,3p nodes.sweep/results/bounds.csv)
lines "n1 n2 n1 n2 " "rows of nodes" < <(sed 1d nodes.sweep/results/nodes.csv | cut -d, -f6 | tr '\n' ' ')

# Two kernels share a name: c of VM a/b, and b/c of VM a.
cat >names.yaml <<'END'
workload: one
kernels: [{name: c, blocks: 200, threads: 128, block_time: 10 us, demand: {fp32: 9 %}}]
---
workload: two
kernels: [{name: b/c, blocks: 100, threads: 128, block_time: 20 us, demand: {fp32: 9 %}}]
---
scenario: same
devices: [{model: v100, sms: 4}]
policies: [round_robin, fine_grained]
vms: [{name: a/b, workload: one}, {name: a, workload: two}]
---
plan: names
keep: [kernel, bound]
axes: [{vms.0.repeat: [1, 2]}]
END
try 0 "kernels of one name" sweep names.yaml
python3 - <<'END' && ok || bad "kernels of one name are mixed"
import csv, sqlite3
rows = [(int(r["point"]), r["policy"], r["kernel"], float(r["blocks_per_s"])) for r in csv.DictReader(open("names.sweep/results/kernels.csv"))]
database = sqlite3.connect("names.sweep/results/sweep.db")
for table in "kernel", "kernel_mean":
    found = sorted(database.execute(f"SELECT point, policy, name, blocks_per_s FROM {table}"))
    assert len(found) == 8 and len(set(found)) == 8 and {row[2] for row in found} == {"a/b/c"}, (table, found)
    assert all(abs(a[3] / b[3] - 1) < 1e-9 and a[:3] == b[:3] for a, b in zip(found, sorted(rows))), (table, found, rows)
assert database.execute("SELECT count(*) FROM kernel_change").fetchone()[0] == 4
assert database.execute("SELECT count(*) FROM bound WHERE steady_per_s > 0 AND no_bound_because = ''").fetchone()[0] == 6
assert database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'gap'").fetchone()[0] == 0 # there is no host
END

# What a plan asks decides which policy is best, and is kept with the results; without it, what each scenario asks.
asks() { # NAME [ANSWER]
    { base | sed '/^expect/d'
      base | sed -n '/^scenario/,/^run/p' | sed -e 's/^scenario: few/scenario: other/' -e '1i ---' -e '$a answer: {metric: kernels_per_s, of: b, better: lower}'
      printf -- '---\nplan: %s\n%s\naxes: [{vms.a.repeat: [2, 4]}]\n' "$1" "${2:+answer: $2}"; } >"$1.yaml"
    try 0 "a plan that asks" sweep --quiet "$1.yaml"
}
asks own
asks fair '{metric: fairness_ratio, better: lower}'
asks tenant '{metric: normalized_progress_ratio, of: a}'
asks unkept "{metric: usage_ratio, of: fp32, better: higher}"
cp -r fair.sweep asked.sweep
sed 's/fairness_ratio, better: lower/stp_ratio/; s/^plan: .*/plan: asked/' fair.yaml >asked.yaml
try 0 "another question" sweep asked.yaml; prints "4 points: 4 run now"
python3 - <<'END' && ok || bad "the best policy is not the best of what is asked"
import csv, json, sqlite3, statistics
def means(plan, file, name, metric):
    values = {}
    for row in csv.DictReader(open(f"{plan}.sweep/results/{file}.csv")):
        if name in (row.get("vm"), row.get("host")):
            values.setdefault((int(row["point"]), row["policy"]), []).append(float(row[metric] or "nan"))
    return {key: statistics.mean(of) for key, of in values.items()}
def check(plan, points, file, name, metric, choose):
    database = sqlite3.connect(f"{plan}.sweep/results/sweep.db")
    have = {point: of for point, *of in database.execute("SELECT point, policy, subject, name, metric, value FROM best")}
    assert sorted(have) == [0, 1, 2, 3], (plan, have)
    value = means(plan, file, name, metric)
    for point in points:
        policy, subject, of, which, best = have[point]
        of_point = {p: v for (at, p), v in value.items() if at == point}
        assert len(of_point) == 2 and (subject + "s", of, which) == (file, name, metric), (plan, have[point])
        assert abs(best / choose(of_point.values()) - 1) < 1e-9 and abs(of_point[policy] / best - 1) < 1e-9, (plan, have[point], of_point)
    return json.load(open(f"{plan}.sweep/results/manifest.json")).get("answer"), dict(database.execute("SELECT key, value FROM meta")).get("answer")
assert check("own", (0, 1), "hosts", "host", "stp_ratio", max) == (None, None)
assert check("own", (2, 3), "vms", "b", "kernels_per_s", min) == (None, None)
manifest, meta = check("fair", range(4), "hosts", "host", "fairness_ratio", min)
assert manifest == json.loads(meta) == {"metric": "fairness_ratio", "of": None, "better": "lower"}, (manifest, meta)
manifest, meta = check("tenant", range(4), "vms", "a", "normalized_progress_ratio", max)
assert manifest == json.loads(meta) == {"metric": "normalized_progress_ratio", "of": "a", "better": None}, (manifest, meta)
check("asked", range(4), "hosts", "host", "stp_ratio", max)
rows = sqlite3.connect("unkept.sweep/results/sweep.db").execute("SELECT subject, name, metric, value FROM best").fetchall()
assert len(rows) == 4 and all(row[:3] == ("resource", "fp32", "usage_ratio") and row[3] > 0 for row in rows), rows
END
# Of equal ones the first is best.
asks same '{metric: kernels_per_s}'
python3 - <<'END' && ok || bad "of equal policies the first is best"
import sqlite3
database = sqlite3.connect("same.sweep/results/sweep.db")
database.execute("UPDATE answer SET value = 5")
assert {policy for (policy,) in database.execute("SELECT policy FROM best")} == {"round_robin"}
END
# Its page begins with that; points that ask different things have no answer in common.
for plan in own fair tenant; do try 0 "a page of what is asked" report "$plan.sweep" --format json; echo "$output" >"$plan.json"; done
python3 - <<'END' && ok || bad "a page does not begin with what its plan asks"
import json
own, fair, tenant = (json.load(open(f"{plan}.json")) for plan in ("own", "fair", "tenant"))
assert "answer" not in own, own["answer"]
assert fair["answer"] == {"subject": "host", "name": "host", "metric": "fairness_ratio", "better": -1}, fair["answer"]
assert tenant["answer"] == {"subject": "vm", "name": "a", "metric": "normalized_progress_ratio", "better": 1}, tenant["answer"]
view = next(view for view in fair["subjects"] if view["subject"] == "host")
m = view["metrics"].index("fairness_ratio")
best = {row[1]: row[9][m] + row[10][m] for row in view["overall"]}
import sqlite3
rows = sqlite3.connect("fair.sweep/results/sweep.db").execute("SELECT position, count(*) FROM best JOIN answer USING (point, policy) GROUP BY position").fetchall()
assert all(best[position] >= count for position, count in rows), (best, rows)
assert next(view for view in tenant["subjects"] if view["subject"] == "vm")["names"][0] == "a"
END

# Values of axes.
cat >values.yaml <<'END'
plan: values
base: base.yaml
seed: 3
keep: [host]
axes:
  - run.duration: {from: 100 us, to: 100000 us, steps: 4, scale: log}
  - vms.a.streams: {from: 1, to: 7, step: 3}
  - devices.0.sms: {from: 1, to: 8, steps: 3, scale: log, whole: true}
END
try 0 "ranges" sweep values.yaml
lines "100 us
1000 us
10000 us
100000 us" "equal ratios" < <(sed 1d values.sweep/results/points.csv | cut -d, -f3 | uniq)
lines "1,1
1,3
1,8
4,1
4,3
4,8
7,1
7,3
7,8" "steps" < <(sed 1d values.sweep/results/points.csv | head -9 | cut -d, -f4,5)
cat >zero.yaml <<'END'
plan: zero
base: base.yaml
keep: [host]
axes:
  - vms.a.start: {from: 0.3 ms, to: 0 ms, step: -0.1 ms}
END
try 0 "a range that ends at 0" sweep zero.yaml
lines "0.3 ms
0.2 ms
0.1 ms
0 ms" "0 is a rounding error" < <(sed 1d zero.sweep/results/points.csv | cut -d, -f3)
cat >drawn.yaml <<'END'
plan: drawn
base: base.yaml
axes:
  - sobol: {points: 4, of: {contention.slope: {from: 1, to: 3}, queue: [fifo, interleave]}}
END
try 0 "Sobol's points" sweep drawn.yaml
lines "2,interleave
2.5,fifo
1.5,interleave
1.75,fifo" "Sobol's points are others" < <(sed 1d drawn.sweep/results/points.csv | cut -d, -f3,4)
random() {
    printf 'plan: random\nbase: base.yaml\nkeep: [host]\naxes:\n  - random: {points: 5, of: {%s}}\n' "$1" >random.yaml
    try 0 "random points" sweep random.yaml
}
random 'contention.slope: {from: 1, to: 3}'
sed 1d random.sweep/results/points.csv | cut -d, -f3 >alone
random 'vms.a.start: {from: 1 us, to: 9 us, scale: log}, contention.slope: {from: 1, to: 3}'
lines "$(cat alone)" "a second random field changes the first" < <(sed 1d random.sweep/results/points.csv | cut -d, -f4)
if [ "$(sort -u alone | wc -l)" = 5 ] && awk '$1 < 1 || $1 >= 3 { exit 1 }' alone; then ok; else bad "random values" "$(cat alone)"; fi
# Whole numbers are drawn equally often, including the ends. With 4096 Sobol points the counts are equal to within a point.
for range in "from: 1, to: 8" "from: 8, to: 1"; do
    printf 'plan: whole\nbase: base.yaml\nkeep: [host]\naxes:\n  - sobol: {points: 4096, of: {devices.0.sms: {%s, whole: true}}}\n' "$range" >whole.yaml
    try 0 "a point of many that are drawn whole" sweep --quiet --shard 1/4096 whole.yaml
    try 1 "all of them" sweep merge --quiet whole.yaml
    if sed 1d whole.sweep/results/points.csv | cut -d, -f3 | sort -n | uniq -c | awk '$1 < 511 || $1 > 513 || $2 != NR { exit 1 } END { exit NR != 8 }'; then ok
    else bad "whole numbers are not drawn equally often" "$(cut -d, -f3 whole.sweep/results/points.csv | sort -n | uniq -c)"; fi
done
mixes() {
    cat >mixes.yaml <<END
plan: mixes
base: base.yaml
keep: [host]
axes:
  - mixes: {into: [vms.a.repeat, vms.b.repeat], of: [1, 2, 3], $1}
END
    rm -rf mixes.sweep
    try 0 "mixes, $1" sweep mixes.yaml
    sed 1d mixes.sweep/results/points.csv | cut -d, -f3,4 | tr '\n' ' ' >mixed.txt
}
mixes 'repeat: false'
lines "1,2 1,3 2,3 " "pairs" < <(cat mixed.txt)
mixes 'repeat: true'
lines "1,1 1,2 1,3 2,2 2,3 3,3 " "pairs with repetition" < <(cat mixed.txt)
mixes 'draws: 50'
lines "1,2 1,3 2,3 " "drawn pairs" < <(cat mixed.txt | tr ' ' '\n' | sort -u | tr '\n' ' ')

# One process per shard, and progress. Both need a sweep that does not end soon.
cat >long.yaml <<'END'
plan: long
base: base.yaml
replications: 10
axes:
  - vms.a.repeat: [1, 1000000000]
  - run.seed: {from: 1, to: 1000, step: 1}
END
python3 - "$smsched" <<'END' && ok || bad "progress, locks or interruption"
import os, pty, re, signal, subprocess, sys
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], [sys.argv[1], "sweep", "--jobs", "1", "long.yaml"])
said = b""
while not re.search(rb"\d+ of 2000 points, \S+/s, .* left", said):
    said += os.read(fd, 4096)
def smsched(*args):
    return subprocess.run([sys.argv[1], *args], capture_output=True, text=True)
second = smsched("sweep", "long.yaml")
assert second.returncode == 4 and "another process is running this shard" in second.stderr, second
status = smsched("sweep", "status", "long.yaml")
assert status.returncode == 1 and "running" in status.stdout, status
os.kill(pid, signal.SIGINT)
try:
    while os.read(fd, 4096):
        pass
except OSError:
    pass
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
assert code == 130, code
sweep = subprocess.Popen([sys.argv[1], "sweep", "--quiet", "--jobs", "1", "--out", "cut", "long.yaml"],
                         stderr=subprocess.PIPE, text=True)
while not re.search(r"\.db: [1-9]", smsched("sweep", "status", "--out", "cut", "long.yaml").stdout):
    pass
sweep.send_signal(signal.SIGINT)
said = sweep.communicate()[1]
assert sweep.returncode == 130, sweep.returncode
kept = re.fullmatch(r"long.yaml: error: interrupted; (\d+) of 2000 points are saved; the same command continues\n", said)
assert kept and int(kept[1]) > 0, said
status = smsched("sweep", "status", "--out", "cut", "long.yaml").stdout
assert f"2000 points: {kept[1]} done" in status, (said, status)
END

# Wrong arguments.
for wrong in 0/3 4/3 3 1/2/3 a/b 1/ /2 -1/2 1/99999; do try 2 "--shard $wrong" sweep --shard $wrong many.yaml; prints "is not K/N"; done
try 2 "no plan" sweep; prints "name a plan"
try 2 "two plans" sweep many.yaml key.yaml
try 2 "a shard of a merge" sweep merge --shard 1/2 many.yaml
try 3 "a scenario for a plan" sweep base.yaml; prints "has no document with 'plan:'"
try 3 "a plan for a scenario" run many.yaml; prints "many.yaml: error: this is a plan"; prints "'smsched sweep many.yaml' runs it"
try 0 "plans are counted" validate many.yaml base.yaml; prints "2 files checked, 1 plan, 1 scenario"
sed 's/base.yaml/none.yaml/' many.yaml >none-base.yaml
try 3 "a base that is not there" sweep none-base.yaml; prints "none-base.yaml:2:7: error: none.yaml: No such file or directory"

# The plans in the repository: one is run to its end. tests/docs.py runs the queries of docs/how-to/sweeps.md on it.
try 0 "the example plans" validate --quiet "$source"/scenarios/sweeps/*.yaml
pools() { # prints pools of all programs of the library that were profiled on a device
    for plan in pairs$2 triples$2; do
        (cd "$source" && grep -o "$1/[a-z0-9_]*" scenarios/sweeps/$plan.yaml | sort -u) >pool
        lines "$(cd "$source/models/workloads" && find "$1" -name '*.yaml' | sed 's/.yaml//' | sort)" "$plan has other programs" <pool
    done
}
pools gtx1080ti ""
pools v100 -v100
try 0 "an example plan" sweep "$source/scenarios/sweeps/load.yaml"; prints "8 points, 0 failed, 0 missing"
python3 - <<'END' && ok || bad "the database's tables equal the CSV files"
import csv, sqlite3
database = sqlite3.connect("load.sweep/results/sweep.db")
for table, name in (("host", "hosts"), ("vm", "vms"), ("point", "points")):
    rows = list(csv.DictReader(open(f"load.sweep/results/{name}.csv")))
    assert database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == len(rows), table
for row in csv.DictReader(open("load.sweep/results/vms.csv")):
    value, = database.execute("SELECT job_latency_p99_ns FROM vm WHERE (point, policy, replication, name) = (?, ?, ?, ?)",
                              (row["point"], row["policy"], row["replication"], row["vm"])).fetchone()
    assert abs(value - float(row["job_latency_p99_ns"])) <= 1e-9 * value, row
END

# Special files stand where a store should be.
mkdir fifo.sweep
mkfifo fifo.sweep/1-of-1.$here.db fifo.sweep/2-of-3.$here.db
try 4 "a FIFO for a store" sweep "$source/scenarios/sweeps/load.yaml" --out fifo.sweep; prints "is not a regular file"
try 3 "the status of a FIFO" sweep status "$source/scenarios/sweeps/load.yaml" --out fifo.sweep; prints "is not a regular file"

# Where an axis moves the speed alone, by which the metric divides, the sweep says so: of that metric, that axis, those tenants.
for metric in stp_ratio kernels_per_s; do
    { base | sed "s/^    *- {name: k.*//; s/, repeat: 4},/, repeat: forever, start: 0 us},/; s/run: {/run: {duration: 1 ms, /"
      printf -- '---\nplan: %s\nanswer: {metric: %s}\naxes: [{contention.slope: [1, 2, 4]}, {policies.fine_grained.limit: [75 %%, 150 %%]}]\n' $metric $metric; } >alone_$metric.yaml
done
try 0 "a sweep whose denominator moves" sweep alone_stp_ratio.yaml --out alone_stp
line=$(grep "speed alone" <<<"$output")
if python3 - "$line" <<'END'
import csv, re, sys
speed = {}
for row in csv.DictReader(open("alone_stp/results/vms.csv")):
    if row["replication"] == "0" and row["policy"] == "round_robin":
        speed.setdefault(row["vm"], {}).setdefault(float(row["contention.slope"]), []).append(float(row["alone_blocks_per_s"]))
words = []
for name, at in speed.items():
    mean = {slope: sum(of) / len(of) for slope, of in at.items()}
    least = min(mean.values()) / mean[1] - 1
    assert least < -0.1 and max(mean.values()) == mean[1], mean
    words.append(f"{name} by {round(100 * least)} to 0 %")
want = "the speed alone, which stp_ratio divides by, moves along contention.slope: " + ", ".join(words) + "; kernels_per_s does not divide by it"
assert sys.argv[1] == want, (sys.argv[1], want)
END
then ok; else bad "what is said of the speed alone" "$output"; fi
try 0 "its page" report alone_stp --format json
if python3 -c 'import json, sys; rows = json.load(sys.stdin)["alone"]["rows"]; assert [r[:2] for r in rows] == [["contention.slope", "a"], ["contention.slope", "b"]] and rows[0][2] < -0.1' <<<"$output"; then ok; else bad "the page has it not" "$output"; fi
# An axis is not blamed for what another one does: where points are missing, or each point changes both.
"$smsched" sweep --quiet --shard 1/5 --out alone_part alone_stp_ratio.yaml # points 0 and 5, which differ in both
try 1 "a merge of a part" sweep merge --out alone_part alone_stp_ratio.yaml; silent "speed alone"
for shard in 1 3 4 5 6; do "$smsched" sweep --quiet --shard $shard/6 --out alone_gap alone_stp_ratio.yaml; done # without slope 1 at limit 150 %
try 1 "a merge without a first value" sweep merge --out alone_gap alone_stp_ratio.yaml
if grep -qxF "$line" <<<"$output"; then ok; else bad "first values of two lines are mixed" "$output"; fi
sed 's/^axes: .*/axes: [sobol: {points: 4, of: {contention.slope: {from: 1, to: 4}, policies.fine_grained.limit: [75 %, 150 %]}}]/' alone_stp_ratio.yaml >alone_drawn.yaml
try 0 "fields that are drawn together" sweep --out alone_drawn alone_drawn.yaml; silent "speed alone"
try 0 "its figure" plot alone_stp --quiet
if grep -q "unlike" alone_stp/plots/curve-contention.slope.gp && ! grep -q "unlike" alone_stp/plots/curve-policies.fine_grained.limit.gp; then ok; else bad "the figure does not say it"; fi
try 0 "a sweep of throughput" sweep alone_kernels_per_s.yaml --out alone_kernels
if grep -q "speed alone" <<<"$output"; then bad "throughput divides by nothing" "$output"; else ok; fi

finish
