/* Metrics of the jobs of a cluster's pods, and of what the nodes' monitors saw of them. */
#include "metrics.h"

#include <math.h>

#define CLUSTER(id) (SMS__ALL_CLUSTER_##id - SMS__FIRST_CLUSTER)

static double over(double a, double b) { return b > 0 ? a / b : NAN; }

/* State, memory and float of a node. */
enum { MESSAGE = 1 + 5 + 10 };

static double ns_of(sms__integral ps) { return (double)ps / 1e3; }

static double mean_ns(const struct sms__spread_record *spread)
{
    return over(ns_of(spread->sum), (double)spread->count);
}

/* The value of rank ceil(p * count) of jobs by their floats, the latest first. */
static double float_ns(const struct sms__float_record *floats, double p)
{
    double late = (double)floats->late.count, early = (double)floats->early.count;
    double rank = ceil(p * (late + early));
    if (late + early == 0)
        return NAN;
    rank = rank < 1 ? 1 : rank;
    if (rank > late)
        return sms__histogram_rank(&floats->early, (rank - late - 0.5) / early) / 1e3;
    return -sms__histogram_rank(&floats->late, (late - rank + 0.5) / late) / 1e3;
}

/* Least, mean and greatest. */
static void measure_spread(const struct sms__spread_record *spread, double out[3])
{
    out[0] = spread->count ? ns_of(spread->least) : NAN;
    out[1] = mean_ns(spread);
    out[2] = spread->count ? ns_of(spread->greatest) : NAN;
}

static void measure_floats(const struct sms__monitor_record *own, double time_ps, double *out)
{
    const struct sms__float_record *actual = &own->actual;
    bool any = actual->tasks > 0;
    out[CLUSTER(TIMED_JOBS)] = (double)actual->tasks;
    out[CLUSTER(JOB_MISSES)] = over((double)actual->missed, (double)actual->tasks);
    out[CLUSTER(JOB_MISSES_SEEN)] = over((double)own->observed.missed, (double)own->observed.tasks);
    out[CLUSTER(TIMELY)] = over((double)(actual->tasks - actual->missed), time_ps / 1e12);
    out[CLUSTER(FLOAT)] = mean_ns(&actual->spread);
    out[CLUSTER(FLOAT_LEAST)] = any ? ns_of(actual->spread.least) : NAN;
    out[CLUSTER(FLOAT_P5)] = float_ns(actual, 0.05);
    out[CLUSTER(FLOAT_P50)] = float_ns(actual, 0.50);
    out[CLUSTER(FLOAT_P95)] = float_ns(actual, 0.95);
    out[CLUSTER(FLOAT_MOST)] = any ? ns_of(actual->spread.greatest) : NAN;
    out[CLUSTER(FLOAT_SEEN)] = mean_ns(&own->observed.spread);
}

void sms__measure_monitor(const struct sms__monitor_record *own, double time_ps, double *out)
{
    if (!own) {
        for (int m = CLUSTER(TIMED_JOBS); m <= CLUSTER(MESSAGE_BYTES); m++)
            out[m] = NAN;
        return;
    }
    measure_floats(own, time_ps, out);
    measure_spread(&own->start, &out[CLUSTER(START_LEAST)]);
    measure_spread(&own->end, &out[CLUSTER(END_LEAST)]);
    measure_spread(&own->run, &out[CLUSTER(RUN_LEAST)]);
    out[CLUSTER(UNSEEN)] = (double)own->unseen;
    out[CLUSTER(REQUESTS)] = (double)own->requests;
    out[CLUSTER(UNQUALIFIED)] = (double)own->unqualified;
    out[CLUSTER(QUEUED)] = (double)own->queued;
    out[CLUSTER(MESSAGES)] = (double)own->messages;
    out[CLUSTER(MESSAGE_BYTES)] = (double)own->messages * MESSAGE;
}
