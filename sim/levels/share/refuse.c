/* The end of a run whose share policy or mode breaks its contract. */
#include "host.h"

#include <stdarg.h>
#include <stdio.h>

bool sms__share_refuse(const struct sms_share *share, const char *format, ...)
{
    struct sms__record *record = share->spec->record;
    va_list args;
    va_start(args, format);
    if (!*record->why)
        vsnprintf(record->why, sizeof record->why, format, args);
    va_end(args);
    share->engine->stopped = true;
    return false;
}
