/* For laws of pods that run workloads: a device, its workloads, and the policies under which they share it. */
#ifndef TESTS_LAWS_PODS_WITH_WORK_H
#define TESTS_LAWS_PODS_WITH_WORK_H

#include "both_engines.h"

/* A device of 4 SMs with memory and a link, and workloads for it. `jitter` of blocks, in percent. */
static inline void add_models(struct text *text, int jitter)
{
    add(text,
        "device: small\nclock: 1 GHz\nsms: 4\nmemory: 1 GiB\nlink: {bandwidth: 1 GB/s}\n"
        "sm: {threads: 1024, warps: 32, blocks: 8, registers: 65536, shared_memory: 96 KiB, threads_per_block: 1024}\n"
        "resources:\n  fp32: {class: compute}\n  l1: {class: memory}\n  dram: {class: memory, scope: device}\n---\n");
    add(text,
        "workload: dense\noverhead: 3 %%\nkernels:\n"
        "  - {name: a, blocks: 90, threads: 256, block_time: 40 us, jitter: %d %%, demand: {fp32: 35 %%, dram: 5 %%}}\n"
        "  - {name: b, blocks: 7, threads: 128, block_time: 110 us, demand: {l1: 30 %%}}\n"
        "steps:\n  - {allocate: 100 MiB}\n  - {host: 70 us}\n  - {copy_in: 100 KiB}\n  - {launch: a, times: 3}\n"
        "  - {launch: b}\n  - {copy_out: 50 KiB}\n  - {free: all}\n---\n",
        jitter);
    add(text,
        "workload: light\nkernels:\n"
        "  - {name: c, blocks: 40, threads: 512, block_time: 30 us, jitter: %d %%, demand: {dram: 60 %%, l1: 20 %%}}\n"
        "steps:\n  - {allocate: 200 MiB}\n  - {launch: c, times: 5}\n  - {host: 20 us}\n  - {launch: c}\n---\n",
        jitter);
}

static const char *const shares[] = {
    "plain",   "container_pause",  "earliest_deadline", "fair_share", "interference_aware",
    "lottery", "memory_admission", "mobile_cuda",       "priority",   "shortest_first"};

static const char *const pause_fast = "{container_pause: {smi: 40 us, pause: 30 us, unpause: 20 us}}";

#endif
