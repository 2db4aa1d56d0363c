/* Nodes that are hosts of the share level: sets them up, admits the processes of pods, and does for all hosts what is
 * asked of them. */
#include "cluster_run.h"
#include "../share/coarse_mix.h"
#include "../share/host.h"
#include "../share/slot.h"
#include "host_state.h"
#include "observer.h"

#include <stdio.h>
#include <string.h>

/* Finds the times of all VMs alone on all devices. A VM that repeats for ever has none. */
static int find_times(struct sms__hosts *hosts, const struct sms__policy_use *block, struct sms__stand_alone **list)
{
    const struct sms_scenario *scenario = hosts->spec.scenario;
    int code = SMS_OK;
    *list = SMS__NEW(hosts->run->arena, struct sms__stand_alone, scenario->vms * scenario->devices);
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t d = 0; d < scenario->devices && code == SMS_OK; d++) {
            struct sms__stand_alone *alone = sms__hosts_stand_alone(hosts, *list, v, d);
            alone->ps = SMS__NEVER;
            if (scenario->vm[v].repeat && sms__may_be_on(&scenario->vm[v], d))
                code = sms__share_stand_alone(&hosts->spec, block, hosts->vm, v, d, alone);
        }
    return code;
}

static bool are_same(const struct sms__policy_use *a, const struct sms__policy_use *b)
{
    bool same = a->policy == b->policy;
    for (size_t i = 0; i < SMS__PARAMS_MAX && a->policy->params && a->policy->params[i].name && same; i++)
        same = a->param[i] >= b->param[i] && a->param[i] <= b->param[i];
    return same;
}

static int find_all_times(struct sms__hosts *hosts)
{
    const struct sms__policy_use *use = hosts->spec.policy, *alone = hosts->spec.scenario->alone;
    bool wanted = hosts->spec.options->alone, same = are_same(use, alone);
    int code = SMS_OK;
    hosts->vm = hosts->spec.scenario->vm;
    if (!hosts->simulated || (wanted && same))
        code = find_times(hosts, use, &hosts->own);
    if (wanted && same)
        hosts->alone = hosts->own;
    else if (wanted && code == SMS_OK)
        code = find_times(hosts, alone, &hosts->alone);
    return code;
}

static void set_up(struct sms__hosts *hosts, size_t n, struct sms__host_setup *setup);

/* Adds an instance for each profile that pods run on, wherever it may lie: what exists at a time, the ledger says. */
static void add_instances(struct sms__hosts *hosts, size_t k, size_t gpu, const struct sms__split *split)
{
    const struct sms_layout *layout = &split->layout;
    const struct sms__policy_use *use = hosts->spec.policy;
    const struct sms__cluster *cluster = hosts->run->cluster;
    const struct sms__node_mig *mig = cluster->node[k].mig;
    for (uint32_t p = 1; p <= cluster->profiles.count; p++)
        for (uint8_t s = 0; s < mig->view.slices; s++) {
            bool there = layout->changes == SMS_LAYOUT_FIXED ? layout->profile[s] == p
                                                             : (mig->view.profile[p].starts >> s & 1) != 0;
            if (there && mig->device[p] >= 0)
                *SMS__APPEND(hosts->run->arena, hosts->place[k], hosts->places[k]) = (struct sms__place){
                    gpu, (size_t)mig->device[p], sms__pods_inside(split, use, s), s, sms__mode_inside(split, use, s)};
        }
}

/* Lists the places of nodes some of whose GPUs are split or have a mode of their own. */
static void find_places(struct sms__hosts *hosts, size_t k)
{
    const struct sms__cluster *cluster = hosts->run->cluster;
    const struct sms__nodes *kind = &cluster->node[k];
    bool any = kind->mode;
    for (size_t g = 0; kind->device >= 0 && g < kind->gpus; g++)
        any |= sms__first_split(cluster, hosts->spec.policy, k, g) != NULL;
    for (size_t g = 0; any && g < kind->gpus; g++) {
        const struct sms__split *split = sms__first_split(cluster, hosts->spec.policy, k, g);
        if (split)
            add_instances(hosts, k, g, split);
        else
            *SMS__APPEND(hosts->run->arena, hosts->place[k], hosts->places[k]) = (struct sms__place){
                g, (size_t)kind->device, cluster->slots, 0, kind->mode ? sms__mode_of_device(kind->mode, g) : NULL};
    }
}

/* Whether the nodes' GPUs run workloads: they do not where all are split and no workload asks for what they have. */
static bool is_host(const struct sms__hosts *hosts, size_t k)
{
    const struct sms__cluster *cluster = hosts->run->cluster;
    return cluster->node[k].device >= 0 && (hosts->places[k] || !sms__first_split(cluster, hosts->spec.policy, k, 0));
}

/* Finds out which kinds of nodes are hosts, and adds their event sources. */
static void count_sources(struct sms__hosts *hosts, size_t sources[SMS__LEVELS])
{
    const struct sms__cluster *cluster = hosts->run->cluster;
    hosts->type = sms__alloc(hosts->run->arena, cluster->kinds, sizeof *hosts->type);
    hosts->place = SMS__NEW(hosts->run->arena, struct sms__place *, cluster->kinds);
    hosts->places = SMS__NEW(hosts->run->arena, size_t, cluster->kinds);
    for (size_t k = 0; k < cluster->kinds; k++) {
        const struct sms__nodes *kind = &cluster->node[k];
        struct sms__host_setup setup;
        for (size_t g = 0; kind->device >= 0 && g < kind->gpus; g++)
            hosts->type[k][g] = (size_t)kind->device;
        find_places(hosts, k);
        set_up(hosts, k, &setup);
        for (uint64_t n = 0; is_host(hosts, k) && n < kind->count; n++)
            sms__share_count(&setup, sources);
    }
}

int sms__hosts_prepare(struct sms__cluster_run *run, size_t sources[SMS__LEVELS])
{
    const struct sms_scenario *scenario = run->scenario;
    if (scenario->vms == 0)
        return SMS_OK;
    struct sms__hosts *hosts = SMS__NEW(run->arena, struct sms__hosts, 1);
    run->hosts = hosts;
    hosts->run = run;
    hosts->spec = *run->spec;
    hosts->simulated = scenario->fidelity != SMS__AS_DURATION;
    int code = find_all_times(hosts);
    if (code == SMS_OK && scenario->fidelity == SMS__AS_PROCESSES)
        code = sms__coarsen(run->arena, &hosts->spec, &hosts->vm);
    if (code == SMS_OK && hosts->simulated) {
        sources[SMS__LEVEL_POLICY]++;
        count_sources(hosts, sources);
    }
    return code;
}

/* Calls the observer. The number of a job tells apart the jobs of a pod's processes on its GPUs. */
static void observe_job(void *subject, const struct sms__stream *stream, bool begins, uint64_t now)
{
    const struct sms__hosts *hosts = subject;
    struct sms__cluster_run *run = hosts->run;
    const struct sms__arrival *arrival = &stream->process->arrival;
    const struct sms__place *place = stream->process->share->setup.place;
    uint64_t gpu = place ? place[arrival->gpu].gpu : (uint64_t)arrival->gpu;
    uint64_t number = stream->job.ended * SMS_NODE_GPUS_MAX + gpu;
    uint32_t pod = (uint32_t)arrival->tag;
    if (begins)
        run->observer->begin_job(run, pod, number, now);
    else
        run->observer->end_job(run, pod, number, stream->process->record->failed, now);
}

/* Fills in the setup of a host of kind `k`, without its numbers. */
static void set_up(struct sms__hosts *hosts, size_t k, struct sms__host_setup *setup)
{
    const struct sms__nodes *kind = &hosts->run->cluster->node[k];
    *setup = (struct sms__host_setup){.spec = &hosts->spec,
                                      .engine = &hosts->run->engine,
                                      .vm = hosts->vm,
                                      .mixes = hosts->mixes,
                                      .type = hosts->type[k],
                                      .gpus = kind->gpus,
                                      .slots = hosts->run->cluster->slots,
                                      .place = hosts->place[k],
                                      .places = hosts->places[k],
                                      .cores = (double)kind->cpu_milli / 1000,
                                      .ended = hosts->ended,
                                      .job = hosts->run->observer ? observe_job : NULL,
                                      .subject = hosts};
}

/* Takes the memory that others than pods use, for the whole run. */
static void hold_for_others(struct sms_share *host, const struct sms__nodes *kind)
{
    for (size_t g = 0; kind->others && g < kind->gpus; g++) {
        uint64_t memory = sms__share_gpu(host, g)->type->memory, others = kind->others[g];
        sms__share_hold(host, g, (int64_t)(others < memory ? others : memory), 0);
    }
}

static void init_kind(struct sms__hosts *hosts, size_t k)
{
    const struct sms__cluster_run *run = hosts->run;
    const struct sms__nodes *kind = &run->cluster->node[k];
    struct sms__host_setup setup;
    set_up(hosts, k, &setup);
    for (size_t n = kind->first; n < kind->first + kind->count && is_host(hosts, k); n++) {
        setup.number = n;
        setup.first_gpu = sms__first_gpu(&run->ledger, n);
        hosts->host[n] = sms__share_new(run->arena, &setup);
        sms__share_start(hosts->host[n]);
        hold_for_others(hosts->host[n], kind);
    }
}

void sms__hosts_init(struct sms__cluster_run *run)
{
    struct sms__hosts *hosts = run->hosts;
    if (!hosts || !hosts->simulated)
        return;
    hosts->mixes = sms__mixes_new(run->arena, run->reference);
    hosts->host = SMS__NEW(run->arena, struct sms_share *, run->cluster->nodes);
    for (size_t k = 0; k < run->cluster->kinds; k++)
        init_kind(hosts, k);
}

uint64_t sms__hosts_time_alone(const struct sms__cluster_run *run, uint32_t p, bool *failed)
{
    const struct sms__hosts *hosts = run->hosts;
    const struct sms__stand_alone *own =
        sms__hosts_stand_alone(hosts, hosts->own, run->pod[p].tenant - 1u, sms__pod_device(run, &run->pod[p]));
    *failed = own->failed;
    return own->ps == SMS__NEVER ? 0 : own->ps;
}

uint8_t sms__pod_processes(const struct sms__cluster_run *run, uint32_t p)
{
    int processes = 0;
    for (size_t c = 0; c < SMS__CONTAINERS_MAX; c++)
        processes += __builtin_popcount(sms__container_gpus(run, p, c));
    return (uint8_t)processes;
}

/* A process has the name of its pod, with a number if the pod has several. */
static void name_process(const struct sms__cluster_run *run, uint32_t p, unsigned i, char *out, size_t size)
{
    sms__pod_name(run, p, out, size);
    size_t length = strlen(out);
    if (sms__pod_processes(run, p) > 1 && length < size)
        snprintf(out + length, size - length, ".%u", i);
}

/* Where on its host the pod's process on the GPU is: the number of a place, or of the GPU where there are none. */
static long place_of(const struct sms__hosts *hosts, const struct sms__pod *pod, long gpu)
{
    size_t k = (size_t)(sms__node_kind(hosts->run->cluster, pod->node) - hosts->run->cluster->node), i = 0;
    const struct sms__place *place = hosts->place[k];
    const size_t device = sms__pod_device(hosts->run, pod);
    if (!place)
        return gpu;
    while (place[i].gpu != (size_t)gpu || place[i].type != device || place[i].slice != pod->seat.slice)
        i++;
    return (long)i;
}

void sms__hosts_begin(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__hosts *hosts = run->hosts;
    struct sms__pod *pod = &run->pod[p];
    char name[256];
    unsigned number = 0;
    pod->left = sms__pod_processes(run, p);
    hosts->ending += run->scenario->vm[pod->tenant - 1].repeat > 0;
    double deadline = sms__pod_deadline(run, pod);
    struct sms__arrival arrival = {.name = name,
                                   .vm = pod->tenant - 1u,
                                   .due_ps =
                                       deadline > 0 ? sms__later(pod->arrival_ps, (uint64_t)deadline) : UINT64_MAX,
                                   .job_deadline_ps = run->cluster->pod[pod->group].job_deadline_ps,
                                   .tag = p};
    for (size_t c = 0; c < SMS__CONTAINERS_MAX; c++)
        for (long gpu = 0; gpu < SMS_NODE_GPUS_MAX; gpu++) {
            if (!(sms__container_gpus(run, p, c) >> gpu & 1))
                continue;
            arrival.gpu = place_of(hosts, pod, gpu);
            name_process(run, p, number++, name, sizeof name);
            sms__share_admit(hosts->host[pod->node], &arrival, sms__later(now, sms__pod_delay(run, p)));
        }
}

static struct sms_share *host_of(const struct sms__hosts *hosts, size_t node)
{
    return hosts && hosts->simulated ? hosts->host[node] : NULL;
}

void sms__hosts_advance(struct sms__cluster_run *run, int partial, uint64_t now)
{
    for (size_t n = 0; run->hosts && n < run->cluster->nodes; n++)
        if (host_of(run->hosts, n))
            sms__share_advance(run->hosts->host[n], partial, now);
}

void sms__hosts_forget(struct sms__cluster_run *run)
{
    for (size_t n = 0; run->hosts && n < run->cluster->nodes; n++)
        if (host_of(run->hosts, n))
            sms__share_forget(run->hosts->host[n]);
}

int sms__hosts_close(struct sms__cluster_run *run, uint64_t now)
{
    int code = SMS_OK;
    sms__hosts_advance(run, 1, now);
    for (size_t n = 0; run->hosts && n < run->cluster->nodes; n++) {
        struct sms_share *host = host_of(run->hosts, n);
        if (!host)
            continue;
        sms__share_close(host, now);
        run->spec->record->events += sms__share_events(host);
        size_t gpus = sms__node_kind(run->cluster, n)->gpus;
        for (size_t g = 0; g < gpus; g++)
            run->record->work.busy_ps += sms__share_gpu(host, g)->record->busy_ps;
        run->record->work.devices += gpus;
        code = code ? code : sms__share_code(host);
    }
    return code;
}

bool sms__hosts_simulate(const struct sms__cluster_run *run) { return run->hosts && run->hosts->simulated; }

bool sms__hosts_has(const struct sms__cluster_run *run, size_t node) { return host_of(run->hosts, node) != NULL; }

uint64_t sms__hosts_held(const struct sms__cluster_run *run, size_t node, uint32_t gpu)
{
    return sms__share_gpu(host_of(run->hosts, node), gpu)->held;
}

void sms__hosts_take(struct sms__cluster_run *run, size_t node, uint32_t gpu, int64_t bytes, uint64_t now)
{
    sms__share_hold(host_of(run->hosts, node), gpu, bytes, now);
}

uint64_t sms__hosts_bytes(const struct sms__cluster_run *run, uint32_t p)
{
    const struct sms__pod *pod = &run->pod[p];
    const struct sms__hosts *hosts = run->hosts;
    const struct sms__workload *workload = run->scenario->vm[pod->tenant - 1].workload;
    if (hosts->own && sms__hosts_stand_alone(hosts, hosts->own, pod->tenant - 1u, sms__pod_device(run, pod))->failed)
        return 0; /* it is refused even if it is alone */
    return run->scenario->host.context_bytes + (uint64_t)workload->statics + workload->declared;
}

bool sms__hosts_use(const struct sms__cluster_run *run, size_t node, double *core, uint64_t *memory,
                    uint64_t *memory_used)
{
    const struct sms_share *host = host_of(run->hosts, node);
    *core = 0;
    *memory = *memory_used = 0;
    size_t gpus = sms__node_kind(run->cluster, node)->gpus;
    for (size_t g = 0; host && g < gpus; g++) {
        const struct sms__gpu *gpu = sms__share_gpu(host, g);
        *core += (gpu->core < SMS_FULL ? gpu->core / SMS_FULL : 1) / (double)gpus;
        *memory += gpu->type->memory;
        *memory_used += gpu->held;
    }
    return host != NULL;
}

bool sms__hosts_busy(const struct sms__cluster_run *run)
{
    bool busy = false;
    for (size_t n = 0; run->hosts && n < run->cluster->nodes; n++)
        busy |= host_of(run->hosts, n) && sms__share_busy(run->hosts->host[n]);
    return busy;
}
