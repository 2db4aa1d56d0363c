/* Which sources this program was built from. */
#ifndef SMS_BASE_SOURCES_H
#define SMS_BASE_SOURCES_H

/* 16 digits of the SHA-256 of all sources that results depend on (sim/sources.cmake): the same for every compiler and
 * its options, another one for every change, committed or not. */
const char *sms__sources(void);

#endif
