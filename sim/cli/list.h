/* What `smsched list` prints from other files. */
#ifndef SMS_CLI_LIST_H
#define SMS_CLI_LIST_H

#include "../model/device_model.h"
#include "../model/workload.h"

#include <jansson.h>

/* sheets.c: a text of an object; "" if it has none of that key. */
const char *list_text(const json_t *object, const char *key);

/* workloads.c: prints a workload, or adds it to an array of JSON, which the caller releases. */
struct workload_list {
    const struct sms_load_options *load; /* where their devices are searched for */
    json_t *json;                        /* NULL: it is printed */
};
void workload_list_add(struct workload_list *list, const struct sms__workload *workload);

/* sheets.c: the sheet of a device, which the caller releases; and prints an array of them, as a whole, or the names of
 * what is known and what is not. */
json_t *sheet_list_entry(const struct sms__device *device);
void sheet_list_print(const json_t *sheets, bool whole);

/* schema.c: the schema of all files. The caller releases it. */
json_t *schema_of_files(const struct sms_load_options *options);

#endif
