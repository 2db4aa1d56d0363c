/* Estimates how long a plan takes by running a few of its points. The choice of points is fixed, and long runs are cut
 * short. */
#include "sweep.h"

enum { TRIES = 16, EVENTS = 5000000, SECONDS = 2 };

/* Van der Corput's sequence (1/2, 1/4, 3/4, 1/8, ...) spreads the points over the plan, however few there is time for.
 */
static uint64_t pick_point(uint64_t points, unsigned idx)
{
    double fraction = 0, part = 0.5;
    for (unsigned bits = idx + 1; bits; bits >>= 1, part /= 2)
        fraction += bits & 1 ? part : 0;
    return (uint64_t)(fraction * (double)points);
}

static double processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Runs one replication, or the beginning of a long one. A point that cannot be run counts as no time. */
static int try_point(struct sms__worker_context *context, uint64_t point, struct sms__sweep_estimate *estimate,
                     struct sms_errors *errors)
{
    struct sms_run_options options = sms_run_defaults();
    struct sms_results *results = NULL;
    struct sms_file *file;
    double times = 1, before = processor_time();
    options.replications = 1;
    options.max_events = EVENTS;
    int code = sms__point_load(context, point, &file, NULL, errors);
    if (code == SMS_OK) {
        const struct sms_scenario *scenario = sms_file_scenario(file, 0);
        double pilots = scenario->find_warmup ? SMS__PILOTS : 0;
        times = ((double)scenario->replications + pilots) /
                (1 + pilots); /* the pilots run once, not once per replication */
        estimate->is_lower_bound |= scenario->until.node != NULL;
        code = sms_run(scenario, &options, &results, errors);
    }
    sms_results_free(results);
    sms_file_free(file);
    estimate->seconds += (processor_time() - before) * times;
    estimate->is_lower_bound |= code == SMS_ELIMIT;
    return code == SMS_ELIMIT || code == SMS_EINPUT ? SMS_OK : code;
}

int sms__sweep_estimate(const struct sms__plan *plan, struct sms__sweep_estimate *estimate, struct sms_errors *errors)
{
    struct sms__worker_context context;
    struct sms_errors run_errors;
    unsigned tries = plan->points < TRIES ? (unsigned)plan->points : TRIES;
    double begun = processor_time();
    *estimate = (struct sms__sweep_estimate){0};
    int code = sms__worker_context_open(plan, true, &context, errors);
    if (code)
        return code;
    while (code == SMS_OK && estimate->tried < tries && processor_time() - begun < SECONDS) {
        code = try_point(&context, pick_point(plan->points, estimate->tried), estimate, &run_errors);
        estimate->tried++;
    }
    if (code)
        *errors = run_errors;
    estimate->seconds /= estimate->tried ? estimate->tried : 1;
    sms__worker_context_close(&context);
    return code;
}
