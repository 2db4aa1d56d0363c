/* The engine as share policies see it: smsched/share.h. */
#include "share.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

/* A policy broke its contract: the run ends, and the first reason stands. */
static bool refuse(const struct sms_share *share, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool refuse(const struct sms_share *share, const char *format, ...)
{
    struct sms__record *record = share->spec->record;
    va_list args;
    va_start(args, format);
    if (!*record->why)
        vsnprintf(record->why, sizeof record->why, format, args);
    va_end(args);
    share->engine->stopped = true;
    return false;
}

static bool is_process(const struct sms_share *share, size_t process)
{
    return share && (process < share->clients || refuse(share, "share policy %s named process %zu of %zu",
                                                        share->policy->name, process, share->clients));
}

static bool is_device(const struct sms_share *share, size_t device)
{
    return share && (device < share->places || refuse(share, "share policy %s named device %zu of %zu",
                                                      share->policy->name, device, share->places));
}

uint64_t sms_share_now(const struct sms_share *share) { return share ? share->engine->now : 0; }

void *sms_share_state(const struct sms_share *share) { return share ? share->state : NULL; }

double sms_share_param(const struct sms_share *share, size_t idx)
{
    return share && idx < sms__count_params(share->policy->params) ? share->use->share_param[idx] : NAN;
}

size_t sms_share_processes(const struct sms_share *share) { return share ? share->clients : 0; }

size_t sms_share_devices(const struct sms_share *share) { return share ? share->places : 0; }

uint64_t sms_share_context(const struct sms_share *share) { return share ? share->context : 0; }

void *sms_share_alloc(struct sms_share *share, size_t count, size_t size)
{
    return share ? sms__alloc(share->arena, count, size) : NULL;
}

/* Time alone of a step, as far as it is known before it is done. */
static double step_ps(const struct sms__client *client, const struct sms__step *step)
{
    const struct sms__device *model = client->place ? client->place->model : client->share->place[0].model;
    const struct sms__place *place = client->place ? client->place : &client->share->place[0];
    double most = step->kind == SMS__COPY_IN ? model->copy_in_most : model->copy_out_most;
    double rate = most > 0 && most < model->link_bandwidth ? most : model->link_bandwidth;
    switch (step->kind) {
    case SMS__HOST:
        return step->amount;
    case SMS__COPY_IN:
    case SMS__COPY_OUT:
        return rate > 0 ? step->amount / rate * 1e12 : 0;
    case SMS__LAUNCH:
        return (double)step->times * sms__place_kernel_ps(place, client, step->kernel);
    default:
        return 0;
    }
}

/* What is left of the step under way counts whole. */
static double left_of(const struct sms__client *client)
{
    double left = 0;
    for (size_t s = client->step; s < client->workload->steps; s++)
        left += step_ps(client, &client->workload->step[s]);
    return left;
}

/* Streams go on beside each other: the longest. */
static double left_ps(const struct sms__client *leader)
{
    double most = left_of(leader);
    for (const struct sms__client *client = leader->next_stream; client; client = client->next_stream) {
        double left = client->phase == SMS_PHASE_DONE ? 0 : left_of(client);
        most = left > most ? left : most;
    }
    return most;
}

static size_t kernel_of(const struct sms__client *client) { return client->workload->step[client->step].kernel; }

static double kernel_ps(const struct sms__client *client)
{
    bool has = client->phase == SMS_PHASE_KERNEL || client->phase == SMS_PHASE_LAUNCH;
    return has && client->place ? sms__place_kernel_ps(client->place, client, kernel_of(client)) : 0;
}

static uint64_t service_of(const struct sms__client *leader)
{
    const struct sms__slicer *slicer = leader->place ? &leader->place->slicer : NULL;
    uint64_t now = leader->share->engine->now;
    bool sliced = slicer && slicer->current && slicer->current->owner == leader;
    bool together = leader->kernels && slicer && !sms__is_sliced(leader->share);
    return leader->record->service_ps + (sliced ? now - slicer->since_ps : 0) +
           (together ? now - leader->served_since_ps : 0);
}

/* Of a job that has a deadline. */
uint64_t sms__client_deadline(const struct sms__client *client)
{
    double allowed = client->vm->deadline_ps;
    if (client->due_ps != UINT64_MAX)
        return client->due_ps;
    return allowed > 0 ? client->job_since_ps + (uint64_t)allowed : UINT64_MAX;
}

static uint64_t earliest_deadline(const struct sms__client *leader)
{
    uint64_t earliest = sms__client_deadline(leader);
    for (const struct sms__client *client = leader->next_stream; client; client = client->next_stream)
        if (client->phase != SMS_PHASE_DONE && sms__client_deadline(client) < earliest)
            earliest = sms__client_deadline(client);
    return earliest;
}

static uint64_t whole_ps(double ps) { return ps < 9.2e18 ? (uint64_t)ps : UINT64_MAX / 2; }

/* The stream that speaks for the process: the one about which the policy is asked, or at whose call the process is
 * moved, or the first in the process's phase. */
static const struct sms__client *speaker_of(const struct sms__client *leader)
{
    const struct sms__client *asking = leader->share->asking;
    if (asking && asking->leader == leader)
        return asking;
    if (leader->mover)
        return leader->mover;
    const struct sms__client *client = leader;
    while (client->phase != sms__client_process_phase(leader))
        client = client->next_stream;
    return client;
}

/* All its kernels together. */
static double core_of(const struct sms__client *leader)
{
    double core = 0;
    for (const struct sms__client *client = leader; client; client = client->next_stream)
        core += client->on_device ? sms__client_core(client, client->kernel) : 0;
    return core < 1 ? core : 1;
}

struct sms_process_view sms_share_process(const struct sms_share *share, size_t process)
{
    if (!is_process(share, process))
        return (struct sms_process_view){.name = "", .phase = SMS_PHASE_DONE, .device = -1};
    const struct sms__client *leader = &share->client[process], *client = speaker_of(leader);
    bool asked = client == share->asking;
    return (struct sms_process_view){
        .name = sms__process_name(leader),
        .cls = client->workload->cls,
        .phase = client->phase,
        .paused = leader->paused,
        .exclusive = leader->exclusive,
        .device = leader->place ? (long)leader->place->idx : -1,
        .context = sms__client_context(leader),
        .held = sms__client_held(leader),
        .wanted = client->wanted,
        .declared = leader->declared + sms__client_context(leader),
        .core = core_of(leader),
        .core_next = client->phase == SMS_PHASE_LAUNCH ? sms__client_core(client, kernel_of(client)) : 0,
        .priority = leader->vm->priority,
        .weight = leader->vm->weight,
        .arrived_ps = leader->arrived_ps,
        .deadline_ps = asked ? sms__client_deadline(client) : earliest_deadline(leader),
        .service_ps = service_of(leader),
        .kernel_ps = whole_ps(kernel_ps(client)),
    };
}

uint64_t sms_share_left(const struct sms_share *share, size_t process)
{
    return is_process(share, process) ? whole_ps(left_ps(&share->client[process])) : 0;
}

struct sms_share_device_view sms_share_device(const struct sms_share *share, size_t device)
{
    if (!is_device(share, device))
        return (struct sms_share_device_view){.name = ""};
    const struct sms__place *place = &share->place[device];
    return (struct sms_share_device_view){
        .name = place->model->name,
        .memory = place->model->memory,
        .free = place->model->memory - place->held,
        .processes = place->clients,
        .core = place->core < SMS_FULL ? place->core / SMS_FULL : 1,
    };
}

long sms_share_choose(const struct sms_share *share, size_t process)
{
    return is_process(share, process) ? sms__place_choose(share, &share->client[process]) : SMS_WAIT;
}

bool sms_share_allows(const struct sms_share *share, size_t process, size_t device)
{
    return is_process(share, process) && is_device(share, device) &&
           sms__place_allows(&share->place[device], &share->client[process]);
}

bool sms_share_admits(const struct sms_share *share, size_t process, size_t device)
{
    return is_process(share, process) && is_device(share, device) &&
           sms__place_admits(&share->place[device], &share->client[process]);
}

/* False, and the end of the run, in a function of the policy that may change nothing. */
static bool may_act(struct sms_share *share, const char *what)
{
    return !share->choosing ||
           refuse(share, "share policy %s called %s in its function next", share->policy->name, what);
}

void sms_share_pause(struct sms_share *share, size_t process)
{
    if (is_process(share, process) && may_act(share, "sms_share_pause"))
        sms__client_pause(&share->client[process], true, share->engine->now);
}

void sms_share_resume(struct sms_share *share, size_t process)
{
    if (is_process(share, process) && may_act(share, "sms_share_resume"))
        sms__client_pause(&share->client[process], false, share->engine->now);
}

double sms_share_random(struct sms_share *share)
{
    if (!share)
        return 0;
    if (!share->chance)
        share->chance = sms__stream(share->arena, share->spec->seed, "share policy", share->setup.number);
    return gsl_rng_uniform(share->chance);
}

bool sms_share_restore(struct sms_share *share, size_t process, size_t device)
{
    return is_process(share, process) && is_device(share, device) && may_act(share, "sms_share_restore") &&
           sms__client_restore(&share->client[process], &share->place[device], share->engine->now);
}

void sms_share_fail(struct sms_share *share, size_t process)
{
    if (is_process(share, process) && may_act(share, "sms_share_fail"))
        sms__client_fail(&share->client[process], share->engine->now);
}

void sms_share_say(struct sms_share *share, size_t process, const char *format, ...)
{
    if (!is_process(share, process) || !format)
        return;
    const struct sms__run_spec *spec = share->spec;
    uint64_t now = share->engine->now;
    char text[256];
    va_list args;
    bool asked = spec->observe && spec->options->on_saying && now >= spec->options->explain_from_ps &&
                 now <= spec->options->explain_to_ps;
    if (!asked)
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    const struct sms_saying saying = {now, share->client[process].name, text};
    spec->options->on_saying(spec->options->user, spec->observe, &saying);
}

/* Timers: a binary heap by time, then number. */
static bool before(const struct sms__wake *a, const struct sms__wake *b)
{
    return a->time != b->time ? a->time < b->time : a->number < b->number;
}

static void swap(struct sms__wake *a, struct sms__wake *b)
{
    struct sms__wake kept = *a;
    *a = *b;
    *b = kept;
}

static void sift_down(struct sms__wake *wake, size_t count)
{
    for (size_t at = 0, child = 1; child < count; at = child, child = 2 * at + 1) {
        child += child + 1 < count && before(&wake[child + 1], &wake[child]);
        if (!before(&wake[child], &wake[at]))
            return;
        swap(&wake[child], &wake[at]);
    }
}

static void schedule_wakes(struct sms_share *share)
{
    bool asleep = share->setup.slots && share->running == 0;
    uint64_t now = share->engine->now, time = share->wakes && !asleep ? share->wake[0].time : SMS__NEVER;
    sms__engine_at(share->engine, share->wake_source, time > now ? time : now);
}

void sms__wakes_set(struct sms_share *share)
{
    if (share->setup.slots)
        schedule_wakes(share);
}

/* A policy whose timers go on for ever while nothing else is under way and nothing comes of them waits for something
 * that never comes: it gets no more of them. */
enum { IDLE_WAKES_MAX = 1 << 16 };

static bool is_idle(const struct sms_share *share)
{
    bool busy = share->pending > 0 || sms__flows_go(&share->cpu) || sms__flows_go(&share->links);
    for (size_t b = 0; b < share->boards; b++)
        busy |= share->board[b].kernels > 0;
    return !busy;
}

static void fire_wake(void *subject, uint64_t now)
{
    struct sms_share *share = subject;
    size_t tag = share->wake[0].tag;
    (void)now;
    share->wake[0] = share->wake[--share->wakes];
    sift_down(share->wake, share->wakes);
    schedule_wakes(share);
    share->idle_wakes = is_idle(share) ? share->idle_wakes + 1 : 0;
    if (share->idle_wakes > IDLE_WAKES_MAX) {
        share->wakes = 0;
        schedule_wakes(share);
        return;
    }
    if (share->policy->timer)
        share->policy->timer(share, tag);
    sms__share_changed(share);
}

void sms__wakes_init(struct sms_share *share)
{
    share->wake_source = sms__engine_source(share->engine, SMS__LEVEL_POLICY, fire_wake, share);
}

static void make_room(struct sms_share *share)
{
    if (share->wakes < share->wakes_room)
        return;
    size_t room = share->wakes_room ? 2 * share->wakes_room : 16;
    struct sms__wake *grown = SMS__NEW(share->arena, struct sms__wake, room);
    for (size_t i = 0; i < share->wakes; i++)
        grown[i] = share->wake[i];
    share->wake = grown;
    share->wakes_room = room;
}

void sms_share_wake(struct sms_share *share, uint64_t delay_ps, size_t tag)
{
    if (!share || !may_act(share, "sms_share_wake"))
        return;
    uint64_t now = share->engine->now, time = delay_ps > SMS__NEVER - 1 - now ? SMS__NEVER - 1 : now + delay_ps;
    make_room(share);
    size_t at = share->wakes++;
    share->wake[at] = (struct sms__wake){time, ++share->wake_number, tag};
    for (; at > 0 && before(&share->wake[at], &share->wake[(at - 1) / 2]); at = (at - 1) / 2)
        swap(&share->wake[at], &share->wake[(at - 1) / 2]);
    schedule_wakes(share);
}
