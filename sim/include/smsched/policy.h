/* For authors of block policies: which SM takes the next block.
 *
 * A policy is one file, policies/block/NAME.c, that ends with
 *
 *     const struct sms_block_policy sms_block_NAME = { .name = "NAME", ... };
 *
 * The build finds the file, `policies: [NAME]` in a scenario finds the policy.
 * A policy proposes and the engine disposes: the engine has already checked the
 * SM's hardware limits when it asks, and it places the block itself.
 *
 * Usage and demand are doubles that hold whole numbers of parts; SMS_FULL parts
 * are 100 % of one SM. Sums of whole numbers are exact in a double up to 2^53,
 * so 90 % + 10 % is 100 % and what is added and taken away leaves nothing. */
#ifndef SMSCHED_POLICY_H
#define SMSCHED_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define SMS_FULL 1e9

/* A ratio in whole parts. Compare usage with this, not with ratio * SMS_FULL: 310.4 % times
 * 10^9 is a hair below 3104000000, and a limit is inclusive. */
static inline double sms_parts(double ratio) { return (double)(uint64_t)(ratio * SMS_FULL + 0.5); }

enum { SMS_RESOURCES_MAX = 16 };

/* What an SM never exceeds. Registers are counted in 2^-20 register, so that
 * the allocation granularity of the hardware is exact (sim/model/occupancy.c). */
enum sms_limit { SMS_BLOCKS, SMS_THREADS, SMS_WARPS, SMS_REGISTERS, SMS_SHARED_MEMORY, SMS_LIMITS };

enum sms_class { SMS_COMPUTE, SMS_MEMORY, SMS_CLASSES };
enum sms_scope { SMS_SCOPE_SM, SMS_SCOPE_DEVICE };

/* Units in which a parameter is written and listed. A time is handed over in ps, a bandwidth in bytes/s,
 * a choice as the index of its name. */
enum sms_unit { SMS_UNIT_RATIO, SMS_UNIT_COUNT, SMS_UNIT_TIME, SMS_UNIT_BYTES, SMS_UNIT_BANDWIDTH, SMS_UNIT_CHOICE };

/* One parameter of a policy or a contention model. The value given in the
 * scenario, or `fallback`, is handed over in table order as a double;
 * a ratio of 100 % is 1.0. A table ends with a name of NULL. */
struct sms_param {
    const char *name;
    enum sms_unit unit;
    double min, max, fallback;
    const char *help;
    const char *const *choices; /* of a choice: its names, ending with NULL */
};

struct sms_resource_view {
    const char *name;
    enum sms_class cls;
    enum sms_scope scope;
    bool hard; /* never used beyond SMS_FULL: the engine sees to it, as to the limits */
};

/* The device, as far as a policy may know it. Read only. */
struct sms_device_view {
    size_t sms;                               /* SMs of the device */
    size_t resources;                         /* 1 .. SMS_RESOURCES_MAX */
    const struct sms_resource_view *resource; /* [resources] */
    uint64_t capacity[SMS_LIMITS];            /* of one SM */
};

/* One SM. `usage[r]` is in parts of SMS_FULL: the demands of its residents
 * added up; of a resource of scope device, the device's usage divided by its SMs. */
struct sms_sm_view {
    size_t sm;
    const double *usage;  /* [resources] */
    const uint64_t *used; /* [SMS_LIMITS] */
};

/* The block that waits, and the launch that it is of. A policy that promises SMS_PURE is given `adds` and `needs` only;
 * for it the rest is 0. Counts are of this device and of this instant. */
struct sms_block_request {
    const double *adds;     /* [resources], parts of SMS_FULL: what placing it would add to usage[r], which is its
                             * demand, or for a resource of scope device its demand divided by the SMs */
    const uint64_t *needs;  /* [SMS_LIMITS] */
    size_t tenant, tenants; /* which VM or process, and how many the run has on the device at most */
    size_t kernel;          /* which kernel of which tenant: a number of its own for each pair */
    const char *tenant_name, *kernel_name;
    uint64_t launch;              /* its number among the launches of the device, from 1 */
    double priority;              /* of its stream; the greater goes first */
    uint64_t waiting, resident;   /* blocks of the launch that wait, this one included, and that run */
    uint64_t resident_here;       /* of those, on this SM */
    uint64_t now_ps, launched_ps; /* on the device's clock */
    uint64_t deadline_ps;         /* of the job; UINT64_MAX: none */
    void *of_run, *of_launch;     /* the policy's own state; NULL if it has none of that kind */
};

/* Where a search over the SMs begins. */
enum sms_search {
    SMS_SEARCH_RING, /* after the SM of the last placement: it advances */
    SMS_SEARCH_STAY, /* at the SM of the last placement, until that one is full */
    SMS_SEARCH_BEST  /* everywhere: the highest score, of equal ones the lowest SM */
};

/* In which order the kernels of one dispatch queue offer their blocks, among those of the highest priority that waits
 * (docs/policies.md). Each context under mps has a queue; queues take turns. */
enum sms_queue {
    SMS_QUEUE_OF_SCENARIO, /* the policy brings none along */
    SMS_QUEUE_LEFTOVER,    /* launch order; the first kernel whose block fits nowhere stops the queue */
    SMS_QUEUE_INTERLEAVE,  /* one block of each kernel in turn, passing over those that fit nowhere */
    SMS_QUEUE_FIFO,        /* another name of leftover */
    SMS_QUEUE_KERNEL_FIFO, /* launch order, passing over kernels whose block fits nowhere */
    SMS_QUEUE_RR_FIFO      /* one block of each kernel in turn; the first that fits nowhere stops the queue */
};

/* What `admits` says: SMS_ADMIT, the index of the resource for which the SM must not take the block, or SMS_NOT_HERE
 * where it is for no resource: then `reason` says why. */
enum { SMS_ADMIT = -1, SMS_NOT_HERE = SMS_RESOURCES_MAX };

/* What the engine may assume of `admits` and `score`. With both promises it remembers a no until a block leaves, and
 * applies it to all launches of such blocks. Without, it asks again at each dispatch: the results are right, and take
 * longer. */
enum sms_promise {
    SMS_PURE = 1, /* they look at nothing but parameters, device, usage and used of the SM, adds and needs */
    SMS_MONOTONE =
        2 /* more usage never turns a no into a yes; a no for a resource of scope device is one for every SM */
};

/* What a policy with state of its own is told. */
enum sms_block_event {
    SMS_BLOCKS_LAUNCHED, /* a launch has come; `sm` is NULL */
    SMS_BLOCKS_PLACED,   /* blocks of it have come to the SM; resident_here has them */
    SMS_BLOCKS_LEFT,     /* blocks of it have left the SM; resident_here has them no more */
    SMS_BLOCKS_ENDED     /* all of its blocks have left, or it was taken off the device; `sm` is NULL */
};

#define SMS_PATIENCE_MAX 9.0e18 /* ps, 2500 h: longer than any run that ends within the clock, so for ever */

struct sms_block_policy {
    size_t size; /* sizeof this struct, or 0; another is refused: it was compiled with another header */
    const char *name;
    const char *help;               /* one sentence, no full stop */
    const struct sms_param *params; /* or NULL */
    enum sms_search search;
    enum sms_queue queue; /* instead of the scenario's, if the policy is one of queues, too */

    /* NULL admits whatever the hardware limits allow. Changes nothing. Of a launch that is alone on an empty device
     * some SM must take a block: a scenario in which none does is refused. */
    int (*admits)(const double *params, const struct sms_device_view *device, const struct sms_sm_view *sm,
                  const struct sms_block_request *block);

    /* SMS_SEARCH_BEST only: how well the SM suits. Finite. Changes nothing. */
    double (*score)(const double *params, const struct sms_device_view *device, const struct sms_sm_view *sm,
                    const struct sms_block_request *block);

    /* How long the policy lets others go before a launch whose block it refuses, ps; NULL: for ever. After that the
     * launch holds up all that may use the same SMs, as under a queue that the first block that fits nowhere stops. */
    uint64_t (*patience)(const double *params);

    unsigned promises; /* of enum sms_promise, about `admits` and `score` */

    /* State of its own: so many bytes for each device of a run (and as many more for each tenant), and for each launch
     * that is under way. The engine allocates it, zeroed, and gives it back; `note` alone writes to it. */
    size_t run_bytes, tenant_bytes, launch_bytes;
    void (*note)(const double *params, const struct sms_device_view *device, enum sms_block_event event,
                 const struct sms_sm_view *sm, const struct sms_block_request *block, uint64_t blocks);

    /* Why `admits` said SMS_NOT_HERE, in a few words without a full stop, for `smsched explain`. NULL: the name says
     * it.
     */
    void (*reason)(const double *params, const struct sms_device_view *device, const struct sms_sm_view *sm,
                   const struct sms_block_request *block, char *out, size_t size);
};

/* The largest share of any limit that is used on the SM once the block is
 * there, 0..1. What breadth_first and depth_first compare. */
double sms_share_after(const struct sms_device_view *device, const struct sms_sm_view *sm,
                       const struct sms_block_request *block);

/* How many more such blocks the SM's limits leave room for. */
double sms_room(const struct sms_device_view *device, const struct sms_sm_view *sm,
                const struct sms_block_request *block);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
