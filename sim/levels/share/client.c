/* A process: the state that it is in, what it holds, its beginning and its end. */
#include "client.h"

static const char *const phase_names[SMS_PHASES] = {"future",    "unplaced", "host",     "allocate",   "launch",
                                                    "copy_in",   "kernel",   "copy_out", "suspending", "suspended",
                                                    "restoring", "done",     "failed"};

/* A kernel on the device goes on whether its process is paused or not; what has not arrived does nothing yet. */
static bool stands(const struct sms__client *client)
{
    return client->paused && client->phase != SMS_PHASE_KERNEL && client->phase != SMS_PHASE_FUTURE;
}

static const char *state_of(const struct sms__client *client)
{
    return stands(client) ? "paused" : phase_names[client->phase];
}

static void emit_span(struct sms__client *client, uint64_t now)
{
    const struct sms__run_spec *spec = client->share->spec;
    bool shown = client->shown != SMS_PHASE_FUTURE && client->shown != SMS_PHASE_DONE &&
                 client->shown != SMS_PHASE_FAILED && now > client->state_since_ps;
    if (shown && spec->observe && spec->options->on_span) {
        struct sms_span span = {client->idx,         client->name,           client->state,
                                client->state_place, client->state_since_ps, now};
        spec->options->on_span(spec->options->user, spec->observe, &span);
    }
}

/* Before anything that it is in changes: what has passed is counted for what it was in. */
void sms__client_settle(struct sms__client *client, uint64_t now)
{
    uint64_t elapsed = now - client->since_ps;
    client->since_ps = now;
    *(stands(client) ? &client->record->paused_ps : &client->record->state_ps[client->phase]) += elapsed;
}

/* Ends the span of the timeline that it was in, if it is in another state now. */
static void show(struct sms__client *client, uint64_t now)
{
    long device = client->place ? (long)client->place->idx : -1;
    const char *state = state_of(client);
    if (client->state == state && client->state_place == device)
        return;
    emit_span(client, now);
    client->state = state;
    client->shown = client->phase;
    client->state_place = device;
    client->state_since_ps = now;
}

void sms__client_enter(struct sms__client *client, enum sms_phase phase, uint64_t now)
{
    sms__client_settle(client, now);
    client->share->idle_wakes = 0; /* something has happened */
    client->phase = phase;
    show(client, now);
}

void sms__client_tell(struct sms__client *client, enum sms_share_event_kind kind)
{
    sms__share_tell(client->share, kind, client->idx);
}

uint64_t sms__client_context(const struct sms__client *client)
{
    return client->share->context + (uint64_t)client->workload->statics;
}

uint64_t sms__client_held(const struct sms__client *client)
{
    return client->held + (client->context ? sms__client_context(client) : 0);
}

void sms__client_hold(struct sms__client *client, uint64_t bytes, uint64_t now)
{
    sms__place_hold(client->place, (int64_t)bytes, now);
    client->held += bytes;
    if (sms__client_held(client) > client->record->most_held)
        client->record->most_held = sms__client_held(client);
}

void sms__client_release(struct sms__client *client, uint64_t bytes, uint64_t now)
{
    sms__place_hold(client->place, -(int64_t)bytes, now);
    client->held -= bytes;
}

void sms__client_after(struct sms__client *client, double delay_ps, void (*then)(struct sms__client *, uint64_t),
                       uint64_t now)
{
    client->share->pending += client->timer == NULL;
    client->timer = then;
    sms__engine_at(client->share->engine, client->source, sms__after(now, delay_ps));
}

/* Its context, and the memory that it had elsewhere. */
void sms__client_settle_in(struct sms__client *client, struct sms__place *place, uint64_t now)
{
    uint64_t held = client->held;
    client->held = 0;
    sms__place_enter(place, client, now);
    client->context = true;
    sms__place_hold(place, (int64_t)sms__client_context(client), now);
    sms__client_hold(client, held, now);
    show(client, now);
}

/* Gives up all that it has on its device. */
void sms__client_move_out(struct sms__client *client, uint64_t now)
{
    struct sms__place *place = client->place;
    if (!place)
        return;
    sms__place_hold(place, -(int64_t)sms__client_held(client), now);
    client->context = false;
    sms__place_leave(place, client, now);
}

void sms__client_leave(struct sms__client *client, enum sms_phase phase, uint64_t now)
{
    sms__client_use(client, false, now);
    sms__client_move_out(client, now);
    client->held = client->wanted = 0;
    sms__client_settle(client, now);
    client->paused = client->halted = false;
    sms__client_enter(client, phase, now);
    client->record->ended_ps = now;
    client->share->running--;
    sms__client_tell(client, phase == SMS_PHASE_DONE ? SMS_EVENT_ENDED : SMS_EVENT_FAILED);
    client->taken = false;
    sms__wakes_set(client->share);
    client->share->setup.through(client->share->setup.subject, client, now);
}

void sms__client_fail(struct sms__client *client, uint64_t now)
{
    if (sms__is_through(client))
        return;
    if (client->on_device) { /* what runs on a device is not taken back */
        client->doomed = true;
        return;
    }
    client->record->failed = true;
    sms__flow_drop(&client->flow, now);
    client->share->pending -= client->timer != NULL;
    client->timer = NULL;
    sms__engine_at(client->share->engine, client->source, SMS__NEVER);
    sms__client_leave(client, SMS_PHASE_FAILED, now);
}

void sms__client_close(struct sms__client *client, uint64_t now) { emit_span(client, now); }

void sms__client_pause(struct sms__client *client, bool pause, uint64_t now)
{
    if (client->paused == pause || sms__is_through(client))
        return;
    sms__client_settle(client, now);
    client->paused = pause;
    client->record->pauses += pause;
    show(client, now);
    if (pause) {
        sms__flow_stop(&client->flow, now);
        return;
    }
    sms__flow_go(&client->flow, now);
    if (client->halted)
        sms__client_go_on(client, now);
    sms__share_changed(client->share);
}

static void arrive(struct sms__client *client, uint64_t now)
{
    client->arrived_ps = client->job_since_ps = now;
    sms__client_enter(client, SMS_PHASE_UNPLACED, now);
    sms__client_tell(client, SMS_EVENT_ARRIVED);
    if (!sms__client_ask(client, now))
        sms__share_wait(client->share, client);
}

static void fire(void *subject, uint64_t now)
{
    struct sms__client *client = subject;
    void (*timer)(struct sms__client *, uint64_t) = client->timer;
    client->timer = NULL;
    client->share->pending--;
    timer(client, now);
}

void sms__client_register(struct sms__client *client)
{
    client->state = phase_names[SMS_PHASE_FUTURE];
    client->state_place = -1;
    client->source = sms__engine_source(client->share->engine, SMS__LEVEL_TENANT, fire, client);
}

void sms__client_come(struct sms__client *client, uint64_t start)
{
    client->share->running++;
    client->share->pending++;
    client->timer = arrive;
    sms__engine_at(client->share->engine, client->source, start);
    sms__wakes_set(client->share);
}

/* One workload of those that may be drawn; the same under every policy. */
static void draw_workload(struct sms__client *client, uint64_t seed)
{
    const struct sms__process *process = client->vm->process;
    size_t chosen = 0;
    if (process->choices > 1) {
        const char *name = sms__print(client->share->arena, "workload of %s", client->name);
        chosen = gsl_rng_uniform_int(sms__stream(client->share->arena, seed, name, 0), process->choices);
    }
    client->workload = process->choice[chosen].workload;
    client->first_kernel = process->choice[chosen].first;
    client->record->choice = chosen;
}

static void init_jitter(struct sms__client *client, uint64_t seed)
{
    struct sms__arena *arena = client->share->arena;
    client->jitter = SMS__NEW(arena, gsl_rng *, client->workload->kernels);
    for (size_t k = 0; k < client->workload->kernels; k++)
        if (sms__is_drawn(&client->workload->kernel[k])) {
            const char *kernel = client->workload->kernel[k].name;
            client->jitter[k] = sms__stream(arena, seed, sms__print(arena, "blocks of %s/%s", client->name, kernel), 0);
        }
}

void sms__client_init(struct sms_share *share, size_t idx)
{
    struct sms__client *client = &share->client[idx];
    const struct sms__run_spec *spec = share->spec;
    *client = (struct sms__client){
        .share = share,
        .vm = &share->setup.vm[idx],
        .name = share->setup.vm[idx].name,
        .idx = idx,
        .number = idx,
        .first_kind = spec->record->first_kernel[idx],
        .only = share->setup.vm[idx].process->device,
        .due_ps = UINT64_MAX,
        .record = &spec->record->process[idx],
        .vm_record = &spec->record->vm[idx],
        .running = spec->only_vm < 0 || (size_t)spec->only_vm == idx,
    };
    draw_workload(client, spec->seed);
    sms__client_register(client);
    if (!client->running) /* streams are large, and each of n stand-alone runs has n - 1 who do not run */
        return;
    init_jitter(client, spec->seed);
    sms__client_come(client, (uint64_t)(client->vm->start_ps + 0.5));
}
