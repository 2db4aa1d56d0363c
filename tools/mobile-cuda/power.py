#!/usr/bin/env python3
"""What the measured powers of a Quadro GV100 say of a power that is linear in a device's activity (docs/evidence/mobile-cuda.md)."""

import argparse
import csv
import os
import statistics

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared/data/placement")

# Kernels in the order of both files' programs: name in gv100_power.csv -> (benchmark, part of the kernel's name).
KERNELS = {
    "backprop_k1": ("backprop", "layerforward"), "backprop_k2": ("backprop", "adjust_weights"),
    "binomialOptions_k1": ("binomialOptions", ""), "btree_k1": ("b+tree", "findRangeK"), "btree_k2": ("b+tree", "findK"),
    "cudaTensorCoreGemm_k1": ("cudaTensorCoreGemm", ""), "cutlass_k1": ("cutlass_perf_test_k1", ""),
    "cutlass_k2": ("cutlass_perf_test_k2", ""), "cutlass_k3": ("cutlass_perf_test_k3", ""),
    "dct8x8_k1": ("dct8x8", "CUDAkernel1DCT"), "dct8x8_k2": ("dct8x8", "CUDAkernel2DCT"),
    "fastWalshTransform_k1": ("fastWalshTransform", "fwtBatch1Kernel"),
    "fastWalshTransform_k2": ("fastWalshTransform", "fwtBatch2Kernel"), "histogram_k1": ("histogram", ""),
    "hotspot_k1": ("hotspot", ""), "kmeans_k1": ("kmeans", ""), "mergeSort_k1": ("mergeSort", "SharedKernel"),
    "mergeSort_k2": ("mergeSort", "ElementaryIntervals"), "parboil_mriq_k1": ("parboil-mri-q", ""),
    "parboil_sad_k1": ("parboil-sad", ""), "parboil_sgemm_k1": ("parboil-sgemm", ""),
    "quasirandomGenerator_k1": ("quasirandomGenerator", "quasirandomGeneratorKernel"),
    "quasirandomGenerator_k2": ("quasirandomGenerator", "inverseCND"), "sobolQRNG_k1": ("sobolQRNG", ""),
    "srad_v1_k1": ("srad_v1", ""),
}
SMS = 80


def read(folder, name):
    with open(os.path.join(folder, name), newline="") as file:
        return list(csv.DictReader(file))


def fit(x, y):
    slope, start = statistics.linear_regression(x, y)
    return start, slope, statistics.correlation(x, y) ** 2


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?", default=DATA, help="folder of gv100_power.csv and gv100_accelwattch_hw_perf.csv; "
                        "default ../shared/data/placement, beside the repository")
    folder = parser.parse_args().data
    if not os.path.exists(os.path.join(folder, "gv100_power.csv")):
        parser.error(f"there is no gv100_power.csv in {folder}")
    watts = {row[""]: float(row["mean HW_power"]) for row in read(folder, "gv100_power.csv")}
    points = []
    for row in read(folder, "gv100_accelwattch_hw_perf.csv"):
        for name, (benchmark, kernel) in KERNELS.items():
            if row["Benchmark"].startswith(benchmark) and kernel in row["Kernel"]:
                points.append((1 - float(row["Num_Idle_SMs"]) / SMS, float(row["Pipeline_Duty"]), watts[name], name))
    busy, duty, power, _ = zip(*points)
    print(f"{len(points)} kernels, {min(power):.0f} to {max(power):.0f} W")
    for what, x in (("share of SMs busy", busy), ("pipeline duty", duty)):
        print(f"power over {what}: %.0f W + %.0f W x, R^2 %.2f" % fit(x, power))
    full = [p for b, p in zip(busy, power) if b > 0.9]
    print(f"{len(full)} kernels with over 90 % of the SMs busy: {min(full):.0f} to {max(full):.0f} W, "
          f"mean {statistics.mean(full):.0f}, standard deviation {statistics.stdev(full):.0f}")


if __name__ == "__main__":
    main()
