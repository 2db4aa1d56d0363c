/* Warns of workloads that were profiled on another device than they run on: their times and demands are that one's. */
#include "file.h"
#include "scenario.h"

#include <stdio.h>
#include <string.h>

static bool is_said(const struct sms_errors *warnings, const char *text)
{
    for (size_t i = 0; i < warnings->count && i < SMS_ERRORS_MAX; i++)
        if (!strcmp(warnings->item[i].message, text))
            return true;
    return false;
}

static void warn_of(struct sms_file *file, const struct sms_scenario *scenario, const struct sms__vm *vm,
                    const struct sms__workload *workload)
{
    const struct sms__node *at = sms__node_get(vm->node, "workload");
    char text[256];
    for (size_t d = 0; d < scenario->devices && *workload->device; d++) {
        const char *device = scenario->device[d]->name;
        if (!strcmp(device, workload->device))
            continue;
        snprintf(text, sizeof text,
                 "workload '%.60s' was profiled on %.30s and runs on %.30s: its times and demands are those of %.30s",
                 workload->name, workload->device, device, workload->device);
        if (!is_said(&file->warnings, text))
            sms__error(&file->warnings, SMS_OK, (at ? at : vm->node)->mark, "%s", text);
        return;
    }
}

void sms__warn_of_devices(struct sms_file *file, const struct sms_scenario *scenario)
{
    const struct sms__workload *workload;
    size_t first;
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t i = 0;
             !sms__is_like_last(scenario, v) && (workload = sms__workload_of(&scenario->vm[v], i, &first)); i++)
            warn_of(file, scenario, &scenario->vm[v], workload);
}
