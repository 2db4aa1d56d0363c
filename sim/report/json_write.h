/* Writing of JSON, and the strings in it. Memory that ran out while an object was built is reported here, because
 * jansson's setters are not checked (memory.h). */
#ifndef SMS_REPORT_JSON_WRITE_H
#define SMS_REPORT_JSON_WRITE_H

#include <jansson.h>
#include <stdio.h>

/* Writes an object and a line break, and releases it. NULL is an object that could not be built. Returns 0; or -1 with
 * errno when out of memory or if the stream has failed. An object that is not complete is not written. */
int sms__json_write(json_t *object, FILE *to, size_t flags);

/* Gives the value to the object and returns it, to be filled. NULL when out of memory: then it is released. */
json_t *sms__json_keep(json_t *object, const char *key, json_t *value);

/* A string; NULL becomes an empty one. Bytes that are not UTF-8 become U+FFFD each. NULL when out of memory. */
json_t *sms__json_text(const char *text);

/* A path or a command line, encoded by sms__path_text. NULL when out of memory. */
json_t *sms__json_path(const char *path);

#endif
