/* The steps of a process, one after another, and its jobs. */
#include "client.h"

void sms__client_use(struct sms__client *client, bool uses, uint64_t now)
{
    const struct sms__setup *setup = &client->share->setup;
    if (client->uses == uses)
        return;
    client->uses = uses;
    if (setup->job)
        setup->job(setup->subject, client, uses, now);
}

static void end_job(struct sms__client *client, uint64_t now)
{
    sms__client_use(client, false, now);
    client->jobs++;
    client->in_job = false;
    sms__record_job(client->vm_record, client->job_since_ps, client->vm->deadline_ps, now);
    if (client->held)
        sms__client_release(client, client->held, now); /* what a job leaves behind goes with it */
}

void sms__client_credit_job(struct sms__client *client, int sign, uint64_t parts)
{
    if (!client->in_job)
        return;
    uint64_t done = sms__job_parts(client->workload, client->step, client->times, parts);
    client->vm_record->job_parts += sign * (sms__integral)done;
    client->parts_before = sign < 0 ? done : client->parts_before;
}

void sms__client_give_up_job(struct sms__client *client)
{
    if (client->in_job)
        client->vm_record->job_parts += client->parts_before;
    client->in_job = false;
}

void sms__client_begin_job(struct sms__client *client, uint64_t now)
{
    client->in_job = true;
    client->parts_before = 0;
    client->step = 0;
    client->times = 0;
    client->excused = false;
    sms__client_go_on(client, now);
}

/* The step is over; what comes next, unless the process stands still. */
void sms__client_step_over(struct sms__client *client, uint64_t now)
{
    client->step++;
    client->times = 0;
    client->excused = false;
    sms__client_go_on(client, now);
}

static void host_over(void *subject, uint64_t now) { sms__client_step_over(subject, now); }

static void copied(void *subject, uint64_t now)
{
    struct sms__client *client = subject;
    bool in = client->phase == SMS_PHASE_COPY_IN;
    *(in ? &client->record->copied_in : &client->record->copied_out) += client->workload->step[client->step].amount;
    sms__client_enter(client, SMS_PHASE_HOST, now);
    sms__client_tell(client, in ? SMS_EVENT_COPIED_IN : SMS_EVENT_COPIED_OUT);
    sms__client_step_over(client, now);
}

static void start_flow(struct sms__client *client, struct sms__flows *flows, double amount, uint64_t now)
{
    sms__flow_start(flows, &client->flow, amount, now);
    if (client->leader->paused)
        sms__flow_stop(&client->flow, now);
}

/* Over the link of its board and what all boards share. */
void sms__client_copy(struct sms__client *client, bool in, double bytes, void (*done)(void *, uint64_t), uint64_t now)
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

static void give_back(struct sms__client *client, const struct sms__step *step, uint64_t now)
{
    uint64_t bytes = step->amount > 0 ? (uint64_t)step->amount : client->held;
    sms__client_release(client, bytes < client->held ? bytes : client->held, now);
    sms__client_tell(client, SMS_EVENT_FREED);
}

/* Whether the policy suspends it before this call of the driver. */
static bool is_called_off(struct sms__client *client, const struct sms__step *step, uint64_t now)
{
    const struct sms_share_policy *policy = client->share->policy;
    if (!policy->call || step->kind == SMS__HOST || client->excused)
        return false;
    client->excused = true;
    bool off = sms__client_consult(client, policy->call) == SMS_SUSPEND;
    if (off && !sms__is_through(client))
        sms__client_suspend(client, now);
    return off || sms__is_through(client);
}

/* Begins a step. Returns whether it is over already. */
static bool begin_step(struct sms__client *client, const struct sms__step *step, uint64_t now)
{
    if (step->kind != SMS__HOST)
        sms__client_use(client, true, now);
    switch (step->kind) {
    case SMS__HOST:
        sms__client_enter(client, SMS_PHASE_HOST, now);
        if (step->amount < 1)
            return true;
        compute(client, step->amount, now);
        return false;
    case SMS__ALLOCATE:
        client->wanted = (uint64_t)step->amount;
        return sms__client_request(client, SMS_PHASE_ALLOCATE, now);
    case SMS__FREE:
        give_back(client, step, now);
        return true;
    case SMS__LAUNCH:
        if (client->times >= step->times)
            return true;
        return sms__client_request(client, SMS_PHASE_LAUNCH, now);
    default:
        sms__client_enter(client, step->kind == SMS__COPY_IN ? SMS_PHASE_COPY_IN : SMS_PHASE_COPY_OUT, now);
        sms__client_copy(client, step->kind == SMS__COPY_IN, step->amount, copied, now);
        return false;
    }
}

/* Where jobs have a period: the start that the next one is to have; else 0. */
static uint64_t next_start(const struct sms__client *client)
{
    double period = client->vm->period_ps;
    return period > 0 ? sms__after(client->leader->arrived_ps, period * (double)client->jobs) : 0;
}

static void end_stream(struct sms__client *client, uint64_t now)
{
    if (--client->leader->unended > 0) {
        sms__client_enter(client, SMS_PHASE_DONE, now);
        return;
    }
    client->vm_record->ended = true;
    sms__client_leave(client->leader, SMS_PHASE_DONE, now);
}

/* `left`: the last one has left memory behind, which is free now. */
static void next_job(struct sms__client *client, bool left, uint64_t now)
{
    uint64_t repeat = client->vm->stream[client->stream].repeat;
    if (repeat && client->jobs >= repeat) {
        end_stream(client, now);
        return;
    }
    uint64_t due = next_start(client);
    client->job_since_ps = due > 0 && due < now ? due : now;
    if (left)
        sms__client_tell(client, SMS_EVENT_FREED);
    if (due <= now) {
        sms__client_begin_job(client, now); /* a job takes time: the model has seen to it */
        return;
    }
    client->job_since_ps = due;
    sms__client_enter(client, SMS_PHASE_HOST, now);
    sms__client_after(client, (double)(due - now), sms__client_begin_job, now);
}

/* The policy may pause or fail a process at any of its functions, so whether it goes on is asked before each step. */
void sms__client_go_on(struct sms__client *client, uint64_t now)
{
    while (!sms__is_through(client)) {
        client->halted = sms__is_stopped(client);
        if (client->halted) {
            sms__client_drain(client->leader, now);
            return;
        }
        if (client->step == client->workload->steps)
            break;
        const struct sms__step *step = &client->workload->step[client->step];
        if (is_called_off(client, step, now) || !begin_step(client, step, now))
            return;
        client->step++;
        client->times = 0;
        client->excused = false;
    }
    if (sms__is_through(client))
        return;
    bool left = client->held > 0;
    end_job(client, now);
    next_job(client, left, now);
}
