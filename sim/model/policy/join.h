/* How slowdowns g of several resources join, of a contention model with a `slowdown` function: the greatest counts, or
 * a block takes (1 + sum of (g^q - 1))^(1/q) times as long. The first is the second with q = INFINITY. */
#ifndef SMS_MODEL_POLICY_JOIN_H
#define SMS_MODEL_POLICY_JOIN_H

#include <smsched/contention.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

/* Returns q and the grain of a model. */
static inline struct sms_join sms__join_of(const struct sms_contention *model, const struct sms_contention_view *view)
{
    return model->joins ? model->joins(view) : (struct sms_join){INFINITY, 0};
}

/* Returns true if what a model answers is not in its range, and writes to `why` what is wrong. */
static inline bool sms__is_wrong_join(const struct sms_contention *model, struct sms_join join, char *why, size_t size)
{
    if (!model->joins || (join.exponent >= 1 && join.exponent <= SMS_JOIN_MAX && join.grain >= 0 && join.grain <= 1))
        return false;
    snprintf(why, size,
             "contention model '%.60s' joins slowdowns by an exponent of %g and a grain of %g, which are not in 1 .. "
             "16 and 0 .. 1",
             model->name, isnan(join.exponent) ? NAN : join.exponent, isnan(join.grain) ? NAN : join.grain);
    return true;
}

/* Adds a resource that slows by `slow` to a sum that begins with 1. */
static inline double sms__join(double sum, double slow, double q)
{
    if (q == INFINITY)
        return slow > sum ? slow : sum;
    return sum + ((q == 2 ? slow * slow : pow(slow, q)) - 1);
}

/* Returns how many times as long a block takes. The machine has an instruction for q = 2. */
static inline double sms__joined(double sum, double q)
{
    if (q == 2)
        return sqrt(sum);
    return q == INFINITY ? sum : pow(sum, 1 / q);
}

#endif
