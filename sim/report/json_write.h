/* JSON on its way out, and the strings in it. That memory ran out while an object was built is told here: no setter of
 * jansson's is checked (memory.h). */
#ifndef SMS_REPORT_JSON_WRITE_H
#define SMS_REPORT_JSON_WRITE_H

#include <jansson.h>
#include <stdio.h>

/* Writes an object and a line break, and releases it; NULL is one that could not be built. Returns 0; or -1, and errno,
 * without memory or if the stream has failed: nothing is written of an object that is not whole. */
int sms__json_write(json_t *object, FILE *to, size_t flags);

/* The same with the text given to put(bytes, length, to) piece by piece; the object stays the caller's. */
int sms__json_put(const json_t *object, json_dump_callback_t put, FILE *to, size_t flags);

/* A string, empty of NULL; what is not UTF-8 in it becomes U+FFFD, byte by byte. NULL without memory. */
json_t *sms__json_text(const char *text);

/* A path, or a command line, as sms__path_text says it. NULL without memory. */
json_t *sms__json_path(const char *path);

#endif
