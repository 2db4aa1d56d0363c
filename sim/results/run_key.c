/* Which parts of a scenario a run reads. Invariant: whatever can change a run is in its key; a part that is left out
 * must not be read by it. */
#include "memo.h"

#include "../levels/device.h"
#include "../model/draws.h"
#include "../model/scenario.h"

#include <stdio.h>

/* Runs read their own policy, and the tenants that take part. Both, the seed and the queue are added for each run. */
static const char *const together[] = {"policies", "answer", "expect", "question", "queue", "run", NULL};
static const char *const alone[] = {"policies", "answer", "expect", "question", "queue", "run", "vms", NULL};
static const char *const of_run[] = {"replications", "until", "seed", "unknowns", NULL};

static const char *flow(struct sms__arena *arena, const struct sms__node *node)
{
    return node ? sms__node_flow(arena, node) : "";
}

/* What a stand-alone run sees of the other tenants: how many kernels and tenants there are, and where. */
static const char *outline(struct sms__arena *arena, const struct sms_scenario *scenario)
{
    const size_t size = 48 * (scenario->vms + scenario->devices) + 1;
    char *text = sms__alloc(arena, size, 1);
    size_t used = 0;
    for (size_t v = 0; v < scenario->vms; v++)
        used += (size_t)snprintf(text + used, size - used, "%ld/%zu ", scenario->vm[v].device,
                                 scenario->vm[v].workload->kernels);
    for (size_t d = 0; d < scenario->devices; d++)
        used += (size_t)snprintf(text + used, size - used, "%zu/%zu ",
                                 sms__device_clocks_max(scenario, scenario->device[d]),
                                 sms__dispatchers(scenario, scenario->device[d]));
    return text;
}

void sms__run_text(struct sms__arena *arena, const struct sms_scenario *scenario, struct sms__run_text *text)
{
    const struct sms__node *run = sms__node_get(scenario->node, "run");
    const char *rest = run ? flow(arena, sms__node_pick(arena, run, of_run, false)) : "";
    const char *all = flow(arena, sms__node_pick(arena, scenario->node, together, false));
    text->together = sms__print(arena, "%s\n%s\n%s", text->beside, rest, all);
    text->alone = text->together;
    if (scenario->shares)
        return;
    const char *one = flow(arena, sms__node_pick(arena, scenario->node, alone, false));
    text->alone = sms__print(arena, "%s\n%s\n%s\n%s", text->beside, rest, one, outline(arena, scenario));
}

const char *sms__run_key(struct sms__arena *arena, const struct sms__run_text *text, const struct sms__run_spec *spec)
{
    const struct sms_scenario *scenario = spec->scenario;
    const struct sms__tenant *vm = spec->only_vm < 0 ? NULL : &scenario->vm[spec->only_vm];
    /* A single stream launches one kernel after another, so the queue has no choice. */
    const bool queues = !vm || scenario->shares || vm->streams > 1;
    return sms__print(arena, "%s\n%s\n%s\n%s %.17g %ld %llu %.17g %.17g %.17g", vm ? text->alone : text->together,
                      vm ? flow(arena, vm->node) : flow(arena, spec->policy->node),
                      queues ? flow(arena, sms__node_get(scenario->node, "queue")) : "", vm ? vm->name : "",
                      vm ? vm->start_ps : 0, spec->only_vm, (unsigned long long)spec->seed, scenario->warmup_ps,
                      scenario->duration_ps, sms__slack_ps(scenario));
}
