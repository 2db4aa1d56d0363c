/* The node's side of gpushare: the device plugin says which GPU each container gets (specification 001, 1.3, steps 7 to
 * 9), the containers start, run out of memory, and leave. */
#include "gpushare.h"

#include <stdio.h>

static uint16_t first_bits(uint32_t gpus) { return (uint16_t)((1u << gpus) - 1); }

/* Those bound to a node that do not run, in the order of their ASSUME_TIME. */
static void link_pod(struct sms__gpushare_run *run, uint32_t p, uint32_t node)
{
    struct sms__candidate *client = &run->client[p];
    client->next = SMS__NO_POD;
    client->previous = run->last[node];
    if (client->previous == SMS__NO_POD)
        run->first[node] = p;
    else
        run->client[client->previous].next = p;
    run->last[node] = p;
}

static void unlink_pod(struct sms__gpushare_run *run, uint32_t p, uint32_t node)
{
    const struct sms__candidate *client = &run->client[p];
    if (client->previous == SMS__NO_POD)
        run->first[node] = client->next;
    else
        run->client[client->previous].next = client->next;
    if (client->next == SMS__NO_POD)
        run->last[node] = client->previous;
    else
        run->client[client->next].previous = client->previous;
}

static double pick_delay(double own_ps, bool again, double common_ps)
{
    return own_ps < 0 || again ? common_ps : own_ps;
}

static void wait_to_start(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    struct sms__gpushare_run *run = placing->gpushare;
    double delay = pick_delay(sms__like(placing, p)->start_delay_ps, run->client[p].again, run->rules->start_delay_ps);
    run->client[p].state = SMS__CANDIDATE_STARTING;
    sms__candidate_timer(placing, p, sms__after_if_any(now, delay));
}

/* Allocate, or the end of the pod's patience, whichever comes first. */
static void wait_to_allocate(struct sms__placing *placing, uint32_t p)
{
    struct sms__gpushare_run *run = placing->gpushare;
    const struct sms__candidate *client = &run->client[p];
    uint64_t expires =
        client->assigned ? SMS__NEVER : sms__after_if_any(client->assume_ps, run->rules->assume_timeout_ps);
    sms__candidate_timer(placing, p, client->allocate_ps < expires ? client->allocate_ps : expires);
}

void sms__plugin_assumed(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    struct sms__gpushare_run *run = placing->gpushare;
    const struct sms__pod *pod = &placing->pod[p];
    struct sms__candidate *client = &run->client[p];
    char gpus[64];
    double delay = pick_delay(sms__like(placing, p)->allocate_delay_ps, client->again, run->rules->allocate_delay_ps);
    client->state = SMS__CANDIDATE_ASSUMED;
    client->assigned = false;
    client->matched = 0;
    client->assume_ps = now;
    client->allocate_ps = sms__after_if_any(now, delay);
    for (size_t c = 0; c < SMS__CONTAINERS_MAX; c++)
        client->gpus[c] = 0;
    link_pod(run, p, pod->node);
    sms__stranded_wait(placing, p, -1);
    run->changed = true;
    if (sms__is_shared(sms__shape(placing, p)))
        sms__tell(placing, p, now, "bound: IDX=%s ASSIGNED=false ASSUME_TIME=%.0f ns",
                  sms__gpu_list(pod->gpus, gpus, sizeof gpus), (double)now / 1e3);
    wait_to_allocate(placing, p);
}

/* A container of the pod that is not matched yet and asks for as much; SMS__CONTAINERS_MAX: none. */
static size_t find_container(const struct sms__placing *placing, uint32_t p, uint64_t bytes)
{
    for (size_t c = 0; c < sms__containers(placing, p); c++)
        if (!(placing->gpushare->client[p].matched >> c & 1) && sms__container_bytes(placing, p, c) == bytes)
            return c;
    return SMS__CONTAINERS_MAX;
}

static bool is_candidate(const struct sms__placing *placing, uint32_t p, uint32_t asks, uint64_t bytes)
{
    const struct sms__gpushare_run *run = placing->gpushare;
    const struct sms_pod_view *view = sms__shape(placing, p);
    if (run->client[p].assigned || !sms__is_shared(view) || (!run->rules->quirks.any_pod && p != asks))
        return false;
    if (run->rules->quirks.whole_pod)
        return view->gpus * view->gpu_memory == bytes;
    return find_container(placing, p, bytes) < SMS__CONTAINERS_MAX;
}

static uint32_t find_candidate(const struct sms__placing *placing, uint32_t asks, uint64_t bytes)
{
    const struct sms__gpushare_run *run = placing->gpushare;
    uint32_t p = run->first[placing->pod[asks].node];
    while (p != SMS__NO_POD && !is_candidate(placing, p, asks, bytes))
        p = run->client[p].next;
    return p;
}

/* The annotations of the pod that was matched. */
static void mark(struct sms__placing *placing, uint32_t p, uint64_t bytes, uint64_t now)
{
    const struct sms__gpushare_run *run = placing->gpushare;
    struct sms__candidate *client = &run->client[p];
    size_t all = sms__containers(placing, p), asking = 0;
    if (!run->rules->quirks.whole_pod)
        client->matched |= (uint8_t)(1u << find_container(placing, p, bytes));
    for (size_t c = 0; c < all; c++)
        asking += sms__container_bytes(placing, p, c) > 0;
    client->assigned = run->rules->quirks.whole_pod || (size_t)__builtin_popcount(client->matched) == asking;
    if (client->assigned)
        client->assume_ps = now; /* the real one overwrites it, too */
}

/* Allocate for one container. Returns the GPUs, or 0: the container will not start. */
static uint16_t allocate(struct sms__placing *placing, uint32_t p, uint64_t bytes, uint64_t now)
{
    const struct sms__pod *pod = &placing->pod[p];
    char name[256], gpus[64], units[32];
    uint32_t match = find_candidate(placing, p, bytes);
    sms__units(placing, bytes, units, sizeof units);
    if (match != SMS__NO_POD) {
        mark(placing, match, bytes, now);
        placing->record->gpushare.misallocations += placing->pod[match].gpus != pod->gpus;
        sms__pod_name(placing, match, name, sizeof name);
        sms__tell(placing, p, now, "Allocate %s: GPU %s, of %s (ASSIGNED=%s)", units,
                  sms__gpu_list(placing->pod[match].gpus, gpus, sizeof gpus), match == p ? "itself" : name,
                  placing->gpushare->client[match].assigned ? "true" : "false");
        return placing->pod[match].gpus;
    }
    if (placing->node[pod->node].gpus == 1 && placing->gpushare->rules->quirks.single_gpu) {
        sms__tell(placing, p, now, "Allocate %s: no pod asks for that; the only GPU, 0", units);
        return first_bits(1);
    }
    const struct sms__gpushare *rules = placing->gpushare->rules;
    sms__tell(placing, p, now, "Allocate %s: no-gpu-has-%llu%s-to-run", units,
              (unsigned long long)(bytes / rules->unit), rules->gib ? "GiB" : "MiB");
    return 0;
}

/* It did not start, and is gone. */
static void end_failed(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    double deadline = sms__pod_deadline(placing, &placing->pod[p]);
    sms__pod_cut(placing, p, "failed", now);
    placing->pod[p].ended = true;
    placing->record->timed += deadline > 0;
    placing->record->missed += deadline > 0;
}

/* It will not run: it is gone, or keeps what it has. */
static void fail(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    struct sms__gpushare_run *run = placing->gpushare;
    run->under_way--;
    run->changed = true;
    placing->record->gpushare.failed++;
    if (run->rules->on_failure == SMS__START_HOLDS) {
        run->client[p].state = SMS__CANDIDATE_STUCK;
        return;
    }
    end_failed(placing, p, now);
    sms__gpushare_freed(placing);
}

static void allocate_all(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    struct sms__candidate *client = &placing->gpushare->client[p];
    bool failed = false;
    for (size_t c = 0; c < sms__containers(placing, p); c++) {
        uint64_t bytes = sms__container_bytes(placing, p, c);
        client->gpus[c] = bytes ? allocate(placing, p, bytes, now) : 0;
        failed |= bytes && !client->gpus[c];
    }
    if (!failed) {
        wait_to_start(placing, p, now);
        return;
    }
    placing->record->gpushare.allocate_failures++;
    fail(placing, p, now);
}

static void start(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    struct sms__gpushare_run *run = placing->gpushare;
    const char *fault = sms__find_fault(placing, p);
    if (fault) {
        placing->record->gpushare.faults++;
        sms__tell(placing, p, now, "containers fail: %s", fault);
        fail(placing, p, now);
        return;
    }
    sms__containers_use(placing, p, true, now);
    unlink_pod(run, p, placing->pod[p].node);
    run->client[p].state = SMS__CANDIDATE_RUNNING;
    run->under_way--;
    if (!run->client[p].started)
        sms__histogram_add(&placing->record->gpushare.pending, now - placing->pod[p].arrival_ps);
    run->client[p].started = true;
    sms__tell(placing, p, now, "containers run");
    sms__pod_begin(placing, p, now);
}

/* Bound for too long without being assigned. */
static void expire(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    struct sms__gpushare_run *run = placing->gpushare;
    placing->record->gpushare.assume_timeouts++;
    run->client[p].again = true;
    run->client[p].timeouts++;
    run->under_way--;
    sms__tell(placing, p, now, "assume timed out: its GPU memory is given back, and it is queued again");
    sms__pod_cut(placing, p, "timed_out", now);
    sms__candidate_comes(placing, p, now);
    sms__gpushare_freed(placing);
}

void sms__plugin_fire(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    const struct sms__candidate *client = &placing->gpushare->client[p];
    bool shared = sms__is_shared(sms__shape(placing, p));
    if (client->state == SMS__CANDIDATE_STARTING)
        start(placing, p, now);
    else if (client->state != SMS__CANDIDATE_ASSUMED)
        return;
    else if (now < client->allocate_ps && client->assigned) /* by the call for another pod */
        wait_to_allocate(placing, p);
    else if (now < client->allocate_ps)
        expire(placing, p, now);
    else if (shared)
        allocate_all(placing, p, now);
    else {
        placing->gpushare->client[p].gpus[0] = placing->pod[p].gpus;
        wait_to_start(placing, p, now);
    }
}

void sms__plugin_left(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    struct sms__gpushare_run *run = placing->gpushare;
    if (run->client[p].state == SMS__CANDIDATE_RUNNING)
        sms__containers_use(placing, p, false, now);
    else
        unlink_pod(run, p, placing->pod[p].node);
    sms__candidate_timer(placing, p, SMS__NEVER);
    run->changed = true;
}

bool sms__gpushare_stop(struct sms__placing *placing, uint32_t p, uint64_t now)
{
    struct sms__gpushare_run *run = placing->gpushare;
    bool stuck = run->client[p].state == SMS__CANDIDATE_STUCK;
    run->under_way -= !stuck;
    if (stuck)
        end_failed(placing, p, now);
    return stuck;
}
