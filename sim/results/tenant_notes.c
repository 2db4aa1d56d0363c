/* Notes on tenants whose numbers say little, because they did not do what the scenario asks of them: they failed, did
 * nothing at all, or fell behind the jobs that arrive. */
#include "notes.h"

#include <math.h>

static double mean_of(const struct sms_results *results, size_t p, size_t v, enum sms__metric metric)
{
    return sms_results_estimate(results, p, SMS_VM, v, metric - SMS__FIRST_VM).mean;
}

static bool has_failed(const struct sms_results *results, size_t p, size_t v)
{
    const size_t metric = SMS__PROCESS_failed_count - SMS__FIRST_PROCESS;
    return results->scenario->shares && sms_results_estimate(results, p, SMS_PROCESS, v, metric).mean > 0;
}

bool sms__did_nothing(const struct sms_results *results, size_t p, size_t v)
{
    const struct sms_scenario *scenario = results->scenario;
    const bool is_over = scenario->vm[v].repeat > 0 && mean_of(results, p, v, SMS__VM_end_ns) > 0;
    return scenario->duration_ps > 0 && !is_over && mean_of(results, p, v, SMS__VM_kernels_per_s) <= 0 &&
           mean_of(results, p, v, SMS__VM_jobs_per_s) <= 0;
}

static bool is_idle(const struct sms_results *results, size_t p, size_t v)
{
    return sms__did_nothing(results, p, v) && !has_failed(results, p, v);
}

/* Jobs that arrive in a second: 0 if they are listed, are a number of jobs, or begin to arrive late. */
static double arrivals_per_s(const struct sms_scenario *scenario, size_t v)
{
    const struct sms__tenant *vm = &scenario->vm[v];
    const bool is_steady = (vm->arrivals == SMS__POISSON || vm->arrivals == SMS__REGULAR) && vm->repeat == 0 &&
                           scenario->duration_ps > 0 && vm->start_ps <= scenario->warmup_ps;
    const size_t streams = scenario->shares || vm->device >= 0 ? 1 : scenario->devices;
    return is_steady ? (double)streams * 1e12 / vm->interval_ps : 0;
}

/* Whether a tenant does fewer jobs than arrive, by more than chance explains: the number that arrives in all runs has a
 * standard deviation of its root, and at the end of each run some are in progress. */
static bool falls_behind(const struct sms_results *results, size_t p, size_t v)
{
    const struct sms_scenario *scenario = results->scenario;
    const double come = arrivals_per_s(scenario, v), done = mean_of(results, p, v, SMS__VM_jobs_per_s);
    const double runs = (double)results->replications;
    const double s = runs * (scenario->duration_ps - scenario->warmup_ps) / 1e12;
    return come > 0 && done < SMS__KEEPS_UP * come && (come - done) * s > 3 * sqrt(come * s) + runs &&
           !sms__did_nothing(results, p, v) && !has_failed(results, p, v);
}

/* Notes for which tenants it holds under which policies. `rate`: with how many jobs come and are done. */
static void note_each(struct sms_results *results, bool (*holds)(const struct sms_results *results, size_t p, size_t v),
                      bool rate, const char *words)
{
    const struct sms_scenario *scenario = results->scenario;
    const char **text = NULL;
    size_t found = 0;
    for (size_t i = 0; i < results->policies * scenario->vms && !scenario->cluster; i++) {
        const size_t p = i / scenario->vms, v = i % scenario->vms;
        if (!holds(results, p, v))
            continue;
        text = sms__grow(&results->arena, text, found, sizeof *text);
        text[found] = sms__print(&results->arena, "%s under %s", scenario->vm[v].name, sms_results_policy(results, p));
        if (rate)
            text[found] = sms__print(&results->arena, "%s (%.4g of %.4g jobs/s)", text[found],
                                     mean_of(results, p, v, SMS__VM_jobs_per_s), arrivals_per_s(scenario, v));
        found++;
    }
    if (found)
        sms__note(results, words, sms__list_once(results, text, found, ", "));
}

/* Guests say by metrics of their own why pods fail. */
static void note_failed_pods(struct sms_results *results)
{
    const struct sms__cluster *cluster = results->scenario->cluster;
    const char **text = NULL;
    size_t found = 0;
    for (size_t p = 0; p < results->policies && cluster && !cluster->guest; p++) {
        const size_t metric = SMS__CLUSTER_failed_count - SMS__FIRST_CLUSTER;
        const double failed = sms_results_estimate(results, p, SMS_CLUSTER, 0, metric).mean;
        if (failed > 0) {
            text = sms__grow(&results->arena, text, found, sizeof *text);
            text[found++] = sms__print(&results->arena, "%.4g under %s", failed, sms_results_policy(results, p));
        }
    }
    if (found)
        sms__note(results, "pods failed, and have no turnaround and no slowdown: %s; 'smsched explain' says why",
                  sms__list_once(results, text, found, ", "));
}

void sms__note_tenants(struct sms_results *results)
{
    note_failed_pods(results);
    note_each(results, has_failed, false,
              "these failed, and have no part in stp, antt and fairness: %s; 'smsched explain' says why");
    note_each(results, is_idle, false,
              "these did nothing in the measured time: %s; 'smsched explain' shows what they waited for");
    note_each(
        results, falls_behind, true,
        "more jobs arrive than are done, so that the queue and the latencies grow with the length of the run: %s");
}
