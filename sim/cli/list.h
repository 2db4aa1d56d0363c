/* What the files of `smsched list` share. */
#ifndef SMS_CLI_LIST_H
#define SMS_CLI_LIST_H

#include "cli.h"

#include <jansson.h>

/* list_workloads.c. Begin: the header of CSV; *to becomes an array for JSON, else NULL. End: prints and frees it. */
void list_workloads_begin(const struct cli *cli, json_t **to);
/* Prints a workload, or adds it to `to`. */
void list_workload(const struct cli *cli, const struct sms__workload *workload, json_t *to);
void list_workloads_end(json_t *to);

/* schema.c: the schema of all files, as JSON. */
int list_schema(const struct cli *cli);

#endif
