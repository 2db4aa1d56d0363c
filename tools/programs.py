"""The programs of models/workloads/gtx1080ti that tools/pairs and tools/published-gains/study.py put together."""
import functools
import re
from pathlib import Path

LIBRARY = Path(__file__).resolve().parent.parent / "models/workloads/gtx1080ti"

# By what bounds the kernels that take most of a program's time. Left out: programs of 7 ms and more a job (barnes_hut,
# correlation, lava_md), three short ones (gaussian, scalar_prod, vector_add), one of 119 launches a job (dct8x8), and two
# whose like is here (transpose, monte_carlo_pi).
COMPUTE = ["backprop", "binomial_options", "fft", "hotspot", "md5_hash", "mri_q"]
MEMORY = ["black_scholes", "convolution_2d", "convolution_separable", "fdtd2d", "gemm", "lbm", "matrix_mul", "reduction"]
LATENCY = ["atax", "cutcp", "pathfinder", "sgemm", "shoc_gemm", "stencil"]
PROGRAMS = COMPUTE + MEMORY + LATENCY


def kernels_of(program):
    """(time of all launches in a job in us, their blocks, class) of each kernel, as the library's file says."""
    text = (LIBRARY / f"{program}.yaml").read_text()
    launches = {name: int(n or 1) for name, n in re.findall(r"^  - \{launch: (\w+)(?:, times: (\d+))?\}", text, re.M)}
    columns = [re.findall(pattern, text, re.M) for pattern in (r"^  - name: (\S+)", r"^  # measured: ([0-9.]+) us",
                                                              r"^    blocks: (\d+)", r"^  # bottleneck: (\w+)")]
    return [(float(time) * launches[name], int(blocks) * launches[name], kind)
            for name, time, blocks, kind in zip(*columns, strict=True)]


@functools.cache
def uses_of(program):
    """What a program uses of each resource while it is alone, as a part of the whole: the mean over the time of its kernels."""
    lines = re.findall(r"^  # usage: (.*)", (LIBRARY / f"{program}.yaml").read_text(), re.M)
    times = [time for time, _, _ in kernels_of(program)]
    uses = {}
    for line, time in zip(lines, times, strict=True):
        for resource, percent in re.findall(r"(\w+) ([0-9.]+) %", line):
            uses[resource] = uses.get(resource, 0) + time / sum(times) * float(percent) / 100
    return uses


def job_of(program):
    """The time of a job in us, and its blocks."""
    kernels = kernels_of(program)
    return sum(time for time, _, _ in kernels), sum(blocks for _, blocks, _ in kernels)
