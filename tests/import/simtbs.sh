#!/usr/bin/env bash
# Configurations of simtbs as scenarios: what is written, what runs, and what is refused with which words. Usage: simtbs.sh SMSCHED
set -u
. "$(dirname "$0")/../checks.sh"
smsched=$(realpath "$1")
cd "$work" || exit 1

device='*sm\n2 1 2 8 100\n*mem\n1000\n*overhead_mem\n0.5 0.1\n1 0.3\n*overhead_sm\n1 0.3 0.2\n'

# imports TEXT: writes what is imported to scenario.yaml.
imports() {
    printf '%b' "$1" >x.conf
    timeout 20 "$smsched" import simtbs x.conf --force --quiet --out scenario.yaml 2>err
}

# refuses LINE:COLUMN WORDS TEXT
refuses() {
    rm -f scenario.yaml
    imports "$3"
    exits 3 $? "$2"
    says "x.conf:$1: error: $2"
    clean scenario "$2"
}

# Two kernels of one shape, out of order, with a comment, a section that is not read, Windows line ends and one that is late.
imports "# first\n*workload\nanything: 12-128\n*general\n500\n\n$device*kernel\n1 9 4 10 2 10 5\r\n1 3 4 10 2 10 5\n\n2 700 1 1 1 1 1\n"
exits 0 $? "a configuration is imported"
cat >expected.yaml <<'END'
# A configuration of simtbs, imported by 'smsched import simtbs'. A tick is 1 us.
device: gpu
clock: 1 GHz
sms: 2
sm: {blocks: 4, warps: 4, threads: 128} # as many blocks as the hard resources allow
resources:
  sm0: {class: compute, capacity: 8, hard: true}
  sm1: {class: compute, capacity: 100}
  mem0: {class: memory, scope: device, capacity: 1000}
---
workload: k1
kernels: [{name: k, blocks: 4, threads: 32, block_time: 10 us, demand: {sm0: 2, sm1: 10, mem0: 5}}]
---
scenario: x
devices: [{model: gpu}]
contention:
  model: curve
  curves:
    sm0: [[1, 0.3]]
    sm1: [[1, 0.2]]
    mem0: [[0.5, 0.1], [1, 0.3]]
queue: fifo
policies: [round_robin, round_robin_full, breadth_first, depth_first, {utilization_aware: {limit: 150 %}}, {fine_grained: {limit: 150 %}}]
vms:
  - {name: k1, workload: k1, start: 9 us}
  - {name: k2, workload: k1, start: 3 us}
run: {duration: 500 us}
END
if diff -u expected.yaml scenario.yaml; then ok; else bad "something else is written"; fi
try 0 "what is imported runs" run scenario.yaml --quiet --format csv
prints round_robin_full

# The policies take blocks in the order of launches: VM 2's come first, one SM after the other.
try 0 "kernels start in the order of time" explain scenario.yaml --policy round_robin --from '3 us' --to '4 us'
prints "k2/k"

refuses 12:1 "'x' is no whole number from 0 to 4294967295" "$device*kernel\n\nx 1 4 10 2 10 5\n"
refuses 11:3 "'0' is no whole number from 1 to 4294967295" "$device*kernel\n1 0 4 10 2 10 5\n"
refuses 11:1 "expected 7 to 7 numbers; found 6" "$device*kernel\n1 1 4 10 2 10\n"
refuses 2:3 "'-1' is no whole number" "*sm\n2 -1 2 8 100\n"
refuses 2:9 "'4294967296' is no whole number" "*sm\n2 1 2 8 4294967296\n"
refuses 2:1 "there are only 2 resources" "*sm\n2 3 2 8 100\n"
refuses 2:1 "expected 1 to 2 numbers; found 3" "*mem\n1 2 3\n"
refuses 2:1 "*sm and *mem must come first" "*kernel\n1 1 4 10 2 10 5\n"
refuses 1:1 "no section of simtbs has this name" "*smx\n"
for text in '' "$device*kernel\n"; do
    imports "$text"
    exits 3 $? "nothing to run"
    says "x.conf: error: no kernel starts before the end of the run"
done
imports "$device*kernel\n1 1 4 10 9 10 5\n"
exits 3 $? "a block larger than an SM"
says "a block takes 112.5 % of 'sm0'"
{ printf '%b' "$device*kernel\n"; yes '1 1 1 1 1 1 1' | head -c 15000000; } >long.conf
timeout 60 "$smsched" import simtbs long.conf --out scenario.yaml 2>err
exits 3 $? "a million kernels"
clean scenario "a million kernels"
finish
