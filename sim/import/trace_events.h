/* Chrome trace events of a JSON file, plain or compressed by gzip, and the GPUs that PyTorch's profiler lists beside
 * them. What profilers write is not always JSON: bare `inf` and `nan`, and control characters, backslashes and bytes
 * that are no UTF-8 in texts, are mended on the way. */
#ifndef SMS_IMPORT_TRACE_EVENTS_H
#define SMS_IMPORT_TRACE_EVENTS_H

#include "../base/intern.h"
#include "gzip.h"
#include "profile.h"

/* What a number or text is of; those from DEVICE on are in an event's `args`. GRID and BLOCK are three each. A GPU has
 * its id as DEVICE, its compute capability as GRID and BLOCK. */
#define E(name) SMS__EVENT_##name
enum { E(PH), E(CAT), E(NAME), E(PID), E(TID), E(TS), E(DUR), E(DEVICE), E(CONTEXT), E(STREAM) };
enum {
    E(CORRELATION) = E(STREAM) + 1,
    E(REGISTERS),
    E(SHARED),
    E(BYTES),
    E(OCCUPANCY),
    E(GRID),
    E(BLOCK) = E(GRID) + 3
};
enum { E(ARG_NAME) = E(BLOCK) + 3, E(FIELDS) };
#undef E

struct sms__event {
    long double start, length;           /* as written; NAN: unknown. A double would lose digits of an epoch in us */
    double number[SMS__EVENT_FIELDS];    /* NAN: unknown; a text that holds a number counts as that */
    const char *text[SMS__EVENT_FIELDS]; /* interned; NULL: unknown */
};

struct sms__events {
    struct sms__arena *arena;
    struct sms_errors *errors;
    struct sms__gzip file;                 /* the caller opens and closes it */
    const struct sms__import_watch *watch; /* or NULL */
    struct sms__string_pool texts;
    struct sms__event event;                                /* the last one, or the GPU */
    int (*take_event)(void *user), (*take_gpu)(void *user); /* return 0 if they have reported an error */
    void *user;
    bool found; /* the file has a list of events */

    char *chunk; /* of the file, and what of it was taken */
    size_t length, taken;
    int code;              /* of the last read */
    unsigned line, column; /* of the next byte, from 1 */
    char *text;            /* the last text, number or other word */
};

/* Parses the file, in a guard. A file that ends too early is an error. Returns SMS_OK, or a code with `errors` filled,
 * except for SMS_ENOMEM. */
int sms__events_parse(struct sms__events *events);
/* A text of the event, "" if it has none; a whole number from 0 to 2^53, or `missing`. */
const char *sms__event_text(const struct sms__event *event, int field);
double sms__event_whole(const struct sms__event *event, int field, double missing);

#endif
