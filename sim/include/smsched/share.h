/* Share policies: which tenant may use a device, and when. For authors of policies.
 *
 * A policy is one file, policies/share/NAME.c, that ends with
 *
 *     const struct sms_share_policy sms_share_policy_NAME = { .name = "NAME", ... };
 *
 * Processes perform the steps of their workloads: host time, allocations, copies and kernel launches. The engine models
 * how devices perform them (docs/explanation/sharing.md). At each of the points below it calls the policy's function,
 * or takes the default if the policy has none. A policy may also act on its own at events and timers: it may pause
 * processes, move them to the host and bring them back. It keeps its state in `state` bytes that the engine allocates,
 * never in variables of the file, because many runs may be under way at once.
 *
 * In a cluster each node has its own instance of the policy, which sees only the processes of its node.
 *
 * A process may have several streams, which share its context, its memory and its device (docs/explanation/sharing.md).
 * To a policy they are one process. The engine calls `allocate`, `launch` and `call` for each stream, and during these
 * calls the process's view shows that stream. At other times it shows what any of the streams does.
 *
 * Times are picoseconds since the run began, sizes are bytes, and a ratio of 1.0 is 100 %. */
#ifndef SMSCHED_SHARE_H
#define SMSCHED_SHARE_H

#include <smsched/policy.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct sms_share; /* one run, as the policy sees it */

/* What a process does, as far as the system can see. */
enum sms_phase {
    SMS_PHASE_FUTURE,     /* it has not arrived */
    SMS_PHASE_UNPLACED,   /* it waits for a device */
    SMS_PHASE_HOST,       /* on the host, or between two steps */
    SMS_PHASE_ALLOCATE,   /* it waits for device memory */
    SMS_PHASE_LAUNCH,     /* it waits for permission to launch a kernel */
    SMS_PHASE_COPY_IN,    /* host to device */
    SMS_PHASE_KERNEL,     /* its kernel is on the device, running or waiting for a time slice */
    SMS_PHASE_COPY_OUT,   /* device to host */
    SMS_PHASE_SUSPENDING, /* its memory is being copied to the host */
    SMS_PHASE_SUSPENDED,  /* its memory is on the host, and it holds nothing on any device */
    SMS_PHASE_RESTORING,  /* its memory is being copied back */
    SMS_PHASE_DONE,
    SMS_PHASE_FAILED, /* out of memory, or failed by the policy */
    SMS_PHASES
};

struct sms_process_view {
    const char *name;
    const char *cls; /* the workload's class, "" if it has none */
    enum sms_phase phase;
    bool paused;       /* stopped by the policy; `phase` says at what */
    bool exclusive;    /* it needs a device to itself */
    long device;       /* its device, or -1 */
    uint64_t context;  /* device memory that its context takes once it exists, static variables included */
    uint64_t held;     /* device memory that it holds, context included */
    uint64_t wanted;   /* size of the allocation that it waits for */
    uint64_t declared; /* the most that it will hold at once, context included */
    double core;       /* share of the device that its running kernel asks for, 0..1 */
    double core_next;  /* share that the kernel it waits to launch asks for */
    double priority;   /* a higher one goes first; default 0 */
    double weight;     /* relative share that it should get; default 1 */
    uint64_t arrived_ps;
    uint64_t deadline_ps; /* of the job under way; UINT64_MAX if it has none */
    uint64_t service_ps;  /* time for which its kernels have had the device so far */
    uint64_t kernel_ps;   /* time alone of the kernel that it launches or runs; 0 if there is none */
    uint64_t blocks;      /* in the grid of that kernel; of a coarse one 1 */
    size_t sms;           /* SMs of its device that it may use now; 0 while it has no device */
    size_t kernels;       /* of all its streams, on the device */
};

struct sms_share_device_view {
    const char *name;
    uint64_t memory, free; /* for contexts and allocations */
    uint64_t declared;     /* sum of the processes' `declared` */
    size_t processes;      /* with a context on the device */
    double core;           /* utilization as nvidia-smi shows it: the sum of the processes' `core`, at most 1 */
    size_t sms;
    uint64_t threads; /* of an SM, at most */
    size_t kernels;   /* of all its processes, running or waiting for a time slice */
};

enum { SMS_WAIT = -1 };

/* Another answer ends the run with SMS_EBUG, and so do 2^20 suspensions while no process goes on. */
enum sms_answer {
    SMS_GRANT,  /* the process goes on */
    SMS_DEFER,  /* the process waits; the engine asks again after each event */
    SMS_REFUSE, /* the allocation fails, and the process ends for lack of memory */
    SMS_SUSPEND /* the process moves to the host and waits there for sms_share_restore */
};

enum sms_share_event_kind {
    SMS_EVENT_ARRIVED, /* a new process: the policy discards what it knows of this index */
    SMS_EVENT_PLACED,
    SMS_EVENT_ALLOCATED,
    SMS_EVENT_FREED,
    SMS_EVENT_LAUNCHED,
    SMS_EVENT_KERNEL_ENDED,
    SMS_EVENT_COPIED_IN,
    SMS_EVENT_COPIED_OUT,
    SMS_EVENT_SUSPENDED, /* its device memory is free now */
    SMS_EVENT_RESTORED,
    SMS_EVENT_ENDED, /* all its jobs are done, and its memory is free */
    SMS_EVENT_FAILED
};

struct sms_share_event {
    enum sms_share_event_kind kind;
    size_t process;
};

struct sms_share_policy {
    size_t size; /* sizeof this struct, or 0; another is refused: it was compiled with another header */
    const char *name;
    const char *help;               /* one sentence, no full stop */
    const struct sms_param *params; /* or NULL */
    size_t state;                   /* bytes for the policy's state, zero at the start of a run; at most 2^40 */
    bool intercepts;                /* it runs between processes and driver, so workloads' `overhead` applies */
    bool repartitions;              /* it calls sms_share_use_sms */

    /* Each of these may be NULL. */
    void (*start)(struct sms_share *share);

    /* Returns the device for a process that has arrived, or SMS_WAIT. A process for which the device has no room waits;
     * an index of no device ends the run with SMS_EBUG. NULL takes, among the devices where the context fits, one with
     * the fewest processes, and of these the one with the most free memory. */
    long (*place)(struct sms_share *share, size_t process);

    /* Called before an allocation. Granting more than is free defers it. NULL grants what is free and refuses the
     * rest. */
    enum sms_answer (*allocate)(struct sms_share *share, size_t process);

    /* Called before each launch of a kernel, with `times: 10` ten times. A launch that is granted begins at once, and
     * SMS_EVENT_LAUNCHED comes before another process is asked. While a process of a higher priority is on the device,
     * and always for a policy with `repartitions`, called at the end of the instant, after timers: launches that wait
     * are asked by priority, then by how long they wait, after a kernel that is under way in atoms. NULL grants it. */
    enum sms_answer (*launch)(struct sms_share *share, size_t process);

    /* Called once a launch is granted. Returns the time, ps alone on the SMs of the process, that one launch of its
     * kernel may take: a longer kernel is launched in pieces, one after another, of as many blocks as take so long, at
     * least one (atoms). `launch` is asked before each, SMS_EVENT_LAUNCHED follows each, and SMS_EVENT_KERNEL_ENDED the
     * last. A piece costs as much as the next launch of a step. Coarse kernels have no blocks, and stay whole. 0, or
     * NULL: whole kernels. */
    uint64_t (*atom)(struct sms_share *share, size_t process);

    /* Called between two driver calls. Answers SMS_GRANT, or SMS_SUSPEND to suspend the process; another answer ends
     * the run with SMS_EBUG. NULL grants. */
    enum sms_answer (*call)(struct sms_share *share, size_t process);

    /* Under time slices: returns which of the processes with kernels on the device runs next, as an index into `ready`.
     * `ready` is in round-robin order: ready[0] would be next. Called when two or more are ready and a slice ends, its
     * process has no kernel left, or kernels come at the same instant to a free device. The process whose slice ends is
     * in `ready`; choosing it again costs no switch. The end of a kernel does not end the slice if its process launches
     * the next one at once. An index of `count` or more stands for the last. The function may read and call
     * sms_share_say and sms_share_random, but change nothing. */
    size_t (*next)(struct sms_share *share, size_t device, const size_t *ready, size_t count);

    /* Under time slices: true if the process that runs shall make room for another, which has a kernel ready, before
     * its slice ends. Then `next` is called. Asked when a kernel comes, and after a switch. The mode says what is
     * waited for (`stop`, `ahead`, `drain`). If the slice ends before `stop` and `ahead` are over, the process has one
     * more turn to finish them, after the next one. NULL: never. It may do what `next` may. */
    bool (*preempts)(struct sms_share *share, size_t device, size_t running, size_t other);

    void (*event)(struct sms_share *share, const struct sms_share_event *event);
    void (*timer)(struct sms_share *share, size_t tag);
};

/* What a policy may read. Views show the present and are valid until the policy acts. An invalid index of a process or
 * device ends the run with SMS_EBUG, and the result is meaningless. */
uint64_t sms_share_now(const struct sms_share *share);
void *sms_share_state(const struct sms_share *share);
double sms_share_param(const struct sms_share *share, size_t idx); /* in the order of the table; times in ps */
/* Returns the number of processes, future ones included, in the order of the scenario. On a node of a cluster they are
 * slots for pods that come and go. A free slot is DONE, FAILED or FUTURE, and its next process begins with
 * SMS_EVENT_ARRIVED. */
size_t sms_share_processes(const struct sms_share *share);
size_t sms_share_devices(const struct sms_share *share);
struct sms_process_view sms_share_process(const struct sms_share *share, size_t process);
struct sms_share_device_view sms_share_device(const struct sms_share *share, size_t device);
/* True if a process of a higher priority is on the same device, whether it has a kernel there or not. */
bool sms_share_is_outranked(const struct sms_share *share, const struct sms_process_view *self);
/* Returns the time that the rest of the job under way would take alone, ps: host time, copies at full rate, kernels.
 * The step under way counts in full, with all its launches. Before the first job this is the time of a whole job, and 0
 * while the process waits for a job to arrive. Of several streams the longest counts. Takes time proportional to the
 * steps left. */
uint64_t sms_share_left(const struct sms_share *share, size_t process);
/* Returns the time alone, ps, of the kernel that the process launches or runs, if it had `sms` SMs, 1 to all of its
 * device; 0 if there is none. */
uint64_t sms_share_kernel_ps(const struct sms_share *share, size_t process, size_t sms);
uint64_t sms_share_context(const struct sms_share *share); /* bytes of a context without static variables */
void *sms_share_alloc(struct sms_share *share, size_t count, size_t size); /* zeroed, for the run; never returns NULL */

/* What a policy may do. Every function of the policy may call these except `next` and `preempts`, which may call only
 * sms_share_say and sms_share_random; any other call there ends the run with SMS_EBUG. */

/* Calls `timer` with this tag after `delay_ps` (0: at the end of this instant). Timers cannot be canceled: a policy
 * ignores one that it no longer needs. A policy that is called for ever at one instant ends the run with SMS_EBUG.
 * After 2^20 timers that found nothing under way, while no process went on, the policy gets no more of them. */
void sms_share_wake(struct sms_share *share, uint64_t delay_ps, size_t tag);

/* Pauses a process: it stops on the host, copies included, while its kernel on the device goes on. Pausing a paused
 * process changes nothing. */
void sms_share_pause(struct sms_share *share, size_t process);
void sms_share_resume(struct sms_share *share, size_t process);

/* From the end of this instant, or at once if no kernel of it is under way, the process may use these SMs of its device
 * and no others, green contexts of its streams included: bit s % 64 of sms[s / 64] is SM s, for all SMs of the device.
 * What the mode gave it is void. Under a mode that reserves SMs, those of other processes are left out. Blocks
 * elsewhere run to their end, and coarse kernels under way end as they began. With no SM at all nothing of it begins: a
 * change that takes time is no SM, sms_share_wake, and then the new SMs. A process has the SMs until it leaves its
 * device. Returns false and does nothing if it has none. For policies with `repartitions`; of others it ends the run.
 */
bool sms_share_use_sms(struct sms_share *share, size_t process, const uint64_t *sms);

/* Restores a suspended process on a device: creates its context, copies its memory back and grants the allocation that
 * it waited for. Returns false and does nothing if these do not all fit there, within the mode's limit for a process,
 * or if it is not suspended. */
bool sms_share_restore(struct sms_share *share, size_t process, size_t device);

/* Ends the process as if it had run out of memory. */
void sms_share_fail(struct sms_share *share, size_t process);

/* Returns the device that the process would get without a policy, or SMS_WAIT. */
long sms_share_choose(const struct sms_share *share, size_t process);

/* True if the process may ever use the device: by `device:` of the scenario, under mig any instance of it. */
bool sms_share_allows(const struct sms_share *share, size_t process, size_t device);

/* True if the process could go to the device now: it may use it, the mode's limit of processes and exclusive processes
 * leave a place, and its context fits. */
bool sms_share_admits(const struct sms_share *share, size_t process, size_t device);

/* Returns a random number in [0, 1) from the policy's own stream. The stream differs between replications and is the
 * same whenever a replication is repeated. */
double sms_share_random(struct sms_share *share);

/* Logs what was decided and why, for `smsched explain`. A process that waits is asked again and again: say something
 * only when it is new. */
void sms_share_say(struct sms_share *share, size_t process, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
