/* Finds the policies of a scenario by what a user calls them. */
#include "../scenario.h"

#include <stdio.h>
#include <string.h>

void sms__say_no_policy(char *out, size_t size, const struct sms_scenario *scenario, const char *name)
{
    const char *near = sms__nearest(name, scenario->policies, SMS__NAMES(scenario->policy, label));
    int used = snprintf(out, size, "scenario '%.60s' has no policy '%.60s'; %s%.60s%sit has: ", scenario->name, name,
                        near ? "did you mean '" : "", near ? near : "", near ? "'? " : "");
    for (size_t i = 0; i < scenario->policies && used >= 0 && (size_t)used < size - 1; i++)
        used += snprintf(out + used, size - (size_t)used, "%s%s", i ? ", " : "", scenario->policy[i].label);
    if ((size_t)used >= size && size > 3)
        memcpy(out + size - 4, "...", 4);
}

const char sms__policy_option[] = "--policy";

bool sms__is_labelled(const struct sms__policy_use *use, const char *label)
{
    return !strcmp(use->label, label) || !strcmp(use->written, label) || (use->typed && !strcmp(use->typed, label));
}

bool sms__is_called(const struct sms__policy_use *use, const char *name)
{
    if (sms__is_labelled(use, name))
        return true;
    if (!use->share)
        return !strcmp(use->policy->name, name);
    for (const char *at = use->written; *name && (at = strstr(at, name)); at++) {
        char before = at == use->written ? '+' : at[-1], after = at[strlen(name)];
        if (before == '+' && (after == '+' || after == '(' || !after))
            return true;
    }
    return false;
}

static bool is_label(const struct sms_scenario *scenario, const char *name)
{
    for (size_t p = 0; p < scenario->policies; p++)
        if (sms__is_labelled(&scenario->policy[p], name))
            return true;
    return false;
}

bool sms__is_chosen(const struct sms_scenario *scenario, size_t p, const char *const *names)
{
    const struct sms__policy_use *use = &scenario->policy[p];
    for (size_t i = 0; names && names[i]; i++)
        if (is_label(scenario, names[i]) ? sms__is_labelled(use, names[i]) : sms__is_called(use, names[i]))
            return true;
    return !names || !names[0];
}
