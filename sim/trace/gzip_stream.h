/* A stream that compresses what is written to it. */
#ifndef SMS_TRACE_GZIP_STREAM_H
#define SMS_TRACE_GZIP_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/* Opens a stream whose contents are written to `to` as gzip, which stays open when the stream is closed. Errors of `to`
 * are errors of the stream. NULL without memory. */
FILE *sms__gzip_stream(FILE *to);

#endif
