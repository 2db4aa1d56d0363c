/* What a scenario says of policies: one entry of `policies:`, or `alone:`. */
#ifndef SMS_MODEL_POLICY_USE_H
#define SMS_MODEL_POLICY_USE_H

#include <smsched/place.h>
#include <smsched/share.h>
#include <smsched/smsched.h>

#include "modes.h"
#include "params.h"
#include "../fit.h"

struct sms_scenario;

/* Of one scenario; instances of a device. */
enum { SMS__POLICIES_MAX = 1000, SMS__INSTANCES_MAX = 8 };

/* Instances of the scenario's devices, under mig: each as a device of its own. */
struct sms__instances {
    const struct sms__device **device;       /* [count] */
    size_t *board;                           /* [count]: the scenario's device of which it is a part */
    const struct sms__mig_profile **profile; /* [count] */
    size_t count;
    const struct sms__fit ***fit; /* [vms] -> [count] -> [kernels] */
};

struct sms__policy_use {
    const struct sms_block_policy *policy;
    double param[SMS__PARAMS_MAX];
    const char *label;   /* its name, with the parameters that differ from the defaults; as in all outputs, bounded */
    const char *written; /* the same without the bound, for whoever looks the policy up */
    const struct sms__node *node;
    const struct sms_share_policy *share; /* NULL where the scenario has `vms:` */
    double share_param[SMS__PARAMS_MAX];
    struct sms__mode mode;
    struct sms__instances *instances;     /* NULL: the devices are whole */
    const struct sms_place_policy *place; /* of a cluster */
    double place_param[SMS__PARAMS_MAX];
    bool below; /* of a cluster: the entry names more than the place policy */
};

/* sharing.c: one entry of `policies:` where tenants are processes, or pods. Returns whether it could be read. */
bool sms__read_sharing(struct sms__reader *reader, const struct sms__node *node, bool pods,
                       struct sms__policy_use *use);
/* Whether this is its label, bounded or as written. */
bool sms__is_labelled(const struct sms__policy_use *use, const char *label);
/* Whether `--policy NAME` means it: by its label, or by a name in it, without the parameters. */
bool sms__is_called(const struct sms__policy_use *use, const char *name);
/* Whether one of the names, the last of which is NULL, means it; NULL, or none of them, means all. */
bool sms__is_chosen(const struct sms__policy_use *use, const char *const *names);
/* "scenario 's' has no policy 'x'; ...", with the nearest of those it has, and all of them. */
void sms__say_no_policy(char *out, size_t size, const struct sms_scenario *scenario, const char *name);
/* The policy of the stand-alone runs: a block policy, the plain share policy, one process on a device. */
void sms__share_alone(const struct sms_load_options *options, struct sms__policy_use *use);

/* uses.c: the fields of a scenario that name policies; `at` is the scenario. */
void sms__read_policies(struct sms__reader *reader, const struct sms__node *node, void *at);
void sms__read_alone(struct sms__reader *reader, const struct sms__node *node, void *at);
/* A block policy by its name's node and parameters; returns its label, or NULL. */
const char *sms__read_block_use(struct sms__reader *reader, const struct sms__node *name,
                                const struct sms__node *params, struct sms__policy_use *use);

/* mig.c: the instances that the mode asks for. */
void sms__build_instances(struct sms__reader *reader, const struct sms_scenario *scenario, struct sms__policy_use *use);

#endif
