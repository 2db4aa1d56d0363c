/* The end of a run whose share policy or mode breaks its contract. */
#include "host.h"

#include <stdarg.h>
#include <stdio.h>

bool sms__share_refuse(const struct sms_share *share, const char *format, ...)
{
    struct sms__record *record = share->spec->record;
    va_list args;
    va_start(args, format);
    if (!*record->why)
        vsnprintf(record->why, sizeof record->why, format, args);
    va_end(args);
    share->engine->stopped = true;
    return false;
}

/* A policy that acts each time it is asked is asked again at the same instant, and so for ever. Processes that begin
 * together may each be asked about once an event of each other one, which is no sign of that. */
static uint64_t most_calls(const struct sms_share *share)
{
    const uint64_t processes = share->processes;
    return ((uint64_t)1 << 24) + 64 * processes * processes;
}

void sms__share_note_call(struct sms_share *share)
{
    struct sms__policy_run *policy = &share->policy;
    policy->called = policy->called_ps == share->engine->now ? policy->called + 1 : 1;
    policy->called_ps = share->engine->now;
    if (policy->called > most_calls(share))
        sms__share_refuse(
            share,
            "at %llu ps share policy %s was called more than %llu times: what it does has it called again, "
            "and time stands still",
            (unsigned long long)share->engine->now, policy->policy->name, (unsigned long long)most_calls(share));
}

/* A policy that suspends each process that it has restored lets time pass for ever. */
enum { SUSPENDED_MAX = 1 << 20 };

void sms__share_note_suspend(struct sms_share *share)
{
    struct sms__policy_run *policy = &share->policy;
    if (++policy->suspended > SUSPENDED_MAX)
        sms__share_refuse(share, "at %llu ps share policy %s suspended processes more than %d times, and none went on",
                          (unsigned long long)share->engine->now, policy->policy->name, SUSPENDED_MAX);
}
