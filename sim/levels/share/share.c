#include "share.h"

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
        sms__engine_defer(&share->engine, &share->ask);
}

/* Each that waits, in the order in which they began to; those that still do keep their places. */
static void ask_all(void *subject, uint64_t now)
{
    struct sms_share *share = subject;
    struct sms__client *client = share->waiting, *next;
    share->waiting = NULL;
    share->last_waiting = &share->waiting;
    for (; client && !share->engine.stopped; client = next) {
        next = client->next_waiting;
        client->waiting = false;
        if (!sms__client_ask(client, now))
            sms__share_wait(share, client);
    }
}

static void settle_all(struct sms_share *share, int credit, uint64_t now)
{
    for (size_t p = 0; p < share->places; p++) {
        struct sms__place *place = &share->place[p];
        for (size_t u = 0; u < sms__units_per_place(share); u++)
            sms__unit_settle(&place->unit[u], credit, now);
        sms__slicer_settle(place, now);
    }
    for (size_t b = 0; b < share->scenario->devices; b++)
        sms__board_settle(share, b, now);
    for (size_t c = 0; c < share->clients; c++)
        sms__client_settle(&share->client[c], now);
}

static void end_warmup(void *subject, uint64_t now)
{
    struct sms_share *share = subject;
    settle_all(share, 0, now);
    sms__record_restart(share->spec->record, now);
    settle_all(share, -1, now);
}

static void end_run(void *subject, uint64_t now)
{
    (void)now;
    ((struct sms_share *)subject)->engine.stopped = true;
}

static void count_sources(const struct sms_share *share, size_t places, size_t sources[SMS__LEVELS])
{
    sources[SMS__LEVEL_BLOCK] = places * sms__units_per_place(share);
    sources[SMS__LEVEL_LINK] = 2;
    sources[SMS__LEVEL_TENANT] = share->clients + places;
    sources[SMS__LEVEL_POLICY] = 1;
    sources[SMS__LEVEL_RUN] = 2;
}

static void init_engine(struct sms_share *share)
{
    const struct sms_run_options *options = share->spec->options;
    size_t sources[SMS__LEVELS] = {0};
    count_sources(share, share->use->instances ? share->use->instances->count : share->scenario->devices, sources);
    sms__engine_init(&share->engine, share->arena, sources);
    share->engine.plain = options->engine == SMS_ENGINE_REFERENCE;
    share->engine.cancel = options->cancel;
    share->engine.max_events = options->max_events;
}

static void init_ends(struct sms_share *share)
{
    const struct sms_scenario *scenario = share->scenario;
    share->warmup_source = sms__engine_source(&share->engine, SMS__LEVEL_RUN, end_warmup, share);
    share->end_source = sms__engine_source(&share->engine, SMS__LEVEL_RUN, end_run, share);
    if (scenario->warmup_ps > 0)
        sms__engine_at(&share->engine, share->warmup_source, (uint64_t)(scenario->warmup_ps + 0.5));
    if (scenario->duration_ps > 0)
        sms__engine_at(&share->engine, share->end_source, (uint64_t)(scenario->duration_ps + 0.5));
}

static size_t count_streams(const struct sms_scenario *scenario)
{
    size_t streams = 0;
    for (size_t v = 0; v < scenario->vms; v++)
        streams += scenario->vm[v].streams;
    return streams;
}

static void init(struct sms_share *share)
{
    const struct sms__host *host = &share->scenario->host;
    share->clients = share->scenario->vms;
    share->context = (uint64_t)host->context_bytes;
    share->last_waiting = &share->waiting;
    share->ask = (struct sms__action){.act = ask_all, .subject = share};
    share->cores.capacity = (double)host->cores;
    share->link_in.capacity = host->link_in / 1e12;
    share->link_out.capacity = host->link_out / 1e12;
    init_engine(share);
    sms__flows_init(&share->cpu, &share->engine);
    sms__flows_init(&share->links, &share->engine);
    share->streams = share->clients;
    share->client = SMS__NEW(share->arena, struct sms__client, count_streams(share->scenario));
    for (size_t c = 0; c < share->clients; c++)
        sms__client_init(share, c);
    sms__places_init(share);
    sms__limits_init(share);
    sms__wakes_init(share);
    share->state = sms__alloc(share->arena, 1, share->policy->state ? share->policy->state : 1);
    init_ends(share);
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
    default:
        return SMS__STALL_LAUNCH;
    }
}

/* Nothing more happens, and some processes are not through: what they wait for. */
static void count_stalled(const struct sms_share *share, struct sms__record *record)
{
    for (size_t c = 0; c < share->clients && !share->engine.stopped; c++) {
        const struct sms__client *client = &share->client[c];
        if (client->running && client->unended)
            record->stall[client->paused ? SMS__STALL_RESUME : stall_of(client)]++;
    }
}

/* Nothing more happens, and yet something is under way: it would end beyond the clock. */
static bool is_beyond_clock(const struct sms_share *share)
{
    bool under_way = sms__flows_go(&share->cpu) || sms__flows_go(&share->links);
    for (size_t b = 0; b < share->scenario->devices; b++)
        under_way |= share->board[b].kernels > 0;
    return !share->engine.stopped && under_way;
}

static uint64_t count_events(const struct sms_share *share)
{
    uint64_t events = share->engine.events;
    for (size_t p = 0; p < share->places; p++)
        for (size_t u = 0; u < sms__units_per_place(share); u++)
            events += sms__unit_events(&share->place[p].unit[u]);
    return events;
}

int sms__share_run(struct sms__arena *arena, const struct sms__run_spec *spec)
{
    struct sms_share *share = SMS__NEW(arena, struct sms_share, 1);
    share->spec = spec;
    share->scenario = spec->scenario;
    share->use = spec->policy;
    share->policy = spec->policy->share;
    share->watches = share->policy->place || share->policy->allocate || share->policy->launch;
    share->arena = arena;
    sms__record_init(spec->record, arena, spec->scenario);
    init(share);
    int code = sms__engine_run(&share->engine);
    settle_all(share, 1, share->engine.now);
    for (size_t c = 0; c < share->clients; c++)
        sms__client_close(&share->client[c], share->engine.now);
    count_stalled(share, spec->record);
    spec->record->to_ps = share->engine.now;
    spec->record->events = count_events(share);
    if (*spec->record->why)
        return SMS_EBUG;
    code = share->code ? share->code : code;
    return code == SMS_OK && is_beyond_clock(share) ? SMS_EINPUT : code;
}
