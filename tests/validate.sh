#!/usr/bin/env bash
# tools/validate over folders made here: errors, ranks and fitted values come out right, what is stored is checked, and a
# bad folder is refused with file and key.
# Usage: validate.sh SMSCHED
set -u
. "$(dirname "$0")/checks.sh"
root=$(realpath "$(dirname "$0")/..")
/usr/bin/python3 -c 'import numpy, yaml' 2>/dev/null || { echo "python3-numpy or python3-yaml is not installed"; exit 77; }
command -v gnuplot >/dev/null || { echo "gnuplot is not installed"; exit 77; }
mkdir -p "$work/build/bin" "$work/docs/figures" "$work/docs/evidence" "$work/results/measured" "$work/data"
ln -s "$(realpath "$1")" "$work/build/bin/smsched"
cp -r "$root/tools" "$work/tools"
cp -r "$root/models" "$work/models"  # tools/validate writes into it
export SMSCHED_BUILD=$work/build SMSCHED_DATA=$work/data
cd "$work" || exit 1

# validates EXIT WHAT [OPTION...]
validates() { local expected=$1 what=$2; shift 2; tools/validate "$@" >out 2>err; exits "$expected" $? "$what"; }

# makes NAME: a folder of four kernels, whose time the simulator knows to be 10, 20, 30 and 40 us, twice that on one SM of two.
makes() {
    folder=results/measured/$1
    rm -rf "$folder"
    mkdir -p "$folder"
    cat >"$folder/about.yaml" <<'EOF'
title: Four kernels
question: How long do they take?
gpu: a GPU made up
devices: [v100]
source: made up
metric: latency_mean_ns
unit: us
scale: 0.001
parameters: []
target: {median: 10 %, r2: 0.9, ranked: 2 of 2}
bound: {median: 5 %, maximum: 20 %}
covers: {devices: [v100], kernels: blocks, modes: [], contention: [none], metrics: [latency_mean_ns]}
tests: modes
by: simulation
rank: {within: pair}
group: pair
naive: {constant: one time for all}
verdict: made up
wrong: Nowhere.
EOF
    cat >"$folder/measured.csv" <<'EOF'
scenario,subject,part,measured,alone,noise,pair,constant
s10,v/k,test,10,10,0.01,first,20
s20,v/k,test,25,10,0.03,first,20
s30,kernel:v/k,test,30,10,,second,20
s40,v/k,test,40,10,,second,20
s40,v/k,fit,80,10,,second,
EOF
    for time in 10 20 30 40; do
        cat <<EOF
---
scenario: s$time
devices: [{model: v100, dispatch: none}]
policies: [most_room, depth_first]
vms: [{name: v, workload: w$time}]
---
workload: w$time
kernels: [{name: k, blocks: 1, threads: 32, block_time: $time us}]
EOF
    done >"$folder/scenarios.yaml"
}

# is FILE LINE: the file has this line.
is() { if grep -qxF -- "$2" "$1"; then ok; else bad "$1 has no line $2" "$(cat "$1")"; fi; }

makes ours
validates 0 "a folder is found by its layout"
is results/measured/ours/simulated.csv s20,v/k,test,20
is results/measured/ours/summary.csv all,test,smsched,0,4,0,14,20,-5,0.94667,1,2\ of\ 2
is results/measured/ours/summary.csv all,test,constant,,4,41.667,85,100,-0.83333,-0.33333,,0\ of\ 2
is results/measured/ours/summary.csv all,test,noise,,2,2,2.8,3,,,,
is results/measured/ours/summary.csv all,fit,smsched,0,1,50,50,50,-50,,,0\ of\ 0
is results/measured/ours/summary.csv second,test,smsched,0,2,0,0,0,0,,,1\ of\ 1
if [ -s docs/figures/measured-ours.svg ]; then ok; else bad "no figure"; fi
if grep -q '10 %: met, R2 0.9: met, 2 of 2 ranked right: met' docs/evidence/validation.md; then ok; else bad "the page says no targets"; fi
validates 0 "what was written is what is computed" --check
sed -i 's/^s20,v.k,test,20/s20,v\/k,test,21/' results/measured/ours/simulated.csv
validates 1 "a stored value that is another" --check
says "simulated.csv:3: stored is not what is computed"
validates 0 "writing again mends it"
sed -i '$aorder: {within: pair, what: the longer of a pair, target: 2}' results/measured/ours/about.yaml
validates 0 "an order within pairs"
is results/measured/ours/summary.csv order,test,smsched,0,4,0,14,20,-5,0.94667,1,2\ of\ 2
is docs/evidence/validation.md "Right in 2 of 2: the longer of a pair. The target of 2 is met. \`constant\` is in 0 of 2."
sed -i 's/pair, target: 2/pair, target: 3/' results/measured/ours/about.yaml
validates 0 "an order that is not met"
is docs/evidence/validation.md "Right in 2 of 2: the longer of a pair. The target of 3 is missed. \`constant\` is in 0 of 2."
sed -i '/^order/d' results/measured/ours/about.yaml
is results/measured/ours/summary.csv order,test,constant,,4,41.667,85,100,-0.83333,-0.33333,,0\ of\ 2
validates 0 "no order"
sed -i -e '1s/$/,copies/' -e '2s/$/,1/' -e '3s/$/,2/' -e '4s/$/,3/' -e '5s/$/,5/' -e '6s/$/,9/' results/measured/ours/measured.csv
sed -i '$amore: {within: pair, copies: copies, least: [5 %]}' results/measured/ours/about.yaml
validates 0 "whether another copy pays" # work is copies x alone / time: 1, then 0.8 measured and 1 predicted; 1, then 1.25
is results/measured/ours/summary.csv "more 5 %,test,smsched,0,4,,,,,,,4 of 4"
is results/measured/ours/summary.csv "more 5 %,test,constant,,4,,,,,,,2 of 4"
if grep -q 'at least 5 % in 4 of 4 (95 % interval 40 to 100 %; `constant` in 2)' <(tr '\n' ' ' <docs/evidence/validation.md); then ok; else bad "the page says nothing of copies"; fi
sed -i 's/^more.*/more: {within: pair, copies: copies, least: [5 %], of: pair}/' results/measured/ours/about.yaml
validates 0 "and in which groups"
is results/measured/ours/summary.csv "more 5 % second,test,smsched,0,2,,,,,,,2 of 2"
sed -i '/^more/d' results/measured/ours/about.yaml
sed -i 's/,[0-9c][a-z]*$//' results/measured/ours/measured.csv
validates 0 "no copies"
sed -i 's/Nowhere/Somewhere/' results/measured/ours/about.yaml
validates 1 "a stale page" --check
says "validation.md: is not what tools/validate writes"
sed -i 's/maximum: 20 %/maximum: 19 %/' results/measured/ours/about.yaml
validates 1 "an error beyond its bound"
says "the maximum error 20.00 % is beyond its bound of 19 %"
before=$(md5sum docs/evidence/validation.md)
validates 1 "--all writes nothing" --all
if [ "$before" = "$(md5sum docs/evidence/validation.md)" ]; then ok; else bad "--all changed the page"; fi

# Two metrics that were held back on one device each: either is judged by its own values.
makes ours
sed -i '1s/$/,metric/; 2,$s/$/,/; 4s/$/end_ns/; 4s/kernel:v.k/vm:v/' results/measured/ours/measured.csv
sed -i 's/^covers.*/covers:\n  - {devices: [v100], kernels: blocks, metrics: [latency_mean_ns], gpu: one}\n  - {devices: [a100], kernels: blocks, metrics: [end_ns], gpu: other, fitted: 1}/' results/measured/ours/about.yaml
validates 0 "metrics of one device each"
is results/measured/ours/summary.csv "covered v100,test,smsched,0,3,0,16,20,-6.6667,0.94444,1,1 of 1"
is results/measured/ours/summary.csv "covered a100,test,smsched,1,1,0,0,0,0,,,0 of 0"
if grep -q 'metric: "end_ns", values: 1, fitted: 1,' <(grep -A4 'gpu: "other"' models/trust.yaml); then ok; else bad "the trust of the other device" "$(cat models/trust.yaml)"; fi
sed -i 's/\[end_ns\]/[jobs_per_s]/' results/measured/ours/about.yaml
validates 3 "a metric of which nothing is held back"
says "about.yaml: covers: metrics: no value of jobs_per_s is held back"

# Errors without what was partly fitted have a row of their own.
makes ours
sed -i '$awithout: {column: pair, value: second}' results/measured/ours/about.yaml
validates 0 "without a pair"
is results/measured/ours/summary.csv "without second,test,smsched,0,2,10,18,20,-10,,,1 of 1"
is docs/evidence/validation.md "| smsched, without second (2 values) | 10.0 | 18.0 | 20.0 |  | 1 of 1 |"

# Clusters have their rows where the results of tools/openb are.
makes ours
mkdir -p results/published
printf 'policy,arrived_ratio,allocated_ratio,fragment_ratio\nfgd,0,0,1\nfgd,1.3,0.99,1\nrandom,1.3,0.8,1\n' >results/openb.csv
printf 'id,value\nfgd-alloc130-fgd,90\nfgd-alloc130-random,80\n' >results/published/fgd-2023.csv
printf 'list,policy,published,shuffled\nother,fgd,50,50\nother,random,40,40\n' >results/openb-lists.csv
printf 'policy,load,published,simulated\nfgd,20,10,11\nrandom,20,20,22\n' >results/openb-fragments.csv
validates 0 "clusters"
if grep -qF "| [GPUs that policies of placement allocate](openb.md) | Alibaba's, of 2023 | 4 | 0.0 | 0.98 | 16.2 |" docs/evidence/validation.md; then ok; else bad "what policies allocate" "$(grep openb docs/evidence/validation.md)"; fi
if grep -qF "| [GPUs in fragments, by load](openb.md) | Alibaba's, of 2023 | 2 | 10.0 |" docs/evidence/validation.md; then ok; else bad "fragments" "$(grep openb docs/evidence/validation.md)"; fi
rm -r results/openb*.csv results/published

# A naive model that is far off is left out, unless it is nearer than the simulator in a group, or over the values that it has.
makes ours
sed -i 's/^naive.*/naive: {constant: one time for all, far: nearer for three, worse: nearer nowhere, some: of one value}/; s/median: 5 %/median: 90 %/' results/measured/ours/about.yaml
cat >results/measured/ours/measured.csv <<'EOF'
scenario,subject,part,measured,pair,constant,far,worse,some
s10,v/k,test,12,first,20,12,900,
s20,v/k,test,25,first,20,25,900,24
s30,v/k,test,36,first,20,36,900,
s40,v/k,test,40,second,20,400,900,
s40,v/k,test,40,second,20,400,900,
s40,v/k,test,40,second,20,400,900,
s40,v/k,test,40,second,20,400,900,
EOF
validates 0 "naive models that are far off"
if grep -q '^| `far`: nearer for three (nearer for first, 0.0 against 16.7 %) | 900.0 |' docs/evidence/validation.md; then ok; else bad "one that is nearer in a group is hidden" "$(cat docs/evidence/validation.md)"; fi
if grep -q '^| `some`: of one value (1 values, of which smsched 20.0 %) | 4.0 |' docs/evidence/validation.md; then ok; else bad "what smsched has over the same values" "$(cat docs/evidence/validation.md)"; fi
if grep -q '^| `\(worse\|constant\)`' docs/evidence/validation.md; then bad "one that is nearer nowhere is shown"; else ok; fi
is results/measured/ours/summary.csv "where some,test,smsched,0,1,20,20,20,-20,,,0 of 0"

# Our law without the simulator is no naive model: it is beside the word law, and shown however far off it is.
sed -i 's/by: simulation/by: law/' results/measured/ours/about.yaml
validates 3 "a law without its closed form"
if grep -q 'ours/about.yaml: naive: a law has closed_form' err; then ok; else bad "which key" "$(cat err)"; fi
sed -i 's/some/closed_form/' results/measured/ours/about.yaml results/measured/ours/measured.csv
sed -i 's/,24$/,/; s/^\(s[14]0.*\),$/\1,99/' results/measured/ours/measured.csv
validates 0 "a closed form"
if grep -q '^| .Four kernels.* | law (147.5) | ' docs/evidence/validation.md; then ok; else bad "its error beside the word law" "$(cat docs/evidence/validation.md)"; fi
if grep -q '^| `closed_form`: of one value (5 values, of which smsched 0.0 %) | 147.5 |' docs/evidence/validation.md; then ok; else bad "its row" "$(cat docs/evidence/validation.md)"; fi
if grep -q closed_form models/trust.yaml; then bad "a closed form is taken for a naive model"; else ok; fi
# Nor is it with nothing fitted, and it is shown, too.
sed -i 's/worse/unfitted/' results/measured/ours/about.yaml results/measured/ours/measured.csv
validates 0 "with nothing fitted"
if grep -q '^| `unfitted`: nearer nowhere | 2150.0 |' docs/evidence/validation.md; then ok; else bad "what the fit is worth is hidden" "$(cat docs/evidence/validation.md)"; fi

# Two kernels inside an SM are predicted by each law of contention. Where both want 80 % of the units, each takes 60 % longer.
makes ours
makes inside
sed -i 's/^tests: modes/tests: inside/; s/median: 5 %, maximum: 20 %/median: 90 %, maximum: 90 %/' results/measured/inside/about.yaml
sed -i 's/workload: w30}\]/workload: w30}, {name: u, workload: w30}]\ncontention: pipes/; s/block_time: 30 us/&, demand: {fp32: 80 %}/; s/{model: v100,/{model: v100, sms: 1,/' \
    results/measured/inside/scenarios.yaml
validates 0 "a folder of two kernels inside an SM"
is results/measured/inside/summary.csv all,test,law\ none,,4,0,14,20,-5,0.94667,1,2\ of\ 2
is results/measured/inside/summary.csv all,test,law\ proportional,,4,10,48,60,10,0.25547,0.8,1\ of\ 2
is docs/evidence/validation.md '| `none` | 0.0 | 0.0 (0.95) |'
is docs/evidence/validation.md '| `proportional`, `maxmin`, `knee` | 10.0 | 10.0 (0.26) |'
is docs/evidence/validation.md '| the best naive model, or `closed_form` |  | 41.7 (-0.33) `constant` |'
if grep -q law models/trust.yaml; then bad "a law is taken for a naive model"; else ok; fi
rm -r results/measured/inside

# Data of others: derive makes all of it, and may fit.
makes theirs
cd results/measured/theirs && mkdir ../../../data/folder && mv measured.csv scenarios.yaml ../../../data/folder && cd "$work" || exit 1
sed -i 's/^parameters.*/parameters: [{name: p, fitted_to: the fit}]\ndata: [folder\/measured.csv]/' results/measured/theirs/about.yaml
cat >results/measured/theirs/derive <<'EOF'
#!/bin/sh
cp "$1"/folder/* "$2" && printf 'name,value\np,42\n' >"$2/parameters.csv"
[ -z "${SMSCHED_VALIDATE-}" ] || sed -i /s10/d "$2/measured.csv"
[ -z "${SMSCHED_FIT-}" ] || echo "fitted again" >>"$(dirname "$0")/fitted.csv"
EOF
chmod +x results/measured/theirs/derive
makes ours
validates 0 "a folder whose data is elsewhere"
is results/measured/theirs/parameters.csv p,42
[ ! -e results/measured/theirs/fitted.csv ] && ok || bad "a fit that nobody asked for"
validates 0 "--fit fits again" --fit results/measured/theirs
is results/measured/theirs/fitted.csv "fitted again"
if tr "\n" " " <docs/evidence/validation.md | grep -qF "| p = 42 (to the fit) |"; then ok; else bad "the page has no fitted value"; fi
validates 0 "--all takes all rows" --all results/measured/theirs
if grep -q '3 values' out && ! grep -q ours out; then ok; else bad "--all of one folder" "$(cat out)"; fi
mv data/folder/measured.csv kept
validates 77 "a folder without its data is skipped" --check
if grep -q "theirs: skipped: no $work/data/folder/measured.csv" out; then ok; else bad "the skip is not said" "$(cat out)"; fi
mv kept data/folder/measured.csv

# refused FILE SED TEXT: the folder, changed, is bad input that is reported with the text.
refused() {
    makes ours
    sed -i "$2" "results/measured/ours/$1"
    validates 3 "$3" --check
    says "$3"
}
refused about.yaml '/^title/d' "about.yaml: title: is missing"
refused about.yaml 's/^unit/units/' "about.yaml: unit: is missing"
refused about.yaml '$aorder: {within: pair}' "about.yaml: order: has within, what and target"
refused about.yaml '$amore: {within: pair}' "about.yaml: more: has within, copies and least"
refused about.yaml '$amore: {within: pair, copies: n, least: [some]}' "more: least: 'some' is no percentage, such as '3 %'"
refused about.yaml '$amore: {within: pair, copies: n, least: [5 %]}' "measured.csv:1: no column 'n', which about.yaml names"
refused about.yaml '$awithout: {column: pair}' "about.yaml: without: has column and value"
refused about.yaml '$awithout: {column: pear, value: first}' "measured.csv:1: no column 'pear'"
refused about.yaml '$alicence: [CC0-1.0]' "about.yaml: licence: must be a text"
refused about.yaml '$acolour: red' "about.yaml: colour: unknown key"
refused about.yaml 's/median: 5 %/median: five/' "about.yaml: bound: median: 'five' is no percentage"
refused about.yaml 's/kernels: blocks/kernels: some/' "about.yaml: covers: kernels: must be blocks or whole"
refused about.yaml 's/parameters: \[\]/parameters: [p]/' "about.yaml: parameters: each has name, count, value and fitted_to"
refused about.yaml 's/group: pair/group: pear/' "measured.csv:1: no column 'pear'"
refused about.yaml 's/^title: .*/title: [/' "about.yaml"
refused measured.csv 's/,part/,piece/' "measured.csv:1: no column 'part'"
refused measured.csv 's/test,25/test,many/' "measured.csv:3: measured: 'many' is no number"
refused measured.csv 's/test,25/proof,25/' "measured.csv:3: part: 'proof' instead of fit or test"
refused measured.csv 's/test/fit/' "nothing is held back"
refused measured.csv '3s/,first,20//' "measured.csv:3: not as many fields as the header"
refused measured.csv 's/^s20/s50/' "measured.csv:3: latency_mean_ns of 'v/k' in scenario 's50' has no value"
refused scenarios.yaml 's/v100/v1000/' "smsched run: exit 3"
finish
