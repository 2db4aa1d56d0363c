#!/usr/bin/env python3
"""Reports of Nsight Systems: small databases made here, what is imported of them byte for byte, and whether a run takes as
long as the trace; damaged ones; and the real ones, where the data is.

usage: nsys.py SMSCHED [--update] | --seeds FOLDER
"""
import gzip
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ.get("SMSCHED_DATA", HERE.parent.parent / "../shared/data")) / "nsys"
GOLDEN = HERE / "nsys"
COMMON = ["start", "end", "deviceId", "contextId", "streamId", "correlationId", "globalPid"]
KERNEL = COMMON + ["demangledName", "shortName", "registersPerThread", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ",
                   "staticSharedMemory", "dynamicSharedMemory"]
GPU = dict(id=0, cuDevice=0, name="NVIDIA GeForce RTX 3080", computeMajor=8, computeMinor=6, smCount=10, clockRate=1000000000,
           totalMemory=8 << 30, memoryBandwidth=100000000000, threadsPerWarp=32, maxWarpsPerSm=48, maxBlocksPerSm=16,
           maxRegistersPerSm=65536, maxShmemPerSm=102400, maxThreadsPerBlock=1024, maxShmemPerBlockOptin=101376)
PROCESS = 0x1000000000000
IN, OUT, WITHIN = 1, 2, 8


class Report:
    """A report in the making. Times are in ns."""

    def __init__(self, path, kernel_columns=KERNEL, gpus=1, gpu=GPU, page_size=4096):
        self.db = sqlite3.connect(path)
        self.db.execute(f"PRAGMA page_size = {page_size}")
        self.names, self.columns, self.correlation = {}, kernel_columns, 0
        self.table("StringIds", ["id INTEGER PRIMARY KEY", "value"])
        self.table("META_DATA_EXPORT", ["name", "value"])
        self.table("PROCESSES", ["globalPid", "pid", "name"])
        self.table("TARGET_INFO_GPU", list(gpu))
        self.table("CUPTI_ACTIVITY_KIND_KERNEL", kernel_columns)
        for i in range(gpus):
            self.add("TARGET_INFO_GPU", gpu | dict(id=i, cuDevice=i))

    def table(self, name, columns):
        self.db.execute(f"CREATE TABLE {name} ({', '.join(columns)})")

    def add(self, table, row):
        self.db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", list(row.values()))

    def version(self, schema):
        self.add("META_DATA_EXPORT", dict(name="EXPORT_PRODUCT_VERSION", value="2024.5.4.34"))
        self.add("META_DATA_EXPORT", dict(name="EXPORT_SCHEMA_VERSION", value=schema))

    def process(self, pid, name):
        self.add("PROCESSES", dict(globalPid=PROCESS + (pid << 24), pid=pid, name=name))

    def place(self, start, end, device, stream, pid):
        self.correlation += 1
        return dict(start=start, end=end, deviceId=device, contextId=1, streamId=stream, correlationId=self.correlation,
                    globalPid=PROCESS + (pid << 24))

    def kernel(self, name, start, duration, grid=40, block=128, device=0, stream=7, pid=100):
        if name not in self.names:
            self.names[name] = len(self.names) + 1
            self.add("StringIds", dict(id=self.names[name], value=name))
        row = self.place(start, start + duration, device, stream, pid)
        row |= dict(demangledName=self.names[name], shortName=self.names[name], registersPerThread=32, gridX=grid, gridY=1,
                    gridZ=1, blockX=block, blockY=1, blockZ=1, staticSharedMemory=0, dynamicSharedMemory=1024)
        self.add("CUPTI_ACTIVITY_KIND_KERNEL", {c: v for c, v in row.items() if c in self.columns})
        return start + duration

    def calls(self, before, length, named=False):
        """A call for each kernel, so long before it."""
        self.table("CUPTI_ACTIVITY_KIND_RUNTIME", ["start", "end", "correlationId", "globalTid"] + ["nameId"] * named)
        self.db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT start - ?, start - ? + ?, correlationId, globalPid + 5 "
                        f"{', 9001' * named} FROM CUPTI_ACTIVITY_KIND_KERNEL", [before, before, length])
        if named:
            self.add("StringIds", dict(id=9001, value="cudaLaunchKernel_v7000"))
            self.add("StringIds", dict(id=9002, value="cudaDeviceSynchronize_v3020"))

    def wait(self, start, end):
        self.correlation += 1
        self.add("CUPTI_ACTIVITY_KIND_RUNTIME", dict(start=start, end=end, correlationId=self.correlation,
                                                     globalTid=PROCESS + (100 << 24) + 5, nameId=9002))

    def copies(self, kind="MEMCPY"):
        self.table(f"CUPTI_ACTIVITY_KIND_{kind}", COMMON + ["bytes", "copyKind"])

    def copy(self, kind, start, duration, size, stream=7, pid=100):
        self.add("CUPTI_ACTIVITY_KIND_MEMCPY", self.place(start, start + duration, 0, stream, pid) | dict(bytes=size, copyKind=kind))
        return start + duration

    def close(self):
        self.db.commit()
        self.db.close()


def wobble(i, size):
    """From -size to size, different for each i."""
    return (i * 7919 % 101 - 50) * size // 50


def training(path, **options):
    """30 steps of a copy, three layers and an update, after a warm-up of other kernels; some gaps are below a host step."""
    report = Report(path, **options)
    report.version("3.13.2")
    report.process(100, "/usr/bin/python3")
    report.copies()
    report.table("CUPTI_ACTIVITY_KIND_MEMSET", COMMON + ["bytes"])
    t = 10**9
    for i in range(7):
        t = report.kernel("void warm_up<float>(float*)", t, 20000 + i, grid=10 + i) + 1000
    for i in range(30):
        t = report.copy(IN, t + 200000, 150000, 3000000) + 5000
        for layer in range(3):
            t = report.kernel("void lib::gemm<float, 128>(float*, int)", t, 100000 + wobble(3 * i + layer, 5000)) + 300
            t = report.kernel("softmax(float*)", t, 30000 + wobble(i, 1000), grid=200, block=256) + 1200
        t = report.kernel("update(float*)", t, 50000, grid=16) + 2000
        t = report.copy(WITHIN, t, 10000, 1000)
        t = report.copy(OUT, t + 2000, 20000, 400000)
    report.calls(8000, 4000)
    report.close()


def overlapping(path):
    """20 steps on two streams: half of the time, a reduction runs beside the layers; a third stream only copies."""
    report = Report(path)
    report.version("3.13.2")
    report.copies()
    t = 0
    for i in range(20):
        for layer in range(4):
            report.kernel("layer(float*)", t + layer * 100000, 90000, stream=7)
            if layer % 2:
                report.kernel("reduce(float*)", t + layer * 100000 + 20000, 100000, grid=2, stream=20)
        report.copy(IN, t + 50000, 60000, 1000000, stream=21)
        t += 450000
    report.close()


def growing(path):
    """25 requests of which each has a larger grid than the last, as when a language model decodes."""
    report = Report(path)
    t = 0
    for i in range(25):
        for _ in range(3):
            t = report.kernel("attention(float*)", t, 40000 + 1000 * i, grid=20 + i) + 2000
            t = report.kernel("linear(float*)", t, 80000) + 2000
        t = report.kernel("sample(float*)", t, 10000, grid=1) + 50000
    report.close()


def ahead(path):
    """20 steps of a host that comes late with four of five kernels, and waits for the last of them."""
    report = Report(path)
    for i in range(20):
        for k in range(5):
            report.kernel(f"k{k}(float*)", 200000 * i + 29000 * k, 6000)
    report.calls(8000, 4000, named=True)
    for i in range(20):
        report.wait(200000 * i + 117000, 200000 * i + 123000)
    report.close()


def shuffled(path):
    """Two streams, on which short kernels start now in this order and now in that: each stream repeats something."""
    report = Report(path)
    for i in range(40):
        early = wobble(i, 400)
        report.kernel("a()", i * 10000, 1000, stream=7)
        report.kernel("b()", i * 10000 + 3000, 1000, stream=7)
        for k, name in enumerate("xyz"):
            report.kernel(name, i * 10000 + 2500 + 3 * early * (k + 1) + 1500 * k, 100, grid=1, stream=8)
    report.close()


def several(path):
    """Two processes, and of one of them two devices."""
    report = Report(path, gpus=2)
    report.process(100, "train")
    report.process(200, "serve")
    for i in range(12):
        report.kernel("a()", i * 100000, 40000)
        report.kernel("b()", i * 100000 + 1, 60000, device=1)
    for i in range(50):
        report.kernel("c()", i * 30000, 10000, pid=200)
    report.close()


def annotated(path):
    """Steps that NVTX names, whose kernels differ in geometry each time; ranges within them; a CUDA graph, a green context and
    samples of GPU metrics, at 10 kHz."""
    report = Report(path, kernel_columns=KERNEL + ["graphNodeId", "greenContextId"])
    report.table("NVTX_EVENTS", ["start", "end", "eventType", "globalTid", "text", "textId"])
    report.table("GPU_METRICS", ["timestamp", "typeId", "metricId", "value"])
    report.table("TARGET_INFO_GPU_METRICS", ["typeId", "metricId", "metricName"])
    metrics = ["DRAM Read Bandwidth [Throughput %]", "DRAM Write Bandwidth [Throughput %]", "SM Issue [Throughput %]", "SMs Active [Throughput %]"]
    for m, name in enumerate(metrics):
        report.add("TARGET_INFO_GPU_METRICS", dict(typeId=1 << 8, metricId=m, metricName=name))
    t, sampled, thread = 10**9, 10**9, PROCESS + (100 << 24) + 5
    for i in range(10):
        start = t
        for kind, name, length, grid in (("forward", "layer(float*)", 400000, 20 + i % 3), ("backward", "void (anonymous namespace)::layer<float>(float*)", 700000, 40 + i % 2)):
            ranges = dict(eventType=59, globalTid=thread)
            report.add("NVTX_EVENTS", ranges | dict(start=t - 9000, end=t + 5000, text=kind))
            first = t
            t = report.kernel(name, t, length, grid=grid) + 20000
            while sampled < t - 20000:
                for m, value in enumerate([30, 10, 50 if kind == "forward" else 20, 99]):
                    report.add("GPU_METRICS", dict(timestamp=sampled, typeId=1 << 8, metricId=m, value=value if sampled >= first else 0))
                sampled += 100000
        report.add("NVTX_EVENTS", dict(start=start - 10000, end=t - 10000, eventType=59, globalTid=thread, text=f"step {i}"))
        t += 200000
    report.calls(8000, 4000)
    report.db.execute("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET graphNodeId = 7, greenContextId = 3")
    report.close()


def irregular(path):
    """No kernel comes twice, and some columns are missing, as in reports of other versions."""
    report = Report(path, kernel_columns=[c for c in KERNEL if c not in ("demangledName", "gridZ", "contextId", "dynamicSharedMemory")])
    t = 500
    for i in range(9):
        t = report.kernel(f"k{i}", t, 10000 * (i + 1)) + 5000
    report.close()


def endless(path):
    """20 equal steps, in one of which a kernel has a wrong end, after centuries."""
    report = Report(path)
    for i in range(20):
        report.kernel("first()", 100000 * i, 5 * 10**18 if i == 13 else 20000)
        report.kernel("second()", 100000 * i + 30000, 60000)
    report.close()


FINE = {"training": training, "overlapping": overlapping, "several": several, "irregular": irregular, "growing": growing,
        "shuffled": shuffled, "annotated": annotated, "ahead": ahead, "endless": endless}
# Makespan of the scenario in ns, from the trace: jobs times length of a job, of the process that runs longest.
LENGTH = {"training": 29 * ((200000 + 150000 + 5000) + 3 * (130000 + 1500) + 52000 + 32000), "overlapping": 19 * 450000,
          "several": 49 * 30000, "annotated": 9 * 1340000, "ahead": 19 * 200000, "endless": 18 * 100000, "shuffled": 39 * 10000,
          "growing": sum(3 * (40000 + 1000 * i + 80000 + 4000) + 60000 for i in range(24)), "irregular": sum(10000 * (i + 1) for i in range(9)) + 8 * 5000}


def changed(sql, report=training):
    def make(path):
        report(path)
        with sqlite3.connect(path) as db:
            db.executescript(sql)
        db.close()
    return make


def written(data):
    return lambda path: Path(path).write_bytes(data)


def cut(path):
    training(path)
    Path(path).write_bytes(Path(path).read_bytes()[:20000])


def overwritten(path):
    training(path)
    data = bytearray(Path(path).read_bytes())
    data[4096:12288] = bytes(i * 31 % 256 for i in range(8192))
    Path(path).write_bytes(data)


def foreign(path):
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE cats (name)")
    db.close()


def two_kinds(path, other=GPU | dict(id=1, cuDevice=1, name="NVIDIA Other 8")):
    report = Report(path)
    if other:
        report.add("TARGET_INFO_GPU", other)
    for device in (0, 1):
        report.kernel("k", 0, 1000, device=device)
    report.close()


BAD = {"cut": cut, "overwritten": overwritten, "foreign": foreign, "two-kinds": two_kinds,
       "one-unnamed": lambda path: two_kinds(path, None), "unnamed": changed("DELETE FROM TARGET_INFO_GPU"), "empty": written(b""),
       "text": written(b"Generating report...\n"), "compressed": written(gzip.compress(b"SQLite format 3")),
       "header": written(b"SQLite format 3\0"),
       "no-cuda": changed("DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL"),
       "no-kernels": changed("DELETE FROM CUPTI_ACTIVITY_KIND_KERNEL"),
       "graphs": changed("DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL; CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end)"),
       "renamed-column": changed("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME COLUMN end TO stop; "
                                 "UPDATE META_DATA_EXPORT SET value = '9.1.0' WHERE name = 'EXPORT_SCHEMA_VERSION'"),
       "never-ended": changed("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = NULL"),
       "view": changed("ALTER TABLE CUPTI_ACTIVITY_KIND_KERNEL RENAME TO k; "
                       "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS SELECT * FROM k"),
       "no-grids": changed("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET gridX = -1"),
       "unknown-gpu": changed("UPDATE TARGET_INFO_GPU SET name = 'NVIDIA Test 9', computeMajor = NULL")}

passed = failed = 0


def check(what, right, why=""):
    global passed, failed
    passed, failed = passed + bool(right), failed + (not right)
    if not right:
        print(f"FAILED {what}: {why}"[:2000])


def run(*arguments):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True)


def compare(what, file, text, update):
    if update:
        file.write_text(text)
    check(what, file.exists() and file.read_text() == text, f"differs from {file}:\n{text}")


def makespan(smsched, scenario, *options):
    done = run(smsched, "run", scenario, "--format", "json", *options)
    check(f"{scenario} runs", done.returncode == 0, done.stderr)
    return find_value(json.loads(done.stdout), "makespan_ns")


def find_value(tree, name):
    if isinstance(tree, dict):
        found = [tree["value"]] if tree.get("metric") == name else []
        found += [tree[name]] if name in tree else []
        found += [v for v in (find_value(child, name) for child in tree.values()) if v is not None]
    else:
        found = [v for v in (find_value(child, name) for child in tree) if v is not None] if isinstance(tree, list) else []
    return found[0] if found else None


def within(what, is_value, should):
    check(f"{what}: a run takes as long as the trace", abs(is_value / should - 1) < 0.05, f"{is_value} instead of {should}")


def check_fine(smsched, work, update):
    for name, make in FINE.items():
        make(work / f"{name}.sqlite")
        done = run(smsched, "import", "nsys", work / f"{name}.sqlite", "-o", work / f"{name}.yaml")
        check(f"{name} is imported", done.returncode == 0 and not done.stdout, done.stderr)
        if done.returncode:
            continue
        text = (work / f"{name}.yaml").read_text()
        notes = [line[2:] for line in text.splitlines() if line.startswith("# ")]
        check(f"{name}: the user is told what the document says", done.stderr.splitlines() == notes[:len(done.stderr.splitlines())],
              done.stderr)
        compare(f"{name} as a document", GOLDEN / f"{name}.yaml", text, update)
        dump = run(smsched, "import", "nsys", work / f"{name}.sqlite", "--dump").stdout
        check(f"{name}: --dump has each launch", dump.count("\nlaunch ") == sum(
            int(line.split("found: ")[1].split()[0]) for line in notes if line.startswith("found: ")), dump[:300])
        within(name, makespan(smsched, work / f"{name}.yaml"), LENGTH[name])
    packed = work / "training.sqlite.gz"
    packed.write_bytes(gzip.compress((work / "training.sqlite").read_bytes()))
    done = run(smsched, "import", "nsys", packed)
    check("a compressed report is read as the report", done.stdout == (work / "training.yaml").read_text(), done.stderr)
    done = run(smsched, "import", "device", packed)
    check("and its GPU", done.stdout.startswith("device: rtx-3080\n"), done.stdout[:100] + done.stderr)
    newer = changed("UPDATE META_DATA_EXPORT SET value = '7.0.1' WHERE name = 'EXPORT_SCHEMA_VERSION'")
    newer(work / "newer.sqlite")
    done = run(smsched, "import", "nsys", work / "newer.sqlite")
    check("a newer report is read, and said to be newer", "schema 7.0.1, which is newer" in done.stdout, done.stdout[:600])
    changed("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET streamId = streamId || char(10) || 'evil: '", overlapping)(work / "lines.sqlite")
    done = run(smsched, "import", "nsys", work / "lines.sqlite")
    check("the name of a stream stays in its line", done.returncode == 0 and ", stream 7 evil: : " in done.stdout
          and not re.search("^evil", done.stdout + done.stderr, re.M), done.stdout[:900] + done.stderr)
    for i, (what, sql) in enumerate((
            ("ranges of a view", "ALTER TABLE NVTX_EVENTS RENAME TO n; CREATE VIEW NVTX_EVENTS AS SELECT * FROM n"),
            ("ranges after centuries", "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = start - 9E, end = end - 9E; "
             "UPDATE NVTX_EVENTS SET start = start + 9E, end = end + 9E".replace("9E", str(9 * 10**18))))):
        changed(sql, annotated)(work / f"ranges{i}.sqlite")
        done = run(smsched, "import", "nsys", work / f"ranges{i}.sqlite")
        check(f"{what} are no steps", done.returncode == 0 and "that the program names" not in done.stdout, done.stdout[:900] + done.stderr)


def check_bad(smsched, work, update):
    for name, make in BAD.items():
        path = work / f"{name}.sqlite"
        make(path)
        done = run(smsched, "import", "nsys", path, "-o", work / f"{name}.yaml")
        check(f"{name} is refused", done.returncode == 3, f"exit {done.returncode} {done.stderr}")
        check(f"{name} writes nothing", not (work / f"{name}.yaml").exists() and not done.stdout)
        compare(f"{name} as a message", GOLDEN / f"{name}.err", done.stderr.replace(str(work) + "/", ""), update)


def traced_step(path):
    """Mean time from the first kernel of a frame to that of the next, ns; the Jetson's programs launch four kernels a frame."""
    with sqlite3.connect(path) as db:
        starts = [row[0] for row in db.execute("SELECT start FROM CUPTI_ACTIVITY_KIND_KERNEL ORDER BY start")]
        whole = db.execute("SELECT max(e) - min(s) FROM (SELECT min(start) s, max(end) e FROM CUPTI_ACTIVITY_KIND_KERNEL UNION "
                           "SELECT min(start), max(end) FROM CUPTI_ACTIVITY_KIND_MEMCPY)").fetchone()[0]
    db.close()
    frames = starts[::4]
    return (frames[-1] - frames[0]) / (len(frames) - 1), whole


def check_real(smsched, work):
    for packed in sorted(DATA.glob("*.sqlite.gz")):
        path = work / packed.name[:-3]
        path.write_bytes(gzip.decompress(packed.read_bytes()))
        orin = "orin" in packed.name
        models = ["--models", work / "models"]
        (work / "models/devices").mkdir(parents=True, exist_ok=True)
        if orin:  # of which the library has no file
            done = run(smsched, "import", "device", path, "--name", path.stem, "-o", work / f"models/devices/{path.stem}.yaml")
            check(f"the GPU of {packed.name} becomes a device file", done.returncode == 0, done.stderr)
        done = run(smsched, "import", "nsys", path, "-o", path.with_suffix(".yaml"), *models, *["--profiled", path.stem] * orin)
        if "no_cuda" in packed.name:
            check(packed.name, done.returncode == 3 and "without CUDA" in done.stderr, done.stderr)
            continue
        check(packed.name, done.returncode == 0, done.stderr)
        step, whole = traced_step(path)
        jobs = 100 if orin else 1
        within(packed.name, makespan(smsched, path.with_suffix(".yaml"), *models), step * jobs if jobs > 1 else whole)
    if not DATA.exists():
        print(f"skipped: real reports, because there is no {DATA}")


def main():
    if sys.argv[1] == "--seeds":
        training(Path(sys.argv[2]) / "nsys-training.sqlite", page_size=512)
        irregular(Path(sys.argv[2]) / "nsys-irregular.sqlite")
        annotated(Path(sys.argv[2]) / "nsys-annotated.sqlite")
        return 0
    smsched, update = Path(sys.argv[1]).resolve(), "--update" in sys.argv
    with tempfile.TemporaryDirectory() as folder:
        check_fine(smsched, Path(folder), update)
        check_bad(smsched, Path(folder), update)
        check_real(smsched, Path(folder))
    print(f"{passed} passed, {failed} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
