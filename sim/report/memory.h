/* Memory that ran out while output was made. Jansson's setters, libxml2's writer and the tables are not checked call by
 * call: a failed allocation is remembered, and who completes a file or the program asks before it calls that whole. */
#ifndef SMS_REPORT_MEMORY_H
#define SMS_REPORT_MEMORY_H

#include <stdbool.h>

/* Has jansson and libxml2 allocate where failures are remembered. Once, before either is used. */
void sms__watch_memory(void);

/* Remembers a failure if `memory` is NULL; returns it. */
void *sms__note_memory(void *memory);

/* Whether one was remembered in this thread, ever. */
bool sms__memory_failed(void);

#endif
