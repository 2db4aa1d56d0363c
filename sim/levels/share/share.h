/* The share level: processes of several tenants on the devices of one host.
 *
 * A *place* is what processes are put on: a device, or an instance of one under mig. A *unit* is where kernels of a
 * place run at once: under time slices each process has one, with a clock that stands still while others have the
 * device; else all processes of the place have one together. In a unit kernels run block by block (an engine of the
 * block level inside this one) or as wholes.
 *
 * What belongs to one host (its devices, cores and links, its processes, the state of the policy) is a struct
 * sms_share, on an engine that others may use as well: run.c has one of a scenario with `processes:`, a cluster one
 * for each node whose pods run workloads. */
#ifndef SMS_LEVELS_SHARE_H
#define SMS_LEVELS_SHARE_H

#include "../block/block.h"
#include "../device.h"
#include "../simulate.h"
#include "flow.h"
#include "whole.h"

struct sms__client;

/* Kernels that run at once. */
struct sms__unit {
    struct sms_share *share;
    struct sms__place *place;
    struct sms__client *owner; /* whose context it is; NULL: all processes of the place are in it */
    bool going;
    uint64_t offset; /* outer clock less its own, while it goes */
    size_t kernels;  /* under way */
    size_t source;   /* of the outer engine */
    bool in_blocks;  /* the next two are set up */
    struct sms__engine engine;
    struct sms__blocks blocks;
    struct sms__wholes wholes;
    struct sms__action flush;
    struct sms__client *held, **last_held; /* wholes launched while the unit drains */
    struct sms__unit *next, *prev;         /* in the round of the place's slicer */
    bool in_round;
    bool renewed; /* its context is another one than that which ran last */
};

/* Who has the device, under time slices. */
struct sms__slicer {
    struct sms__unit *first, *last;     /* units with kernels, in the order of the round */
    struct sms__unit *current, *latest; /* which goes; which went last */
    struct sms__unit *coming;           /* which goes once the switch is over */
    size_t ready;
    size_t source;
    size_t *list; /* [clients], scratch */
    struct sms__action idle;
    bool slicing, draining;
    uint64_t since_ps;
};

struct sms__place {
    struct sms_share *share;
    const struct sms__device *model;
    const char *name;
    size_t idx, board;                 /* of the share's places; of its devices */
    size_t fit;                        /* of the scenario's devices, or of the instances of the policy */
    size_t first_sm;                   /* of the board, among all SMs */
    size_t first_client, clients_most; /* who may be on it */
    uint64_t held;                     /* bytes */
    size_t clients;                    /* on it */
    double core;                       /* what its kernels ask for, parts of SMS_FULL */
    struct sms__client *exclusive;     /* who must have it alone, or NULL */
    uint32_t *claims;                  /* [SMs]: how many that are kept to some SMs have chosen it; NULL: nobody is */
    struct sms_contention_view view;
    struct sms__unit *unit; /* [units]: [clients_most] under time slices, else [1] */
    size_t units;
    struct sms__slicer slicer;
};

/* What belongs to a device of the host, whole or in instances. */
struct sms__board {
    const struct sms__device *model;
    struct sms__pool in, out;
    uint64_t held;
    size_t clients, kernels; /* on all its places; under way */
    double core;             /* of the kernels, of the device */
    uint64_t since_ps;       /* up to which its integrals are */
    struct sms__shared_record *record;
    struct sms__device_record *blocks; /* what its blocks did */
};

/* A process that comes to a slot. */
struct sms__coming {
    const char *name; /* copied */
    size_t vm;        /* of the scenario: what it is */
    size_t board;     /* the only one on which it may be */
    uint64_t due_ps;  /* when it should be through; UINT64_MAX: whenever */
    size_t tag;       /* for who let it come */
};

enum { SMS__CLIENT_NAME = 128 };

/* A stream of a process: a process has one or several, of which the first leads and keeps what is of the process. Or a
 * slot for processes of one stream that come one after another. */
struct sms__client {
    struct sms_share *share;
    const char *name;
    const struct sms__vm *vm;
    const struct sms__workload *workload;
    size_t idx, first_kernel;                 /* the process; of the workload, among the VM's */
    size_t number;                            /* of the VM, in the scenario */
    size_t first_kind;                        /* of the VM's kernels, among what units run */
    struct sms__client *leader, *next_stream; /* itself, if it leads; or NULL */
    size_t stream;                            /* which, of the process */
    struct sms__process_record *record;
    struct sms__vm_record *vm_record;
    struct sms__place *place; /* of the process, or NULL */
    enum sms_phase phase;
    bool running;      /* it takes part in this run */
    bool halted;       /* it would go on, did its process not stand still */
    bool waiting;      /* in the list of those that the policy will be asked about again */
    bool excused;      /* the policy has let this call pass */
    bool uses;         /* its job has used the device */
    const char *state; /* as the timeline has it, as the next three */
    enum sms_phase shown;
    long state_place;
    uint64_t state_since_ps;
    size_t step;
    uint64_t times, jobs; /* launches done of the step; jobs done */
    bool in_job;
    uint64_t parts_before; /* of the job, done before the time measured began */
    uint64_t job_since_ps; /* arrival of the job */
    uint64_t held, wanted; /* bytes that its steps took; of the allocation under way */
    bool on_device;        /* a kernel of it is in a unit */
    uint64_t launched_ps;
    size_t kernel; /* which, of the workload */
    struct sms__launch launch;
    struct sms__whole whole;
    struct sms__flow flow;
    struct sms__client *next_waiting, *next_held;

    /* Of the process; only the leader's is set. */
    long only;       /* the board on which it must be; -1: any */
    uint64_t due_ps; /* as struct sms__coming has it, as the next */
    size_t tag;      /* of a slot, as the next three: */
    char *text;      /* [SMS__CLIENT_NAME]: its name */
    bool taken;
    size_t rooms;              /* room for so many streams of random numbers */
    struct sms__place *left;   /* which it was suspended from */
    bool paused;               /* all its streams are */
    bool doomed;               /* it fails when its kernels have ended */
    bool context;              /* it has one on its place */
    bool exclusive;            /* it must have its place for itself */
    size_t unended, kernels;   /* streams that are not through; that have a kernel in a unit */
    uint64_t served_since_ps;  /* since then one of those */
    struct sms__client *mover; /* the stream at whose call the process is being moved, or lies on the host */
    uint64_t since_ps;         /* in its phase */
    uint64_t arrived_ps;
    uint64_t all_held, declared, statics; /* bytes of all streams without the context; of it, static variables */
    gsl_rng **jitter;                     /* [kernels of the VM] */
    bool limited;                         /* to a share of the SMs (limit.c); then, on its place: */
    size_t sms;                           /* so many, */
    struct sms__allowed allowed;          /* these, */
    struct sms__fit *capped;              /* [kernels of the VM] and whole kernels like this */
    size_t source;
    void (*timer)(struct sms__client *client, uint64_t now);
};

/* A timer of the policy. */
struct sms__wake {
    uint64_t time, number;
    size_t tag;
};

/* A host. What it points to stays. */
struct sms__setup {
    const struct sms__run_spec *spec;
    struct sms__engine *engine;
    const struct sms__vm *vm; /* [the scenario's vms]: what processes are */
    size_t number;            /* of the host; its policy's random numbers are its own */
    const size_t *model;      /* [boards]: devices of the scenario */
    size_t boards;
    size_t slots; /* of each board; 0: its processes are those of the scenario, and are there from the start */
    size_t first_board, first_sm; /* among all of the run */
    double cores;                 /* 0: no limit */
    /* A process has ended or failed; its slot is free already. */
    void (*through)(void *subject, struct sms__client *client, uint64_t now);
    /* A job of it uses its device for the first time, or has ended after that; NULL: nobody asks. */
    void (*job)(void *subject, const struct sms__client *client, bool begins, uint64_t now);
    void *subject;
};

struct sms_share {
    struct sms__setup setup;
    const struct sms__run_spec *spec;
    const struct sms_scenario *scenario;
    const struct sms__policy_use *use;
    const struct sms_share_policy *policy;
    bool watches; /* any event may change what the policy answers; the plain one looks at memory only */
    struct sms__arena *arena;
    struct sms__engine *engine;
    struct sms__flows cpu, links;
    struct sms__pool cores, link_in, link_out;
    struct sms__board *board; /* [boards] */
    size_t boards;
    struct sms__place *place;
    size_t places;
    struct sms__client *client; /* [streams]: the processes' leaders, then their other streams */
    size_t clients, streams;
    size_t running;                   /* processes that are not through */
    const struct sms__client *asking; /* the stream about which the policy is asked, or NULL */
    bool limited;                     /* some are kept to a share of the SMs */
    size_t pending;                   /* of them, those with a timer of their own */
    struct sms__client *waiting, **last_waiting;
    struct sms__action ask; /* those that wait */
    bool choosing;          /* the policy is in its function `next`, which changes nothing */
    void *state;            /* of the policy, as its random numbers */
    gsl_rng *chance;        /* NULL until it asks for some */
    uint64_t context;       /* bytes of one */
    struct sms__wake *wake; /* [wakes_room], a heap by time and number */
    size_t wakes, wakes_room;
    uint64_t wake_number, idle_wakes;
    size_t wake_source;
    size_t kinds; /* of kernels that units run */
    int code;     /* of an engine inside, if it failed */
};

/* What policies and observers call the process. */
static inline const char *sms__process_name(const struct sms__client *leader)
{
    return leader->share->setup.slots ? leader->name : leader->vm->name;
}

/* Whether each process has a unit of its own on each place. */
static inline bool sms__is_sliced(const struct sms_share *share)
{
    return share->use->mode.kind == SMS__MODE_TIME_SLICE || share->use->mode.kind == SMS__MODE_MIG;
}

/* run.c: one run of one host. */
int sms__share_run(struct sms__arena *arena, const struct sms__run_spec *spec);

/* share.c: what the host takes of an engine is added to `sources`. */
void sms__share_count(const struct sms__setup *setup, size_t sources[SMS__LEVELS]);
struct sms_share *sms__share_new(struct sms__arena *arena, const struct sms__setup *setup);
/* Its policy's first word. */
void sms__share_start(struct sms_share *share);
/* Brings integrals to now; credit: adds what runs (1), takes it away (-1). */
void sms__share_settle(struct sms_share *share, int credit, uint64_t now);
/* Forgets what was measured of slots and their boards. */
void sms__share_forget(struct sms_share *share);
/* At the run's end: what was going on ends here; what they wait for who are not through. */
void sms__share_close(struct sms_share *share, uint64_t now);
/* When nothing more happens: the first of the processes that have something under way, which would end beyond the
 * clock; or NULL. */
const struct sms__client *sms__share_busy(const struct sms_share *share);
uint64_t sms__share_events(const struct sms_share *share); /* of engines inside */

/* solo.c: a process by itself on a device of the scenario, on a host of its own. Of more than SMS__ALONE_JOBS jobs only
 * so many are simulated; each of the others takes the mean of the second half of these, which is what it would take
 * where nothing is drawn: then one is like another. */
struct sms__solo {
    uint64_t ps; /* until it was through; SMS__NEVER: it never was; one less: that would be beyond the clock */
    bool failed;
    double kernel_ps, resident_ps; /* a launch of its first kernel; time of all its blocks on SMs */
};
/* Codes as of sms__simulate. It takes memory of its own and gives it back. */
int sms__share_solo(const struct sms__run_spec *spec, const struct sms__policy_use *block, const struct sms__vm *vm,
                    size_t number, size_t device, struct sms__solo *out);

/* slot.c: a process comes at `start`, to a free slot of its board, of which there must be one. */
struct sms__client *sms__share_admit(struct sms_share *share, const struct sms__coming *coming, uint64_t start);
void sms__slot_init(struct sms_share *share, size_t idx);

/* unit.c */
void sms__unit_init(struct sms__unit *unit, struct sms_share *share, struct sms__place *place,
                    struct sms__client *owner);
/* The client's next kernel; sms__client_kernel_ended is called when it is over. */
void sms__unit_launch(struct sms__unit *unit, struct sms__client *client, uint64_t now);
/* Adds what is done of the client's kernel under way (sign 1), or takes it away (-1), and returns it, in parts. To be
 * called once after each sms__unit_settle with a credit. */
uint64_t sms__unit_credit(const struct sms__unit *unit, struct sms__client *client, int sign, uint64_t now);
/* Takes the kernel of a process of one stream off the unit before it has ended. */
void sms__unit_drop(struct sms__unit *unit, struct sms__client *client, uint64_t now);
void sms__unit_set_going(struct sms__unit *unit, bool going, uint64_t now);
/* Whether blocks may be dispatched. */
void sms__unit_hold(struct sms__unit *unit, bool hold, uint64_t now);
/* Whether anything runs that has been dispatched. */
bool sms__unit_runs(const struct sms__unit *unit);
/* Whether it has kernels of which one will end some day: not if all there is are blocks that no SM takes. */
bool sms__unit_is_under_way(const struct sms__unit *unit);
void sms__unit_settle(struct sms__unit *unit, int credit, uint64_t now);
uint64_t sms__unit_events(const struct sms__unit *unit);

/* slice.c: time slices. A unit has got its first kernel; or lost its last one; or had it taken away, whether it goes or
 * not; or what was held has ended. */
void sms__slicer_init(struct sms__place *place);
void sms__slicer_ready(struct sms__place *place, struct sms__unit *unit, uint64_t now);
void sms__slicer_idle(struct sms__place *place);
void sms__slicer_dropped(struct sms__place *place, struct sms__unit *unit);
void sms__slicer_drained(struct sms__place *place, struct sms__unit *unit, uint64_t now);
void sms__slicer_settle(struct sms__place *place, uint64_t now);

/* client.c: processes. */
void sms__client_init(struct sms_share *share, size_t idx);
/* Its source of events. */
void sms__client_register(struct sms__client *client);
/* It arrives at `start`. */
void sms__client_come(struct sms__client *client, uint64_t start);
void sms__client_kernel_ended(struct sms__client *client, uint64_t now);
/* Asks the policy about it again. Returns whether it went on. */
bool sms__client_ask(struct sms__client *client, uint64_t now);
/* These are of the process. */
void sms__client_pause(struct sms__client *client, bool pause, uint64_t now);
bool sms__client_restore(struct sms__client *client, struct sms__place *place, uint64_t now);
void sms__client_fail(struct sms__client *client, uint64_t now);
/* Its device fails: of one stream, with what it has under way. */
void sms__client_abort(struct sms__client *client, uint64_t now);
void sms__client_settle(struct sms__client *client, uint64_t now);
enum sms_phase sms__client_process_phase(const struct sms__client *leader); /* what any of its streams does */
double sms__client_core(const struct sms__client *client, size_t kernel);   /* 0..1, of a kernel of its workload */
uint64_t sms__client_context(const struct sms__client *client);             /* its static variables included */
uint64_t sms__client_held(const struct sms__client *client);                /* its context included */

void sms__client_close(struct sms__client *client, uint64_t now); /* at the run's end */

/* view.c */
uint64_t sms__client_deadline(const struct sms__client *client); /* of its job; UINT64_MAX: none */
void sms__wakes_init(struct sms_share *share);
/* After a process of a slot has come or gone: with none there, timers of the policy wait. */
void sms__wakes_set(struct sms_share *share);

/* place.c: devices and what is on them. How many places a board is, the same for all: */
size_t sms__places_each(const struct sms__setup *setup);
void sms__places_init(struct sms_share *share);
struct sms__unit *sms__place_unit(struct sms__place *place, const struct sms__client *client);
const struct sms__fit *sms__place_fits(const struct sms__place *place, size_t vm); /* of its kernels */
const struct sms__fit *sms__place_fit(const struct sms__place *place, const struct sms__client *client, size_t kernel);
/* Time alone of a kernel: of a whole one its own, else by full waves. */
double sms__place_kernel_ps(const struct sms__place *place, const struct sms__client *client, size_t kernel);
bool sms__place_allows(const struct sms__place *place, const struct sms__client *client); /* ever */
bool sms__place_admits(const struct sms__place *place, const struct sms__client *client);
long sms__place_choose(const struct sms_share *share, const struct sms__client *client);
/* Memory, clients, kernels of the place and its board; the board's integrals are brought to now first. */
void sms__place_hold(struct sms__place *place, int64_t bytes, uint64_t now);
void sms__place_enter(struct sms__place *place, struct sms__client *client, uint64_t now);
void sms__place_leave(struct sms__place *place, struct sms__client *client, uint64_t now);
void sms__place_kernel(struct sms__place *place, double core, int count, uint64_t now);
void sms__board_settle(struct sms_share *share, size_t board, uint64_t now);

/* limit.c: active_threads. The client is on its place. */
bool sms__limits_any(const struct sms_share *share);
void sms__limits_init(struct sms_share *share);
/* Of a slot, for the process that has come to it. */
void sms__limit_set(struct sms__client *client);
void sms__limit_enter(struct sms__client *client);
void sms__limit_leave(struct sms__client *client);
/* By (VM, kernel), for the block level; NULL if nobody is limited. */
const struct sms__allowed *const *sms__limits_of(const struct sms_share *share);

/* share.c again, for the others. */
void sms__share_tell(struct sms_share *share, enum sms_share_event_kind kind, size_t process);
void sms__share_wait(struct sms_share *share, struct sms__client *client); /* to be asked again */
void sms__share_changed(struct sms_share *share);                          /* something did: ask those that wait */

#endif
