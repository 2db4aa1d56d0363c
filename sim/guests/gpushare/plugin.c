/* The node's side of gpushare: the device plugin gives each container its GPUs (gpushare-device-plugin),
 * and the containers start, fail and leave. */
#include "../../levels/cluster/cluster_run.h"
#include "gpushare_run.h"

static uint16_t first_bits(uint32_t gpus) { return (uint16_t)((1u << gpus) - 1); }

/* The list of pods bound to a node that do not run is in the order of their ASSUME_TIME. */
static void link_pod(struct sms__gpushare_state *gpushare, uint32_t p, uint32_t node)
{
    struct sms__share_candidate *candidate = &gpushare->candidate[p];
    candidate->next = SMS__NO_POD;
    candidate->previous = gpushare->last[node];
    if (candidate->previous == SMS__NO_POD)
        gpushare->first[node] = p;
    else
        gpushare->candidate[candidate->previous].next = p;
    gpushare->last[node] = p;
}

static void unlink_pod(struct sms__gpushare_state *gpushare, uint32_t p, uint32_t node)
{
    const struct sms__share_candidate *candidate = &gpushare->candidate[p];
    if (candidate->previous == SMS__NO_POD)
        gpushare->first[node] = candidate->next;
    else
        gpushare->candidate[candidate->previous].next = candidate->next;
    if (candidate->next == SMS__NO_POD)
        gpushare->last[node] = candidate->previous;
    else
        gpushare->candidate[candidate->next].previous = candidate->previous;
}

static double pick_delay(double own_ps, bool again, double common_ps)
{
    return own_ps < 0 || again ? common_ps : own_ps;
}

static void wait_to_start(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    double delay = pick_delay(sms__pod_template(run, p)->start_delay_ps, gpushare->candidate[p].again,
                              gpushare->rules->start_delay_ps);
    gpushare->candidate[p].state = SMS__CANDIDATE_STARTING;
    sms__candidate_timer(run, p, sms__after_if_any(now, delay));
}

/* Sets the timer to the call of Allocate or to the time-out, whichever comes first. */
static void wait_to_allocate(struct sms__cluster_run *run, uint32_t p)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    const struct sms__share_candidate *candidate = &gpushare->candidate[p];
    uint64_t expires =
        candidate->assigned ? SMS__NEVER : sms__after_if_any(candidate->assume_ps, gpushare->rules->assume_timeout_ps);
    sms__candidate_timer(run, p, candidate->allocate_ps < expires ? candidate->allocate_ps : expires);
}

void sms__plugin_assumed(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    const struct sms__pod *pod = &run->pod[p];
    struct sms__share_candidate *candidate = &gpushare->candidate[p];
    char gpus[64];
    double delay =
        pick_delay(sms__pod_template(run, p)->allocate_delay_ps, candidate->again, gpushare->rules->allocate_delay_ps);
    candidate->state = SMS__CANDIDATE_ASSUMED;
    candidate->assigned = false;
    candidate->matched = 0;
    candidate->assume_ps = now;
    candidate->allocate_ps = sms__after_if_any(now, delay);
    for (size_t c = 0; c < SMS__CONTAINERS_MAX; c++)
        candidate->gpus[c] = 0;
    link_pod(gpushare, p, pod->node);
    sms__stranded_wait(run, p, -1);
    gpushare->changed = true;
    if (sms__is_shared(sms__pod_shape(run, p)))
        sms__explain_pod(run, p, now, "bound: IDX=%s ASSIGNED=false ASSUME_TIME=%.0f ns",
                         sms__gpu_list(pod->seat.gpus, gpus, sizeof gpus), (double)now / 1e3);
    wait_to_allocate(run, p);
}

/* A container of the pod that is not matched yet and asks for as much; SMS__CONTAINERS_MAX: none. */
static size_t find_container(const struct sms__cluster_run *run, uint32_t p, uint64_t bytes)
{
    for (size_t c = 0; c < sms__containers(run, p); c++)
        if (!(sms__gpushare(run)->candidate[p].matched >> c & 1) && sms__container_bytes(run, p, c) == bytes)
            return c;
    return SMS__CONTAINERS_MAX;
}

static bool is_candidate(const struct sms__cluster_run *run, uint32_t p, uint32_t asks, uint64_t bytes)
{
    const struct sms__gpushare_state *gpushare = sms__gpushare(run);
    const struct sms_pod_view *view = sms__pod_shape(run, p);
    if (gpushare->candidate[p].assigned || !sms__is_shared(view) || (!gpushare->rules->quirks.any_pod && p != asks))
        return false;
    if (gpushare->rules->quirks.whole_pod)
        return view->gpus * view->gpu_memory == bytes;
    return find_container(run, p, bytes) < SMS__CONTAINERS_MAX;
}

static uint32_t find_candidate(const struct sms__cluster_run *run, uint32_t asks, uint64_t bytes)
{
    const struct sms__gpushare_state *gpushare = sms__gpushare(run);
    uint32_t p = gpushare->first[run->pod[asks].node];
    while (p != SMS__NO_POD && !is_candidate(run, p, asks, bytes))
        p = gpushare->candidate[p].next;
    return p;
}

/* Sets the annotations of the pod that was matched. */
static void annotate(struct sms__cluster_run *run, uint32_t p, uint64_t bytes, uint64_t now)
{
    const struct sms__gpushare_state *gpushare = sms__gpushare(run);
    struct sms__share_candidate *candidate = &gpushare->candidate[p];
    size_t all = sms__containers(run, p), asking = 0;
    if (!gpushare->rules->quirks.whole_pod)
        candidate->matched |= (uint8_t)(1u << find_container(run, p, bytes));
    for (size_t c = 0; c < all; c++)
        asking += sms__container_bytes(run, p, c) > 0;
    candidate->assigned = gpushare->rules->quirks.whole_pod || (size_t)__builtin_popcount(candidate->matched) == asking;
    if (candidate->assigned)
        candidate->assume_ps = now; /* the real plugin overwrites it, too */
}

/* Answers Allocate for one container. Returns its GPUs, or 0: the container will not start. */
static uint16_t allocate(struct sms__cluster_run *run, uint32_t p, uint64_t bytes, uint64_t now)
{
    const struct sms__pod *pod = &run->pod[p];
    char name[256], gpus[64], units[32];
    uint32_t match = find_candidate(run, p, bytes);
    sms__units(run, bytes, units, sizeof units);
    if (match != SMS__NO_POD) {
        annotate(run, match, bytes, now);
        run->record->cards.misallocations += run->pod[match].seat.gpus != pod->seat.gpus;
        sms__pod_name(run, match, name, sizeof name);
        sms__explain_pod(run, p, now, "Allocate %s: GPU %s, of %s (ASSIGNED=%s)", units,
                         sms__gpu_list(run->pod[match].seat.gpus, gpus, sizeof gpus), match == p ? "itself" : name,
                         sms__gpushare(run)->candidate[match].assigned ? "true" : "false");
        return run->pod[match].seat.gpus;
    }
    if (run->ledger.node[pod->node].gpus == 1 && sms__gpushare(run)->rules->quirks.single_gpu) {
        sms__explain_pod(run, p, now, "Allocate %s: no pod asks for that; the only GPU, 0", units);
        return first_bits(1);
    }
    const struct sms__gpushare *rules = sms__gpushare(run)->rules;
    sms__explain_pod(run, p, now, "Allocate %s: no-gpu-has-%llu%s-to-run", units,
                     (unsigned long long)(bytes / rules->unit), rules->gib ? "GiB" : "MiB");
    return 0;
}

/* A pod that failed to start is gone. */
static void end_failed(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    double deadline = sms__pod_deadline(run, &run->pod[p]);
    sms__pod_cut(run, p, "failed", now);
    run->pod[p].ended = true;
    run->record->timed += deadline > 0;
    run->record->missed += deadline > 0;
}

/* A pod that failed to start is gone, or holds its place, as the scenario has it. */
static void fail(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    gpushare->under_way--;
    gpushare->changed = true;
    run->record->cards.failed++;
    if (gpushare->rules->on_failure == SMS__START_HOLDS) {
        gpushare->candidate[p].state = SMS__CANDIDATE_STUCK;
        run->pod[p].stuck = true;
        return;
    }
    end_failed(run, p, now);
    sms__gpushare_freed(run, now);
}

static void allocate_all(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__share_candidate *candidate = &sms__gpushare(run)->candidate[p];
    bool failed = false;
    for (size_t c = 0; c < sms__containers(run, p); c++) {
        uint64_t bytes = sms__container_bytes(run, p, c);
        candidate->gpus[c] = bytes ? allocate(run, p, bytes, now) : 0;
        failed |= bytes && !candidate->gpus[c];
    }
    if (!failed) {
        wait_to_start(run, p, now);
        return;
    }
    run->record->cards.allocate_failures++;
    fail(run, p, now);
}

static void start(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    const char *fault = sms__find_fault(run, p);
    if (fault) {
        run->record->cards.faults++;
        sms__explain_pod(run, p, now, "containers fail: %s", fault);
        fail(run, p, now);
        return;
    }
    sms__containers_use(run, p, true, now);
    unlink_pod(gpushare, p, run->pod[p].node);
    gpushare->candidate[p].state = SMS__CANDIDATE_RUNNING;
    gpushare->under_way--;
    if (!gpushare->candidate[p].started)
        sms__histogram_add(&run->record->cards.pending, now - run->pod[p].arrival_ps);
    gpushare->candidate[p].started = true;
    sms__explain_pod(run, p, now, "containers run");
    sms__pod_begin(run, p, now);
}

/* The pod was bound for too long without being assigned. */
static void expire(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    run->record->cards.assume_timeouts++;
    gpushare->candidate[p].again = true;
    gpushare->under_way--;
    sms__explain_pod(run, p, now, "assume timed out: its GPU memory is given back, and it is queued again");
    sms__pod_cut(run, p, "timed_out", now);
    sms__candidate_comes(run, p, now);
    sms__gpushare_freed(run, now);
}

void sms__plugin_fire(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    const struct sms__share_candidate *candidate = &sms__gpushare(run)->candidate[p];
    bool shared = sms__is_shared(sms__pod_shape(run, p));
    if (candidate->state == SMS__CANDIDATE_STARTING)
        start(run, p, now);
    else if (candidate->state != SMS__CANDIDATE_ASSUMED)
        return;
    else if (now < candidate->allocate_ps && candidate->assigned) /* by a call for another pod */
        wait_to_allocate(run, p);
    else if (now < candidate->allocate_ps)
        expire(run, p, now);
    else if (shared)
        allocate_all(run, p, now);
    else {
        sms__gpushare(run)->candidate[p].gpus[0] = run->pod[p].seat.gpus;
        wait_to_start(run, p, now);
    }
}

void sms__plugin_left(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__gpushare_state *gpushare = sms__gpushare(run);
    if (gpushare->candidate[p].state == SMS__CANDIDATE_RUNNING)
        sms__containers_use(run, p, false, now);
    else
        unlink_pod(gpushare, p, run->pod[p].node);
    sms__candidate_timer(run, p, SMS__NEVER);
    gpushare->changed = true;
}
