/* A process: the state that it is in, what it holds, its beginning and its end. */
#include "client.h"

static const char *const phase_names[SMS_PHASES] = {"future",    "unplaced", "host",     "allocate",   "launch",
                                                    "copy_in",   "kernel",   "copy_out", "suspending", "suspended",
                                                    "restoring", "done",     "failed"};

/* A process of several streams is in the phase of theirs that comes last here; streams that are through do not matter.
 */
static const int weight[SMS_PHASES] = {
    [SMS_PHASE_FUTURE] = 1,    [SMS_PHASE_UNPLACED] = 2,  [SMS_PHASE_ALLOCATE] = 3, [SMS_PHASE_LAUNCH] = 4,
    [SMS_PHASE_HOST] = 5,      [SMS_PHASE_COPY_OUT] = 6,  [SMS_PHASE_COPY_IN] = 7,  [SMS_PHASE_SUSPENDING] = 8,
    [SMS_PHASE_SUSPENDED] = 8, [SMS_PHASE_RESTORING] = 8, [SMS_PHASE_KERNEL] = 9,
};

enum sms_phase sms__client_process_phase(const struct sms__client *leader)
{
    enum sms_phase phase = leader->phase;
    for (const struct sms__client *client = leader->next_stream; client; client = client->next_stream)
        phase = weight[client->phase] > weight[phase] ? client->phase : phase;
    return phase;
}

/* What is on the device or the link goes on while its process is about to be moved. */
static enum sms_phase seen_phase(const struct sms__client *client)
{
    const struct sms__client *mover = client->leader->mover;
    bool stays = client->phase == SMS_PHASE_KERNEL || client->phase == SMS_PHASE_COPY_IN ||
                 client->phase == SMS_PHASE_COPY_OUT || sms__is_through(client);
    return mover && !stays ? mover->phase : client->phase;
}

/* A kernel on the device goes on whether its process is paused or not; what has not arrived does nothing yet. */
static bool stands(const struct sms__client *leader, enum sms_phase phase)
{
    return leader->paused && phase != SMS_PHASE_KERNEL && weight[phase] > weight[SMS_PHASE_FUTURE];
}

/* It has a kernel under way, and another process has the device. */
static bool awaits_slice(const struct sms__client *client, enum sms_phase phase)
{
    return phase == SMS_PHASE_KERNEL && client->place && !sms__place_unit(client->place, client)->going;
}

static const char *state_of(const struct sms__client *client)
{
    enum sms_phase phase = seen_phase(client);
    if (awaits_slice(client, phase))
        return "waiting";
    return stands(client->leader, phase) ? "paused" : phase_names[phase];
}

static void emit_span(struct sms__client *client, uint64_t now)
{
    const struct sms__run_spec *spec = client->share->spec;
    bool shown = client->shown != SMS_PHASE_FUTURE && client->shown != SMS_PHASE_DONE &&
                 client->shown != SMS_PHASE_FAILED && now > client->state_since_ps;
    if (shown && spec->observe && spec->options->on_span) {
        struct sms_span span = {client->idx, client->name,  client->state, client->state_place, client->state_since_ps,
                                now,         client->stream};
        spec->options->on_span(spec->options->user, spec->observe, &span);
    }
}

/* Before anything that the process is in changes: what has passed is counted for what it was in. */
void sms__client_settle(struct sms__client *leader, uint64_t now)
{
    uint64_t elapsed = now - leader->since_ps;
    enum sms_phase phase = sms__client_process_phase(leader);
    leader->since_ps = now;
    leader->record->sliced_ps += awaits_slice(leader, phase) ? elapsed : 0;
    *(stands(leader, phase) ? &leader->record->paused_ps : &leader->record->state_ps[phase]) += elapsed;
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
    client->shown = seen_phase(client);
    client->state_place = device;
    client->state_since_ps = now;
}

void sms__client_show(struct sms__client *leader, uint64_t now)
{
    for (struct sms__client *client = leader; client; client = client->next_stream)
        show(client, now);
}

void sms__client_enter(struct sms__client *client, enum sms_phase phase, uint64_t now)
{
    struct sms__client *leader = client->leader;
    sms__client_settle(leader, now);
    client->share->idle_wakes = 0; /* something has happened */
    client->phase = phase;
    if (leader->mover == client)
        sms__client_show(leader, now);
    else
        show(client, now);
}

void sms__client_enter_all(struct sms__client *leader, enum sms_phase phase, uint64_t now)
{
    for (struct sms__client *client = leader; client; client = client->next_stream)
        sms__client_enter(client, phase, now);
}

void sms__client_tell(struct sms__client *client, enum sms_share_event_kind kind)
{
    sms__share_tell(client->share, kind, client->idx);
}

uint64_t sms__client_context(const struct sms__client *client)
{
    return client->share->context + client->leader->statics;
}

uint64_t sms__client_held(const struct sms__client *client)
{
    return client->leader->all_held + (client->leader->context ? sms__client_context(client) : 0);
}

static void note_most(struct sms__client *leader)
{
    if (sms__client_held(leader) > leader->record->peak_held)
        leader->record->peak_held = sms__client_held(leader);
}

void sms__client_hold(struct sms__client *client, uint64_t bytes, uint64_t now)
{
    sms__place_hold(client->place, (int64_t)bytes, now);
    client->held += bytes;
    client->leader->all_held += bytes;
    note_most(client->leader);
}

void sms__client_release(struct sms__client *client, uint64_t bytes, uint64_t now)
{
    sms__place_hold(client->place, -(int64_t)bytes, now);
    client->held -= bytes;
    client->leader->all_held -= bytes;
}

void sms__client_after(struct sms__client *client, double delay_ps, void (*then)(struct sms__client *, uint64_t),
                       uint64_t now)
{
    client->share->pending += client->timer == NULL;
    client->timer = then;
    sms__engine_at(client->share->engine, client->source, sms__after(now, delay_ps));
}

/* Its context, and the memory that it had elsewhere. */
void sms__client_settle_in(struct sms__client *leader, struct sms__place *place, uint64_t now)
{
    sms__place_enter(place, leader, now);
    leader->context = true;
    sms__place_hold(place, (int64_t)sms__client_context(leader), now);
    sms__place_hold(place, (int64_t)leader->all_held, now);
    note_most(leader);
    sms__client_show(leader, now);
}

/* Gives up all that it has on its device. */
void sms__client_move_out(struct sms__client *leader, uint64_t now)
{
    struct sms__place *place = leader->place;
    if (!place)
        return;
    sms__place_hold(place, -(int64_t)sms__client_held(leader), now);
    leader->context = false;
    sms__place_leave(place, leader, now);
}

void sms__client_leave(struct sms__client *leader, enum sms_phase phase, uint64_t now)
{
    for (struct sms__client *client = leader; client; client = client->next_stream) {
        sms__client_use(client, false, now);
        sms__client_give_up_job(client);
    }
    sms__client_move_out(leader, now);
    sms__client_settle(leader, now);
    leader->unended = leader->all_held = 0;
    leader->mover = NULL;
    leader->paused = false;
    for (struct sms__client *client = leader; client; client = client->next_stream) {
        client->held = client->wanted = 0;
        client->halted = false;
    }
    sms__client_enter_all(leader, phase, now);
    leader->record->ended_ps = now;
    leader->share->running--;
    sms__client_tell(leader, phase == SMS_PHASE_DONE ? SMS_EVENT_ENDED : SMS_EVENT_FAILED);
    leader->taken = false;
    sms__wakes_set(leader->share);
    leader->share->setup.through(leader->share->setup.subject, leader, now);
}

void sms__client_fail(struct sms__client *leader, uint64_t now)
{
    if (leader->unended == 0)
        return;
    if (leader->kernels) { /* what runs on a device is not taken back */
        leader->doomed = true;
        return;
    }
    leader->record->failed = true;
    for (struct sms__client *client = leader; client; client = client->next_stream)
        sms__flow_drop(&client->flow, now);
    leader->share->pending -= leader->timer != NULL;
    leader->timer = NULL;
    sms__engine_at(leader->share->engine, leader->source, SMS__NEVER);
    sms__client_leave(leader, SMS_PHASE_FAILED, now);
}

void sms__client_abort(struct sms__client *client, uint64_t now)
{
    if (client->on_device)
        sms__client_drop(client, now);
    sms__client_fail(client, now);
}

void sms__client_close(struct sms__client *leader, uint64_t now)
{
    for (struct sms__client *client = leader; client; client = client->next_stream)
        emit_span(client, now);
}

void sms__client_pause(struct sms__client *leader, bool pause, uint64_t now)
{
    if (leader->paused == pause || leader->unended == 0)
        return;
    sms__client_settle(leader, now);
    leader->paused = pause;
    leader->record->pauses += pause;
    sms__client_show(leader, now);
    for (struct sms__client *client = leader; client; client = client->next_stream)
        (pause ? sms__flow_stop : sms__flow_go)(&client->flow, now);
    if (pause)
        return;
    sms__client_resume(leader, now);
    sms__share_changed(leader->share);
}

/* Streams that stood still before a step go on, as far as the process lets them. */
void sms__client_resume(struct sms__client *leader, uint64_t now)
{
    for (struct sms__client *client = leader; client; client = client->next_stream)
        if (client->halted)
            sms__client_go_on(client, now);
}

static void arrive(struct sms__client *leader, uint64_t now)
{
    leader->arrived_ps = now;
    for (struct sms__client *client = leader; client; client = client->next_stream)
        client->job_since_ps = now;
    sms__client_enter_all(leader, SMS_PHASE_UNPLACED, now);
    sms__client_tell(leader, SMS_EVENT_ARRIVED);
    if (!sms__client_ask(leader, now))
        sms__share_wait(leader->share, leader);
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
static size_t draw_workload(struct sms__client *leader, uint64_t seed)
{
    const struct sms__vm *process = leader->vm;
    size_t chosen = 0;
    if (process->choices > 1 && !process->own) {
        const char *name = sms__print(leader->share->arena, "workload of %s", leader->vm->name);
        chosen = gsl_rng_uniform_int(sms__stream(leader->share->arena, seed, name, 0), process->choices);
    }
    leader->record->choice = chosen;
    return chosen;
}

/* Streams that do the same workload draw from one sequence. */
static void init_jitter(struct sms__client *leader, const struct sms__client *client, uint64_t seed)
{
    struct sms__arena *arena = client->share->arena;
    const struct sms__workload *named = client->vm->own ? client->vm->workload : client->workload;
    size_t first = client->vm->own ? client->first_kernel : 0;
    for (size_t k = 0; k < client->workload->kernels; k++) {
        gsl_rng **at = &leader->jitter[client->first_kernel + k];
        const char *kernel = named->kernel[first + k].name;
        if (sms__is_drawn(&client->workload->kernel[k]) && !*at)
            *at = sms__stream(arena, seed, sms__print(arena, "blocks of %s/%s", client->vm->name, kernel), 0);
    }
}

static struct sms__client stream_of(struct sms_share *share, struct sms__client *leader, size_t i)
{
    const struct sms__run_spec *spec = share->spec;
    size_t idx = (size_t)(leader - share->client);
    const struct sms__vm *vm = &share->setup.vm[idx];
    return (struct sms__client){
        .share = share,
        .vm = vm,
        .idx = idx,
        .number = idx,
        .first_kind = spec->record->first_kernel[idx],
        .only = vm->device,
        .due_ps = UINT64_MAX,
        .leader = leader,
        .stream = i,
        .name = vm->streams > 1 ? sms__print(share->arena, "%s/%zu", vm->name, i + 1) : vm->name,
        .record = &spec->record->process[idx],
        .vm_record = &spec->record->vm[idx],
        .running = spec->only_vm < 0 || (size_t)spec->only_vm == idx,
        .state = phase_names[SMS_PHASE_FUTURE],
        .state_place = -1,
        .unended = vm->streams,
    };
}

/* What all streams bring to the process. A workload's modules are loaded once. */
void sms__client_add_stream(struct sms__client *leader, const struct sms__client *client)
{
    bool loaded = false;
    for (const struct sms__client *other = leader; other != client; other = other->next_stream)
        loaded |= other->workload == client->workload;
    leader->statics += loaded ? 0 : (uint64_t)client->workload->statics;
    leader->declared += client->workload->declared;
    leader->exclusive |= client->workload->exclusive;
}

static void init_stream(struct sms__client *client, size_t drawn)
{
    const struct sms__vm *process = client->vm;
    const struct sms__choice *choice = &process->choice[process->own ? client->stream : drawn];
    client->workload = choice->workload;
    client->first_kernel = choice->first;
    sms__client_add_stream(client->leader, client);
}

void sms__client_init(struct sms_share *share, size_t idx)
{
    struct sms__client *leader = &share->client[idx], *last = leader;
    uint64_t seed = share->spec->seed;
    *leader = stream_of(share, leader, 0);
    size_t drawn = draw_workload(leader, seed);
    init_stream(leader, drawn);
    for (size_t i = 1; i < leader->vm->streams; i++) {
        last->next_stream = &share->client[share->streams++];
        last = last->next_stream;
        *last = stream_of(share, leader, i);
        init_stream(last, drawn);
    }
    sms__client_register(leader);
    if (!leader->running) /* random streams are large, and each of n stand-alone runs has n - 1 who do not run */
        return;
    leader->jitter = SMS__NEW(share->arena, gsl_rng *, leader->vm->workload->kernels);
    for (struct sms__client *client = leader; client; client = client->next_stream)
        init_jitter(leader, client, seed);
    sms__client_come(leader, (uint64_t)(leader->vm->start_ps + 0.5));
}
