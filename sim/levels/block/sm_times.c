/* Times of SMs in a tournament. Invariant: a time that has no key is later than all that have one. */
#include "sm_times.h"

void sms__sm_times_init(struct sms__sm_times *times, struct sms__arena *arena, size_t sms)
{
    *times = (struct sms__sm_times){.sms = sms, .time = SMS__NEW(arena, uint64_t, sms)};
    for (size_t s = 0; s < sms; s++)
        times->time[s] = SMS__NEVER;
    sms__tournament_init(&times->keys, arena, sms);
    times->bits = (unsigned)__builtin_ctzll(times->keys.leaves);
}

size_t sms__sm_times_look(const struct sms__sm_times *times)
{
    size_t first = 0;
    for (size_t s = 1; s < times->sms; s++)
        first = times->time[s] < times->time[first] ? s : first;
    return first;
}
