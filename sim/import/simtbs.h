/* A configuration of simtbs: what it says, as numbers. */
#ifndef SMS_IMPORT_SIMTBS_H
#define SMS_IMPORT_SIMTBS_H

#include "../yaml/doc.h"
#include "import.h"

enum { SMS__CONF_SM = 12, SMS__CONF_MEM = 2, SMS__CONF_KERNELS = 10000 };

/* What kernels share if they are one workload. */
struct sms__conf_shape {
    uint64_t blocks, work;
    uint64_t sm[SMS__CONF_SM], mem[SMS__CONF_MEM];
};

struct sms__conf_kernel {
    uint64_t type, start;
    size_t row;      /* from 1 */
    size_t workload; /* the row whose shape this is: the first of its kind */
    struct sms__conf_shape shape;
};

/* Rows of an overhead table: ratio, then one overhead a resource. */
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

int sms__import_simtbs(struct sms__arena *arena, const char *const *paths, size_t n_paths,
                       const struct sms__import_options *options, FILE *to, struct sms_errors *errors);

/* simtbs_read.c: the text of a configuration; every problem goes to `errors`. */
void sms__conf_read(struct sms__arena *arena, const char *path, const char *text,
                    const struct sms__import_options *options, struct sms__conf *conf, struct sms_errors *errors);

#endif
