/* Finds the job that a traced program repeats: a training step, a request, a frame. */
#ifndef SMS_IMPORT_ITERATIONS_H
#define SMS_IMPORT_ITERATIONS_H

#include "profile.h"

/* Of a job's time: operations of one workload overlap for less. */
#define SMS__OVERLAP_MOST 0.02

struct sms__iterations {
    size_t rounds;           /* equal iterations; 1: one stands for all, or for the whole trace */
    size_t others;           /* iterations between the first and the last that launch something else */
    size_t launches, copies; /* of one iteration */
    double mean_s, spread;   /* length; its coefficient of variation */
    double longest_s;
    double covered; /* share of the operations' time that the equal iterations have, a ratio */
    double overlap; /* time in which an operation runs beside another, over the iterations' time */
    bool repeats;   /* an iteration was found; otherwise the whole trace is one */
    bool named;     /* between the steps that the program names */
    bool by_stream; /* equal on each stream; streams run beside each other, so each needs a workload */
};

/* Sets `out` to the launches and copies of the equal iterations, in the list of the profile's launches, which changes,
 * with `rounds` and `round_s`. If the profile has named steps, an iteration begins with the first launch of a step.
 * Otherwise it begins at each launch or copy of one kind, the anchor, and ends at the next. The anchor is the one
 * between which the same operations (kernel, geometry, direction) follow in the same order for most of the operations'
 * time. If several are within half a percent, it is the one after the longest pause. If the equal iterations are less
 * than 3 or cover less than half, nothing repeats. Equal is what is so in this order: with equal geometries, all
 * operations in one order, or, with `divide`, in one order on each stream; then the same with any geometry. With
 * `divide`, one order of all is none if operations overlap. The profile must have at least one launch, and all start
 * times and durations. Must run in a guard of `arena`. */
struct sms__iterations sms__iterations_find(struct sms__arena *arena, const struct sms__profile *profile, bool divide,
                                            struct sms__profile *out);

/* Gives each launch of each round the geometry that it has in the middle round. All launches are on one stream, or have
 * one order. Returns how many launches of a round had another one in some round. */
size_t sms__iterations_level(struct sms__profile *profile);

#endif
