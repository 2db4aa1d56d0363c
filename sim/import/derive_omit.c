/* Records what a workload document leaves out of the profile, up to a limit that keeps the document readable. */
#include "derive_internal.h"
#include "text.h"

#include <string.h>

enum { OMISSIONS_MAX = 40 };

void sms__derive_omit(struct sms__derivation *derivation, unsigned line, const char *what, const char *why)
{
    struct sms__omissions *omitted = &derivation->omitted;
    omitted->total++;
    for (size_t i = 0; i < omitted->count; i++)
        if (!strcmp(omitted->item[i].why, why)) {
            omitted->item[i].more++;
            return;
        }
    if (!omitted->item)
        omitted->item = SMS__NEW(derivation->arena, struct sms__omission, OMISSIONS_MAX);
    if (omitted->count < OMISSIONS_MAX)
        omitted->item[omitted->count++] =
            (struct sms__omission){line, sms__derive_text(derivation->arena, what, 60), why, 0};
}

const char *sms__derive_omission_text(struct sms__arena *arena, const struct sms__omission *omission)
{
    const char *more = omission->more ? sms__print(arena, " (and %zu more)", omission->more) : "";
    return sms__print(arena, "'%s': %s%s", omission->what, omission->why, more);
}
