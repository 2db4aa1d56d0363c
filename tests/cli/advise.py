#!/usr/bin/env python3
"""Advice on programs that share a GPU, where it can be known by hand: kernels that ask for all of a device gain nothing, those that ask for little
gain all, host time is used by others, targets come before work, and what has no counters is a range. Usage: advise.py SMSCHED"""
import json
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
from advising import ROOT, check, end, near, run, sanitized, smsched  # noqa: E402


def advise(*arguments):
    return json.loads(run(*arguments, "--quiet", "--unknowns", "4", "--format", "json").stdout)


def run_rows(path):
    return subprocess.run([smsched, "run", "--quiet", "--format", "csv", path], check=True, capture_output=True, text=True, cwd=ROOT).stdout.splitlines()


def way(advice, name):
    found = [way for way in advice["ways"] if way["name"] == name]
    check(f"there is {name}", len(found) == 1, [way["name"] for way in advice["ways"]])
    return found[0]


def coarse(path, demand, host="", more=""):
    """A kernel of 10 ms that asks for that share of fp32."""
    path.write_text(f"workload: {path.stem}\nkernels: [{{name: k, time: 10 ms, demand: {{fp32: {demand} %}}{more}}}]\n"
                    f"steps: [{host}{{launch: k}}]\n")
    return path


def check_by_hand(work):
    full, third = coarse(work / "full.yaml", 100), coarse(work / "third.yaml", 33)
    advice = advise(full, "--device", "a100", "--copies", "2")
    near("two that ask for all do the work of one", way(advice, "mps-2")["work_ratio"]["mean"], 1)
    check("they should not share", not advice["share"] and advice["answer"] == "exclusive", advice["answer"])
    advice = advise(third, "--device", "a100", "--copies", "1..4")
    near("three that ask for a third each do three times the work", way(advice, "mps-3")["work_ratio"]["mean"], 3)
    near("four are 1.32 times too many", way(advice, "mps-4")["programs"][0]["slowdown_ratio"]["mean"], 1.32)
    check("they share", advice["share"] and advice["answer"] in ("mps-3", "mps-4"), advice["answer"])
    sliced = way(advice, "time-slices-2")["work_ratio"]["mean"]
    near("turns of 2 ms lose a switch of 0.147 ms each", sliced, 2 / 2.147, 0.02)
    waits = coarse(work / "waits.yaml", 100, "{host: 10 ms}, ", ", jitter: 30 %")
    two = way(advise(waits, "--device", "a100", "--copies", "2"), "mps-2")["work_ratio"]["mean"]
    check("another fills host time, not all of it", 1.3 < two < 2, two)
    (work / "sees.yaml").write_text("workload: sees\ntitle: \"two\\Plines\\n\"\nkernels: [{name: k, blocks: 108, threads: 1024, registers: 32, block_time: 10 ms, demand: {fp32: 100 %}}]\n"
                                    "steps: [{launch: k, sync: 10 ms}]\n")
    two = way(advise(work / "sees.yaml", "--device", "a100", "--copies", "2"), "time-slices-2")["work_ratio"]["mean"]
    near("the time in which a host sees a kernel's end is another's turn", two, 2, 0.03)


def check_copies(work):
    third = work / "third.yaml"
    advice = advise(third, "--device", "a100-80gb", "--copies", "2", "--gpu-memory", "third:45GiB")
    check("two of 45 GiB do not fit 80 GiB", not way(advice, "mps-2")["works"], way(advice, "mps-2"))
    check("and the answer says so", not advice["share"], advice["answer"])
    for order in (("1..3", "third:2"), ("third:2", "1..3")):
        ways = advise(third, "--device", "a100", "--unknowns", "1", *(word for value in order for word in ("--copies", value)))["ways"]
        copies = {way["programs"][0]["copies"] for way in ways if way["shares"]}
        check(f"copies of a program hold beside those of each, as {order}", copies == {2}, copies)
    said = run(third, "--device", "a100", "--copies", "2", "--copies", "3", code=2).stderr
    check("copies of each program are said once", "'2' and '3' are for the same program" in said, said)
    advice = advise(third, "--device", "a100", "--copies", "2", "--load", "third:20/s")
    near("the load is of all copies together", way(advice, "mps-2")["programs"][0]["jobs_per_s"]["mean"], 20, 0.1)
    for load, told in (20, False), (1000, True):  # a GPU does 100 for each copy
        said = run(third, "--device", "a100", "--copies", "2", "--load", f"third:{load}/s", "--unknowns", "1").stdout
        check(f"whether {load} jobs/s are too many", ('overload: under "mps, 2 copies" third does only 200 of the 1000 jobs/s that arrive' in said) == told, said)
    said = run(third, "--device", "a100", "--load", "third:1000/s", "--unknowns", "1").stdout
    check("nor does a GPU of its own keep up", 'overload: under "exclusive" third does only 100 of the 1000 jobs/s that arrive' in said, said)


def check_seldom_requests(_):
    """A short job once a second is no overload, though few of them arrive in a run."""
    for load in 1, 10:
        said = run("v100/hotspot_512", "v100/cfd_193k", "--device", "v100", "--load", f"hotspot_512:{load}/s", "--unknowns", "1").stdout
        check(f"{load} jobs/s of 17 us are no overload", "overload:" not in said and "one GPU replaces" in said, said)


def check_shared_instances(work):
    """Copies of a program share its instance: two on 4g of 56 SMs, three on 3g of 42, kernels of 10 ms on 108."""
    one, two = coarse(work / "one.yaml", 100), coarse(work / "two.yaml", 100)
    programs = way(advise(one, two, "--device", "a100", "--copies", "one:2", "--copies", "two:3"), "mps-in-mig-4g-3g-2-3")["programs"]
    for program, wanted in zip(programs, (2 * 10e6 * 108 / 56, 3 * 10e6 * 108 / 42)):
        near(f"copies of {program['program']}", program["job_latency_p50_ns"]["mean"], wanted)
        near("and the slowest of them", program["job_latency_p99_ns"]["mean"], wanted)


def check_own_instances(work):
    """Two copies may have equal instances of their own, 28 of 108 SMs each, beside a program with more."""
    one, two = coarse(work / "one.yaml", 100), coarse(work / "two.yaml", 100)
    programs = way(advise(one, two, "--device", "a100", "--copies", "one:2"), "mig-2g-2g-3g-2")["programs"]
    for program, sms in zip(programs, (28, 42)):
        near(f"{program['program']} in its instance", program["job_latency_p50_ns"]["mean"], 10e6 * 108 / sms)


def check_pairs(_):
    """Each replication is compared with the same jobs alone: a GPU for each program does just its own work, in the same time."""
    own = way(advise("v100/hotspot_512", "v100/cfd_193k", "--device", "v100", "--load", "hotspot_512:40000/s", "--unknowns", "1"), "exclusive")
    served = own["programs"][0]
    check("latencies differ from run to run", served["job_latency_p99_ns"]["ci95"] > 0, served)
    check("the slowdown alone is 1 in all of them", served["slowdown_ratio"] == {"mean": 1, "ci95": None}, served)
    check("and the work is that of one GPU", own["work_ratio"] == {"mean": 1, "ci95": None}, own["work_ratio"])


def check_seldom(work):
    """Jobs of which none arrives in a run do not lack memory."""
    fast, seldom = coarse(work / "fast.yaml", 10), coarse(work / "seldom.yaml", 10)
    fast.write_text("workload: fast\nkernels: [{name: k, time: 2 us}]\nsteps: [{launch: k, times: 1000}]\n")
    said = run(fast, seldom, "--device", "a100", "--copies", "seldom:3", "--load", "seldom:0.2/s", "--unknowns", "1", code=3).stderr
    check("that is said", "alone, seldom gets no job in the simulated time, because they arrive too seldom" in said, said)
    (work / "host.yaml").write_text("workload: host\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 10 us}]\nsteps: [{host: 1 ms}]\n")
    said = run(work / "host.yaml", seldom, "--device", "a100", "--load", "seldom:1e-5/s", "--unknowns", "1", code=3).stderr
    check("also beside a program that launches nothing", "because they arrive too seldom" in said, said)
    (work / "streams.yaml").write_text("".join(f"workload: {name}\nkernels: [{{name: k, time: 10 ms}}]\n---\n" for name in "ab")
                                       + "scenario: s\ndevices: [{model: a100}]\npolicies: [{mode: mps}]\nprocesses: [{name: both, streams: [{workload: a}, {workload: b}]}]\n")
    said = run(work / "streams.yaml", "--device", "a100", "--load", "both:5/s", code=2).stderr
    check("what cannot share requests", "--load: both has 2 streams with work of their own, which cannot share requests; leave out its --load" in said, said)


def check_cores(work):
    """Of a job of 50 ms 40 are the host's: a core does 25 jobs/s, however many copies there are."""
    chat = coarse(work / "chat.yaml", 20, "{host: 40 ms}, ")
    for cores, most, busy in (1, 25, "the core of the host is busy 100 %"), (2, 50, "the 2 cores of the host are busy 100 %"):
        advice = advise(chat, "--device", "a100", "--copies", "4", "--cores", str(cores))
        near(f"four copies on {cores} cores", way(advice, "time-slices-4")["programs"][0]["jobs_per_s"]["mean"], most, 0.01)
        check(f"{cores} cores bind", busy in way(advice, "time-slices-4")["binds"], way(advice, "time-slices-4")["binds"])
    free = way(advise(chat, "--device", "a100", "--copies", "4"), "mps-4")["programs"][0]["jobs_per_s"]["mean"]
    near("with a core for each, four do four times the work of one", free, 80, 0.1)


def check_alone(work):
    """What a program takes with a GPU to itself: on cores that no other GPU's programs use, with times scaled from its device, with each launch in its
    step, and with one launch paid for in a CUDA graph."""
    half = coarse(work / "half.yaml", 40, "{host: 10 ms}, ")
    other = coarse(work / "other.yaml", 40, "{host: 10 ms}, ")
    advice = advise(half, other, "--device", "a100", "--cores", "1")
    near("each has a core of its own", way(advice, "exclusive")["programs"][0]["jobs_per_s"]["mean"], 50, 0.01)
    check("two of 20 ms never replace more than two", max(one["work_ratio"]["mean"] for one in advice["ways"]) <= 2.001, advice["ways"])
    (work / "moved.yaml").write_text("workload: moved\ndevice: a100\nkernels: [{name: k, time: 40 ms, demand: {dram: 80 %}}]\n")
    scaled = way(advise(work / "moved.yaml", half, "--device", "t4"), "exclusive")["programs"][0]["jobs_per_s"]["mean"]
    (work / "run.yaml").write_text((work / "moved.yaml").read_text() + "---\nscenario: s\ndevices: [{model: t4}]\npolicies: [{mode: mps}]\nprocesses: [{name: moved, workload: moved}]\n")
    rows = [line.split(",") for line in run_rows(work / "run.yaml")]
    near("a coarse kernel is scaled to another GPU", 1e9 / scaled, [float(row[5]) for row in rows if row[2:5] == ["process", "moved", "turnaround_ns"]][0], 0.01)
    kernel = "kernels: [{name: k, blocks: 108, threads: 256, block_time: 10 us, demand: {fp32: 60 %}}]\n"
    (work / "seen.yaml").write_text(f"workload: seen\ndevice: a100\n{kernel}steps: [{{launch: k, sync: 10 us}}, {{launch: k, times: 40000}}, {{host: 5 us}}]\n")
    seen = way(advise(work / "seen.yaml", half, "--device", "a100"), "exclusive")["programs"][0]["jobs_per_s"]["mean"]
    near("launches that a host waits for are two steps", 1e3 / seen, 400, 0.01)
    (work / "graph.yaml").write_text("workload: graph\ndevice: v100\nkernels: [{name: k, blocks: 80, threads: 256, block_time: 5 us, demand: {fp32: 10 %}}]\n"
                                     "steps: [{launch: k, times: 100, graph: true}, {host: 100 us}]\n")
    graph = way(advise(work / "graph.yaml", half, "--device", "v100"), "exclusive")["programs"][0]["jobs_per_s"]["mean"]
    near("the first launch of a graph has a cost", 1e6 / graph, 617, 0.02)


def check_devices(work):
    """Ways are tried that the GPU has: no MPS on AMD's, no caps before Volta. Of ways that keep up the one that slows least is first."""
    half, other = work / "half.yaml", work / "other.yaml"
    names = [one["name"] for one in advise(half, other, "--device", "mi250")["ways"]]
    check("AMD has no MPS", sorted(names) == ["exclusive", "time-slices"], names)
    (work / "own/devices").mkdir(parents=True)
    (work / "own/devices/acme.yaml").write_text((ROOT / "models/devices/v100.yaml").read_text().replace("device: v100", "device: acme").replace("family: volta", "family: acme"))
    for clients, wanted in ("", False), ("mps: {clients: 8, clients_before: 8}\n", True):
        (work / "own/families.yaml").write_text(f"family: acme\ngrids: 128\n{clients}")
        names = [one["name"] for one in advise(half, other, "--device", "acme", "--models", work / "own")["ways"]]
        check(f"a family says whether it has MPS: {wanted}", ("mps" in names) == wanted, names)
    names = [one["name"] for one in advise(half, other, "--device", "p100")["ways"]]
    check("caps came with Volta", sorted(names) == ["exclusive", "mps", "time-slices"], names)
    caps = {copies: [one["name"] for one in advise(half, other, "--device", "v100", "--copies", f"half:{copies}")["ways"] if "caps" in one["name"]] for copies in (5, 31)}
    check("caps share what there is", sorted(caps[5]) == ["mps-caps-10-50-5", "mps-caps-14-30-5", "mps-caps-6-70-5"], caps[5])
    check("a cap has a per cent at least", sorted(caps[31]) == ["mps-caps-1-50-31", "mps-caps-2-30-31"], caps[31])
    first = advise(half, other, "--device", "a100", "--load", "half:20/s", "--load", "other:20/s")["ways"][0]["name"]
    check("of ways that keep up the fastest is first", first != "time-slices", first)


def check_targets(_):
    train, serve = ROOT / "scenarios/advise/train.yaml", ROOT / "scenarios/advise/serve.yaml"
    arguments = (train, serve, "--device", "a100-80gb", "--load", "serve:60/s")
    loose, tight = advise(*arguments, "--slo", "serve: p99 < 25 ms"), advise(*arguments, "--slo", "serve:p99<6ms")
    meets = [way["meets_targets"] for way in loose["ways"]]
    for serve in (way["programs"][1] for way in loose["ways"]):
        near("jobs in time", serve["jobs_in_time_per_s"]["mean"], serve["jobs_per_s"]["mean"] * (1 - serve["deadline_miss_ratio"]), 0.02)
    check("ways that meet the target come first", meets == sorted(meets, reverse=True) and True in meets and False in meets, meets)
    work = [way["worst_work_ratio"] for way in loose["ways"] if way["meets_targets"]]
    check("of these the one that does most work", work == sorted(work, reverse=True), work)
    check("they share for a loose target", loose["share"], loose["answer"])
    check("not for one that is missed alone", not tight["share"], tight["answer"])
    names = {way["name"] for way in loose["ways"]}
    wanted = {"exclusive", "time-slices", "mps", "mps-serve-first", "mps-caps-70-30", "mps-caps-50-50", "mps-caps-30-70", "partition", "mig-4g-3g", "mig-3g-4g"}
    check("all ways are tried", names == wanted, names)


def check_blocks(work):
    """A coarse program alone takes the time of its blocks."""
    alone = way(advise("v100/hotspot_512", "--device", "v100"), "exclusive")["programs"][0]["job_latency_p50_ns"]["mean"]
    scenario = work / "blocks.yaml"
    scenario.write_text("scenario: s\ndevices: [{model: v100}]\npolicies: [{mode: mps}]\n"
                        "processes: [{name: p, workload: v100/hotspot_512, repeat: 50}]\n")
    done = subprocess.run([smsched, "run", scenario, "--format", "json", "--quiet"], capture_output=True, text=True, check=True)
    near("alone", alone, json.loads(done.stdout)["runs"][0]["vms"][0]["job_latency_p50_ns"], 0.02)


def check_together(work):
    """Under MPS, coarse kernels slow each other as blocks do: heat's short blocks wait for the long ones of flux."""
    train, serve = ROOT / "scenarios/advise/train.yaml", ROOT / "scenarios/advise/serve.yaml"
    advice = advise(train, serve, "--device", "v100", "--slo", "serve:p50<8ms")
    mps, first = way(advice, "mps")["programs"], way(advice, "mps-serve-first")["programs"]
    scenario = work / "blocks.yaml"
    for name, programs, priority in (("mps", mps, 0), ("serve first", first, 1)):
        scenario.write_text(f"{train.read_text()}\n---\n{serve.read_text()}\n---\nscenario: s\ndevices: [{{model: v100}}]\npolicies: [{{mode: mps}}]\n"
                            f"processes: [{{name: train, workload: train, repeat: forever}}, {{name: serve, workload: serve, repeat: forever, priority: {priority}}}]\n"
                            "run: {warmup: 15 ms, duration: 90 ms}\n")
        done = subprocess.run([smsched, "run", scenario, "--format", "json", "--quiet"], capture_output=True, text=True, check=True)
        for own, vm in zip(programs, json.loads(done.stdout)["runs"][0]["vms"]):
            near(f"{name}: {own['program']} as block by block", own["job_latency_p50_ns"]["mean"], vm["job_latency_p50_ns"], 0.06)
    check("who goes first waits less", first[1]["slowdown_ratio"]["mean"] < 0.6 * mps[1]["slowdown_ratio"]["mean"], first)
    scenario.write_text(f"{serve.read_text()}\n---\nscenario: s\ndevices: [{{model: a100-80gb}}]\npolicies: [{{mode: mps}}]\n"
                        "processes: [{name: serve, workload: serve, repeat: forever, count: 3}]\nrun: {warmup: 10 ms, duration: 40 ms}\n")
    done = subprocess.run([smsched, "run", scenario, "--format", "json", "--quiet"], capture_output=True, text=True, check=True)
    three = way(advise(serve, "--device", "a100-80gb", "--copies", "3"), "mps-3")["programs"][0]
    near("three copies as block by block", three["job_latency_p50_ns"]["mean"], json.loads(done.stdout)["runs"][0]["vms"][0]["job_latency_p50_ns"], 0.12)
    check("serve is slowed most", mps[1]["slowdown_ratio"]["mean"] > 2 * mps[0]["slowdown_ratio"]["mean"], mps)
    turned = advise(serve, train, "--device", "v100", "--slo", "serve:p50<8ms")
    for name, programs in (("mps", mps), ("mps-serve-first", first)):
        check(f"{name}: the order of programs does not matter", way(turned, name)["programs"] == programs[::-1], way(turned, name)["programs"])
    held = [advise(*order, "--device", "v100", "--slo", "serve:p50<50ms", "--slo", "train:p50<8.3ms")["held"] for order in ((train, serve), (serve, train))]
    check("the answer holds in draws that meet both targets, whichever is first", held[0] == held[1] < 4, held)


def check_many_steps(work):
    """Steps that are written one by one, as of a trace, take a time that grows with their number and not with its square."""
    steps = work / "steps.yaml"
    steps.write_text("workload: steps\nkernels: [{name: k, blocks: 80, threads: 128, block_time: 10 us}]\nsteps:\n" + "  - {launch: k}\n" * 100000)
    done = subprocess.run([smsched, "advise", steps, "--device", "v100", "--quiet", "--unknowns", "1"], capture_output=True, text=True, timeout=30)
    check("100000 steps", done.returncode == 0, done.stderr)


def check_many_launches(work):
    """Of a job of 200 000 launches one stands for fifty: it takes as long as all."""
    many = work / "many.yaml"
    many.write_text("workload: many\nkernels: [{name: k, blocks: 108, threads: 128, registers: 32, block_time: 10 us}]\n"
                    "steps: [{launch: k, times: 199000}, {host: 1 ms}, {launch: k, times: 1000}]\n")
    text = run(many, "--device", "a100", "--copies", "2", "--quiet", "--unknowns", "1").stdout
    check("that is said", "one simulated launch of many stands for 50" in text, text)
    advice = advise(many, "--device", "a100", "--copies", "2")
    alone, two = way(advice, "exclusive")["programs"][0], way(advice, "time-slices-2")
    near("a job alone", alone["job_latency_p50_ns"]["mean"], 200000 * 10e3 + 1e6, 0.01)
    check("a long job ends in time slices", two["works"] and two["work_ratio"]["mean"] > 0.8, two)


def check_titles(work):
    """A title may begin as a list of YAML does."""
    titled = work / "titled.yaml"
    for title in ("-", "- a", "--- b", "-1 c"):
        titled.write_text(f"workload: titled\ntitle: '{title}'\nkernels: [{{name: k, blocks: 40, threads: 128, registers: 32, block_time: 10 us}}]\n")
        check(f"the title '{title}'", way(advise(titled, "--device", "a100", "--copies", "2"), "exclusive")["works"], title)


def check_copies_of_many(work):
    """A run of five copies of a job of 10^6 launches has no more launches than others."""
    million = work / "million.yaml"
    million.write_text("workload: million\nkernels: [{name: k, blocks: 40, threads: 128, registers: 32, block_time: 4 us}]\n"
                       "steps: [{launch: k, times: 1000000}]\n")
    out = work / "million"
    run(million, "--device", "a100", "--copies", "5", "--quiet", "--unknowns", "1", "--out", out)
    done = subprocess.run([smsched, "run", out / "mps-5.yaml", "--replications", "1", "--format", "json", "--quiet"], capture_output=True, text=True, check=True)
    warmup, end = map(float, re.search(r"warmup: (\S+) us, duration: (\S+) us", (out / "mps-5.yaml").read_text()).groups())
    launches = json.loads(done.stdout)["runs"][0]["host"]["kernels_per_s"] * (end - warmup) / 1e6
    check("400 000 as others", 300000 < launches < 420000, launches)


def check_estimates(_):
    """In a terminal: from short runs, then from longer ones, then the answer."""
    pid, terminal = pty.fork()
    if pid == 0:
        os.execv(smsched, [smsched, "advise", "v100/cfd_097k", "v100/hotspot_512", "--device", "v100", "--unknowns", "1"])
    text = b""
    try:
        while more := os.read(terminal, 65536):
            text += more
    except OSError:  # how a terminal ends
        pass
    os.waitpid(pid, 0)
    places = [text.find(words) for words in (b"estimate, from runs of 10 % of", b"estimate, from runs of 30 % of", b"slowdown")]
    check("estimates come before the table", -1 < places[0] < places[1] < places[2], places)
    check("elsewhere there are none", "estimate" not in run("v100/hotspot_512", "--device", "v100", "--unknowns", "1").stderr)


def check_range(work):
    bare = work / "bare.yaml"
    bare.write_text("workload: bare\nkernels: [{name: k, blocks: 108, threads: 128, registers: 32, block_time: 1 ms}]\n")
    advice = advise(bare, "--device", "a100", "--copies", "2")
    mps = way(advice, "mps-2")
    near("without contention two do twice the work", mps["work_ratio"]["mean"], 2)
    near("with all of it they take turns", mps["worst_work_ratio"], 1)
    check("so they should not share", not advice["share"], advice["answer"])
    text = run(bare, "--device", "a100", "--copies", "2", "--quiet").stdout
    check("that is said first", text.startswith("contention is a range"), text[:60])
    check("with what would end it", " of bare (--with adds counters from a report of ncu)\n" in text, text[:200])
    trace, report = work / "trace.json", ROOT / "tests/import/fine/ncu-raw.csv"
    kernel = {"device": 0, "context": 1, "stream": 7, "correlation": 1, "registers per thread": 32, "shared memory": 0, "block": [128, 1, 1], "grid": [108, 1, 1]}
    trace.write_text(json.dumps({"deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-40GB"}],
                                 "traceEvents": [{"ph": "X", "cat": "kernel", "name": "other", "pid": 0, "tid": 7, "ts": 0, "dur": 1000, "args": kernel}]}))
    text = run(trace, "--device", "a100", "--copies", "2", "--quiet", "--with", report).stdout
    check("or did not", f" of trace ({report} has none of them)\n" in text, text[:200])
    said = run(bare, "--device", "a100", "--copies", "2", "--with", report, code=2).stderr
    check("it is for traces", "--with: no program is a trace" in said, said)
    said = run(bare, "--device", "a100", "--copies", "2", "--profiled", "v100", code=2).stderr
    check("a profiled GPU is for traces and profiles", "--profiled: no program is a trace or a profile" in said, said)
    text = run(bare, "--device", "a100", "--copies", "2", "--slo", "bare:p99<1.5ms", "--quiet").stdout
    row = re.search(r"mps, 2 copies \(misses\).*\n(.*)", text)
    check("what misses its target at the worse end shows that end", row and "1 to 2  0.0 to 100.0 %" in row[1], text)
    check("below the answer in JSON, whose first line is the title of the page", [line.startswith("contention is a range") for line in advice["lines"]][:3] ==
          [False, True, False] and advice["lines"][0].startswith("bare on a100: "), advice["lines"])
    bare.write_text("workload: bare\nkernels: [{name: k, blocks: 108, threads: 128, registers: 32, block_time: 40 us}]\n"
                    "steps: [{host: 5 ms}, {launch: k, times: 100}, {host: 5 ms}]\n")
    advice = advise(bare, "--device", "a100", "--copies", "2")
    check("draws compare ways at the end that ranks them", advice["answer"] == "time-slices-2" and advice["held"] >= 2, (advice["answer"], advice["held"]))


def check_folder(work):
    out = work / "out"
    arguments = (ROOT / "scenarios/advise/train.yaml", ROOT / "scenarios/advise/serve.yaml", "--device", "a100")
    advice = json.loads(run(*arguments, "--quiet", "--format", "json", "--out", out).stdout)
    for one in advice["ways"]:
        done = subprocess.run([smsched, "run", out / f"{one['name']}.yaml", "--format", "json", "--quiet"], capture_output=True, text=True)
        check(f"{one['name']} runs", done.returncode == 0, done.stderr)
        own = json.loads(done.stdout)["runs"][0]["vms"][0]["job_latency_p99_ns"] if done.returncode == 0 else 0
        near(f"{one['name']} as advised", own, one["programs"][0]["job_latency_p99_ns"]["mean"], 1e-9)
    check("MIG is set up", "nvidia-smi mig -cgi 4g.20gb,3g.20gb -C" in (out / "mig-4g-3g.sh").read_text())
    check("each instance has its claim", all(f"{{name: instance-{i}}}" in (out / "mig-4g-3g.sh").read_text() for i in (1, 2)))
    unlike, alike, free = ((out / f"mps{name}.sh").read_text() for name in ("-caps-70-30", "-caps-50-50", ""))
    check("so are caps", "# start train by: env CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=70 COMMAND" in unlike, unlike)
    shells = [subprocess.run(["sh", "-n", script], check=False).returncode for script in out.glob("*.sh")]
    check("settings are shell scripts", shells and not any(shells), shells)
    check("the device plugin, which caps all alike, is for such caps alone",
          ["replicas: 2" in text for text in (unlike, alike, free)] == [False, True, False] and "50 % of threads" in free)
    check("a claim has caps that are alike", "defaultActiveThreadPercentage: 50" in alike
          and "defaultActiveThread" not in unlike + free)
    check("the folder has what --format json prints", json.loads((out / "advice.json").read_text()) == advice)
    check("with the answer in words", advice["lines"][0].startswith("train, serve on a100: share by "), advice["lines"])
    check("the folder is not replaced", "exists" in run(*arguments, "--quiet", "--out", out, code=4).stderr)


def check_steps(_):
    """Sizes of green contexts are in the device's steps, and a trace of many kernels has the times of each."""
    with tempfile.TemporaryDirectory() as work:
        out = Path(work) / "out"
        run(ROOT / "scenarios/advise/train.yaml", ROOT / "scenarios/advise/serve.yaml", "--device", "h100", "--quiet", "--out", out)
        text = (out / "mps-caps-70-30.sh").read_text()
        check("an H100's green contexts have SMs in eights", "green context: 88 SMs" in text and "green context: 32 SMs" in text, text)
        check("partitions are not set up by Kubernetes", "Kubernetes: neither" in (out / "partition.sh").read_text())
        many = Path(work) / "many.yaml"
        kernels = [f"{{name: k{k}, blocks: {200 + k}, threads: 128, registers: 32, block_time: {10 + k} us}}" for k in range(150)]
        kernels[70] = "{name: k70, blocks: 40000, threads: 128, registers: 32, block_time: 2 us, jitter: 20 %}"
        many.write_text("workload: many\nkernels: [" + ", ".join(kernels) + "]\n")
        run(many, "--device", "a100", "--copies", "2", "--quiet", "--out", Path(work) / "many")
        text = (Path(work) / "many/time-slices-2.yaml").read_text()
        waves = 40000 / (108 * 16)
        times = dict(re.findall(r"name: (k\d+), time: (?:\{100 %: )?([0-9.]+) us", text))
        check("each of 150 kernels has a time", len(times) == 150, len(times))
        near("a kernel of the first run", float(times["k5"]), 15, 0.01)
        near("one of the last", float(times["k149"]), 159, 0.01)
        short, long = Path(work) / "short.yaml", Path(work) / "long.yaml"
        short.write_text("workload: short\nkernels: [{name: k, time: 20 us, demand: {fp32: 30 %}}]\nsteps: [{launch: k}, {host: 200 us}]\n")
        long.write_text("workload: long\nkernels: [{name: k, time: 10 ms, demand: {fp32: 30 %}}]\nsteps: [{host: 400 ms}, {launch: k, times: 10}]\n")
        text = run(short, long, "--device", "a100", "--quiet", "--unknowns", "1").stdout
        check("latencies far apart have a unit between", "p50 ms" in text and re.search(r"short +1.00 +4545 +0.22 ", text), text)
        near("one of many blocks", float(times["k70"]), 2 * waves, 0.05)


def check_same(_):
    arguments = ("v100/cfd_097k", "v100/hotspot_512", "--device", "v100", "--quiet", "--unknowns", "3", "--format", "json")
    check("threads change nothing", run(*arguments, "--jobs", "1").stdout == run(*arguments, "--jobs", "3").stdout)
    wide = subprocess.run([smsched, "advise", *arguments[:4], "--quiet"], capture_output=True, text=True, env={"COLUMNS": "80"}).stdout
    check("lines fit 80 columns", wide and max(map(len, wide.splitlines())) <= 80, max(map(len, wide.splitlines() or [""])))
    check("all columns fit one table", wide.count("p99") == 1, wide)


def refused(code, words, *arguments):
    said = run(*arguments, code=code).stderr
    check(f"'{words}' is said", words in said, said)


def check_little(work):
    """One program alone, and one that launches nothing."""
    said = run(work / "third.yaml", "--device", "a100", "--unknowns", "1").stdout
    check("nobody to share with", "do not share: there is only one program" in said, said)
    said = run(work / "third.yaml", work / "full.yaml", "--device", "a100", "--unknowns", "1", "--slo", "third:p99<30ms").stdout
    check("what is not tried is said", "  not tried: mps with priorities, because some kernels have no blocks" in said, said)
    (work / "host.yaml").write_text("workload: host\nkernels: [{name: k, blocks: 1, threads: 32, block_time: 1 us}]\nsteps: [{host: 1 ms}]\n")
    two = way(advise(work / "host.yaml", "v100/hotspot_512", "--device", "v100"), "mps")
    near("a program that launches nothing slows nobody", two["work_ratio"]["mean"], 2)


def check_scenario(work):
    """Programs of a scenario have its names and its random arrivals; what else it says is told."""
    (work / "both.yaml").write_text("workload: w\nkernels: [{name: k, blocks: 20, threads: 256, block_time: 10 ms}]\n---\nscenario: s\ndevices: [{model: a100}]\n"
                                    "vms:\n  - {name: server.1, workload: w, arrivals: {poisson: 50 ms}, deadline: 40 ms, streams: 4}\n"
                                    "  - {name: batch, workload: w, arrivals: {every: 100 ms}, streams: 1}\nrun: {duration: 1 s}\n"
                                    "---\nscenario: t\ndevices: [{model: a100}]\nvms: [{name: other, workload: w}]\n")
    advice = advise(work / "both.yaml", "--device", "a100")
    check("names are those of tenants", [one["name"] for one in advice["programs"]] == ["server_1", "batch"], advice["programs"])
    near("jobs arrive as they do there", way(advice, "mps")["programs"][0]["jobs_per_s"]["mean"], 20, 0.1)
    said = [line for line in advice["lines"] if "ignored in" in line]
    check("what does not count is said", [line.split(": ", 1)[1] for line in said] ==
          ["scenarios after the first, of 2", "the deadline of server_1; use --slo 'server_1:p99<40ms'",
           "when jobs of batch arrive, because they are not random; use --load batch:RATE/s"], said)
    text = run(work / "both.yaml", "--device", "a100", "--unknowns", "1", "--load", "batch:10/s", "--slo", "server_1:p99<5ms").stdout
    check("options say it", "deadline" not in text and "when jobs" not in text, text)
    check("ways that miss a target are marked", "(misses)" in text and "  misses: a target is not met" in text, text)


def check_exclusive(work):
    """A program whose workload is exclusive shares with nobody, on one GPU or on several."""
    coarse(work / "lone.yaml", 10).write_text((work / "lone.yaml").read_text().replace("kernels", "exclusive: true\nkernels"))
    for arguments in (work / "lone.yaml", work / "third.yaml"), (work / "lone.yaml", "--copies", "1..3"):
        advice = advise(*arguments, "--device", "a100")
        check("it is tried alone only", [one["name"] for one in advice["ways"]] == ["exclusive"] and not advice["share"], advice["ways"])
        check("and that is said", "do not share: lone needs a GPU to itself, because its workload is exclusive" in advice["lines"][0], advice["lines"])
    packing = json.loads(run(work / "lone.yaml", work / "third.yaml", work / "full.yaml", "--device", "a100=2", "--quiet", "--unknowns", "1", "--format", "json").stdout)
    check("in a packing, too", ["lone"] in [[one["program"] for one in gpu["programs"]] for gpu in packing["gpus"]], packing["gpus"])
    text = run(work / "lone.yaml", work / "third.yaml", work / "full.yaml", "--device", "a100=2", "--quiet", "--unknowns", "1").stdout
    check("with how many pairs", "pairs on one GPU: 3, 2 with a program that needs a GPU to itself\n" in text, text)


def check_missed_alone(work):
    """A GPU for each program is no way to meet a target that it misses."""
    slow = coarse(work / "slow.yaml", 30)
    for target, meets, words in ("slow:mean<9ms", False, "; a GPU for each program misses the target"), ("slow:mean<11ms", True, ""):
        advice = advise(slow, work / "full.yaml", "--device", "a100", "--slo", target)
        check(f"whether {target} is met", advice["meets_targets"] == meets, advice["lines"][0])
        check(f"as is said of {target}", advice["lines"][0].endswith(words) and ("misses" in advice["lines"][0]) == (words != ""), advice["lines"][0])


def check_beyond(work):
    """Jobs beyond a target may be too many for its percentile, where the interval of the latency is wide."""
    text = run(work / "slow.yaml", "--device", "a100", "--load", "slow:150/s", "--slo", "slow:p99<100ms", "--copies", "1..3", "--unknowns", "1", "--quiet").stdout
    check("where 84 % of jobs are beyond it a p99 of 569 ± 666 ms is above 100 ms", re.search(r"mig 4g 2g 1g.10gb, 3 copies \(misses\) .*\n.* 8\d\.\d %\n", text), text)
    check("where 0.4 % are one of 76 ± 52 ms may be", re.search(r"mps, 2 copies \(may miss\) .*\n.* 0\.4 %\n", text), text)


def check_names(work):
    """Ways of 16 programs with long names that begin alike have names of their own, of at most 100 letters."""
    names = [f"{'n' * 58}{i}" for i in range(10, 26)]
    for name in names:
        (work / f"{name}.yaml").write_text("workload: w\nkernels: [{name: k, blocks: 20, threads: 256, block_time: 1 ms}]\n")
    advice = advise(*(work / f"{name}.yaml" for name in names), "--device", "v100", "--copies", "1..2", *(f"--slo={name}:p99<1s" for name in names[:2]))
    files = [one["name"] for one in advice["ways"]]
    check("they differ", len(set(files)) == len(files) and sum("-first" in name for name in files) == 4, files)
    check("and all ways work", all(one["works"] for one in advice["ways"]), [one.get("why") for one in advice["ways"]])


def check_ranges(work):
    """Targets, loads and jobs from the least to the most."""
    third = work / "third.yaml"
    for gpus in "a100", "a100=1":
        refused(2, "--slo: '0.5ps' is out of range; it must be from 1 ps to 2500 h", third, "--device", gpus, "--slo", "third:p99<0.5ps")
        refused(2, "--slo: '2501h' is out of range; it must be from 1 ps to 2500 h", third, "--device", gpus, "--slo", "third:p99<2501h")
        refused(2, "--load: '1e-6/s' is out of range; it must be from 1e-5/s to 1e7/s", third, "--device", gpus, "--load", "third:1e-6/s")
        wrong = run(third, "--device", gpus, "--slo=third:p9", "--load=none:1/s", "--gpu-memory=third:1", "--copies=0", code=2).stderr
        check("every wrong option is told", [line.split(":")[1] for line in wrong.splitlines()] == [" --slo", " --load", " --gpu-memory", " --copies"], wrong)
        for option in "--slo=third:p99<2500h", "--slo=third:p99<1ps", "--load=third:1e-5/s":
            run(third, "--device", gpus, option, "--unknowns", "1", "--quiet")
    (work / "day.yaml").write_text("workload: day\nkernels: [{name: k, blocks: 80, threads: 256, block_time: 2500 h}]\n")
    refused(3, "day.yaml: error: a job of 'day' takes 2500 h alone: a run, in which each program does a few jobs, would take longer than 2500 h",
            work / "day.yaml", "--device", "v100")


def check_whole(work):
    """Each launch of a kernel by its time is simulated."""
    (work / "small.yaml").write_text("workload: small\nkernels: [{name: k, time: 1 us}]\n")
    text = run(work / "small.yaml", work / "third.yaml", "--device", "a100", "--unknowns", "1").stdout
    check("none stands for others", "stands for" not in text, text)


def check_caps(work):
    """80 blocks of 1 ms, one on an SM, in waves: on 56 SMs of a V100 two, on 24 four. No law of all shares has such steps."""
    (work / "waves.yaml").write_text("workload: waves\nkernels: [{name: k, blocks: 80, threads: 1024, registers: 64, block_time: 1 ms}]\n")
    for name, waves in ("mps-caps-70-30", (2, 4)), ("mps-caps-50-50", (2, 2)), ("mps-caps-30-70", (4, 2)):
        programs = way(advise(work / "waves.yaml", work / "waves.yaml", "--device", "v100"), name)["programs"]
        for program, number in zip(programs, waves):
            near(f"waves under {name}", program["job_latency_p50_ns"]["mean"], number * 1e6, 5e-3)
    device = (ROOT / "models/devices/v100.yaml").read_text()
    (work / "lone/devices").mkdir(parents=True)
    (work / "lone/devices/lone.yaml").write_text(re.sub("(?m)^sms: .*", "sms: 1", device.replace("device: v100", "device: lone", 1)))
    two = way(advise(work / "waves.yaml", "--copies", "2", "--device", "lone", "--models", work / "lone"), "mps-2")
    near("a cap leaves the one SM of a device", two["programs"][0]["job_latency_p50_ns"]["mean"], 2 * 80e6, 5e-3)


def check_slow_copies(work):
    """100 ms of the host beside a copy that takes 10 ms by the link, and 100 by the copy engine."""
    device = (ROOT / "models/devices/v100.yaml").read_text()
    (work / "slow/devices").mkdir(parents=True)
    (work / "slow/devices/slow.yaml").write_text(re.sub("(?m)^link: .*", "link: {bandwidth: 10 GB/s, copy_in_most: 1 GB/s}", device.replace("device: v100", "device: slow", 1)))
    coarse(work / "copies.yaml", 10, "{host: 100 ms}, {copy_in: 100 MB}, ")
    near("a host's share of a job", advise(work / "copies.yaml", "--device", "slow", "--models", work / "slow")["programs"][0]["host_ratio"], 100 / 210, 1e-3)


def check_chance(work):
    """Where three replications do not tell whether a way meets the target, twelve run, and the table says what they tell."""
    pair = ROOT / "scenarios/advise/train.yaml", ROOT / "scenarios/advise/serve.yaml"
    p99 = {}
    for target in 28, 1000:
        out = work / f"chance-{target}"
        run(*pair, "--device", "v100", "--load", "serve:60/s", "--slo", f"serve:p99<{target}ms", "--unknowns", "1", "--quiet", "--out", out)
        ways = json.loads((out / "advice.json").read_text())["ways"]
        p99[target] = [one for one in ways if one["name"] == "mps-serve-first"][0]["programs"][1]["job_latency_p99_ns"]
        text = (out / "mps-serve-first.yaml").read_text()
        check(f"replications at {target} ms", f"replications: {12 if target == 28 else 3}}}" in text, text[-200:])
    more, few = p99[28], p99[1000]
    check("few do not tell", few["mean"] < 28e6 < few["mean"] + few["ci95"], few)
    check("more do", more["mean"] + more["ci95"] < 28e6, more)
    check("both are of one truth", abs(more["mean"] - few["mean"]) < few["ci95"], (more, few))
    between = (more["mean"] + more["ci95"] / 2) / 1e6
    text = run(*pair, "--device", "v100", "--load", "serve:60/s", "--slo", f"serve:p99<{between}ms", "--unknowns", "1").stdout
    check("and what they leave open is said", "mps, serve first (may miss)" in text and "  may miss: the runs do not show whether a target is met" in text, text)
    check("no interval allows for the choice of the best", re.search(r"  ±: 95 % interval of a way by itself; the best of \d+ tends to look better", text), text)


def check_limits(folder):
    """A run of more events or memory than is allowed ends the advice, and nothing is written."""
    out = folder / "limited"
    for option, value in (("events", "1000"), ("events", "100000"), ("memory", "2 MiB")):
        said = run("v100/cfd_193k", "v100/hotspot_512", "--device", "v100", f"--{option}", value, "--out", out, code=4).stderr
        check(f"--{option} is named", f"the limit of {option} was reached; --{option}" in said, said)
        check(f"nothing is written beyond --{option}", not out.exists())


def check_errors(work):
    third = work / "third.yaml"
    refused(3, "error: unknown device 'V100'; did you mean 'v100'?", third, "--device", "V100")
    refused(3, "no workload of the library has this name; did you mean 'v100/hotspot_512'?", "hotspot_512", "--device", "a100")
    refused(3, "did you mean 'v100/cfd_193k'?", "v100/cfd_193", "--device", "a100")
    refused(3, "'smsched list workloads' shows them", work / "trian.yaml", "--device", "a100")
    refused(2, "name a trace", "--device", "a100")
    refused(2, "'1e30' is out of range; it must be from 1 to 9.0", third, "--device", "a100", "--seed", "1e30")
    (work / "ages.yaml").write_text("workload: ages\nkernels: [{name: k, blocks: 100000, threads: 256, registers: 32, block_time: 100 h}]\n")
    refused(3, "ages.yaml: error: each kernel is run alone", work / "ages.yaml", "--device", "a100")
    refused(2, "give the GPU to share with --device", third)
    refused(3, "did you mean 'a100-80gb'", third, "--device", "a100-80g")
    for words in "device 'a100-80g'; did you mean 'a100-80gb'?", "device 'v10'; did you mean 'v100'?", "did you mean 't4'", "none.csv: error: No such file":
        refused(3, words, third, "--device", "a100-80g=2", "--device", "v100", "--device", "v10", "--profiled", "t44", "--with", work / "none.csv")
    for words in "none.yaml: error: ", "did you mean 'v100/cfd_193k'?":
        refused(3, words, work / "none.yaml", third, "v100/cfd_193", "--device", "a100")
    refused(2, "'1e17B' is out of range; it must be from 1 B to 1 TB", third, "--device", "a100", "--gpu-memory", "third:1e17B")
    refused(2, "did you mean 'third'", third, "--device", "a100", "--slo", "thrd:p99<1ms")
    refused(2, "is not a target", third, "--device", "a100", "--slo", "third:p98<1ms")
    refused(2, "has no unit", third, "--device", "a100", "--slo", "third:p99<50")
    refused(2, "are for the same program", third, "--device", "a100", "--slo", "third:p99<50ms", "--slo", "third:p50<5ms")
    refused(2, "has no unit; units here: /h, /min, /s", third, "--device", "a100", "--load", "third:30")
    refused(2, "is not a number of copies", third, "--device", "a100", "--copies", "3..1")
    (work / "large.yaml").write_text(third.read_text().replace("third", "large").replace("steps: [", "steps: [{allocate: 45 GiB}, "))
    refused(3, "large does not fit into memory: it takes 45 GiB", work / "large.yaml", "--device", "a100")
    refused(3, "third never runs: it finds no memory for its 45 GiB", third, "--device", "a100", "--gpu-memory", "third:45GiB")
    refused(2, "names no program", third, "--device", "a100", "--gpu-memory", "1GiB")
    (work / "report.nsys-rep").write_text("x")
    refused(3, "nsys export --type sqlite", work / "report.nsys-rep", "--device", "a100")
    (work / "wrong.yaml").write_text("workload: w\nkernels: [{name: k, time: 10 ms, demnd: {fp32: 1 %}}]\n")
    refused(3, "wrong.yaml:2:34: error: unknown key 'demnd'", work / "wrong.yaml", "--device", "a100")
    (work / "two.yaml").write_text("workload: a\nkernels: [{name: k, time: 1 ms}]\n---\nworkload: b\nkernels: [{name: k, time: 1 ms}]\n")
    refused(3, "has 2 workloads and no scenario", work / "two.yaml", "--device", "a100")
    refused(3, "none.yaml", work / "none.yaml", "--device", "a100")


# In this order, because some read what those before them wrote.
CHECKS = (check_by_hand, check_copies, check_shared_instances, check_own_instances, check_pairs, check_seldom, check_cores, check_alone, check_devices,
          check_blocks, check_caps, check_slow_copies, check_estimates, check_range, check_folder, check_same, check_little,
          check_scenario, check_exclusive, check_missed_alone, check_beyond, check_names, check_titles, check_ranges, check_limits, check_errors)
LONG = check_many_launches, check_many_steps, check_seldom_requests, check_targets, check_together, check_copies_of_many, check_chance, check_steps, check_whole

with tempfile.TemporaryDirectory() as folder:
    for one in CHECKS if sanitized() else CHECKS + LONG:  # most of the time, for code that the others run
        one(Path(folder))
end()
