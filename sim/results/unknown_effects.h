/* Draws of what is not known: in each, all policies ran with the same parameters and the same random numbers. */
#ifndef SMS_RESULTS_UNKNOWN_EFFECTS_H
#define SMS_RESULTS_UNKNOWN_EFFECTS_H

#include "../base/rng.h"

#include <smsched/smsched.h>

/* A parameter that was drawn: its value times a factor. */
struct sms__unknown {
    const char *name;  /* "demand of dram of gather" */
    double spread;     /* standard deviation of the factor's logarithm */
    double *logarithm; /* [draws] */
};

struct sms__unknowns {
    struct sms__arena arena;
    size_t draws, replications; /* replications: of each draw */
    size_t policies;
    double *value; /* [policies][draws]: what the scenario asks for, mean over replications; NAN: no value */
    int better;    /* +1 if more is better, -1 if less is */
    struct sms__unknown *item; /* [count] */
    size_t count;
};

/* `unknowns` may be NULL. */
void sms__unknowns_free(struct sms__unknowns *unknowns);

/* Returns the logarithm of the factor of the parameter of that name in the draw with this seed. Each name has a stream
 * of its own, as which `stream` begins. */
double sms__draw_unknown(gsl_rng *stream, uint64_t seed, const char *name, double spread);

/* How a policy does in the draws. */
struct sms__standing {
    size_t best,
        shared;       /* draws in which it is better than all others, and in which it is as good as the best of them */
    size_t rival;     /* the other policy that is best most often, else that has the best mean; SIZE_MAX: none */
    double low, high; /* of its change over the rival, as a ratio, 5 and 95 % of the draws; NAN: there is no ratio */
};
struct sms__standing sms__standing_of(const struct sms__unknowns *unknowns, size_t policy);

/* How far a parameter moves the policy's lead over its rival, or its value where `rival` is SIZE_MAX: the rank
 * correlation over the draws, and its p-value after Holm's correction for all parameters. */
struct sms__influence {
    double correlation, p;
};
/* `out` is [count]. Returns false when out of memory. */
bool sms__influences(const struct sms__unknowns *unknowns, size_t policy, size_t rival, struct sms__influence *out);

#endif
