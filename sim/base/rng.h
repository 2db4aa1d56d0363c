/* Streams of random numbers: gsl's taus2 (L'Ecuyer 1999, period 2^88), one
 * stream for each purpose, seeded from the scenario's seed and a name, so that
 * adding a tenant or a policy leaves every other stream as it was. */
#ifndef SMS_BASE_RNG_H
#define SMS_BASE_RNG_H

#include "arena.h"

#include <gsl/gsl_rng.h>
#include <stdint.h>

/* A stream in `arena`, for the `idx`-th of what `name` names. */
gsl_rng *sms__stream(struct sms__arena *arena, uint64_t seed, const char *name, uint64_t idx);

/* Makes a stream another one, without memory. */
void sms__stream_again(gsl_rng *stream, uint64_t seed, const char *name, uint64_t idx);

/* Uniform with mean 1 and coefficient of variation `cv`, 0 <= cv <= 0.5. */
double sms__uniform_about_one(gsl_rng *stream, double cv);

/* Exponential with mean 1, by comparisons of uniform numbers alone (von Neumann
 * 1951): no library function whose last bit differs between machines. */
double sms__exponential(gsl_rng *stream);

#endif
