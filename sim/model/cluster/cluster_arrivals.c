/* Reads how the pods of an entry come: regularly, at random, in batches. */
#include "../limits.h"
#include "pods.h"

#define F(struct_, member) offsetof(struct struct_, member)

enum { BATCH_MAX = 1000000 };

#define ARRIVALS "'arrivals' needs exactly one of poisson, every"

const struct sms__field sms__pod_arrival_fields[] = {
    {"poisson", SMS__QUANTITY, SMS__TIME, F(sms__arriving, poisson_ps), 1, SMS__TIME_MAX_PS, .one_of = ARRIVALS,
     .help = "sets the mean of the exponential intervals between arrivals, and before the first"},
    {"every", SMS__QUANTITY, SMS__TIME, F(sms__arriving, every_ps), 1, SMS__TIME_MAX_PS, .one_of = ARRIVALS,
     .help = "sets the constant interval between arrivals; the first is at the start"},
    {"batch", SMS__INTEGER, SMS__COUNT, F(sms__arriving, batch), 1, BATCH_MAX,
     .help = "sets how many pods arrive each time; default 1"},
    {0}};

const struct sms__table sms__arrival_tables[2] = {{"scenario: pods: arrivals", sms__pod_arrival_fields}, {NULL, NULL}};

double sms__mean_interval(const struct sms__arriving *arriving)
{
    return (arriving->every_ps > 0 ? arriving->every_ps : arriving->poisson_ps) / (double)arriving->batch;
}

void sms__read_pod_arrivals(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__arriving *given = at;
    given->batch = 1;
    sms__read_fields(reader, node, sms__pod_arrival_fields, given);
}
