/* A process and its streams.
 *
 * A process holds memory and a context on one GPU instance. It has one or several streams. Each does its own jobs, step
 * by step, and has at most one kernel under way. */
#ifndef SMS_LEVELS_SHARE_PROCESS_H
#define SMS_LEVELS_SHARE_PROCESS_H

#include "../../model/phase.h"
#include "../block/block.h"
#include "../filling.h"
#include "coarse_kernel.h"

struct sms_share;
struct sms__context;
struct sms__instance;
struct sms__stream;

enum { SMS__POOLS_OF_FLOW = 2 };

/* A copy or host step (transfer.c). Rates are in units per ps. */
struct sms__pooled_flow {
    struct sms__flow flow; /* the first member */
    double most;           /* 0: as much as the pools give */
    /* Each further flow of its first pool that is not stopped makes all of them take so much more time. */
    double spread;
    struct sms__pool *pool[SMS__POOLS_OF_FLOW]; /* or NULL */
    struct sms__user user;                      /* scratch */
};

/* A kernel of a stream, in a context. */
struct sms__stream_kernel {
    size_t idx; /* of the stream's workload */
    bool on_device;
    uint64_t launched_ps, deadline_ps; /* on the clock of the run; UINT64_MAX: no deadline */
    double done;                       /* share of it that was done when its stream began */
    double overhead;                   /* part of its time that the policy's interception of calls adds */
    double core;                       /* what it asks of the device, parts of SMS_FULL */
    struct sms__launch launch;
    struct sms__coarse_kernel coarse;
    struct sms__footprint *fit; /* [1]: of it while it runs, where its part may change meanwhile; or NULL */
    struct sms__context *context;
    void (*ended)(struct sms__stream *stream, uint64_t now); /* on the clock of the run */
    struct sms__stream *stream;
    struct sms__stream_kernel *next_held; /* in its context */
};

struct sms__job {
    uint64_t ended; /* jobs of the stream so far */
    bool under_way;
    bool uses_device;      /* it has used the device */
    bool is_rest;          /* a part of it was done when the stream began */
    uint64_t arrived_ps;   /* of the job under way */
    uint64_t used_ps;      /* when it first used the device */
    uint64_t parts_before; /* of it, done before the measured time began */
};

/* The span of the timeline that is under way. */
struct sms__timeline_span {
    const char *state;
    enum sms_phase phase;
    long instance; /* or -1 */
    size_t sms;    /* of the instance that the stream may use, or 0 */
    uint64_t since_ps;
};

struct sms__stream {
    struct sms__process *process;
    struct sms__stream *next; /* of the process, or NULL */
    size_t idx;               /* among the streams of the process */
    const char *name;         /* on the timeline */
    const struct sms__workload *workload;
    size_t first_kernel;       /* of the workload, among the VM's kernels */
    struct sms__sm_part *part; /* its green context, or that of its process */
    enum sms_phase phase;
    size_t step;
    uint64_t times;           /* launches of the step that have ended */
    struct sms__phase begins; /* until it has begun */
    double done;              /* share of its operation that was done when it began */
    uint64_t cut;             /* blocks of its kernel that earlier launches have done, which were pieces of it */
    uint64_t piece_ps;        /* time alone that one launch of it may take; 0: any */
    uint64_t host_ps;         /* when it has done with its asynchronous launches, also in the past; 0: none */
    bool halted;              /* it stands still before its step because its process does */
    bool excused;             /* the policy has let this call pass */
    bool awaiting;            /* for another stream of the process to record an event */
    uint64_t held, wanted;    /* bytes that its steps took; of the allocation under way */
    struct sms__job job;
    struct sms__stream *next_idle; /* that waits for a job to arrive */
    struct sms__stream_kernel kernel;
    struct sms__pooled_flow transfer; /* its copy or host step */
    struct sms__timeline_span span;
    bool waiting; /* for the policy's answer (policy_events.c) */
    struct sms__stream *next_waiting;
};

/* What a process is, when it comes to a host. */
struct sms__arrival {
    const char *name;
    size_t vm;              /* of the scenario */
    long gpu;               /* the only one, or the only place of the host, on which it may be; -1: any */
    uint64_t due_ps;        /* deadline of its jobs; UINT64_MAX: the VM's, if it has one */
    double job_deadline_ps; /* of each job, from its first use of a device, in records; 0: the VM's, from its arrival */
    size_t tag;             /* for whoever let it come */
};

/* Bytes of all its streams, without the context. */
struct sms__process_memory {
    uint64_t held, declared;
    uint64_t statics; /* static variables, which are part of the context */
};

/* SMs that a process or a stream may use (sm_part.c). */
struct sms__sm_part {
    bool is_on;                  /* otherwise all of them */
    size_t sms;                  /* number of them on its instance */
    struct sms__allowed allowed; /* which */
    size_t capped_sms;           /* on how many its coarse kernels are capped, and what they are otherwise. */
    const struct sms__footprint *capped_from;
};

struct sms__process_parts {
    struct sms__sm_part all;       /* of the process; those of its streams lie within */
    struct sms__footprint *capped; /* [kernels of the VM]: coarse kernels on their parts */
    uint32_t *claims;              /* [SMs]: green contexts that have chosen the SM; or NULL */
    bool changes;                  /* at the end of this instant it gets other SMs: */
    uint64_t *next;                /* one bit per SM; or NULL */
    struct sms__action change;
};

/* Jobs that arrive (job_arrivals.c). */
struct sms__jobs {
    size_t source;            /* of events: arrivals */
    gsl_rng *random;          /* intervals */
    bool coming;              /* the next arrival is scheduled */
    uint64_t arrived, taken;  /* jobs so far */
    struct sms__stream *idle; /* streams without a job, the latest first */
    uint64_t *backlog;        /* ring of the arrival times of jobs that wait */
    size_t backlog_first, backlog_count, backlog_size;
};

struct sms__process_timer {
    size_t source;
    void (*then)(struct sms__process *process, uint64_t now); /* NULL: not set */
};

struct sms__process {
    struct sms_share *share;
    size_t idx;    /* of the host's processes */
    size_t tenant; /* its number on its instance, for block policies */
    struct sms__arrival arrival;
    const struct sms__tenant *vm;
    size_t first_kernel_type;           /* of the VM's kernels, among those of the host */
    struct sms__stream *stream;         /* the main stream; the others follow it */
    struct sms__process_record *record; /* NULL: it is a VM, whose phases nobody asks for */
    struct sms__vm_record *vm_record;
    struct sms__instance *instance; /* where its context is, or NULL */
    struct sms__instance *previous; /* which it left last */
    struct sms__stream *migrating;  /* the stream at whose call the process is suspended, or NULL */
    bool takes_part;                /* in this run */
    bool in_slot;                   /* it has come to a slot, and has not ended */
    bool paused;                    /* with all its streams */
    bool doomed;                    /* it fails when its kernels have ended */
    bool has_context;
    bool exclusive;          /* it needs its instance to itself */
    size_t unended, kernels; /* streams that have not ended; that have a kernel on the device */
    uint64_t begun;          /* jobs of all its streams */
    uint64_t phase_since_ps, arrived_ps;
    struct sms__process_memory memory;
    struct sms__process_parts parts;
    gsl_rng **jitter; /* [kernels of the VM] */
    struct sms__process_timer timer;
    struct sms__action recorded; /* lets streams go on that wait for events */
    struct sms__jobs *jobs;      /* those that arrive, or NULL: the next begins when one ends */
};

static inline bool sms__has_ended(const struct sms__stream *stream)
{
    return stream->phase == SMS_PHASE_DONE || stream->phase == SMS_PHASE_FAILED;
}

/* True if the process keeps the stream from beginning its next step. */
static inline bool sms__is_stopped(const struct sms__stream *stream)
{
    const struct sms__process *process = stream->process;
    return process->paused || process->doomed || (process->migrating && process->migrating != stream);
}

/* process.c: gives the process its event source. */
void sms__process_register(struct sms__process *process);
/* Adds what a stream brings to its process. The streams before it are there already. */
void sms__process_add_stream(struct sms__process *process, const struct sms__stream *stream);
enum sms_phase sms__process_phase(const struct sms__process *process); /* the busiest of its streams */
void sms__process_advance(struct sms__process *process, uint64_t now); /* its integrals, before its state changes */
/* The time in which its kernels have had the device, in the whole run, ps. */
uint64_t sms__process_service(const struct sms__process *process, uint64_t now);
/* Ends spans of the timeline whose state has changed. */
void sms__process_show(struct sms__process *process, uint64_t now);
void sms__process_close(struct sms__process *process, uint64_t now); /* at the end of the run: ends them all */
void sms__process_enter(struct sms__process *process, enum sms_phase phase, uint64_t now); /* all its streams */
void sms__stream_enter(struct sms__stream *stream, enum sms_phase phase, uint64_t now);

void sms__stream_hold(struct sms__stream *stream, uint64_t bytes, uint64_t now);
void sms__stream_release(struct sms__stream *stream, uint64_t bytes, uint64_t now);
/* Takes the process to an instance, with its context and the memory that it had before; and off, with all of it. */
void sms__process_move_in(struct sms__process *process, struct sms__instance *instance, uint64_t now);
void sms__process_move_out(struct sms__process *process, uint64_t now);

/* Call `then` at the time, or after the delay. A process has one timer. */
void sms__process_at(struct sms__process *process, uint64_t time,
                     void (*then)(struct sms__process *process, uint64_t now));
void sms__process_after(struct sms__process *process, double delay_ps,
                        void (*then)(struct sms__process *process, uint64_t now), uint64_t now);
void sms__process_set_paused(struct sms__process *process, bool paused, uint64_t now);
/* Streams that stood still go on, unless the process still stops them. */
void sms__process_go_on(struct sms__process *process, uint64_t now);
/* Fails the process, at once or when its kernels have ended. */
void sms__process_fail(struct sms__process *process, uint64_t now);
/* Ends the process in this phase. */
void sms__process_end(struct sms__process *process, enum sms_phase phase, uint64_t now);

#endif
