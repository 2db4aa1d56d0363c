/* The GPUs that a report of Nsight Systems describes. */
#ifndef SMS_IMPORT_REPORT_GPU_H
#define SMS_IMPORT_REPORT_GPU_H

#include "report_tables.h"

enum { SMS__REPORT_GPUS = 64, SMS__REPORT_GPU_COLUMNS = 16 };

struct sms__report_gpu {
    int64_t id, cuda;                        /* number in the system, and for the CUDA runtime; -1: unknown */
    const char *name;                        /* of printable characters; "": unknown */
    const char *capability;                  /* "8.6"; NULL: unknown */
    int64_t number[SMS__REPORT_GPU_COLUMNS]; /* by column; 0: unknown */
};

struct sms__report_gpus {
    struct sms__report_gpu gpu[SMS__REPORT_GPUS];
    size_t count;
};

/* Reads the GPUs, of which there may be none. */
void sms__report_gpus_read(struct sms__report *report, struct sms__report_gpus *gpus);
/* The GPU of a number of the CUDA runtime; NULL: the report does not describe it. */
const struct sms__report_gpu *sms__report_gpu_of(const struct sms__report_gpus *gpus, int64_t device);
/* The number in a column; 0: unknown. */
int64_t sms__report_gpu_number(const struct sms__report_gpu *gpu, const char *column);

#endif
