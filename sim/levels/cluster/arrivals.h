/* The pods of a run and their arrival. */
#ifndef SMS_LEVELS_CLUSTER_ARRIVALS_H
#define SMS_LEVELS_CLUSTER_ARRIVALS_H

#include <stddef.h>
#include <stdint.h>

struct sms__cluster_run;

/* Makes the list of pods, with the random numbers of this run. */
void sms__pods_init(struct sms__cluster_run *run);
/* Registers the source at whose times pods arrive. */
void sms__arrivals_init(struct sms__cluster_run *run);
/* At the end of the run: takes the last sample of the allocation by load. */
void sms__arrivals_close(struct sms__cluster_run *run);
void sms__pod_name(const struct sms__cluster_run *run, uint32_t pod, char *out, size_t size);

#endif
