#include "oracle.h"

static const struct sms__oracle oracle = {.init = sms__reference_init,
                                          .dispatch = sms__reference_dispatch,
                                          .add_partial = sms__reference_add_partial,
                                          .check = sms__check,
                                          .check_queued = sms__check_queued,
                                          .check_mode = sms__broken_mode,
                                          .audit_ledger = sms__audit_ledger,
                                          .audit_hosts = sms__audit_hosts};
const struct sms__oracle *const sms__oracle = &oracle;
