/* Notes on the results: what a note is made of, and those of the other files. Texts live in the results' arena. */
#ifndef SMS_RESULTS_NOTES_H
#define SMS_RESULTS_NOTES_H

#include "results.h"

/* note_text.c: "a (87), b (43), c (2) and 2 more": the first names in words, the rest by number. {0} is an empty list.
 */
struct sms__names {
    char text[512]; /* of three names of 100 characters, each with more in parentheses */
    size_t count;
};

/* Adds a name, with its count in parentheses unless that is negative. */
void sms__names_add(struct sms__names *names, const char *name, double count);
/* The list in words. */
const char *sms__names_print(struct sms_results *results, const struct sms__names *names);
/* Those of these texts that differ, in alphabetical order: the first ones as they are, the rest by number. Sorts them.
 */
const char *sms__list_once(struct sms_results *results, const char **text, size_t count, const char *separator);
/* Appends a note to those of the results. */
void sms__note(struct sms_results *results, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* device_notes.c: the whole devices of the scenario for which it holds, as sms__list_once lists them; "" if none. */
const char *sms__names_of_devices(struct sms_results *results, bool (*holds)(const struct sms__device *device));
/* True if it holds for a kernel of some tenant. */
bool sms__has_kernel(const struct sms_scenario *scenario, bool (*holds)(const struct sms__kernel *kernel));

/* The same file: notes the slice and the switch by default, unless all was measured. */
void sms__note_turns(struct sms_results *results);
/* Notes the limits that nobody knows of a device, and that matter: of chunks of static partitions, and of grids. */
void sms__note_unbounded(struct sms_results *results);
/* Notes the order in which kernels of several processes get a device, unless it was measured or hardly matters. */
void sms__note_queue(struct sms_results *results);
/* Notes the clock under load of kernels that were scaled, unless all was measured. */
void sms__note_clock(struct sms_results *results);

/* shortfall_notes.c: notes which tenants failed, did nothing, fell behind the jobs that arrive or cannot meet their
 * deadline, under which policy. */
void sms__note_shortfalls(struct sms_results *results);
/* True if no kernel and no job of the tenant made progress in the measured time. A tenant that has ended has done
 * something, perhaps before the warm-up was over. */
bool sms__did_nothing(const struct sms_results *results, size_t policy, size_t vm);

/* setup_notes.c: notes on when tenants start, which instances and SMs they get, what they cannot run on, how jobs
 * arrive, and waves of blocks that just fit. */
void sms__note_setup(struct sms_results *results);

/* workload_notes.c: notes which workloads were scaled from another device, by the run or before it, which run as they
 * were profiled elsewhere, which were fitted, and how much of a workload's kernel time has no metrics. */
void sms__note_workloads(struct sms_results *results);

#endif
