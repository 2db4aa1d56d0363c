/* Types and functions shared by derive*.c. */
#ifndef SMS_IMPORT_DERIVE_INTERNAL_H
#define SMS_IMPORT_DERIVE_INTERNAL_H

#include "derive.h"
#include "occupancy.h"

#include "../model/retarget.h"

/* Weighted mean of one metric over launches. */
struct sms__metric_mean {
    const char *name, *unit;
    enum sms__value_kind kind;
    double sum, weight; /* the mean is sum / weight */
};

/* Means of all metrics of a set of launches, each launch weighted by its count. */
struct sms__metric_means {
    struct sms__metric_mean *mean;
    size_t count;
};

/* How much of a resource of the profiled device a kernel used while it ran. */
struct sms__usage {
    bool known;       /* the profile has a metric for it */
    bool approximate; /* that metric measures something close to the usage */
    double ratio;     /* of what the whole device has, 0 to 1 */
    const char *from; /* names of the metrics */
};

enum { SMS__ASSUMED_MAX = 4 };

/* Durations of the launches of a kernel. */
struct sms__durations {
    double sum_s, squared_deviations, min_s, max_s; /* squared_deviations: sum about the mean, s^2 */
    double mean_s;
    double spread;    /* coefficient of variation */
    bool from_cycles; /* a duration is cycles over the clock */
};

/* Assumptions about a kernel, which the document states. */
struct sms__assumptions {
    const char *text[SMS__ASSUMED_MAX];
    size_t count;
    bool geometry;
};

/* Metrics of a kernel (derive_kernel.c), and what they show (derive_usage.c). */
struct sms__measured {
    struct sms__metric_means own;
    const struct sms__metric_means *metrics; /* `own`, or the metrics of all launches of the symbol; NULL: none */
    double time_s;                           /* mean duration of the launches that `metrics` describes */
    bool pooled;                             /* `metrics` averages over several geometries */
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
    struct sms__occupancy modelled; /* on the profiled device */
    struct sms__timing timing;
    double jitter;
    bool skip_jitter_fit; /* do not fit the jitter to the measured occupancy */
    bool jitter_fitted;   /* the jitter was fitted to the measured occupancy */
    double block_s, demand[SMS_RESOURCES_MAX];
    bool clamped[SMS_RESOURCES_MAX];
    struct sms__occupancy on_target;
    struct sms__retargeted scaled; /* to the target; its block_time is 1 without one */
};

/* Launches that share a kernel, a geometry, registers and shared memory; they become one kernel of the workload. */
struct sms__derived {
    const char *symbol;
    const char *name, *base_name; /* derive_write.c: base_name is without the number that makes the name unique */
    uint64_t grid[3], block[3];
    struct sms__kernel shape; /* blocks, threads, registers, shared_memory */
    unsigned line;            /* of the first launch */
    uint64_t launches;
    struct sms__durations time;
    struct sms__assumptions assumed;
    struct sms__measured measured;
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
};

/* Something of the profile that was left out, and why. */
struct sms__omission {
    unsigned line; /* of the profile; 0: none */
    const char *text;
};

struct sms__omissions {
    struct sms__omission *item;
    size_t count, dropped; /* dropped: those beyond the most that a document lists */
};

struct sms__derivation {
    struct sms__arena *arena;
    const struct sms__profile *profile;
    const struct sms__derive_options *options;
    const struct sms__device *device, *target;
    struct sms_errors *errors;

    struct sms__derived *kernel;
    size_t kernels;
    size_t *kernel_of_launch; /* [launches] index of the launch's kernel; SIZE_MAX: the launch is left out */
    struct sms__derived_step *step;
    size_t steps;
    double lead_s;            /* host time before the first step */
    uint64_t overlaps;        /* launches that started before the previous operation had ended */
    double copied, copying_s; /* bytes of the copies with a known duration, and the sum of these durations */
    const char *order;        /* how the order of steps was changed; NULL: it is the order of the profile */

    struct sms__omissions omitted;
    size_t approximations, assumptions; /* numbers in the document */
    bool lacks_durations;               /* no launch of the profile has a duration */
    struct sms__metric_means scratch;
    struct sms__occupancy_model occupancy;
};

/* derive_omit.c: records that something on a line of the profile is left out; the message says what and why. */
void sms__derive_omit(struct sms__derivation *derivation, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* derive_metrics.c: adds the metrics of a launch to the means. */
void sms__metrics_add(struct sms__arena *arena, struct sms__metric_means *metrics,
                      const struct sms__profile_launch *launch);
/* The mean of a metric in base units (ratio, count, bytes/s, Hz, s). Returns false if there is no such metric. */
enum sms__metric_quantity { SMS__AS_RATIO, SMS__AS_COUNT, SMS__AS_RATE, SMS__AS_HZ, SMS__AS_SECONDS, SMS__AS_LEVEL };
bool sms__metrics_get(const struct sms__metric_means *metrics, const char *name, enum sms__metric_quantity quantity,
                      double *value);

/* derive_usage.c: sets clock, activity, occupancy and the usage of each resource, for a kernel whose time is known. */
void sms__derive_usage(struct sms__derivation *derivation, struct sms__derived *kernel);
/* Sets activity and occupancy from the metrics, NAN where not measured. */
void sms__derive_measured(struct sms__measured *measured);
/* Cycles that elapsed on an SM during a launch, as counted; NAN if they were not. */
double sms__derive_elapsed(const struct sms__measured *measured, const struct sms__device *device);
/* The same, or if they were not counted, the cycles computed from instructions and IPC. */
double sms__derive_cycles(const struct sms__measured *measured, const struct sms__device *device);
/* Capacity of resource `r` of the whole device at this clock: lane cycles or bytes per second. */
double sms__derive_capacity(const struct sms__device *device, size_t r, double clock_hz);

/* derive_kernel.c: groups the launches of the profile into kernels. */
void sms__derive_collect(struct sms__derivation *derivation);

/* derive_assume.c: sets geometry and time of a kernel of which the profile has only metrics; `launches` is set. */
void sms__derive_assume(struct sms__derivation *derivation, struct sms__derived *kernel,
                        const struct sms__metric_means *metrics);
/* Assumed seconds of a launch whose geometry is known and whose duration is not. */
double sms__derive_assume_time(struct sms__derivation *derivation, struct sms__assumptions *assumed,
                               const struct sms__metric_means *metrics);
/* Rounds an assumed number of blocks to whole waves if a partial wave leaves no room for the measured usage. Returns
 * whether it changed the kernel. */
bool sms__derive_round_waves(struct sms__derivation *derivation, struct sms__derived *kernel);

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

/* derive_steps.c: makes the steps of the job from launches and copies. */
void sms__derive_steps(struct sms__derivation *derivation);

/* derive_write.c: writes the workload document. */
void sms__derive_write(struct sms__derivation *derivation, FILE *to);

#endif
