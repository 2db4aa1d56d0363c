/* Ends a run from the block level. In a file of its own because all others of the level may call it, and it calls none
 * of them. */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>

void sms__stop_run(const struct sms__blocks *device, const char *why, ...)
{
    va_list args;
    va_start(args, why);
    if (!*device->setup.run->why)
        vsnprintf(device->setup.run->why, sizeof device->setup.run->why, why, args);
    va_end(args);
    device->setup.engine->stopped = true;
}
