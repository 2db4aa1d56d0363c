/* The requests that a block policy gets, and the state that it keeps. Invariant: each launch under way has a zeroed
 * state of its own if the policy wants one, and states are reused. */
#include "internal.h"

#include <string.h>

static const struct sms_block_policy *policy_of(const struct sms__blocks *device)
{
    return device->setup.policy->policy;
}

static bool is_cacheable(const struct sms_block_policy *policy)
{
    unsigned both = SMS_PURE | SMS_MONOTONE;
    return (!policy->admits || (policy->promises & both) == both) && !policy->note;
}

/* A patience that no run outlasts need not be looked at: then the search may remember refusals. */
static uint64_t patience_of(const struct sms__blocks *device)
{
    const struct sms_block_policy *policy = policy_of(device);
    uint64_t ps = policy->patience ? policy->patience(device->setup.policy->param) : SMS__NEVER;
    return (double)ps < SMS_PATIENCE_MAX ? ps : SMS__NEVER;
}

/* The most tenants that compete for the same SMs. */
static size_t rivals_of(const struct sms__blocks *device) { return device->setup.apart ? 1 : device->setup.tenants; }

void sms__policy_state_init(struct sms__blocks *device)
{
    const struct sms_block_policy *policy = policy_of(device);
    const size_t states = device->setup.apart ? device->setup.tenants : 1;
    size_t bytes = policy->run_bytes + rivals_of(device) * policy->tenant_bytes;
    bytes = (bytes + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    device->policy.cacheable = is_cacheable(policy);
    device->policy.pure = policy->promises & SMS_PURE && !policy->note;
    device->policy.patience_ps = patience_of(device);
    device->policy.state = bytes ? sms__alloc(device->arena, states, bytes) : NULL;
    device->policy.state_step = device->setup.apart ? bytes : 0;
}

/* Each launch has groups of its own where the policy is told this. */
static uint64_t count_here(const struct sms__sm_state *sm, const struct sms__launch *launch)
{
    for (size_t g = 0; g < sm->groups; g++)
        if (sm->group[g].kin == launch)
            return sm->group[g].blocks;
    return 0;
}

struct sms_block_request sms__full_request(const struct sms__blocks *device, const struct sms__sm_state *sm,
                                           const struct sms__launch *launch)
{
    char *state = device->policy.state;
    return (struct sms_block_request){
        .adds = launch->fit->adds,
        .needs = launch->fit->needs,
        .tenant = device->setup.apart ? 0 : launch->tenant,
        .tenants = rivals_of(device),
        .kernel = launch->kernel_type,
        .tenant_name = launch->vm,
        .kernel_name = launch->kernel->name,
        .launch = launch->number,
        .priority = launch->priority,
        .waiting = launch->waiting,
        .resident = launch->resident,
        .resident_here = sm ? count_here(sm, launch) : 0,
        .now_ps = device->setup.engine->now,
        .launched_ps = launch->launched_ps,
        .deadline_ps = launch->deadline_ps,
        .of_run = state ? state + launch->tenant * device->policy.state_step : NULL,
        .of_launch = launch->policy_state ? launch->policy_state->bytes : NULL,
    };
}

bool sms__blocks_refuse(const struct sms__blocks *device, const struct sms__launch *launch)
{
    const struct sms_block_policy *policy = policy_of(device);
    const uint64_t none[SMS_LIMITS] = {0};
    const double empty[SMS_RESOURCES_MAX] = {0};
    const struct sms_block_request request = sms__full_request(device, NULL, launch);
    bool refused = policy->admits && launch->waiting > 0 && !launch->pending.list;
    for (size_t s = 0; s < device->sms && refused; s++) {
        const struct sms_sm_view view = {s, empty, none};
        refused = !sms__may_use(launch->shape->allowed, s) ||
                  policy->admits(device->setup.policy->param, &device->setup.model->view, &view, &request) != SMS_ADMIT;
    }
    return refused;
}

static struct sms__policy_state *new_state(struct sms__blocks *device)
{
    size_t bytes = policy_of(device)->launch_bytes;
    struct sms__policy_state *state = device->policy.free_states;
    if (!state)
        return sms__alloc(device->arena, 1, sizeof *state + bytes);
    device->policy.free_states = state->next;
    memset(state->bytes, 0, bytes);
    return state;
}

static void free_state(struct sms__blocks *device, struct sms__launch *launch)
{
    if (!launch->policy_state)
        return;
    launch->policy_state->next = device->policy.free_states;
    device->policy.free_states = launch->policy_state;
    launch->policy_state = NULL;
}

void sms__notify_policy(struct sms__launch *launch, enum sms_block_event event, const struct sms__sm_state *sm,
                        uint64_t blocks)
{
    struct sms__blocks *device = launch->device;
    const struct sms_block_policy *policy = policy_of(device);
    double buffer[SMS_RESOURCES_MAX];
    if (event == SMS_BLOCKS_LAUNCHED && policy->launch_bytes)
        launch->policy_state = new_state(device);
    if (policy->note) {
        struct sms_block_request request = sms__full_request(device, sm, launch);
        struct sms_sm_view view = {0};
        if (sm)
            view = (struct sms_sm_view){sm->idx, sms__visible_usage(device, sm->composition, buffer),
                                        sm->composition->used};
        policy->note(device->setup.policy->param, &device->setup.model->view, event, sm ? &view : NULL, &request,
                     blocks);
    }
    if (event == SMS_BLOCKS_ENDED)
        free_state(device, launch);
}
