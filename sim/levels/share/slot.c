/* Slots of a host for processes that come and go. A slot is of one board, and what it keeps (source of events, unit,
 * streams of random numbers) serves one process after another. */
#include "../../base/rng.h"
#include "client.h"

#include <stdio.h>

/* What policies see of a slot that nobody has had yet. */
static const struct sms__workload no_workload = {
    .name = "", .title = "", .source = "", .device = "", .scaled_from = "", .cls = ""};
static const struct sms__process_stream no_stream = {.repeat = 1};
static const struct sms__vm no_vm = {SMS__TENANT_DEFAULTS, .workload = &no_workload, .stream = &no_stream};

void sms__slot_init(struct sms_share *share, size_t idx)
{
    struct sms__client *client = &share->client[idx];
    *client = (struct sms__client){
        .share = share,
        .name = "",
        .vm = &no_vm,
        .workload = &no_workload,
        .idx = idx,
        .leader = client,
        .only = (long)(idx / share->setup.slots),
        .due_ps = UINT64_MAX,
        .record = SMS__NEW(share->arena, struct sms__process_record, 1),
        .text = sms__alloc(share->arena, SMS__CLIENT_NAME, 1),
    };
    sms__client_register(client);
}

static struct sms__client *find_free(struct sms_share *share, size_t board)
{
    struct sms__client *client = &share->client[board * share->setup.slots];
    while (client->taken)
        client++;
    return client;
}

/* One that failed may still be in the list. */
static void stop_waiting(struct sms_share *share, struct sms__client *client)
{
    struct sms__client **at = &share->waiting;
    if (!client->waiting)
        return;
    while (*at != client)
        at = &(*at)->next_waiting;
    *at = client->next_waiting;
    if (!*at)
        share->last_waiting = at;
    client->waiting = false;
}

/* Streams are named after the process, so that it draws the same in any slot. */
static void init_jitter(struct sms__client *client)
{
    struct sms_share *share = client->share;
    char name[3 * SMS__CLIENT_NAME];
    gsl_rng **before = client->jitter;
    size_t room = client->rooms;
    if (client->workload->kernels > room) {
        client->rooms = client->workload->kernels;
        client->jitter = SMS__NEW(share->arena, gsl_rng *, client->rooms);
        for (size_t k = 0; k < room; k++)
            client->jitter[k] = before[k];
    }
    for (size_t k = 0; k < client->workload->kernels; k++) {
        const struct sms__kernel *kernel = &client->workload->kernel[k];
        if (!sms__is_drawn(kernel))
            continue;
        snprintf(name, sizeof name, "blocks of %s/%s", client->name, kernel->name);
        if (client->jitter[k])
            sms__stream_again(client->jitter[k], share->spec->seed, name, 0);
        else
            client->jitter[k] = sms__stream(share->arena, share->spec->seed, name, 0);
    }
}

/* What units keep of the slot's context is of another one from now on. The slice of the one before may end at this
 * very instant, and is its own. */
static void renew_units(struct sms__client *client, uint64_t now)
{
    struct sms_share *share = client->share;
    for (size_t p = 0; p < share->places; p++) {
        struct sms__place *place = &share->place[p];
        if (!place->unit->owner || place->board != (size_t)client->only)
            continue;
        sms__place_unit(place, client)->renewed = true;
        sms__slicer_settle(place, now);
    }
}

struct sms__client *sms__share_admit(struct sms_share *share, const struct sms__coming *coming, uint64_t start)
{
    struct sms__client *client = find_free(share, coming->board), kept = *client;
    uint64_t now = share->engine->now;
    stop_waiting(share, client);
    renew_units(client, now);
    snprintf(client->text, SMS__CLIENT_NAME, "%s", coming->name);
    *client = (struct sms__client){
        .share = share,
        .name = kept.text,
        .vm = &share->setup.vm[coming->vm],
        .workload = share->setup.vm[coming->vm].workload,
        .idx = kept.idx,
        .leader = client,
        .unended = 1,
        .number = coming->vm,
        .first_kind = share->spec->record->first_kernel[coming->vm],
        .only = kept.only,
        .due_ps = coming->due_ps,
        .tag = coming->tag,
        .text = kept.text,
        .taken = true,
        .record = kept.record,
        .vm_record = &share->spec->record->vm[coming->vm],
        .running = true,
        .since_ps = now,
        .state = kept.state,
        .state_place = -1,
        .state_since_ps = now,
        .jitter = kept.jitter,
        .rooms = kept.rooms,
        .allowed = kept.allowed,
        .capped = kept.capped,
        .source = kept.source,
    };
    *client->record = (struct sms__process_record){0};
    if (share->limited)
        client->first_kind += client->idx * share->spec->record->first_kernel[share->scenario->vms];
    sms__client_add_stream(client, client);
    sms__limit_set(client);
    init_jitter(client);
    sms__client_come(client, start);
    return client;
}
