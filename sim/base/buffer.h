/* Text of unknown length in memory, and a stream that writes to it. The stream reports an error when memory runs out.
 * glibc's open_memstream does not: it silently returns the text so far. */
#ifndef SMS_BASE_BUFFER_H
#define SMS_BASE_BUFFER_H

#include <stdbool.h>
#include <stdio.h>

/* Zero it before its first use. The caller frees `bytes`. */
struct sms__buffer {
    char *bytes;             /* terminated; NULL while empty */
    size_t length, capacity; /* bytes, without and with the terminator */
    bool failed;             /* memory ran out: everything added since is missing */
};

/* Makes room behind the bytes for as many more. False: out of memory. */
bool sms__buffer_room(struct sms__buffer *buffer, size_t extra);

/* Appends the bytes, or sets `failed`. */
void sms__buffer_add(struct sms__buffer *buffer, const char *bytes, size_t length);

/* Opens a stream that appends to the buffer. Returns NULL when out of memory. */
FILE *sms__buffer_open(struct sms__buffer *buffer);

/* Appends formatted text to the terminated one in an array of `size` bytes. What does not fit is cut. */
void sms__append(char *text, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Closes the stream. Returns true if the buffer holds everything that was written, and at least a terminator. */
bool sms__buffer_close(struct sms__buffer *buffer, FILE *stream);

#endif
