#!/usr/bin/env python3
"""Every profile in SMSCHED_DATA is imported without an option but what it does not say, valid, and runs; or is refused in
these words. Usage: runs.py SMSCHED [--brief]. 77 without the data. With --brief, workloads of many blocks are only validated."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

REFUSED = {
    "ncu/b200_empty_run.csv": ":3:1: error: the run failed, and nothing was profiled: 'The application returned an "
    "error code (1).'; the program failed: run it without ncu first\n    ==ERROR== The application returned an error code (1).\n    ^\n",
    "ncu/b200_failed_run.csv": ":1:1: error: nothing was profiled: ncu connected to 14 processes but printed no "
    "table; the run was stopped early, launched no kernel, or was not printed with --csv\n"
    "    ==PROF== Connected to process 254339 (/usr/bin/python3.12)\n    ^\n",
    "ncu/ncu_t4_vision_kernels.csv.gz": ":5:1: error: 'gaussian_blur_kernel(unsigned char *, float *, int, int)': no duration "
    "(of ncu: --metrics gpu__time_duration.sum, or --set full) (and 134 more)\n",
    "nvprof/altis_p100.csv": ": error: contains no table of nvprof; run nvprof with --print-gpu-trace --csv or --metrics all --csv\n",
    "nvprof/awp_dtopo_v100_dram.nvprof.txt": ":1:1: error: this is a text report of nvprof; run nvprof with --csv\n",
    "nvprof/sumMatrix_v100_occupancy.nvprof.txt": ":7:1: error: this is a text report of nvprof; run nvprof with --csv\n",
}
UNTIMED = "has metrics, and no launch with geometry and duration: import the trace with them"  # of metrics without their trace
PRINTED = "named in the output of the program"
DEVICES = {  # what the head of the document says of the device
    "ncu/b200_raw_page.csv": "b200, named in the profile: NVIDIA B200",
    "ncu/gb200_cublaslt.log": "gb200, the only device file with compute capability 10.0 and 152 SMs",
    "ncu/rtx5070_gemm_naive.csv": f"rtx5070, {PRINTED}",
    "ncu/rtx5070_saxpy.csv": f"rtx5070, {PRINTED}",
    "ncu/rtx5070_transpose_naive.csv": f"rtx5070, {PRINTED}",
    "ncu/v100_cfd_097K.log": f"v100, {PRINTED}",
    "nvprof/gtx1080ti": "gtx1080ti, named in the profile: GeForce GTX 1080 Ti (0)",
}
PROFILED = {"ncu/v100_rodinia_kernels.csv": "v100"}  # what these do not say


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
    name, document = name_of(paths[0], data), os.path.join(work, "out.yaml")
    profiled = ["--profiled", PROFILED[name]] if name in PROFILED else []
    result = tests.call("import", tool, *paths, "--out", document, *profiled)
    refused = paths[0] + REFUSED[name] if name in REFUSED else UNTIMED if "/metrics/" in name and len(paths) == 1 else ""
    if refused:
        tests.check(result.returncode == 3 and refused in result.stderr, name, result.stderr[:300])
        return
    said = re.sub(r"^[^:]*: (no start times|the steps are one of|\d+ steps exceed the limit).*\n", "", result.stderr)
    if not tests.check(result.returncode == 0 and not said, name, result.stderr[:300]):
        return
    with open(document, encoding="utf-8") as file:
        text = file.read()
    if not profiled:
        tests.check(f"# Profiled on {expected_device(name)}.\n" in text, name, "another device: " + text[:500])
    runs(tests, name, document, text)


def elsewhere(tests, data, path, work):
    """The same for another device."""
    name, document = name_of(path, data), os.path.join(work, "else.yaml")
    profiled = ["--profiled", PROFILED[name]] if name in PROFILED else []
    result = tests.call("import", "ncu", path, "--device", "h100", "--out", document, *profiled)
    if name not in REFUSED and tests.check(result.returncode == 0, name + " on h100", result.stderr[:300]):
        tests.check(tests.call("validate", document).returncode == 0, name + " on h100", "not valid")


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
            imports(tests, data, "nvprof", [path], work)
            if "/metrics/" in path:
                imports(tests, data, "nvprof", [path, path.replace("/metrics/", "/traces/")], work)
    print(f"{tests.passed} passed, {tests.failed} failed")
    return tests.failed > 0 or tests.passed == 0


sys.exit(main())
