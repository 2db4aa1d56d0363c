/* What a process asks the policy for: a place, memory, leave to launch; and the way to the host and back. */
#include "client.h"

static void suspended(void *subject, uint64_t now)
{
    struct sms__client *client = subject;
    client->record->moved += (double)client->leader->all_held;
    sms__client_move_out(client->leader, now);
    sms__client_enter(client, SMS_PHASE_SUSPENDED, now);
    sms__client_tell(client, SMS_EVENT_SUSPENDED);
}

static bool is_at_work(const struct sms__client *leader)
{
    bool works = leader->kernels > 0;
    for (const struct sms__client *client = leader; client; client = client->next_stream)
        works |= client->phase == SMS_PHASE_COPY_IN || client->phase == SMS_PHASE_COPY_OUT;
    return works;
}

void sms__client_drain(struct sms__client *leader, uint64_t now)
{
    struct sms__client *mover = leader->mover;
    if (mover && mover->phase == SMS_PHASE_SUSPENDING && !mover->flow.flows && !is_at_work(leader))
        sms__client_copy(mover, false, (double)leader->all_held, suspended, now);
}

/* At a call of this stream; the others come to rest first. */
void sms__client_suspend(struct sms__client *client, uint64_t now)
{
    client->record->suspends++;
    client->leader->mover = client;
    sms__client_enter(client, SMS_PHASE_SUSPENDING, now);
    sms__client_drain(client->leader, now);
}

/* What it waited for when it was suspended is granted: the memory for it has come with the rest. */
static void restored(void *subject, uint64_t now)
{
    struct sms__client *client = subject, *leader = client->leader;
    bool allocating = client->wanted > 0;
    client->record->moved += (double)(leader->all_held - client->wanted);
    client->wanted = 0;
    client->excused = true;
    leader->mover = NULL;
    sms__client_enter(client, SMS_PHASE_HOST, now);
    sms__client_show(leader, now);
    sms__client_tell(client, SMS_EVENT_RESTORED);
    if (allocating)
        sms__client_step_over(client, now);
    else
        sms__client_go_on(client, now);
    if (leader->next_stream) {
        sms__client_resume(leader, now);
        sms__share_changed(leader->share);
    }
}

static void copy_back(struct sms__client *leader, uint64_t now)
{
    struct sms__client *mover = leader->mover;
    sms__client_copy(mover, true, (double)(leader->all_held - mover->wanted), restored, now);
}

bool sms__client_restore(struct sms__client *leader, struct sms__place *place, uint64_t now)
{
    struct sms__client *mover = leader->mover;
    if (!mover || mover->phase != SMS_PHASE_SUSPENDED || !sms__place_admits(place, leader) ||
        sms__place_room(place) - sms__client_context(leader) < leader->all_held + mover->wanted)
        return false;
    leader->record->migrations += place != leader->left;
    mover->held += mover->wanted;
    leader->all_held += mover->wanted;
    sms__client_settle_in(leader, place, now);
    sms__client_enter(mover, SMS_PHASE_RESTORING, now);
    sms__client_after(leader, leader->share->scenario->host.context_ps, copy_back, now);
    return true;
}

enum sms_answer sms__client_consult(struct sms__client *client,
                                    enum sms_answer (*ask)(struct sms_share *share, size_t process))
{
    struct sms_share *share = client->share;
    const struct sms__client *before = share->asking;
    share->asking = client;
    enum sms_answer answer = ask(share, client->idx);
    share->asking = before;
    return answer;
}

static enum sms_answer answer(struct sms__client *client,
                              enum sms_answer (*ask)(struct sms_share *share, size_t process), enum sms_answer plain)
{
    return ask ? sms__client_consult(client, ask) : plain;
}

/* What came of asking the policy: the process waits on; what it asked for is under way, or it is elsewhere; or the
 * step is over. */
enum outcome { WAITS, GONE, OVER };

/* A pod's own limit, which no policy can lift: of its context and what it holds and wants. */
static bool is_beyond_limit(const struct sms__client *client)
{
    uint64_t most = client->vm->memory_most, context = sms__client_context(client);
    uint64_t held = client->leader->all_held;
    return most && (context > most || held > most - context || client->wanted > most - context - held);
}

static enum outcome refuse(struct sms__client *client, uint64_t now)
{
    client->record->refused++;
    sms__client_fail(client->leader, now);
    return GONE;
}

static void context_created(struct sms__client *leader, uint64_t now)
{
    sms__client_tell(leader, SMS_EVENT_PLACED);
    for (struct sms__client *client = leader; client; client = client->next_stream)
        sms__client_begin_job(client, now);
}

static enum outcome try_place(struct sms__client *leader, uint64_t now)
{
    struct sms_share *share = leader->share;
    const struct sms_share_policy *policy = share->policy;
    if (is_beyond_limit(leader))
        return refuse(leader, now);
    long chosen = policy->place ? policy->place(share, leader->idx) : sms__place_choose(share, leader);
    if (sms__is_through(leader))
        return GONE;
    if (chosen < 0 || (size_t)chosen >= share->places || !sms__place_admits(&share->place[chosen], leader))
        return WAITS;
    sms__client_settle_in(leader, &share->place[chosen], now);
    sms__client_enter_all(leader, SMS_PHASE_HOST, now);
    sms__client_after(leader, share->scenario->host.context_ps, context_created, now);
    return GONE;
}

static enum outcome allocate(struct sms__client *client, uint64_t now)
{
    if (client->wanted > sms__place_room(client->place))
        return WAITS;
    sms__client_hold(client, client->wanted, now);
    client->wanted = 0;
    sms__client_enter(client, SMS_PHASE_HOST, now);
    sms__client_tell(client, SMS_EVENT_ALLOCATED);
    return OVER;
}

/* For all answers but the one that grants, and for a process that the policy has failed meanwhile. */
static enum outcome turn_down(struct sms__client *client, enum sms_answer given, uint64_t now)
{
    if (sms__is_through(client))
        return GONE;
    if (given == SMS_DEFER)
        return WAITS;
    if (given == SMS_SUSPEND) {
        sms__client_suspend(client, now);
        return GONE;
    }
    return refuse(client, now);
}

static enum outcome try_allocate(struct sms__client *client, uint64_t now)
{
    if (is_beyond_limit(client))
        return refuse(client, now);
    bool fits = client->wanted <= sms__place_room(client->place);
    enum sms_answer given = answer(client, client->share->policy->allocate, fits ? SMS_GRANT : SMS_REFUSE);
    bool granted = given == SMS_GRANT && !sms__is_through(client);
    return granted ? allocate(client, now) : turn_down(client, given, now);
}

static enum outcome try_launch(struct sms__client *client, uint64_t now)
{
    enum sms_answer given = answer(client, client->share->policy->launch, SMS_GRANT);
    if (given != SMS_GRANT || sms__is_through(client))
        return turn_down(client, given, now);
    sms__client_launch(client, now);
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
    bool waits = sms__is_stopped(client) && !sms__is_through(client);
    enum outcome outcome = waits ? WAITS : ask(client, now);
    if (outcome == OVER)
        sms__client_step_over(client, now);
    return outcome != WAITS;
}

/* Asks now; if the answer is to wait, again when something has changed. Returns whether the step is over. */
bool sms__client_request(struct sms__client *client, enum sms_phase phase, uint64_t now)
{
    sms__client_enter(client, phase, now);
    enum outcome outcome = ask(client, now);
    if (outcome == WAITS)
        sms__share_wait(client->share, client);
    return outcome == OVER;
}
