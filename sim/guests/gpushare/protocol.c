/* What `smsched explain` and reports tell about shared GPUs. */
#include "gpushare_run.h"
#include "../../base/buffer.h"

#include <stdio.h>

static void report_gpu(const struct sms__cluster_run *run, size_t n, uint32_t i, const char *name)
{
    const struct sms_node_view *node = &run->ledger.node[n];
    const struct sms_shared_gpu gpu = {.node = name,
                                       .gpu = i,
                                       .memory_bytes = node->gpu_memory,
                                       .allocated_bytes = node->gpu_memory - run->ledger.node[n].gpu[i].memory_left,
                                       .used_bytes = sms__gpu_used(run, n, i),
                                       .pods = run->ledger.node[n].gpu[i].pods};
    sms__observe(run->spec->observer, (struct sms_run_event){SMS_RUN_SHARED_GPU, .shared_gpu = &gpu});
}

void sms__report_gpus(const struct sms__cluster_run *run)
{
    char name[256];
    if (!sms__observes(run->spec->observer, SMS_RUN_SHARED_GPU))
        return;
    for (size_t n = 0; n < run->cluster->nodes; n++) {
        sms__node_name(run->cluster, n, name, sizeof name);
        for (uint32_t i = 0; i < run->ledger.node[n].gpus && sms__gpushare(run)->kind[n]->shared->memory; i++)
            report_gpu(run, n, i, name);
    }
}

const char *sms__gpu_list(uint16_t gpus, char *out, size_t size)
{
    out[0] = '\0';
    for (unsigned i = 0; i < SMS_NODE_GPUS_MAX; i++)
        if (gpus >> i & 1)
            sms__append(out, size, "%s%u", *out ? ", " : "", i);
    return out;
}

const char *sms__units(const struct sms__cluster_run *run, uint64_t bytes, char *out, size_t size)
{
    const struct sms__gpushare *rules = sms__gpushare(run)->rules;
    snprintf(out, size, "%llu %s", (unsigned long long)(bytes / rules->unit), rules->gib ? "GiB" : "MiB");
    return out;
}
