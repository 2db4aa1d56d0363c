#include "client.h"

/* The clock of the block level inside: it stands still while the unit does not go. */
static uint64_t inner_now(const struct sms__unit *unit, uint64_t now)
{
    return unit->going ? now - unit->offset : unit->engine.now;
}

/* Nothing, while the kernel under way is a whole: the source is its. */
static void schedule(struct sms__unit *unit)
{
    if (unit->wholes.count)
        return;
    struct sms__engine *outer = unit->share->engine;
    uint64_t next = sms__engine_next(&unit->engine);
    bool comes = unit->going && next != SMS__NEVER && next <= SMS__NEVER - unit->offset;
    sms__engine_at(outer, unit->source, comes ? next + unit->offset : SMS__NEVER);
}

static void advance(struct sms__unit *unit, uint64_t now)
{
    int code = unit->going ? sms__engine_advance(&unit->engine, inner_now(unit, now)) : SMS_OK;
    if (code && !unit->share->code)
        unit->share->code = code;
    if (unit->share->code || unit->engine.stopped)
        unit->share->engine->stopped = true;
    schedule(unit);
    if (unit->place->slicer.draining && !sms__unit_runs(unit))
        sms__slicer_drained(unit->place, unit, now);
}

static void fire(void *subject, uint64_t now)
{
    struct sms__unit *unit = subject;
    if (unit->wholes.count)
        sms__wholes_fire(&unit->wholes, now);
    else
        advance(unit, now);
}

static void flush(void *subject, uint64_t now) { advance(subject, now); }

/* What the kernels of a VM are in the unit; `first`: of their kinds. */
static void add_kinds(const struct sms__unit *unit, size_t vm, size_t first, const struct sms__fit **kinds)
{
    for (size_t k = 0; k < unit->share->setup.vm[vm].workload->kernels; k++)
        kinds[first + k] = &sms__place_fits(unit->place, vm)[k];
}

/* What each (VM, kernel) that may run in the unit is on its device. A slot may have any VM. */
static const struct sms__fit *const *kinds_of(const struct sms__unit *unit)
{
    const struct sms_share *share = unit->share;
    const size_t *first = share->spec->record->first_kernel;
    const struct sms__fit **kinds = SMS__NEW(share->arena, const struct sms__fit *, share->kinds);
    size_t vms = share->setup.slots ? share->scenario->vms : 0;
    for (size_t at = 0; vms && at < share->kinds; at += first[vms])
        for (size_t v = 0; v < vms; v++)
            add_kinds(unit, v, at + first[v], kinds);
    if (vms)
        return kinds;
    for (size_t c = 0; c < share->streams; c++) {
        const struct sms__client *client = &share->client[c];
        bool runs = client->running && (!unit->owner || unit->owner == client->leader);
        for (size_t k = 0; runs && k < client->workload->kernels; k++)
            kinds[first[client->idx] + client->first_kernel + k] = sms__place_fit(unit->place, client, k);
    }
    return kinds;
}

static bool any_device_scope(const struct sms__fit *const *kinds, size_t count)
{
    bool any = false;
    for (size_t k = 0; k < count; k++)
        any |= kinds[k] && kinds[k]->device_scope;
    return any;
}

static void init_engine(struct sms__unit *unit, size_t clocks)
{
    size_t sources[SMS__LEVELS] = {0};
    sources[SMS__LEVEL_DEVICE_CLOCK] = clocks;
    sources[SMS__LEVEL_BLOCK] = unit->place->model->sms;
    sms__engine_init(&unit->engine, unit->share->arena, sources);
    unit->engine.linear_scan = unit->share->spec->options->engine == SMS_ENGINE_REFERENCE;
    unit->engine.cancel = unit->share->spec->options->cancel;
    unit->engine.max_events = unit->share->spec->options->max_events;
}

/* The first kernel that runs block by block brings the SMs. Under time slices their clock is not the run's, so
 * nobody watches them. */
static void bring_blocks(struct sms__unit *unit)
{
    struct sms_share *share = unit->share;
    const struct sms__run_spec *spec = share->spec;
    const struct sms__fit *const *kinds = kinds_of(unit);
    size_t n_kinds = share->kinds;
    size_t clocks = sms__device_clocks_max(share->scenario, unit->place->model);
    bool plain_queue = share->use->policy->queue == SMS_QUEUE_OF_SCENARIO;
    init_engine(unit, clocks);
    unit->blocks = (struct sms__blocks){
        .engine = &unit->engine,
        .model = unit->place->model,
        .policy = share->use,
        .contention = share->scenario->contention,
        .contention_view = unit->place->view,
        .record = unit->share->board[unit->place->board].blocks,
        .run = spec->record,
        .idx = share->setup.first_board + unit->place->board,
        .first_sm = unit->place->first_sm,
        .device_scope = any_device_scope(kinds, n_kinds),
        .options = spec->options,
        .allowed = sms__limits_of(share),
        .tenants = share->clients,
        .owners = unit->owner ? 1 : share->clients,
        .label = unit->owner ? NULL : spec->observe,
        .discipline = plain_queue ? share->scenario->queue : (int)share->use->policy->queue,
        .max_clocks = clocks,
    };
    sms__blocks_init(&unit->blocks, share->arena, kinds, n_kinds);
    unit->in_blocks = true;
}

void sms__unit_init(struct sms__unit *unit, struct sms_share *share, struct sms__place *place,
                    struct sms__client *owner)
{
    *unit = (struct sms__unit){.share = share, .place = place, .owner = owner, .going = owner == NULL};
    unit->source = sms__engine_source(share->engine, SMS__LEVEL_BLOCK, fire, unit);
    unit->last_held = &unit->held;
    unit->flush = (struct sms__action){.act = flush, .subject = unit};
    unit->wholes = (struct sms__wholes){
        .engine = share->engine,
        .source = unit->source,
        .pacer = {.contention = share->scenario->contention, .view = &place->view, .arena = share->arena},
        .record = share->board[place->board].blocks,
        .going = unit->going,
        .sms = place->model->sms,
    };
}

/* A coarse kernel that runs longer here than on the whole device, under a cap or on an instance, takes less of it by as
 * much. Returns the time for which it would take as much at its demand on the whole device. */
static sms__integral whole_device_ps(const struct sms__client *client, sms__integral here_ps)
{
    const struct sms__setup *setup = &client->share->setup;
    size_t k = client->first_kernel + client->kernel, model = setup->model[client->place->board];
    double work_ps = setup->vm[client->number].fit[model][k].work_ps;
    return work_ps < client->whole.fit->work_ps
               ? (sms__integral)((double)here_ps * (work_ps / client->whole.fit->work_ps) + 0.5)
               : here_ps;
}

static void whole_ended(void *subject, uint64_t now)
{
    struct sms__client *client = subject;
    const struct sms__fit *fit = client->whole.fit;
    struct sms__kernel_record *record = client->launch.record;
    record->launches++;
    record->blocks++;
    client->launch.span->residence_ps += whole_device_ps(client, client->whole.ran_ps);
    client->launch.span->work_ps += whole_device_ps(client, fit->work);
    sms__histogram_add(&record->latency, now - client->launched_ps);
    struct sms__unit *unit = sms__place_unit(client->place, client);
    if (!sms__unit_runs(unit))
        sms__slicer_drained(client->place, unit, now);
    sms__client_kernel_ended(client, now);
}

/* A coarse kernel under way; returns how much of it is done, in parts. */
static uint64_t credit_whole(const struct sms__unit *unit, struct sms__client *client, int sign, uint64_t now)
{
    struct sms__kernel_record *record = client->launch.record;
    const struct sms__whole *whole = &client->whole;
    uint64_t parts = sms__whole_parts(&unit->wholes, whole, now);
    sms__integral work = (sms__integral)whole->fit->work * parts / SMS__PARTS;
    record->block_parts += sign * (sms__integral)parts;
    client->launch.span->residence_ps += sign * whole_device_ps(client, sms__whole_ran_ps(&unit->wholes, whole, now));
    client->launch.span->work_ps += sign * whole_device_ps(client, work);
    return parts;
}

uint64_t sms__unit_credit(const struct sms__unit *unit, struct sms__client *client, int sign, uint64_t now)
{
    bool whole = client->launch.kernel->whole;
    uint64_t parts = whole ? credit_whole(unit, client, sign, now) : sms__launch_parts(&client->launch);
    client->launch.record->launch_parts += sign * (sms__integral)parts;
    return parts;
}

static void blocks_ended(void *subject, uint64_t now)
{
    struct sms__client *client = subject;
    (void)now; /* on the clock inside */
    sms__client_kernel_ended(client, client->share->engine->now);
}

/* A latency and a deadline are of the run's clock. A deadline that was over before the unit's clock began is 0. */
static void set_clock(const struct sms__unit *unit, struct sms__client *client)
{
    uint64_t deadline = sms__client_deadline(client);
    client->launch.launched_ps = client->launched_ps - unit->offset;
    client->launch.deadline_ps = deadline == UINT64_MAX    ? deadline
                                 : deadline > unit->offset ? deadline - unit->offset
                                                           : 0;
}

static void launch_blocks(struct sms__unit *unit, struct sms__client *client, uint64_t now)
{
    if (!unit->in_blocks)
        bring_blocks(unit);
    client->launch.ended = blocks_ended;
    client->launch.tenant = client->leader->idx;
    client->launch.owner = unit->owner ? 0 : client->leader->idx;
    client->launch.subject = client;
    if (unit->going && unit->engine.now < inner_now(unit, now))
        unit->engine.now = inner_now(unit, now); /* nothing was due before: it would have fired */
    set_clock(unit, client);
    sms__blocks_launch(&unit->blocks, &client->launch, inner_now(unit, now));
    set_clock(unit, client);
    sms__engine_defer(unit->share->engine, &unit->flush);
}

/* It comes from another stream than the one that drains, and starts in the next slice. */
static void hold_whole(struct sms__unit *unit, struct sms__client *client)
{
    client->next_held = NULL;
    *unit->last_held = client;
    unit->last_held = &client->next_held;
}

static void start_held(struct sms__unit *unit, uint64_t now)
{
    struct sms__client *client = unit->held;
    unit->held = NULL;
    unit->last_held = &unit->held;
    for (; client; client = client->next_held)
        sms__whole_start(&unit->wholes, &client->whole, client->whole.left, now);
}

/* A whole kernel takes longer by what the policy's interception of calls costs. */
static void launch_whole(struct sms__unit *unit, struct sms__client *client, uint64_t now)
{
    double work = client->launch.fit->work_ps;
    client->whole.fit = client->launch.fit;
    client->whole.ended = whole_ended;
    client->whole.subject = client;
    if (sms__is_drawn(client->launch.kernel))
        work = (double)sms__draw(client->launch.fit, client->launch.kernel, client->launch.stream);
    if (unit->share->policy->intercepts && !client->launch.kernel->made)
        work *= 1 + client->workload->overhead;
    client->launch.record->placed++;
    client->whole.work = client->whole.left = work;
    client->whole.ran_ps = 0;
    client->whole.speed = 0;
    if (unit->place->slicer.draining && unit->place->slicer.current == unit)
        hold_whole(unit, client);
    else
        sms__whole_start(&unit->wholes, &client->whole, work, now);
}

void sms__unit_launch(struct sms__unit *unit, struct sms__client *client, uint64_t now)
{
    unit->kernels++;
    if (client->launch.kernel->whole)
        launch_whole(unit, client, now);
    else
        launch_blocks(unit, client, now);
}

void sms__unit_drop(struct sms__unit *unit, struct sms__client *client, uint64_t now)
{
    unit->kernels--;
    if (client->launch.kernel->whole) {
        sms__whole_drop(&unit->wholes, &client->whole, now);
    } else {
        if (unit->going && unit->engine.now < inner_now(unit, now))
            unit->engine.now = inner_now(unit, now); /* nothing was due before: it would have fired */
        sms__blocks_drop(&unit->blocks, &client->launch, inner_now(unit, now));
        sms__engine_defer(unit->share->engine, &unit->flush);
    }
    if (!sms__unit_runs(unit))
        sms__slicer_drained(unit->place, unit, now);
    if (unit->owner && unit->kernels == 0)
        sms__slicer_dropped(unit->place, unit);
}

void sms__unit_set_going(struct sms__unit *unit, bool going, uint64_t now)
{
    if (unit->going == going)
        return;
    if (unit->in_blocks)
        advance(unit, now);
    if (unit->owner)
        sms__client_settle(unit->owner, now);
    unit->going = going;
    if (unit->owner)
        sms__client_show(unit->owner, now);
    sms__wholes_set_going(&unit->wholes, going, now);
    if (!unit->in_blocks)
        return;
    if (going) {
        unit->offset = now - unit->engine.now;
        for (struct sms__client *client = unit->owner; client; client = client->next_stream)
            set_clock(unit, client);
        sms__engine_defer(unit->share->engine, &unit->flush);
    }
    schedule(unit);
}

void sms__unit_hold(struct sms__unit *unit, bool hold, uint64_t now)
{
    if (!hold)
        start_held(unit, now);
    if (!unit->in_blocks)
        return;
    sms__blocks_hold(&unit->blocks, hold);
    sms__engine_defer(unit->share->engine, &unit->flush);
}

bool sms__unit_runs(const struct sms__unit *unit)
{
    return unit->wholes.count > 0 || (unit->in_blocks && sms__blocks_busy(&unit->blocks));
}

bool sms__unit_is_under_way(const struct sms__unit *unit)
{
    bool waits = unit->in_blocks && unit->blocks.waiting > 0;
    return unit->kernels > 0 && (!waits || sms__unit_runs(unit));
}

void sms__unit_settle(struct sms__unit *unit, int credit, uint64_t now)
{
    sms__wholes_count(&unit->wholes, now);
    if (!unit->in_blocks)
        return;
    sms__blocks_integrate(&unit->blocks, inner_now(unit, now));
    if (credit)
        sms__blocks_add_partial(&unit->blocks, credit, inner_now(unit, now));
}

uint64_t sms__unit_events(const struct sms__unit *unit) { return unit->in_blocks ? unit->engine.events : 0; }
