/* The subjects of a scenario: which it has, how many, and what they are called. */
#include "metrics.h"

static size_t count_one(const struct sms_scenario *scenario)
{
    (void)scenario;
    return 1;
}
#define count_host count_one
#define count_cluster count_one

static size_t count_vm(const struct sms_scenario *scenario) { return scenario->vms; }
static size_t count_resource(const struct sms_scenario *scenario) { return scenario->resources; }
static size_t count_process(const struct sms_scenario *scenario) { return scenario->vms + 1; }
static size_t count_device(const struct sms_scenario *scenario) { return scenario->devices + 1; }
static size_t count_node(const struct sms_scenario *scenario) { return scenario->cluster->rows; }

static size_t count_class(const struct sms_scenario *scenario) { return scenario->cls.count; }

static size_t count_kernel(const struct sms_scenario *scenario)
{
    size_t kernels = 0;
    for (size_t v = 0; v < scenario->vms && !scenario->drawn; v++)
        kernels += scenario->vm[v].workload->kernels;
    return kernels;
}

struct namer {
    struct sms__arena *arena;
    const struct sms_scenario *scenario;
    const char **name;
};

static void name_host(struct namer *namer) { namer->name[0] = "host"; }
static void name_cluster(struct namer *namer) { namer->name[0] = "cluster"; }

static void name_vm(struct namer *namer)
{
    for (size_t v = 0; v < namer->scenario->vms; v++)
        namer->name[v] = namer->scenario->vm[v].name;
}

static void name_resource(struct namer *namer)
{
    for (size_t r = 0; r < namer->scenario->resources; r++)
        namer->name[r] = namer->scenario->resource[r];
}

static void name_kernel(struct namer *namer)
{
    const char **name = namer->name;
    for (size_t v = 0; v < namer->scenario->vms && !namer->scenario->drawn; v++) {
        const struct sms__tenant *vm = &namer->scenario->vm[v];
        for (size_t k = 0; k < vm->workload->kernels; k++)
            *name++ = sms__print(namer->arena, "%s/%s", vm->name, vm->workload->kernel[k].name);
    }
}

static void name_process(struct namer *namer)
{
    name_vm(namer);
    namer->name[namer->scenario->vms] = "all";
}

static void name_device(struct namer *namer)
{
    for (size_t d = 0; d < namer->scenario->devices; d++)
        namer->name[d] = sms__print(namer->arena, "%s/%zu", namer->scenario->device[d]->name, d);
    namer->name[namer->scenario->devices] = "all";
}

static void name_node(struct namer *namer)
{
    char name[256];
    for (size_t i = 0; i < namer->scenario->cluster->rows; i++) {
        sms__row_name(namer->scenario->cluster, i, name, sizeof name);
        namer->name[i] = sms__print(namer->arena, "%s", name);
    }
}

static void name_class(struct namer *namer)
{
    for (size_t c = 0; c < namer->scenario->cls.count; c++)
        namer->name[c] = namer->scenario->cls.name[c];
}

static const struct {
    size_t (*count)(const struct sms_scenario *scenario);
    void (*name)(struct namer *namer);
} subjects[SMS_SUBJECTS] = {
#define SUBJECT(subject, word, plural, kind, level) [SMS_##subject] = {count_##word, name_##word},
#include "metrics.def"
};

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
    return sms__subject_applies(scenario, subject) ? subjects[subject].count(scenario) : 0;
}

const char **sms__subject_names(struct sms__arena *arena, const struct sms_scenario *scenario, enum sms_subject subject)
{
    struct namer namer = {arena, scenario, NULL};
    namer.name = SMS__NEW(arena, const char *, sms__subject_count(scenario, subject) + 1);
    if (sms__subject_applies(scenario, subject))
        subjects[subject].name(&namer);
    return namer.name;
}
