/* Reads `arrivals:` of a tenant: intervals, or a list of times. */
#include "limits.h"
#include "tenant.h"

#define F(struct_, member) offsetof(struct struct_, member)

struct arrival_fields {
    double poisson, every, per_s;
    struct sms__times *times;
};

#define ARRIVALS                                                                                                       \
    "'arrivals' needs exactly one of rate (30/s), poisson (a mean interval), every (an interval), times (a list)"

static const double PS_PER_S = 1e12;

/* Each time is after the start of the tenant, and not before the one before it. */
static void read_times(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__times *times = SMS__NEW(reader->arena, struct sms__times, 1);
    struct sms__quantity time;
    times->ps = SMS__NEW(reader->arena, double, node->items);
    for (size_t i = 0; i < node->items && reader->errors->count <= SMS_ERRORS_MAX; i++) {
        if (!sms__read_number(reader, node->item[i], SMS__TIME, 0, SMS__TIME_MAX_PS, &time))
            continue;
        if (times->count && time.value < times->ps[times->count - 1])
            sms__complain(reader, node->item[i], "'%.40s' is before the time ahead of it in the list",
                          node->item[i]->text);
        else
            times->ps[times->count++] = time.value;
    }
    *(struct sms__times **)at = times;
}

const struct sms__field sms__arrival_fields[] = {
    {"poisson", SMS__QUANTITY, SMS__TIME, F(arrival_fields, poisson), 1, SMS__TIME_MAX_PS, .one_of = ARRIVALS,
     .words = "mean time between arrivals",
     .help = "sets the mean of the exponential intervals between arrivals, and before the first"},
    {"rate", SMS__QUANTITY, SMS__ARRIVAL_RATE, F(arrival_fields, per_s), 1e12 / SMS__TIME_MAX_PS, 1e12,
     .one_of = ARRIVALS, .words = "arrivals a second",
     .help = "sets the mean number of arrivals per time, with exponential intervals: 500/s is poisson: 2 ms"},
    {"every", SMS__QUANTITY, SMS__TIME, F(arrival_fields, every), 1, SMS__TIME_MAX_PS, .one_of = ARRIVALS,
     .words = "time between arrivals",
     .help = "sets the constant interval between arrivals; the first is one interval after the start"},
    {"times", SMS__QUANTITY, SMS__TIME, F(arrival_fields, times), 0, SMS__TIME_MAX_PS, .one_of = ARRIVALS,
     .read = read_times, .holds = SMS__MANY, .least = 1, .most = SMS__TIMES_MAX,
     .help = "lists the times of arrivals after the start, in order"},
    {0}};

/* The mean interval of a list stands for it where work is estimated. */
static double mean_interval(const struct sms__times *times)
{
    double mean_ps = times->count ? times->ps[times->count - 1] / (double)times->count : 0;
    return mean_ps > 1 ? mean_ps : 1;
}

void sms__read_arrivals(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__tenant *tenant = at;
    struct arrival_fields given = {0};
    if (node->kind != SMS__MAP) {
        sms__complain(reader, node, ARRIVALS);
        return;
    }
    sms__read_fields(reader, node, sms__arrival_fields, &given);
    if (given.per_s > 0)
        given.poisson = PS_PER_S / given.per_s;
    tenant->times = given.times;
    tenant->arrivals = given.times ? SMS__LISTED : given.poisson > 0 ? SMS__POISSON : SMS__REGULAR;
    tenant->interval_ps = given.times ? mean_interval(given.times) : given.poisson > 0 ? given.poisson : given.every;
}
