#!/usr/bin/env bash
# Runs the commands of the README as written: every line of its ```sh blocks that
# starts with build/bin/smsched, in a copy of the tree's scenarios.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r scenarios README.md "$work"
ln -s "$PWD/build" "$work/build"
cd "$work"
# The README contains a scenario and a policy as text. Here they become files.
awk '/^```yaml mine.yaml/ {on=1; next} /^```/ {on=0} on' README.md >mine.yaml
[ -s mine.yaml ]
awk '/^```sh/ {on=1; next} /^```/ {on=0} on && /^build\/bin\/smsched/' README.md >commands
[ "$(wc -l <commands)" -ge 5 ]
while IFS= read -r command; do
    echo "\$ $command"
    bash -c "$command" >output 2>&1 || { cat output; exit 1; }
done <commands
