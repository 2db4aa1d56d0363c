/* What the files say, checked and then never changed: devices, workloads, VMs,
 * scenarios. Everything lives in the arena of the struct sms_file it was read
 * for. Times are picoseconds, sizes bytes, ratios 1.0 for 100 %. */
#ifndef SMS_MODEL_MODEL_H
#define SMS_MODEL_MODEL_H

#include <smsched/smsched.h>

#include "../base/quantity.h"
#include "../yaml/fields.h"

enum { SMS__PARAMS_MAX = 8 };

/* The clock's range: 2^64 ps are 213 days; a duration may take half of it. */
#define SMS__TIME_MAX_PS 9.0e18

/* A demand above this many SMs is a mistake, not a measurement. */
#define SMS__DEMAND_MAX 16.0

/* Written as a share of an SM, or, of a resource with a capacity, as a count of its units. */
struct sms__demand {
    const char *resource;
    double ratio;
    bool bare; /* a number without %: a count where the resource has a capacity */
    const struct sms__node *node, *value;
};

/* Load that is always there, on one SM (worked examples, other tenants). */
struct sms__background {
    uint64_t sm;
    struct sms__demand *demand;
    size_t demands;
    const struct sms__node *node;
};

struct sms__resource {
    const char *name;
    int cls, scope;    /* enum sms_class, enum sms_scope */
    int hard;          /* never used beyond 100 %, whatever the policy */
    uint64_t capacity; /* in units of its own: of one SM, or of the device for scope device; 0: it has none */
    double lanes;      /* results per cycle and SM; 0: not known */
    double bandwidth;  /* bytes/s; 0: not known */
};

struct sms__sm {
    uint64_t threads, warps, blocks, registers, shared_memory;
    uint64_t threads_per_block, registers_per_thread, register_unit, register_partitions;
    uint64_t shared_memory_unit, shared_memory_reserved, shared_memory_per_block;
};

struct sms__device {
    const char *name, *title, *source;
    const char *capability; /* "7.0"; "" */
    const struct sms__node *node;
    double clock_hz;
    uint64_t sms, memory;
    double link_bandwidth; /* of each direction; 0: copies take no time */
    double idle_w, busy_w;
    struct sms__sm sm;
    struct sms__resource resource[SMS_RESOURCES_MAX];
    size_t resources;
    struct sms__background *background;
    size_t backgrounds;
    struct sms_device_view view; /* what policies see */
    struct sms_resource_view resource_view[SMS_RESOURCES_MAX];
};

enum sms__spread { SMS__UNIFORM, SMS__EXPONENTIAL };

struct sms__kernel {
    const char *name;
    const struct sms__node *node;
    uint64_t blocks, threads, registers, shared_memory;
    struct sms__quantity block_time;
    double jitter; /* coefficient of variation, spread uniform */
    int spread;    /* enum sms__spread */
    struct sms__demand *demand;
    size_t demands;
};

enum sms__step_kind { SMS__HOST, SMS__COPY_IN, SMS__COPY_OUT, SMS__LAUNCH };

struct sms__step {
    enum sms__step_kind kind;
    double amount; /* ps of host time, bytes of a copy */
    size_t kernel; /* of a launch */
    uint64_t times;
};

struct sms__workload {
    const char *name, *title, *source, *device;
    const struct sms__node *node;
    struct sms__kernel *kernel;
    size_t kernels;
    struct sms__step *step;
    size_t steps;
};

/* A kernel on a kind of device: all that the engine needs of it. */
struct sms__fit {
    double demand[SMS_RESOURCES_MAX]; /* parts of SMS_FULL */
    double adds[SMS_RESOURCES_MAX];
    uint64_t count[SMS_RESOURCES_MAX]; /* of resources with a capacity: the demand in their units */
    uint64_t needs[SMS_LIMITS];
    double work_ps;   /* block_time */
    uint64_t work;    /* the same, in whole ps */
    size_t per_sm;    /* blocks that an empty SM holds */
    bool device_wide; /* demands a resource of scope device */
    uint32_t own;     /* bit r: demands resource r, of scope sm */
    uint32_t wide;    /* bit r: demands resource r, of scope device */
    bool hard;        /* demands a resource that is hard */
};

enum sms__arrivals { SMS__CLOSED, SMS__POISSON, SMS__REGULAR };

/* A tenant of the block level. */
struct sms__vm {
    const char *name;
    const char *workload_name;
    const struct sms__node *node, *workload_node;
    const struct sms__workload *workload;
    double start_ps, deadline_ps; /* deadline 0: none */
    uint64_t type;                /* by which --format simtbs groups VMs */
    uint64_t repeat;              /* jobs; 0: for ever */
    uint64_t streams;             /* jobs at once, per device */
    int arrivals;                 /* enum sms__arrivals */
    double interval_ps;           /* mean time between arrivals, per device */
    const struct sms__fit **fit;  /* [devices] -> [kernels] */
};

struct sms__policy_use {
    const struct sms_block_policy *policy;
    double param[SMS__PARAMS_MAX];
    const char *label; /* its name, with the parameters that differ from the defaults */
    const struct sms__node *node;
};

struct sms__expect {
    const struct sms__node *node;
    const char *metric, *policy, *over, *vm, *resource;
    struct sms__quantity value, tolerance, min, max;
    bool has_value, has_min, has_max;
};

/* Another simulator, digit for digit, its faults included (docs/simtbs.md). */
enum sms__compat { SMS__COMPAT_OFF, SMS__COMPAT_SIMTBS };

/* Under compat simtbs a tick is a microsecond. */
#define SMS__TICK_PS 1000000

struct sms_scenario {
    const char *name, *question;
    const struct sms__node *node;
    const char *path, *text;
    const struct sms__device **device; /* [devices]; equal ones share one struct */
    size_t devices;
    const struct sms_contention *contention;
    double contention_param[SMS__PARAMS_MAX];
    const char *contention_label;
    struct sms__curves *curves;
    int queue;  /* enum sms_queue */
    int compat; /* enum sms__compat */
    struct sms__policy_use *policy;
    size_t policies;
    struct sms__policy_use *alone; /* of the stand-alone runs */
    struct sms__vm *vm;
    size_t vms;
    double warmup_ps, duration_ps; /* duration 0: until all VMs have ended */
    uint64_t seed, replications;
    struct sms__expect *expect;
    size_t expects;
};

/* Curves by resource name, as the scenario gives them; matched to a device by sms__curves_for. */
struct sms__curves {
    size_t count;
    const char *resource[SMS_RESOURCES_MAX];
    const struct sms__node *node[SMS_RESOURCES_MAX];
    struct sms_curve curve[SMS_RESOURCES_MAX];
};

struct sms_file {
    struct sms__arena arena;
    const struct sms_load_options *options;
    struct sms_errors *errors; /* only while loading */
    struct sms__doc *doc;      /* the first is the file itself, others were looked up */
    size_t docs, docs_capacity;
    struct sms__device **device;
    size_t devices;
    struct sms__workload **workload;
    size_t workloads;
    struct sms_scenario **scenario;
    size_t scenarios;
    double bytes; /* about what its scenarios have allocated for every device and VM */
};

/* The folder of models fixed at build time. */
const char *sms__installed_models(void);

/* Readers of one document each. In a guard; problems go to reader->errors. */
void sms__read_device(struct sms__reader *reader, const struct sms__node *node, struct sms__device *device);
void sms__finish_device(struct sms__reader *reader, struct sms__device *device);
void sms__read_workload(struct sms__reader *reader, const struct sms__node *node, struct sms__workload *workload);
void sms__read_scenario(struct sms__reader *reader, const struct sms__node *node, struct sms_file *file,
                        struct sms_scenario *scenario);
void sms__read_demand(struct sms__reader *reader, const struct sms__node *node, struct sms__demand **demand,
                      size_t *count);

/* Checks the parts of a scenario against each other and fills in what runs need. */
void sms__link_scenario(struct sms__reader *reader, struct sms_file *file, struct sms_scenario *scenario);

/* compat.c: whether the other simulator has what the scenario asks for. */
void sms__check_compat(struct sms__reader *reader, const struct sms_scenario *scenario);

/* What compat simtbs knows of a device's resources, in their order: hard ones from 0, those of class compute,
 * those of class memory from `compute` to `sm`, then `device` of scope device. */
struct sms__simtbs_shape {
    size_t hard, compute, sm, device;
};
/* NULL, or why the device has no such shape. */
const char *sms__simtbs_shape(const struct sms__device *device, struct sms__simtbs_shape *shape);

/* demand.c: what a demand on resource `r` of the device is in parts, and in units if it is a count of them.
 * Returns whether it can be; reports it otherwise. `unbounded`: a count has no ceiling. */
bool sms__demand_parts(struct sms__reader *reader, const struct sms__device *device, size_t r,
                       const struct sms__demand *demand, bool unbounded, double *parts, uint64_t *count);

/* The hard resource of which the block would take an SM beyond its capacity, or -1.
 * `usage` is the SM's, as policies see it. */
int sms__hard_refuses(const struct sms__device *device, const struct sms__fit *fit, const double *usage);

/* uses.c: the fields of a scenario that name policies and a contention model; `at` is the scenario. */
void sms__read_policies(struct sms__reader *reader, const struct sms__node *node, void *at);
void sms__read_alone(struct sms__reader *reader, const struct sms__node *node, void *at);
void sms__read_contention(struct sms__reader *reader, const struct sms__node *node, void *at);

/* Tables of fields, for `smsched list fields`. */
struct sms__table {
    const char *title;
    const struct sms__field *fields;
};
const struct sms__table *sms__device_tables(void); /* ends with a title of NULL */
const struct sms__table *sms__workload_tables(void);
const struct sms__table *sms__scenario_tables(void);

/* A named device or workload: in the file, then in the folders; NULL and a complaint at `node` if nowhere. */
const struct sms__device *sms__find_device(struct sms_file *file, const char *name, const struct sms__node *node);
const struct sms__workload *sms__find_workload(struct sms_file *file, const char *name, const struct sms__node *node);

/* suggest.c: complains of a name that is in no file and no folder, with the nearest that is. */
void sms__complain_unknown_device(struct sms_file *file, const struct sms__node *node);
void sms__complain_unknown_workload(struct sms_file *file, const struct sms__node *node);

/* Policies and contention models by name: those of the options, then the library's. */
const struct sms_block_policy *sms__find_policy(const struct sms_load_options *options, const char *name);
const struct sms_contention *sms__find_contention(const struct sms_load_options *options, const char *name);
const struct sms_block_policy *sms__policy_at(const struct sms_load_options *options, size_t idx); /* NULL beyond */
const struct sms_contention *sms__contention_at(const struct sms_load_options *options, size_t idx);

/* What a block takes of an SM, with the hardware's allocation granularity.
 * Returns NULL, or what makes the block fit no SM of the device. */
const char *sms__block_needs(const struct sms__sm *sm, const struct sms__kernel *kernel, uint64_t needs[SMS_LIMITS]);

/* Blocks of `needs` that an empty SM holds, and the limit that binds. */
size_t sms__blocks_per_sm(const uint64_t capacity[SMS_LIMITS], const uint64_t needs[SMS_LIMITS], enum sms_limit *binds);

/* The capacity of an SM in the units of `needs`. */
void sms__sm_capacity(const struct sms__sm *sm, uint64_t capacity[SMS_LIMITS]);

/* The index of a resource on a device, or -1. */
int sms__resource_index(const struct sms__device *device, const char *name);

extern const char *const sms__queue_names[];
extern const char *const sms__limit_names[SMS_LIMITS];

#endif
