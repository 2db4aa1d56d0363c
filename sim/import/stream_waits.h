/* Which operations of an iteration wait for which of other streams, by the waits for events that a trace has. */
#ifndef SMS_IMPORT_STREAM_WAITS_H
#define SMS_IMPORT_STREAM_WAITS_H

#include "iterations.h"

/* A stream that launches kernels. */
struct sms__waiting_stream {
    const char *context, *stream;
    struct sms__profile all;   /* its launches and copies in the trace */
    struct sms__profile *part; /* those of the iterations */
};

/* Sets `sync` of the parts of streams that share iterations. A wait counts if it is at the same place in more than half
 * of the iterations, and if no other one holds longer. There are none if an iteration has more than `most` operations
 * and waits. Returns how many waits an iteration has. Must run in a guard of `arena`. */
size_t sms__stream_waits_find(struct sms__arena *arena, const struct sms__profile *trace,
                              const struct sms__iterations *found, struct sms__waiting_stream *stream, size_t streams,
                              size_t most);

#endif
