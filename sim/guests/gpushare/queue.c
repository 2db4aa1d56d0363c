/* The queue of kube-scheduler under gpushare: pods that wait are in the active queue or back off. The counts of pods
 * that wait and of those not tried since the latest change are kept with each change of state. */
#include "gpushare_run.h"

static bool is_waiting(const struct sms__share_candidate *candidate)
{
    return candidate->state == SMS__CANDIDATE_QUEUED || candidate->state == SMS__CANDIDATE_BACKOFF;
}

/* Keeps the counts of pods that wait. */
static void set_state(struct sms__cluster_run *run, uint32_t p, enum sms__candidate_state state)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    struct sms__share_candidate *candidate = &gpushare->candidate[p];
    bool before = is_waiting(candidate), untried = candidate->tried != gpushare->version;
    candidate->state = (uint8_t)state;
    bool after = is_waiting(candidate);
    gpushare->waiting = gpushare->waiting + after - before;
    gpushare->untried = gpushare->untried + (after && untried) - (before && untried);
}

/* The highest priority comes first, then the pod that was queued first. */
enum { QUEUED_BITS = 33, PRIORITY_MOST = 1000000000 };

void sms__candidate_queue(struct sms__cluster_run *run, uint32_t p)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    int32_t priority = run->cluster->shape[run->pod[p].shape].priority;
    uint64_t below = (uint64_t)((int64_t)PRIORITY_MOST - priority);
    set_state(run, p, SMS__CANDIDATE_QUEUED);
    sms__queue_set(&gpushare->active, p, below << QUEUED_BITS | gpushare->candidate[p].stamp);
    sms__engine_defer(&run->engine, &gpushare->act);
}

void sms__candidate_begin(struct sms__cluster_run *run, uint32_t p)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    sms__queue_set(&gpushare->active, p, SMS__NEVER);
    set_state(run, p, SMS__CANDIDATE_CYCLE);
    gpushare->under_way++;
}

void sms__candidate_back_off(struct sms__cluster_run *run, uint32_t p, uint64_t tried, uint64_t now)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    struct sms__share_candidate *candidate = &gpushare->candidate[p];
    uint64_t most = (uint64_t)gpushare->rules->retry_most_ps;
    candidate->delay_ps = candidate->delay_ps ? 2 * candidate->delay_ps : (uint64_t)gpushare->rules->retry_ps;
    candidate->delay_ps = candidate->delay_ps < most ? candidate->delay_ps : most;
    candidate->not_before = sms__after(now, (double)candidate->delay_ps);
    candidate->stamp = ++gpushare->queued;
    candidate->tried = tried;
    gpushare->under_way--;
    set_state(run, p, SMS__CANDIDATE_BACKOFF);
    sms__candidate_timer(run, p, candidate->not_before);
    sms__engine_defer(&run->engine, &gpushare->act);
}

void sms__gpushare_changed(struct sms__cluster_run *run)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    gpushare->version++;
    gpushare->untried = gpushare->waiting;
    gpushare->changed = true;
    sms__engine_defer(&run->engine, &gpushare->act);
}

void sms__candidate_comes(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    run->pod[p].since_ps = now;
    gpushare->candidate[p].stamp = ++gpushare->queued;
    gpushare->candidate[p].tried = 0;
    sms__stranded_wait(run, p, 1);
    gpushare->changed = true;
    sms__candidate_queue(run, p);
}

void sms__gpushare_freed(struct sms__cluster_run *run, uint64_t now)
{
    (void)now;
    if (run->ledger.frees)
        sms__gpushare_changed(run);
    sms__ledger_clear_freed(&run->ledger);
}
