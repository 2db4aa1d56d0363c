/* What came of a way to share: what each program gets, whether targets are met, and what is busiest. */
#include "advise.h"

#include "../base/statistics.h"
#include "../results/verdict.h"

#include <math.h>

static double value(const struct sms_results *results, size_t r, enum sms_subject subject, size_t idx, const char *name)
{
    return sms_results_value(results, 0, r, subject, idx, (size_t)sms_metric_index(subject, name));
}

/* The chance at which a way that meets its target is said to miss it, at most. */
static const double CHANCE = 0.05;

static struct sms_estimate mean_of(const struct sms_results *results, size_t vm, const char *name)
{
    return sms_results_estimate(results, 0, SMS_VM, vm, (size_t)sms_metric_index(SMS_VM, name));
}

/* Of the copy for which it is greatest. */
static struct sms_estimate worst(const struct sms_results *results, const struct sms__way *way, size_t p,
                                 const char *name)
{
    struct sms_estimate most = mean_of(results, sms__way_first(way, p), name);
    for (uint64_t copy = 1; copy < way->copies[p]; copy++) {
        const struct sms_estimate own = mean_of(results, sms__way_first(way, p) + copy, name);
        if (!(own.mean <= most.mean))
            most = own;
    }
    return most;
}

/* The jobs/s of all copies; where jobs follow each other by their mean time, because a run may have few of them. */
static double jobs_per_s(const struct sms_results *results, const struct sms__programs *programs,
                         const struct sms__way *way, size_t p, size_t r)
{
    const struct sms__program *program = &programs->program[p];
    const bool follow = program->per_s <= 0 && !program->tenant->own;
    double sum = 0;
    for (uint64_t copy = 0; copy < way->copies[p]; copy++) {
        const size_t v = sms__way_first(way, p) + copy;
        sum += follow ? 1e9 * (double)program->tenant->streams / value(results, r, SMS_VM, v, "job_latency_mean_ns")
                      : value(results, r, SMS_VM, v, "jobs_per_s");
    }
    return sum;
}

static struct sms_estimate rate_of(const struct sms_results *results, const struct sms__programs *programs,
                                   const struct sms__way *way, size_t p)
{
    struct sms__moments moments = {0};
    for (size_t r = 0; r < sms_results_replications(results); r++)
        sms__estimate_add(&moments, jobs_per_s(results, programs, way, p, r));
    return sms__estimate_close(moments);
}

/* The replications of which it is known what the program does alone. The same jobs arrive there, so each is compared
 * with its own. */
static size_t pairs_of(const struct sms__program *program, const struct sms_results *results)
{
    const size_t runs = sms_results_replications(results);
    return runs < program->alone_runs ? runs : program->alone_runs;
}

/* Work done per GPU, where 1 is what a GPU does for one program at a time. */
static struct sms_estimate gain_of(const struct sms__programs *programs, const struct sms__way *way,
                                   const struct sms_results *results)
{
    struct sms__moments moments = {0};
    for (size_t r = 0; r < pairs_of(&programs->program[0], results); r++) {
        double sum = 0;
        for (size_t p = 0; p < programs->count; p++)
            sum += jobs_per_s(results, programs, way, p, r) / programs->program[p].alone[r].per_s;
        sms__estimate_add(&moments, sum / (way->alone ? (double)programs->count : 1));
    }
    return sms__estimate_close(moments);
}

/* Of the copy for which it is greatest. */
static struct sms_estimate slowdown_of(const struct sms_results *results, const struct sms__way *way, size_t p,
                                       const struct sms__program *program)
{
    struct sms_estimate most = {.mean = NAN};
    for (uint64_t copy = 0; copy < way->copies[p]; copy++) {
        struct sms__pairs pairs = {0};
        for (size_t r = 0; r < pairs_of(program, results); r++)
            sms__pairs_add(&pairs, value(results, r, SMS_VM, sms__way_first(way, p) + copy, "job_latency_mean_ns"),
                           program->alone[r].mean_ns);
        const struct sms_estimate own = sms__pairs_ratio(&pairs);
        if (!(own.mean <= most.mean))
            most = own;
    }
    return most;
}

static void set_share(const struct sms__programs *programs, const struct sms__outlook *outlook, size_t p)
{
    const struct sms__program *program = &programs->program[p];
    const struct sms_results *results = outlook->results;
    const struct sms__way *way = outlook->way;
    struct sms__tenancy *share = &outlook->share[p];
    share->per_s = rate_of(results, programs, way, p);
    share->slowdown = slowdown_of(results, way, p, program);
    share->p50_ns = worst(results, way, p, "job_latency_p50_ns");
    share->p99_ns = worst(results, way, p, "job_latency_p99_ns");
    const struct sms__result p99 = {results, 0, SMS_VM, sms__way_first(way, p),
                                    (size_t)sms_metric_index(SMS_VM, "job_latency_p99_ns")};
    share->maximum_of = sms__maximum_of(&p99, 0);
    share->missed = NAN;
    share->memory = 0;
    for (size_t r = 0; r < sms_results_replications(results); r++)
        share->memory =
            fmax(share->memory, value(results, r, SMS_PROCESS, sms__way_first(way, p), "memory_high_water_bytes"));
    if (program->target.metric) {
        share->target_ns = worst(results, way, p, program->target.metric);
        share->missed = worst(results, way, p, "deadline_miss_ratio").mean;
    }
}

/* A latency over its target; a program of which no job ended misses. */
static double over_target(const struct sms__program *program, double latency_ns)
{
    return isnan(latency_ns) ? INFINITY : latency_ns / program->target.ns;
}

/* Whether too many jobs of a copy are beyond the target for its percentile to meet it. If a share b of jobs is, the
 * shares of independent replications, each over b, have a product with a mean of 1. By Markov's inequality it is n or
 * more with a chance of 1/n at most. */
static bool is_beyond(const struct sms__program *program, const struct sms_results *results, const struct sms__way *way,
                      size_t p)
{
    bool beyond = false;
    for (uint64_t copy = 0; copy < way->copies[p] && program->target.beyond > 0; copy++) {
        double product = 1;
        for (size_t r = 0; r < sms_results_replications(results); r++)
            product *= value(results, r, SMS_VM, sms__way_first(way, p) + copy, "deadline_miss_ratio") /
                       program->target.beyond;
        beyond |= product >= (double)way->copies[p] / CHANCE;
    }
    return beyond;
}

/* By how much a program does fewer jobs than it must: by their rate; or by their latency, because fewer may arrive by
 * chance. Where a queue grows and so a part of the jobs is not done, their mean latency is half of that part of the
 * time that is measured. */
static double lag_of(const struct sms__program *program, const struct sms_results *results, double latency_ns,
                     double per_s)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    const double most_ps =
        (1 - program->least_per_s / program->per_s) / 2 * (scenario->duration_ps - scenario->warmup_ps);
    return isnan(latency_ns) ? INFINITY : fmin(program->least_per_s / per_s, latency_ns * 1e3 / most_ps);
}

/* By how much program p misses what it must do, at so many half-widths of its interval above the mean. */
static double missed_by(const struct sms__program *program, const struct sms_results *results,
                        const struct sms__way *way, size_t p, double per_s, double halves)
{
    double most = 0;
    if (program->target.metric) {
        const struct sms_estimate asked = worst(results, way, p, program->target.metric);
        most = over_target(program, asked.mean + halves * (isnan(asked.ci95) ? 0 : asked.ci95));
    }
    if (program->least_per_s > 0)
        most = fmax(most, lag_of(program, results, worst(results, way, p, "job_latency_mean_ns").mean, per_s));
    return most;
}

double sms__misses_by(const struct sms__programs *programs, const struct sms__way *way,
                      const struct sms_results *results)
{
    double most = 0;
    for (size_t p = 0; p < programs->count; p++)
        most =
            fmax(most, missed_by(&programs->program[p], results, way, p, rate_of(results, programs, way, p).mean, 0));
    return most;
}

void sms__judge(const struct sms__programs *programs, struct sms__outlook *outlook, const struct sms_results *results)
{
    for (size_t p = 0; p < programs->count; p++) {
        const struct sms__program *program = &programs->program[p];
        const double latency_ns = worst(results, outlook->way, p, "job_latency_mean_ns").mean;
        const double per_s = rate_of(results, programs, outlook->way, p).mean;
        outlook->worst_slowdown[p] = fmax(outlook->worst_slowdown[p], latency_ns / program->alone_mean_ns);
        outlook->worst_per_s[p] = isnan(per_s) ? 0 : fmin(outlook->worst_per_s[p], per_s);
        if (program->target.metric) {
            struct sms__tenancy *share = &outlook->share[p];
            share->worst_ns = fmax(share->worst_ns, worst(results, outlook->way, p, program->target.metric).mean);
            share->worst_missed =
                fmax(share->worst_missed, worst(results, outlook->way, p, "deadline_miss_ratio").mean);
            outlook->may_meet &= !is_beyond(program, results, outlook->way, p);
        }
        outlook->may_meet &= missed_by(program, results, outlook->way, p, outlook->worst_per_s[p], -1) <= 1;
        outlook->misses_by =
            fmax(outlook->misses_by, missed_by(program, results, outlook->way, p, outlook->worst_per_s[p], 1));
    }
    const double gain = gain_of(programs, outlook->way, results).mean;
    outlook->worst_gain = isnan(gain) ? 0 : fmin(outlook->worst_gain, gain); /* no number: a program ended no job */
    outlook->meets = outlook->misses_by <= 1;
}

/* The busiest resource, the time with a kernel on a GPU, and the host: what a program waits for it alone, and how busy
 * the cores are with the jobs of all. */
static const char *find_binding(struct sms__arena *arena, const struct sms__programs *programs, double cores,
                                const struct sms__outlook *outlook)
{
    const struct sms_results *results = outlook->results;
    double on_host = 0;
    const size_t devices = sms_results_subjects(results, SMS_DEVICE);
    const double busy = value(results, 0, SMS_DEVICE, devices - 1, "busy_ratio");
    const char *resource = "";
    double most = 0;
    for (size_t i = 0; i < sms_results_subjects(results, SMS_RESOURCE); i++) {
        const double used = value(results, 0, SMS_RESOURCE, i, "utilization_ratio");
        if (used > most) {
            most = used;
            resource = sms_results_subject(results, SMS_RESOURCE, i);
        }
    }
    const char *text = sms__print(arena, "a kernel runs %.0f %% of the time", 100 * busy);
    if (*resource)
        text = sms__print(arena, "%s; the busiest resource is %s, at %.0f %%", text, resource, 100 * most);
    for (size_t p = 0; p < programs->count; p++)
        on_host += outlook->share[p].per_s.mean * programs->program[p].host_ps / 1e12;
    if (cores > 0)
        text = sms__print(arena, "%s; %s of the host %s busy %.0f %%", text,
                          cores > 1 ? sms__print(arena, "the %.0f cores", cores) : "the core", cores > 1 ? "are" : "is",
                          100 * on_host / cores);
    for (size_t p = 0; p < programs->count; p++)
        if (programs->program[p].host_ps > 0.2 * programs->program[p].job_ps)
            text =
                sms__print(arena, "%s; run alone, %s waits for its host %.0f %% of the time", text,
                           programs->program[p].name, 100 * programs->program[p].host_ps / programs->program[p].job_ps);
    return text;
}

static double gib_of(const struct sms_results *results, size_t v)
{
    const struct sms_scenario *scenario = sms_results_scenario(results);
    const struct sms__workload *workload = scenario->vm[v].workload;
    return ((double)scenario->host.context_bytes + workload->statics + (double)workload->declared) / 1024 / 1024 / 1024;
}

static const char *never_runs(struct sms__arena *arena, double gib)
{
    return sms__print(arena, "never runs: it finds no memory for its %.3g GiB, or no room on the device", gib);
}

/* Why the way does not work: a process failed, or never got to run. NULL: it works. */
const char *sms__why_fails(struct sms__arena *arena, const struct sms_results *results)
{
    const size_t all = sms_results_subjects(results, SMS_PROCESS) - 1;
    for (size_t r = 0; r < sms_results_replications(results); r++) {
        for (size_t v = 0; v < all && value(results, r, SMS_PROCESS, all, "failed_count") > 0; v++)
            if (value(results, r, SMS_PROCESS, v, "failed_count") > 0)
                return sms__print(arena, "%s does not fit into memory: it takes %.3g GiB",
                                  sms_results_subject(results, SMS_VM, v), gib_of(results, v));
        for (size_t v = 0; v < all; v++)
            if (!(value(results, r, SMS_VM, v, "jobs_per_s") > 0))
                return sms__print(
                    arena, "%s %s", sms_results_subject(results, SMS_VM, v),
                    value(results, r, SMS_PROCESS, v, "service_ns") > 0   ? "finishes no job in the simulated time"
                    : value(results, r, SMS_PROCESS, v, "waiting_ns") > 0 ? never_runs(arena, gib_of(results, v))
                                                                          : "gets no job in the simulated time, "
                                                                            "because they arrive too seldom");
    }
    return NULL;
}

/* What each program takes alone is the measure of the ways that are described later. */
static void set_alone(struct sms__arena *arena, const struct sms__programs *programs,
                      const struct sms__outlook *outlook)
{
    const size_t runs = sms_results_replications(outlook->results);
    for (size_t p = 0; p < programs->count; p++) {
        struct sms__with_gpu *alone = SMS__NEW(arena, struct sms__with_gpu, runs);
        for (size_t r = 0; r < runs; r++)
            alone[r] = (struct sms__with_gpu){jobs_per_s(outlook->results, programs, outlook->way, p, r),
                                              value(outlook->results, r, SMS_VM, p, "job_latency_mean_ns")};
        programs->program[p].alone = alone;
        programs->program[p].alone_runs = runs;
        programs->program[p].alone_mean_ns = mean_of(outlook->results, p, "job_latency_mean_ns").mean;
    }
}

void sms__describe(struct sms__arena *arena, const struct sms__programs *programs, double cores,
                   struct sms__outlook *outlook)
{
    if (outlook->way->alone)
        set_alone(arena, programs, outlook);
    outlook->gain = gain_of(programs, outlook->way, outlook->results);
    for (size_t p = 0; p < programs->count; p++)
        set_share(programs, outlook, p);
    sms__judge(programs, outlook, outlook->results);
    outlook->binds = find_binding(arena, programs, cores, outlook);
}
