/* Streams of random numbers: GSL's taus2 (L'Ecuyer 1999, period 2^88). Each purpose has its own stream, seeded from
 * the scenario's seed and a name, so that adding a tenant or a policy leaves all other streams unchanged. */
#ifndef SMS_BASE_RNG_H
#define SMS_BASE_RNG_H

#include "arena.h"

#define HAVE_INLINE /* of GSL: a number is one call less */
#include <gsl/gsl_rng.h>
#include <stdint.h>

/* Returns a new stream, allocated in `arena`, for number `idx` of the purpose `name`. */
gsl_rng *sms__stream(struct sms__arena *arena, uint64_t seed, const char *name, uint64_t idx);

/* Reseeds a stream as sms__stream would. Allocates nothing. */
void sms__stream_again(gsl_rng *stream, uint64_t seed, const char *name, uint64_t idx);

/* Draws from a uniform distribution with mean 1 and coefficient of variation `cv`, 0 <= cv <= 0.5. */
static inline double sms__uniform_about_one(gsl_rng *stream, double cv)
{
    const double root_of_12 = 3.4641016151377545871;
    return 1 + cv * root_of_12 * (gsl_rng_uniform(stream) - 0.5);
}

/* Draws from the exponential distribution with mean 1. Compares uniform numbers (von Neumann 1951) and calls no library
 * function whose last bit could differ between machines. */
double sms__exponential(gsl_rng *stream);

#endif
