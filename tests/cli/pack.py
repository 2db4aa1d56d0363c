#!/usr/bin/env python3
"""Advice on which programs share which of several GPUs, where the best packing is known by enumeration: kernels that ask for shares of a resource run
at full speed until the shares exceed it, then all are slowed alike. Usage: pack.py SMSCHED"""
import itertools
import json
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from advising import ROOT, check, end, near, run, smsched  # noqa: E402


def pack(*arguments):
    return json.loads(run(*arguments, "--quiet", "--unknowns", "2", "--format", "json").stdout)


def coarse(folder, name, demand):
    """A kernel of 10 ms that asks for that share of fp32."""
    path = folder / f"{name}.yaml"
    path.write_text(f"workload: {name}\nkernels: [{{name: k, time: 10 ms, demand: {{fp32: {demand} %}}}}]\n")
    return path


def shares(packing):
    return sorted(sorted(p["program"] for p in gpu["programs"]) for gpu in packing["gpus"])


def work_of(programs):
    """Of one GPU that these share, as advice on that GPU says."""
    if len(programs) < 2:
        return len(programs)
    ways = json.loads(run(*programs, "--device", "a100", "--quiet", "--unknowns", "1", "--format", "json").stdout)["ways"]
    return max(way["worst_work_ratio"] for way in ways if way["shares"] and way["works"])


def most_work(programs):
    """On two GPUs, of all ways to place the programs."""
    subsets = [tuple(program for program, taken in zip(programs, taking) if taken) for taking in itertools.product((True, False), repeat=len(programs))]
    works = {subset: work_of(subset) for subset in subsets}
    return max(works[subset] + works[tuple(program for program in programs if program not in subset)] for subset in subsets)


def knapsack(demands, room):
    """Work that fits, if programs can be cut: the smallest demands first."""
    work = 0
    for demand in sorted(demands):
        part = min(1, room / demand)
        work, room = work + part, room - part * demand
    return work


def check_enumeration(work):
    for demands in ((80, 70, 30, 20), (90, 85, 60, 45, 25)):
        programs = [coarse(work, f"p{i}", demand) for i, demand in enumerate(demands)]
        answer = pack(*programs, "--device", "a100=2")
        wanted = most_work(programs)
        near(f"{demands} on two GPUs", answer["work_ratio"], wanted, 0.012)
        check("all are placed", answer["placed"] == len(demands) and not answer["unplaced"], answer["unplaced"])
        check("the bound is one", answer["bound_work_ratio"] >= wanted - 1e-3, answer["bound_work_ratio"])
        check("the bound is at most what demands allow", answer["bound_work_ratio"] <= knapsack(demands, 200) + 1e-3, answer["bound_work_ratio"])
    four = pack(*(coarse(work, f"p{i}", demand) for i, demand in enumerate((80, 70, 30, 20))), "--device", "a100=2")
    check("80 goes with 20, 70 with 30", shares(four) == [["p0", "p3"], ["p1", "p2"]], shares(four))


def served(folder, name, time_us, host_us, fp32, dram):
    """A kernel after a step of the host, as profiled on an A100."""
    path = folder / f"{name}.yaml"
    path.write_text(f"workload: {name}\ndevice: a100\nkernels: [{{name: k, time: {time_us} us, demand: {{fp32: {fp32} %, dram: {dram} %}}}}]\n"
                    f"steps: [{{host: {host_us} us}}, {{launch: k}}]\n")
    return path


def check_chance(work):
    """Intervals of few replications reach beyond a target that more of them meet."""
    near_target, long, short = served(work, "near", 2000, 1000, 66, 24), served(work, "long", 8000, 1000, 18, 38), served(work, "short", 500, 3000, 39, 29)
    asked = ("--load", "near:66.67/s", "--slo", "near:p99<4.5ms", "--device", "h100=1")
    for seed in (1, 2, 3):
        answer = pack(near_target, long, short, *asked, "--seed", str(seed))
        check(f"seed {seed}: all are on the one GPU, within the target", shares(answer) == [["long", "near", "short"]], [answer["gpus"], answer["unplaced"]])
        check("which the bound allows", answer["bound_placed"] == 3 and answer["bound_work_ratio"] >= answer["work_ratio"], answer)


def check_hidden(work):
    """In a short run light meets its target on the A100, so that nothing seems to be gained by three on the H100."""
    light, rare, follows = served(work, "light", 8000, 200, 14, 73), served(work, "rare", 30000, 1000, 75, 59), served(work, "follows", 500, 200, 79, 12)
    answer = pack(light, rare, follows, "--load", "light:6.1/s", "--slo", "light:p99<12.3ms", "--load", "rare:1.61/s", "--slo", "rare:p99<46.5ms",
                  "--device", "h100=1", "--device", "a100=1")
    check("a group is tried that others hid which then did not work", shares(answer) == [["follows", "light", "rare"]], answer["gpus"])


def check_fewest(work):
    third = coarse(work, "third", 33)
    answer = pack(third, "--device", "a100=4", "--copies", "6", "--slo", "third:mean<11ms")
    check("six thirds need two GPUs", answer["fewest_gpus"] == 2 and answer["fewest_by_device"] == {"a100": 2}, answer)
    check("all are placed, within the target", answer["placed"] == 6 and all(gpu["meets_targets"] for gpu in answer["gpus"]), answer)
    near("and do all their work", answer["work_ratio"], 6)
    busy = coarse(work, "busy", 100)
    answer = pack(busy, "--device", "a100=3", "--copies", "2", "--load", "busy:120/s")
    check("two that are asked for more than half need two GPUs", answer["fewest_gpus"] == 2 == answer["gpus"].__len__(), answer)
    text = run(busy, "--device", "a100=3", "--copies", "2", "--load", "busy:120/s", "--quiet").stdout
    check("how few may do is at least one", ") at least" not in text and "; at least 2 are needed" in text, text)
    check("and that is known without a run", "pairs on one GPU: 1, 1 with more load than it can do\n" in text, text)
    text = run(busy, "--device", "a100=3", "--copies", "2", "--load", "busy:100/s", "--quiet").stdout
    check("two that are asked for all of a GPU are not asked for more", "pairs on one GPU: 1\n" in text, text)


def check_loads(work):
    """A server counts by the time that its jobs take, and a GPU takes as many as their loads allow."""
    idle = coarse(work, "idle", 100)
    answer = pack(idle, "--device", "a100=2", "--copies", "2", "--load", "idle:20/s")
    near("20 jobs/s of 10 ms are a fifth of a GPU's work", answer["work_ratio"], 0.2, 1e-6)
    near("and no packing does more", answer["bound_work_ratio"], 0.2, 1e-5)
    check("one GPU holds both", answer["fewest_gpus"] == 1, answer["fewest_gpus"])
    text = idle.read_text()
    idle.write_text(text.replace("time: 10 ms", "time: 10 ms, jitter: 50 %"))
    near("a mean that a file gives is not drawn", pack(idle, "--device", "a100=2", "--copies", "2", "--load", "idle:20/s")["work_ratio"], 0.2, 1e-6)
    check("it has jitter", idle.read_text() != text)
    idle.write_text(text)
    text = run(idle, "--device", "a100=2", "--copies", "2", "--load", "idle:20/s", "--quiet").stdout
    check("the load is told", "arrivals: 20 jobs/s of idle; arrivals are random" in text and "their jobs would keep 0.20 dedicated GPUs busy" in text, text)
    train, serve = (ROOT / f"scenarios/advise/{name}.yaml" for name in ("train", "serve"))
    for load in 110, 160:  # under 70 % / 30 % it does 94 % of 110 requests, under 50 % / 50 % 91 % of 160
        answer = pack(train, serve, "--device", "v100=1", "--load", f"serve:{load}/s")
        check("a server that falls behind under the best ways has one in which it keeps up", answer["placed"] == 2
              and answer["gpus"][0]["way"] == "mps 30 % / 70 %", (load, answer["placed"], answer["gpus"][0]["way"]))
    gpu = json.loads(run(train, serve, "--device", "v100=1", "--load", "serve:150/s", "--quiet", "--unknowns", "8", "--format", "json").stdout)["gpus"][0]
    check("draws in which a server falls behind do not hold", gpu["draws"] == 8 and gpu["held"] < 6, (gpu["held"], gpu["draws"]))
    text = run(idle, "--device", "a100=1", "--load", "idle:50/s", "--slo", "idle:p99<35ms", "--quiet").stdout
    check("a target within the interval is told with it", re.search(r"p99 of idle is [0-9.]+ ± [0-9.]+ ms, target below 35 ms", text), text)


def check_twenty(work):
    """20 programs on 8 GPUs of two kinds: ten servers with loads of their own, and ten that never pause."""
    programs, share = [], {}
    for i in range(20):
        programs.append(coarse(work, f"n{i}", 100 if i < 10 else 25 + 5 * (i % 4)))
        if i < 10:
            share[f"n{i}"] = 0.04 + 0.02 * (i % 5)
            programs += ["--load", f"n{i}:{100 * share[f'n{i}']:.6g}/s"]
    answer = pack(*programs, "--device", "a100=4", "--device", "v100=4", "--jobs", "2")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    check("all are placed", answer["placed"] == 20 and not answer["unplaced"], answer["unplaced"])
    near("they do their loads, and else all they can", answer["work_ratio"], sum(share.values()) + 10, 0.05)
    check("no GPU is asked for more than it has", all(sum(share.get(p["program"], 0) for p in gpu["programs"]) < 1 for gpu in answer["gpus"]), shares(answer))
    check("the bound is one, and near", answer["work_ratio"] <= answer["bound_work_ratio"] <= sum(share.values()) + 10 + 1e-3, answer["bound_work_ratio"])
    print(f"twenty programs: {used.ru_utime + used.ru_stime:.1f} CPU s of all so far")
    check("in less than a minute on two cores", used.ru_utime + used.ru_stime < 120, used)


def check_what_does_not_fit(work):
    big = coarse(work, "big", 20)
    arguments = (big, "--device", "a100-80gb=2", "--copies", "3", "--gpu-memory", "big:45GiB")
    answer = pack(*arguments)
    check("two of three fit", answer["placed"] == 2 and [one["copies"] for one in answer["unplaced"]] == [1], answer["unplaced"])
    check("no packing places more", answer["bound_placed"] in (2, 3), answer["bound_placed"])
    check("why is said", "does not fit: big, 1 of 3: on a100-80gb it runs alone, but all GPUs are taken" in run(*arguments, "--quiet").stdout)
    text = run(big, coarse(work, "huge", 20), "--device", "v100=1", "--gpu-memory", "big:17GiB", "--gpu-memory", "huge:17GiB", "--quiet").stdout
    check("pairs of what fits nowhere are no pairs", "pairs on one GPU" not in text and text.count("does not fit:") == 2, text)
    fast = coarse(work, "fast", 20)
    fast.write_text("workload: fast\nkernels: [{name: k, blocks: 1080, threads: 256, registers: 32, block_time: 1 ms}]\n")
    small = coarse(work, "small", 20)
    answer = pack(small, fast, "--device", "a100=1", "--device", "t4=1", "--slo", "fast:mean<3ms")
    placed = {p["program"]: gpu["device"] for gpu in answer["gpus"] for p in gpu["programs"]}
    check("who is too slow on a T4 goes to the A100", placed.get("fast") == "a100", placed)
    answer = pack(fast, "--device", "t4=2", "--slo", "fast:mean<1ms")
    check("who misses the target alone is placed nowhere", not answer["gpus"] and "mean of fast is" in answer["unplaced"][0]["why"], answer["unplaced"])


def check_folder(work):
    out = work / "out"
    programs = [coarse(work, f"p{i}", demand) for i, demand in enumerate((80, 70, 30, 20))]
    answer = json.loads(run(*programs, "--device", "a100=2", "--quiet", "--unknowns", "2", "--format", "json", "--out", out).stdout)
    for gpu in answer["gpus"]:
        done = subprocess.run([smsched, "run", out / f"{gpu['gpu']}.yaml", "--format", "json", "--quiet"], capture_output=True, text=True)
        check(f"{gpu['gpu']} runs", done.returncode == 0, done.stderr)
        own = json.loads(done.stdout)["runs"][0]["vms"][0]["job_latency_p99_ns"] if done.returncode == 0 else 0
        near(f"{gpu['gpu']} as advised", own, gpu["programs"][0]["job_latency_p99_ns"]["mean"], 1e-9)
        check("settings are written", (out / f"{gpu['gpu']}.sh").read_text().startswith(f"# {gpu['way']}, on a100."), gpu["way"])


def check_same(work):
    programs = [coarse(work, f"p{i}", demand) for i, demand in enumerate((90, 80, 60, 40, 30))]
    arguments = (*programs, "v100/hotspot_512", "--device", "a100=2", "--device", "v100=1", "--quiet", "--unknowns", "2", "--format", "json")
    check("threads change nothing", run(*arguments, "--jobs", "1").stdout == run(*arguments, "--jobs", "3").stdout)


def check_errors(work):
    third = coarse(work, "third", 33)
    for device, code, words in (("a100=0", 2, "is not a number of GPUs"), ("a100=two", 2, "is not a number of GPUs"), ("a100-80g=2", 3, "did you mean 'a100-80gb'")):
        said = run(third, "--device", device, code=code).stderr
        check(f"'{words}' is said of {device}", words in said, said)
    for rate in ("1e-9/s", "1e17/s"):
        said = run(third, "--device", "a100=2", "--load", f"third:{rate}", code=2).stderr
        check(f"a load of {rate} is out of range", f"--load: '{rate}' is out of range" in said, said)
    said = run(third, "--device", "a100", "--device", "a100=2", code=2).stderr
    check("a device twice", "'a100' is given twice" in said, said)
    said = run(third, "--device", "a100=2", "--copies", "1..3", code=2).stderr
    check("a range of copies", "say how many there are" in said, said)


with tempfile.TemporaryDirectory() as folder:
    for one in (check_twenty, check_loads, check_enumeration, check_chance, check_hidden, check_fewest, check_what_does_not_fit, check_folder, check_same, check_errors):
        one(Path(folder))
end()
