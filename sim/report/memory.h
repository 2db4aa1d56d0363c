/* Memory that runs out while output is made. Calls of jansson's setters and the tables are not
 * checked one by one. A failed allocation is remembered, and checked once before a file or the program counts as
 * complete. */
#ifndef SMS_REPORT_MEMORY_H
#define SMS_REPORT_MEMORY_H

#include <stdbool.h>

/* Makes jansson remember failures. Call it once, before it is used. */
void sms__watch_memory(void);

/* Remembers a failure if `memory` is NULL. Returns `memory`. */
void *sms__note_memory(void *memory);

/* True if a failure was ever remembered in this thread. */
bool sms__memory_failed(void);

#endif
