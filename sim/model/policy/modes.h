/* The modes in which processes share a device (docs/explanation/sharing.md). A mode is a table of operations in a file
 * of its own, mode_NAME.c, and a line in the list of modes.c. No other file asks for a mode by its name. */
#ifndef SMS_MODEL_POLICY_MODES_H
#define SMS_MODEL_POLICY_MODES_H

#include <smsched/policy.h>

#include "../device.h"

/* Positions in the list, for the modes that other files or tests name. A new mode at the end of the list needs none. */
enum sms__mode_kind {
    SMS__MODE_EXCLUSIVE,
    SMS__MODE_TIME_SLICE,
    SMS__MODE_TOGETHER,
    SMS__MODE_MPS,
    SMS__MODE_MIG,
    SMS__MODE_MIG_MPS
};

/* A mode as a policy uses it. */
struct sms__mode {
    int kind;                          /* enum sms__mode_kind, or a higher position in the list */
    uint32_t given;                    /* bit i: the scenario gives parameter i */
    struct sms__turns turns;           /* as far as the scenario gives them; the rest is the device's */
    int drain;                         /* blocks that run when a slice ends are waited for */
    uint64_t clients;                  /* processes on a device at most */
    uint64_t granule;                  /* SMs of active_threads are multiples of it */
    double launch_wait_ps;             /* by which each other process lengthens a launch of a coarse kernel */
    const char *label;                 /* as a policy's */
    const struct sms__node *instances; /* the list of their names; or NULL */
};

/* What a mode is. */
struct sms__mode_form {
    const char *name, *help;
    const struct sms_param *params; /* or NULL */
    /* Fills in the mode from the values of its parameters; or NULL. */
    void (*read)(const double *values, struct sms__mode *mode);
    bool instances;  /* takes `instances: [PROFILE, ...]`, each of which is a device of its own */
    bool exclusive;  /* a device has one process at a time */
    bool slices;     /* each process has a context of its own, and these take turns; else kernels run at once */
    bool limits_sms; /* a process runs on its active_threads share of the SMs */
    /* The processes on a device at most; NULL: no limit. */
    uint64_t (*most_processes)(const struct sms__mode *mode);
    /* The slice of a process with this weight, ps, where `slice_ps` is that of the device; NULL: the same for all. */
    double (*slice_ps)(double slice_ps, double weight);
};

const struct sms__mode_form *sms__mode_at(size_t idx); /* NULL beyond the last */
const struct sms__mode_form *sms__find_mode(const char *name);
/* `params` as of sms__split_use. */
void sms__read_mode(struct sms__reader *reader, const struct sms__node *node, const struct sms__mode_form *form,
                    const struct sms__node *params, struct sms__mode *mode);

/* True if each process has a context of its own, and these take turns. */
bool sms__mode_slices(const struct sms__mode *mode);
/* True if kernels of different processes run beside each other on a device or instance. */
bool sms__mode_runs_beside(const struct sms__mode *mode);
uint64_t sms__mode_most_processes(const struct sms__mode *mode); /* UINT64_MAX: no limit */
/* The turns on a device: as the scenario says, else the device, else the defaults of the parameters. */
struct sms__turns sms__mode_turns(const struct sms__mode *mode, const struct sms__device *device);
/* The slice of a process with this weight, ps. */
double sms__mode_slice_ps(const struct sms__mode *mode, double slice_ps, double weight);

/* The default mode. */
struct sms__mode sms__default_mode(void);

/* mode_mps.c: the parameters of modes in which kernels run at once on parts of the SMs. */
extern const struct sms_param sms__mps_params[];
void sms__read_mps(const double *values, struct sms__mode *mode);
uint64_t sms__most_clients(const struct sms__mode *mode);

/* mode_time_slice.c: the parameters of modes that take turns. */
extern const struct sms_param sms__slice_params[];
void sms__read_slices(const double *values, struct sms__mode *mode);

#endif
