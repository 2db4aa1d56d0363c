#!/usr/bin/env bash
# However the program writes, no file is lost and none is left half written. Usage: files.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
source=$PWD
cd "$work" || exit 1

cat >short.yaml <<'END'
workload: load
kernels: [{name: grind, blocks: 400, threads: 128, registers: 32, block_time: 10 us, jitter: 5 %, demand: {fp32: 20 %}}]
---
scenario: short
devices: [{model: v100}]
contention: {model: proportional, slope: 1}
policies: [round_robin]
vms: [{name: a, workload: load, repeat: 5}, {name: b, workload: load, repeat: 5}]
run: {replications: 3}
expect: [{metric: kernels_per_s, policy: round_robin, min: 1}]
END
cat >plan.yaml <<'END'
plan: small
base: short.yaml
axes:
  - contention.slope: [1, 2, 3]
END
"$smsched" run --quiet --out results short.yaml 2>err || bad "results to work with" "$(cat err)"
same_tree() { if diff -r "$1" "$2" >diff; then ok; else bad "$3" "$(head -5 diff)"; fi; }
# left FOLDER WHAT: checks that the folder has no temporary file.
left() { if compgen -G "$1/*.partial-*" >/dev/null; then bad "$2 leaves something behind" "$(ls "$1")"; else ok; fi; }
left_by_a_killed_one=partial-$(uname -n | cut -c1-16)-0123abcd

# A folder that the program did not make is never touched, and no point is run before it is refused.
mkdir -p own/results/deep
echo mine >own/results/thesis.tex
echo too >own/results/deep/notes
cp -r own before
try 4 "a sweep into a folder with results of its own" sweep plan.yaml --quiet --out own
prints "own/results: error: holds"
same_tree own before "results of somebody else"
for kind in file link dangling; do
    mkdir "$kind"
    echo mine >"$kind/mine"
    case $kind in
        file) echo mine >"$kind/results" ;;
        link) ln -s "$work/own/results" "$kind/results" ;;
        dangling) ln -s nowhere "$kind/results" ;;
    esac
    try 4 "a $kind in the place of results" sweep plan.yaml --quiet --out "$kind"
    if [ "$kind" = file ]; then prints "$kind/results: error: is not a folder"; else prints "$kind/results: error: is a symbolic link; move it"; fi
    same_tree own before "what a $kind leads to"
    if [ -e "$kind/results" ] || [ -L "$kind/results" ]; then ok; else bad "the $kind is gone"; fi
done

# Files that a user adds to the program's results stay.
try 0 "a sweep" sweep plan.yaml --quiet
cp -r small.sweep/results first
mkdir small.sweep/results/deep
echo mine >small.sweep/results/notes.txt
echo too >small.sweep/results/deep/notes
ln -s notes.txt small.sweep/results/link
try 0 "a sweep of which nothing is missing" sweep plan.yaml --quiet
try 0 "a merge" sweep merge plan.yaml --quiet
for file in notes.txt deep/notes link; do
    if [ -e "small.sweep/results/$file" ]; then ok; else bad "$file is gone" "$(ls small.sweep/results)"; fi
done
left small.sweep "a merge beside notes"
rm -r small.sweep/results/{notes.txt,deep,link}
same_tree small.sweep/results first "results merged again"

# A file that the manifest does not list has a name that the program needs.
cat >other.yaml <<'END'
plan: other
base: with-processes.yaml
axes:
  - contention.slope: [1, 2, 3]
END
sed -e 's/vms: .*/processes: [{name: a, workload: load}]/' -e 's/^policies: .*/policies: [{block: round_robin}]/' -e '/^expect/d' -e 's/: short/: shared/' short.yaml >with-processes.yaml
echo mine >small.sweep/results/devices.csv
try 4 "a file in the way" sweep other.yaml --quiet --out small.sweep
prints "small.sweep/results: error: holds 'devices.csv', which smsched did not write"
if [ "$(cat small.sweep/results/devices.csv)" = mine ]; then ok; else bad "a file in the way is replaced"; fi
rm small.sweep/results/devices.csv
same_tree small.sweep/results first "results beside a file in the way"

# the leak sanitizer does not work under strace
export ASAN_OPTIONS=detect_leaks=0

# A merge that is killed before any of its changes leaves complete results and every note.
changes=renameat2,rename,unlink,rmdir
if command -v strace >/dev/null; then
    for n in 1 2 3 4 5 6 7 8 9 10 11; do
        echo mine >small.sweep/results/notes.txt
        { strace -f -o /dev/null -e trace=$changes -e inject=$changes:signal=KILL:when=$n \
            "$smsched" sweep merge plan.yaml --quiet; } >/dev/null 2>&1
        try 0 "a report after a merge killed at its change $n" report small.sweep/results -o page.html --quiet
        for file in first/*; do
            if cmp -s "$file" "small.sweep/results/$(basename "$file")"; then ok; else bad "killed at change $n: $file"; fi
        done
        try 0 "a merge after that" sweep merge plan.yaml --quiet
        if [ "$(cat small.sweep/results/notes.txt)" = mine ]; then ok; else bad "killed at change $n: notes are gone"; fi
        rm small.sweep/results/notes.txt
        same_tree small.sweep/results first "merged after a kill at change $n"
        left small.sweep "a merge after one killed at change $n"
    done
    # The file system cannot exchange two folders.
    strace -f -o /dev/null -e trace=renameat2 -e inject=renameat2:error=EINVAL "$smsched" sweep merge plan.yaml --quiet
    exits 0 $? "a merge without an exchange of folders"
    same_tree small.sweep/results first "merged without an exchange of folders"
    left small.sweep "a merge without an exchange of folders"
    # Another writer takes the name between the look at it and the renaming: a run that may replace results does so.
    # Two plots at once keep each other's figures.
    late() { strace -f -o /dev/null -e trace=renameat2 -e inject=renameat2:delay_enter=3000000:when=1 "$smsched" "$@" 2>err.late; }
    (late run short.yaml --quiet --force --out raced; echo $? >raced.status) &
    for _ in {1..100}; do [ ! -e "$(compgen -G 'raced.partial-*/manifest.json')" ] || break; sleep 0.1; done
    try 0 "a run beside one that is late" run short.yaml --quiet --force --out raced
    wait $!
    if [ "$(cat raced.status)" = 0 ]; then ok; else bad "a late run beside another" "$(cat err.late)"; fi
    if diff -x manifest.json -r raced results >diff && "$smsched" report raced --quiet -o raced.html; then ok; else bad "results of two runs at once" "$(cat diff)"; fi
    (late run short.yaml --quiet --out taken; echo $? >raced.status) &
    for _ in {1..100}; do [ ! -e "$(compgen -G 'taken.partial-*/manifest.json')" ] || break; sleep 0.1; done
    try 0 "a run into a folder that another run will want" run short.yaml --quiet --out taken
    wait $!
    if [ "$(cat raced.status)" = 4 ] && grep -q "taken: error: exists already; name another folder" err.late; then ok; else bad "a late run without --force" "$(cat err.late)"; fi
    left . "runs at once"
    if command -v gnuplot >/dev/null; then
        "$smsched" plot results --quiet --out drawn --figures answer
        (late plot results --quiet --out drawn --figures throughput; echo $? >raced.status) &
        for _ in {1..100}; do [ ! -e "$(compgen -G 'drawn.partial-*/manifest.json')" ] || break; sleep 0.1; done
        try 0 "a plot beside one that is late" plot results --quiet --out drawn --figures utilization
        wait $!
        if [ "$(cat raced.status)" = 0 ]; then ok; else bad "a late plot beside another" "$(cat err.late)"; fi
        for name in answer throughput utilization; do
            if [ -s drawn/$name.svg ] && grep -q "\"$name.svg\"" drawn/manifest.json; then ok; else bad "two plots at once lose $name" "$(ls drawn)"; fi
        done
        left . "plots at once"
    fi
    # An entry that cannot be removed is no failure.
    strace -f -o /dev/null -e trace=unlink -e inject=unlink:error=EPERM "$smsched" sweep merge plan.yaml --quiet
    exits 0 $? "a merge over entries that cannot be removed"
    same_tree small.sweep/results first "merged over entries that cannot be removed"
    try 0 "a merge that can remove them" sweep merge plan.yaml --quiet
    same_tree small.sweep/results first "merged where they can be removed"
    left small.sweep "entries that could not be removed"
    # An interrupted merge says so.
    strace -f -o /dev/null -e trace=mkdir -e inject=mkdir:signal=INT:when=1 "$smsched" sweep merge plan.yaml --quiet >/dev/null 2>err
    exits 130 $? "SIGINT during a merge"
    same_tree small.sweep/results first "an interrupted merge"
    left small.sweep "an interrupted merge"
elif [ -n "${SMSCHED_INSIST-}" ]; then
    bad "strace is not installed"
fi

# Killed runs leave temporary files, which the next run removes. It does not touch those of a live writer.
mkdir killed
cp -r results "killed/results.$left_by_a_killed_one"
cp -r results "killed/other.$left_by_a_killed_one"
rm "killed/other.$left_by_a_killed_one/manifest.json" # killed before it was complete
: >"killed/page.html.$left_by_a_killed_one"
try 0 "a run after a killed one" run short.yaml --quiet --out killed/results
try 0 "a run after one killed early" run short.yaml --quiet --out killed/other
try 0 "a page after a killed one" report results --quiet -o killed/page.html
left killed "a killed run"
: >"killed/page.html.$left_by_a_killed_one"
exec 9<"killed/page.html.$left_by_a_killed_one"
flock -x 9
try 0 "a page beside another writer" report results --quiet -o killed/page.html
if [ -e "killed/page.html.$left_by_a_killed_one" ]; then ok; else bad "the file of another writer is removed"; fi
exec 9<&-

# Every command that writes a file, with targets of every kind. write COMMAND TARGET [OPTION]...
write() {
    local command=$1
    shift
    case $command in
        import) "$smsched" import pods "$source/tests/import/pods/fine/helios.csv" --columns helios --out "$@" ;;
        report) "$smsched" report results --quiet -o "$@" ;;
        trace) "$smsched" run short.yaml --quiet --trace "$@" ;;
        check) "$smsched" check short.yaml --quiet --junit "$@" ;;
    esac
}
# to COMMAND TARGET [BLOCKS [OPTION]...]: the same, with files of at most that many blocks. Its messages are in err.
to() {
    local said
    said=$(ulimit -f "${3:-unlimited}"; write "$1" "$2" "${@:4}" 2>&1 >/dev/null)
    local status=$?
    echo "$said" >err
    return $status
}
# Files that begin as ours do, and are not.
mkdir mine
printf '<!doctype html>\n<title>mine</title>\n' >mine/page.html
printf '<?xml version="1.0"?>\n<svg/>\n' >mine/drawing.svg
printf 'profile of mine\n' >mine/notes
gzip -c plan.yaml >mine/plan.gz
for command in import report trace check; do
    mkfifo "$command.fifo"
    timeout -s KILL 600 cat "$command.fifo" >"$command.read" &
    reader=$!
    exec 8>"$command.fifo" # waits for the reader
    to $command "$command.fifo"
    exits 0 $? "$command into a pipe"
    exec 8>&-
    wait $reader
    if [ -p "$command.fifo" ] && [ -s "$command.read" ]; then ok; else bad "$command replaces a pipe, or writes nothing to it"; fi
    to $command "$command.fifo"
    exits 4 $? "$command into a pipe that nobody reads"
    says "is a pipe without a reader" "$command into a pipe that nobody reads"
    to $command /dev/null
    exits 0 $? "$command into /dev/null"
    if [ -c /dev/null ]; then ok; else bad "$command replaces /dev/null"; fi
    to $command /dev/full
    exits 4 $? "$command into /dev/full"
    says "No space left" "$command into /dev/full"
    echo mine >victim
    ln -sf victim link.txt
    to $command link.txt
    exits 4 $? "$command over a link"
    says "is a link" "$command over a link"
    if [ "$(cat victim)" = mine ] && [ -L link.txt ]; then ok; else bad "$command writes through a link"; fi
    ln -sf nowhere dangling.link
    to $command dangling.link
    exits 4 $? "$command over a dangling link"
    if [ -e nowhere ]; then bad "$command writes through a dangling link"; else ok; fi
    chmod 444 victim
    to $command victim unlimited --force
    exits 4 $? "$command over a write-protected file"
    says "is write-protected" "$command over a write-protected file"
    if [ "$(cat victim)" = mine ]; then ok; else bad "$command replaces a write-protected file"; fi
    rm -f victim
    left . "$command over what is no file"
    rm -f older older.before private
    to $command older
    cp older older.before
    to $command older 0
    exits 4 $? "$command on a full disk"
    says "File too large" "$command on a full disk"
    if cmp -s older older.before; then ok; else bad "$command on a full disk: the older file is gone"; fi
    left . "$command on a full disk"
    cp plan.yaml own.yaml
    to $command own.yaml
    exits 2 $? "$command over a file of another kind"
    says "'own.yaml' exists and is not a" "$command over a file of another kind"
    if cmp -s own.yaml plan.yaml; then ok; else bad "$command replaces a file of another kind"; fi
    echo '{"mine": 1}' >own.yaml
    to $command own.yaml
    exits 2 $? "$command over JSON of another kind"
    for mine in mine/*; do
        cp "$mine" own.yaml
        to $command own.yaml
        exits 2 $? "$command over $mine"
    done
    cp plan.yaml own.yaml
    to $command own.yaml unlimited --force
    exits 0 $? "$command over a file of another kind with --force"
    : >own.yaml
    to $command own.yaml
    exits 0 $? "$command over an empty file"
    to $command own.yaml
    exits 0 $? "$command over a file of its own kind"
    (umask 077; to $command private)
    if [ "$(stat -c %a private)" = 600 ]; then ok; else bad "$command with umask 077: mode $(stat -c %a private)"; fi
    (umask 022; to $command private)
    if [ "$(stat -c %a private)" = 644 ]; then ok; else bad "$command with umask 022: mode $(stat -c %a private)"; fi
done
# A page that nobody named replaces no file of another kind either.
mkdir unnamed
echo mine >unnamed/report.html
(cd unnamed && "$smsched" report ../results --quiet) 2>err
exits 2 $? "report over a file of another kind"
if grep -q "'report.html' exists and is not a page" err && [ "$(cat unnamed/report.html)" = mine ]; then ok; else bad "report replaces a file of another kind" "$(cat err)"; fi
(cd unnamed && "$smsched" report ../results --quiet --force && "$smsched" report ../results --quiet)
exits 0 $? "report over a file of another kind with --force, and over a page"
(umask 077; "$smsched" run short.yaml --quiet --out private.results)
if [ "$(stat -c %a private.results private.results/*.csv | sort -u | xargs)" = "600 700" ]; then ok; else bad "a folder with umask 077" "$(ls -la private.results)"; fi
# A write-protected folder is not replaced either: what it holds could not be removed.
cp -r results protected
chmod a-w protected
try 4 "results over a write-protected folder" run short.yaml --quiet --force --out protected; prints "protected: error: is write-protected: it is not replaced"
same_tree protected results "a write-protected folder"
left . "a write-protected folder"
chmod u+w protected
ln -s nowhere results.link
try 4 "a dangling link for a results folder" run short.yaml --quiet --out results.link --events 1
prints "exists already"
# Nor does any other command run first and lose what it found.
pair=(v100/hotspot_512 v100/cfd_097k --device v100)
try 4 "advice into a folder that exists" advise "${pair[@]}" --events 1 --out results; prints "results: error: exists already"
try 4 "a calibration into a folder that exists" calibrate none.sqlite --device v100 --out results; prints "results: error: exists already"
try 4 "advice that fails" advise "${pair[@]}" --events 1 --out failed
try 3 "a calibration that fails" calibrate none.sqlite --device v100 --out failed
if compgen -G "failed*" >/dev/null; then bad "a failure leaves a folder" "$(ls -d failed*)"; else ok; fi

# An output that is an input of the same command is refused before anything is written, whatever its name.
mkdir inputs inputs/models inputs/models/workloads
cp short.yaml plan.yaml inputs
cp -r results small.sweep inputs
sed '/^---/,$d' short.yaml >inputs/models/workloads/load.yaml
sed '1,/^---/d' short.yaml >inputs/of-models.yaml
"$smsched" run short.yaml --format csv >inputs/base.csv
"$smsched" compare short.yaml --policy round_robin --policy leftover --format csv >inputs/pair.csv
cp "$source/tests/import/pods/fine/helios.csv" inputs
echo '{"traceEvents": []}' >inputs/trace.json
ln inputs/short.yaml inputs/hard.yaml
ln -s short.yaml inputs/link.yaml
cp -r inputs inputs.before
# refuses TEXT ARGUMENT...
refuses() {
    local text=$1
    shift
    try 2 "$*" "$@"; prints "$text"
    same_tree inputs inputs.before "$*"
    rm -rf inputs
    cp -r inputs.before inputs
    ln -f inputs/short.yaml inputs/hard.yaml
}
replaced="is what this command reads; name another"
for name in short.yaml ./short.yaml hard.yaml link.yaml results/../short.yaml short.yaml/; do
    refuses "--trace: 'inputs/$name' $replaced file" run inputs/short.yaml --quiet --trace "inputs/$name"
done
refuses "--trace: 'inputs/short.yaml' $replaced" run - --quiet --trace inputs/short.yaml <inputs/short.yaml
refuses "--trace: 'inputs/models/workloads/load.yaml' $replaced" run inputs/of-models.yaml --models inputs/models --quiet --force --trace inputs/models/workloads/load.yaml
refuses "--out: 'inputs/short.yaml' $replaced folder" run inputs/short.yaml --quiet --out inputs/short.yaml
refuses "--junit: 'inputs/short.yaml' $replaced" check inputs/short.yaml --junit inputs/short.yaml
refuses "--junit: 'inputs/base.csv' $replaced" check inputs/short.yaml --baseline inputs/base.csv --junit inputs/base.csv
refuses "--out: 'inputs/helios.csv' $replaced" import pods inputs/helios.csv --columns helios --out inputs/helios.csv
refuses "--out: 'inputs/trace.json' $replaced" import kineto inputs/trace.json --out inputs/trace.json
refuses "--out: 'inputs/base.csv' $replaced" import kineto inputs/trace.json --with inputs/base.csv --out inputs/base.csv
refuses "--out: 'inputs/small.sweep/results/sweep.db' $replaced" report inputs/small.sweep/results/sweep.db -o inputs/small.sweep/results/sweep.db
for file in summary.json manifest.json vms.csv; do
    refuses "is one of the results in its folder; name another file" report inputs/results -o inputs/results/$file
done
refuses "is one of the results in its folder" report inputs/small.sweep -o inputs/small.sweep/results/sweep.db
for out in results results/ ./results; do
    refuses "--out: 'inputs/$out' $replaced folder" plot inputs/results --out "inputs/$out"
done
refuses "$replaced folder" plot inputs/pair.csv --out inputs/pair.csv
refuses "$replaced folder" plot inputs/small.sweep --out inputs/small.sweep/results
refuses "$replaced folder" plot inputs/small.sweep/results/sweep.db --out inputs/small.sweep/results
refuses "$replaced folder" sweep inputs/plan.yaml --out inputs/plan.yaml
refuses "--out and --trace both name 'inputs/./new'" run inputs/short.yaml --quiet --out inputs/new --trace inputs/./new
refuses "--out and --trace both name 'inputs/new/'" run inputs/short.yaml --quiet --trace inputs/new/ --out inputs/new
for command in "run short.yaml --out" "run short.yaml --trace" "check short.yaml --junit" "report results -o" "plot results --out" "sweep plan.yaml --out"; do
    refuses ": the name is empty; see" $command ""
done
# Other names are fine, also a page among the results that it shows, and a file with the name of the format.
try 0 "a page among its results" report inputs/results --quiet -o inputs/results/page.html
try 0 "the same again" report inputs/results --quiet -o inputs/results/page.html
: >pods
try 0 "a file with the name of the format" import pods inputs/helios.csv --columns helios --out pods
rm -r inputs inputs.before pods

# Figures on a full disk, and with something in the way.
for size in 4 8 16; do
    (ulimit -f $size; "$smsched" plot results --quiet >/dev/null 2>err)
    exits 4 $? "figures of at most $size blocks"
    if [ -e results/plots ]; then bad "figures on a full disk are left"; else ok; fi
    left results "figures on a full disk"
done
try 0 "figures" plot results --quiet --format svg
cp results/plots/throughput.svg drawn.svg
echo mine >results/plots/mine.svg
try 0 "other figures beside them" plot results --quiet --format png
if [ -e results/plots/mine.svg ] && [ -e results/plots/throughput.svg ] && [ -e results/plots/throughput.png ]; then ok; else bad "figures are gone" "$(ls results/plots)"; fi
rm results/plots/manifest.json
try 4 "figures over what no manifest lists" plot results --quiet
if cmp -s drawn.svg results/plots/throughput.svg; then ok; else bad "a figure that no manifest lists is replaced"; fi
rm -r results/plots
ln -s "$work/own" results/plots
try 4 "figures through a link" plot results --quiet
same_tree own before "what a link for figures leads to"
rm results/plots

# A tiny disk, on which gnuplot fails silently.
if [ "$(id -u)" -eq 0 ] && mkdir disk && mount -t tmpfs -o size=600k none disk 2>/dev/null; then
    trap 'umount "$work/disk"; rm -rf "$work"' EXIT
    cp -r results disk/results
    drawn=0
    for room in 0 8 24 60 120 200; do
        rm -rf disk/results/plots disk/full
        head -c 1M /dev/zero >disk/full 2>/dev/null
        truncate -s "-${room}K" disk/full
        "$smsched" plot disk/results --quiet >/dev/null 2>err
        status=$?
        if [ $status -eq 0 ]; then drawn=$((drawn + 1)); else exits 4 $status "figures on a disk with $room KiB"; fi
        if [ $status -ne 0 ] && [ -e disk/results/plots ]; then bad "figures on a full disk are left"; else ok; fi
    done
    if [ $drawn -lt 6 ]; then ok; else bad "the disk was never full"; fi
    rm -rf disk/results
    head -c 1M /dev/zero >disk/full 2>/dev/null
    try 0 "results too large for SQLite's cache" run "$source/tests/scenarios/two-tenants.yaml" --replications 2 --quiet --out large
    for command in plot "report -o full.html"; do
        SQLITE_TMPDIR=$work/disk "$smsched" $command large --quiet >/dev/null 2>err
        exits 4 $? "$command with a full folder for temporary files"
        says "folder for temporary files is full" "$command with a full folder for temporary files"
    done
fi

# The program follows no links in a sweep's folder.
sed 's/plan: small/plan: linked/' plan.yaml >linked.yaml
for name in merge.lock; do
    mkdir -p linked.sweep
    echo mine >victim
    ln -s "$work/victim" "linked.sweep/$name"
    try 4 "a link for $name" sweep linked.yaml --quiet
    if [ "$(cat victim)" = mine ]; then ok; else bad "the target of a link for $name is overwritten"; fi
    rm -r linked.sweep
done
finish
