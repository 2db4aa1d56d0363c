/* What the files about processes do for each other; others need share.h alone. */
#ifndef SMS_LEVELS_CLIENT_H
#define SMS_LEVELS_CLIENT_H

#include "share.h"

/* client.c: its state and what it holds. Bytes are without the context. */
void sms__client_enter(struct sms__client *client, enum sms_phase phase, uint64_t now);
void sms__client_enter_all(struct sms__client *leader, enum sms_phase phase, uint64_t now);
void sms__client_show(struct sms__client *leader, uint64_t now); /* on the timeline, where a state is another now */
void sms__client_resume(struct sms__client *leader, uint64_t now);
void sms__client_tell(struct sms__client *client, enum sms_share_event_kind kind);
void sms__client_hold(struct sms__client *client, uint64_t bytes, uint64_t now);
void sms__client_release(struct sms__client *client, uint64_t bytes, uint64_t now);
void sms__client_after(struct sms__client *client, double delay_ps, void (*then)(struct sms__client *, uint64_t),
                       uint64_t now);
/* What a stream brings to its process, after those before it. */
void sms__client_add_stream(struct sms__client *leader, const struct sms__client *client);
/* The process: to a place, with its context and the memory that it had elsewhere; and away with all of it. */
void sms__client_settle_in(struct sms__client *client, struct sms__place *place, uint64_t now);
void sms__client_move_out(struct sms__client *client, uint64_t now);
/* The process is through, in this phase. */
void sms__client_leave(struct sms__client *client, enum sms_phase phase, uint64_t now);

/* step.c: the steps of its jobs. */
void sms__client_begin_job(struct sms__client *client, uint64_t now);
void sms__client_step_over(struct sms__client *client, uint64_t now);
void sms__client_go_on(struct sms__client *client, uint64_t now);
/* Adds what is done of the stream's job (sign 1), or takes it away (-1); `parts`: of its kernel under way. */
void sms__client_credit_job(struct sms__client *client, int sign, uint64_t parts);
/* The stream's job, if one is under way, is given up and counts for nothing. */
void sms__client_give_up_job(struct sms__client *client);
void sms__client_use(struct sms__client *client, bool uses, uint64_t now); /* its job uses the device, or has ended */
void sms__client_copy(struct sms__client *client, bool in, double bytes, void (*done)(void *subject, uint64_t now),
                      uint64_t now);

/* launch.c: the kernel of its step. */
void sms__client_launch(struct sms__client *client, uint64_t now);
void sms__client_drop(struct sms__client *client, uint64_t now); /* takes it off the device */

/* ask.c: it asks the policy now, and if the answer is to wait, again when something has changed. Returns whether
 * the step is over. */
bool sms__client_request(struct sms__client *client, enum sms_phase phase, uint64_t now);
/* Moves a process that is to be suspended out, once no stream of it copies or has a kernel on the device. */
void sms__client_drain(struct sms__client *leader, uint64_t now);
/* Asks the policy about this stream. */
enum sms_answer sms__client_consult(struct sms__client *client,
                                    enum sms_answer (*ask)(struct sms_share *share, size_t process));
void sms__client_suspend(struct sms__client *client, uint64_t now);

static inline uint64_t sms__place_room(const struct sms__place *place) { return place->model->memory - place->held; }

static inline bool sms__is_through(const struct sms__client *client)
{
    return client->phase == SMS_PHASE_DONE || client->phase == SMS_PHASE_FAILED;
}

/* Whether the process has it stand still before its next step. */
static inline bool sms__is_stopped(const struct sms__client *client)
{
    const struct sms__client *leader = client->leader;
    return leader->paused || leader->doomed || (leader->mover && leader->mover != client);
}

#endif
