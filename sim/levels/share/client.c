#include "share.h"

#include <string.h>

static void next_step(struct sms__client *client, uint64_t now);

static struct sms__place *place_of(const struct sms__client *client) { return client->place; }

static uint64_t room(const struct sms__place *place) { return place->model->memory - place->held; }

static const char *const phase_names[SMS_PHASES] = {"future",    "unplaced", "host",     "allocate",   "launch",
                                                    "copy_in",   "kernel",   "copy_out", "suspending", "suspended",
                                                    "restoring", "done",     "failed"};

/* A kernel on the device goes on whether its process is paused or not. */
static bool stands(const struct sms__client *client) { return client->paused && client->phase != SMS_PHASE_KERNEL; }

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
        struct sms_span span = {client->idx,         client->vm->name,       client->state,
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

static void enter(struct sms__client *client, enum sms_phase phase, uint64_t now)
{
    sms__client_settle(client, now);
    client->phase = phase;
    show(client, now);
}

static void tell(struct sms__client *client, enum sms_share_event_kind kind)
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

static void hold(struct sms__client *client, uint64_t bytes, uint64_t now)
{
    sms__place_hold(place_of(client), (int64_t)bytes, now);
    client->held += bytes;
    if (sms__client_held(client) > client->record->most_held)
        client->record->most_held = sms__client_held(client);
}

static void release(struct sms__client *client, uint64_t bytes, uint64_t now)
{
    sms__place_hold(place_of(client), -(int64_t)bytes, now);
    client->held -= bytes;
}

static void after(struct sms__client *client, double delay_ps, void (*then)(struct sms__client *, uint64_t),
                  uint64_t now)
{
    client->share->pending += client->timer == NULL;
    client->timer = then;
    sms__engine_at(&client->share->engine, client->source, sms__after(now, delay_ps));
}

/* Its context, and the memory that it had elsewhere. */
static void settle_in(struct sms__client *client, struct sms__place *place, uint64_t now)
{
    uint64_t held = client->held;
    client->held = 0;
    sms__place_enter(place, client, now);
    client->context = true;
    sms__place_hold(place, (int64_t)sms__client_context(client), now);
    hold(client, held, now);
    show(client, now);
}

/* Gives up all that it has on its device. */
static void move_out(struct sms__client *client, uint64_t now)
{
    struct sms__place *place = client->place;
    if (!place)
        return;
    sms__place_hold(place, -(int64_t)sms__client_held(client), now);
    client->context = false;
    sms__place_leave(place, client, now);
}

static void leave_run(struct sms__client *client, enum sms_phase phase, uint64_t now)
{
    move_out(client, now);
    client->held = client->wanted = 0;
    enter(client, phase, now);
    client->record->ended_ps = now;
    client->share->running--;
    tell(client, phase == SMS_PHASE_DONE ? SMS_EVENT_ENDED : SMS_EVENT_FAILED);
    if (client->share->running == 0)
        client->share->engine.stopped = true;
}

void sms__client_fail(struct sms__client *client, uint64_t now)
{
    if (client->phase == SMS_PHASE_DONE || client->phase == SMS_PHASE_FAILED)
        return;
    if (client->on_device) { /* what runs on a device is not taken back */
        client->doomed = true;
        return;
    }
    client->record->failed = true;
    sms__flow_drop(&client->flow, now);
    client->share->pending -= client->timer != NULL;
    client->timer = NULL;
    sms__engine_at(&client->share->engine, client->source, SMS__NEVER);
    leave_run(client, SMS_PHASE_FAILED, now);
}

static void end_job(struct sms__client *client, uint64_t now)
{
    struct sms__vm_record *record = client->vm_record;
    uint64_t latency = now - client->job_since_ps;
    record->jobs++;
    record->end_ps = now;
    client->jobs++;
    sms__histogram_add(&record->latency, latency);
    if (client->vm->deadline_ps > 0 && (double)latency > client->vm->deadline_ps) {
        record->missed++;
        record->tardiness_ps += (double)latency - client->vm->deadline_ps;
    }
    if (client->held)
        release(client, client->held, now); /* what a job leaves behind goes with it */
}

static void begin_job(struct sms__client *client, uint64_t now)
{
    client->step = 0;
    client->times = 0;
    client->excused = false;
    next_step(client, now);
}

static void context_created(struct sms__client *client, uint64_t now)
{
    tell(client, SMS_EVENT_PLACED);
    begin_job(client, now);
}

/* The step is over; what comes next, unless the process stands still. */
static void step_over(struct sms__client *client, uint64_t now)
{
    client->step++;
    client->times = 0;
    client->excused = false;
    next_step(client, now);
}

static void host_over(void *subject, uint64_t now) { step_over(subject, now); }

static void copied(void *subject, uint64_t now)
{
    struct sms__client *client = subject;
    bool in = client->phase == SMS_PHASE_COPY_IN;
    *(in ? &client->record->copied_in : &client->record->copied_out) += client->workload->step[client->step].amount;
    enter(client, SMS_PHASE_HOST, now);
    tell(client, in ? SMS_EVENT_COPIED_IN : SMS_EVENT_COPIED_OUT);
    step_over(client, now);
}

static void start_flow(struct sms__client *client, struct sms__flows *flows, double amount, uint64_t now)
{
    sms__flow_start(flows, &client->flow, amount, now);
    if (client->paused)
        sms__flow_stop(&client->flow, now);
}

/* Over the link of its board and what all boards share. */
static void copy(struct sms__client *client, bool in, double bytes, void (*done)(void *, uint64_t), uint64_t now)
{
    struct sms_share *share = client->share;
    struct sms__place *place = client->place;
    struct sms__board *board = &share->board[place->board];
    double most = in ? place->model->copy_in_most : place->model->copy_out_most;
    client->flow = (struct sms__flow){
        .most = most / 1e12,
        .pool = {in ? &board->in : &board->out, in ? &share->link_in : &share->link_out},
        .done = done,
        .subject = client,
    };
    start_flow(client, &share->links, bytes, now);
}

static void compute(struct sms__client *client, double ps, uint64_t now)
{
    struct sms_share *share = client->share;
    if (share->policy->intercepts)
        ps *= 1 + client->workload->overhead;
    client->flow = (struct sms__flow){.most = 1, .pool = {&share->cores}, .done = host_over, .subject = client};
    start_flow(client, &share->cpu, ps, now);
}

/* What a kernel asks of the device: its greatest demand; block by block, all of it. In parts. */
static double core_of(const struct sms__client *client, size_t k)
{
    const struct sms__fit *fit = sms__place_fit(client->place, client, k);
    double most = 0;
    for (size_t r = 0; client->workload->kernel[k].whole && r < SMS_RESOURCES_MAX; r++)
        most = fit->demand[r] > most ? fit->demand[r] : most;
    return most > 0 ? most : SMS_FULL;
}

double sms__client_core(const struct sms__client *client, size_t kernel)
{
    double core = core_of(client, kernel);
    return core < SMS_FULL ? core / SMS_FULL : 1;
}

static void prepare_launch(struct sms__client *client, size_t k)
{
    struct sms__record *record = client->share->spec->record;
    size_t of_vm = client->first_kernel + k;
    size_t kind = record->first_kernel[client->idx] + of_vm;
    const struct sms__kernel *kernel = &client->vm->workload->kernel[of_vm];
    client->kernel = k;
    client->launch = (struct sms__launch){
        .fit = sms__place_fit(client->place, client, k),
        .kernel = kernel,
        .vm = client->vm->name,
        .record = &record->kernel[kind],
        .stream = client->jitter[k],
        .kind = kind,
        .blocks = kernel->blocks,
    };
}

static void launch(struct sms__client *client, uint64_t now)
{
    struct sms__unit *unit = sms__place_unit(client->place, client);
    prepare_launch(client, client->workload->step[client->step].kernel);
    client->launched_ps = now;
    client->on_device = true;
    enter(client, SMS_PHASE_KERNEL, now);
    sms__place_kernel(client->place, core_of(client, client->kernel), 1, now);
    sms__unit_launch(unit, client, now);
    if (unit->owner)
        sms__slicer_ready(client->place, unit, now);
    tell(client, SMS_EVENT_LAUNCHED);
}

static void observe_kernel(const struct sms__client *client, uint64_t now)
{
    const struct sms__run_spec *spec = client->share->spec;
    if (!spec->observe || !spec->options->on_kernel)
        return;
    struct sms_kernel_run run = {client->place->board, 0,   client->vm->name,     client->launch.kernel->name,
                                 client->launched_ps,  now, client->launch.blocks};
    spec->options->on_kernel(spec->options->user, spec->observe, &run);
}

void sms__client_kernel_ended(struct sms__client *client, uint64_t now)
{
    struct sms__unit *unit = sms__place_unit(client->place, client);
    observe_kernel(client, now);
    unit->kernels--;
    client->on_device = false;
    if (unit->owner)
        sms__slicer_idle(client->place);
    else
        client->record->service_ps += now - client->launched_ps;
    sms__place_kernel(client->place, core_of(client, client->kernel), -1, now);
    enter(client, SMS_PHASE_HOST, now);
    client->times++;
    client->excused = false;
    tell(client, SMS_EVENT_KERNEL_ENDED);
    if (client->doomed)
        sms__client_fail(client, now);
    else
        next_step(client, now);
}

static void suspended(void *subject, uint64_t now)
{
    struct sms__client *client = subject;
    client->record->moved += (double)client->held;
    move_out(client, now);
    enter(client, SMS_PHASE_SUSPENDED, now);
    tell(client, SMS_EVENT_SUSPENDED);
}

static void suspend(struct sms__client *client, uint64_t now)
{
    client->record->suspends++;
    enter(client, SMS_PHASE_SUSPENDING, now);
    copy(client, false, (double)client->held, suspended, now);
}

/* What it waited for when it was suspended is granted: the memory for it has come with the rest. */
static void restored(void *subject, uint64_t now)
{
    struct sms__client *client = subject;
    bool allocating = client->wanted > 0;
    client->record->moved += (double)(client->held - client->wanted);
    client->wanted = 0;
    client->excused = true;
    enter(client, SMS_PHASE_HOST, now);
    tell(client, SMS_EVENT_RESTORED);
    if (allocating)
        step_over(client, now);
    else
        next_step(client, now);
}

static void copy_back(struct sms__client *client, uint64_t now)
{
    copy(client, true, (double)(client->held - client->wanted), restored, now);
}

bool sms__client_restore(struct sms__client *client, struct sms__place *place, uint64_t now)
{
    if (client->phase != SMS_PHASE_SUSPENDED || !sms__place_admits(place, client) ||
        room(place) - sms__client_context(client) < client->held + client->wanted)
        return false;
    client->record->migrations += place != client->left;
    client->held += client->wanted;
    settle_in(client, place, now);
    enter(client, SMS_PHASE_RESTORING, now);
    after(client, client->share->scenario->host.context_ps, copy_back, now);
    return true;
}

static enum sms_answer answer(struct sms__client *client,
                              enum sms_answer (*ask)(struct sms_share *share, size_t process), enum sms_answer plain)
{
    return ask ? ask(client->share, client->idx) : plain;
}

/* What came of asking the policy: the process waits on; what it asked for is under way, or it is elsewhere; or the
 * step is over. */
enum outcome { WAITS, GONE, OVER };

static enum outcome try_place(struct sms__client *client, uint64_t now)
{
    struct sms_share *share = client->share;
    const struct sms_share_policy *policy = share->policy;
    long chosen = policy->place ? policy->place(share, client->idx) : sms__place_choose(share, client);
    if (chosen < 0 || (size_t)chosen >= share->places || !sms__place_admits(&share->place[chosen], client))
        return WAITS;
    settle_in(client, &share->place[chosen], now);
    enter(client, SMS_PHASE_HOST, now);
    after(client, share->scenario->host.context_ps, context_created, now);
    return GONE;
}

static enum outcome allocate(struct sms__client *client, uint64_t now)
{
    if (client->wanted > room(client->place))
        return WAITS;
    hold(client, client->wanted, now);
    client->wanted = 0;
    enter(client, SMS_PHASE_HOST, now);
    tell(client, SMS_EVENT_ALLOCATED);
    return OVER;
}

/* For all answers but the one that grants. */
static enum outcome turn_down(struct sms__client *client, enum sms_answer given, uint64_t now)
{
    if (given == SMS_DEFER)
        return WAITS;
    if (given == SMS_SUSPEND) {
        suspend(client, now);
        return GONE;
    }
    client->record->refused++;
    sms__client_fail(client, now);
    return GONE;
}

static enum outcome try_allocate(struct sms__client *client, uint64_t now)
{
    bool fits = client->wanted <= room(client->place);
    enum sms_answer given = answer(client, client->share->policy->allocate, fits ? SMS_GRANT : SMS_REFUSE);
    return given == SMS_GRANT ? allocate(client, now) : turn_down(client, given, now);
}

static enum outcome try_launch(struct sms__client *client, uint64_t now)
{
    enum sms_answer given = answer(client, client->share->policy->launch, SMS_GRANT);
    if (given != SMS_GRANT)
        return turn_down(client, given, now);
    launch(client, now);
    return GONE;
}

static enum outcome ask(struct sms__client *client, uint64_t now)
{
    switch (client->phase) {
    case SMS_PHASE_UNPLACED:
        return try_place(client, now);
    case SMS_PHASE_ALLOCATE:
        return try_allocate(client, now);
    case SMS_PHASE_LAUNCH:
        return try_launch(client, now);
    default:
        return GONE; /* it has been moved meanwhile */
    }
}

bool sms__client_ask(struct sms__client *client, uint64_t now)
{
    enum outcome outcome = client->paused ? WAITS : ask(client, now);
    if (outcome == OVER)
        step_over(client, now);
    return outcome != WAITS;
}

/* Asks now; if the answer is to wait, again when something has changed. Returns whether the step is over. */
static bool request(struct sms__client *client, enum sms_phase phase, uint64_t now)
{
    enter(client, phase, now);
    enum outcome outcome = ask(client, now);
    if (outcome == WAITS)
        sms__share_wait(client->share, client);
    return outcome == OVER;
}

static void give_back(struct sms__client *client, const struct sms__step *step, uint64_t now)
{
    uint64_t bytes = step->amount > 0 ? (uint64_t)step->amount : client->held;
    release(client, bytes < client->held ? bytes : client->held, now);
    tell(client, SMS_EVENT_FREED);
}

/* Whether the policy suspends it before this call of the driver. */
static bool is_called_off(struct sms__client *client, const struct sms__step *step, uint64_t now)
{
    const struct sms_share_policy *policy = client->share->policy;
    if (!policy->call || step->kind == SMS__HOST || client->excused)
        return false;
    client->excused = true;
    if (policy->call(client->share, client->idx) != SMS_SUSPEND)
        return false;
    suspend(client, now);
    return true;
}

/* Begins a step. Returns whether it is over already. */
static bool begin_step(struct sms__client *client, const struct sms__step *step, uint64_t now)
{
    switch (step->kind) {
    case SMS__HOST:
        enter(client, SMS_PHASE_HOST, now);
        if (step->amount < 1)
            return true;
        compute(client, step->amount, now);
        return false;
    case SMS__ALLOCATE:
        client->wanted = (uint64_t)step->amount;
        return request(client, SMS_PHASE_ALLOCATE, now);
    case SMS__FREE:
        give_back(client, step, now);
        return true;
    case SMS__LAUNCH:
        if (client->times >= step->times)
            return true;
        return request(client, SMS_PHASE_LAUNCH, now);
    default:
        enter(client, step->kind == SMS__COPY_IN ? SMS_PHASE_COPY_IN : SMS_PHASE_COPY_OUT, now);
        copy(client, step->kind == SMS__COPY_IN, step->amount, copied, now);
        return false;
    }
}

static void next_job(struct sms__client *client, uint64_t now)
{
    if (client->vm->repeat && client->jobs >= client->vm->repeat) {
        client->vm_record->ended = true;
        leave_run(client, SMS_PHASE_DONE, now);
        return;
    }
    client->job_since_ps = now;
    begin_job(client, now); /* a job takes time: the model has seen to it */
}

static void next_step(struct sms__client *client, uint64_t now)
{
    client->halted = client->paused;
    if (client->paused)
        return;
    for (; client->step < client->workload->steps; client->step++) {
        const struct sms__step *step = &client->workload->step[client->step];
        if (is_called_off(client, step, now) || !begin_step(client, step, now))
            return;
        client->times = 0;
        client->excused = false;
    }
    end_job(client, now);
    next_job(client, now);
}

void sms__client_close(struct sms__client *client, uint64_t now) { emit_span(client, now); }

void sms__client_pause(struct sms__client *client, bool pause, uint64_t now)
{
    if (client->paused == pause)
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
        next_step(client, now);
    sms__share_changed(client->share);
}

static void arrive(struct sms__client *client, uint64_t now)
{
    client->arrived_ps = client->job_since_ps = now;
    enter(client, SMS_PHASE_UNPLACED, now);
    tell(client, SMS_EVENT_ARRIVED);
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

/* One workload of those that may be drawn; the same under every policy. */
static void draw_workload(struct sms__client *client, uint64_t seed)
{
    const struct sms__process *process = client->vm->process;
    size_t chosen = 0;
    if (process->choices > 1) {
        const char *name = sms__print(client->share->arena, "workload of %s", client->vm->name);
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
            client->jitter[k] =
                sms__stream(arena, seed, sms__print(arena, "blocks of %s/%s", client->vm->name, kernel), 0);
        }
}

void sms__client_init(struct sms_share *share, size_t idx)
{
    struct sms__client *client = &share->client[idx];
    const struct sms__run_spec *spec = share->spec;
    *client = (struct sms__client){
        .share = share,
        .vm = &share->scenario->vm[idx],
        .idx = idx,
        .record = &spec->record->process[idx],
        .vm_record = &spec->record->vm[idx],
        .running = spec->only_vm < 0 || (size_t)spec->only_vm == idx,
        .state = phase_names[SMS_PHASE_FUTURE],
        .state_place = -1,
    };
    draw_workload(client, spec->seed);
    init_jitter(client, spec->seed);
    client->source = sms__engine_source(&share->engine, SMS__LEVEL_TENANT, fire, client);
    if (!client->running)
        return;
    share->running++;
    share->pending++;
    client->timer = arrive;
    sms__engine_at(&share->engine, client->source, (uint64_t)(client->vm->start_ps + 0.5));
}
