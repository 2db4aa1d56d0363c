/* `monitor:` of a cluster: how its nodes see the tasks of their GPUs begin and end (docs/evidence/realtime.md). */
#ifndef SMS_MODEL_CLUSTER_MONITOR_H
#define SMS_MODEL_CLUSTER_MONITOR_H

#include "../../yaml/fields.h"

struct sms_scenario;

/* calibrated: what happens is seen and stamped a random time later; cycle: by samples, one after another. */
enum sms__monitor_model { SMS__MONITOR_CALIBRATED, SMS__MONITOR_CYCLE };

struct sms__monitor_rules {
    int model;                            /* enum sms__monitor_model */
    double query_ps, list_ps, top_ps;     /* cycle: of the device, of the containers, of one's processes */
    double start_least_ps, start_most_ps; /* calibrated: from what happens to when it is seen */
    double end_least_ps, end_most_ps;
    int eager;   /* a task that runs beyond its deadline is a miss at once */
    double full; /* from this use of the cores or of the memory on a node is full */
};

/* Reads it; and one as it is unless told, where a policy asks. */
void sms__read_monitor(struct sms__reader *reader, const struct sms__node *node, void *at);
void sms__complete_monitor(struct sms__reader *reader, struct sms_scenario *scenario);
extern const struct sms__field sms__monitor_fields[], sms__monitor_cycle_fields[];

#endif
