/* Text of unknown length in memory, and a stream into it. Unlike open_memstream's, the stream fails when memory runs
 * out: glibc's keeps no error then, and hands over what it had. */
#ifndef SMS_BASE_BUFFER_H
#define SMS_BASE_BUFFER_H

#include <stdbool.h>
#include <stdio.h>

/* Zero it before its first use. The bytes are the caller's to free. */
struct sms__buffer {
    char *bytes; /* terminated; NULL while empty */
    size_t length, room;
    bool failed; /* memory ran out: what was added later is missing, too */
};

void sms__buffer_add(struct sms__buffer *buffer, const char *bytes, size_t length);

/* A stream that appends to the buffer; NULL without memory. */
FILE *sms__buffer_open(struct sms__buffer *buffer);

/* Closes it. Returns whether all that was written is in the buffer, which then holds at least a terminator. */
bool sms__buffer_close(struct sms__buffer *buffer, FILE *stream);

#endif
