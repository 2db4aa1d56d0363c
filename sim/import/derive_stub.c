#include "import.h"

#include "../base/errors.h"

int sms__derive(struct sms__arena *arena, const struct sms__profile *profile, const struct sms__import_options *options,
                FILE *to, struct sms_errors *errors)
{
    (void)arena;
    (void)profile;
    (void)options;
    (void)to;
    return sms__fail(errors, SMS_EINPUT, NULL, "no workloads are made of profiles yet; see what was read with --dump");
}
