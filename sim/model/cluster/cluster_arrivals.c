/* Reads how the pods of an entry come: regularly, at random, in bursts, in batches. */
#include "../limits.h"
#include "pods.h"

#define F(struct_, member) offsetof(struct struct_, member)

enum { BATCH_MAX = 1000000 };

/* A burst must bring a pod now and then, or a run would do nothing but pass from burst to burst. */
#define PODS_LEAST 1e-3

const struct sms__field sms__pod_arrival_fields[] = {
    {"poisson", SMS__QUANTITY, SMS__TIME, F(sms__arriving, poisson_ps), 1, SMS__TIME_MAX_PS,
     .help = "mean of exponential intervals"},
    {"every", SMS__QUANTITY, SMS__TIME, F(sms__arriving, every_ps), 1, SMS__TIME_MAX_PS, .help = "equal intervals"},
    {"burst", SMS__QUANTITY, SMS__TIME, F(sms__arriving, burst_ps), 1, SMS__TIME_MAX_PS,
     .help = "mean interval in bursts; poisson is then between them, default: none come"},
    {"burst_after", SMS__QUANTITY, SMS__TIME, F(sms__arriving, burst_after_ps), 1, SMS__TIME_MAX_PS,
     .help = "mean of exponential times to the next burst"},
    {"burst_lasts", SMS__QUANTITY, SMS__TIME, F(sms__arriving, burst_lasts_ps), 1, SMS__TIME_MAX_PS,
     .help = "mean of exponential lengths of bursts"},
    {"batch", SMS__INTEGER, SMS__COUNT, F(sms__arriving, batch), 1, BATCH_MAX,
     .help = "number that come each time; default 1"},
    {0}};

const struct sms__table sms__arrival_tables[2] = {{"scenario: pods: arrivals", sms__pod_arrival_fields}, {NULL, NULL}};

static double rate(double interval_ps) { return interval_ps > 0 ? 1 / interval_ps : 0; }

double sms__mean_interval(const struct sms__arriving *arriving)
{
    double quiet = arriving->burst_after_ps, burst = arriving->burst_lasts_ps;
    if (arriving->every_ps > 0)
        return arriving->every_ps / (double)arriving->batch;
    if (arriving->burst_ps <= 0)
        return arriving->poisson_ps / (double)arriving->batch;
    double pods = quiet * rate(arriving->poisson_ps) + burst * rate(arriving->burst_ps);
    return (quiet + burst) / pods / (double)arriving->batch;
}

static void check_bursts(struct sms__reader *reader, const struct sms__node *node, const struct sms__arriving *given)
{
    if (given->burst_ps <= 0 || given->burst_after_ps <= 0 || given->burst_lasts_ps <= 0) {
        sms__complain(reader, node, "burst, burst_after and burst_lasts stand together");
        return;
    }
    if (given->burst_after_ps * rate(given->poisson_ps) + given->burst_lasts_ps * rate(given->burst_ps) < PODS_LEAST)
        sms__complain(reader, node, "of a thousand bursts not one would bring a pod");
}

void sms__read_pod_arrivals(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__arriving *given = at;
    given->batch = 1;
    sms__read_fields(reader, node, sms__pod_arrival_fields, given);
    bool every = sms__node_get(node, "every") != NULL, poisson = sms__node_get(node, "poisson") != NULL;
    bool bursts =
        sms__node_get(node, "burst") || sms__node_get(node, "burst_after") || sms__node_get(node, "burst_lasts");
    if (node->kind != SMS__MAP)
        return;
    if (every == (poisson || bursts))
        sms__complain(reader, node, "arrivals are one of poisson, every; poisson may have bursts");
    else if (bursts)
        check_bursts(reader, node, given);
}
