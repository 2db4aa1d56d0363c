/* What `smsched explain` says of the protocol of gpushare. */
#include "gpushare.h"

#include <stdarg.h>
#include <stdio.h>

bool sms__is_told(const struct sms__placing *placing)
{
    return placing->spec->observe && placing->spec->options->on_saying;
}

void sms__tell(const struct sms__placing *placing, uint32_t p, uint64_t now, const char *format, ...)
{
    char name[256], text[2048];
    va_list args;
    if (!sms__is_told(placing))
        return;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    sms__pod_name(placing, p, name, sizeof name);
    const struct sms_saying saying = {now, name, text};
    placing->spec->options->on_saying(placing->spec->options->user, placing->spec->observe, &saying);
}

static void tell_gpu(const struct sms__placing *placing, size_t n, uint32_t i, const char *name)
{
    const struct sms_run_options *options = placing->spec->options;
    const struct sms_node_view *node = &placing->node[n];
    const struct sms_shared_gpu gpu = {.node = name,
                                       .gpu = i,
                                       .memory_bytes = node->gpu_memory,
                                       .allocated_bytes = node->gpu_memory - sms__gpu_book(placing, n, i)->memory_left,
                                       .used_bytes = sms__gpu_used(placing, n, i),
                                       .pods = sms__gpu_book(placing, n, i)->pods};
    options->on_shared_gpu(options->user, placing->spec->observe, &gpu);
}

void sms__tell_gpus(const struct sms__placing *placing)
{
    char name[256];
    if (!placing->spec->observe || !placing->spec->options->on_shared_gpu)
        return;
    for (size_t n = 0; n < placing->cluster->nodes; n++) {
        sms__node_name(placing->cluster, n, name, sizeof name);
        for (uint32_t i = 0; i < placing->node[n].gpus && placing->gpushare->kind[n]->shared->memory; i++)
            tell_gpu(placing, n, i, name);
    }
}

const char *sms__gpu_list(uint16_t gpus, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < SMS_NODE_GPUS_MAX && used < size; i++)
        if (gpus >> i & 1)
            used += (size_t)snprintf(out + used, size - used, "%s%u", used ? ", " : "", i);
    return out;
}

const char *sms__units(const struct sms__placing *placing, uint64_t bytes, char *out, size_t size)
{
    const struct sms__gpushare *rules = placing->gpushare->rules;
    snprintf(out, size, "%llu %s", (unsigned long long)(bytes / rules->unit), rules->gib ? "GiB" : "MiB");
    return out;
}
