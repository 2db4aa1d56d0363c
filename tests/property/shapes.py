#!/usr/bin/env python3
"""More shapes than a set of 64 bits holds, few of them under way at a time, or all at once: the fast engine is the reference, and its checks find
nothing. Usage: shapes.py PROPERTY"""
import subprocess
import sys
import tempfile
from pathlib import Path

DEVICE = """device: gpu
clock: 1 GHz
sms: 4
sm: {threads: 2048, warps: 64, blocks: 16, registers: 65536, shared_memory: 96 KiB}
resources:
  fp32: {class: compute, scope: sm}
  dram: {class: memory, scope: SCOPE}
"""


def kernel(i):
    demand = f"demand: {{fp32: {1 + i % 9} %, dram: {1 + i % 7} %}}"
    return f"{{name: k{i}, blocks: {3 + 5 * i % 24}, threads: {32 * (1, 2, 4, 8, 16, 24)[i % 6]}, registers: {16 + 8 * (i % 3)}, block_time: {700 + 37 * i} ns, jitter: 10 %, {demand}}}"


def workload(name, kernels):
    return f"---\nworkload: {name}\nkernels:\n" + "".join(f"  - {kernel(i)}\n" for i in kernels)


def scenario(name, scope, workloads, policies, more):
    """A tenant for each list of kernels, of which it has one under way at a time."""
    text = DEVICE.replace("SCOPE", scope) + "".join(workload(f"w{w}", kernels) for w, kernels in enumerate(workloads))
    text += f"---\nscenario: {name}\ndevices: [{{model: gpu}}]\nqueue: interleave\npolicies: {policies}\nvms:\n"
    text += "".join(f"  - {{name: v{w}, workload: w{w}, {more}}}\n" for w in range(len(workloads)))
    return text + "run: {seed: 3}\n"


SCENARIOS = (  # each within the events that properties allow a run
    scenario("in_turn", "sm", [range(w * 24, w * 24 + 24) for w in range(3)], "[round_robin, fine_grained, most_room, leftover]", "repeat: 2"),
    scenario("in_turn_wide", "device", [range(w * 36, w * 36 + 36) for w in range(2)], "[fine_grained, utilization_aware, tenant_fair]", "repeat: 2"),
    scenario("at_once", "device", [[w] for w in range(80)], "[round_robin, fine_grained, most_room]", "repeat: 1"),
    scenario("many_then_few", "sm", [[w] for w in range(66)] + [range(66, 96)], "[fine_grained, most_room]", "repeat: 1"),
)

failed = 0
with tempfile.TemporaryDirectory() as folder:
    for number, text in enumerate(SCENARIOS):
        path = Path(folder) / f"{number}.yaml"
        path.write_text(text)
        for name in "check", "reference", "repeatable":
            done = subprocess.run([sys.argv[1], "--property", name, "--file", path], capture_output=True, text=True)
            if done.returncode or "holds" not in done.stdout:
                print(f"FAILED: {name} of scenario {number}: {done.stdout}{done.stderr}")
                failed += 1
print(f"{3 * len(SCENARIOS) - failed} passed, {failed} failed")
sys.exit(failed > 0)
