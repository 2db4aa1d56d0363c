/* Types and functions shared by derive*.c. */
#ifndef SMS_IMPORT_DERIVE_INTERNAL_H
#define SMS_IMPORT_DERIVE_INTERNAL_H

#include "derive.h"

#include "../base/statistics.h"
#include "../model/retarget.h"

/* How the blocks of a kernel occupy a device when the kernel runs alone. */
struct sms__occupancy {
    size_t per_sm;          /* blocks that an SM holds */
    enum sms_limit limiter; /* the limit that stops an SM from holding more */
    uint64_t fullest_sm;    /* blocks on the fullest SM */
    uint64_t resident;      /* most blocks at once on the device */
    double length;          /* of the kernel, in mean block times */
    double mean_per_sm;     /* resident blocks per SM, mean over the kernel's length */
    double occupancy;       /* resident warps over an SM's warps, mean over the time in which an SM has a block */
    double activity;        /* share of SM time with a block */
};

/* Launches of more blocks are modelled with equal blocks. */
enum { SMS__BLOCKS_DRAWN = 1 << 20 };

/* Scratch of the model, with room for the larger of two devices. */
struct sms__occupancy_model {
    struct sms__arena *arena;
    struct sms__occupancy_slot *slot;
    double *last_end;
    uint64_t blocks_drawn; /* so far, in all simulated launches */
};
/* profile_occupancy.c */
void sms__occupancy_begin(struct sms__occupancy_model *model, struct sms__arena *arena, const struct sms__device *a,
                          const struct sms__device *b);

/* Models the kernel with equal blocks (jitter 0) or with jitter. `interval` is the least time between the starts of two
 * blocks, in mean block times. Returns NULL, or why it does not fit the device. */
const char *sms__occupancy_of(struct sms__occupancy_model *model, const struct sms__device *device,
                              const struct sms__kernel *shape, double jitter, double interval,
                              struct sms__occupancy *out);

/* Weighted means of one metric over launches. */
struct sms__metric_mean {
    const char *name, *unit;
    enum sms__value_kind kind;
    double sum, weight;        /* of counts, by launches: the mean is sum / weight */
    double timed_sum, seconds; /* of shares and rates, by time: timed_sum / seconds */
};

/* Means of all metrics of a set of launches. */
struct sms__metric_means {
    struct sms__metric_mean *mean;
    size_t count;
    bool untimed; /* the duration of a launch is unknown, so that shares are weighted by launches too */
};

/* How much of a resource of the profiled device a kernel used while it ran. */
struct sms__usage {
    bool known;               /* the profile has a metric for it */
    bool approximate;         /* that metric measures something close to the usage */
    double ratio;             /* of what the whole device has, 0 to 1 */
    const char *from;         /* names of the metrics */
    size_t source;            /* its line in the table of sources */
    struct sms__moments each; /* of the launches that have it by themselves */
};

/* Jitter below this is not written. */
#define SMS__JITTER_WRITTEN 0.0005

/* Durations of the launches of a kernel. */
struct sms__durations {
    double sum_s, squared_deviations, min_s, max_s; /* squared_deviations: sum about the mean, s^2 */
    double mean_s;
    double spread;    /* coefficient of variation */
    const char *from; /* what durations were computed from; NULL: all of them were measured */
};

/* Metrics of a kernel (derive_kernel.c), and what they show (derive_usage.c). */
struct sms__measured_kernel {
    struct sms__metric_means own;
    const struct sms__metric_means *metrics;   /* `own`, or the metrics of all launches of the symbol; NULL: none */
    double time_s;                             /* mean duration of the launches that `metrics` describes */
    bool pooled;                               /* `metrics` averages over several geometries */
    const struct sms__profile_metric *counted; /* the metrics that were last asked how launches differ */
    double clock_hz;
    const char *clock_from;     /* source of an approximate clock; NULL: it was measured */
    double activity, occupancy; /* NAN: not measured */
    bool activity_from_model;   /* `activity` comes from the model, not from a metric */
    struct sms__usage usage[SMS_RESOURCES_MAX];
    enum sms__bottleneck bottleneck;
    int top_resource; /* index of the most used resource, or -1 */
};

/* How the measured time of a kernel is split (derive_time.c). */
struct sms__timing {
    struct sms__occupancy modelled; /* means over the kernel's time include that of the launch */
    double launch_s, block_s, jitter;
    bool is_short;     /* the kernel is so short that a launch must cost less than the device file says */
    bool by_dispatch;  /* the dispatcher sets the kernel's length */
    bool by_occupancy; /* then: the block time is from the achieved occupancy */
    bool too_fast;     /* blocks started faster than the device file says: alone, the kernel takes `lasts_s` */
    double lasts_s;
};

/* What the document has (derive_shape.c). */
struct sms__fitted {
    struct sms__timing timing; /* on the profiled device */
    double jitter;
    bool jitter_fitted; /* the jitter was fitted to the measured occupancy */
    double demand[SMS_RESOURCES_MAX];
    bool clamped[SMS_RESOURCES_MAX];
    struct sms__occupancy on_target;
    struct sms__retargeted scaled; /* to the target; its block_time is 1 without one */
};

/* How long a launch took, or the launches of one place in the rounds of a trace, which are of one shape. */
struct sms__launch_span {
    const struct sms__profile_launch *launch; /* the first of them */
    double mean_s;                            /* NAN: unknown */
    struct sms__launch_span *group;           /* the shortest of those that become one kernel */
    size_t kernel;                            /* number of the group's kernel, from 1; 0: there is none yet */
};

/* Launches that share a kernel, a geometry, registers and shared memory and took about as long; they become one kernel
 * of the workload. */
struct sms__derived {
    const char *symbol;
    const struct sms__profile_metric *metric; /* of its first launch; NULL: it has none */
    bool unknown_registers, unknown_shared;
    const char *name; /* derive_names.c */
    uint64_t grid[3], block[3];
    struct sms__kernel shape; /* blocks, threads, registers, shared_memory */
    unsigned line;            /* of the first launch */
    uint64_t launches;
    double gap_s; /* mean time before a launch for which the device has not waited for the host */
    struct sms__durations time;
    struct sms__measured_kernel measured;
    struct sms__fitted fit;
};

enum sms__derived_step_kind { SMS__DERIVED_LAUNCH, SMS__DERIVED_COPY_IN, SMS__DERIVED_COPY_OUT };

/* A step of the job that is derived. */
struct sms__derived_step {
    enum sms__derived_step_kind kind;
    size_t kernel;
    uint64_t times;
    double bytes;  /* of a copy */
    double host_s; /* host time after the step */
    bool ahead;    /* the host does not wait for the launches: */
    double call_s; /* from each to what it does next */
};

/* Something of the profile that was left out, and why. */
struct sms__omission {
    unsigned line;          /* of the profile; 0: none */
    const char *what, *why; /* what: the first of those left out for this reason */
    size_t more;            /* others left out for this reason */
};

struct sms__omissions {
    struct sms__omission *item;
    size_t count, total; /* total: with those counted as more */
};

struct sms__derivation {
    struct sms__arena *arena;
    const struct sms__profile *profile;
    const struct sms__derive_options *options;
    const struct sms__device *device, *target;
    FILE *to; /* of the document */
    struct sms_errors *errors;

    struct sms__derived *kernel;
    size_t kernels;
    struct sms__launch_span *span; /* of launch l: span[l % spans] */
    size_t spans;                  /* launches, or those of a round */
    size_t *kernel_of_launch;      /* [launches] index of the launch's kernel; SIZE_MAX: the launch is left out */
    struct sms__derived_step *step;
    size_t steps;
    double lead_s;            /* host time before the first step */
    uint64_t overlaps;        /* launches that started before the previous operation had ended */
    double copied, copying_s; /* bytes of the copies with a known duration, and the sum of these durations */
    const char *order;        /* how the order of steps was changed; NULL: it is the order of the profile */

    struct sms__omissions omitted;
    size_t approximations; /* numbers in the document */
    struct sms__metric_means scratch;
    struct sms__occupancy_model occupancy;
};

/* derive_omit.c: records that something on a line of the profile is left out. Only the first one for each reason is
 * named, and the others are counted. */
void sms__derive_omit(struct sms__derivation *derivation, unsigned line, const char *what, const char *why);
/* "line 7: 'k': no duration (and 3 more)", without the line if it is 0. */
const char *sms__derive_omission_text(struct sms__arena *arena, const struct sms__omission *omission);

/* derive_metrics.c: adds the metrics of a launch that took so many seconds (NAN: unknown) to the means. */
void sms__metrics_add(struct sms__arena *arena, struct sms__metric_means *metrics,
                      const struct sms__profile_launch *launch, double seconds);
/* The mean of a metric in base units (ratio, count, bytes/s, Hz, s). A count is of a launch; SMS__AS_MEAN is a number
 * that does not grow with the launch, such as instructions per cycle. NAN if there is no such metric. */
enum sms__metric_quantity {
    SMS__AS_RATIO,
    SMS__AS_COUNT,
    SMS__AS_MEAN,
    SMS__AS_RATE,
    SMS__AS_HZ,
    SMS__AS_SECONDS,
    SMS__AS_LEVEL
};
double sms__metrics_get(const struct sms__metric_means *metrics, const char *name, enum sms__metric_quantity quantity);

/* derive_usage.c: the launch's duration from its column, otherwise from its metrics; NAN if there is none. Sets from
 * what, NULL for the column. */
double sms__derive_launch_time(struct sms__derivation *derivation, const struct sms__profile_launch *launch,
                               const char **from);
/* The same from means of metrics alone. */
double sms__derive_metric_time(struct sms__arena *arena, const struct sms__metric_means *metrics,
                               const struct sms__device *device, const char **from);
/* derive_spread.c: by how much the use of resources differs between the launches of each kernel, after
 * sms__derive_usage of all. */
void sms__derive_spread(struct sms__derivation *derivation);
/* The error of the workload's demands of resource r that the profile shows, relative, of all kernels by what they use:
 * how much launches of a kernel differ, and how far its modelled occupancy is off. NAN if too few launches tell. */
double sms__derive_uncertainty(const struct sms__derivation *derivation, size_t r);
/* The same use as measured->usage[r], by other metrics. NAN if they do not have it. */
double sms__derive_use_again(const struct sms__device *device, const struct sms__measured_kernel *measured, size_t r);
/* derive_usage.c: sets clock, activity, occupancy and the usage of each resource, for a kernel whose time is known. */
void sms__derive_usage(struct sms__derivation *derivation, struct sms__derived *kernel);
/* Sets activity and occupancy from the metrics, NAN where not measured. */
void sms__derive_measured(struct sms__measured_kernel *measured, const struct sms__device *device);
/* Capacity of resource `r` of the whole device at this clock: lane cycles or bytes per second. */
double sms__derive_capacity(const struct sms__device *device, size_t r, double clock_hz);

/* derive_kernel.c: groups the launches of the profile into kernels. */
void sms__derive_collect(struct sms__derivation *derivation);

/* Whether kernels are scaled, to another device or to another clock. */
static inline bool sms__derive_scales(const struct sms__derivation *derivation)
{
    return derivation->target != derivation->device || derivation->options->clock_hz > 0;
}

/* derive_time.c: splits the kernel's time into that of a launch and that of blocks. Returns NULL, or why the kernel
 * does not fit the device. */
const char *sms__derive_time(struct sms__derivation *derivation, const struct sms__derived *kernel, double jitter,
                             struct sms__timing *timing);

/* derive_shape.c: these return NULL, or why the kernel does not fit the device. */
/* Sets jitter, block time and demands so that the kernel alone takes its measured time. */
const char *sms__derive_shape(struct sms__derivation *derivation, struct sms__derived *kernel);
/* Scales block time and demands to the target device, or to another clock. */
const char *sms__derive_retarget(struct sms__derivation *derivation, struct sms__derived *kernel);

/* derive_class.c: the bottleneck, from the usage of each resource of the device; sets the most used one, or -1. */
enum sms__bottleneck sms__derive_bottleneck(const struct sms__device *device, const double *use, int *top);

/* derive_steps.c: makes the steps of the job from launches and copies. Returns SMS_OK; or SMS_EINPUT with an error if
 * kernels and copies take longer than the job alone. */
int sms__derive_steps(struct sms__derivation *derivation);

/* derive_names.c: gives each kernel a readable name that no other one has. */
void sms__derive_names(struct sms__derivation *derivation);

/* derive_write.c: writes the workload document. */
void sms__derive_write(struct sms__derivation *derivation);

#endif
