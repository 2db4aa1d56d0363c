/* The subjects of a scenario: which it has, how many, and what they are called. */
#include "metrics.h"

static size_t count_kernels(const struct sms_scenario *scenario)
{
    size_t kernels = 0;
    for (size_t v = 0; v < scenario->vms && !scenario->drawn; v++)
        kernels += scenario->vm[v].workload->kernels;
    return kernels;
}

bool sms__subject_applies(const struct sms_scenario *scenario, enum sms_subject subject)
{
    enum sms__subject_level level = sms__subject_level(subject);
    if (level == SMS__OF_CLASSES)
        return scenario->cls.count > 0;
    if (scenario->cluster)
        return level == SMS__OF_NODES;
    return level == SMS__OF_DEVICES || (level == SMS__OF_PROCESSES && scenario->shares);
}

size_t sms__subject_count(const struct sms_scenario *scenario, enum sms_subject subject)
{
    if (!sms__subject_applies(scenario, subject))
        return 0;
    switch (subject) {
    case SMS_VM:
        return scenario->vms;
    case SMS_RESOURCE:
        return scenario->resources;
    case SMS_KERNEL:
        return count_kernels(scenario);
    case SMS_PROCESS:
        return scenario->vms + 1;
    case SMS_DEVICE:
        return scenario->devices + 1;
    case SMS_NODE:
        return scenario->cluster->rows;
    case SMS_CLASS:
        return scenario->cls.count;
    case SMS_HOST:
    case SMS_CLUSTER:
        return 1;
    case SMS_SUBJECTS: /* none */
        break;
    }
    return 0;
}

/* Of all but kernels. */
static const char *name_of(struct sms__arena *arena, const struct sms_scenario *scenario, enum sms_subject subject,
                           size_t i)
{
    char node[256];
    switch (subject) {
    case SMS_VM:
    case SMS_PROCESS:
        return i < scenario->vms ? scenario->vm[i].name : "all";
    case SMS_RESOURCE:
        return scenario->resource[i];
    case SMS_DEVICE:
        return i < scenario->devices ? sms__print(arena, "%s/%zu", scenario->device[i]->name, i) : "all";
    case SMS_NODE:
        sms__row_name(scenario->cluster, i, node, sizeof node);
        return sms__print(arena, "%s", node);
    case SMS_CLASS:
        return scenario->cls.name[i];
    case SMS_HOST:
    case SMS_CLUSTER:
    case SMS_KERNEL:
    case SMS_SUBJECTS:
        break;
    }
    return sms__subject_word(subject);
}

static void name_kernels(struct sms__arena *arena, const struct sms_scenario *scenario, const char **name)
{
    for (size_t v = 0; v < scenario->vms && !scenario->drawn; v++) {
        const struct sms__tenant *vm = &scenario->vm[v];
        for (size_t k = 0; k < vm->workload->kernels; k++)
            *name++ = sms__print(arena, "%s/%s", vm->name, vm->workload->kernel[k].name);
    }
}

const char **sms__subject_names(struct sms__arena *arena, const struct sms_scenario *scenario, enum sms_subject subject)
{
    const size_t count = sms__subject_count(scenario, subject);
    const char **name = SMS__NEW(arena, const char *, count + 1);
    if (subject == SMS_KERNEL && count)
        name_kernels(arena, scenario, name);
    for (size_t i = 0; i < count && subject != SMS_KERNEL; i++)
        name[i] = name_of(arena, scenario, subject, i);
    return name;
}
