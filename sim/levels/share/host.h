/* The state of a host, for the files of this folder. Each part belongs to one file. */
#ifndef SMS_LEVELS_SHARE_HOST_H
#define SMS_LEVELS_SHARE_HOST_H

#include "gpu.h"
#include "policy_events.h"
#include "process.h"
#include "share_level.h"

/* Links and cores, which copies and host steps share (transfer.c). Flows that share nothing are in fluids of their own.
 */
struct sms__host_flows {
    struct sms__fluid *compute;      /* [1], or [streams] if there is a core for each */
    struct sms__fluid *copies;       /* [links][in, out] */
    size_t links;                    /* one for each GPU, or 1 if the host limits them together */
    struct sms__pool cores, in, out; /* in and out: what the links of all GPUs share */
};

/* The share policy's part of the run (view.c). */
struct sms__policy_run {
    const struct sms_share_policy *policy;
    void *state;
    gsl_rng *random;                  /* NULL until it asks for a number */
    const struct sms__stream *asking; /* the stream about which it is asked, or NULL (ask.c) */
    const char *pure_call;            /* its function under way that may change nothing (time_slice.c), or NULL */
    uint64_t called_ps, called;       /* so often at this instant (refuse.c) */
    uint64_t suspended;               /* so often since a process went on (refuse.c) */
};

struct sms_share {
    struct sms__host_setup setup;
    const struct sms__run_spec *spec;
    const struct sms_scenario *scenario;
    const struct sms__policy_use *use;
    struct sms__policy_run policy;
    struct sms__arena *arena;
    struct sms__engine *engine;
    struct sms__host_flows flows;
    struct sms__mixes *mixes;       /* of coarse kernels */
    struct sms__gpu *gpu;           /* [setup.gpus] */
    struct sms__instance *instance; /* [instances]: of all GPUs, in their order */
    size_t instances;
    struct sms__process *process; /* [processes] */
    size_t processes;
    struct sms__stream *stream; /* [streams]: the main stream of each process, then the other streams */
    size_t streams;
    struct sms__slot *slot;       /* [processes], or NULL: the processes are those of the scenario (slot.c) */
    struct sms__waiting *waiting; /* streams that wait for the policy */
    struct sms__timers *timers;   /* of the policy */
    size_t active;                /* processes that will come or are there */
    size_t pending;               /* processes that have set their timer */
    size_t kernel_types;          /* of the kernels that contexts run */
    bool limits_sms;              /* some process is kept to a share of the SMs */
    uint64_t context_bytes;       /* of a context, without static variables */
    void (*go_on)(struct sms__stream *stream, uint64_t now); /* step.c; for those below it */
    int code;                                                /* of the first engine of a context that failed */
};

/* True if each process has a context of its own on the instance, and these take turns. */
static inline bool sms__is_sliced(const struct sms__instance *instance) { return instance->mode->form->slices; }

/* Bytes of the process's context, static variables included. */
static inline uint64_t sms__process_context_bytes(const struct sms__process *process)
{
    return process->share->context_bytes + process->memory.statics;
}

/* Bytes that it will hold at most, its context included. */
static inline uint64_t sms__process_declared(const struct sms__process *process)
{
    return process->memory.declared + sms__process_context_bytes(process);
}

/* Bytes that the process holds on its instance, its context included. */
static inline uint64_t sms__process_held(const struct sms__process *process)
{
    return process->memory.held + (process->has_context ? sms__process_context_bytes(process) : 0);
}

/* transfer.c: adds the event sources of the flows; makes those of copies, and the host steps of a stream. */
void sms__flows_count(const struct sms__host_setup *setup, size_t streams, size_t sources[SMS__LEVELS]);
void sms__flows_init(struct sms_share *share, size_t streams);
void sms__stream_register(const struct sms__stream *stream);
bool sms__flows_are_busy(const struct sms_share *share); /* a copy or host step is under way and not stopped */

/* slot.c */
void sms__slots_init(struct sms_share *share);

/* refuse.c: ends the run with SMS_EBUG, because a policy or mode breaks its contract. The first reason stands. Returns
 * false. */
bool sms__share_refuse(const struct sms_share *share, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* refuse.c: call this before the policy is asked or gets a timer. Ends the run if it has been called so often at this
 * instant that time stands still. */
void sms__share_note_call(struct sms_share *share);

/* refuse.c: call this before a process is suspended. Ends the run if that was done so often that none goes on. */
void sms__share_note_suspend(struct sms_share *share);

/* start.c: a process of the scenario's tenant v; `gpu` as of its arrival. */
void sms__process_init(struct sms_share *share, size_t idx, size_t v, long gpu);

#endif
