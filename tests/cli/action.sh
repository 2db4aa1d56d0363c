#!/usr/bin/env bash
# The step of GitHub Actions in tools/package/action: what it runs, what it writes into the summary, and how it exits. Usage: action.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
action=$PWD/tools/package/action
cp tests/scenarios/two-tenants.yaml "$work/base.yaml"
cd "$work" || exit 1
mkdir bin
ln -s "$smsched" bin/smsched
export PATH="$work/bin:$PATH" GITHUB_ACTION_PATH=$action GITHUB_STEP_SUMMARY=$work/summary
# Each step as the runner would run it: the inputs by name, the defaults of the others.
step() { # EXIT WHAT NAME=VALUE...
    : >summary
    /usr/bin/python3 - "$action/action.yml" "${@:3}" >out 2>err <<'PYTHON'
import os, subprocess, sys, yaml
action = yaml.safe_load(open(sys.argv[1]))
inputs = {name: field.get("default") for name, field in action["inputs"].items()} | dict(argument.split("=", 1) for argument in sys.argv[2:])
assert all(value is not None for value in inputs.values()), inputs
for step in action["runs"]["steps"]:
    if step.get("if") == "inputs.package != ''" and not inputs["package"]:
        continue
    values = {name: inputs[value.removeprefix("${{ inputs.").removesuffix(" }}")] for name, value in step["env"].items()}
    code = subprocess.run(["bash", "-eo", "pipefail", "-c", step["run"]], env=os.environ | values).returncode
    if code:
        sys.exit(code)
PYTHON
    exits "$1" $? "$2"
}
has() { if grep -qF -- "$1" summary; then ok; else bad "the summary lacks '$1'" "$(cat summary)"; fi; }

{ cat base.yaml; printf 'expect:\n  - {metric: stp_ratio, min: 0.1}\n'; } >met.yaml
{ cat base.yaml; printf 'expect:\n  - {metric: stp_ratio, min: 0.1}\n  - {metric: stp_ratio, min: 90}\n'; } | sed 's/^scenario: .*/scenario: missed/' >missed.yaml
step 0 "what is met" "scenarios=met.yaml"
has " checks missed"; has "## smsched: 0 of "
if ! grep -q '^|' summary; then ok; else bad "a table of nothing" "$(cat summary)"; fi
step 1 "what is missed" $'scenarios=met.yaml\n\nmissed.yaml\n'
has "| scenario | check | result |"; has "stp\\_ratio"; has "90"
"$smsched" run --quiet --format csv base.yaml >baseline.csv 2>err || cat err
step 0 "a baseline" scenarios=base.yaml baseline=baseline.csv
has "## smsched: 0 of "
sed 's/kernels_per_s,[0-9.]*/kernels_per_s,1/' baseline.csv >moved.csv
step 1 "a baseline that moved" scenarios=base.yaml baseline=moved.csv
has "kernels\\_per\\_s"
step 3 "bad input" scenarios=none.yaml
has "nothing was checked"; has "none.yaml"
finish
