/* How much memory a scenario would take, before any of it is taken. */
#include "file.h"
#include "scenario.h"

/* What a run needs grows with the scenario, not with time; one that needs more is refused, not begun. */
#define MEMORY_MAX (4.0 * 1024 * 1024 * 1024)

struct need {
    const char *key, *what;
    double bytes;
};

enum { NEED_SMS, NEED_JOBS, NEED_STATISTICS, NEED_FITS, NEED_VALUES, NEEDS };

struct size {
    double devices, kinds, sms, slots; /* of the scenario's devices together */
    double tenants, kernels, jobs;
    double instances; /* of a device, summed over the policies */
    double units;     /* how often the blocks of an SM are kept: once, under time slices for each process */
};

static void measure_tenants(const struct sms_scenario *scenario, struct size *size)
{
    double by_blocks = 0;
    for (size_t v = 0; v < scenario->vms; v++) {
        const struct sms__workload *workload = scenario->vm[v].workload;
        size->kernels += (double)workload->kernels;
        size->jobs += (double)scenario->vm[v].streams;
        for (size_t k = 0; k < workload->kernels; k++)
            if (!workload->kernel[k].whole) {
                by_blocks++;
                break;
            }
    }
    size->units = scenario->shares && by_blocks > 1 ? by_blocks : 1;
}

static bool is_sliced(const struct sms__policy_use *use)
{
    return use->mode.kind == SMS__MODE_TIME_SLICE || use->mode.kind == SMS__MODE_MIG;
}

/* Slots of pods on the devices of nodes: each may have a unit with SMs of its own. */
static void measure_nodes(const struct sms_scenario *scenario, struct size *size)
{
    const struct sms__cluster *cluster = scenario->cluster;
    bool sliced = false;
    for (size_t p = 0; p < scenario->policies; p++)
        sliced |= is_sliced(&scenario->policy[p]);
    size->kinds = (double)scenario->devices;
    size->units = sliced ? (double)cluster->slots : 1;
    size->jobs = scenario->fidelity == SMS__AS_DURATION ? 0 : (double)cluster->slots;
    for (size_t k = 0; k < cluster->kinds; k++) {
        const struct sms__nodes *kind = &cluster->node[k];
        if (kind->device < 0 || scenario->fidelity == SMS__AS_DURATION)
            continue;
        const struct sms__device *device = scenario->device[kind->device];
        double gpus = (double)kind->count * (double)kind->gpus;
        bool blocks = scenario->fidelity == SMS__AS_BLOCKS;
        size->devices += gpus;
        size->sms += blocks ? gpus * (double)device->sms : 0;
        size->slots += blocks ? gpus * (double)device->sms * (double)device->sm.blocks : 0;
    }
}

static struct size measure(const struct sms_scenario *scenario)
{
    struct size size = {.tenants = (double)scenario->vms};
    measure_tenants(scenario, &size);
    if (scenario->cluster) {
        measure_nodes(scenario, &size);
        return size;
    }
    size.devices = (double)scenario->devices;
    for (size_t d = 0; d < scenario->devices; d++) {
        const struct sms__device *device = scenario->device[d];
        size.sms += (double)device->sms;
        size.slots += (double)device->sms * (double)device->sm.blocks;
        size.kinds += d == 0 || device != scenario->device[d - 1];
    }
    for (size_t p = 0; p < scenario->policies; p++)
        if (scenario->policy[p].mode.instances)
            size.instances += (double)scenario->policy[p].mode.instances->items;
    return size;
}

/* About what the levels, the record and the results allocate for each. */
static void estimate(const struct sms_scenario *scenario, double replications, struct need need[NEEDS])
{
    const bool compat = scenario->compat != SMS__COMPAT_OFF; /* one job a VM and no stand-alone runs */
    const double slot = 104, sm = 320,
                 job = scenario->cluster  ? 4096
                       : scenario->shares ? 1024
                                          : 320,
                 statistics = compat ? 200 : 60000;
    const double fit = 512, pointer = 8, value = 8;
    const char *tenants = scenario->cluster ? "pods" : scenario->shares ? "processes" : "vms";
    struct size n = measure(scenario);
    double runs = (double)scenario->policies * replications;
    double values = runs * (n.tenants * 18 + n.kernels * 9 + SMS_RESOURCES_MAX * 4 + 16);
    double alone = compat ? 0 : n.tenants * replications * 2;
    double blocks = ((compat ? 0 : n.slots * slot) + n.sms * sm) * n.units;
    double fits = n.kernels * ((1 + n.instances) * n.kinds * fit + n.devices * 192 + n.sms / 8) +
                  n.tenants * (1 + n.instances) * n.devices * pointer;
    if (scenario->cluster) /* kinds of kernels are by device, and each unit has a table of them */
        fits = n.kernels * n.kinds * fit + n.devices * n.units * n.kernels * 2 * pointer;
    need[NEED_SMS] = (struct need){scenario->cluster ? "nodes" : "devices", "the blocks that all SMs hold", blocks};
    need[NEED_JOBS] = (struct need){tenants, "the jobs under way at once on all devices",
                                    n.jobs * n.devices * job * (n.instances > 1 ? n.instances : 1)};
    need[NEED_STATISTICS] =
        (struct need){tenants, "the statistics of VMs and kernels", (n.tenants + n.kernels) * statistics};
    need[NEED_FITS] = (struct need){tenants, "every kernel on every device", fits};
    need[NEED_VALUES] = (struct need){"run", "the values of every replication", (values + alone) * value};
}

bool sms__fits_in_memory(struct sms__reader *reader, struct sms_file *file, struct sms_scenario *scenario)
{
    struct need need[NEEDS], *most = need;
    estimate(scenario, (double)sms__most_replications(scenario), need);
    file->bytes += (double)scenario->devices * 16 + need[NEED_FITS].bytes;
    double sum = file->bytes - need[NEED_FITS].bytes;
    for (int i = 0; i < NEEDS; i++) {
        sum += need[i].bytes;
        most = need[i].bytes > most->bytes ? &need[i] : most;
    }
    scenario->bytes = sum;
    if (sum <= MEMORY_MAX)
        return true;
    const struct sms__node *at = sms__node_get(scenario->node, most->key);
    sms__complain(reader, at ? at : scenario->node,
                  "the scenario needs about %.3g GiB of memory, more than %g, most for %s", sum / (1 << 30),
                  MEMORY_MAX / (1 << 30), most->what);
    return false;
}

bool sms__replications_fit(const struct sms_scenario *scenario, uint64_t replications, double *gib)
{
    struct need need[NEEDS];
    double sum = SMS__CLUSTER_RUN_BYTES * (double)scenario->policies * (double)replications;
    if (!scenario->cluster) {
        estimate(scenario, (double)replications, need);
        sum = 0;
        for (int i = 0; i < NEEDS; i++)
            sum += need[i].bytes;
    }
    *gib = sum / (1 << 30);
    return sum <= MEMORY_MAX;
}
