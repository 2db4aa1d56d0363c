/* What the files of derive*.c share. */
#ifndef SMS_IMPORT_DERIVE_INSIDE_H
#define SMS_IMPORT_DERIVE_INSIDE_H

#include "derive.h"

/* Mean of a metric over launches. */
struct sms__mean {
    const char *name, *unit;
    enum sms__value_kind kind;
    double sum, weight;
};

/* Means of all metrics of some launches; `launches` weighs them. */
struct sms__means {
    struct sms__mean *mean;
    size_t count;
};

/* How much of a resource of the profiled device a kernel used, of what the whole device has while it ran. */
struct sms__use {
    bool known, stands_in;
    double ratio;
    const char *from; /* the metrics */
};

/* How blocks lie on a device if the kernel is alone on it. */
struct sms__lie {
    size_t per_sm;        /* blocks that an SM holds */
    enum sms_limit binds; /* and what limits them */
    uint64_t fullest;     /* blocks on the fullest SM */
    uint64_t resident;    /* most at once on the device */
    double length;        /* of the kernel, in mean block times */
    double average;       /* resident blocks per SM, over that */
    double occupancy;     /* resident warps over the SM's, while an SM has a block */
    double activity;      /* share of SM time with a block */
};

enum { SMS__ASSUMED_MAX = 4 };

/* Launches of one kernel and geometry. */
struct sms__derived {
    const char *symbol, *name, *plain; /* plain: the name but for a number */
    uint64_t grid[3], block[3];
    struct sms__kernel shape; /* blocks, threads, registers, shared_memory */
    unsigned line;            /* of the first launch */
    uint64_t launches;
    double sum_s, squares, min_s, max_s; /* durations; squares: of deviations from the mean */
    struct sms__means own;
    const struct sms__means *means;        /* own, or those of all launches of the symbol */
    double means_s;                        /* mean duration of the launches that these describe */
    bool borrowed;                         /* the means are of several geometries */
    const char *assumed[SMS__ASSUMED_MAX]; /* of geometry and time, where the profile has metrics alone */
    size_t assumptions;
    bool geometry_assumed;

    double time_s, clock_hz, activity, occupancy; /* NAN where not measured */
    const char *clock_from;                       /* what stands in; NULL: nothing */
    bool idle_unknown;                            /* how long SMs were active is the model's */
    bool by_cycles;                               /* the time is cycles over the clock */
    double spread;                                /* coefficient of variation of durations */
    struct sms__use use[SMS_RESOURCES_MAX];
    struct sms__lie lie; /* on the profiled device */
    double jitter;
    bool occupancy_unmet; /* no jitter is to be tried for it */
    bool shaped;          /* the jitter was chosen for the measured occupancy */
    double block_s, demand[SMS_RESOURCES_MAX];
    bool clamped[SMS_RESOURCES_MAX];
    enum sms__bottleneck bottleneck;
    int top; /* the most used resource, or -1 */

    struct sms__lie there; /* on the target */
    double scale;          /* block time there over that here */
    double stretched;      /* part of it: what a full SM there lacks, at least 1 */
};

enum sms__happening { SMS__DOES_LAUNCH, SMS__DOES_COPY_IN, SMS__DOES_COPY_OUT, SMS__DOES_HOST };

struct sms__deed {
    enum sms__happening does;
    size_t kernel;
    uint64_t times;
    double amount; /* bytes, or seconds */
};

struct sms__note {
    unsigned line; /* of the profile; 0: none */
    const char *text;
};

struct sms__derivation {
    struct sms__arena *arena;
    const struct sms__profile *profile;
    const struct sms__derive_options *options;
    const struct sms__device *device, *target;
    struct sms_errors *errors;

    struct sms__derived *kernel;
    size_t kernels;
    size_t *of; /* [launches] the kernel of each, or SIZE_MAX */
    struct sms__deed *deed;
    size_t deeds;
    uint64_t overlaps;        /* launches that began before the one before had ended */
    double copied, copying_s; /* bytes of copies whose time is known, and that time */
    const char *order;        /* what was done to the order of steps, or NULL */

    struct sms__note *note; /* what was left out */
    size_t notes, notes_lost;
    size_t stand_ins, assumptions;
    bool timeless; /* no launch of the profile has a time */
    struct sms__means scratch;
    struct sms__slot *slot; /* for derive_shape.c: as many as either device holds blocks, */
    double *last;           /* and as it has SMs */
    uint64_t drawn;         /* blocks, so far */
};

/* Bytes that a YAML comment or quoted text may hold, in place of any; cut at `most`. */
const char *sms__derive_text(struct sms__arena *arena, const char *text, size_t most);
void sms__derive_note(struct sms__derivation *derivation, unsigned line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* derive_means.c: a metric in base units (ratio, bytes, bytes/s, Hz, s), or false. */
enum sms__reading { SMS__AS_RATIO, SMS__AS_COUNT, SMS__AS_RATE, SMS__AS_HZ, SMS__AS_SECONDS, SMS__AS_LEVEL };
void sms__means_add(struct sms__arena *arena, struct sms__means *means, const struct sms__profile_launch *launch);
bool sms__means_get(const struct sms__means *means, const char *name, enum sms__reading reading, double *value);

/* derive_use.c: clock, activity, occupancy and use of each resource, of a kernel whose time is known. */
void sms__derive_uses(struct sms__derivation *derivation, struct sms__derived *kernel);
/* Activity and occupancy, NAN where not measured. */
void sms__derive_told(struct sms__derived *kernel);
/* Elapsed cycles of an SM over a launch, or NAN: counted, or also told by instructions and their pace. */
double sms__derive_elapsed(const struct sms__derived *kernel, const struct sms__device *device);
double sms__derive_cycles(const struct sms__derived *kernel, const struct sms__device *device);
double sms__derive_capacity(const struct sms__device *device, size_t r, double clock_hz);

/* derive_kernel.c: from launches to kernels. */
void sms__derive_collect(struct sms__derivation *derivation);

/* derive_assume.c: geometry and time of a kernel (`launches` is set) whose metrics are all that is known. */
void sms__derive_assume(struct sms__derivation *derivation, struct sms__derived *kernel,
                        const struct sms__means *means);

/* Seconds of a launch of such a kernel, whose geometry is known. */
double sms__derive_assume_time(struct sms__derivation *derivation, struct sms__derived *kernel,
                               const struct sms__means *means);
/* Makes the waves of such a kernel whole if a partial one leaves no room for what it used; whether it did. */
bool sms__derive_assume_whole(struct sms__derivation *derivation, struct sms__derived *kernel);

/* derive_shape.c: NULL, or why the kernel does not fit the device. `lie` for equal blocks or with jitter. */
struct sms__slot *sms__derive_slots(struct sms__arena *arena, size_t count);
const char *sms__derive_lie(struct sms__derivation *derivation, const struct sms__device *device,
                            const struct sms__kernel *shape, double jitter, struct sms__lie *lie);
const char *sms__derive_shape(struct sms__derivation *derivation, struct sms__derived *kernel);
const char *sms__derive_retarget(struct sms__derivation *derivation, struct sms__derived *kernel);

/* derive_class.c: of what is used of each resource of the device; `top` is the most used one, or -1. */
enum sms__bottleneck sms__derive_bottleneck(const struct sms__device *device, const double *use, int *top);

/* derive_steps.c */
void sms__derive_steps(struct sms__derivation *derivation);

/* derive_write.c */
void sms__derive_write(struct sms__derivation *derivation, FILE *to);

#endif
