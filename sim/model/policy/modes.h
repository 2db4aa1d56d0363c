/* The modes in which the contexts on a device share it (docs/sharing.md). */
#ifndef SMS_MODEL_POLICY_MODES_H
#define SMS_MODEL_POLICY_MODES_H

#include <smsched/policy.h>

#include "../../yaml/fields.h"

/* How the contexts on a device share it. Together: kernels of all at once, as under MPS, without its limits. */
enum sms__mode_kind { SMS__MODE_EXCLUSIVE, SMS__MODE_TIME_SLICE, SMS__MODE_TOGETHER, SMS__MODE_MPS, SMS__MODE_MIG };

struct sms__mode {
    int kind; /* enum sms__mode_kind */
    double slice_ps, switch_ps;
    int drain;                         /* blocks that run when a slice ends are waited for */
    uint64_t clients;                  /* mps: contexts at most */
    uint64_t granule;                  /* mps: SMs of active_threads are multiples of it */
    const char *label;                 /* as a policy's */
    const struct sms__node *instances; /* mig: the list of names; else NULL */
};

/* The name of a mode, and its parameters. */
struct sms__mode_form {
    const char *name, *help;
    const struct sms_param *params; /* or NULL */
    bool instances;                 /* takes `instances: [PROFILE, ...]` */
};
const struct sms__mode_form *sms__mode_at(size_t idx); /* by enum sms__mode_kind; NULL beyond */
const struct sms__mode_form *sms__find_mode(const char *name);
/* `params` as of sms__split_use. */
void sms__read_mode(struct sms__reader *reader, const struct sms__node *node, const struct sms__mode_form *form,
                    const struct sms__node *params, struct sms__mode *mode);

#endif
