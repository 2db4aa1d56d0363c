#!/usr/bin/env bash
# The command line as a user meets it. Usage: commands.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")

example=scenarios/fine-grained-2022/worked-example.yaml
tutorial=$work/two-tenants.yaml # in short
sed 's/replications: 10/replications: 3/; s/duration: 22 ms/duration: 4 ms/' tests/scenarios/two-tenants.yaml >"$tutorial"

try 2 "no command"
try 0 "help" --help
try 0 "version" --version; prints "smsched 0."
try 2 "a wrong command" rnu; prints "did you mean 'run'? See 'smsched help'"
try 2 "a command like none" xyzzy; prints "unknown command 'xyzzy'; see 'smsched help'"
try 2 "a wrong option" run --polcy x "$tutorial"; prints "did you mean '--policy'? See 'smsched run --help'"
try 2 "an option of another command" run --from 1 "$tutorial"
# An option is named in full: of run, --mode would be --models, and a folder.
try 2 "a part of an option" run --mode mps "$tutorial"; prints "unknown option '--mode'; did you mean '--models'?"
try 2 "an option's name after one -" run -seed 3 "$tutorial"; prints "unknown option '-seed'; did you mean '--seed'?"
try 2 "a letter that is no option" run -qz "$tutorial"; prints "unknown option '-qz'"
try 2 "a letter without its value" run "$tutorial" -o; prints "--out needs a value"
try 2 "an option without its value" run "$tutorial" --out; prints "--out needs a value"
try 2 "a value of an option that takes none" run --quiet=3 "$tutorial"; prints "--quiet takes no value"
for option in models plugin out trace; do
    try 2 "an empty name of --$option" run "$tutorial" --$option ""; prints "--$option: the name is empty"
done
try 2 "--brief without a folder" run "$tutorial" --brief; prints "--brief is for --out"
cp "$tutorial" "$work/same.yaml"
try 3 "a name in two files" run "$tutorial" "$work/same.yaml"
prints "same.yaml:$(sed -n '/^scenario:/=' "$tutorial"):11: error: there is a scenario 'two-tenants' in '$tutorial', too"
try 3 "a file twice" run "$tutorial" "$tutorial"; prints "$tutorial: error: is given twice"
try 3 "a file by two paths" run "$tutorial" "${tutorial%/*}/./${tutorial##*/}"; prints "is given twice"
# Every wrong option is told.
try 2 "five wrong options" run --jobs x --seed=-1 --format yaml "$tutorial" --jbos 3 -z
prints "--jobs: 'x'"; prints "--seed: '-1'"; prints "--format: 'yaml'"; prints "unknown option '--jbos'"; prints "unknown option '-z'"
# What is wrong comes with what to type instead.
try 2 "a metric as an option" compare --metric p99 "$tutorial"; prints "--set answer.metric=NAME"; prints "'smsched list metrics' has the names"
try 3 "a key of run without it" run "$tutorial" --set seed=3; prints "unknown key 'seed'; it is a key of 'run', as in run.seed"
try 2 "the same with =" run --metric=p99 "$tutorial"; prints "unknown option '--metric=p99'; 'answer: {metric: "
mkdir "$work/folder"
try 3 "a folder for a scenario" compare "$work/folder"; prints "is a folder; name a file of scenarios"
try 3 "a folder for a baseline" check --baseline "$work/folder" "$tutorial"; prints "is a folder; name a file that 'smsched run --format csv' wrote"
try 3 "a folder for a plan" sweep "$work/folder"; prints "is a folder; name the file of a plan"
cp "$tutorial" "$work/single.yaml"
try 3 "a scenario for a plan" sweep "$work/single.yaml"; prints "'smsched run' runs a scenario, and a plan is a file beside it: '{plan: NAME, base: single.yaml, "
sed "s/.*beside it: '\(.*\)'$/\1/; s/NAME/single/" <<<"$output" >"$work/plan.yaml"
try 0 "the plan that the message proposes" validate "$work/plan.yaml"
try 2 "a tolerance of 500 %" check --tolerance 5 "$tutorial"; prints "--tolerance: '5' without % is 500 %: write '5 %', or '500 %' if that is meant"
try 2 "a count that is none" run --jobs two "$tutorial"
try 2 "no scenario" run; prints "name a scenario file"
try 4 "too little memory to load a scenario" run "$tutorial" --memory '1 KiB'; prints "need more than 1 KiB of memory before they run"
for command in advise run compare validate check explain plot report sweep list; do
    try 0 "help of $command" "$command" --help; prints "exit codes:"
done
try 0 "man page" help man; prints ".TH SMSCHED"
if ! grep "^'" <<<"$output"; then ok; else bad "a line of the man page is a request to roff" "$(grep "^'" <<<"$output")"; fi
try 0 "what explain does with --policy" explain --help; prints "--policy POLICY      explain only the policies of this option"
try 0 "what plot does not print with --quiet" plot --help; prints "  -q, --quiet          print no progress and no names of figures"
# Short forms are named where they are found.
for short in 'run o --out' 'run f --force' 'check v --verbose' 'run q --quiet' 'run h --help'; do
    read -r command letter name <<<"$short"
    try 0 "help of -$letter" "$command" --help; prints "  -$letter, $name"
    if [ "$letter" != h ]; then name=${name//-/\\-}; try 0 "-$letter in the man page" help man; prints "\fB\-$letter\fR, \fB$name\fR"; fi
done
for format in ncu nsys pods; do try 0 "the format $format in the man page" help man; prints "\\fB$format\\fR"; done
# Nothing that a program reads is folded, whatever the terminal's width.
for command in "help man" "help completion" "list schema"; do
    if [ "$(COLUMNS=50 "$smsched" $command)" = "$(COLUMNS= "$smsched" $command)" ]; then ok; else bad "folded: $command"; fi
done
try 0 "completion" help completion; prints "complete -o default -F _smsched smsched"
# completes SHELL WORDS... : what the shell offers for the last word of a command line.
completes() {
    "$smsched" help completion >"$work/smsched.bash"
    bash -c '. "$0"; COMP_WORDS=(smsched "$@"); COMP_CWORD=$#; _smsched; echo "${COMPREPLY[*]}"' "$work/smsched.bash" "$@"
}
if [ "$(completes co)" = compare ]; then ok; else bad "bash completes commands" "$(completes co)"; fi
if [ "$(completes run --for)" = "--force --format" ]; then ok; else bad "bash completes options" "$(completes run --for)"; fi
if [ "$(completes run --format '')" = "table csv json" ]; then ok; else bad "bash completes values" "$(completes run --format '')"; fi
if [ "$(completes compare --policy fine_grained_)" = fine_grained_capped ]; then ok; else bad "bash completes policies" "$(completes compare --policy fine_grained_)"; fi
try 2 "completion for another shell" help completion zsh; prints "zsh can use it after"
try 2 "help of two commands" help run sweep; prints "unexpected argument 'sweep': name one command"
for command in advise run compare validate check explain plot report sweep import list help; do
    try 0 "examples of $command" "$command" --help; prints "examples:"
    try 2 "an option that $command lacks" "$command" --no-such-option; prints "unknown option '--no-such-option'"
done

for what in devices workloads policies contention metrics fields; do
    try 0 "list $what" list $what
    if "$smsched" list $what --format json | python3 -c 'import json, sys; assert len(json.load(sys.stdin)) > 3'; then ok; else bad "list $what is no JSON"; fi
done
try 2 "all lists as JSON" list --format json; prints "name it, as in 'list policies'"
try 0 "list" list; prints "fine_grained"; prints "v100"; prints "proportional"; prints "stp_ratio"
try 0 "list workloads, JSON" list workloads --format json; prints '"class": "latency"'; prints '"use_ratio"'
if grep -qE '[1-9]\.[0-9]{10}' <<<"$output"; then bad "numbers of a list have more than ten digits" "$(grep -m1 -E '[1-9]\.[0-9]{10}' <<<"$output")"; else ok; fi
try 0 "list devices" list devices; prints "l2* dram*; mig 1g.5gb 1g.10gb 2g.10gb 3g.20gb"
"$smsched" list fields --format json >"$work/fields.json"
if python3 - "$work/fields.json" <<'END'
import json, sys
first = "of for from as by how what when where whether to in with that which at until after before between".split()
bad = [(f["name"], f["help"]) for t in json.load(open(sys.argv[1])) for f in t["fields"] if f["help"].split(" ")[0].rstrip(",") in first]
print(*bad, sep="\n")
sys.exit(len(bad) > 0)
END
then ok; else bad "helps of fields begin in the middle of a sentence, though editors show them alone"; fi
try 2 "list of nothing" list pods; prints "cannot list 'pods'; it lists devices, workloads, policies, contention, metrics, fields, schema; modes are"
try 0 "one policy" list policies fine_grained; prints "fine_grained block policy: "
if [ "$(grep -vc '^    ' <<<"$output")" -eq 1 ]; then ok; else bad "more than one policy" "$output"; fi
try 0 "one device" list devices a100; prints "a100 "
if [ "$(wc -l <<<"$output")" -eq 1 ]; then ok; else bad "more than one device" "$output"; fi
mkdir -p "$work/alone"
cp "$smsched" "$work/alone/smsched" # beside no models
output=$("$work/alone/smsched" list devices 2>&1)
exits 3 $? "list devices without models"; prints "no models are installed: name a folder with devices/ by --models"
# What is wrong with a file of models ends the command with the code of bad input, after the others are listed.
mkdir -p "$work/wrong/devices" "$work/wrong/workloads"
echo '{device: broken, sms: none}' >"$work/wrong/devices/broken.yaml"
echo '{workload: broken, kernels: none}' >"$work/wrong/workloads/broken.yaml"
try 3 "a device that is wrong" list devices --models "$work/wrong"; prints "broken.yaml:1:1: error: "; prints "a100 "
try 3 "the sheet of a device that is wrong" list devices broken --sheet --models "$work/wrong"
if grep -qF "none of the devices" <<<"$output"; then bad "a device that is wrong is called unknown" "$output"; else ok; fi
try 3 "a workload that is wrong" list workloads --models "$work/wrong"; prints "broken.yaml:1:29: error: "; prints "v100/bfs_64k"
try 3 "a workload that is wrong, JSON" list workloads --format json --models "$work/wrong"
try 3 "models that are wrong" list --models "$work/wrong"; prints "stp_ratio"
mkdir "$work/file" && touch "$work/file/devices"
try 4 "a file where a folder of models belongs" list devices --models "$work/file"; prints "devices: error: cannot be read: Not a directory"
for events in 0 999; do
    try 2 "--trace-events $events" run scenarios/01-two-tenants.yaml --trace t.json --trace-events "$events"
    prints "it must be from 1000 to 100000000"
done
try 0 "one workload" list workloads v100/bfs_64k
if [ "$(grep -o '^[^ ]*' <<<"$output" | xargs)" = "v100/bfs_64k" ]; then ok; else bad "more than one workload" "$output"; fi
try 0 "one field" list fields block_time; prints "workload: kernels"
try 0 "an exponent" list contention knee; prints "exponent: 0 to 64, default 0;"
try 2 "a policy that is none" list policies fine_graned; prints "none of the policies is 'fine_graned'; did you mean 'fine_grained'?"
try 2 "a workload that is none" list workloads nosuch; prints "none of the workloads is 'nosuch'"
try 2 "a part of the schema" list schema x; prints "unexpected argument 'x'"
try 2 "two policies" list policies leftover round_robin; prints "unexpected argument 'round_robin'"
try 2 "list of nearly something" list polices; prints "did you mean 'policies'?"

# Each table of the pages has a row for each name of the registry, and that of queue disciplines has the words of the list.
while IFS= read -r row; do
    grep -qF "$row" docs/reference/policies.md && ok || bad "a queue discipline without a row in docs/reference/policies.md" "$row"
done < <("$smsched" list policies | sed -nE 's/^(\w+) +queue discipline: (.*)/| `\1` | \2/p' | grep . || echo "no discipline is listed")
# has_rows KIND PAGE
has_rows() {
    while IFS= read -r name; do
        grep -qE "^\| [^|]*\`$name\`" "$2" && ok || bad "no row in $2" "$1 $name"
    done < <("$smsched" list policies | sed -nE "s/^(\w+) +$1[:,] .*/\1/p" | grep . || echo none)
}
has_rows "block policy" docs/reference/policies.md
has_rows "share policy" docs/reference/policies.md
has_rows mode docs/explanation/sharing.md
has_rows "place policy" docs/reference/placement.md

try 0 "validate" validate --quiet scenarios/*.yaml scenarios/*/*.yaml models/devices/*.yaml
try 3 "a folder of models that is none" run --models "$work/none" "$tutorial"; prints "/none: error: --models: is no folder"
mkdir -p "$work/own/devices"
printf 'device: v100\ninherits: v100\nsms: 3\n' >"$work/own/devices/v100.yaml"
try 3 "a device of one's own that inherits from that of the library, under its name" run --models "$work/own" "$tutorial"
if [ "$(grep -c error: <<<"$output")" = 1 ] && grep -q "v100.yaml:2:11: error: inherits from itself: give the device another name" <<<"$output"; then ok; else bad "a device that inherits from its name" "$output"; fi
# A closed pipe is no error to report; any other failed write is.
python3 -c '
import os, subprocess, sys
reads, writes = os.pipe()
os.close(reads)
run = subprocess.run([sys.argv[1], "list"], stdout=writes, stderr=subprocess.PIPE)
assert run.returncode == 4 and not run.stderr, run' "$smsched" && ok || bad "a pipe without a reader"
said=$("$smsched" list 2>&1 >/dev/full)
if [ $? -eq 4 ] && [ "$said" = "error: standard output cannot be written" ]; then ok; else bad "a full disk" "$said"; fi
# So does every command, whatever it prints: what cannot be written is not memory, nor a file.
"$smsched" run tests/scenarios/processes.yaml --brief --quiet --out "$work/printed" >/dev/null
for command in "report RESULTS --quiet -o -" "report RESULTS --quiet --format json" "run SCENARIO --quiet --format json" "list fields --format json" "advise v100/hotspot_512 v100/cfd_097k --device v100 --unknowns 1 --quiet --format json"; do
    read -ra words <<<"$command"
    words=("${words[@]/#SCENARIO/$tutorial}") && words=("${words[@]/#RESULTS/$work/printed}")
    said=$("$smsched" "${words[@]}" 2>&1 >/dev/full)
    if [ $? -eq 4 ] && [ "$said" = "error: standard output cannot be written" ]; then ok; else bad "$command on a full disk" "$said"; fi
    said=$({ "$smsched" "${words[@]}" | head -c 1 >/dev/null; } 2>&1)
    if [ -z "$said" ]; then ok; else bad "$command into a pipe that is closed" "$said"; fi
done
said=$(ulimit -f 0; "$smsched" advise v100/hotspot_512 v100/cfd_097k --device v100 --unknowns 1 --quiet --out "$work/full" 2>&1 >/dev/null)
if [ "$said" = "$work/full/advice.json: error: cannot be written: File too large" ]; then ok; else bad "advice on a full disk" "$said"; fi
if command -v gnuplot >/dev/null; then
    said=$(ulimit -f 0; "$smsched" plot "$work/printed" --quiet --out "$work/full" 2>&1 >/dev/null)
    if [ "$said" = "$work/full/answer.csv: error: cannot be written: File too large" ]; then ok; else bad "figures on a full disk" "$said"; fi
fi
clean full "a full disk"
# A gnuplot that ends early is not one that is missing.
mkdir "$work/bin"
for end in "echo 'error while loading shared libraries: libgd.so.3' >&2; exit 127" 'kill -XFSZ $$' 'exit 127'; do
    printf '#!/bin/sh\n%s\n' "$end" >"$work/bin/gnuplot"
    chmod +x "$work/bin/gnuplot"
    said=$(PATH=$work/bin:$PATH "$smsched" plot "$work/printed" --quiet --out "$work/full" 2>&1)
    if [ $? -eq 4 ] && grep -qE "^error: gnuplot failed to draw answer.svg: (error while loading shared libraries: libgd.so.3|ended by a signal: File size limit exceeded|exit code 127)" <<<"$said"; then ok; else bad "a gnuplot that does '$end'" "$said"; fi
done
said=$(PATH=$work/none "$smsched" plot "$work/printed" --quiet --out "$work/full" 2>&1)
if [ $? -eq 4 ] && [ "$said" = "error: gnuplot was not found; install the package gnuplot-nox" ]; then ok; else bad "no gnuplot" "$said"; fi
clean full "a gnuplot that fails"
try 3 "a missing file" validate "$work/none.yaml"; prints "No such file"
try 0 "run" run "$tutorial"; prints "host by policy"
try 0 "one policy" run --policy fine_grained "$tutorial"
try 0 "a policy that the scenario lacks" run --policy leftover --policy fine_grained --format csv --replications 1 "$tutorial"
if [ "$(cut -d, -f2 <<<"$output" | sort -u | tr '\n' ' ')" = "fine_grained leftover policy " ]; then ok; else bad "--policy adds and filters" "$output"; fi
try 0 "a policy with parameters" run --policy '{fine_grained: {limit: 80 %}}' --format csv --replications 1 "$tutorial"
prints "two-tenants,fine_grained(limit=80%),"
try 3 "a policy that is none" run --policy finegrained "$tutorial"
prints "--policy:1:1: error: unknown block policy 'finegrained'; did you mean 'fine_grained'?"
# A policy by its label, by a name in it, as YAML. A label means no other policy.
sed "/^policies:/,/^processes:/{/^processes:/!d}" tests/scenarios/processes.yaml >"$work/labels.yaml"
echo "policies: [{mode: time_slice}, {mode: mps}, {mode: mps, block: fine_grained}, {mode: {mps: {clients: 3}}, block: leftover}]" >>"$work/labels.yaml"
chooses() { # LABELS FILE OPTION...
    local labels=$1
    shift
    try 0 "run $*" run --format csv --replications 1 "$@"
    if [ "$(cut -d, -f2 <<<"$output" | grep -v '^policy$' | sort -u | tr '\n' ' ')" = "$labels " ]; then ok; else bad "$* does not choose $labels" "$output"; fi
}
chooses "mps" "$work/labels.yaml" --policy mps
chooses "mps" "$work/labels.yaml" --policy '{mode: mps}'
chooses "mps+fine_grained" "$work/labels.yaml" --policy '{block: fine_grained, mode: mps}'
chooses "mps+fine_grained time_slice" "$work/labels.yaml" --policy fine_grained --policy time_slice
chooses "fine_grained(limit=80%) leftover" "$tutorial" tests/scenarios/a-server.yaml --policy '{fine_grained: {limit: 80 %}}' --policy leftover
try 3 "instances of mig are not given" run scenarios/04-processes.yaml --policy mig; prints "'mig' is a mode, not a share policy: write {mode: {mig: {instances: [PROFILE, ...]}}}"
try 3 "a policy that is added twice" run --policy leftover --policy leftover "$tutorial"; prints "policy 'leftover' is given twice"
try 3 "a wrong parameter of a policy that the scenario has" run --policy '{fine_grained: {limt: 80 %}}' "$tutorial"
if [ "$(grep -c error: <<<"$output")" -eq 1 ]; then ok; else bad "two errors for one" "$output"; fi
try 3 "a contention model with the parameters of another" run "$tutorial" --set contention.model=knee
prints "contention knee has no 'slope'; to replace the model with its parameters set all of it, as in contention=knee"
try 3 "a wrong parameter of contention" run "$tutorial" --set 'contention={model: knee, slope: 3}'; prints "unknown parameter 'slope'; known: exponent"
try 0 "another contention model" run "$tutorial" --set contention=knee --replications 1; prints "contention knee"
# --set is as a plan's path. Errors point at the option.
sed 's/replications: 10/replications: 2/; s/blocks: 640/blocks: 320/' tests/scenarios/two-tenants.yaml >"$work/edited.yaml"
"$smsched" run --format csv "$work/edited.yaml" >"$work/edited.csv"
try 0 "fields that are set" run --format csv --set run.replications=2 --set workloads.single-precision.kernels.0.blocks=320 \
    --set workloads.double-precision.kernels.0.blocks=320 tests/scenarios/two-tenants.yaml
if [ "$output" = "$(cat "$work/edited.csv")" ]; then ok; else bad "--set gives what an edited file gives" "$(diff <(echo "$output") "$work/edited.csv" | head -5)"; fi
try 3 "a field that is set wrongly" run --set run.seed=abc --set vms.single.repet=3 --set vms "$tutorial"
prints "--set:1:10: error: 'abc' is not a number"; prints "    run.seed=abc"; prints "unknown key 'repet'; did you mean 'repeat'?"
prints "--set:1:1: error: this is not PATH=VALUE, as in run.seed=7"
try 3 "a path without a value, and one that ends with a dot" run --set run.seed= --set run.seed.=1 "$tutorial"
prints "--set:1:10: error: there is no value here"; prints "--set:1:1: error: the path ends with a dot: a key is missing"
try 3 "entries without names" run scenarios/04-processes.yaml --set policies.foo.mode=mps --set policies.9.mode=mps --set devices.v10.count=2
prints "unknown entry 'foo'; known: 0 to "; prints "unknown entry '9'; known: 0 to "; prints "unknown entry 'v10'; did you mean 'v100'?"
# Standard input is a file named "-".
for command in run compare validate check; do
    "$smsched" "$command" tests/scenarios/expectations.yaml >"$work/named" 2>&1
    if "$smsched" "$command" - <tests/scenarios/expectations.yaml 2>&1 | cmp -s - "$work/named"; then ok; else bad "$command of standard input"; fi
done
try 3 "standard input that is no YAML" run - <<<"{"; prints "standard input:2:1: error: not YAML"
# A plan on it is refused, because later commands read the plan again.
refused="a plan is read from a file, not from standard input: 'sweep status', 'sweep merge' and 'run --point' read it again"
for command in sweep "sweep status" "sweep merge" validate; do
    try 2 "$command of a plan on standard input" $command - <scenarios/sweeps/load.yaml; prints "$refused"
done
try 3 "a run of a plan on standard input" run - < <(printf 'plan: p\naxes: []\n')
prints "standard input: error: this is a plan, and has no scenario of its own; 'smsched sweep FILE' runs it"
try 0 "a run beside a plan on standard input" run --replications 1 - < <(cat "$tutorial"; printf -- '---\nplan: p\naxes: []\n')
prints "standard input: its plan is not run, only its scenario; 'smsched sweep FILE' runs the plan"
for plan in scenarios/sweeps/*.yaml; do
    try 0 "validate $plan" validate "$plan"
    output=$("$smsched" compare --replications 1 "$plan" 2>&1 >/dev/null); prints "smsched sweep $plan"
    break
done
# Results do not depend on the number of threads, those in folders neither.
"$smsched" run --quiet --jobs 1 --out "$work/jobs-1" "$tutorial" && "$smsched" run --quiet --jobs 4 --out "$work/jobs-4" "$tutorial"
if diff -r -x manifest.json "$work/jobs-1" "$work/jobs-4"; then ok; else bad "a folder depends on the number of threads"; fi
# A process without an end has no turnaround: tables have its progress and its jobs.
try 0 "processes that end" run tests/scenarios/processes.yaml
if grep -q normalized_progress_ratio <<<"$output"; then bad "has progress where all end"; else ok; fi
prints "job_latency_p99"
sed 's/repeat: 20,/repeat: forever,/; $a run: {duration: 1 s}' tests/scenarios/processes.yaml >"$work/lasts.yaml"
try 0 "a process that lasts" run "$work/lasts.yaml"; prints "normalized_progress_ratio"; prints "job_latency_p99"
try 0 "a process that lasts, compared" compare "$work/lasts.yaml"; prints "serve normalized_progress_ratio"; prints "serve job_latency_p50"
# Who has a kernel and not the device waits, in metrics, timelines and traces.
try 0 "time slices" run --policy time_slice --out "$work/sliced" --trace "$work/sliced.json" tests/scenarios/processes.yaml
if python3 - "$work/sliced/spans.csv" "$work/sliced/processes.csv" "$work/sliced.json" <<'END'; then ok; else bad "waiting for a slice"; fi
import csv, json, sys
spans, rows = (list(csv.DictReader(open(name))) for name in sys.argv[1:3])
for row in rows:
    if row["process"] == "all":
        continue
    mine = lambda *states: sum(float(s["end_ns"]) - float(s["start_ns"]) for s in spans if (s["policy"], s["process"]) == (row["policy"], row["process"]) and s["state"] in states)
    waited = float(row["waiting_ns"])
    assert waited > 0.05 * float(row["turnaround_ns"]), row
    assert abs(mine("waiting", "unplaced", "allocate", "launch") - waited) < 1, row
    assert abs(mine("kernel") - float(row["service_ns"])) < 1, row
    assert abs(mine("kernel", "waiting") - float(row["kernel_ns"])) < 1, row
assert any(event["name"] == "waiting" for event in json.load(open(sys.argv[3]))["traceEvents"])
END
try 0 "two policies" run --policy fine_grained --policy round_robin "$tutorial"; prints "  round_robin"; prints "  fine_grained"
if grep -q utilization_aware <<<"$output"; then bad "runs a policy that was not named"; else ok; fi
try 3 "two policies, one of which is not there" run --policy fine_grained --policy best "$tutorial"; prints "--policy:1:1: error: unknown block policy 'best'"
try 3 "a policy that is not there" run --policy best "$tutorial"; prints "unknown block policy 'best'; known: "
try 3 "a policy that is nearly there" run --policy fine_graned "$tutorial"
prints "unknown block policy 'fine_graned'; did you mean 'fine_grained'?"
try 3 "a baseline that is nearly there" compare --baseline round_robbin "$tutorial"; prints "did you mean 'round_robin'? it has"
try 3 "that is said before the runs" compare --baseline nope --events 1 "$tutorial"; prints "has no policy 'nope'; it has: "
try 3 "a baseline that --policy leaves out" compare --baseline round_robin --policy fine_grained "$tutorial"
prints "error: --policy leaves out 'round_robin', the policy to compare with: add --policy 'round_robin'"
{ sed '/^vms:/,$d' "$tutorial"; echo 'vms:'; seq 10000 | sed 's/.*/  - {name: v&, workload: '"$(sed -n 's/.*workload: \([a-z_-]*\),.*/\1/p' "$tutorial" | head -1)"'}/'; } >"$work/many.yaml"
try 4 "replications beyond memory" run --memory '1 GiB' --replications 100000 "$work/many.yaml"; prints "scenario 'two-tenants': the limit of memory was reached; --memory SIZE"
try 4 "replications of a cluster beyond memory" run --memory '100 MiB' --replications 100000 tests/golden/cluster.yaml; prints "the limit of memory was reached"
try 0 "compare" compare "$tutorial"; prints "change over round_robin"
try 0 "compare with another" compare --baseline fine_grained "$tutorial"; prints "change over fine_grained"
try 0 "compare says what any policy could reach" compare tests/scenarios/two-tenants.yaml --replications 1; prints "what limits stp_ratio: fp32 (50 %), fp64 (50 %)"
try 0 "compare in rows" compare --format csv "$tutorial"; prints "two-tenants,bound,host,host,steady_kernels_per_s,12500,"
prints "two-tenants,fine_grained,host,host,gap_blocks_per_s_ratio,0."
if "$smsched" compare --format json "$tutorial" | python3 -c '
import json, sys
for metric, bound in json.load(sys.stdin)["bounds"].items():
    assert 0 < bound["steady"] <= bound["run"], metric
    assert all(0 < gap < 1 for gap in bound["gap_ratio"].values()), metric
    assert abs(sum(part["share_ratio"] for part in bound["binds"]) - 1) < 1e-9, metric
'; then ok; else bad "JSON of compare holds the bounds"; fi
# Its throughput is above what can last, and below what the run can count: no bar crosses its bound.
if "$smsched" compare --format json tests/scenarios/a-server.yaml 2>/dev/null | python3 -c '
import json, sys
bound = json.load(sys.stdin)["bounds"]["jobs_per_s"]
counted = {policy: (1 - gap) * bound["run"] for policy, gap in bound["gap_ratio"].items()}
assert max(counted.values()) > 0.95 * bound["steady"], (counted, bound)
assert all(gap > 0 for gap in bound["gap_ratio"].values()), bound
'; then ok; else bad "gaps to the bound of the run"; fi
try 0 "a table of gaps" compare tests/scenarios/a-server.yaml --replications 1; prints "in the long run no policy exceeds"
try 0 "processes have no bound" compare tests/scenarios/processes.yaml; prints "no bound: it is not known for processes that share devices"
span="tests/scenarios/a-server.yaml --from 1ms --to 1.05ms"
# shellcheck disable=SC2086
try 0 "decisions that differ only in time, block and SM are one line" explain $span --policy leftover
prints "blocks 3521 to 3840 -> device 0 SMs 0 to 79 in turn, one every 1.642 ns; in between waits: too few free registers on up to 80 SMs"
if [ "$(wc -l <<<"$output")" -eq 2 ]; then ok; else bad "one line for alike decisions" "$output"; fi
# shellcheck disable=SC2086
try 0 "a wait for the dispatcher is said once" explain $span --policy round_robin
if [ "$(grep -o 'for the dispatcher' <<<"$output" | wc -l)" -eq 1 ]; then ok; else bad "the dispatcher, once" "$output"; fi
try 0 "streams launch a kernel at the same time" explain - <<'END'
workload: a
kernels: [{name: k, blocks: 50, threads: 128, block_time: 1 us}]
---
scenario: streams
devices: [{model: v100}]
queue: interleave
policies: [round_robin]
vms: [{name: a, workload: a, streams: 3, repeat: 3}]
END
prints "a/k blocks 1 to 50 of several launches"
cat >"$work/parts.yaml" <<'END'
device: small
clock: 1 GHz
sms: 4
sm: {threads: 2048, warps: 64, blocks: 2}
resources: {fp32: {class: compute}}
---
workload: w
kernels: [{name: k, blocks: 16, threads: 64, block_time: 1 ms}]
---
scenario: s
devices: [{model: small}]
policies: [{mode: mps}]
processes: [{name: a, workload: w, active_threads: 50 %}, {name: b, workload: w, active_threads: 25 %}]
END
try 0 "why a block may not go to an SM of another part" explain "$work/parts.yaml" --format csv --from '0 ms' --to '2 ms'
prints 's,mps,0.001,b,k,3,0,,1,"SMs 0 to 1, 3: not available to its process; SM 2: too few free block slots (2 + 1 > 2)",'
prints 's,mps,0.001,a,k,3,0,0,0,"",1'
try 0 "the same in short" explain "$work/parts.yaml" --from '0 ms' --to '2 ms'
prints "in between waits: too few free block slots on up to 1 SM"
# shellcheck disable=SC2086
try 0 "every decision" explain $span --policy leftover --format csv; prints ',3522,0,,80,"SMs 0 to 79: too few free registers (65536 + 16384 > 65536)",'
prints ',3521,0,0,79,"SMs 1 to 79'
# shellcheck disable=SC2086
try 0 "every decision of a policy without scores" explain $span --policy round_robin --format csv
if ! grep -q '[0-9]$' <<<"$output"; then ok; else bad "a score that no policy gives" "$output"; fi
try 0 "explain processes" explain tests/scenarios/processes.yaml; prints "train2: waiting for a device from 0.000000 ms until now"; prints " more lines; --from and --to show a span of time, with its blocks"
if [ "$(wc -l <<<"$output")" -le 215 ] && ! grep -q block.1 <<<"$output"; then ok; else bad "40 lines a policy" "$output"; fi
try 0 "explain a span" explain tests/scenarios/processes.yaml --policy exclusive --from '143 ms' --to '144 ms'; prints "train1/step blocks 1 to 640 -> device 0 SMs 0 to 79 in turn"
prints "train1: copy_in on device 0 from"
try 0 "explain the start of a run that takes for ever" explain "$tutorial" --set "run.duration=2000 h" --to '0.01 ms'
prints "single/single blocks 1 to 640"
printf 'scenario: where\ndevices: [{model: a100, count: 2}]\npolicies: [{mode: {mig: {instances: [4g.20gb, 3g.20gb]}}}, {mode: time_slice}, {mode: mps}]\nprocesses: [{name: p, workload: v100/hotspot_512, count: 3, streams: 2, repeat: 20}]\n' >"$work/where.yaml"
try 0 "where instances are" explain "$work/where.yaml" --from '0 ms' --to '0.1 ms'
prints "p2/1: kernel on instance 1, 3g.20gb of device 0 from"; prints "p3/2: kernel on instance 0, 4g.20gb of device 1 from"
if [ "$(grep -c '^[mt].*: blocks in time slices and in MIG instances are not shown$' <<<"$output")" -eq 2 ] && grep -q '^mps$' <<<"$output"
then ok; else bad "who has no blocks" "$output"; fi
try 0 "what a span would show" explain "$work/where.yaml"
if [ "$(grep -c 'show a span of time$' <<<"$output")" -eq 2 ]; then ok; else bad "a span without blocks" "$output"; fi
try 0 "explain a start at which nothing happens" explain "$tutorial" --set "vms.single.start=1 ms" --set "vms.double.start=1 ms"
prints "two-tenants: there is no decision and no event at the start of the run; --from and --to choose a later span"
try 0 "explain a span in which nothing happens" explain "$tutorial" --from "10 us" --to "20 us"; prints "two-tenants: there is no decision and no event in this span"
try 0 "explain a span after the run" explain "$tutorial" --from "9 ms" --to "10 ms"; prints "no event in this span: the run ends at 4.000000 ms"
printf 'scenario: turns\ndevices: [{model: a100}]\npolicies: [{mode: exclusive}, {mode: mps}]\nprocesses: [{name: p, workload: w, repeat: 1}, {name: q, workload: w, repeat: 1}]\n---\nworkload: w\nkernels: [{name: k, time: 5 ms}]\n' >"$work/turns.yaml"
try 0 "explain a span in which nothing happens under one policy" explain "$work/turns.yaml" --from "6 ms" --to "12 ms"
if [ "$(tail -2 <<<"$output")" = $'\nmps: there is no decision and no event in this span' ] && ! grep -q "exclusive: there" <<<"$output"; then ok; else bad "a policy without lines" "$output"; fi
printf 'scenario: later\nnodes: [{name: n, devices: {model: v100, sms: 4}}]\npods: [{name: p, workload: w, start: 2 s}]\n---\nworkload: w\nkernels: [{name: k, blocks: 8, threads: 256, block_time: 10 us}]\n' >"$work/later.yaml"
try 0 "blocks of pods in turns" explain "$work/later.yaml" --from "2 s" --to "2.00001 s"; prints "first_fit: blocks in time slices and in MIG instances are not shown"
sed -i 's/^pods:/policies: [{place: first_fit, mode: mps}]\n&/' "$work/later.yaml"
try 0 "blocks of pods in s" explain "$work/later.yaml" --from "2 s" --to "2.00001 s"; prints "  2.000003940 to 2.000003951 s  p/k blocks 1 to 8"
try 2 "explain a span that ends before it begins" explain "$tutorial" --from "1 ms" --to "0 ms"; prints "--to is before --from"
try 2 "explain a span without an end" explain "$tutorial" --from "1 ms"; prints "--from needs --to, the end of the time span, because"
try 0 "explain one moment" explain "$tutorial" --from "1 ms" --to "1 ms"
try 0 "pods that wait to the end, and an instance that a policy does not make" explain - <<'END'
scenario: waits
nodes: [{name: n, devices: {model: a100}, mig: [{changes: free, change: 1 s}]}]
policies: [parvagpu]
pods: [{name: a, profile: 3g.20gb, duration: 9 s, replicas: 1}, {name: b, profile: 3g.20gb, start: 1 s, duration: 9 s}]
run: {duration: 5 s}
END
prints "b: waits for an instance 3g.20gb; GPUs that have none for it: 1 where the policy creates none although one fits"
prints "5.000000000 s  b: still waits after 4 s"
try 0 "why pods wait that ask for GPUs, for several at once, or for none" explain - --policy first_fit <<'END'
scenario: waits
nodes:
  - {name: a, devices: {model: a100, count: 2}, cpu: 8, labels: {use: train}}
  - {name: b, devices: {model: v100}, cpu: 4}
  - {name: c, devices: {model: a100}, cpu: 8, mig: [{changes: free, change: 1 s}]}
  - {name: d, cpu: 64}
pods:
  - {name: x, gpu: 60 %, duration: 9 s, count: 3}
  - {name: gang, gpus: 1, replicas: 2, duration: 9 s, start: 1 s, selector: {use: train}}
  - {name: big, gpus: 1, cpu: 6, start: 2 s, duration: 4 s}
  - {name: host, cpu: 64, count: 2, start: 2 s, duration: 5 s}
run: {duration: 3 s}
END
prints "gang1: waits; nodes that do not take it: 1 without a GPU that it accepts, 2 without the labels that it asks for, 1 with too few GPUs on which enough is left"
prints "big: waits; nodes that do not take it: 1 without a GPU that it accepts, 1 too small for it even when empty, 1 with too few GPUs that are not split into instances, 1 with too few GPUs on which enough is left"
prints "host2: waits; nodes that do not take it: 3 too small for it even when empty, 1 with too little CPU or memory left"
try 0 "a gang waits though its first pod fits" explain - --policy first_fit <<'END'
scenario: waits
nodes: [{name: n, devices: {model: a100, count: 2}}]
pods: [{name: a, gpu: 60 %, duration: 9 s}, {name: gang, gpu: 50 %, replicas: 4, start: 1 s, duration: 9 s}]
run: {duration: 3 s}
END
prints "gang1: waits; nodes that do not take it: 1 with room for it, but not enough for its gang"
try 0 "explain a cluster" explain tests/golden/cluster.yaml --policy first_fit; prints "placed on large1, GPU 0"; prints " more lines; --from and --to"
prints "  350.314812 ms  batch1: placed on large1"; prints "  1.362302320 s  batch3: placed on large1"
if grep -q "with its blocks" <<<"$output"; then bad "a cluster has no blocks to show" "$output"; else ok; fi
try 2 "explain as JSON" explain --format json "$tutorial"; prints "--format: 'json' is not one of table, csv"
try 0 "json" run --format json "$tutorial"
# Several scenarios are one JSON text, on stdout and in files, and one page shows them all.
try 0 "several scenarios" run tests/scenarios/expectations.yaml scenarios/gpushare/bind.yaml --quiet --out "$work/several"
try 0 "a page about several scenarios" report "$work/several" --format json
if { "$smsched" run --format json tests/scenarios/expectations.yaml scenarios/gpushare/bind.yaml; cat "$work/several/summary.json" "$work/several/comparison.json"; } 2>/dev/null |
    python3 -c '
import json, sys
text, at, decoder = sys.stdin.read(), 0, json.JSONDecoder()
for n in range(3):
    found, at = decoder.raw_decode(text, at)
    at += 1
    assert isinstance(found, list) and len(found) >= 2 and all("scenario" in one for one in found), n
assert text[at:] == ""
'; then ok; else bad "JSON of several scenarios is not JSON"; fi
if "$smsched" run --format json "$tutorial" | python3 -c '
import json, sys
run = json.load(sys.stdin)["runs"][0]
for key in "kernels_per_s blocks_per_s stp_ratio antt_ratio fairness_ratio makespan_ns".split(): run["host"][key]
for key in "name kernels_per_s blocks_per_s normalized_progress_ratio".split(): run["vms"][0][key]
for key in "name utilization_ratio oversubscribed_time_ratio".split(): run["resources"][0][key]
'; then ok; else bad "JSON holds what the design promises"; fi

try 0 "expectations" check tests/scenarios/expectations.yaml; prints "0 missed"
if grep -q "^ok" <<<"$output"; then bad "check lists what was met" "$output"; else ok; fi
try 0 "expectations, all" check --verbose tests/scenarios/expectations.yaml; prints "ok     "
sed 's/min: 5 %/min: 500 %/' tests/scenarios/expectations.yaml >"$work/missed.yaml"
try 1 "a missed expectation" check "$work/missed.yaml" --junit "$work/junit.xml"; prints "MISSED"
sed 's/metric: fairness_ratio\(.*\)min: 80 %/metric: makespan_ns\1min: 1/' tests/scenarios/expectations.yaml >"$work/none.yaml"
try 1 "an expectation of no value" check "$work/none.yaml"; prints "makespan_ns of host under fine_grained: no value, at least 1"
if grep -qE '<testsuite .* time="[0-9.]+"' "$work/junit.xml" && grep -qE '<testcase .* time="[0-9.]+"' "$work/junit.xml"; then ok; else bad "JUnit has times"; fi
if grep -q '<failure' "$work/junit.xml"; then ok; else bad "JUnit holds the failure"; fi
if "$smsched" check "$work/missed.yaml" --quiet --junit - | sed 's/ time="[^"]*"//' | cmp -s - <(sed 's/ time="[^"]*"//' "$work/junit.xml"); then ok; else bad "JUnit on stdout"; fi
for command in run compare check validate explain; do
    try 2 "standard input twice" "$command" - "$tutorial" - <"$tutorial"; prints "smsched $command: '-' is given twice, and standard input can be read once"
done
try 2 "a trace on stdout" run "$tutorial" --trace -; prints "--trace: '-' is not the name of a file"
# force_is_for SAID ARGUMENT...
force_is_for() { try 2 "--force with nothing to write" "${@:2}" --force; prints "--force is for $1;"; }
force_is_for "--out and --trace" run "$tutorial"
force_is_for --trace compare "$tutorial"
force_is_for --junit check "$tutorial"
force_is_for --out advise "$tutorial" --device v100
force_is_for --out import kineto none.json
force_is_for --out report . --format json
force_is_for --out report . --out -
try 2 "two traces" run "$tutorial" --trace "$work/1.json" --trace "$work/2.json"; prints "--trace is given twice: "
if [ -e "$work/1.json" ] || [ -e "$work/2.json" ]; then bad "a trace is written"; else ok; fi
"$smsched" run --format csv "$tutorial" >"$work/base.csv"
try 0 "a baseline" check "$tutorial" --baseline "$work/base.csv"; prints "0 missed"
sed -E 's/,kernels_per_s,[0-9.]+/,kernels_per_s,1/' "$work/base.csv" >"$work/moved.csv"
try 1 "a baseline that moved" check "$tutorial" --baseline "$work/moved.csv"; prints "baseline 1 ("
sed -E 's/,[0-9]+,student$/,7,student/' "$work/moved.csv" >"$work/fewer.csv"
try 1 "a baseline of other replications" check "$tutorial" --baseline "$work/fewer.csv"; prints "; replications: $(sed -nE 's/.*,([0-9]+),student$/\1/p' "$work/base.csv" | head -1), baseline 7"
sed 's/,round_robin,/,gone,/' "$work/base.csv" >"$work/moved.csv"
try 1 "a policy that only the baseline has" check "$tutorial" --baseline "$work/moved.csv"
prints "stp_ratio of host under gone: the run has no such policy; the baseline is "
sed 's/,round_robin,/,round_robbin,/' "$work/base.csv" >"$work/moved.csv"
try 1 "a policy that is misspelt" check "$tutorial" --baseline "$work/moved.csv"; prints "the run has no such policy (did you mean 'round_robin'?); the baseline is "
printf 'scenario,policy,subject,name,metric,mean,sd,ci95,replications,interval\ntwo-tenants,round_robin,host,host,stp_ratio,0x1p1,0,0,1,student\n' >"$work/moved.csv"
try 3 "a hexadecimal number" check "$tutorial" --baseline "$work/moved.csv"; prints "moved.csv:2:45: error: the mean is not a number"
prints "    two-tenants,round_robin,host,host,stp_ratio,0x1p1,0,0,1,student"; prints "$(printf '%48s^' "")"
for end in '' '\r'; do # an empty line counts, and so does "\r\n", once
    sed "1s/\$/\n/; s/\$/$end/" "$work/moved.csv" >"$work/spaced.csv"
    try 3 "a number below an empty line" check "$tutorial" --baseline "$work/spaced.csv"; prints "spaced.csv:3:45: error: the mean is not a number"
done
sed 's/,stp_ratio,/,tps_ratio,/' "$work/base.csv" >"$work/moved.csv"
try 1 "a metric that only the baseline has" check "$tutorial" --baseline "$work/moved.csv"
prints "tps_ratio of host under round_robin: the run has no such value; the baseline is "
if grep -qw nan <<<"$output"; then bad "a missing value is nan" "$output"; else ok; fi
try 0 "what was just written, at tolerance 0" check "$tutorial" --baseline "$work/base.csv" --tolerance 0; prints " 0 missed"
sed -E '2s/,([0-9.]+)([0-9]),/,\17\2,/' "$work/base.csv" >"$work/moved.csv"
try 1 "another digit at tolerance 0" check "$tutorial" --baseline "$work/moved.csv" --tolerance 0; prints " 1 missed"
printf '\xef\xbb\xbf' | cat - "$work/base.csv" >"$work/marked.csv"
try 0 "a baseline with a byte order mark" check "$tutorial" --baseline "$work/marked.csv"; prints " 0 missed"
try 2 "a tolerance beyond all" check "$tutorial" --tolerance 1e308; prints "--tolerance: '1e308' is out of range"
try 2 "a tolerance of nothing" check "$tutorial" --tolerance '2 %'; prints "--tolerance is for --baseline: expectations have a tolerance of their own"
try 2 "a tolerance of all" check "$tutorial" --baseline "$work/base.csv" --tolerance 1; prints "--tolerance: '1' without % is 100 %: write '1 %', or '100 %' if that is meant"
try 3 "a baseline that is none" check "$tutorial" --baseline README.md; prints "is not a baseline"
try 3 "nothing to check, which is said before the runs" check --events 1 "$tutorial"; prints "nothing to check: no scenario has 'expect:'"

try 0 "a results folder" run "$tutorial" --out "$work/results" --quiet
for file in manifest.json summary.json comparison.json hosts.csv vms.csv resources.csv kernels.csv heatmap.csv timeline.csv waits.csv latencies.csv; do
    if [ -s "$work/results/$file" ]; then ok; else bad "$file in the results folder"; fi
done
idle=$(awk -F, 'NR > 1 && $7 < 0.01' "$work/results/heatmap.csv" | wc -l)
if [ "$idle" -eq 0 ]; then ok; else bad "$idle times without a block in the heat map of tenants that repeat for ever: it goes beyond the end of the run"; fi
python3 - "$work/results" <<'END' && ok || bad "the manifest does not say that the timeline is cut"
import csv, json, sys
cuts = {cut["policy"]: cut for cut in json.load(open(sys.argv[1] + "/manifest.json"))["timeline_cut"]}
rows = [row["policy"] for row in csv.DictReader(open(sys.argv[1] + "/timeline.csv"))]
assert cuts and all(rows.count(policy) == cut["rows"] == 20000 and cut["left_out"] > 0 for policy, cut in cuts.items()), cuts
END
cat >"$work/launches.yaml" <<'END'
workload: short
kernels: [{name: k, blocks: 40, threads: 1024, block_time: 1 us}]
---
scenario: short
devices: [{model: v100, sms: 2}]
policies: [leftover]
run: {duration: 150 ms}
vms: [{name: a, workload: short, repeat: forever}]
END
try 0 "many launches" run "$work/launches.yaml" --out "$work/launches" --quiet
python3 - "$work/launches" <<'END' && ok || bad "the manifest does not say that waits are cut"
import json, sys
cut, = json.load(open(sys.argv[1] + "/manifest.json"))["waits_cut"]
assert cut["rows"] == len(open(sys.argv[1] + "/waits.csv").readlines()) - 1 == 20000 and cut["left_out"] > 0, cut
END
try 4 "a results folder that exists" run "$tutorial" --out "$work/results"; prints "exists already; name another folder, or replace results with --force"
try 3 "a results folder for a scenario" compare "$work/results"; prints "is a folder; name a file of scenarios; 'smsched report $work/results' shows the results in it"
try 0 "a results folder that is replaced" run "$tutorial" --out "$work/results" --force --quiet
try 0 "the same again" run "$tutorial" --out "$work/again" --quiet
if diff -r -x manifest.json "$work/results" "$work/again" >/dev/null; then ok; else bad "two runs, one result"; fi
cp "$tutorial" "$work/it's a file.yaml"
(cd "$work" && "$smsched" run "it's a file.yaml" --set run.replications=1 --policy '{fine_grained: {limit: 80 %}}' --out "two words" --quiet)
python3 - "$work/two words/manifest.json" <<'END' && ok || bad "the manifest's command is not what a shell would run"
import json, shlex, sys
command = json.load(open(sys.argv[1]))["command"]
assert shlex.split(command) == ["smsched", "run", "it's a file.yaml", "--set", "run.replications=1", "--policy",
                                "{fine_grained: {limit: 80 %}}", "--out", "two words", "--quiet"], command
assert command.startswith("smsched run 'it'"), command
assert " --set run.replications=1 --policy " in command, command
END
printf '%s\n' 'plan: quoted' "base: it's a file.yaml" 'replications: 1' 'axes: [{contention.slope: [1, 2]}]' >"$work/a plan.yaml"
if (cd "$work" && "$smsched" sweep "a plan.yaml" --quiet --out "a sweep") &&
    grep -qF "\"smsched sweep 'a plan.yaml'\"" "$work/a sweep/results/manifest.json"; then ok; else bad "commands of sweeps are not quoted"; fi
try 0 "figures" plot "$work/results"
for figure in "$work"/results/plots/*.svg; do
    if [ -s "$figure" ]; then ok; else bad "figure $figure"; fi
done

try 0 "a comparison of one policy" compare "$tutorial" --policy round_robin; prints "one policy, no change"
try 3 "a queue discipline for a policy" run "$tutorial" --policy interleave; prints "'interleave' is a queue discipline, not a policy: write queue: interleave (--set queue=interleave)"
try 3 "a place policy for VMs" run "$tutorial" --policy best_fit; prints "'best_fit' is a place policy, and only pods are placed"
try 3 "a column twice" import pods "$tutorial" --columns name=1,name=2; prints "--columns: 'name' is given twice, as '1' and as '2'"

# Scenarios named A/B are pairs of programs and share one figure.
for pair in a/a a/b a/c b/b b/c c/c; do
    printf -- '---\nscenario: %s\ndevices: [{model: v100}]\npolicies: [round_robin, depth_first]\nvms:\n' "$pair"
    for vm in x:${pair%/*} y:${pair#*/}; do printf '  - {name: %s, workload: %s, repeat: 3}\n' "${vm%:*}" "${vm#*:}"; done
done >"$work/pairs.yaml"
for program in a:40 b:80 c:160; do
    printf -- '---\nworkload: %s\nkernels: [{name: k, blocks: %d, threads: 256, block_time: 9 us, demand: {dram: 40 %%}}]\n' \
        "${program%:*}" "${program#*:}"
done >>"$work/pairs.yaml"
try 0 "pairs" run "$work/pairs.yaml" --brief --out "$work/pairs" --quiet
if [ "$(cat "$work/pairs/timeline.csv" "$work/pairs/heatmap.csv" "$work/pairs/latencies.csv" | wc -l)" -eq 3 ]; then ok; else bad "a brief folder has rows"; fi
try 0 "a figure of pairs" plot "$work/pairs" --format svg
if [ "$(ls "$work/pairs/plots")" = "$(printf 'manifest.json\npairs.csv\npairs.gp\npairs.svg')" ]; then ok; else bad "plots of pairs: $(ls "$work/pairs/plots")"; fi
if awk -F, '/^[0-9]/ { n++; at[$2, $3, $1] = $6 } END { exit !(n == 18 && at[2, 3, 1] != "" && at[2, 3, 1] == at[3, 2, 1] && at[1, 1, 2] != "") }' \
    "$work/pairs/plots/pairs.csv"; then ok; else bad "two squares of 3 x 3, symmetric"; fi

# Two VMs have kernels of the same name.
printf 'workload: x\nkernels: [{name: c, blocks: 4, threads: 32, block_time: 1 us}]\n---\nworkload: y\nkernels: [{name: b/c, blocks: 4, threads: 32, block_time: 1 us}, {name: d, blocks: 4, threads: 32, block_time: 1 us}]\n---\nscenario: alike\ndevices: [{model: v100}]\npolicies: [round_robin, leftover]\nvms: [{name: a/b, workload: x}, {name: a, workload: y}]\n' >"$work/alike.yaml"
try 0 "kernels of one name" run "$work/alike.yaml" --out "$work/alike" --quiet
if [ "$(awk -F, '{ printf "%s %s;", $3, $NF }' "$work/alike/kernels.csv")" = "kernel vm;a/b/c a/b;a/b/c a;a/d a;a/b/c a/b;a/b/c a;a/d a;" ]; then ok; else bad "of which VM a kernel is: $(cat "$work/alike/kernels.csv")"; fi

# A cluster: its files, its figure, and where its pods went.
cluster=tests/golden/cluster.yaml
try 0 "a folder of a cluster" run "$cluster" --out "$work/cluster" --quiet
for file in cluster.csv allocation.csv placements.csv; do
    if [ "$(wc -l <"$work/cluster/$file")" -gt 8 ]; then ok; else bad "$file of a cluster"; fi
done
if [ "$(ls "$work/cluster" | tr '\n' ' ')" = "allocation.csv cluster.csv comparison.json manifest.json nodes.csv placements.csv summary.json " ]; then ok; else bad "files of nothing: $(ls "$work/cluster")"; fi
if [ -s "$work/again/hosts.csv" ] && [ ! -e "$work/again/cluster.csv" ]; then ok; else bad "a host has no cluster.csv"; fi
if awk -F, 'NR > 1 && ($9 > $8 || $9 > 1 || $10 > 1) { exit 1 }' "$work/cluster/placements.csv"; then ok; else bad "more is allocated than asked for"; fi
# Where pods leave, fewer GPUs are allocated than at the load from which the figure begins.
cat >"$work/leave.yaml" <<'END'
scenario: leave
nodes: [{name: n, gpus: 8, count: 25}]
policies: [first_fit]
pods:
  - {name: early, gpus: 1, count: 200, arrivals: {every: 1 s}, duration: 150 s}
  - {name: late, gpus: 1, count: 400, start: 1000 s}
END
try 0 "pods that leave" run "$work/leave.yaml" --out "$work/leave" --quiet
try 0 "a figure of pods that leave" plot "$work/leave" --figures 'allocation-*'
if grep -qx 'panel_low\[1\] = 0' "$work/leave/plots/allocation-leave.gp"; then ok; else bad "curves are below their panel"; fi
try 0 "a figure of a cluster" plot "$work/cluster" --format svg; prints "plots/allocation-cluster.svg"
if [ "$(awk -F, 'NR > 1 { print $NF }' "$work/cluster/plots/allocation-cluster.csv" | sort -u | wc -l)" -eq 8 ]; then ok; else bad "a line a policy"; fi
if awk -F, 'NR > 1 && !($11 >= $3 && $12 ~ /^(done|running)$/) { exit 1 }' "$work/cluster/placements.csv"; then ok; else bad "pods end"; fi
if [ "$(grep -c ',first_fit,' "$work/cluster/plots/pods-cluster.csv")" -gt 20 ]; then ok; else bad "a bar a pod and GPU"; fi
sed -e 's/^scenario: .*/scenario: other/' -e 's/first_fit/worst_fit/' "$cluster" >"$work/other.yaml"
output=$("$smsched" explain "$cluster" "$work/other.yaml" --policy first_fit --format csv 2>"$work/err")
exits 0 $? "explain with a policy that is added to the second scenario"
output=$("$smsched" explain "$cluster" "$work/other.yaml" --policy round_robin --format csv 2>"$work/err")
exits 3 $? "explain with a policy that no pods have"
says "'round_robin' is a block policy, not a place policy" "explain with a policy that no pods have"
if [ -z "$output" ]; then ok; else bad "explain printed before it refused" "${output:0:200}"; fi
try 3 "explain of a device" explain models/devices/v100.yaml; prints "no file that was named holds a scenario"
cat >"$work/named.yaml" <<'END'
workload: w
kernels: [{name: k, blocks: 400, threads: 1024, block_time: 20 us}]
---
scenario: named
nodes: [{name: n, devices: {model: v100}, cpu: 8}]
policies: [{place: first_fit, mode: mps}, {place: first_fit, mode: mps, block: round_robin}]
pods: [{name: job, workload: w, count: 3, gpu: 30 %, repeat: 1}]
END
try 0 "whose the last blocks of a policy are" explain "$work/named.yaml" --to '10 us'
if [ "$(grep -c ' job1/k blocks 1 to 160 ' <<<"$output")" -eq 2 ]; then ok; else bad "the name of a pod is lost" "$output"; fi
try 0 "where pods went" explain "$cluster" --policy first_fit --to '60 s'; prints "placed on large1, GPU 0"
printf 'scenario: wait\nnodes: [{name: a, gpus: 2, cpu: 4, model: G2}, {name: b, gpus: 1, cpu: 8, model: T4}]\npolicies: [first_fit]\npods:\n  - {name: p, gpus: 2, cpu: 8}\n  - {name: q, gpus: 1, cpu: 8}\n  - {name: r, gpus: 1, cpu: 8, models: G2}\n  - {name: s, cpu: 9}\n  - {name: t, gpu_memory: 1 GiB}\n' >"$work/wait.yaml"
try 0 "another clock and times in us" run "$tutorial" --set devices.v100.clock='700 MHz' --replications 1
prints "warning: the clock does not change how long kernels take whose block_time is a time, such as 'single': only cycles"
try 0 "a profile of a device that no file describes" validate - <<'END'
workload: w
device: gtx1080tj
kernels: [{name: k, blocks: 100, threads: 128, block_time: 10 us}]
---
scenario: s
devices: [{model: a100}]
policies: [leftover]
vms: [{name: a, workload: w}]
END
prints "are those of gtx1080tj, which no device file describes; did you mean 'gtx1080ti'?"
try 0 "the same clock" run "$tutorial" --set devices.v100.clock='1530 MHz' --replications 1
if grep -q "warning: the clock" <<<"$output"; then bad "the device's own clock is warned of" "$output"; else ok; fi
try 0 "another bandwidth and shares of it" validate scenarios/01-two-tenants.yaml --set 'devices.v100.resources={dram: {bandwidth: 1800 GB/s}, issue: {lanes: 8}, l2: {bandwidth: 2300 GB/s}, sfu: {lanes: 32}}'
prints "warning: the bandwidth of dram does not change how long kernels take that demand a share of it, such as 'cuda_compute_step_factor'"
prints "warning: the lanes of issue do not change"
if [ "$(grep -c warning: <<<"$output")" -eq 2 ]; then ok; else bad "what no kernel demands, and the device's own, are warned of" "$output"; fi
try 0 "pods that no node can hold" run "$work/wait.yaml"; prints "wait.yaml:5:5: warning: no node can hold pod 'p', even with nothing on it"
prints "pod 's', even with nothing on it: it will wait for ever; it asks for 9 CPUs, and no node has more than 8"
if [ "$(grep -c warning: <<<"$output")" -eq 4 ] && ! grep -q "pod 'q'" <<<"$output"; then ok; else bad "four pods wait" "$output"; fi
cat >"$work/replicas.yaml" <<'END'
workload: w
kernels: [{name: k, time: 1 ms}]
---
scenario: replicas
nodes: [{name: a, devices: {model: v100}, cpu: 4, mode: {time_slice: {replicas: 3}}}]
pods: [{name: p, count: 4, gpu: 25 %, workload: w, repeat: 5}]
END
try 0 "more pods on a whole GPU than its mode takes" explain "$work/replicas.yaml"
if [ "$(grep -c "^  0.000000 ms  p[1-4]: placed on a, GPU 0$" <<<"$output")" -eq 4 ]; then ok; else bad "pods beyond replicas are not placed" "$output"; fi
cat >"$work/whole.yaml" <<'END'
workload: w
kernels: [{name: k, time: 1 ms}]
---
scenario: whole
nodes: [{name: n, devices: {model: a100}, cpu: 8}]
policies: [{place: first_fit, mode: {mig: {instances: [3g.20gb]}}}, {place: first_fit, mode: mps}]
pods: [{name: slice, profile: 3g.20gb, workload: w}]
END
try 0 "pods with profiles on whole GPUs" validate "$work/whole.yaml"
prints "whole.yaml:6:69: warning: under mps no GPU is split, and pod 'slice' asks for an instance: it will wait for ever"
if [ "$(grep -c warning: <<<"$output")" -eq 1 ]; then ok; else bad "one policy leaves GPUs whole" "$output"; fi
cat >"$work/split.yaml" <<'END'
scenario: split
nodes: [{name: n, devices: {model: a100, count: 2}, cpu: 8, mig: [{gpus: [0], layout: [3g.20gb, 2g.10gb]}]}]
policies: [first_fit]
pods: [{name: one, gpus: 1, duration: 1 s}, {name: part, gpu: 50 %, duration: 1 s}, {name: two, gpus: 2, duration: 1 s}, {name: slice, profile: 2g.10gb, duration: 1 s}]
END
try 0 "a pod of more GPUs than are whole" validate "$work/split.yaml"; prints "no node can hold pod 'two', even with nothing on it: it will wait for ever; it asks for 2 GPUs that are not split, and no node has more than 1"
cat >"$work/none.yaml" <<'END'
scenario: none
nodes: [{name: a, devices: {model: a100}, cpu: 8, labels: {use: train}, mig: [{layout: [3g.20gb]}]}, {name: b, cpu: 8, labels: {zone: b}}]
pods: [{name: all, profile: 7g.40gb, duration: 1 s}, {name: both, cpu: 1, duration: 1 s, selector: {use: train, zone: b}}]
END
try 0 "pods of a profile and of labels that no node has" validate "$work/none.yaml"
prints "pod 'all', even with nothing on it: it will wait for ever; no GPU has an instance 7g.40gb, or gets one"
prints "pod 'both', even with nothing on it: it will wait for ever; no node has the labels that it asks for"
# A device that inherits its profiles of MIG may have fewer SMs than they have, and so may one that a scenario changes.
printf 'device: cut\ninherits: a100\nsms: 40\n' >"$work/cut.yaml"
try 0 "profiles of more SMs" validate "$work/cut.yaml"; prints "cut.yaml:3:6: warning: cut has 40 SMs, and an instance of its profile 3g.20gb has 42"
printf 'scenario: s\nnodes: [{name: n, devices: {model: a100, sms: 30}, cpu: 32, mig: [{changes: free, change: 5 s}]}]\npolicies: [first_fit]\npods: [{name: a, profile: 3g.20gb, duration: 1 s}]\n' >"$work/cut.yaml"
try 0 "profiles of more SMs in a cluster" validate "$work/cut.yaml"; prints "warning: a100 has 30 SMs, and an instance of its profile 3g.20gb has 42"
if [ "$(grep -c warning: <<<"$output")" -eq 1 ]; then ok; else bad "pods on a whole GPU or an instance wait" "$output"; fi
try 0 "an explained pod that no node can hold" explain "$work/split.yaml"
prints "two: still waits after 2 s: no node can hold it, even with nothing on it"
# The queue is that of all policies, a table without rows has no head, and of two jobs up to 100 % may miss a deadline.
printf 'workload: idle\nkernels: [{name: k, blocks: 10, threads: 32, block_time: 10 us, jitter: 5 %%}]\n---\nscenario: small\ndevices: [{model: v100}]\nqueue: interleave\npolicies: [leftover, round_robin]\nvms: [{name: p, workload: idle, repeat: 2, deadline: 1 s}]\nrun: {replications: 1}\n' >"$work/small.yaml"
try 0 "two jobs" run "$work/small.yaml"; prints "queue by policy, "; prints "at most 100 % (0 of 2 jobs)"
if grep -q "time oversubscribed" <<<"$output"; then bad "a head without rows" "$output"; else ok; fi
try 0 "a policy with its own queue" run "$work/small.yaml" --policy leftover; prints "queue leftover, "
# warns POLICIES WORDS: under these policies the keys of a process and its share policy have no effect but for WORDS.
printf 'scenario: keys\ndevices: [{model: v100}]\npolicies: [{mode: mps}]\nprocesses: [{name: p, workload: v100/hotspot_512, chunks: 2, active_threads: 50 %%}, {name: q, workload: v100/hotspot_512, chunks: 4, active_threads: 100 %%}]\n' >"$work/keys.yaml"
warns() {
    sed "s/^policies: .*/policies: [$1]/" "$work/keys.yaml" >"$work/warns.yaml"
    output=$("$smsched" validate "$work/warns.yaml" 2>&1 | sed -n 's/.*warning: \(.*\) has no effect: .*/\1/p' | tr '\n' ' ')
    if [ "$output" = "$2" ]; then ok; else bad "what has no effect under $1" "$output"; fi
}
warns "{mode: time_slice, share: fair_share}" "chunks active_threads chunks "
warns "{mode: mps, share: fair_share}, {mode: mps, share: tally}" "fair_share chunks chunks "
# A VM has no device to itself, a process has: the second waits for the first, 1 s each.
sed 's/^ *//' >"$work/apart.yaml" <<'END'
    workload: lone
    exclusive: true
    kernels: [{name: k, blocks: 8, threads: 256, block_time: 1 s}]
    ---
    scenario: apart
    devices: [{model: v100}]
    policies: [{mode: mps}]
    processes: [{name: p, workload: lone}, {name: q, workload: lone}]
END
try 0 "processes that are exclusive" run "$work/apart.yaml"; prints "makespan           2.000 s"; if grep -q warning <<<"$output"; then bad "exclusive has an effect" "$output"; else ok; fi
sed -i '/^policies/d; s/^processes/vms/' "$work/apart.yaml"
try 0 "VMs that are exclusive" run "$work/apart.yaml"; prints "apart.yaml:7:27: warning: workload 'lone' is exclusive, which has no effect on VMs: only a process has a device to itself"
warns "{mode: partition}, {mode: time_slice, share: lottery}" "active_threads "
warns "{mode: partition}, {mode: mps}" ""
for most in "" ", copy_out_most: 2 GB/s"; do
    sed "s|^devices: .*|devices: [{model: v100, link: {bandwidth: 10 GB/s$most, copy_out_spread: 10 %}}]|" "$work/keys.yaml" >"$work/spread.yaml"
    try 0 "a spread of copies" validate "$work/spread.yaml"
    [ -n "$most" ]
    if [ $? -ne "$(grep -c "spread.yaml:2:.*: warning: copy_out_spread has no effect" <<<"$output")" ]; then bad "a spread of copies" "$output"; else ok; fi
done
try 0 "warnings are no errors" validate "$work/wait.yaml"; prints "pod 's'"
# The figure has no point for pods that end after the last arrival.
printf 'scenario: short\nnodes: [{name: a, count: 2, gpus: 1}]\npolicies: [first_fit]\npods: [{name: p, count: 2, gpus: 1, arrivals: {every: 1 s}, duration: 60 s}, {name: q, start: 90 s, duration: 1 s}]\n' >"$work/short.yaml"
try 0 "pods that all leave" run "$work/short.yaml" --out "$work/short" --quiet
if [ "$(tail -1 "$work/short/allocation.csv")" = "short,first_fit,1.000000,1.000000,0.000000" ]; then ok; else bad "the last point: $(tail -1 "$work/short/allocation.csv")"; fi
try 0 "a table of a cluster" run "$cluster" --policy random; prints "gpu_allocation_ratio"
try 0 "a comparison of clusters" compare "$cluster"; prints "change over first_fit"
if "$smsched" run --format json "$cluster" | python3 -c 'import json, sys; json.load(sys.stdin)["runs"][0]["cluster"]["wait_p99_ns"]'; then ok; else bad "JSON of a cluster"; fi
printf 'expect: [{metric: placed_count, policy: fgd, min: 100}, {metric: wait_mean_ns, policy: random, over: fgd, max: 900 %%}]\n' |
    cat "$cluster" - >"$work/expect.yaml"
try 0 "steps of gpushare" explain scenarios/gpushare/filter.yaml --to '2 s'
prints "asks: extender filter: 1 node passes; N2: Insufficient GPU Memory in one device"
try 0 "shared GPUs" run scenarios/gpushare/inspect.yaml --out "$work/gpushare" --quiet
if awk -F, 'NR > 1 { all += $5; have += $6 } END { exit !(NR == 3 && have / all == 0.3) }' "$work/gpushare/gpus.csv"; then ok; else bad "9 of 30 GiB"; fi
if [ ! -e "$work/cluster/gpus.csv" ]; then ok; else bad "no shared GPUs, no gpus.csv"; fi
try 0 "a table of gpushare" run scenarios/gpushare/modes.yaml; prints "stranded_mean_bytes"
try 0 "expectations of a cluster" check "$work/expect.yaml"; prints "0 missed"

# Timelines of 10 processes, and of 150, which do not all get a row.
for count in 10 150; do
    cp -r "$work/again" "$work/shared$count"
    python3 - "$work/shared$count" "$count" <<'EOT'
import sys
folder, count = sys.argv[1], int(sys.argv[2])
names = [f"c/{i}" for i in range(count)] + ["all"]
with open(folder + "/processes.csv", "w") as to:
    print("scenario,policy,process,turnaround_ns,ci95_turnaround_ns", file=to)
    print(*(f"s,{policy},{name},{'' if name == 'c/1' else 5000}," for policy in ("a", "b") for name in names), sep="\n", file=to)
with open(folder + "/spans.csv", "w") as to:
    print("scenario,policy,process,device,state,start_ns,end_ns", file=to)
    for policy in "a(x=1)", "a(x:1)", "crowded":
        for i, name in reversed(list(enumerate(names[:-1]))):
            print(f"s,{policy},{name},,unplaced,0,{i + 1}", file=to)
            for k in range(1000 if policy == "crowded" else 2):
                print(f"s,{policy},{name},0,{'kernel' if k % 2 else 'host'},{i + 1 + k},{i + 2 + k}", file=to)
EOT
    try 0 "figures of $count processes" plot "$work/shared$count" --format svg
    prints "plots/processes-s.svg"
done
plots=$work/shared10/plots
if [ "$(sed -n 2p "$plots/processes-s.csv")" = "1,0,0.001,0.1,0.86,14540253,0,a(x=1),c/0,unplaced" ] &&
    [ "$(grep -c ',a(x=1),' "$plots/processes-s.csv")" -eq 30 ]; then ok; else bad "spans as they are, in the order of processes"; fi
if awk -F, '$8 == "crowded" && $9 == "c/0" { n++; full += $5 - $4 } END { exit !(n > 1000 && full / 0.8 / 600 > 0.95) }' "$plots/processes-s.csv"; then ok; else bad "crowded rows"; fi
if grep -q 'The first 40 of 150 processes' "$work/shared150/plots/processes-s.svg"; then ok; else bad "rows left out are told"; fi
if grep -q '>c/9<' "$plots/processes-s.svg"; then ok; else bad "names of rows"; fi
if [ "$(grep -c ',c/.$' "$plots/turnaround.csv")" -eq 20 ] && [ "$(grep -c ',NaN,.*,c/1$' "$plots/turnaround.csv")" -eq 2 ] && [ "$(grep -c ',all$' "$plots/turnaround.csv")" -eq 2 ]; then ok; else bad "turnarounds"; fi
if [ "$(wc -l <"$work/shared150/plots/turnaround.csv")" -eq 3 ]; then ok; else bad "turnaround of many: of all"; fi
printf 'scenario,policy,process,device,state,start_ns,end_ns\ns,p,c/0,,kernel,-1,2\n' >"$work/shared10/spans.csv"
try 3 "a span that begins before the run" plot "$work/shared10" --format svg; prints "out of range"

# Parts of many ranges of SMs, as they are where neighbours have left, are drawn. Those that are none are refused.
{
    printf 'scenario: left\ndevices: [{model: v100, sms: 400, mps: {chunk: 1}}]\npolicies: [{mode: {partition: {clients: 401}}}]\nprocesses:\n'
    for i in {1..200}; do printf -- '  - {name: short%d, workload: w, chunks: 1}\n  - {name: long%d, workload: w, chunks: 1, repeat: 9}\n' "$i" "$i"; done
    printf -- '  - {name: late, workload: w, chunks: 150, start: 15 us}\n---\nworkload: w\nsynthetic: true\nkernels: [{name: k, blocks: 1, threads: 64, block_time: 10 us}]\n'
} >"$work/left.yaml"
try 0 "a part of 150 ranges" run --quiet --out "$work/left" "$work/left.yaml"
if grep -q ',late,0,0 2 4 .* 296 298,' "$work/left/parts.csv"; then ok; else bad "not every other SM" "$(tail -1 "$work/left/parts.csv")"; fi
try 0 "which is drawn" plot "$work/left" --format svg --figures 'sms-*'; prints "plots/sms-left.svg"
for ranges in few '3-' 30-3 -5 0-99999999999; do
    printf 'scenario,policy,process,device,ranges,at_ns\nleft,p,late,0,%s,0\n' "$ranges" >"$work/left/parts.csv"
    try 3 "SMs $ranges" plot "$work/left" --format svg --figures 'sms-*'; prints "parts.csv, line 2: ranges of SMs are malformed"
done

try 0 "results of VMs" run --quiet --out "$work/lacks" "$tutorial" --replications 1
sed -i '1s/kernels_per_s/kernels/' "$work/lacks/vms.csv"
try 3 "results that lack a metric" plot "$work/lacks" --format svg; prints "vms.csv:1:1: error: has no column 'kernels_per_s'"

# Instances have their names, and are not devices of the same number under another policy.
printf 'scenario: split\ndevices: [{model: a100, count: 2}]\npolicies: [{mode: {mig: {instances: [3g.20gb, 4g.20gb]}}}, {mode: mps}]\nprocesses: [{name: p, workload: w, count: 4}]\n---\nworkload: w\nkernels: [{name: k, blocks: 1, threads: 64, block_time: 10 us}]\n' >"$work/split.yaml"
try 0 "instances" run --quiet --out "$work/split" "$work/split.yaml"
if [ "$(grep -v mps "$work/split/spans.csv" | cut -d, -f4 | sort -u | tr '\n' ' ')" = "0:3g.20gb#0 0:4g.20gb#1 1:3g.20gb#0 1:4g.20gb#1 device " ]; then ok
else bad "instances have no names" "$(cat "$work/split/spans.csv")"; fi
try 0 "which are drawn" plot "$work/split" --format svg --figures 'devices-*'
if grep -q '>4g.20gb#1 of device 0<' "$work/split/plots/devices-split.svg" && grep -q '>device 1<' "$work/split/plots/devices-split.svg"; then ok
else bad "the figure of devices does not name instances"; fi
try 0 "where a process was" explain "$work/split.yaml"; prints " on instance 1, 4g.20gb of device 1 "

# Devices with different resources, of VMs, processes and nodes.
unlike=tests/scenarios/unlike-devices.yaml
try 0 "unlike devices" run --quiet --format csv --check "$unlike"
fast=$output
try 0 "unlike devices, reference engine" run --quiet --format csv --engine reference "$unlike"
if [ "$output" = "$fast" ]; then ok; else bad "unlike devices: the engines differ"; fi
for command in explain compare "run --trust"; do
    # shellcheck disable=SC2086
    try 0 "unlike devices: $command" $command "$unlike"
done
try 0 "unlike devices: run --out" run --out "$work/unlike" "$unlike"
try 0 "unlike devices: report" report --out "$work/unlike.html" "$work/unlike"
sed '/^# Process a/,$d' "$unlike" | sed '$d' >"$work/unlike-vms.yaml"
try 0 "unlike devices: trace" run --trace "$work/unlike.json" "$work/unlike-vms.yaml"

# Processes on the device of their profile beside a device that they may not have: nothing is scaled.
cat >"$work/pinned.yaml" <<'END'
scenario: pinned
devices: [{model: v100}, {model: p100}]
policies: [{mode: mps}]
processes:
  - {name: search, workload: v100/bfs_64k, device: 0}
  - {name: heat, workload: v100/hotspot_1024, device: 0}
END
try 0 "processes on the device of their profile" run "$work/pinned.yaml"
if grep -q "was profiled on\|kernels scaled" <<<"$output"; then bad "what runs where it was profiled is called scaled" "$output"; else ok; fi
# The same GPU with a measured slice, as calibrate writes it, or with a resource more, and one of other clocks.
sed -i 's/model: v100}, {model: p100}/model: own}/; s/, device: 0}/}/' "$work/pinned.yaml"
for line in "time_slice: {slice: 1.5 ms}" "resources: {lsu: {class: memory, capacity: 32}}" "clock: 1.2 GHz"; do
    { printf 'device: own\ninherits: v100\n%s\n---\n' "$line"; cat "$work/pinned.yaml"; } >"$work/own.yaml"
    try 0 "a device of its own, $line" run "$work/own.yaml"
    case $line in
    clock*) prints "was profiled on v100 and runs on own"; prints "kernels scaled from the device of their profile" ;;
    *) if grep -q "was profiled on\|kernels scaled" <<<"$output"; then bad "what runs on the GPU of its profile is called scaled" "$output"; else ok; fi ;;
    esac
done

printf 'scenario: mixed\ndevices: [{model: p100, count: 2}, {model: a100}, {model: v100}]\npolicies: [leftover]\nvms: [{name: a, workload: v100/bfs_64k}]\n' >"$work/mixed.yaml"
try 0 "a workload on devices of other kinds" validate "$work/mixed.yaml"; prints "was profiled on v100 and runs on p100, a100: its times"

finish
