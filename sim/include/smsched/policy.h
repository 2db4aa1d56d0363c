/* Block policies: which SM takes the next block. For authors of policies.
 *
 * A policy is one file, policies/block/NAME.c, that ends with
 *
 *     const struct sms_block_policy sms_block_policy_NAME = { .name = "NAME", ... };
 *
 * The build finds the file, and `policies: [NAME]` in a scenario selects the policy. A policy proposes, the engine
 * disposes: before the engine asks, it has checked the SM's hardware limits, and it places the block itself.
 *
 * Usage and demand are doubles that hold whole numbers of parts. SMS_FULL parts are 100 % of one SM. A double holds
 * sums of whole numbers exactly up to 2^53, so 90 % + 10 % is 100 %, and subtracting what was added leaves 0. */
#ifndef SMSCHED_POLICY_H
#define SMSCHED_POLICY_H

#include <smsched/queue.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

#define SMS_FULL 1e9

/* Converts a ratio to whole parts. Compare usage with this, not with ratio * SMS_FULL: limits are inclusive, and in
 * floating point 310.4 % of 10^9 is slightly less than 3104000000. */
static inline double sms_parts(double ratio) { return (double)(uint64_t)(ratio * SMS_FULL + 0.5); }

enum { SMS_RESOURCES_MAX = 16, SMS_KNEE_MAX = 64 };

/* Hardware limits, which an SM never exceeds. Registers are counted in units of 2^-20 register, so that the hardware's
 * allocation granularity is exact (sim/model/occupancy.c). */
enum sms_limit { SMS_BLOCKS, SMS_THREADS, SMS_WARPS, SMS_REGISTERS, SMS_SHARED_MEMORY, SMS_LIMITS };

enum sms_class { SMS_COMPUTE, SMS_MEMORY, SMS_CLASSES };
enum sms_scope { SMS_SCOPE_SM, SMS_SCOPE_DEVICE };

/* Units in which a parameter is written and listed. The policy gets a time in ps, a bandwidth in bytes/s, and a choice
 * as the index of its name. */
enum sms_unit {
    SMS_UNIT_RATIO,
    SMS_UNIT_COUNT,
    SMS_UNIT_TIME,
    SMS_UNIT_BYTES,
    SMS_UNIT_BANDWIDTH,
    SMS_UNIT_CHOICE,
    SMS_UNIT_NUMBER /* which may have a fraction, such as an exponent */
};

/* One parameter of a policy or a contention model. The policy gets the values of the scenario, or else `fallback`, as
 * doubles in the order of the table. A ratio of 100 % is 1.0. `fallback` is from `min` to `max`. A table has at most 16
 * parameters with different names, and ends with a name of NULL. */
struct sms_param {
    const char *name;
    enum sms_unit unit;
    double min, max, fallback;
    const char *help;
    const char *const *choices; /* for SMS_UNIT_CHOICE: the names, ending with NULL; `fallback` is the index of one */
};

struct sms_resource_view {
    const char *name;
    enum sms_class cls;
    enum sms_scope scope;
    bool hard;   /* never used beyond SMS_FULL: the engine enforces it, like the hardware limits */
    double knee; /* exponent of how it fills, for the contention model knee: 1 .. SMS_KNEE_MAX; 0: not known */
};

/* What a policy or mode may know of the device, or of an instance of one. Read only. */
struct sms_device_view {
    const char *name;
    uint64_t memory;                          /* bytes */
    uint64_t clients, clients_before;         /* processes at most under MPS, by drivers of today and before; 0: not
                                               * known */
    uint64_t chunk;                           /* SMs of a chunk of static partitions; 1: not known */
    size_t sms;                               /* SMs of the device */
    size_t resources;                         /* 1 .. SMS_RESOURCES_MAX */
    const struct sms_resource_view *resource; /* [resources] */
    uint64_t capacity[SMS_LIMITS];            /* of one SM */
};

/* One SM. `usage[r]` is the sum of the demands of its blocks, in parts of SMS_FULL; for a resource of scope device it
 * is the device's usage divided by the number of SMs. */
struct sms_sm_view {
    size_t sm;            /* its index; 0 for `admits` and `score` of a policy that promises SMS_PURE */
    const double *usage;  /* [resources] */
    const uint64_t *used; /* [SMS_LIMITS] */
};

/* The block to place, and its launch. A policy that promises SMS_PURE gets only `adds` and `needs`; the rest is 0.
 * Counts are of this device at this instant. A tenant with a static partition is alone: the policy keeps a state of the
 * run for each, and knows nothing of the others. */
struct sms_block_request {
    const double *adds;     /* [resources], parts of SMS_FULL: what the block would add to usage[r]. That is its
                             * demand, divided by the number of SMs for a resource of scope device */
    const uint64_t *needs;  /* [SMS_LIMITS] */
    size_t tenant, tenants; /* index of the VM or process, and the most that the run has on the device */
    size_t kernel;          /* a number for each pair of tenant and kernel */
    const char *tenant_name, *kernel_name;
    uint64_t launch;              /* number of the launch on the device, from 1 */
    double priority;              /* of its stream; a higher one goes first */
    uint64_t waiting, resident;   /* blocks of the launch that wait, this one included, and that run */
    uint64_t resident_here;       /* blocks of the launch that run on this SM */
    uint64_t now_ps, launched_ps; /* on the device's clock */
    uint64_t deadline_ps;         /* of the job; UINT64_MAX if it has none */
    void *of_run, *of_launch;     /* the policy's state for the run and for the launch; NULL if it has none */
};

/* Which SM a search takes. */
enum sms_search {
    SMS_SEARCH_RING, /* the first that admits the block, from the SM after the latest placement of its queue on */
    SMS_SEARCH_STAY, /* the first that admits the block, from the SM of the latest placement of its queue on */
    SMS_SEARCH_BEST  /* the one with the highest score; among equals the lowest SM */
};

/* Answers of `admits`: SMS_ADMIT, or the index of the resource because of which the SM refuses the block, or
 * SMS_NOT_HERE if no resource is the reason. In the last case `reason` explains it. */
enum { SMS_ADMIT = -1, SMS_NOT_HERE = SMS_RESOURCES_MAX };

/* What the engine may assume of `admits` and `score`. With both promises it remembers a refusal until a block leaves,
 * and applies it to all launches of such blocks. Without them it asks again at each dispatch: the results are right,
 * but take longer. */
enum sms_promise {
    SMS_PURE = 1,     /* they depend only on parameters, device, the SM's usage and used, adds and needs */
    SMS_MONOTONE = 2, /* more usage never turns a refusal into an admission, and a refusal because of a resource of
                       * scope device holds for every SM */
    SMS_LOCAL = 4     /* with SMS_PURE: they do not look at the usage of resources of scope device. Then SMs with equal
                       * blocks are asked once, whatever the others hold */
};

/* Events of which a policy with state is notified. */
enum sms_block_event {
    SMS_BLOCKS_LAUNCHED, /* a launch has arrived; `sm` is NULL */
    SMS_BLOCKS_PLACED,   /* blocks of it were placed on the SM; resident_here includes them */
    SMS_BLOCKS_LEFT,     /* blocks of it have left the SM; resident_here excludes them */
    SMS_BLOCKS_ENDED     /* all of its blocks have left, or it was removed from the device; `sm` is NULL */
};

#define SMS_PATIENCE_MAX 9.0e18 /* ps, 2500 h: longer than any run can last, so it means for ever */

struct sms_block_policy {
    size_t size; /* sizeof this struct, or 0; another is refused: it was compiled with another header */
    const char *name;
    const char *help;               /* one sentence, no full stop */
    const struct sms_param *params; /* or NULL */
    enum sms_search search;
    const struct sms_queue_discipline *queue; /* replaces the scenario's; NULL keeps it */

    /* Whether the SM may take the block. NULL admits whatever the hardware limits allow. Changes nothing. Some SM must
     * admit a block of a launch that is alone on an empty device; otherwise the scenario is refused. */
    int (*admits)(const double *params, const struct sms_device_view *device, const struct sms_sm_view *sm,
                  const struct sms_block_request *block);

    /* For SMS_SEARCH_BEST only: returns how well the SM suits. Changes nothing. A number that is not finite ends the
     * run with SMS_EBUG. */
    double (*score)(const double *params, const struct sms_device_view *device, const struct sms_sm_view *sm,
                    const struct sms_block_request *block);

    /* Returns for how long others may overtake a launch whose block the policy refuses, ps; NULL means for ever. After
     * that, the launch blocks all others that may use the same SMs, as the first kernel of a leftover queue does. */
    uint64_t (*patience)(const double *params);

    unsigned promises; /* bits of enum sms_promise, about `admits` and `score` */

    /* State of the policy, each of the three at most 2^40: run_bytes for each device or static partition of a run, plus
     * tenant_bytes for each tenant there, and launch_bytes for each launch under way. The engine allocates it zeroed
     * and frees it. Only `note` may write to it. */
    size_t run_bytes, tenant_bytes, launch_bytes;
    void (*note)(const double *params, const struct sms_device_view *device, enum sms_block_event event,
                 const struct sms_sm_view *sm, const struct sms_block_request *block, uint64_t blocks);

    /* Writes to `out` why `admits` answered SMS_NOT_HERE, in a few words without a full stop, for `smsched explain`. If
     * it is NULL, the policy's name is printed. */
    void (*reason)(const double *params, const struct sms_device_view *device, const struct sms_sm_view *sm,
                   const struct sms_block_request *block, char *out, size_t size);
};

/* Returns the largest share of any hardware limit or hard resource that is used on the SM once the block is there,
 * 0..1. The policies breadth_first and depth_first compare it. */
double sms_share_after(const struct sms_device_view *device, const struct sms_sm_view *sm,
                       const struct sms_block_request *block);

/* Returns how many more such blocks fit on the SM by its hardware limits. */
double sms_room(const struct sms_device_view *device, const struct sms_sm_view *sm,
                const struct sms_block_request *block);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
