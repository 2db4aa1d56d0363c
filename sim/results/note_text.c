/* What every note is made of: a list of a few names, and its place among the notes of the results. */
#include "notes.h"
#include "../base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { NAMED = 3 };

void sms__names_add(struct sms__names *names, const char *name, double count)
{
    if (++names->count > NAMED)
        return;
    sms__append(names->text, sizeof names->text, "%s%.60s", names->count > 1 ? ", " : "", name);
    if (count >= 0)
        sms__append(names->text, sizeof names->text, " (%.0f)", count);
}

const char *sms__names_print(struct sms_results *results, const struct sms__names *names)
{
    return names->count <= NAMED ? sms__print(&results->arena, "%s", names->text)
                                 : sms__print(&results->arena, "%s and %zu more", names->text, names->count - NAMED);
}

void sms__note(struct sms_results *results, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    results->notes.text[results->notes.count++] = sms__vprint(&results->arena, format, args);
    va_end(args);
}
