/* What follows an event: pods that wait are served, and invariants are checked. */
#include "observer.h"
#include "cluster_run.h"
#include "scheduler.h"

#include <stdio.h>

static const char *find_disagreement(struct sms__cluster_run *run)
{
    const char *wrong = sms__oracle->audit_ledger(run);
    if (!wrong && run->scheduler->find_disagreement)
        wrong = run->scheduler->find_disagreement(run);
    if (!wrong && run->observer && run->observer->find_disagreement)
        wrong = run->observer->find_disagreement(run);
    return wrong;
}

void sms__cluster_check(struct sms__cluster_run *run)
{
    if (!run->spec->options->check || run->engine.stopped)
        return;
    const char *wrong = find_disagreement(run);
    if (!wrong)
        return;
    snprintf(run->spec->record->why, sizeof run->spec->record->why, "%s", wrong);
    run->engine.stopped = true;
}

static bool awaits_arrivals(const struct sms__cluster_run *run, uint64_t now)
{
    return run->arrived < run->pods && run->pod[run->arrived].arrival_ps == now;
}

void sms__cluster_serve_waiting(struct sms__cluster_run *run, uint64_t now)
{
    if (run->scheduler->serve)
        run->scheduler->serve(run, now);
}

void sms__cluster_serve(struct sms__cluster_run *run, uint64_t now)
{
    sms__cluster_serve_waiting(run, now);
    sms__arrange_left(run, now);
    if (run->arranging) /* pods that moved may have left an instance to another */
        sms__cluster_serve_waiting(run, now);
}

/* What arrives at this instant comes before GPUs that pods left are arranged. With priorities it may go before pods
 * that wait, too. */
void sms__cluster_freed(struct sms__cluster_run *run, uint64_t now)
{
    run->scheduler->freed(run, now);
    if (!awaits_arrivals(run, now))
        sms__cluster_serve(run, now);
    else if (!run->cluster->priorities)
        sms__cluster_serve_waiting(run, now);
    sms__cluster_check(run);
}
