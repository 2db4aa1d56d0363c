#!/usr/bin/env python3
"""Every profile in SMSCHED_DATA is imported without an option, valid, and runs; or is refused in
these words. What the metrics of the Altis table say of each benchmark comes back in a run.
Usage: runs.py SMSCHED [--brief]. 77 without the data. With --brief, workloads of many blocks are only validated."""
import csv
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

REFUSED = {
    "ncu/b200_empty_run.csv": ":3:1: error: the run failed, and nothing was profiled: 'The application returned an "
    "error code (1).'; the program failed: run it without ncu first\n    ==ERROR== The application returned an error code (1).\n    ^\n",
    "ncu/b200_failed_run.csv": ":1:1: error: nothing was profiled: ncu connected to 14 processes but printed no "
    "table; the run was stopped early, launched no kernel, or was not printed with --csv\n"
    "    ==PROF== Connected to process 254339 (/usr/bin/python3.12)\n    ^\n",
}
PRINTED = "named in the output of the program"
DEVICES = {  # what the head of the document says of the device
    "ncu/b200_raw_page.csv": "b200, named in the profile: NVIDIA B200",
    "ncu/gb200_cublaslt.log": "gb200, the only device file with compute capability 10.0 and 152 SMs",
    "ncu/ncu_t4_vision_kernels.csv.gz": f"t4, {PRINTED}",
    "ncu/rtx5070_gemm_naive.csv": f"rtx5070, {PRINTED}",
    "ncu/rtx5070_saxpy.csv": f"rtx5070, {PRINTED}",
    "ncu/rtx5070_transpose_naive.csv": f"rtx5070, {PRINTED}",
    "ncu/v100_cfd_097K.log": f"v100, {PRINTED}",
    "ncu/v100_rodinia_kernels.csv": "v100, assumed from the name of the file",
    "nvprof/altis_p100.csv": "p100, assumed from the name of the file",
    "nvprof/awp_dtopo_v100_dram.nvprof.txt": "v100, named in the profile: Tesla V100-SXM2-16GB",
    "nvprof/sumMatrix_v100_occupancy.nvprof.txt": "v100, named in the profile: Tesla V100-SXM2-16GB (0)",
    "nvprof/gtx1080ti": "gtx1080ti, named in the profile: GeForce GTX 1080 Ti (0)",
}
# Kernels without geometry or time, and how many of their values are assumed.
ALONE = {"ncu/ncu_t4_vision_kernels.csv.gz": (24, 1), "nvprof/altis_p100.csv": (33, 4),
         "nvprof/awp_dtopo_v100_dram.nvprof.txt": (4, 4), "nvprof/sumMatrix_v100_occupancy.nvprof.txt": (1, 4)}
POINTS = 3


class Tests:
    def __init__(self, smsched):
        self.smsched, self.passed, self.failed = smsched, 0, 0

    def check(self, right, name, why):
        self.passed, self.failed = self.passed + bool(right), self.failed + (not right)
        if not right:
            print(f"FAILED {name}: {why}")
        return right

    def call(self, *arguments):
        return subprocess.run([self.smsched, *arguments], capture_output=True, text=True, timeout=300)


def name_of(path, data):
    return os.path.relpath(path, data)


def expected_device(name):
    return DEVICES["nvprof/gtx1080ti" if "gtx1080ti" in name else name]


def is_long(text):
    """Of so many blocks that together they would take minutes."""
    blocks = {name: int(count) for name, count in re.findall(r"- name: (\S+)\n    blocks: (\d+)", text)}
    launched = [name for name in blocks if f"launch: {name}" in text or "\nsteps:" not in text]
    return sum(blocks[name] for name in launched) > 50000


def runs(tests, name, document, text):
    """Valid, and run to the end."""
    validated = tests.call("validate", document)
    valid = tests.check(validated.returncode == 0, name, validated.stderr[:300])
    if valid and not (tests.brief and is_long(text)):
        ran = tests.call("run", document, "--quiet", "--format", "json")
        tests.check(ran.returncode == 0 and json.loads(ran.stdout)["runs"][0]["host"]["kernels_per_s"] > 0, name,
                    ran.stderr[:300])


def imports(tests, data, tool, paths, work):
    """The document, or None where the file is to be refused."""
    name, document = name_of(paths[0], data), os.path.join(work, "out.yaml")
    result = tests.call("import", tool, *paths, "--out", document)
    if name in REFUSED:
        tests.check(result.returncode == 3 and result.stderr == paths[0] + REFUSED[name], name, result.stderr[:300])
        return None
    if not tests.check(result.returncode == 0 and not result.stderr, name, result.stderr[:300]):
        return None
    with open(document, encoding="utf-8") as file:
        text = file.read()
    tests.check(f"# Profiled on {expected_device(name)}.\n" in text, name, "another device: " + text[:500])
    alone = ALONE.get(name, 0) or ("/metrics/" in name and len(paths) == 1)
    tests.check((" Assumed: " in text) == bool(alone), name, "what is assumed is not said, or is too much")
    if name in ALONE:
        said = re.search(r"# Kernels: (\d+)\. .*Left out: 0\. Assumed: (\d+) ", text)
        lines = text.count("\n  # assumed: ")
        kernels, values = ALONE[name]
        tests.check(said and int(said[1]) == kernels and int(said[2]) == lines == values * kernels, name,
                    f"{lines} assumptions, and the head says {said and said[0]}")
    runs(tests, name, document, text)
    return text


def elsewhere(tests, data, path, work):
    """The same for another device."""
    name, document = name_of(path, data), os.path.join(work, "else.yaml")
    result = tests.call("import", "ncu", path, "--device", "h100", "--out", document)
    if name not in REFUSED and tests.check(result.returncode == 0, name + " on h100", result.stderr[:300]):
        tests.check(tests.call("validate", document).returncode == 0, name + " on h100", "not valid")


def altis_use(row):
    """Uses of a P100 by counts over time, as ratios; not by the program's formulas but by those of docs/reference/import.md."""
    def of(*names):
        return sum(float(row[name] or "nan") for name in names)

    sms, clock = 56, 1.48e9
    cycles = of("inst_executed") / (of("ipc") * sms * of("sm_efficiency"))
    seconds, results = cycles / clock, of("warp_nonpred_execution_efficiency") * sms * cycles
    wide = of("inst_bit_convert") if of("inst_fp_64") > 0 else 0
    return {
        "fp32": max(0, of("inst_fp_32") - of("flop_count_sp_special")) / (64 * results),
        "fp64": (of("inst_fp_64") + wide) / (32 * results),
        "int": of("inst_integer") / (64 * results),
        "sfu": (of("flop_count_sp_special", "inst_bit_convert") - wide) / (16 * results),
        "issue": of("issue_slots") / (2 * sms * cycles),
        "l1": of("tex_cache_transactions") * 32 / (seconds * sms * 94e9),
        "shared": of("shared_load_transactions", "shared_store_transactions") * 128 / (seconds * sms * 189e9),
        "l2": of("l2_read_transactions", "l2_write_transactions") * 32 / (seconds * 2652e9),
        "dram": of("dram_read_transactions", "dram_write_transactions") * 32 / (seconds * 732e9),
    }


def benchmark_alone(text, kernel):
    """The document with one launch of one kernel."""
    head, steps = text.split("\nsteps:\n")
    return f"{head}\nsteps:\n  - {{launch: {kernel}}}\n---{steps.split('---', 1)[1]}"


def altis(tests, data, text, work):
    """Counts over time beyond 100 % are of another kernel than the time: nothing is determined."""
    document, worst = os.path.join(work, "one.yaml"), (0, "")
    with open(f"{data}/nvprof/altis_p100.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    compared, occupancy = 0, []
    for row in rows:
        name = row["benchmark name"]
        alone = benchmark_alone(text, name)
        if tests.brief and is_long(alone):
            continue
        with open(document, "w", encoding="utf-8") as file:
            file.write(alone)
        ran = tests.call("run", document, "--quiet", "--format", "json")
        result = json.loads(ran.stdout)["runs"][0]
        found = {resource["name"]: resource["utilization_ratio"] for resource in result["resources"]}
        simulated = result["host"]["occupancy_ratio"] / result["host"]["sm_activity_ratio"]
        occupancy.append(100 * abs(simulated - float(row["achieved_occupancy"])))
        for resource, use in altis_use(row).items():
            if not use <= 1:
                continue
            apart = 100 * abs(found.get(resource, 0) - use)
            worst, compared = max(worst, (apart, f"{name} {resource}")), compared + 1
            tests.check(apart <= POINTS, f"altis {name}", f"{resource} {100 * use:.2f} %, in a run "
                        f"{100 * found.get(resource, 0):.2f} %")
    tests.check(compared > (100 if tests.brief else 250), "altis", f"{compared} uses compared")
    print(f"altis: {compared} uses of {len(rows)} benchmarks, worst {worst[0]:.2f} points ({worst[1]}); occupancy: "
          f"median {statistics.median(occupancy):.1f} points, worst {max(occupancy):.1f}")
    tests.check((tests.brief or statistics.median(occupancy) <= 5) and max(occupancy) <= 12.5, "altis", f"occupancy {occupancy}")


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    data = os.environ.get("SMSCHED_DATA", os.path.join(here, "../../../shared/data"))
    if not os.path.isdir(f"{data}/nvprof"):
        print(f"skipped: there is no {data}")
        return 77
    tests = Tests(sys.argv[1])
    tests.brief = "--brief" in sys.argv[2:]
    with tempfile.TemporaryDirectory() as work:
        for path in sorted(glob.glob(f"{data}/ncu/*")):
            imports(tests, data, "ncu", [path], work)
            elsewhere(tests, data, path, work)
        for path in sorted(glob.glob(f"{data}/nvprof/**/*.*", recursive=True)):
            text = imports(tests, data, "nvprof", [path], work)
            if path.endswith("/altis_p100.csv") and text:
                altis(tests, data, text, work)
            if "/metrics/" in path:
                imports(tests, data, "nvprof", [path, path.replace("/metrics/", "/traces/")], work)
    print(f"{tests.passed} passed, {tests.failed} failed")
    return tests.failed > 0 or tests.passed == 0


sys.exit(main())
