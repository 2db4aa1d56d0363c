/* The list of guests of a build without them. */
#include "../model/cluster/guest.h"

const struct sms__guest *const sms__guests[] = {NULL};
const char *const sms__scheduler_kinds[] = {"default", NULL};
const struct sms__field *const sms__scheduler_forms[] = {NULL};
