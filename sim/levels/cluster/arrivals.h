/* The pods of a run and their arrival. */
#ifndef SMS_LEVELS_CLUSTER_ARRIVALS_H
#define SMS_LEVELS_CLUSTER_ARRIVALS_H

struct sms__cluster_run;

/* Makes the list of pods, with the random numbers of this run. */
void sms__pods_init(struct sms__cluster_run *run);
/* Registers the source at whose times pods arrive. */
void sms__arrivals_init(struct sms__cluster_run *run);
/* At the end of the run: takes the last sample of the allocation by load. */
void sms__arrivals_close(struct sms__cluster_run *run);

#endif
