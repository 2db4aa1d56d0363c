/* `devices:` of a scenario, and of its nodes. */
#ifndef SMS_MODEL_DEVICES_H
#define SMS_MODEL_DEVICES_H

#include "device_model.h"

/* Reads one entry; reader->user is the file. Returns its device, or NULL with the problem reported. */
const struct sms__device *sms__read_device_use(struct sms__reader *reader, const struct sms__node *node,
                                               uint64_t *count);
/* `at` is the scenario. */
void sms__read_devices(struct sms__reader *reader, const struct sms__node *node, void *at);
extern const struct sms__field sms__device_use_fields[];

#endif
