/* metrics_share.c: what scenarios with `processes:` measure beside the rest.
 * `out` is the block of values of the subject, its last row for all of them. */
#ifndef SMS_REPORT_METRICS_SHARE_H
#define SMS_REPORT_METRICS_SHARE_H

#include "metrics.h"

/* All but the slowdowns, which are NAN so far. */
void sms__measure_processes(const struct sms__record *record, double *out);
void sms__measure_devices(const struct sms__record *record, double *out);

/* The slowdowns, of processes measured; `alone[v]` is of process v. */
void sms__measure_slowdowns(const struct sms_scenario *scenario, const struct sms__alone *alone, double *out);

/* Whether process v, measured, has failed. */
bool sms__has_failed(const double *out, size_t v);

/* The time of process v from its arrival to its end; NAN if it has not ended or has failed. */
double sms__turnaround_ps(const struct sms__record *record, size_t v);

/* Of the devices and their host. */
double sms__share_energy_j(const struct sms__record *record);

/* The end of the last process that was to end and did not fail; the run's end if one has not ended. */
double sms__share_makespan_ns(const struct sms__record *record);

#endif
