/* Identifies the sources from which this program was built. */
#ifndef SMS_BASE_SOURCES_H
#define SMS_BASE_SOURCES_H

/* Returns 16 digits of the SHA-256 of all sources on which all results depend (sim/sources.cmake). They change with
 * every edit, committed or not, and do not depend on the compiler or its options. */
const char *sms__sources(void);

/* The files of policies and contention models, on which only the results depend that use them, and 16 digits of the
 * SHA-256 of each; a file of NULL ends the list. */
struct sms__plugin_source {
    const char *file, *hash; /* "policies/block/leftover.c" */
};
extern const struct sms__plugin_source sms__plugin_sources[];

#endif
