/* Runs a scenario: a cluster, or the tenants of one host. */
#include "simulate.h"
#include "share/share_level.h"

int sms__simulate(struct sms__arena *arena, const struct sms__run_spec *spec)
{
    return spec->scenario->cluster ? sms__cluster_simulate(arena, spec) : sms__share_run(arena, spec);
}
