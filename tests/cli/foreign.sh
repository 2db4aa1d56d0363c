#!/usr/bin/env bash
# Results and sweeps that somebody else wrote: wrong kinds of files, and files built to cost far more than their size.
# Usage: foreign.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
program=$(realpath "$1")
cd "$work" || exit 1
here=$(hostname)

# Kills what hangs. The limit is far above what each command needs now, and far below what each once needed.
smsched() { limited 200 "$program" "$@"; }
# ends WHAT ARGUMENT...: checks that the command ends, and gives a reason if it fails.
ends() {
    local what=$1
    shift
    output=$(smsched "$@" 2>&1 </dev/null)
    status=$?
    if [ $status -gt 100 ]; then bad "$what" "exit $status: $output"; elif [ $status -ne 0 ] && [ -z "$output" ]; then bad "$what says nothing"; else ok; fi
}
smsched=smsched
refused() { local what=$1; shift; ends "$what" "${@:2}"; if [ $status -eq 3 ]; then ok; else bad "$what" "exit $status: $output"; fi; prints "$1"; }

cat >small.yaml <<'END1'
workload: one
kernels: [{name: k, blocks: 20, threads: 128, block_time: 10 us, demand: {fp32: 9 %}}]
---
scenario: small
devices: [{model: v100, sms: 2}]
contention: proportional
policies: [round_robin, {fine_grained: {limit: 90 %}}]
vms: [{name: a, workload: one, repeat: 2}, {name: b, workload: one, repeat: 1}]
---
workload: steps
steps: [{allocate: 1 GiB}, {host: 1 ms}, {copy_in: 4 MB}, {launch: k}]
kernels: [{name: k, blocks: 20, threads: 128, block_time: 10 us, demand: {fp32: 9 %}}]
---
scenario: shares
devices: [{model: v100, sms: 2}]
contention: proportional
policies: [{mode: time_slice}]
processes: [{name: p, workload: steps}]
END1
sed '/^workload: steps/,$d' small.yaml | sed '$d' >base.yaml
cat >plan.yaml <<'END1'
plan: plan
base: base.yaml
axes: [contention.slope: [1, 2, 3]]
END1
"$program" run --quiet --out run small.yaml || exit 1
"$program" sweep --quiet plan.yaml || exit 1

# ---- wrong kinds of files ----
make_odd() { # KIND PATH
    rm -rf "$2"
    case $1 in
        FIFO) mkfifo "$2" ;;
        link) ln -s nowhere "$2" ;;
        device) ln -s /dev/zero "$2" ;;
        folder) mkdir "$2" ;;
        socket) python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])' "$2" ;;
    esac
}
for kind in FIFO link device folder socket; do
    for file in manifest.json summary.json comparison.json vms.csv hosts.csv resources.csv heatmap.csv timeline.csv waits.csv processes.csv spans.csv cluster.csv placements.csv allocation.csv latencies.csv; do
        cp -r run odd
        make_odd $kind odd/$file
        ends "report of a folder whose $file is a $kind" report odd --quiet -o odd.html
        ends "plot of a folder whose $file is a $kind" plot odd --quiet --format svg
        rm -rf odd
    done
    for file in merge.lock 1-of-1.$here.db 1-of-1.$here.db-journal 1-of-1.$here.db-wal 1-of-1.$here.lock 2-of-3.$here.db results/manifest.json results/sweep.db results/sweep.db-journal results/sweep.db-wal; do
        cp -r plan.sweep odd
        make_odd $kind odd/$file
        ends "status of a sweep whose $file is a $kind" sweep status --out odd plan.yaml
        ends "merge of a sweep whose $file is a $kind" sweep merge --quiet --out odd plan.yaml
        ends "report of a sweep whose $file is a $kind" report odd --quiet -o odd.html
        rm -rf odd
    done
done
cp -r run odd
make_odd FIFO odd/comparison.json; refused "a FIFO" "is a FIFO" report odd -o odd.html
make_odd socket odd/comparison.json; refused "a socket" "is a socket" report odd -o odd.html
make_odd device odd/comparison.json; refused "a device" "is a device" report odd -o odd.html
make_odd folder odd/comparison.json; refused "a folder" "is a folder" report odd -o odd.html
make_odd link odd/manifest.json; refused "a link" "a symbolic link to a file that does not exist" report odd -o odd.html
refused "a baseline that is a FIFO" "is a FIFO" check small.yaml --baseline <(cat small.yaml)
rm -rf odd

"$program" run --quiet --format csv small.yaml >baseline.csv
ends "a baseline" check small.yaml --baseline baseline.csv
if [ $status -eq 0 ]; then ok; else bad "a baseline" "$output"; fi

# ---- files that once cost far more than their size ----
python3 - <<'END1'
import shutil, sqlite3, struct
def fresh(name, source="run"):
    shutil.copytree(source, name)
    return name + "/"
# Stores of a shard: what their schemas run, and pages that are used again and again.
def store(name, *script):
    base = sqlite3.connect(fresh(name, "plan.sweep") + "1-of-1.other.db")
    for sql in script:
        base.execute(sql)
    base.commit()
    return name + "/1-of-1.other.db"
endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS id, 0 AS point, 0 AS name, x'' AS key, 0 AS failed, '' AS models, x'' AS content, x'' AS sum FROM n"
record = "CREATE TABLE record (id INTEGER PRIMARY KEY, point INTEGER, name INTEGER, key BLOB, failed INTEGER, models TEXT, whole INTEGER, content BLOB, sum BLOB)"
store("store-view", f"CREATE VIEW record AS {endless}")
store("store-trigger", record, "CREATE TRIGGER again AFTER INSERT ON record BEGIN DELETE FROM record; END")
store("store-virtual", record, "CREATE VIRTUAL TABLE other USING fts5(a)")
store("store-wal", "PRAGMA journal_mode = WAL", record)
looped = store("store-looped", record, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) INSERT INTO record SELECT i, 0, 0, x'', 0, hex(zeroblob(500)), 0, x'', x'' FROM n")
# As many names as rows: 16 MB once took minutes.
with open(fresh("names") + "timeline.csv", "w") as file:
    file.write("scenario,policy,device,sm,vm,start_ns,end_ns,blocks\n")
    for i in range(300000):
        file.write(f"small,round_robin,0,0,a name that is rather long {i},{i},{i + 1},1\n")
for column in ("scenario", "policy", "vm"):
    with open(fresh("many-" + column) + "vms.csv", "w") as file:
        file.write("scenario,policy,vm,kernels_per_s,ci95_kernels_per_s\n")
        for i in range(30000):
            row = dict(scenario="small", policy="round_robin", vm="a")
            row[column] += str(i)
            file.write(",".join(row.values()) + ",1,\n")
with open(fresh("many-spans") + "spans.csv", "w") as file:
    file.write("scenario,policy,process,state,start_ns,end_ns\n")
    for i in range(30000):
        file.write(f"small,p{i},process{i},state{i},{i},{i + 1}\n")
# A tree that needs 100 bytes of memory for each byte of the file.
with open(fresh("deep") + "summary.json", "w") as file:
    file.write("[" + "[]," * 20000000 + "[]]")
# A baseline that repeats one value, and once took a kilobyte of memory for each row.
rows = open("baseline.csv").read().splitlines()
row = next(row for row in rows if ",kernels_per_s," in row)
with open("again.csv", "w") as file:
    file.write(rows[0] + "\n" + (row + "\n") * 200000)
# Databases whose views, columns and tables run code.
def database(name, *script):
    shutil.copytree("plan.sweep", name)
    base = sqlite3.connect(name + "/results/sweep.db")
    for sql in script:
        base.execute(sql)
    base.commit()
forever = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
database("view", "DROP VIEW gap", f"CREATE VIEW gap AS {forever} SELECT i AS point, 0 AS position, '' AS metric, 0 AS gap_ratio FROM n")
database("meta", "DROP TABLE meta", f"CREATE VIEW meta AS {forever} SELECT '' AS key, '' AS value FROM n")
database("points", "ALTER TABLE point RENAME TO old", f"CREATE VIEW point AS {forever} SELECT i AS point, '' AS scenario, 'done' AS state, '' AS message FROM n")
database("virtual", "CREATE VIRTUAL TABLE other USING fts5(a)")
database("computed", "CREATE TABLE other (a, b AS (a + 1))")
database("columns", "DROP TABLE bound", "CREATE TABLE bound (" + ",".join(f"c{i}" for i in range(1000)) + ")")
# A tree in which all branches are the same page: endless rows in a small file.
base = sqlite3.connect(shutil.copytree("plan.sweep", "looped") + "/results/sweep.db")
base.execute("CREATE TABLE long (a)")
base.executemany("INSERT INTO long VALUES (?)", (("x" * 1000,) for i in range(20000)))
base.commit()
base.close()
def loop(path, table):
    base = sqlite3.connect(path)
    (root,) = base.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    base.close()
    with open(path, "r+b") as file:
        loop_pages(file, root)
def loop_pages(file, root):
    head = file.read(100)
    page = struct.unpack(">H", head[16:18])[0]
    at = (root - 1) * page
    file.seek(at)
    kind, _, cells, content = struct.unpack(">BHHH", file.read(7))
    assert kind == 5 and cells > 2, (kind, cells)
    file.seek(at + 12)
    pointers = struct.unpack(f">{cells}H", file.read(2 * cells))
    file.seek(at + pointers[0])
    first = file.read(4)
    for pointer in pointers:
        file.seek(at + pointer)
        file.write(first)
loop("looped/results/sweep.db", "long")
loop(looped, "record")
END1
for what in view trigger virtual; do
    refused "a store with a $what" "1-of-1.other.db: error: has tables other than a shard's; move it away" sweep status --out store-$what plan.yaml
done
refused "a store with a write-ahead log" "1-of-1.other.db: error: is not the database of a shard" sweep status --out store-wal plan.yaml
refused "a store whose pages are used twice" "1-of-1.other.db: error: is damaged" sweep status --out store-looped plan.yaml
for what in names many-scenario many-policy many-vm many-spans; do
    ends "report of $what" report $what --quiet -o $what.html
done
for what in names many-vm; do ends "plot of $what" plot $what --quiet --format svg; done
refused "too many policies" "more than 2000 rows, too many for the figure throughput" plot many-policy
refused "too many panels" "more than 2000 panels, too many for the figure processes-small" plot many-spans
refused "a tree far larger than its file" "take more than 2 GiB of memory" report deep -o refused.html
refused "one row of a baseline again and again" "far more rows than the results have values" check small.yaml --baseline again.csv
ends "a view without end, which the report does not read" report view --quiet -o view.html
if [ $status -eq 0 ]; then ok; else bad "a view that is not read" "$output"; fi
refused "a view for a table" "is it the database of a sweep?" report meta -o refused.html
refused "a view for the points" "is it the database of a sweep?" report points -o refused.html
refused "a virtual table" "has a virtual table, other" report virtual -o refused.html
refused "a computed column" "has a computed column, other.b" report computed -o refused.html
refused "a table of a thousand columns" "too many columns" report columns -o refused.html
refused "pages that are used twice" "is damaged" report looped -o refused.html

finish
