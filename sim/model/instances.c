/* Finds where processes are under a policy: on whole devices, or on the instances that its mode makes of them. Equal
 * instances of equal devices share one struct, and so their kernels' footprints. */
#include "layout.h"
#include "scenario.h"

enum { INSTANCES_MAX = 4096 };

struct sms__site sms__site_of(const struct sms_scenario *scenario, const struct sms__policy_use *use, size_t i)
{
    const struct sms__instances *in = use->instances;
    if (i >= (in ? in->count : scenario->devices))
        return (struct sms__site){NULL, NULL, 0, 0};
    return in ? (struct sms__site){in->device[i], in->mode[i], in->board[i], in->number[i]}
              : (struct sms__site){scenario->device[i], sms__mode_shared(&use->mode, 0), i, 0};
}

struct sms__site sms__site_under(const struct sms_scenario *scenario, const char *label, size_t i)
{
    const size_t p = sms__find_name(label, scenario->policies, SMS__NAMES(scenario->policy, label));
    return p < scenario->policies && scenario->shares ? sms__site_of(scenario, &scenario->policy[p], i)
                                                      : (struct sms__site){NULL, NULL, 0, 0};
}

bool sms__may_be_at(const struct sms__tenant *process, const struct sms__site *site)
{
    return sms__may_be_on(process, site->board) && sms__may_have(process, site->device, site->number);
}

bool sms__site_takes(const struct sms__site *site, const struct sms__tenant *process)
{
    return sms__may_be_at(process, site) && sms__mode_takes(site->mode, site->device, process);
}

static void add_site(struct sms__instances *out, const struct sms__device *device, const struct sms__mode *mode,
                     size_t board, size_t number)
{
    out->device[out->count] = device;
    out->mode[out->count] = mode;
    out->number[out->count] = number;
    out->board[out->count++] = board;
}

/* Equal instances of equal devices share a struct, whether they stand together or not. */
static const struct sms__device *find_instance(struct sms__reader *reader, const struct sms__device *device,
                                               const struct sms__mig_profile *profile, const struct sms__instances *out)
{
    for (size_t j = 0; j < out->count; j++)
        if (out->device[j]->mig.board == device && out->device[j]->mig.profile == profile)
            return out->device[j];
    return sms__make_instance(reader, device, profile);
}

static void fit_instances(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__tenant *vm,
                          const struct sms__instances *instances, const struct sms__footprint **fit)
{
    for (size_t i = 0; i < instances->count; i++) {
        for (size_t j = 0; j < i && !fit[i]; j++)
            if (instances->device[j] == instances->device[i])
                fit[i] = fit[j];
        const struct sms__footprint *whole = vm->fit[instances->board[i]];
        if (!fit[i] && whole && !instances->device[i]->mig.board)
            fit[i] = whole;
        else if (!fit[i] && whole)
            fit[i] = sms__footprints(reader, scenario, vm, instances->device[i]);
    }
}

/* Adds a device as it is under its mode: whole, or its instances. */
static bool add_device(struct sms__reader *reader, const struct sms_scenario *scenario, size_t d,
                       const struct sms__mode *mode, struct sms__instances *out)
{
    const struct sms__device *device = scenario->device[d];
    struct sms__layout layout = {.count = 0};
    if (!mode->parts)
        add_site(out, device, mode, d, 0);
    else if (!sms__read_layout(reader, mode->instances, device, &layout))
        return false;
    for (size_t i = 0; i < layout.count; i++)
        add_site(out, find_instance(reader, device, layout.profile[i], out), &mode->part[i], d, i);
    return true;
}

/* Stops at the first device that cannot have the instances, so that a list is complained of once. */
static bool split_devices(struct sms__reader *reader, const struct sms_scenario *scenario, const struct sms__mode *mode,
                          struct sms__instances *out)
{
    bool split = true;
    for (size_t d = 0; d < scenario->devices && split; d++)
        split = add_device(reader, scenario, d, sms__mode_of_device(mode, d), out);
    return split;
}

/* The number of devices and instances at most; 0: the list of modes has another length than there are devices. */
static size_t count_most(struct sms__reader *reader, const struct sms_scenario *scenario,
                         const struct sms__policy_use *use)
{
    size_t most = 0;
    if (!use->mode.form && use->mode.parts != scenario->devices) {
        sms__complain(reader, use->node, "mode: a list has one mode for each device: %zu for %zu device%s",
                      use->mode.parts, scenario->devices, scenario->devices == 1 ? "" : "s");
        return 0;
    }
    for (size_t d = 0; d < scenario->devices; d++) {
        const struct sms__mode *mode = sms__mode_of_device(&use->mode, d);
        most += mode->parts ? mode->parts : 1;
    }
    if (most > INSTANCES_MAX)
        sms__complain(reader, use->node, "more than %d instances on all devices", INSTANCES_MAX);
    return most > INSTANCES_MAX ? 0 : most;
}

void sms__make_instances(struct sms__reader *reader, const struct sms_scenario *scenario, struct sms__policy_use *use)
{
    size_t most = count_most(reader, scenario, use);
    if (!most)
        return;
    struct sms__instances *out = SMS__NEW(reader->arena, struct sms__instances, 1);
    out->device = SMS__NEW(reader->arena, const struct sms__device *, most);
    out->mode = SMS__NEW(reader->arena, const struct sms__mode *, most);
    out->board = SMS__NEW(reader->arena, size_t, most);
    out->number = SMS__NEW(reader->arena, size_t, most);
    out->fit = SMS__NEW(reader->arena, const struct sms__footprint **, scenario->vms);
    if (!split_devices(reader, scenario, &use->mode, out))
        return;
    for (size_t v = 0; v < scenario->vms && reader->errors->count <= SMS_ERRORS_MAX; v++) {
        if (sms__is_like_last(scenario->vm, v)) {
            out->fit[v] = out->fit[v - 1];
            continue;
        }
        out->fit[v] = SMS__NEW(reader->arena, const struct sms__footprint *, most);
        fit_instances(reader, scenario, &scenario->vm[v], out, out->fit[v]);
    }
    use->instances = out;
}
