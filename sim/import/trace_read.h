/* What the readers of traces have in common: they join launches with the calls that made them, and sort. */
#ifndef SMS_IMPORT_TRACE_READ_H
#define SMS_IMPORT_TRACE_READ_H

#include "../base/intern.h"
#include "profile.h"

enum { SMS__TRACE_ROWS_MAX = 2000000, SMS__TRACE_FACTS_MAX = 16 };

/* A call of the host that launched kernels or waited for the device. */
struct sms__trace_call {
    int64_t correlation;
    const char *process;
    double start_s, length_s;
    bool waits;
};

/* Whether a function of this name waits for a device, a stream or an event: cudaStreamSynchronize and its like. */
bool sms__trace_waits(const char *function);

/* Operations that take time on a device and are neither launches nor copies to or from it. */
struct sms__trace_other {
    size_t count;
    double seconds;
};

/* Longer operations, of 104 days, have no true end. */
#define SMS__TRACE_LONGEST_NS 9000000000000000

struct sms__trace_reading {
    struct sms__arena *arena;
    struct sms__profile *out;
    struct sms__arena *scratch;             /* for calls */
    const char **fact;                      /* out->fact */
    struct sms__string_pool places, shapes; /* of `out` */
    struct sms__trace_call *call;
    size_t calls;
    bool names_calls; /* so it is known which of them wait */
    struct sms__trace_other memsets, inner_copies;
    size_t unfinished; /* operations without a start, an end or a length from 0 to SMS__TRACE_LONGEST_NS */
    size_t unsized;    /* launches without a grid or a block */
};

/* Fails no more than memory does. `scratch` is released after sms__reading_end. */
void sms__reading_begin(struct sms__trace_reading *reading, struct sms__arena *arena, struct sms__profile *out);
/* The place, or the shape, of the profile that is like this one, which is added if it is new. Texts are interned: those
 * of equal places and shapes are equal pointers. Numbers are not compared. */
const struct sms__trace_place *sms__trace_place(struct sms__trace_reading *reading, struct sms__trace_place place);
const struct sms__profile_shape *sms__trace_shape(struct sms__trace_reading *reading, struct sms__profile_shape shape);
/* Adds a line for the user, if there is room. */
void sms__reading_fact(struct sms__trace_reading *reading, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Counts an operation of so many seconds. */
void sms__trace_other(struct sms__trace_other *other, double seconds);
/* Joins calls, which it sorts: a launch takes the last call of its correlation that began before it, one of its own
 * process first. A launch without a process gets that of its call. Then sorts launches and copies by start, and adds
 * what it found as facts. */
void sms__reading_end(struct sms__trace_reading *reading);

#endif
