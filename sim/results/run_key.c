/* Which parts of a scenario a run reads. Invariant: whatever can change a run is in its key; a part that is left out
 * must not be read by it. */
#include "memo.h"

#include "../levels/run_setup.h"
#include "../model/scenario.h"

/* Runs read their own policy, and the tenants that take part. Both, the seed and the queue are added for each run. */
static const char *const together[] = {"policies", "answer", "expect", "question", "queue", "run", NULL};
static const char *const alone[] = {"policies", "answer", "expect", "question", "queue", "run", "vms", NULL};
static const char *const of_run[] = {"replications", "until", "seed", "unknowns", NULL};

static const char *flow(struct sms__arena *arena, const struct sms__node *node)
{
    return node ? sms__node_flow(arena, node) : "";
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
    text->alone = sms__print(arena, "%s\n%s\n%s", text->beside, rest, one);
}

const char *sms__run_key(struct sms__arena *arena, const struct sms__run_text *text, const struct sms__run_spec *spec)
{
    const struct sms_scenario *scenario = spec->scenario;
    const struct sms__tenant *vm = spec->only_vm < 0 ? NULL : &scenario->vm[spec->only_vm];
    /* A single stream launches one kernel after another, so the queue has no choice. */
    const bool queues = !vm || scenario->shares || vm->streams > 1;
    const char *policy = spec->policy == scenario->alone ? "alone" : flow(arena, spec->policy->node);
    return sms__print(arena, "%s\n%s\n%s\n%s\n%s %.17g %ld %llu %.17g %.17g %.17g", vm ? text->alone : text->together,
                      vm ? flow(arena, vm->node) : "", policy,
                      queues ? flow(arena, sms__node_get(scenario->node, "queue")) : "", vm ? vm->name : "",
                      vm ? vm->start_ps : 0, spec->only_vm, (unsigned long long)spec->seed, scenario->warmup_ps,
                      scenario->duration_ps, spec->slack_ps);
}
