/* What a block policy is given to decide on, and the state that it keeps. */
#include "internal.h"

#include <string.h>

static const struct sms_block_policy *policy_of(const struct sms__blocks *device) { return device->policy->policy; }

static bool is_promised(const struct sms_block_policy *policy)
{
    unsigned both = SMS_PURE | SMS_MONOTONE;
    return (!policy->admits || (policy->promises & both) == both) && !policy->note;
}

void sms__state_init(struct sms__blocks *device)
{
    const struct sms_block_policy *policy = policy_of(device);
    size_t bytes = policy->run_bytes + device->tenants * policy->tenant_bytes;
    device->promised = is_promised(policy);
    device->pure = policy->promises & SMS_PURE && !policy->note;
    device->patience_ps = policy->patience ? policy->patience(device->policy->param) : SMS__NEVER;
    device->of_run = bytes ? sms__alloc(device->arena, 1, bytes) : NULL;
}

static uint64_t count_here(const struct sms__blocks *device, const struct sms__sm_state *sm,
                           const struct sms__launch *launch)
{
    if (device->reference)
        return sms__reference_resident(device, sm->idx, launch);
    for (size_t g = 0; g < sm->groups; g++)
        if (sm->group[g].launch == launch)
            return sm->group[g].blocks;
    return 0;
}

struct sms_block_request sms__full_request(const struct sms__blocks *device, const struct sms__sm_state *sm,
                                           const struct sms__launch *launch)
{
    return (struct sms_block_request){
        .adds = launch->fit->adds,
        .needs = launch->fit->needs,
        .tenant = launch->tenant,
        .tenants = device->tenants,
        .kernel = launch->kind,
        .tenant_name = launch->vm,
        .kernel_name = launch->kernel->name,
        .launch = launch->number,
        .priority = launch->priority,
        .waiting = launch->waiting,
        .resident = launch->resident,
        .resident_here = sm ? count_here(device, sm, launch) : 0,
        .now_ps = device->engine->now,
        .launched_ps = launch->launched_ps,
        .deadline_ps = launch->deadline_ps,
        .of_run = device->of_run,
        .of_launch = launch->own ? launch->own->bytes : NULL,
    };
}

static struct sms__policy_room *take_room(struct sms__blocks *device)
{
    size_t bytes = policy_of(device)->launch_bytes;
    struct sms__policy_room *room = device->rooms;
    if (!room)
        return sms__alloc(device->arena, 1, sizeof *room + bytes);
    device->rooms = room->next;
    memset(room->bytes, 0, bytes);
    return room;
}

static void give_back(struct sms__blocks *device, struct sms__launch *launch)
{
    if (!launch->own)
        return;
    launch->own->next = device->rooms;
    device->rooms = launch->own;
    launch->own = NULL;
}

void sms__state_note(struct sms__launch *launch, enum sms_block_event event, const struct sms__sm_state *sm,
                     uint64_t blocks)
{
    struct sms__blocks *device = launch->device;
    const struct sms_block_policy *policy = policy_of(device);
    double patched[SMS_RESOURCES_MAX];
    if (event == SMS_BLOCKS_LAUNCHED && policy->launch_bytes)
        launch->own = take_room(device);
    if (policy->note) {
        struct sms_block_request request = sms__full_request(device, sm, launch);
        struct sms_sm_view view = {0};
        if (sm)
            view = (struct sms_sm_view){sm->idx, sms__seen_usage(sm, patched), sm->used};
        policy->note(device->policy->param, &device->model->view, event, sm ? &view : NULL, &request, blocks);
    }
    if (event == SMS_BLOCKS_ENDED)
        give_back(device, launch);
}
