#!/usr/bin/env python3
"""Traces of PyTorch's profiler: small ones made here, what is imported of them, and whether a run takes as long as the
trace; and damaged ones. With --real, instead, the commands of the how-to page, and the real ones, where the data is.

usage: kineto.py SMSCHED [--update | --real] | --seeds FOLDER | --large FILE MB
"""
import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("SMSCHED_DATA", HERE.parent.parent / "../shared/data")) / "kineto"
GOLDEN = HERE / "kineto"
GPU = dict(id=0, name="Tesla V100-SXM2-16GB", totalGlobalMem=16 << 30, computeMajor=7, computeMinor=0, numSms=80)
GPUS = [("NVIDIA A100-SXM4-80GB", 79.1, "a100-80gb, named"), ("NVIDIA A100-SXM4-40GB", 39.4, "a100, named"),
        ("NVIDIA A100 80GB PCIe", 79.1, "a100-80gb-pcie, named"), ("NVIDIA A100-PCIE-40GB", 39.4, "a100-pcie, named"),
        ("NVIDIA A100-SXM4-80GB MIG 3g.40gb", 39.4, "a100-80gb, named"),
        ("Tesla V100-SXM2-32GB", 31.7, "v100, named, but it has 31.7 GiB of memory, and v100 16.0")]
EPOCH = 1712195495507783  # us


class Trace:
    """A trace in the making. Times are in us from its start, and fractions of them."""

    def __init__(self, pid=100, device=0):
        self.events, self.pid, self.device, self.correlation = [], pid, device, 0
        self.add(ph="M", name="process_name", ts=EPOCH, pid=pid, tid=0, args=dict(name="python3"))

    def add(self, **event):
        self.events.append(event)

    def mark(self, name, start, length):
        self.add(ph="X", cat="user_annotation", name=name, pid=self.pid, tid=self.pid, ts=EPOCH + start, dur=length, args={})

    def kernel(self, name, start, length, grid=160, block=256, stream=7, called=None, **args):
        self.correlation += 1
        self.add(ph="X", cat="cuda_runtime", name="cudaLaunchKernel", pid=self.pid, tid=self.pid,
                 ts=EPOCH + (start - 10 if called is None else called), dur=4, args=dict(cbid=211, correlation=self.correlation))
        self.add(ph="X", cat="kernel", name=name, pid=self.device, tid=stream, ts=EPOCH + start, dur=length,
                 args={"device": self.device, "context": 1, "stream": stream, "correlation": self.correlation,
                       "registers per thread": 32, "shared memory": 1024, "grid": [grid, 1, 1], "block": [block, 1, 1],
                       "est. achieved occupancy %": 25} | args)
        return start + length

    def wait(self, start, end):
        self.correlation += 1
        self.add(ph="X", cat="cuda_runtime", name="cudaStreamSynchronize", pid=self.pid, tid=self.pid, ts=EPOCH + start, dur=end - start,
                 args=dict(cbid=131, correlation=self.correlation))

    def copy(self, kind, start, length, size, stream=7):
        self.add(ph="X", cat="gpu_memcpy", name=f"Memcpy {kind} (Pinned -> Device)", pid=self.device, tid=stream, ts=EPOCH + start,
                 dur=length, args=dict(device=self.device, context=1, stream=stream, correlation=0, bytes=size))
        return start + length

    def object(self, **more):
        return dict(schemaVersion=1, deviceProperties=[GPU | dict(id=i) for i in range(2)], traceEvents=self.events) | more


def wobble(i, size):
    """From -size to size, different for each i."""
    return (i * 7919 % 101 - 50) * size // 50


def training(steps=12):
    """Steps that the program names, of two layers, an update, and collectives on a second stream that run beside the next
    layer; their kernels differ in geometry between steps."""
    trace, t = Trace(), 0
    for i in range(steps):
        trace.mark(f"ProfilerStep#{i + 5}", t - 40, 900)
        called = t - 20
        t = trace.copy("HtoD", t, 50, 400000) + 10
        for layer in range(2):
            t = trace.kernel("void lib::gemm<float, 128>(float*)", t, 200 + wobble(2 * i + layer, 8), called=called) + 10
            trace.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", t, 150, grid=8, block=512, stream=20, called=called)
            t = trace.kernel("softmax(float*)", t, 100, grid=80 + i % 2, called=called) + 5
        t = trace.kernel("update(float*)", t, 60, called=called) + 40
    return trace.object()


def strings():
    """The same with texts for numbers, microseconds with fractions, bare inf and nan, and odd names."""
    trace = training()
    for i, event in enumerate(trace["traceEvents"]):
        if event.get("cat") == "kernel":
            event["ts"] = f"{event['ts']}.125"
            event["args"]["grid"] = [str(x) for x in event["args"]["grid"]]
            event["args"]["est. achieved occupancy %"] = float("nan")
            if i % 3 == 0:
                event["dur"] = str(event["dur"])
    first = next(e for e in trace["traceEvents"] if e.get("cat") == "kernel")
    trace["traceEvents"] += [{"ph": "X", "cat": "kernel", "name": "no times"}, {"ph": 7}, {}, dict(first, args="x")]
    return json.dumps(trace).replace("python3", "C:\\users\\python\t3").replace("NaN", "nan")


def in_ns():
    """Kernels in ns since the epoch, in a list without an object; one took a fraction of a ns."""
    trace = Trace()
    for i in range(8):
        trace.kernel("k()", 100 * i, 60 if i != 3 else 1e-7)
    return [event | {key: event[key] * 1000 for key in ("ts", "dur") if key in event} for event in trace.events]


def whole():
    """Kernels in whole us, of which some took none."""
    trace = Trace()
    for i in range(8):
        trace.kernel("instant()", 10 * i, 0)
        trace.kernel("k()", 10 * i + 2, 5)
    return trace.object()


def several():
    """Two processes, of which one has two devices."""
    one, two = Trace(pid=100), Trace(pid=200, device=1)
    two.correlation = 1000
    for i in range(12):
        one.kernel("a()", i * 100, 40)
        two.kernel("b()", i * 50 + 3, 20)
    one.device = 1
    for i in range(12):
        one.kernel("c()", i * 100 + 77, 10)
    return one.object(traceEvents=one.events + two.events)


def copies():
    """Two processes that copy before their first kernels, copies on a device of both, and on one without kernels."""
    one, two = Trace(pid=100), Trace(pid=200, device=1)
    two.correlation = 1000
    for i in range(8):
        two.copy("HtoD", i * 100, 10, 100000)
        one.copy("HtoD", i * 100 + 5, 20, 200000)
        one.kernel("a()", i * 100 + 30, 40)
        two.kernel("b()", i * 100 + 50, 20)
        two.copy("DtoH", i * 100 + 75, 5, 50000)
    one.device, two.device = 1, 2
    for i in range(8):
        one.kernel("c()", i * 100 + 71, 3)
        two.copy("HtoD", i * 100 + 3, 10, 300000)
    return one.object(traceEvents=two.events + one.events)


def unequal():
    """Steps that launch different kernels each time."""
    trace, t = Trace(), 0
    for i in range(5):
        trace.mark(f"ProfilerStep#{i}", t - 30, 100)
        for k in range(i % 3 + 1 if i < 4 else 2):
            t = trace.kernel(f"k{(i + k) % 4}()", t, 40) + 10
    return trace.object()


def in_turns():
    """Kernels of two streams in turns, none of which comes again: one stream, because apart they would run beside each other."""
    trace = Trace()
    for i in range(6):
        trace.kernel(f"k{i}()", 100 * i, 60, stream=7 + 13 * (i % 2))
    return trace.object()


def ahead():
    """Steps of a host that is later than its light kernels, waits for them, is ahead of its heavy ones, and waits again. Between
    the heavy ones the device takes 1 us."""
    trace = Trace()
    for i in range(12):
        t = 1000 * i
        trace.mark(f"ProfilerStep#{i}", t - 10, 990)
        for k in range(10):
            trace.kernel("light()", t + 29 * k + 5, 6, called=t + 29 * k)
        trace.wait(t + 270, t + 273)
        t += 313
        for k in range(3):
            trace.kernel("heavy()", t + 5 + 101 * k, 100, called=t + 4 * k)
        trace.wait(t + 20, t + 308)
    return trace.object()


def paused():
    """Kernels launched ahead of the device, which does nothing for three seconds before the last one."""
    trace = Trace()
    for i in range(5):
        trace.kernel(f"k{i}()", 100 * i, 99, called=4 * i - 20)
    trace.kernel("k5()", 3_000_000, 100, called=0)
    return trace.object()


def reaching():
    """Steps whose last kernel, on a second stream, runs beside the first ones of the next step."""
    trace = Trace()
    for i in range(12):
        t = 500 * i
        trace.mark(f"ProfilerStep#{i}", t - 10, 20)
        trace.kernel("first()", t, 200, grid=8, called=t - 5)
        trace.kernel("second()", t + 201, 198, grid=8, called=t)
        trace.wait(t + 5, t + 480)
        trace.kernel("aside()", t + 490, 400, grid=8, stream=20)
    return trace.object()


def behind():
    """Steps that begin with a short kernel on a second stream, while the last kernel of the step before still runs."""
    trace = Trace()
    for i in range(12):
        t = 600 * i
        trace.mark(f"ProfilerStep#{i}", t - 11, 20)
        trace.kernel("aside()", t, 2, grid=1, stream=20, called=t - 4)
        trace.kernel("first()", t + 96, 104, called=t - 10)
        trace.kernel("second()", t + 201, 299, called=t - 9)
        trace.wait(t, t + 503)
        trace.kernel("last()", t + 510, 185, called=t + 505)
    return trace.object()


def at_once():
    """Kernels of five streams that start at the same time: no iterations, which would take no time."""
    trace = Trace()
    for i in range(5):
        trace.kernel("k()", 0, 100, grid=8, stream=7 + i, called=-20 - i)
    return trace.object()


def late():
    """Kernels of two streams, none of which comes again, and of which the second begins later."""
    trace = Trace()
    for i in range(6):
        trace.kernel(f"k{i}()", 100 * i, 99, grid=8)
        trace.kernel(f"l{i}()", 400 + 100 * i, 95, grid=8, stream=20)
    return trace.object()


FINE = {"training": training, "strings": strings, "in_ns": in_ns, "several": several, "copies": copies, "whole": whole, "unequal": unequal,
        "in_turns": in_turns, "ahead": ahead, "paused": paused, "reaching": reaching, "behind": behind,
        "at_once": at_once, "late": late}
STEP = 60 + 2 * (200 + 10 + 100 + 5) + 60 + 40
# Makespan in us, from the trace.
LENGTH = {"training": 11 * STEP, "strings": 11 * STEP, "in_ns": 700, "several": 11 * 100, "copies": 7 * 100, "whole": 70, "unequal": 100,
          "in_turns": 560, "ahead": 11 * 1000, "paused": 3_000_100,
          "reaching": 11 * 500, "behind": 11 * 600, "at_once": 100, "late": 995}


# One launch each, as Nsight Compute writes them: of gemm with its geometry, of softmax with another.
COUNTERS = """"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",\
"gpu__time_duration.sum","dram__throughput.avg.pct_of_peak_sustained_elapsed","sm__inst_issued.avg.pct_of_peak_sustained_elapsed"
"","","","","","","","","","","","us","%","%"
"0","5","python3","host","void lib::gemm<(int)1, 128>(T1 *)","1","7","(256, 1, 1)","(160, 1, 1)","0","7.0","210.5","61.5","30.25"
"1","5","python3","host","softmax(float *)","1","7","(256, 1, 1)","(320, 1, 1)","0","7.0","190.5","80","10"
"""


# A launch of ten times the work of those in the trace, in ten times the time, which moves 500 GB/s: 55.56 % of a V100's 900.
LARGER = COUNTERS.split("\n")[0].replace("dram__throughput.avg.pct_of_peak_sustained_elapsed", "dram__bytes.sum") + '''
"","","","","","","","","","","","us","Mbyte","%"
"0","5","python3","host","k(float *)","1","7","(256, 1, 1)","(1600, 1, 1)","0","7.0","200","100","30.25"
'''


def cut(text, share):
    return text[:int(len(text) * share)]


def bad():
    whole = json.dumps(training(3), indent=1)
    cpu = training(3)
    cpu["traceEvents"] = [e for e in cpu["traceEvents"] if e.get("cat") != "kernel"]
    no_times, no_grids, open_ended = training(3), training(3), training(3)
    for event in no_times["traceEvents"]:
        event.pop("dur", None)
    for event in no_grids["traceEvents"]:
        if "args" in event:
            event["args"].pop("grid", None)
    for event in open_ended["traceEvents"]:
        event["ph"] = "B"
    unknown = training(3) | {"deviceProperties": [GPU | dict(name="Imaginary 9", computeMajor=99)]}
    return {"empty": b"", "not-json": b"Generating trace...\n", "sqlite": b"SQLite format 3\0" + bytes(100),
            "middle": cut(whole, 0.6).encode(), "comma": whole.replace('"ts"', ',"ts"', 1).encode(),
            "cut": gzip.compress(whole.encode(), mtime=0)[:600],
            "damaged": gzip.compress(whole.encode(), mtime=0)[:-8] + bytes(8),
            "foreign": b'{"cats": [1, 2, {"name": "kernel"}]}', "no-cuda": json.dumps(cpu).encode(),
            "no-times": json.dumps(no_times).encode(), "no-grids": json.dumps(no_grids).encode(),
            "open-ended": json.dumps(open_ended).encode(), "deep": b"[" * 100000,
            "unknown-gpu": json.dumps(unknown).encode(), "no-gpu": json.dumps(training(3)["traceEvents"]).encode(),
            "scalar": b"12", "two": b"{} {}", "null": b"null"}


def large(path, megabytes):
    """Writes a trace of so many MB: for each kernel the calls and operators of a real one."""
    filler = [dict(ph="X", cat="cpu_op", name=f"aten::op{i}", pid=100, tid=100, ts=EPOCH, dur=3,
                   args={"External id": i, "Input Dims": [[64, 1024], [1024, 1024], []], "Input type": ["float", "float", "Scalar"],
                         "Call stack": "model.py(12): forward;" * 4}) for i in range(6)]
    text, t = ",\n".join(json.dumps(e) for e in filler), 0
    with (gzip.open if path.endswith(".gz") else open)(path, "wt") as out:
        out.write('{"schemaVersion": 1, "deviceProperties": ' + json.dumps([GPU]) + ', "traceEvents": [\n')
        size, i = 0, 0
        while size < megabytes * 1e6:
            trace = Trace()
            trace.correlation = 2 * i
            if i % 200 == 0:
                trace.mark(f"ProfilerStep#{i // 200}", t - 20, 20000)
            t = trace.kernel(f"void at::native::layer{i % 200}<float>(float*)", t, 90) + 10
            chunk = ",\n".join([json.dumps(e) for e in trace.events] + [text]) + ",\n"
            size, i = size + out.write(chunk), i + 1
        out.write('{}]}\n')
    print(f"{i} kernels, {size / 1e6:.0f} MB")


passed = failed = 0


def check(what, right, why=""):
    global passed, failed
    passed, failed = passed + bool(right), failed + (not right)
    if not right:
        print(f"FAILED {what}: {why}"[:2000])


def run(*arguments, cwd=None):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True, cwd=cwd)


def compare(what, file, text, update):
    if update:
        file.write_text(text)
    check(what, file.exists() and file.read_text() == text, f"differs from {file}:\n{text}")


def find_value(tree, name):
    if isinstance(tree, dict):
        found = [tree["value"]] if tree.get("metric") == name else []
        found += [tree[name]] if name in tree else []
        found += [v for v in (find_value(child, name) for child in tree.values()) if v is not None]
    else:
        found = [v for v in (find_value(child, name) for child in tree) if v is not None] if isinstance(tree, list) else []
    return found[0] if found else None


def simulate(smsched, scenario, *options):
    """Makespan, and time with a kernel under way (None for a virtual machine), in us."""
    done = run(smsched, "run", scenario, "--format", "json", *options)
    check(f"{scenario} runs", done.returncode == 0, done.stderr)
    tree = json.loads(done.stdout) if done.returncode == 0 else {"makespan_ns": 0}
    busy = find_value(tree, "service_ns")
    return find_value(tree, "makespan_ns") / 1e3, busy and busy / 1e3


def union(kernels, start, end):
    """Time with a kernel under way."""
    total, last = 0, start
    for a, b in sorted((max(a, start), min(b, end)) for a, b in kernels):
        total, last = total + max(b - max(a, last), 0), max(b, last)
    return total


def within(what, value, should, share=0.05):
    check(what, abs(value / should - 1) < share, f"{value} instead of {should}")


def write(path, content):
    path.write_bytes(content if isinstance(content, bytes) else (content if isinstance(content, str) else json.dumps(content)).encode())


def check_fine(smsched, work, update):
    for name, make in FINE.items():
        path, out = work / f"{name}.json", work / f"{name}.yaml"
        write(path, make())
        profiled = ["--profiled", "v100"] if name == "in_ns" else []
        done = run(smsched, "import", "kineto", path, "-o", out, *profiled)
        check(f"{name} is imported", done.returncode == 0 and not done.stdout, done.stderr)
        if done.returncode:
            continue
        compare(f"{name} as a document", GOLDEN / f"{name}.yaml", out.read_text(), update)
        length, busy = simulate(smsched, out)
        within(f"{name}: a run takes as long as the trace", length, LENGTH[name])
        if name == "training":
            steps, kernels = bounds(make()["traceEvents"])
            within(f"{name}: kernels run beside each other as in the trace", busy, union(kernels, steps[0], steps[-1]))
        path.with_suffix(".json.gz").write_bytes(gzip.compress(path.read_bytes()))
        packed = run(smsched, "import", "kineto", path.with_suffix(".json.gz"), *profiled)
        check(f"{name} is the same when compressed", packed.stdout == out.read_text(), packed.stderr)
    done = run(smsched, "import", "kineto", work / "at_once.json", "--name", "all")  # which no process may be called
    check("a trace called all", done.returncode == 0 and "\n  - name: all-p1\n" in done.stdout, done.stderr)


def check_devices(smsched, work):
    """A GPU is found by its name and its memory, and a memory that contradicts the file is told."""
    for name, gib, said in GPUS:
        trace = Trace()
        trace.kernel("k()", trace.kernel("k()", 0, 100) + 10, 100)
        write(work / "gpu.json", trace.object(deviceProperties=[GPU | dict(name=name, totalGlobalMem=int(gib * 2**30))]))
        done = run(smsched, "import", "kineto", work / "gpu.json")
        check(f"{name} of {gib} GiB", f"# Profiled on {said}.\n" in done.stdout.replace(f"named in the profile: {name}", "named"), done.stdout[:600] + done.stderr)


# What a trace may have between the quotes of a kernel's name, and the name in the document. U+202E changes the direction of text, and YAML cannot hold
# U+FFFE.
TEXTS = {rb"a\u00e9\"b\\/c": "aé?b?/c", rb"a\ud83d\ude00b": "a\U0001f600b", rb"a\ud83db": "a???b", rb"a\ud83d\u0041": "a???A", rb"a\u12b": "a/u12b",
         b"a\xffb\xc3\xa9": "a?bé", b"a\0b\tc": "a b c", rb"a\u0000b": "a", "größe\u202e".encode(): "größe\ufffd", rb"a\ufffeb\uffff": "a\ufffdb\ufffd",
         ("a" * 159 + "ö").encode(): "a" * 159}


def check_texts(smsched, work):
    """Names have the characters that JSON's escapes stand for; what is no JSON and no UTF-8 is mended."""
    trace = Trace()
    trace.kernel("NAME", trace.kernel("NAME", 0, 100) + 10, 100)
    made = json.dumps(trace.object(cats={"a": [1, {"b": "]}\\\""}], "traceEvents": None})).encode()
    for written, name in TEXTS.items():
        write(work / "texts.json", made.replace(b"NAME", written))
        done = run(smsched, "import", "kineto", work / "texts.json", "--title", "Größe")
        check(f"the name {written}", f"\n  # {name}\n" in done.stdout and '\ntitle: "Größe"\n' in done.stdout, done.stdout + done.stderr)
        write(work / "texts.yaml", done.stdout.encode())
        check(f"the kernel's name of {written}", "größe" not in name or "- name: gr____e___\n" in done.stdout, done.stdout)
        check(f"the document of {written}", run(smsched, "validate", work / "texts.yaml").returncode == 0, done.stdout)
    trace = Trace()
    trace.kernel("kernel<größe>(int)", trace.kernel("k<maß>(int)", trace.kernel("k<float>(int)", 0, 100) + 10, 100) + 10, 100)
    write(work / "words.json", json.dumps(trace.object(), ensure_ascii=False).encode())
    done = run(smsched, "import", "kineto", work / "words.json")
    check("words of templates beyond ASCII", all(f"- name: {name}\n" in done.stdout for name in ("k", "k_ma__", "kernel_gr____e")), done.stdout + done.stderr)
    alone = json.loads(made)
    alone["traceEvents"] = [event for event in alone["traceEvents"] or [] if event.get("cat") != "cuda_runtime"]
    write(work / "alone.json", json.dumps(alone).encode())
    done = run(smsched, "import", "kineto", work / "alone.json")
    check("kernels of no process", "# alone: device Tesla V100-SXM2-16GB (0): " in done.stdout, done.stdout[:600] + done.stderr)


def check_with(smsched, work, update):
    """Demands from counters by name and geometry."""
    write(work / "training.json", training())
    write(work / "counters.csv", COUNTERS)
    done = run(smsched, "import", "kineto", "training.json", "--with", "counters.csv", "-o", "with.yaml", cwd=work)
    check("counters are joined", done.returncode == 0, done.stderr)
    compare("with counters", GOLDEN / "with-counters.yaml", (work / "with.yaml").read_text(), update)
    done = run(smsched, "run", work / "with.yaml")
    check("a run says how much of the kernel time has no metric", "training-1 (9), training-2 (100)" in done.stdout,
          done.stdout)
    trace = Trace()
    for i in range(12):
        trace.kernel("k(float*)", 40 * i, 20)
    write(work / "smaller.json", trace.object())
    write(work / "larger.csv", LARGER)
    done = run(smsched, "import", "kineto", work / "smaller.json", "--with", work / "larger.csv")
    check("counts of a longer launch", "# usage: issue 30.25 %, dram 55.56 %\n" in done.stdout, done.stdout + done.stderr)
    check("one measured launch tells no uncertainty", "uncertainty:" not in done.stdout, done.stdout)
    head, units, launch = LARGER.splitlines()
    for what, name, words in (("launches", "other()", "issue 30.25 %"), ("kernels", "other{}()", "# not used: 4 kernels with counters beyond the first 4096\n")):
        rows = [launch.replace('"0"', f'"{i + 1}"', 1).replace("k(float *)", name.format(i)) for i in range(4099)]
        write(work / "many.csv", "\n".join([head, units, *rows, launch, ""]))
        done = run(smsched, "import", "kineto", work / "smaller.json", "--with", work / "many.csv")
        check(f"4099 {what} with counters before that of the trace", done.returncode == 0 and words in done.stdout, done.stdout + done.stderr)
    for given in (work / "none.csv", work / "training.json"):
        done = run(smsched, "import", "kineto", work / "training.json", "--with", given, "-o", work / "not.yaml")
        check(f"--with {given.name} is refused", done.returncode in (3, 4) and given.name in done.stderr and not (work / "not.yaml").exists(), done.stderr)


def check_alone(smsched, work):
    """The profiler makes launches slower: host time is scaled so that a job takes what it takes without it."""
    trace, t = Trace(), 0
    for i in range(12):
        trace.mark(f"ProfilerStep#{i}", t - 40, 1000)
        t = trace.kernel("second()", trace.kernel("first()", t, 300) + 200, 100) + 400
    write(work / "alone.json", trace.object())
    for given, step in ((None, 1000), ("1000 us", 1000), ("460 us", 460), ("2 ms", 2000)):
        options = ["--alone", given] if given else []
        done = run(smsched, "import", "kineto", work / "alone.json", "-o", work / "alone.yaml", "--force", *options)
        check(f"--alone {given} is imported", done.returncode == 0, done.stderr)
        check(f"--alone {given} is said", not given or "host time is scaled so that a job" in done.stderr, done.stderr)
        text = (work / "alone.yaml").read_text()
        host = [float(line.split()[2]) for line in text.splitlines() if line.startswith("  - host:")]
        host[:0] = [float(line.split("async: ")[1].split()[0]) - 300 for line in text.splitlines() if "async:" in line]
        check(f"--alone {given} keeps the proportions of host times", len(host) == 2 and abs(host[1] - 2 * host[0]) < 1e-3, text)
        within(f"--alone {given}: a job takes as long", simulate(smsched, work / "alone.yaml")[0] / 11, step, 0.001)
    beside = Trace()
    for i in range(8):
        beside.kernel("k()", 310 * i, 100)
        beside.copy("DtoH", 310 * i + 5, 300, 3300000, stream=20)
    for name, content, options, told in (
            ("kernels", trace.object(), ["--alone", "399 us"], "kernels and copies of one job take 0.4 ms in the trace, so it cannot take 0.399 ms alone"),
            ("beside", beside.object(), ["--alone", "500 us"], "one job takes 0.31 ms in the trace, and its kernels and copies take 0.366129"),
            ("several", FINE["several"](), ["--alone", "1 s"], "--alone says what a job of one takes")):
        write(work / f"{name}.json", content)
        done = run(smsched, "import", "kineto", work / f"{name}.json", "-o", work / "not.yaml", "--profiled", "v100", *options)
        check(f"--alone is refused: {name}", done.returncode == 3 and told in done.stderr and not (work / "not.yaml").exists(), done.stderr)
    done = run(smsched, "import", "ncu", HERE / "fine/ncu-raw.csv", "--profiled", "b200", "--alone", "1 ms")
    check("--alone is for traces", done.returncode == 3 and "--alone is for traces" in done.stderr, done.stderr)


def check_iteration(smsched, work):
    """What an iteration lacks is said as of a job. Host time is that in which the device waits for the host."""
    write(work / "iteration.json", ahead())
    done = run(smsched, "import", "kineto", work / "iteration.json", "--iteration")
    check("host time left out of an iteration", "left out of each job: 0 B copied in, 0 B copied out, host time of 0.638 ms" in done.stdout, done.stdout)


def check_page(smsched, work):
    """The commands of docs/how-to/profiles.md, but for those that need a GPU."""
    page = (HERE.parent.parent / "docs/how-to/profiles.md").read_text().split("## From your program to a scenario")[1].split("**Demands.**")[0]
    (work / "trace.json.gz").write_bytes(gzip.compress(json.dumps(training()).encode()))
    run(sys.executable, HERE / "nsys.py", "--seeds", work)
    (work / "nsys-training.sqlite").rename(work / "report.sqlite")
    for block in page.split("```sh\n")[1:]:
        commands = block.split("```")[0].splitlines()
        check("a figure takes at most five commands", len(commands) <= 5, block)
        for command in (c for c in commands if c.startswith("smsched ")):
            done = subprocess.run(f"{smsched}{command[len('smsched'):]}", shell=True, capture_output=True, text=True, cwd=work)
            check(f"`{command}`", done.returncode == 0, done.stdout + done.stderr)
        figures = list((work / "results/plots").glob("timeline*.svg"))
        check("a figure is drawn", figures, block)
        shutil.rmtree(work / "results")


def check_bad(smsched, work, update):
    for name, content in bad().items():
        path = work / f"{name}.json"
        path.write_bytes(content)
        done = run(smsched, "import", "kineto", path, "-o", work / f"{name}.yaml")
        check(f"{name} is refused", done.returncode == 3, f"exit {done.returncode} {done.stderr}")
        check(f"{name} writes nothing", not (work / f"{name}.yaml").exists() and not done.stdout)
        said = re.sub(r"after \d+ bytes of text", "after N bytes of text", done.stderr)  # what zlib gives before it notices
        compare(f"{name} as a message", GOLDEN / f"{name}.err", said.replace(str(work) + "/", ""), update)


def bounds(events):
    """Starts of the steps on the device: of the first kernel that the host launches in each."""
    steps = sorted(e["ts"] for e in events if e.get("ph") == "X" and e["name"].startswith("ProfilerStep"))
    calls = {e["args"]["correlation"]: e["ts"] for e in events if e.get("cat") in ("cuda_runtime", "cuda_driver")
             and "launch" in e["name"].lower() and "correlation" in e.get("args", {})}
    kernels = [(calls.get(e["args"]["correlation"]), e["ts"], e["ts"] + e["dur"]) for e in events if e.get("cat") == "kernel"]
    ends = steps[1:] + [float("inf")]
    return ([min(start for call, start, _ in kernels if call and a <= call < b) for a, b in zip(steps, ends)],
            [(start, end) for _, start, end in kernels])


def check_real(smsched, work):
    for packed in sorted(DATA.glob("*.json.gz")):
        done = run(smsched, "import", "kineto", packed, "-o", work / "real.yaml")
        if "cpu_only" in packed.name:
            check(packed.name, done.returncode == 3 and "none of its 30 events is a kernel" in done.stderr, done.stderr)
            continue
        check(packed.name, done.returncode == 0, done.stderr)
        events = json.load(gzip.open(packed))["traceEvents"]
        firsts, kernels = bounds(events)
        operations = [e for e in events if e.get("cat") in ("kernel", "gpu_memcpy")]
        whole = max(e["ts"] + e["dur"] for e in operations) - min(e["ts"] for e in operations)
        length, busy = simulate(smsched, work / "real.yaml", "--replications", "1")  # five take minutes
        within(f"{packed.name}: a run takes as long as the trace", length, firsts[-1] - firsts[0] if len(firsts) > 1 else whole)
        if busy:
            within(f"{packed.name}: kernels run beside each other as in the trace", busy, union(kernels, firsts[0], firsts[-1]))
    if not DATA.exists():
        print(f"skipped: real traces, because there is no {DATA}")


def main():
    if sys.argv[1] == "--large":
        return large(sys.argv[2], float(sys.argv[3]))
    if sys.argv[1] == "--seeds":
        for name, make in FINE.items():
            write(Path(sys.argv[2]) / f"kineto-{name}.json", make())
        return 0
    smsched, update = Path(sys.argv[1]).resolve(), "--update" in sys.argv
    with tempfile.TemporaryDirectory() as folder:
        if "--real" in sys.argv:
            check_page(smsched, Path(folder))
            check_real(smsched, Path(folder))
        else:
            check_fine(smsched, Path(folder), update)
            check_devices(smsched, Path(folder))
            check_texts(smsched, Path(folder))
            check_with(smsched, Path(folder), update)
            check_alone(smsched, Path(folder))
            check_iteration(smsched, Path(folder))
            check_bad(smsched, Path(folder), update)
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
