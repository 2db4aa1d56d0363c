#!/usr/bin/env bash
# Texts of figures neither overlap nor leave the frame, as a browser lays them out; and what matplotlib makes of them, where it is
# installed. Skipped without a browser, unless SMSCHED_INSIST is set, as .ci/run does. Usage: run.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
source=$PWD
for need in "command -v node" "command -v ${CHROMIUM:-/usr/bin/chromium}" "test -d $source/tests/browser/node_modules/playwright-core"; do
    if ! $need >/dev/null; then
        echo "not there: $need (tools/setup --dev)"
        [ -z "${SMSCHED_INSIST-}" ] && exit 77
        exit 1
    fi
done
cd "$work" || exit 1

# Four scenarios with policies of short and long names; processes in all modes; a cluster; sweeps over one and two axes.
for n in 1 2 3 4; do
    cat <<END
---
scenario: few-$n
question: $([ $n = 4 ] && echo "What do \`all\` gain, 100 % of \\alpha_{1}^2, if names are long, and questions go on and on and on and on?")
devices: [{model: v100, sms: 4}]
contention: proportional
policies: [round_robin, {fine_grained: {limit: 90 %}}, leftover, {fine_grained: {limit: 75.25 %}}]
vms: [{name: batch, workload: one, repeat: 4}, {name: server-of-requests, workload: one, repeat: $((n + 2))}]
run: {replications: 3}
END
done | sed "/question: $/d" >few.yaml
printf -- '---\nworkload: one\nkernels: [{name: k, blocks: 200, threads: 128, block_time: 10 us, jitter: 20 %%, demand: {fp32: 9 %%}}]\n' >>few.yaml
printf 'plan: curves\nbase: few.yaml\naxes: [{contention.slope: [1, 2, 4]}]\n' >curves.yaml
printf 'plan: named\nbase: few.yaml\nanswer: {metric: jobs_per_s, of: batch}\naxes: [{contention.slope: [1, 4]}, {queue: [fifo, interleave]}]\n' >named.yaml
printf 'plan: maps\nbase: %s\nreplications: 2\naxes: [{contention.slope: {from: 1, to: 2, steps: 3, scale: log}}, {queue: [fifo, interleave]}]\n' "$source/tests/scenarios/two-tenants.yaml" >maps.yaml
printf 'plan: limits\nbase: few.yaml\npolicies: [round_robin, fine_grained]\naxes: [{policies.fine_grained.limit: [60 %%, 80 %%, 100 %%]}]\n' >limits.yaml
sed 's/{name: batch,/{name: batch, class: left,/; s/requests, /requests, class: served, deadline: 100 us, /' few.yaml >classed.yaml
printf 'plan: classes\nbase: classed.yaml\naxes: [{contention.slope: [1, 4]}]\n' >classes.yaml
try 0 "a folder of classes" run --quiet --out classed classed.yaml
try 0 "a folder of four scenarios" run --quiet --out few few.yaml
try 0 "a folder of one scenario" run --quiet --out one "$source/tests/scenarios/two-tenants.yaml"
for name in shared cluster levels priorities; do try 0 "a folder of $name" run --quiet --out $name "$source/tests/golden/$name.yaml"; done
for plan in curves named maps limits classes; do try 0 "a sweep of $plan" sweep --quiet $plan.yaml; done
"$smsched" compare --quiet --format csv few.yaml >compared.csv 2>err
"$smsched" compare --quiet --format csv classed.yaml >classed.csv 2>err
advised=("$source/scenarios/advise/train.yaml" "$source/scenarios/advise/serve.yaml" v100/hotspot_512 --device a100 --load serve:60/s --unknowns 1)
try 0 "a folder of advice" advise --quiet "${advised[@]}" --out advised
try 0 "a folder of advice with targets" advise --quiet "${advised[@]}" --slo 'serve:p99<50ms' --slo 'train:mean<8ms' --out aimed
try 0 "a folder of a packing" advise --quiet v100/hotspot_512 v100/bfs_4k --device v100=2 --unknowns 1 --out packed

# Names from elsewhere have any characters.
python3 - <<'END'
import csv, glob, json, os, shutil
names = {"batch": "a_{b}^c %s %d \\n", "server-of-requests": "it's `x`, größe \"q\" @m $1 \\alpha", "few-1": "100%_$x^2{a}/../'s", "leftover": "l'eft `date`; set output 'here'",
         "round_robin": "a,round(limit=\"90 %\")_robin_with_a_very_long_name(so_that=it_fills, several=lines of any figure)"}
shutil.copytree("few", "odd")
for file in glob.glob("odd/*.csv"):
    with open(file, newline="") as source:
        rows = list(csv.reader(source))
    with open(file, "w", newline="") as to:
        csv.writer(to, lineterminator="\n").writerows([[names.get(cell, cell) for cell in row] for row in rows])
def rename(value):
    if isinstance(value, dict):
        return {key: rename(one) for key, one in value.items()}
    return [rename(one) for one in value] if isinstance(value, list) else names.get(value, value) if isinstance(value, str) else value
with open("odd/comparison.json") as source:
    read = json.load(source)
with open("odd/comparison.json", "w") as to:
    json.dump(rename(read), to)
END
mkdir drawn wide
for results in few odd one shared cluster levels priorities advised aimed packed classed curves.sweep named.sweep maps.sweep limits.sweep classes.sweep compared.csv classed.csv; do
    try 0 "figures of $results" plot --quiet -o "drawn/$results" $results
    try 0 "the same on a page's width" plot --quiet --width page -o "wide/$results" $results
done
if [ -e here ]; then bad "a name was taken for a command"; else ok; fi
for name in few/answer few/throughput few/utilization few/latency-few-1 few/timeline-few-1 one/heatmap-two-tenants shared/turnaround shared/processes-shared shared/devices-shared \
    cluster/allocation-cluster cluster/pods-cluster advised/ways aimed/ways packed/gpus levels/slowdown classed/pareto-few-1 curves.sweep/curve-contention.slope maps.sweep/map-two-tenants classes.sweep/pareto-few-4 compared.csv/comparison-few-1 \
    classed.csv/pareto-few-2; do
    for ending in svg gp csv; do if [ -s "drawn/$name.$ending" ]; then ok; else bad "there is no $name.$ending"; fi; done
done
if node "$source/tests/figures/texts.js" drawn/*/*.svg wide/*/*.svg "$source"/docs/figures/*.svg "$source"/docs/figures/learn/*.svg >wrong; then ok; else bad "texts overlap or leave the frame" "$(head -20 wrong)"; fi

# A bar ends before its number, which is at the right of its panel, also where it is cut off.
for figure in throughput utilization; do
    if grep -q '>and change over round_robin<' drawn/few/$figure.svg; then ok; else bad "what the changes of $figure are over"; fi
done
if grep -q '>Work, in dedicated GPUs<' drawn/packed/gpus.svg; then ok; else bad "what the bars of GPUs are"; fi
if python3 - drawn/{advised,aimed}/ways.svg >wrong <<'END'; then ok; else bad "bars go below their numbers" "$(cat wrong)"; fi
import re, sys
for file in sys.argv[1:]:
    text, cut = open(file).read(), 0
    numbers = [(float(x) - 9.36 * len(number), float(y)) for x, y, number in re.findall(r'translate\(([\d.]+),([\d.]+)\)"[^>]*anchor="end">\s*<text>([\d.]+)<', text)]
    for fill, points in re.findall(r"<polygon fill = '(.*?)' points = '(.*?)'", text):
        ends = [tuple(map(float, point.split(","))) for point in points.split()]
        right, top, bottom = max(x for x, _ in ends), min(y for _, y in ends), max(y for _, y in ends)
        cut += fill == "rgb(255, 255, 255)" and right - min(x for x, _ in ends) < 5
        left = min((x for x, y in numbers if top < y - 6 < bottom and x > min(x for x, _ in ends)), default=right)
        if right > left:
            print(f"{file}: a bar ends at {right}, and its number begins at {left}")
            sys.exit(1)
    if (cut > 0) != ("aimed" in file) or not numbers:
        sys.exit(f"{file}: {cut} bars are cut off")
END

# gnuplot's own error bars have a white disc over them, which hides the short ones.
if grep -l "<use .*color='#FFFFFF'" drawn/*/*.svg wide/*/*.svg "$source"/docs/figures/*.svg "$source"/docs/figures/learn/*.svg >wrong; then bad "discs hide error bars" "$(cat wrong)"; else ok; fi

# A curve's title names the other axes, and its axis the metric and the tenant.
if grep -q '>queue = fifo' drawn/named.sweep/curve-contention.slope.svg && grep -q '>Jobs per second of batch' drawn/named.sweep/curve-contention.slope.svg &&
    ! grep -q ' of batch' drawn/curves.sweep/curve-contention.slope.svg; then ok; else bad "the title of a curve"; fi
# A timeline that ends early says when runs end; one that does not says nothing.
if grep -qE '>Time \([^)]*\); runs go on to [0-9.]+ (µs|ms)<' drawn/few/timeline-few-1.svg && ! grep -q 'runs go on' drawn/shared/processes-shared.svg; then ok; else bad "the end of a timeline"; fi
# Metrics are words.
if grep -q '>System throughput (STP)' drawn/one/answer.svg && ! grep -lE '>[^<]*[a-z]_(ns|ratio|per_s|bytes|count)[ <]' drawn/*/*.svg >wrong; then ok; else bad "a metric is no words" "$(cat wrong)"; fi

# A policy whose parameter is the axis is one line, and so is every other policy.
if [ "$(grep few-1 drawn/limits.sweep/curve-policies.fine_grained.limit.csv | sed 's/.*few-1,//' | sort | uniq -c | tr -s ' ' | tr '\n' ';')" = " 3 fine_grained(...); 3 round_robin;" ]; then ok
else bad "a policy along its parameter" "$(cat drawn/limits.sweep/curve-*.csv)"; fi

# Steps of a scale have the digits that are read.
if grep -q '>1.414<' drawn/maps.sweep/map-two-tenants.svg && ! grep -q '>1.4142' drawn/maps.sweep/map-two-tenants.svg; then ok; else bad "long numbers at an axis"; fi

# At a column's width no text is smaller than 5 points, in the docs than 6; and the docs' figures are all as wide as a column.
cat >sizes.py <<'END'
import re, sys
wrong = []
for file in sys.argv[2:]:
    text = open(file).read()
    sizes = [float(size) for size in re.findall(r'font-size="([0-9.]+)"', text)]
    if re.search(r'<svg[^>]* width="(\d+)"', text)[1] != "745":
        wrong.append(f"{file} is not 3.45 inches wide")
    if not sizes or min(sizes) < 3 * float(sys.argv[1]):  # 216 pixels an inch
        wrong.append(f"{file} has text of {min(sizes, default=0) / 3:.1f} points")
print("\n".join(wrong))
sys.exit(bool(wrong))
END
if python3 sizes.py 5 drawn/*/*.svg >wrong && python3 sizes.py 6 "$source"/docs/figures/*.svg "$source"/docs/figures/learn/*.svg >wrong; then ok; else bad "text is too small, or a figure too wide" "$(head wrong)"; fi
# Tenants that follow each other are told apart in grey print.
if python3 - "$source/sim/report/palette.def" >wrong <<'END'; then ok; else bad "neighbours are alike in grey" "$(cat wrong)"; fi
import re, sys
colours = [int(rgb, 16) for rgb in re.findall(r'"tenant", "", 0x(\w+)', open(sys.argv[1]).read())]
grey = [0.299 * (rgb >> 16) + 0.587 * (rgb >> 8 & 255) + 0.114 * (rgb & 255) for rgb in colours]
alike = [f"{a:06X} and {b:06X}" for a, b, x, y in zip(colours, colours[1:], grey, grey[1:]) if abs(x - y) < 15]
print("\n".join(alike))
sys.exit(bool(alike) or len(colours) < 8)
END

# A latency is a distribution, with marks at the percentiles that vms.csv has, where there is one replication.
cat >served.yaml <<'END'
scenario: served
devices: [{model: v100, sms: 4}]
policies: [round_robin, leftover]
vms: [{name: serve, workload: one, arrivals: {poisson: 100 us}, deadline: 200 us}, {name: batch, workload: one, repeat: forever}]
run: {duration: 200 ms, seed: 3}
END
sed -n '/^workload: one/,$p' few.yaml | sed '1i ---' >>served.yaml
try 0 "a server" run --quiet --out served served.yaml
try 0 "its latency" plot --quiet --figures 'latency*' -o drawn/served served
python3 - <<'END' >wrong && ok || bad "the distribution of a latency" "$(cat wrong)"
import csv
rows = list(csv.DictReader(open("drawn/served/latency-served.csv")))
told = {(row["policy"], row["vm"]): row for row in csv.DictReader(open("served/vms.csv"))}
script = open("drawn/served/latency-served.gp").read()
sizes = dict(zip(("serve", "batch"), (1e6 if f"panel_xlabel[{p}] = 'Latency (ms)'" in script else 1e3 for p in (1, 2))))
for key in {(row["policy"], row["name"]) for row in rows}:
    own = [row for row in rows if (row["policy"], row["name"]) == key and int(row["line"]) <= 2]
    marks = [row for row in rows if (row["policy"], row["name"]) == key and int(row["line"]) > 2]
    shares = [float(row["y"]) for row in own]
    assert len(own) > 20 and shares == sorted(shares) and shares[0] == 0 and shares[-1] == 1, (key, shares)
    assert [float(row["y"]) for row in marks] == [0.5, 0.95, 0.99], (key, marks)
    for mark, metric in zip(marks, ("job_latency_p50_ns", "job_latency_p95_ns", "job_latency_p99_ns")):
        assert abs(float(mark["x"]) * sizes[key[1]] / float(told[key][metric]) - 1) < 1e-6, (key, metric, mark["x"], told[key][metric])
END
# A tenant with fewer than 100 jobs has no p99, also beside one with more. Marks are as large in a PNG as in an SVG.
sed 's/poisson: 100 us/every: 4 ms/; s/scenario: served/scenario: seldom/' served.yaml >seldom.yaml
try 0 "a server with few requests" run --quiet --out seldom seldom.yaml
try 0 "its latency, in pixels" plot --quiet --format svg,png --figures 'latency*' -o drawn/seldom seldom
python3 - <<'END' >wrong && ok || bad "marks of few jobs" "$(cat wrong)"
import csv
marks = {(row["name"], row["y"]) for row in csv.DictReader(open("drawn/seldom/latency-seldom.csv")) if int(row["line"]) > 2}
assert marks == {("serve", "0.5"), ("serve", "0.95"), ("batch", "0.5"), ("batch", "0.95"), ("batch", "0.99")}, marks
END
if grep -q "pngcairo.*pointscale" drawn/seldom/latency-seldom.gp; then ok; else bad "marks of a PNG have the size of those of a screen"; fi
for text in deadline p50 p95 p99 'Share of jobs' 'Latency (µs)' serve leftover; do
    if grep -q ">$text<" drawn/served/latency-served.svg; then ok; else bad "no '$text' in the figure of a latency"; fi
done
# Under a logarithmic axis for both, the panel of one tenant may span less than from one of 1, 2 and 5 to the next.
cat >narrow.yaml <<'END'
workload: long
kernels: [{name: k, blocks: 4000, threads: 256, block_time: 100 us}]
---
workload: short
kernels: [{name: k, blocks: 16, threads: 128, block_time: 10 us}]
---
scenario: narrow
devices: [{model: v100, sms: 8}]
policies: [{mode: mps}, {mode: time_slice}]
processes:
  - {name: batch, workload: long, repeat: forever}
  - {name: serve, workload: short, arrivals: {poisson: 8 ms}, repeat: forever}
run: {warmup: 20 ms, duration: 400 ms, seed: 1}
END
try 0 "a narrow range" run --quiet --out narrow narrow.yaml
try 0 "its latencies" plot --quiet --figures 'latency*' -o drawn/narrow narrow
python3 - <<'END' >wrong && ok || bad "marks on a narrow logarithmic axis" "$(cat wrong)"
import re
script, drawn = open("drawn/narrow/latency-narrow.gp").read(), open("drawn/narrow/latency-narrow.svg").read()
assert "log_x = 1" in script, "the axis is linear"
left, right = (float(re.search(rf"panel_{side}\[1\] = (.*)", script)[1]) for side in ("left", "right"))
assert right < 5 * left, (left, right)
told = {float(text) for text in re.findall(r">([0-9.]+)<", drawn)}
assert sum(left <= x <= right for x in told) >= 3, (left, right, sorted(told))
END

# A process has its colour by its place in the scenario, whoever runs first, in the figures of devices and of SMs.
cat >parts.yaml <<'END'
workload: w
kernels: [{name: k, blocks: 16, threads: 128, block_time: 10 us}]
steps: [{launch: k}, {host: 10 us}]
---
scenario: parts
devices: [{model: v100, sms: 8}]
policies: [{mode: mps}]
processes:
  - {name: late, workload: w, repeat: 5, start: 50 us, active_threads: 50 %}
  - {name: early, workload: w, repeat: 9}
END
try 0 "a run with parts" run --quiet --out parts parts.yaml
try 0 "its figures" plot --quiet --figures 'sms*,devices*' -o drawn/parts parts
if [ "$(sed -n "s/^name_label.* = //p" drawn/parts/sms-parts.gp | xargs -d '\n')" = "'late' 'early' 'pale: no kernel'" ]; then ok; else
    bad "order of processes" "$(grep ^name_label drawn/parts/sms-parts.gp)"; fi
for name in late early; do
    rgb=$(grep -m1 ",kernel$" <(grep ",$name," drawn/parts/sms-parts.csv) | cut -d, -f6)
    if [ -n "$rgb" ] && grep ",$name$" drawn/parts/devices-parts.csv | grep -qF ",$rgb,"; then ok; else
        bad "colour of $name" "$rgb, $(grep "$name" drawn/parts/devices-parts.csv | head -1)"; fi
done

# A sweep's axis is in words, logarithmic if the plan says so, and a deadline is a level among latencies.
printf 'plan: loads\nbase: served.yaml\nreplications: 2\nanswer: {metric: job_latency_p99_ns, of: serve}\naxes: [{vms.serve.arrivals.poisson: {from: 100 us, to: 400 us, steps: 4, scale: log}}, {queue: [fifo, interleave]}]\nlabels: {queue: order of kernels}\n' >loads.yaml
try 0 "a sweep over loads" sweep --quiet loads.yaml
try 0 "its figures" plot --quiet -o drawn/loads loads.sweep
curve=drawn/loads/curve-vms.serve.arrivals.poisson
for text in 'Mean time between arrivals of serve (us)' 'p99 latency of serve (' 'order of kernels = fifo' 'deadline<'; do
    if grep -qF ">$text" $curve.svg; then ok; else bad "no '$text' in the curve of loads"; fi
done
if grep -qx 'log_x = 1' $curve.gp; then ok; else bad "the plan's scale is not drawn"; fi
if grep -qF '>Order of kernels<' drawn/loads/map-served.svg; then ok; else bad "a map's axis has no label"; fi
sed 's/vms.serve.arrivals.poisson:/vms.serve.deadline:/; s/plan: loads/plan: deadlines/; s/^axes: \[\(.*\), \({queue.*}\)\]/axes: [\2, \1]/; s/^labels.*/labels: {vms.serve.deadline: the time after which nobody waits for an answer}/' loads.yaml >deadlines.yaml
try 0 "a sweep over deadlines" sweep --quiet deadlines.yaml
try 0 "its figures" plot --quiet -o drawn/deadlines deadlines.sweep
if node "$source/tests/figures/texts.js" drawn/loads/*.svg drawn/served/*.svg drawn/deadlines/*.svg >wrong; then ok; else bad "texts of loads overlap or leave the frame" "$(head wrong)"; fi
if grep -q '>deadline<' drawn/deadlines/curve-vms.serve.deadline.svg; then bad "a level where the deadline varies"; else ok; fi

# What is not known, the parameter first that moves the lead most.
sed 's/^scenario: served/scenario: unknown/; s/^policies: .*/policies: [round_robin, {fine_grained: {limit: 90 %}}]\ncontention: proportional\nanswer: {metric: kernels_per_s}/; s/^run: .*/run: {duration: 5 ms, replications: 2, unknowns: 20}/; s/^vms: .*/vms: [{name: a, workload: one, repeat: forever}, {name: b, workload: one, repeat: forever}]/' served.yaml >unknown.yaml
try 0 "draws of what is not known" run --quiet --out unknown unknown.yaml
try 0 "its tornado plot" plot --quiet --figures 'unknowns*' -o drawn/unknown unknown
python3 - <<'END' >wrong 2>&1 && ok || bad "the tornado plot" "$(cat wrong)"
import csv, json
told = {p["parameter"]: p for p in json.load(open("unknown/comparison.json"))["unknowns"]["parameters"]}
rows = list(csv.DictReader(open("drawn/unknown/unknowns-unknown.csv")))
sizes = [abs(float(row["value"])) for row in rows]
assert len(rows) == min(20, len(told)) > 2 and sizes == sorted(sizes, reverse=True), sizes
for row in rows:
    assert abs(float(row["value"]) - told[row["parameter"]]["rank_correlation"]) < 1e-9 and int(row["beyond"]) == (told[row["parameter"]]["p_holm"] < 0.05), row
END
if node "$source/tests/figures/texts.js" drawn/unknown/*.svg >wrong; then ok; else bad "texts of a tornado plot" "$(head wrong)"; fi

# A figure can be drawn again where it lies, in another format.
if (cd drawn/few && gnuplot -c answer.gp pdf) && head -c 4 drawn/few/answer.pdf | grep -q %PDF; then ok; else bad "a script draws its figure again"; fi
try 0 "a width" plot --quiet --width 8.89cm --format svg,pdf --figures 'an*,throughput' -o chosen few
if [ "$(ls chosen | tr '\n' ' ')" = "answer.csv answer.gp answer.pdf answer.svg manifest.json throughput.csv throughput.gp throughput.pdf throughput.svg " ]; then ok; else bad "figures of two names" "$(ls chosen)"; fi
/usr/bin/python3 - chosen/answer.pdf >boxes <<'END' # newer versions of cairo compress what says the size
import re, sys, zlib
data = open(sys.argv[1], "rb").read()
for part in [data] + [zlib.decompressobj().decompress(stream) for stream in re.findall(rb"(?<!end)stream\r?\n(x.*?)endstream", data, re.S)]:
    print(*re.findall(rb"MediaBox\s*\[[^]]*\]", part))
END
if grep -q 'MediaBox *\[ *0 0 252 ' boxes; then ok; else bad "a PDF of 3.5 inches" "$(cat boxes)"; fi
try 2 "a width that is none" plot --width wide few; prints "is not column, page"
try 3 "a name that no figure has" plot --figures nothing -o none few; prints "holds nothing to draw under the names of --figures"
try 3 "a file of something else" plot "$source/README.md"; prints "is no folder of results"
try 3 "a folder without results" plot drawn; prints "has no results"

# The check of texts finds what it should.
svg() { printf '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="100"><text x="20" y="50" font-size="20">one</text>%s</svg>' "$1" >"$2.svg"; }
svg '<text x="150" y="50" font-size="20">two</text>' apart
svg '<text x="35" y="55" font-size="20">two</text>' close
svg '<text x="280" y="50" font-size="20">two</text>' cut
svg '<text x="20" y="99" font-size="20" transform="rotate(90 20 99)">two</text>' turned
if node "$source/tests/figures/texts.js" apart.svg; then ok; else bad "texts apart are called wrong"; fi
for name in close cut turned; do
    if node "$source/tests/figures/texts.js" $name.svg >wrong; then bad "$name is not found"; else ok; fi
done

# The same data in matplotlib.
if ! /usr/bin/python3 -c 'import matplotlib' 2>/dev/null; then
    if python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$source/tools/plots/plot.py"; then ok "without matplotlib: plot.py is only parsed"; else bad "plot.py"; fi
else
    for name in few/answer few/throughput odd/answer few/latency-few-1 served/latency-served one/heatmap-two-tenants shared/processes-shared maps.sweep/map-two-tenants; do
        if /usr/bin/python3 "$source/tools/plots/plot.py" drawn/$name.gp out.svg 2>err && grep -q '</svg>' out.svg; then ok; else bad "matplotlib of $name" "$(tail -2 err)"; fi
    done
    if /usr/bin/python3 "$source/tools/plots/plot.py" drawn/narrow/latency-narrow.gp out.svg 2>err && ! grep -q mathdefault out.svg; then ok; else bad "numbers at a logarithmic axis of matplotlib" "$(tail -2 err)"; fi
fi
finish
