#include "client.h"

void sms__share_tell(struct sms_share *share, enum sms_share_event_kind kind, size_t process)
{
    const struct sms_share_event event = {kind, process};
    if (share->policy->event)
        share->policy->event(share, &event);
    if (share->watches)
        sms__share_changed(share);
}

void sms__share_wait(struct sms_share *share, struct sms__client *client)
{
    if (client->waiting)
        return;
    client->waiting = true;
    client->next_waiting = NULL;
    *share->last_waiting = client;
    share->last_waiting = &client->next_waiting;
}

void sms__share_changed(struct sms_share *share)
{
    if (share->waiting)
        sms__engine_defer(share->engine, &share->ask);
}

/* Each that waits, in the order in which they began to; those that still do keep their places. */
static void ask_all(void *subject, uint64_t now)
{
    struct sms_share *share = subject;
    struct sms__client *client = share->waiting, *next;
    share->waiting = NULL;
    share->last_waiting = &share->waiting;
    for (; client && !share->engine->stopped; client = next) {
        next = client->next_waiting;
        client->waiting = false;
        if (!sms__client_ask(client, now))
            sms__share_wait(share, client);
    }
}

/* What is done of the stream's kernel and job. */
static void credit_stream(struct sms__client *client, int sign, uint64_t now)
{
    uint64_t parts = 0;
    if (client->on_device)
        parts = sms__unit_credit(sms__place_unit(client->place, client), client, sign, now);
    sms__client_credit_job(client, sign, parts);
}

void sms__share_settle(struct sms_share *share, int credit, uint64_t now)
{
    for (size_t p = 0; p < share->places; p++) {
        struct sms__place *place = &share->place[p];
        for (size_t u = 0; u < place->units; u++)
            sms__unit_settle(&place->unit[u], credit, now);
        sms__slicer_settle(place, now);
    }
    for (size_t c = 0; credit && c < share->streams; c++)
        credit_stream(&share->client[c], credit, now);
    for (size_t b = 0; b < share->boards; b++)
        sms__board_settle(share, b, now);
    for (size_t c = 0; c < share->clients; c++)
        sms__client_settle(&share->client[c], now);
}

/* Of a slot, what is kept of its process, and of a board of its own. */
void sms__share_forget(struct sms_share *share)
{
    for (size_t c = 0; share->setup.slots && c < share->clients; c++)
        sms__process_record_restart(share->client[c].record);
    for (size_t b = 0; share->setup.slots && b < share->boards; b++) {
        *share->board[b].record = (struct sms__shared_record){.peak_held = share->board[b].record->peak_held};
        *share->board[b].blocks = (struct sms__device_record){0};
    }
}

static size_t count_clients(const struct sms__setup *setup)
{
    return setup->slots ? setup->slots * setup->boards : setup->spec->scenario->vms;
}

void sms__share_count(const struct sms__setup *setup, size_t sources[SMS__LEVELS])
{
    const struct sms__mode *mode = &setup->spec->policy->mode;
    bool sliced = mode->kind == SMS__MODE_TIME_SLICE || mode->kind == SMS__MODE_MIG;
    size_t units = !sliced ? 1 : setup->slots ? setup->slots : count_clients(setup);
    sources[SMS__LEVEL_BLOCK] += setup->boards * sms__places_each(setup) * units;
    sources[SMS__LEVEL_LINK] += 2;
    sources[SMS__LEVEL_TENANT] += count_clients(setup) + setup->boards * sms__places_each(setup);
    sources[SMS__LEVEL_POLICY] += 1;
}

static size_t count_streams(const struct sms__setup *setup)
{
    size_t streams = setup->slots ? count_clients(setup) : 0;
    for (size_t v = 0; !setup->slots && v < setup->spec->scenario->vms; v++)
        streams += setup->vm[v].streams;
    return streams;
}

static void init_host(struct sms_share *share)
{
    const struct sms__host *host = &share->scenario->host;
    share->context = (uint64_t)host->context_bytes;
    share->cores.capacity = share->setup.cores;
    share->link_in.capacity = host->link_in / 1e12;
    share->link_out.capacity = host->link_out / 1e12;
    sms__flows_init(&share->cpu, share->engine);
    sms__flows_init(&share->links, share->engine);
}

/* Kinds of kernels: those of all processes; who is kept to SMs of its own has kinds of its own. */
static void init_clients(struct sms_share *share)
{
    const size_t *first = share->spec->record->first_kernel;
    size_t kernels = first[share->scenario->vms];
    share->streams = share->clients;
    share->client = SMS__NEW(share->arena, struct sms__client, count_streams(&share->setup));
    share->limited = sms__limits_any(share);
    share->kinds = share->setup.slots && share->limited ? share->clients * kernels : kernels;
    for (size_t c = 0; c < share->clients; c++)
        if (share->setup.slots)
            sms__slot_init(share, c);
        else
            sms__client_init(share, c);
}

struct sms_share *sms__share_new(struct sms__arena *arena, const struct sms__setup *setup)
{
    struct sms_share *share = SMS__NEW(arena, struct sms_share, 1);
    *share = (struct sms_share){
        .setup = *setup,
        .spec = setup->spec,
        .scenario = setup->spec->scenario,
        .use = setup->spec->policy,
        .policy = setup->spec->policy->share,
        .arena = arena,
        .engine = setup->engine,
        .boards = setup->boards,
        .places = setup->boards * sms__places_each(setup),
        .clients = count_clients(setup),
        .ask = {.act = ask_all, .subject = share},
    };
    share->watches = share->policy->place || share->policy->allocate || share->policy->launch;
    share->last_waiting = &share->waiting;
    init_host(share);
    init_clients(share);
    sms__places_init(share);
    sms__limits_init(share);
    sms__wakes_init(share);
    share->state = sms__alloc(arena, 1, share->policy->state ? share->policy->state : 1);
    return share;
}

void sms__share_start(struct sms_share *share)
{
    if (share->policy->start)
        share->policy->start(share);
}

static enum sms__stall stall_of(const struct sms__client *client)
{
    switch (sms__client_process_phase(client)) {
    case SMS_PHASE_UNPLACED:
        return SMS__STALL_DEVICE;
    case SMS_PHASE_ALLOCATE:
        return SMS__STALL_MEMORY;
    case SMS_PHASE_SUSPENDED:
        return SMS__STALL_RESTORE;
    case SMS_PHASE_KERNEL:
        return SMS__STALL_SM;
    default:
        return SMS__STALL_LAUNCH;
    }
}

/* Nothing more happens, and some processes are not through: what they wait for. */
static void count_stalled(const struct sms_share *share, struct sms__record *record)
{
    for (size_t c = 0; c < share->clients && !share->engine->stopped; c++) {
        const struct sms__client *client = &share->client[c];
        if (client->running && client->unended)
            record->stall[client->paused ? SMS__STALL_RESUME : stall_of(client)]++;
    }
}

void sms__share_close(struct sms_share *share, uint64_t now)
{
    for (size_t c = 0; c < share->clients; c++)
        sms__client_close(&share->client[c], now);
    count_stalled(share, share->spec->record);
}

const struct sms__client *sms__share_busy(const struct sms_share *share)
{
    bool under_way = sms__flows_go(&share->cpu) || sms__flows_go(&share->links) || share->pending > 0;
    for (size_t p = 0; p < share->places; p++)
        for (size_t u = 0; u < share->place[p].units; u++)
            under_way |= sms__unit_is_under_way(&share->place[p].unit[u]);
    for (size_t c = 0; c < share->clients && under_way; c++)
        if (share->client[c].running && !sms__is_through(&share->client[c]))
            return share->client[c].leader;
    return NULL;
}

uint64_t sms__share_events(const struct sms_share *share)
{
    uint64_t events = 0;
    for (size_t p = 0; p < share->places; p++)
        for (size_t u = 0; u < share->place[p].units; u++)
            events += sms__unit_events(&share->place[p].unit[u]);
    return events;
}
