/* Derives workloads from a profile of a program. docs/reference/import.md has the formulas. */
#ifndef SMS_IMPORT_DERIVE_H
#define SMS_IMPORT_DERIVE_H

#include "profile.h"

#include "../model/file.h"

#include <stdio.h>

/* The kernel of a workload that a symbol in a geometry became. */
struct sms__derived_name {
    const char *name, *symbol;
    uint64_t grid[3], block[3];
};
struct sms__derived_names {
    struct sms__arena *arena;
    struct sms__derived_name *item;
    size_t count;
};

struct sms__derive_options {
    const char *path;                 /* of the profile, for messages; or NULL */
    const char *name;                 /* of the workload, in any bytes; NULL: "profile" */
    const char *title;                /* the workload's title, in any bytes; or NULL */
    const char *source;               /* where the numbers come from, in any bytes; NULL: the profiler's name */
    const struct sms__device *device; /* the profiled device */
    const char *device_evidence;      /* how the profiled device was found; NULL: the user named it */
    const struct sms__device *target; /* the device to write the workload for; NULL: the profiled device */
    double clock_hz;                  /* the SM clock to write it for; 0: the target's, or as profiled */
    double alone_s;                   /* of a trace: what a job takes without the profiler; 0: as in the trace */
    size_t steps;                     /* most steps to write, at least 8; 0: 400 */
    struct sms__derive_facts *facts;  /* is added up; or NULL */
    bool iteration;                   /* steps are the launches of one iteration, without copies and host time */
    struct sms__derived_names *names; /* those of all kernels are added; or NULL */
};

/* What the derived workloads ask of a scenario that runs them. */
struct sms__derive_facts {
    bool jitter;     /* a kernel has jitter, so that one replication is not enough */
    char order[256]; /* how steps were changed, of the last workload; "": they are as in the profile */
};

/* Writes one workload document to `to`. Comments of the document list what was left out of the profile and every number
 * that is approximate or assumed. Must run in a guard of `arena`. Returns SMS_OK; or SMS_EINPUT with `errors` filled if
 * no launch can be used, and then writes nothing. */
int sms__derive(struct sms__arena *arena, const struct sms__profile *profile, const struct sms__derive_options *options,
                FILE *to, struct sms_errors *errors);

/* Finds the name of a kernel's function in its symbol, without return type, namespaces, template and arguments; all of
 * the symbol if it is not C++: "[a strange name]". Returns its length. */
size_t sms__derive_function(const char *symbol, const char **name);

/* The name of the device file whose compute capability, and then number of SMs, is nearest; NULL: there is none. In a
 * guard of `arena`. */
const char *sms__derive_nearest_device(struct sms__arena *arena, const char *capability, double sms,
                                       const struct sms_load_options *options);

/* Reports each property of the profiled device that contradicts `device`, which the user has named: the name of
 * the GPU, compute capability, number of SMs, resident blocks. In a guard of `arena`. */
void sms__derive_check_device(struct sms__arena *arena, const struct sms__profile *profile, const char *path,
                              const struct sms__device *device, const struct sms_load_options *options,
                              struct sms_errors *errors);

/* derive_kernel.c: an operation of this place, which may be NULL, ran on another device than the first launch: a job
 * runs on one. */
bool sms__derive_elsewhere(const struct sms__profile *profile, const struct sms__trace_place *place);
/* NULL, or why a launch of so many seconds cannot be used. */
const char *sms__derive_reject(const struct sms__profile_launch *launch, double seconds);
/* The blocks of a grid, or the threads of a block. */
double sms__derive_volume(const uint64_t size[3]);

/* derive_usage.c: the SM clock that the metrics of a launch tell; NAN: none, or one that the device cannot have. Must
 * run in a guard of `arena`. */
double sms__derive_clock(struct sms__arena *arena, const struct sms__profile_launch *launch,
                         const struct sms__device *device);

/* What bounds a kernel. It is latency if no resource reaches 50 % usage; otherwise it is the class of the most used
 * resource, or mixed if the other class is within 10 points. */
enum sms__bottleneck { SMS__LATENCY_BOUND, SMS__COMPUTE_BOUND, SMS__MEMORY_BOUND, SMS__MIXED_BOUND };
extern const char *const sms__class_names[];

struct sms__class {
    enum sms__bottleneck bottleneck;
    double use[SMS_RESOURCES_MAX]; /* usage of each resource of the device, mean over the kernel's time: a ratio */
    int top;                       /* index of the most used resource, or -1 */
};

/* Classifies a kernel from its demands, as if it ran alone on the device at full speed. Returns false if no block of it
 * fits on an SM. Must run in a guard of `arena`. */
bool sms__derive_class(struct sms__arena *arena, const struct sms__device *device, const struct sms__kernel *kernel,
                       struct sms__class *found);

/* Loads a device by name, from options->models and then from the installed models. On success *file owns *device; the
 * caller frees it with sms_file_free. Returns SMS_OK, or a code with `errors` filled. */
int sms__derive_device(const char *name, const struct sms_load_options *options, struct sms_file **file,
                       const struct sms__device **device, struct sms_errors *errors);

/* The same of a device document. */
int sms__derive_device_text(const char *text, const struct sms_load_options *options, struct sms_file **file,
                            const struct sms__device **device, struct sms_errors *errors);

/* The device file that fits a profile. */
struct sms__device_match {
    const char *name;     /* of a device file; NULL: none was found */
    const char *evidence; /* how it was found, for the document */
    const char *problem;  /* why none was found, for a message */
    bool no_evidence;     /* none was found because the profile does not identify its device at all */
};

/* Finds the device file of the profiled GPU in the folders of sms__derive_device. The first of these decides: the GPU's
 * name ("Tesla V100-SXM2-16GB (0)": v100), a GPU named in the program's output, compute capability and number of SMs if
 * only one file has them. Must run in a guard of `arena`. */
struct sms__device_match sms__derive_match_device(struct sms__arena *arena, const struct sms__profile *profile,
                                                  const struct sms_load_options *options);

/* demands.c: gives launches without metrics those of a known kernel of `with`, a file of Nsight Compute, and adds what
 * it found to the profile's facts. A launch takes the metrics of the kernel of its name (without arguments; otherwise
 * also without namespaces and template) that has its grid and block, otherwise of the one with the nearest number of
 * threads. Must run in a guard of `arena`. Returns SMS_OK, or a code with `errors` filled, except for SMS_ENOMEM. */
int sms__demands_join(struct sms__arena *arena, struct sms__profile *profile, const char *with,
                      struct sms_errors *errors);

struct sms__trace_options {
    struct sms__derive_options derive;
    const char *model; /* name of the target device */
    double jobs_most;  /* that the scenario runs of a workload; 0: 100 */
    FILE *notes;       /* is told what was found; or NULL */
};

/* recorded_trace.c: writes a workload for each process on each device, whose job is the iteration that repeats, and a
 * scenario that runs them. Where operations of a process overlap, each of its streams has a workload instead. Must run
 * in a guard of `arena`. Returns SMS_OK, or a code with `errors` filled. */
int sms__trace_convert(struct sms__arena *arena, const struct sms__profile *profile,
                       const struct sms__trace_options *options, FILE *to, struct sms_errors *errors);

#endif
