/* Finds the job that a traced program repeats: a training step, a request, a frame. */
#ifndef SMS_IMPORT_ITERATIONS_H
#define SMS_IMPORT_ITERATIONS_H

#include "profile.h"

struct sms__iterations {
    size_t rounds;           /* equal iterations; 1: nothing repeats, and the whole trace is one */
    size_t others;           /* iterations between the first and the last that launch something else */
    size_t launches, copies; /* of one iteration */
    size_t varying;          /* of these launches: have another geometry in some iteration */
    double mean_s, spread;   /* length; its coefficient of variation */
    double covered;          /* share of the operations' time that the equal iterations have, a ratio */
    double overlap;          /* time in which an operation runs beside another, over the iterations' time */
};

/* Sets `out` to the launches and copies of the equal iterations, with `rounds` and `round_s`. An iteration begins at
 * each launch or copy of one kind, the anchor, and ends at the next. The anchor is the one between which the same
 * operations (kernel, geometry, direction) follow in the same order for most of the operations' time. If
 * several are within half a percent, it is the one after the longest pause. If the equal iterations are less than 3 or
 * cover less than half, nothing repeats. If that is so, kernels of one name are taken for equal; then the geometries of
 * the middle iteration stand for all. The profile must have at least one launch, and all start times and durations.
 * Must run in a guard of `arena`. */
struct sms__iterations sms__iterations_find(struct sms__arena *arena, const struct sms__profile *profile,
                                            struct sms__profile *out);

#endif
