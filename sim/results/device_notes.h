/* Notes on rules that stand in for what was not measured on a device. Texts live in the results' arena. */
#ifndef SMS_RESULTS_DEVICE_NOTES_H
#define SMS_RESULTS_DEVICE_NOTES_H

#include "results.h"

/* The devices of the scenario for which it holds, each once, as "a100, v100"; "" if it holds for none. */
const char *sms__names_of_devices(struct sms_results *results, bool (*holds)(const struct sms__device *device));
/* True of the first device of the scenario that has its name. */
bool sms__is_first_of_name(const struct sms_scenario *scenario, size_t device);
/* True if it holds for a kernel of some tenant. */
bool sms__has_kernel(const struct sms_scenario *scenario, bool (*holds)(const struct sms__kernel *kernel));

/* The slice and the switch by default, and the name of the mode that has them. NULL: all was measured. */
const char *sms__note_on_turns(struct sms_results *results, const char **mode);
/* The order in which kernels of several processes get a device. NULL: it was measured, or hardly matters. */
const char *sms__note_on_queue(struct sms_results *results);
/* The clock under load of kernels that were scaled. NULL: all was measured. */
const char *sms__note_on_clock(struct sms_results *results);

#endif
