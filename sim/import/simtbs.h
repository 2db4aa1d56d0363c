/* A configuration of simtbs, parsed. */
#ifndef SMS_IMPORT_SIMTBS_H
#define SMS_IMPORT_SIMTBS_H

#include "../yaml/doc.h"
#include "import.h"

enum { SMS__CONF_SM = 12, SMS__CONF_MEM = 2, SMS__CONF_KERNELS = 10000 };

/* What two kernels must have in common to use one workload. */
struct sms__conf_shape {
    uint64_t blocks, work;
    uint64_t sm[SMS__CONF_SM], mem[SMS__CONF_MEM];
};

struct sms__conf_kernel {
    uint64_t type, start;
    size_t row;      /* from 1 */
    size_t workload; /* the first row with the same shape; it names the workload */
    struct sms__conf_shape shape;
};

/* A row of an overhead table: a ratio, then the overhead of each resource. */
struct sms__conf_row {
    float value[1 + SMS__CONF_SM];
};

struct sms__conf_table {
    struct sms__conf_row *row;
    size_t rows;
};

struct sms__conf {
    uint64_t max; /* ticks; 0: no end */
    uint64_t sms, sm_max[SMS__CONF_SM], mem_max[SMS__CONF_MEM];
    size_t n_sched, n_compute, n_sm, n_mem;
    struct sms__conf_table overhead_sm, overhead_mem;
    struct sms__conf_kernel *kernel;
    size_t kernels;
};

/* simtbs_read.c: parses the text of a configuration and reports every problem. */
void sms__conf_read(struct sms__arena *arena, const char *path, const char *text,
                    const struct sms__import_options *options, struct sms__conf *conf, struct sms_errors *errors);

#endif
