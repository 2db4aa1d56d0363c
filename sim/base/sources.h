/* Identifies the sources from which this program was built. */
#ifndef SMS_BASE_SOURCES_H
#define SMS_BASE_SOURCES_H

/* Returns 16 digits of the SHA-256 of all sources on which results depend (sim/sources.cmake). They change with every
 * edit, committed or not, and do not depend on the compiler or its options. */
const char *sms__sources(void);

#endif
