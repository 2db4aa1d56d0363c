/* Notes on tenants whose numbers say little, because they did not do what the scenario asks of them: they failed, did
 * nothing at all, fell behind the jobs that arrive, or have a deadline that no job can meet. */
#include "../base/statistics.h"
#include "../model/job.h"
#include "notes.h"

#include <inttypes.h>
#include <math.h>

static double mean_of(const struct sms_results *results, size_t p, size_t v, enum sms__metric metric)
{
    return sms_results_estimate(results, p, SMS_VM, v, metric - SMS__FIRST_VM).mean;
}

static double value_of(const struct sms_results *results, size_t p, size_t r, size_t v, enum sms__metric metric)
{
    return sms_results_value(results, p, r, SMS_VM, v, metric - SMS__FIRST_VM);
}

/* In how many replications a process failed. */
static size_t failed_runs(const struct sms_results *results, size_t p, size_t v)
{
    const size_t metric = SMS__PROCESS_failed_count - SMS__FIRST_PROCESS;
    size_t runs = 0;
    for (size_t r = 0; r < results->replications && results->scenario->shares; r++)
        runs += sms_results_value(results, p, r, SMS_PROCESS, v, metric) > 0;
    return runs;
}

/* In how many replications no kernel and no job of it made progress in the measured time. A tenant that has ended has
 * done something, perhaps before the warm-up was over. */
static size_t still_runs(const struct sms_results *results, size_t p, size_t v)
{
    const struct sms_scenario *scenario = results->scenario;
    size_t runs = 0;
    for (size_t r = 0; r < results->replications && scenario->duration_ps > 0; r++) {
        const bool is_over = scenario->vm[v].repeat > 0 && value_of(results, p, r, v, SMS__VM_end_ns) > 0;
        runs += !is_over && value_of(results, p, r, v, SMS__VM_kernels_per_s) <= 0 &&
                value_of(results, p, r, v, SMS__VM_jobs_per_s) <= 0;
    }
    return runs;
}

bool sms__did_nothing(const struct sms_results *results, size_t p, size_t v)
{
    return still_runs(results, p, v) == results->replications;
}

static size_t idle_runs(const struct sms_results *results, size_t p, size_t v)
{
    return failed_runs(results, p, v) ? 0 : still_runs(results, p, v);
}

/* In how many replications there is nothing to compare its progress with. */
static size_t unmeasured_runs(const struct sms_results *results, size_t p, size_t v)
{
    size_t runs = 0;
    for (size_t r = 0; r < results->replications && results->with_alone && !failed_runs(results, p, v); r++)
        runs += isnan(value_of(results, p, r, v, SMS__VM_normalized_progress_ratio));
    return runs;
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

/* The number that arrives in all runs has a standard deviation of its root. */
bool sms__falls_behind(const struct sms_results *results, double come, double done, double under_way)
{
    const struct sms_scenario *scenario = results->scenario;
    const double runs = (double)results->replications;
    const double s = runs * (scenario->duration_ps - scenario->warmup_ps) / 1e12;
    return done < SMS__KEEPS_UP * come && (come - done) * s > 3 * sqrt(come * s) + runs * under_way;
}

static size_t late_runs(const struct sms_results *results, size_t p, size_t v)
{
    const double come = arrivals_per_s(results->scenario, v), done = mean_of(results, p, v, SMS__VM_jobs_per_s);
    const bool is_late = come > 0 && sms__falls_behind(results, come, done, 1);
    return is_late && !sms__did_nothing(results, p, v) && !failed_runs(results, p, v) ? results->replications : 0;
}

/* With how many jobs come and are done. */
static const char *tell_rate(struct sms_results *results, size_t p, size_t v)
{
    const double done = mean_of(results, p, v, SMS__VM_jobs_per_s), come = arrivals_per_s(results->scenario, v);
    return sms__print(&results->arena, " (%.*g of %.*g jobs/s)", sms__digits(done, 4), done, sms__digits(come, 4),
                      come);
}

static const char *tell_chunks(struct sms_results *results, size_t p, size_t v)
{
    const struct sms_scenario *scenario = results->scenario;
    const struct sms_sharing_mode *form = scenario->shares ? sms__ran(results, p)->mode.form : NULL;
    return form && form->reserves
               ? sms__print(&results->arena, " (needs %" PRIu64 " free chunks)", scenario->vm[v].chunks)
               : "";
}

/* Notes for which tenants it holds under which policies, and in how many runs if not in all. `tell` may be NULL. */
static void note_each(struct sms_results *results,
                      size_t (*runs_of)(const struct sms_results *results, size_t p, size_t v),
                      const char *(*tell)(struct sms_results *results, size_t p, size_t v), const char *words)
{
    const struct sms_scenario *scenario = results->scenario;
    const char **text = NULL;
    size_t found = 0;
    for (size_t i = 0; i < results->policies * scenario->vms && !scenario->cluster; i++) {
        const size_t p = i / scenario->vms, v = i % scenario->vms, all = results->replications;
        const size_t runs = runs_of(results, p, v);
        if (runs == 0)
            continue;
        const char *in = runs < all ? sms__print(&results->arena, " in %zu of %zu replications", runs, all) : "";
        *SMS__APPEND(&results->arena, text, found) =
            sms__print(&results->arena, "%s under %s%s%s", scenario->vm[v].name, sms_results_policy(results, p), in,
                       tell ? tell(results, p, v) : "");
    }
    if (found)
        sms__note(results, words, sms__list_once(results, text, found, ", "));
}

/* About how many ps the shortest of a tenant's workloads takes alone, on the fastest of its devices. */
static double alone_ps(const struct sms_scenario *scenario, const struct sms__tenant *vm)
{
    const struct sms__workload *workload;
    double least = INFINITY;
    size_t first;
    for (size_t d = 0; d < scenario->devices; d++)
        for (size_t i = 0; sms__may_be_on(vm, d) && (workload = sms__workload_of(vm, i, &first)); i++)
            least = fmin(least, sms__measure_job(workload, &vm->fit[d][first], scenario->device[d]));
    return least;
}

/* Tenants whose jobs are all late under all policies, and would be without the others. */
static void note_deadlines(struct sms_results *results)
{
    const struct sms_scenario *scenario = results->scenario;
    struct sms__names found = {.count = 0};
    for (size_t v = 0; v < scenario->vms && !scenario->cluster; v++) {
        const struct sms__tenant *vm = &scenario->vm[v];
        bool late = vm->deadline_ps > 0 && !sms__is_like_last(scenario->vm, v);
        for (size_t p = 0; p < results->policies && late; p++)
            late = mean_of(results, p, v, SMS__VM_deadline_miss_ratio) >= 1;
        const double takes_ps = late ? alone_ps(scenario, vm) : 0;
        const double unit_ps = vm->deadline_ps < 1e9 && takes_ps < 1e10 ? 1e6 : 1e9;
        if (takes_ps > vm->deadline_ps)
            sms__names_add(&found,
                           sms__print(&results->arena, "%s (%.4g of %.4g %s)", vm->name, takes_ps / unit_ps,
                                      vm->deadline_ps / unit_ps, unit_ps < 1e9 ? "us" : "ms"),
                           -1);
    }
    if (found.count)
        sms__note(results, "a job takes longer than its deadline even alone, so that all are late: %s",
                  sms__names_print(results, &found));
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
            *SMS__APPEND(&results->arena, text, found) = sms__print(
                &results->arena, "%.*g under %s", sms__digits(failed, 4), failed, sms_results_policy(results, p));
        }
    }
    if (found)
        sms__note(results, "pods failed, and have no turnaround and no slowdown: %s; 'smsched explain' says why",
                  sms__list_once(results, text, found, ", "));
}

void sms__note_shortfalls(struct sms_results *results)
{
    const double end_ms = results->scenario->duration_ps / 1e9;
    note_failed_pods(results);
    note_deadlines(results);
    note_each(results, failed_runs, NULL,
              "these failed, and have no part in stp, antt and fairness: %s; 'smsched explain' says why");
    note_each(results, idle_runs, tell_chunks,
              sms__print(&results->arena,
                         "these did nothing in the measured time, where there is no ntt and no antt: %%s; "
                         "'smsched explain' shows with '--from %.12gms --to %.12gms' what they wait for",
                         end_ms, end_ms));
    note_each(
        results, unmeasured_runs, NULL,
        "no block of these ends when they run alone, so they have no normalized progress, and the host has no stp, "
        "antt and fairness: %s");
    note_each(
        results, late_runs, tell_rate,
        "more jobs arrive than are done, so that the queue and the latencies grow with the length of the run: %s");
}
