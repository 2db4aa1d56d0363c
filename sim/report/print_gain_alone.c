/* Tells what a policy gains for tenants that run alone: in the answer, the table and the JSON of a
 * comparison. */
#include "../results/gain_alone.h"
#include "answer.h"
#include "output.h"

#include <jansson.h>
#include <string.h>

/* A difference below this is not told in words; at most so many tenants are named. */
#define LEAST_TOLD 0.005
enum { NAMED = 3 };

static double gain_of(const struct sms__outcome *answer, size_t v)
{
    const bool told = sms__tells_gain_alone(answer->results, v);
    return told ? sms__gain_alone(answer->results, answer->best.best, answer->over, v).mean - 1 : 0;
}

/* "a is 12 % faster, b 3 % slower". Tenants that lose are told, too, because what remains of STP depends on all. */
static void put_gains(const struct sms__outcome *answer, FILE *to)
{
    const struct sms_scenario *scenario = sms_results_scenario(answer->results);
    size_t count = 0;
    for (size_t v = 0; v < scenario->vms; v++) {
        const double gain = gain_of(answer, v);
        if (!(fabs(gain) > LEAST_TOLD) || ++count > NAMED)
            continue;
        fprintf(to, count == 1 ? "; alone, %s is" : ", %s", scenario->vm[v].name);
        fprintf(to, " %s %s", sms__percent(false, fabs(100 * gain), NAN).text, gain > 0 ? "faster" : "slower");
    }
    if (count > NAMED)
        fprintf(to, " (%zu more not shown)", count - NAMED);
    fprintf(to, " under %s than under %s", sms_results_policy(answer->results, answer->best.best),
            sms_results_policy(answer->results, answer->over));
}

/* What the policy gains apart from sharing, if a tenant gains anything. */
void sms__answer_put_gain_alone(const struct sms__outcome *answer, FILE *to)
{
    const struct sms_scenario *scenario = sms_results_scenario(answer->results);
    bool gains = false;
    if (!scenario->cluster && scenario->vms == 1)
        fprintf(to, "; %s has the GPU to itself: no other tenant shares it", scenario->vm[0].name);
    for (size_t v = 0; v < scenario->vms && scenario->vms > 1 && answer->over < SIZE_MAX; v++)
        gains |= gain_of(answer, v) > LEAST_TOLD;
    if (!gains)
        return;
    put_gains(answer, to);
    if (answer->asked.subject != SMS_HOST || strcmp(sms__result_metric(&answer->asked), "stp_ratio") != 0)
        return;
    const double left = sms__gain_left(answer->results, answer->best.best, answer->over).mean - 1;
    if (!isnan(left))
        fprintf(to, ", which is no effect of sharing; without it STP changes by %s",
                sms__percent(true, 100 * left, NAN).text);
}

/* ---- the table ---- */

void sms__add_alone_rows(struct sms__table_out *table, const struct sms_results *results, size_t baseline)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    for (size_t v = 0; v < scenario->vms; v++) {
        if (!sms__tells_gain_alone(results, v))
            continue;
        sms__table_add(table, "%s alone", scenario->vm[v].name);
        sms__table_value(table, "normalized_progress_ratio", sms__progress_alone(results, baseline, v).mean, NAN);
        for (size_t p = 0; p < sms_results_policies(results); p++) {
            const struct sms_estimate gain = sms__gain_alone(results, p, baseline, v);
            if (p != baseline)
                sms__table_add(table, "%s",
                               isnan(gain.mean) ? "-"
                                                : sms__percent(true, 100 * (gain.mean - 1), 100 * gain.ci95).text);
        }
    }
}

void sms__print_alone_legend(const struct sms_results *results, FILE *to)
{
    bool any = false;
    for (size_t v = 0; v < sms_results_scenario(results)->vms; v++)
        any |= sms__gains_alone(results, v);
    if (any)
        fputs("  alone: the speed with the GPU to itself under the same policy; its changes are no gain of sharing\n",
              to);
    else if (sms__has_gain_alone(results))
        fputs("  with the GPU to itself every tenant is equally fast under all policies\n", to);
}

/* ---- JSON ---- */

static json_t *json_of(const struct sms_results *results, size_t policy, size_t baseline, size_t v)
{
    const struct sms_estimate gain = sms__gain_alone(results, policy, baseline, v);
    return json_pack("{ss ss so so sb}", "policy", sms_results_policy(results, policy), "name",
                     sms_results_subject(results, SMS_VM, v), "ratio_ci95", sms__json_number(gain.ci95), "ratio",
                     sms__json_number(gain.mean), "differs", sms__gains_alone(results, v));
}

struct json_t *sms__json_alone(const struct sms_results *results, size_t baseline)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    json_t *list = json_array();
    for (size_t v = 0; v < scenario->vms; v++)
        for (size_t p = 0; p < sms_results_policies(results) && !sms__is_like_last(scenario->vm, v); p++)
            if (p != baseline)
                json_array_append_new(list, json_of(results, p, baseline, v));
    return list;
}
