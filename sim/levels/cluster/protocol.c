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
