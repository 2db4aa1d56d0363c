/* Checks that each wait of a stream for an event can end: one stream of the process records the event, in as many jobs
 * as are waited for, and no streams wait for each other. */
#include "tenant.h"

#include <string.h>

/* Streams that run beside each other. */
struct group {
    struct sms__reader *reader;
    const struct sms__streams *streams;
    const struct sms__choice *choice; /* [streams->count] */
};

static void complain_unknown(const struct group *group, size_t waiter, const char *event)
{
    const char **names = NULL, *waits = group->choice[waiter].workload->name;
    size_t count = 0;
    for (size_t i = 0; i < group->streams->count; i++)
        for (size_t r = 0; r < group->choice[i].workload->records; r++)
            *SMS__APPEND(group->reader->arena, names, count) = group->choice[i].workload->record[r].event;
    sms__complain(group->reader, group->streams->node[waiter],
                  "'%.60s' waits for the event '%.60s', which no stream of the process records%s", waits, event,
                  sms__did_you_mean(sms__nearest(event, count, sms__text_at, names)).text);
}

/* The stream that records the event. Sets `step`. Reports a wait for none, or for several, and returns SIZE_MAX. */
static size_t find_recorder(const struct group *group, size_t waiter, const char *event, size_t *step)
{
    size_t recorder = SIZE_MAX, found = 0;
    for (size_t i = 0; i < group->streams->count; i++) {
        size_t at = sms__find_record(group->choice[i].workload, event);
        if (at == SIZE_MAX)
            continue;
        found++;
        recorder = i;
        *step = at;
    }
    if (found == 0)
        complain_unknown(group, waiter, event);
    if (found > 1)
        sms__complain(group->reader, group->streams->node[waiter],
                      "'%.60s' waits for the event '%.60s', which %zu streams of the process record",
                      group->choice[waiter].workload->name, event, found);
    return found == 1 ? recorder : SIZE_MAX;
}

/* Jobs in which the event is recorded must be as many as wait for it. */
static bool check_wait(const struct group *group, size_t waiter, const struct sms__step *step)
{
    size_t at, recorder = find_recorder(group, waiter, step->event, &at);
    if (recorder == SIZE_MAX)
        return false;
    const struct sms__streams *streams = group->streams;
    uint64_t records = streams->stream[recorder].repeat, waits = streams->stream[waiter].repeat;
    if (sms__is_wrong(group->reader, streams->node[recorder], "repeat") ||
        sms__is_wrong(group->reader, streams->node[waiter], "repeat") || records == 0 ||
        (waits > 0 && waits <= records + step->jobs_ago))
        return true;
    sms__complain(group->reader, group->streams->node[waiter],
                  "'%.60s' has more jobs that wait for the event '%.60s' than '%.60s' has that record it",
                  group->choice[waiter].workload->name, step->event, group->choice[recorder].workload->name);
    return false;
}

static bool check_waits(const struct group *group)
{
    bool fine = true;
    for (size_t i = 0; i < group->streams->count; i++) {
        const struct sms__workload *workload = group->choice[i].workload;
        bool again = i > 0 && group->streams->node[i] == group->streams->node[i - 1];
        for (size_t s = 0; s < workload->steps && !again && fine; s++)
            if (workload->step[s].kind == SMS__WAIT)
                fine &= check_wait(group, i, &workload->step[s]);
    }
    return fine;
}

/* Whether the streams, which have come to these steps of one job, leave this wait behind. */
static bool is_passed(const struct group *group, const size_t *step_of, const struct sms__step *wait)
{
    for (size_t i = 0; i < group->streams->count && wait->jobs_ago == 0; i++) {
        size_t at = sms__find_record(group->choice[i].workload, wait->event);
        if (at != SIZE_MAX)
            return step_of[i] > at;
    }
    return true;
}

/* Takes a stream to its next wait that is not over. Returns whether it moved. */
static bool go_on(const struct group *group, size_t *step_of, size_t i)
{
    const struct sms__workload *workload = group->choice[i].workload;
    size_t from = step_of[i];
    while (step_of[i] < workload->steps &&
           (workload->step[step_of[i]].kind != SMS__WAIT || is_passed(group, step_of, &workload->step[step_of[i]])))
        step_of[i]++;
    return step_of[i] > from;
}

/* Does one job of each stream, without time. A wait for an earlier job ends if all jobs do. */
static void check_order(const struct group *group)
{
    size_t step_of[SMS__STREAMS_MAX] = {0};
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < group->streams->count; i++)
            moved |= go_on(group, step_of, i);
    }
    for (size_t i = 0; i < group->streams->count; i++) {
        const struct sms__workload *workload = group->choice[i].workload;
        if (step_of[i] == workload->steps)
            continue;
        sms__complain(group->reader, group->streams->node[i],
                      "'%.60s' waits for the event '%.60s', whose record waits for '%.60s': no job would ever end",
                      workload->name, workload->step[step_of[i]].event, workload->name);
        return;
    }
}

void sms__check_events(struct sms__reader *reader, const struct sms__streams *streams, const struct sms__choice *choice)
{
    const struct group group = {reader, streams, choice};
    bool waits = false;
    for (size_t i = 0; i < streams->count; i++)
        waits |= choice[i].workload->waits;
    if (waits && check_waits(&group))
        check_order(&group);
}

void sms__check_no_waits(struct sms__reader *reader, const struct sms__node *node, const struct sms__workload *workload)
{
    if (workload->waits)
        sms__complain(reader, node, "'%.60s' waits for events, which only streams with workloads of their own record",
                      workload->name);
}
