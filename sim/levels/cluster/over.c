/* How pods with workloads come to an end: all processes of one are through, or what it runs on fails. */
#include "hosts.h"

static bool is_first_to_fail(struct sms__pod *pod, const struct sms__client *client)
{
    bool first = client->record->failed && !pod->failed;
    pod->failed |= client->record->failed;
    return first;
}

static void fail_others(struct sms_share *share, const struct sms__client *failed, uint64_t now)
{
    for (size_t c = 0; c < share->clients; c++)
        if (share->client[c].taken && share->client[c].tag == failed->tag)
            sms__client_fail(&share->client[c], now);
}

static void note_slowdown(struct sms__hosts *hosts, uint32_t p, uint64_t ran_ps)
{
    struct sms__cluster_record *record = hosts->run->record;
    const struct sms__pod *pod = &hosts->run->pod[p];
    const struct sms__nodes *kind = sms__node_kind(hosts->run->cluster, pod->node);
    if (!hosts->alone || pod->failed)
        return;
    const struct sms__solo *alone = sms__hosts_solo(hosts, hosts->alone, pod->tenant - 1u, (size_t)kind->device);
    if (alone->failed || alone->ps == SMS__NEVER)
        return;
    sms__histogram_add(&record->slowdown, (uint64_t)((double)ran_ps / (double)alone->ps * SMS__SLOWDOWN_ONE + 0.5));
    record->alone_ps += (sms__integral)alone->ps * sms__pod_processes(hosts->run, p);
}

void sms__hosts_through(void *subject, struct sms__client *client, uint64_t now)
{
    struct sms__hosts *hosts = subject;
    struct sms__cluster_run *run = hosts->run;
    struct sms__pod *pod = &run->pod[client->tag];
    if (client->tag == hosts->cut)
        return;
    if (is_first_to_fail(pod, client))
        fail_others(client->share, client, now);
    if (--pod->left > 0)
        return;
    note_slowdown(hosts, (uint32_t)client->tag, now - client->arrived_ps);
    if (hosts->overs == hosts->room) {
        uint32_t *grown = SMS__NEW(run->arena, uint32_t, hosts->room ? 2 * hosts->room : 16);
        for (size_t i = 0; i < hosts->overs; i++)
            grown[i] = hosts->over[i];
        hosts->over = grown;
        hosts->room = hosts->room ? 2 * hosts->room : 16;
    }
    hosts->over[hosts->overs++] = (uint32_t)client->tag;
    sms__engine_at(&run->engine, hosts->source, now);
}

static void end_pod(struct sms__hosts *hosts, uint32_t p, uint64_t now)
{
    hosts->ending -= hosts->spec.scenario->vm[hosts->run->pod[p].tenant - 1].repeat > 0;
    sms__pod_end(hosts->run, p, now);
}

void sms__hosts_end(struct sms__cluster_run *run, uint64_t now)
{
    struct sms__hosts *hosts = run->hosts;
    for (size_t i = 0; hosts && i < hosts->overs; i++)
        end_pod(hosts, hosts->over[i], now);
    if (hosts)
        hosts->overs = 0;
}

void sms__hosts_free(void *subject, uint64_t now)
{
    struct sms__hosts *hosts = subject;
    if (hosts->overs == 0) /* they have ended before things failed */
        return;
    sms__hosts_end(hosts->run, now);
    sms__cluster_freed(hosts->run, now);
}

void sms__hosts_lasted(struct sms__cluster_run *run, uint32_t p)
{
    const struct sms__pod *pod = &run->pod[p];
    if (pod->tenant)
        note_slowdown(run->hosts, p, pod->duration_ps);
}

static void abort_all(struct sms_share *share, uint32_t p, uint64_t now)
{
    for (size_t c = 0; c < share->clients; c++)
        if (share->client[c].taken && share->client[c].tag == p)
            sms__client_abort(&share->client[c], now);
}

/* A policy that hears of it may let others end as well: they are over, but not yet off their nodes. */
static bool take_over(struct sms__hosts *hosts, uint32_t p)
{
    size_t at = 0;
    while (at < hosts->overs && hosts->over[at] != p)
        at++;
    if (at == hosts->overs)
        return false;
    for (hosts->overs--; at < hosts->overs; at++)
        hosts->over[at] = hosts->over[at + 1];
    return true;
}

bool sms__hosts_cut(struct sms__cluster_run *run, uint32_t p, uint64_t now)
{
    struct sms__hosts *hosts = run->hosts;
    struct sms__pod *pod = &run->pod[p];
    if (!pod->tenant || !hosts->simulated)
        return false;
    hosts->cut = pod->failed ? SMS__NO_POD : p;
    abort_all(hosts->host[pod->node], p, now);
    hosts->cut = SMS__NO_POD;
    if (take_over(hosts, p)) {
        end_pod(hosts, p, now);
        return true;
    }
    hosts->ending -= run->scenario->vm[pod->tenant - 1].repeat > 0;
    return false;
}

bool sms__hosts_go_on(struct sms__cluster_run *run)
{
    return run->hosts && run->hosts->ending > 0 && sms__next_beside_master(run) != SMS__NEVER;
}
