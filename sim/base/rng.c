/* Named streams of random numbers. Invariant: a stream depends on seed, name and index alone. */
#include "rng.h"

/* splitmix64 (Steele, Lea and Flood 2014) maps neighbouring inputs to unrelated outputs. */
static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

void sms__stream_again(gsl_rng *stream, uint64_t seed, const char *name, uint64_t idx)
{
    uint64_t key = mix(seed);
    for (; *name; name++)
        key = mix(key ^ (unsigned char)*name);
    key = mix(key ^ idx);
    gsl_rng_set(stream, (unsigned long)(key & 0xffffffffu));
}

gsl_rng *sms__stream(struct sms__arena *arena, uint64_t seed, const char *name, uint64_t idx)
{
    gsl_rng *stream = sms__alloc(arena, 1, sizeof *stream);
    stream->type = gsl_rng_taus2;
    stream->state = sms__alloc(arena, 1, gsl_rng_taus2->size);
    sms__stream_again(stream, seed, name, idx);
    return stream;
}

double sms__exponential(gsl_rng *stream)
{
    for (double whole = 0;; whole++) {
        double first = gsl_rng_uniform(stream), last = first;
        int falls = 0;
        for (double next = gsl_rng_uniform(stream); next < last; next = gsl_rng_uniform(stream)) {
            last = next;
            falls++;
        }
        if (falls % 2 == 0)
            return whole + first;
    }
}
