/* Records what a workload document leaves out of the profile, up to a limit that keeps the document readable. */
#include "derive_internal.h"

#include <stdarg.h>
#include <string.h>

enum { OMISSIONS_MAX = 40 };

void sms__derive_omit(struct sms__derivation *derivation, unsigned line, const char *format, ...)
{
    struct sms__omissions *omitted = &derivation->omitted;
    char text[320];
    if (omitted->count == OMISSIONS_MAX) {
        omitted->dropped++;
        return;
    }
    if (!omitted->item)
        omitted->item = SMS__NEW(derivation->arena, struct sms__omission, OMISSIONS_MAX);
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    omitted->item[omitted->count++] = (struct sms__omission){line, sms__copy(derivation->arena, text, strlen(text))};
}
