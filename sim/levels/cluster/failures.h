/* Failures: nodes and GPUs that go down and return. */
#ifndef SMS_LEVELS_CLUSTER_FAILURES_H
#define SMS_LEVELS_CLUSTER_FAILURES_H

#include <stdbool.h>
#include <stdint.h>

struct sms__cluster_run;

/* Registers the source that fires when things fail and return, with the run as its subject. */
void sms__failures_init(struct sms__cluster_run *run, void (*fire)(void *subject, uint64_t now));
/* All that fails and returns now: pods are cut off, and are added to those that wait. */
void sms__failures_come(struct sms__cluster_run *run, uint64_t now);
/* Sets the source to the next failure or return, if it matters. To be called after each event. */
void sms__failures_await(struct sms__cluster_run *run);
/* No failure comes until sms__failures_await is called. */
void sms__failures_hold(struct sms__cluster_run *run);
/* Whether failures or returns are to come at given times; whether something is down that will return. */
bool sms__failures_given(const struct sms__cluster_run *run);
bool sms__failures_returning(const struct sms__cluster_run *run);

#endif
