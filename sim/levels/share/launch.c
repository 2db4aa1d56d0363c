/* A kernel of a process: into a unit of its place, and out of it. */
#include "client.h"

/* What a kernel asks of the device: its greatest demand; block by block, all of it. In parts. */
static double core_of(const struct sms__client *client, size_t k)
{
    const struct sms__fit *fit = sms__place_fit(client->place, client, k);
    double most = 0;
    for (size_t r = 0; client->workload->kernel[k].whole && r < SMS_RESOURCES_MAX; r++)
        most = fit->demand[r] > most ? fit->demand[r] : most;
    return most > 0 ? most : SMS_FULL;
}

double sms__client_core(const struct sms__client *client, size_t kernel)
{
    double core = core_of(client, kernel);
    return core < SMS_FULL ? core / SMS_FULL : 1;
}

static void prepare_launch(struct sms__client *client, size_t k)
{
    struct sms__record *record = client->share->spec->record;
    size_t of_vm = client->first_kernel + k;
    const struct sms__kernel *kernel = &client->vm->workload->kernel[of_vm];
    struct sms__kernel_record *own = &record->kernel[record->first_kernel[client->number] + of_vm];
    client->kernel = k;
    client->launch = (struct sms__launch){
        .fit = sms__place_fit(client->place, client, k),
        .kernel = kernel,
        .vm = sms__process_name(client->leader),
        .record = own,
        .span = &own->span[record->model[client->share->setup.model[client->place->board]]],
        .stream = client->leader->jitter[of_vm],
        .priority = client->vm->stream[client->stream].priority,
        .kernel_type = client->first_kind + of_vm,
        .blocks = kernel->blocks,
    };
}

void sms__client_launch(struct sms__client *client, uint64_t now)
{
    struct sms__unit *unit = sms__place_unit(client->place, client);
    prepare_launch(client, client->workload->step[client->step].kernel);
    client->launched_ps = now;
    client->on_device = true;
    if (client->leader->kernels++ == 0)
        client->leader->served_since_ps = now;
    sms__client_enter(client, SMS_PHASE_KERNEL, now);
    sms__place_kernel(client->place, core_of(client, client->kernel), 1, now);
    sms__unit_launch(unit, client, now);
    if (unit->owner)
        sms__slicer_ready(client->place, unit, now);
    sms__client_tell(client, SMS_EVENT_LAUNCHED);
}

static void observe_kernel(const struct sms__client *client, uint64_t now)
{
    const struct sms__run_spec *spec = client->share->spec;
    if (!spec->observe || !spec->options->on_kernel)
        return;
    struct sms_kernel_run run = {client->share->setup.first_board + client->place->board,
                                 client->stream,
                                 sms__process_name(client->leader),
                                 client->launch.kernel->name,
                                 client->launched_ps,
                                 now,
                                 client->launch.blocks};
    spec->options->on_kernel(spec->options->user, spec->observe, &run);
}

static void leave_device(struct sms__client *client, uint64_t now)
{
    struct sms__client *leader = client->leader;
    client->on_device = false;
    if (--leader->kernels == 0 && !sms__is_sliced(client->share))
        client->record->service_ps += now - leader->served_since_ps;
    sms__place_kernel(client->place, core_of(client, client->kernel), -1, now);
}

void sms__client_drop(struct sms__client *client, uint64_t now)
{
    sms__unit_drop(sms__place_unit(client->place, client), client, now);
    leave_device(client, now);
}

void sms__client_kernel_ended(struct sms__client *client, uint64_t now)
{
    struct sms__unit *unit = sms__place_unit(client->place, client);
    struct sms__client *leader = client->leader;
    observe_kernel(client, now);
    sms__record_kernel(client->share->spec->record, client->number, now);
    unit->kernels--;
    if (unit->owner)
        sms__slicer_idle(client->place);
    leave_device(client, now);
    sms__client_enter(client, SMS_PHASE_HOST, now);
    client->times++;
    client->excused = false;
    sms__client_tell(client, SMS_EVENT_KERNEL_ENDED);
    if (leader->doomed && leader->kernels == 0)
        sms__client_fail(leader, now);
    else
        sms__client_go_on(client, now);
}
