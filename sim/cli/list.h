/* What `smsched list` prints from other files. */
#ifndef SMS_CLI_LIST_H
#define SMS_CLI_LIST_H

#include "../model/workload.h"
#include "../base/arena.h"

#include <jansson.h>

/* workloads.c: prints workloads in a format. */
struct workload_list {
    const struct sms_load_options *load; /* where their devices are searched for */
    int format;
    json_t *json; /* an array if the format is JSON */
};
void workload_list_begin(struct workload_list *list);
void workload_list_add(struct workload_list *list, const struct sms__workload *workload);
void workload_list_end(struct workload_list *list);

/* schema.c: the schema of all files. The caller releases it. */
json_t *schema_of_files(void);

#endif
