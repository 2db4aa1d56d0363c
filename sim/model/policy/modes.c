/* What sharing modes give devices and processes. read_modes.c reads them. */
#include "../tenant.h"
#include "modes.h"

#include <string.h>

const struct sms__mode *sms__mode_of_device(const struct sms__mode *mode, size_t d)
{
    return mode->form ? mode : &mode->part[d];
}

const struct sms__mode *sms__mode_shared(const struct sms__mode *mode, size_t i)
{
    if (!mode->parts && i-- == 0)
        return mode;
    for (size_t p = 0; p < mode->parts; p++) {
        size_t own = mode->part[p].parts ? mode->part[p].parts : 1;
        if (i < own)
            return sms__mode_shared(&mode->part[p], i);
        i -= own;
    }
    return mode->of_nodes && i < mode->of_nodes->count ? mode->of_nodes->mode[i] : NULL;
}

bool sms__mode_runs_beside(const struct sms__mode *mode)
{
    const struct sms__mode *shared;
    bool beside = false;
    for (size_t i = 0; (shared = sms__mode_shared(mode, i)); i++)
        beside |= !shared->form->slices && !shared->form->exclusive;
    return beside;
}

bool sms__cap_names(const struct sms__cap *cap, const struct sms__tenant *process)
{
    const struct sms__node *entry = sms__node_get(process->node, "name");
    return !strcmp(cap->name->text, process->name) || (entry && !strcmp(cap->name->text, entry->text));
}

double sms__mode_threads(const struct sms__mode *mode, const struct sms__tenant *process)
{
    for (size_t i = 0; i < mode->caps; i++)
        if (sms__cap_names(&mode->cap[i], process))
            return mode->cap[i].share;
    return process->active_threads;
}

/* What modes see of a process. */
static struct sms_mode_process view_of(const struct sms__mode *mode, const struct sms__tenant *process)
{
    return (struct sms_mode_process){process->name, process->priority, process->weight,
                                     sms__mode_threads(mode, process), process->chunks};
}

uint64_t sms__mode_most_processes(const struct sms__mode *mode, const struct sms__device *device)
{
    const struct sms_sharing_mode *form = mode->form;
    if (!form->most_processes)
        return form->exclusive ? 1 : UINT64_MAX;
    const uint64_t most = form->most_processes(mode->param, &device->view);
    return form->exclusive || most < 1 ? 1 : most;
}

uint64_t sms__mode_asks(const struct sms__mode *mode, const struct sms__device *device,
                        const struct sms__tenant *process)
{
    const struct sms_mode_process view = view_of(mode, process);
    return mode->form->sms ? mode->form->sms(mode->param, &device->view, &view) : device->sms;
}

uint64_t sms__mode_sms(const struct sms__mode *mode, const struct sms__device *device,
                       const struct sms__tenant *process)
{
    const uint64_t sms = sms__mode_asks(mode, device, process);
    return sms > device->sms ? device->sms : sms > 0 ? sms : 1;
}

uint64_t sms__mode_bytes(const struct sms__mode *mode, const struct sms__device *device,
                         const struct sms__tenant *process)
{
    const struct sms_mode_process view = view_of(mode, process);
    return mode->form->bytes ? mode->form->bytes(mode->param, &device->view, &view) : UINT64_MAX;
}

bool sms__mode_takes(const struct sms__mode *mode, const struct sms__device *device, const struct sms__tenant *process)
{
    const uint64_t sms = sms__mode_asks(mode, device, process);
    return !mode->form->reserves || (sms > 0 && sms <= device->sms);
}

double sms__mode_slice_ps(const struct sms__mode *mode, const struct sms__device *device,
                          const struct sms__tenant *process, double slice_ps)
{
    const struct sms_mode_process view = view_of(mode, process);
    return mode->form->slice_ps ? mode->form->slice_ps(mode->param, &device->view, &view, slice_ps) : slice_ps;
}

static struct sms__turns fill_in(struct sms__turns turns, const struct sms__turns *by)
{
    turns.slice_ps = turns.slice_ps > 0 ? turns.slice_ps : by->slice_ps;
    turns.switch_ps = turns.switch_ps >= 0 ? turns.switch_ps : by->switch_ps;
    turns.newcomer = turns.newcomer >= 0 ? turns.newcomer : by->newcomer;
    return turns;
}

struct sms__unsaid_turns sms__mode_unsaid(const struct sms__mode *mode, const struct sms__device *device)
{
    return (struct sms__unsaid_turns){
        .slice = mode->form->slices && !(mode->turns.slice_ps > 0) && !(device->turns.slice_ps > 0),
        .change = mode->form->slices && mode->turns.switch_ps < 0 && device->turns.switch_ps < 0};
}

struct sms__turns sms__mode_turns(const struct sms__mode *mode, const struct sms__device *device)
{
    const struct sms__turns usual = sms__usual_turns(), own = fill_in(device->turns, &usual);
    return mode ? fill_in(mode->turns, &own) : own;
}
