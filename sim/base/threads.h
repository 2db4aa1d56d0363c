/* Threads that share one piece of work. */
#ifndef SMS_BASE_THREADS_H
#define SMS_BASE_THREADS_H

#include <stddef.h>

enum { SMS__THREADS_MAX = 256 };

/* Calls work(user) in this thread and in others until all have returned: in `wanted` at once, at least in this one and
 * at most in SMS__THREADS_MAX. If a thread cannot be started, the others do its work, so `work` takes its pieces under
 * a lock of its own until all are taken. What it returns is dropped. */
void sms__work_in_threads(size_t wanted, void *(*work)(void *user), void *user);

#endif
