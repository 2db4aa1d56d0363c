/* A workload, as `workload:` documents say: kernels, and the steps of a job. */
#ifndef SMS_MODEL_WORKLOAD_H
#define SMS_MODEL_WORKLOAD_H

#include "device_model.h"

enum sms__spread { SMS__UNIFORM, SMS__EXPONENTIAL };

#define SMS__STATIC_MOST 1e12 /* bytes of static variables */

/* How the time of a coarse kernel grows on fewer SMs (time_by_share.c). */
struct sms__time_law {
    double divided;          /* the part of its time on all SMs, to the power of bend, that is divided among them */
    double bend;             /* q */
    struct sms__time_at *at; /* [points], the greatest share first: between these the time follows them */
    size_t points;           /* 0: the law stands for all */
};

struct sms__time_at {
    double share, ratio; /* of the SMs; to the time on all */
};

struct sms__kernel {
    const char *name;
    const struct sms__node *node;
    uint64_t blocks, threads, registers, shared_memory;
    uint64_t measured; /* blocks of the launch in which block_time and demand were measured */
    struct sms__quantity block_time;
    bool whole;                     /* given by `time:`: one block that stands for all, its demand is of the device */
    uint64_t launches;              /* of a whole: those that it stands for */
    double power_w;                 /* of a whole: what it adds to the power of an idle device; 0: not known */
    struct sms__time_law *by_share; /* of a whole: measured at shares of the SMs; NULL: at none */
    double room; /* of a whole: the mean part of the SMs' scarcest limit that its blocks take, 0..1; 0: not known */
    bool made;   /* a whole that was made of blocks, and is to take their time */
    double launch_ps; /* cost of a launch; below 0: the device's */
    double jitter;    /* coefficient of variation, spread uniform */
    int spread;       /* enum sms__spread */
    struct sms__demand *demand;
    size_t demands;
};

/* True if the work of the kernel's blocks is random. */
static inline bool sms__is_drawn(const struct sms__kernel *kernel)
{
    return kernel->spread == SMS__EXPONENTIAL || kernel->jitter > 0;
}

/* Free: 0 bytes stand for all that is allocated. A stream passes a record at once, and a wait once another stream of
 * its process has passed the record of that name. */
enum sms__step_kind {
    SMS__HOST,
    SMS__COPY_IN,
    SMS__COPY_OUT,
    SMS__LAUNCH,
    SMS__ALLOCATE,
    SMS__FREE,
    SMS__RECORD,
    SMS__WAIT
};

/* A step of the list may be several of these: sync follows each launch as host time. */
struct sms__step {
    enum sms__step_kind kind;
    const struct sms__node *node; /* of the list; NULL: the workload lists none */
    double amount;                /* ps of host time, also beside a launch; bytes of a copy or of device memory */
    size_t kernel;                /* of a launch */
    uint64_t times;
    bool is_async;        /* of a launch: the host does not wait for its kernel, and goes on `amount` after the call */
    bool in_graph;        /* its launches are nodes of a CUDA graph */
    bool continues_graph; /* so are those of the step before */
    const char *event;    /* of a record or a wait: its name */
    uint64_t jobs_ago;    /* of a wait: in which job of the other stream, counted back from this stream's job */
};

/* How many operations the step is, one after another. */
static inline double sms__step_times(const struct sms__step *step)
{
    return step->kind == SMS__LAUNCH ? (double)step->times : 1;
}

static inline bool sms__is_event(const struct sms__step *step)
{
    return step->kind == SMS__RECORD || step->kind == SMS__WAIT;
}

/* A step that records an event. */
struct sms__event_record {
    const char *event;
    size_t step;
};

struct sms__workload {
    const char *name, *title, *source, *device;
    const struct sms__node *node;
    struct sms__kernel *kernel;
    size_t kernels;
    struct sms__step *step;
    size_t steps;
    const char *scaled_from;         /* the device of the profile that was scaled to `device`; "" */
    double unmeasured;               /* share of its kernels' time without any metric, 0..1 */
    struct sms__demand *uncertainty; /* [uncertainties]: of its demands of a resource, relative */
    size_t uncertainties;
    int fitted;                       /* its numbers were fitted to results, not measured */
    int synthetic;                    /* its kernels may want more than a profile can show */
    const char *cls;                  /* for contention by pairs; "" */
    double overhead;                  /* by which part policies that intercept calls lengthen it */
    double statics;                   /* bytes of static device variables, which are part of its context */
    int exclusive;                    /* its process must have the device for itself */
    uint64_t declared;                /* bytes that its steps hold at most, without a context */
    struct sms__event_record *record; /* [records], by name */
    size_t records;
    bool waits; /* it has a step that waits for an event */
};

/* workload.c: reads one document. In a guard; problems go to reader->errors. */
void sms__read_workload(struct sms__reader *reader, const struct sms__node *node, struct sms__workload *workload);
/* The step that records the event, or SIZE_MAX. */
size_t sms__find_record(const struct sms__workload *workload, const char *event);
/* time_by_share.c: a kernel's `time:`, into a struct sms__kernel. */
void sms__read_kernel_time(struct sms__reader *reader, const struct sms__node *node, void *at);
/* The time on `share` of the SMs, 0..1, over that on all. */
double sms__time_ratio(const struct sms__time_law *law, double share);
/* Whether the host makes a call for the next launch of the step, of which `launched` have been. A graph is one call. */
static inline bool sms__is_call(const struct sms__step *step, uint64_t launched)
{
    return !step->in_graph || (!step->continues_graph && launched == 0);
}

/* For `smsched list fields`; ends with a title of NULL. */
const struct sms__table *sms__workload_tables(void);

#endif
