#!/usr/bin/env bash
# Pages of `smsched report` in a browser, with what tools/setup --dev installs. Skipped without, unless
# SMSCHED_INSIST is set, as .ci/run does. Usage: run.sh SMSCHED [PART OF A TEST'S NAME]
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
here=$PWD/tests/browser
source=$PWD

for need in "command -v node" "command -v ${CHROMIUM:-/usr/bin/chromium}" "test -d $here/node_modules/playwright-core" "test -d $here/node_modules/axe-core"; do
    if ! $need >/dev/null; then
        echo "not there: $need (tools/setup --dev)"
        [ -z "${SMSCHED_INSIST-}" ] && exit 77
        exit 1
    fi
done
node --test "$here/pure.test.js" >"$work/pure.out" || { cat "$work/pure.out"; exit 1; }
cd "$work" || exit 1

"$smsched" run "$source/tests/scenarios/two-tenants.yaml" --out run --quiet || exit 1
"$smsched" explain "$source/tests/scenarios/two-tenants.yaml" --to '3 ms' >explained || exit 1
"$smsched" run "$source/tests/scenarios/processes.yaml" --out processes --quiet || exit 1
"$smsched" run "$source/tests/golden/cluster.yaml" --out cluster --quiet || exit 1
"$smsched" run "$source/tests/golden/gpushare.yaml" --out gpushare --quiet || exit 1
"$smsched" run "$source/tests/scenarios/two-tenants.yaml" "$source/tests/scenarios/a-server.yaml" --replications 2 --out several --quiet || exit 1

"$smsched" advise "$source/scenarios/advise/train.yaml" "$source/scenarios/advise/serve.yaml" --device v100 --load serve:60/s --slo 'serve:p99<30ms' --unknowns 1 --quiet --out advice >/dev/null || exit 1
"$smsched" advise v100/cfd_193k v100/hotspot_512 v100/cfd_097k --device v100=1 --device t4=1 --unknowns 1 --quiet --out packing >/dev/null || exit 1

cat >base.yaml <<'END'
workload: one
kernels: [{name: k, blocks: 200, threads: 128, block_time: 10 us, jitter: 20 %, demand: {fp32: 9 %}}]
---
scenario: few
devices: [{model: v100, sms: 4}]
contention: proportional
policies: [round_robin, {fine_grained: {limit: 90 %}}, leftover]
vms: [{name: a, workload: one, repeat: 4}, {name: b, workload: one, repeat: 4}]
run: {replications: 2}
END
cat >small.yaml <<'END'
plan: small
question: Does the queue matter?
answer: {metric: kernels_per_s}
base: base.yaml
axes:
  - contention.slope: [1, 2, 3]
  - queue: [interleave, fifo]
  - vms.a.start: [0 us, 7 us, 100 us]
END
"$smsched" sweep small.yaml --quiet || exit 1
sed 's/^plan: .*/plan: asked/; s/^answer: .*/answer: {metric: kernels_per_s, of: b, better: lower}/; /vms.a.start/d' small.yaml >asked.yaml
"$smsched" sweep asked.yaml --quiet || exit 1
# What is free text: the question, values, messages. One point cannot be.
cat >hostile.yaml <<'END'
plan: hostile
question: "</script><script>window.broken = 1</script>\" \u2028 & <img src=x onerror=\"window.broken=2\">"
base: base.yaml
axes:
  - question: ["<b>\"</b>", "</script><!--", "'; \\ \u2029 é"]
  - vms.a.start: [0 us, 7 us]
END
"$smsched" sweep hostile.yaml --quiet || exit 1
python3 - <<'END' || exit 1
import sqlite3
database = sqlite3.connect("hostile.sweep/results/sweep.db")
database.execute("UPDATE point SET state = 'failed', message = '</script><script>window.broken = 4</script>' WHERE point = 5")
database.execute("UPDATE meta SET value = '1' WHERE key = 'failed'")
database.execute("UPDATE meta SET value = '5' WHERE key = 'done'")
database.commit()
END
# Each policy is best at 17 of 18 points, at 16 of them all; leftover at one alone.
cp small.sweep/results/sweep.db ties.db
python3 - <<'END' || exit 1
import sqlite3
database = sqlite3.connect("ties.db")
database.execute("UPDATE host SET kernels_per_s = 100 + 10 * (point = 0 AND position = 2 OR point = 1 AND position < 2)")
database.execute("UPDATE answer SET in_group = 0") # those were of the values before
database.commit()
END
# All policies do the same for one VM; streams and SMs change together, two starts are drawn.
sed 's/, {name: b, .*}\]/]/' base.yaml >alone.yaml
cat >equal.yaml <<'END'
plan: equal
base: alone.yaml
policies: [round_robin, leftover]
axes:
  - {vms.a.repeat: [1, 2], devices.0.sms: [4, 2]}
  - contention.slope: [1, 2, 4]
  - random: {points: 17, of: {vms.a.start: {from: 1 us, to: 90 us}, workloads.one.kernels.k.jitter: {from: 1 %, to: 20 %}}}
END
"$smsched" sweep equal.yaml --quiet || exit 1
# An axis that is a policy's own parameter.
printf 'plan: limit\nbase: base.yaml\npolicies: [round_robin, fine_grained]\naxes: [{policies.fine_grained.limit: [60 %%, 80 %%, 100 %%]}]\n' >limit.yaml
"$smsched" sweep limit.yaml --quiet || exit 1
# Searches: for a limit, and for what is best.
printf 'plan: searched\nbase: base.yaml\naxes: [{contention.slope: [1, 2, 4]}]\nsearch: {vary: {devices.v100.sms: {from: 1, to: 12, step: 1}}, find: least, where: {job_latency_mean_ns of a: "< 200 us"}}\n' >searched.yaml
printf 'plan: raced\nbase: base.yaml\nanswer: {metric: stp_ratio}\nsearch: {vary: {contention.slope: [1, 2, 4]}, find: best, most: 10}\n' >raced.yaml
for plan in searched raced; do
    "$smsched" sweep "$plan.yaml" --quiet || exit 1
    "$smsched" report "$plan.sweep" --quiet -o "$plan.html" || exit 1
done
# Draws of what is not known.
sed 's/^run: .*/run: {replications: 2, unknowns: 20}/; s/, leftover\]$/]/' base.yaml >unknown.yaml
"$smsched" run unknown.yaml --out unknown --quiet || exit 1
"$smsched" report unknown --quiet -o unknown.html || exit 1
# A load that varies by ratios, and a deadline.
sed 's/^vms: .*/vms: [{name: a, workload: one, arrivals: {poisson: 300 us}, deadline: 350 us}, {name: b, workload: one, repeat: forever}]/; s/^run: .*/run: {replications: 2, duration: 20 ms}/' base.yaml >loaded.yaml
printf 'plan: loads\nbase: loaded.yaml\nanswer: {metric: job_latency_p99_ns, of: a}\naxes: [{vms.a.arrivals.poisson: {from: 200 us, to: 800 us, steps: 3, scale: log}}, {contention.slope: [1, 2]}]\nlabels: {contention.slope: press of kernels}\n' >loads.yaml
"$smsched" sweep loads.yaml --quiet || exit 1
"$smsched" report loads.sweep --quiet -o loads.html || exit 1
# Latencies that span a hundredfold. Tenants whose colours repeat.
printf 'plan: steep\nbase: loaded.yaml\nanswer: {metric: job_latency_p99_ns, of: a}\naxes: [{workloads.one.kernels.k.blocks: [1, 40, 1600]}]\n' >steep.yaml
"$smsched" sweep steep.yaml --quiet || exit 1
"$smsched" report steep.sweep --quiet -o steep.html || exit 1
{ sed '/^scenario/,$d' base.yaml; printf 'scenario: tenants\ndevices: [{model: v100, sms: 4}]\npolicies: [round_robin]\nvms: ['; printf '{name: p%d, workload: one}, ' {1..33}; echo ']'; } >tenants.yaml
"$smsched" run tenants.yaml --out tenants --quiet || exit 1
"$smsched" report tenants --quiet -o tenants.html || exit 1
cat >busy.yaml <<'END'
plan: busy
base: base.yaml
keep: [device]
axes: [contention.slope: [1, 2]]
END
"$smsched" sweep busy.yaml --quiet || exit 1
# What has no bounds: nobody keeps them, processes, pods.
sed 's/^run: .*/run: {replications: 2, duration: 300 us}/' base.yaml >timed.yaml
sed 's/^plan: .*/plan: unbounded\nkeep: [host]/; s/base.yaml/timed.yaml/; /vms.a.start/d' small.yaml >unbounded.yaml
"$smsched" sweep unbounded.yaml --quiet || exit 1
for base in tests/scenarios/processes tests/golden/cluster; do
    name=many-$(basename "$base" | tr -d 0-9-)
    printf 'plan: %s\nbase: %s\naxes: [run.seed: [1, 2]]\n' "$name" "$source/$base.yaml" >"$name.yaml"
    "$smsched" sweep "$name.yaml" --quiet || exit 1
    "$smsched" report "$name.sweep" --quiet -o "$name.html" || exit 1
done
sed 's/^run: .*/run: {until: {metric: kernels_per_s, precision: 0.001 %}, replications: 3}/' base.yaml >warned.yaml
"$smsched" run warned.yaml --out warned --quiet 2>/dev/null || exit 1
# As a long run leaves it, of which not all rows are kept.
python3 - <<'END' || exit 1
import json
manifest = json.load(open("warned/manifest.json"))
for key in "timeline_cut", "waits_cut":
    manifest[key] = [{"scenario": "few", "policy": "round_robin", "rows": 20000, "left_out": 1234}]
json.dump(manifest, open("warned/manifest.json", "w"))
END
for folder in run processes cluster several warned gpushare advice packing; do "$smsched" report "$folder" --quiet -o "$folder.html" || exit 1; done
"$smsched" report small.sweep --quiet -o sweep.html || exit 1
"$smsched" report asked.sweep --quiet -o asked.html || exit 1
"$smsched" report unbounded.sweep --quiet -o unbounded.html || exit 1
"$smsched" report equal.sweep --quiet -o equal.html || exit 1
"$smsched" report ties.db --quiet -o ties.html || exit 1
"$smsched" report limit.sweep --quiet -o limit.html || exit 1
"$smsched" report busy.sweep --quiet -o busy.html || exit 1
"$smsched" report hostile.sweep/results/sweep.db --quiet -o hostile.html || exit 1

node "$here/test.js" "$work" ${2+"$2"}
