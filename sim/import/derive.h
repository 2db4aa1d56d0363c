/* Workloads from what a profiler said of a program (docs/profiles.md has the formulas). */
#ifndef SMS_IMPORT_DERIVE_H
#define SMS_IMPORT_DERIVE_H

#include "profile.h"

#include "../model/file.h"

#include <stdio.h>

struct sms__derive_options {
    const char *path;                 /* of the profile, for messages; or NULL */
    const char *text;                 /* the whole profile, to show lines of it in messages; or NULL */
    const char *name;                 /* of the workload, in any bytes; NULL: "profile" */
    const char *title;                /* the name in words, in any bytes; or NULL */
    const char *source;               /* where the numbers are from, in any bytes; NULL: the tool */
    const struct sms__device *device; /* the one that was profiled */
    const char *guessed;              /* how it was told, if nobody named it; or NULL */
    const struct sms__device *target; /* the one to write for; NULL: the same */
    size_t steps;                     /* most steps to write, at least 8; 0: 400 */
    bool iteration;                   /* steps are the launches of one iteration, without copies and host time */
};

/* Writes one workload document to `to`. What of the profile cannot be used is left out and said in comments of
 * the document, as is each number that stands in for one that is missing. In a guard of `arena`. SMS_OK; or
 * SMS_EINPUT with `errors` filled if nothing can be used, and then nothing is written. */
int sms__derive(struct sms__arena *arena, const struct sms__profile *profile, const struct sms__derive_options *options,
                FILE *to, struct sms_errors *errors);

/* What bounds a kernel: latency if no resource is used by half; else the class of the most used one, or mixed if the
 * other class is within 10 points. */
enum sms__bottleneck { SMS__LATENCY_BOUND, SMS__COMPUTE_BOUND, SMS__MEMORY_BOUND, SMS__MIXED_BOUND };
extern const char *const sms__class_names[];

struct sms__class {
    enum sms__bottleneck bottleneck;
    double use[SMS_RESOURCES_MAX]; /* of each resource of the device, mean over the kernel's time: a ratio */
    int top;                       /* the most used one, or -1 */
};

/* Of a kernel alone on a device at full speed, from its demands. False if it does not fit an SM. In a guard of `arena`.
 */
bool sms__derive_class(struct sms__arena *arena, const struct sms__device *device, const struct sms__kernel *kernel,
                       struct sms__class *found);

/* Loads a device by name, from options->models and then the installed models; a name with a '.' is a path.
 * On success *file owns *device (sms_file_free). SMS_OK, or a code with `errors` filled. */
int sms__derive_device(const char *name, const struct sms_load_options *options, struct sms_file **file,
                       const struct sms__device **device, struct sms_errors *errors);

struct sms__guess {
    const char *name; /* of a device file; NULL: none */
    const char *from; /* what told, for the document */
    const char *why;  /* there is none, for a message */
    bool silent;      /* there is none because the profile tells nothing */
};

/* The device file of a profile, looked for in the same folders; `path` is the profile's. In this order: the GPU's name
 * ("Tesla V100-SXM2-16GB (0)": v100), what the program printed, compute capability and SMs if one file alone has them,
 * the name of the profile. In a guard of `arena`. */
struct sms__guess sms__derive_guess(struct sms__arena *arena, const struct sms__profile *profile, const char *path,
                                    const struct sms_load_options *options);

#endif
