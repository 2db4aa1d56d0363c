#include "sweep.h"

enum { TRIES = 16, EVENTS = 5000000, SECONDS = 2 };

/* Points all over the plan, however few of them there is time for: van der Corput's sequence, 1/2, 1/4, 3/4, 1/8, ...
 */
static uint64_t pick(uint64_t points, unsigned idx)
{
    double at = 0, part = 0.5;
    for (unsigned bits = idx + 1; bits; bits >>= 1, part /= 2)
        at += bits & 1 ? part : 0;
    return (uint64_t)(at * (double)points);
}

static double processor_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* One replication, and of a long run its beginning; what cannot be run takes no time. */
static int try_point(struct sms__reach *reach, uint64_t point, struct sms__sweep_estimate *estimate,
                     struct sms_errors *errors)
{
    struct sms_run_options options = sms_run_defaults();
    struct sms_results *results = NULL;
    struct sms_file *file;
    double times = 1, before = processor_time();
    options.replications = 1;
    options.max_events = EVENTS;
    int code = sms__point_load(reach, point, &file, NULL, errors);
    if (code == SMS_OK) {
        const struct sms_scenario *scenario = sms_file_scenario(file, 0);
        double pilots = scenario->find_warmup ? SMS__PILOTS : 0;
        times = ((double)scenario->replications + pilots) / (1 + pilots); /* pilots run once, here as there */
        estimate->least |= scenario->until.precision > 0;
        code = sms_run(scenario, &options, &results, errors);
    }
    sms_results_free(results);
    sms_file_free(file);
    estimate->seconds += (processor_time() - before) * times;
    estimate->least |= code == SMS_ELIMIT;
    return code == SMS_ELIMIT || code == SMS_EINPUT ? SMS_OK : code;
}

int sms__sweep_estimate(const struct sms__plan *plan, struct sms__sweep_estimate *estimate, struct sms_errors *errors)
{
    struct sms__reach reach;
    struct sms_errors own;
    unsigned most = plan->points < TRIES ? (unsigned)plan->points : TRIES;
    double begun = processor_time();
    *estimate = (struct sms__sweep_estimate){0};
    int code = sms__reach_open(plan, &reach, errors);
    if (code)
        return code;
    while (code == SMS_OK && estimate->tried < most && processor_time() - begun < SECONDS) {
        code = try_point(&reach, pick(plan->points, estimate->tried), estimate, &own);
        estimate->tried++;
    }
    if (code)
        *errors = own;
    estimate->seconds /= estimate->tried ? estimate->tried : 1;
    sms__reach_close(&reach);
    return code;
}
