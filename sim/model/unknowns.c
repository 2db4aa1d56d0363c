/* Reads `run: unknowns:`, as a number of draws or with the spreads of what is drawn. */
#include "unknowns.h"

enum { REPLICATIONS_MOST = 1000 };

#define F(member) offsetof(struct sms__unknowns_ask, member)
#define SPREAD(key, kind, text)                                                                                        \
    {                                                                                                                  \
        key, SMS__QUANTITY, SMS__RATIO, F(spread[kind]), 0, 1, .help = (text)                                          \
    }

const struct sms__field sms__unknowns_fields[] = {
    {"draws", SMS__INTEGER, SMS__COUNT, F(draws), 1, SMS__DRAWS_MAX, .required = true,
     .help = "sets the number of draws"},
    {"replications", SMS__INTEGER, SMS__COUNT, F(replications), 1, REPLICATIONS_MOST,
     .help = "sets the number of replications per draw; default 1"},
    SPREAD("demand", SMS__UNKNOWN_DEMAND,
           "sets the spread of demands, drawn as a factor for each workload and resource; default: its uncertainty, "
           "otherwise 10 %"),
    SPREAD("block_time", SMS__UNKNOWN_BLOCK_TIME,
           "sets the spread of block_time and time, drawn as a factor for each workload; default 10 %, more for scaled "
           "kernels"),
    SPREAD("slope", SMS__UNKNOWN_SLOPE, "sets the spread of the slope of contention: proportional; default 50 %"),
    SPREAD("knee", SMS__UNKNOWN_KNEE,
           "sets the spread of knees, and of a knee assumed for dram if it has none; default 60 %"),
    SPREAD("curve", SMS__UNKNOWN_CURVE,
           "sets the spread of the overheads of contention: curve and pressure; default 20 %"),
    {0}};

/* Spreads of fitted parameters are those of the fits at hand: slopes of 1, 1.24 (bandwidth of a V100) and 2.55 (gains
 * of fine-grained sharing); knees of 2.2 (DRAM of a V100), 8 (of an A6000), 2 (all of fused kernels); curves of 139
 * and 123 %, with floors of 11 and 17 % (pairs of networks). */
void sms__default_unknowns(struct sms__unknowns_ask *ask)
{
    *ask = (struct sms__unknowns_ask){.replications = 1,
                                      .spread = {[SMS__UNKNOWN_DEMAND] = -1,
                                                 [SMS__UNKNOWN_BLOCK_TIME] = -1,
                                                 [SMS__UNKNOWN_SLOPE] = 0.5,
                                                 [SMS__UNKNOWN_KNEE] = 0.6,
                                                 [SMS__UNKNOWN_CURVE] = 0.2}};
}

void sms__read_unknowns(struct sms__reader *reader, const struct sms__node *node, void *at)
{
    struct sms__unknowns_ask *ask = at;
    struct sms__quantity draws;
    if (node->kind == SMS__MAP)
        sms__read_fields(reader, node, sms__unknowns_fields, ask);
    else if (sms__read_number(reader, node, SMS__COUNT, 1, SMS__DRAWS_MAX, &draws))
        ask->draws = (uint64_t)draws.value;
}
