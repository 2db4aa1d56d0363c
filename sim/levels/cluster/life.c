/* The life of a pod. The ledger is brought up to now before it changes, and the scheduler and the observer hear of each
 * change once. */
#include "observer.h"
#include "cluster_run.h"
#include "../../model/cluster/node_mig.h"
#include "open_pods.h"
#include "scheduler.h"

/* The share of what is left that typical pods cannot use. */
static double fragments(const struct sms__cluster_run *run)
{
    uint64_t left = run->cluster->gpu_milli - run->ledger.gpu_milli;
    return left ? (double)run->ledger.fragments / (double)run->cluster->typical_pods / (double)left : 0;
}

static void report_placement(const struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    const struct sms__pod *pod = &run->pod[p];
    const uint32_t profile = sms__pod_shape(run, p)->profile;
    char name[256], node[256];
    if (!sms__observes(run->spec->observer, SMS_RUN_PLACEMENT))
        return;
    const uint32_t slices =
        profile ? sms_instance_slices(run->ledger.node[pod->node].mig, profile, pod->seat.slice) : 1;
    sms__pod_name(run, p, name, sizeof name);
    sms__node_name(run->cluster, pod->node, node, sizeof node);
    const struct sms_placement placement = {.number = p,
                                            .time_ps = now,
                                            .wait_ps = now - pod->since_ps,
                                            .pod = name,
                                            .node = node,
                                            .gpus = pod->seat.gpus,
                                            .profile = profile ? run->cluster->profiles.name[profile - 1] : NULL,
                                            .slice = pod->seat.slice,
                                            .last_slice = 31u - (unsigned)__builtin_clz(slices),
                                            .arrived = sms__share_of_gpus(run, run->arrived_milli),
                                            .allocated = sms__share_of_gpus(run, run->ledger.gpu_milli),
                                            .fragments = fragments(run)};
    sms__observe(run->spec->observer, (struct sms_run_event){SMS_RUN_PLACEMENT, .placement = &placement});
}

void sms__pod_departs(const struct sms__cluster_run *run, uint32_t p, const char *ended, uint64_t now)
{
    const struct sms__pod *pod = &run->pod[p];
    char name[256], node[256];
    if (!sms__observes(run->spec->observer, SMS_RUN_DEPARTURE))
        return;
    sms__pod_name(run, p, name, sizeof name);
    sms__node_name(run->cluster, pod->node, node, sizeof node);
    const double deadline = sms__pod_deadline(run, pod), late = (double)(now - pod->arrival_ps) - deadline;
    const struct sms_departure departure = {.number = p,
                                            .start_ps = pod->since_ps,
                                            .end_ps = now,
                                            .pod = name,
                                            .node = node,
                                            .node_idx = pod->node,
                                            .gpus = pod->seat.gpus,
                                            .ended = ended,
                                            .late_ps = deadline > 0 && late > 0 ? (uint64_t)late : 0};
    sms__observe(run->spec->observer, (struct sms_run_event){SMS_RUN_DEPARTURE, .departure = &departure});
}

/* The list of pods on a node is kept where pods may move. */
static bool keeps_list(const struct sms__cluster_run *run) { return run->arranging; }

static void enter_list(struct sms__cluster_run *run, uint32_t p)
{
    struct sms__pod *pod = &run->pod[p];
    struct sms__ledger_entry *entry = &run->ledger.entry[pod->node];
    pod->prev = SMS__NO_POD;
    pod->next = entry->first_pod;
    if (pod->next != SMS__NO_POD)
        run->pod[pod->next].prev = p;
    entry->first_pod = p;
}

static void leave_list(struct sms__cluster_run *run, const struct sms__pod *pod)
{
    if (pod->prev == SMS__NO_POD)
        run->ledger.entry[pod->node].first_pod = pod->next;
    else
        run->pod[pod->prev].next = pod->next;
    if (pod->next != SMS__NO_POD)
        run->pod[pod->next].prev = pod->prev;
}

void sms__pod_hold_at(struct sms__cluster_run *run, uint32_t p, uint32_t node, struct sms__seat seat, uint64_t now)
{
    struct sms__pod *pod = &run->pod[p];
    sms__ledger_integrate(run, now);
    pod->node = node;
    pod->seat = seat;
    sms__ledger_take(run, node, sms__pod_shape(run, p), &pod->seat);
    if (pod->seat.made || pod->seat.moved) {
        const double change_ps = sms__node_kind(run->cluster, node)->mig->change_ps[__builtin_ctz(seat.gpus)];
        *sms__ready_ps(&run->ledger, node, &seat) = sms__later(now, (uint64_t)change_ps);
    }
}

bool sms__pod_hold(struct sms__cluster_run *run, uint32_t p, uint32_t node, uint64_t now)
{
    struct sms__seat seat;
    const char *wrong = sms__choose_seat(run, &run->ledger.node[node], sms__pod_shape(run, p), &seat);
    if (wrong)
        sms__cluster_stop(run, wrong);
    else
        sms__pod_hold_at(run, p, node, seat, now);
    return !wrong;
}

void sms__pod_release(struct sms__cluster_run *run, uint32_t p)
{
    struct sms__pod *pod = &run->pod[p];
    sms__ledger_give(run, pod->node, sms__pod_shape(run, p), &pod->seat);
    pod->node = SMS__NO_NODE;
}

void sms__pod_seat(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__pod *pod = &run->pod[p];
    sms__count_placement(run, pod->node);
    run->record->layout_changes += pod->seat.made;
    if (pod->attempt == 0) { /* later ones are not counted */
        run->record->placed++;
        sms__histogram_add(&run->record->wait, now - pod->arrival_ps);
    }
    report_placement(run, p, now);
    pod->since_ps = now;
    if (keeps_list(run))
        enter_list(run, p);
}

void sms__pod_put(struct sms__cluster_run *run, uint32_t p, uint32_t node, struct sms__seat seat, uint64_t now)
{
    sms__pod_hold_at(run, p, node, seat, now);
    sms__pod_seat(run, p, now);
}

bool sms__pod_take(struct sms__cluster_run *run, uint32_t p, uint32_t node, uint64_t now)
{
    if (!sms__pod_hold(run, p, node, now))
        return false;
    sms__pod_seat(run, p, now);
    return true;
}

void sms__pod_begin(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__pod *pod = &run->pod[p];
    if (run->observer)
        run->observer->begin(run, p, now);
    if (pod->tenant && sms__hosts_simulate(run)) {
        sms__hosts_begin(run, p, now);
        return;
    }
    if (pod->tenant)
        pod->duration_ps = sms__hosts_time_alone(run, p, &pod->failed);
    if (pod->duration_ps == 0)
        return;
    sms__ends_add(run, p, sms__later(sms__later(now, sms__pod_delay(run, p)), sms__pod_lasts(run, p)));
    sms__ends_await(run);
}

static void give_back(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    const struct sms__pod *pod = &run->pod[p];
    sms__ledger_integrate(run, now);
    sms__ledger_give(run, pod->node, sms__pod_shape(run, p), &pod->seat);
    sms__ledger_note_freed(&run->ledger, pod->node);
    sms__pod_leaves_instance(run, p);
    if (keeps_list(run))
        leave_list(run, pod);
    if (run->scheduler->leave)
        run->scheduler->leave(run, p, now);
}

void sms__pod_cut(struct sms__cluster_run *run, uint32_t p, const char *ended, uint64_t now)
{
    struct sms__pod *pod = &run->pod[p];
    if (run->observer)
        run->observer->cut(run, p, now);
    sms__pod_departs(run, p, ended, now);
    give_back(run, p, now);
    sms__pod_begins_anew(run, p);
    pod->node = SMS__NO_NODE;
    pod->attempt++;
    sms__ends_await(run);
}

void sms__pod_end(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__pod *pod = &run->pod[p];
    double deadline = sms__pod_deadline(run, pod);
    if (run->observer)
        run->observer->end(run, p, now);
    if (pod->failed && run->scheduler->explains)
        sms__explain_pod(run, p, now, "its workload fails: out of memory");
    sms__pod_departs(run, p, pod->failed ? "failed" : "done", now);
    give_back(run, p, now);
    pod->ended = true;
    run->record->last_end_ps = now;
    run->record->timed += deadline > 0;
    run->record->missed += deadline > 0 && (pod->failed || (double)(now - pod->arrival_ps) > deadline);
    run->record->failed += pod->failed;
    run->record->done += !pod->failed;
    if (!pod->failed)
        sms__histogram_add(&run->record->turnaround, now - pod->arrival_ps);
}
