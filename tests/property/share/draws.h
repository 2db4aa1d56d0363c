/* What generators of scenarios draw. No call has two numbers drawn among its arguments: C leaves open which is drawn
 * first. */
#ifndef TESTS_PROPERTY_DRAWS_H
#define TESTS_PROPERTY_DRAWS_H

#include <smsched/policy.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* splitmix64 (Steele, Lea and Flood 2014). */
uint64_t draw(uint64_t *rng);
/* A whole number in [from, to]. */
uint64_t within(uint64_t *rng, uint64_t from, uint64_t to);
bool chance(uint64_t *rng, uint64_t percent);
/* Of a list that ends with NULL. */
const char *one_of(uint64_t *rng, const char *const *words);
/* Writes `NAME: VALUE` with a value that is small, as all is in these scenarios. */
void print_param(FILE *to, uint64_t *rng, const struct sms_param *param);
/* A share policy of the library, or often `chaos`, which does anything at any time. */
const char *draw_share(uint64_t *rng);

#endif
