/* Reads the table of GPUs. */
#include "report_tables.h"

#include "text.h"

#include <string.h>

enum { GPU_ID, GPU_CUDA, GPU_NAME, GPU_MAJOR, GPU_MINOR }; /* the numbers begin with GPU_MAJOR */
static const struct sms__report_table gpu_table = {"TARGET_INFO_GPU",
                                                   1,
                                                   {"id", "cuDevice", "name", "computeMajor", "computeMinor", "smCount",
                                                    "clockRate", "totalMemory", "memoryBandwidth", "threadsPerWarp",
                                                    "maxWarpsPerSm", "maxBlocksPerSm", "maxRegistersPerSm",
                                                    "maxShmemPerSm", "maxThreadsPerBlock", "maxShmemPerBlockOptin"}};

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
