/* Estimates how much memory a scenario takes: what the file and the results keep, and what each run under way keeps
 * besides, of which there are as many as threads. The figures of bytes are the sizes of the levels' and the records'
 * structures; tests/unit/test_memory.c holds them to what runs really take. */
#include "estimate.h"
#include "file.h"

#include <math.h>

enum { JOBS_MAX = 256 }; /* as many threads as a run may have */

#define CLUSTER_RUN_BYTES 6000.0 /* of the results of one replication of a policy */

/* The program and its libraries. */
#define PROGRAM_BYTES 16e6

/* A node of YAML with its text. */
#define NODE_BYTES 224

struct need {
    const char *key, *what;
    double bytes;
};

enum { NEED_SMS, NEED_JOBS, NEED_STATISTICS, NEED_FITS, NEED_VALUES, NEEDS };

struct size {
    double devices, kinds, sms; /* of the scenario's devices together */
    double blocks_most;         /* bytes of the blocks of one device, the largest */
    double blocks;              /* the same of all devices */
    double tenants, kernels, jobs, by_blocks;
    double instances; /* of a device, summed over the policies */
    double sliced;    /* 1: each process has contexts of its own under some policy, else 0 */
    double brought;   /* bytes of blocks that all contexts hold at once */
};

static void measure_tenants(const struct sms_scenario *scenario, struct size *size)
{
    for (size_t v = 0; v < scenario->vms; v++) {
        const struct sms__workload *workload = scenario->vm[v].workload;
        size->kernels += (double)workload->kernels;
        size->jobs += (double)scenario->vm[v].streams;
        size->by_blocks += sms__find_kernel(workload, false) != NULL;
    }
}

static bool is_sliced(const struct sms__policy_use *use) { return sms__mode_slices(&use->mode); }

/* Whether the policy may suspend a process, which may then go on elsewhere. */
static bool may_move(const struct sms__policy_use *use)
{
    return use->share && (use->share->allocate || use->share->launch || use->share->call);
}

/* Adds devices with the slots for blocks of their SMs. Models that rate a device as a whole have a second list of
 * groups. */
static void add_devices(const struct sms_scenario *scenario, const struct sms__device *device, double count,
                        struct size *size)
{
    double slot = scenario->contention.model->shares_device ? 176 : 128;
    double bytes = 2000 + (double)device->sms * (900 + slot * (double)device->sm.blocks);
    size->sms += count * (double)device->sms;
    size->blocks += count * bytes;
    size->blocks_most = fmax(size->blocks_most, bytes);
}

/* Slots of pods on the devices of nodes: each may have a context with SMs of its own. */
static void measure_nodes(const struct sms_scenario *scenario, struct size *size)
{
    const struct sms__cluster *cluster = scenario->cluster;
    double contexts = 1;
    for (size_t p = 0; p < scenario->policies; p++)
        contexts = is_sliced(&scenario->policy[p]) ? (double)cluster->slots : contexts;
    size->kinds = (double)scenario->devices;
    size->jobs = scenario->fidelity == SMS__AS_DURATION ? 0 : (double)cluster->slots;
    for (size_t k = 0; k < cluster->kinds; k++) {
        const struct sms__nodes *kind = &cluster->node[k];
        if (kind->device < 0 || scenario->fidelity == SMS__AS_DURATION)
            continue;
        double gpus = (double)kind->count * (double)kind->gpus;
        size->devices += gpus;
        if (scenario->fidelity == SMS__AS_BLOCKS)
            add_devices(scenario, scenario->device[kind->device], gpus, size);
    }
    size->sliced = contexts;
    size->brought = size->blocks * contexts;
}

/* Blocks come with the first kernel that a context runs block by block. Under time slices every process has a context
 * on each device that it is on in its life: one, unless its policy moves processes. */
static double bytes_brought(const struct sms_scenario *scenario, const struct sms__policy_use *use,
                            const struct size *size)
{
    if (!scenario->shares || !is_sliced(use))
        return size->blocks;
    double kinds = 16 * size->kernels;
    double one = size->by_blocks * (size->blocks_most + kinds);
    double everywhere = size->by_blocks * (size->blocks + kinds * size->devices);
    return may_move(use) ? everywhere : one;
}

static struct size measure(const struct sms_scenario *scenario)
{
    struct size size = {.tenants = (double)scenario->vms};
    if (scenario->cluster && scenario->vms == 0)
        return size;
    measure_tenants(scenario, &size);
    if (scenario->cluster) {
        measure_nodes(scenario, &size);
        return size;
    }
    size.devices = (double)scenario->devices;
    for (size_t d = 0; d < scenario->devices; d++) {
        add_devices(scenario, scenario->device[d], 1, &size);
        size.kinds += d == 0 || scenario->device[d] != scenario->device[d - 1];
    }
    for (size_t p = 0; p < scenario->policies; p++) {
        const struct sms__policy_use *use = &scenario->policy[p];
        size.instances += use->mode.instances ? (double)use->mode.instances->items : 0;
        size.sliced += scenario->shares && is_sliced(use) && size.sliced < 1;
        size.brought = fmax(size.brought, bytes_brought(scenario, use, &size));
    }
    return size;
}

/* Memory of a cluster's run: the ledger of nodes, pods that come, the search of a policy. */
static double bytes_of_cluster(const struct sms__cluster *cluster)
{
    const double search_most = 1.5 * (1 << 30);
    double nodes = (double)cluster->nodes * 400 + cluster->failing * 200, pods = cluster->pods * 160;
    double trees = (double)cluster->nodes * 32 * (double)cluster->shapes;
    if (cluster->gpushare)
        nodes += sms__gpushare_bytes(cluster);
    if (cluster->failures)
        nodes += (double)sms__gpus_of(cluster) * sizeof(struct sms_gpu_view);
    return nodes + pods + fmin(trees, search_most);
}

/* Memory of the file: footprints. */
static double bytes_of_fits(const struct sms_scenario *scenario, const struct size *n)
{
    const double fit = 512, pointer = 8;
    if (scenario->cluster)
        return n->kernels * n->kinds * fit;
    return n->kernels * (1 + n->instances) * n->kinds * fit + n->tenants * (1 + n->instances) * n->devices * pointer;
}

/* Memory of the results: of every replication of every policy, and of the policies. */
static double bytes_of_values(const struct sms_scenario *scenario, const struct size *n,
                              const struct sms__memory_ask *ask)
{
    const double value = 8, series = 1000 * value, name = 80, histogram = 59500;
    const bool latencies = ask->latencies && n->tenants <= SMS_LATENCY_TENANTS;
    double replications = ask->replications;
    double policies = (double)scenario->policies, series_rows = n->tenants <= 100 ? 1 + n->tenants : 1;
    double each = n->tenants * (scenario->shares ? 36 : 18) + n->kernels * 9 + SMS_RESOURCES_MAX * 4 + 40;
    if (scenario->cluster)
        return policies * replications * (CLUSTER_RUN_BYTES + 100 * (double)scenario->cluster->rows);
    each += scenario->shares ? (n->devices + 1) * 7 : 0;
    double alone = n->tenants * replications * 2;
    return (policies * replications * each + alone) * value + n->kernels * name +
           (scenario->duration_ps > 0 ? policies * series_rows * series : 0) +
           policies * n->sms * ask->bins * sizeof(float) + (latencies ? policies * n->tenants * histogram : 0);
}

/* Memory of a run for jobs and kernels on their devices. */
static double bytes_of_jobs(const struct sms_scenario *scenario, const struct size *n)
{
    const double shapes = n->devices * (264 + 200) + n->sms / 8;
    if (scenario->cluster)
        return n->jobs * n->devices * 4096 + n->devices * n->sliced * n->kernels * 16;
    if (!scenario->shares)
        return (n->jobs * 400 + n->tenants * 520) * n->devices + n->kernels * shapes;
    double contexts = n->devices * (1 + n->instances) * (n->sliced > 0 ? n->tenants : 1);
    return n->jobs * 1200 + n->tenants * 1300 + contexts * 1300 + n->kernels * (512 + 464 + n->sms / 8);
}

/* Memory of the largest run under way. `bins`: of each SM. */
static void estimate_run(const struct sms_scenario *scenario, const struct size *n, double bins,
                         struct need need[NEEDS])
{
    double blocks = n->brought;
    const char *tenants = scenario->cluster ? "pods" : scenario->shares ? "processes" : "vms";
    need[NEED_SMS] = (struct need){scenario->cluster ? "nodes" : "devices", "the blocks that all SMs hold",
                                   blocks + n->devices * 1400 + n->sms * bins * 8};
    need[NEED_JOBS] = (struct need){tenants, "the jobs under way at once on all devices", bytes_of_jobs(scenario, n)};
    need[NEED_STATISTICS] = (struct need){tenants, "the statistics of VMs and kernels",
                                          (n->tenants + n->kernels) * 65700 + n->kernels * n->kinds * 32};
}

/* Returns the memory of `ask->jobs` runs at once. Runs of a tenant alone have no statistics, and no contexts of others.
 */
static double estimate(const struct sms_scenario *scenario, const struct sms__memory_ask *ask, struct need need[NEEDS])
{
    const struct size n = measure(scenario);
    double own = (double)scenario->policies * ask->replications, under_way = fmin((double)ask->jobs, own);
    double alone = scenario->cluster ? 0 : n.tenants * ask->replications;
    double besides = fmin((double)ask->jobs - under_way, alone);
    estimate_run(scenario, &n, ask->bins, need);
    need[NEED_SMS].bytes *= under_way;
    need[NEED_SMS].bytes += n.blocks * besides;
    need[NEED_JOBS].bytes *= under_way + besides;
    need[NEED_STATISTICS].bytes *= under_way;
    need[NEED_FITS] = (struct need){need[NEED_JOBS].key, "every kernel on every device", bytes_of_fits(scenario, &n)};
    need[NEED_VALUES] = (struct need){"run", "the values of every replication", bytes_of_values(scenario, &n, ask)};
    double sum = PROGRAM_BYTES + scenario->read_bytes + (double)scenario->node->expanded * NODE_BYTES;
    if (scenario->cluster)
        sum += bytes_of_cluster(scenario->cluster) * under_way;
    for (int i = 0; i < NEEDS; i++)
        sum += need[i].bytes;
    return sum;
}

double sms__memory_of(const struct sms_scenario *scenario, const struct sms__memory_ask *ask)
{
    struct need need[NEEDS];
    return estimate(scenario, ask, need);
}

size_t sms__jobs_that_fit(const struct sms_scenario *scenario, const struct sms__memory_ask *ask)
{
    struct sms__memory_ask tried = *ask;
    tried.jobs = ask->jobs < JOBS_MAX ? ask->jobs : JOBS_MAX;
    while (tried.jobs > 1 && sms__memory_of(scenario, &tried) > SMS__MEMORY_MAX)
        tried.jobs--;
    return tried.jobs ? tried.jobs : 1;
}

bool sms__replications_fit(const struct sms_scenario *scenario, const struct sms__memory_ask *ask, double *gib)
{
    double sum = sms__memory_of(scenario, ask);
    *gib = sum / (1 << 30);
    return sum <= SMS__MEMORY_MAX;
}

bool sms__fits_in_memory(struct sms__reader *reader, struct sms_file *file, struct sms_scenario *scenario)
{
    struct need need[NEEDS], *most = need;
    const struct sms__cluster *cluster = scenario->cluster;
    const struct sms__memory_ask ask = {.replications = (double)sms__most_replications(scenario), .jobs = 1};
    bool numbers = cluster && scenario->vms == 0; /* pods are only placed */
    scenario->read_bytes = numbers ? 0 : file->bytes;
    double sum = estimate(scenario, &ask, need), gib = sum / (1 << 30);
    file->bytes += numbers ? 0 : (double)scenario->devices * 16 + need[NEED_FITS].bytes;
    for (int i = 0; i < NEEDS; i++)
        most = need[i].bytes > most->bytes ? &need[i] : most;
    const struct sms__node *at = sms__node_get(scenario->node, numbers ? "pods" : most->key);
    if (sum <= SMS__MEMORY_MAX)
        return true;
    if (numbers)
        sms__complain(reader, at, "about %.3g pods on %zu nodes need about %.3g GiB of memory, more than 4",
                      cluster->pods, cluster->nodes, gib);
    else
        sms__complain(reader, at ? at : scenario->node,
                      "the scenario needs about %.3g GiB of memory, more than %g, most for %s", gib,
                      SMS__MEMORY_MAX / (1 << 30), most->what);
    return false;
}
