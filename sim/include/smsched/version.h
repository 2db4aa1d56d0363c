/* The version, written nowhere else: CMakeLists.txt reads it from here. Versions with the same major and minor number
 * have the same binary interface, and the same name of the shared library. */
#ifndef SMSCHED_VERSION_H
#define SMSCHED_VERSION_H

#define SMSCHED_VERSION_MAJOR 0
#define SMSCHED_VERSION_MINOR 2
#define SMSCHED_VERSION_PATCH 0

#define SMS_VERSION_TEXT_(major, minor, patch) #major "." #minor "." #patch
#define SMS_VERSION_TEXT(major, minor, patch) SMS_VERSION_TEXT_(major, minor, patch)
/* "MAJOR.MINOR.PATCH" */
#define SMSCHED_VERSION SMS_VERSION_TEXT(SMSCHED_VERSION_MAJOR, SMSCHED_VERSION_MINOR, SMSCHED_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

/* The version of the library that runs, which may be newer than SMSCHED_VERSION of this header. */
const char *sms_version(void);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
