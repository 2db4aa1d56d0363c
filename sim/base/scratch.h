/* Memory for as long as one function runs, in which it works out something smaller. */
#ifndef SMS_BASE_SCRATCH_H
#define SMS_BASE_SCRATCH_H

#include "arena.h"

/* Calls body(user, scratch) with an arena that is released when body ends, and returns its result. Call it in a guard
 * of `arena`. If memory runs out in either arena, body is abandoned and the result is SMS_ENOMEM. In a guard of `arena`
 * inside body, `scratch` must not be used, because body would be abandoned past that guard. */
int sms__scratch(struct sms__arena *arena, int (*body)(void *user, struct sms__arena *scratch), void *user);

#endif
