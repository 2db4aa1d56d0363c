/* Reads the table of GPUs, and makes device documents of its rows. */
#include "report_gpu.h"

#include "text.h"

#include <string.h>

enum {
    GPU_ID,
    GPU_CUDA,
    GPU_NAME,
    GPU_MAJOR,
    GPU_MINOR,
    GPU_SMS,
    GPU_CLOCK,
    GPU_MEMORY,
    GPU_BANDWIDTH,
    GPU_WARP,
    GPU_WARPS,
    GPU_BLOCKS,
    GPU_REGISTERS,
    GPU_SHARED,
    GPU_THREADS,
    GPU_OPTIN,
    GPU_STATIC
};
static const struct sms__report_table gpu_table = {
    "TARGET_INFO_GPU",
    1,
    {"id", "cuDevice", "name", "computeMajor", "computeMinor", "smCount", "clockRate", "totalMemory", "memoryBandwidth",
     "threadsPerWarp", "maxWarpsPerSm", "maxBlocksPerSm", "maxRegistersPerSm", "maxShmemPerSm", "maxThreadsPerBlock",
     "maxShmemPerBlockOptin", "maxShmemPerBlock"}};

struct reading {
    struct sms__report *report;
    struct sms__report_gpus *gpus;
};

static void read_gpu(void *user, sqlite3_stmt *row)
{
    struct reading *reading = user;
    if (reading->gpus->count == SMS__REPORT_GPUS)
        return;
    struct sms__report_gpu *gpu = &reading->gpus->gpu[reading->gpus->count++];
    struct sms__arena *arena = reading->report->arena;
    gpu->id = sms__report_whole(row, GPU_ID, -1);
    gpu->cuda = sms__report_whole(row, GPU_CUDA, -1);
    gpu->name = sms__derive_text(arena, sms__report_text(reading->report, row, GPU_NAME), 80);
    for (int c = GPU_MAJOR; c < SMS__REPORT_GPU_COLUMNS; c++)
        gpu->number[c] = sms__report_whole(row, c, 0);
    if (gpu->number[GPU_MAJOR] > 0)
        gpu->capability =
            sms__print(arena, "%lld.%lld", (long long)gpu->number[GPU_MAJOR], (long long)gpu->number[GPU_MINOR]);
}

void sms__report_gpus_read(struct sms__report *report, struct sms__report_gpus *gpus)
{
    sms__report_rows(report, &gpu_table, read_gpu, &(struct reading){report, gpus});
}

const struct sms__report_gpu *sms__report_gpu_of(const struct sms__report_gpus *gpus, int64_t device)
{
    for (size_t g = 0; g < gpus->count; g++)
        if (gpus->gpu[g].cuda == device)
            return &gpus->gpu[g];
    for (size_t g = 0; g < gpus->count; g++)
        if (gpus->gpu[g].cuda < 0 && gpus->gpu[g].id == device)
            return &gpus->gpu[g];
    return NULL;
}

int64_t sms__report_gpu_number(const struct sms__report_gpu *gpu, const char *column)
{
    for (int c = GPU_MAJOR; c < SMS__REPORT_GPU_COLUMNS; c++)
        if (!strcmp(gpu_table.column[c], column))
            return gpu->number[c];
    return 0;
}

const char *sms__report_gpu_describe(struct sms__arena *arena, const struct sms__report_gpu *gpu, const char *name,
                                     double link)
{
    const int64_t *n = gpu->number;
    for (int c = GPU_MAJOR; c <= GPU_THREADS; c++)
        if (c != GPU_MINOR && n[c] == 0)
            return NULL;
    if (n[GPU_WARPS] > 1 << 20 || n[GPU_WARP] > 1 << 20)
        return NULL;
    long long per_block = n[GPU_OPTIN] > 0 ? n[GPU_OPTIN] : n[GPU_STATIC] > 0 ? n[GPU_STATIC] : n[GPU_SHARED];
    return sms__print(
        arena,
        "device: %s\ntitle: \"%s\"\nsource: \"the report of Nsight Systems, table TARGET_INFO_GPU\"\n"
        "compute_capability: %lld.%lld\nclock: %lld Hz\nsms: %lld\nmemory: %lld B\nlink: {bandwidth: %.0f B/s} # %s\n"
        "sm: # units of allocation and registers_per_thread are assumed: those of compute capability 8.0\n"
        "  threads: %lld\n  warps: %lld\n  blocks: %lld\n  registers: %lld\n  shared_memory: %lld B\n"
        "  threads_per_block: %lld\n  registers_per_thread: 255\n  register_unit: 256\n  register_partitions: 4\n"
        "  shared_memory_unit: 128 B\n  shared_memory_reserved: %lld B\n  shared_memory_per_block: %lld B\n"
        "resources: # the report tells no more; kernels without counters press on nothing\n"
        "  issue: {class: compute, lanes: 4} # assumed\n"
        "  dram: {class: memory, scope: device, bandwidth: %lld B/s}\n",
        name, gpu->name, (long long)n[GPU_MAJOR], (long long)n[GPU_MINOR], (long long)n[GPU_CLOCK],
        (long long)n[GPU_SMS], (long long)n[GPU_MEMORY], link > 0 ? link : 25e9,
        link > 0 ? "the fastest copy of the trace" : "assumed", (long long)n[GPU_WARPS] * (long long)n[GPU_WARP],
        (long long)n[GPU_WARPS], (long long)n[GPU_BLOCKS], (long long)n[GPU_REGISTERS], (long long)n[GPU_SHARED],
        (long long)n[GPU_THREADS], n[GPU_MAJOR] >= 8 && per_block + 1024 <= n[GPU_SHARED] ? 1024LL : 0LL, per_block,
        (long long)n[GPU_BANDWIDTH]);
}
