/* Demands of a trace's kernels, which have no counters of their own. */
#ifndef SMS_IMPORT_DEMANDS_H
#define SMS_IMPORT_DEMANDS_H

#include "import.h"

/* Gives launches without metrics those of a known kernel of `with`, a file of Nsight Compute, and adds what it found to
 * the profile's facts. A launch takes the metrics of the kernel of its name (without arguments; otherwise also without
 * namespaces and template) that has its grid and block, otherwise of the one with the nearest number of threads. Must
 * run in a guard of `arena`. Returns SMS_OK, or a code with `errors` filled, except for SMS_ENOMEM. */
int sms__demands_join(struct sms__arena *arena, struct sms__profile *profile, const char *with,
                      struct sms_errors *errors);

#endif
