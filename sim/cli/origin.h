/* origin.json in the folder of a sweep: where the plan is, and the models that it was run with. It is a file of its
 * own, so that the bytes of the results do not depend on it. */
#ifndef SMS_CLI_ORIGIN_H
#define SMS_CLI_ORIGIN_H

#include "../base/errors.h"

/* SMS_OK or a code with `errors` filled. */
int origin_write(const char *folder, const char *plan, const char *models, struct sms_errors *errors);

/* The caller frees the strings; NULL: unknown. */
struct origin {
    char *plan, *models;
};
void origin_read(const char *folder, struct origin *origin);

#endif
