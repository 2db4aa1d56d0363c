/* The list of guests; no other file outside of their folders names them. Of several that want a run, the first
 * schedules it. */
#include "gpushare/gpushare_run.h"
#include "realtime/master.h"

const struct sms__guest *const sms__guests[] = {&sms__gpushare_guest, &sms__realtime_guest, NULL};
const char *const sms__scheduler_kinds[] = {"default", "gpushare", NULL};
const struct sms__field *const sms__scheduler_forms[] = {sms__gpushare_fields, NULL};
