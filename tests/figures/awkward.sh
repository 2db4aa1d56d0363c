#!/usr/bin/env bash
# Figures of awkward results: the longest names, wide letters, deadlines far from every latency, lanes in the order of the scenario,
# panels without blocks. Texts are measured where there is a browser, as in run.sh. Usage: awkward.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
source=$PWD
command -v gnuplot >/dev/null || { echo "not there: gnuplot"; exit 77; }
cd "$work" || exit 1

# drawn NAME: the results NAME of the scenario NAME.yaml, and their figures in plots/NAME.
drawn() {
    try 0 "results of $1" run --quiet --out "$1" "$1.yaml"
    try 0 "figures of $1" plot --quiet -o "$1/plots" "$1"
}
kernels='---
workload: one
kernels: [{name: k, blocks: 200, threads: 128, block_time: 10 us, jitter: 20 %, demand: {fp32: 4 %}}]
---
workload: minutes
kernels: [{name: k, blocks: 80, threads: 1024, block_time: 60 s}]'

# Names may have 100 letters. Those of a list differ at their ends.
long=a-very-long-name-of-a-process-which-nobody-would-choose-but-a-generator-of-names-does-0123456789
cat >long.yaml <<END
scenario: long
devices: [{model: v100, sms: 8}]
policies: [{mode: time_slice}, {mode: mps}]
processes:
  - {name: $long-1, class: $long-a, workload: one, repeat: 15, deadline: 100 us}
  - {name: $long-2, class: $long-b, workload: one, repeat: 15, active_threads: 50 %}
  - {name: mmm, workload: one, repeat: 15, deadline: 1 us}
run: {replications: 2}
$kernels
END
drawn long
for text in "a-very-long-.*….*123456789-1" "a-very-long-.*….*123456789-2"; do
    if grep -q ">$text<" long/plots/processes-long.svg; then ok; else bad "no name '$text' beside a row"; fi
done
printf 'plan: sweep-long\nbase: long.yaml\nanswer: {metric: job_latency_p99_ns, of: %s-1}\naxes: [{processes.%s-1.repeat: [10, 20]}]\n' $long $long >sweep-long.yaml
try 0 "a sweep with long names" sweep --quiet sweep-long.yaml
try 0 "its curve" plot --quiet -o plots-of-long sweep-long.sweep

# A deadline has its name above the frame, where no curve goes, and is drawn if every job is late.
python3 - <<'END' >wrong 2>&1 && ok || bad "deadlines" "$(cat wrong)"
import re
script = open("long/plots/latency-long.gp").read()
said = {key: dict((int(i), float(x)) for i, x in re.findall(rf"panel_{key}\[(\d+)\] = ([-\d.e+NaN]+)\n", script)) for key in ("left", "right", "target")}
aimed = [p for p, x in said["target"].items() if x == x]
assert len(aimed) == 2, said
for p in aimed:
    assert said["left"][p] <= said["target"][p] <= said["right"][p], (p, said)
drawn = open("long/plots/latency-long.svg").read()
names = [float(y) for y in re.findall(r"translate\([\d.]+,([\d.]+)\)[^>]*>\s*<text><?[^<]*deadline<", drawn)]
frames = [(float(a), float(b)) for a, b in re.findall(r"<path stroke='black'\s+d='M[\d.]+,([\d.]+) L[\d.]+,([\d.]+) [^']*Z", drawn)]
assert len(names) == 2 and len(frames) >= 2, (names, frames)
assert not any(min(frame) < y - 3 < max(frame) for y in names for frame in frames), (names, frames)
END

# A panel without blocks says why, and a long run its length in digits.
cat >late.yaml <<END
scenario: late
devices: [{model: v100, sms: 8}]
policies: [{mode: mps}, {mode: exclusive}]
processes: [{name: first, workload: steps, repeat: 20}, {name: second, workload: one, repeat: 30, start: 10 us}]
answer: {metric: stp_ratio}
$kernels
---
workload: steps
kernels: [{name: k, blocks: 1, threads: 32, block_time: 5 us}]
steps: [{host: 100 ms}, {launch: k}]
END
drawn late
if grep -q '>no block until 100' late/plots/timeline-late.svg; then ok; else bad "a panel without blocks" "$(grep panel_note late/plots/timeline-late.gp)"; fi
if grep -q '>Which policy has the highest system throughput (STP)?<' late/plots/answer.svg; then ok; else bad "a question of no scenario" "$(grep '^title' late/plots/answer.gp)"; fi
cat >minutes.yaml <<END
scenario: minutes
question: How long is this run whose blocks take all day at 100 %?
devices: [{model: v100, sms: 8}]
policies: [round_robin]
vms: [{name: a, workload: minutes, repeat: 4}]
$kernels
END
drawn minutes
if grep -qE '>Time \(s\); runs go on to [0-9]{4} s<' minutes/plots/timeline-minutes.svg; then ok; else bad "the end of a long run" "$(grep '^xlabel' minutes/plots/timeline-minutes.gp)"; fi

if grep -q '>Throughput of a (' minutes/plots/throughput.svg; then ok; else bad "one tenant and all"; fi
if grep -q '>100 %?<' minutes/plots/answer.svg; then ok; else bad "a number and its %" "$(grep '^title' minutes/plots/answer.gp)"; fi

# Processes that share a device lie on it in the order of the scenario, whoever runs first.
cat >order.yaml <<END
scenario: order
devices: [{model: v100, sms: 8}]
policies: [{mode: mps}]
processes:
  - {name: late, workload: one, repeat: 20, start: 50 us}
  - {name: early, workload: one, repeat: 20}
  - {name: part, workload: one, repeat: 20, active_threads: 50 %}
$kernels
END
drawn order
python3 - <<'END' >wrong 2>&1 && ok || bad "order of lanes" "$(cat wrong)"
import csv
for figure, name in (("devices", "state"), ("sms", "process")):
    top = {}
    for row in csv.DictReader(open(f"order/plots/{figure}-order.csv")):
        top[row[name]] = min(top.get(row[name], 1e9), float(row["y0"]))
    assert sorted(top, key=top.get) == ["late", "early", "part"], (figure, top)
END

# One figure is as among all. Tables that it does not need, which may have gigabytes, are not read.
for results in long late minutes order; do
    for data in "$results"/plots/*.csv; do
        name=$(basename "$data" .csv)
        try 0 "$name of $results alone" plot --quiet --figures "$name" -o alone "$results"
        if cmp "$data" "alone/$name.csv" && cmp "${data%csv}svg" "alone/$name.svg"; then ok; else bad "$name of $results alone differs"; fi
    done
done
for table in timeline spans parts latencies; do echo wrong >>long/$table.csv; done
try 0 "a figure beside tables that are wrong" plot --quiet --figures 'answer,th*' -o alone long
try 0 "a name that no figure has, beside another" plot --figures 'answer,thruput' -o alone long; prints "no figure 'thruput'"
try 3 "a figure of a table that is wrong" plot --quiet --figures '*-long' -o alone long; prints "latencies.csv:"

# The one panel of a figure says whose latency it shows. A baseline of 0 has no change in percent, so that other values are numbers.
cat >lone.yaml <<END
scenario: lone
devices: [{model: v100, sms: 8}]
policies: [leftover, {fine_grained: {limit: 10 %}}]
answer: {metric: deadline_miss_ratio, of: a}
vms: [{name: a, workload: one, repeat: 30, deadline: 120 us}]
$kernels
END
drawn lone
if grep -q '>Latency of a (' lone/plots/latency-lone.svg; then ok; else bad "whose latency" "$(grep xlabel lone/plots/latency-lone.gp)"; fi
if grep -q ',0,NaN,0,lone,leftover' lone/plots/answer.csv && grep -qE ',1,NaN,1,lone,fine' lone/plots/answer.csv; then ok; else bad "a change over 0" "$(cat lone/plots/answer.csv)"; fi

if grep -q '>Which policy gives a the fewest missed deadlines?<' lone/plots/answer.svg; then ok; else bad "a question about a tenant" "$(grep '^title' lone/plots/answer.gp)"; fi

# A deadline far above latencies would squeeze their curves, but not where they span so much that their axis is logarithmic.
sed 's/scenario: .*/scenario: aimed/; s/, repeat: 30, deadline: 120 us/, arrivals: {every: 5 ms}, repeat: 30, deadline: 9 ms/; /^answer/d' lone.yaml >aimed.yaml
for blocks in 100,400 4,400,8000; do
    name=aims-${blocks//,/-}
    printf 'plan: %s\nbase: aimed.yaml\nanswer: {metric: job_latency_mean_ns, of: a}\naxes: [{workloads.one.kernels.k.blocks: [%s]}]\n' "$name" "$blocks" >"$name.yaml"
    try 0 "a sweep along $blocks" sweep --quiet "$name.yaml"
    try 0 "its curve" plot --quiet -o "plots-of-$name" "$name.sweep"
done
if grep -q '>deadline<' plots-of-aims-4-400-8000/*.svg && ! grep -q '>deadline<' plots-of-aims-100-400/*.svg; then ok; else bad "deadlines far above" "$(cat plots-of-aims*/*.csv)"; fi

# Small changes have no sign. Titles that would not fit beside each other are below each other.
cat >changes.yaml <<END
scenario: changes
devices: [{model: v100, sms: 8}]
policies: [round_robin, leftover, {fine_grained: {limit: 95 %}}, {fine_grained: {limit: 10 %}}]
vms: [{name: a, workload: one, repeat: 12}, {name: b, workload: one, repeat: 30}]
run: {replications: 2}
$kernels
END
"$smsched" compare --quiet --format csv changes.yaml >changes.csv 2>err
try 0 "figures of changes" plot --quiet -o plots-of-changes changes.csv
if grep -qE '>[-+]0\.0 %<' plots-of-changes/*.svg; then bad "a change of nothing has a sign"; else ok; fi
# An axis has two numbers at least, also where the panel is narrow and most of it negative.
awk -F, -v OFS=, '/fine_grained/ { next } $2 == "leftover" && $6 != "" { $2 = "utilization_aware"; $6 = 0.2; $8 = 0.01 } 1' changes.csv >less.csv
try 0 "figures of losses" plot --quiet -o plots-of-less less.csv
python3 - <<'END' >wrong 2>&1 && ok || bad "numbers at axes" "$(cat wrong)"
import re
drawn = open("plots-of-less/comparison-changes.svg").read()
texts = [(float(x), float(y)) for x, y in re.findall(r'translate\(([\d.]+),([\d.]+)\)"[^>]*anchor="middle">\s*<text>-?[\d.]+<', drawn)]
frames = set(re.findall(r"d='M([\d.]+),[\d.]+ L[\d.]+,([\d.]+) L([\d.]+),[\d., L]+ Z", drawn))
assert len(frames) > 3, frames
for left, bottom, right in frames:
    assert sum(float(left) - 5 < x < float(right) + 5 and 0 < y - float(bottom) < 45 for x, y in texts) >= 2, (left, bottom, texts)
END
sed -i 's/policies: .*/policies: [round_robin, leftover]/; s/, jitter: 20 %//; s/, {name: b.*}\]/]/' changes.yaml
"$smsched" compare --quiet --format csv changes.yaml >same.csv 2>err
try 3 "figures of no change" plot --quiet same.csv; prints "same.csv: error: holds nothing to draw: no policy changes a metric of the host or cluster by 0.1 %"
# Values without one unit are names in the order of the plan, which no line joins: 1 ms is not before 5 us.
printf 'plan: units\nbase: changes.yaml\nanswer: {metric: jobs_per_s, of: a}\naxes: [{workloads.one.kernels.k.block_time: [5 us, 20 us, 1 ms]}, {queue: [interleave, fifo]}]\n' >units.yaml
try 0 "a sweep over units" sweep --quiet units.yaml
try 0 "its figures" plot --quiet -o plots-of-units units.sweep
for figure in curve-workloads.one.kernels.k.block_time map-changes; do
    if [ "$(sed -n "s/^xname_label.* = //p" plots-of-units/$figure.gp | xargs -d '\n')" = "'5 us' '20 us' '1 ms'" ]; then ok; else bad "the order of units in $figure" "$(grep xname plots-of-units/$figure.gp)"; fi
done
if [ "$(sed -n "s/^yname_label.* = //p" plots-of-units/map-changes.gp | xargs -d '\n')" = "'interleave' 'fifo'" ]; then ok; else bad "the order of names"; fi
if [ "$(grep -c "gpPt6'" plots-of-units/curve-queue.svg)" -gt 4 ] && ! grep -q "stroke='rgb(  0, 114, 178)'  d='M[^L]*L[^L]*L" plots-of-units/curve-queue.svg; then ok; else bad "a line joins names"; fi
# A cell of a map without a value is grey: a change of nothing is white.
printf 'plan: gaps\nbase: changes.yaml\nanswer: {metric: jobs_per_s, of: a}\naxes: [{vms.a.repeat: [12, 13], queue: [fifo, interleave]}]\n' >gaps.yaml
try 0 "a sweep along a diagonal" sweep --quiet gaps.yaml
try 0 "its map" plot --quiet --figures 'map*' -o plots-of-gaps gaps.sweep
if [ "$(grep -ci "fill *= *'rgb(187, 187, 187)'" plots-of-gaps/map-changes.svg)" = 2 ]; then ok; else bad "cells without values" "$(grep -o "fill *= *'[^']*'" plots-of-gaps/map-changes.svg | sort | uniq -c)"; fi
# Lines of one colour differ in their dashes, and a legend says so.
limits=$(for limit in {10..41}; do printf '{fine_grained: {limit: %d %%}}, ' "$limit"; done)
sed "s/scenario: .*/scenario: lines/; s/policies: .*/policies: [${limits}round_robin, leftover]/" changes.yaml >lines.yaml
drawn lines
if grep -qx 'line_dash\[16\] = 1' lines/plots/latency-lines.gp && grep -qx 'line_dash\[17\] = 2' lines/plots/latency-lines.gp &&
    grep -qx 'line_dash\[33\] = 3' lines/plots/latency-lines.gp; then ok; else bad "lines of one colour" "$(grep line_dash lines/plots/latency-lines.gp)"; fi
if grep -q "round_robin (dotted)" lines/plots/latency-lines.svg && ! grep -q "limit=25%) (d" lines/plots/latency-lines.svg; then ok; else bad "the legend of dashes"; fi
printf 'plan: curves\nbase: lines.yaml\nanswer: {metric: jobs_per_s, of: a}\naxes: [{vms.a.repeat: [12, 13]}]\n' >curves.yaml
try 0 "a sweep of many policies" sweep --quiet curves.yaml
try 0 "its curves" plot --quiet -o plots-of-curves curves.sweep
if grep -qx 'line_dash\[33\] = 3' plots-of-curves/*.gp; then ok; else bad "curves of one colour"; fi
# So do boxes in their stripes, which are white on dark colours.
cat >boxes.yaml <<END
scenario: boxes
devices: [{model: v100, sms: 8}]
policies: [{mode: mps}]
processes: [$(for n in {1..33}; do printf '{name: p%d, workload: one, repeat: 10, active_threads: 50 %%}, ' "$n"; done)]
$kernels
END
drawn boxes
for figure in timeline devices sms; do
    python3 - $figure <<'END' >wrong 2>&1 && ok || bad "boxes of one colour in $figure" "$(cat wrong)"
import csv, re, sys
figure = f"boxes/plots/{sys.argv[1]}-boxes"
script, drawn = open(figure + ".gp").read(), open(figure + ".svg").read()
labels, stripes = (dict(re.findall(rf"{column}\[(\d+)\] = '?(\w+)", script)) for column in ("name_label", "name_stripes"))
legend = {labels[i]: int(stripes[i]) for i in labels if labels[i] != "pale"}
assert legend == {f"p{n}": (n - 1) // 16 for n in range(1, 34)}, legend
column = {"timeline": "vm", "devices": "state", "sms": "process"}[sys.argv[1]]
rows = list(csv.DictReader(open(figure + ".csv")))
assert all(legend[row[column]] == int(row["stripes"]) for row in rows)
dark = [row for row in rows if row["rgb"] == str(0x0072B2) and row["stripes"] != "0"]
assert dark or column == "vm"
assert drawn.count("fill = 'rgb(255, 255, 255)'") >= sum(int(row["stripes"]) for row in dark), "a stripe is not drawn"
END
done
# Where lines coincide, each is seen: drawn once more in a part of each length where no other is.
sed 's/scenario: .*/scenario: equal/; s/leftover/leftover, utilization_aware/' changes.yaml >equal.yaml
drawn equal
printf 'plan: alike\nbase: equal.yaml\nanswer: {metric: jobs_per_s, of: a}\naxes: [{vms.a.repeat: [12, 13]}]\n' >alike.yaml
try 0 "a sweep of equal policies" sweep --quiet alike.yaml
try 0 "its curves" plot --quiet -o plots-of-alike alike.sweep
for figure in equal/plots/latency-equal.svg plots-of-alike/curve-vms.a.repeat.svg; do
    python3 - $figure <<'END' >wrong 2>&1 && ok || bad "lines that coincide in $figure" "$(cat wrong)"
import re, sys
drawn = {}
for rgb, dashes, path in re.findall(r"<path stroke='(rgb[^']*)' stroke-dasharray='([\d.]+,[\d.]+,[\d.]+,[\d.]+)'\s+d='([^']*)'", open(sys.argv[1]).read()):
    drawn.setdefault(path, {})[rgb] = [float(length) for length in dashes.split(",")]
assert len(drawn) == 1, drawn
parts = sorted((dashes[1], dashes[1] + dashes[2], round(sum(dashes), 1)) for dashes in drawn.popitem()[1].values())
assert len(parts) == 3 and len({whole for _, _, whole in parts}) == 1, parts
assert all(abs(end - begin) < 0.2 for (_, end, _), (begin, _, _) in zip(parts, parts[1:])) and abs(parts[-1][1] - parts[-1][2]) < 0.2, parts
END
done
# Names below three maps beside each other stand upright where they would touch.
printf 'plan: wide\nbase: equal.yaml\nanswer: {metric: jobs_per_s, of: a}\naxes: [{vms.a.start: {from: 100 us, to: 5000 us, steps: 6, scale: log}}, {queue: [fifo, interleave]}]\n' >wide.yaml
try 0 "a sweep over many starts" sweep --quiet wide.yaml
try 0 "its maps" plot --quiet --width page --figures 'map*' -o plots-of-wide wide.sweep
if [ "$(grep -c 'rotate(270).*end' plots-of-wide/map-equal.svg)" -ge 18 ]; then ok; else bad "names touch" "$(grep -c 'rotate(270)' plots-of-wide/map-equal.svg)"; fi
printf 'plan: point\nbase: changes.yaml\nanswer: {metric: jobs_per_s, of: a}\naxes: [{vms.a.repeat: [12]}]\nkeep: [device]\n' >point.yaml
try 0 "a sweep of one point" sweep --quiet point.yaml
try 0 "its curve, though the metric's subject is not kept" plot --quiet -o plots-of-point point.sweep
if [ -s plots-of-point/curve-vms.a.repeat.svg ]; then ok; else bad "no curve of an answer"; fi

if command -v node "${CHROMIUM:-/usr/bin/chromium}" >/dev/null && [ -d "$source/tests/browser/node_modules/playwright-core" ]; then
    if node "$source/tests/figures/texts.js" ./*/plots/*.svg plots-of-*/*.svg >wrong; then ok; else bad "texts overlap or leave the frame" "$(head -20 wrong)"; fi
else
    ok "without a browser, texts are not measured"
fi
finish
