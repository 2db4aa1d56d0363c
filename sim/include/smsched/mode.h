/* Sharing modes: how the processes on a device share it. For authors of modes.
 *
 * A mode is one file, policies/mode/NAME.c, that ends with
 *
 *     const struct sms_sharing_mode sms_sharing_mode_NAME = { .name = "NAME", ... };
 *
 * The build finds the file, and `mode: NAME` of a policy selects the mode. A mode says whether processes take turns or
 * run kernels at once, how many may be on a device, and what each has of it; the engine does the rest
 * (docs/explanation/sharing.md). It sees the device and one process, not who else is there: what depends on that is a
 * share policy (share.h).
 *
 * Answers depend on nothing but the arguments. The engine asks again and again, and `--check` compares its answers.
 * Times are picoseconds, sizes bytes, and a ratio of 1.0 is 100 %. */
#ifndef SMSCHED_MODE_H
#define SMSCHED_MODE_H

#include <smsched/policy.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* What a mode may know of a process, which is also that of a pod. Read only. */
struct sms_mode_process {
    const char *name;
    double priority;       /* a higher one goes first; default 0 */
    double weight;         /* relative share that it should get; default 1 */
    double active_threads; /* share of the SMs that it asks for, 0..1; default 1 */
    uint64_t chunks;       /* of its static partition; 0: it has none */
};

/* Parameters on which the engine acts, by their names: they mean this in every mode that has them in its table. The
 * mode's functions may read them, too. A table of them stands outside functions. */
/* For modes that take turns; what the scenario does not give is the device's, else the default. The
 * defaults are assumed, but switch over slice, 0.0735, was measured (Kang 2022). */
#define SMS_MODE_TURNS                                                                                                 \
    {"slice", SMS_UNIT_TIME, 1e6, 3.6e15, 2e9, "sets how long a context has the device while others wait", NULL},      \
        {"switch", SMS_UNIT_TIME, 0, 6e13, 0.147e9, "sets how long a context switch takes", NULL},                     \
        {"drain",                                                                                                      \
         SMS_UNIT_CHOICE,                                                                                              \
         0,                                                                                                            \
         1,                                                                                                            \
         0,                                                                                                            \
         "says whether blocks that run when a slice ends are waited for instead of stopped",                           \
         (const char *const[]){"false", "true", NULL}},                                                                \
        {"newcomer",                                                                                                   \
         SMS_UNIT_CHOICE,                                                                                              \
         0,                                                                                                            \
         2,                                                                                                            \
         0,                                                                                                            \
         "says what a newcomer waits for if one context had the device",                                               \
         (const char *const[]){"as_device", "whole_slice", "rest_of_slice", NULL}},                                    \
        {"ahead", SMS_UNIT_COUNT,                                                                                      \
         0,       1e6,                                                                                                 \
         0,       "sets the number of kernels launched ahead, which end before a process is stopped early",            \
         NULL},                                                                                                        \
    {                                                                                                                  \
        "stop", SMS_UNIT_TIME, 0, 6e13, 0,                                                                             \
            "sets the time until a process that has to make room stops; it runs on meanwhile", NULL                    \
    }
enum { SMS_MODE_TURNS_COUNT = 6 };

/* For modes in which kernels of several processes run at once. */
#define SMS_MODE_LAUNCH_WAIT                                                                                           \
    {                                                                                                                  \
        "launch_wait", SMS_UNIT_TIME, 0, 1e12, 0,                                                                      \
            "sets the time by which each other process with a kernel in progress lengthens a launch of a coarse "      \
            "kernel",                                                                                                  \
            NULL                                                                                                       \
    }

/* For modes in which several processes share a device. An instance of a cluster takes so many pods, else one. */
#define SMS_MODE_REPLICAS(most, help)                                                                                  \
    {                                                                                                                  \
        "replicas", SMS_UNIT_COUNT, 0, most, 0, help, NULL                                                             \
    }

/* The parameters of sms_mps_clients, on which the engine does not act. */
#define SMS_MODE_CLIENTS                                                                                               \
    {                                                                                                                  \
        "clients", SMS_UNIT_COUNT, 0, 1024, 0,                                                                         \
            "sets the maximum number of processes on a device; 0: as the device says, otherwise 48", NULL              \
    }
#define SMS_MODE_DRIVER                                                                                                \
    {                                                                                                                  \
        "driver", SMS_UNIT_CHOICE, 0, 1, 0, "names the driver, on which the number of clients of a device depends",    \
            (const char *const[])                                                                                      \
        {                                                                                                              \
            "today", "before", NULL                                                                                    \
        }                                                                                                              \
    }

struct sms_sharing_mode {
    size_t size; /* sizeof this struct, or 0; another is refused: it was compiled with another header */
    const char *name;
    const char *help;               /* one sentence, no full stop */
    const struct sms_param *params; /* or NULL */

    bool instances; /* takes `instances: [PROFILE, ...]` and `inside: MODE`, and nothing else of this struct; each
                     * instance is a device of its own, which has a mode */
    bool exclusive; /* a device has one process at a time */
    bool slices;    /* each process has a context of its own, and these take turns; else kernels run at once */
    bool caps;      /* takes `caps: {PROCESS: SHARE, ...}`, which is what it sees as the active_threads of these */
    bool reserves;  /* the SMs of a process, which `sms` counts, are its alone: it waits unplaced until they are free */
    const char *needs; /* key of a process, without which none can start; or NULL */

    /* Each of these may be NULL. `params` are the values of the parameters, in the order of the table. */

    /* The processes on a device at most; 0 counts as 1. NULL: no limit. Further ones wait unplaced. */
    uint64_t (*most_processes)(const double *params, const struct sms_device_view *device);

    /* The number of the device's SMs on which the process may run, at most all of them. The engine picks those that the
     * fewest others have, so parts may overlap unless they fit beside each other. 0 counts as 1. With `reserves`, a
     * process cannot be on this device if it is 0 or more than all. NULL: all. */
    uint64_t (*sms)(const double *params, const struct sms_device_view *device, const struct sms_mode_process *process);

    /* The memory of the device that the process may hold, its context included. NULL: all that is free. */
    uint64_t (*bytes)(const double *params, const struct sms_device_view *device,
                      const struct sms_mode_process *process);

    /* With `slices`: the slice of the process, at least 1 ps, where `slice_ps` is that of the parameter or the device.
     * An answer that is no such number ends the run with SMS_EBUG. NULL: the same for all. */
    double (*slice_ps)(const double *params, const struct sms_device_view *device,
                       const struct sms_mode_process *process, double slice_ps);
};

/* Returns how many processes a device takes under MPS: `clients` unless it is 0, else what the device has with drivers
 * of today (`driver` 0) or of before, else 48. */
uint64_t sms_mps_clients(const struct sms_device_view *device, double clients, double driver);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
