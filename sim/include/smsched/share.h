/* For authors of share policies: which tenant may use a device, and when.
 *
 * A policy is one file, policies/share/NAME.c, that ends with
 *
 *     const struct sms_share_policy sms_sharing_NAME = { .name = "NAME", ... };
 *
 * Processes do the steps of their workloads: host time, allocations, copies,
 * kernel launches. The engine knows how devices do these things (docs/sharing.md);
 * it asks the policy at each of the points below where the policy has a
 * function, and does the plain thing where it has none. A policy may also act on
 * its own, at events and by timers: pause processes, move them to the host, bring
 * them back. It keeps its state in `state` bytes of its own, never in variables
 * of the file: many runs go on at once.
 *
 * In a cluster each node has an instance of the policy, which sees the processes of its node and no others.
 *
 * A process may have several streams, which share its context, its memory and its place (docs/sharing.md). To a policy
 * it is one: `allocate`, `launch` and `call` are asked about each stream, and see it in the process's view; at other
 * times the view is of what any of the streams does.
 *
 * Times are picoseconds since the run began, sizes bytes, ratios 1.0 for 100 %. */
#ifndef SMSCHED_SHARE_H
#define SMSCHED_SHARE_H

#include <smsched/policy.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct sms_share; /* one run, as the policy sees it */

/* What a process does, as far as the system can tell. */
enum sms_phase {
    SMS_PHASE_FUTURE,     /* it has not arrived */
    SMS_PHASE_UNPLACED,   /* it waits for a device */
    SMS_PHASE_HOST,       /* on the host, or between two steps */
    SMS_PHASE_ALLOCATE,   /* it waits for device memory */
    SMS_PHASE_LAUNCH,     /* it waits for leave to launch a kernel */
    SMS_PHASE_COPY_IN,    /* host to device */
    SMS_PHASE_KERNEL,     /* a kernel of it is on the device, running or waiting for its slice */
    SMS_PHASE_COPY_OUT,   /* device to host */
    SMS_PHASE_SUSPENDING, /* its memory goes to the host */
    SMS_PHASE_SUSPENDED,  /* it lies on the host and holds nothing of any device */
    SMS_PHASE_RESTORING,  /* its memory comes back */
    SMS_PHASE_DONE,
    SMS_PHASE_FAILED, /* out of memory, or failed by the policy */
    SMS_PHASES
};

struct sms_process_view {
    const char *name;
    const char *cls; /* the workload's class, "" if it has none */
    enum sms_phase phase;
    bool paused;
    bool exclusive;    /* must have its device for itself */
    long device;       /* on which it is, or -1 */
    uint64_t context;  /* device memory of its context, its static variables included, when it has one */
    uint64_t held;     /* device memory, its context included */
    uint64_t wanted;   /* of the allocation that it waits for */
    uint64_t declared; /* the most it will hold at once, its context included */
    double core;       /* share of the device that its running kernel asks for, 0..1 */
    double core_next;  /* the same of the kernel that it waits to launch */
    double priority;   /* higher goes first; default 0 */
    double weight;     /* share it should get; default 1 */
    uint64_t arrived_ps;
    uint64_t deadline_ps; /* when the job under way should be over; UINT64_MAX: none */
    uint64_t service_ps;  /* time during which kernels of it had the device so far */
    uint64_t kernel_ps;   /* time alone of the kernel that it launches or runs; 0: none */
};

struct sms_share_device_view {
    const char *name;
    uint64_t memory, free; /* for contexts and allocations */
    size_t processes;      /* on it, that is with a context there */
    double core;           /* what nvidia-smi shows: sum of the processes' `core`, at most 1 */
};

enum { SMS_WAIT = -1 };

enum sms_answer {
    SMS_GRANT,  /* go on */
    SMS_DEFER,  /* wait; the engine asks again after each event */
    SMS_REFUSE, /* an allocation fails: the process ends, out of memory */
    SMS_SUSPEND /* move the process to the host; it waits there until sms_share_restore */
};

enum sms_share_event_kind {
    SMS_EVENT_ARRIVED, /* what a policy keeps of the process begins anew */
    SMS_EVENT_PLACED,
    SMS_EVENT_ALLOCATED,
    SMS_EVENT_FREED,
    SMS_EVENT_LAUNCHED,
    SMS_EVENT_KERNEL_ENDED,
    SMS_EVENT_COPIED_IN,
    SMS_EVENT_COPIED_OUT,
    SMS_EVENT_SUSPENDED, /* its memory is free now */
    SMS_EVENT_RESTORED,
    SMS_EVENT_ENDED, /* all its jobs are done, and what it held is free */
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
    size_t state;                   /* bytes for the policy, zero at the start of a run */
    bool intercepts;                /* it sits between processes and driver: workloads' `overhead` applies */

    /* Each may be NULL. */
    void (*start)(struct sms_share *share);

    /* The device for a process that has arrived, or SMS_WAIT. The context must fit.
     * NULL: the device with most free memory after the fewest processes, as soon as the context fits. */
    long (*place)(struct sms_share *share, size_t process);

    /* Before an allocation. A grant beyond what is free is a deferral. NULL: granted if it is free, else refused. */
    enum sms_answer (*allocate)(struct sms_share *share, size_t process);

    /* Before a kernel launch. NULL: granted. */
    enum sms_answer (*launch)(struct sms_share *share, size_t process);

    /* Between two calls of the driver: whether the process may go on (SMS_GRANT) or is to be suspended
     * (SMS_SUSPEND). NULL: granted. */
    enum sms_answer (*call)(struct sms_share *share, size_t process);

    /* Under time slices: which of the processes with kernels on the device runs next, as an index of
     * `ready`, which is in the order of the round; ready[0] comes next by round robin. Asked when a slice ends or its
     * process has no kernel left, and two or more are ready; the one whose slice ends is among them, and choosing it
     * again switches nothing. A kernel that ends does not end the slice if its process launches the next at once.
     * An index of `count` or more stands for the last. It may look and sms_share_say, but change nothing. */
    size_t (*next)(struct sms_share *share, size_t device, const size_t *ready, size_t count);

    void (*event)(struct sms_share *share, const struct sms_share_event *event);
    void (*timer)(struct sms_share *share, size_t tag);
};

/* What a policy may know. Views are as of now and valid until it acts. A process or device that there is not ends the
 * run with SMS_EBUG; the function returns nothing of use. */
uint64_t sms_share_now(const struct sms_share *share);
void *sms_share_state(const struct sms_share *share);
double sms_share_param(const struct sms_share *share, size_t idx); /* in the order of its table; times in ps */
/* Those to come included, in the order of the scenario. On a node of a cluster: slots for pods that come and go; one
 * that is free is DONE, FAILED or FUTURE, and the next process in it begins with SMS_EVENT_ARRIVED. */
size_t sms_share_processes(const struct sms_share *share);
size_t sms_share_devices(const struct sms_share *share);
struct sms_process_view sms_share_process(const struct sms_share *share, size_t process);
struct sms_share_device_view sms_share_device(const struct sms_share *share, size_t device);
/* Time alone of what is left of the job under way, of several streams the longest, ps: host, copies at full rate,
 * kernels. Looks at every step left. */
uint64_t sms_share_left(const struct sms_share *share, size_t process);
uint64_t sms_share_context(const struct sms_share *share); /* bytes of a context without static variables */
void *sms_share_alloc(struct sms_share *share, size_t count, size_t size); /* zeroed, for the run; never returns NULL */

/* What it may do, at any of its functions but `next`, which may only sms_share_say and draw: another call there ends
 * the run with SMS_EBUG. */

/* Calls `timer` with this tag, `delay_ps` from now (0: at the end of this instant). Timers are not taken back:
 * a policy that no longer wants one lets it pass. */
void sms_share_wake(struct sms_share *share, uint64_t delay_ps, size_t tag);

/* Stops what a process does on the host, copies included; what is on the device goes on. Pausing twice is pausing. */
void sms_share_pause(struct sms_share *share, size_t process);
void sms_share_resume(struct sms_share *share, size_t process);

/* Brings a suspended process to a device: its context is created, its memory copied back, and what it waited for
 * is granted. Returns false, and does nothing, if context, memory and that do not fit there or it is not suspended. */
bool sms_share_restore(struct sms_share *share, size_t process, size_t device);

/* Ends it, as if it had run out of memory. */
void sms_share_fail(struct sms_share *share, size_t process);

/* The device that a process would get without a policy, or SMS_WAIT. */
long sms_share_choose(const struct sms_share *share, size_t process);

/* Whether the process may ever be on the device: `device:` of the scenario, under mig any instance of it. */
bool sms_share_allows(const struct sms_share *share, size_t process, size_t device);

/* Whether the process could go to the device now: it may be there, nobody excludes it, its context fits. */
bool sms_share_admits(const struct sms_share *share, size_t process, size_t device);

/* A random number in [0, 1), from the policy's own stream: another one in each replication, the same whenever it is
 * repeated. */
double sms_share_random(struct sms_share *share);

/* For `smsched explain`: what was decided and why. */
void sms_share_say(struct sms_share *share, size_t process, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
